package causality

// This file keeps words that are only updated, by atomics that hand nothing over, as are most words of most programs
// that have atomics.
//
// DESIGN. Such updates race with none of their kind, as long as their scopes include each other's threads. So there is
// nothing to compare, and it is enough to say which lanes have updated a word, one step of 16 bytes after the other: its
// trail. The last step lies at a place known from the address. What follows from a trail is found out when something else
// comes to the word: then it gets a cell, and the steps are gone through with what their threads knew.

import (
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

// step is an update of a word by lanes of a warp that are alike, one after the other, or a compare-and-swap of theirs
// that leaves what it finds.
type step struct {
	act    name
	lanes  uint32
	before uint32 // the number of the step before, 0 for none
	stepBits
}

// stepBits are, in the last bits, how long the trail is, up to this step; then whether all its steps are of one block,
// and of scopes that include the whole device, and whether one of them waits for another thread; then the number of what
// the step's threads knew.
type stepBits uint32

const (
	lengthBits = 10
	// maxTrail bounds the steps of a word.
	maxTrail = 1<<lengthBits - 1

	oneBlock  stepBits = 1 << lengthBits
	allWide   stepBits = 2 << lengthBits
	waitsFor  stepBits = 4 << lengthBits
	knownBits          = lengthBits + 3
	maxKnown           = 1 << (32 - knownBits)
)

func (b stepBits) length() int { return int(b & maxTrail) }

// rowTrails are the last steps of a row's words; those without a trail have one of no lanes.
type rowTrails [rowWords]step

// trails are the steps of all words but for the last ones, by number, and what threads knew at some.
type trails struct {
	chunks []*[1 << stepChunk]step
	next   uint32  // the next number is one behind it
	freed  uint32  // the first of the steps that are out of use, each of which says which is next
	known  []*node // the first is of one who knows nothing
}

const stepChunk = 8

func (s *trails) at(number uint32) *step {
	return &s.chunks[number>>stepChunk][number&(1<<stepChunk-1)]
}

// before returns the step before another one, nil if there is none.
func (s *trails) before(x *step) *step {
	if x.before == 0 {
		return nil
	}
	return s.at(x.before)
}

// keep puts a step where one behind it leaves room for another, and returns its number.
func (s *trails) keep(x step) (number uint32) {
	if number = s.freed; number != 0 {
		s.freed = s.at(number).before
	} else {
		s.next++
		if number = s.next; int(number>>stepChunk) == len(s.chunks) {
			s.chunks = append(s.chunks, new([1 << stepChunk]step))
		}
	}
	*s.at(number) = x
	return number
}

// free takes the steps before one back.
func (s *trails) free(last *step) {
	if last.before == 0 {
		return
	}
	first := s.at(last.before)
	for first.before != 0 {
		first = s.at(first.before)
	}
	first.before, s.freed = s.freed, last.before
}

// knownBy returns the number of what a thread knows. It reports false if there are too many.
func (s *trails) knownBy(t *thread) (number stepBits, ok bool) {
	if s.known[t.knownAs] != t.past.threads {
		if len(s.known) == maxKnown {
			return 0, false
		}
		t.knownAs = uint32(len(s.known))
		s.known = append(s.known, t.past.threads)
	}
	return stepBits(t.knownAs) << knownBits, true
}

// trail returns the last step of a word of a row, nil if it has none.
func (p *page) trail(row, word uint64) *step {
	if p.trails == nil || p.trails[row] == nil || p.trails[row][word].lanes == 0 {
		return nil
	}
	return &p.trails[row][word]
}

// dropTrail forgets the trail of the word at an address, if there is one.
func (p *pages) dropTrail(at uint64) bool {
	x := p.page(at>>pageBits).trail(rowIn(at), at>>wordBits&(rowWords-1))
	if x == nil {
		return false
	}
	if x.stepBits&waitsFor != 0 {
		p.flags[at] = true
	}
	p.trails.free(x)
	*x = step{}
	return true
}

// updater is a state of lanes that may add steps.
type updater struct {
	*thread
	lanes         uint32 // that are ready to
	update, fails name   // what they do
	known         stepBits
}

// updater tells of the state of a lane whether its updates hand nothing over.
func (d *Detector) updater(t *thread, e entry) (u updater) {
	u.thread = t
	if t.each || len(t.releasedAt) > 0 || t.published(location{}, strength{}) != nothing {
		return u
	}
	known, ok := d.shadow.trails.knownBy(t)
	if !ok {
		return u
	}
	e.epoch, e.mask, u.known, u.lanes = t.own, 1<<4-1, known, t.lanes
	u.update = d.shadow.acts.name(&e.act)
	if d.failing&t.lanes != 0 {
		e.kind = event.Read
		u.fails = d.shadow.acts.name(&e.act)
	}
	return u
}

// trail handles lanes of a set that update words of four bytes which nothing but such updates have come to, as long as
// no lock is in use. It returns the lanes that are left.
func (d *Detector) trail(w *warpState, a *event.Access, e entry, set uint32) (left uint32) {
	swaps := a.Op == event.AtomicCompareExchange
	switch { // from zero it may take a lock
	case swaps:
		left = set &^ (d.failing | differing(&a.Compare, &event.Lanes{W64: &zeros}, set))
	case a.Op == event.AtomicExchange && !d.unread(a.PC, w.number):
		for rest := set; rest != 0; rest &= rest - 1 {
			if taking(a, firstLane(rest)) {
				left |= rest & -rest
			}
		}
	}
	together := set // lanes whose address may be that of another one
	if a.Together {
		together = 0
	} else if !a.Uniform {
		together = twinsOf(a, set)
	}
	var u updater
	for rest := set &^ left; rest != 0; {
		lane := firstLane(rest)
		lanes := rest & -rest
		if t := w.at(lane); t != u.thread {
			if u = d.updater(t, e); u.lanes == 0 {
				left |= rest & t.lanes
				rest &^= t.lanes
				continue
			}
		}
		if together&lanes != 0 {
			switch same := sameAddress(a, rest); {
			case same&^u.lanes != 0 || goingTo(a, left, a.Addr[lane]) != 0: // whose update comes first
				left |= same
				rest &^= same
				continue
			case !swaps:
				lanes = same
			case d.fails(lane): // up to the first that does not
				lanes = same & d.failing & (same&^d.failing - 1)
			}
		}
		rest &^= lanes
		if at := d.at(a.Space, a.Owner, a.Addr[lane]); at&3 != 0 || !d.step(w, a, &u, at, lanes) {
			left |= lanes
		}
	}
	return left
}

// manyTrailed is the number of words of a page with trails from which on they are data, and no counters of which it is of
// interest who has counted.
const manyTrailed = 64

// step adds one to the trail of the word at an address. It reports false if the word has none.
func (d *Detector) step(w *warpState, a *event.Access, u *updater, at uint64, lanes uint32) bool {
	p := d.shadow.page(at >> pageBits)
	word := at >> wordBits & (rowWords - 1)
	last := p.trail(rowIn(at), word)
	if last == nil {
		d.renew(p, p.row(rowIn(at)), at, w)
		if last = d.begin(p, at, false); last == nil {
			return false
		}
	}
	p.reaches(at, u.own)
	now := step{act: u.update, lanes: lanes, stepBits: u.known | oneBlock | 1}
	if d.failing&lanes != 0 {
		now.act = u.fails
	}
	if a.Scope >= race.ScopeDevice {
		now.stepBits |= allWide
	}
	over := false // the present step stands for the last one
	if last.lanes != 0 {
		before := &d.shadow.acts.at(last.act).act
		if now.stepBits &^= (oneBlock | allWide) &^ last.stepBits; before.warp>>fanBits != w.number>>fanBits {
			now.stepBits &^= oneBlock
		}
		if now.stepBits&(oneBlock|allWide) == 0 {
			return false
		}
		now.stepBits |= last.stepBits & waitsFor
		if d.bounds.present.updated && p.trailed > manyTrailed {
			d.shadow.trails.free(last)
			last.before, last.stepBits = 0, last.stepBits&^maxTrail
		}
		if now.stepBits += stepBits(last.length()); now.length() == maxTrail {
			return false
		}
		from := last
		for from != nil && !from.act.writes() {
			from = d.shadow.trails.before(from)
		}
		if from != nil {
			seen := before
			if from != last {
				seen = &d.shadow.acts.at(from.act).act
			}
			if seen.warp != w.number || from.lanes != lanes || lanes&(lanes-1) != 0 {
				w.note(logged{lanes: lanes, epoch: u.own, pc: a.PC, linked: true, written: written{
					at: at, warp: seen.warp, lanes: from.lanes, epoch: seen.epoch, pc: seen.pc, shows: nothing,
				}})
			}
		}
		over = last.length() == 0 || before.warp == w.number && last.lanes&^lanes == 0 && (now.act.writes() || !last.act.writes()) && a.Scope <= before.flags.scope()
	}
	if d.waiting[a.PC] {
		now.stepBits |= waitsFor
	}
	d.pollLanes(w, lanes, a, at)
	switch {
	case last.lanes == 0:
		*last = now
	case over:
		now.before, now.stepBits = last.before, max(now.stepBits-1, now.stepBits&^maxTrail|1)
		*last = now
	default:
		now.before = d.shadow.trails.keep(*last)
		*last = now
		if n := now.length(); n >= minTidy && n&(n-1) == 0 {
			d.tidyTrail(last)
		}
	}
	if now.act.writes() && lanes&(lanes-1) != 0 {
		w.note(logged{lanes: lanes, epoch: u.own, pc: a.PC, linked: true, chain: true, written: written{
			at: at, warp: w.number, lanes: lanes, epoch: u.own, pc: a.PC, shows: nothing,
		}})
	}
	return true
}

// minTidy is the length from which on it is worth to look for steps that later ones stand for.
const minTidy = 16

// tidier is room for the steps of a trail, the last one first.
type tidier struct {
	path  []*step
	steps []step
	next  []int16 // by step, the later one, counted from 1, whose warp has the same last bits
}

// tidyTrail forgets the steps that later ones of their lanes stand for, whenever a trail has become twice as long. The
// length is then such that it is not done again before there is a quarter more.
func (d *Detector) tidyTrail(last *step) {
	length := last.length()
	x, acts := &d.tidier, &d.shadow.acts
	if len(x.path) < length {
		*x = tidier{make([]*step, length), make([]step, length), make([]int16, length)}
	}
	var first [1 << warpBits]int16
	n, kept := 0, 0
	for o := last; o != nil; o = d.shadow.trails.before(o) {
		x.path[n] = o
		n++
		e, lanes, bucket := &acts.at(o.act).act, o.lanes, &first[o.act&(1<<warpBits-1)]
		for i := *bucket; i != 0 && lanes != 0; i = x.next[i-1] {
			later := &x.steps[i-1]
			if y := &acts.at(later.act).act; y.warp == e.warp && (later.act.writes() || !o.act.writes()) && y.flags.scope() <= e.flags.scope() {
				lanes &^= later.lanes
			}
		}
		if lanes != 0 {
			x.steps[kept] = *o
			x.steps[kept].lanes = lanes
			x.next[kept] = *bucket
			kept++
			*bucket = int16(kept)
		}
	}
	for i := range kept {
		before := x.path[i].before
		*x.path[i] = x.steps[i]
		x.path[i].before = before
	}
	d.shadow.trails.free(x.path[kept-1])
	x.path[kept-1].before = 0
	if kept < length*3/4 {
		last.stepBits -= stepBits(length - max(kept, length/2))
	}
}

// begin returns where the trail of the word at an address begins, nil if something else has come to the word.
func (d *Detector) begin(p *page, at uint64, reads bool) *step {
	in, word := rowIn(at), at>>wordBits&(rowWords-1)
	r := p.row(in)
	if p.scattered != nil {
		d.beside(p, at>>pageBits, in, 1<<word, true)
	}
	if r.celled>>word&1 != 0 || r.hasWritten(1<<word) || !reads && r.hasRead(1<<word) {
		return nil
	}
	r.celled, p.celled = r.celled|1<<word, true
	return p.beginTrail(in, word)
}

// beginTrail returns where the trail of a word of a row begins.
func (p *page) beginTrail(row, word uint64) *step {
	if p.trails == nil {
		p.trails = new([pageRows]*rowTrails)
	}
	if p.trails[row] == nil {
		p.trails[row] = new(rowTrails)
	}
	p.trailed++
	return &p.trails[row][word]
}

// hasWritten and hasRead report whether runs are about some words.
func (r *row) hasWritten(words uint32) bool {
	return (r.write.words|r.more.writtenWords())&words != 0
}

func (r *row) hasRead(words uint32) bool {
	return (r.read.words|r.more.readWords())&words != 0
}

func (m *others) writtenWords() uint32 {
	if m == nil {
		return 0
	}
	return m.written
}

func (m *others) readWords() uint32 {
	if m == nil {
		return 0
	}
	return m.read
}

// readTrail handles lanes of a set that read words of four bytes to which nothing but reads have come, as long as no lock
// is in use. It returns the lanes that are left.
func (d *Detector) readTrail(w *warpState, a *event.Access, e entry, set uint32) (left uint32) {
	var last *thread
	var called name
	var known stepBits
	for rest := set; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		t := w.at(lane)
		if t.each {
			left |= rest & -rest
			continue
		}
		if t != last {
			number, ok := d.shadow.trails.knownBy(t)
			if !ok {
				return left | rest
			}
			e.epoch, e.mask = t.own, 1<<4-1
			last, known, called = t, number, d.shadow.acts.name(&e.act)
		}
		at := d.at(a.Space, a.Owner, a.Addr[lane])
		if at&3 != 0 || !d.readStep(d.shadow.page(at>>pageBits), at, step{act: called, lanes: rest & -rest, stepBits: known | 1}) {
			left |= rest & -rest
		}
	}
	return left
}

