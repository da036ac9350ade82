package causality

// This file defines the detector, which checks each access against those before it.

import (
	"math"
	"strings"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

// blockBits are the bits of a thread's number that count the threads of a block.
const blockBits = 2 * fanBits

// warpNumber is a thread's number without its lane.
func warpNumber(block, warp int) uint32 { return uint32(block)<<fanBits | uint32(warp) }

// Detector is an event.Listener that collects the races of a device's launches.
type Detector struct {
	event.Nothing
	launch   *event.Launch
	off      bool // the launch is not watched
	clusters bool // it has some
	height   int  // of the trees of threads
	blocks   map[int]*block
	shadow   pages
	meetings map[meetingKey][]arrival
	objects  map[uint64]*object
	agents   uint32            // asynchronous copies so far
	copiers  map[uint32]uint32 // the warps that began them, by the agents' leaf
	acquires bool              // the program has acquire operations
	serial   uint64            // counts lanes of accesses
	locks
	// allocations are the live ones, by base.
	allocations []*event.Allocation
	reports
}

// New returns a detector for one device.
func New() *Detector { return &Detector{reports: reports{races: map[key]*Race{}}} }

type block struct {
	warps []warpState
	held  []heldLock
}

type warpState struct {
	number  uint32
	same    uint32 // lanes that are known to be alike
	threads [fan]thread
	// polling has the lanes whose last access was a strong read, of polled.
	polling uint32
	polled  [fan]struct {
		pc uint32
		at uint64
	}
}

// LaunchBegin implements event.Listener.
func (d *Detector) LaunchBegin(l *event.Launch) {
	d.launch = l
	d.height, d.clusters = 2, l.Cluster.Count() > 1
	for n := l.Grid.Count() - 1; n > 0; n >>= fanBits {
		d.height++
	}
	d.off = l.Grid.Count() > math.MaxUint32>>blockBits
	if d.off {
		d.Unwatched++
	}
	d.blocks, d.objects = map[int]*block{}, map[uint64]*object{}
	d.meetings = map[meetingKey][]arrival{}
	d.shadow = pages{all: map[uint64]*page{}, spare: &spare{}}
	d.agents, d.copiers = 0, map[uint32]uint32{}
	d.flags, d.pollers, d.waiting = map[uint64]bool{}, map[uint32]bool{}, map[uint32]bool{}
	d.acquires = false
	d.locks = locks{}
	for pc := range uint32(l.Program.Instructions()) {
		d.acquires = d.acquires || strings.Contains(l.Program.Location(pc).Text, ".acq")
		if l.Program.Polls(pc) {
			d.waiting[pc] = true
		}
	}
}

// LaunchEnd implements event.Listener.
func (d *Detector) LaunchEnd(*event.Launch) {
	d.settle()
	d.blocks, d.objects, d.meetings = nil, nil, nil
	d.shadow = pages{}
}

// BlockBegin implements event.Listener.
func (d *Detector) BlockBegin(l *event.Launch, number int) {
	if d.off {
		return
	}
	b := &block{warps: make([]warpState, l.Warps())}
	at := d.placeOf(int32(number))
	for i := range b.warps {
		w := &b.warps[i]
		w.number = warpNumber(number, i)
		for lane := range w.threads {
			w.threads[lane] = thread{id: w.number<<fanBits | uint32(lane), place: at, own: 1}
		}
	}
	d.blocks[number] = b
}

// BlockEnd implements event.Listener.
func (d *Detector) BlockEnd(l *event.Launch, number int) {
	if d.off {
		return
	}
	delete(d.blocks, number)
	d.shadow.dropShared(number, l.SharedSize)
}

// placeOf says where the threads of a block are. Without clusters, each block is one.
func (d *Detector) placeOf(block int32) place { return place{block, d.clusterOf(block)} }

func (d *Detector) clusterOf(block int32) int32 {
	if !d.clusters {
		return block
	}
	return int32(d.launch.ClusterOf(int(block)))
}

func (d *Detector) warp(block, warp int) *warpState { return &d.blocks[block].warps[warp] }

func (d *Detector) at(space event.Space, owner int, address uint64) uint64 {
	if space == event.Shared {
		return sharedAt(owner, address)
	}
	return address
}

// Fence implements event.Listener.
func (d *Detector) Fence(f *event.Fence) {
	if d.off {
		return
	}
	w := d.warp(f.Block, f.Warp)
	w.same = 0
	for rest := f.Mask; rest != 0; rest &= rest - 1 {
		t := &w.threads[firstLane(rest)]
		if f.Order != event.Release {
			t.acquireAll(f.Scope, d.height)
			if t.hints != nil {
				t.hints.fence(f.Scope)
			}
			d.fenceLocks(t, f.Scope)
		}
		t.digest(d.height)
		if f.Order == event.SequentiallyConsistent {
			t.fence(f.Scope)
		}
		if f.Order != event.Acquire {
			t.releases = addRelease(t.releases, t.snapshot(f.Scope))
		}
	}
}

// Access implements event.Listener.
func (d *Detector) Access(a *event.Access) {
	if d.off {
		return
	}
	w := d.warp(a.Block, a.Warp)
	e := entry{warp: w.number, pc: a.PC, kind: a.Kind, size: uint8(a.Size / a.Elements)}
	if a.Order != event.Weak || a.Kind == event.Atomic {
		w.same = 0
		d.strong(w, a, e)
		return
	}
	w.polling &^= a.Mask
	e.flags = flagsOf(weak, race.ScopeNone)
	left := d.runs(w, a)
	if left != 0 && a.Kind == event.Read && w.together(a, left) {
		first := firstLane(left)
		e.lanes, e.epoch = left, w.threads[first].own
		d.span(&w.threads[first], e, d.at(a.Space, a.Owner, a.Addr[first]), uint64(a.Size))
		return
	}
	for rest := left; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		t := &w.threads[lane]
		e.lanes, e.epoch = 1<<lane, t.own
		at := d.at(a.Space, a.Owner, a.Addr[lane])
		if a.Kind == event.Read {
			d.span(t, e, at, uint64(a.Size))
			continue
		}
		d.store(t, e, at, a, lane)
	}
}

