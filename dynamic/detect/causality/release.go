package causality

// This file defines what strong writes publish: the releases that they carry to those who read them.

import (
	"slices"

	"github.com/warplint/warplint/analysis/race"
)

// release is the first operation of release patterns, and what it publishes.
type release struct {
	place place
	scope race.Scope
	// The threads of a warp, and their epoch, are elements that the content lacks: snapshots are mostly
	// never used, so they are not put together before. No lanes stand for those that have written what the
	// release comes with. Epoch 0 stands for no elements.
	warp, lanes, epoch uint32
	*content
}

// content is what a release publishes, beside its threads' own elements.
type content struct {
	past   clock
	fences ownFences
	// parts are the elements of all the releases that have been joined, or nil if they are too many.
	parts []part
	late  *late
}

// late are two releases of which the past is still to be put together: mostly a later one stands for both before anybody
// acquires them.
type late struct {
	a, b   release
	lock   bool
	height int
}

// whole is the past.
func (c *content) whole() clock {
	if l := c.late; l != nil {
		c.past, c.late = l.a.before(l.lock).join(l.b.before(l.lock), l.height), nil
		c.past.include(&l.a, l.height)
		c.past.include(&l.b, l.height)
	}
	return c.past
}

// part are elements of a clock that were published with all that their threads knew then, so that whoever
// knows them knows that, too.
type part struct{ warp, lanes, epoch uint32 }

// maxParts bounds those that a joined release remembers.
const maxParts = 2 * fan

// by returns a release of the threads that have written it.
func (r release) by(writers uint32) release {
	if r.lanes == 0 {
		r.lanes = writers
	}
	return r
}

// equals reports whether two releases of one thread each, which are not joined, publish the same.
func (r release) equals(x release) bool {
	a, b := r.content, x.content
	r.content, x.content = nil, nil
	return r == x && (a == b || a.past == b.past && a.fences == b.fences && len(a.parts)+len(b.parts) == 0)
}

// known reports whether a clock has all that a release by some writers publishes, as far as that is easily
// told.
func (r *release) known(writers uint32, c *clock, height int) bool {
	if r.epoch != 0 {
		if r.lanes != 0 {
			writers = r.lanes
		}
		return c.has(r.warp, writers, r.epoch, height)
	}
	for _, p := range r.parts {
		if !c.has(p.warp, p.lanes, p.epoch, height) {
			return false
		}
	}
	return len(r.parts) > 0
}

// has reports whether a clock knows threads of a warp up to an epoch, whatever locks are for: what is firm is known.
func (c *clock) has(warp, lanes, epoch uint32, height int) bool {
	return c.firm.covers(height, warp<<fanBits, lanes, epoch)
}

// remembers reports whether a release, perhaps of a lock, publishes some elements.
func (r *release) remembers(p part, lock bool, height int) bool {
	switch {
	case r.epoch != 0 && r.warp == p.warp && includes(r.lanes, p.lanes) && r.epoch >= p.epoch:
		return true
	case lock:
		return r.whole().threads.covers(height, p.warp<<fanBits, p.lanes, p.epoch)
	}
	past := r.whole()
	return past.has(p.warp, p.lanes, p.epoch, height)
}

// elements are the parts of a release.
func (r *release) elements() []part {
	if r.epoch != 0 {
		return []part{{r.warp, r.lanes, r.epoch}}
	}
	return r.parts
}

// partsOf are the elements of two releases, each once, without those that stand behind one of the other's.
func partsOf(a, b *release, lock bool, height int) []part {
	x, y := a.elements(), b.elements()
	if len(x) == 0 || len(y) == 0 {
		return nil
	}
	var few [maxParts]part
	out := few[:0]
	for _, p := range x {
		if !b.remembers(p, lock, height) {
			out = append(out, p)
		}
	}
	for _, p := range y {
		if !a.remembers(p, lock, height) || slices.Contains(x, p) {
			out = append(out, p)
		}
	}
	if len(out) > maxParts {
		return nil
	}
	return slices.Clone(out)
}

