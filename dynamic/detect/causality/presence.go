package causality

// This file finds what threads do to the shared memory of other blocks of their cluster when these may have ended. Memory is
// there as long as one of its block's threads is, so each access by others has to be before the end of some of them.

import (
	"maps"
	"math/bits"
	"slices"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

// neighbours are the blocks of a cluster.
type neighbours struct {
	present int
	hosts   map[int]*host
}

// host is a block whose shared memory others have touched, or that has ended before others of its cluster.
type host struct {
	visits map[uint32]*[fan]visit // by warp
	leaves clock                  // what its threads knew when they ended
	last   entry                  // the end of the last of these
	left   int                    // how many have; of a block with a fault, not all
	gone   bool
}

// visit is the last access of a thread to the shared memory of another block.
type visit struct {
	entry
	at uint64
}

// neighbours returns those of a block, and itself.
func (d *Detector) neighbours(block int) *neighbours {
	number := d.clusterOf(int32(block))
	c := d.around[number]
	if c == nil {
		c = &neighbours{hosts: map[int]*host{}}
		d.around[number] = c
	}
	return c
}

func (c *neighbours) host(block int) *host {
	h := c.hosts[block]
	if h == nil {
		h = &host{visits: map[uint32]*[fan]visit{}}
		c.hosts[block] = h
	}
	return h
}

// visits keeps an access to the shared memory of another block.
func (d *Detector) visits(w *warpState, a *event.Access) {
	h := d.neighbours(a.Owner).host(a.Owner)
	e := entry{act: act{warp: w.number, pc: a.PC, kind: a.Kind, mask: 1}}
	for rest := a.Mask; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		e.lanes, e.epoch = rest&-rest, w.at(lane).own
		v := visit{e, d.at(a.Space, a.Owner, a.Addr[lane])}
		if h.gone {
			d.tooLate(h, &v)
			continue
		}
		if h.visits[w.number] == nil {
			h.visits[w.number] = new([fan]visit)
		}
		h.visits[w.number][lane] = v
	}
}

// leave notes what threads know that end.
func (d *Detector) leave(w *warpState, s *event.Step) {
	h := d.neighbours(s.Block).host(s.Block)
	for _, a := range w.arrive(nil, s.Mask, false, d.height) {
		h.leaves = h.leaves.join(a.past, d.height)
	}
	h.left += bits.OnesCount32(s.Mask)
	h.last = entry{act: act{warp: w.number, pc: s.PC, kind: event.Write, mask: 1}, lanes: s.Mask}
}

// close ends the presence of a block.
func (d *Detector) close(block, threads int) {
	c := d.neighbours(block)
	h := c.host(block)
	h.gone = h.left == threads
	for _, warp := range slices.Sorted(maps.Keys(h.visits)) {
		for i := range h.visits[warp] {
			if v := &h.visits[warp][i]; h.gone && v.lanes != 0 && !h.leaves.threads.covers(d.height, warp<<fanBits, v.lanes, v.epoch) {
				d.tooLate(h, v)
			}
		}
	}
	h.visits = nil
	if c.present--; c.present == 0 {
		delete(d.around, d.clusterOf(int32(block)))
	}
}

// tooLate keeps an access that is not before the end of the block whose memory it is about.
func (d *Detector) tooLate(h *host, v *visit) {
	end := thread{w: &warpState{number: h.last.warp}}
	d.keepPair(&v.entry, &h.last, &end, v.at, race.InterBlock, Race{Missing: Presence})
}
