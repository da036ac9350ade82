package causality

// This file keeps scattered accesses of pages in which each word is only read, or has been touched once, as those of
// tables and inputs, of results that go to their places by an index or by columns, and, of shared memory, from one
// barrier of the block to the next, as where it reads a tile by columns.
//
// DESIGN. As long as no two accesses of a word conflict, there is nothing to compare them with, so it is enough to say in
// one list which thread touched which word: two bytes, and what the lanes of an access have in common. Only once
// something else comes to such a word does each word of the page get its own. Behind a barrier of all threads of a block
// its shared memory begins anew.

import (
	"math/bits"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

// scattered are accesses of a page, in the order of the run: of an act, from one place on to that of the next act.
type scattered struct {
	acts  []actFrom
	words []laneWord
	own   touched
	// others are, at least, the words that runs and cells are about.
	others touched
	missed int    // accesses that met others
	newest uint32 // of shared memory: the last epoch of an access since the last barrier of all threads of the block
}

type actFrom struct {
	act  name
	from int32
}

// touched are words of a page, by rows.
type touched struct {
	seen, written [pageRows]uint32
}

// add notes an access of words of a row.
func (t *touched) add(row uint64, words uint32, writes bool) {
	t.seen[row] |= words
	if writes {
		t.written[row] |= words
	}
}

// meets reports whether an access of words of a row conflicts with one that was noted.
func (t *touched) meets(row uint64, words uint32, writes bool) bool {
	if writes {
		return t.seen[row]&words != 0
	}
	return t.written[row]&words != 0
}

// laneWord is a lane and the word of a page that it touched, in the last bits.
type laneWord uint16

func (w laneWord) lane() uint8 { return uint8(w >> pageWordBits) }
func (w laneWord) row() uint64 { return uint64(w) & (1<<pageWordBits - 1) >> rowBits }
func (w laneWord) word() uint8 { return uint8(w & (rowWords - 1)) } // of the row

const (
	pageWordBits = pageBits - wordBits
	// maxScattered bounds the accesses of a page that are kept so.
	maxScattered = 16 << pageWordBits
	// maxMissed bounds the accesses for which a page was looked at in vain.
	maxMissed = 64
)

// apart reports whether an access, of lanes that make more than two runs, the first of which has some, is a scattered one
// of a page that keeps such.
func (d *Detector) apart(a *event.Access, first uint32) bool {
	if bits.OnesCount32(first)*(a.Size>>wordBits) >= rowWords/2 && a.Size > 1<<wordBits {
		return false // neighbours that touch some words each
	}
	return !(a.Space == event.Shared && d.clusters) && !d.pageOf(a).spoiled
}

// pageOf is the page of an access's first lane.
func (d *Detector) pageOf(a *event.Access) *page {
	return d.shadow.page(d.at(a.Space, a.Owner, a.Addr[firstLane(a.Mask)]) >> pageBits)
}

// scatter notes a scattered weak access by lanes that are in one epoch and hold no lock, and returns the lanes that are left.
func (d *Detector) scatter(t *thread, a *event.Access) (left uint32) {
	called := d.shadow.acts.name(&act{
		warp: t.w.number, epoch: t.own, pc: a.PC, mask: 1<<4 - 1, size: uint8(a.Size / a.Elements), kind: a.Kind, flags: flagsOf(weak, race.ScopeNone),
	})
	writes := a.Kind == event.Write
	number, p := ^uint64(0), (*page)(nil)
	for rest := a.Mask; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		at := d.at(a.Space, a.Owner, a.Addr[lane])
		if n := at >> pageBits; n != number {
			number, p = n, d.shadow.page(n)
			d.scatterIn(p, t, number, called)
		}
		row, word, n := rowIn(at), at>>wordBits&(rowWords-1), uint64(a.Size)>>wordBits
		if p.spoiled || at&3 != 0 || word+n > rowWords {
			left |= rest & -rest
			continue
		}
		s, words := p.scattered, wordsFrom(word, n)
		switch {
		case s.own.meets(row, words, writes):
			d.spread(p, number)
			left |= rest & -rest
			continue
		case s.others.meets(row, words, writes):
			if s.missed++; s.missed > maxMissed {
				d.spread(p, number)
			}
			left |= rest & -rest
			continue
		}
		s.own.add(row, words, writes)
		d.kept |= rest & -rest
		touches := laneWord(lane)<<pageWordBits | laneWord(at>>wordBits&(1<<pageWordBits-1))
		for i := range n {
			s.words = append(s.words, touches+laneWord(i))
		}
	}
	return left
}

// scatterIn begins the scattered accesses of an act in a page.
func (d *Detector) scatterIn(p *page, t *thread, number uint64, called name) {
	if p.scattered != nil && len(p.scattered.words) > maxScattered {
		d.spread(p, number)
	}
	if p.spoiled {
		return
	}
	met := d.lastMet(number<<pageBits, t.w) // what is of shared memory and not behind it does not count any more
	s := p.scattered
	if s == nil {
		s = &scattered{newest: t.own}
		s.beside(p, met)
		p.scattered = s
	}
	s.renew(p, met, t.own)
	if n := len(s.acts); n == 0 || s.acts[n-1].act != called {
		s.acts = append(s.acts, actFrom{called, int32(len(s.words))})
	}
}

