package access

import (
	"math/bits"
	"slices"

	"github.com/warplint/warplint/analysis/term"
)

// This file reads bits that are put together as sums, where powers of two that nobody knows divide them.
//
// DESIGN. A step of a transform whose distance is 1 << s pairs i = (t >> s) << (s + 1) | t & ((1 << s) - 1) with i | 1 << s. The terms of a
// number are its digits if each is a multiple of a power of two that those below it do not come to: then no bit is in two of them, and what
// is put together of such digits by | or ^ is their sum, of which the proofs know more.

// digit is a term of a number that is not negative: a multiple of one power of two, and below another, nil if nothing says so.
type digit struct{ from, to *term.Poly }

// disjointDigits reads p | q and p ^ q as a sum if all their terms are digits.
func (x *executor) disjointDigits(p, q *term.Poly) *term.Poly {
	one, ok := x.digits(p)
	two, ok2 := x.digits(q)
	if !ok || !ok2 {
		return nil
	}
	all := slices.Concat(one, two)
	for i, d := range all {
		for _, e := range all[i+1:] {
			if !x.below(d, e) && !x.below(e, d) {
				return nil
			}
		}
	}
	return x.t.Add(p, q)
}

// below reports whether a digit ends where another begins, or sooner.
func (x *executor) below(d, e digit) bool { return d.to != nil && x.t.Exactly(e.from, d.to) != nil }

// maxDigits is more than numbers are put together of.
const maxDigits = 8

// digits are the terms of a number, if they may be digits.
func (x *executor) digits(p *term.Poly) (out []digit, ok bool) {
	t := x.t
	p = x.multiples(p)
	if len(p.Terms()) > maxDigits {
		return nil, false
	}
	for _, m := range p.Terms() {
		var powers, others []*term.Atom
		for _, a := range m.Mono.Atoms {
			if isPower(t.Poly(a)) {
				powers = append(powers, a)
			} else {
				others = append(others, a)
			}
			if a.Lo < 0 {
				return nil, false
			}
		}
		if m.Coef <= 0 || m.Coef > 1<<31 {
			return nil, false
		}
		d := digit{from: t.Monomial(m.Coef&-m.Coef, powers)}
		above := int64(1) << bits.Len64(uint64(m.Coef-1)) // not less
		switch {
		case len(others) == 0:
			d.to = t.Monomial(2*above, powers)
		case len(others) > 1:
		case others[0].Kind == term.Rem && isPower(others[0].Args[1]):
			d.to = t.Mul(t.Monomial(above, powers), others[0].Args[1])
		case others[0].Hi < 1<<31:
			d.to = t.Monomial(above<<bits.Len64(uint64(others[0].Hi)), powers)
		}
		out = append(out, d)
	}
	return out, true
}

// multiples writes what is left of a number without its remainder by a power of two, as in x - x % p, as a multiple of the power.
func (x *executor) multiples(p *term.Poly) *term.Poly {
	t := x.t
	for _, m := range p.Terms() {
		if m.Coef >= 0 || len(m.Mono.Atoms) != 1 || m.Mono.Atoms[0].Kind != term.Rem || !isPower(m.Mono.Atoms[0].Args[1]) {
			continue
		}
		r := m.Mono.Atoms[0]
		if of, by := r.Args[0], r.Args[1]; p.Times(of) > 0 {
			whole := t.Add(t.Mul(by, t.Quotient(of, by)), t.Poly(r))
			p = t.Add(p, t.Scale(p.Times(of), t.Sub(whole, of)))
		}
	}
	return p
}

// withoutRemainder reads x ^ x % p as the multiple of p that is left.
func (x *executor) withoutRemainder(p, q *term.Poly) *term.Poly {
	for _, pair := range [...][2]*term.Poly{{p, q}, {q, p}} {
		if r := pair[1].IsAtom(); r != nil && r.Kind == term.Rem && isPower(r.Args[1]) && r.Args[0].Equal(pair[0]) {
			return x.t.Sub(pair[0], pair[1])
		}
	}
	return nil
}
