package ldetector

// This file defines trials: what their listener does to memory between the turns of groups.

import (
	"math/bits"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/detect/pair"
	"github.com/warplint/warplint/dynamic/event"
)

// trial is an event.Audience for one pass over a launch, or over one block of it.
type trial struct {
	event.Nothing
	detector *Detector
	launch   *event.Launch
	memory   *memory
	warps    bool // the groups are warps, else blocks
	second   bool // pass

	regions []*region // of the first pass; in the second one those that are left to do
	group   int       // that has its turn, -1 for none
	noted   []uint64  // words that the group has written, in order
	writers map[uint64]pair.Access
	met     [][2]pair.Access // what the group has met of others' changes, with who changed it
	words   []uint64         // where
	live    int              // threads of the block
	entered bool
	racy    bool // a race is found
	ended   bool // the check goes no further
}

// newTrial begins a pass; the second one needs the regions of the first.
func (d *Detector) newTrial(l *event.Launch, m *memory, warps bool, regions []*region) *trial {
	return &trial{
		detector: d, launch: l, memory: m, warps: warps, second: regions != nil, regions: regions, group: -1,
		writers: map[uint64]pair.Access{}, live: l.Threads(),
	}
}

// Turn implements event.Audience.
func (t *trial) Turn(_, warp int, shared []byte) bool {
	if !t.warps {
		return !t.ended
	}
	if !t.entered {
		t.entered = true
		t.memory.enter(shared)
		t.open()
	}
	t.end()
	t.begin(warp)
	return !t.ended
}

// open begins a region. In the second pass memory has all changes of the first.
func (t *trial) open() {
	switch {
	case !t.second:
		t.regions = append(t.regions, newRegion())
	case len(t.regions) == 0:
		t.ended = true
	default:
		t.apply()
	}
}

func (t *trial) apply() {
	r := t.region()
	for i := range r.changes {
		t.memory.settle(r.changes[i].patch)
	}
}

// region is the one under way.
func (t *trial) region() *region {
	if t.second {
		return t.regions[0]
	}
	return t.regions[len(t.regions)-1]
}

// close ends a region.
func (t *trial) close() {
	switch {
	case t.ended:
	case t.racy:
		t.ended = true
	case t.second:
		t.regions = t.regions[1:]
	default:
		t.apply()
	}
}

// begin lays a group's private copy into memory: the second pass takes its own changes back.
func (t *trial) begin(group int) {
	t.group = group
	if !t.second || t.ended {
		return
	}
	for _, c := range t.region().of(group) {
		before := c.patch
		before.value = c.was
		t.memory.write(before)
	}
}

// end compares what a group has left in its copy, and takes the copy out of memory.
func (t *trial) end() {
	if t.group < 0 {
		return
	}
	switch {
	case t.ended:
	case t.second:
		t.readWrite()
	default:
		t.writeWrite()
	}
	for _, at := range t.noted {
		t.memory.revert(at)
	}
	if t.second && len(t.regions) > 0 {
		for _, c := range t.region().of(t.group) {
			t.memory.revert(c.at)
		}
	}
	t.group, t.noted, t.met, t.words = -1, t.noted[:0], t.met[:0], t.words[:0]
	clear(t.writers)
}

// writeWrite is the check of the first pass (4.1).
func (t *trial) writeWrite() {
	var list []change
	for _, at := range t.noted {
		c := change{patch: t.memory.changed(at), by: t.writers[at]}
		if c.bytes != 0 {
			_, stale := t.memory.word(at)
			copy(c.was[:], stale)
			list = append(list, c)
		}
	}
	for _, both := range t.region().add(t.group, list) {
		t.racy = true
		at := both[0].at + uint64(bits.TrailingZeros8(both[0].bytes&both[1].bytes))
		t.report(both[0].by, both[1].by, at, "write-write check", "Both changed the same byte between two barriers.")
	}
}

// readWrite is the check of the second pass (4.2).
func (t *trial) readWrite() {
	differs := false
	for _, at := range t.noted {
		differs = differs || t.memory.changed(at).bytes != 0
	}
	for _, c := range t.region().of(t.group) {
		differs = differs || t.memory.changed(c.at).bytes != 0
	}
	if !differs {
		return
	}
	for i, both := range t.met {
		t.racy = true
		t.report(both[0], both[1], t.words[i], "read-write check",
			"The second one's group leaves other values behind when it sees what the first one has changed between the same barriers.")
	}
}

func (t *trial) report(first, second pair.Access, at uint64, condition, why string) {
	r := pair.Race{
		First: first, Second: second, Kind: race.InterBlock, Rule: race.InterBlockRace, Condition: "LDetector's " + condition, Why: why,
		Space: event.Global, Address: at, Launch: t.launch,
	}
	if t.warps {
		r.Kind, r.Rule = race.IntraBlock, race.MissingSyncthreads
	}
	if at >= sharedBase {
		r.Space, r.Address = event.Shared, at-sharedBase
	}
	t.detector.Add(r)
}

