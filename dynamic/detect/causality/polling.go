package causality

// This file finds out which instructions poll, and which locations are polled: they are read several times
// in a row.

import (
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

// poll is a strong read.
type poll struct {
	pc uint32
	at uint64
}

// look is a strong read that raced with nothing, and what it observed. That is put in no other one's place, as
// one thread may write the same twice, and another one between.
type look struct {
	seen             *record
	lanes, epoch, pc uint32
}

// sameLook reports whether a strong read does what the last one of its threads that raced with nothing did, in
// the same epoch of theirs, of a location in some cell, and observes the same write, so that nothing can have changed. It is who waits that
// reads so.
func (d *Detector) sameLook(t *thread, c *cell, lanes uint32, a *event.Access, seen *record) bool {
	w := t.w
	if w.looks == nil || seen == nil || d.inUse && !c.isLock(seen.at) {
		return false
	}
	return w.looks[firstLane(lanes)] == look{seen, lanes, t.own, a.PC}
}

// looked notes such a read.
func (w *warpState) looked(t *thread, lanes uint32, a *event.Access, seen *record) {
	if w.looks == nil {
		w.looks = new([fan]look)
	}
	w.looks[firstLane(lanes)] = look{seen, lanes, t.own, a.PC}
	seen.looked = true
}

// wait is the last access of a warp, if it was a look in which all lanes of it did what they had done before.
type wait struct {
	pc, lanes, epoch uint32
	at               uint64 // where the first lane looks; the others look there, too, or each at a word behind it
	seen             []sighting
	row              *rowCells // that has joint words
	joint            joint
}

// sighting is what a lane has seen in its cell; of joint words, only the first one's.
type sighting struct {
	cell *cell
	seen *record
	lane int
}

// maxWait bounds the cells that lanes wait at.
const maxWait = 4

// waits notes that lanes that are alike look at some cells, the first lane at an address.
func (w *warpState) waits(t *thread, a *event.Access, at uint64) *wait {
	if w.wait == nil {
		w.wait = new(wait)
	}
	x := w.wait
	*x = wait{pc: a.PC, lanes: a.Mask, epoch: t.own, at: at, seen: x.seen[:0]}
	w.waited = true
	return x
}

func (x *wait) sees(c *cell, seen *record, lane int) {
	x.seen = append(x.seen, sighting{c, seen, lane})
}

// stillWaits reports whether an access comes to the same as the last one of its warp, which was a look.
func (d *Detector) stillWaits(w *warpState, a *event.Access) bool {
	x, lane := w.wait, firstLane(a.Mask)
	t := w.at(lane)
	switch {
	case x.pc != a.PC || x.lanes != a.Mask || x.epoch != t.own || a.Mask&^t.lanes != 0 || w.polling&w.noted&a.Mask != a.Mask:
		return false
	case x.at != d.at(a.Space, a.Owner, a.Addr[lane]) || x.row != nil && x.row.joint != x.joint:
		return false
	case !a.Uniform && !a.Together && a.Mask&(a.Mask-1) != 0 || a.Together && x.row == nil:
		return false
	}
	for i := range x.seen {
		if s := &x.seen[i]; s.cell.records != s.seen {
			return false
		}
	}
	if a.Op == event.AtomicCompareExchange {
		if d.failing != a.Mask {
			return false
		}
	}
	scope := a.Scope
	if a.Volatile {
		scope = race.ScopeSystem
	}
	for i := range x.seen {
		if s := &x.seen[i]; linked(s.seen, w.place, scope) {
			s.seen.readBy(part{w.number, 1 << s.lane, t.own})
		}
	}
	return true
}

// poll notes the instructions and locations that are polled.
func (d *Detector) poll(w *warpState, lanes uint32, a *event.Access, c *cell, at uint64) {
	c.polled = c.polled || d.waiting[a.PC]
	d.pollLanes(w, lanes, a, at)
}

// pollLanes notes what some lanes read.
func (d *Detector) pollLanes(w *warpState, lanes uint32, a *event.Access, at uint64) {
	w.polling &^= lanes & d.changing
	for rest := lanes &^ d.changing; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		if w.polled == nil {
			w.polled = new([fan]poll)
		}
		last, now := &w.polled[lane], poll{a.PC, at}
		switch {
		case w.polling>>lane&1 == 0 || *last != now:
			w.polling |= 1 << lane
			w.noted &^= 1 << lane
			*last = now
		case w.noted>>lane&1 == 0:
			d.again(w, lane)
		}
	}
}

