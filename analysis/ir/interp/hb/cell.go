package hb

// This file defines what is kept of each place in memory: who accessed it last, from where in the source.

import (
	"math/bits"
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp"
	"github.com/warplint/warplint/analysis/race"
)

// cellBytes is the stretch of memory that has a cell; a mask has a bit for each byte.
const (
	cellBits  = 3
	cellBytes = 1 << cellBits
	allBytes  = 1<<cellBytes - 1
)

// cell holds what is known of a few bytes: the accesses and the last writes.
type cell struct {
	reads, writes entries
	records       []*record
	version       uint32 // counts the entries that were added or changed
	strong        uint32 // counts the strong writes
	sightings     []sighting
	polled        uint8 // mask of the bytes that are polled
}

// list is where an access belongs. Those that only read need not be compared with each other.
func (c *cell) list(writes bool) *entries {
	if writes {
		return &c.writes
	}
	return &c.reads
}

// entries is a list of accesses; a long one has an index.
type entries struct {
	all   []entry
	slots *[]int32 // a hash table of places in all, counted from 1; nil while the list is short
	prune int32    // number of entries at which to look for old ones
	calm  calm
}

// calm is what accesses have in common of which no two can clash, whatever orders them: all are strong, to aligned
// bytes, so many each, and the scope that all have at least holds all their threads. It is zero elsewhere.
type calm struct {
	size  uint8
	scope race.Scope
	block int32 // of the threads, severalBlocks if they are of several
}

const severalBlocks = -1

// and is what two sorts of accesses have in common.
func (a calm) and(b calm) calm {
	out, need := calm{a.size, min(a.scope, b.scope), a.block}, race.ScopeBlock
	if a.block != b.block {
		out.block = severalBlocks
	}
	if out.block == severalBlocks {
		need = race.ScopeDevice
	}
	if a.size != b.size || out.scope < need {
		return calm{}
	}
	return out
}

// slot tells entries of one list apart, by site, thread, bytes and access.
type slot uint64

// fewEntries is how many are quicker to look through than to look up.
const (
	fewEntries = 16
	firstPrune = 64
)

func (e *entry) slot() slot {
	return slot(e.site)<<(64-siteBits) | slot(e.id)<<10 | slot(e.mask)<<2 | slot(e.rank)
}

// find returns the place of the access by the same thread at the same site, -1 if there is none.
func (l *entries) find(e *entry) int {
	if l.slots != nil {
		return int(*l.place(e.slot())) - 1
	}
	for i := range l.all {
		o := &l.all[i]
		if o.id == e.id && o.mask == e.mask && o.site == e.site && o.rank == e.rank {
			return i
		}
	}
	return -1
}

// add adds an entry. A list that grows out of its room takes some of a larger one.
func (l *entries) add(e *entry, room *[]entry) {
	if len(l.all) == 0 {
		l.calm = e.calm()
	}
	if n := len(l.all); n == cap(l.all) && n <= fewEntries {
		const pieces = 16
		more := 4 * n
		switch {
		case n > 1:
		case n == 0 && e.mask == allBytes:
			more = 1 // most have no other
		default:
			more = 2 // most words are of two threads
		}
		if len(*room) < more {
			*room = make([]entry, more*pieces)
		}
		l.all = append((*room)[:0:more], l.all...)
		*room = (*room)[more:]
	}
	l.disturb(e)
	l.all = append(l.all, *e)
	switch n := len(l.all); {
	case l.slots != nil && 2*n <= len(*l.slots):
		*l.place(e.slot()) = int32(n)
	case n > fewEntries:
		l.index()
	}
}

// disturb takes note of an entry that is to be in the list.
func (l *entries) disturb(e *entry) { l.calm = l.calm.and(e.calm()) }

func (e *entry) calm() calm {
	size, first := bits.OnesCount8(e.mask), bits.TrailingZeros8(e.mask)
	if !e.strong || size&(size-1) != 0 || first%size != 0 {
		return calm{}
	}
	return calm{uint8(size), e.scope, int32(e.who.place.block)}
}

func (l *entries) index() {
	l.slots = nil
	if len(l.all) <= fewEntries {
		return
	}
	slots := make([]int32, 1<<bits.Len(uint(2*len(l.all))))
	l.slots = &slots
	for i := range l.all {
		*l.place(l.all[i].slot()) = int32(i + 1)
	}
}

// place returns where the hash table has an entry, or would have it.
func (l *entries) place(s slot) *int32 {
	slots := *l.slots
	for i := uint64(s) * 0x9e3779b97f4a7c15 >> 32; ; i++ {
		p := &slots[i&uint64(len(slots)-1)]
		if *p == 0 || l.all[*p-1].slot() == s {
			return p
		}
	}
}

