package access

import (
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/term"
)

// This file reads private arrays that are set once: the two buffers of a pipeline, the steps to a cell's
// neighbours. Lowering has made registers of those whose subscripts are all constant.

// cell is what the only store to a place of a private array has put there.
type cell struct {
	at, size int64
	value    Value
	when     []fact // the way to the store
	// round is the number of a round of the loop that makes the store, each round to the place behind the last one's, as in
	// `for (s = 0; s < stages; s++) start[s] = s * size`; nil if there is one place. A round does so if it is within.
	round  *term.Atom
	within []fact
}

// Limits of what is looked at: so many cells of an array or a structure, and so many of them for one load.
const (
	maxCells   = 64
	maxReached = 8
)

// keepCell notes a store to a private array. One whose place is not known, or that is made again and
// again, makes nothing known of the array.
func (x *executor) keepCell(s *ir.Store, v, value Value, st *state) {
	if v.Base == nil || v.Base.Space != ir.Local || v.Base.Object == nil {
		return
	}
	if len(x.loops) > 0 {
		x.keepFill(s, v, value, st)
		return
	}
	at, ok := v.P.IsConst()
	again := slices.ContainsFunc(x.cells[v.Base.Object], func(c cell) bool { return c.at < at+s.T.Size() && at < c.at+c.size })
	if ok && !again {
		x.cells[v.Base.Object] = append(x.cells[v.Base.Object], cell{at: at, size: s.T.Size(), value: value, when: st.facts})
	}
}

// keepFill notes a store whose place and value are known for each round of a loop.
func (x *executor) keepFill(s *ir.Store, v, value Value, st *state) {
	l := x.loops[0]
	if len(x.loops) > 1 || l.Bit == 0 || value.P == nil || value.Base != nil && value.Base.Object == nil || len(x.cells[v.Base.Object]) > 0 {
		return
	}
	size := s.T.Size()
	first, ok := x.t.Sub(v.P, x.t.Scale(size, x.t.Poly(l.Iter))).IsConst()
	if !ok || x.dependsOnLoop(x.t.Substitute(value.P, l.Iter, x.t.Const(0)), l) {
		return
	}
	before := slices.IndexFunc(st.facts, func(f fact) bool { return f.c.Loops()&l.Bit != 0 })
	if before < 0 {
		before = len(st.facts)
	}
	x.cells[v.Base.Object] = []cell{{at: first, size: size, value: value, when: st.facts[:before], round: l.Iter, within: st.facts[before:]}}
}

// filled is what a load finds that is behind such a store, if some round has come to its place.
func (x *executor) filled(st *state, c cell, at *term.Poly) (Value, bool) {
	round := x.t.DivExact(x.t.Offset(at, -c.at), c.size)
	if !x.proves(st, x.t.Le(x.t.Const(0), round)) {
		return Value{}, false
	}
	for _, f := range c.within {
		if !x.byAll[f.c.Key()] && !x.proves(st, x.t.SubstituteCond(f.c, c.round, round)) {
			return Value{}, false
		}
	}
	return Value{P: x.t.Substitute(c.value.P, c.round, round), Base: c.value.Base}, true
}

// cellAt is the value at a place in a private array that is written nowhere else than by what keepCell has
// noted, on the way to this path.
func (x *executor) cellAt(st *state, s *ir.Load, v Value) (out Value, ok bool) {
	if v.Base.Space != ir.Local || v.Base.Object == nil || s.Volatile || x.host {
		return Value{}, false
	}
	cells, size := x.cells[v.Base.Object], s.T.Size()
	if len(cells) == 0 || len(cells) > maxCells || len(cells) != x.flow.storesTo(v.Base.Object) || v.P.Gcd()%size != 0 || v.P.Constant()%size != 0 {
		return Value{}, false
	}
	if c := cells[0]; c.round != nil {
		if c.size != size || !c.made(st) || len(cells) > 1 {
			return Value{}, false
		}
		return x.filled(st, c, v.P)
	}
	cells, all := x.reached(st, s, v, cells)
	if len(cells) > maxReached || !all {
		return Value{}, false
	}
	for i, c := range cells {
		if c.size != size || !c.made(st) {
			return Value{}, false
		}
		if i == 0 { // a subscript beyond the array has no meaning
			out = c.value
		} else {
			out = x.choose(x.t.Eq(v.P, x.t.Const(c.at)), c.value, out, s.T)
		}
	}
	if pointers, several := x.oneOfCells(cells, v.P); several && s.T == ir.Ptr {
		return pointers, true
	}
	return out, len(cells) > 0
}

// made reports whether the store is on the way to a state.
func (c cell) made(st *state) bool {
	return len(c.when) <= len(st.facts) && slices.Equal(c.when, st.facts[:len(c.when)])
}

// reached lists the cells that a load may reach, the last first: those of the array that it takes an element of. They are not
// all if there are places that nobody has set.
func (x *executor) reached(st *state, s *ir.Load, v Value, cells []cell) (out []cell, all bool) {
	at, size := v.P, s.T.Size()
	least, most := int64(0), v.Base.Object.Size-size
	if place, ok := at.IsConst(); ok {
		least, most = place, place
	} else if add, ok := s.Ptr.(*ir.PtrAdd); ok && add.Last > 0 {
		if first, ok := x.t.Sub(at, x.number(x.eval(st, add.Offset))).IsConst(); ok {
			least, most = first, first+add.Last
		}
	}
	for _, c := range slices.Backward(cells) {
		if c.at+c.size > least && c.at <= most {
			out = append(out, c)
		}
	}
	lo, hi := at.Range()
	least, most = max(least, lo), min(most, hi)
	step := max(at.Gcd(), 1)
	least += ((at.Constant()-least)%step + step) % step
	for place := least; place <= most; place += step {
		if (place-least)/step == maxCells || !slices.ContainsFunc(out, func(c cell) bool { return c.at == place }) {
			return out, false
		}
	}
	return out, true
}

// oneOfCells is a pointer into the memory of one of several cells, each by its own subscript: with no other one has
// an access a meaning, so `buffer[1 - k]` is not `buffer[k]`. It is for cells that point into different memory.
func (x *executor) oneOfCells(cells []cell, at *term.Poly) (Value, bool) {
	var all []Alternative
	for i, c := range slices.Backward(cells) {
		if c.value.Base == nil || len(c.value.Base.Either) > 0 || slices.ContainsFunc(cells[i+1:], func(o cell) bool { return o.value.Base == c.value.Base }) {
			return Value{}, false
		}
		if when := x.t.Eq(at, x.t.Const(c.at)); when.Op != term.False {
			all = append(all, Alternative{when, c.value})
		}
	}
	if len(all) < 2 {
		return Value{}, false
	}
	x.assume(withinArrays)
	first := all[0].To.Base
	return Value{P: x.t.Const(0), Base: &Base{Name: first.Name + " or " + all[1].To.Base.Name, Space: first.Space, Either: all}}, true
}
