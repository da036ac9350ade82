package causality

// This file defines rows: the shadow of 32 words, which keeps what a warp does to neighbouring words in
// one instruction as one run, as long as nothing races there. Most memory is never touched otherwise.

import (
	"math/bits"
	"slices"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

const (
	rowBits  = 5
	rowWords = 1 << rowBits
)

// run is a weak or volatile access of some lanes of a warp, all in the same epoch, to whole words of a row, or
// several of one instruction. How many words each lane has is wide. They ascend with the lanes: each lane's lie as
// far from those of the first one as the lane is from that; or, if wide is 1, with gaps: then the nth word is the nth
// lane's, or, of a read that goes down, the nth word from the last one. If wide is 0, all lanes go to the same words.
type run struct {
	warp, lanes, epoch, pc uint32
	// All are the words of the row that it went to, and words those that it is still kept for.
	all, words uint32
	form
	// Fellows are other warps of the block that have done the same in an epoch of theirs that has the same number, as
	// where all of them read a row of a tile. Only weak reads have some.
	fellows uint32
	*besides
}

// set is an assignment, field by field. What has just been put together from small parts is not copied in large ones: the
// processor would wait until all it has stored before is in the cache, a kernel's own stores too.
func (r *run) set(o *run) {
	r.warp, r.lanes, r.epoch, r.pc = o.warp, o.lanes, o.epoch, o.pc
	r.all, r.words = o.all, o.words
	r.form, r.fellows, r.besides = o.form, o.fellows, o.besides
}

// form is what kind of access a run is, and where its lanes and words lie.
type form uint32

// formOf is the form of accesses of elements of so many bytes.
func formOf(kind event.Kind, level level, size uint8) form {
	return form(size)<<13 | form(kind)<<18 | form(level)<<20
}

// at is a form whose lowest lane goes to a word of the row, and each lane to so many.
func (f form) at(first int, word, wide uint64) form {
	return f&^(1<<13-1) | form(first) | form(word)<<5 | form(wide)<<10
}

const (
	withGaps form = 1 << 22
	goesDown form = 1 << 23
)

func (f form) first() uint8     { return uint8(f & 31) }      // the lowest lane of the access
func (f form) word() uint8      { return uint8(f >> 5 & 31) } // its first word
func (f form) wide() uint8      { return uint8(f >> 10 & 7) }
func (f form) size() uint8      { return uint8(f >> 13 & 31) } // bytes of an element
func (f form) kind() event.Kind { return event.Kind(f >> 18 & 3) }
func (f form) level() level     { return level(f >> 20 & 3) }
func (f form) gaps() bool       { return f&withGaps != 0 } // also where it goes down
func (f form) down() bool       { return f&goesDown != 0 }

// besides is what else there is to some runs.
type besides struct {
	shows *publication // of a volatile write, if it publishes something
	held  *lockSet     // the locks that the block held
}

// alone is besides where there is nothing.
var alone = &besides{}

// besides returns what is the same for all runs of an access.
func (w *warpState) besides(shows *publication, held *lockSet) *besides {
	if shows == nil && held == nil {
		return alone
	}
	if b := w.last; b == nil || b.shows != shows || b.held != held {
		w.last = &besides{shows, held}
	}
	return w.last
}

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

// partners returns the elements of the set to that stand at the places which the picked ones have in the
// set from: the first with the first, and so on.
func partners(picked, from, to uint32) uint32 {
	var out uint32
	for ; from != 0 && to != 0; from, to = from&(from-1), to&(to-1) {
		if picked&from&-from != 0 {
			out |= to & -to
		}
	}
	return out
}

// opposites is partners where the last element of the set to belongs to the first one of the set from.
func opposites(picked, from, to uint32) uint32 {
	var out uint32
	for ; from != 0 && to != 0; from &= from - 1 {
		last := uint32(1) << (bits.Len32(to) - 1)
		if picked&from&-from != 0 {
			out |= last
		}
		to &^= last
	}
	return out
}

// lanesAt returns the lanes that touch some of the words.
func (r *run) lanesAt(words uint32) uint32 {
	switch {
	case r.wide() == 0 || words == r.all:
		return r.lanes
	case r.wide() == 1 && !r.gaps():
		return words >> r.word() << r.first()
	case r.down():
		return opposites(words, r.all, r.lanes)
	case r.wide() == 1:
		return partners(words, r.all, r.lanes)
	}
	var lanes uint32
	for rest := words; rest != 0; rest &= rest - 1 {
		lanes |= 1 << (r.first() + (uint8(bits.TrailingZeros32(rest))-r.word())/r.wide())
	}
	return lanes
}

// sameLanes reports whether each of some common words of two runs belongs to the same thread.
func (r *run) sameLanes(o *run, words uint32) bool {
	return r.warp == o.warp && r.alignedWith(o, words)
}

// alignedWith reports whether each of some common words of two runs belongs to threads of the same lane.
func (r *run) alignedWith(o *run, words uint32) bool {
	switch {
	case r.wide() != o.wide() || r.wide() == 0:
		return (r.single() || o.single()) && r.lanesAt(words) == o.lanesAt(words)
	case r.down() != o.down():
		return words&(words-1) == 0 && r.lanesAt(words) == o.lanesAt(words)
	case r.all == o.all && r.lanes == o.lanes:
		return true
	case r.wide() == 1 && (r.gaps() || o.gaps()):
		return r.lanesAt(words) == o.lanesAt(words) // in the same order
	}
	return int(r.word())-int(r.first())*int(r.wide()) == int(o.word())-int(o.first())*int(o.wide())
}

// single reports whether a run is of one lane.
func (r *run) single() bool { return r.lanes&(r.lanes-1) == 0 }

// each reports whether something holds for each warp's part of a run.
func (r *run) each(holds func(*run) bool) bool {
	if r.fellows == 0 {
		return holds(r)
	}
	one := *r
	one.fellows = 0
	for rest := r.fellows | 1<<(r.warp&(fan-1)); rest != 0; rest &= rest - 1 {
		if one.warp = r.warp&^(fan-1) | uint32(firstLane(rest)); !holds(&one) {
			return false
		}
	}
	return true
}

// standsFor reports whether whatever conflicts with an earlier run does so with this one, too, as far as
// it goes to the same words.
func (r *run) standsFor(o *run) bool {
	return r.level() == weak || r.level() == o.level() && r.size() == o.size() && r.warp>>fanBits == o.warp>>fanBits
}

// replaces reports whether a read stands for an earlier one, whose words it has, since the same threads
// make it. Scattered reads come to a row late, and may be the earlier ones.
func (r *run) replaces(o *run) bool {
	if r.warp != o.warp || r.epoch < o.epoch || o.words&^r.words != 0 || !r.standsFor(o) {
		return false
	}
	return r.wide() == 0 && o.wide() == 0 && o.lanes&^r.lanes == 0 || r.wide() > 0 && r.sameLanes(o, o.words)
}

// wordsAt returns the words of a row that some lanes touch.
func (r *run) wordsAt(lanes uint32) uint32 {
	lanes &= r.lanes
	switch {
	case lanes == r.lanes:
		return r.words
	case r.wide() == 0 && lanes != 0:
		return r.words
	case r.wide() == 1 && !r.gaps():
		return lanes >> r.first() << r.word() & r.words
	case r.down():
		return opposites(lanes, r.lanes, r.all) & r.words
	case r.wide() == 1:
		return partners(lanes, r.lanes, r.all) & r.words
	}
	var words uint32
	for rest := lanes; rest != 0; rest &= rest - 1 {
		words |= uint32(1<<r.wide()-1) << (r.word() + (uint8(firstLane(rest))-r.first())*r.wide())
	}
	return words & r.words
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
// same words.
func (d *Detector) accept(r *row, e *run, w *warpState) bool {
	if d.met(r, e, w) {
		if e.kind() == event.Read {
			r.dropReads(e.words)
		}
		r.add(e)
		return true
	}
	known := false // a write of the same threads in the same epoch stands for a read
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
	case !d.precedes(o, e, common, w), e.kind() == event.Write && !e.standsFor(o):
		return false
	case (o.held != nil || e.held != nil) && !o.each(func(o *run) bool { return o.warp == e.warp || d.keptApart(o, e, common, w) }):
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
func (d *Detector) keptApart(o, e *run, words uint32, w *warpState) bool {
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

// extends reports whether an access can be part of the same run as an earlier one: it is by other lanes of its
// warp, with the same instruction in the same epoch.
func (r *run) extends(o *run) bool {
	return r.warp == o.warp && r.epoch == o.epoch && r.pc == o.pc && r.fellows|o.fellows == 0 && r.wide() == o.wide() && r.wide() > 0 && !r.gaps() && !o.gaps() &&
		(r.besides == o.besides || *r.besides == *o.besides) && int(r.word())-int(r.first())*int(r.wide()) == int(o.word())-int(o.first())*int(o.wide())
}

// extend adds an access to a run if it can be part of that.
func (r *run) extend(e *run) bool {
	if !e.extends(r) {
		return false
	}
	r.lanes, r.all, r.words = r.lanes|e.lanes, r.all|e.all, r.words|e.words
	r.form = r.form.at(int(min(r.first(), e.first())), uint64(min(r.word(), e.word())), uint64(r.wide()))
	return true
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

// takes makes a later read part of a run, or puts it in its place, if the same warp makes it, or another one of the
// block makes the same.
func (r *run) takes(e *run) bool {
	switch {
	case r.warp>>fanBits != e.warp>>fanBits:
		return false
	case r.same(e):
		if r.warp != e.warp {
			r.fellows |= 1 << (e.warp & (fan - 1))
		}
		return true
	case r.fellows != 0:
		r.leave(e)
		return false
	case r.warp != e.warp:
		return false
	case e.replaces(r):
		r.set(e)
		return true
	}
	return r.extend(e) || r.widen(e)
}

// same reports whether a later weak read of a warp of the block is the same as an earlier one, but for the warp.
func (r *run) same(e *run) bool {
	return r.epoch == e.epoch && r.form == e.form && r.lanes == e.lanes && r.words == e.words && r.all == e.all && r.pc == e.pc &&
		e.level() == weak && (r.besides == e.besides || *r.besides == *e.besides)
}

// leave takes a warp that reads again out of a run of several, as far as the later read stands for that.
func (r *run) leave(e *run) {
	own := uint32(1) << (e.warp & (fan - 1))
	all := r.fellows | 1<<(r.warp&(fan-1))
	if all&own == 0 {
		return
	}
	one := run{}
	one.set(r)
	one.warp, one.fellows = e.warp, 0
	if !e.replaces(&one) {
		return
	}
	all &^= own
	r.warp = r.warp&^(fan-1) | uint32(firstLane(all))
	r.fellows = all & (all - 1)
}

// widens reports whether an access can add words to an earlier run of which all lanes, or the only one, go to all words,
// as they go to these, too, by the same instruction in the same epoch.
func (r *run) widens(o *run) bool {
	return (r.wide()|o.wide() == 0 || r.single()) && r.lanes == o.lanes && r.warp == o.warp && r.epoch == o.epoch && r.pc == o.pc && r.fellows|o.fellows == 0 &&
		r.size() == o.size() && (r.besides == o.besides || *r.besides == *o.besides)
}

// widen adds words to a run if that is possible.
func (r *run) widen(e *run) bool {
	if !e.widens(r) {
		return false
	}
	r.all, r.words = r.all|e.all, r.words|e.words
	r.form = (r.form &^ (withGaps | goesDown)).at(int(r.first()), uint64(min(r.word(), e.word())), 0)
	return true
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
	p.celled = true
	m := r.celledOthers()
	number := d.shadow.cells.add()
	c := d.shadow.cells.at(number)
	m.cells.numbers[word] = number
	r.celled |= 1 << word
	d.moveRuns(r, c, at)
	return c
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

// moveOne is move for a run of one warp that has the word.
func (d *Detector) moveOne(o *run, c *cell, at uint64) {
	word := at >> wordBits & (rowWords - 1)
	e := entry{act{warp: o.warp, epoch: o.epoch, pc: o.pc, mask: 1<<4 - 1, size: o.size(), kind: o.kind()}, o.lanesAt(1 << word)}
	if e.writes() {
		e.value = d.valueOf(&e, at)
	}
	e.flags = flagsOf(weak, race.ScopeNone)
	if o.level() == volatile {
		e.flags = flagsOf(volatile, race.ScopeSystem)
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

// fewLanes hardly make a run: where lanes are scattered, runs would be as many as words.
const fewLanes = 4

// runs handles an access in runs as far as that is possible, and returns the lanes that are left. If the
// access is a volatile write, its threads are alike.
func (d *Detector) runs(w *warpState, a *event.Access) (left uint32) {
	if a.Size&3 != 0 || a.Size > 16 {
		return a.Mask
	}
	t := w.at(firstLane(a.Mask))
	if !w.inStep(a.Mask, t.own) {
		return a.Mask
	}
	d.keeper = w.number
	if a.Kind == event.Read && !a.Volatile && !w.parted && d.joinsIn(w, a) {
		return 0
	}
	level, shows := weak, (*publication)(nil)
	if a.Volatile {
		level = volatile
		if a.Kind == event.Write {
			if shows = t.published(location{}, strength{}); shows == nothing {
				shows = nil
			}
		}
	}
	var e, next run
	e.besides = w.besides(shows, w.block.holding())
	next.besides = e.besides
	like := formOf(a.Kind, level, uint8(a.Size/a.Elements))
	small := 0
	for rest := a.Mask; rest != 0; {
		if next.lanes != 0 {
			e.set(&next)
			next.lanes = 0
		} else {
			t.segment(&e, like, a, rest)
		}
		if rest == a.Mask && level == weak && e.besides == alone && e.lanes != rest {
			if t.segment(&next, like, a, rest&^e.lanes); e.lanes|next.lanes != rest && d.apart(a, e.lanes) {
				if rest = d.scatter(t, a); rest == 0 {
					return 0
				}
				t.segment(&e, like, a, rest)
				next.lanes = 0
			}
		}
		e.all = e.words
		lanes := e.lanes
		if rest &^= lanes; bits.OnesCount32(lanes) < fewLanes {
			if small++; small > 1 {
				return left | d.lone(w, a, &e, lanes|rest)
			}
		}
		left |= d.run(w, a, &e, false)
	}
	return left
}

// joinsIn is a short way for what loops over tiles mostly do: it adds a read by a whole warp to the first run of a row, which
// is one of the same instruction in the same epoch. It reports false, having done nothing, if there is more to do.
func (d *Detector) joinsIn(w *warpState, a *event.Access) bool {
	if a.Size != 1<<wordBits || len(w.block.held) > 0 || !a.Uniform && !a.Together {
		return false
	}
	at := d.at(a.Space, a.Owner, a.Addr[firstLane(a.Mask)])
	p, in, word := d.shadow.page(at>>pageBits), rowIn(at), at>>wordBits&(rowWords-1)
	if p.full>>in&1 == 0 || p.scattered != nil || at&3 != 0 {
		return false
	}
	r := &p.rows[in]
	o, t := &r.read, &w.whole
	if o.epoch != t.own || o.pc != a.PC || o.lanes != a.Mask || o.besides != alone || o.level() != weak || o.size() != 1<<wordBits {
		return false
	}
	words := uint32(1) << word
	if a.Together {
		words = allLanes
	}
	if (r.celled|r.write.words|r.more.writtenWords())&words != 0 {
		return false
	}
	switch {
	case a.Together:
		if word != 0 || o.words != allLanes || o.wide() != 1 || o.gaps() || o.warp>>fanBits != w.number>>fanBits {
			return false
		}
		if o.warp != w.number {
			o.fellows |= 1 << (w.number & (fan - 1))
		}
	case o.warp != w.number || o.wide() != 0 || o.fellows != 0:
		return false
	default:
		o.all, o.words = o.all|words, o.words|words
		o.form = o.form.at(int(o.first()), min(word, uint64(o.word())), 0)
	}
	return true
}

// run handles one run, as far as that is possible, and returns the lanes that are left. One of a single lane it
// handles only where it takes little room.
func (d *Detector) run(w *warpState, a *event.Access, e *run, lone bool) (left uint32) {
	at := d.at(a.Space, a.Owner, a.Addr[e.first()])
	if e.wide() == 0 && a.Kind == event.Write && e.lanes&(e.lanes-1) != 0 || at&3 != 0 {
		return e.lanes
	}
	p := d.shadow.page(at >> pageBits)
	in := rowIn(at)
	lanes := e.lanes
	if p.full>>in&1 == 0 && p.scattered == nil && p.quiet[in].add(d, e, w) {
		d.kept |= lanes
		return 0
	}
	r := p.row(in)
	met := uint32(0)
	if at >= sharedBase && !d.clusters {
		if met = w.block.meets[0]; r.newest <= met {
			r.reset()
		}
	}
	if p.scattered != nil {
		p.scattered.renew(p, met, e.epoch)
		d.beside(p, at>>pageBits, in, e.words, a.Kind == event.Write)
	}
	if own := r.celled & e.words; own != 0 {
		if e.wide() != 1 || own == e.words {
			return e.lanes
		}
		left = e.lanesAt(own)
		e.words &^= own
	}
	d.lessons = d.lessons[:0]
	switch {
	case lone && !r.hasRoom(e) || !d.accept(r, e, w):
		left |= e.lanesAt(e.words)
	case len(d.lessons) > 0:
		d.learn(w, e, at)
	}
	d.kept |= lanes &^ left
	return left
}

// lone handles scattered lanes, those of a row together that lie as their numbers do, as where lanes go round a loop out of step.
func (d *Detector) lone(w *warpState, a *event.Access, e *run, lanes uint32) (left uint32) {
	like, wide := e.form&^(withGaps|goesDown), uint64(a.Size)>>wordBits
	var with [fan]uint32    // those that go together, by the first of them
	var last [2 * fan]uint8 // the first, counted from 1, by the last bits of where lane 0 would be
	firsts := uint32(0)
	for rest := lanes; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		at := a.Addr[lane]
		word := at >> wordBits & (rowWords - 1)
		if at&3 != 0 || word+wide > rowWords {
			left |= 1 << lane
			continue
		}
		begin := at - uint64(lane*a.Size)
		slot := &last[(begin>>wordBits^begin>>(wordBits+6))%uint64(len(last))]
		if first := int(*slot) - 1; first >= 0 && a.Addr[first]-uint64(first*a.Size) == begin && (a.Addr[first]^at)>>(wordBits+rowBits) == 0 {
			with[first] |= 1 << lane
			continue
		}
		*slot, with[lane] = uint8(lane)+1, 1<<lane
		firsts |= 1 << lane
	}
	for ; firsts != 0; firsts &= firsts - 1 {
		first := firstLane(firsts)
		word := a.Addr[first] >> wordBits & (rowWords - 1)
		e.lanes, e.form, e.words = with[first], like.at(first, word, wide), 0
		for rest := e.lanes; rest != 0; rest &= rest - 1 {
			e.words |= wordsFrom(word+uint64(firstLane(rest)-first)*wide, wide)
		}
		e.all = e.words
		left |= d.run(w, a, e, true)
	}
	return left
}

// segment takes lanes, from the lowest of a set on, whose words can be a run.
func (t *thread) segment(e *run, like form, a *event.Access, set uint32) {
	first := firstLane(set)
	at, wide := a.Addr[first], uint64(a.Size)>>wordBits
	last := at | (rowWords<<wordBits - 1) // of the row
	word := at >> wordBits & (rowWords - 1)
	e.warp, e.epoch, e.pc, e.form = t.w.number, t.own, a.PC, like.at(first, word, wide)
	switch next := firstLane(set & (set - 1)); {
	case a.Together: // so the set is all lanes from the first on
		n := fan - uint64(first)
		if room := rowWords - word; n*wide > room {
			n = (room + wide - 1) / wide
		}
		e.lanes, e.words = uint32(1<<n-1)<<first, uint32(1<<(n*wide)-1)<<word
	case set&(set-1) == 0:
		e.lanes, e.words = set, wordsFrom(word, wide)
	case a.Uniform:
		e.lanes, e.words = set, wordsFrom(word, wide)
		e.form = like.at(first, word, 0)
	case next == first+1 && a.Addr[next] == at:
		e.lanes = 1 << first
		for ; next < fan && set>>next&1 != 0 && a.Addr[next] == at; next++ {
			e.lanes |= 1 << next
		}
		e.words, e.form = wordsFrom(word, wide), like.at(first, word, 0)
	case wide > 1:
		e.lanes = 1 << first
		end := at + wide<<wordBits
		for next = first + 1; next < fan && set>>next&1 != 0 && a.Addr[next] == end && end <= last; next++ {
			e.lanes |= 1 << next
			end += wide << wordBits
		}
		e.words = wordsFrom(word, (end-at)>>wordBits)
	case a.Kind == event.Read && a.Addr[next] < at:
		e.descend(a, set)
	default:
		e.ascend(a, set)
	}
	e.all = e.words
}

// wordsFrom are some words of a row from one on.
func wordsFrom(word, n uint64) uint32 { return uint32(1<<n-1) << word }

// ascend takes the lanes of a set that go up from the first one, in its row.
func (r *run) ascend(a *event.Access, set uint32) {
	before := firstLane(set)
	at := a.Addr[before]
	last := at | (rowWords<<wordBits - 1)
	lanes, words, apart := set&-set, uint32(1)<<r.word(), uint64(0)
	for rest := set & (set - 1); rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		next := a.Addr[lane]
		if next <= at || next > last || next&3 != 0 {
			continue // of another row, or out of order
		}
		apart |= next - at - uint64(lane-before)<<wordBits
		at, before = next, lane
		lanes |= rest & -rest
		words |= 1 << (next >> wordBits & (rowWords - 1))
	}
	if r.lanes, r.words = lanes, words; apart != 0 {
		r.form |= withGaps
	}
}

// descend takes the lanes of a set that go down from the first one, in its row.
func (r *run) descend(a *event.Access, set uint32) {
	at := a.Addr[firstLane(set)]
	begin := at &^ (rowWords<<wordBits - 1)
	lanes, words := set&-set, uint32(1)<<r.word()
	for rest := set & (set - 1); rest != 0; rest &= rest - 1 {
		next := a.Addr[firstLane(rest)]
		if next >= at || next < begin || next&3 != 0 {
			continue
		}
		at = next
		lanes |= rest & -rest
		words |= 1 << (next >> wordBits & (rowWords - 1))
	}
	if r.lanes, r.words = lanes, words; lanes&(lanes-1) != 0 {
		r.form |= withGaps | goesDown
	}
}
