package interp

// This file defines asynchronous copies: cp.async and its groups, pipelines of one thread, and
// the copies that a block makes together.

import (
	"fmt"
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
)

const maxCopyBytes = 1 << 20

// copies are a thread's asynchronous copies that have not been waited for. They happen when
// the thread waits for them, or at its end.
type copies struct {
	open   []asyncCopy
	groups [][]asyncCopy // committed, the oldest first
}

type asyncCopy struct {
	dst, src uint64
	bytes    int // written
	read     int // the rest is filled with zeros
	op       *AsyncOp
}

// all takes every copy, committed or not.
func (c *copies) all() []asyncCopy {
	list := c.take(len(c.groups))
	list = append(list, c.open...)
	c.open = nil
	return list
}

// take takes the copies of the n oldest groups.
func (c *copies) take(n int) []asyncCopy {
	var list []asyncCopy
	for _, g := range c.groups[:n] {
		list = append(list, g...)
	}
	c.groups = c.groups[n:]
	return list
}

// named carries out a Named operation:
//
//	cp.async destination, source, bytes[, bytes to read or mbarrier]
//	group.copy destination, source, bytes, level, tile[, mbarrier, or a number if left open]
//	group.wait n, level                  the thread's part of group.copy; the group meets then
//	cp.async.commit, pipeline.commit     close a group
//	cp.async.wait [n]                    until at most n groups are pending; without n, all copies
//	pipeline.wait [n]                    likewise; without n, the oldest group
//	pipeline.acquire, pipeline.release   nothing, in a pipeline of one thread
//	heap.new bytes, heap.delete          what is given back stays as it was
//	mbarrier.…                           see mbarrierOp
//	bulk.copy destination, source, bytes[, mbarrier]
//	bulk.commit, bulk.wait n, bulk.wait.read n    groups of their own, which are read when they are written
//
// Arguments that are addresses of a pipeline's state are passed over.
func (r *run) named(t *thread, o *operation) bool {
	r.moved()
	s := o.stmt.(*ir.Named)
	var room [6]uint64
	args := room[:0]
	for _, slot := range o.operands {
		args = append(args, t.regs[slot])
	}
	switch s.Op {
	case "cp.async", "bulk.copy":
		return r.issue(t, s, args)
	case "bulk.commit":
		t.bulk.commit()
		return true
	case "bulk.wait", "bulk.wait.read":
		n := int(min(args[0], uint64(len(t.bulk.groups))))
		return r.complete(t, t.bulk.take(len(t.bulk.groups)-n))
	case "group.copy":
		if group := sharers(t, args); group != nil {
			return r.issueTogether(t, s, args, group)
		}
	case "cp.async.commit", "pipeline.commit":
		t.copies.commit()
		return true
	case "cp.async.wait", "pipeline.wait", "group.wait":
		return r.waitCopies(t, s, args)
	case "pipeline.acquire", "pipeline.release", "heap.delete":
		return true
	case "proxy.fence":
		if r.listener != nil {
			r.listener.ProxyFence(t.Thread)
		}
		return true
	case "heap.new":
		t.regs[s.Dst.ID] = r.fromHeap(int64(args[0]))
		return true
	case "mbarrier.init", "mbarrier.arrive", "mbarrier.arrive_drop", "mbarrier.expect", "mbarrier.wait", "mbarrier.test":
		return r.mbarrierOp(t, s, args)
	}
	switch {
	case (s.Op == "matrix.load" || s.Op == "matrix.store") && len(args) >= 5:
		return r.matrix(t, s, args)
	case s.Op == "matrix.mma" && len(args) == 3:
		r.setReg(t, s.Dst, mix(args[0]^mix(args[1]^mix(args[2]))))
		return true
	}
	r.unknownNamed(t, o)
	return true
}

func (r *run) unknownNamed(t *thread, o *operation) {
	s := o.stmt.(*ir.Named)
	r.opaque("operation " + s.Op)
	t.unknowns++
	r.setReg(t, s.Dst, mix(hashString(s.Op)^mix(uint64(t.ID)<<32|t.unknowns)))
}

func (c *copies) commit() {
	c.groups = append(c.groups, c.open)
	c.open = nil
}

// issue begins a copy of the thread.
func (r *run) issue(t *thread, s *ir.Named, args []uint64) bool {
	if !r.validCopy(t, s, args) {
		return false
	}
	c := asyncCopy{dst: args[0], src: args[1], bytes: int(args[2]), read: int(args[2]), op: r.begin(t, s)}
	if len(args) > 3 && s.Args[3].Type() != ir.Ptr {
		c.read = int(min(args[2], args[3]))
	}
	switch b := r.barrierOf(s, args); {
	case b != nil:
		b.copies = append(b.copies, attachedCopy{t, c})
		if s.Op == "bulk.copy" {
			b.bytes -= int64(c.bytes)
			return r.mbarrierGoesOn(b)
		}
	case s.Op == "bulk.copy":
		t.bulk.open = append(t.bulk.open, c)
	default:
		t.copies.open = append(t.copies.open, c)
	}
	return true
}

