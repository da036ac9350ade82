package term

import "slices"

// This file divides terms: numbers that are not negative by positive ones, rounding down.
//
// A number that is taken apart digit by digit, as in i / (w·h), (i / w) % h and i % w, gives the same
// atoms however it is written: quotients of quotients are quotients by the product, and digits of
// remainders are digits of the whole.

// Quotient returns p / q and Remainder p % q, where p ≥ 0 and q ≥ 1. What a constant q divides is taken
// out of p; of the rest atoms are made.
func (t *Table) Quotient(p, q *Poly) *Poly  { return t.divide(p, q, true) }
func (t *Table) Remainder(p, q *Poly) *Poly { return t.divide(p, q, false) }

func (t *Table) divide(p, q *Poly, quotient bool) *Poly {
	whole, rest := t.Const(0), p
	if c, ok := q.IsConst(); ok && c > 0 {
		if v, ok := p.IsConst(); ok && v >= 0 {
			if quotient {
				return t.Const(v / c)
			}
			return t.Const(v % c)
		}
		whole, rest = t.takeMultiples(p, c)
		if lo, hi := rest.Range(); lo >= 0 && hi < c {
			if quotient {
				return whole
			}
			return rest
		}
		if g := commonFactor(rest, c); g > 1 { // 8i / 256 is i / 32, and 8i % 256 is 8·(i % 32)
			part := t.divide(t.DivExact(rest, g), t.Const(c/g), quotient)
			if quotient {
				return t.Add(whole, part)
			}
			return t.Scale(g, part)
		}
		if g, high, low := t.digitsOf(rest, c); g > 1 { // (8i + j) / 32 is i / 4, and (8i + j) % 32 is 8·(i % 4) + j, where j < 8
			part := t.divide(high, t.Const(c/g), quotient)
			if quotient {
				return t.Add(whole, part)
			}
			return t.Add(t.Scale(g, part), low)
		}
	}
	if quotient {
		return t.Add(whole, t.quotientAtom(rest, q))
	}
	return t.remainderAtom(rest, q)
}

// takeMultiples splits p into c·whole + rest, all terms that c divides taken out, unless what is left may
// be negative then. A square stays whole: only so it is one.
func (t *Table) takeMultiples(p *Poly, c int64) (whole, rest *Poly) {
	whole, rest = t.Const(0), t.Const(0)
	for _, m := range p.Terms() {
		if m.Coef%c == 0 {
			whole = t.Add(whole, t.Monomial(m.Coef/c, m.Mono.Atoms))
		} else {
			rest = t.Add(rest, t.Monomial(m.Coef, m.Mono.Atoms))
		}
	}
	if lo, _ := rest.Range(); lo < 0 || slices.ContainsFunc(rest.Terms(), squares) {
		return t.Const(0), p
	}
	return whole, rest
}

// squares reports whether a term has a factor twice.
func squares(x Term) bool {
	for i, a := range x.Mono.Atoms {
		if i > 0 && a == x.Mono.Atoms[i-1] {
			return true
		}
	}
	return false
}

// digitsOf writes p ≥ 0 as g·high + low where g divides c and low is from 0 to g - 1; g is 1 if that is not to be seen. A number
// whose remainder by g is in p is taken apart first: i + 1 - 2·(i % 2), which is i ^ 1, is 2·(i / 2) + 1 - i % 2. So is one whose digit
// above that is: i ^ 8 is 8·(i / 8 + 1 - 2·(i / 8 % 2)) + i % 8.
func (t *Table) digitsOf(p *Poly, c int64) (g int64, high, low *Poly) {
	for _, m := range p.Terms() {
		if len(m.Mono.Atoms) != 1 || m.Mono.Atoms[0].Kind != Rem {
			continue
		}
		for _, digit := range [...]*Atom{m.Mono.Atoms[0], m.Mono.Atoms[0].Args[0].IsAtom()} {
			if by, whole := t.takenApart(p, digit, c); by > 1 {
				if g, high, low = t.split(whole, by); g > 1 {
					return g, high, low
				}
			}
		}
	}
	for _, m := range p.Terms() {
		if by := GCD(c, m.Coef); by > 1 && by < c && len(m.Mono.Atoms) > 0 {
			if g, high, low = t.split(p, by); g > 1 {
				return g, high, low
			}
		}
	}
	return 1, nil, nil
}

// takenApart is p with a number in it written as by·(i / by) + i % by, given its quotient or remainder by a constant that divides
// c; by is 0 if there is none.
func (t *Table) takenApart(p *Poly, digit *Atom, c int64) (by int64, out *Poly) {
	if digit == nil || digit.Kind != Rem && digit.Kind != Div {
		return 0, nil
	}
	i, radix := digit.Args[0], digit.Args[1]
	by, ok := radix.IsConst()
	n := p.Times(i)
	if !ok || n == 0 || by < 2 || by >= c || c%by != 0 {
		return 0, nil
	}
	whole := t.Add(t.Scale(by, t.Quotient(i, radix)), t.Remainder(i, radix))
	return by, t.Add(p, t.Scale(n, t.Sub(whole, i)))
}

