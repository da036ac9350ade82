package prove

import (
	"slices"

	"github.com/warplint/warplint/analysis/term"
)

// This file gives a number to the length of a row that is a sum, such as blockDim.x + 2·radius: in y·(n + 2·r) + x with
// x < n + 2·r both are digits once n + 2·r is one number.

// refuteByPitch refutes conditions with one number in the place of such a sum wherever rows, or bounds, are multiples of it.
// A sum is no length of which nothing is known, so that rows are not assumed to hold their columns.
func (s *Solver) refuteByPitch(conds []*term.Cond) bool {
	if s.Rows != NoRows {
		return false
	}
	for _, c := range conds {
		if c.Op != term.EqZero {
			continue
		}
		if sum := s.pitch(c.P); sum != nil {
			before := s.Assumable
			yes := s.refute(s.stateOf(s.named(conds, sum)))
			s.Assumable = before
			return yes
		}
	}
	return false
}

// multiple is a product of numbers that differ from thread to thread, with what it is multiplied by.
type multiple struct {
	of   []*term.Atom
	each *term.Poly
}

// rowsOf takes a number apart into products of numbers that vary, the first of which is the rest that does not.
func (s *Solver) rowsOf(p *term.Poly) []multiple {
	rows := []multiple{{each: s.T.Const(0)}}
	for _, m := range p.Terms() {
		var varying, fixed []*term.Atom
		for _, a := range m.Mono.Atoms {
			if a.Variance == term.Grid && a.Loops == 0 {
				fixed = append(fixed, a)
			} else {
				varying = append(varying, a)
			}
		}
		i := slices.IndexFunc(rows, func(r multiple) bool { return slices.Equal(r.of, varying) })
		if i < 0 {
			i = len(rows)
			rows = append(rows, multiple{varying, s.T.Const(0)})
		}
		rows[i].each = s.T.Add(rows[i].each, s.T.Monomial(m.Coef, fixed))
	}
	return rows
}

// pitch is a sum of numbers by which a row of an equation is multiplied, divided by what they have in common, as 2·n + 1 of
// layer·rows·(2·n + 1); nil if there is none.
func (s *Solver) pitch(e *term.Poly) *term.Poly {
	for _, r := range s.rowsOf(e)[1:] {
		each := r.each
		if len(each.Terms()) < 2 {
			continue
		}
		if g := term.GCD(each.Gcd(), each.Constant()); g > 1 {
			each = s.T.DivExact(each, g)
		}
		each = s.withoutCommon(each)
		if lead, _ := leader(each); lead == nil {
			each = s.T.Scale(-1, each)
		}
		if lead, _ := leader(each); linearIn(each) && lead != nil {
			return each
		}
	}
	return nil
}

// withoutCommon divides a sum by the numbers that are in each of its products.
func (s *Solver) withoutCommon(sum *term.Poly) *term.Poly {
	for _, a := range sum.Terms()[0].Mono.Atoms {
		out, all := s.T.Const(0), true
		for _, m := range sum.Terms() {
			i := slices.Index(m.Mono.Atoms, a)
			if all = all && i >= 0; all {
				out = s.T.Add(out, s.T.Monomial(m.Coef, slices.Delete(slices.Clone(m.Mono.Atoms), i, i+1)))
			}
		}
		if all {
			sum = out
		}
	}
	return sum
}

// leader is a number that a sum has once, or else, as in 2·radius + 1, the one that it has least often of those that it adds.
func leader(sum *term.Poly) (lead *term.Atom, times int64) {
	for _, m := range sum.Terms() {
		if m.Coef > 0 && len(m.Mono.Atoms) == 1 && (lead == nil || m.Coef < times) {
			lead, times = m.Mono.Atoms[0], m.Coef
		}
	}
	return lead, times
}

// named puts a new number in the place of a sum. Solutions of the conditions are solutions of these.
func (s *Solver) named(conds []*term.Cond, sum *term.Poly) []*term.Cond {
	t := s.T
	lo, hi := sum.Range()
	whole := t.Named(term.Opaque, "pitch "+sum.Key(), lo, hi, term.Grid)
	whole.Carried = carried(sum)
	in := func(p *term.Poly) *term.Poly {
		out := t.Const(0)
		for i, r := range s.rowsOf(p) {
			if times, rest := s.timesOf(r.each, sum); rest.Equal(t.Const(0)) || i == 0 && smaller(rest, r.each) {
				r.each = t.Add(t.Mul(times, t.Poly(whole)), rest)
			}
			out = t.Add(out, t.Mul(r.each, t.Monomial(1, r.of)))
		}
		return out
	}
	changed := []*term.Cond{t.Le(t.Poly(whole), sum), t.Le(sum, t.Poly(whole))}
	for _, c := range conds {
		changed = append(changed, t.MapCond(c, in))
	}
	return changed
}

// timesOf divides a number by a sum, as long as its leader is left.
func (s *Solver) timesOf(p, sum *term.Poly) (times, rest *term.Poly) {
	t := s.T
	lead, each := leader(sum)
	times, rest = t.Const(0), p
	for range maxQuotient {
		i := slices.IndexFunc(rest.Terms(), func(m term.Term) bool { return m.Coef%each == 0 && slices.Contains(m.Mono.Atoms, lead) })
		if i < 0 {
			break
		}
		m := rest.Terms()[i]
		at := slices.Index(m.Mono.Atoms, lead)
		by := t.Monomial(m.Coef/each, slices.Delete(slices.Clone(m.Mono.Atoms), at, at+1))
		times, rest = t.Add(times, by), t.Sub(rest, t.Mul(by, sum))
	}
	return times, rest
}

// maxQuotient bounds the terms of a quotient.
const maxQuotient = 4

// smaller reports whether what is left of a bound is a constant that is less than that of the bound.
func smaller(rest, of *term.Poly) bool {
	c, ok := rest.IsConst()
	return ok && max(c, -c) < max(of.Constant(), -of.Constant())
}
