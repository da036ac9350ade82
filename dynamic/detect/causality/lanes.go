package causality

// This file defines the state of a warp. Lanes that are alike share one state, so that what all of them
// do costs as much as if one did it. They part when they do different things, and unite again.

import (
	"maps"
	"slices"
)

// warpState is a warp's.
type warpState struct {
	block  *block
	number uint32 // the block's times 32, plus the warp in the block
	place  place
	lanes  uint32 // that have not exited
	// whole is the state of all lanes, unless they have parted: then each has its own in of.
	whole   thread
	of      *[fan]*thread
	parted  bool
	meeting []arrival // at a barrier of the warp
	// polling has the lanes whose last access was a strong read, of polled, and noted those of them whose
	// polling is known.
	polling, noted uint32
	polled         *[fan]poll
	looks          *[fan]look // the last strong reads, by lane
	wait           *wait      // the last access, if the warp has waited with it
	waited         bool
	log            log
	copies         *[fan][2]copies // asynchronous ones, by lane
	last           *besides        // of runs
}

func (w *warpState) begin(b *block, number, lanes uint32, at place) {
	*w = warpState{
		block: b, number: number, place: at, lanes: lanes, of: w.of, meeting: w.meeting[:0], polled: w.polled, looks: w.looks, wait: w.wait, log: w.log.emptied(),
	}
	w.whole = thread{w: w, lanes: lanes, place: at, own: 1}
	if w.looks != nil {
		clear(w.looks[:])
	}
}

// at returns the state of a lane.
func (w *warpState) at(lane int) *thread {
	if w.parted {
		return w.of[lane]
	}
	return &w.whole
}

// take returns the state of a lane, which it shares with others of a set only.
func (w *warpState) take(lane int, set uint32) *thread {
	t := w.at(lane)
	if t.lanes&^set == 0 {
		return t
	}
	if w.of == nil {
		w.of = new([fan]*thread)
	}
	if !w.parted {
		for i := range w.of {
			w.of[i] = &w.whole
		}
		w.parted = true
	}
	t.room = nil // not for two
	u := new(thread)
	*u = *t
	u.unread, u.below = slices.Clone(t.unread), slices.Clone(t.below)
	u.releasedAt, u.seen = maps.Clone(t.releasedAt), maps.Clone(t.seen)
	for at, p := range u.seen {
		kept := *p
		u.seen[at] = &kept
	}
	if t.observed != nil {
		kept := *t.observed
		u.observed = &kept
	}
	u.lanes &= set
	t.lanes &^= set
	w.give(u)
	return u
}

// give makes a state that of its lanes.
func (w *warpState) give(t *thread) {
	for rest := t.lanes; rest != 0; rest &= rest - 1 {
		w.of[firstLane(rest)] = t
	}
}

// exit forgets lanes.
func (w *warpState) exit(lanes uint32) {
	w.lanes &^= lanes
	if !w.parted {
		w.whole.lanes &^= lanes
		return
	}
	for rest := lanes; rest != 0; rest &= rest - 1 {
		w.of[firstLane(rest)].lanes &^= lanes
	}
}

// unite lets lanes of a set share their state where it has become the same.
func (w *warpState) unite(set uint32) {
	if !w.parted {
		return
	}
	var kinds [fan]*thread
	n := 0
next:
	for rest := set & w.lanes; rest != 0; {
		t := w.of[firstLane(rest)]
		rest &^= t.lanes
		for _, u := range kinds[:n] {
			if u.like(t) {
				u.lanes, u.each = u.lanes|t.lanes, u.each || t.each
				w.give(u)
				continue next
			}
		}
		kinds[n] = t
		n++
	}
	if t := kinds[0]; n == 1 && t.lanes == w.lanes {
		if t != &w.whole {
			w.whole = *t
		}
		w.parted = false
	}
}

// like reports whether two states differ in nothing that matters; what only saves time is dropped where
// it differs.
func (t *thread) like(u *thread) bool {
	if t.own != u.own || t.past != u.past || t.fences != u.fences || !slices.Equal(t.unread, u.unread) || !slices.Equal(t.below, u.below) || t.observed != nil || u.observed != nil {
		return false
	}
	if len(t.releasedAt)+len(u.releasedAt)+len(t.seen)+len(u.seen) > 0 || !slices.EqualFunc(t.releases, u.releases, release.equals) {
		return false
	}
	if t.shown != u.shown {
		t.shown = shown{}
	}
	if t.last != u.last {
		t.last = nil
	}
	return true
}

// inStep reports whether some lanes are in an epoch of theirs that has one number.
func (w *warpState) inStep(lanes, epoch uint32) bool {
	if !w.parted {
		return w.whole.own == epoch
	}
	for rest := lanes; rest != 0; {
		t := w.at(firstLane(rest))
		if t.own != epoch {
			return false
		}
		rest &^= t.lanes
	}
	return true
}
