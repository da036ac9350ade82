package causality

// This file lets lanes of a warp share one state though each of them has learnt something else: each from the
// lane of its own number in another warp, as where all lanes do the same with locks or flags of their own.
//
// DESIGN. What a state, and what comes from it, knows of "the own lane" is said once, for whatever lane asks; it is
// relative. A set of lanes that is ownLane stands for that lane. So a record of which each lane of a row of words
// has one that differs in nothing but the lane is observed by lanes that are alike as one record, of ownLane. Where
// knowledge goes elsewhere (to another lane, a barrier, one lane's own doing), it is made absolute for the lanes
// whose it was.

import (
	"math/bits"
	"slices"

	"github.com/warplint/warplint/dynamic/event"
)

// ownLane is the set of lanes that is the one whose knowledge it is about.
const ownLane = 0

// includes reports whether one set of lanes has all of another.
func includes(set, part uint32) bool {
	if part == ownLane {
		return set == ownLane
	}
	return part&^set == 0
}

// joinOwn is joinLanes where a lane's own is known.
func joinOwn(a, b *node) *node {
	own := max(a.own, b.own)
	if a.set|b.set == 0 {
		floor := max(a.floor, b.floor)
		switch {
		case own <= floor:
			own = 0
		case a.own == own && a.floor == floor:
			return a
		case b.own == own && b.floor == floor:
			return b
		}
		return &node{floor: floor, own: own}
	}
	x, y := *a, *b
	x.own, y.own = 0, 0
	out := *joinLanes(&x, &y)
	if out.own = own; own <= out.floor {
		out.own = 0
	}
	return &out
}

// absolute says of some lanes what is known of own ones.
func (n *node) absolute(lanes uint32) *node {
	switch {
	case n == nil:
		return nil
	case n.kids == nil && n.own == 0:
		return n
	case n.kids == nil:
		plain := *n
		plain.own = 0
		return join(&plain, leaf(lanes, n.own))
	}
	var kids [fan]*node
	same := true
	for i, k := range n.kids {
		kids[i] = k.absolute(lanes)
		same = same && kids[i] == k
	}
	if same {
		return n
	}
	return newNode(n.floor, n.set, kids[:len(n.kids)])
}

func (c clock) absolute(lanes uint32) clock {
	out := clock{c.threads.absolute(lanes), c.copies, nil, c.sc.absolute(lanes)}
	if out.firm = out.threads; c.firm != c.threads {
		out.firm = c.firm.absolute(lanes)
	}
	return out
}

func (s *sequential) absolute(lanes uint32) *sequential {
	if s == nil {
		return nil
	}
	out := *s
	for l := range levels {
		out.fenced[l], out.heard[l] = out.fenced[l].absolute(lanes), out.heard[l].absolute(lanes)
	}
	return out.shared(s, nil)
}

func (s *marks) absolute(lanes uint32) *marks {
	if s == nil {
		return nil
	}
	list := slices.Clone(s.list)
	same := true
	for i := range list {
		m := &list[i]
		if m.epoch != 0 && m.lanes == ownLane {
			m.lanes = lanes
		}
		m.threads = m.threads.absolute(lanes)
		same = same && *m == s.list[i]
	}
	if same {
		return s
	}
	return &marks{list}
}

func (f ownFences) absolute(lanes uint32) ownFences {
	for l := range f {
		f[l].threads = f[l].threads.absolute(lanes)
	}
	return f
}

// absolute is a list of releases of one lane.
func absolute(list []release, lane uint32) []release {
	out := slices.Clone(list)
	for i := range out {
		r := &out[i]
		c := &content{past: r.whole().absolute(lane), fences: r.fences.absolute(lane), parts: slices.Clone(r.parts)}
		for j := range c.parts {
			if c.parts[j].lanes == ownLane {
				c.parts[j].lanes = lane
			}
		}
		r.content = c
	}
	return out
}

// absolute is a record whose publication is not relative.
func (r *record) absolute(lane uint32) *record {
	if r == nil || r.lanes != ownLane && !r.shows.each {
		return r
	}
	out := *r
	out.next = nil
	if out.lanes == ownLane {
		out.lanes = lane
	}
	out.shows = r.shows.absolute(out.lanes)
	return &out
}

func (p *publication) absolute(lane uint32) *publication {
	if !p.each {
		return p
	}
	out := &publication{releases: absolute(p.releases, lane), foreign: p.foreign}
	for i := range out.releases {
		out.releases[i] = out.releases[i].by(lane)
	}
	out.fenced = fenced{sc: p.fenced.sc.absolute(lane), fences: p.fenced.fences.absolute(lane)}
	return out
}

// settle gives lanes of a set whose state is relative states of their own.
func (w *warpState) settle(set uint32) {
	for rest := set; rest != 0; rest &= rest - 1 {
		if lane := firstLane(rest); w.at(lane).each {
			w.take(lane, 1<<lane).settle()
		}
	}
}

