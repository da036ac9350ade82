package prove

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/warplint/warplint/analysis/term"
)

// This file decides by the order of two threads where indices are made of squares, or of products that are no digits.
//
// DESIGN. In a triangle that is stored row by row, element (i, j) has the place i·(i+1)/2 + j. Such an index
// has no digits, but it grows with the row, and by more than a row is long. So the first thread's row is put
// as the other's, or as one behind it by 1 + e, or before it, where e ≥ 0 is a number of its own: squares then
// fall away, and what is left are products of numbers that are not negative.

// maxSquares bounds how often a state is split so.
const maxSquares = 2

// squaresWork is what a query may still cost when it comes to squares, which are few and have many terms.
const squaresWork = 500_000

// byOrder tries the three ways in which a coordinate that is squared may stand to the other thread's.
func (s *Solver) byOrder(st *state) bool {
	if st.squares >= maxSquares {
		return false
	}
	first, second := s.squared(st)
	switch {
	case first.of != nil && st.squares == 0:
		s.until = max(s.until, s.T.Work+squaresWork)
	case first.of == nil && st.squares == 0:
		first, second = s.multiplied(st)
	}
	if first.of == nil {
		return false
	}
	t := s.T
	further := t.Poly(t.Named(term.Opaque, fmt.Sprintf("further %d", st.squares), 0, term.NoHi, term.Thread))
	next := t.Offset(further, 1)
	return s.follows(st, first, second, t.Const(0)) && s.follows(st, first, second, next) && s.follows(st, second, first, next)
}

// furtherBounds multiplies what bounds the row of the thread that is further on, as row + 1 + e < n, by e: a row is the shorter the further on
// it is where n·i - i·(i + 1)/2 elements stand before row i.
func (s *Solver) furtherBounds(st *state, known []*term.Poly) (more []*term.Poly) {
	if st.further == nil {
		return nil
	}
	t := s.T
	e := t.Poly(st.further)
	there := map[*term.Mono]bool{}
	limits, squared := []*term.Poly{}, false
	for _, p := range known {
		for _, x := range p.Terms() {
			if len(x.Mono.Atoms) < 2 || there[x.Mono] || !slices.Contains(x.Mono.Atoms, st.further) {
				continue
			}
			there[x.Mono] = true
			squared = squared || len(x.Mono.Atoms) == 2 && x.Mono.Atoms[0] == x.Mono.Atoms[1]
			if limit := t.Exactly(t.Monomial(1, x.Mono.Atoms), e); limit.Variance() == term.Grid && limit.Loops() == 0 {
				limits = append(limits, t.Offset(t.Sub(st.behind, limit), 1))
			}
		}
	}
	try := func(p *term.Poly) bool {
		product := t.Mul(e, p)
		if slices.ContainsFunc(product.Terms(), func(x term.Term) bool { return len(x.Mono.Atoms) > 1 && !there[x.Mono] }) {
			return false
		}
		more = append(more, product)
		return true
	}
	for _, p := range limits {
		if squared && s.proves(st, p) {
			try(p)
		}
	}
	for _, p := range known {
		if squared && len(more) == 0 && p.Times(e) != 0 {
			try(p)
		}
	}
	return more
}

// coordinate is a sum that a relation squares, and one of its atoms.
type coordinate struct {
	sum *term.Poly
	of  *term.Atom
}

// follows reports whether it is impossible that one coordinate is so much more than another.
func (s *Solver) follows(st *state, one, other coordinate, by *term.Poly) bool {
	t := s.T
	branch := st.clone()
	branch.squares++
	branch.further, branch.behind = nil, t.Add(other.sum, by)
	clear(branch.derived)
	if _, same := by.IsConst(); same {
		branch.eqs = append(branch.eqs, t.Sub(one.sum, other.sum)) // which may split into digits
	} else {
		branch.further = t.Offset(by, -1).IsAtom()
		s.substitute(branch, one.of, t.Add(t.Sub(t.Poly(one.of), one.sum), branch.behind))
		s.orderQuotients(branch)
	}
	return s.refute(branch)
}

// squared finds a coordinate of the first thread that some relation squares, and the same one of the second
// thread. A coordinate of a thread in the grid, as b·n + t, shows by the squares of its summands; what stands
// between them, 2·b·n·t, may have gone elsewhere when the number was halved.
func (s *Solver) squared(st *state) (first, second coordinate) {
	t := s.T
	twins := map[*term.Atom]*term.Atom{}
	all := s.inequalities(st)
	for _, p := range all {
		for _, x := range p.Terms() {
			for _, a := range x.Mono.Atoms {
				if a.Side == 2 {
					twins[a.Origin()] = a
				}
			}
		}
	}
	for _, p := range all {
		for _, x := range p.Terms() {
			m := x.Mono.Atoms
			if len(m) != 2 || m[0] != m[1] || m[0].Side != 1 || twins[m[0].Origin()] == nil {
				continue
			}
			a := m[0]
			one, two := t.Poly(a), t.Poly(twins[a.Origin()])
			for _, y := range p.Terms() {
				rest, c := root(y, x.Coef)
				if rest == nil || len(rest) == 1 && rest[0] == a {
					continue
				}
				twin := slices.Clone(rest)
				for i, b := range rest {
					if b.Side == 1 {
						twin[i] = twins[b.Origin()]
					}
				}
				if !slices.Contains(twin, nil) {
					one, two = t.Add(one, t.Monomial(c, rest)), t.Add(two, t.Monomial(c, twin))
				}
			}
			return coordinate{one, a}, coordinate{two, twins[a.Origin()]}
		}
	}
	return first, second
}

