package causality

// This file handles most atomics of most programs: they hand nothing over.

import "github.com/warplint/warplint/dynamic/event"

// update is element for a read-modify-write of a word of four bytes by one lane that publishes nothing, after one that
// does not either, as long as no lock is in use. It reports whether it is one.
func (d *Detector) update(w *warpState, a *event.Access, e entry, s strength, lane int) bool {
	at := d.at(a.Space, a.Owner, a.Addr[lane])
	if at&3 != 0 || a.Op == event.AtomicCompareExchange && (d.fails(lane) || a.Compare.At(lane) == 0) {
		return false
	}
	c, t := d.cellOf(lane, at), w.at(lane)
	r := c.records
	in := false
	if r != nil {
		if r.shows != nothing || r.next != nil || r.at != at || r.size != 1<<wordBits || r.observed {
			return false
		}
		if in = linked(r, t.place, s.scope); r.warp != w.number || r.lanes != 1<<lane {
			w.note(logged{lanes: 1 << lane, epoch: t.own, pc: a.PC, written: r.written, linked: in})
		}
	}
	chain := in && r.chain || r == nil && !d.shadow.acts.holdsStrongWrite(c)
	d.serial++
	d.poll(w, 1<<lane, a, c, at)
	e.lanes, e.epoch, e.mask = 1<<lane, t.own, 1<<4-1
	if d.sight.chains = nil; c.listed || !d.checkFew(t, c, &e, at) {
		d.checkCrowd(t, c, &e, at)
	}
	if r == nil {
		r = d.shadow.spare.record()
		c.records = r
	}
	*r = record{
		written: written{at: at, pc: a.PC, warp: e.warp, lanes: e.lanes, epoch: e.epoch, shows: nothing},
		size:    1 << wordBits, cluster: t.place.cluster, scope: s.scope, chain: chain,
	}
	return true
}
