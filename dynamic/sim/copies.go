// This file executes asynchronous copies (PTX ISA, "Data Movement and Conversion Instructions:
// Asynchronous copy"). The data moves when the copy is issued, which PTX allows; listeners are
// told the issue and the waits, so that they can see data used too early.

package sim

import (
	"math"
	"unsafe"

	"github.com/warplint/warplint/dynamic/event"
	"github.com/warplint/warplint/dynamic/ptx"
)

// copyOp is one cp.async or cp.async.bulk.
type copyOp struct {
	to, from *memop // what has no source stores the registers of to; what updates has that in to
	bulk     bool
	size     ref // bytes to write
	read     ref // bytes to read, noRef for all of them
	ignore   ref // predicate: read nothing; noRef if absent
	not      bool
	mbarrier *memop
	// multicast is a mask of the blocks of the cluster that get the data, noRef for one.
	multicast ref
}

func decodeCopy(t *translator, in *ptx.Instr) {
	switch {
	case in.Has("prefetch"): // moves nothing that a program can see
	case in.Has("tensor"):
		t.tensorCopy(in)
	case in.Has("commit_group"):
		t.emit(instr{run: runCopyGroup, x: &event.CopyGroup{Op: event.CopyCommit, Bulk: in.Has("bulk")}})
	case in.Has("wait_all"):
		t.emit(instr{run: runCopyGroup, x: &event.CopyGroup{Op: event.CopyWaitAll}})
	case in.Has("wait_group"):
		t.waitGroup(in)
	case in.Has("mbarrier"):
		t.operands(in, 1, 1)
		op := &mbarrierOp{what: event.MbarrierArrive, copies: true, noInc: in.Has("noinc"), count: noRef, target: noRef}
		t.mbarrierAddress(in, op, &in.Operands[0])
		t.emit(instr{run: runCopyMbarrier, x: op})
	case in.Has("bulk"):
		t.bulkCopy(in)
	default:
		t.smallCopy(in)
	}
}

func (t *translator) waitGroup(in *ptx.Instr) {
	t.operands(in, 1, 1)
	if in.Operands[0].Kind != ptx.IntegerOperand {
		t.fail("%s needs a constant", mnemonic(in))
	}
	t.emit(instr{run: runCopyGroup, x: &event.CopyGroup{
		Op: event.CopyWait, Bulk: in.Has("bulk"), Read: in.Has("read"), Pending: int(in.Operands[0].Bits),
	}})
}

// ends decodes the two addresses, whose spaces come in the mnemonic, the target's first.
func (t *translator) ends(in *ptx.Instr, op *copyOp) {
	var spaces []string
	for _, m := range in.Modifiers {
		if contains(spaceWords, m) {
			spaces = append(spaces, m)
		}
	}
	if len(spaces) != 2 {
		t.unsupported()
	}
	end := func(space string, address *ptx.Operand) *memop {
		return t.memory(&ptx.Instr{Op: in.Op, Modifiers: []string{space}, Line: in.Line}, address)
	}
	op.to, op.from = end(spaces[0], &in.Operands[0]), end(spaces[1], &in.Operands[1])
	op.to.kind, op.from.kind = event.Write, event.Read
}

// smallCopy decodes "cp.async.ca.shared.global [to], [from], size{, read | , ignore}".
func (t *translator) smallCopy(in *ptx.Instr) {
	t.operands(in, 3, 5)
	op := &copyOp{read: noRef, ignore: noRef, multicast: noRef}
	t.ends(in, op)
	size := &in.Operands[2]
	if size.Kind != ptx.IntegerOperand || size.Bits != 4 && size.Bits != 8 && size.Bits != 16 {
		t.fail("size of %s must be 4, 8 or 16", mnemonic(in))
	}
	op.size = t.constant32(uint32(size.Bits))
	op.to.bytes, op.from.bytes = size.Bits, size.Bits
	if rest := in.Operands[3:]; len(rest) > 0 && !in.Has("L2::cache_hint") || len(rest) > 1 {
		if t.registerType(&rest[0]) == ptx.Pred {
			p, not := t.predicate(&rest[0])
			op.ignore, op.not = p, not != 0
		} else {
			op.read = t.source(&rest[0], ptx.U32)
		}
	}
	t.emit(instr{run: runCopy, x: op})
}

