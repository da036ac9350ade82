package causality

// This file defines runs: accesses of the lanes of a warp to neighbouring words, in the form in which a row keeps them.

import (
	"math/bits"

	"github.com/warplint/warplint/dynamic/event"
)

// run is a weak or volatile access of some lanes of a warp, all in the same epoch, to whole words of a row, or
// several of one instruction. How many words each lane has is wide. They ascend with the lanes: each lane's lie as
// far from those of the first one as the lane is from that; or, if wide is 1, with gaps: then the nth word is the nth
// lane's, or, of a read that goes down, the nth word from the last one. If wide is 0, all lanes go to the same words.
type run struct {
	warp, lanes, epoch, pc uint32
	// All are the words of the row that it went to, and words those that it is still kept for.
	all, words uint32
	form
	// Fellows are other warps of the block that have done the same in an epoch of theirs that has the same number, as
	// where all of them read a row of a tile. Only weak reads have some.
	fellows uint32
	*besides
}

// set is an assignment, field by field. What has just been put together from small parts is not copied in large ones: the
// processor would wait until all it has stored before is in the cache, a kernel's own stores too.
func (r *run) set(o *run) {
	r.warp, r.lanes, r.epoch, r.pc = o.warp, o.lanes, o.epoch, o.pc
	r.all, r.words = o.all, o.words
	r.form, r.fellows, r.besides = o.form, o.fellows, o.besides
}

// form is what kind of access a run is, and where its lanes and words lie.
type form uint32

// formOf is the form of accesses of elements of so many bytes.
func formOf(kind event.Kind, level level, size uint8) form {
	return form(size)<<14 | form(kind)<<19 | form(level)<<21
}

// at is a form whose lowest lane goes to a word of the row, and each lane to so many.
func (f form) at(first int, word, wide uint64) form {
	return f&^(1<<14-1) | form(first) | form(word)<<5 | form(wide)<<10
}

const (
	withGaps form = 1 << 23
	goesDown form = 1 << 24
)

func (f form) first() uint8     { return uint8(f & 31) }      // the lowest lane of the access
func (f form) word() uint8      { return uint8(f >> 5 & 31) } // its first word
func (f form) wide() uint8      { return uint8(f >> 10 & 15) }
func (f form) size() uint8      { return uint8(f >> 14 & 31) } // bytes of an element
func (f form) kind() event.Kind { return event.Kind(f >> 19 & 3) }
func (f form) level() level     { return level(f >> 21 & 3) }
func (f form) gaps() bool       { return f&withGaps != 0 } // also where it goes down
func (f form) down() bool       { return f&goesDown != 0 }

// besides is what else there is to some runs.
type besides struct {
	shows *publication // of a volatile write, if it publishes something
	held  *lockSet     // the locks that the block held
}

// alone is besides where there is nothing.
var alone = &besides{}

// besides returns what is the same for all runs of an access.
func (w *warpState) besides(shows *publication, held *lockSet) *besides {
	if shows == nil && held == nil {
		return alone
	}
	if b := w.last; b == nil || b.shows != shows || b.held != held {
		w.last = &besides{shows, held}
	}
	return w.last
}

// partners returns the elements of the set to that stand at the places which the picked ones have in the
// set from: the first with the first, and so on.
func partners(picked, from, to uint32) uint32 {
	var out uint32
	for ; from != 0 && to != 0; from, to = from&(from-1), to&(to-1) {
		if picked&from&-from != 0 {
			out |= to & -to
		}
	}
	return out
}

// opposites is partners where the last element of the set to belongs to the first one of the set from.
func opposites(picked, from, to uint32) uint32 {
	var out uint32
	for ; from != 0 && to != 0; from &= from - 1 {
		last := uint32(1) << (bits.Len32(to) - 1)
		if picked&from&-from != 0 {
			out |= last
		}
		to &^= last
	}
	return out
}

// lanesAt returns the lanes that touch some of the words.
func (r *run) lanesAt(words uint32) uint32 {
	switch {
	case r.wide() == 0 || words == r.all:
		return r.lanes
	case r.wide() == 1 && !r.gaps():
		return words >> r.word() << r.first()
	case r.down():
		return opposites(words, r.all, r.lanes)
	case r.wide() == 1:
		return partners(words, r.all, r.lanes)
	}
	var lanes uint32
	for rest := words; rest != 0; rest &= rest - 1 {
		lanes |= 1 << (r.first() + (uint8(bits.TrailingZeros32(rest))-r.word())/r.wide())
	}
	return lanes
}

// sameLanes reports whether each of some common words of two runs belongs to the same thread.
func (r *run) sameLanes(o *run, words uint32) bool {
	return r.warp == o.warp && r.alignedWith(o, words)
}

// alignedWith reports whether each of some common words of two runs belongs to threads of the same lane.
func (r *run) alignedWith(o *run, words uint32) bool {
	switch {
	case r.wide() != o.wide() || r.wide() == 0:
		return (r.single() || o.single()) && r.lanesAt(words) == o.lanesAt(words)
	case r.down() != o.down():
		return words&(words-1) == 0 && r.lanesAt(words) == o.lanesAt(words)
	case r.all == o.all && r.lanes == o.lanes:
		return true
	case r.wide() == 1 && (r.gaps() || o.gaps()):
		return r.lanesAt(words) == o.lanesAt(words) // in the same order
	}
	return int(r.word())-int(r.first())*int(r.wide()) == int(o.word())-int(o.first())*int(o.wide())
}

