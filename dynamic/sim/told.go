// This file holds the events that are told most, so that telling one allocates nothing.

package sim

import "github.com/warplint/warplint/dynamic/event"

// told is the room for events of a core, each of which is used again for the next of its kind.
type told struct {
	step    event.Step
	fence   event.Fence
	barrier event.Barrier
	split   event.Split
	join    event.Join
	groups  []event.Group
	parts   [2]uint32
}

func (w *warp) tellBarrier(e event.Barrier) {
	if l := w.core.listener; l != nil {
		kept := &w.core.told.barrier
		*kept = e
		l.Barrier(kept)
	}
}

// tellTwo tells that lanes part in two.
func (w *warp) tellTwo(leaving uint32) {
	t := &w.core.told
	t.parts = [2]uint32{w.mask &^ leaving, leaving}
	w.tellSplit(w.mask, t.parts[:])
}

func (w *warp) tellSplit(m uint32, parts []uint32) {
	e := &w.core.told.split
	w.stepInto(&e.Step, m)
	e.Parts = parts
	w.core.listener.Split(e)
}

func (w *warp) tellJoin(a, b *group) {
	l := w.core.listener
	if l == nil {
		return
	}
	t := &w.core.told
	t.parts = [2]uint32{a.mask, b.mask}
	w.stepInto(&t.join.Step, a.mask|b.mask)
	t.join.Active, t.join.PC, t.join.Parts = a.mask|b.mask, uint32(a.pc), t.parts[:]
	l.Join(&t.join)
}

func (w *warp) tellExit(m uint32) {
	if l := w.core.listener; l != nil {
		s := &w.core.told.step
		w.stepInto(s, m)
		l.Exit(s)
	}
}

func (w *warp) tellFence(what *event.Fence, m uint32) {
	if l := w.core.listener; l != nil {
		e := &w.core.told.fence
		e.Scope, e.Order = what.Scope, what.Order
		w.stepInto(&e.Step, m)
		l.Fence(e)
	}
}
