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

// flags are the level in bits 0 and 1, the scope in bits 2 to 4, bit 5 for copies, bit 6 for one of several writes
// that are not of one value, and bit 7 for a strong write that stands for a later strong read of its threads as well.
type flags uint8

const (
	async   flags = 1 << 5
	various flags = 1 << 6
	reread  flags = 1 << 7
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

// absorb makes an access that a word keeps stand for another one of the same warp, if that is possible. Lanes that
// do the same with one instruction in one epoch are joined, unless locks want them apart.
func (s *acts) absorb(kept *ref, e, other *entry, join bool) bool {
	switch {
	case join && e.epoch == other.epoch && e.like(other):
		kept.lanes |= other.lanes
		return true
	case e.kind != other.kind && e.epoch == other.epoch && other.lanes&^e.lanes == 0 && e.standsFor(other):
		s.reread(kept)
		return true // nothing new
	case e.lanes&^other.lanes != 0 || e.epoch > other.epoch || !other.standsFor(e):
		return false
	}
	*kept = s.ref(other)
	return true
}

const (
	pageBits = 12
	wordBits = 2
	pageRows = 1 << (pageBits - wordBits - rowBits)
)

// page is the shadow of 4 KiB.
type page struct {
	// quiet are rows of global memory, as long as there is no more to say of them; of those that are not, the bits are set in full.
	quiet *[pageRows]quiet
	rows  *[pageRows]row // nil if there are none
	full  uint32
	// scattered are accesses that are kept apart, nil if there are none, or if the page is spoiled for such.
	scattered *scattered
	spoiled   bool
	celled    bool // some words have cells, or had
	// trails are those of words that are only updated, or only read.
	trails  *[pageRows]*rowTrails
	trailed int // words that have got one
	own     *[pageRows]*rowOwn
}

// cell is the shadow of a word of four bytes. It keeps a write, and a read behind it, as the first two of few, or else
// a list.
type cell struct {
	few     [5]ref
	records *record // of the strong writes that begin here
	more    *crowd
	n       uint8 // the accesses of the list that are in few
	room    uint8 // how many accesses of the list are looked through before there are more
	listed  bool
	polled  bool  // by an instruction that waits
	given   uint8 // the bytes where locations begin that have been given back, and so are locks
}

// write and read are what there is of a cell without a list.
func (c *cell) write() *ref { return &c.few[0] }
func (c *cell) read() *ref  { return &c.few[1] }

// refs are what a cell refers to, not all of which need be there.
func (c *cell) refs() []ref {
	if c.listed {
		return c.list()
	}
	return c.few[:2]
}

// list returns the accesses of a cell that has a list.
func (c *cell) list() []ref {
	if c.more != nil && c.more.list != nil {
		return c.more.list
	}
	return c.few[:c.n]
}

// setList makes a list, the beginning of the present one, that of a cell.
func (c *cell) setList(list []ref) {
	if c.more != nil && c.more.list != nil {
		c.more.list = list
	} else {
		c.n = uint8(len(list))
	}
}

// pages hold the shadow of global memory by address, and of shared memory from sharedBase on.
type pages struct {
	all map[uint64]*page
	// recent are pages of shared memory that have been in use of late, by the last bits of their numbers, and near the regions of global memory.
	recent  [512]recentPage
	regions map[uint64]*region
	near    [32]nearRegion
	spare   *spare
	cells   cells
	acts    acts
	trails  trails
	walk    func(r *row, at uint64) // gives the word at an address, which counts as celled and has no cell, one
	flags   map[uint64]bool         // the words that were noted as flags, of cells that are gone
}

type recentPage struct {
	number uint64
	page   *page
}

// region are the pages of 2 MiB of global memory.
type region [1 << regionBits]*page

const regionBits = 9

type nearRegion struct {
	number uint64
	region *region
}

// slot is where a page would be that was in use of late.
func (p *pages) slot(number uint64) *recentPage {
	return &p.recent[(number^number>>(sharedBits-pageBits))%uint64(len(p.recent))]
}

// cells are the cells that have been made, by number.
type cells struct {
	chunks []*chunk
	next   uint32
	freed  []uint32
}

// A chunk of cells is as large as what the heap gives out, 4 KiB.
const (
	chunkBits  = 6
	chunkCells = 1<<chunkBits - 1
)

// chunk has each cell in one line of the cache: the heap puts eight bytes before what it gives out.
type chunk struct {
	_    [56]byte
	list [chunkCells]cell
}

func (s *cells) at(number uint32) *cell {
	return &s.chunks[number>>chunkBits].list[number&(1<<chunkBits-1)]
}

// add returns the number of a cell that is empty.
func (s *cells) add() uint32 {
	if n := len(s.freed); n > 0 {
		number := s.freed[n-1]
		s.freed = s.freed[:n-1]
		return number
	}
	if number := s.next & (1<<chunkBits - 1); number == 0 || number == chunkCells {
		s.next = uint32(len(s.chunks)) << chunkBits
		s.chunks = append(s.chunks, new(chunk))
		if s.next == 0 {
			s.next = 1 // 0 stands for none
		}
	}
	s.next++
	return s.next - 1
}

// free empties a cell, and takes it back.
func (s *cells) free(number uint32) {
	*s.at(number) = cell{}
	s.freed = append(s.freed, number)
}

// spare is the shadow of shared memory that is gone, to be used again.
type spare struct {
	pages   []*page
	crowds  []*crowd
	lists   [][]ref
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

// record returns one that stands alone in the heap, as what is observed of others would stay as long as it does.
func (s *spare) record() *record {
	if r := pop(&s.records); r != nil {
		return r
	}
	return new(record)
}

func (s *spare) crowd() *crowd {
	if m := pop(&s.crowds); m != nil {
		return m
	}
	return new(crowd)
}

// list returns one with room for twice as many accesses as a cell has.
func (s *spare) list() []ref {
	if n := len(s.lists); n > 0 {
		list := s.lists[n-1]
		s.lists = s.lists[:n-1]
		return list
	}
	return make([]ref, 0, 8)
}

// page returns the page of a number, which is empty.
func (s *spare) page(number uint64) *page {
	if number < sharedBase>>pageBits {
		x := new(struct {
			page
			quiet [pageRows]quiet
		})
		x.page.quiet = &x.quiet
		return &x.page
	}
	if p := pop(&s.pages); p != nil {
		return p
	}
	x := new(struct {
		page
		rows [pageRows]row
	})
	x.page.rows, x.full = &x.rows, allLanes
	return &x.page
}

// give keeps what a page is made of.
func (p *pages) give(gone *page, number uint64) {
	gone.forgetScattered()
	for i := range gone.rows { // shared memory has all
		r := &gone.rows[i]
		p.empty(r, number<<pageBits+uint64(i)*rowWords<<wordBits)
		m := r.more
		if m == nil {
			*r = row{}
			continue
		}
		*m = others{writes: m.writes[:0], reads: m.reads[:0], cells: m.cells}
		*r = row{more: m}
	}
	p.spare.pages = append(p.spare.pages, gone)
}

// empty takes the cells of a row away.
func (p *pages) empty(r *row, at uint64) {
	if r.joint {
		p.part(r)
	}
	for ; r.celled != 0; r.celled &= r.celled - 1 {
		word := uint64(firstLane(r.celled))
		if p.dropTrail(at+word<<wordBits) || p.dropOwn(at+word<<wordBits) {
			continue
		}
		c := p.cells.at(r.more.cells.numbers[word])
		if c.polled {
			p.flags[at+word<<wordBits] = true
		}
		for r := c.records; r != nil; r = r.next {
			if !r.kept() {
				p.spare.records = append(p.spare.records, r)
			}
		}
		p.dropCell(r, word)
	}
}

// dropPlain takes away the cell of the word at an address in a row if there is no more in it than accesses before a barrier of all threads that get
// there.
func (p *pages) dropPlain(r *row, at uint64, met uint32) bool {
	word := at >> wordBits & (rowWords - 1)
	if r.joint || r.more == nil || r.more.cells == nil || r.more.cells.numbers[word] == 0 {
		return false
	}
	c := p.cells.at(r.more.cells.numbers[word])
	if c.records != nil || c.polled || c.given != 0 || p.newest(c) > met {
		return false
	}
	p.dropCell(r, word)
	return true
}

// newest is the last epoch of the accesses of a cell.
func (p *pages) newest(c *cell) (epoch uint32) {
	for _, x := range c.refs() {
		if x.lanes != 0 {
			epoch = max(epoch, p.acts.at(x.act).epoch)
		}
	}
	if c.more != nil && c.more.groups != nil {
		for i := range *c.more.groups {
			for j := range (*c.more.groups)[i].list {
				epoch = max(epoch, (*c.more.groups)[i].list[j].epoch)
			}
		}
	}
	return epoch
}

// dropCell takes the cell of a word of a row away.
func (p *pages) dropCell(r *row, word uint64) {
	number := r.more.cells.numbers[word]
	r.more.cells.numbers[word] = 0
	if m := p.cells.at(number).more; m != nil {
		if m.list != nil {
			p.spare.lists = append(p.spare.lists, m.list[:0])
		}
		*m = crowd{}
		p.spare.crowds = append(p.spare.crowds, m)
	}
	p.cells.free(number)
}

const (
	sharedBase = 1 << 63
	sharedBits = 24
)

func sharedAt(owner int, offset uint64) uint64 {
	return sharedBase | uint64(owner)<<sharedBits | offset&(1<<sharedBits-1)
}

// peek returns the cell of the word at an address, if it has one.
func (p *pages) peek(at uint64) *cell {
	if q := p.page(at >> pageBits); q.full>>rowIn(at)&1 != 0 {
		return p.cellOf(&q.rows[rowIn(at)], at)
	}
	return nil
}

// cellOf returns the cell of the word at an address in a row, if it has one.
func (p *pages) cellOf(r *row, at uint64) *cell {
	word := at >> wordBits & (rowWords - 1)
	if r.celled>>word&1 == 0 {
		return nil
	}
	if r.more == nil || r.more.cells == nil || r.more.cells.numbers[word] == 0 {
		p.walk(r, at)
	}
	m := r.more.cells
	if r.joint && m.joint.words>>word&1 != 0 {
		p.part(r)
	}
	return p.cells.at(m.numbers[word])
}

func (p *pages) row(at uint64) *row { return p.page(at >> pageBits).row(rowIn(at)) }

// row returns a row, which is no quiet one from then on.
func (p *page) row(in uint64) *row {
	if p.full>>in&1 == 0 {
		if p.rows == nil {
			p.rows = new([pageRows]row)
		}
		p.rows[in] = p.quiet[in].row()
		p.full |= 1 << in
	}
	return &p.rows[in]
}

// rowIn is the number of an address's row in its page.
func rowIn(at uint64) uint64 {
	return at >> (wordBits + rowBits) & (pageRows - 1)
}

func (p *pages) page(number uint64) *page {
	if number < sharedBase>>pageBits {
		if x := p.region(number >> regionBits)[number%(1<<regionBits)]; x != nil {
			return x
		}
		return p.begin(number)
	}
	slot := p.slot(number)
	if slot.page == nil || slot.number != number {
		found := p.all[number]
		if found == nil {
			found = p.begin(number)
		}
		slot.page, slot.number = found, number
	}
	return slot.page
}

func (p *pages) region(number uint64) *region {
	slot := &p.near[number%uint64(len(p.near))]
	if slot.region == nil || slot.number != number {
		found := p.regions[number]
		if found == nil {
			found = new(region)
			if p.regions == nil {
				p.regions = map[uint64]*region{}
			}
			p.regions[number] = found
		}
		slot.region, slot.number = found, number
	}
	return slot.region
}

// begin makes a page.
func (p *pages) begin(number uint64) *page {
	x := p.spare.page(number)
	if p.all[number] = x; number < sharedBase>>pageBits {
		p.region(number >> regionBits)[number%(1<<regionBits)] = x
	}
	return x
}

// dropShared forgets the shared memory of a block.
func (p *pages) dropShared(owner, size int) {
	for at := 0; at < size; at += 1 << pageBits {
		number := sharedAt(owner, uint64(at)) >> pageBits
		if gone := p.all[number]; gone != nil {
			p.give(gone, number)
			delete(p.all, number)
			if slot := p.slot(number); slot.page == gone {
				slot.page = nil
			}
		}
	}
}

// listed lets a cell have a list, of what it has.
func (c *cell) makeList() {
	if c.listed {
		return
	}
	c.listed, c.room = true, 2
	for _, x := range c.few[:2] {
		if x.lanes != 0 {
			c.few[c.n] = x
			c.n++
		}
	}
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

// mutual reports whether an access is such that others of the kind do not race with it: a strong one, updates by copies among them.
func (e *entry) mutual() bool {
	return e.flags.level() == strong && (e.flags&async == 0 || e.kind == event.Atomic)
}

// friends reports whether two strong accesses can't race: they are of the same bytes, and include each
// other's threads in their scopes.
func (e *entry) friends(o *entry) bool {
	return e.mutual() && o.mutual() && e.mask == o.mask && e.size == o.size &&
		(e.warp>>fanBits == o.warp>>fanBits || min(e.flags.scope(), o.flags.scope()) >= race.ScopeDevice)
}

// holdsStrongWrite reports whether there is a strong write of a word.
func (s *acts) holdsStrongWrite(c *cell) bool {
	for _, x := range c.refs() {
		if e := s.entry(x); !e.empty() && e.writes() && e.peer() {
			return true
		}
	}
	if c.more != nil && c.more.groups != nil {
		for i := range *c.more.groups {
			if g := &(*c.more.groups)[i]; len(g.list) > 0 && g.common.writes() && g.common.peer() {
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
