package access

import (
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/term"
)

// This file tells a kernel which pointers the host has put into memory that it passes, if some of them lead to the same
// memory, or to a variable of the device: else they are known by where they stand, see tables.go.

// Held is a pointer that the host has put somewhere.
type Held struct {
	In Value // the place
	To Value
}

// tables lists the pointers in what a launch passes, and in variables of the device.
func (x *executor) tables(st *state, args []Value) []Held {
	var memory []*Base
	for _, v := range args {
		if v.Base != nil {
			memory = append(memory, v.Base.all()...)
		}
	}
	var all []Held
	for i := range st.memory {
		c := &st.memory[i]
		if c.typ == ir.Ptr && !c.read && c.inRounds == nil && isConst(c.at) && (ofDevice(c.base) || slices.Contains(memory, c.base)) {
			all = append(all, Held{Value{P: c.at, Base: c.base}, x.held(c, c.base.Name, nil)})
		}
	}
	shared := slices.ContainsFunc(all, func(h Held) bool {
		return h.To.Base != nil && slices.ContainsFunc(h.To.Base.all(), ofDevice) || slices.ContainsFunc(memory, h.To.leadsTo) || slices.ContainsFunc(all, func(o Held) bool {
			return o.In != h.In && o.To.Base != nil && slices.ContainsFunc(o.To.Base.all(), h.To.leadsTo)
		})
	})
	if !shared {
		return nil
	}
	return all
}

// ofDevice reports whether memory is a variable that functions name.
func ofDevice(b *Base) bool { return b.Object != nil && b.Object.Space != ir.Local }

// readsPointers reports whether a kernel reads pointers from memory that the host may have filled.
func readsPointers(f *ir.Func) (reads bool) {
	ir.WalkStmts(f.Body, func(s ir.Stmt) bool {
		load, ok := s.(*ir.Load)
		reads = reads || ok && load.T == ir.Ptr
		return !reads
	})
	return reads
}

// leadsTo reports whether a pointer may lead to some memory.
func (v Value) leadsTo(b *Base) bool {
	return v.Base != nil && !b.IsNull() && slices.Contains(v.Base.all(), b)
}

// heldAt is the pointer that the host has put at a place, if any, or else.
func (x *executor) heldAt(v, otherwise Value) Value {
	if x.sum.Launch == nil {
		return otherwise
	}
	for _, h := range x.sum.Launch.held {
		in := h.In.Base
		if in.Object != nil {
			if o := Variable(x.f, in.Object); o != nil {
				in = x.objectBase(o)
			}
		}
		if when := x.t.Eq(v.P, h.In.P); in == v.Base && when.Op != term.False {
			otherwise = x.choose(when, h.To, otherwise, ir.Ptr)
		}
	}
	return otherwise
}
