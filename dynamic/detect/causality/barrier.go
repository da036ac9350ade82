package causality

// This file defines what barriers, mbarriers and waits for asynchronous copies order.

import (
	"math/bits"
	"slices"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

// meetingKey tells the barriers of several blocks apart that can be under way at once.
type meetingKey struct {
	kind    event.BarrierKind
	id      int
	cluster int32
}

// arrival is what threads of a warp that are alike bring to a barrier.
type arrival struct {
	warp    *warpState
	lanes   uint32
	past    clock
	own     uint32
	fences  ownFences
	relaxed bool
	each    *lanesOwn // of a relative state
}

// lanesOwn is what a relative state knew when it arrived, as it was.
type lanesOwn struct {
	past   clock
	fences ownFences
}

// meeting returns those that have arrived at a barrier.
func (d *Detector) meeting(s *event.Step, kind event.BarrierKind, id int) *[]arrival {
	switch kind {
	case event.WarpBarrier:
		return &d.warp(s.Block, s.Warp).meeting
	case event.BlockBarrier:
		b := d.warp(s.Block, s.Warp).block
		for len(b.meetings) <= id {
			b.meetings = append(b.meetings, nil)
		}
		return &b.meetings[id]
	}
	k := meetingKey{kind: kind, id: id}
	if kind == event.ClusterBarrier {
		k.cluster = d.clusterOf(int32(s.Block))
	}
	list := d.meetings[k]
	if list == nil {
		list = new([]arrival)
		d.meetings[k] = list
	}
	return list
}

// Barrier implements event.Listener.
func (d *Detector) Barrier(b *event.Barrier) {
	if d.off {
		return
	}
	if d.renumbers() {
		blocks := make([]*int, len(b.Participants))
		for i := range blocks {
			blocks[i] = &b.Participants[i].Block
		}
		defer d.renumber(&b.Step, blocks...)()
	}
	list := d.meeting(&b.Step, b.Kind, b.ID)
	if b.Phase == event.Arrived {
		*list = d.warp(b.Block, b.Warp).arrive(*list, b.Mask, b.Relaxed, d.height)
		return
	}
	*list = d.complete(*list, b.Kind, b.Participants)
}

// arrive adds the arrivals of some lanes; what these do next belongs to a new epoch.
func (w *warpState) arrive(list []arrival, lanes uint32, relaxed bool, height int) []arrival {
	begin := len(list)
	w.waited = false
	for rest := lanes; rest != 0; {
		t := w.take(firstLane(rest), lanes)
		if relaxed || !t.meets(lanes) {
			w.unchain(t.lanes, height)
			t = w.at(firstLane(rest))
		}
		t.pass(height)
		rest &^= t.lanes
		a := arrival{w, t.lanes, t.past, t.own, t.fences, relaxed, nil}
		if t.own++; t.each {
			a.each = &lanesOwn{t.past, t.fences}
			a.past, a.fences = t.past.absolute(t.lanes), t.fences.absolute(t.lanes)
		}
		if n := len(list) - 1; n >= begin && list[n].like(&a) {
			list[n].lanes |= a.lanes
			continue
		}
		list = append(list, a)
	}
	return list
}

func (a *arrival) like(b *arrival) bool {
	return a.own == b.own && a.past == b.past && a.fences == b.fences && a.each == b.each
}

// participation says which lanes of a warp take part in a barrier, and which of these wait.
type participation struct{ there, waits uint32 }

// participants say so by warp. Those of one block, as mostly, are in a list.
type participants struct {
	block int
	own   [fan]participation
	more  map[uint32]participation
}

func (p *participants) set(groups []event.Group) {
	*p = participants{block: groups[0].Block}
	for _, g := range groups {
		x := participation{there: g.Mask}
		if g.Waits {
			x.waits = g.Mask
		}
		if g.Block == p.block {
			o := &p.own[g.Warp]
			o.there, o.waits = o.there|x.there, o.waits|x.waits
			continue
		}
		if p.more == nil {
			p.more = map[uint32]participation{}
		}
		n := warpNumber(g.Block, g.Warp)
		o := p.more[n]
		p.more[n] = participation{o.there | x.there, o.waits | x.waits}
	}
}

func (p *participants) of(warp uint32) participation {
	if int(warp>>fanBits) == p.block {
		return p.own[warp&(fan-1)]
	}
	return p.more[warp]
}

// complete lets those that wait know what all participants knew when they arrived, and returns the
// arrivals of another round.
func (d *Detector) complete(arrived []arrival, kind event.BarrierKind, groups []event.Group) (late []arrival) {
	if len(groups) == 0 {
		return arrived
	}
	by := &d.attend
	by.set(groups)
	waits := slices.Grow(d.waits[:0], len(arrived))[:len(arrived)]
	d.waits = waits
	top := uint32(0)
	for i := range arrived {
		a := &arrived[i]
		p := by.of(a.warp.number)
		if rest := a.lanes &^ p.there; rest != 0 {
			other := *a
			other.lanes = rest
			late = append(late, other)
		}
		a.lanes &= p.there
		waits[i] = a.lanes & p.waits
		if a.lanes != 0 {
			top = max(top, a.own)
		}
	}
	known := d.brought(arrived, waits, top, kind)
	for i := range arrived {
		arrived[i].leave(waits[i], known, top, d.height)
		if w := arrived[i].warp; i == len(arrived)-1 || arrived[i+1].warp != w {
			w.unite(by.of(w.number).waits)
		}
	}
	clear(arrived)
	return append(arrived[:0], late...)
}

// leave lets the lanes that have waited go on, knowing what all have brought.
func (a *arrival) leave(waits uint32, known clock, top uint32, height int) {
	for rest := waits; rest != 0; {
		t := a.warp.take(firstLane(rest), waits)
		rest &^= t.lanes
		own := lanesOwn{a.past, a.fences}
		if a.each != nil {
			own = *a.each
		}
		if t.past == own.past && !a.relaxed {
			t.past = known // which holds its past
		} else {
			t.past = t.past.join(known, height)
		}
		t.own = max(t.own, top+1)
		t.forgetChains(height)
		if t.fences == own.fences {
			t.fences = ownFences{} // the past has them
		}
	}
}

// waiting counts the threads that wait, by block: those of the first one, and of others.
type waiting struct {
	block uint32
	n     int
	more  map[uint32]*int
}

func (w *waiting) of(block uint32) *int {
	if w.n == 0 && w.more == nil {
		w.block = block
	}
	if block == w.block {
		return &w.n
	}
	if w.more[block] == nil {
		if w.more == nil {
			w.more = map[uint32]*int{}
		}
		w.more[block] = new(int)
	}
	return w.more[block]
}

// blocks returns the blocks of which so many threads wait.
func (w *waiting) blocks(threads int) (list []uint32) {
	if w.n == threads {
		list = append(list, w.block)
	}
	for block, n := range w.more {
		if *n == threads {
			list = append(list, block)
		}
	}
	return list
}

// brought is what the arrivals know together. Threads that stood still between arrival and
// completion go on in an epoch behind all others, so one number stands for all of them.
func (d *Detector) brought(arrived []arrival, waits []uint32, top uint32, kind event.BarrierKind) clock {
	var known, last clock
	begun := false
	perBlock, total := waiting{}, 0
	for i := range arrived {
		a := &arrived[i]
		if a.relaxed || a.lanes == 0 {
			continue
		}
		if !begun || a.past != last {
			known, last, begun = known.join(a.past, d.height), a.past, true
		}
		still := waits[i]
		if kind == event.ClusterBarrier {
			still = 0
		}
		if gone := a.lanes &^ still; gone != 0 {
			known.know(d.height-1, 0, a.warp.number<<fanBits, leaf(gone, a.own))
		}
		waits := bits.OnesCount32(still)
		*perBlock.of(a.warp.number >> fanBits) += waits
		total += waits
	}
	known.sc = known.sc.meet(arrived, d.height)
	if kind == event.ClusterBarrier || kind == event.GridBarrier {
		known.sc = known.sc.abroad()
	}
	whole := perBlock.blocks(d.launch.Threads())
	for _, block := range whole {
		b := d.blocks[int(block)]
		b.meet(top)
		d.beginPhase(b)
	}
	if d.kin == nil && total == d.launch.Threads()*d.launch.Grid.Count() {
		known.know(d.height-1, d.height-1, 0, &node{floor: top})
		return known
	}
	for _, block := range whole {
		known.know(d.height-1, 1, block<<blockBits, &node{floor: top})
	}
	for i := 0; i < len(arrived); {
		warp, lanes := arrived[i].warp.number, uint32(0)
		for ; i < len(arrived) && arrived[i].warp.number == warp; i++ {
			if !arrived[i].relaxed {
				lanes |= waits[i]
			}
		}
		if lanes == 0 || kind == event.ClusterBarrier || *perBlock.of(warp >> fanBits) == d.launch.Threads() {
			continue
		}
		known.know(d.height-1, 0, warp<<fanBits, leaf(lanes, top))
	}
	return known
}

// object is an mbarrier: what the arrivals of each phase publish, and the copies that complete
// on it.
type object struct {
	phase    uint64 // the one under way, as far as events have told
	releases map[uint64][]release
	copies   map[uint64]clock
}

func (d *Detector) object(owner int, at uint64) *object {
	key := sharedAt(owner, at)
	o := d.objects[key]
	if o == nil {
		o = &object{releases: map[uint64][]release{}, copies: map[uint64]clock{}}
		d.objects[key] = o
	}
	return o
}

// Mbarrier implements event.Listener.
func (d *Detector) Mbarrier(b *event.Mbarrier) {
	if d.off {
		return
	}
	if d.renumbers() {
		defer d.renumber(&b.Step, &b.Owner)()
	}
	w := d.warp(b.Block, b.Warp)
	d.play(w.block)
	for rest := b.Mask; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		w.unchain(1<<lane, d.height)
		w.settle(1 << lane)
		t, phase := w.take(lane, 1<<lane), b.Phase[lane]
		t.pass(d.height)
		if !d.fencedInits {
			d.useMbarrier(t, b, lane)
		}
		o := d.object(b.Owner, b.Addr[lane])
		switch b.Op {
		case event.MbarrierInit, event.MbarrierInvalidate:
			delete(d.objects, sharedAt(b.Owner, b.Addr[lane]))
			continue
		case event.MbarrierArrive, event.MbarrierExpect:
			o.phase = max(o.phase, phase)
			if b.Op == event.MbarrierArrive && (b.Order == event.Release || b.Order == event.AcquireRelease) {
				o.arrive(phase, t.snapshot(b.Scope).by(t.lanes), d.height)
			}
		case event.MbarrierTestWait:
			if b.Done>>lane&1 == 0 {
				continue
			}
			o.phase = max(o.phase, phase+1)
			t.past = t.past.join(o.copies[phase], d.height)
			if b.Order == event.Acquire || b.Order == event.AcquireRelease {
				var p *pending
				t.observe(&record{written: written{shows: &publication{releases: o.releases[phase]}}}, &p, d.height)
				if p != nil {
					t.acquire(p, b.Scope, d.height)
				}
			}
			delete(o.releases, phase-2) // nobody can ask for it any more
			delete(o.copies, phase-2)
		}
	}
	w.unite(b.Mask)
}

