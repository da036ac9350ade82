package causality

// This file defines tables: accesses of one word that are found by their warp, where there may be many.

// table is a list of accesses.
type table struct {
	list []entry
	// index finds those of a warp, once there are many.
	index map[uint32][]int32
}

const manyEntries = 24

func (t *table) add(e *entry) {
	if t.index != nil {
		t.index[e.warp] = append(t.index[e.warp], int32(len(t.list)))
	}
	t.list = append(t.list, *e)
	if t.index == nil && len(t.list) > manyEntries {
		t.reindex()
	}
}

func (t *table) reindex() {
	t.index = nil
	if len(t.list) <= manyEntries {
		return
	}
	t.index = make(map[uint32][]int32, len(t.list))
	for i := range t.list {
		w := t.list[i].warp
		t.index[w] = append(t.index[w], int32(i))
	}
}

// drop forgets the accesses for which a function says so.
func (t *table) drop(gone func(*entry) bool) {
	kept := t.list[:0]
	for i := range t.list {
		if o := t.list[i]; !gone(&o) {
			kept = append(kept, o)
		}
	}
	if len(kept) != len(t.list) {
		t.list = kept
		t.reindex()
	}
}

// absorb makes an access of the table stand for one of the same warp, if that is possible. Lanes that do
// the same with one instruction in one epoch are joined, unless locks want them apart.
func (t *table) absorb(e *entry, join bool) bool {
	if t.index == nil {
		for i := range t.list {
			if o := &t.list[i]; o.warp == e.warp && o.absorb(e, join) {
				return true
			}
		}
		return false
	}
	for _, i := range t.index[e.warp] {
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
