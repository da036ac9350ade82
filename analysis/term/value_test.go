package term

import "testing"

// Terms share their parts: here each level has two ways to the one below.
func TestLeavesAreMetOnce(t *testing.T) {
	table := NewTable()
	x := table.Fresh(Opaque, "x", NoLo, NoHi, Thread, 0, nil)
	deep := table.Poly(x)
	for range 100 {
		deep = table.Add(table.Poly(table.Apply(Min, "min", NoLo, NoHi, nil, deep, table.Const(7))), table.Poly(table.Apply(Max, "max", NoLo, NoHi, nil, deep, table.Const(3))))
		deep = table.Add(deep, table.Poly(table.Apply(Func, "f", NoLo, NoHi, nil, deep)))
	}
	shallow, all := map[*Atom]int{}, map[*Atom]int{}
	deep.Leaves(func(a *Atom) { shallow[a]++ })
	deep.AllLeaves(func(a *Atom) { all[a]++ })
	if len(shallow) != 101 || shallow[x] != 1 {
		t.Errorf("%d leaves, x %d times", len(shallow), shallow[x])
	}
	inside := table.Poly(table.Apply(Func, "g", NoLo, NoHi, nil, table.Poly(x)))
	found := map[*Atom]bool{}
	inside.Leaves(func(a *Atom) { found[a] = true })
	if len(found) != 1 || found[x] {
		t.Error("Leaves enters functions")
	}
	if len(all) != 101 || all[x] != 1 {
		t.Errorf("%d leaves with arguments, x %d times", len(all), all[x])
	}
}