// useMbarrier looks at an operation as an access of the mbarrier's eight bytes: who initializes it, or ends it, writes plainly.
func (d *Detector) useMbarrier(t *thread, b *event.Mbarrier, lane int) {
	e := entry{act{warp: t.w.number, epoch: t.own, pc: b.PC, kind: event.Read, size: 8}, 1 << lane}
	if b.Op == event.MbarrierInit || b.Op == event.MbarrierInvalidate {
		e.kind = event.Write
	}
	at := sharedAt(b.Owner, b.Addr[lane])
	d.span(t, e, d.cell(at), at, 8)
}

// arrive adds what an arrival publishes.
func (o *object) arrive(phase uint64, r release, height int) {
	o.releases[phase] = inherit(o.releases[phase], []release{r}, ownLane, ownLane, false, height)
}

// copies are a thread's asynchronous copies of one family: those since the last commit, and
// the groups that may be unfinished, as agents.
type copies struct {
	open   []uint32
	groups [][]uint32
}

// Copy implements event.Listener.
func (d *Detector) Copy(c *event.Copy) {
	if d.off || d.overflows() {
		return
	}
	if d.renumbers() {
		defer d.renumber(&c.Step, &c.FromOwner, &c.ToOwner, &c.MbarrierOwner)()
	}
	d.stopScreening()
	w := d.warp(c.Block, c.Warp)
	w.unchain(c.Mask, d.height)
	w.settle(c.Mask)
	first := d.agents
	d.agents += fan
	d.copiers[first>>fanBits] = w.number
	for rest := c.Mask; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		t := w.at(lane)
		agent := first + uint32(lane)
		e := entry{act{warp: first >> fanBits, pc: c.PC, flags: async, size: 1}, 1 << lane}
		e.kind, e.epoch = event.Read, copyRead
		from, to := d.at(c.From, c.FromOwner, c.Source[lane]), d.at(c.To, c.ToOwner, c.Target[lane])
		d.copied(t, e, from, uint64(c.SourceSize[lane]))
		if c.Bulk && c.From == event.Shared {
			d.checkProxies(t, e, from, uint64(c.SourceSize[lane]))
		}
		e.kind, e.epoch = event.Write, copyWritten
		if c.Update > 0 {
			e.kind, e.size, e.flags = event.Atomic, uint8(c.Update), async|flagsOf(strong, race.ScopeDevice)
		}
		d.copied(t, e, to, uint64(c.TargetSize[lane]))
		if d.readsShared && c.To == event.Shared {
			d.setWritten(to, uint64(c.TargetSize[lane]), proxyWrite{}) // completes with a proxy fence
		}
		if c.HasMbarrier {
			o := d.object(c.MbarrierOwner, c.Mbarrier[lane])
			o.copies[o.phase] = o.copies[o.phase].finish(agent, copyWritten)
			continue
		}
		family := w.family(lane, c.Bulk)
		family.open = append(family.open, agent)
	}
	for rest := c.Mask; rest != 0; {
		t := w.take(firstLane(rest), c.Mask)
		t.own++ // what follows is not before the copy
		rest &^= t.lanes
	}
}

