package term

import (
	"math/rand/v2"
	"testing"
)

// However a quotient and a remainder are written down, they have the values of the division.
func TestDivisionsHaveTheirValues(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		tab := NewTable()
		values := map[*Atom]int64{}
		var leaf func(*Atom) (int64, bool)
		leaf = func(a *Atom) (int64, bool) {
			if a.Name == "xor" {
				x, _ := a.Args[0].Value(leaf)
				y, ok := a.Args[1].Value(leaf)
				return x ^ y, ok
			}
			x, ok := values[a]
			return x, ok
		}
		var parts []*Poly
		for i := range 2 {
			most := int64(1)<<(1+rnd.IntN(6)) - 1
			a := tab.Fresh(Symbol, string(rune('i'+i)), 0, most, Thread, 0, nil)
			values[a] = rnd.Int64N(most + 1)
			p := tab.Poly(a)
			by := tab.Const(int64(1) << (1 + rnd.IntN(3)))
			turned := tab.Apply(Func, "xor", 0, 1<<10-1, nil, p, tab.Const(rnd.Int64N(64)))
			parts = append(parts, p, tab.Quotient(p, by), tab.Remainder(p, by), tab.Remainder(tab.Quotient(p, by), tab.Const(2)), tab.Poly(turned))
		}
		p := tab.Const(rnd.Int64N(20))
		for _, part := range parts {
			p = tab.Add(p, tab.Scale([]int64{-2, -1, 0, 0, 1, 2, 3, 4, 6, 8, 32}[rnd.IntN(11)], part))
		}
		is, ok := p.Value(leaf)
		if !ok || is < 0 {
			continue
		}
		c := []int64{2, 3, 4, 6, 8, 12, 32}[rnd.IntN(7)]
		q, okQ := tab.Quotient(p, tab.Const(c)).Value(leaf)
		r, okR := tab.Remainder(p, tab.Const(c)).Value(leaf)
		if !okQ || !okR || q != is/c || r != is%c {
			t.Fatalf("(%v) by %d with %v: %d rest %d, not %d rest %d; written %v and %v", p, c, values, q, r, is/c, is%c,
				tab.Quotient(p, tab.Const(c)), tab.Remainder(p, tab.Const(c)))
		}
	}
}
