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
	does := x.effectsOf(l.Stmt.Kernel)
	numbers, pointers := x.leaving(l, does.written), x.leaving(l, does.pointers)
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
	for _, o := range x.f.Objects {
		if x.isToldAtFirst(o) && x.mayWrite(st, numbers, l, x.objectBase(o)) {
			x.untell(st, o)
		}
	}
	x.putsAnew(st, l)
}

// putsAnew has the places that the host does not know yet, and where a launch may put pointers, hold one of these.
func (x *executor) putsAnew(st *state, l *Launch) {
	for _, put := range x.effectsOf(l.Stmt.Kernel).puts {
		at := x.ofLaunch(l, put.to)
		if at.Base == nil || len(at.Base.Either) > 0 {
			continue
		}
		p := place{Value{P: x.t.Offset(at.P, put.bytes), Base: at.Base}, ir.Ptr, at.Base.Name, nil}
		if st.cell(p) != nil {
			continue
		}
		var list []Value
		for _, of := range put.from {
			if v := x.ofLaunch(l, of); v.Base != nil && !v.Base.IsNull() {
				if !put.exact {
					v.P = x.opaque("offset", term.Grid, ir.I64, nil).P
				}
				list = append(list, v)
			}
		}
		if len(list) > 0 {
			x.keep(st, hostCell{base: p.Base, at: p.P, typ: ir.Ptr, value: x.anyOf(list)})
		}
	}
}

// ofLaunch is what a parameter or a variable of a kernel is to the host, the zero value for other memory.
func (x *executor) ofLaunch(l *Launch, root any) Value {
	switch r := root.(type) {
	case *ir.Param:
		for i, p := range l.Stmt.Kernel.Params {
			if p == r && i < len(l.Args) && l.Args[i].Base != nil {
				return l.Args[i]
			}
		}
	case *ir.Object:
		if r.Space == ir.Global {
			return Value{P: x.t.Const(0), Base: x.objectBase(x.ofHost(r))}
		}
	}
	return Value{}
}

// ofHost is a variable of the device as the host names it, or the first kernel that does.
func (x *executor) ofHost(o *ir.Object) *ir.Object {
	if own := Variable(x.f, o); own != nil {
		return own
	}
	for other := range x.objects {
		if isVariable(other, o) {
			return other
		}
	}
	return o
}

// mayLeave reports whether a launch of a kernel may change some place that the host knows, whatever it is passed.
func (x *executor) mayLeave(st *state, kernel *ir.Func) bool {
	does := x.effectsOf(kernel)
	return len(does.pointers) > 0 || len(does.written) > 0 && (slices.ContainsFunc(x.f.Objects, x.isToldAtFirst) ||
		slices.ContainsFunc(st.memory, func(c hostCell) bool { return !isLocal(c.base) }))
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
	for _, o := range variables(l.Stmt.Kernel) {
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
	for _, o := range variables(l.Stmt.Kernel) {
		if v := x.ofLaunch(l, o); v.Base != nil {
			from = append(from, v.Base)
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
	out := x.opaque(anyPointer, term.Grid, ir.Ptr, nil)
	var known []Value
	for _, v := range list {
		for _, v := range pointedTo(x.t, v) {
			again := slices.ContainsFunc(known, func(o Value) bool { return o.Base == v.Base && o.P.Equal(v.P) })
			if !again && v.Base != nil && v.Base.Name != anyPointer && len(known) < maxPointers-1 {
				known = append(known, v)
				out = x.oneOfTwo(x.maybe(), v, out, ir.Ptr)
			}
		}
	}
	return out
}

const anyPointer = "any pointer"

func isLocal(b *Base) bool { return b.Object != nil && b.Object.Space == ir.Local }
