package meet

import (
	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/phase"
	"github.com/warplint/warplint/analysis/race"
)

// This file asks the solver of bits for what the algebra leaves undecided.

// maxByBits is the number of pairs of a kernel that the bits may fail to tell apart: such a kernel is
// not proved, whatever becomes of its other pairs.
const maxByBits = 4

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
	key := "by bits " + c.key(a, b, kind, m)
	if yes, ok := c.apart[key]; ok {
		return yes
	}
	if c.failedBits >= maxByBits || c.ctx.Err() != nil {
		return false
	}
	yes := c.solver.UnsatByBits(c.question(a, b, kind, m)...)
	if !yes {
		c.failedBits++
	}
	c.apart[key] = yes
	return yes
}
