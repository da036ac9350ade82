// This file executes loads and stores: it finds the memory that addresses lie in, checks
// bounds and alignment, moves the data and tells the listener.

package sim

import (
	"math/bits"
	"unsafe"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

// addressing says how an instruction names memory.
type addressing uint8

const (
	inGeneric addressing = iota
	inGlobal             // constant memory, too
	inShared
	inLocal
	inFrame // a .param variable of a function or of a call
	inParam // a kernel parameter
)

// memop is what a memory instruction does.
type memop struct {
	kind   event.Kind
	atomic event.AtomicOp
	space  addressing
	size   int // bytes of an element: 1, 2, 4 or 8
	count  int // elements
	bytes  uint64
	regs   []ref
	wide   []bool // the register is one of 64 bits
	// extend turns a loaded value into the register's: the sign-extension to its width. Nil for
	// zero-extension.
	extend func(uint64) uint64

	base     ref
	baseWide bool
	hasBase  bool
	offset   uint64
	slot     int // in a core's cache of segments
	order    event.Order
	scope    race.Scope
	volatile bool
	quiet    bool // constant memory: not reported

	update           func(old, x, y uint64) uint64 // atomics
	single           bool                          // atomic addition of single-precision numbers
	operand, compare ref
	target           ref // noRef for red
}

// window is a piece of memory that some lanes of an access lie in.
type window struct {
	data  unsafe.Pointer
	base  uint64 // address of the first byte
	size  uint64
	space event.Space
	owner int
	quiet bool
	local bool // interleaved local memory: data is unused
}

// extent is what the addresses of an access have in common.
type extent struct{ low, high, or uint64 }

// allAddresses adds an offset to the addresses of all lanes and gives their extent. If it knows
// that each lies a distance, a power of two, behind the one before, together is true, and or has
// only the bits below the distance right.
var allAddresses = func(to, from *[32]uint64, offset, distance uint64) (low, high, or uint64, together bool) {
	low = ^uint64(0)
	for i := range to {
		a := from[i] + offset
		to[i] = a
		low, high, or = min(low, a), max(high, a), or|a
	}
	return low, high, or, false
}

// addresses computes each lane's address into the core's event, which saves copying it later.
func (w *warp) addresses(op *memop, m uint32) extent {
	to := &w.core.access.Addr
	w.core.together = false
	if !op.hasBase {
		for i := range to {
			to[i] = op.offset
		}
		return extent{op.offset, op.offset, op.offset}
	}
	e := extent{low: ^uint64(0)}
	if op.baseWide {
		from := w.source64(op.base)
		if m == fullMask {
			e.low, e.high, e.or, w.core.together = allAddresses(to, from, op.offset, op.bytes)
			return e
		}
		for rest := m; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros32(rest) & 31
			a := from[i] + op.offset
			to[i] = a
			e.low, e.high, e.or = min(e.low, a), max(e.high, a), e.or|a
		}
		return e
	}
	from := w.source32(op.base)
	if m == fullMask {
		first, neighbours := uint64(from[0]+uint32(op.offset)), true
		for i, v := range from {
			a := uint64(v + uint32(op.offset))
			to[i] = a
			e.low, e.high, e.or = min(e.low, a), max(e.high, a), e.or|a
			neighbours = neighbours && a == first+uint64(i)*op.bytes
		}
		w.core.together = neighbours
		return e
	}
	for rest := m; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest) & 31
		a := uint64(from[i] + uint32(op.offset))
		to[i] = a
		e.low, e.high, e.or = min(e.low, a), max(e.high, a), e.or|a
	}
	return e
}

func (win *window) holds(e extent, bytes uint64) bool {
	return e.low >= win.base && win.size >= bytes && e.high-win.base <= win.size-bytes && e.or&(bytes-1) == 0
}

// runLoad and runStore execute ld and st for all but frames and kernel parameters.
func runLoad(w *warp, in *instr, m uint32) {
	w.access(in.mem, m, (*warp).load)
	if in.mem.order != event.Weak {
		w.poll()
	}
}