// together reports whether several lanes of an access read one location, know the same and are in
// the same epoch, so that one entry stands for them all.
func (w *warpState) together(a *event.Access, lanes uint32) bool {
	first := firstLane(lanes)
	for rest := lanes & (lanes - 1); rest != 0; rest &= rest - 1 {
		if a.Addr[firstLane(rest)] != a.Addr[first] {
			return false
		}
	}
	return lanes&(lanes-1) != 0 && w.alike(lanes)
}

// span checks and keeps an access of some bytes.
func (d *Detector) span(t *thread, e entry, at, size uint64) {
	d.serial++
	for end := at + size; at < end; {
		stop := min(end, at&^3+4)
		e.mask = maskOf(at, stop)
		c := d.shadow.cell(at)
		if e.kind == event.Write {
			d.forget(c, at, stop)
		}
		d.check(t, c, &e, at)
		at = stop
	}
}

// store is span for a weak store, whose values are known.
func (d *Detector) store(t *thread, e entry, at uint64, a *event.Access, lane int) {
	d.serial++
	start := at
	for end := at + uint64(a.Size); at < end; {
		stop := min(end, at&^3+4)
		e.mask, e.value = maskOf(at, stop), valueAt(a, lane, int(at-start))
		c := d.shadow.cell(at)
		d.forget(c, at, stop)
		d.check(t, c, &e, at)
		at = stop
	}
}

// valueAt is up to four bytes of what a lane has written, from an offset on.
func valueAt(a *event.Access, lane, offset int) uint32 {
	size := a.Size / a.Elements
	i := offset / size
	if i >= len(a.Value) || !a.Value[i].Known() {
		return 0
	}
	return uint32(a.Value[i].At(lane) >> (8 * (offset % size)))
}

// forget drops the records of strong writes that a write overwrites.
func (d *Detector) forget(c *cell, at, stop uint64) {
	c.forget(at, stop)
	if at>>wordBits&1 != 0 {
		d.shadow.cell(at&^7).forget(at, stop)
	}
}

func (c *cell) forget(at, stop uint64) {
	if c.more == nil || len(c.more.records) == 0 {
		return
	}
	kept := c.more.records[:0]
	for _, r := range c.more.records {
		if stop <= r.at || r.at+uint64(r.size) <= at {
			kept = append(kept, r)
		}
	}
	clear(c.more.records[len(kept):])
	c.more.records = kept
}

