package hb

// This file defines the detector, which checks each access against those before it.

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp"
	"github.com/warplint/warplint/analysis/race"
)

// Side is one access of a race.
type Side struct {
	Site     int // index of ir.Func.Sites
	Stmt     ir.Stmt
	Thread   *interp.Thread
	Access   race.Access // Read for a CAS that failed
	Strength ir.Strength
	New      uint64 // bits after the access
	Async    bool   // an asynchronous copy that the thread began
	Locks    []Lock // that the thread held
}

// HandOver is a pair of accesses by which the first thread of a race told the second: it
// wrote a flag or a counter after its access, and the second read that before its own.
type HandOver struct {
	Write, Read int // sites
}

// Race is a pair of accesses that nothing orders: the first of its two sites and kinds of
// access that was met.
type Race struct {
	First, Second Side // in the order of the run
	Kind          race.Kind
	Object        *interp.Object
	Offset        int64 // of the common bytes, in the object
	Size          int
	Missing       Missing
	// By is how the threads communicated, where something is missing to it and it was direct.
	By *HandOver
	// Note is set where only the consumer's fence is missing, or narrow, and its access is
	// volatile, which works on today's hardware: information, not a warning. Locks need both
	// fences, so where the two hold the same lock it is not set.
	Note bool
	// SameValue is set for two writes of the same value.
	SameValue bool
	Count     int // pairs of accesses that were seen

	guessed bool // Missing is not known: the orders that tell it were not kept
}

// key is what tells races apart, and their order: the sites, each side's access, and the race's kind. The sides
// are in the order of their sites.
type key uint64

func (r *Race) key() key {
	return keyOf(r.First.Site, r.Second.Site, rank(r.First.Access), rank(r.Second.Access), r.Kind)
}

func keyOf(siteA, siteB int, a, b uint8, kind race.Kind) key {
	if siteA > siteB || siteA == siteB && a > b {
		siteA, siteB, a, b = siteB, siteA, b, a
	}
	k := key(siteA)<<siteBits | key(siteB)
	k = k<<6 | key(a)<<4 | key(b)<<2
	return k | key(farness(kind))
}

// farness numbers the kinds, in two bits.
func farness(kind race.Kind) int {
	switch kind {
	case race.IntraBlock:
		return 1
	case race.InterBlock:
		return 2
	}
	return 0
}

// siteBits are those that the number of a site has at most.
const siteBits = 28

// rank numbers the accesses, in two bits.
func rank(a race.Access) uint8 {
	switch a {
	case race.Write:
		return 1
	case race.Atomic:
		return 2
	}
	return 0
}

// Detector is an interp.Listener that collects the races of one run.
type Detector struct {
	threads    []*thread
	objects    map[int]*cells
	lastObject int // the one that was accessed last
	lastCells  *cells
	polled     []bool // by site
	acquires   bool   // the function has acquire operations
	explains   bool   // keeps the orders that say what is missing
	observed   bool   // some thread has read what another published: only from here on do the orders differ
	races      map[key]*candidates
	watched    []bool         // by site; nil means all
	onRace     func(*Race)    // called when the first race of a key is found for sure
	entries    int            // in all cells
	room       []entry        // for more of them
	operations [][]*operation // by site
	copies     bool           // the function copies asynchronously
	lastWait   copiesWait
	fences     proxyFences
	numbered   int        // operations, so far
	sighted    []sighting // see seen
	given      bool       // see Result
	came       []bool     // by site
	// Incomplete is set when the run touched more memory than the detector keeps track of.
	// Accesses from then on are not checked.
	Incomplete bool
}

// maxEntries bounds the detector's memory: an entry takes some 90 bytes.
const maxEntries = 2 << 20

// candidates are the witnesses of one key: those whose location turns out to be a flag do not
// count, so one is kept for each of a few locations.
type candidates struct {
	list  []candidate
	count int
}

type candidate struct {
	race Race
	cell *cell
	mask uint8 // the common bytes
	// flag is set where the race is none if the location is a flag.
	flag bool
}

