package meet

import (
	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/race"
)

// This file says when a way of proving is not tried any more.
//
// DESIGN. Once a pair is left open that counts, the kernel is not proved, and what further proofs are for is to spare the
// search for witnesses candidates. The pairs of an array are much alike: what has told none of several apart hardly does so
// for the next. So a way that has failed for some of them, and never told any apart, is given up for that array. What is not
// asked stays undecided, as is what comes when such proofs have taken their share of work.

// approach is a way of proving something of an array's pairs.
type approach struct {
	base *access.Base
	kind race.Kind
	how  string
}

// Limits: how often an approach fails before it is given up, and the work behind the first pair that is left open.
const (
	maxFailures    = 3
	lostKernelWork = 250_000
)

// hasLost reports whether what is left over for a kernel that is not proved has been spent.
func (c *checker) hasLost() bool { return c.lost >= maxLost && c.t.Work-c.lostAt > lostKernelWork }

// try asks a question by an approach, unless it has been given up.
func (c *checker) try(a *access.Access, kind race.Kind, how string, ask func() bool) bool {
	if c.lost < maxLost {
		return ask()
	}
	way := approach{a.Base, kind, how}
	if c.failures[way] >= maxFailures || c.hasLost() {
		return false
	}
	yes := ask()
	switch {
	case yes:
		c.failures[way] = -1 // for good
	case c.failures[way] >= 0:
		c.failures[way]++
	}
	return yes
}
