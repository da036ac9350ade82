package bits

import (
	"context"
	"math/bits"

	"github.com/warplint/warplint/analysis/term"
)

// This file writes terms as gates: an atom without arguments is a vector of variables, as many as
// its bounds need, and everything else is computed from them.

// encoder writes one query.
type encoder struct {
	*gates
	ctx      context.Context
	axioms   func(*term.Atom) []*term.Cond
	atoms    map[*term.Atom]number
	products map[*term.Mono]number
	conds    map[*term.Cond]truth
	divided  map[[2]string]quotient
	applied  map[string][]application
	leaves   []*term.Atom
	todo     []*term.Cond // conditions that are not yet asserted
	coarse   bool         // a product of two variables is any number
	cut      bool         // there was such a product
	refused  bool         // something is too large, or the context has ended
	asked    int          // at how many gates the context was asked
}

// number is the value of a term, and whether it has one: a division by zero has none, nor has an
// operation on numbers that have overflowed.
type number struct {
	v  vector
	ok lit
}

// truth says whether a condition holds, and whether it fails; it does neither if that hangs on a
// number without a value, as that of a branch that is not taken (term.Cond.Holds).
type truth struct{ holds, fails lit }

// quotient is what a division gives.
type quotient struct{ q, r vector }

// application is one of a function of which nothing is known.
type application struct {
	args  []number
	value vector
}

func newEncoder(ctx context.Context, g *gates, axioms func(*term.Atom) []*term.Cond, coarse bool) *encoder {
	return &encoder{gates: g, ctx: ctx, axioms: axioms, coarse: coarse, atoms: map[*term.Atom]number{},
		products: map[*term.Mono]number{}, conds: map[*term.Cond]truth{}, divided: map[[2]string]quotient{},
		applied: map[string][]application{}}
}

// assert makes conditions hold, with the axioms of their atoms; it returns false if that is refused.
func (e *encoder) assert(conds []*term.Cond) bool {
	e.todo = append(e.todo, conds...)
	for len(e.todo) > 0 && !e.stop() {
		c := e.todo[0]
		e.todo = e.todo[1:]
		e.sat.clause(e.cond(c).holds)
	}
	return !e.stop()
}

// stop reports whether to give up. Each question to the context counts as work, so there is one in
// some thousand gates.
func (e *encoder) stop() bool {
	const between = 4096
	if e.made.count-e.asked > between {
		e.asked = e.made.count
		e.refused = e.refused || e.ctx.Err() != nil
	}
	e.refused = e.refused || e.full()
	return e.refused
}

func (e *encoder) cond(c *term.Cond) truth {
	if t, ok := e.conds[c]; ok {
		return t
	}
	var t truth
	switch c.Op {
	case term.True, term.False:
		t = truth{e.constant(c.Op == term.True), e.constant(c.Op == term.False)}
	case term.LeZero:
		plus, minus, ok := e.sides(c.P)
		t = e.when(ok, e.atMost(plus, minus))
	case term.EqZero:
		plus, minus, ok := e.sides(c.P)
		t = e.when(ok, e.equals(plus, minus))
	case term.NeZero:
		plus, minus, ok := e.sides(c.P)
		t = e.when(ok, e.equals(plus, minus).Not())
	case term.And:
		t = truth{e.yes, e.no}
		for _, a := range c.Args {
			x := e.cond(a)
			t = truth{e.and(t.holds, x.holds), e.or(t.fails, x.fails)}
		}
	case term.Or:
		t = truth{e.no, e.yes}
		for _, a := range c.Args {
			x := e.cond(a)
			t = truth{e.or(t.holds, x.holds), e.and(t.fails, x.fails)}
		}
	}
	e.conds[c] = t
	return t
}

func (e *encoder) when(ok, l lit) truth { return truth{e.and(ok, l), e.and(ok, l.Not())} }

// sides writes p as plus - minus, without the common divisor of all coefficients. What two threads
// compute alike comes to stand on two sides, where it is compared bit by bit.
func (e *encoder) sides(p *term.Poly) (plus, minus vector, ok lit) {
	sum := e.summands(p)
	d := divisor(sum)
	plus, minus, ok = e.number(0), e.number(0), e.yes
	for _, x := range sum {
		ok = e.and(ok, x.ok)
		if c := x.coef / d; c < 0 && -c > 0 {
			minus = e.add(minus, e.scale(-c, x.v))
		} else {
			plus = e.add(plus, e.scale(c, x.v))
		}
	}
	return e.within(plus), e.within(minus), ok
}

func (e *encoder) poly(p *term.Poly) number {
	total := number{e.number(0), e.yes}
	for _, x := range e.summands(p) {
		total = number{e.add(total.v, e.scale(x.coef, x.v)), e.and(total.ok, x.ok)}
	}
	total.v = e.within(total.v)
	return total
}

