package prove

import (
	"slices"
	"sort"

	"github.com/warplint/warplint/analysis/term"
)

// This file reads an equation as one between mixed-radix numbers. In
//
//	lower + R·upper = 0,  |lower| < R
//
// both lower and upper are 0: an index such as (y·height + x)·width + … has a digit for each
// coordinate, and two equal indices have equal digits. R may be a product of parameters.

// radix is a positive product of a constant and atoms that divides some of the terms.
type radix struct {
	c     int64
	atoms []*term.Atom
	// flat is set where no digit varies that it is the unit of, as in `x + gridDim.x*blockDim.x`: nothing
	// is assumed of it.
	flat bool
}

// digits splits an equation, or returns nil if it does not split.
func (s *Solver) digits(st *state, e *term.Poly) []*term.Poly {
	key := e.Key()
	if st.derived[key] {
		return nil
	}
	st.derived[key] = true
	for _, r := range radices(e) {
		lower, upper := s.divide(e, r)
		if parts := s.digitsBy(st, e, lower, upper, r); parts != nil {
			return parts
		}
		if near, upper := s.divideNear(lower, upper, r); near != lower {
			if parts := s.digitsBy(st, e, near, upper, r); parts != nil {
				return parts
			}
		}
	}
	return nil
}

// digitsBy returns the digits of lower + R·upper = 0, nil if they are none.
func (s *Solver) digitsBy(st *state, e, lower, upper *term.Poly, r radix) []*term.Poly {
	if len(upper.Terms()) == 0 || dividesUpper(lower, upper) {
		return nil
	}
	if c, ok := lower.IsConst(); ok && c == 0 {
		if len(r.atoms) > 0 && (s.positive(st, r) || !r.flat && s.assumedRow(st, e, lower, r)) {
			return []*term.Poly{upper}
		}
		return nil
	}
	for _, shift := range shifts(lower, upper, r) {
		lo := s.T.Sub(lower, s.T.Monomial(shift*r.c, r.atoms))
		if s.withinRadix(st, lo, r) || !r.flat && (shift == 0 || len(r.atoms) == 0) && s.assumedRow(st, e, lo, r) {
			return []*term.Poly{lo, s.T.Offset(upper, shift)}
		}
	}
	return nil
}

// dividesUpper reports whether what is to be the lower digit has a quotient or a remainder of what is to be the upper one, as the equation
// that says what a quotient is does: then it is no digit.
func dividesUpper(lower, upper *term.Poly) bool {
	return slices.ContainsFunc(lower.Terms(), func(x term.Term) bool {
		return slices.ContainsFunc(x.Mono.Atoms, func(q *term.Atom) bool {
			return (q.Kind == term.Div || q.Kind == term.Rem) && !slices.ContainsFunc(upper.Terms(), func(y term.Term) bool {
				return !slices.ContainsFunc(y.Mono.Atoms, func(a *term.Atom) bool { return q.Args[0].Mentions(a) })
			})
		})
	})
}

// shifts says how many multiples of a radix may move from the lower digit to the upper: of a constant those that leave
// the smallest remainders, of a length none, or back all that are no row's, as in `a[y*n + n-1 - x]`.
func shifts(lower, upper *term.Poly, r radix) []int64 {
	if len(r.atoms) > 0 {
		if back := upper.Constant(); back != 0 {
			return []int64{0, -back}
		}
		return []int64{0}
	}
	q := lower.Constant() / r.c
	return []int64{q, q + 1, q - 1}
}

// withinRadix proves -R < p < R.
func (s *Solver) withinRadix(st *state, p *term.Poly, r radix) bool {
	t := s.T
	last := t.Offset(t.Monomial(r.c, r.atoms), -1)
	above, below := t.Sub(p, last), t.Sub(t.Scale(-1, p), last)
	return s.proves(st, above) && s.proves(st, below) || r.isCutIn(p) && s.provesByProducts(st, above) && s.provesByProducts(st, below)
}

// isCutIn reports whether a digit counts equal parts of what a radix is made of, as heads of width/heads columns in a row.
func (r radix) isCutIn(p *term.Poly) bool {
	return slices.ContainsFunc(p.Terms(), func(x term.Term) bool {
		return slices.ContainsFunc(x.Mono.Atoms, func(part *term.Atom) bool {
			if part.Kind != term.Div || variation(part) > 0 || len(part.Args[0].Terms()) != 1 {
				return false
			}
			whole := part.Args[0].Terms()[0]
			return r.c%whole.Coef == 0 && containsAll(r.atoms, whole.Mono.Atoms)
		})
	})
}

// positive proves that every atom of a radix is at least 1.
func (s *Solver) positive(st *state, r radix) bool {
	for _, a := range r.atoms {
		if a.Lo < 1 && !s.proves(st, s.T.Sub(s.T.Const(1), s.T.Poly(a))) {
			return false
		}
	}
	return true
}