func runStore(w *warp, in *instr, m uint32) {
	w.core.changes++
	w.access(in.mem, m, (*warp).store)
}

// mover does something with the lanes of an access that lie in one window.
type mover func(w *warp, op *memop, win *window, m uint32)

// access does something in each piece of memory that the lanes address, nearly always one, and
// reports it.
func (w *warp) access(op *memop, m uint32, do mover) {
	e := w.addresses(op, m)
	w.core.access.Uniform = e.low == e.high
	win := &w.core.window
	if w.guess(op, win, e) && win.holds(e, op.bytes) {
		w.accessIn(op, win, m, do)
		return
	}
	w.scattered(op, m, func(w *warp, op *memop, win *window, m uint32) { w.accessIn(op, win, m, do) })
}

// accessIn does something to memory and reports it; a store is reported before.
func (w *warp) accessIn(op *memop, win *window, m uint32, do mover) {
	if op.kind == event.Write {
		w.tellAccess(op, win, m)
		do(w, op, win, m)
		return
	}
	do(w, op, win, m)
	w.tellAccess(op, win, m)
}

// guess loads the window that the access probably lies in.
func (w *warp) guess(op *memop, win *window, e extent) bool {
	switch {
	case op.space == inShared:
		return w.sharedWindow(win, 0, e.low)
	case op.space <= inGlobal:
		if s := w.core.cache[op.slot]; s != nil && len(s.data) > 0 {
			win.data, win.base, win.size = unsafe.Pointer(&s.data[0]), s.base, uint64(len(s.data))
			win.space, win.quiet, win.local = event.Global, op.quiet, false
			if e.low-s.base < s.size {
				return true
			}
		}
		return w.find(op, win, e.low)
	}
	return w.find(op, win, e.low)
}

// scattered handles lanes that lie in different pieces, or in none.
func (w *warp) scattered(op *memop, m uint32, do mover) {
	addr := w.core.access.Addr
	w.core.together, w.core.access.Uniform = false, false
	for rest := m; rest != 0; {
		first := bits.TrailingZeros32(rest) & 31
		var win window
		a := addr[first]
		found := w.find(op, &win, a) || w.blank(op, &win, a)
		if !found || !win.holds(extent{a, a, a}, op.bytes) {
			w.stray(op, a, first)
		}
		var lanes uint32
		for r := rest; r != 0; r &= r - 1 {
			i := bits.TrailingZeros32(r) & 31
			if win.holds(extent{addr[i], addr[i], addr[i]}, op.bytes) {
				lanes |= 1 << i
			}
		}
		w.core.access.Addr = addr
		do(w, op, &win, lanes)
		rest &^= lanes
	}
}

// find looks for the memory at an address; false if there is none.
func (w *warp) find(op *memop, win *window, a uint64) bool {
	switch op.space {
	case inShared:
		return w.sharedWindow(win, 0, a)
	case inLocal, inFrame:
		*win = window{base: 0, size: uint64(w.top), local: true}
		return true
	case inParam:
		w.paramWindow(win, 0)
		return true
	case inGeneric:
		switch a >> 32 {
		case sharedWindow >> 32:
			return w.sharedWindow(win, sharedWindow, a)
		case localWindow >> 32:
			*win = window{base: localWindow, size: uint64(w.top), local: true}
			return true
		case paramWindow >> 32:
			w.paramWindow(win, paramWindow)
			return true
		}
	}
	s := w.block.launch.device.memory.find(a)
	if s == nil || len(s.data) == 0 {
		return false
	}
	w.core.cache[op.slot] = s
	*win = window{data: unsafe.Pointer(&s.data[0]), base: s.base, size: uint64(len(s.data)), quiet: op.quiet}
	return true
}

// blank is a window of zeros for an address where nothing lies, but may be accessed.
func (w *warp) blank(op *memop, win *window, a uint64) bool {
	c := w.core
	if op.space == inShared || a < deviceBase || !w.block.launch.device.memory.isBlank(a) {
		return false
	}
	clear(c.zeros[:])
	*win = window{data: unsafe.Pointer(&c.zeros), base: a &^ (allocationAlign - 1), size: allocationAlign}
	return true
}