// strong handles atomics, volatile accesses and those with an order, element by element.
func (d *Detector) strong(w *warpState, a *event.Access, e entry) {
	s := strength{scope: a.Scope, acquire: a.Order == event.Acquire || a.Order >= event.AcquireRelease, release: a.Order >= event.Release}
	e.flags = flagsOf(strong, a.Scope)
	if a.Volatile {
		s.scope = race.ScopeSystem
		e.flags = flagsOf(volatile, race.ScopeSystem)
	}
	for rest := a.Mask; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		e.lanes = 1 << lane
		for i := range a.Elements {
			at := d.at(a.Space, a.Owner, a.Addr[lane]) + uint64(i)*uint64(e.size)
			d.element(w, &w.threads[lane], a, e, s, at, i)
		}
	}
}

// element handles one strong access of one thread.
func (d *Detector) element(w *warpState, t *thread, a *event.Access, e entry, s strength, at uint64, i int) {
	lane := firstLane(e.lanes)
	d.serial++
	if a.Op == event.AtomicCompareExchange && a.Value[0].Known() && a.Value[0].At(lane) != a.Compare.At(lane) {
		e.kind = event.Read
	}
	d.poll(w, lane, a, at)
	first := d.shadow.cell(at)
	var seen *record
	if a.Kind != event.Write {
		seen = first.record(at, int(e.size))
		if seen != nil && seen.writer != t {
			seen.observed = true
			t.hinted().hear(seen, a.PC, linked(seen, t, s.scope))
		}
		if s.acquire { // what an acquire operation observes is before it already
			t.read(seen, at, s, d.height, d.acquires)
			t.hinted().fence(s.scope)
		}
	}
	e.epoch = t.own
	for from, end := at, at+uint64(e.size); from < end; {
		stop := min(end, from&^3+4)
		e.mask = maskOf(from, stop)
		if a.Kind == event.Write {
			e.value = valueAt(a, lane, int(from-at)+i*int(e.size))
		}
		d.check(t, d.shadow.cell(from), &e, from)
		from = stop
	}
	if s.release {
		t.digest(d.height)
	}
	if a.Kind != event.Write && !s.acquire {
		t.read(seen, at, s, d.height, d.acquires)
	}
	if e.kind != event.Read {
		lock := d.noteLock(t, a, s, lane, at)
		d.write(t, first, a, e, s, at, seen, lock)
	}
}

// write keeps a strong write for later reads of the location. For a read-modify-write, what
// the record that it has read publishes goes on in it.
func (d *Detector) write(t *thread, c *cell, a *event.Access, e entry, s strength, at uint64, read *record, lock bool) {
	m := c.crowded(d.shadow.spare)
	r := record{at: at, size: int(e.size), pc: a.PC, writer: t, epoch: t.own, scope: s.scope, releases: t.published(at, s), lock: lock}
	r.fenced = fenced{sc: t.past.sc, by: t.id, fences: t.fences}
	if a.Kind == event.Atomic && read != nil && linked(read, t, s.scope) {
		r.lock = r.lock || read.lock
		r.inheritFences(read, d.height)
		r.releases = inherit(r.releases, read.releases, r.lock, d.height)
	}
	if e.size <= 4 && len(m.records) == 1 && m.records[0].at == at && m.records[0].size == r.size && !m.records[0].observed {
		*m.records[0] = r
		if at>>wordBits&1 != 0 {
			d.shadow.cell(at&^7).forget(at, at+uint64(e.size))
		}
		return
	}
	for from, end := at, at+uint64(e.size); from < end; from = from&^3 + 4 {
		d.forget(d.shadow.cell(from), from, min(end, from&^3+4))
	}
	kept := d.shadow.spare.record()
	*kept = r
	m.records = append(m.records, kept)
}

// poll notes the instructions and locations that are polled.
func (d *Detector) poll(w *warpState, lane int, a *event.Access, at uint64) {
	if d.waiting[a.PC] {
		d.flags[at&^3] = true
	}
	if changes(a, lane) {
		w.polling &^= 1 << lane
		return
	}
	last := &w.polled[lane]
	if w.polling>>lane&1 != 0 && last.pc == a.PC && last.at == at {
		d.flags[at&^3], d.pollers[a.PC] = true, true
	}
	w.polling |= 1 << lane
	last.pc, last.at = a.PC, at
}

