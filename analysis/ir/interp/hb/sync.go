package hb

// This file defines what synchronizes: fences, strong writes and reads, barriers, copies.

import (
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp"
	"github.com/warplint/warplint/analysis/race"
)

// release is the first operation of release patterns, and what it publishes. Releases of one
// block and scope that meet in a chain of read-modify-writes are joined into one.
type release struct {
	place  place
	scope  race.Scope
	bare   bool     // no fence at all: counts only in orders that do without
	orders orderSet // those in which the chain from here on holds
	clocks clocks
}

// record is the last write of a location, as far as reads of it may synchronize.
type record struct {
	offset   int64
	size     int
	site     int
	writer   *thread
	epoch    uint32 // of the writer, at the write
	strong   bool
	scope    race.Scope
	releases []release
	far      []release // those that reach other blocks, joined whatever their block, once they are many
	fenced   fences    // of the writers up to here, see fences.go
	// number is that of the write among the strong ones of its cell, and chain that of the first one which
	// read-modify-writes have handed on up to here.
	number, chain uint32
}

// thread is a thread's state.
type thread struct {
	id     int
	info   *interp.Thread
	place  place
	exited bool
	past   clocks // what happened before, but for the thread's own element
	own    uint32 // its present epoch
	trace  uint64 // a hash of its accesses
	// releases are its fences: each publishes with every strong write that follows.
	releases []release
	// observed is what it has read of others' releases and not acquired: by the scope that an
	// acquiring fence must have.
	observed *pending // nil for nothing
	// released and seen are the same for one location: a release operation publishes with
	// later strong writes of its location, too, and an acquire operation acquires what earlier
	// strong reads of its location have observed.
	released map[location][]release
	seen     map[location]*pending
	// last is the record that it has read last, to pass over repeated reads.
	last struct {
		record *record
		site   int
	}
	arrived struct {
		phase *interp.Phase
		past  *clocks // at the time
	}
	copies          uint32  // asynchronous copies issued
	locks           *[]Lock // held, nil for none; never changed in place
	fenced, sighted fences  // see fences.go
	// sight is the record that it has observed last, see cell.sight.
	sight *record
	// heard are the last writes that it has observed, the newest last.
	heard []observation
}

// observation is a read of what another thread has written. It does not keep the record, and so what that
// publishes: threads that poll observe many.
type observation struct {
	writer      *thread
	epoch       uint32
	write, read int // sites
}

const maxHeard = 16

// heardOf returns how the thread has been told by the one that made an access, or nil if it
// has not been told directly.
func (t *thread) heardOf(e *entry) *HandOver {
	for i := len(t.heard) - 1; i >= 0; i-- {
		if o := &t.heard[i]; o.writer == e.who && o.epoch >= e.epoch {
			return &HandOver{Write: o.write, Read: o.read}
		}
	}
	return nil
}

type location struct {
	object int
	offset int64
}

// pending is indexed by scope.
type pending [race.ScopeDevice + 1]clocks

// strength is how an access takes part in synchronization.
type strength struct {
	strong           bool
	scope            race.Scope
	acquire, release bool
}

func strengthOf(a *interp.Access) strength {
	s := a.Strength
	if s.Volatile && s.Order == ir.Weak && a.Kind != race.Atomic {
		return strength{strong: true, scope: race.ScopeSystem} // PTX ISA 8.4: relaxed at system scope
	}
	return strength{
		strong: a.Kind == race.Atomic || s.Order != ir.Weak, scope: effective(s.Scope),
		acquire: s.Order.Acquires(), release: s.Order.Releases(),
	}
}

// snapshot is what the thread's past and present are in every order; what follows is a new epoch.
func (t *thread) snapshot() clocks {
	c := t.past
	c.raise([]int{t.id}, []uint32{t.own})
	t.own++
	return c
}

// Fence implements interp.Listener.
func (d *Detector) Fence(it *interp.Thread, f *ir.Fence) {
	t := d.thread(it)
	scope := effective(f.Scope)
	if f.Order.Acquires() {
		t.acquire(t.observed, scope)
	}
	if f.Order == ir.SeqCst {
		t.sequential(scope)
	}
	if f.Order.Releases() {
		t.releases = addRelease(t.releases, release{place: t.place, scope: scope, orders: allOrders, clocks: t.snapshot()})
	}
}

