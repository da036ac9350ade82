package iguard

// This file defines the memory metadata: what is known of a word, and how it is stored (section
// 6.1, figure 4).

// accessor is who accessed a word, and how far synchronization had come then.
type accessor struct {
	warp               uint32 // of the launch
	lane               uint32
	devFence, blkFence uint32 // of the thread
	blkBar             uint32 // of the block
	warpBar            uint32 // of the warp
	pc                 uint32 // for the report, beside the paper's metadata
}

// word is the metadata of a word.
type word struct {
	valid, modified bool
	// atomic and blockScope are about the last write.
	atomic, blockScope bool
	// blkShared and devShared: several warps of a block, or several blocks, have read the word
	// since the last write.
	blkShared, devShared bool
	locks                uint64 // filter of those held at the last access
	writer, last         accessor
	wrote                bool // the last accessor wrote; for the report
}

// widths are the bits of the fields.
type widths struct {
	warp, fence, blkBar, warpBar uint
	filter                       uint // of each of the two halves of a filter of locks: a power of two
	hash                         uint // of a lock's address
}

var (
	published = widths{warp: 15, fence: 6, blkBar: 8, warpBar: 6, filter: 8, hash: 18}
	exact     = widths{warp: 32, fence: 32, blkBar: 32, warpBar: 32, filter: 32, hash: 62}
)

// cut keeps the low bits of a value.
func cut(value uint32, bits uint) uint32 { return uint32(uint64(value) & (1<<bits - 1)) }

// fit makes the fields as narrow as they are stored.
func (w widths) fit(a accessor) accessor {
	a.warp = cut(a.warp, w.warp)
	a.devFence, a.blkFence = cut(a.devFence, w.fence), cut(a.blkFence, w.fence)
	a.blkBar, a.warpBar = cut(a.blkBar, w.blkBar), cut(a.warpBar, w.warpBar)
	return a
}

// memory keeps the metadata of all words, by page as they are touched.
type memory interface {
	load(at uint64) word // at is the address of the word
	save(at uint64, w *word)
}

const (
	pageBits  = 12
	wordBits  = 2
	pageWords = 1 << (pageBits - wordBits)
)

// pages are the pages of a memory.
type pages[T any] struct {
	all    map[uint64]*[pageWords]T
	last   *[pageWords]T
	number uint64
}

func (p *pages[T]) at(address uint64) *T {
	number := address >> pageBits
	if p.last == nil || p.number != number {
		page := p.all[number]
		if page == nil {
			page = new([pageWords]T)
			if p.all == nil {
				p.all = map[uint64]*[pageWords]T{}
			}
			p.all[number] = page
		}
		p.last, p.number = page, number
	}
	return &p.last[address>>wordBits&(pageWords-1)]
}

// wide stores metadata as it is.
type wide struct{ pages[word] }

func (m *wide) load(at uint64) word     { return *m.at(at) }
func (m *wide) save(at uint64, w *word) { *m.at(at) = *w }

// packed stores metadata in the paper's two words of 64 bits, and beside them what reports need.
// The paper's address tag is not needed: no two words share an entry.
type packed struct {
	entries pages[[2]uint64]
	beside  pages[places]
}

// places are the instructions of the last writer and the last accessor.
type places struct {
	writer, last uint32
	wrote        bool
}

const (
	validBit     = 63
	modifiedBit  = 62
	atomicBit    = 61
	scopeBit     = 60
	blkSharedBit = 59
	devSharedBit = 58
)

func (m *packed) load(at uint64) word {
	e, beside := m.entries.at(at), m.beside.at(at)
	flag := func(bit uint) bool { return e[0]>>bit&1 != 0 }
	w := word{
		valid: flag(validBit), modified: flag(modifiedBit), atomic: flag(atomicBit), blockScope: flag(scopeBit),
		blkShared: flag(blkSharedBit), devShared: flag(devSharedBit),
		writer: unpack(e[0]), last: unpack(e[1]), locks: e[0]&0xff<<8 | e[1]&0xff, wrote: beside.wrote,
	}
	w.writer.pc, w.last.pc = beside.writer, beside.last
	return w
}

func (m *packed) save(at uint64, w *word) {
	flags := uint64(0)
	set := func(bit uint, on bool) {
		if on {
			flags |= 1 << bit
		}
	}
	set(validBit, w.valid)
	set(modifiedBit, w.modified)
	set(atomicBit, w.atomic)
	set(scopeBit, w.blockScope)
	set(blkSharedBit, w.blkShared)
	set(devSharedBit, w.devShared)
	*m.entries.at(at) = [2]uint64{flags | pack(w.writer) | w.locks>>8, pack(w.last) | w.locks&0xff}
	*m.beside.at(at) = places{w.writer.pc, w.last.pc, w.wrote}
}

// pack lays out an accessor: the thread in bits 34 to 53, then its counters down to bit 8.
func pack(a accessor) uint64 {
	thread := uint64(a.warp)<<5 | uint64(a.lane)
	return thread<<34 | uint64(a.devFence)<<28 | uint64(a.blkFence)<<22 | uint64(a.blkBar)<<14 | uint64(a.warpBar)<<8
}

func unpack(e uint64) accessor {
	field := func(low, bits uint) uint32 { return uint32(e >> low & (1<<bits - 1)) }
	return accessor{
		warp: field(39, 15), lane: field(34, 5), devFence: field(28, 6), blkFence: field(22, 6), blkBar: field(14, 8), warpBar: field(8, 6),
	}
}
