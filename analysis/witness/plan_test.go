package witness

import (
	"testing"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/term"
)

// A number that follows from another must not be halved for ever, and one that has to be a power of two stays one.
func TestValuesThatAreAdjusted(t *testing.T) {
	table := term.NewTable()
	symbol := func(name string) *term.Atom {
		return table.Fresh(term.Symbol, name, 0, 1<<20, term.Grid, 0, nil)
	}
	first, carried, power, factor := symbol("first"), symbol("carried"), symbol("power"), symbol("factor")
	carried.First = table.Poly(first)
	power.Power = true
	v := newAssignment(&access.Summary{Given: []*term.Cond{
		table.Le(table.Mul(table.Poly(carried), table.Poly(factor)), table.Const(100)),
		table.Le(table.Const(65), table.Poly(power)),
	}}, meanings{}, numbers{size: 64, begin: true})
	v.values[first], v.values[power] = 4096, 3
	if v.repair() {
		t.Error("4096 times one or more is not 100")
	}
	if x, _ := v.leaf(power); x != 128 {
		t.Errorf("the power of two above 64 is %d", x)
	}
}
