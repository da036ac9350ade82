package interp

// This file defines the barriers of blocks, clusters and the grid, and mbarriers.

import (
	"fmt"
	"maps"
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
)

const maxBarrierID = 16

// barrier is one of the hardware's barriers in its present phase.
type barrier struct {
	phase   *Phase
	count   int64 // threads that are wanted; 0 means all that live
	arrived int
	lanes   map[*warp]uint32 // that have arrived, if it has a count
	gone    int              // threads that arrived and have ended
	waiting []*thread
	votes   int // true predicates of the reduction
	voters  int

	firstSite   int
	firstThread *thread
}

// barrierNames are what a thread waits for, by level.
var barrierNames = [...]string{ir.WarpLevel: warpBarrierName, ir.BlockLevel: "block barrier", ir.ClusterLevel: "cluster barrier", ir.GridLevel: "grid barrier"}

// barrier carries out a Barrier. It returns false if the thread waits or has trapped.
func (r *run) barrier(t *thread, o *operation) bool {
	s := o.stmt.(*ir.Barrier)
	var b *barrier
	live := 0
	switch s.Level {
	case ir.WarpLevel:
		return r.warpBarrier(t, s, uint32(t.regs[o.operands[0]]))
	case ir.BlockLevel:
		id := int64(0)
		if s.ID != nil {
			id = int64(t.regs[o.operands[1]])
		}
		if id < 0 || id >= maxBarrierID {
			r.trap(t, TrapMisuse, fmt.Sprintf("barrier number %d: there are %d", id, maxBarrierID))
			return false
		}
		if t.block.barriers[id] == nil {
			t.block.barriers[id] = &barrier{}
		}
		b, live = t.block.barriers[id], t.block.live
	case ir.ClusterLevel:
		b, live = &t.block.cluster.barrier, t.block.cluster.live
	default:
		b, live = &r.grid, r.live
	}
	if s.Mode == ir.BarrierWait {
		return r.waitPhase(t, b, s)
	}
	if s.Count != nil && !r.setCount(t, b, int64(t.regs[o.operands[2]])) {
		return false
	}
	r.arrive(t, b, s)
	if s.Pred != nil {
		b.voters++
		if t.regs[o.operands[3]] != 0 {
			b.votes++
		}
	}
	if s.Mode == ir.BarrierSync {
		b.waiting = append(b.waiting, t)
		r.sleep(t, wait{what: barrierNames[s.Level], site: s.Site, dst: s.Dst})
	}
	r.tryComplete(b, live)
	return s.Mode != ir.BarrierSync
}

func (r *run) setCount(t *thread, b *barrier, count int64) bool {
	if count < 1 || count > maxBlockThreads || count%race.WarpSize != 0 {
		r.trap(t, TrapMisuse, fmt.Sprintf("barrier for %d threads: that is not 1 to 32 whole warps", count))
		return false
	}
	if b.arrived > 0 && b.count != 0 && b.count != count {
		r.trap(t, TrapMisuse, fmt.Sprintf("barrier for %d threads, but another thread said %d", count, b.count))
		return false
	}
	b.count = count
	if b.lanes == nil {
		b.lanes = map[*warp]uint32{}
	}
	b.lanes[t.warp] |= 1 << t.Lane
	return true
}

// full reports whether all who have to come have come. With a count, a warp is as good as whole once all of its lanes have
// come that live, and not there before (so on an H100; PTX ISA, "bar", leaves parts of warps open).
func (b *barrier) full(live int) bool {
	if b.count == 0 {
		return b.arrived >= live+b.gone
	}
	warps := int(b.count / race.WarpSize)
	if len(b.lanes) < warps {
		return false // mostly, as threads come one by one
	}
	for w, lanes := range b.lanes {
		if w.live()&^lanes == 0 {
			warps--
		}
	}
	return warps <= 0
}

// live are the lanes that have not ended.
func (w *warp) live() (lanes uint32) {
	for i, t := range w.lanes {
		if t != nil && t.state != exited {
			lanes |= 1 << i
		}
	}
	return lanes
}

func (r *run) arrive(t *thread, b *barrier, s *ir.Barrier) {
	if b.phase == nil {
		b.phase = &Phase{}
		b.firstSite, b.firstThread = s.Site, t
	}
	b.arrived++
	if s.Level == ir.BlockLevel && s.Mode == ir.BarrierSync && s.Site != b.firstSite {
		r.divergence(b.firstThread, t, b.firstSite, s.Site)
	}
	if s.Mode == ir.BarrierArrive {
		if t.tokens == nil {
			t.tokens = map[*barrier]*Phase{}
		}
		t.tokens[b] = b.phase
	}
	if r.listener != nil {
		r.listener.Arrive(t.Thread, b.phase, s.Site)
	}
}

