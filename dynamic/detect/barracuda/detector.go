package barracuda

// This file defines the detector: what each event does to clocks.

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
	roles  map[event.Program][]role
	blocks map[int]*block
	memory shadow
	syncs  map[uint64]*location
}

type block struct {
	warps  []warp
	exited []uint32 // lanes, by warp
}

// location is a synchronization location: what was released there, by block and to all (3.3.4).
type location struct {
	toAll   *known
	toBlock map[int]*known
}

// New returns a detector for one device.
func New() *Detector { return &Detector{roles: map[event.Program][]role{}} }

// LaunchBegin implements event.Listener.
func (d *Detector) LaunchBegin(l *event.Launch) {
	d.launch = l
	if d.roles[l.Program] == nil {
		d.roles[l.Program] = infer(l.Program)
	}
	d.blocks = map[int]*block{}
	d.memory = shadow{pages: map[uint64]*[pageWords]cell{}}
	d.syncs = map[uint64]*location{}
}

// LaunchEnd implements event.Listener.
func (d *Detector) LaunchEnd(*event.Launch) { d.blocks, d.memory, d.syncs = nil, shadow{}, nil }

// BlockBegin implements event.Listener.
func (d *Detector) BlockBegin(l *event.Launch, number int) {
	b := &block{warps: make([]warp, l.Warps()), exited: make([]uint32, l.Warps())}
	for i := range b.warps {
		lanes := min(event.WarpSize, l.Threads()-i*event.WarpSize)
		b.warps[i].groups = []*group{{mask: uint32(1<<lanes - 1), local: 1}}
		b.exited[i] = ^uint32(1<<lanes - 1)
	}
	d.blocks[number] = b
}

// BlockEnd implements event.Listener.
func (d *Detector) BlockEnd(l *event.Launch, number int) {
	delete(d.blocks, number)
	d.memory.drop(number, l.SharedSize)
}

// Exit implements event.Listener.
func (d *Detector) Exit(s *event.Step) { d.blocks[s.Block].exited[s.Warp] |= s.Mask }

// Join implements event.Listener: the rule ELSEENDIF.
func (d *Detector) Join(j *event.Join) { d.group(&j.Step, j.Mask) }

func (d *Detector) group(s *event.Step, lanes uint32) *group {
	return d.blocks[s.Block].warps[s.Warp].of(lanes)
}

// Access implements event.Listener.
func (d *Detector) Access(a *event.Access) {
	g := d.group(&a.Step, a.Active|a.Mask)
	r := d.roles[a.Launch.Program][a.PC]
	var gained *known
	for rest := a.Mask; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		at := a.Addr[lane]
		if a.Space == event.Shared {
			at = sharedAt(a.Owner, at)
		}
		c := current{Step: &a.Step, group: g, thread: threadOf(a.Block, a.Warp, lane), kind: a.Kind, scope: a.Scope}
		if r == (role{}) {
			d.plain(&c, a, lane, at)
			continue
		}
		gained = joined(gained, d.synchronize(&c, at, r))
	}
	g.far = joined(g.far, gained)
	g.local++ // ENDINSN
}

// synchronize is an acquire, a release or both: ACQBLOCK to ARGLOBAL (figure 3). It returns what is
// acquired.
func (d *Detector) synchronize(c *current, at uint64, r role) (gained *known) {
	l := d.syncs[at]
	if l == nil {
		l = &location{toBlock: map[int]*known{}}
		d.syncs[at] = l
	}
	if r.acquire != nowhere {
		gained = joined(l.toAll, l.toBlock[c.Block])
		if r.acquire == inGrid {
			for _, k := range l.toBlock {
				gained = joined(gained, k)
			}
		}
	}
	switch r.release {
	case inBlock:
		l.toBlock[c.Block] = joined(l.toBlock[c.Block], joined(c.group.all(c.thread), gained))
	case inGrid:
		l.toAll = joined(l.toAll, joined(c.group.all(c.thread), gained))
	}
	return gained
}

// plain checks and notes an access that does not synchronize, word by word.
func (d *Detector) plain(c *current, a *event.Access, lane int, at uint64) {
	start := at
	for end := at + uint64(a.Size); at < end; at = at&^3 + 4 {
		stop := min(end, at&^3+4)
		c.at = at
		c.atomic = a.Kind == event.Atomic
		d.memory.cell(at).each(int(at&3), int((stop-1)&3)+1, wordValue(a, lane, int(at-start), uint(at&3)), func(s *state, value uint32) {
			d.check(c, s, value)
		})
	}
}

// wordValue is what a lane has written to a word, from an offset in its access on; shift is where
// in the word that begins.
func wordValue(a *event.Access, lane, offset int, shift uint) uint32 {
	size := a.Size / a.Elements
	i := offset / size
	if a.Kind != event.Write || i >= len(a.Value) || !a.Value[i].Known() {
		return 0
	}
	return uint32(a.Value[i].At(lane)>>(8*(offset%size))) << (8 * shift)
}

