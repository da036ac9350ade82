package iguard

// This file defines the detector: the synchronization metadata, and what each event does.

import (
	"math/bits"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/detect/pair"
	"github.com/warplint/warplint/dynamic/event"
)

// Detector is an event.Listener that collects the races of a device's launches.
type Detector struct {
	pair.Log
	widths widths
	launch *event.Launch
	blocks []*block // by number, nil before they begin
	memory memory
}

// block is the synchronization metadata of a block. It stays when the block has ended: what its
// threads have done is still compared with their counters.
type block struct {
	barrier uint32
	warps   []warp
}

type warp struct {
	barrier            uint32
	devFence, blkFence [event.WarpSize]uint32
	locks              locks
}

// Option changes a detector.
type Option func(*Detector)

// Exact widens the counters, thread numbers and filters, so that they don't overflow.
func Exact(d *Detector) { d.widths = exact }

// New returns a detector for one device.
func New(options ...Option) *Detector {
	d := &Detector{widths: published}
	for _, o := range options {
		o(d)
	}
	return d
}

// LaunchBegin implements event.Listener.
func (d *Detector) LaunchBegin(l *event.Launch) {
	d.launch = l
	d.blocks = make([]*block, l.Grid.Count())
	d.memory = &packed{}
	if d.widths == exact {
		d.memory = &wide{}
	}
}

// LaunchEnd implements event.Listener.
func (d *Detector) LaunchEnd(*event.Launch) { d.blocks, d.memory = nil, nil }

// BlockBegin implements event.Listener.
func (d *Detector) BlockBegin(l *event.Launch, number int) {
	d.blocks[number] = &block{warps: make([]warp, l.Warps())}
}

// blockOf is the block of a warp: the number of the warp is all that the metadata has.
func (d *Detector) blockOf(warp uint32) uint32 { return warp / uint32(d.launch.Warps()) }

// fences returns the counters of a thread as they are now, as wide as they are stored.
func (d *Detector) fences(a *accessor) (devFence, blkFence uint32) {
	b := d.blocks[d.blockOf(a.warp)]
	if b == nil { // a number that overflowed may be that of a block that has not begun
		return 0, 0
	}
	w := &b.warps[a.warp%uint32(d.launch.Warps())]
	return cut(w.devFence[a.lane], d.widths.fence), cut(w.blkFence[a.lane], d.widths.fence)
}

func (d *Detector) warpOf(s *event.Step) *warp { return &d.blocks[s.Block].warps[s.Warp] }

// Fence implements event.Listener.
func (d *Detector) Fence(f *event.Fence) { d.fence(&f.Step, f.Scope) }

// fence counts for each thread, and activates locks. Every scope but the block is the device.
func (d *Detector) fence(s *event.Step, scope race.Scope) {
	w := d.warpOf(s)
	for rest := s.Mask; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		if scope == race.ScopeBlock {
			w.blkFence[lane]++
		} else {
			w.devFence[lane]++
		}
		w.locks.of(lane).activate(scope == race.ScopeBlock)
	}
}

// Barrier implements event.Listener.
func (d *Detector) Barrier(b *event.Barrier) {
	switch {
	case b.Kind == event.GridBarrier && b.Phase == event.Arrived:
		d.fence(&b.Step, race.ScopeDevice)
	case b.Phase == event.Arrived:
	case b.Kind == event.WarpBarrier:
		d.warpOf(&b.Step).barrier++
	case b.Kind == event.BlockBarrier || b.Kind == event.GridBarrier:
		// A block's first warp counts, so that a barrier without it goes unseen (figure 5a).
		counted := map[int]bool{}
		for _, g := range b.Participants {
			if g.Warp == 0 && !counted[g.Block] {
				counted[g.Block] = true
				d.blocks[g.Block].barrier++
			}
		}
	}
}

// Access implements event.Listener.
func (d *Detector) Access(a *event.Access) {
	if a.Space != event.Global {
		return
	}
	lanes := a.Mask
	if a.Kind != event.Write && together(a) {
		lanes &= -lanes // one thread stands for all (section 6.5)
	}
	c := current{
		block: uint32(a.Block), mask: a.Mask, load: a.Kind == event.Read, atomic: a.Kind == event.Atomic,
		blockScope: a.Scope == race.ScopeBlock,
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := bits.TrailingZeros32(lanes)
		d.span(&a.Step, &c, lane, a.Addr[lane], a.Size)
	}
	switch a.Op {
	case event.AtomicCompareExchange:
		d.takeLocks(a)
	case event.AtomicExchange:
		d.giveLocks(a)
	}
}