// bulkCopy decodes "cp.async.bulk.<to>.<from>.<completion> [to], [from], size{, [mbarrier]}".
func (t *translator) bulkCopy(in *ptx.Instr) {
	t.operands(in, 3, 6)
	op := &copyOp{read: noRef, ignore: noRef, multicast: noRef, bulk: true}
	t.ends(in, op)
	op.to.bytes, op.from.bytes = 16, 16
	op.size = t.source(&in.Operands[2], ptx.U32)
	rest := in.Operands[3:]
	if in.Has("mbarrier::complete_tx::bytes") {
		if len(rest) == 0 {
			t.fail("%s without an mbarrier", mnemonic(in))
		}
		t.completion(in, op, &rest[0])
		rest = rest[1:]
	}
	if in.Has("multicast::cluster") && len(rest) > 0 {
		op.multicast = t.source(&rest[0], ptx.U16)
	}
	if in.Has("reduce") {
		t.reduction(in, op.to)
	}
	t.emit(instr{run: runCopy, x: op})
}

const reductionWords = "and or xor add inc dec min max"

// reduction decodes what an asynchronous update does with each element.
func (t *translator) reduction(in *ptx.Instr, to *memop) {
	ok := false
	ty := in.Type(0)
	to.update, _, ok = atomicUpdate(one(in, reductionWords, ""), ty)
	if !ok {
		t.unsupported()
	}
	to.single, to.size = one(in, reductionWords, "") == "add" && ty == ptx.F32, ty.Size()
}

// asyncStore decodes st.async and red.async: "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [to], value, [mbarrier]".
func (t *translator) asyncStore(in *ptx.Instr) {
	t.operands(in, 3, 3)
	if !in.Has("mbarrier::complete_tx::bytes") || in.Has("global") {
		t.unsupported()
	}
	op := &copyOp{read: noRef, ignore: noRef, multicast: noRef}
	op.to = t.memory(&ptx.Instr{Op: in.Op, Modifiers: []string{"shared"}, Line: in.Line}, &in.Operands[0])
	op.to.kind = event.Write
	t.data(op.to, &in.Operands[1], in.Type(0), false)
	if in.Op == ptx.Red {
		if op.to.count != 1 {
			t.unsupported()
		}
		t.reduction(in, op.to)
	}
	op.size = t.constant32(uint32(op.to.bytes))
	t.completion(in, op, &in.Operands[2])
	t.emit(instr{run: runCopy, x: op})
}

// completion decodes the mbarrier that learns of the bytes.
func (t *translator) completion(in *ptx.Instr, op *copyOp, address *ptx.Operand) {
	op.mbarrier = t.memory(&ptx.Instr{Op: in.Op, Modifiers: []string{"shared"}, Line: in.Line}, address)
	op.mbarrier.size, op.mbarrier.bytes = 8, 8
}

func runCopy(w *warp, in *instr, m uint32) {
	op := in.x.(*copyOp)
	e := w.copyEvent(op, m)
	if op.from != nil {
		w.addresses(op.from, m)
		e.Source = w.core.access.Addr
	}
	if op.mbarrier != nil {
		w.addresses(op.mbarrier, m)
		e.Mbarrier = w.core.access.Addr
	}
	w.addresses(op.to, m)
	e.Target = w.core.access.Addr
	sizes := w.source32(op.size)
	w.core.changes++
	forLanes(m, func(i int) {
		e.TargetSize[i], e.SourceSize[i] = sizes[i], sizes[i]
		if op.from == nil {
			e.SourceSize[i] = 0
		}
		if op.read != noRef {
			e.SourceSize[i] = min(w.source32(op.read)[i], sizes[i])
		}
		if op.ignore != noRef && (w.xp[op.ignore]>>i&1 != 0) != op.not {
			e.SourceSize[i] = 0
		}
		if op.multicast == noRef {
			w.copyLane(op, &e, i)
			return
		}
		for rank := range w.block.cluster.blocks {
			if w.source32(op.multicast)[i]>>rank&1 != 0 {
				one := e
				one.Target[i] = e.Target[i]&^(0xff<<24) | uint64(rank+1)<<24
				one.Mbarrier[i] = e.Mbarrier[i]&^(0xff<<24) | uint64(rank+1)<<24
				w.copyLane(op, &one, i)
			}
		}
	})
	if w.core.listener != nil {
		w.tellCopy(op, &e, m)
	}
}

func (w *warp) copyEvent(op *copyOp, m uint32) event.Copy {
	e := event.Copy{Step: w.step(m), Bulk: op.bulk, HasMbarrier: op.mbarrier != nil}
	if op.to.update != nil {
		e.Update = op.to.size
	}
	return e
}

