package causality

// This file keeps rows of which there is little to say: a warp has written neighbouring words, and one has read some. Most
// memory is touched in no other way, and most of that once, so that what counts is how little there is to fill.

import (
	"math/bits"

	"github.com/warplint/warplint/dynamic/event"
)

// quiet is a row in 32 bytes.
type quiet struct{ write, read strip }

// strip is a weak access by neighbouring lanes of a warp, to neighbouring words, each lane to as many, under no lock. Its form
// is that of a run, with the number of lanes in the bits behind.
type strip struct {
	warp, epoch, pc uint32
	form
}

const countShift = 25

func (s *strip) count() uint32 { return uint32(s.form >> countShift) }

func (s *strip) words() uint32 { return uint32(1<<(s.count()*uint32(s.wide()))-1) << s.word() }

func (s *strip) lanes() uint32 { return uint32(1<<s.count()-1) << s.first() }

// stripOf makes a strip of a run. It reports false if there is more to say of that.
func stripOf(e *run) (s strip, ok bool) {
	lanes := e.lanes >> e.first()
	if e.level() != weak || e.gaps() || e.wide() == 0 || e.besides != alone || lanes&(lanes+1) != 0 {
		return s, false
	}
	return strip{e.warp, e.epoch, e.pc, e.form | form(bits.OnesCount32(lanes))<<countShift}, true
}

// run is a strip as a run.
func (s *strip) run() run {
	words := s.words()
	return run{warp: s.warp, lanes: s.lanes(), epoch: s.epoch, pc: s.pc, all: words, words: words, form: s.form & (1<<countShift - 1), besides: alone}
}

// alignedWith reports whether words that two strips have in common belong to lanes of the same number.
func (s *strip) alignedWith(o *strip) bool {
	return s.wide() == o.wide() && int(s.word())-int(s.first())*int(s.wide()) == int(o.word())-int(o.first())*int(o.wide())
}

// stripBefore reports whether a strip that has words in common with a present one of some threads is before that.
func (d *Detector) stripBefore(o, e *strip, t *thread) bool {
	switch {
	case o.warp == e.warp && o.alignedWith(e):
		return true
	case o.warp>>fanBits == e.warp>>fanBits && t.hasMet(o.epoch, d.height):
		return true
	}
	return t.past.threads.covers(d.height, o.warp<<fanBits, o.lanes(), o.epoch)
}

// add keeps a run if the row stays a quiet one. Else it reports false, and the row is as before.
func (q *quiet) add(d *Detector, r *run, w *warpState) bool {
	e, ok := stripOf(r)
	t := w.at(int(r.first()))
	if !ok || r.lanes&^t.lanes != 0 {
		return false
	}
	words, written, read := r.words, q.write.words(), q.read.words()
	if written&words != 0 && !d.stripBefore(&q.write, &e, t) {
		return false
	}
	if e.kind() == event.Read {
		if words&^written == 0 && q.write.warp == e.warp && q.write.epoch == e.epoch && q.write.alignedWith(&e) {
			return true // the write of the same threads in the same epoch stands for it
		}
		if read&^words != 0 || read != 0 && !d.stripBefore(&q.read, &e, t) {
			return false
		}
		q.read = e
		return true
	}
	if written&^words != 0 || read&words != 0 && (read&^words != 0 || !d.stripBefore(&q.read, &e, t)) {
		return false
	}
	if q.write = e; read&words != 0 {
		q.read = strip{}
	}
	return true
}

// row makes of a quiet row one that can say more.
func (q *quiet) row() row {
	r := row{}
	if q.write.form != 0 {
		e := q.write.run()
		r.note(&e)
		r.write.set(&e)
	}
	if q.read.form != 0 {
		e := q.read.run()
		r.note(&e)
		r.read.set(&e)
	}
	*q = quiet{}
	return r
}
