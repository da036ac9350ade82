package prove

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/term"
)

// This file finds radices that are sums. In y·width + 8·y + x, an index into rows with a border, the
// length of a row is width + 8; in m·q + m, a stride over the grid, the number of blocks is q + 1; and a
// convolution writes rows of width - filter + 1. With a name for the sum the equation splits into digits
// as any other.

// maxSums bounds the sums of a state that get a name.
const maxSums = 4

// nameSum gives a name to a sum that some equation counts in, and reports whether there was one.
func (s *Solver) nameSum(st *state) bool {
	if st.sums >= maxSums {
		return false
	}
	var sum *term.Poly
	var w *term.Atom
	for _, e := range st.eqs {
		if sum, w = s.radixSum(e); w != nil {
			break
		}
	}
	if w == nil {
		return false
	}
	t := s.T
	if opposite := t.Scale(-1, sum); s.proves(st, t.Offset(sum, 1)) {
		sum = opposite // a length is positive
	}
	written := t.Poly(w) // w is ± the sum, and something
	if !mentionsOnce(sum, w) {
		written = t.Scale(-1, written)
	}
	lo, hi := sum.Range()
	atom := t.Named(term.Symbol, fmt.Sprintf("sum %s of atom %d", sum.Key(), w.ID), lo, hi, w.Variance)
	atom.Carried = carried(sum)
	name := t.Poly(atom)
	st.sums++
	by := t.Add(name, t.Sub(written, sum))
	if written.IsAtom() == nil {
		by = t.Scale(-1, by)
	}
	s.substitute(st, w, by)
	s.lessThan[atom] = nil
	s.sums[atom] = sum
	for _, signed := range [...]*term.Poly{sum, t.Scale(-1, sum)} { // which of them is a length is not always known
		if most := s.positivePart(signed); most != nil {
			s.lessThan[atom] = append(s.lessThan[atom], t.Substitute(most, w, by))
		}
	}
	return true
}

// positivePart is what a sum takes numbers away from, nil if it takes none.
func (s *Solver) positivePart(sum *term.Poly) *term.Poly {
	part, takes := s.T.Const(0), false
	for _, x := range sum.Terms() {
		if x.Coef < 0 {
			takes = takes || len(x.Mono.Atoms) > 0
			continue
		}
		part = s.T.Add(part, s.T.Monomial(x.Coef, x.Mono.Atoms))
	}
	if !takes {
		return nil
	}
	return part
}

// mentionsOnce reports whether a sum counts a number once, and not negatively.
func mentionsOnce(sum *term.Poly, w *term.Atom) bool {
	return slices.ContainsFunc(sum.Terms(), func(x term.Term) bool { return x.Coef == 1 && slices.Equal(x.Mono.Atoms, []*term.Atom{w}) })
}

// radixSum finds the shortest sum of numbers that all threads see alike by which something that varies is
// multiplied, and the one of these numbers that is to be written by the sum; nil if there is none.
func (s *Solver) radixSum(e *term.Poly) (sum *term.Poly, w *term.Atom) {
	if linearIn(e) {
		return nil, nil
	}
	for _, by := range s.multipliers(e) {
		if n := len(by.Terms()); n < 2 || sum != nil && n >= len(sum.Terms()) {
			continue
		}
		by = s.withoutFactor(by)
		if len(by.Terms()) < 2 {
			continue
		}
		if one := summand(by); one != nil {
			sum, w = by, one
		}
	}
	return sum, w
}

// multipliers lists by what each product of varying numbers is multiplied in a polynomial.
func (s *Solver) multipliers(e *term.Poly) []*term.Poly {
	var out []*term.Poly
	place := map[string]int{}
	for _, x := range e.Terms() {
		var key strings.Builder
		var uniform []*term.Atom
		for _, a := range x.Mono.Atoms {
			if variation(a) == 0 {
				uniform = append(uniform, a)
			} else {
				fmt.Fprintf(&key, "%d ", a.ID)
			}
		}
		if key.Len() == 0 {
			continue
		}
		at, ok := place[key.String()]
		if !ok {
			at = len(out)
			place[key.String()] = at
			out = append(out, s.T.Const(0))
		}
		out[at] = s.T.Add(out[at], s.T.Monomial(x.Coef, uniform))
	}
	return out
}

// withoutFactor divides a sum by the product that is in each of its terms.
func (s *Solver) withoutFactor(p *term.Poly) *term.Poly {
	common := slices.Clone(p.Terms()[0].Mono.Atoms)
	g := int64(0)
	for _, x := range p.Terms() {
		g = term.GCD(g, x.Coef)
		rest := slices.Clone(x.Mono.Atoms)
		common = slices.DeleteFunc(common, func(a *term.Atom) bool {
			i := slices.Index(rest, a)
			if i >= 0 {
				rest = slices.Delete(rest, i, i+1)
			}
			return i < 0
		})
	}
	return s.T.Exactly(p, s.T.Monomial(g, common))
}

// summand is a number that a sum counts once and has nowhere else, a made one if there is any.
func summand(sum *term.Poly) (best *term.Atom) {
	for _, x := range sum.Terms() {
		if len(x.Mono.Atoms) != 1 || x.Coef != 1 && x.Coef != -1 {
			continue
		}
		a := x.Mono.Atoms[0]
		alone := !slices.ContainsFunc(sum.Terms(), func(y term.Term) bool { return y.Mono != x.Mono && slices.Contains(y.Mono.Atoms, a) })
		if alone && (best == nil || before(a, best)) {
			best = a
		}
	}
	return best
}

// compareSums adds the difference of two equations of which each says of a thread that a sum of products is what both see
// alike, as `blockIdx.x * blockDim.x + threadIdx.x == n - 1` does: it splits into digits, which neither of them does.
func (s *Solver) compareSums(st *state) {
	for i, e := range st.eqs {
		for _, d := range st.eqs[:i] {
			one, other := threadOf(d), threadOf(e)
			if one == 0 || other == 0 || one == other || linearIn(d) || linearIn(e) {
				continue
			}
			for _, apart := range []*term.Poly{s.T.Sub(d, e), s.T.Add(d, e)} {
				if !slices.ContainsFunc(apart.Terms(), alikeForBoth) {
					st.eqs = append(st.eqs, apart)
				}
			}
		}
	}
}

// threadOf is the thread that an equation speaks of besides what both see alike, 0 if it speaks of both, or of nothing else.
func threadOf(e *term.Poly) (side int8) {
	shared := false
	for _, x := range e.Terms() {
		shared = shared || alikeForBoth(x)
		for _, a := range x.Mono.Atoms {
			if a.Variance > term.Grid && a.Side != 0 {
				if side != 0 && side != a.Side {
					return 0
				}
				side = a.Side
			}
		}
	}
	if !shared {
		return 0
	}
	return side
}

// alikeForBoth reports whether both threads see a term of an equation alike.
func alikeForBoth(x term.Term) bool {
	return len(x.Mono.Atoms) > 0 && !slices.ContainsFunc(x.Mono.Atoms, func(a *term.Atom) bool { return a.Variance > term.Grid })
}