// Copy implements event.Listener: an asynchronous copy counts as a load and a store where it is
// issued.
func (d *Detector) Copy(c *event.Copy) {
	g := d.group(&c.Step, c.Active|c.Mask)
	for rest := c.Mask; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		now := current{Step: &c.Step, group: g, thread: threadOf(c.Block, c.Warp, lane), kind: event.Read}
		d.copied(&now, c.From, c.FromOwner, c.Source[lane], c.SourceSize[lane])
		now.kind = event.Write
		d.copied(&now, c.To, c.ToOwner, c.Target[lane], c.TargetSize[lane])
	}
	g.local++
}

func (d *Detector) copied(c *current, space event.Space, owner int, at uint64, size uint32) {
	if space == event.Shared {
		at = sharedAt(owner, at)
	}
	for end := at + uint64(size); at < end; at = at&^3 + 4 {
		c.at = at
		d.memory.cell(at).each(int(at&3), int((min(end, at&^3+4)-1)&3)+1, 0, func(s *state, _ uint32) { d.check(c, s, 0) })
	}
}

// Barrier implements event.Listener.
func (d *Detector) Barrier(b *event.Barrier) {
	if b.Phase == event.Arrived {
		if b.Kind == event.BlockBarrier && b.ID == 0 {
			d.diverges(b)
		}
		return
	}
	switch b.Kind {
	case event.WarpBarrier:
		var lanes uint32
		for _, p := range b.Participants {
			lanes |= p.Mask
		}
		d.group(&b.Step, lanes)
	case event.BlockBarrier, event.GridBarrier:
		d.meet(b.Participants)
	}
}

// diverges reports lanes of a warp that arrive at two barriers of the block (3.3.2).
func (d *Detector) diverges(b *event.Barrier) {
	here := pair.Access{PC: b.PC, Block: b.Block, Warp: b.Warp, Lane: bits.TrailingZeros32(b.Mask), Does: race.Read}
	w := &d.blocks[b.Block].warps[b.Warp]
	if w.waits && w.first.PC != b.PC {
		d.Add(pair.Race{
			First: w.first, Second: here, Kind: race.IntraWarp, Rule: race.BarrierDivergence, Condition: "BARRACUDA's barrier divergence",
			Why: "Threads of one warp wait at two barriers of the block.", Space: event.Shared, Launch: d.launch,
		})
	}
	w.first, w.waits = here, true
}

// meet orders all that some threads did before a barrier before what they do behind it: the rule
// BAR. Where it is all of a block, its clock says so, otherwise those of the threads.
func (d *Detector) meet(groups []event.Group) {
	var far *known
	tops, threads := map[int]uint32{}, map[int]int{} // by block
	for _, p := range groups {
		b := d.blocks[p.Block]
		g := b.warps[p.Warp].of(p.Mask)
		tops[p.Block] = max(tops[p.Block], g.local, g.block)
		threads[p.Block] += bits.OnesCount32(p.Mask)
	}
	whole := &known{blocks: map[int]uint32{}}
	part := &known{threads: map[thread]uint32{}}
	for block := range tops {
		if threads[block] != d.live(block) {
			continue
		}
		for i := range d.blocks[block].warps { // threads that have ended, too: the join is of the block (4.3.2)
			for _, g := range d.blocks[block].warps[i].groups {
				far = joined(far, g.far)
				tops[block] = max(tops[block], g.local, g.block)
			}
		}
		whole.blocks[block] = tops[block]
	}
	for _, p := range groups {
		if _, all := whole.blocks[p.Block]; all {
			continue
		}
		// What they know of others counts as well.
		g := d.blocks[p.Block].warps[p.Warp].of(p.Mask)
		far = joined(far, g.all(threadOf(p.Block, p.Warp, bits.TrailingZeros32(p.Mask))))
		for rest := p.Mask; rest != 0; rest &= rest - 1 {
			part.threads[threadOf(p.Block, p.Warp, bits.TrailingZeros32(rest))] = tops[p.Block]
		}
	}
	if len(part.threads) > 0 {
		far = joined(far, part)
	}
	if len(tops) > 1 {
		far = joined(far, whole)
	}
	for _, p := range groups {
		g := d.blocks[p.Block].warps[p.Warp].of(p.Mask)
		if top, all := whole.blocks[p.Block]; all {
			g.block = top
			g.simplify()
		}
		g.local, g.far = tops[p.Block]+1, far
		d.blocks[p.Block].warps[p.Warp].waits = false
	}
}

// live counts the threads of a block that have not ended.
func (d *Detector) live(number int) (n int) {
	for _, gone := range d.blocks[number].exited {
		n += event.WarpSize - bits.OnesCount32(gone)
	}
	return n
}