func (w *warp) paramWindow(win *window, base uint64) {
	p := w.block.launch.params
	*win = window{data: unsafe.Pointer(unsafe.SliceData(p)), base: base, size: uint64(len(p)), quiet: true}
}

// sharedWindow finds shared memory: the block's own at the beginning of the window, that of the
// block with rank r of the cluster at (r+1)<<24.
func (w *warp) sharedWindow(win *window, base, a uint64) bool {
	b := w.block
	if rank := (a - base) >> 24; rank != 0 {
		if rank > uint64(len(b.cluster.blocks)) {
			return false
		}
		b = b.cluster.blocks[rank-1]
		base += rank << 24
	}
	win.data, win.base, win.size = unsafe.Pointer(unsafe.SliceData(b.shared)), base, uint64(len(b.shared))
	win.space, win.owner, win.quiet, win.local = event.Shared, b.index, false, false
	return true
}

// load moves data from memory to registers.
func (w *warp) load(op *memop, win *window, m uint32) {
	addr := &w.core.access.Addr
	together := w.core.together && op.count == 1
	if win.local {
		w.loadLocal(op, win, m)
		return
	}
	for e, r := range op.regs {
		if r == noRef {
			continue
		}
		start := uint64(e*op.size) - win.base
		switch {
		case op.extend != nil || op.size < 4 || op.wide[e] != (op.size == 8):
			w.loadOdd(op, e, win, m)
		case op.size == 4:
			load32(w.target32(r), addr, win.data, start, m, together)
		default:
			load64(w.target64(r), addr, win.data, start, m, together)
		}
	}
}

func load32(d *[32]uint32, addr *[32]uint64, data unsafe.Pointer, start uint64, m uint32, together bool) {
	if together {
		*d = *(*[32]uint32)(unsafe.Add(data, addr[0]+start))
		return
	}
	if m == fullMask {
		for i := range d {
			d[i] = *(*uint32)(unsafe.Add(data, addr[i]+start))
		}
		return
	}
	for rest := m; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest) & 31
		d[i] = *(*uint32)(unsafe.Add(data, addr[i]+start))
	}
}

func load64(d *[32]uint64, addr *[32]uint64, data unsafe.Pointer, start uint64, m uint32, together bool) {
	if together {
		*d = *(*[32]uint64)(unsafe.Add(data, addr[0]+start))
		return
	}
	if m == fullMask {
		for i := range d {
			d[i] = *(*uint64)(unsafe.Add(data, addr[i]+start))
		}
		return
	}
	for rest := m; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest) & 31
		d[i] = *(*uint64)(unsafe.Add(data, addr[i]+start))
	}
}

// loadOdd loads what is smaller than its register.
func (w *warp) loadOdd(op *memop, e int, win *window, m uint32) {
	addr := &w.core.access.Addr
	for rest := m; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest) & 31
		v := readBytes(unsafe.Add(win.data, addr[i]-win.base+uint64(e*op.size)), op.size)
		w.setLane(op.regs[e], op.wide[e], i, op.extended(v))
	}
}

func (op *memop) extended(v uint64) uint64 {
	if op.extend != nil {
		return op.extend(v)
	}
	return v
}

func pointerAt(win *window, a uint64) unsafe.Pointer { return unsafe.Add(win.data, a-win.base) }

func bytesAt(win *window, a, n uint64) []byte {
	return unsafe.Slice((*byte)(pointerAt(win, a)), n)
}

