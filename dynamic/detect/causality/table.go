package causality

// This file defines tables: accesses of one word in the order of their warps, where there may be many.

import "slices"

// table is a list of accesses; those of one warp are together.
type table struct{ list []entry }

// find returns the place of a warp's first access, or where it would be.
func (t *table) find(warp uint32) int {
	low, high := 0, len(t.list)
	for low < high {
		if middle := int(uint(low+high) >> 1); t.list[middle].warp < warp {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

func (t *table) add(e *entry) { t.list = slices.Insert(t.list, t.find(e.warp), *e) }

// drop forgets the accesses for which a function says so.
func (t *table) drop(gone func(*entry) bool) {
	n := 0
	for i := range t.list {
		o := &t.list[i]
		if gone(o) {
			continue
		}
		if n != i {
			t.list[n] = *o
		}
		n++
	}
	t.list = t.list[:n]
}

// absorb makes an access of the table stand for one of the same warp, if that is possible. Lanes that do
// the same with one instruction in one epoch are joined, unless locks want them apart.
func (t *table) absorb(e *entry, join bool) bool {
	for i := t.find(e.warp); i < len(t.list) && t.list[i].warp == e.warp; i++ {
		if t.list[i].absorb(e, join) {
			return true
		}
	}
	return false
}

func (e *entry) absorb(other *entry, join bool) bool {
	switch {
	case join && e.epoch == other.epoch && e.pc == other.pc && e.mask == other.mask && e.size == other.size && e.flags == other.flags && e.kind == other.kind:
		e.lanes |= other.lanes
		return true
	case e.kind != other.kind && e.epoch == other.epoch && other.lanes&^e.lanes == 0 && e.standsFor(other):
		return true // nothing new
	case e.lanes&^other.lanes != 0 || e.epoch > other.epoch || !other.standsFor(e):
		return false
	}
	*e = *other
	return true
}
