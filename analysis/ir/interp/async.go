package interp

// This file defines asynchronous copies: cp.async and its groups, and pipelines of one thread.

import (
	"fmt"

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
//	cp.async destination, source, bytes[, bytes to read]
//	cp.async.commit, pipeline.commit     close a group
//	cp.async.wait [n]                    until at most n groups are pending; without n, all copies
//	pipeline.wait [n]                    likewise; without n, the oldest group
//	pipeline.acquire, pipeline.release   nothing, in a pipeline of one thread
//	mbarrier.…                           see mbarrierOp
//
// Arguments that are addresses of a pipeline's state are passed over.
func (r *run) named(t *thread, o *operation) bool {
	s := o.stmt.(*ir.Named)
	args := make([]uint64, len(o.operands))
	for i, slot := range o.operands {
		args[i] = t.regs[slot]
	}
	switch s.Op {
	case "cp.async":
		return r.issue(t, s, args)
	case "cp.async.commit", "pipeline.commit":
		t.copies.groups = append(t.copies.groups, t.copies.open)
		t.copies.open = nil
		return true
	case "cp.async.wait", "pipeline.wait":
		return r.waitCopies(t, s, args)
	case "pipeline.acquire", "pipeline.release":
		return true
	case "mbarrier.init", "mbarrier.arrive", "mbarrier.arrive_drop", "mbarrier.wait":
		return r.mbarrierOp(t, s, args)
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

func (r *run) issue(t *thread, s *ir.Named, args []uint64) bool {
	if len(args) < 3 || s.Args[0].Type() != ir.Ptr || s.Args[1].Type() != ir.Ptr || args[2] > maxCopyBytes {
		r.trap(t, TrapMisuse, fmt.Sprintf("%s wants two addresses and at most %d bytes", s.Op, maxCopyBytes))
		return false
	}
	c := asyncCopy{dst: args[0], src: args[1], bytes: int(args[2]), read: int(args[2]), op: &AsyncOp{Stmt: s}}
	if len(args) > 3 {
		c.read = int(min(args[2], args[3]))
	}
	t.copies.open = append(t.copies.open, c)
	if r.listener != nil {
		r.listener.AsyncIssue(t.Thread, c.op)
	}
	return true
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
	data := make([]byte, c.bytes)
	if c.read > 0 {
		src, offset, ok := r.locate(t, c.src, c.read, site, race.Read)
		if !ok {
			return false
		}
		for i := range c.read {
			data[i] = byte(r.memory.load(src, offset+int64(i), 1))
		}
		r.reportCopy(t, c, src, offset, data[:c.read], race.Read)
	}
	if c.bytes > 0 {
		dst, offset, ok := r.locate(t, c.dst, c.bytes, site, race.Write)
		if !ok {
			return false
		}
		for i, b := range data {
			r.memory.store(dst, offset+int64(i), 1, uint64(b))
		}
		r.reportCopy(t, c, dst, offset, data, race.Write)
	}
	return !r.memory.full || r.memoryLimit()
}

func (r *run) reportCopy(t *thread, c asyncCopy, o *object, offset int64, data []byte, kind race.Access) {
	var v uint64
	for i, b := range data[:min(len(data), 8)] {
		v |= uint64(b) << (8 * i)
	}
	a := Access{Stmt: c.op.Stmt, Site: c.op.Stmt.Site, Kind: kind, Size: len(data), Async: c.op}
	r.report(t, &a, o, offset, v, v, kind == race.Write)
}