// within refuses numbers that are too wide.
func (e *encoder) within(v vector) vector {
	if len(v) > maxWidth {
		e.refused = true
		return e.number(0)
	}
	return v
}

func (e *encoder) product(m *term.Mono) number {
	if x, ok := e.products[m]; ok {
		return x
	}
	x := number{e.number(1), e.yes}
	for i, a := range m.Atoms {
		if e.stop() {
			break
		}
		y := e.atom(a)
		if e.coarse && i > 0 {
			e.cut = true
			x.v = e.any(x.v, y.v)
		} else {
			x.v = e.within(e.times(x.v, y.v))
		}
		x.ok = e.and(x.ok, y.ok)
	}
	e.products[m] = x
	return x
}

// any is any number that has the width and the sign of a product.
func (e *encoder) any(a, b vector) vector {
	v := e.unknown(len(a) + len(b) - 1)
	if a.sign() != e.no || b.sign() != e.no {
		v[len(v)-1] = e.sat.variable()
	}
	return v
}

func (e *encoder) atom(a *term.Atom) number {
	if x, ok := e.atoms[a]; ok {
		return x
	}
	x := e.define(a)
	x.v = e.within(x.v)
	e.atoms[a] = x
	if e.axioms != nil {
		e.todo = append(e.todo, e.axioms(a)...)
	}
	return x
}

// define writes what an atom is.
func (e *encoder) define(a *term.Atom) number {
	if len(a.Args) == 0 {
		e.leaves = append(e.leaves, a)
		v := e.free(a.Lo, a.Hi)
		if a.Power {
			e.sat.clause(e.atMostOneBit(v))
		}
		if a.Halved != nil {
			from := e.poly(a.Halved)
			e.sat.clause(from.ok.Not(), e.equals(v, e.shifted(from.v, e.unknown(shiftSteps), shiftSteps, true)))
		}
		return number{v, e.yes}
	}
	args, ok := make([]number, len(a.Args)), e.yes
	for i, p := range a.Args {
		args[i] = e.poly(p)
		ok = e.and(ok, args[i].ok)
	}
	if e.stop() {
		return number{e.number(0), e.yes}
	}
	switch a.Kind {
	case term.Div, term.Rem:
		x := e.divide(a, args[0].v, args[1].v)
		return number{x.v, e.and(ok, x.ok)}
	case term.Wrap:
		return number{e.wrap(a, args[0].v), ok}
	case term.Min:
		return number{e.choose(e.atMost(args[0].v, args[1].v), args[0].v, args[1].v), ok}
	case term.Max:
		return number{e.choose(e.atMost(args[0].v, args[1].v), args[1].v, args[0].v), ok}
	case term.Select:
		c := e.cond(a.If)
		return number{e.choose(c.holds, args[0].v, args[1].v), e.or(e.and(c.holds, args[0].ok), e.and(c.fails, args[1].ok))}
	}
	return e.function(a, args, ok)
}

// free is any number within bounds. Without a bound it is any that a type of 64 bits has, signed or
// not: nothing in a program has a larger value.
func (e *encoder) free(lo, hi int64) vector {
	width := max(bits.Len64(magnitude(lo)), bits.Len64(magnitude(hi)))
	if hi == term.NoHi {
		width = 64
	}
	v := e.unknown(width)
	if lo < 0 {
		v[width] = e.sat.variable()
	}
	v = trim(v)
	e.sat.clause(e.inBounds(v, lo, hi))
	return v
}

// unknown is any number from 0 to 2^n - 1.
func (e *encoder) unknown(n int) vector {
	v := e.vector(n + 1)
	for i := range n {
		v[i] = e.sat.variable()
	}
	v[n] = e.no
	return v
}

// inBounds says that a number is within bounds.
func (e *encoder) inBounds(v vector, lo, hi int64) lit {
	in := e.yes
	if lo != term.NoLo {
		in = e.and(in, e.atMost(e.number(lo), v))
	}
	if hi != term.NoHi {
		in = e.and(in, e.atMost(v, e.number(hi)))
	}
	return in
}

// magnitude is x, or -x-1 for a negative x: it has as many bits as x needs besides its sign.
func magnitude(x int64) uint64 { return uint64(x ^ x>>63) }

