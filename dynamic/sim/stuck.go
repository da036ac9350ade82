// This file finds out that a launch will never end: deadlocks, where no thread can go on, and
// livelocks, where threads go round in loops that nothing will end.

package sim

import (
	"fmt"
	"hash/maphash"
	"math/bits"
	"slices"

	"github.com/warplint/warplint/dynamic/event"
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
		Location: l.program.Location(uint32(pc)),
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

// watch looks for a livelock: while memory stays as it is and no thread reads a clock, a warp
// whose registers and places repeat will repeat for ever.
type watch struct {
	rounds  int    // since a block ended
	since   uint64 // instructions when memory changed last
	changes uint64
	marks   map[*warp]uint64 // hash of each warp's state when the watch began
	pending int              // warps that were running then
}

// Livelock detection begins after watchAfter instructions in which no block ended, and gives a
// warp watchFor instructions to come back to a state.
const (
	watchAfter = 1 << 20
	watchFor   = 1 << 20
)

var hashSeed = maphash.MakeSeed()

// checkProgress is called between rounds.
func (c *core) checkProgress() {
	k := &c.watch
	if c.changes != k.changes || k.since == 0 {
		k.changes = c.changes
		k.since, k.marks = c.instructions+1, nil
		return
	}
	switch {
	case c.instructions-k.since < watchAfter:
	case k.marks == nil:
		k.marks = map[*warp]uint64{}
		c.eachReady(func(w *warp) { k.marks[w] = w.hash() })
		k.pending = len(k.marks)
		k.since = c.instructions + 1 - watchAfter
	case c.instructions-k.since > watchAfter+watchFor*uint64(max(k.pending, 1)):
		k.marks, k.since = nil, c.instructions+1
	default:
		c.compareMarks()
	}
}

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

// compareMarks ends the launch when all warps that run have come back to where they were.
func (c *core) compareMarks() {
	k := &c.watch
	c.eachReady(func(w *warp) {
		if mark, ok := k.marks[w]; ok && mark == w.hash() {
			delete(k.marks, w)
		}
	})
	if len(k.marks) > 0 {
		return
	}
	f := c.deadlock()
	f.Kind, f.Message = Livelock, "threads wait in loops for what no thread will do"
	if c.touchesHost() {
		f.Message += "; if it is for the host: that goes on only when the kernel has ended, so a kernel that waits for it is not simulated"
	}
	panic(f)
}

// touchesHost reports whether some instruction was at memory that the host writes, too.
func (c *core) touchesHost() bool {
	return slices.ContainsFunc(c.cache, func(s *segment) bool { return s != nil && s.alloc.Kind == event.HostMemory })
}

// hash covers all that a warp's future depends on, besides memory and its turn in the schedule.
func (w *warp) hash() uint64 {
	var sum uint64
	for i := range w.groups {
		g := &w.groups[i]
		sum += maphash.Comparable(hashSeed, [3]uint64{uint64(g.mask), uint64(g.pc), uint64(g.wait)})
	}
	for i := range w.r32 {
		sum = sum*31 + maphash.Comparable(hashSeed, w.r32[i])
	}
	for i := range w.r64 {
		sum = sum*31 + maphash.Comparable(hashSeed, w.r64[i])
	}
	for _, p := range w.rp {
		sum = sum*31 + uint64(p)
	}
	for i := range w.local {
		sum = sum*31 + maphash.Comparable(hashSeed, w.local[i])
	}
	return sum
}
