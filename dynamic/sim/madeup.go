// This file executes tensor copies by maps that are made up, for kernels that run without their host program. Nobody knows
// the shape of their boxes. Into shared memory, a box has as many bytes as the mbarrier turns out to await for each one; as long
// as that is not known, copies tell of the least part that they move. Each coordinate has its own place in global memory.

package sim

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/warplint/warplint/dynamic/event"
)

const (
	madeUpKind = 2 // words, which have all updates
	// madeUpPart is what a box moves at least, and what an element's place in global memory has: what lies behind so much in
	// shared memory may be another box.
	madeUpPart = boxAlign
	// The issuing warp issues its other copies within so many instructions, or while others look so many times.
	madeUpIssue = 1 << 8
	madeUpLooks = 1 << 14
	madeUpReach = 1 << 28 // elements
)

// MadeUpTensorMap returns a tensor map that stands for one that nobody gives, of a tensor of any rank at an address.
func MadeUpTensorMap(address uint64) []byte {
	b := make([]byte, tensorMapBytes)
	binary.LittleEndian.PutUint64(b, tensorMapMagic|madeUpKind<<40)
	binary.LittleEndian.PutUint64(b[8:], address)
	return b
}

// madeUp is what a launch learns of boxes.
type madeUp struct {
	mu     sync.Mutex
	copied map[uint32]boxSize // by the instruction
	lying  map[uint64]boxSize // by where they lie in shared memory
	starts []uint64           // where boxes lie in shared memory, sorted
}

// boxSize is how many bytes a box has, for sure if an mbarrier awaited it alone.
type boxSize struct {
	bytes uint64
	sure  bool
}

// issuedBox is a copy of one.
type issuedBox struct {
	pc    uint32
	start uint64 // in shared memory
}

// awaitedBoxes are the boxes that an mbarrier awaits in its present phase, none of which has told it of its bytes.
type awaitedBoxes struct {
	issued   []issuedBox
	by       *warp  // that issued the last one
	executed uint64 // by that warp then
	looks    int    // in vain, since then
}

// size is what is told of a box.
func (m *madeUp) size(b issuedBox, l *event.Launch) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i, known := slices.BinarySearch(m.starts, b.start); !known {
		m.starts = slices.Insert(m.starts, i, b.start)
	}
	known, ok := m.copied[b.pc]
	if !ok {
		known = m.lying[b.start]
	}
	size := cmp.Or(known.bytes, madeUpPart)
	if !known.sure { // boxes of one phase may differ, but hardly overlap
		for i := 1; i < len(m.starts); i++ {
			size = min(size, m.starts[i]-m.starts[i-1])
		}
	}
	for _, v := range l.Shared {
		if at := b.start - uint64(v.Offset); at < uint64(v.Size) {
			size = min(size, uint64(v.Size)-at)
		}
	}
	return size
}

func (m *madeUp) learn(issued []issuedBox, bytes int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.copied == nil {
		m.copied, m.lying = map[uint32]boxSize{}, map[uint64]boxSize{}
	}
	known := boxSize{uint64(bytes / len(issued)), len(issued) == 1}
	for _, b := range issued {
		m.copied[b.pc], m.lying[b.start] = known, known
	}
}

// runMadeUp is run for a map that is made up. What is stored is lost.
func (c *boxCopy) runMadeUp(shared, mbarrier uint64) {
	w, box := c.w, c.op.to
	if c.store {
		box = c.op.from
	}
	win, launch := w.windowFor(box, shared), w.block.launch
	b := issuedBox{uint32(w.pc - 1), win.relative(shared)}
	size := min(launch.madeUp.size(b, launch.event), win.size-(shared-win.base))
	here := w.piece(box, shared, size, c.lane)
	a, part := c.madeUpAddress(), min(size, madeUpPart)
	if c.store {
		c.note(shared, a, size, part, 0)
	} else {
		clear(here)
		if from := w.windowFor(c.op.from, a); from.data != nil && from.size-(a-from.base) >= size {
			copy(here, bytesAt(&from, a, size))
		}
		c.note(a, shared, part, size, mbarrier)
		w.awaitBox(c.op.mbarrier, mbarrier, b, c.lane)
	}
	c.tell()
}

// madeUpAddress is the place of coordinates in global memory.
func (c *boxCopy) madeUpAddress() uint64 {
	place := uint64(0)
	for _, at := range slices.Backward(c.at) {
		place = place*65537 + uint64(at)
	}
	return c.tensor.base + place%madeUpReach*madeUpPart
}

// awaitBox lets an mbarrier await a box.
func (w *warp) awaitBox(op *memop, a uint64, b issuedBox, lane int) {
	w.completeBytes(op, a, 0, lane) // it must be one
	bar := w.windowFor(op, a)
	owner, at := w.block.blockOf(bar.owner), uint32(bar.relative(a))
	if owner.boxes == nil {
		owner.boxes = map[uint32]*awaitedBoxes{}
	}
	boxes := owner.boxes[at]
	if boxes == nil {
		boxes = &awaitedBoxes{}
		owner.boxes[at] = boxes
	}
	boxes.issued = append(boxes.issued, b)
	boxes.by, boxes.executed, boxes.looks = w, w.executed, 0
}

// finishBoxes ends the phase of an mbarrier that awaits nothing but boxes, once no more of them seem to come, or somebody
// is about to arrive for the next phase.
func (w *warp) finishBoxes(owner *block, at uint32, arrives bool) {
	boxes := owner.boxes[at]
	if boxes == nil || len(boxes.issued) == 0 {
		return
	}
	b, valid := unpackMbarrier(binary.LittleEndian.Uint64(owner.shared[at:]))
	if !valid || b.pending > 0 || b.bytes <= 0 {
		return
	}
	w.core.changes++
	if boxes.looks++; !arrives && boxes.looks < madeUpLooks && boxes.by.executed-boxes.executed < madeUpIssue {
		return
	}
	w.block.launch.madeUp.learn(boxes.issued, b.bytes)
	boxes.issued, b.bytes = nil, 0
	owner.finishPhase(&b, at)
	binary.LittleEndian.PutUint64(owner.shared[at:], b.pack())
}