// split does so for one g.
func (t *Table) split(p *Poly, by int64) (g int64, high, low *Poly) {
	high, low = t.Const(0), t.Const(0)
	for _, m := range p.Terms() {
		x := t.Monomial(m.Coef, m.Mono.Atoms)
		if m.Coef%by == 0 {
			high = t.Add(high, t.DivExact(x, by))
		} else {
			low = t.Add(low, x)
		}
	}
	if lo, hi := low.Range(); lo < 0 || hi >= by {
		return 1, nil, nil
	}
	if _, ok := high.IsConst(); ok {
		return 1, nil, nil
	}
	return by, high, low
}

// commonFactor is the greatest number that divides all coefficients of a polynomial and a constant.
func commonFactor(p *Poly, c int64) int64 {
	for _, m := range p.Terms() {
		c = GCD(c, m.Coef)
	}
	return c
}

// highOf returns the one of two numbers that has digits above a power of two.
func highOf(args []*Poly, q *Poly) *Poly {
	if c, ok := q.IsConst(); !ok || c&(c-1) != 0 || len(args) != 2 {
		return nil
	}
	for i, low := range args {
		lo, hi := low.Range()
		if least, _ := args[1-i].Range(); lo >= 0 && hi < q.Constant() && least >= 0 {
			return args[1-i]
		}
	}
	return nil
}

func (t *Table) quotientAtom(p, q *Poly) *Poly {
	if a := p.IsAtom(); a != nil {
		switch by := a.divisor(); {
		case a.Kind == Div: // (x / y) / q
			return t.Quotient(a.Args[0], t.Mul(by, q))
		case a.Kind == Rem: // (x % (z·q)) / q is (x / q) % z
			if z := t.Exactly(by, q); z != nil {
				return t.Remainder(t.Quotient(a.Args[0], q), z)
			}
		case a.Kind == Func && a.Name == "xor": // (x ^ y) / 2^k is x / 2^k where y < 2^k
			if x := highOf(a.Args, q); x != nil {
				return t.Quotient(x, q)
			}
		}
	}
	_, hi := p.Range()
	if lo, _ := q.Range(); hi != NoHi && lo >= 1 {
		hi /= lo
	}
	return t.Poly(t.Apply(Div, "div", 0, hi, nil, p, q))
}

func (t *Table) remainderAtom(p, q *Poly) *Poly {
	if a := p.IsAtom(); a != nil && a.Kind == Rem && t.Exactly(a.divisor(), q) != nil {
		return t.Remainder(a.Args[0], q) // (x % (z·q)) % q
	}
	_, hi := p.Range()
	if _, most := q.Range(); most != NoHi {
		hi = min(hi, max(most-1, 0))
	}
	return t.Poly(t.Apply(Rem, "rem", 0, hi, nil, p, q))
}

// divisor is what a quotient or a remainder divides by.
func (a *Atom) divisor() *Poly {
	if a.Kind == Div || a.Kind == Rem {
		return a.Args[1]
	}
	return nil
}

// Exactly returns p / q where q, a product, divides each term of p, else nil.
func (t *Table) Exactly(p, q *Poly) *Poly {
	if len(q.Terms()) != 1 {
		return nil
	}
	by := q.Terms()[0]
	sum := t.Const(0)
	for _, m := range p.Terms() {
		if m.Coef%by.Coef != 0 {
			return nil
		}
		rest := slices.Clone(m.Mono.Atoms)
		for _, a := range by.Mono.Atoms {
			i := slices.Index(rest, a)
			if i < 0 {
				return nil
			}
			rest = slices.Delete(rest, i, i+1)
		}
		sum = t.Add(sum, t.Monomial(m.Coef/by.Coef, rest))
	}
	return sum
}

// SubstituteDivided is a condition where a number has been replaced wherever it, or a sum that it is in, is divided.
func (t *Table) SubstituteDivided(c *Cond, number *Atom, by *Poly) *Cond {
	return t.MapCond(c, func(p *Poly) *Poly {
		out := p
		for _, x := range p.Terms() {
			for _, a := range x.Mono.Atoms {
				if a.Kind != Div && a.Kind != Rem || !a.Args[0].Mentions(number) {
					continue
				}
				whole, divide := t.Substitute(a.Args[0], number, by), t.Remainder
				if a.Kind == Div {
					divide = t.Quotient
				}
				out = t.Substitute(out, a, divide(whole, a.Args[1]))
			}
		}
		return out
	})
}
