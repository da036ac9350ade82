package prove

import "github.com/warplint/warplint/analysis/term"

// This file reads inequalities with the smaller or the greater of two numbers in them: what is at most the smaller one
// is at most either, which needs no cases.

// unfolded returns p ≤ 0 as the inequalities of either number, where p has the smaller of two numbers taken from
// something or the greater one added to it; nil for other inequalities.
func (s *Solver) unfolded(p *term.Poly) []*term.Cond {
	t := s.T
	for _, x := range p.Terms() {
		if len(x.Mono.Atoms) != 1 {
			continue
		}
		a := x.Mono.Atoms[0]
		if kind := s.extremeOf(a); kind == term.Min && x.Coef < 0 || kind == term.Max && x.Coef > 0 {
			rest := t.Sub(p, t.Scale(x.Coef, t.Poly(a)))
			if rest.Mentions(a) {
				continue
			}
			var both []*term.Cond
			for _, arg := range a.Args {
				both = append(both, t.Le(t.Add(rest, t.Scale(x.Coef, arg)), t.Const(0)))
			}
			return both
		}
	}
	return nil
}

// extremeOf says that an atom is the smaller or the greater one of its two arguments, also as a choice by their order.
func (s *Solver) extremeOf(a *term.Atom) term.Kind {
	switch a.Kind {
	case term.Min, term.Max:
		return a.Kind
	case term.Select:
		if a.If.Op != term.LeZero || !total(a) {
			break
		}
		apart := s.T.Sub(a.Args[0], a.Args[1])
		if c, ok := s.T.Sub(a.If.P, apart).IsConst(); ok && (c == 0 || c == 1) {
			return term.Min
		}
		if c, ok := s.T.Add(a.If.P, apart).IsConst(); ok && (c == 0 || c == 1) {
			return term.Max
		}
	}
	return term.Symbol
}
