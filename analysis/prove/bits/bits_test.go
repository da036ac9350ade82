package bits_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/warplint/warplint/analysis/prove"
	"github.com/warplint/warplint/analysis/prove/bits"
	"github.com/warplint/warplint/analysis/prove/trial"
	"github.com/warplint/warplint/analysis/term"
)

// enough decides nearly all random queries.
var enough = bits.Limits{Gates: 30_000, Propagations: 1_000_000}

// contradiction says what is wrong with what the solvers say of a random query, or nothing, and
// whether the bits were enough.
func contradiction(q *trial.Query) (wrong string, decided bool) {
	truth := q.TryAll()
	answer, model, _ := bits.Decide(context.Background(), q.Conds, nil, enough)
	switch {
	case answer == bits.Unsat && truth.Model != nil:
		wrong = fmt.Sprintf("bits: no solution, but %v", truth.Model)
	case answer == bits.Sat && truth.Model == nil && !truth.Maybe:
		wrong = fmt.Sprintf("bits: %v, but there is no solution", model)
	case answer == bits.Sat:
		if hold, ok := trial.Values(model).Hold(q.Conds); ok && !hold {
			wrong = fmt.Sprintf("bits: %v is no solution", model)
		}
	}
	algebra := prove.NewSolver(context.Background(), q.Table, nil, 8).Unsat(q.Conds...)
	if algebra && truth.Model != nil {
		wrong += fmt.Sprintf("algebra: no solution, but %v", truth.Model)
	}
	if wrong != "" {
		wrong += "\nof " + q.String()
	}
	return wrong, answer != bits.Unknown
}

// The algebra, the bits and trying all values must not contradict each other.
func TestRandomQueries(t *testing.T) {
	const queries, mostUndecided = 300, 10
	undecided := 0
	for seed := range uint64(queries) {
		wrong, decided := contradiction(trial.NewQuery(trial.Random(seed)))
		if wrong != "" {
			t.Fatalf("seed %d: %s", seed, wrong)
		}
		if !decided {
			undecided++
		}
	}
	if undecided > mostUndecided {
		t.Errorf("%d of %d queries were not decided", undecided, queries)
	}
}

// Nor may the algebra contradict all values for indices that are made of digits, or squares, of which it
// alone knows much.
func TestRandomIndices(t *testing.T) {
	for name, of := range map[string]struct {
		query                func(trial.Source) *trial.Query
		queries, leastProved int
	}{
		"digits":    {trial.Digits, 400, 100},
		"triangles": {trial.Triangles, 200, 40},
	} {
		proved := 0
		for seed := range uint64(of.queries) {
			shown, wrong := provedWrongly(of.query(trial.Random(seed)))
			if wrong != "" {
				t.Fatalf("%s, seed %d: %s", name, seed, wrong)
			}
			if shown {
				proved++
			}
		}
		if proved < of.leastProved {
			t.Errorf("%s: %d of %d queries were proved", name, proved, of.queries)
		}
	}
}

// provedWrongly reports whether the algebra shows that a query has no solution, and says so if it has one.
func provedWrongly(q *trial.Query) (shown bool, wrong string) {
	if !prove.NewSolver(context.Background(), q.Table, nil, 60).Unsat(q.Conds...) {
		return false, ""
	}
	if truth := q.TryAll(); truth.Model != nil {
		wrong = fmt.Sprintf("no solution, but %v\nof %s", truth.Model, q)
	}
	return true, wrong
}

func FuzzIndices(f *testing.F) {
	f.Add([]byte{0, 2, 1, 3, 0, 4, 1, 0, 2, 2, 0, 1, 1, 3, 5, 2, 0, 7})
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, query := range []func(trial.Source) *trial.Query{trial.Digits, trial.Triangles} {
			if _, wrong := provedWrongly(query(trial.Bytes(text))); wrong != "" {
				t.Fatal(wrong)
			}
		}
	})
}

func FuzzQueries(f *testing.F) {
	f.Add([]byte{0, 2, 1, 3, 0, 4, 1, 0, 2, 2, 0, 1, 1, 3, 5, 2, 0, 7})
	f.Fuzz(func(t *testing.T, text []byte) {
		if wrong, _ := contradiction(trial.NewQuery(trial.Bytes(text))); wrong != "" {
			t.Fatal(wrong)
		}
	})
}

