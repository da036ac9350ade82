// This file notes barriers at which threads of one warp met that had come to different instructions.

package sim

import (
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

// Parted is two threads of one warp that a barrier of the block let go on together, though they stood at different
// instructions. PTX wants all threads of a warp at the same bar, and leaves open what happens else ("bar, barrier");
// those without .aligned may stand apart.
type Parted struct {
	Launch        *event.Launch
	First, Second Standing // the first pair that was seen at these places
	Count         int
}

// Standing is a thread at a barrier.
type Standing struct {
	Thread   race.Thread
	Location event.Location
}

// meetApart notes that two groups of a warp, at different instructions, have completed a barrier.
func (w *warp) meetApart(a, b *group) {
	if !a.at.x.(*barrierSite).aligned || !b.at.x.(*barrierSite).aligned {
		return
	}
	if a.pc > b.pc {
		a, b = b, a
	}
	l := w.block.launch
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.parted[[2]int32{a.pc, b.pc}]
	if p == nil {
		p = &Parted{Launch: l.event, First: w.standing(a), Second: w.standing(b)}
		if l.parted == nil {
			l.parted = map[[2]int32]*Parted{}
		}
		l.parted[[2]int32{a.pc, b.pc}] = p
	}
	p.Count++
}

func (w *warp) standing(g *group) Standing {
	l := w.block.launch
	return Standing{l.event.Thread(w.block.index, w.index, laneOf(g.mask)), l.shown(g.pc - 1)}
}
