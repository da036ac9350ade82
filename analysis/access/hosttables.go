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
	In   Value // the place
	To   Value
	Type ir.Type // Ptr, or that of a number
	// Rounds are the numbers of the rounds of loops, if each round has put a pointer in a place of its own.
	Rounds []*term.Atom
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
	for _, read := range []bool{false, true} { // what was there at first counts where the host has put it elsewhere as well
		put := len(all)
		for i := range st.memory {
			c := &st.memory[i]
			if c.typ != ir.Ptr || c.read != read || !(isConst(c.at) || c.inRounds != nil && !x.madeAnew(c.value)) || !(ofDevice(c.base) || slices.Contains(memory, c.base)) {
				continue
			}
			h := Held{Value{P: c.at, Base: c.base}, x.held(c, c.base.Name, nil), ir.Ptr, c.inRounds}
			if !read || h.To.Base != nil && slices.ContainsFunc(all[:put], func(o Held) bool { return slices.ContainsFunc(h.To.Base.all(), o.To.leadsTo) }) {
				all = append(all, h)
			}
		}
	}
	shared := slices.ContainsFunc(all, func(h Held) bool { return h.Rounds != nil }) || slices.ContainsFunc(all, func(h Held) bool {
		return h.To.Base != nil && slices.ContainsFunc(h.To.Base.all(), ofDevice) || slices.ContainsFunc(memory, h.To.leadsTo) || slices.ContainsFunc(all, func(o Held) bool {
			return o.In != h.In && o.To.Base != nil && slices.ContainsFunc(o.To.Base.all(), h.To.leadsTo)
		})
	})
	if !shared {
		return nil
	}
	return all
}

// madeAnew reports whether each round of a loop has memory of its own for a pointer.
func (x *executor) madeAnew(v Value) bool {
	return v.Base == nil || !slices.ContainsFunc(v.Base.all(), func(b *Base) bool { return b.Alloc == nil || !x.madeInLoop[b.Alloc] })
}

// constantsSet lists the numbers that the host has put into the variables in constant memory that a kernel names.
func (x *executor) constantsSet(st *state, kernel *ir.Func) (all []Held) {
	for i := range st.memory {
		c := &st.memory[i]
		o := c.base.Object
		if o == nil || o.Space != ir.Constant || !c.typ.IsInt() || c.read || c.lost != 0 || c.inRounds != nil || c.value.P == nil || c.value.Base != nil {
			continue
		}
		if isConst(c.at) && Variable(kernel, o) != nil {
			all = append(all, Held{In: Value{P: c.at, Base: c.base}, To: c.value, Type: c.typ})
		}
	}
	return all
}

// constantAt is the number that the host has put at a place in constant memory, if that is known.
func (x *executor) constantAt(v Value, typ ir.Type) (Value, bool) {
	if x.sum.Launch == nil || v.Base.Object == nil {
		return Value{}, false
	}
	for _, h := range x.sum.Launch.constants {
		if h.Type == typ && h.In.P.Equal(v.P) && isVariable(v.Base.Object, h.In.Base.Object) {
			return h.To, true
		}
	}
	return Value{}, false
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
	found := false
	for _, h := range x.sum.Launch.held {
		in := h.In.Base
		if in.Object != nil {
			if o := Variable(x.f, in.Object); o != nil {
				in = x.objectBase(o)
			}
		}
		if in != v.Base {
			continue
		}
		to, when := h.To, x.t.Eq(v.P, h.In.P)
		if h.Rounds != nil {
			to, when = x.putInRound(h, v.P)
			if found && when.Op != term.False { // nobody knows which of them has come to the place, or last
				to = x.anyRound()
			}
		}
		if when.Op != term.False {
			found, otherwise = true, x.choose(when, to, otherwise, ir.Ptr)
		}
	}
	return otherwise
}

// anyRound is a pointer of which is known only that some round of a loop has put it somewhere.
func (x *executor) anyRound() Value {
	x.unknown("pointers that the host has put into memory in a loop", -1)
	return x.opaque("pointer", term.Thread, ir.Ptr, nil)
}

// putInRound is what the round of a loop has put at an offset, which tells the round, and whether one has.
func (x *executor) putInRound(h Held, at *term.Poly) (Value, *term.Cond) {
	t := x.t
	by := map[*term.Atom]*term.Poly{}
	known := true
	for _, a := range h.Rounds {
		step := h.In.P.Times(t.Poly(a))
		d := t.Sub(at, t.Sub(h.In.P, t.Monomial(step, []*term.Atom{a})))
		if step == 0 || slices.ContainsFunc(h.Rounds, d.MadeOf) {
			continue
		}
		switch g := term.GCD(d.Gcd(), step); {
		case d.Constant()%g != 0:
			return Value{}, t.Eq(t.Const(1), t.Const(0))
		case g != max(step, -step):
			known = false
		default:
			by[a] = t.DivExact(d, step)
		}
	}
	out := x.made(h.To, x.renaming(by), nil)
	out.terms(func(p *term.Poly) { known = known && !slices.ContainsFunc(h.Rounds, p.MadeOf) }, map[*Base]bool{})
	if !known {
		out = x.anyRound()
	}
	return out, t.Eq(t.Const(0), t.Const(0))
}