// copyLane moves one lane's data; what is not read is filled with zeros.
func (w *warp) copyLane(op *copyOp, e *event.Copy, i int) {
	to := w.piece(op.to, e.Target[i], uint64(e.TargetSize[i]), i)
	var from []byte
	if op.from != nil {
		from = w.piece(op.from, e.Source[i], uint64(e.SourceSize[i]), i)
	} else {
		from = w.stored(op.to, i)
	}
	if op.to.update != nil {
		updateBytes(op.to, to, from, e.Target[i]>>32 == 0)
	} else {
		n := copy(to, from)
		clear(to[n:])
	}
	if op.mbarrier != nil {
		w.completeBytes(op.mbarrier, e.Mbarrier[i], len(to), i)
	}
}

// stored is what a lane's registers put into memory.
func (w *warp) stored(op *memop, lane int) []byte {
	var bytes [64]byte
	for k, r := range op.regs {
		writeBytes(unsafe.Pointer(&bytes[k*op.size]), op.size, w.lane(r, op.wide[k], lane))
	}
	return bytes[:op.bytes]
}

// updateBytes updates elements by others.
func updateBytes(op *memop, to, by []byte, shared bool) {
	update := op.update
	if shared {
		update = sharedUpdate(op)
	}
	for at := 0; at+op.size <= min(len(to), len(by)); at += op.size {
		p := unsafe.Pointer(&to[at])
		writeBytes(p, op.size, update(readBytes(p, op.size), readBytes(unsafe.Pointer(&by[at]), op.size), 0))
	}
}

// piece gives n bytes of memory in place, aligned as the operation demands.
func (w *warp) piece(op *memop, a, n uint64, lane int) []byte {
	if n == 0 {
		return nil
	}
	var win window
	if !w.find(op, &win, a) || win.local || a < win.base || a-win.base > win.size || win.size-(a-win.base) < n || a%op.bytes != 0 {
		w.stray(op, a, lane)
	}
	return bytesAt(&win, a, n)
}

// tellCopy reports lanes by the blocks whose shared memory they use.
func (w *warp) tellCopy(op *copyOp, e *event.Copy, m uint32) {
	for rest := m; rest != 0; {
		first := laneOf(rest)
		to, from := w.windowFor(op.to, e.Target[first]), window{}
		if op.from != nil {
			from = w.windowFor(op.from, e.Source[first])
		}
		one := *e
		one.Mask = 0
		forLanes(rest, func(i int) {
			if to.covers(e.Target[i]) && (from.covers(e.Source[i]) || e.SourceSize[i] == 0) {
				one.Mask |= 1 << i
				one.Target[i] = to.relative(e.Target[i])
				one.Source[i] = from.relative(e.Source[i])
			}
		})
		if one.Mask == 0 {
			one.Mask = 1 << first
		}
		one.To, one.ToOwner, one.From, one.FromOwner = to.space, to.owner, from.space, from.owner
		if op.mbarrier != nil {
			bar := w.windowFor(op.mbarrier, e.Mbarrier[first])
			one.MbarrierOwner = bar.owner
			forLanes(one.Mask, func(i int) { one.Mbarrier[i] = bar.relative(e.Mbarrier[i]) })
		}
		w.core.listener.Copy(&one)
		rest &^= one.Mask
	}
}

func (w *warp) windowFor(op *memop, a uint64) (win window) {
	if !w.find(op, &win, a) {
		return window{size: math.MaxUint64} // the tensor of a map that is made up has no end
	}
	return win
}

func (win *window) covers(a uint64) bool { return a-win.base < win.size }

// relative is the address as events give it: an offset for shared memory.
func (win *window) relative(a uint64) uint64 {
	if win.space == event.Shared {
		return a - win.base
	}
	return a
}

func runCopyGroup(w *warp, in *instr, m uint32) {
	if l := w.core.listener; l != nil {
		e := *in.x.(*event.CopyGroup)
		e.Step = w.step(m)
		l.CopyGroup(&e)
	}
}

// runCopyMbarrier is cp.async.mbarrier.arrive: the arrival happens at once, as the copies are done.
func runCopyMbarrier(w *warp, in *instr, m uint32) {
	op := in.x.(*mbarrierOp)
	w.addresses(op.memory, m)
	w.scattered(op.memory, m, func(w *warp, _ *memop, win *window, lanes uint32) {
		if l := w.core.listener; l != nil {
			e := event.CopyGroup{Step: w.step(lanes), Op: event.CopyMbarrier, Owner: win.owner}
			forLanes(lanes, func(i int) { e.Addr[i] = w.core.access.Addr[i] - win.base })
			l.CopyGroup(&e)
		}
		w.mbarriers(op, win, lanes)
	})
}