// sharers are the threads that share a copy with a thread, by rank; nil if that is not known.
func sharers(t *thread, args []uint64) []*thread {
	if len(args) < 5 {
		return nil
	}
	switch tile := int(args[4]); {
	case ir.Level(args[3]) == ir.BlockLevel:
		return t.block.threads
	case ir.Level(args[3]) == ir.WarpLevel && tile > 0:
		first := t.Index / tile * tile
		return t.block.threads[first:min(first+tile, len(t.block.threads))]
	}
	return nil
}

// issueTogether begins the thread's part of a copy that a group makes together: every
// so-many-th piece. Without a barrier or pipeline such a copy is a group of its own.
func (r *run) issueTogether(t *thread, s *ir.Named, args []uint64, group []*thread) bool {
	const piece = 16
	if !r.validCopy(t, s, args) {
		return false
	}
	b, op := r.barrierOf(s, args), r.begin(t, s)
	for at := uint64(t.Index-group[0].Index) * piece; at < args[2]; at += uint64(len(group)) * piece {
		n := int(min(piece, args[2]-at))
		c := asyncCopy{dst: args[0] + at, src: args[1] + at, bytes: n, read: n, op: op}
		if b != nil {
			b.copies = append(b.copies, attachedCopy{t, c})
		} else {
			t.copies.open = append(t.copies.open, c)
		}
	}
	if len(args) == 5 {
		t.copies.commit()
	}
	return true
}

func (r *run) validCopy(t *thread, s *ir.Named, args []uint64) bool {
	ok := len(args) >= 3 && s.Args[0].Type() == ir.Ptr && s.Args[1].Type() == ir.Ptr && args[2] <= maxCopyBytes
	if !ok {
		r.trap(t, TrapMisuse, fmt.Sprintf("%s wants two addresses and at most %d bytes", s.Op, maxCopyBytes))
	}
	return ok
}

// barrierOf returns the mbarrier that a copy's last argument names, or nil.
func (r *run) barrierOf(s *ir.Named, args []uint64) *mbarrier {
	last := len(args) - 1
	if last < 3 || s.Args[last].Type() != ir.Ptr {
		return nil
	}
	return r.mbarrier[args[last]]
}

func (r *run) begin(t *thread, s *ir.Named) *AsyncOp {
	op := &AsyncOp{Stmt: s}
	if r.listener != nil {
		r.listener.AsyncIssue(t.Thread, op)
	}
	return op
}

func (r *run) waitCopies(t *thread, s *ir.Named, args []uint64) bool {
	for i, a := range s.Args {
		if a.Type().IsInt() {
			n := int(min(args[i], uint64(len(t.copies.groups))))
			return r.complete(t, t.copies.take(len(t.copies.groups)-n))
		}
	}
	if s.Op == "pipeline.wait" {
		return r.complete(t, t.copies.take(min(1, len(t.copies.groups))))
	}
	return r.complete(t, t.copies.all())
}

// complete carries out copies and tells the listener that the thread has waited for them. It
// returns false if a copy trapped.
func (r *run) complete(t *thread, list []asyncCopy) bool {
	var ops []*AsyncOp
	for _, c := range list {
		if !r.copy(t, c) {
			return false
		}
		ops = append(ops, c.op)
	}
	if r.listener != nil && len(ops) > 0 {
		r.listener.AsyncWait(t.Thread, ops)
	}
	return true
}

func (r *run) copy(t *thread, c asyncCopy) bool {
	site := c.op.Stmt.Site
	r.data = slices.Grow(r.data[:0], c.bytes)[:c.bytes]
	data := r.data
	clear(data[c.read:])
	if c.read > 0 {
		src, offset, ok := r.locate(t, c.src, c.read, site, race.Read)
		if !ok {
			return false
		}
		r.memory.read(src, offset, data[:c.read])
		r.reportCopy(t, c, src, offset, data[:c.read], race.Read)
	}
	if c.bytes > 0 {
		dst, offset, ok := r.locate(t, c.dst, c.bytes, site, race.Write)
		if !ok {
			return false
		}
		r.memory.write(dst, offset, data)
		r.reportCopy(t, c, dst, offset, data, race.Write)
	}
	return !r.memory.full || r.memoryLimit()
}

func (r *run) reportCopy(t *thread, c asyncCopy, o *object, offset int64, data []byte, kind race.Access) {
	var v uint64
	for i, b := range data[:min(len(data), 8)] {
		v |= uint64(b) << (8 * i)
	}
	r.other = Instruction{Stmt: c.op.Stmt, Site: c.op.Stmt.Site, Kind: kind, Size: len(data)}
	r.reportOf(c.op, t, &r.other, o, offset, v, v, kind == race.Write)
}
