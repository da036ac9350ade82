package causality

// This file defines what barriers, mbarriers and waits for asynchronous copies order.

import (
	"math/bits"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

// meetingKey tells the barriers apart that can be under way at once.
type meetingKey struct {
	kind  event.BarrierKind
	id    int
	where int // the block, the warp or the cluster
}

// arrival is what a thread brings to a barrier.
type arrival struct {
	thread  *thread
	past    clock
	own     uint32
	fences  ownFences
	relaxed bool
}

func (d *Detector) meetingOf(s *event.Step, kind event.BarrierKind, id int) meetingKey {
	k := meetingKey{kind: kind, id: id}
	switch kind {
	case event.WarpBarrier:
		k.where = s.GlobalWarp()
	case event.BlockBarrier:
		k.where = s.Block
	case event.ClusterBarrier:
		k.where = s.Launch.ClusterOf(s.Block)
	}
	return k
}

// Barrier implements event.Listener.
func (d *Detector) Barrier(b *event.Barrier) {
	if d.off {
		return
	}
	key := d.meetingOf(&b.Step, b.Kind, b.ID)
	if b.Phase == event.Arrived {
		w := d.warp(b.Block, b.Warp)
		w.same = 0
		for rest := b.Mask; rest != 0; rest &= rest - 1 {
			t := &w.threads[firstLane(rest)]
			d.meetings[key] = append(d.meetings[key], arrival{t, t.past, t.own, t.fences, b.Relaxed})
			t.own++
		}
		return
	}
	d.complete(key, b.Participants)
}

// complete lets those that wait know what all participants knew when they arrived.
func (d *Detector) complete(key meetingKey, groups []event.Group) {
	there, waits := map[uint32]uint32{}, map[uint32]uint32{} // lanes, by warp
	for _, g := range groups {
		w := warpNumber(g.Block, g.Warp)
		there[w] |= g.Mask
		if g.Waits {
			waits[w] |= g.Mask
		}
	}
	all := d.meetings[key]
	var arrived, rest []arrival
	top := uint32(0)
	for _, a := range all {
		if there[a.thread.id>>fanBits]>>(a.thread.id&(fan-1))&1 == 0 {
			rest = append(rest, a)
			continue
		}
		arrived = append(arrived, a)
		top = max(top, a.own)
	}
	if len(rest) == 0 {
		delete(d.meetings, key)
	} else {
		d.meetings[key] = rest
	}
	known := d.brought(arrived, waits, top, key.kind)
	for _, a := range arrived {
		t := a.thread
		d.warp(int(t.place.block), int(t.id>>fanBits&(fan-1))).same = 0
		if waits[t.id>>fanBits]>>(t.id&(fan-1))&1 == 0 {
			continue
		}
		if t.past == a.past && !a.relaxed {
			t.past = known // which holds its past
		} else {
			t.past = t.past.join(known)
		}
		t.own = max(t.own, top+1)
		if t.fences == a.fences {
			t.fences = ownFences{} // the past has them
		}
	}
}

// brought is what the arrivals know together. Threads that stood still between arrival and
// completion go on in an epoch behind all others, so one number stands for all of them.
func (d *Detector) brought(arrived []arrival, waits map[uint32]uint32, top uint32, kind event.BarrierKind) clock {
	var known, last clock
	still := map[uint32]uint32{}
	perBlock, total := map[uint32]int{}, 0
	for i, a := range arrived {
		if a.relaxed {
			continue
		}
		if i == 0 || a.past != last {
			known, last = known.join(a.past), a.past
		}
		w, lane := a.thread.id>>fanBits, a.thread.id&(fan-1)
		if kind == event.ClusterBarrier || waits[w]>>lane&1 == 0 {
			known.know(d.height-1, 0, a.thread.id, leaf(1<<lane, a.own))
			continue
		}
		still[w] |= 1 << lane
		perBlock[w>>fanBits]++
		total++
	}
	known.sc = known.sc.join(fencesOf(arrived, d.height))
	if kind == event.ClusterBarrier || kind == event.GridBarrier {
		known.sc = known.sc.abroad()
	}
	if total == d.launch.Threads()*d.launch.Grid.Count() {
		known.know(d.height-1, d.height-1, 0, &node{floor: top})
		return known
	}
	for block, n := range perBlock {
		if n == d.launch.Threads() {
			known.know(d.height-1, 1, block<<blockBits, &node{floor: top})
		}
	}
	for w, lanes := range still {
		if perBlock[w>>fanBits] == d.launch.Threads() {
			continue
		}
		sub := leaf(lanes, top)
		if bits.OnesCount32(lanes) == fan {
			sub = &node{floor: top}
		}
		known.know(d.height-1, 0, w<<fanBits, sub)
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
	w := d.warp(b.Block, b.Warp)
	w.same = 0
	for rest := b.Mask; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		t, phase := &w.threads[lane], b.Phase[lane]
		o := d.object(b.Owner, b.Addr[lane])
		switch b.Op {
		case event.MbarrierInit, event.MbarrierInvalidate:
			delete(d.objects, sharedAt(b.Owner, b.Addr[lane]))
			continue
		case event.MbarrierArrive, event.MbarrierExpect:
			o.phase = max(o.phase, phase)
			if b.Op == event.MbarrierArrive && (b.Order == event.Release || b.Order == event.AcquireRelease) {
				o.releases[phase] = inherit(o.releases[phase], []release{t.snapshot(b.Scope)}, d.height)
			}
		case event.MbarrierTestWait:
			if b.Done>>lane&1 == 0 {
				continue
			}
			o.phase = max(o.phase, phase+1)
			t.past = t.past.join(o.copies[phase])
			if b.Order == event.Acquire || b.Order == event.AcquireRelease {
				var p *pending
				t.observe(&record{releases: o.releases[phase]}, &p, d.height)
				if p != nil {
					t.acquire(p, b.Scope)
				}
			}
			delete(o.releases, phase-2) // nobody can ask for it any more
			delete(o.copies, phase-2)
		}
	}
}

// copies are a thread's asynchronous copies of one family: those since the last commit, and
// the groups that may be unfinished, as agents.
type copies struct {
	open   []uint32
	groups [][]uint32
}

// Copy implements event.Listener.
func (d *Detector) Copy(c *event.Copy) {
	if d.off {
		return
	}
	w := d.warp(c.Block, c.Warp)
	w.same = 0
	first := d.agents
	d.agents += fan
	d.copiers[first>>fanBits] = w.number
	for rest := c.Mask; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		t := &w.threads[lane]
		agent := first + uint32(lane)
		e := entry{warp: first >> fanBits, lanes: 1 << lane, pc: c.PC, flags: async, size: 1}
		e.kind, e.epoch = event.Read, copyRead
		d.span(t, e, d.at(c.From, c.FromOwner, c.Source[lane]), uint64(c.SourceSize[lane]))
		e.kind, e.epoch = event.Write, copyWritten
		d.span(t, e, d.at(c.To, c.ToOwner, c.Target[lane]), uint64(c.TargetSize[lane]))
		t.own++ // what follows is not before the copy
		if c.HasMbarrier {
			o := d.object(c.MbarrierOwner, c.Mbarrier[lane])
			o.copies[o.phase] = o.copies[o.phase].finish(agent, copyWritten)
			continue
		}
		family := &t.copies[familyOf(c.Bulk)]
		family.open = append(family.open, agent)
	}
}

