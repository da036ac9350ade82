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
	fenced [levels]*marks // those that have been before
	heard  [levels]*marks // those before the writes that reads have observed before
}

func (s *sequential) join(other *sequential, height int) *sequential {
	switch {
	case s == other || other == nil:
		return s
	case s == nil:
		return other
	}
	var out sequential
	for l := range levels {
		out.fenced[l] = s.fenced[l].join(other.fenced[l], height)
		out.heard[l] = s.heard[l].join(other.heard[l], height)
	}
	return out.shared(s, other)
}

// shared returns one of two that is the same already, or a new one.
func (s sequential) shared(with, or *sequential) *sequential {
	switch {
	case s == (sequential{}):
		return nil
	case with != nil && s == *with:
		return with
	case or != nil && s == *or:
		return or
	}
	kept := s // only what is kept goes to the heap
	return &kept
}

// abroad is what counts in another block.
func (s *sequential) abroad() *sequential { return s.without(everywhere) }

// without drops the first levels, once a thread's own fence stands for them: what was fenced and heard before
// is among what the thread knows then.
func (s *sequential) without(reach int) *sequential {
	if s == nil {
		return nil
	}
	out := *s
	for l := range reach {
		out.fenced[l], out.heard[l] = nil, nil
	}
	return out.shared(s, nil)
}

// ownFences are the last fences of one thread, by level: what it knew of others, and its epoch then.
// Epoch 0 stands for none.
type ownFences [levels]struct {
	threads *node
	epoch   uint32
}

// mark is one of the fences, of some threads.
func (f *ownFences) mark(level int, warp, lanes uint32) mark {
	return mark{warp: warp, lanes: lanes, epoch: f[level].epoch, threads: f[level].threads}
}

// fencedBy adds the fences of threads of a warp that are alike, from a level on.
func (s *sequential) fencedBy(warp, lanes uint32, own *ownFences, from, height int) *sequential {
	var out sequential
	if s != nil {
		out = *s
	}
	for l := from; l < levels; l++ {
		if own[l].epoch != 0 {
			out.fenced[l] = out.fenced[l].with([]mark{own.mark(l, warp, lanes)}, height)
		}
	}
	return out.shared(s, nil)
}

// fence executes such a fence.
func (t *thread) fence(scope race.Scope, height int) {
	reach := reachOf(scope)
	if s := t.past.sc; s != nil {
		for l := range reach {
			for i := range s.heard[l].all() {
				t.past.hear(&s.heard[l].list[i], height)
			}
		}
	}
	for l := range reach {
		t.fences[l].threads, t.fences[l].epoch = t.past.threads, t.own
	}
	t.past.sc = t.past.sc.without(reach)
}

// hear adds what was fenced to what is known. Mostly the release before the same write has told it; what is firm may
// lack what the thread of the fence knew by locks.
func (c *clock) hear(m *mark, height int) {
	same := c.firm == c.threads
	if m.epoch == 0 || !m.within(c.threads, height) {
		c.threads = m.addTo(c.threads, height)
	}
	switch {
	case m.lock:
	case same:
		c.firm = c.threads
	default:
		c.firm = m.addTo(c.firm, height)
	}
}

// fenced is what is before a fence that is before a strong write, the writers' own fences apart.
type fenced struct {
	sc     *sequential
	fences ownFences
}

// fenced are the fences before a write, for one level.
func (r *written) fenced(level int, to []mark) []mark {
	f := &r.shows.fenced
	if f.fences[level].epoch != 0 {
		to = append(to, f.fences.mark(level, r.warp, r.lanes))
	}
	if f.sc != nil {
		to = append(to, f.sc.fenced[level].all()...)
	}
	return to
}

// hasFenced reports whether there are any that count for a thread.
func (r *written) hasFenced(level int, at place) bool {
	f := &r.shows.fenced
	return (level != inBlock || int32(r.warp>>fanBits) == at.block) && (f.fences[level].epoch != 0 || f.sc != nil && f.sc.fenced[level] != nil)
}

// unheard are the fences before a record of which a thread does not know what was fenced, for one level.
func (t *thread) unheard(r *record, level, height int, to []mark) []mark {
	if !r.hasFenced(level, t.place) {
		return nil
	}
	known := t.past.firm
	if r.lock {
		known = t.past.threads
	}
	out := to[:0]
	for _, m := range r.fenced(level, to) {
		if !m.within(known, height) {
			m.lock = m.lock || r.lock
			out = append(out, m)
		}
	}
	return out
}

// hasHeard reports whether a thread knows what was fenced before a record, for one level.
func (t *thread) hasHeard(r *record, level, height int) bool {
	var few [maxMarks + 1]mark
	return len(t.unheard(r, level, height, few[:0])) == 0
}

// hear notes what was fenced before a record that a thread has observed.
func (t *thread) hear(r *record, height int) {
	var few [maxMarks + 1]mark
	for l := range levels {
		list := t.unheard(r, l, height, few[:0])
		if len(list) == 0 {
			continue
		}
		var out sequential
		if t.past.sc != nil {
			out = *t.past.sc
		}
		out.heard[l] = out.heard[l].with(list, height)
		t.past.sc = out.shared(t.past.sc, nil)
	}
}

// inheritFences returns what was fenced before a read-modify-write, given the record that it has read,
// and whether that record has added something.
func (r *record) inheritFences(read *record, height int) (fenced, bool) {
	f := r.shows.fenced
	var out sequential
	if f.sc != nil {
		out = *f.sc
	}
	for l := range levels {
		if !read.hasFenced(l, r.place()) {
			continue
		}
		var few [maxMarks + 1]mark
		list := read.fenced(l, few[:0])
		n := 0
		for i := range list {
			if !list[i].within(f.fences[l].threads, height) {
				list[n] = list[i]
				n++
			}
		}
		if n > 0 {
			out.fenced[l] = out.fenced[l].with(list[:n], height)
		}
	}
	own := f.sc
	f.sc = out.shared(own, nil)
	return f, f.sc != own
}

// meet adds the fences of threads that meet at a barrier.
func (s *sequential) meet(arrived []arrival, height int) *sequential {
	var out sequential
	if s != nil {
		out = *s
	}
	for l := range levels {
		var few [maxMarks]mark
		list := few[:0]
		for i := range arrived {
			a := &arrived[i]
			if a.fences[l].epoch == 0 || a.relaxed || a.lanes == 0 {
				continue
			}
			list = append(list, a.fences.mark(l, a.warp.number, a.lanes))
		}
		if len(list) > maxMarks {
			list = newMarks(list, height).list
		}
		out.fenced[l] = out.fenced[l].with(list, height)
	}
	return out.shared(s, nil)
}