// drop removes entries, and returns how many.
func (l *entries) drop(unwanted func(*entry) bool) int {
	kept := l.all[:0]
	for i := range l.all {
		if !unwanted(&l.all[i]) {
			kept = append(kept, l.all[i])
		}
	}
	dropped := len(l.all) - len(kept)
	clear(l.all[len(kept):])
	if l.all = kept; dropped > 0 {
		l.index()
		if len(kept) > 0 {
			l.calm = kept[0].calm()
		}
		for i := range kept {
			l.disturb(&kept[i])
		}
	}
	return dropped
}

// entry is the last access of one site by one thread.
type entry struct {
	*operation
	who     *thread
	locks   *[]Lock // that the thread held
	new     uint64
	past    **shelf // tells the thread's past in the real order from others
	id      int32   // element in vectors
	epoch   uint32
	checked uint32 // the cell's version at which it was last checked
	number  uint32 // of a strong write among those of its cell, from 1
	mask    uint8
	raced   bool
	copied  bool // over by an asynchronous copy
}

// sighting is a strong read of a write and of those that read-modify-writes have read before it. What has
// been observed so is before all that comes after the read in causality order, though what its writer did
// earlier is not (PTX ISA, "Causality order": observation order goes before base causality order, once).
type sighting struct {
	id          int32  // of the thread that reads
	epoch       uint32 // at the read
	first, last uint32 // the numbers of the writes
	mask        uint8
}

// mostSightings bounds those that are kept of a cell.
const mostSightings = 256

// sight notes that a thread observes a record. To observe it again, as those do that poll, says nothing more.
func (c *cell) sight(t *thread, r *record) {
	if t.sight == r {
		return
	}
	t.sight = r
	if len(c.sightings) == mostSightings {
		c.dropSightings()
	}
	c.sightings = append(c.sightings, sighting{int32(t.id), t.own, r.chain, r.number, maskOf(r.offset, r.offset+int64(r.size))})
}

// dropSightings makes room: those go of writes that nothing can be compared with any more, and else the oldest.
func (c *cell) dropSightings() {
	least := c.strong
	for i := range c.writes.all {
		if n := c.writes.all[i].number; n > 0 {
			least = min(least, n)
		}
	}
	c.sightings = slices.DeleteFunc(c.sightings, func(s sighting) bool { return s.last < least })
	if n := len(c.sightings); n > mostSightings/2 {
		c.sightings = append(c.sightings[:0], c.sightings[n-mostSightings/2:]...)
	}
}

// sightedBefore adds to a list the sightings before an access of a thread with such a past.
func (c *cell) sightedBefore(id int32, past vector, list []sighting) []sighting {
	for i := range c.sightings {
		if s := &c.sightings[i]; s.id == id || past.at(int(s.id)) >= s.epoch {
			list = append(list, *s)
		}
	}
	return list
}

// seen reports whether one of some sightings is of a strong write.
func seen(write *entry, sightings []sighting) bool {
	for i := range sightings {
		if s := &sightings[i]; s.mask == write.mask && s.first <= write.number && write.number <= s.last {
			return true
		}
	}
	return false
}

// operation is what the accesses of a statement have in common, each way that it may go.
type operation struct {
	site     int
	stmt     ir.Stmt
	access   race.Access // Read for a CAS that failed
	rank     uint8       // of the access
	strength ir.Strength
	scope    race.Scope
	strong   bool // atomic, or an access with an order
	writes   bool
	async    bool
	number   int           // among those of the run
	races    []*candidates // with others, by their numbers and how far apart the threads are
}

// operation returns what is known of an access from its statement.
func (d *Detector) operation(a *interp.Access, s strength) *operation {
	kind := a.Kind
	if kind == race.Atomic && !a.Wrote {
		kind = race.Read
	}
	for a.Site >= len(d.operations) {
		d.operations = append(d.operations, nil)
	}
	for _, o := range d.operations[a.Site] {
		if o.stmt == a.Stmt && o.access == kind && o.writes == a.Wrote && o.async == (a.Async != nil) {
			return o
		}
	}
	o := &operation{
		site: a.Site, stmt: a.Stmt, access: kind, rank: rank(kind), strength: a.Strength, scope: s.scope,
		strong: a.Kind == race.Atomic || a.Strength.Order != ir.Weak, writes: a.Wrote, async: a.Async != nil, number: d.numbered,
	}
	d.numbered++
	d.operations[a.Site] = append(d.operations[a.Site], o)
	return o
}

