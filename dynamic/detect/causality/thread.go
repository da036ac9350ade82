package causality

// This file defines what is known of threads, and what synchronizes them: fences, and strong writes that
// strong reads observe.

import (
	"slices"

	"github.com/warplint/warplint/analysis/race"
)

// place is where a thread is, as far as scopes go.
type place struct{ block, cluster int32 }

// distance is how far apart two threads are, as the narrowest scope that holds both.
func distance(a, b place) race.Scope {
	switch {
	case a.block == b.block:
		return race.ScopeBlock
	case a.cluster == b.cluster:
		return race.ScopeCluster
	}
	return race.ScopeDevice
}

// thread is the state of a thread, or of threads of a warp that are alike. A thread's number is its
// warp's times 32, plus its lane.
type thread struct {
	w     *warpState
	lanes uint32
	each  bool // what it knows is relative to each of its lanes (each.go)
	place place
	past  clock  // what happened before, but for the thread's own element
	own   uint32 // its present epoch, from 1
	// block is the epoch up to which it knows its whole block, according to what it knew of threads then.
	block   uint32
	blockAt *node
	known   known
	shown   shown
	// releases are its fences: each publishes with every strong write that follows.
	releases []release
	fences   ownFences    // the last of sequential consistency, since a barrier
	shows    *publication // what a strong write published last
	room     *publication // for the next one
	// observed is what it has read of others' releases and not acquired, the last of it in an epoch.
	observed   *pending
	observedAt uint32
	// releasedAt and seen are the same for one location: a release operation publishes with
	// later strong writes of its location, too, and an acquire operation acquires what earlier
	// strong reads of its location have observed.
	releasedAt map[location][]release
	seen       map[location]*pending
	last       *record // observed last, to pass over repeated reads
	// unread are records that have been observed: what they publish is looked at when it matters, as
	// most are overtaken by later ones of their kind.
	unread  []reading
	knownAs uint32    // the number of what it knew of threads (trail.go)
	below   []reading // chains of which each lane has observed a part, see chain.go
}

// reading is a record that a thread has observed in some epoch.
type reading struct {
	*record
	epoch uint32
}

// known are lanes of a warp that a thread knew up to an epoch, according to what it knew of threads then.
type known struct {
	threads            *node
	warp, lanes, epoch uint32
}

// shown is what a thread knew, and its epoch, when it published last.
type shown struct {
	threads, firm *node
	epoch         uint32
}

// first is the number of the warp's first thread.
func (t *thread) first() uint32 { return t.w.number << fanBits }

// hasMet reports whether a thread knows all of its block up to an epoch, as it mostly does behind a barrier.
func (t *thread) hasMet(epoch uint32, height int) bool {
	if t.blockAt != t.past.threads {
		t.blockAt, t.block = t.past.threads, t.past.threads.floorAt(height, 1, t.first())
	}
	return t.block >= epoch
}

// hasKnown reports whether a thread knows lanes of a warp up to an epoch, and has that in mind, as it mostly is asked again.
func (t *thread) hasKnown(warp, lanes, epoch uint32, height int) bool {
	if k := &t.known; k.threads == t.past.threads && k.warp == warp && lanes&^k.lanes == 0 && epoch <= k.epoch {
		return true
	}
	if !t.past.threads.covers(height, warp<<fanBits, lanes, epoch) {
		return false
	}
	t.known = known{t.past.threads, warp, lanes, epoch}
	return true
}

// pending is what a thread may acquire, by the scope that an acquiring operation must have.
type pending [race.ScopeDevice + 1]clock

// snapshot publishes what the thread knows now; what it does next belongs to a new epoch.
func (t *thread) snapshot(scope race.Scope) release { return t.snapshotIn(new(content), scope) }

func (t *thread) snapshotIn(c *content, scope race.Scope) release {
	c.past, c.fences = t.past, t.fences
	r := release{place: t.place, scope: scope, warp: t.w.number, epoch: t.own, content: c}
	t.shown = shown{t.past.threads, t.past.firm, t.own}
	t.own++
	return r
}

// released makes a snapshot the first of the thread's fences. If there is no other one, it is in one piece with
// the list and with what the next strong write makes of it, as lanes that take locks do this all the time.
func (t *thread) released(scope race.Scope) {
	for i := range t.releases {
		if t.releases[i].scope > scope {
			t.releases = addRelease(t.releases, t.snapshot(scope))
			return
		}
	}
	x := new(struct {
		content
		list  [1]release
		shows publication
	})
	x.list[0] = t.snapshotIn(&x.content, scope)
	t.releases, t.room = x.list[:], &x.shows
}

