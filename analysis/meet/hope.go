package meet

import (
	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/race"
)

// This file says when a way of proving is not tried any more.
//
// DESIGN. Once a pair is left open that counts, the kernel is not proved, and what further proofs are for is to spare the
// search for witnesses candidates, and to name assumptions. The question itself is asked of each pair, and so are rows, by
// which a race is information or a warning. The other ways may do so much, and no more. The pairs of an array are much alike:
// what has told none of several apart hardly does so for the next, and is given up for that array. What is not asked stays
// undecided.

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

// try asks a question by an approach, unless it has been given up.
func (c *checker) try(a *access.Access, kind race.Kind, how string, ask func() bool) bool {
	if c.lost < maxLost {
		return ask()
	}
	way := approach{a.Base, kind, how}
	if c.failures[way] >= maxFailures || c.t.Work-c.lostAt > lostKernelWork {
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
