package causality

// This file defines rows: the shadow of 32 words, which keeps what a warp does to neighbouring words in
// one instruction as one run, as long as nothing races there. Most memory is never touched otherwise.

import (
	"math/bits"
	"slices"

	"github.com/warplint/warplint/dynamic/event"
)

const (
	rowBits  = 5
	rowWords = 1 << rowBits
)

// run is a weak access of some lanes of a warp, all in the same epoch and with the same past, to
// whole words of a row. How many words each lane has is wide; they ascend with the lanes, one lane
// right behind the other, or, if wide is 1, with gaps: then the nth word is the nth lane's. If wide is 0,
// all lanes go to the same words.
type run struct {
	warp, lanes, epoch, pc uint32
	words                  uint32 // of the row; none if the run is empty
	first, word            uint8  // the lowest lane of the access, and its first word
	wide, size             uint8  // size is the bytes of an element
	gaps                   bool
	kind                   event.Kind
}

// row is the shadow of 128 bytes. The first run of a kind is in place.
type row struct {
	write, read run
	more        *others
}

// others is what a row has besides. Words that have cells are in no run.
type others struct {
	writes, reads []run
	celled        uint32 // words
	cells         []*cell
}

// lanesAt returns the lanes that touch some of the words.
func (r *run) lanesAt(words uint32) uint32 {
	switch {
	case r.wide == 0 || words == r.words:
		return r.lanes
	case r.wide == 1 && !r.gaps:
		return words >> r.word << r.first
	case r.wide == 1:
		var lanes uint32
		all := r.words
		for rest := r.lanes; rest != 0; rest &= rest - 1 {
			if words&all&-all != 0 {
				lanes |= rest & -rest
			}
			all &= all - 1
		}
		return lanes
	}
	var lanes uint32
	for rest := words; rest != 0; rest &= rest - 1 {
		lanes |= 1 << (r.first + (uint8(bits.TrailingZeros32(rest))-r.word)/r.wide)
	}
	return lanes
}

// drop takes words out of a run.
func (r *run) drop(words uint32) {
	if words &= r.words; words == 0 {
		return
	}
	left := r.words &^ words
	if r.wide > 0 && left != 0 {
		r.lanes = r.lanesAt(left)
	}
	r.words = left
}

// sameLanes reports whether each of some common words of two runs belongs to the same thread.
func (r *run) sameLanes(o *run, words uint32) bool {
	switch {
	case r.warp != o.warp || r.wide != o.wide:
		return false
	case r.wide == 0:
		return r.lanes == o.lanes && r.lanes&(r.lanes-1) == 0
	case r.wide == 1 && (r.gaps || o.gaps):
		return r.lanesAt(words) == o.lanesAt(words) // in the same order
	}
	return int(r.word)-int(r.first)*int(r.wide) == int(o.word)-int(o.first)*int(o.wide)
}

// replaces reports whether a read stands for an earlier one, whose words it has, since the same threads
// make it.
func (r *run) replaces(o *run) bool {
	if r.warp != o.warp || o.words&^r.words != 0 {
		return false
	}
	return r.wide == 0 && o.wide == 0 && o.lanes&^r.lanes == 0 || r.wide > 0 && r.sameLanes(o, o.words)
}

// precedes reports whether a run, as far as it touches some words, is before the present one of threads
// that have t's past.
func (d *Detector) precedes(o, e *run, words uint32, t *thread) bool {
	return o.sameLanes(e, words) || t.past.threads.covers(d.height, o.warp<<fanBits, o.lanesAt(words), o.epoch)
}

