package prove

import (
	"slices"

	"github.com/warplint/warplint/analysis/term"
)

// This file is about a thread whose number is made of the digits of another one's, as where each reads what its
// neighbour in a pair or the mirror image in its row of eight has written.

// byDigits puts the digits of another number in the place of one that is equal to their sum, wherever that is divided: in
// i = 8·(j / 8) + 7 - j % 8 it is seen then that i / 32 is j / 32. It returns nil if there is no such number.
func (s *Solver) byDigits(conds []*term.Cond) []*term.Cond {
	for _, c := range conds {
		if c.Op != term.EqZero {
			continue
		}
		number, by := s.sumOfDigits(c.P)
		if number == nil {
			continue
		}
		out, changed := make([]*term.Cond, len(conds)), false
		for i, d := range conds {
			if out[i] = d; d != c {
				out[i] = s.T.SubstituteDivided(d, number, by)
				changed = changed || out[i] != d
			}
		}
		if changed {
			return out
		}
	}
	return nil
}

// sumOfDigits reads an equation as one of a number, which is neither a quotient nor a remainder, and a sum with such of others;
// number is nil if it is none.
func (s *Solver) sumOfDigits(e *term.Poly) (number *term.Atom, by *term.Poly) {
	if g := e.Gcd(); g > 1 && e.Constant()%g == 0 {
		e = s.T.DivExact(e, g)
	}
	digits := slices.ContainsFunc(e.Terms(), func(x term.Term) bool {
		return len(x.Mono.Atoms) == 1 && isDigit(x.Mono.Atoms[0])
	})
	if !digits || !linearIn(e) {
		return nil, nil
	}
	for _, x := range e.Terms() {
		if len(x.Mono.Atoms) == 0 || x.Coef != 1 && x.Coef != -1 {
			continue
		}
		number = x.Mono.Atoms[0]
		by = s.T.Scale(-x.Coef, s.T.Sub(e, s.T.Monomial(x.Coef, x.Mono.Atoms)))
		if number.Kind == term.Symbol && !by.MadeOf(number) {
			return number, by
		}
	}
	return nil, nil
}

func isDigit(a *term.Atom) bool { return a.Kind == term.Div || a.Kind == term.Rem }