// addRelease adds a later release to a list; those that are no wider publish nothing more.
// The list itself is shared by records and stays as it is.
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
	if p == nil {
		return
	}
	for need := race.ScopeBlock; need <= race.ScopeDevice; need++ {
		set := orderSet(0)
		for k, w := range waivers {
			if scope >= need || w.fenceScope {
				set |= 1 << k
			}
		}
		t.past.join(set, &p[need])
	}
}

// write notes a write for later reads of the location. For a read-modify-write, the record
// that it has read goes on in it.
func (d *Detector) write(t *thread, c *cell, a *interp.Access, s strength, read *record) {
	if !s.strong && len(t.releases) == 0 && len(c.records) == 0 {
		return
	}
	fenced := c.record(a.Offset, a.Size).fencedBefore(t)
	c.forget(a.Offset, a.Size)
	if s.strong {
		c.strong++
		fenced.add(&t.fenced, s.scope >= race.ScopeDevice, true)
	}
	if !s.strong && len(t.releases) == 0 && fenced.isEmpty() {
		return
	}
	r := &record{fenced: fenced, offset: a.Offset, size: a.Size, site: a.Site, writer: t, epoch: t.own, strong: s.strong, scope: s.scope}
	r.releases = t.releases
	if s.strong {
		r.releases = d.published(t, a, s)
		r.number, r.chain = c.strong, c.strong
		if read != nil && read.strong && linked(read, t, s).has(actual) {
			r.chain = read.chain
		}
	}
	if read != nil {
		r.releases, r.far = inherit(r.releases, read, linked(read, t, s))
	}
	c.records = append(c.records, r)
}

// published lists what a strong write publishes.
func (d *Detector) published(t *thread, a *interp.Access, s strength) []release {
	key := location{a.Object.ID, a.Offset}
	list := t.releases
	if more := t.released[key]; len(more) > 0 {
		list = slices.Concat(list, more)
	}
	silent := a.Kind == race.Atomic && a.Old == a.New // as of a lock that is not free
	if !s.release && (!d.explains || silent) {
		return list
	}
	r := release{place: t.place, scope: s.scope, bare: !s.release, orders: allOrders, clocks: t.snapshot()}
	if s.release {
		if t.released == nil {
			t.released = map[location][]release{}
		}
		t.released[key] = addRelease(t.released[key], r)
	}
	return append(list[:len(list):len(list)], r)
}

// linked returns the orders in which a thread's access of some strength observes a record: both
// are strong, and their scopes include each other's threads.
func linked(r *record, t *thread, s strength) orderSet {
	need := distance(&r.writer.place, &t.place)
	strong := r.strong && s.strong
	wide := (!r.strong || r.scope >= need) && (!s.strong || s.scope >= need)
	set := orderSet(0)
	for k, w := range waivers {
		if (strong || w.weakFlag) && (wide || w.accessScope) {
			set |= 1 << k
		}
	}
	return set
}

// inherit is what a record publishes once a read-modify-write that has read it publishes more, and what of it is far. A thread
// that polls has nothing to add the second time, and the list stays the same memory.
func inherit(list []release, from *record, link orderSet) (out, far []release) {
	out, far = from.releases, from.far
	mine := false
	for i := range out {
		if orders := out[i].orders & link; orders != out[i].orders {
			out, far, mine = linkedOnly(out, link), linkedOnly(far, link), true
			break
		}
	}
	for i := range list {
		r := &list[i]
		j := slices.IndexFunc(out, func(old release) bool { return old.alike(r, r.orders) })
		if j >= 0 {
			both := out[j].clocks
			if both.join(allOrders, &r.clocks); both.equal(&out[j].clocks) {
				continue
			}
			if !mine {
				out, mine = slices.Clone(out), true
			}
			out[j].clocks = both
			continue
		}
		if !mine {
			out, mine = append(make([]release, 0, len(out)+len(list)), out...), true
		}
		out = append(out, *r)
	}
	switch {
	case far != nil:
		far = farther(far, list)
	case len(out) > fewReleases:
		far = farther(nil, out)
	}
	return out, far
}

// fewReleases are taken in one by one.
const fewReleases = 4

