package causality

// This file keeps scattered reads of pages that nobody writes in a launch, as those of tables and inputs.
//
// DESIGN. As long as a page is only read, there is nothing to compare a read with, so it is enough to say in one list
// which thread read which word: two bytes, and what the lanes of an access have in common. Only once something else
// comes to the page does each word get its own.

import (
	"math/bits"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

// reads are those of a page, in the order of the run: of an act, from one place on to that of the next act.
type reads struct {
	acts  []readsOf
	words []laneWord
}

type readsOf struct {
	act  name
	from int32
}

// laneWord is a lane and the word of a page that it read, in the last bits.
type laneWord uint16

func (w laneWord) lane() uint8 { return uint8(w >> pageWordBits) }
func (w laneWord) row() uint64 { return uint64(w) & (1<<pageWordBits - 1) >> rowBits }
func (w laneWord) word() uint8 { return uint8(w & (rowWords - 1)) } // of the row

const (
	pageWordBits = pageBits - wordBits
	// maxReads bounds the reads of a page that are kept so.
	maxReads = 16 << pageWordBits
)

// apart reports whether an access is a scattered read of such pages: its lanes make no two runs, of which the first
// has some.
func (d *Detector) apart(t *thread, a *event.Access, first uint32) bool {
	if a.Space != event.Global || d.shadow.page(a.Addr[firstLane(a.Mask)]>>pageBits).ready {
		return false
	}
	if bits.OnesCount32(first)*(a.Size>>wordBits) >= rowWords/2 && a.Size > 1<<wordBits {
		return false // neighbours that read some words each
	}
	rest := a.Mask &^ first
	var e run
	t.segment(&e, 0, a, rest)
	return rest != e.lanes
}

// readsApart notes a scattered read by lanes that are in one epoch, and returns the lanes that are left.
func (d *Detector) readsApart(t *thread, a *event.Access) (left uint32) {
	called := d.shadow.acts.name(&act{
		warp: t.w.number, epoch: t.own, pc: a.PC, mask: 1<<4 - 1, size: uint8(a.Size / a.Elements), kind: event.Read, flags: flagsOf(weak, race.ScopeNone),
	})
	number, p := ^uint64(0), (*page)(nil)
	for rest := a.Mask; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		at := a.Addr[lane]
		if n := at >> pageBits; n != number {
			number, p = n, d.shadow.page(n)
			if p.reads != nil && len(p.reads.words) > maxReads {
				d.spread(p, number)
			}
			p.readBy(called)
		}
		if p.ready || at&3 != 0 || at&(1<<pageBits-1)+uint64(a.Size) > 1<<pageBits {
			left |= rest & -rest
			continue
		}
		word := laneWord(lane)<<pageWordBits | laneWord(at>>wordBits&(1<<pageWordBits-1))
		for range a.Size >> wordBits {
			p.reads.words = append(p.reads.words, word)
			word++
		}
	}
	return left
}

// readBy begins the reads of an act, if they are to be kept in one list.
func (p *page) readBy(called name) {
	if p.ready {
		return
	}
	if p.reads == nil {
		p.reads = &reads{}
	}
	r := p.reads
	if n := len(r.acts); n == 0 || r.acts[n-1].act != called {
		r.acts = append(r.acts, readsOf{called, int32(len(r.words))})
	}
}

// spread makes a page ready for all that is no scattered read: its words have their own reads from now on.
func (d *Detector) spread(p *page, number uint64) {
	r := p.reads
	p.ready, p.reads = true, nil
	if r == nil {
		return
	}
	for i, x := range r.acts {
		to := len(r.words)
		if i+1 < len(r.acts) {
			to = int(r.acts[i+1].from)
		}
		common := d.shadow.acts.at(x.act).act
		e, last := run{}, laneWord(0)
		for _, w := range r.words[x.from:to] {
			lane, word := w.lane(), w.word()
			if e.lanes == 0 || w.row() != last.row() || lane <= last.lane() || word <= last.word() {
				d.spreadRun(p, number, &e, last, x.act)
				e = run{
					warp: common.warp, epoch: common.epoch, pc: common.pc, form: formOf(event.Read, weak, common.size).at(int(lane), uint64(word), 1), besides: alone,
				}
			} else if lane-last.lane() != word-last.word() {
				e.form |= withGaps
			}
			e.lanes, e.words, last = e.lanes|1<<lane, e.words|1<<word, w
		}
		d.spreadRun(p, number, &e, last, x.act)
	}
}

// spreadRun keeps a run of reads, the last of which is known, as one if that takes little room, or else word by word.
func (d *Detector) spreadRun(p *page, number uint64, e *run, last laneWord, called name) {
	if e.lanes == 0 {
		return
	}
	in := last.row()
	r := &p.rows[in]
	if e.all = e.words; r.celled&e.words == 0 && (bits.OnesCount32(e.lanes) >= fewLanes || r.hasRoom(e)) {
		r.addRead(e)
		return
	}
	one := entry{act: d.shadow.acts.at(called).act}
	for words := e.words; words != 0; words &= words - 1 {
		at := number<<pageBits | in<<(rowBits+wordBits) | uint64(firstLane(words))<<wordBits
		one.lanes = e.lanesAt(words & -words)
		if d.inUse || !d.readStep(p, at, step{act: called, lanes: one.lanes, stepBits: 1}) {
			d.addRead(d.cell(at), &one, called)
		}
	}
}

// addRead adds a weak read, made under no lock, to a word of which nothing else is known but reads before it.
func (d *Detector) addRead(c *cell, e *entry, called name) {
	guarded := c.guarded()
	if guarded {
		c.more.guard(guard{warp: e.warp, lanes: e.lanes, epoch: e.epoch})
	}
	join := !d.inUse || !guarded
	if c.more != nil && c.more.groups != nil {
		for i := range *c.more.groups {
			(*c.more.groups)[i].yield(e, join)
		}
		c.more.groupOf(e).add(e, join)
		return
	}
	list := c.refs()
	for i := range list {
		switch o := &list[i]; {
		case o.lanes == 0:
		case o.act == called && join:
			o.lanes |= e.lanes
			return
		case o.lanes == e.lanes && d.shadow.acts.at(o.act).warp == e.warp && bits.OnesCount32(o.lanes) == 1:
			o.act = called
			return
		}
	}
	d.shadow.keep(c, e)
}

// forgetReads forgets the reads of a page that is gone.
func (p *page) forgetReads() { p.ready, p.reads = false, nil }
