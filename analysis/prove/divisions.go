package prove

import (
	"slices"

	"github.com/warplint/warplint/analysis/term"
)

// This file keeps divisions by numbers that are not constant.
//
// DESIGN. In i = w·q + r with 0 ≤ r < w the quotient and the remainder are digits of i. An index that is
// made of such digits splits into them as long as they stay atoms, whatever i is; two threads with the
// same digits then have the same i. So the equation of a division is solved for one of its numbers only
// when the others are at an end. Until then it gives bounds: from i < w·h follows q < h, which the
// linear rest can't see, as w·q is another number to it than q.

// division is p = c·q + r, 0 ≤ r < c.
type division struct {
	p, c, q, r *term.Poly
	eq         *term.Poly // p - c·q - r; nil if that is among the equations already
}

func (s *Solver) newDivision(p, c, q, r *term.Poly) division {
	return division{p, c, q, r, s.T.Sub(p, s.T.Add(s.T.Mul(c, q), r))}
}

// defineDivision adds what is known of a quotient or a remainder.
func (s *Solver) defineDivision(st *state, a *term.Atom) {
	if a.Kind != term.Div && a.Kind != term.Rem {
		return
	}
	t := s.T
	p, c := a.Args[0], a.Args[1]
	q, r := t.Poly(a), t.Poly(a)
	if a.Kind == term.Div {
		r = t.Remainder(p, c)
	} else {
		q = t.Quotient(p, c)
	}
	for _, known := range []*term.Cond{t.Le(t.Const(0), r), t.Lt(r, c), t.Le(t.Const(0), q)} {
		s.assume(st, known)
	}
	if _, constant := c.IsConst(); constant {
		s.assume(st, t.Eq(p, t.Add(t.Mul(c, q), r)))
		s.nestQuotients(st, a)
		if known := func(e division) bool { return e.p.Equal(p) && e.c.Equal(c) }; !linearIn(p) && !slices.ContainsFunc(st.divisions, known) {
			st.divisions = append(st.divisions, division{p, c, q, r, nil})
		}
		return
	}
	s.define(st, p)
	s.define(st, c)
	d := s.newDivision(p, c, q, r)
	if !slices.ContainsFunc(st.divisions, func(e division) bool { return e.eq != nil && e.eq.Equal(d.eq) }) {
		st.divisions = append(st.divisions, d)
	}
}

// nestQuotients adds what quotients of one number are to each other: the warp of a thread, t / 32, is a fourth of t / 8.
func (s *Solver) nestQuotients(st *state, a *term.Atom) {
	if a.Kind != term.Div {
		return
	}
	t := s.T
	c, _ := a.Args[1].IsConst()
	for _, b := range st.quotients {
		d, _ := b.Args[1].IsConst()
		if !b.Args[0].Equal(a.Args[0]) {
			continue
		}
		fine, coarse, times := a, b, int64(0)
		switch {
		case d%c == 0:
			times = d / c
		case c%d == 0:
			fine, coarse, times = b, a, c/d
		default:
			continue
		}
		rest := t.Sub(t.Poly(fine), t.Scale(times, t.Poly(coarse)))
		s.assume(st, t.Le(t.Const(0), rest))
		s.assume(st, t.Lt(rest, t.Const(times)))
	}
	st.quotients = append(st.quotients, a)
}

// takeDivision solves a division, when the equations are at an end and no case is left that may split
// them, and reports whether there was one. A quotient that is itself divided is made of its digits: then
// the digits stay.
func (s *Solver) takeDivision(st *state) bool {
	if len(st.ors) > 0 {
		return false
	}
	made := func(d division) bool { return d.eq != nil && d.p.IsAtom() != nil && len(d.p.IsAtom().Args) > 0 }
	at := slices.IndexFunc(st.divisions, made)
	if at >= 0 {
		d := st.divisions[at]
		st.solve(at)
		s.substitute(st, d.p.IsAtom(), s.T.Sub(d.p, d.eq))
		return true
	}
	at = slices.IndexFunc(st.divisions, func(d division) bool { return d.eq != nil })
	if at >= 0 {
		st.eqs = append(st.eqs, st.divisions[at].eq)
		st.solve(at)
	}
	return at >= 0
}

// solve takes a division from those whose equations are left.
func (st *state) solve(at int) {
	d := st.divisions[at]
	st.solved = append(st.solved, division{d.p, d.c, d.q, d.r, nil})
	st.divisions = slices.Delete(st.divisions, at, at+1)
}

// takeDigits puts its digits in the place of each number that stands beside its remainder in an equation, as in
// 4·t - 3·(t mod w), and reports whether there was one: the index is made of the digits. An equation that has one of the two
// once gives that.
func (s *Solver) takeDigits(st *state) bool {
	found := false
	for i := 0; i < len(st.divisions); i++ {
		d := st.divisions[i]
		if d.eq != nil && d.p.IsAtom() != nil && slices.ContainsFunc(st.eqs, d.standsBeside) {
			st.divisions = slices.Delete(st.divisions, i, i+1)
			s.substitute(st, d.p.IsAtom(), s.T.Sub(d.p, d.eq))
			found = true
			i = -1
		}
	}
	return found
}