// together reports whether all lanes access one location.
func together(a *event.Access) bool {
	first := a.Addr[bits.TrailingZeros32(a.Mask)]
	for rest := a.Mask; rest != 0; rest &= rest - 1 {
		if a.Addr[bits.TrailingZeros32(rest)] != first {
			return false
		}
	}
	return true
}

// Copy implements event.Listener.
func (d *Detector) Copy(c *event.Copy) {
	if c.From != event.Global {
		return
	}
	now := current{block: uint32(c.Block), mask: c.Mask, load: true}
	for rest := c.Mask; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		d.span(&c.Step, &now, lane, c.Source[lane], int(c.SourceSize[lane]))
	}
}

// span checks and notes one thread's access, word by word.
func (d *Detector) span(s *event.Step, c *current, lane int, at uint64, size int) {
	w := d.warpOf(s)
	c.accessor = d.widths.fit(accessor{
		warp: uint32(s.GlobalWarp()), lane: uint32(lane), devFence: w.devFence[lane], blkFence: w.blkFence[lane],
		blkBar: d.blocks[s.Block].barrier, warpBar: w.barrier, pc: s.PC,
	})
	c.held = w.locks.of(lane).held(d.widths, c.block)
	for end := at + uint64(size); at < end; at = at&^3 + 4 {
		m := d.memory.load(at &^ 3)
		if condition := d.check(&m, c); condition.racy() {
			d.report(s, c, &m, condition, at)
		}
		d.update(&m, c)
		d.memory.save(at&^3, &m)
	}
}

func (d *Detector) report(s *event.Step, c *current, m *word, condition condition, at uint64) {
	md, wrote := &m.last, m.wrote
	if c.load || condition == r1 {
		md, wrote = &m.writer, true
	}
	warps := d.launch.Warps()
	first := pair.Access{PC: md.pc, Block: int(md.warp) / warps, Warp: int(md.warp) % warps, Lane: int(md.lane), Does: race.Read}
	if wrote {
		first.Does = race.Write
		if m.atomic {
			first.Does, first.Scope = race.Atomic, scopeOf(m.blockScope)
		}
	}
	second := pair.Access{PC: c.pc, Block: s.Block, Warp: s.Warp, Lane: int(c.lane), Does: race.Write}
	switch {
	case c.load:
		second.Does = race.Read
	case c.atomic:
		second.Does, second.Scope = race.Atomic, scopeOf(c.blockScope)
	}
	kind := pair.KindOf(first.Block, first.Warp, second.Block, second.Warp)
	switch { // several have read, and the one that writes is the last of them
	case m.devShared:
		kind = race.InterBlock
	case m.blkShared && kind == race.IntraWarp:
		kind = race.IntraBlock
	}
	d.Add(pair.Race{
		First: first, Second: second, Kind: kind, Rule: condition.rule(), Condition: "iGUARD's condition " + condition.String(), Why: condition.why(),
		Space: event.Global, Address: at, Launch: d.launch,
	})
}

func scopeOf(block bool) race.Scope {
	if block {
		return race.ScopeBlock
	}
	return race.ScopeDevice
}

// takeLocks notes a compare-and-swap. Several lanes at once switch the warp to tables of its
// threads, for the rest of the launch.
func (d *Detector) takeLocks(a *event.Access) {
	w := d.warpOf(&a.Step)
	if a.Mask&(a.Mask-1) != 0 && w.locks.threads == nil {
		w.locks.threads = new([event.WarpSize]lockTable)
	}
	d.eachLock(a, func(t *lockTable, hash uint64) { t.insert(hash, a.Scope == race.ScopeBlock) })
}

func (d *Detector) giveLocks(a *event.Access) {
	d.eachLock(a, func(t *lockTable, hash uint64) { t.remove(hash, a.Scope == race.ScopeBlock) })
}

func (d *Detector) eachLock(a *event.Access, do func(t *lockTable, hash uint64)) {
	w := d.warpOf(&a.Step)
	for rest := a.Mask; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		do(w.locks.of(lane), d.widths.lockHash(a.Addr[lane]))
	}
}
