package meet

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/phase"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file tells warps apart that a kernel numbers over the whole grid, as in `(blockIdx.x * blockDim.x + threadIdx.x) / 32`.
// In blocks of 48 threads two warps would have one number, so nobody means them.

// WholeWarps is the assumption.
const WholeWarps = "blocks are made of whole warps"

// apartByWholeWarps shows that threads keep apart if the length of a block, which nothing fixes, is a multiple of 32.
func (c *checker) apartByWholeWarps(a, b *access.Access, kind race.Kind, m phase.Mode) bool {
	length := c.warpsNumbered(a, b)
	if length == nil || c.spent >= kernelBudget {
		return false
	}
	return c.presuming(WholeWarps, c.key(a, b, kind, m), pairBudget, func() []*term.Cond {
		return c.wholeWarps(length, c.question(a, b, kind, m))
	})
}

// warpsNumbered is the length of a block that nothing fixes, if accesses number the warps of the grid by it; else nil.
func (c *checker) warpsNumbered(a, b *access.Access) *term.Atom {
	length := c.s.Block[0].IsAtom()
	if length == nil || !c.numbersWarps(a, length) && !c.numbersWarps(b, length) || !c.mayHaveWholeWarps(length) {
		return nil
	}
	return length
}

// noneInWholeWarps reports whether conditions that speak of such warps can't hold together then.
func (c *checker) noneInWholeWarps(conds []*term.Cond) bool {
	length := c.s.Block[0].IsAtom()
	if length == nil || c.spent >= kernelBudget || !c.speakOfWarps(conds, length) || !c.mayHaveWholeWarps(length) {
		return false
	}
	c.solver.Budget = pairBudget
	none := c.solver.Unsat(c.wholeWarps(length, conds)...)
	c.spent += pairBudget - c.solver.Budget
	if none {
		c.out.Assumes[WholeWarps] = true
	}
	return none
}

// wholeWarps adds to conditions that the length of a block is a multiple of 32.
func (c *checker) wholeWarps(length *term.Atom, conds []*term.Cond) []*term.Cond {
	warps := c.t.Scale(race.WarpSize, c.t.Poly(c.t.Named(term.Symbol, "warps of a block", 1, 1024/race.WarpSize, term.Grid)))
	conds = slices.Clone(conds)
	for i, cond := range conds {
		conds[i] = c.t.SubstituteDivided(cond, length, warps)
	}
	return append(conds, c.t.Eq(c.s.Block[0], warps))
}

// mayHaveWholeWarps reports whether what else is known of the block leaves room for a warp along its first axis: of a block that
// an array of 16 elements bounds, anything would be proved.
func (c *checker) mayHaveWholeWarps(length *term.Atom) bool {
	return !c.once(pairKey{how: "room for whole warps"}, func() bool {
		c.solver.Budget = pairBudget
		none := c.solver.Unsat(c.wholeWarps(length, c.s.Given)...)
		c.spent += pairBudget - c.solver.Budget
		return none
	})
}

// numbersWarps reports whether an access speaks of a sum with the length of a block in it, divided by what divides a warp.
// What bounds the block itself, as an array does, speaks of no warps.
func (c *checker) numbersWarps(a *access.Access, length *term.Atom) bool {
	return numberWarps(a.Off, length) || c.speakOfWarps(a.When, length)
}

func (c *checker) speakOfWarps(conds []*term.Cond, length *term.Atom) bool {
	found := false
	for _, when := range conds {
		if slices.Contains(c.s.Given, when) {
			continue
		}
		when.Walk(func(c *term.Cond) { found = found || numberWarps(c.P, length) })
	}
	return found
}

func numberWarps(p *term.Poly, length *term.Atom) bool {
	for _, x := range p.Terms() {
		for _, d := range x.Mono.Atoms {
			if d.Kind == term.Div || d.Kind == term.Rem {
				by, fixed := d.Args[1].IsConst()
				if fixed && by > 1 && race.WarpSize%by == 0 && d.Args[0].Mentions(length) {
					return true
				}
			}
		}
	}
	return false
}
