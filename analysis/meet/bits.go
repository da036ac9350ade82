package meet

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/phase"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file asks the solver of bits for what the algebra leaves undecided.

// maxByBits is the number of pairs of a kernel that the bits may fail to tell apart: such a kernel is
// not proved, whatever becomes of its other pairs.
const maxByBits = 4

// byBits is the way of asking that a second solver may answer, too.
const byBits = "by bits"

// apartByBits shows that no two threads of the kind meet, bit by bit. Most pairs of a block are apart
// for any two of its threads, which answers for those of one warp and for those of two.
func (c *checker) apartByBits(a, b *access.Access, kind race.Kind, m phase.Mode) bool {
	kinds := []race.Kind{kind}
	if kind == race.IntraBlock || kind == race.IntraWarp {
		kinds = []race.Kind{sameBlock, kind}
	}
	for _, k := range kinds {
		if c.askBits(a, b, k, m) {
			return true
		}
	}
	return false
}

func (c *checker) askBits(a, b *access.Access, kind race.Kind, m phase.Mode) bool {
	key := c.key(a, b, kind, m).by(byBits)
	if yes, ok := c.apart[key]; ok {
		return yes
	}
	if c.failedBits >= maxByBits || c.ctx.Err() != nil || c.lost >= maxLost {
		return false
	}
	x, y := c.ofIndices(a, b), c.ofIndices(b, a)
	yes := (x != a || y != b) && c.byBitsOnce(x, y, kind, m) ||
		c.solver.UnsatByBits(c.question(a, b, kind, m)...)
	if !yes {
		c.failedBits++
	}
	c.apart[key], c.bitsLead = yes, yes
	return yes
}

// byBitsOnce asks once for accesses that are alike.
func (c *checker) byBitsOnce(a, b *access.Access, kind race.Kind, m phase.Mode) bool {
	return c.once(c.key(a, b, kind, m).by("by bits of indices"), func() bool {
		return c.solver.UnsatByBitsSoon(c.question(a, b, kind, m)...)
	})
}

// ofIndices is an access without the conditions that speak of anything but what two indices are made of, such as the
// size of the data or which of two parities is meant; the access itself if it has none. Accesses under several of
// those, as the exchanges of a sorting network that go up or down, are one question then.
func (c *checker) ofIndices(a, b *access.Access) *access.Access {
	pair := [2]*access.Access{a, b}
	out := c.bare[pair]
	if out == nil {
		out = c.withIndices(a, b)
		c.bare[pair] = out
	}
	return out
}

func (c *checker) withIndices(a, b *access.Access) *access.Access {
	within := map[*term.Atom]bool{}
	for _, p := range slices.Concat([]*term.Poly{a.Off, b.Off}, c.s.ThreadIdx[:], c.s.BlockIdx[:]) {
		p.AllLeaves(func(x *term.Atom) { within[x] = true })
	}
	out := *a
	out.When = nil
	all := term.Conjuncts(a.When)
	for _, when := range all {
		beyond := false
		when.Walk(func(w *term.Cond) { w.P.AllLeaves(func(x *term.Atom) { beyond = beyond || !within[x] }) })
		if !beyond {
			out.When = append(out.When, when)
		}
	}
	if len(out.When) == len(all) {
		return a
	}
	return &out
}
