package scord

// This file defines the memory metadata: an entry for a word, and where entries are kept.

import "github.com/warplint/warplint/dynamic/event"

// entry is a word's metadata.
type entry struct {
	block, warp        uint32 // of the last accessor
	devFence, blkFence uint32 // of its warp, then
	barrier            uint32 // of its block, then
	modified           bool
	blkShared          bool
	devShared          bool
	atomic, blockScope bool
	strong             bool
	locks              filter
	beside             place
}

// place is what reports need beside the paper's metadata.
type place struct {
	pc          uint32
	lane        uint8
	wrote, atom bool
}

// initial is an entry of which nothing is known.
func initial() entry { return entry{modified: true, blkShared: true, devShared: true} }

// fresh reports whether an entry is in its initial state (table III, a).
func (e *entry) fresh() bool { return e.modified && e.blkShared && e.devShared }

// Widths of the fields, in bits (figure 7).
const (
	blockBits   = 7
	warpBits    = 5
	fenceBits   = 6
	barrierBits = 8
	tagBits     = 4
)

func cut(value, bits uint32) uint32 { return value & (1<<bits - 1) }

// Positions of the fields in the 64 bits. The paper gives those of the flags as a group.
const (
	tagAt       = 54
	blockAt     = 47
	warpAt      = 42
	devFenceAt  = 36
	blkFenceAt  = 30
	barrierAt   = 22
	modifiedAt  = 21
	blkSharedAt = 20
	devSharedAt = 19
	atomicAt    = 18
	scopeAt     = 17
	strongAt    = 16
)

// untouched is the initial entry packed. Entries are stored with these bits turned over, so that
// memory which is all zero is in the initial state.
const untouched = 1<<modifiedAt | 1<<blkSharedAt | 1<<devSharedAt

func pack(e *entry, tag uint64) uint64 {
	bit := func(on bool, at uint) uint64 {
		if on {
			return 1 << at
		}
		return 0
	}
	return untouched ^ (tag<<tagAt | uint64(e.block)<<blockAt | uint64(e.warp)<<warpAt | uint64(e.devFence)<<devFenceAt |
		uint64(e.blkFence)<<blkFenceAt | uint64(e.barrier)<<barrierAt | bit(e.modified, modifiedAt) | bit(e.blkShared, blkSharedAt) |
		bit(e.devShared, devSharedAt) | bit(e.atomic, atomicAt) | bit(e.blockScope, scopeAt) | bit(e.strong, strongAt) | uint64(e.locks))
}

func unpack(stored uint64) (e entry, tag uint64) {
	v := stored ^ untouched
	field := func(at, bits uint) uint32 { return uint32(v >> at & (1<<bits - 1)) }
	bit := func(at uint) bool { return v>>at&1 != 0 }
	return entry{
		block: field(blockAt, blockBits), warp: field(warpAt, warpBits), devFence: field(devFenceAt, fenceBits),
		blkFence: field(blkFenceAt, fenceBits), barrier: field(barrierAt, barrierBits), modified: bit(modifiedAt),
		blkShared: bit(blkSharedAt), devShared: bit(devSharedAt), atomic: bit(atomicAt), blockScope: bit(scopeAt),
		strong: bit(strongAt), locks: filter(v),
	}, v >> tagAt & (1<<tagBits - 1)
}

const (
	pageBits  = 12
	wordBits  = 2
	pageWords = 1 << (pageBits - wordBits)
	// segment is the number of words that share an entry of the cache.
	segment = 16
)

// page holds entries, by the number of the word or of the cache's line.
type page struct {
	entries [pageWords]uint64
	beside  [pageWords]place
}

// memory keeps the entries, by page as they are touched.
type memory struct {
	pages  map[uint64]*page
	last   *page
	number uint64
	// The cache serves so many words from the first one on. All others have an entry each.
	first, words uint64
}

// serve makes the cache serve what lies between the first of the device's allocations and the last.
func (m *memory) serve(allocations []*event.Allocation) {
	low, high := ^uint64(0), uint64(0)
	for _, a := range allocations {
		if a.Kind != event.HostMemory {
			low, high = min(low, a.Base), max(high, a.Base+a.Size)
		}
	}
	if low < high {
		m.first, m.words = low>>wordBits, (high-low+1<<wordBits-1)>>wordBits
	}
}

func (m *memory) at(index uint64) (*page, uint64) {
	number := index / pageWords
	if m.last == nil || m.number != number {
		p := m.pages[number]
		if p == nil {
			p = &page{}
			if m.pages == nil {
				m.pages = map[uint64]*page{}
			}
			m.pages[number] = p
		}
		m.last, m.number = p, number
	}
	return m.last, index % pageWords
}

// line says where the entry of a word is, and the tag that tells whose it is.
func (m *memory) line(at uint64) (index, tag uint64) {
	index = at >> wordBits
	if within := index - m.first; within < m.words {
		lines := (m.words + segment - 1) / segment
		return within % lines, within / lines
	}
	return index, 0
}

// load returns a word's entry: the initial one if another word holds the line.
func (m *memory) load(at uint64) entry {
	index, tag := m.line(at)
	p, i := m.at(index)
	e, have := unpack(p.entries[i])
	if have != tag && !e.fresh() {
		return initial()
	}
	e.beside = p.beside[i]
	return e
}

func (m *memory) save(at uint64, e *entry) {
	index, tag := m.line(at)
	p, i := m.at(index)
	p.entries[i], p.beside[i] = pack(e, tag), e.beside
}
