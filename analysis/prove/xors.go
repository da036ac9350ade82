package prove

import (
	"slices"

	"github.com/warplint/warplint/analysis/term"
)

// This file keeps what bitwise exclusive ors are of.
//
// DESIGN. In x = a ^ b any two of the three give the third, in the same way. So two of them with two members
// in common have the third in common. This is all that butterflies and sorting networks need, for masks
// of which nothing is known: where t and u ^ m are one place, so are u and t ^ m, and of the two threads one alone
// has the lower number. Numbers are in two's complement of any length, so the types don't matter.

// xor is three numbers of which any one is the exclusive or of the others.
type xor [3]*term.Poly

func (s *Solver) defineXor(st *state, a *term.Atom) {
	if a.Kind == term.Func && a.Name == "xor" && len(a.Args) == 2 {
		st.xors = append(st.xors, xor{a.Args[0], a.Args[1], s.T.Poly(a)})
	}
}

func (x xor) substitute(s *Solver, a *term.Atom, by *term.Poly) xor {
	for i, p := range x {
		x[i] = s.T.Substitute(p, a, by)
	}
	return x
}

// uniteXors adds the equations between thirds, and reports whether there was one.
func (s *Solver) uniteXors(st *state) bool {
	for i := 0; i < len(st.xors); i++ {
		for _, y := range st.xors[:i] {
			third, other, ok := thirds(st.xors[i], y)
			if !ok {
				continue
			}
			st.xors = slices.Delete(st.xors, i, i+1)
			if same := s.T.Sub(third, other); len(same.Terms()) > 0 {
				st.eqs = append(st.eqs, same)
				return true
			}
			i--
			break
		}
	}
	return false
}

// thirds returns the third members of two that have two in common.
func thirds(x, y xor) (third, other *term.Poly, ok bool) {
	for i := range 3 {
		for j := range 3 {
			a, b, c, d := x[(i+1)%3], x[(i+2)%3], y[(j+1)%3], y[(j+2)%3]
			if a.Equal(c) && b.Equal(d) || a.Equal(d) && b.Equal(c) {
				return x[i], y[j], true
			}
		}
	}
	return nil, nil, false
}