// copied is span for what a copy accesses, which may be nothing.
func (d *Detector) copied(t *thread, e entry, at, size uint64) {
	if size > 0 {
		d.span(t, e, d.cell(at), at, size)
	}
}

// family returns a lane's copies of one of the two families.
func (w *warpState) family(lane int, bulk bool) *copies {
	if w.copies == nil {
		w.copies = new([fan][2]copies)
	}
	if bulk {
		return &w.copies[lane][1]
	}
	return &w.copies[lane][0]
}

// CopyGroup implements event.Listener.
func (d *Detector) CopyGroup(g *event.CopyGroup) {
	if d.off {
		return
	}
	if d.renumbers() {
		defer d.renumber(&g.Step, &g.Owner)()
	}
	w := d.warp(g.Block, g.Warp)
	w.unchain(g.Mask, d.height)
	w.settle(g.Mask)
	for rest := g.Mask; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		family := w.family(lane, g.Bulk)
		switch g.Op {
		case event.CopyCommit:
			family.groups = append(family.groups, family.open)
			family.open = nil
		case event.CopyWait:
			family.wait(w, lane, g.Pending, g.Read)
		case event.CopyWaitAll:
			family.groups = append(family.groups, family.open)
			family.open = nil
			family.wait(w, lane, 0, g.Read)
		case event.CopyMbarrier:
			t := w.take(lane, 1<<lane)
			t.pass(d.height)
			o := d.object(g.Owner, g.Addr[lane])
			known := o.copies[o.phase]
			for _, group := range append(family.groups, family.open) {
				for _, agent := range group {
					known = known.finish(agent, copyWritten)
				}
			}
			o.copies[o.phase] = known
			o.arrive(o.phase, t.snapshot(race.ScopeBlock).by(t.lanes), d.height)
		}
	}
}

// wait finishes all groups but the last ones.
func (c *copies) wait(w *warpState, lane, unfinished int, read bool) {
	done := max(len(c.groups)-unfinished, 0)
	epoch := uint32(copyWritten)
	if read {
		epoch = copyRead
	}
	for _, group := range c.groups[:done] {
		for _, agent := range group {
			t := w.take(lane, 1<<lane)
			t.past = t.past.finish(agent, epoch)
		}
	}
	if !read {
		c.groups = c.groups[done:]
	}
}
