package bits

import (
	"slices"

	"github.com/go-air/gini/z"
)

// This file makes gates. Each is written as clauses to the SAT solver at once (Tseitin 1968), but for
// those that constants, equal inputs or an earlier gate of the same inputs decide.

// lit is a literal of the SAT solver. Constants are literals, too, so that a gate need not ask.
type lit = z.Lit

type kind uint8

const (
	andGate kind = iota
	xorGate
	muxGate // in[0] ? in[1] : in[2]
	majGate // at least two of three
)

// gates makes gates in a SAT solver, up to a number of them.
type gates struct {
	sat     sat
	yes, no lit
	made    made
	most    int
	room    []lit // for vectors
}

// reset makes it one without gates, in the same memory.
func (g *gates) reset(most int) {
	g.sat.reset()
	g.made.reset()
	g.most, g.room = most, g.room[:0]
	g.yes = g.sat.variable()
	g.no = g.yes.Not()
	g.sat.clause(g.yes)
}

// full reports whether there are as many gates as allowed. More are still made, so that nobody
// needs to ask before each one; who makes many asks now and then.
func (g *gates) full() bool { return g.made.count > g.most }

// vector returns room for so many literals, which lasts until the next reset.
func (g *gates) vector(n int) vector {
	const piece = 1 << 14
	at := len(g.room)
	if at+n > cap(g.room) {
		g.room, at = make([]lit, 0, max(piece, n)), 0
	}
	g.room = g.room[:at+n]
	return vector(g.room[at : at+n : at+n])
}

func (g *gates) constant(b bool) lit {
	if b {
		return g.yes
	}
	return g.no
}

// output returns the output of a gate, and whether its clauses are still to be written.
func (g *gates) output(k kind, in ...lit) (out lit, fresh bool) {
	var key [3]lit
	copy(key[:], in)
	at := g.made.find(k, key)
	if at.out != 0 {
		return at.out, false
	}
	out = g.sat.variable()
	g.made.add(at, gate{k, key, out})
	return out, true
}

func (g *gates) and(a, b lit) lit {
	switch {
	case a == g.no || b == g.no || a == b.Not():
		return g.no
	case a == g.yes || a == b:
		return b
	case b == g.yes:
		return a
	}
	if a > b {
		a, b = b, a
	}
	y, fresh := g.output(andGate, a, b)
	if fresh {
		g.sat.clause(y.Not(), a)
		g.sat.clause(y.Not(), b)
		g.sat.clause(y, a.Not(), b.Not())
	}
	return y
}

func (g *gates) or(a, b lit) lit { return g.and(a.Not(), b.Not()).Not() }

func (g *gates) xor(a, b lit) lit {
	switch {
	case a == g.no:
		return b
	case b == g.no:
		return a
	case a == g.yes:
		return b.Not()
	case b == g.yes:
		return a.Not()
	case a == b:
		return g.no
	case a == b.Not():
		return g.yes
	}
	// A negated input negates the output: one gate for all four.
	negate := a.IsPos() != b.IsPos()
	a, b = a.Var().Pos(), b.Var().Pos()
	if a > b {
		a, b = b, a
	}
	y, fresh := g.output(xorGate, a, b)
	if fresh {
		g.sat.clause(y.Not(), a, b)
		g.sat.clause(y.Not(), a.Not(), b.Not())
		g.sat.clause(y, a, b.Not())
		g.sat.clause(y, a.Not(), b)
	}
	if negate {
		return y.Not()
	}
	return y
}

func (g *gates) equal(a, b lit) lit { return g.xor(a, b).Not() }

// mux is c ? a : b.
func (g *gates) mux(c, a, b lit) lit {
	switch {
	case c == g.yes || a == b:
		return a
	case c == g.no:
		return b
	case a == g.yes || a == c:
		return g.or(c, b)
	case a == g.no || a == c.Not():
		return g.and(c.Not(), b)
	case b == g.yes || b == c.Not():
		return g.or(c.Not(), a)
	case b == g.no || b == c:
		return g.and(c, a)
	case a == b.Not():
		return g.equal(c, a)
	}
	if !c.IsPos() {
		c, a, b = c.Not(), b, a
	}
	y, fresh := g.output(muxGate, c, a, b)
	if fresh {
		g.sat.clause(c.Not(), a.Not(), y)
		g.sat.clause(c.Not(), a, y.Not())
		g.sat.clause(c, b.Not(), y)
		g.sat.clause(c, b, y.Not())
		g.sat.clause(a.Not(), b.Not(), y) // implied, but seen by propagation
		g.sat.clause(a, b, y.Not())
	}
	return y
}

// majority is the carry of a + b + c.
func (g *gates) majority(a, b, c lit) lit {
	in := [3]lit{a, b, c}
	slices.Sort(in[:]) // what is equal or opposite stands side by side, and constants come first
	a, b, c = in[0], in[1], in[2]
	switch {
	case a == b || b == c:
		return b
	case a == b.Not():
		return c
	case b == c.Not():
		return a
	case a == g.yes:
		return g.or(b, c)
	case a == g.no:
		return g.and(b, c)
	}
	y, fresh := g.output(majGate, a, b, c)
	if fresh {
		for i := range in {
			p, q := in[i], in[(i+1)%3]
			g.sat.clause(p.Not(), q.Not(), y)
			g.sat.clause(p, q, y.Not())
		}
	}
	return y
}

func index(b bool) int {
	if b {
		return 1
	}
	return 0
}
