package access

import (
	"math"
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/term"
)

// This file takes unsigned sums in addresses as they stand.
//
// DESIGN. threadIdx is unsigned, so the sum in `a[first + threadIdx.x]` is, whatever the type of first. A sum below zero
// would lead 4 billion elements on, beyond any array. So it is none, if it is an index: what stands in an address by itself. But what
// is made of the numbers of threads and rounds alone, as `blockIdx.x * 128 - threadIdx.x`, says itself what it is; and a condition on
// such a sum, as `(unsigned)(x - 1) < width`, asks on purpose whether it wraps.

// unwrapIndices takes the wraps of unsigned sums off addresses. A block may be bounded since they were evaluated: then some
// sums are not below zero anywhere, as `blockIdx.x * 128 + 127 - threadIdx.x`.
func (x *executor) unwrapIndices(bounded bool) {
	for _, a := range x.sum.Accesses {
		var st *state
		for _, m := range a.Off.Terms() {
			for _, w := range m.Mono.Atoms {
				p := x.unsignedSum(w)
				if p == nil {
					continue
				}
				if st == nil {
					st = &state{}
					for _, c := range a.When {
						st.know(c)
					}
				}
				asked := slices.ContainsFunc(a.When, func(c *term.Cond) bool { return speaksOf(c, w) })
				index := m.Coef > 0 && len(m.Mono.Atoms) == 1 && !asked && x.hasGiven(p)
				if !index && !(bounded && x.nonNegative(st, p)) || x.exceeds(st, p, w.Lo, w.Hi) {
					continue
				}
				x.assume(NoOverflow)
				a.Off = x.t.Substitute(a.Off, w, p)
				if asked {
					a.When = slices.Clone(a.When)
					for i, c := range a.When {
						a.When[i] = x.t.SubstituteCond(c, w, p)
					}
				}
			}
		}
	}
}

// hasGiven reports whether a sum has a number in it that is neither a coordinate of a thread nor the number of a round.
func (x *executor) hasGiven(p *term.Poly) bool {
	return slices.ContainsFunc(p.Terms(), func(m term.Term) bool {
		return slices.ContainsFunc(m.Mono.Atoms, func(a *term.Atom) bool { return a.Kind != term.Iter && x.sum.dimensionOf(a) == nil })
	})
}

// speaksOf reports whether a condition is on a number, or on what is made of it.
func speaksOf(c *term.Cond, number *term.Atom) bool {
	found := false
	c.Walk(func(c *term.Cond) { found = found || c.P.MadeOf(number) })
	return found
}

// unsignedSum is what an atom takes to the range of an unsigned type of 32 bits or more, if that is an index; nil for others.
func (x *executor) unsignedSum(a *term.Atom) *term.Poly {
	if a.Kind != term.Wrap || a.Lo != 0 || a.Hi < math.MaxUint32 || x.hashes(a.Args[0], a.Ref.(ir.Type)) {
		return nil
	}
	return a.Args[0]
}