// accept keeps a run if no other one of the row races with it.
func (d *Detector) accept(r *row, e *run, t *thread) bool {
	known := false // a write of the same threads in the same epoch stands for a read
	if common := r.write.words & e.words; common != 0 {
		if !d.precedes(&r.write, e, common, t) {
			return false
		}
		known = common == e.words && r.write.epoch == e.epoch && r.write.sameLanes(e, common)
	}
	if r.more != nil {
		for i := range r.more.writes {
			o := &r.more.writes[i]
			if common := o.words & e.words; common != 0 {
				if !d.precedes(o, e, common, t) {
					return false
				}
				known = known || common == e.words && o.epoch == e.epoch && o.sameLanes(e, common)
			}
		}
	}
	if e.kind == event.Read {
		if !known {
			r.addRead(e)
		}
		return true
	}
	if common := r.read.words & e.words; common != 0 && !d.precedes(&r.read, e, common, t) {
		return false
	}
	if r.more != nil {
		for i := range r.more.reads {
			if o := &r.more.reads[i]; o.words&e.words != 0 && !d.precedes(o, e, o.words&e.words, t) {
				return false
			}
		}
	}
	r.addWrite(e)
	return true
}

// addWrite adds a write that comes behind all in its words.
func (r *row) addWrite(e *run) {
	r.drop(e.words)
	if r.write.words == 0 {
		r.write = *e
		return
	}
	r.others().writes = append(r.more.writes, *e)
}

// drop takes words out of all runs.
func (r *row) drop(words uint32) {
	r.write.drop(words)
	r.read.drop(words)
	if m := r.more; m != nil && len(m.writes)+len(m.reads) > 0 {
		gone := func(o run) bool { return o.words == 0 }
		for i := range m.writes {
			m.writes[i].drop(words)
		}
		for i := range m.reads {
			m.reads[i].drop(words)
		}
		m.writes, m.reads = slices.DeleteFunc(m.writes, gone), slices.DeleteFunc(m.reads, gone)
	}
}

// addRead adds a read, in the place of an earlier one of the same threads.
func (r *row) addRead(e *run) {
	if r.read.words == 0 || e.replaces(&r.read) {
		r.read = *e
		return
	}
	m := r.others()
	for i := range m.reads {
		if o := &m.reads[i]; o.warp == e.warp && e.replaces(o) {
			*o = *e
			return
		}
	}
	m.reads = append(m.reads, *e)
}

func (r *row) others() *others {
	if r.more == nil {
		r.more = new(others)
	}
	return r.more
}

// celled are the words that have cells.
func (r *row) celled() uint32 {
	if r.more == nil {
		return 0
	}
	return r.more.celled
}

// peek returns the cell of a word, if it has one.
func (r *row) peek(word uint64) *cell {
	if r.more == nil || r.more.celled>>word&1 == 0 {
		return nil
	}
	return r.more.cells[bits.OnesCount32(r.more.celled&(1<<word-1))]
}

// cell returns the cell of a word, with what runs have of it moved there.
func (r *row) cell(word uint64, values *[rowWords]uint32, s *spare) *cell {
	if c := r.peek(word); c != nil {
		return c
	}
	m, c := r.others(), s.cell()
	at := bits.OnesCount32(m.celled & (1<<word - 1))
	m.cells = slices.Insert(m.cells, at, c)
	m.celled |= 1 << word
	keep := func(o *run) {
		if o.words>>word&1 == 0 {
			return
		}
		e := entry{warp: o.warp, lanes: o.lanesAt(1 << word), epoch: o.epoch, pc: o.pc, mask: 1<<4 - 1, size: o.size, kind: o.kind}
		if e.writes() && values != nil {
			e.value = values[word]
		}
		c.keep(&e, s)
	}
	keep(&r.write)
	for i := range m.writes {
		keep(&m.writes[i])
	}
	keep(&r.read)
	for i := range m.reads {
		keep(&m.reads[i])
	}
	r.drop(1 << word)
	return c
}

// keep adds an access to a word without a check.
func (c *cell) keep(e *entry, s *spare) {
	switch {
	case c.more == nil && e.writes() && c.write.empty():
		c.write = *e
	case c.more == nil && !e.writes() && c.read.empty():
		c.read = *e
	default:
		c.crowded(s).add(e)
	}
}

