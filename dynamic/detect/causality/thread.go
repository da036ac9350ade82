package causality

// This file defines what is known of each thread, and what synchronizes threads: fences, and
// strong writes that strong reads observe.

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

// thread is a thread's state. Its number is its block's times 1024, plus its number there.
type thread struct {
	id    uint32
	place place
	past  clock  // what happened before, but for the thread's own element
	own   uint32 // its present epoch, from 1
	// shown is what it knew, and its epoch, when it published last.
	shown struct {
		threads, firm *node
		epoch         uint32
	}
	// releases are its fences: each publishes with every strong write that follows.
	releases []release
	fences   ownFences // the last of sequential consistency, since a barrier
	// observed is what it has read of others' releases and not acquired.
	observed *pending
	// released and seen are the same for one location: a release operation publishes with
	// later strong writes of its location, too, and an acquire operation acquires what earlier
	// strong reads of its location have observed.
	released map[uint64][]release
	seen     map[uint64]*pending
	last     *record // observed last, to pass over repeated reads
	// unread are records that have been observed: what they publish is looked at when it matters, as
	// most are overtaken by later ones of their kind.
	unread []*record
	copies [2]copies
	hints  *hints
}

// release is the first operation of release patterns, and what it publishes.
type release struct {
	place place
	scope race.Scope
	past  clock
	// id and epoch are an element that past lacks: snapshots are mostly never used, so they are
	// not put together before. Epoch 0 stands for none: then parts are the elements of all the releases
	// that have been joined, or nil if they are too many.
	id, epoch uint32
	parts     []part
	fences    ownFences
}

// part is an element of a clock that was published with all that its thread knew then, so that whoever
// knows the element knows that, too.
type part struct{ id, epoch uint32 }

// maxParts bounds those that a joined release remembers.
const maxParts = 2 * fan

// known reports whether a clock has all that a release publishes, as far as that is easily told.
func (r *release) known(c *clock, height int) bool {
	if r.epoch != 0 {
		return c.has(r.id, r.epoch, height)
	}
	for _, p := range r.parts {
		if !c.has(p.id, p.epoch, height) {
			return false
		}
	}
	return len(r.parts) > 0
}

// remembers reports whether a release publishes an element.
func (r *release) remembers(p part, height int) bool {
	return r.epoch != 0 && r.id == p.id && r.epoch >= p.epoch || r.past.has(p.id, p.epoch, height)
}

// elements are the parts of a release.
func (r *release) elements() []part {
	if r.epoch != 0 {
		return []part{{r.id, r.epoch}}
	}
	return r.parts
}

// partsOf are the elements of two releases, each once, without those that stand behind one of the other's.
func partsOf(a, b *release, height int) []part {
	x, y := a.elements(), b.elements()
	if len(x) == 0 || len(y) == 0 {
		return nil
	}
	var out []part
	for _, p := range x {
		if !b.remembers(p, height) {
			out = append(out, p)
		}
	}
	for _, p := range y {
		if !a.remembers(p, height) || slices.Contains(x, p) {
			out = append(out, p)
		}
	}
	if len(out) > maxParts {
		return nil
	}
	return out
}

// pending is what a thread may acquire, by the scope that an acquiring operation must have.
type pending [race.ScopeDevice + 1]clock

// snapshot publishes what the thread knows now; what it does next belongs to a new epoch.
func (t *thread) snapshot(scope race.Scope) release {
	r := release{place: t.place, scope: scope, past: t.past, id: t.id, epoch: t.own, fences: t.fences}
	t.shown.threads, t.shown.firm, t.shown.epoch = t.past.threads, t.past.firm, t.own
	t.own++
	return r
}

// softened makes what is firm the same as what is known of threads, for a lock's release, of which nobody
// takes what is firm.
func (r *release) softened(lock bool) {
	if lock {
		r.past.firm = r.past.threads
	}
}

// knowledge puts together what a release publishes.
func (r *release) knowledge(height int) clock {
	if r.epoch == 0 {
		return r.past
	}
	c := r.past
	c.know(height-1, 0, r.id, leaf(1<<(r.id&(fan-1)), r.epoch))
	c.sc = c.sc.fencedBy(r.id, &r.fences, height)
	return c
}

// addRelease adds a later release of a thread to its list; those that are no wider publish
// nothing more. The list itself is shared by records and stays as it is.
func addRelease(list []release, r release) []release {
	out := []release{r}
	for _, old := range list {
		if old.scope > r.scope {
			out = append(out, old)
		}
	}
	return out
}

// acquire takes what is pending into the past, as far as the scope reaches.
func (t *thread) acquire(p *pending, scope race.Scope, height int) {
	for need := race.ScopeBlock; need <= min(scope, race.ScopeDevice); need++ {
		t.learn(&p[need], height)
	}
	t.past = t.past.settled()
}

