package causality

// This file defines rows: the shadow of 32 words, which keeps what a warp does to neighbouring words in
// one instruction as one run, as long as nothing races there. Most memory is never touched otherwise.

import (
	"math/bits"

	"github.com/warplint/warplint/dynamic/event"
)

const (
	rowBits  = 5
	rowWords = 1 << rowBits
)

// run is a weak access of some lanes of a warp, all in the same epoch and with the same past, to
// whole words of a row: of each lane to wide words, one lane behind the other; or, if wide is 0, of
// all lanes to the same words.
type run struct {
	warp, lanes, epoch, pc uint32
	words                  uint32            // of the row
	values                 *[rowWords]uint32 // that were written, by word; nil for a read
	first, word            uint8             // the lowest lane of the access, and its first word
	wide, size             uint8             // size is the bytes of an element
	kind                   event.Kind
}

// row is the shadow of 128 bytes: runs, or else cells.
type row struct {
	writes, reads []run
	index         map[runKey]int32 // the reads, once there are many
	cells         *[rowWords]cell
}

// runKey tells the reads apart of which a later one stands for an earlier one.
type runKey struct {
	warp  uint32
	shift int16
	wide  uint8
}

// shift is the same for runs in which each word belongs to the same lane.
func (r *run) shift() int16 { return int16(r.word) - int16(r.first)*int16(r.wide) }

func (r *run) key() runKey { return runKey{r.warp, r.shift(), r.wide} }

// lanesAt returns the lanes that touch some of the words.
func (r *run) lanesAt(words uint32) uint32 {
	switch {
	case r.wide == 0 || words == r.words:
		return r.lanes
	case r.wide == 1:
		return words >> r.word << r.first
	}
	var lanes uint32
	for rest := words; rest != 0; rest &= rest - 1 {
		lanes |= 1 << (r.first + (uint8(bits.TrailingZeros32(rest))-r.word)/r.wide)
	}
	return lanes
}

// drop takes words out of a run.
func (r *run) drop(words uint32) {
	r.words &^= words
	if r.wide > 0 {
		r.lanes = r.lanesAt(r.words)
	}
}

// sameLanes reports whether each common word of two runs belongs to the same thread.
func (r *run) sameLanes(o *run) bool {
	if r.warp != o.warp || r.wide != o.wide {
		return false
	}
	if r.wide == 0 {
		return r.lanes == o.lanes && r.lanes&(r.lanes-1) == 0
	}
	return r.shift() == o.shift()
}

// precedes reports whether a run, as far as it touches some words, is before the present one of threads
// that have t's past.
func (d *Detector) precedes(o, e *run, words uint32, t *thread) bool {
	return o.sameLanes(e) || t.past.threads.covers(d.height, o.warp<<fanBits, o.lanesAt(words), o.epoch)
}

// accept keeps a run if no other one of the row races with it.
func (d *Detector) accept(r *row, e *run, t *thread) bool {
	if r.cells != nil {
		return false
	}
	known := false // a write of the same threads in the same epoch stands for a read
	for i := range r.writes {
		o := &r.writes[i]
		common := o.words & e.words
		if common == 0 {
			continue
		}
		if !d.precedes(o, e, common, t) {
			return false
		}
		known = known || common == e.words && o.epoch == e.epoch && o.sameLanes(e)
	}
	if e.kind == event.Read {
		if !known {
			r.read(e)
		}
		return true
	}
	for i := range r.reads {
		o := &r.reads[i]
		if common := o.words & e.words; common != 0 && !d.precedes(o, e, common, t) {
			return false
		}
	}
	r.write(e)
	return true
}

// write adds a write that comes behind all in its words.
func (r *row) write(e *run) {
	if len(r.writes) == 1 && len(r.reads) == 0 && r.writes[0].words&^e.words == 0 {
		e.values = r.writes[0].values // to be filled anew
		r.writes[0] = *e
		return
	}
	e.values = new([rowWords]uint32)
	r.writes, _ = without(r.writes, e.words)
	var gone bool
	if r.reads, gone = without(r.reads, e.words); gone {
		r.reindex()
	}
	r.writes = append(r.writes, *e)
}

// without drops words from all runs.
func without(list []run, words uint32) (kept []run, gone bool) {
	kept = list[:0]
	for i := range list {
		o := &list[i]
		if o.words&words != 0 {
			o.drop(words)
			gone = true
		}
		if o.words != 0 {
			kept = append(kept, *o)
		}
	}
	clear(list[len(kept):])
	return kept, gone
}

const manyRuns = 12