const maxCandidates = 8

// NewDetector returns a detector for one run of a function with a number of threads. With
// explain it finds out what is missing, which takes about twice the time where threads
// synchronize much; without, Race.Missing is Nothing or AccessScope.
func NewDetector(f *ir.Func, threads int, explain bool) *Detector {
	d := &Detector{objects: map[int]*cells{}, polled: bySite(PolledSites(f)), races: map[key]*candidates{}, came: make([]bool, len(f.Sites))}
	zero := newVector(threads)
	d.given = hasStmt(f, isNamed)
	if d.copies = hasStmt(f, ir.Copies); d.copies {
		zero = newVector(2 * threads) // each thread has an agent for its copies
	}
	d.threads = make([]*thread, threads)
	all := make([]thread, threads)
	for i := range d.threads {
		t := &all[i]
		t.id, t.own = i, 1
		if t.past.real = zero; !explain {
			t.past.others = unkept
		}
		d.threads[i] = t
	}
	d.acquires, d.explains = hasStmt(f, acquires), explain
	return d
}

// traceFactor is the prime of FNV-1a.
const traceFactor = 1099511628211

// trace is a hash of what each thread has accessed.
func (d *Detector) trace() uint64 {
	var all uint64
	for _, t := range d.threads {
		all = (all ^ t.trace) * traceFactor
	}
	return all
}

// watch restricts what is looked for to races between these sites; nil means all.
func (d *Detector) watch(sites []int) {
	if sites == nil {
		return
	}
	all := map[int]bool{}
	for _, site := range sites {
		all[site] = true
	}
	d.watched = bySite(all)
}

func (d *Detector) watches(site int) bool { return d.watched == nil || has(d.watched, site) }

// bySite makes a set of sites a list; it is not nil.
func bySite(set map[int]bool) []bool {
	list := []bool{}
	for site, in := range set {
		for in && site >= len(list) {
			list = append(list, false)
		}
		if in {
			list[site] = true
		}
	}
	return list
}

func has(list []bool, site int) bool { return site < len(list) && list[site] }

// hasStmt reports whether some statement of a function is such a one.
func hasStmt(f *ir.Func, is func(ir.Stmt) bool) bool {
	found := false
	ir.WalkStmts(f.Body, func(s ir.Stmt) bool {
		found = found || is(s)
		return !found
	})
	return found
}

// isNamed reports whether a statement is an operation that may read memory by itself.
func isNamed(s ir.Stmt) bool {
	_, ok := s.(*ir.Named)
	return ok
}

func acquires(s ir.Stmt) bool {
	switch s := s.(type) {
	case *ir.Load:
		return s.Order.Acquires()
	case *ir.Atomic:
		return s.Order.Acquires()
	}
	return false
}

func (d *Detector) thread(it *interp.Thread) *thread {
	t := d.threads[it.ID]
	if t.info == nil {
		t.info, t.place = it, place{it.Block, it.Cluster}
	}
	return t
}

// agent is the element of a thread's asynchronous copies in vectors.
func (d *Detector) agent(t *thread) int { return t.id + len(d.threads) }

// Races returns what was found, in the order of the sites. It does not keep the detector.
func (d *Detector) Races() []*Race {
	var list []*Race
	for _, c := range d.races {
		for i := range c.list {
			if k := &c.list[i]; !k.flag || k.cell.polled&k.mask == 0 {
				found := k.race
				found.Count = c.count
				list = append(list, &found)
				break
			}
		}
	}
	slices.SortFunc(list, func(a, b *Race) int { return cmp.Compare(a.key(), b.key()) })
	return list
}

