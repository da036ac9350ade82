package causality

// This file defines rows: the shadow of 32 words, which keeps what a warp does to neighbouring words in
// one instruction as one run, as long as nothing races there. Most memory is never touched otherwise.

import (
	"slices"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

const (
	rowBits  = 5
	rowWords = 1 << rowBits
)

// row is the shadow of 128 bytes. The first run of a kind is in place.
type row struct {
	write, read run
	more        *others
	// home is the block that all runs are from, counted from 1, or nowhere; no epoch of them is behind newest.
	home   int32
	newest uint32
	// All runs are of this level and size, and publish nothing, unless they are mixed.
	level level
	size  uint8
	mixed bool
	joint bool // some of its words are, see joint.go
	// celled are the words that have cells. They are in no run.
	celled uint32
}

// reset forgets all runs. That is right for shared memory once all threads of its block have met since, as no
// others get there.
func (r *row) reset() {
	r.home, r.newest, r.mixed = 0, 0, false
	r.write.words, r.read.words = 0, 0
	if m := r.more; m != nil && m.written|m.read != 0 {
		clear(m.writes)
		clear(m.reads)
		m.writes, m.reads, m.written, m.read, m.byBlock = m.writes[:0], m.reads[:0], 0, 0, nil
	}
}

// lastMet is the last epoch before a barrier at which all threads have met that get to an address, which is one of shared memory; otherwise 0.
func (d *Detector) lastMet(at uint64, w *warpState) uint32 {
	if at < sharedBase || d.clusters {
		return 0
	}
	return w.block.meets[0]
}

// reaches notes that a word of shared memory has been accessed in an epoch.
func (p *page) reaches(at uint64, epoch uint32) {
	if at >= sharedBase {
		r := &p.rows[rowIn(at)]
		r.newest = max(r.newest, epoch)
	}
}

// renew forgets what a row has of before a barrier of all threads that get there, once, but for cells that are about more than accesses.
func (d *Detector) renew(p *page, r *row, at uint64, w *warpState) {
	met := d.lastMet(at, w)
	if met == 0 || r.newest > met {
		return
	}
	r.reset()
	r.newest = met + 1
	for rest := r.celled; rest != 0; rest &= rest - 1 {
		word := at&^(rowWords<<wordBits-1) + uint64(firstLane(rest))<<wordBits
		if d.shadow.dropTrail(word) || d.shadow.dropOwn(word) || d.agents == 0 && d.shadow.dropPlain(r, word, met) {
			r.celled &^= rest & -rest
		}
	}
}

// others is what a row has besides.
type others struct {
	writes, reads []run
	// written and read are the words of these runs.
	written, read uint32
	byBlock       *readers // nil if it is out of date, or not worth it
	cells         *rowCells
}

// rowCells are the numbers of the cells that words of a row have, 0 for none.
type rowCells struct {
	numbers [rowWords]uint32
	joint   joint
}

// precedes reports whether a run, as far as it touches some words, is before the present one of a warp.
func (d *Detector) precedes(o, e *run, words uint32, w *warpState) bool {
	if o.fellows != 0 {
		t := w.at(int(e.first()))
		return e.lanes&^t.lanes == 0 && o.warp>>fanBits == e.warp>>fanBits && t.hasMet(o.epoch, d.height) ||
			o.each(func(o *run) bool { return d.precedes(o, e, words, w) })
	}
	if o.warp == e.warp && o.lanes == e.lanes && (o.single() || o.all == e.all && o.down() == e.down() && o.wide() > 0) {
		return true // what is mostly the case comes first
	}
	first := o.warp << fanBits
	t := w.at(int(e.first()))
	if e.lanes&^t.lanes == 0 {
		if o.warp>>fanBits == e.warp>>fanBits && t.hasMet(o.epoch, d.height) {
			return true
		}
		return o.sameLanes(e, words) || t.past.threads.covers(d.height, first, o.lanes, o.epoch) ||
			t.past.threads.covers(d.height, first, o.lanesAt(words), o.epoch) ||
			t.each && o.wide() > 0 && o.alignedWith(e, words) && t.past.threads.covers(d.height, first, ownLane, o.epoch)
	}
	if o.sameLanes(e, words) {
		return true
	}
	for rest := e.lanes; rest != 0; rest &^= t.lanes {
		t = w.at(firstLane(rest))
		lanes := o.lanesAt(words & e.wordsAt(rest&t.lanes))
		if own := rest & t.lanes; o.warp == e.warp && own&(own-1) == 0 {
			lanes &^= own
		}
		if lanes != 0 && !t.hasKnown(o.warp, lanes, o.epoch, d.height) {
			return false
		}
	}
	return true
}

// accept keeps a run if no other one of the row races with it, and none has to be kept beside it in the
// same words. Reads that race with writes are kept beside these. The address is one of the row.
func (d *Detector) accept(r *row, e *run, w *warpState, at uint64) bool {
	if d.met(r, e, w) {
		if e.kind() == event.Read {
			r.dropReads(e.words)
		}
		r.add(e)
		return true
	}
	known := false // a write of the same threads in the same epoch stands for a read
	d.racing = d.racing[:0]
	if r.write.words&e.words != 0 && !d.follows(&r.write, e, w, &known) {
		return false
	}
	if r.more != nil && r.more.written&e.words != 0 {
		for i := range r.more.writes {
			if o := &r.more.writes[i]; o.words&e.words != 0 && !d.follows(o, e, w, &known) {
				return false
			}
		}
	}
	if e.kind() == event.Read {
		for _, o := range d.racing {
			d.raceIn(o, e, w, at)
		}
		if !known {
			r.addRead(e)
		}
		return true
	}
	if r.read.words&e.words != 0 && !d.follows(&r.read, e, w, &known) {
		return false
	}
	if r.more != nil && r.more.read&e.words != 0 {
		for i := range r.more.reads {
			if o := &r.more.reads[i]; o.words&e.words != 0 && !d.follows(o, e, w, &known) {
				return false
			}
		}
	}
	r.addWrite(e)
	return true
}

// met reports whether a run is by threads that are alike and know, from a barrier of their block, all that
// has been before it in a row, and so stands for that in its words.
func (d *Detector) met(r *row, e *run, w *warpState) bool {
	if r.home != int32(e.warp>>fanBits)+1 || e.level() != weak && (r.mixed || r.level != e.level() || r.size != e.size()) {
		return false
	}
	t := w.at(int(e.first()))
	return e.lanes&^t.lanes == 0 && t.hasMet(r.newest, d.height)
}

// follows reports whether a run can be kept behind an earlier one with which it has words in common. It
// notes if it need not be.
func (d *Detector) follows(o, e *run, w *warpState, known *bool) bool {
	common := o.words & e.words
	switch {
	case !d.precedes(o, e, common, w):
		if e.kind() != event.Read || o.level() != weak || e.level() != weak || o.besides != alone || e.besides != alone || d.inUse {
			return false
		}
		d.racing = append(d.racing, o)
		return true
	case e.kind() == event.Write && !e.standsFor(o):
		return false
	case (o.held != nil || e.held != nil) && !o.each(func(o *run) bool { return o.warp == e.warp || d.keptApart(o, e, w) }):
		return false
	case e.kind() == event.Write:
		return true
	}
	*known = *known || common == e.words && o.epoch == e.epoch && o.standsFor(e) && o.sameLanes(e, common)
	if e.level() == weak || o.shows == nil || o.warp == e.warp && o.sameLanes(e, common) {
		return true
	}
	return d.follow(o, e, common, w)
}

// raceIn reports the races of a read with a write of its row, word by word.
func (d *Detector) raceIn(o, e *run, w *warpState, at uint64) {
	at &^= rowWords<<wordBits - 1
	first, second := o.entry(0), e.entry(0)
	for rest := o.words & e.words; rest != 0; rest &= rest - 1 {
		first.lanes = o.lanesAt(rest & -rest)
		lanes := e.lanesAt(rest & -rest)
		if o.warp == e.warp {
			lanes &^= first.lanes
		}
		d.serial++
		for lanes != 0 {
			t := w.at(firstLane(lanes))
			second.lanes = lanes & t.lanes
			if lanes &^= t.lanes; !d.before(&first, &second, t) {
				d.conflict(&first, &second, t, at|uint64(firstLane(rest))<<wordBits)
			}
		}
	}
}

// follow reports whether the threads of a volatile read are alike, and so stay when they have observed a volatile
// write: they know what it publishes, or learn it each from its like.
func (d *Detector) follow(o, e *run, common uint32, w *warpState) bool {
	x := record{
		written: written{warp: o.warp, lanes: o.lanesAt(common), epoch: o.epoch, pc: o.pc, shows: o.shows},
		cluster: d.clusterOf(int32(o.warp >> fanBits)), scope: race.ScopeSystem, size: o.size(),
	}
	t := w.at(int(e.first()))
	switch aligned := o.wide() > 0 && o.alignedWith(e, common); {
	case e.lanes&^t.lanes != 0:
		return false
	case !o.shows.each && t.above(&x, d.height):
		return true
	case !aligned || e.lanesAt(common) != e.lanes || d.acquires || len(t.seen) > 0:
		return false
	}
	if x.lanes = ownLane; !t.above(&x, d.height) {
		kept := x // only what is kept goes to the heap
		d.lessons = append(d.lessons, &kept)
	}
	return true
}

// learn makes the threads of a run of reads observe what they can learn from.
func (d *Detector) learn(w *warpState, e *run, at uint64) {
	for _, r := range d.lessons {
		t := w.take(int(e.first()), e.lanes)
		r.at, t.each = at, true
		w.note(logged{lanes: e.lanes, epoch: t.own, pc: e.pc, written: r.written, linked: true})
		t.read(r, d.height, false)
	}
}

// keptApart reports whether a run that comes after one of another warp, in some words, would do so whatever the
// sequence in which locks are taken, or a lock keeps them apart.
func (d *Detector) keptApart(o, e *run, w *warpState) bool {
	t := w.at(int(e.first()))
	if e.lanes&^t.lanes == 0 && t.past.firm.covers(d.height, o.warp<<fanBits, o.lanes, o.epoch) {
		return true
	}
	return d.lockedApart(o.held, e.held, o.warp, e.warp, t.place)
}

// note remembers who has made a run.
func (r *row) note(e *run) {
	switch home := int32(e.warp>>fanBits) + 1; {
	case r.home == 0:
		r.home, r.level, r.size = home, e.level(), e.size()
	case r.home != home:
		r.home = nowhere
	}
	r.mixed = r.mixed || r.level != e.level() || r.size != e.size() || e.shows != nil
	r.newest = max(r.newest, e.epoch)
}

// add adds a run that comes behind all in its words.
func (r *row) add(e *run) {
	if e.kind() == event.Write {
		r.addWrite(e)
	} else {
		r.addRead(e)
	}
}

// addWrite adds a write that comes behind all in its words.
func (r *row) addWrite(e *run) {
	r.note(e)
	r.drop(e.words)
	if r.write.words == 0 {
		r.write.set(e)
		return
	}
	if r.write.extend(e) || r.write.widen(e) {
		return
	}
	m := r.others()
	for i := range m.writes {
		if m.writes[i].extend(e) || m.writes[i].widen(e) {
			m.written |= e.words
			return
		}
	}
	addRun(&m.writes, e)
	m.written |= e.words
}

// drop takes words out of all runs.
func (r *row) drop(words uint32) {
	r.write.words &^= words
	if m := r.more; m != nil && m.written&words != 0 {
		m.writes = without(m.writes, words)
		m.written &^= words
	}
	r.dropReads(words)
}

// dropReads takes words out of all runs that read.
func (r *row) dropReads(words uint32) {
	r.read.words &^= words
	if m := r.more; m != nil && m.read&words != 0 {
		m.reads, m.byBlock = without(m.reads, words), nil
		m.read &^= words
	}
}

// without takes words out of runs, and returns those of which something is left.
func without(list []run, words uint32) []run {
	n := 0
	for i := range list {
		o := &list[i]
		if o.words &^= words; o.words == 0 {
			continue
		}
		if n != i {
			list[n] = *o
		}
		n++
	}
	clear(list[n:])
	return list[:n]
}

// addRead adds a read, in the place of an earlier one of the same threads.
func (r *row) addRead(e *run) {
	r.note(e)
	if r.read.words == 0 {
		r.read.set(e)
		return
	}
	if r.read.takes(e) {
		return
	}
	m := r.others()
	fresh := m.read&e.words == 0
	m.read |= e.words
	if n := len(m.reads); n > 0 && m.reads[n-1].takes(e) {
		return
	}
	switch n := len(m.reads); {
	case e.wide() == 0 && fresh: // as where a warp reads one word after the other
	case n < manyReaders:
		for i := range m.reads[:max(n-1, 0)] {
			if m.reads[i].takes(e) {
				return
			}
		}
	default:
		if m.byBlock == nil {
			m.byBlock = readersOf(m.reads)
		}
		for i, ok := m.byBlock.latest[e.warp>>fanBits]; ok && i >= 0; i = m.byBlock.earlier[i] {
			if m.reads[i].takes(e) {
				return
			}
		}
	}
	addRun(&m.reads, e)
	if m.byBlock != nil {
		m.byBlock.add(e.warp >> fanBits)
	}
}

// addRun is append, with set.
func addRun(list *[]run, e *run) {
	n := len(*list)
	*list = slices.Grow(*list, 1)[:n+1]
	(*list)[n].set(e)
}

// manyReaders is the number of runs from which on those of a block are looked up.
const manyReaders = 64

// readers finds the runs of each block in a list.
type readers struct {
	latest  map[uint32]int32 // by block
	earlier []int32          // the one before of the same block, or -1
}

func readersOf(list []run) *readers {
	out := &readers{latest: make(map[uint32]int32, len(list))}
	for i := range list {
		out.add(list[i].warp >> fanBits)
	}
	return out
}

// add says that the next run is of a block.
func (r *readers) add(block uint32) {
	before, ok := r.latest[block]
	if !ok {
		before = -1
	}
	r.latest[block] = int32(len(r.earlier))
	r.earlier = append(r.earlier, before)
}

// maxLone bounds the runs of a row, beside the first, to which those of single lanes are added.
const maxLone = 4

// hasRoom reports whether a run of a single lane may be kept in a row.
func (r *row) hasRoom(e *run) bool {
	if r.more == nil {
		return true
	}
	first, list := &r.read, r.more.reads
	if e.kind() == event.Write {
		first, list = &r.write, r.more.writes
	}
	if len(list) < maxLone || first.words == 0 || e.extends(first) || e.widens(first) {
		return true
	}
	for i := range list {
		if e.extends(&list[i]) || e.widens(&list[i]) {
			return true
		}
	}
	return false
}

func (r *row) others() *others {
	if r.more == nil {
		r.more = new(others)
	}
	return r.more
}

// celledOthers is others for a row that gets a cell.
func (r *row) celledOthers() *others {
	m := r.more
	switch {
	case m == nil:
		x := new(struct {
			others
			cells rowCells
		})
		m = &x.others
		m.cells, r.more = &x.cells, m
	case m.cells == nil:
		m.cells = new(rowCells)
	}
	return m
}

// cell returns the cell of the word at an address, which gets one if it has none: what runs have of the
// word moves there.
func (d *Detector) cell(at uint64) *cell {
	r, word := d.shadow.row(at), at>>wordBits&(rowWords-1)
	if c := d.shadow.cellOf(r, at); c != nil {
		return c
	}
	p := d.shadow.page(at >> pageBits)
	if p.scattered != nil {
		d.beside(p, at>>pageBits, rowIn(at), 1<<word, true)
		if c := d.shadow.cellOf(r, at); c != nil {
			return c
		}
	}
	c := d.newCell(r, at)
	r.celled, p.celled = r.celled|1<<word, true
	d.moveRuns(r, c, at)
	return c
}

// newCell gives the word at an address in a row an empty cell.
func (d *Detector) newCell(r *row, at uint64) *cell {
	number := d.shadow.cells.add()
	r.celledOthers().cells.numbers[at>>wordBits&(rowWords-1)] = number
	return d.shadow.cells.at(number)
}

// moveRuns moves what runs have of the word at an address to its cell.
func (d *Detector) moveRuns(r *row, c *cell, at uint64) {
	m := r.more
	d.move(&r.write, c, at)
	for i := range m.writes {
		d.move(&m.writes[i], c, at)
	}
	d.move(&r.read, c, at)
	for i := range m.reads {
		d.move(&m.reads[i], c, at)
	}
	r.drop(1 << (at >> wordBits & (rowWords - 1)))
}

// move adds what a run has of the word at an address to its cell.
func (d *Detector) move(o *run, c *cell, at uint64) {
	if word := at >> wordBits & (rowWords - 1); o.words>>word&1 != 0 {
		o.each(func(o *run) bool {
			d.moveOne(o, c, at)
			return true
		})
	}
}

// entry is the access of a word by some lanes of a run.
func (r *run) entry(lanes uint32) entry {
	flags := flagsOf(weak, race.ScopeNone)
	if r.level() == volatile {
		flags = flagsOf(volatile, race.ScopeSystem)
	}
	return entry{act{warp: r.warp, epoch: r.epoch, pc: r.pc, mask: 1<<4 - 1, size: r.size(), kind: r.kind(), flags: flags}, lanes}
}

// moveOne is move for a run of one warp that has the word.
func (d *Detector) moveOne(o *run, c *cell, at uint64) {
	word := at >> wordBits & (rowWords - 1)
	e := o.entry(o.lanesAt(1 << word))
	if e.writes() {
		e.value = d.valueOf(&e, at)
	}
	d.shadow.keep(c, &e)
	if o.held != nil {
		d.shadow.crowdOf(c).guard(guard{e.warp, e.lanes, e.epoch, e.writes(), o.held})
	}
	if o.level() != volatile || !e.writes() {
		return
	}
	r := d.shadow.spare.record()
	*r = record{
		written: written{at: at &^ 3, pc: o.pc, warp: o.warp, lanes: e.lanes, epoch: o.epoch, shows: nothing},
		size:    o.size(), cluster: d.clusterOf(int32(o.warp >> fanBits)), scope: race.ScopeSystem,
	}
	if o.shows != nil {
		r.shows = o.shows
	}
	r.next, c.records = c.records, r
}

// keep adds an access to a word without a check.
func (p *pages) keep(c *cell, e *entry) {
	switch {
	case !c.listed && e.writes() && c.write().lanes == 0:
		*c.write() = p.acts.ref(e)
	case !c.listed && !e.writes() && c.read().lanes == 0:
		*c.read() = p.acts.ref(e)
	default:
		c.makeList()
		p.add(c, e, p.acts.name(&e.act), false)
	}
}
