package causality

// This file finds out what a race lacks: it looks at how the one thread has been told of the
// other, if it was told directly. It has no part in the order.

import (
	"math/bits"
	"slices"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

// Missing says what would have ordered a racing pair.
type Missing uint8

const (
	// Nothing synchronizes the two accesses directly, so no single piece is missing.
	Nothing      Missing = iota
	FenceScope           // a fence, or an acquire or release, is narrower than the distance
	AccessScope          // an atomic is: the one that hands over, or one of the two that race
	AcquireFence         // the consumer has seen the flag and has no fence behind that
	ReleaseFence         // the producer sets the flag with no fence behind the data
	Fences               // neither side has one
	CopyWait             // an asynchronous copy is not awaited, or not by all
	ProxyFence           // a bulk copy reads what a thread has written, with no proxy fence on the way
	CommonLock           // they hold different locks, or one of them none
	Presence             // of the block whose shared memory it is, which may have ended
)

func (m Missing) String() string {
	return [...]string{"nothing", "fence scope", "access scope", "acquire fence", "release fence", "fences", "copy wait", "proxy fence", "common lock", "presence"}[m]
}

// log is what lanes of a warp have done of late to synchronize, the newest last: they have observed records,
// or executed acquiring operations.
type log []logged

type logged struct {
	lanes   uint32
	epoch   uint32     // of the lanes, when they did so
	pc      uint32     // of the read
	scope   race.Scope // of an acquiring operation
	linked  bool
	chain   bool // its lanes have each observed what the one before it wrote, of a record of all
	written      // that was observed; it shows nil if none was
}

const maxLog = 128

func (l *log) add(e logged) {
	if n := len(*l) - 1; n >= 0 {
		last := &(*l)[n]
		if last.written == e.written && last.pc == e.pc && last.scope == e.scope && last.linked == e.linked && !last.chain && !e.chain &&
			(e.lanes&^last.lanes == 0 || e.epoch == last.epoch) {
			last.lanes |= e.lanes
			return
		}
	}
	if len(*l) == maxLog {
		*l = (*l)[:copy(*l, (*l)[maxLog/2:])]
	}
	*l = append(*l, e)
}

// note adds to the log of a warp what lanes have observed.
func (w *warpState) note(e logged) {
	w.block.heard = true
	w.log.add(e)
}

func (l log) emptied() log {
	clear(l)
	return l[:0]
}

// acquired notes an acquiring operation of some lanes.
func (l *log) acquired(lanes uint32, scope race.Scope) {
	if len(*l) > 0 {
		l.add(logged{lanes: lanes, scope: scope})
	}
}

// untold is an access of a thread, in an epoch, that is not ordered before the present one to the same word.
type untold struct {
	d            *Detector
	first, epoch uint32
	pc           uint32
	at, size     uint64                     // of the present one
	unread       func(pc uint32) bool       // atomics whose results are not looked at
	leads        func(from, to uint32) bool // a thread may come from one instruction to another one
	direct       bool                       // only what the one thread has told the other itself counts, as a fence behind that suffices
	silent       [64]asked                  // that have told nothing, by the last bits of the warp
}

// asked is a lane whose log was looked through up to an epoch.
type asked struct {
	warp, epoch   uint32
	lane, tellers int
}

// missing says what kept an access from being ordered before the present one of a lane, and whether its thread told
// that of the lane: it wrote a flag or a counter after its access, and the second read that before its own. What this has read there
// itself tells nothing, nor does an update whose result it does not look at. It has been told by what it has read, or
// what threads of its block have before a barrier.
func (x *untold) missing(t *thread, lane int) (what Missing, told bool) {
	if what, told := x.told(t.w.log, t.place, upTo(lane, ^uint32(0)), maxTellers); told || !t.w.block.heard || x.direct {
		return what, told
	}
	for i := range t.w.block.warps {
		w := &t.w.block.warps[i]
		what, told := x.told(w.log, t.place, func(o *logged) int {
			for rest := o.lanes; rest != 0; rest &= rest - 1 {
				if t.past.threads.covers(x.d.height, w.number<<fanBits, rest&-rest, o.epoch) {
					return firstLane(rest)
				}
			}
			return -1
		}, maxTellers)
		if told {
			return what, true
		}
	}
	return Nothing, false
}

// maxTellers bounds the threads through which one is told of another.
const maxTellers = 2

// upTo chooses what a lane has logged up to an epoch.
func upTo(lane int, epoch uint32) func(*logged) int {
	return func(o *logged) int {
		if o.lanes>>lane&1 != 0 && o.epoch <= epoch {
			return lane
		}
		return -1
	}
}

// told looks for a hand-over in a log of threads at a place, or in those of other threads by which one has been told; who is the lane, of those
// that an entry is about, that counts, -1 for none.
func (x *untold) told(l log, at place, who func(*logged) int, tellers int) (what Missing, told bool) {
	fenced := race.ScopeNone // the widest acquiring operation behind
	for i := len(l) - 1; i >= 0; i-- {
		o := &l[i]
		lane := who(o)
		if lane < 0 {
			continue
		}
		r := &o.written
		if r.shows == nil {
			fenced = max(fenced, o.scope)
			continue
		}
		if r.at&^3-x.at < x.size || x.unread(o.pc) {
			continue
		}
		writer := o.writer(lane)
		known := x.known(r.warp<<fanBits, writer, r.epoch) && x.before(r.warp<<fanBits|uint32(writer), r.epoch, r.pc)
		carried := !known && !x.direct && x.carried(r, at)
		if !known && !carried && (x.direct || !x.counted(r)) {
			if writer >= 0 && tellers > 0 && !x.direct {
				if what, told := x.toldBy(r, writer, tellers-1); told {
					return what, true
				}
			}
			continue
		}
		if !o.linked {
			return AccessScope, true
		}
		need := distance(x.d.placeOf(int32(r.warp>>fanBits)), at)
		released, wide := carried, false
		writers := r.lanes
		if writers == ownLane {
			writers = 1 << lane
		}
		for _, s := range r.shows.releases {
			s = s.by(writers)
			if s.warp == r.warp && s.lanes>>max(o.writer(lane), 0)&1 != 0 && x.known(s.warp<<fanBits, o.writer(lane), s.epoch) {
				released, wide = true, wide || s.scope >= need
			}
		}
		acquired := fenced >= race.ScopeBlock
		switch {
		case !released && !acquired:
			return Fences, true
		case !released:
			return ReleaseFence, true
		case (wide || x.direct) && !acquired:
			return AcquireFence, true
		case !wide || fenced < need:
			return FenceScope, true
		}
		return Nothing, true
	}
	return Nothing, false
}

// toldBy is told for the log of a record's writer, up to the record. What that has told nothing up to a later one it need not be asked
// again.
func (x *untold) toldBy(r *written, writer, tellers int) (what Missing, told bool) {
	silent, now := &x.silent[r.warp%uint32(len(x.silent))], asked{r.warp, r.epoch, writer, tellers}
	if silent.warp == now.warp && silent.lane == now.lane && silent.tellers >= now.tellers && silent.epoch >= now.epoch {
		return Nothing, false
	}
	b := x.d.blocks[int(r.warp>>fanBits)]
	if b == nil {
		return Nothing, false
	}
	what, told = x.told(b.warps[r.warp&(fan-1)].log, x.d.placeOf(int32(r.warp>>fanBits)), upTo(writer, r.epoch), tellers)
	if !told {
		*silent = now
	}
	return what, told
}

// known reports whether a lane knew of the access in an epoch of its own: it is of the same thread, or a barrier of their
// block lies between.
func (x *untold) known(first uint32, lane int, epoch uint32) bool {
	if lane < 0 {
		return false
	}
	if first|uint32(lane) == x.first {
		return epoch >= x.epoch
	}
	return !x.direct && first>>blockBits == x.first>>blockBits && x.d.meetsOf(int(first>>blockBits)).between(x.epoch, epoch)
}

// before reports whether the access was made before a write of a thread: in one epoch of the thread itself, only the program tells.
func (x *untold) before(writer, epoch, pc uint32) bool {
	return writer != x.first || epoch != x.epoch || pc == x.pc || x.leads(x.pc, pc)
}

// counted reports whether an update before one that was read, of those that make a chain, is by a thread that knew of the
// access: so the last of those that count knows all.
func (x *untold) counted(r *written) bool {
	p := x.d.shadow.all[r.at>>pageBits]
	if p == nil {
		return false
	}
	if c := x.d.shadow.peek(r.at &^ 3); c != nil {
		return x.updated(c)
	}
	found := false
	for o := p.trail(rowIn(r.at), r.at>>wordBits&(rowWords-1)); o != nil; o = x.d.shadow.trails.before(o) {
		by := &x.d.shadow.acts.at(o.act).act
		found = found || by.warp == r.warp && by.epoch == r.epoch && o.lanes == r.lanes
		if !found || !o.act.writes() {
			continue
		}
		set := uint32(1) << (x.first & (fan - 1))
		if by.warp == x.first>>fanBits && o.lanes&set != 0 && by.epoch >= x.epoch && x.before(x.first, by.epoch, by.pc) ||
			x.d.shadow.trails.known[o.stepBits>>knownBits].covers(x.d.height, x.first&^(fan-1), set, x.epoch) {
			return true
		}
	}
	return false
}

// updated reports whether a word that is not only updated, and so has no trail, was updated by a thread that knew of the access.
func (x *untold) updated(c *cell) bool {
	set := uint32(1) << (x.first & (fan - 1))
	for _, o := range c.refs() {
		if o.lanes&set == 0 || !o.act.writes() {
			continue
		}
		by := &x.d.shadow.acts.at(o.act).act
		if by.kind == event.Atomic && by.warp == x.first>>fanBits && by.epoch >= x.epoch && x.before(x.first, by.epoch, by.pc) {
			return true
		}
	}
	return false
}

// carried reports whether a read-modify-write carries on a release by a thread that knew of the access, which is too narrow for a
// place.
func (x *untold) carried(r *written, at place) bool {
	for i := range r.shows.releases {
		if s := r.shows.releases[i].by(r.lanes); s.scope < distance(s.place, at) && s.tells(x.first, x.epoch, false, x.d.height) {
			return true
		}
	}
	return false
}

// meets are the last epochs of any thread before each of the last barriers of a block at which all of its threads have
// waited, the last one first.
type meets [8]uint32

// maxEnded bounds the blocks that have ended whose barriers are remembered.
const maxEnded = 1 << 16

// meet notes a barrier of all threads of a block.
func (b *block) meet(top uint32) {
	copy(b.meets[1:], b.meets[:])
	b.meets[0] = top
}

func (d *Detector) meetsOf(number int) meets {
	if b := d.blocks[number]; b != nil {
		return b.meets
	}
	return d.ended[number]
}

// between reports whether such a barrier lies between two epochs of threads of the block.
func (m meets) between(from, to uint32) bool {
	return slices.ContainsFunc(m[:], func(top uint32) bool { return from <= top && top < to })
}

// writer is the lane, of the record's warp, whose write a lane has observed; -1 if it is none.
func (o *logged) writer(lane int) int {
	writers := o.written.lanes
	if writers == ownLane {
		return lane
	}
	if o.chain {
		writers &= 1<<lane - 1
	}
	return bits.Len32(writers) - 1
}

// told reports whether a thread would know another one up to an epoch if all threads of its block had a
// fence behind what they observe: as far as they have acquired none of it, or the logs say.
func (t *thread) told(lane int, first, epoch uint32, height int) bool {
	if !t.w.block.heard {
		return false
	}
	// Those that have waited for one thread have observed the same: what told nothing once is passed over.
	var silent [64]struct {
		shows       *publication
		warp, lanes uint32
	}
	warps := t.w.block.warps
	for i := range warps {
		w := &warps[i]
		heard := func(lanes, when uint32) bool {
			return w == t.w && lanes>>lane&1 != 0 || t.past.threads.coversOne(height, w.number<<fanBits, lanes, when) ||
				t.each && lanes>>lane&1 != 0 && t.past.threads.covers(height, w.number<<fanBits, ownLane, when)
		}
		// What lanes have seen each of its like, one has of the first thread's lane.
		tells := func(r *written, lanes, when uint32) bool {
			if r.shows == nothing {
				return false
			}
			if r.lanes == ownLane {
				same := lanes & (1 << (first & (fan - 1)))
				return heard(lanes, when) && r.tells(w.place, first, epoch, false, height) ||
					same != 0 && heard(same, when) && r.tells(w.place, first, epoch, true, height)
			}
			known := &silent[(r.epoch*7+r.warp)%uint32(len(silent))]
			if known.shows == r.shows && known.warp == r.warp && known.lanes == r.lanes || !heard(lanes, when) {
				return false
			}
			if r.tells(w.place, first, epoch, false, height) {
				return true
			}
			known.shows, known.warp, known.lanes = r.shows, r.warp, r.lanes
			return false
		}
		for rest := w.lanes; rest != 0; {
			u := w.at(firstLane(rest))
			rest &^= u.lanes
			for _, r := range u.unread {
				if tells(&r.written, u.lanes, r.epoch) {
					return true
				}
			}
			for _, r := range u.below {
				if tells(&r.written, r.above(u.lanes, first), r.epoch) {
					return true
				}
			}
			same := u.lanes & (1 << (first & (fan - 1)))
			if p := u.observed; p != nil && (p.tells(first, epoch, false, height) && heard(u.lanes, u.observedAt) ||
				u.each && same != 0 && p.tells(first, epoch, true, height) && heard(same, u.observedAt)) {
				return true
			}
		}
		for j := range w.log {
			o := &w.log[j]
			lanes := o.lanes
			if o.chain {
				lanes = o.above(lanes, first)
			}
			if o.shows != nil && o.linked && tells(&o.written, lanes, o.epoch) {
				return true
			}
		}
	}
	return false
}

// tells reports whether a thread is among what may be acquired, up to an epoch; own says that a thread of the same
// lane would.
func (p *pending) tells(first, epoch uint32, own bool, height int) bool {
	for i := range p {
		if p[i].threads.tells(first, epoch, own, height) {
			return true
		}
	}
	return false
}

func (n *node) tells(first, epoch uint32, own bool, height int) bool {
	return n.covers(height, first&^(fan-1), 1<<(first&(fan-1)), epoch) || own && n.covers(height, first&^(fan-1), ownLane, epoch)
}

// tells reports whether a release is by a thread that knew another one up to an epoch.
func (r *release) tells(first, epoch uint32, own bool, height int) bool {
	return r.epoch >= epoch && r.warp == first>>fanBits && r.lanes>>(first&(fan-1))&1 != 0 || r.whole().threads.tells(first, epoch, own, height)
}

// tells reports whether who reads it somewhere would know a thread up to an epoch with a fence behind
// that; own says that it is of the same lane, if that matters.
func (r *written) tells(at place, first, epoch uint32, own bool, height int) bool {
	if r.shows == nothing {
		return false
	}
	set := uint32(1) << (first & (fan - 1))
	writers := r.lanes
	if writers == ownLane && own {
		writers = set
	}
	own = r.shows.each && writers == set
	for i := range r.shows.releases {
		x := r.shows.releases[i].by(writers)
		if x.scope >= distance(x.place, at) && x.tells(first, epoch, own, height) {
			return true
		}
	}
	var few [maxMarks + 1]mark
	for l := range levels {
		if !r.hasFenced(l, at) {
			continue
		}
		for _, m := range r.fenced(l, few[:0]) {
			if m.epoch >= epoch && m.warp == first>>fanBits && (m.lanes&set != 0 || own && m.lanes == ownLane) || m.threads.tells(first, epoch, own, height) {
				return true
			}
		}
	}
	return false
}