// readStep adds a read to the trail of the word at an address. It reports false if the word has none of reads.
func (d *Detector) readStep(p *page, at uint64, now step) bool {
	last := p.trail(rowIn(at), at>>wordBits&(rowWords-1))
	if last == nil {
		if last = d.begin(p, at, true); last == nil {
			return false
		}
	}
	p.reaches(at, d.shadow.acts.at(now.act).epoch)
	if last.lanes == 0 {
		*last = now
		return true
	}
	if last.stepBits&(oneBlock|allWide) != 0 {
		return false
	}
	if last.act == now.act {
		last.lanes |= now.lanes
		return true
	}
	if last.lanes&^now.lanes == 0 && last.act.sameWarp(now.act) && d.shadow.acts.at(last.act).warp == d.shadow.acts.at(now.act).warp {
		now.before, now.stepBits = last.before, now.stepBits-1+stepBits(last.length())
		*last = now
		return true
	}
	return d.walkOn(last, now)
}

// sameWarp reports whether two acts may be of one warp.
func (n name) sameWarp(o name) bool { return (n^o)&(1<<warpBits-1) == 0 }

// walkOn puts a step behind the last one. It reports false if there are too many.
func (d *Detector) walkOn(last *step, now step) bool {
	if last.length() == maxTrail {
		return false
	}
	now.stepBits += stepBits(last.length())
	now.before = d.shadow.trails.keep(*last)
	*last = now
	if n := now.length(); n >= minTidy && n&(n-1) == 0 {
		d.tidyTrail(last)
	}
	return true
}

