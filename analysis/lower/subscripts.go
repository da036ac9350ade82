package lower

// This file puts numbers for registers into the subscripts of private arrays: the counter of a pack's expansion, as in
// `((off += index * stride[k++]), ...)`.

import (
	"maps"

	"github.com/warplint/warplint/analysis/ir"
)

// settleSubscripts replaces registers that hold a known number where a private array is loaded or stored.
func settleSubscripts(f *ir.Func) {
	open := false
	ir.WalkStmts(f.Body, func(st ir.Stmt) bool {
		ptr, _, _ := privateAccess(st)
		o, off := fromObject(ptr)
		open = open || o != nil && o.Space == ir.Local && off != nil && refersToRegs(off)
		return true
	})
	if open {
		(numbers{}).list(f.Body)
	}
}

// numbers are what registers hold at a point.
type numbers map[*ir.Reg]*ir.Const

func (n numbers) list(list []ir.Stmt) {
	for _, st := range list {
		n.stmt(st)
	}
}

func (n numbers) stmt(st ir.Stmt) {
	switch st := st.(type) {
	case *ir.Load:
		st.Ptr = n.place(st.Ptr)
	case *ir.Store:
		st.Ptr = n.place(st.Ptr)
	case *ir.Assign:
		x := st.X
		if refersToRegs(x) {
			x = n.expr(x)
		}
		if c, ok := x.(*ir.Const); ok {
			n[st.Dst] = c
			return
		}
	case *ir.If:
		maps.Clone(n).list(st.Then)
		maps.Clone(n).list(st.Else)
	case *ir.Block:
		n.list(st.Body) // a jump out of it leaves earlier
	case *ir.Loop:
		n.forget(st)
		maps.Clone(n).list(st.Head)
		maps.Clone(n).list(st.Body)
		maps.Clone(n).list(st.Post)
	}
	if b, ok := st.(*ir.Block); !ok || jumpsTo(b.Body, b.Label) {
		n.forget(st)
	}
}

// forget takes out what a statement may set.
func (n numbers) forget(st ir.Stmt) {
	ir.WalkStmts([]ir.Stmt{st}, func(st ir.Stmt) bool {
		for _, r := range ir.Defs(st) {
			delete(n, r)
		}
		return true
	})
}

func (n numbers) place(ptr ir.Expr) ir.Expr {
	if o, off := fromObject(ptr); o != nil && o.Space == ir.Local && off != nil && refersToRegs(off) {
		return n.expr(ptr)
	}
	return ptr
}

func (n numbers) expr(e ir.Expr) ir.Expr {
	if r, ok := e.(*ir.RegRef); ok {
		if c := n[r.R]; c != nil {
			return c
		}
		return e
	}
	return rebuild(e, n.expr)
}
