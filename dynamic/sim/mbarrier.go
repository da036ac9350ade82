// This file executes mbarrier (PTX ISA, "mbarrier"): barriers that are objects of 64 bits in
// shared memory.

package sim

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
	"github.com/warplint/warplint/dynamic/ptx"
)

// mbarrier is the state of one: PTX leaves open how it is stored. A phase is complete when no
// arrival is pending and no bytes are.
type mbarrier struct {
	expected int // arrivals of each phase
	pending  int // arrivals that are still missing in this one
	bytes    int // of asynchronous copies that have not finished
	phase    int // 0 or 1
}

const (
	mbarrierCount = 1<<20 - 1 // the most arrivals, and bytes
	mbarrierValid = 1 << 62
)

func unpackMbarrier(v uint64) (b mbarrier, valid bool) {
	return mbarrier{
		expected: int(v & mbarrierCount), pending: int(v >> 20 & mbarrierCount),
		bytes: int(int64(v<<3) >> 43), phase: int(v >> 61 & 1),
	}, v&mbarrierValid != 0
}

func (b mbarrier) pack() uint64 {
	return uint64(b.expected)&mbarrierCount | uint64(b.pending)&mbarrierCount<<20 |
		uint64(b.bytes)&(1<<21-1)<<40 | uint64(b.phase)<<61 | mbarrierValid
}

// mbarrierOp is one instruction.
type mbarrierOp struct {
	memory   *memop
	what     event.MbarrierOp
	complete bool // complete_tx
	drop     bool
	expect   bool // expect_tx, alone or before an arrival
	test     bool
	parity   bool
	count    ref  // arrivals, bytes, the state or the parity to wait for; noRef for one arrival
	target   ref  // the state (64 bits), or a predicate
	copies   bool // cp.async.mbarrier.arrive: on behalf of finished copies
	noInc    bool
}

func decodeMbarrier(t *translator, in *ptx.Instr) {
	t.allow(in, spaceWords+" "+scopeWords+" "+orderWords+" init inval arrive arrive_drop noComplete expect_tx complete_tx test_wait try_wait parity pending_count")
	if in.Has("pending_count") {
		t.operands(in, 2, 2)
		t.mapped(in, func(x, _, _ uint64) uint64 {
			b, _ := unpackMbarrier(x)
			return uint64(b.pending)
		}, ptx.U32, ptx.B64)
		return
	}
	op := &mbarrierOp{
		drop: in.Has("arrive_drop"), expect: in.Has("expect_tx"), complete: in.Has("complete_tx"),
		parity: in.Has("parity"), count: noRef, target: noRef,
	}
	list := in.Operands
	if arrives := in.Has("arrive") || op.drop; arrives || in.Has("test_wait") || in.Has("try_wait") {
		op.what, op.test = event.MbarrierArrive, !arrives
		if len(list) > 0 && list[0].Kind != ptx.AddressOperand {
			t.mbarrierTarget(op, &list[0])
			list = list[1:]
		}
	}
	switch {
	case op.test:
		op.what = event.MbarrierTestWait
	case in.Has("init"):
		op.what = event.MbarrierInit
	case in.Has("inval"):
		op.what = event.MbarrierInvalidate
	case op.what != event.MbarrierArrive:
		op.what = event.MbarrierExpect
	}
	if len(list) == 0 {
		t.fail("%s without an address", mnemonic(in))
	}
	t.mbarrierAddress(in, op, &list[0])
	if len(list) > 1 {
		op.count = t.source(&list[1], t.countType(op))
	}
	t.emit(instr{run: runMbarrier, x: op})
}

func (t *translator) countType(op *mbarrierOp) ptx.Type {
	if op.test && !op.parity {
		return ptx.B64
	}
	return ptx.U32
}

func (t *translator) mbarrierTarget(op *mbarrierOp, o *ptx.Operand) {
	switch {
	case o.Kind == ptx.SinkOperand:
	case op.test:
		op.target = t.target(o, ptx.Pred)
	default:
		op.target = t.target(o, ptx.B64)
	}
}

