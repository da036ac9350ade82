package interp

// This file defines warp barriers and the operations that lanes of a warp do together.

import (
	"fmt"
	"math/bits"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
)

// activePatience is the number of steps that lanes wait at activemask for others that run.
const activePatience = 1 << 14

const warpBarrierName = "warp barrier"

// warpBarrier carries out __syncwarp.
func (r *run) warpBarrier(t *thread, s *ir.Barrier, mask uint32) bool {
	return r.meet(t, wait{what: warpBarrierName, site: s.Site, mask: mask})
}

// warpOp carries out a WarpOp.
func (r *run) warpOp(t *thread, o *operation) bool {
	s := o.stmt.(*ir.WarpOp)
	w := wait{what: s.Op, site: s.Site, stmt: s, dst: s.Dst}
	if s.Op == "activemask" {
		t.warp.active++
		t.warp.patience = 0
		r.sleep(t, w)
		return false
	}
	w.mask = uint32(t.regs[o.operands[0]])
	for i, slot := range o.operands[1:] {
		w.args[i] = t.regs[slot]
	}
	return r.meet(t, w)
}

// meet makes a lane wait until all lanes of its mask have come to the same operation.
func (r *run) meet(t *thread, w wait) bool {
	if w.mask>>t.Lane&1 == 0 {
		r.trap(t, TrapMisuse, fmt.Sprintf("%s with mask 0x%x, which leaves out its own lane %d", w.what, w.mask, t.Lane))
		return false
	}
	r.sleep(t, w)
	r.tryMeet(t.warp, w.what, w.mask)
	return false
}

// tryMeet carries out an operation once every lane of the mask that lives waits for it.
func (r *run) tryMeet(w *warp, what string, mask uint32) {
	n := 0
	for lane, t := range w.lanes {
		if mask>>lane&1 == 0 || t == nil || t.state == exited {
			continue
		}
		if t.state != waiting || t.wait.mask != mask || t.wait.what != what {
			return
		}
		n++
	}
	if n == 0 {
		return
	}
	group := make([]*thread, 0, n)
	for lane, t := range w.lanes {
		if mask>>lane&1 != 0 && t != nil && t.state != exited {
			group = append(group, t)
		}
	}
	if what == warpBarrierName {
		r.passWarpBarrier(group)
	} else {
		r.exchange(w, group)
	}
	r.wake(group)
}

func (r *run) passWarpBarrier(group []*thread) {
	if r.listener == nil {
		return
	}
	p := &Phase{}
	for _, t := range group {
		r.listener.Arrive(t.Thread, p, t.wait.site)
	}
	r.released(p, group)
}

// warpExit lets the lanes go on that waited for a lane that has ended.
func (r *run) warpExit(gone *thread) {
	for _, t := range gone.warp.lanes {
		if t != nil && t.state == waiting && t.wait.mask>>gone.Lane&1 != 0 {
			r.tryMeet(t.warp, t.wait.what, t.wait.mask)
		}
	}
	r.warpStalled(gone.warp)
}

// warpStalled lets lanes at activemask go on once no other lane of the warp runs.
func (r *run) warpStalled(w *warp) {
	if w.active > 0 && w.runnable == 0 {
		r.passActive(w)
	}
}

// impatient lets lanes at activemask go on if others have run for long.
func (r *run) impatient(w *warp, steps int) {
	if w.active == 0 {
		return
	}
	if w.patience += steps; w.patience > activePatience {
		r.passActive(w)
	}
}

// passActive takes the lanes that wait at one site for converged: each gets their mask.
func (r *run) passActive(w *warp) {
	masks := map[int]uint32{}
	var group []*thread
	for lane, t := range w.lanes {
		if t != nil && t.state == waiting && t.wait.what == "activemask" {
			masks[t.wait.site] |= 1 << lane
			group = append(group, t)
		}
	}
	for _, t := range group {
		r.setReg(t, t.wait.dst, uint64(masks[t.wait.site]))
	}
	w.active = 0
	r.wake(group)
}

// exchange gives each lane of the group its result.
func (r *run) exchange(w *warp, group []*thread) {
	s := group[0].wait.stmt
	if len(s.Args) == 3 {
		r.shuffle(w, group)
		return
	}
	if op, ok := reductions[s.Op]; ok {
		reduce(op, group)
		return
	}
	var members, yes uint32
	for _, t := range group {
		members |= 1 << t.Lane
		if t.wait.args[0] != 0 {
			yes |= 1 << t.Lane
		}
	}
	for _, t := range group {
		var v uint64
		switch s.Op {
		case "all":
			v = truth(yes == members)
		case "any":
			v = truth(yes != 0)
		case "ballot":
			v = uint64(yes)
		case "match_any", "match_all":
			equal := equalLanes(group, t.wait.args[0])
			if s.Op == "match_any" || equal == members {
				v = uint64(equal)
			}
		}
		r.setReg(t, t.wait.dst, v)
	}
}

var reductions = map[string]ir.AtomicOp{
	"reduce_add": ir.AtomicAdd, "reduce_min": ir.AtomicMin, "reduce_max": ir.AtomicMax,
	"reduce_and": ir.AtomicAnd, "reduce_or": ir.AtomicOr, "reduce_xor": ir.AtomicXor,
}

// reduce gives each lane the values of all lanes combined, from the lowest lane on.
func reduce(op ir.AtomicOp, group []*thread) {
	t := group[0].wait.stmt.Args[0].Type()
	v := group[0].wait.args[0]
	for _, lane := range group[1:] {
		v = modify(op, t, v, lane.wait.args[0])
	}
	for _, lane := range group {
		if lane.wait.dst != nil {
			lane.regs[lane.wait.dst.ID] = v
		}
	}
}

func equalLanes(group []*thread, v uint64) uint32 {
	var mask uint32
	for _, t := range group {
		if t.wait.args[0] == v {
			mask |= 1 << t.Lane
		}
	}
	return mask
}

// shuffle follows shfl.sync of the PTX ISA: a source outside of the lane's segment gives the
// lane's own value.
func (r *run) shuffle(w *warp, group []*thread) {
	for _, t := range group {
		op, by, width := t.wait.stmt.Op, int(t.wait.args[1]&31), uint64(uint32(t.wait.args[2]))
		if width < 1 || width > race.WarpSize || bits.OnesCount64(width) != 1 {
			r.opaque(op + " with a width that is no power of two up to 32")
			width = race.WarpSize
		}
		first := t.Lane &^ int(width-1)
		last := first + int(width) - 1
		source := t.Lane
		switch op {
		case "shfl":
			source = first + by&int(width-1)
		case "shfl_up":
			source -= by
		case "shfl_down":
			source += by
		case "shfl_xor":
			source ^= by
		}
		if source > last || op == "shfl_up" && source < first {
			source = t.Lane
		}
		from := w.lanes[source]
		if from == nil || from.state == exited || t.wait.mask>>source&1 == 0 {
			r.opaque(op + " reads a lane that does not take part")
			from = t
		}
		if t.wait.dst != nil {
			t.regs[t.wait.dst.ID] = from.wait.args[0]
		}
	}
}