// settle makes the state of one lane absolute.
func (t *thread) settle() {
	t.past, t.fences, t.releases = t.past.absolute(t.lanes), t.fences.absolute(t.lanes), absolute(t.releases, t.lanes)
	t.shown, t.shows, t.room, t.last, t.blockAt = shown{}, nil, nil, nil, nil
	for i := range t.unread {
		t.unread[i].record = t.unread[i].absolute(t.lanes)
	}
	if p := t.observed; p != nil {
		for i := range p {
			p[i] = p[i].absolute(t.lanes)
		}
	}
	t.each = false
}

// covers reports whether one of the state's lanes knows some lanes of a warp up to an epoch.
func (t *thread) covers(known *node, height int, warp, lanes, epoch uint32, lane uint32) bool {
	first := warp << fanBits
	if known.covers(height, first, lanes, epoch) {
		return true
	}
	if !t.each || lanes&lane == 0 || lane&(lane-1) != 0 || !known.covers(height, first, ownLane, epoch) {
		return false
	}
	lanes &^= lane
	return lanes == 0 || known.covers(height, first, lanes, epoch)
}

// strongRow is a strong access of lanes that are alike, each to a word of its own.
type strongRow struct {
	cells [fan]*cell
	seen  [fan]*record
	fresh uint32 // lanes whose word has had no strong write
	// all is the record of ownLane that the lanes' records come down to, if there are any; it is in room.
	all  *record
	room record
}

// inRow handles a strong access of lanes that are alike, each to a word of its own of which the lane of its number
// in one other warp has the last strong write, so that all the lanes learn the same, each of its like. It reports
// whether it has.
func (d *Detector) inRow(w *warpState, a *event.Access, set uint32, e entry, s strength) bool {
	t := w.at(firstLane(set))
	if bits.OnesCount32(set) < fewLanes || set&^t.lanes != 0 || a.Size != 1<<wordBits || a.Elements != 1 || s.acquire || s.release || d.acquires {
		return false
	}
	if len(t.releasedAt)+len(t.seen) > 0 || !ascend(a, set) {
		return false
	}
	x := &d.row
	joint := d.jointLanes(x, t, a, set, e)
	each := set &^ (joint & (joint - 1)) // of those that are joint, the first
	if !d.gather(x, a, each, joint) {
		return false
	}
	if x.all != nil && x.all.warp != w.number {
		w.note(logged{lanes: set, epoch: t.own, pc: a.PC, written: x.all.written, linked: linked(x.all, w.place, s.scope)})
	}
	if d.waiting[a.PC] {
		for rest := each; rest != 0; rest &= rest - 1 {
			x.cells[firstLane(rest)].polled = true
		}
	}
	w.polling &^= set & d.changing
	d.pollEach(w, set&^d.changing, a)
	looked := uint32(0)
	for rest := each; rest != 0; rest &= rest - 1 {
		if d.inCell(x, t, a, firstLane(rest), e, s) {
			looked |= rest & -rest
		}
	}
	if looked == each && joint != 0 {
		d.waitsInRow(x, t, a, each)
	}
	if x.all != nil && t.heeds(x.all, ownLane, s.scope, d.height) {
		t = w.take(firstLane(set), set)
		w.block.heard, t.each = true, true
		kept := *x.all // only what is kept goes to the heap
		t.read(&kept, d.height, false)
	}
	if a.Kind != event.Read && set&^d.failing != 0 {
		d.writeRow(x, t, a, set, each, e, s)
	}
	if joint == 0 {
		d.unite(x, a, set)
	}
	return true
}

// waitsInRow notes that the lanes of a row look at what they have looked at before, of joint words the first one.
func (d *Detector) waitsInRow(x *strongRow, t *thread, a *event.Access, each uint32) {
	at := d.at(a.Space, a.Owner, a.Addr[firstLane(a.Mask)])
	if !a.Together || each&^t.lanes != 0 || bits.OnesCount32(each) > maxWait {
		return
	}
	y := t.w.waits(t, a, at)
	y.row = d.shadow.row(at).more.cells
	y.joint = y.row.joint
	for rest := each; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		y.sees(x.cells[lane], x.seen[lane], lane)
	}
}

// ascend reports whether the lanes of a set access words one behind the other.
func ascend(a *event.Access, set uint32) bool {
	if a.Together {
		return a.Addr[0]&3 == 0
	}
	last := uint64(0)
	for rest := set; rest != 0; rest &= rest - 1 {
		at := a.Addr[firstLane(rest)]
		if at&3 != 0 || at <= last && rest != set {
			return false
		}
		last = at
	}
	return true
}

// gather finds the cells of a row, but for those of joint lanes, and, for reads, the records there. It reports whether
// they are alike.
func (d *Detector) gather(x *strongRow, a *event.Access, set, joint uint32) bool {
	x.all, x.fresh = nil, 0
	var first *record
	for rest := set; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		at := d.at(a.Space, a.Owner, a.Addr[lane])
		if joint>>lane&1 == 0 {
			x.cells[lane] = d.cell(at)
		}
		c := x.cells[lane]
		x.seen[lane] = nil
		if a.Kind != event.Read && c.records == nil && !d.shadow.acts.holdsStrongWrite(c) {
			x.fresh |= 1 << lane
		}
		if a.Kind == event.Write {
			continue
		}
		r := c.record(at, 1<<wordBits)
		x.seen[lane] = r
		if rest == set {
			first = r
		}
		switch {
		case r == nil && first == nil:
		case r == nil || first == nil || r.lanes != 1<<lane || r.warp != first.warp || r.epoch != first.epoch || r.shows != first.shows ||
			r.scope != first.scope || r.lock != first.lock || r.pc != first.pc:
			return false
		}
	}
	if first != nil {
		x.all, x.room = &x.room, *first
		x.all.lanes, x.all.next, x.all.observed = ownLane, nil, false
	}
	return true
}

