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
	atoms    map[*term.Atom]vector
	products map[*term.Mono]vector
	conds    map[*term.Cond]lit
	leaves   []*term.Atom
	divided  map[[2]string]quotient
	applied  map[string][]application
	todo     []*term.Cond // conditions that are not yet asserted
	refused  bool         // something is too large, or the context has ended
	asked    int          // at how many gates the context was asked
}

// quotient is what a division gives.
type quotient struct{ q, r vector }

// application is one of a function of which nothing is known.
type application struct {
	args  []vector
	value vector
}

func newEncoder(ctx context.Context, g *gates, axioms func(*term.Atom) []*term.Cond) *encoder {
	return &encoder{gates: g, ctx: ctx, axioms: axioms, atoms: map[*term.Atom]vector{}, products: map[*term.Mono]vector{},
		conds: map[*term.Cond]lit{}, divided: map[[2]string]quotient{}, applied: map[string][]application{}}
}

// assert makes conditions hold, with the axioms of their atoms; it returns false if that is refused.
func (e *encoder) assert(conds []*term.Cond) bool {
	e.todo = append(e.todo, conds...)
	for len(e.todo) > 0 && !e.stop() {
		c := e.todo[0]
		e.todo = e.todo[1:]
		e.hold(c)
	}
	return !e.stop()
}

// stop reports whether to give up. Each question to the context counts as work, so there is one in
// some thousand gates.
func (e *encoder) stop() bool {
	const between = 4096
	if e.count-e.asked > between {
		e.asked = e.count
		e.refused = e.refused || e.ctx.Err() != nil
	}
	e.refused = e.refused || e.full()
	return e.refused
}

// hold makes one condition true, its parts by themselves.
func (e *encoder) hold(c *term.Cond) {
	switch c.Op {
	case term.And:
		for _, a := range c.Args {
			e.hold(a)
		}
	default:
		e.sat.clause(e.cond(c))
	}
}

// cond is a condition as a literal.
func (e *encoder) cond(c *term.Cond) lit {
	if l, ok := e.conds[c]; ok {
		return l
	}
	var l lit
	switch c.Op {
	case term.True, term.False:
		l = e.constant(c.Op == term.True)
	case term.LeZero:
		l = e.atMost(e.sides(c.P))
	case term.EqZero:
		l = e.equals(e.sides(c.P))
	case term.NeZero:
		l = e.equals(e.sides(c.P)).Not()
	default: // a ∨ b is ¬(¬a ∧ ¬b)
		l = e.yes
		for _, a := range c.Args {
			x := e.cond(a)
			if c.Op == term.Or {
				x = x.Not()
			}
			l = e.and(l, x)
		}
		if c.Op == term.Or {
			l = l.Not()
		}
	}
	e.conds[c] = l
	return l
}

// sides writes p as plus - minus, without the common divisor of all coefficients. What two threads
// compute alike comes to stand on two sides, where it is compared bit by bit.
func (e *encoder) sides(p *term.Poly) (plus, minus vector) {
	d := p.Gcd()
	if d == 0 || p.Constant()%d != 0 {
		d = 1
	}
	plus, minus = e.number(0), e.number(0)
	for _, t := range p.Terms() {
		if e.stop() {
			break
		}
		c := t.Coef / d
		if c < 0 && -c > 0 {
			minus = e.add(minus, e.scale(-c, e.product(t.Mono)))
		} else {
			plus = e.add(plus, e.scale(c, e.product(t.Mono)))
		}
	}
	return e.within(plus), e.within(minus)
}

func (e *encoder) poly(p *term.Poly) vector {
	total := e.number(0)
	for _, t := range p.Terms() {
		if e.stop() {
			break
		}
		total = e.add(total, e.scale(t.Coef, e.product(t.Mono)))
	}
	return e.within(total)
}

// within refuses numbers that are too wide.
func (e *encoder) within(v vector) vector {
	if len(v) > maxWidth {
		e.refused = true
		return e.number(0)
	}
	return v
}

func (e *encoder) product(m *term.Mono) vector {
	if v, ok := e.products[m]; ok {
		return v
	}
	v := e.number(1)
	for _, a := range m.Atoms {
		if e.stop() {
			break
		}
		v = e.within(e.times(v, e.atom(a)))
	}
	e.products[m] = v
	return v
}

func (e *encoder) atom(a *term.Atom) vector {
	if v, ok := e.atoms[a]; ok {
		return v
	}
	v := e.within(e.define(a))
	e.atoms[a] = v
	if e.axioms != nil {
		e.todo = append(e.todo, e.axioms(a)...)
	}
	return v
}

// define writes what an atom is.
func (e *encoder) define(a *term.Atom) vector {
	if len(a.Args) == 0 {
		e.leaves = append(e.leaves, a)
		return e.free(a.Lo, a.Hi)
	}
	args := make([]vector, len(a.Args))
	for i, p := range a.Args {
		args[i] = e.poly(p)
	}
	if e.stop() {
		return e.number(0)
	}
	switch a.Kind {
	case term.Div, term.Rem:
		return e.divide(a, args[0], args[1])
	case term.Wrap:
		return e.wrap(a, args[0])
	case term.Min:
		return e.choose(e.atMost(args[0], args[1]), args[0], args[1])
	case term.Max:
		return e.choose(e.atMost(args[0], args[1]), args[1], args[0])
	case term.Select:
		return e.choose(e.cond(a.If), args[0], args[1])
	}
	return e.function(a, args)
}

