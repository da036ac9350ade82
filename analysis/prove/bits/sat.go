package bits

import (
	"context"
	"reflect"

	"github.com/go-air/gini"
	"github.com/go-air/gini/z"
)

// This file runs the SAT solver within a number of propagations.
//
// DESIGN. A verdict must not depend on the machine's speed, so a query has a budget of propagations,
// the unit in which the SAT solver works, and not of time. gini counts them but neither tells nor
// bounds them; it can be paused every 20,000 or so. There we look at its count, and at the context.
// A pause may be missed on a busy machine, so an answer counts only if it came within the budget by
// the solver's own count at its end: the count is the same each time, as gini uses no random numbers.

// sat is a SAT solver. It gets its clauses when it is to solve them: many circuits turn out too large.
type sat struct {
	gini      *gini.Gini // nil until then
	variables z.Var
	literals  []lit // of all clauses, each with a null behind
	clauses   int
}

// reset makes it one without clauses, in the same memory.
func (s *sat) reset() { *s = sat{literals: s.literals[:0]} }

func (s *sat) variable() lit {
	s.variables++
	return s.variables.Pos()
}

func (s *sat) clause(ls ...lit) {
	s.clauses++
	s.literals = append(append(s.literals, ls...), z.LitNull)
}

// load gives the solver its clauses.
func (s *sat) load() {
	s.gini = gini.NewVc(int(s.variables)+1, s.clauses)
	for range s.variables {
		s.gini.Lit()
	}
	for _, l := range s.literals {
		s.gini.Add(l)
	}
	s.literals = s.literals[:0]
}

// propagations is how many there were so far. It must not be asked while the solver runs.
func (s *sat) propagations() int64 {
	if s.gini == nil {
		return 0
	}
	return reflect.ValueOf(s.gini).Elem().FieldByName("xo").Elem().FieldByName("Trail").Elem().FieldByName("Props").Int()
}

// solve looks for values that satisfy all clauses. It is called once: gini loses its way when it goes
// on after an answer.
func (s *sat) solve(ctx context.Context, most int64) Answer {
	if ctx.Err() != nil {
		return Unknown
	}
	s.load()
	run := s.gini.GoSolve()
	for {
		answer, paused := run.Pause()
		if !paused {
			return s.answer(answer, most)
		}
		stop := ctx.Err() != nil || s.propagations() > most
		run.Unpause()
		if stop {
			run.Stop()
			return Unknown
		}
	}
}

func (s *sat) answer(gini int, most int64) Answer {
	switch {
	case s.propagations() > most:
		return Unknown
	case gini == 1:
		return Sat
	case gini == -1:
		return Unsat
	}
	return Unknown
}

func (s *sat) value(l lit) bool { return s.gini.Value(l) }