func readBytes(p unsafe.Pointer, size int) uint64 {
	switch size {
	case 1:
		return uint64(*(*uint8)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

func writeBytes(p unsafe.Pointer, size int, v uint64) {
	switch size {
	case 1:
		*(*uint8)(p) = uint8(v)
	case 2:
		*(*uint16)(p) = uint16(v)
	case 4:
		*(*uint32)(p) = uint32(v)
	default:
		*(*uint64)(p) = v
	}
}

func (w *warp) lane(r ref, wide bool, i int) uint64 {
	if wide {
		return w.source64(r)[i]
	}
	return uint64(w.source32(r)[i])
}

func (w *warp) setLane(r ref, wide bool, i int, v uint64) {
	if wide {
		w.x64[r][i] = v
	} else {
		w.x32[r][i] = uint32(v)
	}
}

// store moves data from registers to memory.
func (w *warp) store(op *memop, win *window, m uint32) {
	addr := &w.core.access.Addr
	together := w.core.together && op.count == 1
	if win.local {
		w.storeLocal(op, win, m)
		return
	}
	for e, r := range op.regs {
		start := uint64(e*op.size) - win.base
		switch {
		case op.size == 4 && !op.wide[e]:
			store32(w.source32(r), addr, win.data, start, m, together)
		case op.size == 8 && op.wide[e]:
			store64(w.source64(r), addr, win.data, start, m, together)
		default:
			for rest := m; rest != 0; rest &= rest - 1 {
				i := bits.TrailingZeros32(rest) & 31
				writeBytes(unsafe.Add(win.data, addr[i]+start), op.size, w.lane(r, op.wide[e], i))
			}
		}
	}
}

func store32(s *[32]uint32, addr *[32]uint64, data unsafe.Pointer, start uint64, m uint32, together bool) {
	if together {
		*(*[32]uint32)(unsafe.Add(data, addr[0]+start)) = *s
		return
	}
	if m == fullMask {
		for i := range s {
			*(*uint32)(unsafe.Add(data, addr[i]+start)) = s[i]
		}
		return
	}
	for rest := m; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest) & 31
		*(*uint32)(unsafe.Add(data, addr[i]+start)) = s[i]
	}
}

func store64(s *[32]uint64, addr *[32]uint64, data unsafe.Pointer, start uint64, m uint32, together bool) {
	if together {
		*(*[32]uint64)(unsafe.Add(data, addr[0]+start)) = *s
		return
	}
	if m == fullMask {
		for i := range s {
			*(*uint64)(unsafe.Add(data, addr[i]+start)) = s[i]
		}
		return
	}
	for rest := m; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest) & 31
		*(*uint64)(unsafe.Add(data, addr[i]+start)) = s[i]
	}
}

// tellAccess reports an access to global or shared memory. Its addresses are relative to the window from then on, if that
// is one of shared memory.
func (w *warp) tellAccess(op *memop, win *window, m uint32) {
	c := w.core
	if win.quiet || win.local {
		return
	}
	c.accesses++
	if c.listener == nil {
		return
	}
	e := &c.access
	w.stepInto(&e.Step, m)
	e.Space, e.Owner = win.space, win.owner
	e.Kind, e.Op = op.kind, op.atomic
	e.Order, e.Scope, e.Volatile = op.order, op.scope, op.volatile
	e.Size, e.Elements, e.Together = int(op.bytes), op.count, c.together
	if win.space == event.Shared && win.base != 0 {
		for rest := m; rest != 0; rest &= rest - 1 {
			e.Addr[bits.TrailingZeros32(rest)&31] -= win.base
		}
		win.base = 0
	}
	if op.kind != event.Atomic {
		if e.Operand.Known() {
			e.Operand, e.Compare = event.Lanes{}, event.Lanes{}
		}
		for i, r := range op.regs {
			e.Value[i] = event.Lanes{}
			if r != noRef {
				e.Value[i] = w.lanes(r, op.wide[i])
			}
		}
		for i := len(op.regs); i < c.values; i++ {
			e.Value[i] = event.Lanes{}
		}
		c.values = len(op.regs)
	}
	c.listener.Access(e)
}

func (w *warp) lanes(r ref, wide bool) event.Lanes {
	if wide {
		return event.Lanes{W64: w.source64(r)}
	}
	return event.Lanes{W32: w.source32(r)}
}
