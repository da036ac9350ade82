package term

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
)

// Term is a coefficient times a monomial.
type Term struct {
	Mono *Mono
	Coef int64
}

// Poly is a sum of terms, sorted by monomial, without zero coefficients. It is immutable.
type Poly struct {
	terms []Term
	text  string
}

// Terms returns the terms; callers must not change them.
func (p *Poly) Terms() []Term { return p.terms }

// Const returns a constant polynomial.
func (t *Table) Const(c int64) *Poly {
	if c >= leastSmall && c <= mostSmall {
		return small[c-leastSmall]
	}
	if p, ok := t.consts[c]; ok {
		return p
	}
	p := t.single(one, c)
	t.consts[c] = p
	return p
}

// small holds the constants that are asked for all the time, with their texts, as all tables share them.
var small = func() (all [mostSmall - leastSmall + 1]*Poly) {
	for c := int64(leastSmall); c <= mostSmall; c++ {
		p := &Poly{terms: []Term{{one, c}}}
		if c == 0 {
			p.terms = nil
		}
		p.key()
		all[c-leastSmall] = p
	}
	return all
}()

const leastSmall, mostSmall = -16, 256

// IsConst reports whether the polynomial is a constant, and which.
func (p *Poly) IsConst() (int64, bool) {
	switch {
	case len(p.terms) == 0:
		return 0, true
	case len(p.terms) == 1 && len(p.terms[0].Mono.Atoms) == 0:
		return p.terms[0].Coef, true
	}
	return 0, false
}

// Constant returns the constant term.
func (p *Poly) Constant() int64 {
	for _, t := range p.terms {
		if len(t.Mono.Atoms) == 0 {
			return t.Coef
		}
	}
	return 0
}

// IsAtom returns the atom if the polynomial is just one atom.
func (p *Poly) IsAtom() *Atom {
	if len(p.terms) == 1 && p.terms[0].Coef == 1 && len(p.terms[0].Mono.Atoms) == 1 {
		return p.terms[0].Mono.Atoms[0]
	}
	return nil
}

// Equal reports whether two polynomials of one table are the same.
func (p *Poly) Equal(q *Poly) bool { return slices.Equal(p.terms, q.terms) }

// Combine returns a·p + b·q; ok is false if a coefficient leaves 64 bits.
func (t *Table) Combine(a int64, p *Poly, b int64, q *Poly) (sum *Poly, ok bool) {
	t.Work += int64(len(p.terms) + len(q.terms))
	switch {
	case a == 1 && len(q.terms) == 0:
		return p, true
	case b == 1 && len(p.terms) == 0:
		return q, true
	}
	r, out := newPoly(len(p.terms) + len(q.terms))
	i, j := 0, 0
	for i < len(p.terms) || j < len(q.terms) {
		var m *Mono
		var c int64
		ok := true
		switch {
		case j == len(q.terms) || i < len(p.terms) && p.terms[i].Mono.ID < q.terms[j].Mono.ID:
			m = p.terms[i].Mono
			c, ok = mul(a, p.terms[i].Coef)
			i++
		case i == len(p.terms) || q.terms[j].Mono.ID < p.terms[i].Mono.ID:
			m = q.terms[j].Mono
			c, ok = mul(b, q.terms[j].Coef)
			j++
		default:
			m = p.terms[i].Mono
			x, ok1 := mul(a, p.terms[i].Coef)
			y, ok2 := mul(b, q.terms[j].Coef)
			var ok3 bool
			c, ok3 = add(x, y)
			ok = ok1 && ok2 && ok3
			i++
			j++
		}
		if !ok {
			return nil, false
		}
		if c != 0 {
			out = append(out, Term{m, c})
		}
	}
	r.terms = out
	return r, true
}

// newPoly makes a polynomial with room for so many terms; for few, which most have, in one piece of memory.
func newPoly(n int) (*Poly, []Term) {
	const two, few, some = 2, 4, 8
	switch {
	case n <= two:
		p := new(struct {
			Poly
			room [two]Term
		})
		return &p.Poly, p.room[:0]
	case n <= few:
		p := new(struct {
			Poly
			room [few]Term
		})
		return &p.Poly, p.room[:0]
	case n <= some:
		p := new(struct {
			Poly
			room [some]Term
		})
		return &p.Poly, p.room[:0]
	}
	return &Poly{}, make([]Term, 0, n)
}

// Add, Sub and Scale return sums and multiples. A coefficient that leaves 64 bits makes the
// result an atom of its own, of which nothing is known.
func (t *Table) Add(p, q *Poly) *Poly { return t.combine(1, p, 1, q) }
func (t *Table) Sub(p, q *Poly) *Poly { return t.combine(1, p, -1, q) }
func (t *Table) Scale(c int64, p *Poly) *Poly {
	return t.combine(c, p, 0, t.Const(0))
}

