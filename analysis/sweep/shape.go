package sweep

import (
	"slices"

	"github.com/warplint/warplint/analysis/ir"
)

// This file finds what a kernel's control statements hold, once for all threads.

// shape is what is known of statements without running them.
type shape struct {
	barriers map[ir.Stmt]bool // it holds a barrier of the block or of more
	meets    map[ir.Stmt]bool // threads meet in it, or leave the kernel
	jumps    map[ir.Stmt]bool // it may leave a loop that holds a barrier, or the kernel
	assigned map[ir.Stmt][]*ir.Reg
	steps    map[*ir.Loop]map[*ir.Reg]ir.Expr // what an iteration adds to its counters
}

func newShape(f *ir.Func) *shape {
	s := &shape{map[ir.Stmt]bool{}, map[ir.Stmt]bool{}, map[ir.Stmt]bool{}, map[ir.Stmt][]*ir.Reg{}, map[*ir.Loop]map[*ir.Reg]ir.Expr{}}
	s.list(f.Body, nil)
	return s
}

// list walks statements with the control statements around them.
func (s *shape) list(stmts []ir.Stmt, around []ir.Stmt) {
	for _, st := range stmts {
		switch st.(type) {
		case *ir.Barrier, *ir.WarpOp, *ir.Return:
			for _, a := range around {
				s.meets[a] = true
			}
		}
		switch st := st.(type) {
		case *ir.Barrier:
			if st.Level != ir.WarpLevel {
				for _, a := range around {
					s.barriers[a] = true
				}
			}
		case *ir.Break, *ir.Continue, *ir.Return:
			for _, a := range around {
				s.jumps[a] = true
			}
		case *ir.Loop:
			s.counters(st)
		}
		for _, r := range ir.Defs(st) {
			for _, a := range around {
				if !slices.Contains(s.assigned[a], r) {
					s.assigned[a] = append(s.assigned[a], r)
				}
			}
		}
		for _, nested := range ir.Nested(st) {
			s.list(nested, append(around[:len(around):len(around)], st))
		}
	}
}

// counters finds the registers that a loop sets only once, and to their value plus a step that
// the loop does not change.
func (s *shape) counters(l *ir.Loop) {
	sets, continues := map[*ir.Reg]int{}, false
	ir.WalkStmts([]ir.Stmt{l}, func(st ir.Stmt) bool {
		for _, r := range ir.Defs(st) {
			sets[r]++
		}
		_, jumps := st.(*ir.Continue)
		continues = continues || jumps
		return true
	})
	always := l.Post
	if !continues {
		always = append(always[:len(always):len(always)], l.Body...)
	}
	s.steps[l] = map[*ir.Reg]ir.Expr{}
	for _, st := range always {
		a, ok := st.(*ir.Assign)
		if !ok || sets[a.Dst] != 1 {
			continue
		}
		by := stepOf(a)
		fixed := by != nil
		if fixed {
			ir.WalkExpr(by, func(e ir.Expr) {
				r, ok := e.(*ir.RegRef)
				fixed = fixed && !(ok && sets[r.R] > 0)
			})
		}
		if fixed {
			s.steps[l][a.Dst] = by
		}
	}
}

// stepOf returns what an assignment adds to its own register, nil if it does something else.
func stepOf(a *ir.Assign) ir.Expr {
	is := func(e ir.Expr) bool {
		r, ok := e.(*ir.RegRef)
		return ok && r.R == a.Dst
	}
	switch x := a.X.(type) {
	case *ir.PtrAdd:
		if is(x.Base) {
			return x.Offset
		}
	case *ir.Binary:
		switch {
		case x.Op == ir.Add && is(x.X):
			return x.Y
		case x.Op == ir.Add && is(x.Y):
			return x.X
		case x.Op == ir.Sub && is(x.X):
			return &ir.Unary{Op: ir.Neg, X: x.Y}
		}
	}
	return nil
}