// single reports whether a run is of one lane.
func (r *run) single() bool { return r.lanes&(r.lanes-1) == 0 }

// each reports whether something holds for each warp's part of a run.
func (r *run) each(holds func(*run) bool) bool {
	if r.fellows == 0 {
		return holds(r)
	}
	one := *r
	one.fellows = 0
	for rest := r.fellows | 1<<(r.warp&(fan-1)); rest != 0; rest &= rest - 1 {
		if one.warp = r.warp&^(fan-1) | uint32(firstLane(rest)); !holds(&one) {
			return false
		}
	}
	return true
}

// standsFor reports whether whatever conflicts with an earlier run does so with this one, too, as far as
// it goes to the same words.
func (r *run) standsFor(o *run) bool {
	return r.level() == weak || r.level() == o.level() && r.size() == o.size() && r.warp>>fanBits == o.warp>>fanBits
}

// replaces reports whether a read stands for an earlier one, whose words it has, since the same threads
// make it. Scattered reads come to a row late, and may be the earlier ones.
func (r *run) replaces(o *run) bool {
	if r.warp != o.warp || r.epoch < o.epoch || o.words&^r.words != 0 || !r.standsFor(o) {
		return false
	}
	return r.wide() == 0 && o.wide() == 0 && o.lanes&^r.lanes == 0 || r.wide() > 0 && r.sameLanes(o, o.words)
}

// wordsAt returns the words of a row that some lanes touch.
func (r *run) wordsAt(lanes uint32) uint32 {
	lanes &= r.lanes
	switch {
	case lanes == r.lanes:
		return r.words
	case r.wide() == 0 && lanes != 0:
		return r.words
	case r.wide() == 1 && !r.gaps():
		return lanes >> r.first() << r.word() & r.words
	case r.down():
		return opposites(lanes, r.lanes, r.all) & r.words
	case r.wide() == 1:
		return partners(lanes, r.lanes, r.all) & r.words
	}
	var words uint32
	for rest := lanes; rest != 0; rest &= rest - 1 {
		words |= uint32(1<<r.wide()-1) << (r.word() + (uint8(firstLane(rest))-r.first())*r.wide())
	}
	return words & r.words
}

// extends reports whether an access can be part of the same run as an earlier one: it is by other lanes of its
// warp, with the same instruction in the same epoch.
func (r *run) extends(o *run) bool {
	return r.warp == o.warp && r.epoch == o.epoch && r.pc == o.pc && r.fellows|o.fellows == 0 && r.wide() == o.wide() && r.wide() > 0 && !r.gaps() && !o.gaps() &&
		(r.besides == o.besides || *r.besides == *o.besides) && int(r.word())-int(r.first())*int(r.wide()) == int(o.word())-int(o.first())*int(o.wide())
}

// extend adds an access to a run if it can be part of that.
func (r *run) extend(e *run) bool {
	if !e.extends(r) {
		return false
	}
	r.lanes, r.all, r.words = r.lanes|e.lanes, r.all|e.all, r.words|e.words
	r.form = r.form.at(int(min(r.first(), e.first())), uint64(min(r.word(), e.word())), uint64(r.wide()))
	return true
}

// takes makes a later read part of a run, or puts it in its place, if the same warp makes it, or another one of the
// block makes the same.
func (r *run) takes(e *run) bool {
	switch {
	case r.warp>>fanBits != e.warp>>fanBits:
		return false
	case r.same(e):
		if r.warp != e.warp {
			r.fellows |= 1 << (e.warp & (fan - 1))
		}
		return true
	case r.fellows != 0:
		r.leave(e)
		return false
	case r.warp != e.warp:
		return false
	case e.replaces(r):
		r.set(e)
		return true
	}
	return r.extend(e) || r.widen(e)
}

// same reports whether a later weak read of a warp of the block is the same as an earlier one, but for the warp.
func (r *run) same(e *run) bool {
	return r.epoch == e.epoch && r.form == e.form && r.lanes == e.lanes && r.words == e.words && r.all == e.all && r.pc == e.pc &&
		e.level() == weak && (r.besides == e.besides || *r.besides == *e.besides)
}

// leave takes a warp that reads again out of a run of several, as far as the later read stands for that.
func (r *run) leave(e *run) {
	own := uint32(1) << (e.warp & (fan - 1))
	all := r.fellows | 1<<(r.warp&(fan-1))
	if all&own == 0 {
		return
	}
	one := run{}
	one.set(r)
	one.warp, one.fellows = e.warp, 0
	if !e.replaces(&one) {
		return
	}
	all &^= own
	r.warp = r.warp&^(fan-1) | uint32(firstLane(all))
	r.fellows = all & (all - 1)
}

// widens reports whether an access can add words to an earlier run of which all lanes, or the only one, go to all words,
// as they go to these, too, by the same instruction in the same epoch.
func (r *run) widens(o *run) bool {
	return (r.wide()|o.wide() == 0 || r.single()) && r.lanes == o.lanes && r.warp == o.warp && r.epoch == o.epoch && r.pc == o.pc && r.fellows|o.fellows == 0 &&
		r.size() == o.size() && (r.besides == o.besides || *r.besides == *o.besides)
}

// widen adds words to a run if that is possible.
func (r *run) widen(e *run) bool {
	if !e.widens(r) {
		return false
	}
	r.all, r.words = r.all|e.all, r.words|e.words
	r.form = (r.form &^ (withGaps | goesDown)).at(int(r.first()), uint64(min(r.word(), e.word())), 0)
	return true
}
