package causality

// This file keeps once what is known of words that lanes of a warp synchronize by, each by a word of its own, as
// where each takes a lock of its own.
//
// DESIGN. The cells of such words differ in nothing but the lane, and in what comes next to one of them the same comes
// to the others. As long as that is so, only the cell of the first word is looked at. The others stay as they were, until
// somebody asks for one.

import (
	"math/bits"

	"github.com/warplint/warplint/dynamic/event"
)

// joint are words of a row whose cells are alike, and the lanes that each have one of them, in order.
type joint struct{ words, lanes uint32 }

// wordsIn returns the words that some lanes access, and their row, which is nil if they are not all of one row that
// has cells.
func (d *Detector) wordsIn(a *event.Access, lanes uint32) (r *row, words uint32) {
	first, last := d.at(a.Space, a.Owner, a.Addr[firstLane(lanes)]), d.at(a.Space, a.Owner, a.Addr[bits.Len32(lanes)-1])
	if first>>(wordBits+rowBits) != last>>(wordBits+rowBits) {
		return nil, 0
	}
	if a.Together {
		words = lanes >> firstLane(lanes) << (first >> wordBits & (rowWords - 1))
	} else {
		for rest := lanes; rest != 0; rest &= rest - 1 {
			words |= 1 << (a.Addr[firstLane(rest)] >> wordBits & (rowWords - 1))
		}
	}
	p := d.shadow.page(first >> pageBits)
	if p.full>>rowIn(first)&1 == 0 {
		return nil, 0
	}
	if r = p.row(rowIn(first)); words&^r.celled != 0 {
		return nil, 0
	}
	return r, words
}

// jointLanes returns the lanes of a set whose words are joint and for which a strong access of theirs, who are alike,
// comes to the same. Their cell is in the strong row.
func (d *Detector) jointLanes(x *strongRow, t *thread, a *event.Access, set uint32, e entry) (lanes uint32) {
	r := d.shadow.row(d.at(a.Space, a.Owner, a.Addr[firstLane(set)]))
	if !r.joint || r.more.cells.joint.lanes&^set != 0 {
		return 0
	}
	j := r.more.cells.joint
	if in, words := d.wordsIn(a, j.lanes); in != r || words != j.words {
		return 0
	}
	first := firstLane(j.lanes)
	c := d.shadow.cells.at(r.more.cells.numbers[firstLane(j.words)])
	if d.wide || c.records.observed || len(c.refs()) >= maxList || d.inUse && !c.isLock(c.records.at) {
		return 0
	}
	if d.failing&j.lanes != 0 && d.failing&j.lanes != j.lanes {
		return 0
	}
	for rest := j.lanes; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		if a.Kind == event.Write && d.valueAt(a, lane, 0) != d.valueAt(a, first, 0) {
			return 0
		}
		x.cells[lane] = c
	}
	if d.fails(first) {
		e.kind = event.Read
	}
	if e.kind == event.Read && d.sameLook(t, c, 1<<first, a, c.records) {
		return j.lanes
	}
	e.mask = 1<<4 - 1
	for _, k := range c.refs() {
		if o := d.shadow.acts.entry(k); k.lanes != 0 && !(e.friends(&o) && d.knownAlike(t, &o, j.lanes)) {
			return 0
		}
	}
	return j.lanes
}

// knownAlike reports whether an earlier access by the lanes of a set, each to its own word, is before the present one
// of threads that are alike for each of them, or for none.
func (d *Detector) knownAlike(t *thread, o *entry, set uint32) bool {
	known, first := t.past.threads, o.warp<<fanBits
	return o.warp == t.w.number || known.covers(d.height, first, set, o.epoch) || t.each && known.covers(d.height, first, ownLane, o.epoch) ||
		!known.coversOne(d.height, first, set, o.epoch)
}

// unite makes words of a strong row joint, as far as they are alike.
func (d *Detector) unite(x *strongRow, a *event.Access, set uint32) {
	last := bits.Len32(set) - 1
	c := x.cells[last]
	if d.wide || d.inUse && !c.isLock(d.at(a.Space, a.Owner, a.Addr[last])) {
		return
	}
	for _, k := range c.refs() {
		if o := d.shadow.acts.at(k.act); k.lanes != 0 && (o.flags.level() != strong || o.flags&async != 0) {
			return
		}
	}
	lanes := uint32(0)
	for rest := set; rest != 0; rest &= rest - 1 {
		if lane := firstLane(rest); x.cells[lane].like(c, lane, last) {
			lanes |= 1 << lane
		}
	}
	if bits.OnesCount32(lanes) < fewLanes {
		return
	}
	if r, words := d.wordsIn(a, lanes); r != nil && !r.joint {
		r.more.cells.joint, r.joint = joint{words, lanes}, true
	}
}

// like reports whether a cell differs from another one in nothing but the lane of all that is in it.
func (c *cell) like(o *cell, lane, other int) bool {
	if c.listed != o.listed || c.room != o.room || c.polled != o.polled || c.given != o.given || !c.more.like(o.more) {
		return false
	}
	list, others := c.refs(), o.refs()
	if len(list) != len(others) {
		return false
	}
	for i, k := range list {
		if k.act != others[i].act || k.lanes != lanesOf(others[i].lanes, lane) || others[i].lanes&^(1<<other) != 0 {
			return false
		}
	}
	r, s := c.records, o.records
	if r == nil || s == nil || r.next != nil || r.size != 1<<wordBits || s.lanes != 1<<other || s.reader.lanes&^(1<<other) != 0 || s.observed {
		return false
	}
	same := s.of(lane, r.at)
	same.looked = r.looked
	return *r == same
}

// like reports whether two crowds, but for their lists, come to the same for strong accesses of locks.
func (m *crowd) like(o *crowd) bool {
	if m == nil || o == nil {
		return m == o
	}
	return m.groups == nil && o.groups == nil && (m.list == nil) == (o.list == nil) && (len(m.guards) == 0) == (len(o.guards) == 0)
}

// lanesOf is a lane, if there is any in a set.
func lanesOf(set uint32, lane int) uint32 {
	if set == 0 {
		return 0
	}
	return 1 << lane
}

// of is what the record of one lane is for another one, of a word of its own.
func (r *record) of(lane int, at uint64) record {
	out := *r
	out.at, out.lanes, out.reader.lanes, out.next, out.looked = at, 1<<lane, lanesOf(r.reader.lanes, lane), nil, false
	return out
}

// part gives each of a row's joint words what is known of them.
func (p *pages) part(r *row) {
	m := r.more.cells
	j := m.joint
	m.joint, r.joint = joint{}, false
	c := p.cells.at(m.numbers[firstLane(j.words)])
	for words, lanes := j.words&(j.words-1), j.lanes&(j.lanes-1); words != 0; words, lanes = words&(words-1), lanes&(lanes-1) {
		o, lane := p.cells.at(m.numbers[firstLane(words)]), firstLane(lanes)
		r := c.records.of(lane, o.records.at)
		if o.records.kept() {
			o.records = p.spare.record()
		}
		*o.records = r
		if c.more != nil && c.more.list != nil {
			more := p.crowdOf(o)
			if more.list == nil {
				more.list = p.spare.list()
			}
			more.list = append(more.list[:0], c.more.list...)
		}
		o.few, o.n, o.room, o.listed, o.polled, o.given = c.few, c.n, c.room, c.listed, c.polled, c.given
		list := o.refs()
		for i := range list {
			list[i].lanes = lanesOf(list[i].lanes, lane)
		}
	}
}