// learn adds a clock to the past. An epoch ends when it is published, so that a clock that knows the
// thread up to what it published last holds all that the thread knew then: no need to join them, if
// the thread has learnt nothing since. This is what passes on in most hand-overs of a lock.
func (t *thread) learn(c *clock, height int) {
	past := t.past
	first, lane := t.id&^(fan-1), uint32(1)<<(t.id&(fan-1))
	if past.threads == t.shown.threads && c.threads.covers(height, first, lane, t.shown.epoch) {
		past.threads = nil
	}
	if past.firm == t.shown.firm && c.firm.covers(height, first, lane, t.shown.epoch) {
		past.firm = nil
	}
	t.past = past.join(*c)
}

// maxUnread bounds the records that a thread has not looked at.
const maxUnread = 32

// digest makes all that a thread has observed ready to be acquired.
func (t *thread) digest(height int) {
	for _, r := range t.unread {
		if !t.knows(r, height) {
			t.observe(r, &t.observed, race.ScopeNone, height)
			t.hear(r, height)
		}
	}
	clear(t.unread)
	t.unread = t.unread[:0]
}

// acquireAll acquires what a thread has observed, the last first: that mostly knows the others.
func (t *thread) acquireAll(scope race.Scope, height int) {
	for i := len(t.unread) - 1; i >= 0; i-- {
		if r := t.unread[i]; !t.knows(r, height) {
			var p *pending
			if t.observe(r, &p, scope, height); p != nil {
				t.acquire(p, scope, height)
				t.postpone(p, scope)
			}
			t.hear(r, height)
		}
	}
	clear(t.unread)
	t.unread = t.unread[:0]
	if t.observed != nil {
		t.acquire(t.observed, scope, height)
		if scope >= race.ScopeDevice {
			t.observed = nil
		}
	}
}

// postpone keeps what takes a wider scope to acquire.
func (t *thread) postpone(p *pending, scope race.Scope) {
	for need := scope + 1; need <= race.ScopeDevice; need++ {
		if p[need] == (clock{}) {
			continue
		}
		if t.observed == nil {
			t.observed = new(pending)
		}
		t.observed[need] = t.observed[need].join(p[need])
	}
}

// knows reports whether a thread has nothing to learn from a record.
func (t *thread) knows(r *record, height int) bool {
	past := t.past
	if r.lock {
		past.firm = past.threads // which a lock doesn't add to
	}
	if r.foreign || !past.has(r.writer.id, r.epoch, height) {
		return false
	}
	for i := range r.releases {
		e := &r.releases[i]
		if !e.known(&past, height) {
			return false
		}
	}
	return true
}

// has reports whether a clock knows a thread up to an epoch, whatever locks are for.
func (c *clock) has(id, epoch uint32, height int) bool {
	first, lane := id&^(fan-1), uint32(1)<<(id&(fan-1))
	return c.firm.covers(height, first, lane, epoch) && (c.firm == c.threads || c.threads.covers(height, first, lane, epoch))
}

// overtakes reports whether whoever acquires what a record publishes has nothing to gain from an earlier
// one.
func (r *record) overtakes(old *record, height int) bool {
	if old.foreign || r.lock != old.lock {
		return false
	}
	later := func(id, epoch uint32, place place, scope race.Scope) bool {
		x := release{id: id, epoch: epoch, place: place, scope: scope}
		return slices.ContainsFunc(r.releases, func(z release) bool { return z.overtakes(&x, height) })
	}
	for i := range old.releases {
		if x := &old.releases[i]; !later(x.id, x.epoch, x.place, x.scope) {
			return false
		}
	}
	return later(old.writer.id, old.epoch, old.writer.place, race.ScopeDevice)
}

// overtakes reports whether whoever acquires a release has nothing to gain from another one.
func (r *release) overtakes(x *release, height int) bool {
	if x.scope > r.scope || r.scope < race.ScopeDevice && x.place != r.place {
		return false
	}
	return r.holds(x, height)
}

// holds reports whether a release publishes all that another one does, as far as that is easily told.
func (r *release) holds(x *release, height int) bool {
	if x.epoch != 0 {
		return r.remembers(part{x.id, x.epoch}, height)
	}
	for _, p := range x.parts {
		if !r.remembers(p, height) {
			return false
		}
	}
	return len(x.parts) > 0
}

// strength is how an access takes part in synchronization.
type strength struct {
	strong           bool
	scope            race.Scope
	acquire, release bool
}

