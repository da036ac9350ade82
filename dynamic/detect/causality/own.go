package causality

// This file keeps words that one thread after the other has to itself, wherever they lie, as where threads update what an
// index or a column says.
//
// DESIGN. Where lanes go to words here and there, each word needs its own, but mostly no more than who has written it last
// and who has read it since: twelve bytes. A thread that comes again has nothing to ask; another one asks only whether these
// two are before it. What is more than that gives the word a cell, or, if there are only reads, a trail.

import "github.com/warplint/warplint/dynamic/event"

// ownWord is the last weak write of a word, and the last weak read behind it, each by one lane, under no lock.
type ownWord struct {
	write, read    name // 0 if there is none
	writer, reader uint8
}

// rowOwn are those of a row's words.
type rowOwn [rowWords]ownWord

// ownWord returns what there is of a word of a row that threads have had to themselves, nil if it is no such word.
func (p *page) ownWord(row, word uint64) *ownWord {
	if p.own == nil || p.own[row] == nil {
		return nil
	}
	if x := &p.own[row][word]; x.write|x.read != 0 {
		return x
	}
	return nil
}

// beginOwn returns room for a word of which nothing is known yet, nil if something is.
func (p *page) beginOwn(row, word uint64) *ownWord {
	r := p.row(row)
	if words := uint32(1) << word; r.celled&words != 0 || r.hasWritten(words) || r.hasRead(words) {
		return nil
	}
	if p.own == nil {
		p.own = new([pageRows]*rowOwn)
	}
	if p.own[row] == nil {
		p.own[row] = new(rowOwn)
	}
	r.celled, p.celled = r.celled|1<<word, true
	return &p.own[row][word]
}

// owned handles lanes of a set that access words which they have to themselves, as long as no lock is in use. It returns
// the lanes that are left.
func (d *Detector) owned(w *warpState, a *event.Access, e entry, set uint32) (left uint32) {
	if a.Uniform || a.Size&3 != 0 {
		return set
	}
	var last *thread
	var called name
	for rest := set; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		t := w.at(lane)
		if t != last {
			e.epoch, e.mask = t.own, 1<<4-1
			last, called = t, d.shadow.acts.name(&e.act)
		}
		at := d.at(a.Space, a.Owner, a.Addr[lane])
		for end := at + uint64(a.Size); at < end; at += 1 << wordBits {
			if !d.own(t, &e, called, lane, at) {
				left |= rest & -rest
				break
			}
		}
	}
	if a.Kind == event.Write {
		d.kept |= set &^ left
	}
	return left
}

// own handles an access by a lane of a word. It reports false if another thread's is not before it, or if there is more to keep.
func (d *Detector) own(t *thread, e *entry, called name, lane int, at uint64) bool {
	p, row, word := d.shadow.page(at>>pageBits), rowIn(at), at>>wordBits&(rowWords-1)
	if at&3 != 0 || p.scattered != nil {
		return false
	}
	x := p.ownWord(row, word)
	if x == nil {
		d.renew(p, p.row(row), at, t.w)
		if x = p.beginOwn(row, word); x == nil {
			return false
		}
	}
	p.reaches(at, e.epoch)
	e.lanes = 1 << lane
	if x.write != 0 && !d.ownBefore(x.write, x.writer, e, t) {
		return false
	}
	switch {
	case e.writes():
		if x.read != 0 && !d.ownBefore(x.read, x.reader, e, t) {
			return false
		}
		*x = ownWord{write: called, writer: uint8(lane)}
	case x.read == 0 && x.write != 0 && int(x.writer) == lane && d.sameEpoch(x.write, e):
		// the write stands for it
	case x.read != 0 && !d.ownBefore(x.read, x.reader, e, t):
		if x.write != 0 || t.each {
			return false
		}
		known, ok := d.shadow.trails.knownBy(t)
		return ok && d.readTogether(p, x, at, step{act: called, lanes: e.lanes, stepBits: known | 1})
	default:
		x.read, x.reader = called, uint8(lane)
	}
	return true
}

// ownBefore reports whether an earlier access of a lane is before the present one of a lane.
func (d *Detector) ownBefore(earlier name, lane uint8, e *entry, t *thread) bool {
	by := &d.shadow.acts.at(earlier).act
	return by.warp == e.warp && 1<<lane == e.lanes || d.before(&entry{*by, 1 << lane}, e, t)
}

func (d *Detector) sameEpoch(earlier name, e *entry) bool {
	o := &d.shadow.acts.at(earlier).act
	return o.warp == e.warp && o.epoch == e.epoch
}

// readTogether makes the trail of a word of which there is one read, and another one now.
func (d *Detector) readTogether(p *page, x *ownWord, at uint64, now step) bool {
	last := p.beginTrail(rowIn(at), at>>wordBits&(rowWords-1))
	*last = step{act: x.read, lanes: 1 << x.reader, stepBits: 1}
	*x = ownWord{}
	return d.readStep(p, at, now)
}

// spreadOwn keeps an access of a lane, which conflicts with none of its word, in that. It reports false if there is more to keep.
func (d *Detector) spreadOwn(p *page, at uint64, lanes uint32, called name) bool {
	if d.inUse || lanes&(lanes-1) != 0 {
		return false
	}
	row, word := rowIn(at), at>>wordBits&(rowWords-1)
	x := p.ownWord(row, word)
	switch {
	case x != nil && x.write == 0: // so this is a read, too
		return d.readTogether(p, x, at, step{act: called, lanes: lanes, stepBits: 1})
	case x != nil:
		return false
	}
	if x = p.beginOwn(row, word); x == nil {
		return false
	}
	p.reaches(at, d.shadow.acts.at(called).epoch)
	if called.writes() {
		*x = ownWord{write: called, writer: uint8(firstLane(lanes))}
	} else {
		*x = ownWord{read: called, reader: uint8(firstLane(lanes))}
	}
	return true
}

// dropOwn forgets the word at an address if threads have had it to themselves.
func (p *pages) dropOwn(at uint64) bool {
	x := p.page(at>>pageBits).ownWord(rowIn(at), at>>wordBits&(rowWords-1))
	if x == nil {
		return false
	}
	*x = ownWord{}
	return true
}

// giveCell gives the word at an address, which threads have had to themselves, a cell.
func (d *Detector) giveCell(r *row, x *ownWord, at uint64) {
	c := d.newCell(r, at)
	if x.write != 0 {
		e := entry{d.shadow.acts.at(x.write).act, 1 << x.writer}
		e.value = d.valueOf(&e, at)
		*c.write() = d.shadow.acts.ref(&e)
	}
	if x.read != 0 {
		*c.read() = ref{x.read, 1 << x.reader}
	}
	*x = ownWord{}
}