// acquire takes what is pending into the past, as far as the scope reaches.
func (t *thread) acquire(p *pending, scope race.Scope, height int) {
	for need := race.ScopeBlock; need <= min(scope, race.ScopeDevice); need++ {
		t.learn(p[need], height)
	}
}

// learn adds a clock to the past. An epoch ends when it is published, so that a clock that knows the
// thread up to what it published last holds all that the thread knew then: no need to join them, if
// the thread has learnt nothing since. This is what passes on in most hand-overs of a lock.
func (t *thread) learn(c clock, height int) {
	past := t.past
	if past.threads == t.shown.threads && t.shownIn(c.threads, height) {
		past.threads = nil
	}
	if past.firm == t.shown.firm && t.shownIn(c.firm, height) {
		past.firm = nil
	}
	t.past = past.join(c, height)
}

// shownIn reports whether what the thread published last is in what somebody knows.
func (t *thread) shownIn(known *node, height int) bool {
	return known.covers(height, t.first(), t.lanes, t.shown.epoch) || t.each && known.covers(height, t.first(), ownLane, t.shown.epoch)
}

// maxUnread bounds the records that a thread has not looked at.
const maxUnread = 32

// pass makes ready to go on to others what a thread has heard, and forgets what it has nothing to learn from.
func (t *thread) pass(height int) {
	if len(t.unread) == 0 {
		return
	}
	t.unread = slices.DeleteFunc(t.unread, func(r reading) bool { return t.knows(r.record, height) })
	for _, r := range t.unread {
		t.hear(r.record, height)
	}
}

// digest joins all that a thread has observed.
func (t *thread) digest(height int) {
	t.pass(height)
	for _, r := range t.unread {
		t.observe(r.record, &t.observed, height)
		t.observedAt = r.epoch
	}
	clear(t.unread)
	t.unread = t.unread[:0]
}

// acquireAll acquires what a thread has observed, the last first: that mostly knows the others. What takes a
// wider scope is left. Of the first levels one of the thread's own fences follows, which stands for those of the others.
func (t *thread) acquireAll(scope race.Scope, reach, height int) {
	for i := len(t.unread) - 1; i >= 0; i-- {
		r := t.unread[i].record
		if t.knows(r, height) {
			t.unread = slices.Delete(t.unread, i, i+1)
			continue
		}
		left := false
		for j := range r.shows.releases {
			e := &r.shows.releases[j]
			need := distance(e.place, t.place)
			switch {
			case e.scope < need || t.expects(r, e, nil, need, height):
			case need > scope:
				left = true
			default:
				t.take(r, e, reach, height)
			}
		}
		if t.hear(r, height); !left {
			t.unread = slices.Delete(t.unread, i, i+1)
		}
	}
	if t.observed != nil {
		t.acquire(t.observed, scope, height)
		if scope >= race.ScopeDevice {
			t.observed = nil
		}
	}
}

// take learns what a release of a record publishes, but for its own fences of the first levels. It comes to the same as
// to learn the news, and puts nothing together that is not kept.
func (t *thread) take(r *record, e *release, reach, height int) {
	x := e.by(r.lanes)
	c := x.whole()
	if x.place.block != t.place.block {
		c.sc, reach = c.sc.abroad(), max(reach, everywhere)
	}
	if r.lock {
		c.firm = nil
	}
	t.learn(c, height)
	if x.epoch == 0 {
		return
	}
	sub := leaf(x.lanes, x.epoch)
	if r.lock {
		t.past.threads = put(t.past.threads, height-1, 0, x.warp<<fanBits, sub)
	} else {
		t.past.know(height-1, 0, x.warp<<fanBits, sub)
	}
	if reach < levels {
		t.past.sc = t.past.sc.fencedBy(x.warp, x.lanes, &x.fences, reach, height)
	}
}

// news is what a thread may learn from a release of a record.
func (t *thread) news(r *record, e *release, height int) clock {
	x := e.by(r.lanes)
	known := x.knowledge(r.lock, height)
	if r.lock {
		known.firm = nil
	}
	if e.place.block != t.place.block {
		known.sc = known.sc.abroad()
	}
	return known
}

