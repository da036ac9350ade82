package causality

// This file defines fences of sequential consistency. All such fences whose scopes include each
// other's threads are in one order (PTX ISA, "Fence-SC"), and each synchronizes with those behind it.
// The order is not seen in a run; but where a write behind the one fence was observed before the other
// one, behind and before meaning causality, no other order is possible.

import "github.com/warplint/warplint/analysis/race"

// The levels of such fences: for threads of the same block, and for all. A wide fence is on both.
const (
	inBlock = iota
	everywhere
	levels
)

// reachOf returns how many of the levels a scope takes part in. The fences of a cluster count as those
// of a block.
func reachOf(scope race.Scope) int {
	if scope >= race.ScopeDevice {
		return levels
	}
	return everywhere
}

// sequential is what a clock knows of these fences, by level; it is immutable and shared. Nil knows
// nothing.
type sequential struct {
	fenced [levels]*node // what is before one of them that has been before
	heard  [levels]*node // what was fenced before the writes that reads have observed before
	firm   [levels]*node // the same, but for what the hand-over of locks has told
}

func (s *sequential) join(other *sequential) *sequential {
	switch {
	case s == other || other == nil:
		return s
	case s == nil:
		return other
	}
	var out sequential
	for l := range levels {
		out.fenced[l] = join(s.fenced[l], other.fenced[l])
		out.heard[l] = join(s.heard[l], other.heard[l])
		if s.heard[l] == s.firm[l] && other.heard[l] == other.firm[l] {
			out.firm[l] = out.heard[l]
		} else {
			out.firm[l] = join(s.firm[l], other.firm[l])
		}
	}
	switch out {
	case *s:
		return s
	case *other:
		return other
	}
	return &out
}

// abroad is what counts in another block.
func (s *sequential) abroad() *sequential {
	if s == nil || s.fenced[inBlock] == nil && s.heard[inBlock] == nil {
		return s
	}
	out := *s
	out.fenced[inBlock], out.heard[inBlock], out.firm[inBlock] = nil, nil, nil
	if out == (sequential{}) {
		return nil
	}
	return &out
}

// ownFences are the last fences of one thread, by level: what it knew of others, and its epoch then.
// Epoch 0 stands for none.
type ownFences [levels]struct {
	threads *node
	epoch   uint32
}

// fencedBy adds the fences of threads of a warp that are alike.
func (s *sequential) fencedBy(warp, lanes uint32, own *ownFences, height int) *sequential {
	for l := range own {
		f := &own[l]
		if f.epoch == 0 {
			continue
		}
		var out sequential
		if s != nil {
			out = *s
		}
		out.fenced[l] = put(join(out.fenced[l], f.threads), height-1, 0, warp<<fanBits, leaf(lanes, f.epoch))
		s = &out
	}
	return s
}

// fence executes such a fence.
func (t *thread) fence(scope race.Scope) {
	reach := reachOf(scope)
	if s := t.past.sc; s != nil {
		for l := range reach {
			firm := t.past.firm == t.past.threads && s.heard[l] == s.firm[l]
			t.past.threads = join(t.past.threads, s.heard[l])
			if firm {
				t.past.firm = t.past.threads
			} else {
				t.past.firm = join(t.past.firm, s.firm[l])
			}
		}
		t.past = t.past.settled()
	}
	for l := range reach {
		t.fences[l].threads, t.fences[l].epoch = t.past.threads, t.own
	}
	t.past.sc = t.past.sc.without(reach)
}

// without drops some levels, once a thread's own fence stands for them: what was fenced and heard before is
// among what the thread knows then.
func (s *sequential) without(reach int) *sequential {
	if s == nil {
		return nil
	}
	out := *s
	for l := range reach {
		out.fenced[l], out.heard[l], out.firm[l] = nil, nil, nil
	}
	if out == (sequential{}) {
		return nil
	}
	return &out
}

// fenced is what is before a fence that is before a strong write, the writers' own fences apart.
type fenced struct {
	sc     *sequential
	fences ownFences
}

// fencedWithin reports whether it is known for one level. Who knows a thread up to the epoch of a fence
// knows what the thread did then.
func (r *record) fencedWithin(level int, known *node, height int) bool {
	f := &r.shows.fenced
	if own := &f.fences[level]; own.epoch != 0 && !known.covers(height, r.warp<<fanBits, r.lanes, own.epoch) {
		return false
	}
	return f.sc == nil || f.sc.fenced[level].within(known)
}

// fencedAt returns it for one level.
func (r *record) fencedAt(level, height int) *node {
	f := &r.shows.fenced
	var known *node
	if f.sc != nil {
		known = f.sc.fenced[level]
	}
	if own := &f.fences[level]; own.epoch != 0 {
		known = put(join(known, own.threads), height-1, 0, r.warp<<fanBits, leaf(r.lanes, own.epoch))
	}
	return known
}

// hasHeard reports whether a thread knows what was fenced before a record, for one level.
func (t *thread) hasHeard(r *record, level, height int) bool {
	f := &r.shows.fenced
	if level == inBlock && r.place.block != t.place.block || f.fences[level].epoch == 0 && (f.sc == nil || f.sc.fenced[level] == nil) {
		return true
	}
	return (r.lock || t.past.firm == t.past.threads) && r.fencedWithin(level, t.past.threads, height)
}

// hear notes what was fenced before a record that a thread has observed.
func (t *thread) hear(r *record, height int) {
	for l := range levels {
		if t.hasHeard(r, l, height) {
			continue
		}
		known := r.fencedAt(l, height)
		if known == nil {
			continue
		}
		var out sequential
		if t.past.sc != nil {
			out = *t.past.sc
		}
		heard := join(out.heard[l], known)
		if heard == out.heard[l] {
			continue
		}
		switch {
		case r.lock:
		case out.firm[l] == out.heard[l]:
			out.firm[l] = heard
		default:
			out.firm[l] = join(out.firm[l], known)
		}
		out.heard[l] = heard
		t.past.sc = &out
		t.past.assumed = join(t.past.assumed, known)
	}
}

// inheritFences returns what was fenced before a read-modify-write, given the record that it has read,
// and whether that record has added something.
func (r *record) inheritFences(read *record, height int) (fenced, bool) {
	f := r.shows.fenced
	var from sequential
	for l := range levels {
		if l != inBlock || read.place.block == r.place.block {
			if !read.fencedWithin(l, f.fences[l].threads, height) {
				from.fenced[l] = read.fencedAt(l, height)
			}
		}
	}
	if from == (sequential{}) {
		return f, false
	}
	own := f.sc
	f.sc = own.join(&from)
	return f, f.sc != own
}

// fencesOf are the fences of threads that meet at a barrier.
func fencesOf(arrived []arrival, height int) *sequential {
	var out sequential
	for l := range levels {
		var last *node
		for i := range arrived {
			a := &arrived[i]
			f := &a.fences[l]
			if f.epoch == 0 || a.relaxed || a.lanes == 0 {
				continue
			}
			if f.threads != last {
				out.fenced[l], last = join(out.fenced[l], f.threads), f.threads
			}
			out.fenced[l] = put(out.fenced[l], height-1, 0, a.warp.number<<fanBits, leaf(a.lanes, f.epoch))
		}
	}
	if out == (sequential{}) {
		return nil
	}
	return &out
}
