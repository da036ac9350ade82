package interp

// This file defines the sparse memory of a run.

import (
	"encoding/binary"
	"slices"
)

const (
	pageBits = 9
	pageSize = 1 << pageBits
	// flatLimit is how far from its start an object's bytes are kept in one slice.
	flatLimit = 1 << 16
	// granule is the stretch that a Filler is asked for at a time: most of what a slice or page holds
	// is never touched.
	granuleBits = 6
	granule     = 1 << granuleBits
)

// Memory is the contents of all objects of a run.
type Memory struct {
	objects []*object
	byDecl  map[int]int // the number of a variable's object, by ir.Object.ID
	left    int64       // bytes that may still be touched
	full    bool
}

// object is the memory of one Object: a slice from offset 0 on, which grows where the size is
// unknown, and pages for what lies elsewhere.
type object struct {
	*Object
	flat   []byte
	filled []uint64 // a bit for each granule of flat, where there is a Filler
	pages  map[int64]*page
	last   *page // of these, the one that was looked at last, nil for none
	number int64 // its number
	data   []byte
	fill   Filler

	behind        int  // how many pointers of the caller's lead to it, see tables.go
	holdsPointers bool // that the kernel has put there
}

type page struct {
	bytes  [pageSize]byte
	filled [1]uint64
}

func (m *Memory) add(o *object) int {
	o.ID = len(m.objects)
	m.objects = append(m.objects, o)
	return o.ID
}

// ReadBuffer copies n bytes of a buffer, from the offset on.
func (m *Memory) ReadBuffer(buffer int, offset int64, n int) []byte {
	for _, o := range m.objects {
		if o.Buffer == buffer {
			return m.copyOut(o, offset, n)
		}
	}
	return nil
}

// ReadVariable copies n bytes of a __device__ variable, given by its ir.Object.ID.
func (m *Memory) ReadVariable(id int, offset int64, n int) []byte {
	if number, ok := m.byDecl[id]; ok {
		return m.copyOut(m.objects[number], offset, n)
	}
	return nil
}

func (m *Memory) copyOut(o *object, offset int64, n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(m.load(o, offset+int64(i), 1))
	}
	return out
}

// load reads up to 8 bytes, the lowest first.
func (m *Memory) load(o *object, offset int64, size int) uint64 {
	if b := m.window(o, offset, size); b != nil {
		switch size {
		case 8:
			return binary.LittleEndian.Uint64(b)
		case 4:
			return uint64(binary.LittleEndian.Uint32(b))
		case 2:
			return uint64(binary.LittleEndian.Uint16(b))
		}
		return uint64(b[0])
	}
	var v uint64
	for i := range size {
		if b := m.window(o, offset+int64(i), 1); b != nil {
			v |= uint64(b[0]) << (8 * i)
		}
	}
	return v
}

func (m *Memory) store(o *object, offset int64, size int, v uint64) {
	if b := m.window(o, offset, size); b != nil {
		switch size {
		case 8:
			binary.LittleEndian.PutUint64(b, v)
		case 4:
			binary.LittleEndian.PutUint32(b, uint32(v))
		case 2:
			binary.LittleEndian.PutUint16(b, uint16(v))
		default:
			b[0] = byte(v)
		}
		return
	}
	for i := range size {
		if b := m.window(o, offset+int64(i), 1); b != nil {
			b[0] = byte(v >> (8 * i))
		}
	}
}

// read copies bytes out of an object.
func (m *Memory) read(o *object, offset int64, to []byte) {
	if b := m.window(o, offset, len(to)); b != nil {
		copy(to, b)
		return
	}
	for i := range to {
		to[i] = byte(m.load(o, offset+int64(i), 1))
	}
}

// write copies bytes into an object.
func (m *Memory) write(o *object, offset int64, from []byte) {
	if b := m.window(o, offset, len(from)); b != nil {
		copy(b, from)
		return
	}
	for i, b := range from {
		m.store(o, offset+int64(i), 1, uint64(b))
	}
}

// window returns the bytes [offset, offset+size) of an object, or nil if they straddle a page
// or the memory is full.
func (m *Memory) window(o *object, offset int64, size int) []byte {
	end := offset + int64(size)
	if offset >= 0 && end <= m.flatBound(o) {
		if end > int64(len(o.flat)) && !m.grow(o, end) {
			return nil
		}
		if o.fill != nil {
			o.fillUp(o.flat, o.filled, offset, end, 0)
		}
		return o.flat[offset:end:end]
	}
	number, at := offset>>pageBits, offset&(pageSize-1)
	if at+int64(size) > pageSize || offset < m.flatBound(o) && end > 0 {
		return nil
	}
	p := o.last
	if p == nil || o.number != number {
		p = o.pages[number]
	}
	if p == nil {
		if !m.take(pageSize) {
			return nil
		}
		if o.pages == nil {
			o.pages = map[int64]*page{}
		}
		p = &page{}
		o.pages[number] = p
		if o.fill == nil {
			o.contents(number<<pageBits, p.bytes[:])
		}
	}
	o.last, o.number = p, number
	if o.fill != nil {
		o.fillUp(p.bytes[:], p.filled[:], at, at+int64(size), number<<pageBits)
	}
	return p.bytes[at : at+int64(size)]
}

// fillUp gives the granules of a stretch of some memory, which starts at an offset of the object, their
// initial contents, unless they have had them.
func (o *object) fillUp(memory []byte, filled []uint64, from, to, start int64) {
	for g := from >> granuleBits; g<<granuleBits < to; g++ {
		if filled[g/64]&(1<<(g%64)) == 0 {
			filled[g/64] |= 1 << (g % 64)
			at := g << granuleBits
			o.contents(start+at, memory[at:min(at+granule, int64(len(memory)))])
		}
	}
}

// flatBound is how far the flat part may reach. Pages hold the rest, so it never moves.
func (m *Memory) flatBound(o *object) int64 {
	if o.Size > 0 {
		return min(o.Size, flatLimit)
	}
	return flatLimit
}

// grow makes the flat part reach to end at least.
func (m *Memory) grow(o *object, end int64) bool {
	bound := m.flatBound(o)
	length := bound
	if o.Size == 0 || bound > 1<<16 {
		length = int64(256)
		for length < end {
			length *= 2
		}
		length = min(length, bound)
	}
	old := int64(len(o.flat))
	if !m.take(length - old) {
		return false
	}
	o.flat = slices.Grow(o.flat, int(length-old))[:length]
	if o.fill == nil {
		o.contents(old, o.flat[old:])
	} else if n := int(length>>granuleBits)/64 + 1; n > len(o.filled) {
		o.filled = append(o.filled, make([]uint64, n-len(o.filled))...)
	}
	return true
}

func (m *Memory) take(n int64) bool {
	if m.left < n {
		m.full = true
		return false
	}
	m.left -= n
	return true
}

// contents writes the initial contents of a stretch that starts at the offset.
func (o *object) contents(offset int64, b []byte) {
	if o.fill != nil {
		o.fill(offset, b)
	}
	if offset >= 0 && offset < int64(len(o.data)) {
		copy(b, o.data[offset:])
	}
}

// release gives back the memory of an object that no thread can reach any more.
func (m *Memory) release(o *object) {
	m.left += int64(len(o.flat)) + int64(len(o.pages))*pageSize
	o.flat, o.filled, o.pages, o.last = nil, nil, nil, nil
}