func (t *Table) combine(a int64, p *Poly, b int64, q *Poly) *Poly {
	if r, ok := t.Combine(a, p, b, q); ok {
		return r
	}
	return t.Poly(t.Apply(Func, fmt.Sprintf("%d·+%d·", a, b), NoLo, NoHi, nil, p, q))
}

// Offset returns p + c.
func (t *Table) Offset(p *Poly, c int64) *Poly { return t.Add(p, t.Const(c)) }

// Mul returns the product; one too large to write down becomes an atom.
func (t *Table) Mul(p, q *Poly) *Poly {
	if c, ok := p.IsConst(); ok {
		return t.Scale(c, q)
	}
	if c, ok := q.IsConst(); ok {
		return t.Scale(c, p)
	}
	const limit = 64 // more terms than any index has
	if len(p.terms)*len(q.terms) > limit {
		return t.Poly(t.Apply(Func, "mul", NoLo, NoHi, nil, p, q))
	}
	sum := t.Const(0)
	for _, x := range p.terms {
		for _, y := range q.terms {
			c, ok := mul(x.Coef, y.Coef)
			if !ok {
				return t.Poly(t.Apply(Func, "mul", NoLo, NoHi, nil, p, q))
			}
			sum = t.Add(sum, t.single(t.times(x.Mono, y.Mono), c))
		}
	}
	return sum
}

func (t *Table) times(m, n *Mono) *Mono {
	atoms := make([]*Atom, 0, len(m.Atoms)+len(n.Atoms))
	atoms = append(append(atoms, m.Atoms...), n.Atoms...)
	slices.SortFunc(atoms, func(a, b *Atom) int { return a.ID - b.ID })
	return t.product(atoms)
}

// Monomial returns c times a product of atoms as a polynomial.
func (t *Table) Monomial(c int64, atoms []*Atom) *Poly {
	if c == 0 {
		return t.Const(0)
	}
	sorted := slices.Clone(atoms)
	if len(sorted) > 1 {
		slices.SortFunc(sorted, func(a, b *Atom) int { return a.ID - b.ID })
	}
	return t.single(t.product(sorted), c)
}

// single is a polynomial of one term.
func (t *Table) single(m *Mono, c int64) *Poly {
	p := new(struct {
		Poly
		room [1]Term
	})
	p.room[0] = Term{m, c}
	p.terms = p.room[:]
	return &p.Poly
}

// Variance is the widest variance of the atoms.
func (p *Poly) Variance() Variance {
	v := Grid
	for _, t := range p.terms {
		for _, a := range t.Mono.Atoms {
			v = max(v, a.Variance)
		}
	}
	return v
}

// Loops is the set of loops on whose iterations the value depends.
func (p *Poly) Loops() uint64 {
	var l uint64
	for _, t := range p.terms {
		for _, a := range t.Mono.Atoms {
			l |= a.Loops
		}
	}
	return l
}

// Partial reports whether an atom of the polynomial is partial.
func (p *Poly) Partial() bool {
	return slices.ContainsFunc(p.terms, func(t Term) bool {
		return slices.ContainsFunc(t.Mono.Atoms, func(a *Atom) bool { return a.Partial })
	})
}

// Range returns bounds by interval arithmetic over the atoms' own bounds.
func (p *Poly) Range() (lo, hi int64) {
	for _, t := range p.terms {
		tlo, thi := t.Mono.Range()
		if t.Coef != 1 {
			tlo, thi = satMul(tlo, t.Coef), satMul(thi, t.Coef)
			tlo, thi = min(tlo, thi), max(tlo, thi)
		}
		lo, hi = satAdd(lo, tlo, NoLo), satAdd(hi, thi, NoHi)
	}
	return lo, hi
}

// Range returns bounds of the product.
func (m *Mono) Range() (lo, hi int64) {
	if len(m.Atoms) == 1 {
		return m.Atoms[0].Lo, m.Atoms[0].Hi
	}
	lo, hi = 1, 1
	for i := 0; i < len(m.Atoms); i++ {
		a := m.Atoms[i]
		alo, ahi := a.Lo, a.Hi
		if i+1 < len(m.Atoms) && m.Atoms[i+1] == a { // a square is not negative
			alo, ahi = mulRange(alo, ahi, alo, ahi)
			alo = max(alo, 0)
			i++
		}
		lo, hi = mulRange(lo, hi, alo, ahi)
	}
	return lo, hi
}