// free is any number within bounds. Without a bound it is any that a type of 64 bits has, signed or
// not: nothing in a program has a larger value.
func (e *encoder) free(lo, hi int64) vector {
	width := max(bits.Len64(magnitude(lo)), bits.Len64(magnitude(hi)))
	if hi == term.NoHi {
		width = 64
	}
	v := make(vector, width+1)
	for i := range v {
		v[i] = e.sat.variable()
	}
	if lo >= 0 {
		v[width] = e.no
	}
	v = trim(v)
	if lo != term.NoLo {
		e.sat.clause(e.atMost(e.number(lo), v))
	}
	if hi != term.NoHi {
		e.sat.clause(e.atMost(v, e.number(hi)))
	}
	return v
}

// magnitude is x, or -x-1 for a negative x: it has as many bits as x needs besides its sign.
func magnitude(x int64) uint64 { return uint64(x ^ x>>63) }

// where is exact if a condition holds, and else any number within an atom's bounds.
func (e *encoder) where(defined lit, exact vector, a *term.Atom) vector {
	if defined == e.yes {
		return exact
	}
	return e.choose(defined, exact, e.free(a.Lo, a.Hi))
}

// divide is the quotient or remainder of a number that is not negative by a positive one; of others
// nothing is known.
func (e *encoder) divide(a *term.Atom, p, d vector) vector {
	defined := e.and(p.sign().Not(), e.atMost(e.number(1), d))
	if c, ok := e.asNumber(d); ok && c > 0 && c&(c-1) == 0 {
		k := bits.TrailingZeros64(uint64(c))
		if a.Kind == term.Div {
			return e.where(defined, e.shiftRight(p, k), a)
		}
		return e.where(defined, e.low(p, k), a)
	}
	by := e.quotient(a, p, d, defined)
	if a.Kind == term.Div {
		return e.where(defined, by.q, a)
	}
	return e.where(defined, by.r, a)
}

// quotient is the q and the r of p = q·d + r, 0 ≤ r < d: the same for a quotient and its remainder.
func (e *encoder) quotient(a *term.Atom, p, d vector, defined lit) quotient {
	key := [2]string{a.Args[0].Key(), a.Args[1].Key()}
	if by, ok := e.divided[key]; ok {
		return by
	}
	by := quotient{q: e.unknown(len(p) - 1), r: e.unknown(min(len(p), len(d)) - 1)}
	e.sat.clause(defined.Not(), e.equals(p, e.add(e.times(by.q, d), by.r)))
	e.sat.clause(defined.Not(), e.atMost(d, by.r).Not())
	e.divided[key] = by
	return by
}

// unknown is any number from 0 to 2^n - 1.
func (e *encoder) unknown(n int) vector {
	v := make(vector, n+1)
	for i := range n {
		v[i] = e.sat.variable()
	}
	v[n] = e.no
	return v
}

// wrap cuts a number to the type whose range the atom has.
func (e *encoder) wrap(a *term.Atom, p vector) vector {
	switch {
	case a.Lo == 0 && a.Hi == term.NoHi:
		return e.low(p, 64)
	case a.Lo == term.NoLo && a.Hi == term.NoHi:
		return lowSigned(p, 64)
	case a.Lo == 0 && a.Hi&(a.Hi+1) == 0:
		return e.low(p, bits.Len64(uint64(a.Hi)))
	case a.Lo == -a.Hi-1 && a.Hi&(a.Hi+1) == 0:
		return lowSigned(p, bits.Len64(uint64(a.Hi))+1)
	}
	e.refused = true
	return e.number(0)
}

// function is an operation that terms have no kind for, or one of which nothing is known but that
// equal arguments give equal results.
func (e *encoder) function(a *term.Atom, args []vector) vector {
	if len(args) == 2 {
		switch a.Name {
		case "and":
			return e.bitwise(a, e.and, args)
		case "or":
			return e.bitwise(a, e.or, args)
		case "xor":
			return e.bitwise(a, e.xor, args)
		case "shl", "shr":
			return e.shift(a, args[0], args[1])
		}
	}
	return e.uninterpreted(a, args)
}

// inBounds says that a number is within an atom's bounds.
func (e *encoder) inBounds(a *term.Atom, v vector) lit {
	in := e.yes
	if a.Lo != term.NoLo {
		in = e.and(in, e.atMost(e.number(a.Lo), v))
	}
	if a.Hi != term.NoHi {
		in = e.and(in, e.atMost(v, e.number(a.Hi)))
	}
	return in
}

// bitwise is an operation on bits. Its bounds come from the types of its arguments: a result beyond
// them comes of arguments that overflow, and may be anything.
func (e *encoder) bitwise(a *term.Atom, op func(x, y lit) lit, args []vector) vector {
	exact := bitwise(op, args[0], args[1])
	return e.where(e.inBounds(a, exact), exact, a)
}

// shift is a number shifted by 0 to 63 places; what more does differs from type to type.
func (e *encoder) shift(a *term.Atom, p, by vector) vector {
	const steps = 6
	exact := e.shifted(p, by, steps, a.Name == "shr")
	defined := e.yes
	for i := steps; i < len(by); i++ {
		defined = e.and(defined, by[i].Not())
	}
	defined = e.and(defined, by.sign().Not())
	return e.where(e.and(defined, e.inBounds(a, exact)), exact, a)
}

// maxApplications bounds the applications of one function that are compared with each other.
const maxApplications = 8

func (e *encoder) uninterpreted(a *term.Atom, args []vector) vector {
	v := e.free(a.Lo, a.Hi)
	e.leaves = append(e.leaves, a)
	others := e.applied[a.Name]
	for _, b := range others[:min(len(others), maxApplications)] {
		if len(b.args) != len(args) {
			continue
		}
		same := e.yes
		for i := range args {
			same = e.and(same, e.equals(args[i], b.args[i]))
		}
		e.sat.clause(same.Not(), e.equals(v, b.value))
	}
	e.applied[a.Name] = append(others, application{args, v})
	return v
}