// flag reports whether a word was polled.
func (d *Detector) flag(word uint64) bool {
	if d.flags[word] {
		return true
	}
	c := d.shadow.peek(word)
	return c != nil && c.polled
}

// failing returns the lanes of an access whose compare-and-swap leaves what it finds.
func failing(a *event.Access) uint32 {
	if a.Op != event.AtomicCompareExchange || !a.Value[0].Known() {
		return 0
	}
	return differing(&a.Value[0], &a.Compare, a.Mask)
}

// changing returns the lanes of a strong access that may change what their location holds. Those who wait don't. The
// lanes that fail are known.
func changing(a *event.Access, failing uint32) uint32 {
	switch {
	case a.Kind == event.Read || a.Op == event.AtomicCompareExchange && !a.Value[0].Known():
		return 0
	case a.Op == event.AtomicCompareExchange:
		return differing(&a.Operand, &a.Compare, a.Mask&^failing)
	case !a.Operand.Known():
	case a.Op == event.AtomicExchange:
		return differing(&a.Operand, &a.Value[0], a.Mask)
	case a.Op == event.AtomicAdd || a.Op == event.AtomicOr || a.Op == event.AtomicXor:
		return differing(&a.Operand, &event.Lanes{W64: &zeros}, a.Mask)
	}
	return a.Mask
}

var zeros [fan]uint64

// differing returns the lanes of a set of which two values differ.
func differing(x, y *event.Lanes, set uint32) (lanes uint32) {
	if x.W64 != nil && y.W64 != nil && set&(set-1) != 0 {
		for i, v := range x.W64 {
			if v != y.W64[i] {
				lanes |= 1 << i
			}
		}
		return lanes & set
	}
	for ; set != 0; set &= set - 1 {
		if lane := firstLane(set); x.At(lane) != y.At(lane) {
			lanes |= set & -set
		}
	}
	return lanes
}

// polls is poll for an access of some lanes to what mostly is data.
func (d *Detector) polls(w *warpState, lanes uint32, a *event.Access) {
	if a.Volatile && a.Kind == event.Read {
		d.pollEach(w, lanes, a)
	} else {
		w.polling &^= lanes
	}
}

// pollEach is poll for reads of some lanes, each of a location of its own, that do not stand in a loop which
// waits.
func (d *Detector) pollEach(w *warpState, lanes uint32, a *event.Access) {
	if w.polled == nil {
		w.polled = new([fan]poll)
	}
	base := d.at(a.Space, a.Owner, 0)
	for rest := lanes; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		last, now := &w.polled[lane], poll{a.PC, base | a.Addr[lane]}
		if *last == now && w.polling>>lane&1 != 0 {
			if w.noted>>lane&1 == 0 {
				d.again(w, lane)
			}
			continue
		}
		*last = now
		w.noted &^= 1 << lane
	}
	w.polling |= lanes
}

// again notes that a lane has read twice in a row what it polls.
func (d *Detector) again(w *warpState, lane int) {
	w.noted |= 1 << lane
	last := &w.polled[lane]
	d.pollers[last.pc] = true
	if seen := &d.flagged[last.at>>wordBits%uint64(len(d.flagged))]; *seen != last.at&^3|1 {
		*seen = last.at&^3 | 1
		d.flags[last.at&^3] = true
	}
}
