package meet

import (
	"fmt"
	"slices"

	"github.com/warplint/warplint/analysis/term"
)

// This file writes a question anew in the numbers that people think in: a thread's index in the grid for
// blockIdx.x*blockDim.x + threadIdx.x, and the column for a loop's round where each thread begins at another one.
// For two threads of a block `a[i*n + j]` and `a[j*n + i]` have no digits in common before: 256*blockIdx.x*n and
// 256*blockIdx.x, which they share, are one term of neither row nor column.

// regrouped returns a question in such numbers, nil if that makes it no shorter.
func (c *checker) regrouped(conds []*term.Cond, one, two *term.Renaming) []*term.Cond {
	r := &regrouping{t: c.t, conds: conds}
	for side, of := range []*term.Renaming{one, two} {
		for i := range 3 {
			r.byIndex(fmt.Sprintf("index %d of thread %d", i, side), of.Poly(c.s.ThreadIdx[i]), c.t.Mul(of.Poly(c.s.BlockIdx[i]), of.Poly(c.s.Block[i])), of.Poly(c.s.Block[i]))
		}
	}
	for n := 0; n < maxRegrouped && r.byColumn(); n++ {
	}
	if len(r.bounds) == 0 {
		return nil
	}
	return slices.Concat(r.conds, r.bounds)
}

// maxRegrouped bounds the loops whose rounds are replaced.
const maxRegrouped = 4

// length counts the terms of a question.
func length(conds []*term.Cond) (n int) {
	for _, c := range conds {
		c.Walk(func(c *term.Cond) {
			if c.P != nil {
				n += len(c.P.Terms())
			}
		})
	}
	return n
}

// regrouping is a question while numbers are replaced.
type regrouping struct {
	t             *term.Table
	conds, bounds []*term.Cond
}

// replace puts something else in the place of a number if that makes the question shorter.
func (r *regrouping) replace(a *term.Atom, by *term.Poly, bounds ...*term.Cond) bool {
	out := make([]*term.Cond, len(r.conds))
	for i, cond := range r.conds {
		out[i] = r.t.SubstituteCond(cond, a, by)
	}
	if length(out) >= length(r.conds) {
		return false
	}
	r.conds, r.bounds = out, append(r.bounds, bounds...)
	return true
}

// byIndex replaces a thread's coordinate in its block, which begins at a number, by that in the grid.
func (r *regrouping) byIndex(name string, thread, first, width *term.Poly) {
	t, a := r.t, thread.IsAtom()
	if a == nil || len(first.Terms()) != 1 || len(first.Terms()[0].Mono.Atoms) == 0 {
		return
	}
	lo, hi := t.Add(first, thread).Range()
	place := t.Sub(t.Poly(t.Named(term.Symbol, fmt.Sprintf("%s, %d to %d", name, lo, hi), lo, hi, term.Thread)), first)
	if r.replace(a, place, t.Le(t.Const(0), place), t.Lt(place, width)) && slices.ContainsFunc(r.conds, func(c *term.Cond) bool { return knows(c, a) }) {
		r.bounds = append(r.bounds, t.Eq(thread, place)) // what a remainder of it is, for one
	}
}

// knows reports whether a condition speaks of a number, or of what is made of it.
func knows(c *term.Cond, a *term.Atom) (yes bool) {
	c.Walk(func(c *term.Cond) { yes = yes || c.P != nil && c.P.MadeOf(a) })
	return yes
}

// byColumn replaces the number of a round by that of the column, where a condition says how far the columns go
// and each thread begins at another one; it reports whether there is such a condition.
func (r *regrouping) byColumn() bool {
	t := r.t
	for _, cond := range r.conds {
		if cond.Op != term.LeZero {
			continue
		}
		var round *term.Atom
		begin := t.Const(0)
		for _, x := range cond.P.Terms() {
			switch {
			case len(x.Mono.Atoms) != 1:
			case x.Mono.Atoms[0].Kind == term.Iter && x.Coef == 1 && x.Mono.Atoms[0].Lo == 0:
				round = x.Mono.Atoms[0]
			case x.Mono.Atoms[0].Variance == term.Thread && x.Coef > 0:
				begin = t.Add(begin, t.Monomial(x.Coef, x.Mono.Atoms))
			}
		}
		if round == nil || len(begin.Terms()) == 0 {
			continue
		}
		lo, _ := begin.Range()
		column := t.Poly(t.Named(term.Symbol, fmt.Sprintf("column for %d from %d", round.ID, lo), lo, term.NoHi, term.Thread))
		if r.replace(round, t.Sub(column, begin), t.Le(begin, column)) {
			return true
		}
	}
	return false
}
