package hb

// This file defines what sequentially consistent fences order beyond the patterns of release and
// acquire, as __threadfence() makes them. All such fences stand in one order (PTX ISA, "Fence-SC").
// Let X be one, W a strong write behind it in causality order, R a strong read that observes W or a
// later write of the location, and Y a fence behind R in causality order. If Y came before X, R would
// come before W and read from it nonetheless, which the causality axiom forbids. So X comes before Y,
// and what precedes X precedes what follows Y. X and W, and R and Y, may be of different threads with a
// barrier between, where no release or acquire pattern holds:
//
//	data[i] = v; __threadfence(); __syncthreads(); if (t == 0) last = atomicAdd(&n, 1) == most;
//
// A thread's fenced vector is what precedes the fences X in its past, its sighted vector what precedes
// those that it has observed so. Both go along with the thread and by barriers; on other ways, which
// are rare, they do not, so that less is ordered than could be.

// sequential is a fence: as Y for what was sighted, and as X from here on.
func (t *thread) sequential() {
	if len(t.sighted) > 0 {
		t.past.each(allOrders, nil, func(v, _ vector) vector { return join(v, t.sighted) })
	}
	t.fenced = join(t.fenced, t.past.real.with([]int{t.id}, []uint32{t.own}))
	t.own++
}

// fencedBefore is what the writers of a location have fenced up to a record, which may be nil.
func (r *record) fencedBefore() vector {
	if r == nil {
		return nil
	}
	return r.fenced
}