func (r *run) divergence(first, second *thread, a, b int) {
	key := [2]int{min(a, b), max(a, b)}
	if !r.diverge[key] {
		r.diverge[key] = true
		r.outcome.Divergent = append(r.outcome.Divergent,
			Divergence{First: a, Second: b, FirstThread: first.Thread, SecondThread: second.Thread})
	}
}

// waitPhase waits for the phase that the thread arrived at.
func (r *run) waitPhase(t *thread, b *barrier, s *ir.Barrier) bool {
	phase := t.tokens[b]
	switch {
	case phase == nil:
		r.trap(t, TrapMisuse, "wait at a barrier without arrival")
		return false
	case phase == b.phase:
		b.waiting = append(b.waiting, t)
		r.sleep(t, wait{what: barrierNames[s.Level], site: s.Site})
		return false
	}
	r.released(phase, []*thread{t})
	return true
}

// tryComplete ends the phase if enough threads have arrived.
func (r *run) tryComplete(b *barrier, live int) {
	if b.arrived == 0 || !b.full(live) {
		return
	}
	done := *b
	*b = barrier{}
	for _, t := range done.waiting {
		r.reduced(t, &done)
	}
	r.released(done.phase, done.waiting)
	r.wake(done.waiting)
}

// reduced gives a thread the result of a barrier's reduction.
func (r *run) reduced(t *thread, b *barrier) {
	if t.wait.dst == nil {
		return
	}
	v := uint64(b.votes)
	if s, ok := r.p.at[t.pc-1].(*ir.Barrier); ok && s.Reduce == "and" {
		v = truth(b.votes == b.voters)
	} else if ok && s.Reduce == "or" {
		v = truth(b.votes > 0)
	}
	r.setReg(t, t.wait.dst, v)
}

// released tells the listener that threads go on.
func (r *run) released(p *Phase, threads []*thread) {
	if r.listener == nil || len(threads) == 0 {
		return
	}
	list := make([]*Thread, len(threads))
	for i, t := range threads {
		list[i] = t.Thread
	}
	r.listener.Release(p, list)
}

// mbarrier is a barrier object in memory.
type mbarrier struct {
	expected, pending int64
	bytes             int64  // that copies have still to bring before the phase ends
	number            uint64 // of the present phase
	phase, last       *Phase // the present phase and the one before
	waiting           []mbarrierWait
	copies            []attachedCopy // that end with the present phase
	copied            []*AsyncOp     // that ended with the one before
}

// attachedCopy is a copy whose end an mbarrier waits for.
type attachedCopy struct {
	t *thread
	asyncCopy
}

type mbarrierWait struct {
	t      *thread
	number uint64
}

// mbarrierOp carries out mbarrier.init(address, count), mbarrier.expect(address, bytes), mbarrier.arrive(address[, count]),
// which gives a token, mbarrier.arrive_drop likewise, and mbarrier.wait(address[, token or
// parity]): 64 bits are a token, fewer a parity, and without either the wait is for the phase
// that was not over at the last arrival of the thread.
func (r *run) mbarrierOp(t *thread, s *ir.Named, args []uint64) bool {
	if len(args) == 0 || s.Args[0].Type() != ir.Ptr {
		r.trap(t, TrapMisuse, s.Op+" without an address")
		return false
	}
	b := r.mbarrier[args[0]]
	if b == nil && s.Op != "mbarrier.init" {
		r.awaitInit(t, s, args[0])
		return false
	}
	if !r.touchMbarrier(t, s, args[0]) {
		return false
	}
	if s.Op == "mbarrier.init" {
		if len(args) < 2 || int64(args[1]) < 1 || args[1] >= 1<<20 {
			r.trap(t, TrapMisuse, "mbarrier.init with a bad count")
			return false
		}
		n := int64(args[1])
		r.mbarrier[args[0]] = &mbarrier{expected: n, pending: n, phase: &Phase{}}
		early := r.early[args[0]]
		delete(r.early, args[0])
		r.wake(early)
		return true
	}
	switch s.Op {
	case "mbarrier.wait", "mbarrier.test":
		return r.mbarrierWait(t, s, b, args)
	case "mbarrier.expect":
		if len(args) < 2 || args[1] >= 1<<20 {
			r.trap(t, TrapMisuse, "mbarrier.expect with a bad count")
			return false
		}
		b.bytes += int64(args[1])
		return true
	}
	n := int64(1)
	if len(args) > 1 {
		n = int64(args[1])
	}
	if n < 1 || n > b.pending {
		r.trap(t, TrapMisuse, "more arrivals at an mbarrier than it expects")
		return false
	}
	r.setReg(t, s.Dst, b.number)
	if t.arrivals == nil {
		t.arrivals = map[*mbarrier]uint64{}
	}
	t.arrivals[b] = b.number
	if r.listener != nil {
		r.listener.Arrive(t.Thread, b.phase, s.Site)
	}
	b.pending -= n
	if s.Op == "mbarrier.arrive_drop" {
		b.expected = max(b.expected-n, 1)
	}
	return r.mbarrierGoesOn(b)
}