func familyOf(bulk bool) int {
	if bulk {
		return 1
	}
	return 0
}

// CopyGroup implements event.Listener.
func (d *Detector) CopyGroup(g *event.CopyGroup) {
	if d.off {
		return
	}
	w := d.warp(g.Block, g.Warp)
	w.same = 0
	for rest := g.Mask; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		t := &w.threads[lane]
		family := &t.copies[familyOf(g.Bulk)]
		switch g.Op {
		case event.CopyCommit:
			family.groups = append(family.groups, family.open)
			family.open = nil
		case event.CopyWait:
			family.wait(t, g.Pending, g.Read)
		case event.CopyWaitAll:
			family.groups = append(family.groups, family.open)
			family.open = nil
			family.wait(t, 0, g.Read)
		case event.CopyMbarrier:
			o := d.object(g.Owner, g.Addr[lane])
			known := o.copies[o.phase]
			for _, group := range append(family.groups, family.open) {
				for _, agent := range group {
					known = known.finish(agent, copyWritten)
				}
			}
			o.copies[o.phase] = known
			o.releases[o.phase] = inherit(o.releases[o.phase], []release{t.snapshot(race.ScopeBlock)}, d.height)
		}
	}
}

// wait finishes all groups but the last ones.
func (c *copies) wait(t *thread, unfinished int, read bool) {
	done := max(len(c.groups)-unfinished, 0)
	epoch := uint32(copyWritten)
	if read {
		epoch = copyRead
	}
	for _, group := range c.groups[:done] {
		for _, agent := range group {
			t.past = t.past.finish(agent, epoch)
		}
	}
	if !read {
		c.groups = c.groups[done:]
	}
}