// standsBeside reports whether a sum has both the number that is divided and the remainder, several times.
func (d division) standsBeside(e *term.Poly) bool {
	several := func(p *term.Poly) bool { n := e.Times(p); return n > 1 || n < -1 }
	return several(d.p) && d.r.IsAtom() != nil && several(d.r)
}

// substitute replaces an atom in a division.
func (d division) substitute(s *Solver, a *term.Atom, by *term.Poly) division {
	if !d.p.Mentions(a) && !d.c.Mentions(a) && !d.q.Mentions(a) && !d.r.Mentions(a) {
		return d
	}
	sub := func(p *term.Poly) *term.Poly { return s.T.Substitute(p, a, by) }
	if d.eq == nil {
		return division{sub(d.p), sub(d.c), sub(d.q), sub(d.r), nil}
	}
	return s.newDivision(sub(d.p), sub(d.c), sub(d.q), sub(d.r))
}

// uniteQuotients adds that equal numbers have equal quotients and remainders and the other way round, and reports whether
// there was anything new. Of sums the equations say so themselves.
func (s *Solver) uniteQuotients(st *state) bool {
	found := false
	for i := 0; i < len(st.divisions); i++ {
		d := st.divisions[i]
		for _, e := range st.divisions[:i] {
			if !e.c.Equal(d.c) || !e.p.Equal(d.p) && !(e.q.Equal(d.q) && e.r.Equal(d.r)) {
				continue
			}
			for _, same := range []*term.Poly{s.T.Sub(e.p, d.p), s.T.Sub(e.q, d.q), s.T.Sub(e.r, d.r)} {
				if len(same.Terms()) > 0 {
					st.eqs = append(st.eqs, same)
					found = true
				}
			}
			st.divisions = slices.Delete(st.divisions, i, i+1)
			i--
			break
		}
	}
	return found
}

// bound is what was tried to bound a quotient with.
type bound struct{ eq, le *term.Poly }

// mostBounds bounds the inequalities of a state: what follows for a quotient may bound another one, and so on.
const mostBounds = 1_000

// boundQuotients adds what follows of quotients from the bounds of what they divide, and reports whether
// there was anything new.
func (s *Solver) boundQuotients(st *state) bool {
	known := len(st.les)
	if known > mostBounds {
		return false
	}
	for _, d := range st.divisions {
		if len(d.c.Terms()) != 1 || d.eq == nil {
			continue
		}
		for _, le := range st.les[:known] {
			if b := (bound{d.eq, le}); !st.bounded[b] {
				st.bounded[b] = true
				s.boundQuotient(st, d, le)
				s.boundByLeast(st, d, le)
			}
		}
	}
	return len(st.les) > known
}

// boundQuotient takes an inequality as one between p and a multiple of c: p ≤ c·D - k, with k > 0, makes
// q ≤ D - 1, and c·D + k ≤ p, with k > -c, makes D ≤ q.
func (s *Solver) boundQuotient(st *state, d division, le *term.Poly) {
	t := s.T
	if !sharesTerm(le, d.p) {
		return
	}
	if upper, k, ok := s.multiple(t.Sub(le, d.p), d.c); ok && k > 0 {
		st.les = append(st.les, t.Offset(t.Add(d.q, upper), 1))
	}
	if lower, k, ok := s.multiple(t.Add(le, d.p), d.c); ok && k >= 0 {
		st.les = append(st.les, t.Sub(lower, d.q))
	}
}

// boundByLeast takes an inequality as one between p and a multiple of a number of which c is the least of two, as of the 8 rows of tiles that a
// group has, or as many as are left: p < 8·D makes q < D if p is below as many of the other, too.
func (s *Solver) boundByLeast(st *state, d division, le *term.Poly) {
	t, least := s.T, d.c.IsAtom()
	if least == nil || least.Kind != term.Min || !sharesTerm(le, d.p) {
		return
	}
	for i, c := range least.Args {
		if upper, k, ok := s.multiple(t.Sub(le, d.p), c); ok && k > 0 {
			other := least.Args[1-i]
			if s.proves(st, t.Offset(t.Add(d.p, t.Mul(other, upper)), 1)) {
				st.les = append(st.les, t.Offset(t.Add(d.q, upper), 1))
			}
		}
	}
}

// multiple reads p as c·d + k, of a product c and a constant k.
func (s *Solver) multiple(p, c *term.Poly) (d *term.Poly, k int64, ok bool) {
	k = p.Constant()
	d = s.T.Exactly(s.T.Offset(p, -k), c)
	return d, k, d != nil
}

func sharesTerm(p, q *term.Poly) bool {
	return slices.ContainsFunc(p.Terms(), func(x term.Term) bool {
		return len(x.Mono.Atoms) > 0 && slices.ContainsFunc(q.Terms(), func(y term.Term) bool { return x.Mono == y.Mono })
	})
}

// equations lists the equations of a state, those of divisions included.
func (st *state) equations() []*term.Poly {
	if len(st.divisions) == 0 {
		return st.eqs
	}
	all := slices.Clone(st.eqs)
	for _, d := range st.divisions {
		if d.eq != nil {
			all = append(all, d.eq)
		}
	}
	return all
}