// inCell checks the access of one lane of a row. It reports whether that is a look like the last one.
func (d *Detector) inCell(x *strongRow, t *thread, a *event.Access, lane int, e entry, s strength) (looked bool) {
	at := d.at(a.Space, a.Owner, a.Addr[lane])
	d.serial++
	if d.fails(lane) {
		e.kind = event.Read
	}
	lanes := uint32(1) << lane
	seen := x.seen[lane]
	if e.kind == event.Read && seen != nil {
		if linked(seen, t.place, s.scope) {
			seen.readBy(part{t.w.number, lanes, t.own})
		}
		if d.sameLook(t, x.cells[lane], lanes, a, seen) {
			return true
		}
	}
	e.lanes, e.epoch, e.mask = lanes, t.own, 1<<4-1
	if a.Kind == event.Write {
		e.value = d.valueAt(a, lane, 0)
	}
	d.check(t, x.cells[lane], &e, at)
	if seen != nil && e.kind == event.Read && d.raced != d.serial {
		t.w.looked(t, lanes, a, seen)
	}
	return false
}

// noteLocks is noteLock for some lanes of a row, and returns those that are about a lock.
func (d *Detector) noteLocks(x *strongRow, t *thread, a *event.Access, s strength, set uint32) (locks uint32) {
	given, takers := &a.Value[0], uint32(0)
	switch {
	case a.Op == event.AtomicCompareExchange:
		takers = set
	case a.Op == event.AtomicExchange && a.Operand.Known():
		given = &a.Operand
		takers = differing(given, &event.Lanes{W64: &zeros}, set)
	case a.Kind == event.Write && given.Known():
		set &^= differing(given, &event.Lanes{W64: &zeros}, set)
	default:
		return 0
	}
	for rest := takers; rest != 0; rest &= rest - 1 {
		if lane := firstLane(rest); d.noteLock(t, x.cells[lane], a, s, lane, d.at(a.Space, a.Owner, a.Addr[lane])) {
			locks |= rest & -rest
		}
	}
	if set &^= takers; set == 0 || !d.inUse {
		return locks
	}
	b, n := t.w.block, 0
	for i := range b.held {
		if lane := d.laneAt(a, set, &b.held[i]); lane >= 0 {
			d.emptied(x.cells[lane], b.held[i].at, t.w, &b.held[i])
			continue
		}
		b.held[n] = b.held[i]
		n++
	}
	if n < len(b.held) {
		b.held, b.holds = b.held[:n], nil
	}
	for rest := set; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		d.emptied(x.cells[lane], d.at(a.Space, a.Owner, a.Addr[lane]), t.w, nil)
		if x.cells[lane].isLock(a.Addr[lane]) {
			locks |= rest & -rest
		}
	}
	return locks
}

// laneAt returns the lane of a set that accesses a lock, or -1: mostly it is the one that holds it.
func (d *Detector) laneAt(a *event.Access, set uint32, l *heldLock) int {
	if lane := int(l.by & (fan - 1)); set>>lane&1 != 0 && d.at(a.Space, a.Owner, a.Addr[lane]) == l.at {
		return lane
	}
	for rest := set; rest != 0; rest &= rest - 1 {
		if lane := firstLane(rest); d.at(a.Space, a.Owner, a.Addr[lane]) == l.at {
			return lane
		}
	}
	return -1
}

// writeRow keeps the strong writes of a row, those of each lane whose words are not joint.
func (d *Detector) writeRow(x *strongRow, t *thread, a *event.Access, set, each uint32, e entry, s strength) {
	all := record{written: written{warp: e.warp, lanes: ownLane, epoch: t.own, shows: t.published(location{}, s)}, cluster: t.place.cluster, scope: s.scope}
	if x.all != nil && a.Kind == event.Atomic && linked(x.all, t.place, s.scope) {
		all.lock = x.all.lock
		all.inherit(x.all, d.height)
	}
	locks := d.noteLocks(x, t, a, s, set&^d.failing)
	for rest := each &^ d.failing; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		c, at := x.cells[lane], d.at(a.Space, a.Owner, a.Addr[lane])
		r := all
		r.at, r.pc, r.size, r.lanes = at, a.PC, e.size, 1<<lane
		r.lock = r.lock || locks>>lane&1 != 0
		fresh := x.fresh>>lane&1 != 0
		r.chain = (a.Kind == event.Atomic || fresh) && extends(x.seen[lane], t.place, s.scope, fresh)
		d.keepRecord(c, &r)
	}
}