func (t *translator) mbarrierAddress(in *ptx.Instr, op *mbarrierOp, address *ptx.Operand) {
	op.memory = t.memory(in, address)
	op.memory.size, op.memory.count, op.memory.bytes = 8, 1, 8
	if one(in, orderWords, "") == "" {
		op.memory.order = event.Release
		if op.test {
			op.memory.order = event.Acquire
		}
		op.memory.scope = race.ScopeBlock
	}
}

func runMbarrier(w *warp, in *instr, m uint32) {
	op := in.x.(*mbarrierOp)
	w.addresses(op.memory, m)
	w.scattered(op.memory, m, func(w *warp, _ *memop, win *window, lanes uint32) {
		w.mbarriers(op, win, lanes)
	})
}

// mbarriers executes an instruction on the objects in one block's shared memory.
func (w *warp) mbarriers(op *mbarrierOp, win *window, m uint32) {
	if win.space != event.Shared || win.local {
		w.fault(Invalid, laneOf(m), "mbarrier outside of shared memory")
	}
	owner := w.block.blockOf(win.owner)
	e := event.Mbarrier{
		Step: w.step(m), Op: op.what, Owner: win.owner, Order: op.memory.order, Scope: op.memory.scope,
	}
	forLanes(m, func(lane int) {
		at := uint32(w.core.access.Addr[lane] - win.base)
		e.Addr[lane] = uint64(at)
		if owner.boxes != nil {
			w.finishBoxes(owner, at, op.what == event.MbarrierArrive && !op.copies)
		}
		e.Phase[lane] = owner.phases[at]
		if op.what != event.MbarrierInit && !initialised(owner, at) {
			w.early(&e, lane)
		}
		if w.mbarrierLane(op, owner, at, lane) {
			e.Done |= 1 << lane
		}
	})
	if op.test && e.Done == 0 {
		w.yield()
	}
	if op.test {
		// A wait that succeeded was for the phase before the present one.
		forLanes(e.Done, func(lane int) { e.Phase[lane]-- })
	}
	if l := w.core.listener; l != nil {
		l.Mbarrier(&e)
	}
}

// blockOf finds a block of the same cluster.
func (b *block) blockOf(index int) *block {
	for _, o := range b.cluster.blocks {
		if o.index == index {
			return o
		}
	}
	return b
}

// initialised reports whether there is an mbarrier.
func initialised(owner *block, at uint32) bool {
	_, valid := unpackMbarrier(binary.LittleEndian.Uint64(owner.shared[at:]))
	return valid
}

// early ends a lane that comes to an mbarrier that is not there. The listener is told that it has looked: it may be that another
// thread is about to make it.
func (w *warp) early(e *event.Mbarrier, lane int) {
	if l := w.core.listener; l != nil {
		looked := *e
		looked.Op, looked.Done, looked.Mask = event.MbarrierTestWait, 0, 1<<lane
		l.Mbarrier(&looked)
	}
	w.fault(Invalid, lane, "mbarrier at shared address %#x that was not initialised", e.Addr[lane])
}

// mbarrierLane executes an instruction for one lane; true if a wait is over.
func (w *warp) mbarrierLane(op *mbarrierOp, owner *block, at uint32, lane int) bool {
	memory := owner.shared[at:][:8]
	count := uint64(1)
	if op.count != noRef {
		count = w.lane(op.count, op.test && !op.parity, lane)
	}
	if op.what == event.MbarrierInit {
		if count == 0 || count > mbarrierCount {
			w.fault(Invalid, lane, "mbarrier for %d arrivals", count)
		}
		n := int(count)
		binary.LittleEndian.PutUint64(memory, mbarrier{expected: n, pending: n}.pack())
		owner.startPhases(at)
		w.core.changes++
		return false
	}
	b, _ := unpackMbarrier(binary.LittleEndian.Uint64(memory))
	switch {
	case op.what == event.MbarrierInvalidate:
		binary.LittleEndian.PutUint64(memory, 0)
		return false
	case op.test:
		return w.mbarrierTest(op, b, count, lane)
	}
	if op.target != noRef {
		w.x64[op.target][lane] = b.pack()
	}
	w.mbarrierUpdate(op, &b, int(count), lane)
	owner.finishPhase(&b, at)
	binary.LittleEndian.PutUint64(memory, b.pack())
	w.core.changes++
	return false
}

