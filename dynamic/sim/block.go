// This file defines blocks: their warps, their shared memory and their named barriers.

package sim

import (
	"math/bits"

	"github.com/warplint/warplint/dynamic/event"
)

// block is one block that is on the device.
type block struct {
	launch  *launch
	core    *core
	index   int
	ctaid   [3]uint32
	rank    int // in its cluster
	cluster *cluster
	warps   []*warp
	live    int // threads
	shared  []byte
	bars    [16]barrier
	phases  map[uint32]uint64        // of mbarrier objects, by offset; kept for listeners only
	boxes   map[uint32]*awaitedBoxes // that mbarrier objects await, by maps that are made up
}

// barrier is one of a block's named barriers while threads are at it.
type barrier struct {
	expected int      // threads, 0 for all
	arrived  []uint32 // lanes of each warp
	count    int      // of all warps
	waits    []uint32 // those of arrived that wait
	votes    int      // threads whose predicate is true, for bar.red
}

// exited notes that threads are gone.
func (b *block) exited(w *warp, m uint32) {
	b.live -= bits.OnesCount32(m)
	if b.cluster != nil {
		b.cluster.barrier.exited(w, m)
	}
	if b.launch.config.Cooperative {
		b.launch.grid.exited(w, m)
	}
}

// run gives each warp a turn and reports whether one did anything.
func (b *block) run(budget int) bool {
	ran := false
	start := int(b.core.random.next() % uint64(len(b.warps)))
	for i := range b.warps {
		w := b.warps[(start+i)%len(b.warps)]
		if w.live != 0 && w.run(budget) {
			ran = true
		}
	}
	return ran
}

// barrierSite is what a bar instruction does besides waiting.
type barrierSite struct {
	arriveOnly bool
	reduce     barrierReduction
	hasCount   bool
	aligned    bool // all threads of a warp have to be here
	not        bool // the predicate is negated
}

type barrierReduction uint8

const (
	noReduction barrierReduction = iota
	reducePopc
	reduceAnd
	reduceOr
)

// runBarrier executes bar.sync, bar.arrive and bar.red: a is the barrier's number, b the count of
// threads, c the predicate to reduce (PTX ISA, "bar, barrier").
func runBarrier(w *warp, in *instr, m uint32) {
	site := in.x.(*barrierSite)
	numbers := w.source32(in.a)
	first := bits.TrailingZeros32(m) & 31
	number := numbers[first]
	if number >= 16 {
		w.fault(Invalid, first, "barrier %d; there are 16", number)
	}
	if in.a&constRef == 0 {
		same := sameLanes32(numbers, m, number)
		w.only(m, same)
		m = same
	}
	bar := &w.block.bars[number]
	bar.arrive(w, m)
	if site.hasCount {
		bar.expected = int(w.source32(in.b)[first])
		if bar.expected%32 != 0 {
			w.fault(Invalid, first, "barrier %d for %d threads, which is no multiple of 32", number, bar.expected)
		}
	}
	if site.reduce != noReduction {
		p := w.xp[in.c]
		if site.not {
			p = ^p
		}
		bar.votes += bits.OnesCount32(p & m)
	}
	w.tellBarrier(event.Barrier{Step: w.step(m), Kind: event.BlockBarrier, ID: int(number)})
	if !site.arriveOnly {
		bar.waits[w.index] |= m
		w.waitFor(m, waitBarrier).barrier = int(number)
	}
	w.block.complete(int(number), w)
}

func (bar *barrier) arrive(w *warp, m uint32) {
	if len(bar.arrived) != len(w.block.warps) {
		bar.arrived = make([]uint32, len(w.block.warps))
		bar.waits = make([]uint32, len(w.block.warps))
	}
	bar.count += bits.OnesCount32(m &^ bar.arrived[w.index])
	bar.arrived[w.index] |= m
}

// full reports whether all who have to come have come. With a count, a warp counts as 32 threads, however many of them
// exist, once all that live have come, and not before (so on an H100; PTX ISA, "bar", leaves parts of warps open).
func (b *block) full(bar *barrier) bool {
	if bar.expected == 0 {
		return bar.count >= b.live
	}
	n := 0
	for i, arrived := range bar.arrived {
		if arrived != 0 && b.warps[i].live&^arrived == 0 {
			n += 32
		}
	}
	return n >= bar.expected
}

// complete lets the threads at a barrier go on if it is full. The warp is the one whose step
// made the difference.
func (b *block) complete(number int, last *warp) {
	bar := &b.bars[number]
	if bar.count == 0 || !b.full(bar) {
		return
	}
	last.tellBarrier(event.Barrier{
		Step: last.step(last.lastMask()), Kind: event.BlockBarrier, Phase: event.Completed,
		ID: number, Participants: b.participants(bar),
	})
	for i, w := range b.warps {
		if bar.waits[i] == 0 {
			continue
		}
		var other *group
		for j := range w.groups {
			g := &w.groups[j]
			if g.wait == waitBarrier && g.barrier == number {
				if other != nil && other.pc != g.pc {
					w.meetApart(other, g)
				}
				other = g
				g.wait = waitNothing
				w.reduced(g, bar)
			}
		}
	}
	bar.reset()
}

func (bar *barrier) reset() {
	clear(bar.arrived)
	clear(bar.waits)
	bar.count, bar.expected, bar.votes = 0, 0, 0
}

// reduced writes the result of bar.red for a group that was at the barrier.
func (w *warp) reduced(g *group, bar *barrier) {
	site, ok := g.at.x.(*barrierSite)
	if !ok || site.reduce == noReduction {
		return
	}
	mask := g.mask
	switch site.reduce {
	case reducePopc:
		d := &w.r32[g.frame.base32+int(g.at.d)]
		for rest := mask; rest != 0; rest &= rest - 1 {
			d[bits.TrailingZeros32(rest)&31] = uint32(bar.votes)
		}
	case reduceAnd:
		setMask(&w.rp[g.frame.baseP+int(g.at.d)], mask, bar.votes == bar.count)
	case reduceOr:
		setMask(&w.rp[g.frame.baseP+int(g.at.d)], mask, bar.votes > 0)
	}
}

func setMask(p *uint32, lanes uint32, value bool) {
	if value {
		*p |= lanes
	} else {
		*p &^= lanes
	}
}

// lastMask is the lanes to name in an event about the present step.
func (w *warp) lastMask() uint32 {
	if w.mask != 0 {
		return w.mask
	}
	return w.live
}

func (b *block) participants(bar *barrier) []event.Group {
	if b.core.listener == nil {
		return nil
	}
	list := b.core.told.groups[:0]
	for i, arrived := range bar.arrived {
		waits := bar.waits[i]
		if waits != 0 {
			list = append(list, event.Group{Block: b.index, Warp: i, Mask: waits, Waits: true})
		}
		if rest := arrived &^ waits; rest != 0 {
			list = append(list, event.Group{Block: b.index, Warp: i, Mask: rest})
		}
	}
	b.core.told.groups = list
	return list
}

// releaseBarriers looks at all barriers again after threads exited.
func (b *block) releaseBarriers(w *warp) {
	for i := range b.bars {
		if b.bars[i].count > 0 {
			b.complete(i, w)
		}
	}
	if b.cluster != nil {
		b.cluster.barrier.complete(w)
	}
	if b.launch.config.Cooperative {
		b.launch.grid.complete(w)
	}
}
