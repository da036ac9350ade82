package meet

import (
	"slices"
	"strings"
	"sync"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/phase"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file says of two writes whether they put the same value wherever they meet: `p[i] = i` by the threads of
// each block. A copy, `out[i] = in[i]`, is no such case: who copies an element twice has mistaken an index.

// same says later, if asked, whether two threads of a kind write the same value wherever they meet by two accesses.
func (c *checker) same(a, b *access.Access, kind race.Kind) func() bool {
	return sync.OnceValue(func() bool {
		if a.Kind != race.Write || b.Kind != race.Write || a.Size != b.Size || a.Value == nil || b.Value == nil || hangsOnMemory(a.Value) {
			return false
		}
		for _, m := range c.phases[kind].Meet(c.span(a), c.span(b)) {
			if kind == race.IntraWarp && a.Stmt == b.Stmt && inOneRound(a, m) && commonInWarp(a.Value) {
				continue
			}
			one, two := c.threads(a, b, kind, m)
			if !c.equal(query(c.s, a, b, kind, m, one, two), one.Poly(a.Value), two.Poly(b.Value)) {
				return false
			}
		}
		return true
	})
}

// commonInWarp reports whether all lanes of a warp get a number at once from an exchange of all of them.
func commonInWarp(p *term.Poly) bool {
	a := p.IsAtom()
	if a == nil {
		return false
	}
	op, ok := a.Ref.(*ir.WarpOp)
	if !ok {
		return false
	}
	mask, fixed := op.Mask.(*ir.Const)
	if !fixed || uint32(mask.Bits) != 0xffffffff {
		return false
	}
	return strings.HasPrefix(op.Op, "reduce_") || op.Op == "ballot" || op.Op == "any" || op.Op == "all" || op.Op == "shfl" && ofOneLane(op)
}

// ofOneLane reports whether a shuffle gives all lanes of a warp the value of one that the program names.
func ofOneLane(op *ir.WarpOp) bool {
	if len(op.Args) != 3 {
		return false
	}
	_, named := op.Args[1].(*ir.Const)
	width, fixed := op.Args[2].(*ir.Const)
	return named && fixed && width.Bits == 32
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