// Access implements interp.Listener.
func (d *Detector) Access(it *interp.Thread, a *interp.Access) {
	d.came[a.Site] = true
	d.given = d.given || a.Kind != race.Write && a.Object.Space != ir.Shared && (a.Object.Buffer >= 0 || a.Object.Decl != nil)
	if a.Object.Space == ir.Constant || d.Incomplete {
		return
	}
	t := d.thread(it)
	t.trace = (t.trace ^ uint64(a.Site)<<40 ^ uint64(a.Offset)) * traceFactor
	s := strengthOf(a)
	cells := d.cellsOf(a.Object)
	watched, polled := d.watches(a.Site), has(d.polled, a.Site)
	if !watched && !polled && cells.find(a.Offset) == nil {
		switch {
		case !a.Wrote:
			d.read(t, nil, a, s) // nothing to observe
			return
		case !s.strong && len(t.releases) == 0 && a.Async == nil:
			return // nor will there be
		}
	}
	first := cells.at(a.Offset)
	var seen *record
	if a.Kind != race.Write {
		seen = first.record(a.Offset, a.Size)
		if s.acquire { // what an acquire operation observes is before it already
			d.read(t, seen, a, s)
		}
	}
	end := a.Offset + int64(a.Size)
	for at := a.Offset; at < end; {
		c := cells.at(at)
		stop := min(end, at&^(cellBytes-1)+cellBytes)
		mask := maskOf(at, stop)
		if polled {
			c.polled |= mask
		}
		if watched {
			d.check(t, c, a, s, at, mask)
		}
		if a.Async != nil && a.Wrote {
			c.forget(at, int(stop-at))
			c.copiedOver(mask)
		}
		at = stop
	}
	if a.Async != nil {
		return
	}
	if a.Kind != race.Write && !s.acquire {
		d.read(t, seen, a, s)
	}
	if seen != nil && linked(seen, t, s).has(actual) {
		first.sight(t, seen)
	}
	if a.Wrote {
		d.write(t, first, a, s, seen)
		d.noteLock(t, a)
	}
}

func (d *Detector) cellsOf(o *interp.Object) *cells {
	if d.lastCells != nil && d.lastObject == o.ID {
		return d.lastCells
	}
	m := d.objects[o.ID]
	if m == nil {
		m = &cells{pages: map[int64]*page{}}
		d.objects[o.ID] = m
	}
	d.lastObject, d.lastCells = o.ID, m
	return m
}

// check compares an access of some bytes of the cell that holds offset at with those before
// it, and keeps it.
func (d *Detector) check(t *thread, c *cell, a *interp.Access, s strength, at int64, mask uint8) {
	e := entry{
		operation: d.operation(a, s), who: t, locks: t.locks, new: a.New,
		mask: mask, id: int32(t.id), epoch: t.own,
	}
	if a.Wrote && s.strong && at == a.Offset {
		e.number = c.strong + 1
	}
	past := &t.past
	if a.Async != nil {
		state := a.Async.Tag.(*copyState)
		past, e.id, e.epoch = &state.past, int32(state.agent), state.epoch
	}
	mine := c.list(a.Wrote)
	slot := mine.find(&e)
	if slot >= 0 {
		old := &mine.all[slot]
		if old.checked == c.version && old.epoch == e.epoch && old.past == &past.real[0] {
			old.locks, old.new, old.number = e.locks, e.new, e.number
			return // nothing has happened here since the same access
		}
	}
	racing, own, looked, bulk := 0, e.calm(), false, isBulkRead(a)
	against := func(list *entries) {
		if own.size != 0 && list.calm.and(own) != (calm{}) {
			return
		}
		for i := range list.all {
			o := &list.all[i]
			before := past.real.at(int(o.id)) >= o.epoch
			if o.mask&mask == 0 || before && !(bulk && d.unfenced(o, past.real)) || o.id == e.id && a.Async == nil {
				continue
			}
			clash := conflictOf(o, &e)
			if clash != none && o.number > 0 && len(c.sightings) > 0 {
				if !looked {
					d.sighted, looked = c.sightedBefore(e.id, past.real, d.sighted[:0]), true
				}
				if seen(o, d.sighted) {
					continue
				}
			}
			if clash != none {
				d.report(c, a.Object, at&^(cellBytes-1), o, &e, past, clash)
				o.raced, e.raced = true, true
				racing++
			}
		}
	}
	if len(c.writes.all) > 0 {
		against(&c.writes)
	}
	if e.writes && len(c.reads.all) > 0 {
		against(&c.reads)
	}
	if racing > 2*maxAlike {
		d.thin(c)
		slot = mine.find(&e)
	}
	c.version++
	e.checked, e.past = c.version, &past.real[0]
	if slot >= 0 {
		mine.disturb(&e)
		mine.all[slot] = e
		return
	}
	if len(mine.all) >= int(mine.prune) {
		d.prune(mine)
	}
	if d.entries == maxEntries {
		d.Incomplete = true
		return
	}
	d.entries++
	mine.add(&e, &d.room)
}

