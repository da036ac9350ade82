package z3_test

import (
	"context"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/prove"
	"github.com/warplint/warplint/analysis/prove/bits"
	"github.com/warplint/warplint/analysis/prove/trial"
	"github.com/warplint/warplint/analysis/prove/z3"
	"github.com/warplint/warplint/analysis/term"
)

// installed is the Z3 that scripts/test.sh installs.
func installed(t testing.TB) *z3.Solver {
	t.Helper()
	s, err := z3.Find("")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Z3, the bits and trying all values must not contradict each other.
func TestRandomQueries(t *testing.T) {
	const queries, mostUndecided = 12, 8
	s := installed(t)
	s.Resources = 100_000
	undecided := 0
	for seed := range uint64(queries) {
		q := trial.NewQuery(trial.Random(seed))
		truth := q.TryAll()
		answer := s.Decide(context.Background(), q.Conds, nil)
		ours, _, _ := bits.Decide(context.Background(), q.Conds, nil, bits.Limits{Gates: 30_000, Propagations: 1_000_000})
		switch {
		case answer == bits.Unknown:
			undecided++
		case answer == bits.Unsat && truth.Model != nil, answer == bits.Sat && truth.Model == nil && !truth.Maybe,
			ours != bits.Unknown && ours != answer:
			t.Fatalf("seed %d: Z3 says %v, the bits %v, and trying all values finds %v (or maybe: %v) of %v", seed, answer, ours, truth.Model, truth.Maybe, q)
		}
	}
	if undecided > mostUndecided {
		t.Errorf("%d of %d queries were not decided", undecided, queries)
	}
}

// Numbers of any size stay what they are.
func TestLargeNumbers(t *testing.T) {
	s := installed(t)
	s.Resources = 200_000
	for seed := range uint64(12) {
		q := trial.Large(trial.Random(seed))
		if answer := s.Decide(context.Background(), q.Conds, nil); answer == bits.Unsat {
			t.Fatalf("seed %d: no solution of %v", seed, q)
		}
	}
}

// wide is a query of more gates than the bits make.
func wide(tab *term.Table) []*term.Cond {
	product := tab.Const(2)
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		product = tab.Mul(product, tab.Poly(tab.Fresh(term.Symbol, name, 0, 1<<31-1, term.Thread, 0, nil)))
	}
	odd := tab.Poly(tab.Apply(term.Func, "and", 0, 1, nil, product, tab.Const(1)))
	return []*term.Cond{tab.Eq(odd, tab.Const(1))}
}

// What is too much for the bits goes to Z3, if there is one.
func TestSecond(t *testing.T) {
	for name, want := range map[string]bool{"": true, z3.None: false} {
		tab := term.NewTable()
		s := prove.NewSolver(context.Background(), tab, nil, 0)
		s.Second, _ = z3.Named(name)
		if got := s.UnsatByBits(wide(tab)...); got != want {
			t.Errorf("with Z3 %q: %v, want %v", name, got, want)
		}
	}
}

// Z3 ends with the context, in the middle of a query.
func TestCancel(t *testing.T) {
	tab := term.NewTable()
	p := tab.Poly(tab.Fresh(term.Symbol, "p", 2, 1<<40, term.Grid, 0, nil))
	q := tab.Poly(tab.Fresh(term.Symbol, "q", 2, 1<<40, term.Grid, 0, nil))
	hard := []*term.Cond{tab.Eq(tab.Mul(p, q), tab.Const(1000000016000000063)), tab.Lt(p, q)}
	s := installed(t)
	s.Resources = 1 << 30
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan bits.Answer)
	go func() { done <- s.Decide(ctx, hard, nil) }()
	cancel()
	if answer := <-done; answer != bits.Unknown {
		t.Error(answer)
	}
	s.Resources = 1000
	if answer := s.Decide(context.Background(), hard, nil); answer != bits.Unknown {
		t.Errorf("with few resources: %v", answer)
	}
}

func TestFind(t *testing.T) {
	for name, want := range map[string]string{"no-such-program": "no Z3", "go": "is not Z3"} {
		if _, err := z3.Find(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if second, version := z3.Named(z3.None); second != nil || version != "" {
		t.Errorf("none: %v %q", second, version)
	}
	if second, version := z3.Named(""); second == nil || !strings.HasPrefix(version, "Z3 version") {
		t.Errorf("installed: %v %q", second, version)
	}
}

// A query that is larger than Z3 gets far with is not written.
func TestTooWide(t *testing.T) {
	tab := term.NewTable()
	p := tab.Poly(tab.Fresh(term.Symbol, "p", 0, term.NoHi, term.Grid, 0, nil))
	if text := z3.Query([]*term.Cond{tab.Eq(tab.Mul(p, tab.Mul(p, p)), tab.Const(8))}, nil); text != "" {
		t.Error(text)
	}
}
