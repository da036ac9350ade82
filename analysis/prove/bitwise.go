package prove

import (
	"github.com/warplint/warplint/analysis/prove/bits"
	"github.com/warplint/warplint/analysis/term"
)

// This file passes on what the algebra leaves undecided, to the solver of package bits.

// Limits of one query, of which most take a tenth, and of all queries to a Solver.
const (
	maxGates        = 30_000
	maxPropagations = 1_000_000
	allPropagations = 6_000_000
	maxSeconds      = 3 // questions to the second solver
)

// What these count for, in the units of term.Table.Work.
const (
	gateWork        = 20
	propagationWork = 4
	secondWork      = 10_000_000 // a question to the second solver
)

// UnsatByBits reports whether the conditions can't hold together, as Unsat does, bit by bit. It costs
// some milliseconds, so it is for what Unsat does not show.
func (s *Solver) UnsatByBits(conds ...*term.Cond) bool {
	limits := bits.Limits{Gates: maxGates, Propagations: min(maxPropagations, allPropagations-s.propagations)}
	if limits.Propagations <= 0 {
		return false
	}
	conds = relevant(conds)
	answer, _, cost := bits.Decide(s.ctx, conds, s.Axioms, limits)
	s.propagations += cost.Propagations
	s.T.Work += int64(cost.Gates)*gateWork + cost.Propagations*propagationWork
	if answer == bits.Unknown && s.Second != nil && s.seconds < maxSeconds && s.ctx.Err() == nil {
		s.seconds++
		s.T.Work += secondWork
		answer = s.Second.Decide(s.ctx, conds, s.Axioms)
	}
	return answer == bits.Unsat
}
