package causality

// This file defines what is known of each thread, and what synchronizes threads: fences, and
// strong writes that strong reads observe.

import "github.com/warplint/warplint/analysis/race"

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
	copies   [2]copies
	hints    *hints
}

// release is the first operation of release patterns, and what it publishes.
type release struct {
	place place
	scope race.Scope
	past  clock
	// id and epoch are an element that past lacks: snapshots are mostly never used, so they are
	// not put together before. Epoch 0 stands for none.
	id, epoch uint32
	fences    ownFences
}

// pending is what a thread may acquire, by the scope that an acquiring operation must have.
type pending [race.ScopeDevice + 1]clock

// snapshot publishes what the thread knows now; what it does next belongs to a new epoch.
func (t *thread) snapshot(scope race.Scope) release {
	r := release{place: t.place, scope: scope, past: t.past, id: t.id, epoch: t.own, fences: t.fences}
	t.own++
	return r
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
func (t *thread) acquire(p *pending, scope race.Scope) {
	for need := race.ScopeBlock; need <= min(scope, race.ScopeDevice); need++ {
		t.past = t.past.join(p[need])
	}
	t.past = t.past.settled()
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
// Releases of one block and scope are joined.
func inherit(list, from []release, height int) []release {
	if len(from) == 0 {
		return list
	}
	out := append(make([]release, 0, len(list)+len(from)), list...)
	for i := range from {
		r := from[i]
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
			past := out[j].knowledge(height).join(r.knowledge(height))
			out[j].past, out[j].epoch = past, 0
		}
	}
	return out
}

// observe adds the releases of a record to what a thread may acquire, and assumes that it does.
func (t *thread) observe(r *record, to **pending, height int) {
	for i := range r.releases {
		e := &r.releases[i]
		need := distance(e.place, t.place)
		if e.scope < need {
			continue
		}
		if *to == nil {
			*to = new(pending)
		}
		known := e.knowledge(height)
		if r.lock {
			known.firm = nil
		}
		if need > race.ScopeBlock {
			known.sc = known.sc.abroad()
		}
		(*to)[need] = (*to)[need].join(known)
		t.past.assumed = join(join(t.past.assumed, known.threads), known.assumed)
	}
	t.hear(r, height)
	t.past = t.past.settled()
}

// read makes a thread observe the record of a location with a strong read, and acquires it if
// the read does.
func (t *thread) read(r *record, at uint64, s strength, height int, acquires bool) {
	if r != nil && r.writer != t && t.last != r && (len(r.releases) > 0 || r.fenced.any()) && linked(r, t, s.scope) {
		t.last = r
		t.observe(r, &t.observed, height)
		if acquires {
			p := t.seen[at]
			t.observe(r, &p, height)
			if t.seen == nil {
				t.seen = map[uint64]*pending{}
			}
			t.seen[at] = p
		}
	}
	if p := t.seen[at]; p != nil && s.acquire {
		t.acquire(p, s.scope)
	}
}
