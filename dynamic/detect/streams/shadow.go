package streams

// This file keeps who has touched what: for each byte, the last accesses that cover those before them. An access covers an
// earlier one if whatever races with that races with it, too, or comes behind both.

import (
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

const (
	rowBits  = 6 // bytes of a row: as many as a mask has bits
	rowSize  = 1 << rowBits
	pageBits = 12
	pageSize = 1 << pageBits
	rows     = pageSize / rowSize
)

// class is what counts of an access. Strong ones cover all threads of the device: they don't race with each other.
type class uint8

const (
	weakRead class = iota
	strongRead
	strongWrite // atomics as well
	weakWrite
	classes
)

// races reports whether accesses of two classes race if nothing orders them.
func (c class) races(o class) bool {
	return c == weakWrite || o == weakWrite || c == strongWrite && o == weakRead || c == weakRead && o == strongWrite
}

// covers reports whether what races with an access of another class races with one of this.
func (c class) covers(o class) bool {
	return c == o || c == weakWrite || o == strongRead
}

// layer is what one instruction of a warp, or a copy, did to some bytes of a row.
type layer struct {
	mask      uint64 // of the bytes
	operation int32
	launch    int32 // of the detector's, from 1; 0 for a copy
	pc        uint32
	block     int32
	lane      uint16 // the first thread in its block
	size      uint16 // the bytes of a thread; 0 if they are all of one
	first     uint8  // of the bytes
	class     class
	access    event.Kind
}

type row struct {
	present int32 // the operation that touched it last
	seen    [classes]uint64
	foreign bool // there are layers of others
	layers  []layer
}

// page has its rows, and what was done to all of it.
type page struct {
	rows  *[rows]row
	whole []layer
	// checked is the operation for which clash tells whether some of whole are not before it.
	checked int32
	clash   bool
}

type shadow struct {
	pages  map[uint64]*page
	recent [64]recent
	layers int     // in all rows
	spare  []layer // room for the first layers of rows
}

// recent is a page that was asked for of late; of those whose numbers have the same last bits, the last one.
type recent struct {
	number uint64
	page   *page
}

func (s *shadow) page(at uint64) *page {
	number := at >> pageBits
	recent := &s.recent[number%uint64(len(s.recent))]
	if recent.page != nil && recent.number == number {
		return recent.page
	}
	p := s.pages[number]
	if p == nil {
		if s.pages == nil {
			s.pages = map[uint64]*page{}
		}
		p = &page{}
		s.pages[number] = p
	}
	recent.number, recent.page = number, p
	return p
}

// add adds a layer to a row. Most rows have one.
func (s *shadow) add(r *row, l layer) {
	s.layers++
	if r.layers == nil {
		if len(s.spare) == 0 {
			s.spare = make([]layer, 1024)
		}
		r.layers, s.spare = s.spare[:0:1], s.spare[1:]
	}
	r.layers = append(r.layers, l)
}

func maskOf(from, to uint64) uint64 { // of bytes of a row; to is behind the last one
	return ^uint64(0) >> (rowSize - (to - from)) << from
}

// touch takes in what the present operation does to a range of bytes, of which the first thread has size each; the layer says the rest.
func (d *Detector) touch(at, end uint64, l layer) {
	for at < end {
		p := d.shadow.page(at)
		if l.size == 0 && at&(pageSize-1) == 0 && end-at >= pageSize {
			d.touchPage(p, at, l)
			at += pageSize
			continue
		}
		next := min(end, at&^(rowSize-1)+rowSize)
		first := at & (rowSize - 1)
		one := l
		one.mask, one.first = maskOf(first, first+next-at), uint8(first)
		d.touchRow(p, at, one)
		if l.size != 0 {
			l.lane += uint16((next - at) / uint64(l.size))
		}
		at = next
	}
}

// touchRow takes in a layer of one row.
func (d *Detector) touchRow(p *page, at uint64, l layer) {
	if p.rows == nil {
		p.rows = new([rows]row)
	}
	r := &p.rows[at&(pageSize-1)>>rowBits]
	if r.present != l.operation {
		r.present, r.seen, r.foreign = l.operation, [classes]uint64{}, len(r.layers) > 0
	}
	fresh := l.mask &^ r.seen[l.class] &^ r.seen[weakWrite]
	if fresh == 0 {
		return
	}
	r.seen[l.class] |= fresh
	l.mask = fresh
	base := at &^ (rowSize - 1)
	if d.clashes(p) {
		for i := range p.whole {
			if o := &p.whole[i]; o.operation != l.operation {
				d.follows(o, &l, base, fresh)
			}
		}
	}
	if r.foreign {
		d.meetRow(r, &l, base)
	}
	d.shadow.add(r, l)
}

// meetRow looks at the layers that a new one comes upon, and takes away what it covers.
func (d *Detector) meetRow(r *row, l *layer, base uint64) {
	kept, foreign := r.layers[:0], false
	for i := range r.layers {
		o := &r.layers[i]
		if common := o.mask & l.mask; common != 0 && o.operation != l.operation {
			if d.follows(o, l, base, common) && l.class.covers(o.class) {
				o.mask &^= common
			}
		}
		if o.mask != 0 {
			kept = append(kept, *o)
			foreign = foreign || o.operation != l.operation
		}
	}
	d.shadow.layers -= len(r.layers) - len(kept)
	r.layers, r.foreign = kept, foreign
}

// clashes reports whether the present operation has to look at what was done to all of a page.
func (d *Detector) clashes(p *page) bool {
	if len(p.whole) > 0 && p.checked != int32(d.now.id) {
		p.checked, p.clash = int32(d.now.id), false
		for i := range p.whole {
			p.clash = p.clash || !d.now.knows(d.operations[p.whole[i].operation-1])
		}
	}
	return len(p.whole) > 0 && p.clash
}

// touchPage takes in a layer of a whole page, which a copy or a fill has touched.
func (d *Detector) touchPage(p *page, at uint64, l layer) {
	l.mask = ^uint64(0)
	kept := p.whole[:0]
	for i := range p.whole {
		o := &p.whole[i]
		if !(o.operation == l.operation || d.follows(o, &l, at, l.mask)) || !l.class.covers(o.class) {
			kept = append(kept, *o)
		}
	}
	p.whole = append(kept, l)
	p.checked = 0
	if p.rows == nil {
		return
	}
	for i := range p.rows {
		r := &p.rows[i]
		if len(r.layers) == 0 {
			continue
		}
		d.meetRow(r, &l, at+uint64(i)<<rowBits)
		r.present = 0 // what it had seen may be covered now
	}
}

// forget drops what is known of a range.
func (s *shadow) forget(at, end uint64) {
	for ; at < end; at = at&^(pageSize-1) + pageSize {
		p := s.pages[at>>pageBits]
		if p == nil {
			continue
		}
		first, last := at&^(pageSize-1), at&^(pageSize-1)+pageSize
		if first >= at && last <= end {
			delete(s.pages, at>>pageBits)
		}
		p.whole = nil // allocations share no page that was touched as a whole
		for i := 0; p.rows != nil && i < rows; i++ {
			from, to := first+uint64(i)<<rowBits, first+uint64(i+1)<<rowBits
			if from >= end || to <= at {
				continue
			}
			mask := maskOf(max(from, at)-from, min(to, end)-from)
			r := &p.rows[i]
			r.present = 0
			kept := r.layers[:0]
			for _, l := range r.layers {
				if l.mask &^= mask; l.mask != 0 {
					kept = append(kept, l)
				}
			}
			s.layers -= len(r.layers) - len(kept)
			r.layers = kept
		}
	}
	s.recent = [len(s.recent)]recent{}
}

// thread is the one that touched a byte of a row.
func (l *layer) thread(byte int) int {
	if l.size == 0 {
		return int(l.lane)
	}
	return int(l.lane) + (byte-int(l.first))/int(l.size)
}

// follows reports whether a layer of the present operation comes behind one of another, which has bytes in common with it. If not, they may
// race.
func (d *Detector) follows(o, l *layer, base, common uint64) bool {
	before := d.operations[o.operation-1]
	switch {
	case d.now.knows(before):
		return true
	case l.class.races(o.class):
		d.report(o, l, base, common)
	case o.class == strongWrite && before.released && l.class != weakWrite && l.access != event.Write:
		d.learn(d.now, before.clock) // it may have been told
		return true
	}
	return false
}

// classOf is the class of an access of a kernel.
func classOf(a *event.Access) class {
	strong := a.Order != event.Weak && a.Scope >= race.ScopeDevice
	switch {
	case strong && a.Kind == event.Read:
		return strongRead
	case strong:
		return strongWrite
	case a.Kind == event.Read:
		return weakRead
	}
	return weakWrite
}
