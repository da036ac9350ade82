package causality

// This file finds out which instructions poll, and which locations are polled: they are read several times
// in a row.

import "github.com/warplint/warplint/dynamic/event"

// poll is a strong read.
type poll struct {
	pc uint32
	at uint64
}

// look is a strong read that raced with nothing, and what it observed.
type look struct {
	written
	seen *record
	mine struct{ lanes, epoch, pc uint32 }
}

// sameLook reports whether a strong read does what the last one of its threads that raced with nothing did, in
// the same epoch of theirs, of a location in some cell, and observes the same write, so that nothing can have changed. It is who waits that
// reads so.
func (d *Detector) sameLook(t *thread, c *cell, lanes uint32, a *event.Access, seen *record) bool {
	w := t.w
	if w.looks == nil || seen == nil || d.inUse && !c.isLock(seen.at) {
		return false
	}
	l := &w.looks[firstLane(lanes)]
	return l.seen == seen && l.written == seen.written && l.mine.lanes == lanes && l.mine.epoch == t.own && l.mine.pc == a.PC
}

// looked notes such a read.
func (w *warpState) looked(t *thread, lanes uint32, a *event.Access, seen *record) {
	if w.looks == nil {
		w.looks = new([fan]look)
	}
	l := &w.looks[firstLane(lanes)]
	l.written, l.seen = seen.written, seen
	l.mine.lanes, l.mine.epoch, l.mine.pc = lanes, t.own, a.PC
}

// poll notes the instructions and locations that are polled.
func (d *Detector) poll(w *warpState, lanes uint32, a *event.Access, c *cell, at uint64) {
	c.polled = c.polled || d.waiting[a.PC]
	for rest := lanes; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		if changes(a, lane) {
			w.polling &^= 1 << lane
			continue
		}
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

// changes reports whether a strong access may change what the location holds. Who waits doesn't.
func changes(a *event.Access, lane int) bool {
	switch {
	case a.Kind != event.Atomic:
		return a.Kind == event.Write
	case a.Op == event.AtomicCompareExchange:
		return a.Value[0].Known() && a.Value[0].At(lane) == a.Compare.At(lane)
	case a.Op == event.AtomicExchange:
		return !a.Operand.Known() || a.Operand.At(lane) != a.Value[0].At(lane)
	case a.Op == event.AtomicAdd || a.Op == event.AtomicOr || a.Op == event.AtomicXor:
		return !a.Operand.Known() || a.Operand.At(lane) != 0
	}
	return true
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
	d.flags[last.at&^3], d.pollers[last.pc] = true, true
}
