// Package bits decides what the algebra of package prove leaves undecided: it writes a conjunction
// of conditions as gates, bit by bit, and gives them to a SAT solver. Masks, shifts, xor and powers
// of two, for which there are no equations, are a few gates each.
//
// The meaning of a term is that of package term: whole numbers, with atoms of kind Wrap where a
// number wraps around. So numbers are as wide as their bounds need, sums and products get wider
// and never overflow, and "no solution" holds for all values of the variables. A variable without
// bounds is taken for one of a type of 64 bits.
package bits

import (
	"context"

	"github.com/warplint/warplint/analysis/term"
)

// Answer says whether conditions can hold together.
type Answer uint8

// The answers.
const (
	Unknown Answer = iota // the budget did not suffice, or the context ended
	Unsat                 // no values satisfy the conditions
	Sat                   // a Model does
)

func (a Answer) String() string { return [...]string{"unknown", "unsat", "sat"}[a] }

// Model gives values to the atoms without arguments, and to functions of which nothing is known. An
// atom whose value leaves 64 bits is missing.
type Model map[*term.Atom]int64

// Limits bounds a query, in units that do not depend on the machine.
type Limits struct {
	Gates        int   // a gate is some 300 bytes, and its making some 300 ns
	Propagations int64 // of the SAT solver, some 50 ns each
}

// Cost is what a query took.
type Cost struct {
	Gates        int
	Propagations int64
}

// Decide looks for values that satisfy all conditions and the axioms of their atoms; axioms may be
// nil. It ends at once when the context does.
func Decide(ctx context.Context, conds []*term.Cond, axioms func(*term.Atom) []*term.Cond, limits Limits) (Answer, Model, Cost) {
	s := newSAT()
	e := newEncoder(ctx, newGates(s, limits.Gates), axioms)
	answer := Unknown
	if e.assert(conds) {
		answer = e.search(ctx, limits.Propagations)
	}
	cost := Cost{Gates: e.count, Propagations: s.propagations()}
	if answer != Sat {
		return answer, nil, cost
	}
	return answer, e.model(), cost
}

// narrow is the number of bits, besides the sign, that a variable is first allowed.
const narrow = 6

// search looks for small values first, since people read them, and there are far fewer. Where none
// are found, the variables that were too small for a reason get all their bits: the solver names the
// assumptions that it made use of, and if there are none, no larger values satisfy either (Bryant et
// al., "Deciding Bit-Vector Arithmetic with Abstraction", TACAS 2007).
func (e *encoder) search(ctx context.Context, most int64) Answer {
	var small []lit
	for _, a := range e.leaves {
		if s, ok := e.small(e.atoms[a]); ok {
			small = append(small, s)
		}
	}
	for {
		answer, why := e.sat.solve(ctx, most, small)
		if answer != Unsat || len(why) == 0 {
			return answer
		}
		reason := map[lit]bool{}
		for _, l := range why {
			reason[l.Var().Pos()] = true
		}
		var left []lit
		for _, l := range small {
			if !reason[l] {
				left = append(left, l)
			}
		}
		if len(left) == len(small) {
			return Unknown // never: a reason is one of the assumptions
		}
		small = left
	}
}

// small returns a literal that keeps a wide variable narrow.
func (e *encoder) small(v vector) (lit, bool) {
	if len(v) <= narrow+1 {
		return 0, false
	}
	s := e.sat.variable()
	for i := narrow; i < len(v)-1; i++ {
		same := e.equal(v[i], v.sign())
		e.sat.clause(s.Not(), same)
	}
	return s, true
}

func (e *encoder) model() Model {
	m := Model{}
	for _, a := range e.leaves {
		if x, ok := e.value(e.atoms[a]); ok {
			m[a] = x
		}
	}
	return m
}

func (e *encoder) value(v vector) (x int64, ok bool) {
	sign := e.sat.value(v.sign())
	for i := range max(64, len(v)) {
		bit := e.sat.value(v.at(i))
		switch {
		case i >= 63 && bit != sign:
			return 0, false
		case i < 64 && bit:
			x |= 1 << i
		}
	}
	return x, true
}
