// This file finds out that a launch will never end: deadlocks, where no thread can go on, and
// livelocks, where threads go round in loops that nothing will end.

package sim

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"math/bits"
	"slices"

	"github.com/warplint/warplint/dynamic/event"
	"github.com/warplint/warplint/dynamic/ptx"
)

// deadlock describes what everybody waits for.
func (c *core) deadlock() *Fault {
	f := c.stopped(Deadlock, "no thread can go on", nil)
	f.Waiters = c.waiters()
	if len(f.Waiters) > 0 {
		f.Thread, f.Location = f.Waiters[0].First, f.Waiters[0].Location
	}
	return f
}

// maxWaiters bounds how many groups a message names.
const maxWaiters = 64

func (c *core) waiters() []Waiter {
	var list []Waiter
	for _, b := range c.resident {
		for _, w := range b.warps {
			for i := range w.groups {
				if len(list) == maxWaiters {
					return list
				}
				if g := &w.groups[i]; g.mask&w.live != 0 {
					list = append(list, w.waiter(g))
				}
			}
		}
	}
	return list
}

func (w *warp) waiter(g *group) Waiter {
	l := w.block.launch
	pc := g.pc
	if g.wait != waitNothing {
		pc--
	}
	return Waiter{
		First:    l.event.Thread(w.block.index, w.index, laneOf(g.mask)),
		Count:    bits.OnesCount32(g.mask),
		What:     w.reason(g),
		Location: l.shown(pc),
	}
}

func (w *warp) reason(g *group) string {
	switch g.wait {
	case waitBarrier:
		bar := &w.block.bars[g.barrier]
		missing := w.block.live - bar.count
		if bar.expected > 0 {
			missing = bar.expected - bar.count
		}
		return fmt.Sprintf("waits at barrier %d for %d more threads", g.barrier, missing)
	case waitWarp:
		return fmt.Sprintf("waits at a warp barrier for lanes %#08x", g.members&w.live&^w.waitingWarp(g.members))
	case waitCollective:
		c := g.at.x.(*collective)
		return fmt.Sprintf("waits in %s for lanes %#08x", c.name, g.members&w.live&^w.waitingAt(c.name, g.members))
	case waitCluster:
		b := &w.block.cluster.barrier
		return fmt.Sprintf("waits at the cluster's barrier for %d more threads", b.live-b.count)
	case waitGrid:
		b := &w.block.launch.grid
		return fmt.Sprintf("waits at the grid's barrier for %d more threads", b.live-b.count)
	}
	if text := w.awaits(g.mask); text != "" {
		return text
	}
	return "runs in a loop"
}

func (w *warp) waitingWarp(members uint32) uint32 {
	var lanes uint32
	for i := range w.groups {
		if g := &w.groups[i]; g.wait == waitWarp && g.members == members {
			lanes |= g.mask
		}
	}
	return lanes
}

// watch looks for a livelock: while memory stays as it is and no thread reads a clock, a warp that comes back to a place with the
// same registers will come back for ever. Registers that steer nothing don't count.
//
// Where atomics change memory, or a clock is read, that is no proof, so it takes longer: all warps must have come back again and
// again, for patience/8 instructions, while nothing else has written. After patience, it is enough that they do so but for
// what they got from memory and clocks: a thread that counts on its own way is not stuck. After patience*8, nothing is asked.
type watch struct {
	quiet, recurring, alone recurrence
	writes, updates         uint64 // as of the core when it was looked at last
	done                    int
	begun                   uint64 // instructions when something but an atomic wrote, or a block ended
	next                    uint64 // instructions at which to look at restless loops again
}

// recurrence is whether all warps that run come back to a state that they had.
type recurrence struct {
	alone   bool             // but for what comes from others
	since   uint64           // instructions when it began
	marked  uint64           // instructions when the present marks were made
	marks   map[*warp]uint64 // hash of each warp's state, of those that have not come back
	pending int              // warps that were running then
}

// Livelock detection begins after watchAfter instructions in which no block ended, and gives a
// warp watchFor instructions to come back to a state.
const (
	watchAfter = 1 << 20
	watchFor   = 1 << 20
	// defaultPatience is for launches that name neither patience nor a limit.
	defaultPatience = 1 << 28
)

var hashSeed = maphash.MakeSeed()

// checkProgress is called between rounds.
func (c *core) checkProgress() {
	k := &c.watch
	wrote := c.changes != k.writes || c.done != k.done || k.next == 0
	if wrote || c.updates != k.updates {
		k.updates = c.updates
		k.quiet = recurrence{since: c.instructions + 1}
	} else if c.instructions-k.quiet.since >= watchAfter && k.quiet.back(c) {
		c.livelock(Livelock, "threads wait in loops for what no thread will do")
	}
	if wrote {
		k.writes, k.done = c.changes, c.done
		k.begun, k.next = c.instructions, c.instructions+c.patience()/16
		k.recurring, k.alone = recurrence{}, recurrence{alone: true}
		return
	}
	if c.instructions >= k.next && c.launch.config.MaxInstructions == 0 {
		c.checkRestless()
	}
}