func (w *warp) mbarrierTest(op *mbarrierOp, b mbarrier, count uint64, lane int) bool {
	wanted := int(count & 1)
	if !op.parity {
		state, _ := unpackMbarrier(count)
		wanted = state.phase
	}
	done := b.phase != wanted
	if op.target != noRef {
		setMask(&w.xp[op.target], 1<<lane, done)
	}
	if !done {
		w.awaited = awaited{lane, w.executed, b}
	}
	return done
}

// awaited is an mbarrier whose phase was not complete when a lane looked, and how many instructions its warp had executed.
type awaited struct {
	lane     int
	executed uint64
	mbarrier
}

// maxLookLoop bounds the instructions of a loop that waits for an mbarrier, for messages.
const maxLookLoop = 1 << 10

// awaits says what threads that go round in a loop wait for, "" if it is no mbarrier.
func (w *warp) awaits(lanes uint32) string {
	switch a := &w.awaited; {
	case a.executed == 0 || lanes>>a.lane&1 == 0 || w.executed-a.executed > maxLookLoop:
		return ""
	case a.pending == 0:
		return fmt.Sprintf("waits in a loop at a barrier in shared memory for %d more bytes", a.bytes)
	default:
		return fmt.Sprintf("waits in a loop at a barrier in shared memory for %d more arrivals", a.pending)
	}
}

func (w *warp) mbarrierUpdate(op *mbarrierOp, b *mbarrier, count, lane int) {
	switch {
	case op.copies:
		// The copies are finished already: a counted arrival raises and lowers the count.
		if op.noInc {
			b.pending--
		}
	case op.what == event.MbarrierExpect && op.complete:
		b.bytes -= count
	case op.what == event.MbarrierExpect:
		b.bytes += count
	default:
		if op.expect {
			b.bytes += count
			count = 1
		}
		b.pending -= count
		if op.drop {
			b.expected -= count
		}
	}
	if b.pending < 0 || b.expected < 0 {
		w.fault(Invalid, lane, "more arrivals at an mbarrier than it expects")
	}
}

// startPhases and finishPhase count phases, for listeners.
func (b *block) startPhases(at uint32) {
	if b.phases == nil {
		b.phases = map[uint32]uint64{}
	}
	b.phases[at] = 0
}

// finishPhase begins the next phase if this one is complete.
func (b *block) finishPhase(m *mbarrier, at uint32) {
	if m.pending > 0 || m.bytes != 0 {
		return
	}
	if boxes := b.boxes[at]; boxes != nil {
		boxes.issued = nil
	}
	m.phase ^= 1
	m.pending = m.expected
	if b.phases == nil {
		b.phases = map[uint32]uint64{}
	}
	b.phases[at]++
}

// completeBytes tells an mbarrier that bytes of a copy have arrived.
func (w *warp) completeBytes(op *memop, a uint64, n, lane int) {
	var win window
	if !w.find(op, &win, a) || !win.holds(extent{a, a, a}, 8) {
		w.stray(op, a, lane)
	}
	if win.space != event.Shared || win.local {
		w.fault(Invalid, lane, "mbarrier outside of shared memory")
	}
	owner := w.block.blockOf(win.owner)
	at := uint32(a - win.base)
	p := (*[8]byte)(unsafe.Pointer(&owner.shared[at]))
	b, valid := unpackMbarrier(binary.LittleEndian.Uint64(p[:]))
	if !valid {
		w.fault(Invalid, lane, "mbarrier at shared address %#x that was not initialised", at)
	}
	b.bytes -= n
	owner.finishPhase(&b, at)
	binary.LittleEndian.PutUint64(p[:], b.pack())
	w.core.changes++
}
