package z3_test

import (
	"context"
	"os"
	"testing"

	"github.com/warplint/warplint/analysis/prove"
	"github.com/warplint/warplint/analysis/prove/bits"
	"github.com/warplint/warplint/analysis/prove/trial"
)

// The algebra, the bits and Z3 do not contradict each other over the queries of our test kernels, and the
// bits and Z3 decide most of those that they get.
func TestRecordedQueries(t *testing.T) {
	text, err := os.ReadFile("../trial/testdata/queries.txt")
	if err != nil {
		t.Fatal(err)
	}
	queries, err := trial.Read(string(text))
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	s := installed(t)
	s.Resources = 50_000
	byAlgebra, byBits, byZ3 := 0, 0, 0
	const each = 3 // Z3 is asked for each third, since its start takes longer than most answers
	for i, q := range queries {
		algebra := prove.NewSolver(ctx, q.Table, nil, 15).Unsat(q.Conds...)
		ours, _, _ := bits.Decide(ctx, q.Conds, nil, bits.Limits{Gates: 15_000, Propagations: 50_000})
		theirs := bits.Unknown
		if i%each == 0 {
			theirs = s.Decide(ctx, q.Conds, nil)
		}
		if algebra && (ours == bits.Sat || theirs == bits.Sat) || ours != bits.Unknown && theirs != bits.Unknown && ours != theirs {
			t.Errorf("%s: no solution by algebra: %v, the bits say %v, Z3 %v", q.Name, algebra, ours, theirs)
		}
		for count, decided := range map[*int]bool{&byAlgebra: algebra, &byBits: ours != bits.Unknown, &byZ3: theirs != bits.Unknown} {
			if decided {
				*count++
			}
		}
	}
	t.Logf("of %d queries the algebra refutes %d, the bits decide %d, Z3 decides %d", len(queries), byAlgebra, byBits, byZ3)
	if byAlgebra < len(queries)/4 || byBits < len(queries)/2 || byZ3 < len(queries)/each/2 {
		t.Errorf("of %d queries the algebra refutes %d, the bits decide %d, Z3 decides %d", len(queries), byAlgebra, byBits, byZ3)
	}
}