// radices lists the candidates, those that divide most terms first: every coefficient and
// every product of the equation's atoms that do not vary within a term's thread.
func radices(e *term.Poly) []radix {
	var out []radix
	seen := map[string]int{} // one more than its place
	addOne := func(r radix) {
		if r.c == 1 && len(r.atoms) == 0 {
			return
		}
		p := key(r)
		if at := seen[p]; at > 0 {
			out[at-1].flat = out[at-1].flat && r.flat
			return
		}
		out = append(out, r)
		seen[p] = len(out)
	}
	for _, x := range e.Terms() {
		if len(x.Mono.Atoms) == 0 {
			continue
		}
		c := max(x.Coef, -x.Coef)
		uniform, last := uniformPart(x.Mono)
		addOne(radix{c: c})
		// All prefixes by dropping atoms: a radix of a lower digit divides that of a higher.
		for mask := 1; mask < 1<<min(len(uniform), 4); mask++ {
			var atoms []*term.Atom
			for i, a := range uniform {
				if i < 4 && mask&(1<<i) != 0 {
					atoms = append(atoms, a)
				}
			}
			flat := last != nil && slices.Contains(atoms, last)
			addOne(radix{c, atoms, flat})
			addOne(radix{1, atoms, flat})
		}
	}
	count := func(r radix) int {
		if r.flat {
			return -1 // last
		}
		n := 0
		for _, x := range e.Terms() {
			if divides(r, x) {
				n++
			}
		}
		return n
	}
	sort.SliceStable(out, func(i, j int) bool { return count(out[i]) > count(out[j]) })
	const most = 12
	return out[:min(len(out), most)]
}

func key(r radix) string {
	b := []byte{byte(r.c), byte(r.c >> 8), byte(r.c >> 16), byte(r.c >> 24), byte(r.c >> 32)}
	for _, a := range r.atoms {
		b = append(b, byte(a.ID), byte(a.ID>>8), byte(a.ID>>16), ' ')
	}
	return string(b)
}

// uniformPart is what of a monomial may be a radix: all its atoms but the one that varies
// most, which is the digit. Where none varies it is all of them, and flat is the one that would be the digit.
func uniformPart(m *term.Mono) (atoms []*term.Atom, flat *term.Atom) {
	digit := 0
	for i, a := range m.Atoms {
		if variation(a) >= variation(m.Atoms[digit]) {
			digit = i
		}
	}
	if len(m.Atoms) > 1 && variation(m.Atoms[digit]) == 0 {
		return m.Atoms, m.Atoms[digit]
	}
	out := slices.Clone(m.Atoms)
	return slices.Delete(out, digit, digit+1), nil
}

func variation(a *term.Atom) int {
	v := 2 * int(a.Variance)
	if a.Side != 0 || a.Loops != 0 {
		v++
	}
	return v
}

func divides(r radix, x term.Term) bool {
	if x.Coef%r.c != 0 {
		return false
	}
	return len(r.atoms) == 0 && len(x.Mono.Atoms) > 0 || len(r.atoms) > 0 && containsAll(x.Mono.Atoms, r.atoms)
}

func containsAll(all, part []*term.Atom) bool {
	i := 0
	for _, a := range all {
		if i < len(part) && part[i] == a {
			i++
		}
	}
	return i == len(part)
}

// divide splits a polynomial into lower + R·upper, taking all terms that R divides.
func (s *Solver) divide(p *term.Poly, r radix) (lower, upper *term.Poly) {
	t := s.T
	lower, upper = t.Const(0), t.Const(0)
	for _, x := range p.Terms() {
		if !divides(r, x) {
			lower = t.Add(lower, t.Monomial(x.Coef, x.Mono.Atoms))
			continue
		}
		rest := slices.Clone(x.Mono.Atoms)
		for _, a := range r.atoms {
			i := slices.Index(rest, a)
			rest = slices.Delete(rest, i, i+1)
		}
		upper = t.Add(upper, t.Monomial(x.Coef/r.c, rest))
	}
	return lower, upper
}

// divideNear moves to the upper digit what the nearest multiple of a constant radix has of the lower one's coefficients: a coordinate that
// stands in both digits, as on a diagonal, is multiplied by their sum, as i is by 1001 in a[i*1000 + i].
func (s *Solver) divideNear(lower, upper *term.Poly, r radix) (*term.Poly, *term.Poly) {
	if len(r.atoms) > 0 {
		return lower, upper
	}
	for _, x := range lower.Terms() {
		times := x.Coef / r.c
		switch rest := x.Coef % r.c; {
		case len(x.Mono.Atoms) == 0:
			continue
		case rest > r.c/2:
			times++
		case rest < -r.c/2:
			times--
		}
		if times != 0 {
			lower = s.T.Sub(lower, s.T.Monomial(times*r.c, x.Mono.Atoms))
			upper = s.T.Add(upper, s.T.Monomial(times, x.Mono.Atoms))
		}
	}
	return lower, upper
}