// fewLanes do not make a run: where lanes are scattered, runs would be as many as words.
const fewLanes = 4

// runs handles a weak access of threads that have t's past and epoch, in runs as far as that is possible,
// and returns the lanes that are left.
func (d *Detector) runs(t *thread, a *event.Access) (left uint32) {
	if a.Size&3 != 0 || a.Size > 16 || d.inUse {
		return a.Mask
	}
	small := 0
	for rest := a.Mask; rest != 0; {
		e := t.segment(a, rest)
		lanes := e.lanes
		if rest &^= lanes; bits.OnesCount32(lanes) < fewLanes {
			if small++; small > 2 {
				return left | lanes | rest // scattered
			}
		}
		at := d.at(a.Space, a.Owner, a.Addr[e.first])
		if e.wide == 0 && a.Kind == event.Write && lanes&(lanes-1) != 0 || at&3 != 0 {
			left |= lanes
			continue
		}
		r := d.shadow.row(at)
		if own := r.celled() & e.words; own != 0 {
			if e.wide != 1 || own == e.words {
				left |= lanes
				continue
			}
			left |= e.lanesAt(own)
			e.drop(own)
		}
		switch {
		case !d.accept(r, &e, t):
			left |= e.lanes
		case a.Kind == event.Write:
			e.written(a, d.shadow.values(at))
		}
	}
	return left
}

// segment takes lanes, from the lowest of a set on, whose words can be a run.
func (t *thread) segment(a *event.Access, set uint32) run {
	first := firstLane(set)
	at, size := a.Addr[first], uint64(a.Size)
	last := at | (rowWords<<wordBits - 1) // of the row
	word := at >> wordBits & (rowWords - 1)
	e := run{
		warp: t.w.number, epoch: t.own, pc: a.PC, kind: a.Kind,
		first: uint8(first), word: uint8(word), wide: uint8(size >> wordBits), size: uint8(a.Size / a.Elements),
	}
	if a.Together { // so the set is all lanes from the first on
		n := min(uint64(fan-first), (last-at)/size+1)
		e.lanes, e.words = uint32(1<<n-1)<<first, uint32(1<<(n*size>>wordBits)-1)<<word
		return e
	}
	e.lanes = 1 << first
	lane := first + 1
	if lane < fan && set>>lane&1 != 0 && a.Addr[lane] == at {
		for ; lane < fan && set>>lane&1 != 0 && a.Addr[lane] == at; lane++ {
			e.lanes |= 1 << lane
		}
		e.wide, e.words = 0, uint32(1<<(size>>wordBits)-1)<<word
		return e
	}
	e.words = 1 << word
	if size > 1<<wordBits {
		next := at + size
		for ; lane < fan && set>>lane&1 != 0 && a.Addr[lane] == next && next <= last; lane++ {
			e.lanes |= 1 << lane
			next += size
		}
		e.words = uint32(1<<((next-at)>>wordBits)-1) << word
		return e
	}
	before := first
	for rest := set & (set - 1); rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		next := a.Addr[lane]
		if next <= at || next > last || next&3 != 0 {
			break
		}
		e.gaps = e.gaps || next != at+1<<wordBits || lane != before+1
		at, before = next, lane
		e.lanes |= 1 << lane
		e.words |= 1 << (next >> wordBits & (rowWords - 1))
	}
	return e
}

// written notes the values of a run that writes.
func (r *run) written(a *event.Access, to *[rowWords]uint32) {
	if r.lanes == ^uint32(0) && r.words == ^uint32(0) && a.Value[0].W32 != nil {
		*to = *a.Value[0].W32
		return
	}
	words := r.words
	for rest := r.lanes; rest != 0; rest &= rest - 1 {
		for i := range a.Size >> wordBits {
			to[firstLane(words)] = valueAt(a, firstLane(rest), i<<wordBits)
			words &= words - 1
		}
	}
}