// multiplied finds a coordinate of the first thread, and the same one of the second, which some relation multiplies with the same
// number, of which the sign is known: parts of b·q + min(b, r) elements stand behind each other. So do those from b·n/p to (b + 1)·n/p.
func (s *Solver) multiplied(st *state) (first, second coordinate) {
	known := s.inequalities(st)
	signed := func(b *term.Atom) bool { return b.Hi <= 0 || s.notNegative(st, b, known) }
	relations := slices.Clone(known)
	for d, e := range st.sameDivisor() {
		relations = append(relations, s.T.Sub(d.p, e.p))
	}
	for _, p := range relations {
		for _, x := range p.Terms() {
			alike, a := s.takenApart(x.Mono)
			if a == nil || a.Side != 1 || a.Loops != 0 || len(alike) == 0 || !all(alike, signed) {
				continue
			}
			if one, two, twin := s.multiplesOf(s.T.Monomial(x.Coef, alike), p, a); twin != nil {
				return coordinate{one, a}, coordinate{two, twin}
			}
		}
	}
	return first, second
}

// multiplesOf takes the products of a relation for multiples of a sum of one thread's, one of whose atoms is given, and of the same sum
// of the other's, which has the twin of that atom; nil if they are something else.
func (s *Solver) multiplesOf(unit, p *term.Poly, of *term.Atom) (one, two *term.Poly, twin *term.Atom) {
	t := s.T
	one, two = t.Const(0), t.Const(0)
	twins := map[*term.Atom]*term.Atom{}
	for _, x := range p.Terms() {
		share := t.Exactly(t.Monomial(x.Coef, x.Mono.Atoms), unit)
		_, a := s.takenApart(x.Mono)
		switch {
		case share == nil:
		case a == nil || a.Loops != 0:
			return nil, nil, nil
		case a.Side == 1:
			one = t.Add(one, share)
		case a.Side == 2:
			two = t.Sub(two, share)
			twins[a.Origin()] = a
		default:
			return nil, nil, nil
		}
	}
	same := one
	for _, x := range one.Terms() {
		_, a := s.takenApart(x.Mono)
		other := twins[a.Origin()]
		if other == nil {
			return nil, nil, nil
		}
		same = t.Substitute(same, a, t.Poly(other))
	}
	if !same.Equal(two) || t.Sub(one, t.Poly(of)).Mentions(of) {
		return nil, nil, nil
	}
	return one, two, twins[of.Origin()]
}

// orderQuotients adds that quotients of numbers in order, by the same number, are in that order.
func (s *Solver) orderQuotients(st *state) {
	t := s.T
	for d, e := range st.sameDivisor() {
		apart, order := t.Sub(d.p, e.p), t.Sub(d.q, e.q)
		switch {
		case s.proves(st, apart) || s.provesByProducts(st, apart):
			st.les = append(st.les, order)
		case s.proves(st, t.Scale(-1, apart)) || s.provesByProducts(st, t.Scale(-1, apart)):
			st.les = append(st.les, t.Scale(-1, order))
		}
	}
}

// sameDivisor lists each two divisions of what varies by the same number.
func (st *state) sameDivisor() iter.Seq2[division, division] {
	list := slices.DeleteFunc(slices.Concat(st.divisions, st.solved), func(d division) bool { return d.p.Variance() == term.Grid })
	return func(yield func(d, e division) bool) {
		for i, d := range list {
			for _, e := range list[:i] {
				if d.c.Equal(e.c) && !yield(d, e) {
					return
				}
			}
		}
	}
}

// root gives what a term is the square of, but for a factor that it has besides; nil if it is no square.
func root(x term.Term, factor int64) (half []*term.Atom, c int64) {
	m := x.Mono.Atoms
	if len(m) == 0 || len(m)%2 != 0 || x.Coef%factor != 0 || x.Coef/factor < 0 {
		return nil, 0
	}
	c = int64(math.Sqrt(float64(x.Coef / factor)))
	if c*c != x.Coef/factor {
		return nil, 0
	}
	for i := 0; i < len(m); i += 2 {
		if m[i] != m[i+1] {
			return nil, 0
		}
		half = append(half, m[i])
	}
	return half, c
}
