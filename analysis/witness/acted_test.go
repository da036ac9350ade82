package witness

import (
	"context"
	"testing"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// What nobody looks at may be counted in any order.
func TestActedUpon(t *testing.T) {
	for _, test := range []struct {
		name, code string
		want       bool
	}{
		{"a sum", "%i = atomic add $x[0], 1u32", false},
		{"a sum beside what is read", "%i = atomic add $x[0], 1u32\n%v = load $y[0]\nstore $y[1], %v", false},
		{"a place in a list", "%i = atomic add $x[0], 1u32\nstore $y[%i], 1u32", true},
		{"a count that is read", "%i = atomic add $x[0], 1u32\n%n = load $x[0]\nif %n == 3u32 { store $y[0], 1u32 }", true},
	} {
		f, err := ir.ParseFunc("func f {\nparam $x ptr u32\nparam $y ptr u32\n" + test.code + "\n}")
		if err != nil {
			t.Fatal(test.name, err)
		}
		s := access.Summarize(context.Background(), term.NewTable(), f, nil, race.Dim3{}, race.Dim3{})
		if got := counts(s); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}
