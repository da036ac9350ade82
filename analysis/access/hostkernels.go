package access

import (
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/term"
)

// This file says what kernels leave in memory that the host reads later: managed variables and allocations, and what it copies back.

// leaving is where a kernel may write.
type leaving struct {
	anywhere bool           // where nobody knows
	beyond   bool           // where pointers lead that it finds in memory
	into     map[*Base]bool // into memory that the launch passes
	named    []*ir.Object   // into variables of the device
}

// runs has memory hold what a launch may leave there.
func (x *executor) runs(st *state, l *Launch) {
	if len(st.memory) == 0 {
		return
	}
	kernel := l.Stmt.Kernel
	fl := x.flowOf(kernel)
	numbers := x.leaving(l, fl.written)
	pointers := x.leaving(l, pointersPut(kernel, fl))
	x.rewrites++
	lost := x.rewrites
	out := slices.Clone(st.memory)
	var candidates []Value
	for i := range out {
		c := &out[i]
		switch {
		case c.typ != ir.Ptr && x.mayWrite(st, numbers, l, c.base):
			c.lost, c.read = lost, false
		case c.typ == ir.Ptr && x.mayWrite(st, pointers, l, c.base):
			if candidates == nil {
				candidates = x.inReach(st, l)
			}
			c.value, c.lost, c.read = x.anyOf(append([]Value{x.held(c, c.base.Name, nil)}, candidates...)), lost, false
		}
	}
	st.memory = out
}

// mayLeave reports whether a launch of a kernel may change some place that the host knows, whatever it is passed.
func (x *executor) mayLeave(st *state, kernel *ir.Func) bool {
	return len(x.flowOf(kernel).written) > 0 && slices.ContainsFunc(st.memory, func(c hostCell) bool { return !isLocal(c.base) })
}

// pointersPut lists the memory in which a kernel may put pointers.
func pointersPut(kernel *ir.Func, fl *flow) map[any]bool {
	out := map[any]bool{}
	ir.WalkStmts(kernel.Body, func(s ir.Stmt) bool {
		var to ir.Expr
		switch s := s.(type) {
		case *ir.Store:
			if s.T == ir.Ptr {
				to = s.Ptr
			}
		case *ir.Atomic:
			if s.T.Size() == ir.Ptr.Size() {
				to = s.Ptr
			}
		case *ir.Unknown:
			out[unknownRoot] = out[unknownRoot] || s.Memory
		}
		if to != nil {
			for _, root := range fl.rootsOf(to) {
				out[root] = true
			}
		}
		return true
	})
	return out
}

// leaving is where a launch writes, by the roots that its kernel writes to.
func (x *executor) leaving(l *Launch, written map[any]bool) leaving {
	out := leaving{anywhere: written[unknownRoot], beyond: written[outsideRoot], into: map[*Base]bool{}}
	for i, p := range l.Stmt.Kernel.Params {
		if i < len(l.Args) && l.Args[i].Base != nil && written[p] {
			for _, b := range l.Args[i].Base.all() {
				out.into[b] = true
			}
		}
	}
	for _, o := range l.Stmt.Kernel.Objects {
		if written[o] {
			out.named = append(out.named, o)
		}
	}
	return out
}

// mayWrite reports whether a launch may write to an object of the host's memory. Local variables of the host are none of the device's.
func (x *executor) mayWrite(st *state, to leaving, l *Launch, b *Base) bool {
	switch {
	case to.into[b]:
		return true
	case isLocal(b):
		return false
	case to.anywhere:
		return true
	case b.Object != nil && slices.ContainsFunc(to.named, func(o *ir.Object) bool { return isVariable(o, b.Object) }):
		return true
	}
	return to.beyond && slices.Contains(x.ledTo(st, l), b)
}

// ledTo lists the memory that a kernel comes to by the pointers which the host has put into what the launch passes.
func (x *executor) ledTo(st *state, l *Launch) []*Base {
	var from, out []*Base
	for _, v := range l.Args {
		if v.Base != nil {
			from = append(from, v.Base.all()...)
		}
	}
	for n := 0; n < len(from); n++ {
		for i := range st.memory {
			c := &st.memory[i]
			if c.typ != ir.Ptr || c.base != from[n] || c.value.Base == nil {
				continue
			}
			for _, b := range c.value.Base.all() {
				if !slices.Contains(out, b) {
					from, out = append(from, b), append(out, b)
				}
			}
		}
	}
	return out
}

// inReach lists the pointers that a kernel may put somewhere: those which it is passed, and those in memory that it may read.
func (x *executor) inReach(st *state, l *Launch) (out []Value) {
	for _, v := range l.Args {
		if v.Base != nil && !v.Base.IsNull() {
			out = append(out, v)
		}
	}
	reached := x.ledTo(st, l)
	for i := range st.memory {
		if c := &st.memory[i]; c.typ == ir.Ptr && c.value.Base != nil && slices.ContainsFunc(c.value.Base.all(), func(b *Base) bool { return slices.Contains(reached, b) }) {
			out = append(out, c.value)
		}
	}
	return out
}

// anyOf is one of some pointers, nobody knows which, or another one.
func (x *executor) anyOf(list []Value) Value {
	out := x.opaque("pointer", term.Grid, ir.Ptr, nil)
	for _, v := range slices.Backward(list) {
		out = x.oneOfTwo(x.maybe(), v, out, ir.Ptr)
	}
	return out
}

func isLocal(b *Base) bool { return b.Object != nil && b.Object.Space == ir.Local }
