package sat_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/warplint/warplint/analysis/prove/sat"
)

// Small random formulas have the answer that trying all values gives.
func TestAgainstAllValues(t *testing.T) {
	var s sat.Solver // one for all, as its memory is used again
	answers := map[sat.Answer]int{}
	for seed := range uint64(4_000) {
		r := rand.New(rand.NewPCG(seed, 0))
		s.Reset()
		variables := make([]sat.Lit, 1+r.IntN(12))
		for i := range variables {
			variables[i] = s.Variable()
		}
		clauses := make([][]sat.Lit, r.IntN(6*len(variables)))
		for i := range clauses {
			for range 1 + r.IntN(4) {
				l := variables[r.IntN(len(variables))] ^ sat.Lit(r.IntN(2))
				clauses[i] = append(clauses[i], l)
			}
			s.Add(clauses[i]...)
		}
		want := sat.Unsat
		for values := range 1 << len(variables) {
			if hold(clauses, func(l sat.Lit) bool { return (values>>(l>>1-1)&1 != 0) == l.IsPos() }) {
				want = sat.Sat
				break
			}
		}
		got := s.Solve(context.Background(), 1<<40)
		if got != want || got == sat.Sat && !hold(clauses, s.Value) {
			t.Fatalf("seed %d: %v, want %v, of %v", seed, got, want, clauses)
		}
		answers[got]++
	}
	if answers[sat.Sat] < 500 || answers[sat.Unsat] < 500 {
		t.Errorf("the formulas are of one kind: %v", answers)
	}
}

func hold(clauses [][]sat.Lit, value func(sat.Lit) bool) bool {
	for _, c := range clauses {
		some := false
		for _, l := range c {
			some = some || value(l)
		}
		if !some {
			return false
		}
	}
	return true
}

// pigeons says that each of n+1 pigeons has one of n holes of its own, which is not so.
func pigeons(s *sat.Solver, n int) {
	s.Reset()
	in := make([][]sat.Lit, n+1)
	for p := range in {
		for range n {
			in[p] = append(in[p], s.Variable())
		}
		s.Add(in[p]...)
	}
	for hole := range n {
		for p := range in {
			for q := range p {
				s.Add(in[p][hole].Not(), in[q][hole].Not())
			}
		}
	}
}

// Many conflicts, restarts and forgotten clauses lead to an answer, the same each time, and a bound ends the work.
func TestManyConflicts(t *testing.T) {
	var s sat.Solver
	pigeons(&s, 7)
	if got := s.Solve(context.Background(), 1<<40); got != sat.Unsat {
		t.Fatalf("%v, want unsat", got)
	}
	took := s.Propagations
	pigeons(&s, 7)
	if got := s.Solve(context.Background(), took); got != sat.Unsat || s.Propagations != took {
		t.Errorf("again: %v after %d propagations, not %d", got, s.Propagations, took)
	}
	pigeons(&s, 7)
	if got := s.Solve(context.Background(), took/2); got != sat.Unknown {
		t.Errorf("half of the propagations: %v, want unknown", got)
	}
}

// Random formulas of three literals near the threshold, larger than what can be tried: what is satisfied is.
func TestLarger(t *testing.T) {
	var s sat.Solver
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		s.Reset()
		const n = 120
		for range n {
			s.Variable()
		}
		var clauses [][]sat.Lit
		for range 4 * n {
			var c []sat.Lit
			for range 3 {
				c = append(c, sat.Lit(2+r.IntN(2*n)))
			}
			clauses = append(clauses, c)
			s.Add(c...)
		}
		if s.Solve(context.Background(), 1<<40) == sat.Sat && !hold(clauses, s.Value) {
			t.Fatalf("seed %d: a clause does not hold", seed)
		}
	}
}