func (e *entry) side() Side {
	s := Side{
		Site: e.site, Stmt: e.stmt, Thread: e.who.info, Access: e.access, Strength: e.strength,
		New: e.new, Async: e.async,
	}
	if e.locks != nil {
		s.Locks = *e.locks
	}
	return s
}

// cells holds an object's cells by the number of their first byte, divided by cellBytes. A
// location that synchronizes belongs to the cell of its first byte.
type cells struct {
	low    []*page         // from number 0 on, some of them nil
	pages  map[int64]*page // the others
	number int64           // of the page that was looked at last
	last   *page           // nil for none
	room   []cell          // for the next ones
}

// page holds the cells of a stretch of memory, some of them nil.
type page [pageCells]*cell

const (
	pageBits  = 4
	pageCells = 1 << pageBits
	lowPages  = 1 << 9 // 64 KiB
)

func (m *cells) page(number int64) *page {
	switch {
	case uint64(number) < uint64(len(m.low)):
		return m.low[number]
	case uint64(number) < lowPages:
		return nil
	case m.last == nil || m.number != number:
		m.number, m.last = number, m.pages[number]
	}
	return m.last
}

// newPage adds a page.
func (m *cells) newPage(number int64) *page {
	p := &page{}
	if uint64(number) >= lowPages {
		m.pages[number], m.number, m.last = p, number, p
		return p
	}
	for number >= int64(len(m.low)) {
		m.low = append(m.low, nil)
	}
	m.low[number] = p
	return p
}

// find returns the cell of an offset, nil if there is none yet.
func (m *cells) find(offset int64) *cell {
	n := offset >> cellBits
	if p := m.page(n >> pageBits); p != nil {
		return p[n&(pageCells-1)]
	}
	return nil
}

func (m *cells) at(offset int64) *cell {
	n := offset >> cellBits
	p := m.page(n >> pageBits)
	if p == nil {
		p = m.newPage(n >> pageBits)
	}
	c := p[n&(pageCells-1)]
	if c == nil {
		if len(m.room) == 0 {
			m.room = make([]cell, pageCells)
		}
		c = &m.room[0]
		m.room = m.room[1:]
		c.reads.prune, c.writes.prune = firstPrune, firstPrune
		p[n&(pageCells-1)] = c
	}
	return c
}

// record returns the last write of exactly these bytes.
func (c *cell) record(offset int64, size int) *record {
	for _, r := range c.records {
		if r.offset == offset && r.size == size {
			return r
		}
	}
	return nil
}

// forget drops the records that a write overwrites.
func (c *cell) forget(offset int64, size int) {
	c.records = slices.DeleteFunc(c.records, func(r *record) bool {
		return r.offset < offset+int64(size) && offset < r.offset+int64(r.size)
	})
}

// maskOf is the mask of the bytes from at to stop of a cell.
func maskOf(at, stop int64) uint8 { return uint8(1<<(stop-at)-1) << (at & (cellBytes - 1)) }

// maxAlike bounds the accesses of one site to a cell that are kept once they have raced: one more
// shows nothing new, and each costs all that come after it.
const maxAlike = 16

// thin drops what is above that bound.
func (d *Detector) thin(c *cell) {
	alike := map[int]int{}
	for _, list := range []*entries{&c.writes, &c.reads} {
		d.entries -= list.drop(func(e *entry) bool {
			if e.raced {
				alike[e.site]++
			}
			return e.raced && alike[e.site] > maxAlike
		})
	}
}

// prune drops the accesses that are in the past of every thread: nothing can race with them any
// more, but for copies that have begun before.
func (d *Detector) prune(list *entries) {
	if d.copies {
		list.prune *= 2
		return
	}
	pasts := d.pasts()
	d.entries -= list.drop(func(e *entry) bool {
		for i := range pasts {
			if p := &pasts[i]; p.of != int(e.id) && p.vector.at(int(e.id)) < e.epoch {
				return false
			}
		}
		return true
	})
	list.prune = int32(max(firstPrune, 2*len(list.all)))
}

// shared is the past of a thread, or of several.
type shared struct {
	vector vector
	of     int // the thread's, -1 for several
}

// pasts lists the pasts of the threads that still run, those in a row that are the same once.
func (d *Detector) pasts() []shared {
	var out []shared
	for _, t := range d.threads {
		past := t.past.real
		switch n := len(out); {
		case t.exited:
		case n > 0 && same(out[n-1].vector, past):
			out[n-1].of = -1
		default:
			out = append(out, shared{past, t.id})
		}
	}
	return out
}
