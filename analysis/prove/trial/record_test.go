package trial

import (
	"slices"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/term"
)

// A query that was written and read again has the same solutions.
func TestRecord(t *testing.T) {
	for seed := range uint64(60) {
		q := NewQuery(Random(seed))
		var text strings.Builder
		if err := Record(&text, "a \"query\"\n", "unsat", q.Conds, nil); err != nil {
			t.Fatal(err)
		}
		read, err := Read(text.String() + "\n" + text.String())
		if err != nil || len(read) != 2 || read[1].Name != "a \"query\"\n" || read[1].Answer != "unsat" {
			t.Fatalf("seed %d: %v, %d queries of %s", seed, err, len(read), text.String())
		}
		var leaves []*term.Atom
		for _, c := range read[1].Conds {
			c.Walk(func(c *term.Cond) {
				c.P.AllLeaves(func(a *term.Atom) {
					if len(a.Args) == 0 && !slices.Contains(leaves, a) {
						leaves = append(leaves, a)
					}
				})
			})
		}
		again := &Query{Table: read[1].Table, Leaves: leaves, Conds: read[1].Conds}
		one, two := q.TryAll(), again.TryAll()
		if (one.Model == nil) != (two.Model == nil) || one.Model == nil && one.Maybe != two.Maybe {
			t.Fatalf("seed %d: %v of %v, but %v of\n%s", seed, one, q, two, text.String())
		}
	}
}

func TestReadMalformed(t *testing.T) {
	for _, text := range []string{"(", "(query", "(query \"x\" sat (atom 1))", "(query \"x\" sat (atom 0 thing 0 1 0 0 \"x\"))",
		"(query \"x\" sat (assert (le (+ (1 0)))))", "(query \"x\" sat (assert (xx true)))", "(query \"x\" sat (atom 0 symbol 0 1 "} {
		if _, err := Read(text); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}
