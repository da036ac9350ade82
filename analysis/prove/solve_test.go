package prove

import (
	"context"
	"testing"

	"github.com/warplint/warplint/analysis/term"
)

// A query is about two threads whose index is written as two digit strings.
func TestIndicesOfDifferentThreadsDiffer(t *testing.T) {
	tab := term.NewTable()
	atom := func(name string, lo, hi int64, v term.Variance) *term.Poly {
		return tab.Poly(tab.Fresh(term.Symbol, name, lo, hi, v, 0, nil))
	}
	bdim := atom("bdim", 1, 1024, term.Grid)
	bdimy := atom("bdimy", 1, 1024, term.Grid)
	gdim := atom("gdim", 1, 1<<31-1, term.Grid)
	n := atom("n", -1<<31, 1<<31-1, term.Grid)
	t1, t2 := atom("t1", 0, 1023, term.Thread), atom("t2", 0, 1023, term.Thread)
	u1, u2 := atom("u1", 0, 1023, term.Thread), atom("u2", 0, 1023, term.Thread)
	b1, b2 := atom("b1", 0, 1<<31-1, term.Block), atom("b2", 0, 1<<31-1, term.Block)
	c1, c2 := atom("c1", 0, 1<<31-1, term.Block), atom("c2", 0, 1<<31-1, term.Block)
	m1, m2 := atom("m1", 0, term.NoHi, term.Thread), atom("m2", 0, term.NoHi, term.Thread)
	k := atom("k", 1, 1024, term.Grid)
	base := []*term.Cond{tab.Lt(t1, bdim), tab.Lt(t2, bdim), tab.Lt(b1, gdim), tab.Lt(b2, gdim), tab.Lt(u1, bdimy), tab.Lt(u2, bdimy)}
	gid := func(b, t *term.Poly) *term.Poly { return tab.Add(tab.Mul(b, bdim), t) }
	otherBlock := tab.Ne(b1, b2)
	otherThread := tab.Ne(t1, t2)
	row := func(b, u *term.Poly) *term.Poly { return tab.Add(tab.Mul(b, bdimy), u) }
	twoD := func(c, u, b, t *term.Poly) *term.Poly {
		return tab.Add(tab.Mul(row(c, u), n), gid(b, t))
	}
	tests := []struct {
		name  string
		conds []*term.Cond
		unsat bool
	}{
		{"global index, other block", []*term.Cond{tab.Eq(gid(b1, t1), gid(b2, t2)), otherBlock}, true},
		{"global index, other thread", []*term.Cond{tab.Eq(gid(b1, t1), gid(b1, t2)), otherThread}, true},
		{"neighbour", []*term.Cond{tab.Eq(gid(b1, t1), tab.Offset(gid(b2, t2), 1)), otherBlock}, false},
		{"grid stride", []*term.Cond{
			tab.Eq(tab.Add(gid(b1, t1), tab.Mul(m1, tab.Mul(bdim, gdim))), tab.Add(gid(b2, t2), tab.Mul(m2, tab.Mul(bdim, gdim)))), otherBlock}, true},
		{"two dimensions below the width", []*term.Cond{
			tab.Eq(twoD(c1, u1, b1, t1), twoD(c2, u2, b2, t2)), tab.Lt(gid(b1, t1), n), tab.Lt(gid(b2, t2), n),
			term.Disj(otherBlock, tab.Ne(c1, c2))}, true},
		{"two dimensions, width unchecked", []*term.Cond{
			tab.Eq(twoD(c1, u1, b1, t1), twoD(c2, u2, b2, t2)), term.Disj(otherBlock, tab.Ne(c1, c2))}, false},
		{"halving: [0,k) against [k,2k)", []*term.Cond{tab.Lt(t1, k), tab.Lt(t2, k), tab.Eq(t1, tab.Add(t2, k))}, true},
		{"tile with halo, same cell", []*term.Cond{
			tab.Eq(tab.Add(tab.Scale(18, tab.Offset(u1, 1)), tab.Offset(t1, 1)), tab.Add(tab.Scale(18, u2), tab.Offset(t2, 1))),
			tab.Lt(t1, tab.Const(16)), tab.Lt(t2, tab.Const(16)), tab.Eq(u1, u2)}, true},
		{"rows with a border, whose length is a sum", []*term.Cond{
			tab.Eq(tab.Add(tab.Mul(u1, tab.Offset(n, 8)), t1), tab.Add(tab.Mul(u2, tab.Offset(n, 8)), t2)),
			tab.Lt(t1, n), tab.Lt(t2, n), tab.Ne(u1, u2)}, true},
		{"rows with a border, columns beyond it", []*term.Cond{
			tab.Eq(tab.Add(tab.Mul(u1, tab.Offset(n, 8)), t1), tab.Add(tab.Mul(u2, tab.Offset(n, 8)), t2)),
			tab.Lt(t1, tab.Offset(n, 9)), tab.Lt(t2, tab.Offset(n, 9)), tab.Ne(u1, u2)}, false},
		{"diagonals of a matrix of more than two columns", []*term.Cond{
			tab.Eq(tab.Mul(n, t1), tab.Offset(tab.Mul(n, t2), 2)), tab.Lt(tab.Const(2), n)}, true},
		{"diagonals of a matrix, two elements away if it has two columns", []*term.Cond{
			tab.Eq(tab.Mul(n, t1), tab.Offset(tab.Mul(n, t2), 2)), tab.Le(tab.Const(2), n)}, false},
		{"diagonals whose length grows with the columns", []*term.Cond{
			tab.Eq(tab.Mul(n, t1), tab.Offset(tab.Mul(n, t2), 2)), tab.Le(tab.Const(1), n), tab.Lt(tab.Const(4), tab.Add(t1, n)), tab.Lt(tab.Add(t1, n), tab.Offset(tab.Add(t2, n), 1))}, true},
		{"four times a number, but three times its remainder", []*term.Cond{
			tab.Eq(tab.Sub(tab.Scale(4, t1), tab.Scale(3, tab.Remainder(t1, k))), tab.Add(tab.Sub(tab.Scale(4, t2), tab.Scale(3, tab.Remainder(t2, k))), tab.Scale(3, k))), otherThread}, true},
		{"four times a number, but three times its remainder, four strides apart", []*term.Cond{
			tab.Eq(tab.Sub(tab.Scale(4, t1), tab.Scale(3, tab.Remainder(t1, k))), tab.Add(tab.Sub(tab.Scale(4, t2), tab.Scale(3, tab.Remainder(t2, k))), tab.Scale(4, k))), otherThread}, false},
		{"an eighth of the threads, of two warps", []*term.Cond{
			tab.Eq(tab.Quotient(t1, tab.Const(8)), tab.Quotient(t2, tab.Const(8))), tab.Ne(tab.Quotient(t1, tab.Const(32)), tab.Quotient(t2, tab.Const(32)))}, true},
		{"a third of the threads, of two warps", []*term.Cond{
			tab.Eq(tab.Quotient(t1, tab.Const(3)), tab.Quotient(t2, tab.Const(3))), tab.Ne(tab.Quotient(t1, tab.Const(32)), tab.Quotient(t2, tab.Const(32)))}, false},
		{"even against odd", []*term.Cond{tab.Eq(tab.Scale(2, t1), tab.Offset(tab.Scale(2, t2), 1))}, true},
	}
	for _, test := range tests {
		s := NewSolver(context.Background(), tab, nil, 200)
		if got := s.Unsat(append(append([]*term.Cond{}, base...), test.conds...)...); got != test.unsat {
			t.Errorf("%s: unsat = %v, want %v", test.name, got, test.unsat)
		}
	}
}

