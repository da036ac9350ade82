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

// arrival is what threads of a warp that are alike bring to a barrier.
type arrival struct {
	warp    *warpState
	lanes   uint32
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
		k.where = int(d.clusterOf(int32(s.Block)))
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
		d.meetings[key] = d.warp(b.Block, b.Warp).arrive(d.meetings[key], b.Mask, b.Relaxed, d.height)
		return
	}
	d.complete(key, b.Participants)
}

// arrive adds the arrivals of some lanes; what these do next belongs to a new epoch.
func (w *warpState) arrive(list []arrival, lanes uint32, relaxed bool, height int) []arrival {
	for rest := lanes; rest != 0; rest &= rest - 1 {
		if t := &w.threads[firstLane(rest)]; len(t.unread) > 0 {
			t.digest(height)
			w.same = 0
		}
	}
	alike := w.alike(lanes)
	w.same = 0
	for rest := lanes; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		t := &w.threads[lane]
		if last := len(list) - 1; alike && rest != lanes {
			list[last].lanes |= 1 << lane
		} else {
			list = append(list, arrival{w, 1 << lane, t.past, t.own, t.fences, relaxed})
		}
		t.own++
	}
	if alike {
		w.same = lanes
	}
	return list
}

// participation says which lanes of a warp take part in a barrier, and which of these wait.
type participation struct{ there, waits uint32 }

// complete lets those that wait know what all participants knew when they arrived.
func (d *Detector) complete(key meetingKey, groups []event.Group) {
	by := make(map[uint32]participation, len(groups))
	for _, g := range groups {
		p := by[warpNumber(g.Block, g.Warp)]
		p.there |= g.Mask
		if g.Waits {
			p.waits |= g.Mask
		}
		by[warpNumber(g.Block, g.Warp)] = p
	}
	arrived := d.meetings[key]
	var late []arrival // of another round
	waits := make([]uint32, len(arrived))
	top := uint32(0)
	for i := range arrived {
		a := &arrived[i]
		p := by[a.warp.number]
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
	known := d.brought(arrived, waits, top, key.kind)
	for i := range arrived {
		arrived[i].leave(waits[i], known, top)
	}
	clear(arrived)
	d.meetings[key] = append(arrived[:0], late...)
}

// leave lets the lanes that have waited go on, knowing what all have brought.
func (a *arrival) leave(waits uint32, known clock, top uint32) {
	w := a.warp
	w.same = 0
	still := !a.relaxed
	for rest := waits; rest != 0; rest &= rest - 1 {
		t := &w.threads[firstLane(rest)]
		if t.past == a.past && !a.relaxed {
			t.past = known // which holds its past
		} else {
			t.past = t.past.join(known)
			still = false
		}
		still = still && t.own <= top+1
		t.own = max(t.own, top+1)
		if t.fences == a.fences {
			t.fences = ownFences{} // the past has them
		}
	}
	if still {
		w.same = waits
	}
}

// brought is what the arrivals know together. Threads that stood still between arrival and
// completion go on in an epoch behind all others, so one number stands for all of them.
func (d *Detector) brought(arrived []arrival, waits []uint32, top uint32, kind event.BarrierKind) clock {
	var known, last clock
	begun := false
	perBlock, total := map[uint32]int{}, 0
	for i := range arrived {
		a := &arrived[i]
		if a.relaxed || a.lanes == 0 {
			continue
		}
		if !begun || a.past != last {
			known, last, begun = known.join(a.past), a.past, true
		}
		still := waits[i]
		if kind == event.ClusterBarrier {
			still = 0
		}
		if gone := a.lanes &^ still; gone != 0 {
			known.know(d.height-1, 0, a.warp.number<<fanBits, leaf(gone, a.own))
		}
		waits := bits.OnesCount32(still)
		perBlock[a.warp.number>>fanBits] += waits
		total += waits
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
	for i := range arrived {
		a := &arrived[i]
		if a.relaxed || waits[i] == 0 || kind == event.ClusterBarrier || perBlock[a.warp.number>>fanBits] == d.launch.Threads() {
			continue
		}
		sub := leaf(waits[i], top)
		if bits.OnesCount32(waits[i]) == fan {
			sub = &node{floor: top}
		}
		known.know(d.height-1, 0, a.warp.number<<fanBits, sub)
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
		t.digest(d.height)
		o := d.object(b.Owner, b.Addr[lane])
		switch b.Op {
		case event.MbarrierInit, event.MbarrierInvalidate:
			delete(d.objects, sharedAt(b.Owner, b.Addr[lane]))
			continue
		case event.MbarrierArrive, event.MbarrierExpect:
			o.phase = max(o.phase, phase)
			if b.Op == event.MbarrierArrive && (b.Order == event.Release || b.Order == event.AcquireRelease) {
				o.releases[phase] = inherit(o.releases[phase], []release{t.snapshot(b.Scope)}, false, d.height)
			}
		case event.MbarrierTestWait:
			if b.Done>>lane&1 == 0 {
				continue
			}
			o.phase = max(o.phase, phase+1)
			t.past = t.past.join(o.copies[phase])
			if b.Order == event.Acquire || b.Order == event.AcquireRelease {
				var p *pending
				t.observe(&record{releases: o.releases[phase]}, &p, b.Scope, d.height)
				if p != nil {
					t.acquire(p, b.Scope, d.height)
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
			t.digest(d.height)
			o := d.object(g.Owner, g.Addr[lane])
			known := o.copies[o.phase]
			for _, group := range append(family.groups, family.open) {
				for _, agent := range group {
					known = known.finish(agent, copyWritten)
				}
			}
			o.copies[o.phase] = known
			o.releases[o.phase] = inherit(o.releases[o.phase], []release{t.snapshot(race.ScopeBlock)}, false, d.height)
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