// divide is the quotient or remainder of a number that is not negative by a positive one.
func (e *encoder) divide(a *term.Atom, p, d vector) number {
	ok := e.and(p.sign().Not(), e.atMost(e.number(1), d))
	if c, known := e.asNumber(d); known && c > 0 && c&(c-1) == 0 {
		k := bits.TrailingZeros64(uint64(c))
		if a.Kind == term.Div {
			return number{e.shiftRight(p, k), ok}
		}
		return number{e.low(p, k), ok}
	}
	by := e.quotient(a, p, d, ok)
	if a.Kind == term.Div {
		return number{by.q, ok}
	}
	return number{by.r, ok}
}

// quotient is the q and the r of p = q·d + r, 0 ≤ r < d: the same for a quotient and its remainder.
func (e *encoder) quotient(a *term.Atom, p, d vector, ok lit) quotient {
	key := [2]string{a.Args[0].Key(), a.Args[1].Key()}
	if by, known := e.divided[key]; known {
		return by
	}
	by := quotient{q: e.unknown(len(p) - 1), r: e.unknown(min(len(p), len(d)) - 1)}
	e.sat.clause(ok.Not(), e.equals(p, e.add(e.times(by.q, d), by.r)))
	e.sat.clause(ok.Not(), e.atMost(d, by.r).Not())
	e.divided[key] = by
	return by
}

// wrap cuts a number to the type whose range the atom has.
func (e *encoder) wrap(a *term.Atom, p vector) vector {
	switch {
	case a.Lo == 0 && a.Hi == term.NoHi:
		return e.low(p, 64)
	case a.Lo == term.NoLo && a.Hi == term.NoHi:
		return e.lowSigned(p, 64)
	case a.Lo == 0 && a.Hi&(a.Hi+1) == 0:
		return e.low(p, bits.Len64(uint64(a.Hi)))
	case a.Lo == -a.Hi-1 && a.Hi&(a.Hi+1) == 0:
		return e.lowSigned(p, bits.Len64(uint64(a.Hi))+1)
	}
	e.refused = true
	return e.number(0)
}

// Reversals are the functions of one number that turn its bits round, by how many these are.
var Reversals = map[string]int{"__brev": 32, "__brevll": 64}

// Operations are the functions of two numbers that are computed bit by bit; of others nothing is known.
var Operations = []string{"and", "or", "xor", "shl", "shr"}

// function is an operation that terms have no kind for, or one of which nothing is known but that
// equal arguments give equal results. Bounds of an operation on bits come from its type: a result beyond
// them comes of arguments that have overflowed, which package access assumes not to happen.
func (e *encoder) function(a *term.Atom, args []number, ok lit) number {
	if n := Reversals[a.Name]; n > 0 && len(args) == 1 {
		from := e.low(args[0].v, n)
		v := e.vector(n + 1)
		for i := range v {
			v[i] = e.no
			if at := n - 1 - i; at >= 0 && at < len(from) {
				v[i] = from[at]
			}
		}
		return number{trim(v), ok}
	}
	if len(args) == 2 {
		x, y := args[0].v, args[1].v
		var v vector
		switch a.Name {
		case "and":
			v = e.bitwise(e.and, x, y)
		case "or":
			v = e.bitwise(e.or, x, y)
		case "xor":
			v = e.bitwise(e.xor, x, y)
		case "shl", "shr":
			return number{e.shift(a, x, y), ok}
		}
		if v != nil {
			return number{v, e.and(ok, e.inBounds(v, a.Lo, a.Hi))}
		}
	}
	return number{e.uninterpreted(a, args), ok}
}

// shiftSteps is the number of bits of a shift's distance.
const shiftSteps = 6

// shift is a number shifted by 0 to 63 places, if the result is within the bounds of its type. What
// more does, and what is lost at the left, differs from type to type: it may be anything.
func (e *encoder) shift(a *term.Atom, p, by vector) vector {
	v := e.shifted(p, by, shiftSteps, a.Name == "shr")
	known := e.and(by.sign().Not(), e.inBounds(v, a.Lo, a.Hi))
	for i := shiftSteps; i < len(by); i++ {
		known = e.and(known, by[i].Not())
	}
	if known == e.yes {
		return v
	}
	return e.choose(known, v, e.free(a.Lo, a.Hi))
}

// maxApplications bounds the applications of one function that are compared with each other.
const maxApplications = 8

func (e *encoder) uninterpreted(a *term.Atom, args []number) vector {
	v := e.free(a.Lo, a.Hi)
	e.leaves = append(e.leaves, a)
	others := e.applied[a.Name]
	for _, b := range others[:min(len(others), maxApplications)] {
		if len(b.args) != len(args) {
			continue
		}
		same := e.yes
		for i := range args {
			same = e.and(same, e.equals(args[i].v, b.args[i].v))
		}
		e.sat.clause(same.Not(), e.equals(v, b.value))
	}
	e.applied[a.Name] = append(others, application{args, v})
	return v
}
