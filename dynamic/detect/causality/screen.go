package causality

// This file passes over accesses of shared memory that nothing can race with, from one barrier of all threads of a block to the next.
//
// DESIGN. Between two such barriers most words of shared memory are accessed by one thread, or only read, and behind the second one all of that
// is before whatever comes. So an access is only noted, in a list, and checked against a tag for each word that says who has been there
// since the barrier; reads not even that as long as nothing is written. At the barrier the list is dropped. Should a thread come
// to a word where another one's access may conflict with its own, or something else happen in shared memory than plain accesses, then
// what is noted is played to the shadow, as it was, and the block's accesses go there until the next barrier.

import (
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

// screen is what a block has done to its shared memory since its last barrier.
type screen struct {
	open    bool // accesses are noted
	wrote   bool // some are writes, and all have their tags
	phase   uint32
	tags    []tag // by word
	noted   []noted
	offsets []uint32 // of those whose lanes lie in no order
}

// tag says who has accessed a word in a phase, which is in the bits from tagBits on: a thread of the block, or many. The last bit
// is set if there was a write.
type tag uint32

const (
	tagBits    = 12
	tagWritten = tag(1)
	tagMany    = tag(1<<tagBits - 2)
	// maxPhase bounds the phases that tags can tell apart.
	maxPhase = 1<<(32-tagBits) - 1
	// maxNoted bounds the accesses of a block that are noted, maxOffsets what they take besides, and maxScreens the blocks that note some at once.
	maxNoted   = 1 << 12
	maxOffsets = 1 << 14
	maxScreens = 1 << 8
)

// noted is an access.
type noted struct {
	pc, mask, epoch uint32
	at              uint32 // the offset of the first lane, or where its offsets begin
	warp            uint8
	size, elements  uint8
	how             how
}

type how uint8

const (
	noteWrites how = 1 << iota
	noteVolatile
	noteTogether
	noteUniform
)

// screening is how well that serves in a launch.
type screening struct {
	off             bool
	played, dropped int // accesses that were noted
	playing         bool
	trigger         *event.Access // what comes next, while others are played
	access          event.Access  // that is played
}

// enoughPlayed is from how many accesses on it counts whether most are played.
const enoughPlayed = 1 << 13

// opens reports whether accesses of shared memory are noted in the launch.
func (d *Detector) opens() bool {
	return !d.screening.off && d.kin == nil && !d.clusters && !d.inUse && len(d.blocks) < maxScreens
}

// beginPhase begins a phase of a block, which begins itself or is behind a barrier of all its threads.
func (d *Detector) beginPhase(b *block) {
	s := &b.screen
	d.screening.dropped += len(s.noted)
	s.open, s.wrote, s.noted, s.offsets = d.opens(), false, s.noted[:0], s.offsets[:0]
	if !s.open {
		return
	}
	if words := (d.launch.SharedSize<<d.bounds.shared + 3) >> wordBits; len(s.tags) < words {
		s.tags, s.phase = make([]tag, words), 0
	}
	if s.phase++; s.phase > maxPhase {
		clear(s.tags)
		s.phase = 1
	}
}

// screened notes an access of shared memory. It reports false if it has to be compared with others: then all before it have been.
func (d *Detector) screened(w *warpState, a *event.Access) bool {
	s := &w.block.screen
	if !s.open {
		return false
	}
	if d.plain(w, a) && s.take(w.number&(fan-1), w.at(firstLane(a.Mask)).own, a) {
		return true
	}
	d.play(w.block)
	return false
}

// plain reports whether an access is one by threads in one epoch, of whole words, and publishes nothing.
func (d *Detector) plain(w *warpState, a *event.Access) bool {
	if a.Kind == event.Atomic || a.Owner != a.Block || a.Size&3 != 0 || a.Size > maxRunBytes || d.inUse {
		return false
	}
	t := w.at(firstLane(a.Mask))
	switch {
	case !w.inStep(a.Mask, t.own):
		return false
	case a.Order == event.Weak:
		return true
	}
	return d.likeData(t, a) && (a.Kind == event.Read || t.published(location{}, strength{}) == nothing)
}

// take notes an access. It reports false if there is no room, or if the access may conflict with another one.
func (s *screen) take(warp, epoch uint32, a *event.Access) bool {
	if len(s.noted) == maxNoted || len(s.offsets) > maxOffsets-fan {
		return false
	}
	n := noted{pc: a.PC, mask: a.Mask, epoch: epoch, warp: uint8(warp), size: uint8(a.Size), elements: uint8(a.Elements)}
	n.at = uint32(a.Addr[firstLane(a.Mask)])
	all := n.at
	switch {
	case a.Uniform:
		n.how = noteUniform
	case a.Together:
		n.how = noteTogether
	default:
		n.at = uint32(len(s.offsets))
		for rest := a.Mask; rest != 0; rest &= rest - 1 {
			at := uint32(a.Addr[firstLane(rest)])
			all |= at
			s.offsets = append(s.offsets, at)
		}
	}
	if all&3 != 0 {
		return false
	}
	if a.Volatile {
		n.how |= noteVolatile
	}
	if a.Kind == event.Write {
		n.how |= noteWrites
		if !s.wrote {
			s.wrote = true
			for i := range s.noted {
				if !s.mark(&s.noted[i]) {
					return false
				}
			}
		}
	}
	if s.wrote && !s.mark(&n) {
		return false
	}
	s.noted = append(s.noted, n)
	return true
}

// mark gives the words of an access their tags. It reports false if one may conflict with another thread's.
func (s *screen) mark(n *noted) bool {
	words := uint32(n.size) >> wordBits
	m := marking{base: tag(s.phase << tagBits)}
	own := m.base | tag(n.warp)<<(fanBits+1)
	if n.how&noteWrites != 0 {
		own |= tagWritten
		if n.how&noteVolatile != 0 {
			m.barred = tagWritten
		}
	}
	switch {
	case n.how&noteUniform != 0:
		if own |= tag(firstLane(n.mask)) << 1; n.mask&(n.mask-1) != 0 {
			if own = m.base | tagMany; n.how&noteWrites != 0 {
				return false
			}
		}
		return s.markWords(n.at>>wordBits, words, own, 0, m)
	case n.how&noteTogether != 0 && words == 1:
		return s.markWords(n.at>>wordBits, fan, own, 1<<1, m)
	case n.how&noteTogether != 0:
		for lane := range uint32(fan) {
			if !s.markWords(n.at>>wordBits+lane*words, words, own|tag(lane)<<1, 0, m) {
				return false
			}
		}
		return true
	}
	if words == 1 {
		return s.markLanes(n, own, m)
	}
	for rest, i := n.mask, n.at; rest != 0; rest, i = rest&(rest-1), i+1 {
		if !s.markWords(s.offsets[i]>>wordBits, words, own|tag(firstLane(rest))<<1, 0, m) {
			return false
		}
	}
	return true
}

// marking is what is the same for all tags that an access gives.
type marking struct {
	base tag // of the phase
	// barred are the bits of a tag that its words must not have: a volatile write does not stand for an earlier one of its thread, whose value
	// would have to be kept.
	barred tag
}

// after is the tag of a word behind an access of a thread, or of many. It reports false if that may conflict with another thread's.
func (m marking) after(x, own tag) (tag, bool) {
	switch {
	case x < m.base:
		return own, true
	case own&tagWritten != 0:
		return own, x|tagWritten == own && x&m.barred == 0
	case x|tagWritten == own|tagWritten:
		return x, true
	}
	return m.base | tagMany, x&tagWritten == 0
}

// markWords gives neighbouring words the tag of a thread, or of many, or of one thread behind the other.
func (s *screen) markWords(from, n uint32, own, step tag, m marking) bool {
	if uint64(from)+uint64(n) > uint64(len(s.tags)) {
		return false
	}
	tags := s.tags[from : from+n]
	for i, x := range tags {
		next, ok := m.after(x, own)
		if !ok {
			return false
		}
		tags[i] = next
		own += step
	}
	return true
}

// markLanes is markWords for a word of each lane, somewhere.
func (s *screen) markLanes(n *noted, own tag, m marking) bool {
	tags, offsets := s.tags, s.offsets[n.at:]
	for rest, i := n.mask, 0; rest != 0 && i < len(offsets); rest, i = rest&(rest-1), i+1 {
		word := offsets[i] >> wordBits
		if int(word) >= len(tags) {
			return false
		}
		next, ok := m.after(tags[word], own|tag(firstLane(rest))<<1)
		if !ok {
			return false
		}
		tags[word] = next
	}
	return true
}

// play compares with each other what a block has noted, and keeps it, as it would have been without a screen, which is closed until the next barrier.
func (d *Detector) play(b *block) {
	s, x := &b.screen, &d.screening
	if s.open = false; len(s.noted) == 0 {
		return
	}
	x.played += len(s.noted)
	x.off = x.off || x.played > enoughPlayed && x.played > 2*x.dropped
	now, fine, inUse, failing, changing := d.now, d.fine, d.inUse, d.failing, d.changing
	held, holds := b.held, b.holds
	d.fine, d.inUse, d.failing, b.held, b.holds = d.bounds.shared, false, 0, nil, nil
	x.playing, x.trigger = true, now
	for i := range s.noted {
		d.playOne(b, &s.noted[i])
	}
	x.playing, x.trigger = false, nil
	d.now, d.fine, d.inUse, d.failing, d.changing, d.kept, b.held, b.holds = now, fine, inUse, failing, changing, 0, held, holds
	s.noted, s.offsets = s.noted[:0], s.offsets[:0]
}

// stopScreening has all that comes in the launch compared at once, as there are asynchronous copies, which barriers do not order.
func (d *Detector) stopScreening() {
	if d.screening.off {
		return
	}
	d.screening.off = true
	for _, b := range d.blocks {
		d.play(b)
	}
}

// playOne plays an access. What its threads have learnt since does not matter, as nothing that was noted conflicts with anything before it but
// what is behind a barrier; only their epoch does.
func (d *Detector) playOne(b *block, n *noted) {
	w := &b.warps[n.warp]
	a := &d.screening.access
	d.accessOf(a, w, n, b.screen.offsets)
	whole, parted, of := w.whole, w.parted, w.of
	polling, noted, polled := w.polling, w.noted, w.polled // which are of now already
	past := w.at(firstLane(n.mask)).past
	w.whole = thread{w: w, lanes: n.mask, place: w.place, own: n.epoch, past: clock{threads: past.threads, firm: past.firm}}
	w.parted, w.of, w.polling, w.polled = false, nil, 0, nil
	d.now, d.kept, d.changing = a, 0, 0
	left := d.runs(w, a)
	switch {
	case left == 0:
	case a.Volatile:
		if a.Kind == event.Write {
			d.changing = a.Mask
		}
		d.strong(w, a, left)
	default:
		d.weak(w, a, left)
	}
	w.whole, w.parted, w.of = whole, parted, of
	w.polling, w.noted, w.polled = polling, noted, polled
}

// accessOf makes an access of what was noted of it. What it wrote is in memory.
func (d *Detector) accessOf(a *event.Access, w *warpState, n *noted, offsets []uint32) {
	*a = event.Access{Space: event.Shared, Owner: int(w.number >> fanBits), Size: int(n.size), Elements: int(n.elements)}
	a.Step = event.Step{Launch: d.launch, Block: a.Owner, Warp: int(n.warp), Mask: n.mask, PC: n.pc, Active: n.mask}
	if n.how&noteWrites != 0 {
		a.Kind = event.Write
	}
	if n.how&noteVolatile != 0 {
		a.Volatile, a.Order, a.Scope = true, event.Relaxed, race.ScopeSystem
	}
	a.Together, a.Uniform = n.how&noteTogether != 0, n.how&noteUniform != 0
	for rest, i := n.mask, n.at; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		switch {
		case a.Uniform:
			a.Addr[lane] = uint64(n.at)
		case a.Together:
			a.Addr[lane] = uint64(n.at) + uint64(lane)*uint64(n.size)
		default:
			a.Addr[lane] = uint64(offsets[i])
			i++
		}
	}
}
