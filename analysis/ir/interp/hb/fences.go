package hb

import "github.com/warplint/warplint/analysis/race"

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
// Two such fences are in one order if each one's scope includes the other's thread. So there are two vectors: of fences of
// the device or wider, and of all fences of the threads of one block, __threadfence_block() among them.
//
// What a thread has fenced is what precedes the fences X in its past, what it has sighted what precedes
// those that it has observed so. Both go along with the thread and by barriers; on other ways, which
// are rare, they do not, so that less is ordered than could be.

// fences are what precedes sequentially consistent fences.
type fences struct {
	device vector // those of the device
	block  vector // those of the block that it is spoken of in
}

func (f *fences) isEmpty() bool { return len(f.device) == 0 && len(f.block) == 0 }

// add adds what precedes other fences: of the device's if strong accesses reach so far, of the block's if they are of one block.
func (f *fences) add(o *fences, wide, sameBlock bool) {
	if wide {
		f.device = join(f.device, o.device)
	}
	if sameBlock {
		f.block = join(f.block, o.block)
	}
}

// sequential is a fence: as Y for what was sighted, and as X from here on.
func (t *thread) sequential(scope race.Scope) {
	wide := scope >= race.ScopeDevice
	before := t.sighted.block
	if wide {
		before = join(before, t.sighted.device)
	}
	if len(before) > 0 {
		t.past.each(allOrders, nil, func(v, _ vector) vector { return join(v, before) })
	}
	all := t.past.real.with([]int{t.id}, []uint32{t.own})
	t.fenced.add(&fences{device: all, block: all}, wide, true)
	t.own++
}

// fencedBefore is what the writers of a location have fenced up to a record, which may be nil, for a thread that writes next.
func (r *record) fencedBefore(next *thread) (out fences) {
	if r != nil {
		out.add(&r.fenced, true, r.writer.place.block == next.place.block)
	}
	return out
}
