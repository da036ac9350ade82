// This file executes the barriers that span several blocks: those of clusters, and the one of
// a whole grid, which cooperative groups need.

package sim

import (
	"math/bits"

	"github.com/warplint/warplint/dynamic/event"
)

// cluster is the blocks of a cluster; they are on the device together.
type cluster struct {
	blocks  []*block
	barrier wideBarrier
}

// wideBarrier is a barrier of two steps: a thread arrives and later waits until all others
// arrived.
type wideBarrier struct {
	kind    event.BarrierKind
	wait    waitKind
	blocks  func() []*block
	live    int
	count   int
	arrived map[*warp]uint32
	gone    map[*warp]uint32 // those of arrived that have ended since, so that nobody counts on them
}

// exited notes that lanes are gone. What they did before they arrived stays published.
func (b *wideBarrier) exited(w *warp, m uint32) {
	b.live -= bits.OnesCount32(m)
	if m &= b.arrived[w]; m != 0 {
		if b.gone == nil {
			b.gone = map[*warp]uint32{}
		}
		b.gone[w] |= m
		b.count -= bits.OnesCount32(m)
	}
}

// arrive notes that lanes arrived.
func (b *wideBarrier) arrive(w *warp, m uint32, relaxed bool) {
	if b.arrived == nil {
		b.arrived = map[*warp]uint32{}
	}
	if twice := b.arrived[w] & m; twice != 0 {
		w.fault(Invalid, bits.TrailingZeros32(twice), "second arrival at a %s barrier without a wait between", b.kind)
	}
	b.arrived[w] |= m
	b.count += bits.OnesCount32(m)
	w.tellBarrier(event.Barrier{Step: w.step(m), Kind: b.kind, Relaxed: relaxed})
}

// complete lets all who wait go on if everybody arrived.
func (b *wideBarrier) complete(last *warp) {
	if b.count == 0 || b.count < b.live {
		return
	}
	if last.core.listener != nil {
		last.tellBarrier(event.Barrier{
			Step: last.step(last.lastMask()), Kind: b.kind, Phase: event.Completed,
			Participants: b.participants(),
		})
	}
	for _, blk := range b.blocks() {
		for _, w := range blk.warps {
			for i := range w.groups {
				if g := &w.groups[i]; g.wait == b.wait {
					g.wait = waitNothing
				}
			}
		}
	}
	clear(b.arrived)
	clear(b.gone)
	b.count = 0
}

// participants are in the order of blocks and warps, so that the events do not depend on Go's
// maps. All of them will wait sooner or later, but for those that have ended.
func (b *wideBarrier) participants() []event.Group {
	var list []event.Group
	for _, blk := range b.blocks() {
		for _, w := range blk.warps {
			gone := b.gone[w]
			if m := b.arrived[w] &^ gone; m != 0 {
				list = append(list, event.Group{Block: blk.index, Warp: w.index, Mask: m, Waits: true})
			}
			if gone != 0 {
				list = append(list, event.Group{Block: blk.index, Warp: w.index, Mask: gone})
			}
		}
	}
	return list
}

// clusterSite says what a barrier.cluster instruction does.
type clusterSite struct{ arrive, wait, relaxed bool }

func runClusterBarrier(w *warp, in *instr, m uint32) {
	site := in.x.(*clusterSite)
	w.wideBarrier(&w.block.cluster.barrier, m, *site)
}

func (w *warp) wideBarrier(b *wideBarrier, m uint32, site clusterSite) {
	if site.arrive {
		b.arrive(w, m, site.relaxed)
	}
	if site.wait {
		if pending := b.arrived[w] & m; pending != 0 {
			w.waitFor(pending, b.wait)
		}
	}
	if site.arrive {
		b.complete(w)
	}
}

// gridBarrier is the builtin that cooperative groups call to synchronize a grid.
func gridBarrier(w *warp, call *callSite, m uint32) {
	if !w.block.launch.config.Cooperative {
		w.fault(Invalid, bits.TrailingZeros32(m), "grid barrier in a launch that is not cooperative")
	}
	w.wideBarrier(&w.block.launch.grid, m, clusterSite{arrive: true, wait: true})
}