// knowledge puts together what a release publishes.
func (r *release) knowledge(lock bool, height int) clock {
	c := r.before(lock)
	c.include(r, height)
	return c
}

// before is what a release publishes beside its threads' own elements. Of a lock's nobody takes what is firm,
// so that it is the same as all.
func (r *release) before(lock bool) clock {
	c := r.whole()
	if lock {
		c.firm = c.threads
	}
	return c
}

// include adds the own elements of a release.
func (c *clock) include(r *release, height int) {
	if r.epoch == 0 {
		return
	}
	c.know(height-1, 0, r.warp<<fanBits, leaf(r.lanes, r.epoch))
	c.sc = c.sc.fencedBy(r.warp, r.lanes, &r.fences, inBlock, height)
}

// addRelease adds a later release of a thread to its list; those that are no wider publish
// nothing more. The list itself is shared by records and stays as it is.
func addRelease(list []release, r release) []release {
	wider := 0
	for i := range list {
		if list[i].scope > r.scope {
			wider++
		}
	}
	out := append(make([]release, 0, 1+wider), r)
	for i := range list {
		if list[i].scope > r.scope {
			out = append(out, list[i])
		}
	}
	return out
}

// overtakes reports whether whoever acquires what a record publishes has nothing to gain from an earlier
// one.
func (r *record) overtakes(old *record, height int) bool {
	if old.shows.foreign || r.lock != old.lock {
		return false
	}
	return r.publishesAll(old, height) && r.publishes(&release{warp: old.warp, lanes: old.lanes, epoch: old.epoch, place: old.place(), scope: race.ScopeDevice}, height)
}

// overtakes reports whether whoever acquires a release has nothing to gain from another one: one of another place may be
// within reach of a narrower scope.
func (r *release) overtakes(x *release, lock bool, height int) bool {
	if x.scope > r.scope || x.place != r.place {
		return false
	}
	if x.epoch != 0 {
		return r.remembers(part{x.warp, x.lanes, x.epoch}, lock, height)
	}
	for _, p := range x.parts {
		if !r.remembers(p, lock, height) {
			return false
		}
	}
	return len(x.parts) > 0
}

// record is the last strong write of a location, as reads of it may observe it.
type record struct {
	written
	cluster  int32 // of the writers
	scope    race.Scope
	size     uint8
	lock     bool    // it takes or gives back a lock
	observed bool    // by a thread that has it in mind, so that it stays as it is
	looked   bool    // likewise, by one that may look again (polling.go)
	chain    bool    // it has observed all earlier strong writes of its bytes, see sight.go
	reader   part    // that has observed it last
	next     *record // of the same word
}

// location is what strong operations of one address and size are about: those of other sizes make no pattern with them.
type location struct {
	at   uint64
	size uint8
}

func (r *record) location() location { return location{r.at, r.size} }

// place is where the writers are.
func (r *record) place() place { return place{int32(r.warp >> fanBits), r.cluster} }

// written is a strong write and what came with it.
type written struct {
	at uint64
	// The threads that have written it, the last one first as for what is read: a record of several lanes
	// is that of a chain of read-modify-writes that they made with one instruction.
	warp, lanes uint32
	epoch       uint32 // of the writers, at the write
	pc          uint32
	shows       *publication
}

// publication is what comes with a strong write; many have it in common.
type publication struct {
	releases []release
	fenced   fenced
	foreign  bool // it carries on what other records had fenced
	each     bool // it is relative to the lane that has written it (each.go)
}

// nothing is the publication of threads that have had no fence.
var nothing = &publication{}

// linked reports whether a thread's strong access of some scope observes a record: their scopes
// include each other's threads.
func linked(r *record, at place, scope race.Scope) bool {
	need := distance(r.place(), at)
	return r.scope >= need && scope >= need
}