// farther adds releases to those that are far.
func farther(far, list []release) []release {
	far = slices.Clone(far)
	for _, r := range list {
		if !r.isFar() {
			continue
		}
		r.place, r.scope = place{}, race.ScopeDevice
		if i := slices.IndexFunc(far, func(old release) bool { return old.alike(&r, r.orders) }); i >= 0 {
			far[i].clocks.join(allOrders, &r.clocks)
		} else {
			far = append(far, r)
		}
	}
	return far
}

// isFar reports whether a release counts for threads of all blocks alike.
func (r *release) isFar() bool { return r.bare || r.scope >= race.ScopeDevice }

// linkedOnly lists releases for some orders only.
func linkedOnly(list []release, link orderSet) []release {
	var out []release
	for _, r := range list {
		if r.orders &= link; r.orders == 0 {
			continue
		}
		if j := slices.IndexFunc(out, func(old release) bool { return old.alike(&r, r.orders) }); j >= 0 {
			out[j].clocks.join(allOrders, &r.clocks)
			continue
		}
		out = append(out, r)
	}
	return out
}

// alike reports whether a release counts for the same threads as another one in some orders.
func (r *release) alike(other *release, orders orderSet) bool {
	return r.place == other.place && r.scope == other.scope && r.bare == other.bare && r.orders == orders
}

// read makes a thread observe the record of a location, and acquires it if the access does.
func (d *Detector) read(t *thread, r *record, a *interp.Access, s strength) {
	if r == nil && t.seen == nil {
		return
	}
	key := location{a.Object.ID, a.Offset}
	fresh := r != nil && r.writer != t && (t.last.record != r || t.last.site != a.Site)
	if fresh {
		d.observed = true
		t.last.record, t.last.site = r, a.Site
		if d.explains {
			if len(t.heard) == maxHeard {
				t.heard = append(t.heard[:0], t.heard[1:]...)
			}
			t.heard = append(t.heard, observation{r.writer, r.epoch, r.site, a.Site})
		}
		if !r.fenced.isEmpty() && linked(r, t, s).has(actual) {
			t.sighted.add(&r.fenced, s.scope >= race.ScopeDevice, r.writer.place.block == t.place.block)
		}
		if t.observed == nil && len(r.releases) > 0 {
			t.observed = &pending{}
		}
		t.observe(r, s, t.observed)
		if d.acquires && s.strong {
			if t.seen == nil {
				t.seen = map[location]*pending{}
			}
			if t.seen[key] == nil {
				t.seen[key] = &pending{}
			}
			t.observe(r, s, t.seen[key])
		}
	}
	if p := t.seen[key]; p != nil && s.acquire {
		t.acquire(p, s.scope)
	}
}

// observe adds the releases of a record to what a thread may acquire. In the orders that do
// without acquiring it takes effect at once.
func (t *thread) observe(r *record, s strength, to *pending) {
	link := linked(r, t, s)
	for i := range r.releases {
		e := &r.releases[i]
		if need := distance(&e.place, &t.place); r.far == nil || need < race.ScopeDevice || !e.isFar() {
			t.take(e, link, need, to)
		}
	}
	for i := range r.far {
		t.take(&r.far[i], link, race.ScopeDevice, to)
	}
}

// take adds a release to what a thread may acquire by a fence that reaches as far as need be.
func (t *thread) take(e *release, link orderSet, need race.Scope, to *pending) {
	set, now := orderSet(0), orderSet(0)
	for k, w := range waivers {
		if !(e.orders & link).has(k) || e.bare && !w.noRelease || !e.bare && e.scope < need && !w.fenceScope {
			continue
		}
		if w.noAcquire {
			now |= 1 << k
		} else {
			set |= 1 << k
		}
	}
	t.past.join(now, &e.clocks)
	to[need].join(set, &e.clocks)
}

// meeting gathers what threads bring to a phase of a barrier.
type meeting struct {
	pasts  []clocks // without repetitions in a row
	ids    []int
	owns   []uint32
	joined *clocks

	fenced, sighted fences             // with those of no block
	blocks          map[int]*[2]fences // what threads of each block have fenced and sighted, if anything
}