// Access implements event.Listener.
func (t *trial) Access(a *event.Access) {
	if a.Order > event.Relaxed {
		t.ended = true
	}
	if a.Space == event.Shared && !t.warps {
		return
	}
	if a.Kind == event.Write && t.warps && !t.second && !t.ended {
		t.withinWarp(a)
	}
	side := pair.Access{PC: a.PC, Block: a.Block, Warp: a.Warp, Does: pair.Does(a.Kind)}
	for rest := a.Mask; rest != 0; rest &= rest - 1 {
		side.Lane = bits.TrailingZeros32(rest)
		t.span(&side, a.Kind, a.Space, a.Addr[side.Lane], uint64(a.Size))
	}
}

// Copy implements event.Listener: an asynchronous copy counts as a load and a store where it is
// issued.
func (t *trial) Copy(c *event.Copy) {
	side := pair.Access{PC: c.PC, Block: c.Block, Warp: c.Warp}
	for rest := c.Mask; rest != 0; rest &= rest - 1 {
		side.Lane = bits.TrailingZeros32(rest)
		if side.Does = race.Read; c.From == event.Global || t.warps {
			t.span(&side, event.Read, c.From, c.Source[side.Lane], uint64(c.SourceSize[side.Lane]))
		}
		if side.Does = race.Write; c.To == event.Global || t.warps {
			t.span(&side, event.Write, c.To, c.Target[side.Lane], uint64(c.TargetSize[side.Lane]))
		}
	}
}

// span notes an access of some bytes, word by word.
func (t *trial) span(side *pair.Access, kind event.Kind, space event.Space, at, size uint64) {
	if space == event.Shared {
		at += sharedBase
	}
	for end := at + size; at < end; at = at&^3 + 4 {
		word, touched := at&^3, uint8(1<<(min(end, at&^3+4)-at)-1)<<(at&3)
		if kind == event.Atomic {
			t.memory.publish(word, touched)
			continue
		}
		if t.second && !t.ended {
			t.meet(side, word, touched)
		}
		if kind == event.Write {
			if _, noted := t.writers[word]; !noted {
				t.noted = append(t.noted, word)
			}
			t.writers[word] = *side
		}
	}
}

// meet notes that the group touches what another one has changed.
func (t *trial) meet(side *pair.Access, word uint64, touched uint8) {
	c := t.region().foreign(t.group, word, touched)
	if c == nil || t.memory.public[word]&touched != 0 {
		return
	}
	for _, both := range t.met {
		if both[0].PC == c.by.PC && both[1].PC == side.PC {
			return
		}
	}
	t.met = append(t.met, [2]pair.Access{c.by, *side})
	t.words = append(t.words, word+uint64(bits.TrailingZeros8(c.bytes&touched)))
}

// withinWarp reports lanes of one store that write one byte (4.7).
func (t *trial) withinWarp(a *event.Access) {
	writers := map[uint64]int{}
	last := uint64(0)
	ascending := true
	for rest := a.Mask; rest != 0; rest &= rest - 1 {
		at := a.Addr[bits.TrailingZeros32(rest)]
		ascending = ascending && at >= last
		last = at + uint64(a.Size)
	}
	if ascending {
		return
	}
	for rest := a.Mask; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		for i := range uint64(a.Size) {
			at := a.Addr[lane] + i
			if other, met := writers[at]; met && other != lane {
				t.withinStore(a, other, lane, at)
				return
			}
			writers[at] = lane
		}
	}
}

func (t *trial) withinStore(a *event.Access, first, second int, at uint64) {
	side := pair.Access{PC: a.PC, Block: a.Block, Warp: a.Warp, Lane: first, Does: race.Write}
	other := side
	other.Lane = second
	rule := race.MissingSyncwarp
	if sameValues(a, first, second) {
		rule = race.SameValueWrite
	}
	t.detector.Add(pair.Race{
		First: side, Second: other, Kind: race.IntraWarp, Rule: rule, Condition: "LDetector's check within a warp",
		Why: "Two lanes of one store write the same byte.", Space: a.Space, Address: at, Launch: t.launch,
	})
}

// sameValues reports whether two lanes store the same at the same place.
func sameValues(a *event.Access, first, second int) bool {
	if a.Addr[first] != a.Addr[second] {
		return false
	}
	for _, v := range a.Value[:min(a.Elements, len(a.Value))] {
		if !v.Known() || v.At(first) != v.At(second) {
			return false
		}
	}
	return true
}

// Fence implements event.Listener: what it hands over is out of reach (4.7).
func (t *trial) Fence(*event.Fence) { t.ended = true }

// Mbarrier implements event.Listener.
func (t *trial) Mbarrier(*event.Mbarrier) { t.ended = true }

// Exit implements event.Listener.
func (t *trial) Exit(s *event.Step) { t.live -= bits.OnesCount32(s.Mask) }

// Barrier implements event.Listener. A barrier of the block ends a region.
func (t *trial) Barrier(b *event.Barrier) {
	if !t.warps || b.Kind == event.WarpBarrier || b.Phase == event.Arrived || t.ended {
		return
	}
	there := 0
	for _, g := range b.Participants {
		if g.Waits {
			there += bits.OnesCount32(g.Mask)
		}
	}
	if there != t.live {
		t.ended = true
		return
	}
	group := t.group
	t.end()
	t.close()
	if !t.ended {
		t.open()
	}
	t.begin(group)
}
