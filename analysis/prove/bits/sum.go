package bits

import (
	"slices"

	"github.com/warplint/warplint/analysis/term"
)

// This file chooses what a polynomial is the sum of.
//
// DESIGN. The lower of a pair in a butterfly is 2x - (x & m): x with a zero put between its bits above
// and below a power of two. A SAT solver that is given a subtraction has to find that out, which takes
// it a hundred thousand steps. x is (x & m) + (x & ¬m), so the number is also 2(x & ¬m) + (x & m), a sum
// of numbers that share no bits.

// summand is a multiple of a number.
type summand struct {
	coef int64
	number
}

func (e *encoder) summands(p *term.Poly) []summand {
	var out []summand
	left := slices.Clone(p.Terms())
	for i := 0; i < len(left) && !e.stop(); i++ {
		for _, x := range masked(left[i]) {
			c, rest, ok := without(left, x.of, left[i].Coef)
			if !ok {
				continue
			}
			of, mask := e.poly(x.of), e.poly(x.mask)
			out = append(out, summand{c, number{e.bitwise(e.and, of.v, e.inverse(mask.v)), e.and(of.ok, mask.ok)}})
			rest[i].Coef += c
			left = rest
			break
		}
	}
	for _, t := range left {
		if t.Coef != 0 && !e.stop() {
			out = append(out, summand{t.Coef, e.product(t.Mono)})
		}
	}
	return out
}

// divisor is the greatest common divisor of the coefficients.
func divisor(sum []summand) int64 {
	var d int64
	for _, x := range sum {
		for a := x.coef; a != 0; {
			d, a = a, d%a
		}
	}
	if d < 0 {
		d = -d
	}
	return max(d, 1)
}

type maskedNumber struct{ of, mask *term.Poly }

// masked lists the numbers that a term masks.
func masked(t term.Term) []maskedNumber {
	if len(t.Mono.Atoms) != 1 {
		return nil
	}
	a := t.Mono.Atoms[0]
	if a.Kind != term.Func || a.Name != "and" || len(a.Args) != 2 {
		return nil
	}
	return []maskedNumber{{a.Args[0], a.Args[1]}, {a.Args[1], a.Args[0]}}
}

// without takes a multiple c·x out of a sum of terms, of the other sign than a coefficient. The terms
// keep their places, some with a coefficient of 0.
func without(terms []term.Term, x *term.Poly, coef int64) (c int64, rest []term.Term, ok bool) {
	rest = slices.Clone(terms)
	for _, m := range x.Terms() {
		i := slices.IndexFunc(rest, func(t term.Term) bool { return t.Mono == m.Mono })
		if i < 0 {
			return 0, nil, false
		}
		if c == 0 {
			c = rest[i].Coef / m.Coef
		}
		const large = 1 << 30 // far from where products of coefficients overflow
		if c == 0 || (c < 0) == (coef < 0) || max(c, -c, m.Coef, -m.Coef) > large || c*m.Coef != rest[i].Coef {
			return 0, nil, false
		}
		rest[i].Coef = 0
	}
	return c, rest, c != 0
}