// What is wanted of the bits: masks, shifts and xor of the indices of two threads.
func TestIndices(t *testing.T) {
	tab := term.NewTable()
	atom := func(name string, lo, hi int64) *term.Poly {
		return tab.Poly(tab.Fresh(term.Symbol, name, lo, hi, term.Thread, 0, nil))
	}
	op := func(name string, hi int64, p, q *term.Poly) *term.Poly {
		return tab.Poly(tab.Apply(term.Func, name, 0, hi, nil, p, q))
	}
	t1, t2, k := atom("t1", 0, 1023), atom("t2", 0, 1023), atom("k", 0, 9)
	n := atom("n", 1, 512)
	b1, b2 := atom("b1", 0, 1<<31-1), atom("b2", 0, 1<<31-1)
	wide1, wide2 := atom("w1", 0, term.NoHi), atom("w2", 0, term.NoHi)
	differ := tab.Ne(t1, t2)
	stride := op("shl", 512, tab.Const(1), k)
	// 2t - (t & (stride - 1)): the lower of a pair in a butterfly.
	lower := func(t, stride *term.Poly) *term.Poly {
		return tab.Sub(tab.Scale(2, t), op("and", 511, t, tab.Offset(stride, -1)))
	}
	gid := func(b, t *term.Poly) *term.Poly { return tab.Add(tab.Scale(1024, b), t) }
	for _, tt := range []struct {
		name  string
		conds []*term.Cond
		want  bits.Answer
	}{
		{"lower of pairs", []*term.Cond{differ, tab.Eq(lower(t1, stride), lower(t2, stride))}, bits.Unsat},
		{"lower and upper", []*term.Cond{differ, tab.Eq(lower(t1, stride), tab.Add(stride, lower(t2, stride)))}, bits.Unsat},
		{"no power of two", []*term.Cond{differ, tab.Eq(lower(t1, n), lower(t2, n))}, bits.Sat},
		{"xor with a mask of all", []*term.Cond{differ, tab.Eq(op("xor", 1023, t1, n), op("xor", 1023, t2, n))}, bits.Unsat},
		{"xor, the lower of a pair acts", []*term.Cond{differ, tab.Lt(t1, op("xor", 1023, t1, n)), tab.Lt(t2, op("xor", 1023, t2, n)),
			tab.Eq(t1, op("xor", 1023, t2, n))}, bits.Unsat},
		{"xor, both act", []*term.Cond{differ, tab.Eq(t1, op("xor", 1023, t2, n))}, bits.Sat},
		{"blocks", []*term.Cond{tab.Ne(b1, b2), tab.Eq(gid(b1, t1), gid(b2, t2))}, bits.Unsat},
		{"blocks and neighbours", []*term.Cond{tab.Ne(b1, b2), tab.Eq(gid(b1, t1), tab.Offset(gid(b2, t2), 1))}, bits.Sat},
		{"half of what divides all", []*term.Cond{tab.Eq(tab.Sub(tab.Scale(4, t1), tab.Scale(4, op("and", 1023, tab.Scale(2, t1), n))), tab.Const(4)),
			tab.Eq(t1, tab.Const(1)), tab.Eq(n, tab.Const(1))}, bits.Sat},
		{"products of 128 bits", []*term.Cond{tab.Lt(tab.Mul(wide1, wide2), tab.Const(0))}, bits.Unsat},
		{"a product beyond 64 bits", []*term.Cond{tab.Lt(tab.Const(1<<62), tab.Mul(tab.Mul(b1, b2), tab.Const(4)))}, bits.Sat},
		{"only large values", []*term.Cond{tab.Lt(tab.Const(1<<40), wide1), tab.Eq(wide1, tab.Scale(2, wide2))}, bits.Sat},
	} {
		got, model, _ := bits.Decide(context.Background(), tt.conds, nil, enough)
		if got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
		if holds, ok := trial.Values(model).Hold(tt.conds); got == bits.Sat && ok && !holds {
			t.Errorf("%s: %v is no solution", tt.name, model)
		}
	}
}

// Conditions that hold for numbers of any size are never called contradictory.
func TestLargeNumbers(t *testing.T) {
	for seed := range uint64(200) {
		q := trial.Large(trial.Random(seed))
		if answer, _, _ := bits.Decide(context.Background(), q.Conds, nil, enough); answer == bits.Unsat {
			t.Fatalf("seed %d: no solution of %v", seed, q)
		}
	}
}

// hard is a factorization: it takes many propagations.
func hard() []*term.Cond {
	tab := term.NewTable()
	p := tab.Poly(tab.Fresh(term.Symbol, "p", 2, 1<<24, term.Grid, 0, nil))
	q := tab.Poly(tab.Fresh(term.Symbol, "q", 2, 1<<24, term.Grid, 0, nil))
	return []*term.Cond{tab.Eq(tab.Mul(p, q), tab.Const(16769023*14680067)), tab.Le(p, q)}
}

// The limits hold, and the same query costs the same each time.
func TestLimits(t *testing.T) {
	few := bits.Limits{Gates: 100, Propagations: 1000}
	if answer, _, cost := bits.Decide(context.Background(), hard(), nil, few); answer != bits.Unknown || cost.Gates > 1000 {
		t.Errorf("few gates: %v, %v", answer, cost)
	}
	some := bits.Limits{Gates: 100_000, Propagations: 300_000}
	first, _, cost := bits.Decide(context.Background(), hard(), nil, some)
	again, _, costAgain := bits.Decide(context.Background(), hard(), nil, some)
	if first != bits.Unknown || again != bits.Unknown || cost.Gates != costAgain.Gates || cost.Propagations < some.Propagations {
		t.Errorf("%v at %v, then %v at %v", first, cost, again, costAgain)
	}
	all := bits.Limits{Gates: 100_000, Propagations: 1 << 40}
	first, _, cost = bits.Decide(context.Background(), hard()[1:], nil, all)
	again, _, costAgain = bits.Decide(context.Background(), hard()[1:], nil, all)
	if first != bits.Sat || first != again || cost != costAgain {
		t.Errorf("%v at %v, then %v at %v", first, cost, again, costAgain)
	}
}

// A query ends with its context.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan bits.Answer)
	go func() {
		answer, _, _ := bits.Decide(ctx, hard(), nil, bits.Limits{Gates: 100_000, Propagations: 1 << 60})
		done <- answer
	}()
	cancel()
	if answer := <-done; answer != bits.Unknown {
		t.Error(answer)
	}
}