// checkRestless looks at loops in which only atomics change memory.
func (c *core) checkRestless() {
	k := &c.watch
	ready := uint64(0)
	c.eachReady(func(*warp) { ready++ })
	k.next = c.instructions + 512*ready
	patience := c.patience()
	const so = "threads go round in loops in which nothing but atomics changes memory, and %s for %d million instructions; with a limit (--instructions) they may go on up to that"
	for _, r := range []struct {
		*recurrence
		after uint64
		kind  FaultKind
		what  string
	}{{&k.recurring, patience / 8, Livelock, "all come back to where they were"}, {&k.alone, patience, Endless, "none ends or gets on by itself"}} {
		if r.since == 0 {
			r.since = c.instructions
		}
		if r.back(c) {
			if n := c.instructions - r.since; n > r.after {
				c.livelock(r.kind, fmt.Sprintf(so, r.what, n>>20))
			}
		}
	}
	if n := c.instructions - k.begun; n > 8*patience {
		c.livelock(Endless, fmt.Sprintf(so, "none ends", n>>20))
	}
}

func (c *core) patience() uint64 { return cmp.Or(c.launch.config.Patience, defaultPatience) }

func (c *core) eachReady(f func(w *warp)) {
	for _, b := range c.resident {
		for _, w := range b.warps {
			for i := range w.groups {
				if w.groups[i].wait == waitNothing {
					f(w)
					break
				}
			}
		}
	}
}

// back reports whether all warps that run have come back to where they were, and begins anew if so. Where one takes too long, it
// begins anew, too, and nothing has recurred so far.
func (r *recurrence) back(c *core) bool {
	if r.marks == nil {
		r.marks, r.marked = map[*warp]uint64{}, c.instructions
		c.eachReady(func(w *warp) { r.marks[w] = w.hash(r.alone) })
		r.pending = len(r.marks)
		return false
	}
	if c.instructions-r.marked > watchFor*uint64(max(r.pending, 1)) {
		r.marks, r.since = nil, c.instructions
		return false
	}
	c.eachReady(func(w *warp) {
		if mark, ok := r.marks[w]; ok && mark == w.hash(r.alone) {
			delete(r.marks, w)
		}
	})
	if len(r.marks) > 0 {
		return false
	}
	r.marks = nil
	return true
}

// livelock ends the launch.
func (c *core) livelock(kind FaultKind, message string) {
	f := c.deadlock()
	f.Kind, f.Message = kind, message
	if c.touchesHost() {
		f.Message += "; if it is for the host or a kernel of another stream: they go on only when this one has ended, and a kernel that waits for them is not simulated"
	}
	panic(f)
}

// touchesHost reports whether some instruction was at memory that the host writes, too.
func (c *core) touchesHost() bool {
	return slices.ContainsFunc(c.cache, func(s *segment) bool { return s != nil && s.alloc.Kind == event.HostMemory })
}

// hash covers all that the way of a warp depends on, besides memory that others write and its turn in the schedule; alone leaves out
// what comes from others, and so where the lanes are.
func (w *warp) hash(alone bool) uint64 {
	sum := uint64(w.live)
	for i := range w.groups {
		if g := &w.groups[i]; !alone {
			sum += maphash.Comparable(hashSeed, [3]uint64{uint64(g.mask), uint64(g.pc), uint64(g.wait)})
		}
	}
	sum = w.hashFrame(&w.root, sum, alone)
	for i := range w.local {
		sum = sum*31 + maphash.Comparable(hashSeed, w.local[i])
	}
	return sum
}

func (w *warp) hashFrame(f *frame, sum uint64, alone bool) uint64 {
	s := f.fn.steers()
	list := s.all
	if alone {
		list = s.itself
	}
	for _, r := range list {
		switch i := int(r.index); r.class {
		case word:
			sum = sum*31 + maphash.Comparable(hashSeed, w.r32[f.base32+i])
		case long:
			sum = sum*31 + maphash.Comparable(hashSeed, w.r64[f.base64+i])
		case double:
			sum = sum*31 + maphash.Comparable(hashSeed, [2][32]uint64(w.r64[f.base64+i:]))
		case truth:
			sum = sum*31 + uint64(w.rp[f.baseP+i])
		}
	}
	for _, child := range f.children {
		sum = w.hashFrame(child, sum, alone)
	}
	return sum
}

// steering is the places of registers in a function's frames on which the way through it hangs.
type steering struct{ all, itself []slotOf }

func newSteering(f *ptx.Function, slots []slotOf) (s steering) {
	all, itself := f.Steering()
	for r, slot := range slots {
		if all[r] && !slices.Contains(s.all, slot) {
			s.all = append(s.all, slot)
		}
		if itself[r] && !slices.Contains(s.itself, slot) {
			s.itself = append(s.itself, slot)
		}
	}
	return s
}
