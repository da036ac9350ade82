package lower

// This file evaluates constant expressions that take statements: constexpr functions with loops,
// constructors ([expr.const]). Their statements, which touch registers and local variables alone,
// are run here, where all that they read is constant.

import (
	"maps"

	"github.com/warplint/warplint/analysis/ir"
)

// maxSettled bounds the statements that one constant expression may take.
const maxSettled = 50_000

// settled is the value after the statements have run; ok is false if they depend on anything that
// is not constant, or change anything but variables of their own.
func settled(list []ir.Stmt, v value) (value, bool) {
	if len(list) == 0 {
		return v, true
	}
	s := &settler{regs: map[*ir.Reg]ir.Expr{}, memory: map[cell]*ir.Const{}, left: maxSettled}
	if s.run(list) != ends || s.failed {
		return v, false
	}
	v = s.value(v)
	return v, !s.failed
}

// cell is a scalar in a local object.
type cell struct {
	obj *ir.Object
	off int64
	t   ir.Type
}

type settler struct {
	regs   map[*ir.Reg]ir.Expr // constants and addresses
	memory map[cell]*ir.Const
	left   int
	failed bool
	target *ir.Label // of the jump under way
}

// outcome is how a list of statements was left.
type outcome uint8

const (
	ends outcome = iota
	breaks
	goesOn
	stuck
)

func (s *settler) run(list []ir.Stmt) outcome {
	for _, st := range list {
		if s.left--; s.left < 0 {
			s.failed = true
		}
		if s.failed {
			return stuck
		}
		if o := s.stmt(st); o != ends {
			return o
		}
	}
	return ends
}

func (s *settler) stmt(st ir.Stmt) outcome {
	switch st := st.(type) {
	case *ir.Assign:
		s.regs[st.Dst] = s.expr(st.X)
	case *ir.Load:
		s.regs[st.Dst] = s.load(st)
	case *ir.Store:
		s.store(st)
	case *ir.If:
		switch c := s.expr(st.Cond); {
		case isTrue(c):
			return s.run(st.Then)
		case isFalse(c):
			return s.run(st.Else)
		default:
			s.failed = true
		}
	case *ir.Block:
		if o := s.run(st.Body); o != breaks || s.target != st.Label {
			return o
		}
	case *ir.Loop:
		return s.loop(st)
	case *ir.Break:
		s.target = st.Target
		return breaks
	case *ir.Continue:
		s.target = st.Target
		return goesOn
	default:
		s.failed = true
	}
	return ends
}

func (s *settler) loop(l *ir.Loop) outcome {
	for !s.failed {
		if o := s.run(l.Head); o != ends && !(o == goesOn && s.target == l.Label) {
			return s.leave(o, l)
		}
		c := s.expr(l.Cond)
		if isFalse(c) {
			return ends
		}
		if !isTrue(c) {
			break
		}
		if o := s.run(l.Body); o != ends && !(o == goesOn && s.target == l.Label) {
			return s.leave(o, l)
		}
		if o := s.run(l.Post); o != ends {
			return s.leave(o, l)
		}
		if s.left--; s.left < 0 {
			break
		}
	}
	s.failed = true
	return stuck
}

func (s *settler) leave(o outcome, l *ir.Loop) outcome {
	if o == breaks && s.target == l.Label {
		return ends
	}
	return o
}

// place is the object and the offset that an address names.
func (s *settler) place(e ir.Expr, t ir.Type) (cell, bool) {
	switch e := s.expr(e).(type) {
	case *ir.ObjAddr:
		return cell{e.Obj, 0, t}, true
	case *ir.PtrAdd:
		if o, ok := e.Base.(*ir.ObjAddr); ok {
			if off, ok := ir.IntConst(e.Offset); ok {
				return cell{o.Obj, off, t}, true
			}
		}
	}
	return cell{}, false
}

func (s *settler) load(st *ir.Load) ir.Expr {
	c, ok := s.place(st.Ptr, st.T)
	if !ok {
		s.failed = true
		return st.Ptr
	}
	if v := s.memory[c]; v != nil && c.obj.Space == ir.Local {
		return v
	}
	if size := st.T.Size(); c.obj.Space == ir.Constant && c.obj.Init != nil && c.off >= 0 && c.off+size <= int64(len(c.obj.Init)) && st.T != ir.Ptr {
		var bits uint64
		for i := range size {
			bits |= uint64(c.obj.Init[c.off+i]) << (8 * i)
		}
		return &ir.Const{T: st.T, Bits: bits}
	}
	s.failed = true
	return st.Ptr
}

func (s *settler) store(st *ir.Store) {
	c, ok := s.place(st.Ptr, st.T)
	x, isConst := s.expr(st.X).(*ir.Const)
	if !ok || !isConst || c.obj.Space != ir.Local {
		s.failed = true
		return
	}
	// A scalar of another place or type that overlaps is not known any more.
	maps.DeleteFunc(s.memory, func(o cell, _ *ir.Const) bool {
		return o.obj == c.obj && o != c && o.off < c.off+c.t.Size() && c.off < o.off+o.t.Size()
	})
	s.memory[c] = x
}

// expr is an expression with the registers' values in their places; anything that is then no
// constant and no address of an object fails.
func (s *settler) expr(e ir.Expr) ir.Expr {
	switch e := e.(type) {
	case *ir.Const, *ir.ObjAddr:
		return e
	case *ir.RegRef:
		if x, ok := s.regs[e.R]; ok {
			return x
		}
	case *ir.Unary, *ir.Binary, *ir.Convert, *ir.Select, *ir.PtrAdd:
		return rebuild(e, s.expr)
	}
	s.failed = true
	return e
}

// value is a value that is made of what the registers hold now.
func (s *settler) value(v value) value {
	switch {
	case v.cat == vAgg:
		elems := make([]value, len(v.elems))
		for i, e := range v.elems {
			elems[i] = s.value(e)
		}
		v.elems, v.lvalue = elems, false
	case v.cat == vReg:
		v.x, v.cat = s.expr(&ir.RegRef{R: v.reg}), vRval
	case v.cat == vRval && v.x != nil && v.target == nil:
		v.x = s.expr(v.x)
	}
	return v
}
