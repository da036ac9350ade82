package order

import "github.com/warplint/warplint/analysis/term"

// This file compares terms modulo an equation, inside of divisions, remainders and cases, too: where
// two cells are one, so are two locks that are the same function of them.

// equalWhere reports whether two terms become one when a monomial of another term is replaced,
// wherever it stands, by what it is where that term is 0.
func equalWhere(t *term.Table, zero, p, q *term.Poly) bool {
	g := zero.Gcd()
	if g == 0 || zero.Constant()%g != 0 {
		return false
	}
	e := t.DivExact(zero, g)
	for _, x := range e.Terms() {
		if len(x.Mono.Atoms) == 0 || x.Coef != 1 && x.Coef != -1 {
			continue
		}
		m := modulo{t: t, zero: t.Scale(x.Coef, e), lead: x.Mono, polys: map[*term.Poly]*term.Poly{}}
		if m.poly(p).Equal(m.poly(q)) {
			return true
		}
	}
	return false
}

// modulo replaces a monomial, of which the term that is 0 has one.
type modulo struct {
	t     *term.Table
	zero  *term.Poly
	lead  *term.Mono
	polys map[*term.Poly]*term.Poly
}

func (m *modulo) poly(p *term.Poly) *term.Poly {
	if q, ok := m.polys[p]; ok {
		return q
	}
	sum := m.t.Const(0)
	for _, x := range p.Terms() {
		product := m.t.Const(x.Coef)
		for _, a := range x.Mono.Atoms {
			product = m.t.Mul(product, m.atom(a))
		}
		sum = m.t.Add(sum, product)
	}
	for _, x := range sum.Terms() {
		if x.Mono == m.lead {
			sum = m.t.Sub(sum, m.t.Scale(x.Coef, m.zero))
			break
		}
	}
	m.polys[p] = sum
	return sum
}

func (m *modulo) atom(a *term.Atom) *term.Poly {
	changed := false
	args := make([]*term.Poly, len(a.Args))
	for i, p := range a.Args {
		args[i] = m.poly(p)
		changed = changed || !args[i].Equal(p)
	}
	cond := a.If
	if cond != nil {
		cond = m.cond(cond)
		changed = changed || cond != a.If
	}
	if !changed {
		return m.t.Poly(a)
	}
	return m.t.Poly(m.t.Apply(a.Kind, a.Name, a.Lo, a.Hi, cond, args...))
}

func (m *modulo) cond(c *term.Cond) *term.Cond {
	switch c.Op {
	case term.LeZero, term.EqZero, term.NeZero:
		p := m.poly(c.P)
		if p.Equal(c.P) {
			return c
		}
		zero := m.t.Const(0)
		switch c.Op {
		case term.LeZero:
			return m.t.Le(p, zero)
		case term.EqZero:
			return m.t.Eq(p, zero)
		}
		return m.t.Ne(p, zero)
	case term.And, term.Or:
		args := make([]*term.Cond, len(c.Args))
		for i, x := range c.Args {
			args[i] = m.cond(x)
		}
		if c.Op == term.And {
			return term.Conj(args...)
		}
		return term.Disj(args...)
	}
	return c
}
