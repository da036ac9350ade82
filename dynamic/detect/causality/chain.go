package causality

// This file lets lanes that are alike stay so when they update one location with one instruction.
//
// DESIGN. They do it one after the other, so each lane observes what those below it publish: no two lanes observe the
// same. Mostly nothing comes of it, as a barrier of the warp follows, behind which they all know each other. So what
// they have observed is said once, as a record of all of them of which each lane has observed the part of those below
// it. Only if a fence comes first does each lane get a state of its own.

import (
	"math/bits"
	"slices"

	"github.com/warplint/warplint/dynamic/event"
)

// maxBelow bounds the chains that lanes have in mind while they are alike.
const maxBelow = 8

// chained reports whether the updates of one location by lanes that are alike come down to one, but for what each lane
// observes of those below it. Nothing races with any of them then.
func (d *Detector) chained(t *thread, lanes uint32, a *event.Access, e entry, s strength) bool {
	if t.each || d.acquires || s.acquire || bits.OnesCount32(lanes) < fewLanes || len(t.releasedAt)+len(t.seen) > 0 || len(t.below) >= maxBelow {
		return false
	}
	at := d.at(a.Space, a.Owner, a.Addr[firstLane(lanes)])
	c := d.shadow.peek(at)
	if c == nil || d.inUse && (c.isLock(at) || t.w.block.hasLock(at)) {
		return false
	}
	if r := c.record(at, int(e.size)); r != nil && r.lock {
		return false
	}
	return d.friendly(t.w, a, e, at)
}

// chain makes each lane of a state observe what the lanes below it publish with a record of all of them.
func (t *thread) chain(r *record) {
	for _, o := range t.below {
		if o.shows == r.shows && o.lanes == r.lanes && o.epoch == r.epoch {
			return
		}
	}
	t.below = append(t.below, reading{r, t.own})
}

// below is what a lane observes of a chain.
func (r *record) below(lane int) *record {
	out := *r
	out.lanes &= 1<<lane - 1
	return &out
}

// forgetChains forgets the chains of which all lanes know all.
func (t *thread) forgetChains(height int) {
	if len(t.below) > 0 {
		t.below = slices.DeleteFunc(t.below, func(r reading) bool { return t.knows(r.record, height) })
	}
}

// unchain gives lanes of a set that have observed different parts of a chain states of their own.
func (w *warpState) unchain(set uint32, height int) {
	for rest := set; rest != 0; {
		t := w.at(firstLane(rest))
		rest &^= t.lanes
		if t.forgetChains(height); len(t.below) == 0 {
			continue
		}
		for lanes := t.lanes; lanes != 0; lanes &= lanes - 1 {
			lane := firstLane(lanes)
			u := w.take(lane, 1<<lane)
			for _, r := range u.below {
				if part := r.below(lane); part.lanes != 0 {
					u.unread = append(u.unread, reading{part, r.epoch})
				}
			}
			if u.below = nil; len(u.unread) >= maxUnread {
				u.digest(height)
			}
		}
	}
}

// meets reports whether all lanes of each chain that a state has in mind are among those of a set.
func (t *thread) meets(lanes uint32) bool {
	return !slices.ContainsFunc(t.below, func(r reading) bool { return r.lanes&^lanes != 0 })
}

// above returns those of some lanes that have observed a thread, if it is one of a chain's.
func (r *written) above(lanes, first uint32) uint32 {
	if first>>fanBits != r.warp {
		return lanes
	}
	return lanes &^ (2<<(first&(fan-1)) - 1)
}