// Arrive implements interp.Listener.
func (d *Detector) Arrive(it *interp.Thread, p *interp.Phase, _ int) {
	t := d.thread(it)
	m, ok := p.Tag.(*meeting)
	if !ok {
		m = &meeting{}
		p.Tag = m
	}
	if n := len(m.pasts); n == 0 || !t.past.equal(&m.pasts[n-1]) {
		m.pasts = append(m.pasts, t.past)
	}
	m.fenced.add(&t.fenced, true, false)
	m.sighted.add(&t.sighted, true, false)
	if len(t.fenced.block)+len(t.sighted.block) > 0 {
		m.inBlock(t)
	}
	m.ids = append(m.ids, t.id)
	m.owns = append(m.owns, t.own)
	t.own++
	t.arrived.phase, t.arrived.past = p, &m.pasts[len(m.pasts)-1]
}

// inBlock gathers what a thread brings for those of its block.
func (m *meeting) inBlock(t *thread) {
	of := m.blocks[t.place.block]
	if of == nil {
		if m.blocks == nil {
			m.blocks = map[int]*[2]fences{}
		}
		of = &[2]fences{}
		m.blocks[t.place.block] = of
	}
	of[0].add(&t.fenced, false, true)
	of[1].add(&t.sighted, false, true)
}

// equal reports whether all vectors are the same memory.
func (c *clocks) equal(other *clocks) bool {
	if !same(c.real, other.real) {
		return false
	}
	for k := 0; k < orders && c.others != other.others; k++ {
		if !same(c.of(k), other.of(k)) {
			return false
		}
	}
	return true
}

// Release implements interp.Listener.
func (d *Detector) Release(p *interp.Phase, threads []*interp.Thread) {
	m, ok := p.Tag.(*meeting)
	if !ok {
		return
	}
	if m.joined == nil {
		m.join()
	}
	for _, it := range threads {
		t := d.thread(it)
		t.fenced.add(&m.fenced, true, false)
		t.sighted.add(&m.sighted, true, false)
		if of := m.blocks[t.place.block]; of != nil {
			t.fenced.add(&of[0], false, true)
			t.sighted.add(&of[1], false, true)
		}
		if t.arrived.phase == p && t.past.equal(t.arrived.past) {
			t.past = *m.joined // which holds its past
		} else {
			t.past.join(allOrders, m.joined)
		}
	}
}

func (m *meeting) join() {
	c := m.pasts[0]
	for i := range m.pasts[1:] {
		c.join(allOrders, &m.pasts[i+1])
	}
	c.raise(m.ids, m.owns)
	m.joined = &c
	m.pasts = nil
}

// copyState is an asynchronous copy: it knows what its thread knew when it began, and counts
// as the work of an agent of that thread, which the thread knows of once it has waited.
type copyState struct {
	past  clocks
	agent int
	epoch uint32
}

// AsyncIssue implements interp.Listener.
func (d *Detector) AsyncIssue(it *interp.Thread, op *interp.AsyncOp) {
	t := d.thread(it)
	t.copies++
	op.Tag = &copyState{past: t.snapshot(), agent: d.agent(t), epoch: t.copies}
}

// AsyncWait implements interp.Listener.
func (d *Detector) AsyncWait(it *interp.Thread, ops []*interp.AsyncOp) {
	t := d.thread(it)
	last := &d.lastWait
	if len(ops) == 0 || len(last.ops) != len(ops) || &last.ops[0] != &ops[0] {
		*last = copiesWait{ops: ops}
		for _, op := range ops {
			s, ok := op.Tag.(*copyState)
			if n := len(last.agents); ok && n > 0 && last.agents[n-1] == s.agent {
				last.epochs[n-1] = max(last.epochs[n-1], s.epoch)
			} else if ok {
				last.agents, last.epochs = append(last.agents, s.agent), append(last.epochs, s.epoch)
			}
		}
	}
	if last.known && t.past.equal(&last.before) {
		t.past = last.behind
		return
	}
	last.known, last.before = true, t.past
	t.past.raise(last.agents, last.epochs)
	last.behind = t.past
}

// copiesWait is what came of a wait for some copies: threads of a block wait for the same ones, and mostly know the same.
type copiesWait struct {
	ops            []*interp.AsyncOp
	agents         []int
	epochs         []uint32
	known          bool
	before, behind clocks
}

// Exit implements interp.Listener.
func (d *Detector) Exit(it *interp.Thread) { d.thread(it).exited = true }