// mulRange multiplies two intervals; a product that leaves 64 bits is unbounded.
func mulRange(alo, ahi, blo, bhi int64) (lo, hi int64) {
	lo, hi = NoHi, NoLo
	for _, x := range [...]int64{alo, ahi} {
		for _, y := range [...]int64{blo, bhi} {
			v := satMul(x, y)
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return lo, hi
}

func satMul(x, y int64) int64 {
	if x == 0 || y == 0 {
		return 0
	}
	if v, ok := mul(x, y); ok && x != NoLo && x != NoHi && y != NoLo && y != NoHi {
		return v
	}
	if (x < 0) == (y < 0) {
		return NoHi
	}
	return NoLo
}

// satAdd adds two bounds of the same side; unbounded stays unbounded.
func satAdd(x, y, unbounded int64) int64 {
	if x == unbounded || y == unbounded {
		return unbounded
	}
	if v, ok := add(x, y); ok {
		return v
	}
	return unbounded
}

func add(x, y int64) (int64, bool) {
	s := x + y
	return s, (x > 0) != (y > 0) || (s > 0) == (x > 0) || x == 0 || y == 0
}

func mul(x, y int64) (int64, bool) {
	neg := (x < 0) != (y < 0)
	hi, lo := bits.Mul64(abs(x), abs(y))
	if hi != 0 || lo > 1<<63-1 {
		return 0, false
	}
	if neg {
		return -int64(lo), true
	}
	return int64(lo), true
}

func abs(x int64) uint64 {
	if x < 0 {
		return uint64(-x)
	}
	return uint64(x)
}

// Key is a text that two polynomials of one table share exactly if they are equal.
func (p *Poly) Key() string { return p.key() }

func (p *Poly) key() string {
	if p.text == "" {
		p.text = string(p.appendKey(make([]byte, 0, 8*len(p.terms)+1)))
	}
	return p.text
}

// appendKey writes the key, without keeping it.
func (p *Poly) appendKey(b []byte) []byte {
	if p.text != "" {
		return append(b, p.text...)
	}
	for _, t := range p.terms {
		b = append(strconv.AppendInt(b, t.Coef, 10), '*')
		b = append(strconv.AppendInt(b, int64(t.Mono.ID), 10), '+')
	}
	return append(b, '.')
}

// Substitute replaces an atom by a polynomial, also inside products (not inside other atoms).
func (t *Table) Substitute(p *Poly, a *Atom, by *Poly) *Poly {
	if !p.Mentions(a) {
		return p
	}
	sum, kept := newPoly(len(p.terms))
	for _, x := range p.terms {
		if !slices.Contains(x.Mono.Atoms, a) {
			kept = append(kept, x)
		}
	}
	sum.terms = kept
	t.Work += int64(len(kept))
	for _, x := range p.terms {
		if !slices.Contains(x.Mono.Atoms, a) {
			continue
		}
		prod := t.Const(x.Coef)
		for _, b := range x.Mono.Atoms {
			if b == a {
				prod = t.Mul(prod, by)
			} else {
				prod = t.Mul(prod, t.Poly(b))
			}
		}
		sum = t.Add(sum, prod)
	}
	return sum
}

// Mentions reports whether the atom occurs in a monomial (not inside other atoms).
func (p *Poly) Mentions(a *Atom) bool {
	for _, x := range p.terms {
		if slices.Contains(x.Mono.Atoms, a) {
			return true
		}
	}
	return false
}

// Gcd is the greatest common divisor of the coefficients of the terms that are not constant,
// 0 if there are none.
func (p *Poly) Gcd() int64 {
	var g int64
	for _, x := range p.terms {
		if len(x.Mono.Atoms) > 0 {
			g = GCD(g, x.Coef)
		}
	}
	return g
}

// GCD is the greatest common divisor of two numbers, 0 if both are.
func GCD(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	if a < 0 {
		return -a
	}
	return a
}

// Times is how often the terms of another polynomial stand in this one, 0 if not all of them do, and as often.
func (p *Poly) Times(of *Poly) int64 {
	var n int64
	for _, x := range of.terms {
		if len(x.Mono.Atoms) == 0 {
			continue
		}
		i := slices.IndexFunc(p.terms, func(y Term) bool { return y.Mono == x.Mono })
		if i < 0 || p.terms[i].Coef%x.Coef != 0 {
			return 0
		}
		if each := p.terms[i].Coef / x.Coef; n == 0 || each == n {
			n = each
		} else {
			return 0
		}
	}
	return n
}

// DivExact divides every coefficient by d, which must divide each.
func (t *Table) DivExact(p *Poly, d int64) *Poly {
	q, out := newPoly(len(p.terms))
	for _, x := range p.terms {
		out = append(out, Term{x.Mono, x.Coef / d})
	}
	q.terms = out
	return q
}

// Tighten divides the non-constant coefficients by their greatest common divisor, and rounds the
// constant up: p ≤ 0 holds for integers exactly if the result is ≤ 0.
func (t *Table) Tighten(p *Poly) *Poly {
	d := p.Gcd()
	if d <= 1 {
		return p
	}
	q, out := newPoly(len(p.terms))
	for _, x := range p.terms {
		c := x.Coef
		if len(x.Mono.Atoms) == 0 {
			if c > 0 {
				c = (c + d - 1) / d
			} else {
				c = -(-c / d)
			}
			if c == 0 {
				continue
			}
		} else {
			c /= d
		}
		out = append(out, Term{x.Mono, c})
	}
	q.terms = out
	return q
}