// renew forgets, in shared memory, what is before a barrier of all threads of the block, which is behind an epoch, before
// an access of a later one.
func (s *scattered) renew(p *page, met, epoch uint32) {
	if met > 0 && s.newest <= met {
		s.clear()
		if p.celled {
			s.beside(p, met)
		}
	}
	s.newest = max(s.newest, epoch)
}

// beside notes what else there is in a page, of runs only what is newer than an epoch.
func (s *scattered) beside(p *page, met uint32) {
	for i := range uint64(pageRows) {
		if p.full>>i&1 == 0 {
			q := &p.quiet[i]
			s.others.seen[i], s.others.written[i] = q.read.words()|q.write.words(), q.write.words()
			continue
		}
		r := &p.rows[i]
		s.others.seen[i], s.others.written[i] = r.celled, r.celled
		if met == 0 || r.newest > met {
			s.others.add(i, r.read.words|r.more.readWords(), false)
			s.others.add(i, r.write.words|r.more.writtenWords(), true)
		}
	}
}

// beside prepares a page that has scattered accesses for another one, of words of a row.
func (d *Detector) beside(p *page, number, row uint64, words uint32, writes bool) {
	if s := p.scattered; s.own.meets(row, words, writes) {
		d.spread(p, number)
	} else {
		s.others.add(row, words, writes)
	}
}

// spread gives the words of a page that scattered accesses have touched their own. It keeps no more of those.
func (d *Detector) spread(p *page, number uint64) {
	s := p.scattered
	p.scattered, p.spoiled = nil, true
	for i, x := range s.acts {
		to := len(s.words)
		if i+1 < len(s.acts) {
			to = int(s.acts[i+1].from)
		}
		common := d.shadow.acts.at(x.act).act
		e, last := run{}, laneWord(0)
		for _, w := range s.words[x.from:to] {
			lane, word := w.lane(), w.word()
			if e.lanes == 0 || w.row() != last.row() || lane <= last.lane() || word <= last.word() {
				d.spreadRun(p, number, &e, last, x.act)
				e = run{
					warp: common.warp, epoch: common.epoch, pc: common.pc, form: formOf(common.kind, weak, common.size).at(int(lane), uint64(word), 1), besides: alone,
				}
			} else if lane-last.lane() != word-last.word() {
				e.form |= withGaps
			}
			e.lanes, e.words, last = e.lanes|1<<lane, e.words|1<<word, w
		}
		d.spreadRun(p, number, &e, last, x.act)
	}
}

// spreadRun keeps a run, the last word of which is known, as one if it has some lanes, or else word by word.
func (d *Detector) spreadRun(p *page, number uint64, e *run, last laneWord, called name) {
	if e.lanes == 0 {
		return
	}
	row := last.row()
	r := p.row(row)
	if e.all = e.words; r.celled&e.words == 0 && bits.OnesCount32(e.lanes) >= fewLanes {
		r.add(e)
		return
	}
	one, form := run{}, e.form&^withGaps
	for words := e.words; words != 0; words &= words - 1 {
		one.set(e)
		word := firstLane(words)
		one.words, one.lanes = words&-words, e.lanesAt(words&-words)
		one.all, one.form = one.words, form.at(firstLane(one.lanes), uint64(word), 1)
		at := number<<pageBits | row<<(rowBits+wordBits) | uint64(word)<<wordBits
		if d.spreadOwn(p, at, one.lanes, called) {
			continue
		}
		if r.celled&one.words == 0 && r.hasRoom(&one) {
			r.add(&one)
		} else {
			d.spreadWord(p, at, one.lanes, called)
		}
	}
}

// spreadWord keeps an access of a lane, of an act, in the word at an address.
func (d *Detector) spreadWord(p *page, at uint64, lanes uint32, called name) {
	e := entry{act: d.shadow.acts.at(called).act, lanes: lanes}
	switch {
	case e.writes():
		e.value = d.valueOf(&e, at)
		d.shadow.keep(d.cell(at), &e)
	case d.inUse || !d.readStep(p, at, step{act: called, lanes: lanes, stepBits: 1}):
		d.addRead(d.cell(at), &e, called)
	}
}

// addRead adds a weak read, made under no lock, to a word of which nothing else is known but reads.
func (d *Detector) addRead(c *cell, e *entry, called name) {
	guarded := c.guarded()
	if guarded {
		c.more.guard(guard{warp: e.warp, lanes: e.lanes, epoch: e.epoch})
	}
	join := !d.inUse || !guarded
	if c.more != nil && c.more.groups != nil {
		c.more.groupOf(e).add(e, join)
		return
	}
	list := c.refs()
	for i := range list {
		o := &list[i]
		if o.lanes == 0 {
			continue
		}
		switch kept := &d.shadow.acts.at(o.act).act; {
		case o.act == called && join:
			o.lanes |= e.lanes
			return
		case o.lanes == e.lanes && kept.warp == e.warp && bits.OnesCount32(o.lanes) == 1:
			if kept.epoch < e.epoch { // runs may be later than what was scattered
				o.act = called
			}
			return
		}
	}
	d.shadow.keep(c, e)
}

// forgetScattered forgets the scattered accesses of a page that is gone, but keeps the room for others.
func (p *page) forgetScattered() {
	p.spoiled, p.celled = false, false
	if p.scattered != nil {
		p.scattered.clear()
	}
}

// clear keeps the room that scattered accesses have taken.
func (s *scattered) clear() { *s = scattered{acts: s.acts[:0], words: s.words[:0]} }