// twinsOf returns lanes whose address may be that of another one.
func twinsOf(a *event.Access, lanes uint32) (twins uint32) {
	var last [2 * fan]uint8 // the lane, counted from 1, with an address of some last bits
	for rest := lanes; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		slot := &last[(a.Addr[lane]>>wordBits^a.Addr[lane]>>(wordBits+6))%uint64(len(last))]
		if *slot != 0 {
			twins |= 1<<lane | 1<<(*slot-1)
		}
		*slot = uint8(lane) + 1
	}
	return twins
}

// walked is the thread whose step is gone through.
type walked struct {
	thread thread
	warp   warpState
}

// walk gives the word at an address, which has a trail or was threads' own, the cell that comes of it.
func (d *Detector) walk(row *row, at uint64) {
	at &^= 3
	p, word := d.shadow.page(at>>pageBits), at>>wordBits&(rowWords-1)
	if x := p.ownWord(rowIn(at), word); x != nil {
		d.giveCell(row, x, at)
		return
	}
	last := p.trail(rowIn(at), word)
	var path [maxTrail]*step
	n := len(path)
	for x := last; x != nil; x = d.shadow.trails.before(x) {
		n--
		path[n] = x
	}
	c := d.newCell(row, at)
	c.polled = last.stepBits&waitsFor != 0
	inUse, sight := d.inUse, d.sight
	d.inUse, d.sight.chains = false, nil
	t := &d.walked.thread
	t.w = &d.walked.warp
	for _, x := range path[n:] {
		e := entry{d.shadow.acts.at(x.act).act, x.lanes}
		t.w.number, t.place, t.past.threads = e.warp, d.placeOf(int32(e.warp>>fanBits)), d.shadow.trails.known[x.stepBits>>knownBits]
		d.shadow.acts.recall(x.act)
		if c.listed || !d.checkFew(t, c, &e, at) {
			d.checkCrowd(t, c, &e, at)
		}
		switch {
		case e.writes():
			if c.records == nil {
				c.records = d.shadow.spare.record()
			}
			*c.records = record{
				written: written{at: at, pc: e.pc, warp: e.warp, lanes: e.lanes, epoch: e.epoch, shows: nothing},
				size:    1 << wordBits, cluster: t.place.cluster, scope: e.flags.scope(), chain: true,
			}
		case c.records != nil:
			c.records.reader = part{e.warp, e.lanes & -e.lanes, e.epoch}
		}
	}
	d.inUse, d.sight = inUse, sight
	d.moveRuns(row, c, at) // reads, of which no step may take the place: they can be later
	d.shadow.trails.free(last)
	*last = step{}
}
