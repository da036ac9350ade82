package prove

import (
	"slices"

	"github.com/warplint/warplint/analysis/term"
)

// This file decides products that are a known number: in n·x = 2, n is one of -2, -1, 1 and 2. On a diagonal of
// a matrix, where element (i, d - i) has the place i·n + d, this is what two neighbours come to.

// maxMultiple bounds the number whose divisors are tried.
const maxMultiple = 12

// byFactors tries the numbers that a factor of an equation may be; ok is false if there is none of which the
// equation leaves but a few.
func (s *Solver) byFactors(st *state) (impossible, ok bool) {
	for _, e := range st.eqs {
		a := commonFactor(e)
		if a == nil {
			continue
		}
		c := max(e.Constant(), -e.Constant())
		for d := range c {
			for _, v := range [...]int64{d + 1, -d - 1} {
				if c%v != 0 || v < a.Lo || v > a.Hi {
					continue
				}
				branch := st.clone()
				clear(branch.derived)
				s.substitute(branch, a, s.T.Const(v))
				if !s.refute(branch) {
					return false, true
				}
			}
		}
		return true, true
	}
	return false, false
}

// commonFactor is a number that all threads see alike and that divides all of an equation but its small
// constant, which is not 0; nil if there is none.
func commonFactor(e *term.Poly) *term.Atom {
	if c := e.Constant(); c == 0 || c > maxMultiple || -c > maxMultiple {
		return nil
	}
	var common []*term.Atom
	first := true
	for _, x := range e.Terms() {
		switch {
		case len(x.Mono.Atoms) == 0:
		case first:
			common, first = slices.Clone(x.Mono.Atoms), false
		default:
			common = slices.DeleteFunc(common, func(a *term.Atom) bool { return !slices.Contains(x.Mono.Atoms, a) })
		}
	}
	i := slices.IndexFunc(common, func(a *term.Atom) bool { return variation(a) == 0 && len(e.Terms()) > 1 })
	if i < 0 {
		return nil
	}
	return common[i]
}
