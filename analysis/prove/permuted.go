package prove

import (
	"fmt"
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
		by = s.within(by, conds)
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

// within gives the numbers in a sum, such as the rounds of a loop, the bounds that conditions set them: what is left of
// them behind a division is no more than that.
func (s *Solver) within(p *term.Poly, conds []*term.Cond) *term.Poly {
	for _, c := range conds {
		if c.Op != term.LeZero {
			continue
		}
		a := s.T.Offset(c.P, -c.P.Constant()).IsAtom()
		if most := -c.P.Constant(); a != nil && len(a.Args) == 0 && most < a.Hi && p.Mentions(a) {
			p = s.T.Substitute(p, a, s.T.Poly(s.T.Named(term.Opaque, fmt.Sprintf("bounded %d", a.ID), a.Lo, most, a.Variance)))
		}
	}
	return p
}

// sumOfDigits reads an equation as one of a number, which is neither a quotient nor a remainder, and a sum with such of others;
// number is nil if it is none.
func (s *Solver) sumOfDigits(e *term.Poly) (number *term.Atom, by *term.Poly) {
	if g := e.Gcd(); g > 1 && e.Constant()%g == 0 {
		e = s.T.DivExact(e, g)
	}
	e = s.wholes(e)
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

// isDigit reports whether a number is made of digits of another one, some of them perhaps turned round.
func isDigit(a *term.Atom) bool {
	return a.Kind == term.Div || a.Kind == term.Rem || a.Kind == term.Func && a.Name == "xor"
}

// wholes puts numbers together whose digits are all there: 16·(i / 16) + i % 16 is i.
func (s *Solver) wholes(p *term.Poly) *term.Poly {
	t := s.T
	for _, x := range p.Terms() {
		if len(x.Mono.Atoms) != 1 || x.Mono.Atoms[0].Kind != term.Rem {
			continue
		}
		i, radix := x.Mono.Atoms[0].Args[0], x.Mono.Atoms[0].Args[1]
		by, ok := radix.IsConst()
		if !ok {
			continue
		}
		if high := t.Quotient(i, radix).IsAtom(); high != nil && p.Times(t.Poly(high)) == by*x.Coef {
			digits := t.Add(t.Scale(by, t.Poly(high)), t.Poly(x.Mono.Atoms[0]))
			p = t.Add(p, t.Scale(x.Coef, t.Sub(i, digits)))
		}
	}
	return p
}
