package ir

// This file defines the walks over statements and expressions that every stage needs.

import (
	"iter"
	"slices"
)

// WalkStmts visits the statements of a list and those nested in them, in the order of the
// text. Where visit returns false, the statements nested in that one are left out.
func WalkStmts(list []Stmt, visit func(Stmt) bool) {
	for _, s := range list {
		if !visit(s) {
			continue
		}
		for _, nested := range Nested(s) {
			WalkStmts(nested, visit)
		}
	}
}

// All yields the statements of a type in a list and nested in its statements, in the order of the text.
func All[T Stmt](list []Stmt) iter.Seq[T] {
	return func(yield func(T) bool) {
		on := true
		WalkStmts(list, func(s Stmt) bool {
			if t, ok := s.(T); ok && on {
				on = yield(t)
			}
			return on
		})
	}
}

// Rewrite returns a list with what replace makes of its statements and of those nested in them, in the order of
// the text; nil leaves one out. Lists and control statements in which nothing changes stay the same.
func Rewrite(list []Stmt, replace func(Stmt) Stmt) []Stmt {
	out, changed := list, false
	for i, s := range list {
		now := replace(s)
		if now != nil {
			nested := Nested(now)
			for k, inner := range nested {
				nested[k] = Rewrite(inner, replace)
			}
			now = withNested(now, nested)
		}
		if now != s && !changed {
			out, changed = slices.Clone(list[:i]), true
		}
		if changed && now != nil {
			out = append(out, now)
		}
	}
	return out
}

// withNested returns a control statement with other lists in place of its Nested ones, or itself if they are the same.
func withNested(s Stmt, lists [][]Stmt) Stmt {
	same := true
	for i, old := range Nested(s) {
		same = same && len(old) == len(lists[i]) && (len(old) == 0 || &old[0] == &lists[i][0])
	}
	if same {
		return s
	}
	switch s := s.(type) {
	case *If:
		now := *s
		now.Then, now.Else = lists[0], lists[1]
		return &now
	case *Loop:
		now := *s
		now.Head, now.Body, now.Post = lists[0], lists[1], lists[2]
		return &now
	case *Block:
		now := *s
		now.Body = lists[0]
		return &now
	}
	return s
}

// Nested returns the statement lists of a control statement: then and else; head, body and
// post; or a block's body. Other statements have none.
func Nested(s Stmt) [][]Stmt {
	switch s := s.(type) {
	case *If:
		return [][]Stmt{s.Then, s.Else}
	case *Loop:
		return [][]Stmt{s.Head, s.Body, s.Post}
	case *Block:
		return [][]Stmt{s.Body}
	}
	return nil
}

// Operands returns the expressions that a statement itself evaluates, without those of
// nested statements. Absent operands are left out.
func Operands(s Stmt) []Expr {
	var out []Expr
	add := func(list ...Expr) {
		for _, e := range list {
			if e != nil {
				out = append(out, e)
			}
		}
	}
	switch s := s.(type) {
	case *Assign:
		add(s.X)
	case *Load:
		add(s.Ptr)
	case *Store:
		add(s.Ptr, s.X)
	case *Atomic:
		add(s.Ptr, s.Compare, s.X)
	case *Barrier:
		add(s.Mask, s.ID, s.Count, s.Pred)
	case *WarpOp:
		add(s.Mask)
		add(s.Args...)
	case *Named:
		add(s.Args...)
	case *If:
		add(s.Cond)
	case *Loop:
		add(s.Cond)
	case *Assume:
		add(s.Cond)
	case *Launch:
		add(s.Grid[:]...)
		add(s.Block[:]...)
		add(s.Cluster[:]...)
		add(s.SharedBytes)
		add(s.Args...)
	case *Alloc:
		add(s.Bytes)
	case *HostCopy:
		add(s.Dst, s.Src, s.Bytes, s.Value)
	}
	return out
}

// Defs returns the registers that a statement sets.
func Defs(s Stmt) []*Reg {
	var dst *Reg
	switch s := s.(type) {
	case *Assign:
		dst = s.Dst
	case *Load:
		dst = s.Dst
	case *Atomic:
		dst = s.Dst
	case *Barrier:
		dst = s.Dst
	case *WarpOp:
		dst = s.Dst
	case *Named:
		dst = s.Dst
	case *Alloc:
		dst = s.Dst
	case *Unknown:
		return s.Dst
	}
	if dst == nil {
		return nil
	}
	return []*Reg{dst}
}

// SiteOf returns the index of a statement's site; ok is false for statements without one.
func SiteOf(s Stmt) (site int, ok bool) {
	if p := sitePointer(s); p != nil {
		return *p, true
	}
	return 0, false
}

func sitePointer(s Stmt) *int {
	switch s := s.(type) {
	case *Load:
		return &s.Site
	case *Store:
		return &s.Site
	case *Atomic:
		return &s.Site
	case *Fence:
		return &s.Site
	case *Barrier:
		return &s.Site
	case *WarpOp:
		return &s.Site
	case *Named:
		return &s.Site
	case *If:
		return &s.Site
	case *Loop:
		return &s.Site
	case *Unknown:
		return &s.Site
	case *Launch:
		return &s.Site
	case *Alloc:
		return &s.Site
	case *HostCopy:
		return &s.Site
	}
	return nil
}

// WalkExprs visits the expressions that a statement itself evaluates and all that they
// consist of, outer before inner.
func WalkExprs(s Stmt, visit func(Expr)) {
	for _, e := range Operands(s) {
		WalkExpr(e, visit)
	}
}

// WalkExpr visits an expression and all that it consists of, outer before inner.
func WalkExpr(e Expr, visit func(Expr)) {
	visit(e)
	switch e := e.(type) {
	case *PtrAdd:
		WalkExpr(e.Base, visit)
		WalkExpr(e.Offset, visit)
	case *Unary:
		WalkExpr(e.X, visit)
	case *Binary:
		WalkExpr(e.X, visit)
		WalkExpr(e.Y, visit)
	case *Convert:
		WalkExpr(e.X, visit)
	case *Select:
		WalkExpr(e.Cond, visit)
		WalkExpr(e.X, visit)
		WalkExpr(e.Y, visit)
	case *Call:
		for _, a := range e.Args {
			WalkExpr(a, visit)
		}
	}
}

// Registers lists the registers in an expression.
func Registers(e Expr) (out []*Reg) {
	WalkExpr(e, func(e Expr) {
		if r, ok := e.(*RegRef); ok {
			out = append(out, r.R)
		}
	})
	return out
}

// Start is what an address starts from, before all that moves it.
func Start(e Expr) Expr {
	for {
		add, moved := e.(*PtrAdd)
		if !moved {
			return e
		}
		e = add.Base
	}
}

// Root is the object's address that an expression starts from; ok is false if it starts from another one.
func Root(e Expr) (at *ObjAddr, ok bool) {
	at, ok = Start(e).(*ObjAddr)
	return at, ok
}