// knows reports whether a thread has nothing to learn from a record.
func (t *thread) knows(r *record, height int) bool {
	past := t.past
	if r.lock {
		past.firm = past.threads // which a lock doesn't add to
	}
	if r.shows.foreign || !past.has(r.warp, r.lanes, r.epoch, height) {
		return false
	}
	for i := range r.shows.releases {
		if !r.shows.releases[i].known(r.lanes, &past, height) {
			return false
		}
	}
	return true
}

// strength is how an access takes part in synchronization.
type strength struct {
	strong           bool
	scope            race.Scope
	acquire, release bool
}

// published is what a strong write publishes.
func (t *thread) published(at location, s strength) *publication {
	list, here := t.releases, t.releasedAt[at]
	if s.release || len(here) > 0 {
		list = append(append([]release(nil), list...), here...)
	}
	if s.release {
		r := t.snapshot(s.scope)
		if t.releasedAt == nil {
			t.releasedAt = map[location][]release{}
		}
		t.releasedAt[at] = addRelease(here, r)
		list = append(list, r)
	}
	if p := t.shows; p == nil || p.fenced.sc != t.past.sc || p.fenced.fences != t.fences || !same(p.releases, list) {
		if t.shows = nothing; len(list) > 0 || t.past.sc != nil || t.fences != (ownFences{}) {
			if t.shows = t.room; t.shows == nil {
				t.shows = new(publication)
			}
			*t.shows, t.room = publication{releases: list, fenced: fenced{sc: t.past.sc, fences: t.fences}, each: t.each}, nil
		}
	}
	return t.shows
}

// same reports whether two lists of releases are equal, which they mostly are because they are one.
func same(a, b []release) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}

// observe adds the releases of a record to what a thread may acquire.
func (t *thread) observe(r *record, to **pending, height int) {
	for i := range r.shows.releases {
		e := &r.shows.releases[i]
		need := distance(e.place, t.place)
		if e.scope < need || t.expects(r, e, *to, need, height) {
			continue
		}
		if *to == nil {
			*to = new(pending)
		}
		(*to)[need] = (*to)[need].join(t.news(r, e, height), height)
	}
}

// expects reports whether a thread knows what a release of a record publishes, or may acquire it already
// with a scope that is no wider.
func (t *thread) expects(r *record, e *release, p *pending, need race.Scope, height int) bool {
	knows := func(c clock) bool {
		if r.lock {
			c.firm = c.threads // which a lock doesn't add to
		}
		return e.known(r.lanes, &c, height)
	}
	if knows(t.past) {
		return true
	}
	for s := race.ScopeBlock; p != nil && s <= need; s++ {
		if knows(p[s]) {
			return true
		}
	}
	return false
}

// heeds reports whether some threads of a state may learn something from a record with a strong read.
func (t *thread) heeds(r *record, lanes uint32, scope race.Scope, height int) bool {
	if r == nil || t.last == r || r.shows == nothing || r.warp == t.w.number && r.lanes == lanes && lanes&(lanes-1) == 0 {
		return false
	}
	return linked(r, t.place, scope) && !t.above(r, height)
}

// above reports whether a thread knows all that a record publishes.
func (t *thread) above(r *record, height int) bool {
	past := t.past
	if r.lock {
		past.firm = past.threads
	}
	for i := range r.shows.releases {
		if !r.shows.releases[i].known(r.lanes, &past, height) {
			return false
		}
	}
	for l := range levels {
		if !t.hasHeard(r, l, height) {
			return false
		}
	}
	return true
}

// read makes a thread observe a record with a strong read, for an acquire operation if some may come.
func (t *thread) read(r *record, height int, acquires bool) {
	t.last, r.observed = r, true
	t.unread = slices.DeleteFunc(t.unread, func(o reading) bool { return o.at == r.at && r.overtakes(o.record, height) })
	if t.unread = append(t.unread, reading{r, t.own}); len(t.unread) >= maxUnread || acquires {
		t.digest(height)
	}
	if acquires {
		p := t.seen[r.location()]
		t.observe(r, &p, height)
		t.hear(r, height)
		if p == nil {
			return
		}
		if t.seen == nil {
			t.seen = map[location]*pending{}
		}
		t.seen[r.location()] = p
	}
}
