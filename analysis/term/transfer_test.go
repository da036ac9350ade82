package term

import "testing"

// Copied terms print as they did, an atom that two of them have in common stays one, and what a table
// finds by name is the table's own.
func TestTransfer(t *testing.T) {
	from, to := NewTable(), NewTable()
	n := from.Named(Symbol, "n", 0, 100, Grid)
	step := from.Fresh(Opaque, "step", NoLo, NoHi, Grid, 0, "made here")
	half := from.Apply(Div, "div", 0, 50, nil, from.Poly(n), from.Const(2))
	p := from.Add(from.Mul(from.Poly(n), from.Poly(step)), from.Offset(from.Poly(half), 7))
	c := Disj(from.Le(from.Poly(step), from.Poly(n)), from.Eq(from.Poly(half), from.Const(3)))

	own := to.Named(Symbol, "n", 0, 100, Grid)
	all := map[*Atom]bool{}
	Collect(p, all)
	tr := NewTransfer(to)
	tr.Atoms(all)
	q, d := tr.Poly(p), tr.Cond(c)
	if q.String() != p.String() || d.String() != c.String() {
		t.Errorf("copies are %s and %s, want %s and %s", q, d, p, c)
	}
	if !q.Mentions(tr.Atom(half)) || tr.Atom(n) != own {
		t.Error("an atom has two copies")
	}
	if x := tr.Atom(step); x.ID < own.ID || x.Ref != "made here" || tr.Atom(half).ID < x.ID {
		t.Error("atoms are not in the order in which they were made")
	}
	if !to.Sub(q, tr.Poly(p)).Equal(to.Const(0)) {
		t.Error("two copies of a polynomial differ")
	}
}
