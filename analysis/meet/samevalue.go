package meet

import (
	"slices"
	"sync"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/phase"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file says of two accesses whether nobody sees which of them came first. Two writes may put the same value wherever
// they meet: `p[i] = i` by the threads of each block. An atomic that gives back what it finds, as `atomicAdd(p, 0)` does where
// a strong read is meant, leaves a plain read the same value. A copy, `out[i] = in[i]`, is no such case: who copies an element twice has mistaken an index. Where a variable of the
// block gets an element of the block's own, `begin = offset[blockIdx.x]`, there is no index to mistake.

// same says later, if asked, whether two threads of a kind write the same value wherever they meet by two accesses, or one
// writes what the other reads in any case.
func (c *checker) same(a, b *access.Access, kind race.Kind) func() bool {
	return sync.OnceValue(func() bool {
		if a.Kind == race.Read && a.Copy == nil && b.GivesBack() || b.Kind == race.Read && b.Copy == nil && a.GivesBack() {
			return true
		}
		if a.Kind != race.Write || b.Kind != race.Write || a.Size != b.Size {
			return false
		}
		known := a.Value != nil && b.Value != nil && (!hangsOnMemory(a.Value) || ofBlock(a) && ofBlock(b))
		for _, m := range c.phases[kind].Meet(c.span(a), c.span(b)) {
			if kind == race.IntraWarp && c.agreed(a, b, m) {
				continue
			}
			if !known {
				return false
			}
			one, two := c.threads(a, b, kind, m)
			if !c.equal(query(c.s, a, b, kind, m, one, two), one.Poly(a.Value), two.Poly(b.Value)) {
				return false
			}
		}
		return true
	})
}

// ofBlock reports whether a write sets a shared variable to what all threads of the block read at one place, which nobody writes.
func ofBlock(a *access.Access) bool {
	_, variable := a.Off.IsConst()
	written := false
	a.Value.AllLeaves(func(l *term.Atom) { written = written || l.Kind == term.Result && l.Variance > term.Grid })
	return variable && a.Base != nil && a.Base.Space == ir.Shared && a.Value.Variance() <= term.Block && !written
}

// lanesAgree is what the kernel's lanes agree in.
func (c *checker) lanesAgree() *agreeing {
	if c.agreements == nil {
		c.agreements = agreements(c.s.Func)
	}
	return c.agreements
}

// agreed reports whether two threads of a warp that meet by one store in the same rounds write the same, as their lanes agree in it.
func (c *checker) agreed(a, b *access.Access, m phase.Mode) bool {
	s, ok := a.Stmt.(*ir.Store)
	if !ok || a.Stmt != b.Stmt || !inOneRound(a, m) {
		return false
	}
	switch n := c.lanesAgree().stored[s].group(); n {
	case 1:
		return false
	case race.WarpSize:
		return true
	default:
		one, two := c.threads(a, b, race.IntraWarp, m)
		group := c.s.ThreadGroup(n)
		conds := append(query(c.s, a, b, race.IntraWarp, m, one, two), c.t.Ne(one.Poly(group), two.Poly(group)))
		if length := c.warpsNumbered(a, b); length != nil {
			conds = c.wholeWarps(length, conds)
		}
		c.solver.Budget = lostBudget
		return c.solver.Unsat(conds...)
	}
}

// inOneRound reports whether two threads are in the same round of all loops around an access.
func inOneRound(a *access.Access, m phase.Mode) bool {
	tied := 0
	for _, r := range m.Loops {
		if r.Tied && r.Delta == 0 && !r.More {
			tied++
		}
	}
	return tied == len(a.Loops)
}

// hangsOnMemory reports whether a number is made of what memory holds.
func hangsOnMemory(p *term.Poly) bool {
	found := false
	p.AllLeaves(func(a *term.Atom) {
		found = found || access.IsContents(a) || a.Kind == term.Result && a.Variance > term.Grid
	})
	return found
}

// equal reports whether two numbers are the same where conditions hold. What a function gives of the same arguments
// is the same.
func (c *checker) equal(conds []*term.Cond, p, q *term.Poly) bool {
	differ := c.t.Ne(p, q)
	if differ.Op == term.False {
		return true
	}
	ps, qs := p.Terms(), q.Terms()
	alike := len(ps) == len(qs)
	for i := 0; alike && i < len(ps); i++ {
		alike = ps[i].Coef == qs[i].Coef && slices.EqualFunc(ps[i].Mono.Atoms, qs[i].Mono.Atoms, func(x, y *term.Atom) bool {
			return x == y || x.Kind == term.Func && y.Kind == term.Func && x.Name == y.Name &&
				slices.EqualFunc(x.Args, y.Args, func(p, q *term.Poly) bool { return c.equal(conds, p, q) })
		})
	}
	if alike {
		return true
	}
	c.solver.Budget = lostBudget
	return c.solver.Unsat(append(slices.Clip(conds), differ)...)
}
