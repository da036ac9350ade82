package hb

// This file defines which reads poll: they wait in a loop for another thread.

import (
	"slices"

	"github.com/warplint/warplint/analysis/ir"
)

// PolledSites returns the sites of loads and atomics that poll: they stand in a loop, their
// address does not change in it, and whether the loop ends depends on nothing but what such
// reads give. `while (flag == 0)` polls; `for (i = 0; i < *n; i++)` does not.
func PolledSites(f *ir.Func) map[int]bool {
	sites := map[int]bool{}
	for l := range ir.All[*ir.Loop](f.Body) {
		pollsOf(l, sites)
	}
	return sites
}

// def is a statement that sets a register, with the conditions in the loop under which it does.
type def struct {
	stmt  ir.Stmt
	under []ir.Expr
}

// defs are the definitions in a loop, and its plain stores.
type defs struct {
	of     map[*ir.Reg][]def
	stores []store
}

// store is a plain store, with the conditions in the loop under which it is made.
type store struct {
	*ir.Store
	under []ir.Expr
}

func pollsOf(l *ir.Loop, sites map[int]bool) {
	set := &defs{of: map[*ir.Reg][]def{}}
	inner := map[*ir.Label]bool{}
	set.collect([]ir.Stmt{l}, nil)
	ir.WalkStmts([]ir.Stmt{l}, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Loop:
			inner[s.Label] = s != l
		case *ir.Block:
			inner[s.Label] = true
		}
		return true
	})
	conditions := []ir.Expr{l.Cond}
	for branch := range ir.All[*ir.If]([]ir.Stmt{l}) {
		if leaves(branch, inner) {
			conditions = append(conditions, branch.Cond)
		}
	}
	for _, c := range conditions {
		if reads, ok := set.polls(c); ok {
			for _, site := range reads {
				sites[site] = true
			}
		}
	}
}

func (d *defs) collect(list []ir.Stmt, under []ir.Expr) {
	for _, s := range list {
		for _, r := range ir.Defs(s) {
			d.of[r] = append(d.of[r], def{s, under})
		}
		if st, ok := s.(*ir.Store); ok && !st.Volatile && st.Order == ir.Weak {
			d.stores = append(d.stores, store{st, under})
		}
		inside := under
		if branch, ok := s.(*ir.If); ok {
			inside = append(under[:len(under):len(under)], branch.Cond)
		}
		for _, nested := range ir.Nested(s) {
			d.collect(nested, inside)
		}
	}
}

// leaves reports whether a branch goes out of the loop that holds the inner labels.
func leaves(branch *ir.If, inner map[*ir.Label]bool) bool {
	found := false
	ir.WalkStmts([]ir.Stmt{branch}, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Break:
			found = found || !inner[s.Target]
		case *ir.Return:
			found = true
		}
		return true
	})
	return found
}

// polls returns the sites of the reads that a condition depends on. It fails if the condition
// depends on anything else that changes in the loop, such as a counter.
func (d *defs) polls(condition ir.Expr) (sites []int, ok bool) {
	w := dependences{defs: d, open: map[*ir.Reg]bool{}, done: map[*ir.Reg]bool{}}
	w.expr(condition)
	return w.sites, !w.failed
}

// dependences is a walk from a condition to all that it depends on.
type dependences struct {
	defs       *defs
	open, done map[*ir.Reg]bool
	sites      []int
	failed     bool
}

func (w *dependences) expr(e ir.Expr) {
	ir.WalkExpr(e, func(e ir.Expr) {
		if ref, ok := e.(*ir.RegRef); ok {
			w.failed = w.failed || w.open[ref.R] // computed from itself
			w.reg(ref.R)
		}
	})
}

func (w *dependences) reg(r *ir.Reg) {
	if w.done[r] || w.open[r] {
		return
	}
	w.open[r] = true
	for _, definition := range w.defs.of[r] {
		switch s := definition.stmt.(type) {
		case *ir.Assign:
			w.expr(s.X)
		case *ir.Load:
			w.read(s.Site, s.Ptr)
			w.failed = w.failed || w.defs.counts(s, definition.under)
		case *ir.Atomic:
			w.read(s.Site, s.Ptr)
		default:
			w.failed = true
		}
	}
	w.open[r], w.done[r] = false, true
	for _, definition := range w.defs.of[r] {
		for _, c := range definition.under {
			w.expr(c)
		}
	}
}

func (w *dependences) read(site int, address ir.Expr) {
	w.sites = append(w.sites, site)
	w.failed = w.failed || !w.defs.invariant(address)
}

// counts reports whether a thread that reads a place plainly goes on to change it by what it found there, as in
// `k = next; next = k + 1;`: such a thread moves on by itself, and waits for nobody.
func (d *defs) counts(read *ir.Load, under []ir.Expr) bool {
	if read.Volatile || read.Order != ir.Weak {
		return false
	}
	at := ir.ExprString(read.Ptr)
	return slices.ContainsFunc(d.stores, func(st store) bool {
		return slices.Equal(st.under, under) && ir.ExprString(st.Ptr) == at && d.hangsOn(st.X, read.Dst, map[*ir.Reg]bool{})
	})
}

// hangsOn reports whether an expression is computed from a register.
func (d *defs) hangsOn(e ir.Expr, r *ir.Reg, seen map[*ir.Reg]bool) bool {
	return slices.ContainsFunc(ir.Registers(e), func(from *ir.Reg) bool {
		if from == r || seen[from] {
			return from == r
		}
		seen[from] = true
		return slices.ContainsFunc(d.of[from], func(definition def) bool {
			s, ok := definition.stmt.(*ir.Assign)
			return ok && d.hangsOn(s.X, r, seen)
		})
	})
}

// invariant reports whether an expression has one value in all rounds of the loop, as far as that hangs on the
// thread itself: what a plain read at such an address gives is taken to stay, too, unless the loop writes there.
func (d *defs) invariant(e ir.Expr) bool { return d.stays(e, map[*ir.Reg]bool{}) }

func (d *defs) stays(e ir.Expr, known map[*ir.Reg]bool) bool {
	fixed := true
	ir.WalkExpr(e, func(e ir.Expr) {
		if ref, ok := e.(*ir.RegRef); ok {
			fixed = fixed && d.keeps(ref.R, known)
		}
	})
	return fixed
}

// keeps reports whether a register gets the same value in each round; one that is being asked about hangs on
// itself, and does not.
func (d *defs) keeps(r *ir.Reg, known map[*ir.Reg]bool) bool {
	if yes, ok := known[r]; ok {
		return yes
	}
	known[r] = false
	switch set := d.of[r]; len(set) {
	case 0:
		known[r] = true
	case 1:
		switch s := set[0].stmt.(type) {
		case *ir.Assign:
			known[r] = d.stays(s.X, known)
		case *ir.Load:
			known[r] = !s.Volatile && s.Order == ir.Weak && d.stays(s.Ptr, known) && !d.writes(s.Ptr)
		}
	}
	return known[r]
}

// writes reports whether the loop may write plainly where an address points.
func (d *defs) writes(address ir.Expr) bool {
	at, known := root(address)
	return slices.ContainsFunc(d.stores, func(st store) bool {
		to, ok := root(st.Ptr)
		return !known || !ok || at == to
	})
}

// root is the parameter or the variable that an address starts from.
func root(e ir.Expr) (any, bool) {
	switch x := ir.Start(e).(type) {
	case *ir.ParamRef:
		return x.P, true
	case *ir.ObjAddr:
		return x.Obj, true
	}
	return nil, false
}
