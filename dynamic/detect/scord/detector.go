package scord

// This file defines the detector: the state of warps and blocks, and what each event does.

import (
	"math/bits"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/detect/pair"
	"github.com/warplint/warplint/dynamic/event"
)

// Detector is an event.Listener that collects the races of a device's launches.
type Detector struct {
	pair.Log
	launch *event.Launch
	memory memory
	cached bool
	// fences is the fence file. Its places are as many as the metadata can name: of blocks whose
	// numbers differ by 128 the warps share one.
	fences [1 << (blockBits + warpBits)]struct{ device, block uint32 }
	blocks []*block
}

type block struct {
	barrier uint32
	locks   []lockTable // of its warps
}

// Option changes a detector.
type Option func(*Detector)

// Cached keeps one entry of metadata for 16 words of the device memory that a launch finds allocated.
func Cached(d *Detector) { d.cached = true }

// New returns a detector for one device.
func New(options ...Option) *Detector {
	d := &Detector{}
	for _, o := range options {
		o(d)
	}
	return d
}

// LaunchBegin implements event.Listener.
func (d *Detector) LaunchBegin(l *event.Launch) {
	d.launch = l
	d.blocks = make([]*block, l.Grid.Count())
	d.memory = memory{}
	if d.cached {
		d.memory.serve(d.Allocations())
	}
	clear(d.fences[:])
}

// LaunchEnd implements event.Listener.
func (d *Detector) LaunchEnd(*event.Launch) { d.blocks, d.memory = nil, memory{} }

// BlockBegin implements event.Listener.
func (d *Detector) BlockBegin(l *event.Launch, number int) {
	d.blocks[number] = &block{locks: make([]lockTable, l.Warps())}
}

// BlockEnd implements event.Listener.
func (d *Detector) BlockEnd(_ *event.Launch, number int) { d.blocks[number] = nil }

// filePlace is a warp's place in the fence file.
func filePlace(block, warp uint32) uint32 {
	return cut(block, blockBits)<<warpBits | cut(warp, warpBits)
}

// Fence implements event.Listener.
func (d *Detector) Fence(f *event.Fence) { d.fence(&f.Step, f.Scope) }

func (d *Detector) fence(s *event.Step, scope race.Scope) {
	file := &d.fences[filePlace(uint32(s.Block), uint32(s.Warp))]
	if scope == race.ScopeBlock {
		file.block++
	} else {
		file.device++
	}
	d.blocks[s.Block].locks[s.Warp].activate(scope == race.ScopeBlock)
}

// Barrier implements event.Listener. Those of a warp are nothing to a detector that takes a warp
// for one thread.
func (d *Detector) Barrier(b *event.Barrier) {
	switch {
	case b.Kind == event.GridBarrier && b.Phase == event.Arrived:
		d.fence(&b.Step, race.ScopeDevice)
	case b.Phase == event.Completed && (b.Kind == event.BlockBarrier || b.Kind == event.GridBarrier):
		last := -1
		for _, g := range b.Participants { // those of a block follow each other
			if g.Block != last {
				d.blocks[g.Block].barrier++
				last = g.Block
			}
		}
	}
}

// Access implements event.Listener.
func (d *Detector) Access(a *event.Access) {
	if a.Space != event.Global {
		return
	}
	c := d.current(&a.Step)
	c.load, c.atomic, c.blockScope = a.Kind == event.Read, a.Kind == event.Atomic, a.Kind == event.Atomic && a.Scope == race.ScopeBlock
	c.strong = c.atomic || a.Volatile
	c.beside.wrote, c.beside.atom = !c.load, c.atomic
	for rest := a.Mask; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		d.span(&a.Step, &c, lane, a.Addr[lane], a.Size)
	}
	switch a.Op {
	case event.AtomicCompareExchange:
		d.eachLock(a, (*lockTable).insert)
	case event.AtomicExchange:
		d.eachLock(a, (*lockTable).remove)
	}
}

// Copy implements event.Listener: an asynchronous copy reads its source.
func (d *Detector) Copy(c *event.Copy) {
	if c.From != event.Global {
		return
	}
	now := d.current(&c.Step)
	now.load = true
	for rest := c.Mask; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		d.span(&c.Step, &now, lane, c.Source[lane], int(c.SourceSize[lane]))
	}
}

// current is what the metadata of an access will say of its warp.
func (d *Detector) current(s *event.Step) current {
	b := d.blocks[s.Block]
	file := &d.fences[filePlace(uint32(s.Block), uint32(s.Warp))]
	return current{entry: entry{
		block: cut(uint32(s.Block), blockBits), warp: cut(uint32(s.Warp), warpBits),
		devFence: cut(file.device, fenceBits), blkFence: cut(file.block, fenceBits), barrier: cut(b.barrier, barrierBits),
		locks: b.locks[s.Warp].held(), beside: place{pc: s.PC},
	}}
}

// span checks and notes one thread's access, word by word.
func (d *Detector) span(s *event.Step, c *current, lane int, at uint64, size int) {
	c.beside.lane = uint8(lane)
	for end := at + uint64(size); at < end; at = at&^3 + 4 {
		md := d.memory.load(at)
		passed := passes(&md, c)
		anew := passed == initialization || passed == barrier
		if passed == fails {
			file := &d.fences[filePlace(md.block, md.warp)]
			if found := check(&md, c, cut(file.device, fenceBits), cut(file.block, fenceBits)); found != none {
				d.report(s, c, &md, found, at)
				anew = true
			}
		}
		next := update(&md, c, passed, anew)
		d.memory.save(at, &next)
	}
}

func (d *Detector) report(s *event.Step, c *current, md *entry, found condition, at uint64) {
	first, second := md.side(), c.side()
	first.Block, first.Warp = int(md.block), int(md.warp)
	second.Block, second.Warp = s.Block, s.Warp
	kind := race.InterBlock
	if md.block == c.block && !md.devShared {
		kind = race.IntraBlock
	}
	d.Add(pair.Race{
		First: first, Second: second, Kind: kind, Rule: found.rule(), Condition: "ScoRD's condition " + found.String(), Why: found.why(),
		Space: event.Global, Address: at, Launch: d.launch,
	})
}

// side is what an entry says of its accessor, but for the block and the warp.
func (e *entry) side() pair.Access {
	a := pair.Access{PC: e.beside.pc, Lane: int(e.beside.lane), Does: race.Read}
	switch {
	case e.beside.atom && e.blockScope:
		a.Does, a.Scope = race.Atomic, race.ScopeBlock
	case e.beside.atom:
		a.Does, a.Scope = race.Atomic, race.ScopeDevice
	case e.beside.wrote:
		a.Does = race.Write
	}
	return a
}

// eachLock does something to the table of a warp for each location that its lanes access: as the
// lock of the atomic's scope, and for the device's as that of the block, too.
func (d *Detector) eachLock(a *event.Access, do func(t *lockTable, hash uint8, blockScope bool)) {
	t := &d.blocks[a.Block].locks[a.Warp]
	for rest := a.Mask; rest != 0; rest &= rest - 1 {
		at := a.Addr[bits.TrailingZeros32(rest)]
		do(t, lockHash(at, a.Block, true), true)
		if a.Scope != race.ScopeBlock {
			do(t, lockHash(at, a.Block, false), false)
		}
	}
}
