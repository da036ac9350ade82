package prove

import (
	"context"
	"slices"

	"github.com/warplint/warplint/analysis/prove/bits"
	"github.com/warplint/warplint/analysis/term"
)

// This file passes on what the algebra leaves undecided, to the solver of package bits.

// Limits of one query, of which most take a tenth, and of all queries of a kernel that come to nothing: work, in the units of term.Table.Work.
const (
	maxGates         = 15_000
	maxPropagations  = 120_000
	soonPropagations = 60_000
	lostWork         = 250_000
	maxSeconds       = 1 // questions to the second solver
)

// secondWork is what a question to the second solver counts for, in the units of term.Table.Work.
const secondWork = 300_000

// UnsatByBits reports whether the conditions can't hold together, as Unsat does, bit by bit. It costs
// some milliseconds, so it is for what Unsat does not show, and answers only where there are bits: the
// algebra is better at sums and products. The second solver is not asked about a circuit that is too
// large for ours: Z3 takes seconds to set one up, which it does not count as work.
func (s *Solver) UnsatByBits(conds ...*term.Cond) bool {
	how := byBits
	if s.Second != nil {
		how = bySecond
	}
	return s.unsatBitByBit(how, conds, func(conds []*term.Cond) bits.Answer {
		answer, cost := s.decideBits(conds, maxPropagations)
		if answer == bits.Unknown && cost.Gates < maxGates && s.Second != nil && s.seconds < maxSeconds && s.ctx.Err() == nil {
			s.seconds++
			s.T.Work += secondWork
			answer = s.Second.Decide(s.ctx, conds, s.Axioms)
		}
		if answer != bits.Unsat {
			s.lose(cost)
		}
		return answer
	})
}

// UnsatByBitsSoon is UnsatByBits for a question that is a first try: it gives up early.
func (s *Solver) UnsatByBitsSoon(conds ...*term.Cond) bool {
	return s.unsatBitByBit(byBitsSoon, conds, s.decideSoon)
}

func (s *Solver) decideSoon(conds []*term.Cond) bits.Answer {
	answer, cost := s.decideBits(conds, soonPropagations)
	if answer == bits.Unknown {
		s.lose(cost)
	}
	return answer
}

// unsatBitByBit asks a more general question first, which may have been asked for another pair. If that takes too much, so
// does the question itself, whose circuit is larger, and only the second solver is left to ask.
func (s *Solver) unsatBitByBit(how int, conds []*term.Cond, decide func([]*term.Cond) bits.Answer) bool {
	conds = s.relevant(conds)
	if s.lostTooMuch() || !HasBits(conds) {
		return false
	}
	if general := s.loosened(conds); len(general) > 0 && &general[0] != &conds[0] && HasBits(general) {
		switch s.onceByBits(byBitsSoon, general, s.decideSoon) {
		case bits.Unsat:
			return true
		case bits.Unknown:
			if how != bySecond {
				return false
			}
		}
	}
	return s.onceByBits(how, conds, decide) == bits.Unsat
}

// lose counts a question that came to nothing, among those of all launches.
func (s *Solver) lose(cost bits.Cost) {
	if s.Answers != nil {
		s.Answers.lost += cost.Work()
	}
}

func (s *Solver) lostTooMuch() bool { return s.Answers != nil && s.Answers.lost >= lostWork }

// Budget is a context that knows how much work is left, in the units of term.Table.Work.
type Budget interface {
	context.Context
	Left() int64
}

func (s *Solver) decideBits(conds []*term.Cond, propagations int64) (bits.Answer, bits.Cost) {
	if b, ok := s.ctx.(Budget); ok {
		propagations = min(propagations, b.Left()) // one counts as a unit
	}
	answer, _, cost := bits.Decide(s.ctx, conds, s.Axioms, bits.Limits{Gates: maxGates, Propagations: propagations})
	s.T.Work += cost.Work()
	return answer, cost
}

// HasBits reports whether conditions hang on masks, shifts, xor or powers of two.
func HasBits(conds []*term.Cond) bool {
	found := false
	look := func(a *term.Atom) {
		switch a.Kind {
		case term.Func:
			found = found || len(a.Args) == 2 && slices.Contains(bits.Operations, a.Name) || bits.Reversals[a.Name] > 0
		default:
			found = found || a.Power || a.Halved != nil
		}
	}
	for _, c := range conds {
		c.Walk(func(c *term.Cond) { c.P.Leaves(look) })
	}
	return found
}
