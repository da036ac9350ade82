package prove

import (
	"context"
	"testing"

	"github.com/warplint/warplint/analysis/term"
)

// BenchmarkUnsat is the commonest query: one global index of two threads of different blocks,
// under `i < n`, for any launch.
func BenchmarkUnsat(b *testing.B) {
	tab := term.NewTable()
	atom := func(name string, lo, hi int64, v term.Variance) *term.Poly {
		return tab.Poly(tab.Fresh(term.Symbol, name, lo, hi, v, 0, nil))
	}
	bdim, gdim := atom("bdim", 1, 1024, term.Grid), atom("gdim", 1, 1<<31-1, term.Grid)
	n := atom("n", -1<<31, 1<<31-1, term.Grid)
	t1, t2 := atom("t1", 0, 1023, term.Thread), atom("t2", 0, 1023, term.Thread)
	b1, b2 := atom("b1", 0, 1<<31-1, term.Block), atom("b2", 0, 1<<31-1, term.Block)
	one, two := tab.Add(tab.Mul(b1, bdim), t1), tab.Add(tab.Mul(b2, bdim), t2)
	conds := []*term.Cond{tab.Lt(t1, bdim), tab.Lt(t2, bdim), tab.Lt(b1, gdim), tab.Lt(b2, gdim), tab.Lt(one, n), tab.Lt(two, n),
		tab.Eq(one, two), tab.Ne(b1, b2)}
	for b.Loop() {
		if !NewSolver(context.Background(), tab, nil, 60).Unsat(conds...) {
			b.Fatal("not proved")
		}
	}
}