// The walk finds near points, and the corner of a system is a solution, up to rounding.
func TestPoint(t *testing.T) {
	for _, tt := range []struct {
		name string
		rows []row
		want bool
	}{
		{"a box", []row{{[]int64{1, 0}, -9}, {[]int64{-1, 0}, 3}, {[]int64{0, -1}, 5}}, true},
		{"a strip", []row{{[]int64{-16, 1}, 100}, {[]int64{16, -1}, -110}}, true},
		{"nothing", []row{{[]int64{1, 1}, 1}, {[]int64{-1, -1}, 0}}, false},
	} {
		s := &system{n: 2, rows: tt.rows}
		if got := s.walk(make([]int64, 2), maxRepairs); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
		corner := s.corner()
		if got := corner != nil && s.walk(corner, maxRepairs); got != tt.want {
			t.Errorf("%s: corner %v, want %v", tt.name, corner, tt.want)
		}
	}
}

// What only one of several alternatives divides says nothing of the others: in
// `if (i >= 0) c = i / 3 == 0; else c = i > -3;` two threads may have c with a negative i.
func TestDivisionOfOneAlternative(t *testing.T) {
	tab := term.NewTable()
	i := tab.Poly(tab.Fresh(term.Symbol, "i", -17, 46, term.Thread, 0, nil))
	zero := tab.Const(0)
	div := tab.Poly(tab.Apply(term.Div, "div", 0, 15, nil, i, tab.Const(3)))
	wrapped := tab.Poly(tab.Apply(term.Wrap, "u8", 0, 255, nil, div))
	fifth := tab.Poly(tab.Apply(term.Div, "div", 0, 9, nil, i, tab.Const(5)))
	either := tab.Poly(tab.Apply(term.Select, "select", 0, 15, tab.Eq(tab.Poly(tab.Fresh(term.Symbol, "n", 0, 9, term.Grid, 0, nil)), zero), div, fifth))
	low := tab.Poly(tab.Apply(term.Func, "and", 0, 7, nil, div, tab.Const(7)))
	for _, q := range []*term.Poly{div, wrapped, either, low} {
		divided := term.Conj(tab.Le(zero, i), tab.Eq(q, zero))
		tests := []struct {
			name  string
			conds []*term.Cond
			unsat bool
		}{
			{"the other alternative", []*term.Cond{term.Disj(divided, tab.Lt(tab.Const(-3), i)), tab.Lt(i, zero)}, false},
			{"a value of one alternative", []*term.Cond{
				tab.Eq(tab.Poly(tab.Apply(term.Select, "select", -1, 15, tab.Le(zero, i), q, tab.Const(-1))), tab.Const(-1)), tab.Lt(i, zero)}, false},
			{"its own alternative", []*term.Cond{term.Disj(divided, tab.Lt(i, tab.Const(-3))), tab.Lt(tab.Const(4), i), tab.Lt(i, tab.Const(15))}, true},
		}
		for _, test := range tests {
			if got := NewSolver(context.Background(), tab, nil, 20).Unsat(test.conds...); got != test.unsat {
				t.Errorf("%s, %s: unsat = %v, want %v", test.name, q, got, test.unsat)
			}
		}
	}
}
