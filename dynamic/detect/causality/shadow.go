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

// flags are the level in bits 0 and 1, the scope in bits 2 to 4, and bit 5 for copies.
type flags uint8

const async flags = 1 << 5

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
	if old.kind != event.Read && e.kind == event.Read || old.mask&^e.mask != 0 || (old.flags|e.flags)&async != 0 {
		return false
	}
	if e.flags.level() == weak {
		return true
	}
	return e.flags.level() == old.flags.level() && e.flags.scope() <= old.flags.scope() && e.mask == old.mask &&
		e.size == old.size && e.warp>>fanBits == old.warp>>fanBits
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

// crowd is all else about a word.
type crowd struct {
	writes []entry
	reads  table
	// peers are strong accesses of the same bytes: those that include each other's threads in their scopes
	// don't race. Narrow is set if one's scope may be too narrow for another block, and home is the block
	// that all are from, or nowhere.
	peers  table
	home   int32
	narrow bool
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
	*m = crowd{writes: m.writes[:0], reads: table{list: m.reads.list[:0]}, peers: table{list: m.peers.list[:0]}}
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
		c.more.add(&c.write)
		c.write = entry{}
	}
	if !c.read.empty() {
		c.more.add(&c.read)
		c.read = entry{}
	}
	return c.more
}

func (m *crowd) add(e *entry) {
	switch {
	case e.peer() && m.fits(e):
		m.addPeer(e)
	case e.writes():
		m.writes = append(m.writes, *e)
	default:
		m.reads.add(e)
	}
}

const nowhere = -1

func (m *crowd) addPeer(e *entry) {
	home := int32(e.warp >> fanBits)
	switch {
	case len(m.peers.list) == 0:
		m.home, m.narrow = home, false
	case m.home != home:
		m.home = nowhere
	}
	m.narrow = m.narrow || e.flags.scope() < race.ScopeDevice
	m.peers.add(e)
}

// fits reports whether an access can be among the peers of a word, which are all of the same bytes.
func (m *crowd) fits(e *entry) bool {
	if len(m.peers.list) == 0 {
		return true
	}
	o := &m.peers.list[0]
	return o.mask == e.mask && o.size == e.size
}

// amongFriends reports whether an access races with none of the peers, which it fits.
func (m *crowd) amongFriends(e *entry) bool {
	return len(m.peers.list) == 0 || m.home == int32(e.warp>>fanBits) || !m.narrow && e.flags.scope() >= race.ScopeDevice
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

// maskOf is the mask of a word's bytes from at to stop.
func maskOf(at, stop uint64) uint8 { return uint8(1<<(stop-at)-1) << (at & 3) }

// firstLane returns the lowest lane of a set.
func firstLane(set uint32) int { return bits.TrailingZeros32(set) & 31 }
