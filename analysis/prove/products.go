package prove

import (
	"slices"

	"github.com/warplint/warplint/analysis/term"
)

// This file bounds products. In d·(t - 96) + x = 32·u, where parts of an array that are d rows long stand behind each other, d·t
// is no digit, as x is below d but 32·u is not. But t ≤ 31 says that d·t ≤ 31·d, as d is not negative. Heads of width/heads columns
// each, which is rounded down, are no more than width·rows in as many rows.

// maxProducts bounds the inequalities that are multiplied.
const maxProducts = 16

// byProducts reports whether the state contradicts itself by what bounds say of products: of numbers that all threads see alike
// and that are not negative, with one that varies.
func (s *Solver) byProducts(st *state) bool {
	known := s.inequalities(st)
	further := s.furtherBounds(st, known)
	if len(further) > 0 && s.infeasible(slices.Concat(further, known)) {
		return true
	}
	more := append(s.productBounds(st, known, known), further...)
	return len(more) > 0 && s.infeasible(append(more, known...))
}

// provesByProducts reports whether p ≤ 0 follows by what bounds say of the products in it, and in these bounds.
func (s *Solver) provesByProducts(st *state, p *term.Poly) bool {
	known := s.inequalities(st)
	of := []*term.Poly{p}
	more := s.productBounds(st, of, known)
	more = append(more, s.productBounds(st, more, known)...)
	opposite := []*term.Poly{s.T.Offset(s.T.Scale(-1, p), 1)}
	return len(more) > 0 && s.infeasible(closure(opposite, append(more, known...)))
}

// productBounds lists what is known, as p ≤ 0, of the products in some sums.
func (s *Solver) productBounds(st *state, of, known []*term.Poly) (more []*term.Poly) {
	seen := map[*term.Mono]bool{}
	notNegative := func(a *term.Atom) bool { return s.notNegative(st, a, known) }
	for _, p := range of {
		for _, x := range p.Terms() {
			if seen[x.Mono] || len(x.Mono.Atoms) < 2 || len(more) >= maxProducts {
				continue
			}
			seen[x.Mono] = true
			if shared := s.shared(st, x.Mono, known); shared != nil {
				more = append(more, shared)
				continue
			}
			alike, varying := s.takenApart(x.Mono)
			unit := s.T.Monomial(1, alike)
			if varying == nil || len(alike) == 0 || !all(alike, notNegative) && !(len(alike) > 1 && s.proves(st, s.T.Sub(s.T.Const(1), unit))) {
				continue
			}
			for _, bound := range s.boundsOf(varying, known) {
				more = append(more, s.T.Mul(unit, bound))
			}
		}
	}
	return more
}

// shared says, as p ≤ 0, of a product with a quotient and what divides it that it is no more than one with the dividend; nil for others.
// What else is multiplied is positive if the whole is.
func (s *Solver) shared(st *state, m *term.Mono, known []*term.Poly) *term.Poly {
	t := s.T
	notNegative := func(a *term.Atom) bool { return s.notNegative(st, a, known) }
	for i, quotient := range m.Atoms {
		if quotient.Kind != term.Div {
			continue
		}
		rest := slices.Delete(slices.Clone(m.Atoms), i, i+1)
		j := slices.IndexFunc(rest, func(a *term.Atom) bool { return t.Poly(a).Equal(quotient.Args[1]) })
		if j < 0 || !notNegative(quotient) || !notNegative(rest[j]) || !s.proves(st, t.Scale(-1, quotient.Args[0])) {
			continue
		}
		rest = slices.Delete(rest, j, j+1)
		whole := t.Monomial(1, m.Atoms)
		if all(rest, notNegative) || s.proves(st, t.Sub(t.Const(1), whole)) || len(rest) > 1 && s.proves(st, t.Sub(t.Const(1), t.Monomial(1, append(slices.Clone(rest), quotient)))) {
			return t.Sub(whole, t.Mul(t.Monomial(1, rest), quotient.Args[0]))
		}
	}
	return nil
}

// notNegative reports whether a number is at least 0: by itself, or as a factor of a product that is positive, whose others are not negative.
func (s *Solver) notNegative(st *state, a *term.Atom, known []*term.Poly) bool {
	is := func(a *term.Atom) bool { return s.proves(st, s.T.Scale(-1, s.T.Poly(a))) }
	return is(a) || slices.ContainsFunc(known, func(p *term.Poly) bool {
		return slices.ContainsFunc(p.Terms(), func(x term.Term) bool {
			i := slices.Index(x.Mono.Atoms, a)
			return i >= 0 && x.Coef < 0 && len(x.Mono.Atoms) > 1 && all(slices.Delete(slices.Clone(x.Mono.Atoms), i, i+1), is) &&
				s.proves(st, s.T.Sub(s.T.Const(1), s.T.Monomial(1, x.Mono.Atoms)))
		})
	})
}

// takenApart tells the one factor of a product that varies, nil if there are others, from those that all threads see alike.
func (s *Solver) takenApart(m *term.Mono) (alike []*term.Atom, varying *term.Atom) {
	for _, a := range m.Atoms {
		switch {
		case variation(a) == 0:
			alike = append(alike, a)
		case varying != nil:
			return nil, nil
		default:
			varying = a
		}
	}
	return alike, varying
}

// boundsOf lists the inequalities, as p ≤ 0, that compare a number with what all threads see alike.
func (s *Solver) boundsOf(a *term.Atom, known []*term.Poly) (out []*term.Poly) {
	self := s.T.Poly(a)
	if a.Lo != term.NoLo {
		out = append(out, s.T.Sub(s.T.Const(a.Lo), self))
	}
	if a.Hi != term.NoHi {
		out = append(out, s.T.Offset(self, -a.Hi))
	}
	for _, p := range known {
		times := p.Times(self)
		if times == 0 {
			continue
		}
		rest := s.T.Sub(p, s.T.Scale(times, self))
		if !slices.ContainsFunc(rest.Terms(), func(x term.Term) bool { return !all(x.Mono.Atoms, isLength) }) {
			out = append(out, p)
		}
	}
	return out
}
