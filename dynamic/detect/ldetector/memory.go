package ldetector

// This file defines memory as the trials see it, and what it held at the beginning of a region.

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/warplint/warplint/dynamic/event"
)

// sharedBase is where addresses of shared memory begin; global ones are far below.
const sharedBase = 1 << 63

// image is an allocation, or a block's shared memory: what it holds, in place, and what it held
// at the beginning of the region (S, and U in the second pass).
type image struct {
	base  uint64
	now   []byte
	stale []*chunk // nil for one of zeros that nobody has asked for
}

// chunk is a part of an allocation. Most of a large one may never have been touched.
type chunk [4096]byte

func imageOf(base uint64, now []byte) *image {
	i := &image{base, now, make([]*chunk, (len(now)+len(chunk{})-1)/len(chunk{}))}
	var zeros chunk
	for n := range i.stale {
		from := n * len(zeros)
		if part := now[from:min(from+len(zeros), len(now))]; !bytes.Equal(part, zeros[:len(part)]) {
			i.stale[n] = new(chunk)
			copy(i.stale[n][:], part)
		}
	}
	return i
}

// before is what a few bytes, which begin at a multiple of their number, held.
func (i *image) before(from, to uint64) []byte {
	const size = uint64(len(chunk{}))
	c := &i.stale[from/size]
	if *c == nil {
		*c = new(chunk)
	}
	return (*c)[from%size:][:to-from]
}

// memory is all that a launch can write.
type memory struct {
	images []*image // by base
	last   *image
	shared *image
	// public has the bytes of words that atomics have touched: all groups share them.
	public map[uint64]uint8
	undone []patch
}

// patch is some bytes of a word.
type patch struct {
	at    uint64 // a multiple of four
	bytes uint8  // bit i for the byte at+i
	value [4]byte
}

func newMemory(t event.Trials, allocations []*event.Allocation) *memory {
	m := &memory{public: map[uint64]uint8{}, shared: &image{base: sharedBase}}
	for _, a := range allocations {
		if now := t.Memory(a); now != nil {
			m.images = append(m.images, imageOf(a.Base, now))
		}
	}
	slices.SortFunc(m.images, func(a, b *image) int { return cmp.Compare(a.base, b.base) })
	return m
}

// enter begins with the shared memory of another block.
func (m *memory) enter(shared []byte) {
	m.shared = imageOf(sharedBase, shared)
}

// word returns the bytes of a word, or fewer at the end of an allocation; none outside of memory.
func (m *memory) word(at uint64) (now, stale []byte) {
	i := m.shared
	if at < sharedBase {
		if i = m.find(at); i == nil {
			return nil, nil
		}
	}
	from := at - i.base
	if from >= uint64(len(i.now)) {
		return nil, nil
	}
	const size = uint64(len(chunk{}))
	to := min(from+4, uint64(len(i.now)), (from/size+1)*size)
	return i.now[from:to], i.before(from, to)
}

func (m *memory) find(at uint64) *image {
	if i := m.last; i != nil && at-i.base < uint64(len(i.now)) {
		return i
	}
	n, found := slices.BinarySearchFunc(m.images, at, func(i *image, at uint64) int { return cmp.Compare(i.base, at) })
	if !found {
		n--
	}
	if n < 0 {
		return nil
	}
	m.last = m.images[n]
	return m.last
}

// publish makes what atomics have just written part of all copies.
func (m *memory) publish(at uint64, bytes uint8) {
	now, stale := m.word(at)
	if bytes&^m.public[at] != 0 {
		before := patch{at: at, bytes: bytes}
		copy(before.value[:], stale)
		m.undone = append(m.undone, before)
		m.public[at] |= bytes
	}
	for i := range now {
		if bytes>>i&1 != 0 {
			stale[i] = now[i]
		}
	}
}

// changed returns the bytes in which a word differs from what it held before.
func (m *memory) changed(at uint64) patch {
	p := patch{at: at}
	now, stale := m.word(at)
	copy(p.value[:], now)
	for i := range now {
		if now[i] != stale[i] && m.public[at]>>i&1 == 0 {
			p.bytes |= 1 << i
		}
	}
	return p
}

// write sets bytes of the present copy.
func (m *memory) write(p patch) {
	now, _ := m.word(p.at)
	p.into(now)
}

// settle sets bytes for all copies.
func (m *memory) settle(p patch) {
	now, stale := m.word(p.at)
	before := patch{at: p.at, bytes: p.bytes}
	copy(before.value[:], stale)
	m.undone = append(m.undone, before)
	p.into(now)
	p.into(stale)
}

func (p *patch) into(word []byte) {
	for i := range word {
		if p.bytes>>i&1 != 0 {
			word[i] = p.value[i]
		}
	}
}

// revert takes the present copy's bytes of a word out of memory; public ones stay.
func (m *memory) revert(at uint64) {
	now, stale := m.word(at)
	for i := range now {
		if m.public[at]>>i&1 != 0 {
			stale[i] = now[i]
		} else {
			now[i] = stale[i]
		}
	}
}

// restore puts back what global memory held before the launch.
func (m *memory) restore() {
	for _, p := range slices.Backward(m.undone) {
		if p.at < sharedBase {
			now, stale := m.word(p.at)
			p.into(now)
			p.into(stale)
		}
	}
	m.undone = m.undone[:0]
	clear(m.public)
}