// changes reports whether a strong access may change what the location holds. Who waits doesn't.
func changes(a *event.Access, lane int) bool {
	switch {
	case a.Kind != event.Atomic:
		return a.Kind == event.Write
	case a.Op == event.AtomicCompareExchange:
		return a.Value[0].Known() && a.Value[0].At(lane) == a.Compare.At(lane)
	case a.Op == event.AtomicExchange:
		return !a.Operand.Known() || a.Operand.At(lane) != a.Value[0].At(lane)
	case a.Op == event.AtomicAdd || a.Op == event.AtomicOr || a.Op == event.AtomicXor:
		return !a.Operand.Known() || a.Operand.At(lane) != 0
	}
	return true
}

// judge reports an earlier access that races with the present one, or that only locks keep from it.
func (d *Detector) judge(before bool, o, e *entry, t *thread, at uint64) {
	switch {
	case !before:
		d.conflict(o, e, t, at)
	case d.inUse:
		d.suspect(o, e, t, at)
	}
}

// check compares an access of some bytes of a word with those before it, and keeps it.
func (d *Detector) check(t *thread, c *cell, e *entry, at uint64) {
	if d.inUse {
		defer d.guard(t, e, at)
	}
	if c.more == nil {
		o := &c.entry
		if o.empty() {
			c.entry = *e
			return
		}
		before := d.before(o, e, t)
		d.judge(before, o, e, t, at)
		switch {
		case before && e.standsFor(o):
			c.entry = *e
			return
		case o.warp == e.warp && e.lanes&^o.lanes == 0 && o.epoch == e.epoch && o.standsFor(e):
			return
		}
	}
	d.checkCrowd(t, c.crowded(d.shadow.spare), e, at)
}

func (d *Detector) checkCrowd(t *thread, m *crowd, e *entry, at uint64) {
	redundant := false
	kept := m.writes[:0]
	for i := range m.writes {
		o := m.writes[i]
		if o.mask&e.mask == 0 {
			kept = append(kept, o)
			continue
		}
		before := d.before(&o, e, t)
		d.judge(before, &o, e, t, at)
		if before && e.standsFor(&o) {
			continue
		}
		redundant = redundant || o.warp == e.warp && e.lanes&^o.lanes == 0 && o.epoch == e.epoch && o.standsFor(e)
		kept = append(kept, o)
	}
	m.writes = kept
	if e.writes() {
		d.checkTable(t, &m.reads, e, at)
	}
	if e.peer() && m.fits(e) && m.amongFriends(e) {
		if !redundant {
			d.addPeer(t, m, e)
		}
		return
	}
	d.checkTable(t, &m.peers, e, at)
	if redundant || !e.writes() && m.reads.absorb(e, !d.inUse) {
		return
	}
	m.add(e)
}

// checkTable compares an access with those of a table.
func (d *Detector) checkTable(t *thread, list *table, e *entry, at uint64) {
	list.drop(func(o *entry) bool {
		if o.mask&e.mask == 0 {
			return false
		}
		before := d.before(o, e, t)
		d.judge(before, o, e, t, at)
		return before && e.standsFor(o)
	})
}

// addPeer keeps an access among its peers. From time to time those are dropped that it stands for.
func (d *Detector) addPeer(t *thread, m *crowd, e *entry) {
	if m.peers.absorb(e, !d.inUse) {
		m.narrow = m.narrow || e.flags.scope() < race.ScopeDevice
		return
	}
	if n := len(m.peers.list); n > 0 && n == cap(m.peers.list) {
		m.peers.drop(func(o *entry) bool { return d.before(o, e, t) && e.standsFor(o) })
	}
	m.addPeer(e)
}

// before reports whether an access precedes the present one of a thread.
func (d *Detector) before(o, e *entry, t *thread) bool {
	if o.flags&async != 0 {
		return t.past.copies.covers(agentHeight, o.warp<<fanBits, o.lanes, o.epoch)
	}
	lanes := o.lanes
	// A thread's own accesses are before its next ones. Lanes that read together share all else.
	if o.warp == t.id>>fanBits && e.lanes&(e.lanes-1) == 0 {
		lanes &^= 1 << (t.id & (fan - 1))
		if lanes == 0 {
			return true
		}
	}
	return t.past.threads.covers(d.height, o.warp<<fanBits, lanes, o.epoch)
}
