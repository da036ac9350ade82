package prove

import (
	"fmt"
	"slices"

	"github.com/warplint/warplint/analysis/term"
)

// This file makes a question to the algebra more general: a remainder or a quotient of a number that may be
// negative has three cases of sign, a number that is kept between two others three of where it lay, and an index may have several.
// Equal ones are the same number whatever the case, and often that is all that counts: `list[cell*32 + slot]` has the digits cell and
// slot, however a cell is found.

// refutedWithoutSigns reports whether conditions have no solution for whatever such numbers are. It takes no number
// for a column that is only assumed to be within its row: what is known of it has been dropped.
func (s *Solver) refutedWithoutSigns(conds []*term.Cond) bool {
	general := s.withoutSigns(conds)
	if general == nil {
		return false
	}
	rows, assumable := s.Rows, s.Assumable
	s.Rows = NoRows
	defer func() { s.Rows, s.Assumable = rows, assumable }()
	return s.refute(s.stateOf(general))
}

// withoutSigns returns the conditions with such numbers of which only the bounds are known; nil if there are
// none. What it refutes has no solution. It may have one where the conditions have none.
func (s *Solver) withoutSigns(conds []*term.Cond) []*term.Cond {
	by := map[*term.Atom]*term.Poly{}
	note := func(p *term.Poly) {
		for _, x := range p.Terms() {
			for _, a := range x.Mono.Atoms {
				if by[a] == nil && (signed(a) || clamped(a)) {
					by[a] = s.T.Poly(s.T.Named(term.Opaque, fmt.Sprintf("of any sign %d", len(by)), a.Lo, a.Hi, a.Variance))
				}
			}
		}
	}
	for _, c := range conds {
		c.Walk(func(c *term.Cond) { note(c.P) })
	}
	if len(by) == 0 {
		return nil
	}
	return s.replaced(conds, by)
}

// signed reports whether a number is a quotient or a remainder of another, or minus that of its opposite where it is negative.
func signed(a *term.Atom) bool {
	if a.Kind != term.Select {
		return false
	}
	above, below := a.Args[0].IsAtom(), a.Args[1].Terms()
	return above != nil && (above.Kind == term.Div || above.Kind == term.Rem) && len(below) == 1 && below[0].Coef == -1 &&
		len(below[0].Mono.Atoms) == 1 && below[0].Mono.Atoms[0].Kind == above.Kind
}

// clamped reports whether a number is another one that is kept between two bounds, as min(max(x, 0), width - 1) is.
func clamped(a *term.Atom) bool {
	return (a.Kind == term.Min || a.Kind == term.Max) && slices.ContainsFunc(a.Args, func(p *term.Poly) bool {
		of := p.IsAtom()
		return of != nil && of.Kind != a.Kind && (of.Kind == term.Min || of.Kind == term.Max)
	})
}