// record is the last strong write of a location, as reads of it may observe it.
type record struct {
	at       uint64
	size     int
	pc       uint32
	writer   *thread
	epoch    uint32 // of the writer, at the write
	scope    race.Scope
	releases []release
	fenced   fenced
	lock     bool // it takes or gives back a lock
	foreign  bool // it carries on what other records had fenced
	observed bool // by another thread, so that it stays as it is
}

// linked reports whether a thread's strong access of some scope observes a record: their scopes
// include each other's threads.
func linked(r *record, t *thread, scope race.Scope) bool {
	need := distance(r.writer.place, t.place)
	return r.scope >= need && scope >= need
}

// published lists what a strong write publishes.
func (t *thread) published(at uint64, s strength) []release {
	list, here := t.releases, t.released[at]
	if !s.release && len(here) == 0 {
		return list
	}
	list = append(append([]release(nil), list...), here...)
	if s.release {
		r := t.snapshot(s.scope)
		if t.released == nil {
			t.released = map[uint64][]release{}
		}
		t.released[at] = addRelease(here, r)
		list = append(list, r)
	}
	return list
}

// maxChain bounds the releases that a chain of read-modify-writes keeps apart.
const maxChain = 16

// inherit adds what a record publishes to the list of a read-modify-write that has read it.
// Releases of one block and scope are joined. What a lock hands over is never firm, and so not told apart.
func inherit(list, from []release, lock bool, height int) []release {
	if len(from) == 0 {
		return list
	}
	out := append(make([]release, 0, len(list)+len(from)), list...)
	for i := range out {
		out[i].softened(lock)
	}
	for i := range from {
		r := from[i]
		r.softened(lock)
		if slices.ContainsFunc(out, func(o release) bool { return o.overtakes(&r, height) }) {
			continue
		}
		out = slices.DeleteFunc(out, func(o release) bool { return r.overtakes(&o, height) })
		j := 0
		for j < len(out) && (out[j].place != r.place || out[j].scope != r.scope) {
			j++
		}
		if j == len(out) && j >= maxChain && r.scope >= race.ScopeDevice {
			r.place, j = place{-1, -1}, 0 // nowhere: device-wide acquires only
			for j < len(out) && (out[j].place != r.place || out[j].scope != r.scope) {
				j++
			}
		}
		if j == len(out) {
			out = append(out, r)
			continue
		}
		if out[j].epoch != r.epoch || out[j].id != r.id || out[j].past != r.past {
			parts := partsOf(&out[j], &r, height)
			past := out[j].knowledge(height).join(r.knowledge(height))
			out[j].past, out[j].epoch, out[j].parts = past, 0, parts
		}
	}
	return out
}

// observe adds the releases of a record to what a thread may acquire, and assumes that it does, unless it
// is about to, with a scope.
func (t *thread) observe(r *record, to **pending, about race.Scope, height int) {
	for i := range r.releases {
		e := &r.releases[i]
		need := distance(e.place, t.place)
		if e.scope < need || t.expects(r, e, *to, need, height) {
			continue
		}
		if *to == nil {
			*to = new(pending)
		}
		told := *e
		told.softened(r.lock)
		known := told.knowledge(height)
		if r.lock {
			known.firm = nil
		}
		if need > race.ScopeBlock {
			known.sc = known.sc.abroad()
		}
		(*to)[need] = (*to)[need].join(known)
		if need > about {
			t.past.assumed = join(t.past.assumed, known.threads)
		}
		t.past.assumed = join(t.past.assumed, known.assumed)
	}
	t.past = t.past.settled()
}

// expects reports whether a thread knows what a release of a record publishes, or may acquire it already
// with a scope that is no wider.
func (t *thread) expects(r *record, e *release, p *pending, need race.Scope, height int) bool {
	knows := func(c clock) bool {
		if r.lock {
			c.firm = c.threads // which a lock doesn't add to
		}
		return e.known(&c, height)
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

// read makes a thread observe the record of a location with a strong read, and acquires it if
// the read does.
func (t *thread) read(r *record, at uint64, s strength, height int, acquires bool) {
	if r != nil && r.writer != t && t.last != r && (len(r.releases) > 0 || r.fenced.any()) && linked(r, t, s.scope) {
		t.last = r
		t.unread = slices.DeleteFunc(t.unread, func(o *record) bool { return o.at == r.at && r.overtakes(o, height) })
		if t.unread = append(t.unread, r); len(t.unread) >= maxUnread || acquires {
			t.digest(height)
		}
		if acquires {
			p := t.seen[at]
			t.observe(r, &p, race.ScopeNone, height)
			t.hear(r, height)
			if t.seen == nil {
				t.seen = map[uint64]*pending{}
			}
			t.seen[at] = p
		}
	}
	if p := t.seen[at]; p != nil && s.acquire {
		t.acquire(p, s.scope, height)
	}
}
