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
	"sync"

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

// What these count for, in the units of term.Table.Work.
const (
	circuitWork     = 3_000 // to begin with
	gateWork        = 2
	propagationWork = 1
)

// Work is the cost in the units of term.Table.Work.
func (c Cost) Work() int64 {
	return circuitWork + int64(c.Gates)*gateWork + c.Propagations*propagationWork
}

// Decide looks for values that satisfy all conditions and the axioms of their atoms; axioms may be
// nil. It ends at once when the context does.
//
// A product of two variables, such as the number of elements of all rows, is a thousand gates, and few
// proofs need it: it is first taken for any number.
func Decide(ctx context.Context, conds []*term.Cond, axioms func(*term.Atom) []*term.Cond, limits Limits) (Answer, Model, Cost) {
	answer, model, cost, cut := decide(ctx, conds, axioms, limits, true)
	if answer != Sat || !cut {
		return answer, model, cost
	}
	answer, model, more, _ := decide(ctx, conds, axioms, limits, false)
	return answer, model, Cost{cost.Gates + more.Gates, cost.Propagations + more.Propagations}
}

// circuits are used one after the other, for their memory.
var circuits = sync.Pool{New: func() any { return new(gates) }}

func decide(ctx context.Context, conds []*term.Cond, axioms func(*term.Atom) []*term.Cond, limits Limits, coarse bool) (Answer, Model, Cost, bool) {
	g := circuits.Get().(*gates)
	defer func() {
		g.sat.reset() // the solver's own memory goes
		circuits.Put(g)
	}()
	g.reset(limits.Gates)
	e := newEncoder(ctx, g, axioms, coarse)
	answer := Unknown
	if e.assert(conds) {
		answer = g.sat.solve(ctx, limits.Propagations)
	}
	cost := Cost{Gates: g.made.count, Propagations: g.sat.propagations()}
	if answer != Sat {
		return answer, nil, cost, e.cut
	}
	return answer, e.model(), cost, e.cut
}

func (e *encoder) model() Model {
	m := Model{}
	for _, a := range e.leaves {
		if x, ok := e.value(e.atoms[a].v); ok {
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