// read adds a read, in the place of an earlier one of the same threads.
func (r *row) read(e *run) {
	if r.index != nil {
		if i, found := r.index[e.key()]; found && r.reads[i].words&^e.words == 0 {
			r.reads[i] = *e
			return
		}
		r.index[e.key()] = int32(len(r.reads))
		r.reads = append(r.reads, *e)
		return
	}
	for i := range r.reads {
		o := &r.reads[i]
		if o.words&^e.words != 0 || o.warp != e.warp || o.wide != e.wide {
			continue
		}
		if e.wide == 0 && o.lanes&^e.lanes == 0 || e.wide > 0 && o.shift() == e.shift() {
			*o = *e
			return
		}
	}
	if r.reads = append(r.reads, *e); len(r.reads) > manyRuns {
		r.reindex()
	}
}

func (r *row) reindex() {
	r.index = nil
	if len(r.reads) <= manyRuns {
		return
	}
	r.index = make(map[runKey]int32, len(r.reads))
	for i := range r.reads {
		r.index[r.reads[i].key()] = int32(i)
	}
}

// cell returns the shadow of one word.
func (r *row) cell(word uint64, s *spare) *cell {
	if r.cells == nil {
		r.explode(s)
	}
	return &r.cells[word]
}

// explode gives each word a cell of its own.
func (r *row) explode(s *spare) {
	cells := s.row()
	for _, list := range [][]run{r.writes, r.reads} {
		for i := range list {
			o := &list[i]
			e := entry{warp: o.warp, epoch: o.epoch, pc: o.pc, mask: 1<<4 - 1, size: o.size, kind: o.kind}
			for rest := o.words; rest != 0; rest &= rest - 1 {
				word := bits.TrailingZeros32(rest)
				e.lanes = o.lanesAt(1 << word)
				if o.values != nil {
					e.value = o.values[word]
				}
				cells[word].keep(&e, s)
			}
		}
	}
	*r = row{cells: cells}
}

// keep adds an access to a word without a check.
func (c *cell) keep(e *entry, s *spare) {
	if c.more == nil && c.entry.empty() {
		c.entry = *e
		return
	}
	c.crowded(s).add(e)
}

// fewLanes do not make a run: where lanes are scattered, runs would be as many as words.
const fewLanes = 4

// runs handles a weak access of threads that have t's past and epoch, in runs as far as that is possible, and
// returns the lanes that are left.
func (d *Detector) runs(w *warpState, t *thread, a *event.Access) (left uint32) {
	if a.Size&3 != 0 || a.Size > 16 || d.inUse {
		return a.Mask
	}
	for rest := a.Mask; rest != 0; {
		lanes, e := t.segment(a, rest)
		if rest &^= lanes; rest&(rest-1) != 0 && bits.OnesCount32(lanes) < fewLanes {
			return left | lanes | rest // scattered
		}
		at := d.at(a.Space, a.Owner, a.Addr[e.first])
		if e.wide == 0 && a.Kind == event.Write && lanes&(lanes-1) != 0 || a.Addr[e.first]&3 != 0 {
			left |= lanes
			continue
		}
		e.word = uint8(at >> wordBits & (rowWords - 1))
		e.words = e.spread() << e.word
		switch {
		case !d.accept(d.shadow.row(at), &e, t):
			left |= lanes
		case a.Kind == event.Write:
			e.written(a)
		}
	}
	return left
}

// segment takes lanes, from the lowest of a set on, that touch words one behind the other in one row, or
// all the same words.
func (t *thread) segment(a *event.Access, set uint32) (lanes uint32, e run) {
	first := firstLane(set)
	at, size := a.Addr[first], uint64(a.Size)
	end := at | (rowWords<<wordBits - 1) // of the row
	lanes = 1 << first
	e = run{warp: t.w.number, epoch: t.own, pc: a.PC, kind: a.Kind, first: uint8(first), wide: uint8(size >> wordBits), size: uint8(a.Size / a.Elements)}
	lane := first + 1
	if lane < fan && set>>lane&1 != 0 && a.Addr[lane] == at {
		e.wide = 0
		for ; lane < fan && set>>lane&1 != 0 && a.Addr[lane] == at; lane++ {
			lanes |= 1 << lane
		}
	} else {
		for next := at + size; lane < fan && set>>lane&1 != 0 && a.Addr[lane] == next && next < end; lane++ {
			lanes |= 1 << lane
			next += size
		}
	}
	e.lanes = lanes
	return lanes, e
}

// spread are the words of a run, as if the first were at the beginning of the row.
func (r *run) spread() uint32 {
	n := uint(bits.OnesCount32(r.lanes)) * uint(r.wide)
	if r.wide == 0 {
		n = max(uint(r.size), 4) >> wordBits
	}
	return uint32(1<<n - 1)
}

// written notes the values of a run that writes.
func (r *run) written(a *event.Access) {
	if r.lanes == ^uint32(0) && r.wide == 1 && a.Value[0].W32 != nil {
		*r.values = *a.Value[0].W32
		return
	}
	word := int(r.word)
	for rest := r.lanes; rest != 0; rest &= rest - 1 {
		for i := range a.Size >> wordBits {
			r.values[word] = valueAt(a, firstLane(rest), i<<wordBits)
			word++
		}
	}
}
