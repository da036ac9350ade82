package slice

import (
	"slices"

	"github.com/warplint/warplint/analysis/ir"
)

// This file says which statements a thread may come to before others.

// turns knows where each statement stands in a function, and in which loops.
type turns struct {
	number map[ir.Stmt]int
	loops  map[ir.Stmt][]*ir.Loop
}

func turnsOf(body []ir.Stmt) *turns {
	t := &turns{number: map[ir.Stmt]int{}, loops: map[ir.Stmt][]*ir.Loop{}}
	t.visit(body, nil)
	return t
}

func (t *turns) visit(list []ir.Stmt, loops []*ir.Loop) {
	for _, st := range list {
		t.number[st], t.loops[st] = len(t.number), loops
		inside := loops
		if l, ok := st.(*ir.Loop); ok {
			inside = append(slices.Clip(loops), l)
		}
		for _, nested := range ir.Nested(st) {
			t.visit(nested, inside)
		}
	}
}

// mayPrecede reports whether a thread may come to one statement and then to another.
func (t *turns) mayPrecede(a, b ir.Stmt) bool {
	return t.number[a] < t.number[b] || slices.ContainsFunc(t.loops[a], func(l *ir.Loop) bool { return slices.Contains(t.loops[b], l) })
}

// isWhole reports whether a barrier does nothing but to let all threads of the block meet.
func isWhole(b *ir.Barrier) bool {
	return b.Level == ir.BlockLevel && b.Mode == ir.BarrierSync && b.ID == nil && b.Count == nil && b.Reduce == ""
}
