package causality

// This file orders strong writes before what follows those who have observed them, with no fence.
//
// DESIGN. Causality order begins with observation: a strong write is before all that comes after a strong
// read which observes it, directly or through read-modify-writes, though what its thread did earlier is not
// (PTX ISA, "Causality order": observation order goes before base causality order, once). So the last of those
// that count by an atomic may set the count back by a plain write. Where all strong writes of a location are
// one chain, whoever knows its last one, or the last read of that, has observed them all; what only others have
// observed is not told apart.

import (
	"math/bits"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

// sight are the strong writes of a word which the present access comes after, by the records of the last.
type sight struct {
	chains *record
	word   uint64
}

// look finds what the present access of a word comes after. What a strong read observes itself it does not come
// after.
func (d *Detector) look(t *thread, c *cell, e *entry, at uint64) {
	d.sight = sight{word: at &^ 3}
	if e.peer() || e.flags.level() == volatile && e.kind != event.Write {
		return
	}
	r := c.records
	if r == nil && at>>wordBits&1 != 0 { // the second half of an element of eight bytes
		if half := d.shadow.peek(at &^ 7); half != nil {
			r = half.records
		}
	}
	if r != nil && r.chain && r.at < d.sight.word+4 && d.sight.word < r.at+uint64(r.size) && d.knows(t, e, r) {
		d.sight.chains = r
	}
}

// knows reports whether the last writer of a chain, or the last that has read it, comes before an access.
func (d *Detector) knows(t *thread, e *entry, r *record) bool {
	last := entry{act{warp: r.warp, epoch: r.epoch}, 1 << (bits.Len32(r.lanes) - 1)}
	if d.before(&last, e, t) {
		return true
	}
	if own := r.seenIn(t.w.number); own != 0 && e.lanes != ownLane && includes(own, e.lanes) {
		return true
	}
	for rest := r.reader.lanes; rest != 0; rest &= rest - 1 {
		reader := entry{act{warp: r.reader.warp, epoch: r.reader.epoch}, rest & -rest}
		if d.before(&reader, e, t) {
			return true
		}
	}
	return false
}

// seenIn are the lanes of a warp that have written a record last, or observed it.
func (r *record) seenIn(warp uint32) (lanes uint32) {
	if r.warp == warp && r.lanes != ownLane {
		lanes = 1 << (bits.Len32(r.lanes) - 1)
	}
	if r.reader.warp == warp {
		lanes |= r.reader.lanes
	}
	return lanes
}

// alike are those of some lanes, which read a word together, that have observed its last strong write as one of them has, or
// not.
func (c *cell) alike(w *warpState, lane int, lanes uint32) uint32 {
	if c == nil || c.records == nil || !c.records.chain {
		return lanes
	}
	seen := c.records.seenIn(w.number)
	if seen>>lane&1 == 0 {
		seen = ^seen
	}
	return lanes & seen
}

// readBy notes that threads have observed a record, beside those of the same warp that have done so in the same epoch, as lanes
// of one compare-and-swap that fail do one after the other.
func (r *record) readBy(p part) {
	if r.reader.warp == p.warp && r.reader.epoch == p.epoch {
		p.lanes |= r.reader.lanes
	}
	r.reader = p
}

// sighted reports whether an earlier access is one of the strong writes that the present one comes after.
func (s *sight) sighted(o *entry) bool {
	r := s.chains
	if r == nil || !o.writes() || !o.peer() || o.flags&reread != 0 || o.size != r.size {
		return false
	}
	from, to := max(r.at, s.word), min(r.at+uint64(r.size), s.word+4)
	return o.mask == maskOf(from, to)
}

// extends reports whether a strong write of a location observes all earlier ones: as a read-modify-write of
// the last, or as the first of all.
func extends(read *record, at place, scope race.Scope, fresh bool) bool {
	if read == nil {
		return fresh
	}
	return read.chain && linked(read, at, scope)
}
