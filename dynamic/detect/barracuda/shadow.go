package barracuda

// This file defines the shadow memory (section 4.3.3).

import "maps"

// epoch is the time of a thread's access, and the instruction for the report.
type epoch struct {
	thread thread
	time   uint32 // 0 for none
	pc     uint32
}

// state is what is known of a location.
type state struct {
	write  epoch
	value  uint32 // that was written
	atomic bool
	read   epoch            // the last read, if those since the write are ordered
	reads  map[thread]epoch // otherwise all of them
}

// cell is the state of a word of four bytes, or of each of its bytes once one is accessed alone.
type cell struct {
	word  state
	bytes *[4]state
}

// each passes the states of some bytes of the word on, with the value that those bytes have in that
// of the word.
func (c *cell) each(from, to int, value uint32, do func(s *state, value uint32)) {
	if c.bytes == nil && to-from == 4 {
		do(&c.word, value)
		return
	}
	if c.bytes == nil {
		c.split()
	}
	for i := from; i < to; i++ {
		do(&c.bytes[i], value>>(8*i)&0xff)
	}
}

func (c *cell) split() {
	c.bytes = new([4]state)
	for i := range c.bytes {
		c.bytes[i] = c.word
		c.bytes[i].value = c.word.value >> (8 * i) & 0xff
		c.bytes[i].reads = maps.Clone(c.word.reads)
	}
}

const (
	pageBits  = 12
	wordBits  = 2
	pageWords = 1 << (pageBits - wordBits)
	// Shared memory of a block has addresses of its own, from sharedBase on.
	sharedBase = 1 << 63
	sharedBits = 24
)

// shadow holds the cells, by page as they are touched.
type shadow struct {
	pages  map[uint64]*[pageWords]cell
	last   *[pageWords]cell
	number uint64
}

func (m *shadow) cell(at uint64) *cell {
	number := at >> pageBits
	if m.last == nil || m.number != number {
		page := m.pages[number]
		if page == nil {
			page = new([pageWords]cell)
			m.pages[number] = page
		}
		m.last, m.number = page, number
	}
	return &m.last[at>>wordBits&(pageWords-1)]
}

// drop forgets the shared memory of a block.
func (m *shadow) drop(block, size int) {
	for at := 0; at < size; at += 1 << pageBits {
		delete(m.pages, sharedAt(block, uint64(at))>>pageBits)
	}
	m.last = nil
}

func sharedAt(block int, offset uint64) uint64 {
	return sharedBase | uint64(block)<<sharedBits | offset&(1<<sharedBits-1)
}
