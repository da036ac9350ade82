package order

import (
	"reflect"
	"slices"

	"github.com/warplint/warplint/analysis/ir"
)

// This file tells the plain read in front of a compare-and-swap from other plain reads.

// Rechecked reports whether a load's value is what a compare-and-swap of the same place compares with what is
// there: `old = *p; do … while (atomicCAS(p, old, …) != old)`, as the CUDA C++ Programming Guide writes it. A
// stale value costs another round then, and gives no wrong result.
func Rechecked(f *ir.Func, load *ir.Load) bool {
	copies := copiesOf(load.Dst, f)
	for cas := range ir.All[*ir.Atomic](f.Body) {
		if r := copied(cas.Compare); swaps(cas, load) && r != nil && copies[r] {
			return true
		}
	}
	return false
}

// swaps reports whether an atomic is a compare-and-swap of the place that a load reads.
func swaps(a *ir.Atomic, load *ir.Load) bool {
	return a.Op == ir.AtomicCAS && reflect.DeepEqual(a.Ptr, load.Ptr)
}

// Harmless reports whether a load that is rechecked has no say in anything but the compare-and-swap: in what it
// writes, in whether it is tried, and in how often.
func Harmless(f *ir.Func, load *ir.Load) bool {
	g := &guess{load: load, tainted: map[*ir.Reg]bool{load.Dst: true}, bodies: map[*ir.Label][]ir.Stmt{}}
	ir.WalkStmts(f.Body, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Loop:
			g.bodies[s.Label] = slices.Concat(s.Head, s.Body, s.Post)
		case *ir.Block:
			g.bodies[s.Label] = s.Body
		}
		return true
	})
	for g.grown = true; g.grown && !g.harms; {
		g.grown = false
		ir.WalkStmts(f.Body, func(s ir.Stmt) bool {
			g.visit(s)
			return !g.harms
		})
	}
	return !g.harms
}

// guess follows what hangs on the value that a load has read.
type guess struct {
	load         *ir.Load
	tainted      map[*ir.Reg]bool
	bodies       map[*ir.Label][]ir.Stmt
	grown, harms bool
}

func (g *guess) taint(s ir.Stmt) {
	for _, r := range ir.Defs(s) {
		g.grown = g.grown || !g.tainted[r]
		g.tainted[r] = true
	}
}

func (g *guess) hangs(e ir.Expr) bool {
	return e != nil && slices.ContainsFunc(ir.Registers(e), func(r *ir.Reg) bool { return g.tainted[r] })
}

func (g *guess) visit(s ir.Stmt) {
	if !slices.ContainsFunc(ir.Operands(s), g.hangs) {
		return
	}
	switch s := s.(type) {
	case *ir.Assign:
		g.taint(s)
	case *ir.Atomic:
		g.harms = g.harms || !swaps(s, g.load) || g.hangs(s.Ptr)
	case *ir.If, *ir.Loop:
		for _, list := range ir.Nested(s) {
			g.decides(list)
		}
		if l, ok := s.(*ir.Loop); ok {
			g.leaves(l.Label)
		}
	default:
		g.harms = true
	}
}

// decides says that the value decides whether a list of statements runs.
func (g *guess) decides(list []ir.Stmt) {
	ir.WalkStmts(list, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Assign, *ir.Load, *ir.If, *ir.Loop, *ir.Block:
			g.taint(s)
		case *ir.Atomic:
			g.harms = g.harms || !swaps(s, g.load)
		case *ir.Break:
			g.leaves(s.Target)
		case *ir.Continue:
			g.leaves(s.Target)
		default:
			g.harms = true
		}
		return !g.harms
	})
}

// leaves says that the value decides how much of what has a label runs.
func (g *guess) leaves(l *ir.Label) {
	if body, open := g.bodies[l]; open {
		delete(g.bodies, l)
		g.decides(body)
	}
}

// copiesOf returns the registers that may hold a register's value unchanged.
func copiesOf(r *ir.Reg, f *ir.Func) map[*ir.Reg]bool {
	copies := map[*ir.Reg]bool{r: true}
	for grown := true; grown; {
		grown = false
		for set := range ir.All[*ir.Assign](f.Body) {
			if !copies[set.Dst] && copies[copied(set.X)] {
				copies[set.Dst], grown = true, true
			}
		}
	}
	return copies
}

// copied is the register that an expression copies, with its bits kept or not; nil if it computes.
func copied(x ir.Expr) *ir.Reg {
	switch x := x.(type) {
	case *ir.RegRef:
		return x.R
	case *ir.Convert:
		return copied(x.X)
	case *ir.Call:
		if len(x.Args) == 1 && reinterprets[x.Name] {
			return copied(x.Args[0])
		}
	}
	return nil
}

// reinterprets are the intrinsics that change a value's type and keep its bits.
var reinterprets = map[string]bool{
	"__float_as_int": true, "__int_as_float": true, "__float_as_uint": true, "__uint_as_float": true,
	"__double_as_longlong": true, "__longlong_as_double": true,
}
