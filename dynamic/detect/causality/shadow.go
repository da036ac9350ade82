package causality

// This file defines the shadow memory: which accesses of each byte later ones may race with.

import (
	"math/bits"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

// level says how an access counts in conflicts.
type level uint8

const (
	weak level = iota
	volatile
	strong
)

// entry is an access of some lanes of one warp, all in the same epoch of theirs.
type entry struct {
	warp  uint32 // block times 32, plus the warp in the block; for copies, the agents' leaf
	lanes uint32
	epoch uint32
	pc    uint32
	value uint32 // of the word, as far as it was written
	mask  uint8  // bytes of the word
	size  uint8  // bytes of a whole element
	kind  event.Kind
	flags flags
}

// flags are the level in bits 0 and 1, the scope in bits 2 to 4, bit 5 for copies, and bit 6 for one of
// several writes that are not of one value.
type flags uint8

const (
	async   flags = 1 << 5
	various flags = 1 << 6
)

func flagsOf(l level, s race.Scope) flags { return flags(l) | flags(s)<<2 }

func (f flags) level() level      { return level(f & 3) }
func (f flags) scope() race.Scope { return race.Scope(f >> 2 & 7) }

func (e *entry) writes() bool { return e.kind != event.Read }

func (e *entry) empty() bool { return e.lanes == 0 }

// peer reports whether an access is strong.
func (e *entry) peer() bool { return e.flags.level() == strong && e.flags&async == 0 }

// standsFor reports whether whatever conflicts with an access conflicts with this one, too,
// whoever makes it.
func (e *entry) standsFor(old *entry) bool {
	return e.stands(old) && (e.flags.level() == weak || e.warp>>fanBits == old.warp>>fanBits)
}

// stands is standsFor for an earlier access of the same block.
func (e *entry) stands(old *entry) bool {
	if old.kind != event.Read && e.kind == event.Read || old.mask&^e.mask != 0 || (old.flags|e.flags)&async != 0 {
		return false
	}
	return e.flags.level() == weak || e.flags.level() == old.flags.level() && e.flags.scope() <= old.flags.scope() &&
		e.mask == old.mask && e.size == old.size
}

// absorb makes an access stand for another one of the same warp, if that is possible. Lanes that do the same
// with one instruction in one epoch are joined, unless locks want them apart.
func (e *entry) absorb(other *entry, join bool) bool {
	switch {
	case join && e.epoch == other.epoch && e.like(other):
		e.lanes |= other.lanes
		return true
	case e.kind != other.kind && e.epoch == other.epoch && other.lanes&^e.lanes == 0 && e.standsFor(other):
		return true // nothing new
	case e.lanes&^other.lanes != 0 || e.epoch > other.epoch || !other.standsFor(e):
		return false
	}
	*e = *other
	return true
}

const (
	pageBits = 12
	wordBits = 2
)

// page is the shadow of 4 KiB.
type page struct {
	rows [1 << (pageBits - wordBits - rowBits)]row
	// values has what runs have written, once one has.
	values *[1 << (pageBits - wordBits - rowBits)][rowWords]uint32
}

// cell is the shadow of a word of four bytes: mostly one write, and one read behind it.
type cell struct {
	write, read entry
	records     *record // of the strong writes that begin here
	more        *crowd
	guards      *guards
}

// pages hold the shadow of global memory by address, and of shared memory from sharedBase on.
type pages struct {
	all map[uint64]*page
	// recent are pages that have been in use of late, by the last bits of their numbers.
	recent [64]struct {
		number uint64
		page   *page
	}
	spare *spare
}

// spare is the shadow of shared memory that is gone, to be used again.
type spare struct {
	pages   []*page
	cells   []*cell
	crowds  []*crowd
	records []*record
}

// pop takes the last of a list, nil if there is none.
func pop[T any](list *[]*T) *T {
	n := len(*list)
	if n == 0 {
		return nil
	}
	last := (*list)[n-1]
	*list = (*list)[:n-1]
	return last
}

func (s *spare) record() *record {
	if r := pop(&s.records); r != nil {
		return r
	}
	return new(record)
}

func (s *spare) crowd() *crowd {
	m := pop(&s.crowds)
	if m == nil {
		return new(crowd)
	}
	*m = crowd{list: m.list[:0]}
	return m
}

func (s *spare) cell() *cell {
	if len(s.cells) == 0 {
		block := new([rowWords]cell)
		for i := range block {
			s.cells = append(s.cells, &block[i])
		}
	}
	return pop(&s.cells)
}

func (s *spare) page() *page {
	if p := pop(&s.pages); p != nil {
		return p
	}
	return new(page)
}

// take keeps what a page is made of.
func (s *spare) take(p *page) {
	for i := range p.rows {
		r := &p.rows[i]
		m := r.more
		if m == nil {
			*r = row{}
			continue
		}
		for _, c := range m.cells {
			for r := c.records; r != nil; r = r.next {
				if !r.observed {
					s.records = append(s.records, r)
				}
			}
			if c.more != nil {
				s.crowds = append(s.crowds, c.more)
			}
			*c = cell{}
			s.cells = append(s.cells, c)
		}
		clear(m.cells)
		*m = others{writes: m.writes[:0], reads: m.reads[:0], cells: m.cells[:0]}
		*r = row{more: m}
	}
	s.pages = append(s.pages, p)
}

const (
	sharedBase = 1 << 63
	sharedBits = 24
)

func sharedAt(owner int, offset uint64) uint64 {
	return sharedBase | uint64(owner)<<sharedBits | offset&(1<<sharedBits-1)
}

// peek returns the cell of the word at an address, if it has one.
func (p *pages) peek(at uint64) *cell { return p.row(at).peek(at >> wordBits & (rowWords - 1)) }

func (p *pages) row(at uint64) *row { return &p.page(at >> pageBits).rows[rowIn(at)] }

// valuesOf are what runs have written in a row.
func (p *page) valuesOf(at uint64) *[rowWords]uint32 {
	if p.values == nil {
		p.values = new([1 << (pageBits - wordBits - rowBits)][rowWords]uint32)
	}
	return &p.values[rowIn(at)]
}

// rowIn is the number of an address's row in its page.
func rowIn(at uint64) uint64 {
	return at >> (wordBits + rowBits) & (1<<(pageBits-wordBits-rowBits) - 1)
}

func (p *pages) page(number uint64) *page {
	slot := &p.recent[(number^number>>(sharedBits-pageBits))%uint64(len(p.recent))]
	if slot.page == nil || slot.number != number {
		found := p.all[number]
		if found == nil {
			found = p.spare.page()
			p.all[number] = found
		}
		slot.page, slot.number = found, number
	}
	return slot.page
}

// dropShared forgets the shared memory of a block.
func (p *pages) dropShared(owner, size int) {
	for at := 0; at < size; at += 1 << pageBits {
		number := sharedAt(owner, uint64(at)) >> pageBits
		if gone := p.all[number]; gone != nil {
			p.spare.take(gone)
			delete(p.all, number)
		}
	}
	clear(p.recent[:])
}

// crowded returns the crowd of a word, with its accesses moved there.
func (c *cell) crowded(s *spare) *crowd {
	if c.more == nil {
		c.more = s.crowd()
	}
	if !c.write.empty() {
		c.more.add(&c.write, false)
		c.write = entry{}
	}
	if !c.read.empty() {
		c.more.add(&c.read, false)
		c.read = entry{}
	}
	return c.more
}

// record returns the last strong write of exactly these bytes.
func (c *cell) record(at uint64, size int) *record {
	for r := c.records; r != nil; r = r.next {
		if r.at == at && int(r.size) == size {
			return r
		}
	}
	return nil
}

// friends reports whether two strong accesses can't race: they are of the same bytes, and include each
// other's threads in their scopes.
func (e *entry) friends(o *entry) bool {
	return e.peer() && o.peer() && e.mask == o.mask && e.size == o.size &&
		(e.warp>>fanBits == o.warp>>fanBits || min(e.flags.scope(), o.flags.scope()) >= race.ScopeDevice)
}

// holdsStrongWrite reports whether there is a strong write of a word.
func (c *cell) holdsStrongWrite() bool {
	is := func(e *entry) bool { return !e.empty() && e.writes() && e.peer() }
	if is(&c.write) || c.more == nil {
		return is(&c.write)
	}
	for i := range c.more.list {
		if is(&c.more.list[i]) {
			return true
		}
	}
	if c.more.groups != nil {
		for i := range *c.more.groups {
			if g := &(*c.more.groups)[i]; len(g.list) > 0 && is(&g.common) {
				return true
			}
		}
	}
	return false
}

// maskOf is the mask of a word's bytes from at to stop.
func maskOf(at, stop uint64) uint8 { return uint8(1<<(stop-at)-1) << (at & 3) }

// firstLane returns the lowest lane of a set.
func firstLane(set uint32) int { return bits.TrailingZeros32(set) & 31 }
