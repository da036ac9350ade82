package prove

import (
	"github.com/warplint/warplint/analysis/prove/bits"
	"github.com/warplint/warplint/analysis/term"
)

// This file passes on what the algebra leaves undecided, to the solver of package bits.

// Limits of one query: what kernels in the field take is a tenth of it.
var bitLimits = bits.Limits{Gates: 30_000, Propagations: 400_000}

// What gates and propagations count for, in the units of term.Table.Work.
const (
	gateWork        = 20
	propagationWork = 4
)

// UnsatByBits reports whether the conditions can't hold together, as Unsat does, bit by bit. It costs
// some milliseconds, so it is for what Unsat does not show.
func (s *Solver) UnsatByBits(conds ...*term.Cond) bool {
	answer, _, cost := bits.Decide(s.ctx, relevant(conds), s.Axioms, bitLimits)
	s.T.Work += int64(cost.Gates)*gateWork + cost.Propagations*propagationWork
	return answer == bits.Unsat
}