// conflict is how two accesses of common bytes clash if nothing orders them.
type conflict uint8

const (
	none     conflict = iota
	plain             // one of them is no atomic
	volatile          // likewise, but they do not clash if the location is a flag
	narrow            // both are atomic, or would be if the location is a flag: a scope is too narrow
)

func conflictOf(a, b *entry) conflict {
	strongA, strongB := a.strong || a.strength.Volatile, b.strong || b.strength.Volatile
	need := distance(&a.who.place, &b.who.place)
	switch {
	case !strongA || !strongB || a.mask != b.mask:
		return plain
	case a.scope < need || b.scope < need:
		return narrow
	case !a.strong || !b.strong:
		return volatile
	}
	return none
}

// report keeps a race of two accesses in the cell whose first byte is at base.
func (d *Detector) report(c *cell, object *interp.Object, base int64, first, second *entry, past *clocks, clash conflict) {
	kind := kindOf(first.who, second.who)
	found := d.candidatesOf(first.operation, second.operation, kind)
	found.count++
	if n := len(found.list); n == maxCandidates || n > 0 && (!found.list[n-1].flag || found.list[n-1].cell == c) {
		return
	}
	r := Race{First: first.side(), Second: second.side(), Kind: kind}
	if r.Missing, r.guessed = missing(past, first, clash), d.observed && !d.explains; ordered(past, actual, first) {
		r.Missing, r.guessed = ProxyFence, false
	}
	if r.Missing != Nothing {
		r.By = second.who.heardOf(first)
	}
	r.Note = clash != narrow && !shareLock(&r.First, &r.Second) && second.strength.Volatile && ordered(past, observing, first)
	r.SameValue = first.access == race.Write && second.access == race.Write && first.mask == second.mask && first.new == second.new
	common := first.mask & second.mask
	r.Object, r.Offset, r.Size = object, base+int64(bits.TrailingZeros8(common)), bits.OnesCount8(common)
	found.list = append(found.list, candidate{race: r, cell: c, mask: common, flag: clash == volatile})
	if clash != volatile && d.onRace != nil {
		d.onRace(&r)
	}
}

// candidatesOf returns where the races of two operations are kept.
func (d *Detector) candidatesOf(first, second *operation, kind race.Kind) *candidates {
	at := 3*second.number + farness(kind)
	for at >= len(first.races) {
		first.races = append(first.races, nil)
	}
	found := first.races[at]
	if found == nil {
		k := keyOf(first.site, second.site, first.rank, second.rank, kind)
		if found = d.races[k]; found == nil {
			found = &candidates{}
			d.races[k] = found
		}
		first.races[at] = found
	}
	return found
}

// missing returns what the first of the orders does without in which the pair is ordered. Narrow atomics need
// no wider scope where only the consumer's fence keeps them from being ordered.
func missing(past *clocks, first *entry, clash conflict) Missing {
	if clash == narrow && !ordered(past, observing, first) {
		return AccessScope
	}
	for k, w := range waivers {
		if ordered(past, k, first) {
			return w.missing
		}
	}
	return Nothing
}

func ordered(past *clocks, k int, e *entry) bool {
	return past.of(k).at(int(e.id)) >= e.epoch
}

func kindOf(a, b *thread) race.Kind {
	switch {
	case a.place.block != b.place.block:
		return race.InterBlock
	case a.info.Warp != b.info.Warp:
		return race.IntraBlock
	}
	return race.IntraWarp
}
