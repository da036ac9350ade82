package causality

// This file joins the grids of a family, those that kernels launch, into one: their blocks are numbered one after the
// other, and so are the instructions of their programs. What a thread knew when it launched a grid, all threads of that
// grid know from their beginning, and what grids have done that it follows in a stream, or by an event. A grid of the tail stream follows
// all of its parent's family (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism", "Memory Coherence and Consistency").
// Nothing that a parent does behind a launch is ordered with the grid.

import (
	"math"

	"github.com/warplint/warplint/dynamic/event"
)

// family is what is known of the grids that come of one launch of the host.
type family struct {
	grids  []grid // by their first block
	open   []int  // those that are not complete, from the first one down to the present one's parent and itself
	blocks int    // of all grids
	known  map[*event.Origin]clock
	begun  map[*event.Origin]int // grids, by where they come from
}

// programs are those of families, one after the other.
type programs struct {
	begin    map[event.Program]uint32
	waiting  []bool
	acquires bool
}

type grid struct {
	launch *event.Launch
	first  int    // block
	end    int    // behind the blocks of its family, once that is complete
	pc     uint32 // where its program begins
	begin  clock  // what its threads know when they begin
}

// maxBlocks is how many blocks a thread's number has room for.
const maxBlocks = 1 << (32 - blockBits)

func newFamily() *family {
	return &family{known: map[*event.Origin]clock{}, begun: map[*event.Origin]int{}}
}

// present is the grid that runs.
func (f *family) present() *grid { return &f.grids[len(f.grids)-1] }

// add takes in a grid that is about to run.
func (f *family) add(l *event.Launch, pc uint32, height int) {
	g := grid{launch: l, first: f.blocks, pc: pc}
	if o := l.Origin; o != nil {
		for n := len(f.open); n > 0 && f.grids[f.open[n-1]].launch != o.Parent; n-- {
			f.grids[f.open[n-1]].end = f.blocks
			f.open = f.open[:n-1]
		}
		g.begin = f.known[o]
		delete(f.known, o)
		if n := len(f.open); o.Tail() && n > 0 {
			g.begin = f.complete(g.begin, f.grids[f.open[n-1]].first, f.blocks, height)
		}
		for _, before := range o.After {
			if i, ok := f.begun[before]; ok {
				b := &f.grids[i]
				g.begin = f.complete(g.begin.join(b.begin, height), b.first, b.end, height)
			}
		}
		f.begun[o] = len(f.grids)
	}
	f.open = append(f.open, len(f.grids))
	f.grids = append(f.grids, g)
	f.blocks += l.Grid.Count()
}

// complete adds to a clock all that some blocks have done.
func (f *family) complete(c clock, from, to, height int) clock {
	all := &node{floor: math.MaxUint32}
	for b := from; b < to; b++ {
		c.know(height-1, 1, uint32(b)<<blockBits, all)
	}
	return c
}

// gridOf finds the grid of a block.
func (f *family) gridOf(block int) *grid {
	low, high := 0, len(f.grids)
	for high-low > 1 {
		if middle := (low + high) / 2; f.grids[middle].first <= block {
			low = middle
		} else {
			high = middle
		}
	}
	return &f.grids[low]
}

// program is what tells the instructions of races apart: none where they are numbered together.
func (d *Detector) program() event.Program {
	if d.kin != nil {
		return nil
	}
	return d.launch.Program
}

// home is the launch of a block, its number there, and where its program's instructions begin.
func (d *Detector) home(block int) (l *event.Launch, number int, pc uint32) {
	if d.kin == nil {
		return d.launch, block, 0
	}
	g := d.kin.gridOf(block)
	return g.launch, block - g.first, g.pc
}

// join takes a grid into the family.
func (d *Detector) join(l *event.Launch) {
	if d.programs.begin == nil {
		d.programs.begin = map[event.Program]uint32{}
	}
	pc, known := d.programs.begin[l.Program]
	if !known {
		pc = uint32(len(d.programs.waiting))
		d.programs.begin[l.Program] = pc
		d.waiting, d.acquires = d.programs.waiting, d.programs.acquires
		d.study(l.Program)
		d.programs.waiting, d.programs.acquires = d.waiting, d.acquires
	}
	d.waiting, d.acquires, d.present = d.programs.waiting, d.programs.acquires, nil
	if n := len(d.waiting) - len(d.pollers); n > 0 {
		d.pollers = append(d.pollers, make([]bool, n)...)
	}
	d.kin.add(l, pc, d.height)
}

// renumbers reports whether the present events number blocks and instructions otherwise than the family does.
func (d *Detector) renumbers() bool {
	if d.kin == nil {
		return false
	}
	g := d.kin.present()
	return g.first > 0 || g.pc > 0
}

// renumber gives an event the family's numbers; what it returns takes them back, for others that listen.
func (d *Detector) renumber(s *event.Step, blocks ...*int) (back func()) {
	g := d.kin.present()
	s.PC += g.pc
	s.Block += g.first
	for _, b := range blocks {
		*b += g.first
	}
	return func() {
		s.PC -= g.pc
		s.Block -= g.first
		for _, b := range blocks {
			*b -= g.first
		}
	}
}

// Spawn implements event.Listener.
func (d *Detector) Spawn(s *event.Spawn) {
	if d.off || d.kin == nil {
		return
	}
	if d.renumbers() {
		defer d.renumber(&s.Step)()
	}
	w := d.warp(s.Block, s.Warp)
	w.waited = false
	w.unchain(s.Mask, d.height)
	w.settle(s.Mask)
	t := w.take(firstLane(s.Mask), s.Mask)
	t.pass(d.height)
	r := t.snapshot(0).by(t.lanes)
	c := r.knowledge(false, d.height)
	c.sc = c.sc.abroad()
	d.kin.known[s.Origin] = c
	w.unite(s.Mask)
}
