package prove

import (
	"fmt"
	"slices"

	"github.com/warplint/warplint/analysis/term"
)

// This file finds radices that are sums. In y·width + 8·y + x, an index into rows with a border, the
// length of a row is width + 8, and in m·q + m, a stride over the grid, the number of blocks is q + 1.
// With a name for the sum the equation splits into digits as any other.

// maxSums bounds the sums of a state that get a name.
const maxSums = 4

// nameSum gives a name to a sum that some equation counts in, and reports whether there was one.
func (s *Solver) nameSum(st *state) bool {
	if st.sums >= maxSums {
		return false
	}
	for _, e := range st.eqs {
		w, shift := summand(e)
		if w == nil {
			continue
		}
		t := s.T
		lo, hi := t.Offset(t.Poly(w), shift).Range()
		sum := t.Named(term.Symbol, fmt.Sprintf("%d and atom %d", shift, w.ID), lo, hi, w.Variance)
		st.sums++
		s.substitute(st, w, t.Offset(t.Poly(sum), -shift))
		return true
	}
	return false
}

// summand finds a number that all threads see alike, and how much is added to it wherever it is
// multiplied by what varies; nil if there is none.
func summand(e *term.Poly) (w *term.Atom, shift int64) {
	for _, x := range e.Terms() {
		for i, a := range x.Mono.Atoms {
			if variation(a) > 0 || len(x.Mono.Atoms) < 2 {
				continue
			}
			rest := slices.Delete(slices.Clone(x.Mono.Atoms), i, i+1)
			if !slices.ContainsFunc(rest, func(b *term.Atom) bool { return variation(b) > 0 }) {
				continue
			}
			for _, y := range e.Terms() {
				if slices.Equal(y.Mono.Atoms, rest) && y.Coef%x.Coef == 0 {
					return a, y.Coef / x.Coef
				}
			}
		}
	}
	return nil, 0
}
