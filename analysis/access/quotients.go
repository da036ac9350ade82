package access

import (
	"github.com/warplint/warplint/analysis/term"
)

// This file gives names to the host's quotients of numbers that may be negative.
//
// DESIGN. Of a signed x / y C++ says: the quotient of the magnitudes, with the sign. So the arguments
// oh = (H - R) / stride + 1 and n*c*oh*ow of a launch, and what the kernel makes of them, are terms with a
// case at each place, of which no proof needs the inside: what counts is that the same quotient is the same
// number everywhere. One argument is named by it, so that its sums are not multiplied out.

// namedQuotients is a launch with such quotients by name.
func (x *executor) namedQuotients(l *Launch) *Launch {
	if l == nil {
		return nil
	}
	t := x.t
	names := map[*term.Atom]*term.Poly{}
	for i, v := range l.Args {
		if v.P == nil || v.Base != nil {
			continue
		}
		for _, m := range v.P.Terms() {
			for _, a := range m.Mono.Atoms {
				if names[a] != nil || a.Variance != term.Grid || !IsSignedQuotient(a) {
					continue
				}
				rest := t.Sub(v.P, t.Poly(a))
				if _, sum := rest.IsConst(); !sum || i >= len(x.f.Params) {
					names[a] = t.Poly(t.Fresh(term.Symbol, "quotient", a.Lo, a.Hi, term.Grid, 0, nil))
					continue
				}
				p := x.f.Params[i]
				lo, hi := v.P.Range()
				names[a] = t.Sub(t.Poly(t.Fresh(term.Symbol, "argument "+p.Name, lo, hi, term.Grid, 0, p)), rest)
			}
		}
	}
	return x.renamed(l, names)
}

// IsSignedQuotient reports whether a number is a quotient of one that may be negative, as executor.divide
// makes them.
func IsSignedQuotient(a *term.Atom) bool {
	if a.Kind != term.Select {
		return false
	}
	above := a.Args[0].IsAtom()
	below := a.Args[1].Terms()
	return above != nil && above.Kind == term.Div && len(below) == 1 && below[0].Coef == -1 &&
		len(below[0].Mono.Atoms) == 1 && below[0].Mono.Atoms[0].Kind == term.Div
}