// inherit adds what another record publishes to a read-modify-write that has read it.
func (r *record) inherit(read *record, height int) {
	if read.shows == nothing || read.shows == r.shows && read.lanes == r.lanes {
		return
	}
	f, foreign := r.inheritFences(read, height)
	list := r.shows.releases
	switch {
	case r.publishesAll(read, height):
		if !foreign {
			return
		}
	case read.publishesAll(r, height):
		list = read.own()
	default:
		list = inherit(r.shows.releases, read.shows.releases, r.lanes, read.lanes, r.lock, height)
	}
	r.shows = &publication{releases: list, fenced: f, foreign: foreign, each: r.lanes == ownLane || r.shows.each}
}

// publishesAll reports whether whoever acquires what a record publishes has nothing to gain from the releases
// of another one.
func (r *record) publishesAll(o *record, height int) bool {
	for i := range o.shows.releases {
		x := o.shows.releases[i].by(o.lanes)
		if !r.publishes(&x, height) {
			return false
		}
	}
	return true
}

// publishes reports whether whoever acquires what a record publishes has nothing to gain from a release.
func (r *record) publishes(x *release, height int) bool {
	for i := range r.shows.releases {
		z := r.shows.releases[i].by(r.lanes)
		if z.overtakes(x, r.lock, height) {
			return true
		}
	}
	return false
}

// own are the releases of a record, with those of its own writers named.
func (r *record) own() []release {
	if r.lanes == ownLane {
		return r.shows.releases
	}
	for i := range r.shows.releases {
		if r.shows.releases[i].lanes == 0 {
			list := slices.Clone(r.shows.releases)
			for j := range list {
				list[j] = list[j].by(r.lanes)
			}
			return list
		}
	}
	return r.shows.releases
}

// maxChain bounds the releases that a chain of read-modify-writes keeps apart.
const maxChain = 16

// inherit adds what a record of some writers publishes to the list of a read-modify-write by others that has read it.
// Releases of one block and scope are joined. What a lock hands over is never firm, and so not told apart.
func inherit(list, from []release, by, fromBy uint32, lock bool, height int) []release {
	var few [2 * maxChain]release // most of what is added is overtaken, or overtakes
	out := few[:0]
	for i := range list {
		out = append(out, list[i].by(by))
	}
	for i := range from {
		r := from[i].by(fromBy)
		if slices.ContainsFunc(out, func(o release) bool { return o.overtakes(&r, lock, height) }) {
			continue
		}
		out = slices.DeleteFunc(out, func(o release) bool { return r.overtakes(&o, lock, height) })
		j := 0
		for j < len(out) && (out[j].place != r.place || out[j].scope != r.scope) {
			j++
		}
		if j == len(out) && j >= maxChain && r.scope >= race.ScopeDevice {
			r.place, j = place{nowhere, nowhere}, 0 // device-wide acquires only
			for j < len(out) && (out[j].place != r.place || out[j].scope != r.scope) {
				j++
			}
		}
		if j == len(out) {
			out = append(out, r)
			continue
		}
		out[j].add(&r, lock, height)
	}
	return slices.Clone(out)
}

// add joins another release of the same place and scope.
func (r *release) add(x *release, lock bool, height int) {
	if r.epoch == x.epoch && r.warp == x.warp && r.epoch != 0 && r.past == x.past && r.fences == x.fences {
		r.lanes |= x.lanes
		return
	}
	if r.epoch == x.epoch && r.warp == x.warp && r.lanes == x.lanes && r.whole() == x.whole() {
		return
	}
	r.whole()
	x.whole()
	r.content = &content{parts: partsOf(r, x, lock, height), late: &late{*r, *x, lock, height}}
	r.warp, r.lanes, r.epoch = 0, 0, 0
}

// kept reports whether a record stays as it is, as something goes by it.
func (r *record) kept() bool { return r.observed || r.looked }