// awaitInit lets a thread be late that comes to a barrier which no other has initialized so far: in another order it would
// find one, and what it does then says more than that it may find none.
func (r *run) awaitInit(t *thread, s *ir.Named, at uint64) {
	if r.early == nil {
		r.early = map[uint64][]*thread{}
	}
	r.early[at] = append(r.early[at], t)
	t.pc-- // the operation is still to come
	r.sleep(t, wait{what: notInitialized, site: s.Site})
}

// notInitialized is what a thread waits for that has come to a barrier before it was initialized.
const notInitialized = "initialization of an mbarrier"

// tooEarly traps the first of the threads that wait for a barrier to be initialized, if there are any.
func (r *run) tooEarly() {
	var first *thread
	for _, threads := range r.early {
		for _, t := range threads {
			if first == nil || t.ID < first.ID {
				first = t
			}
		}
	}
	if first != nil {
		first.pc++
		r.trap(first, TrapMisuse, r.p.at[first.pc-1].(*ir.Named).Op+" of a barrier that was not initialized")
	}
}

// mbarrierGoesOn ends the phase if all have arrived and all bytes are there.
func (r *run) mbarrierGoesOn(b *mbarrier) bool {
	return b.pending > 0 || b.bytes != 0 || r.mbarrierDone(b)
}

// touchMbarrier reports the access that an operation makes to the barrier itself: a plain write
// to initialize it, else an atomic operation, which races with nothing but that.
func (r *run) touchMbarrier(t *thread, s *ir.Named, at uint64) bool {
	const size = 8
	a := &r.other
	*a = Instruction{Stmt: s, Site: s.Site, Kind: race.Atomic, Size: size, Strength: ir.Strength{Order: ir.Relaxed, Scope: race.ScopeBlock}}
	if s.Op == "mbarrier.init" {
		a.Kind, a.Strength = race.Write, ir.Strength{}
	}
	o, offset, ok := r.locate(t, at, size, s.Site, a.Kind)
	if ok {
		r.report(t, a, o, offset, 0, 0, a.Kind == race.Write)
	}
	return ok
}

// mbarrierDone ends a phase. It returns false if a copy that ends with it trapped.
func (r *run) mbarrierDone(b *mbarrier) bool {
	b.copied = nil
	for _, c := range b.copies {
		if !r.copy(c.t, c.asyncCopy) {
			return false
		}
		b.copied = append(b.copied, c.op)
	}
	b.copies = nil
	b.last, b.phase = b.phase, &Phase{}
	b.number++
	b.pending = b.expected
	var threads []*thread
	for _, w := range b.waiting {
		threads = append(threads, w.t)
	}
	b.waiting = nil
	r.passed(b, threads)
	r.wake(threads)
	return true
}

// completeAttached carries out the copies of a thread that ends before the phases that wait for
// them do. Nobody has waited for these, but where the thread has arrived in the phase: it ends with the copies all the
// same.
func (r *run) completeAttached(t *thread) bool {
	if len(r.mbarrier) == 0 {
		return true
	}
	for _, at := range slices.Sorted(maps.Keys(r.mbarrier)) {
		b := r.mbarrier[at]
		left := b.copies[:0]
		for _, c := range b.copies {
			if number, ok := t.arrivals[b]; c.t != t || ok && number == b.number {
				left = append(left, c)
			} else if !r.copy(t, c.asyncCopy) {
				return false
			}
		}
		b.copies = left
	}
	return true
}

// passed tells the listener that threads have waited for the phase that ended last.
func (r *run) passed(b *mbarrier, threads []*thread) {
	if b.last == nil || r.listener == nil {
		return
	}
	r.released(b.last, threads)
	for _, t := range threads {
		if len(b.copied) > 0 {
			r.listener.AsyncWait(t.Thread, b.copied)
		}
	}
}

func (r *run) mbarrierWait(t *thread, s *ir.Named, b *mbarrier, args []uint64) bool {
	number := t.arrivals[b]
	if len(args) > 1 {
		number = args[1]
		if s.Args[1].Type().Size() < 8 { // a parity: of the present phase, or of the one before
			number = b.number
			if b.number&1 != args[1]&1 {
				number--
			}
		}
	}
	over := number != b.number
	if over {
		r.passed(b, []*thread{t})
	}
	if s.Op == "mbarrier.test" {
		r.setReg(t, s.Dst, truth(over))
		r.unchanged = r.unchanged || !over
		return true
	}
	if over {
		return true
	}
	b.waiting = append(b.waiting, mbarrierWait{t, number})
	r.sleep(t, wait{what: "mbarrier", site: s.Site})
	return false
}
