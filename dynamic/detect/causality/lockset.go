package causality

// This file defines the lockset check (Savage and others, "Eraser", 1997; with scopes). It runs
// beside the order, for races that did not happen because threads took locks in a lucky sequence:
// two accesses of which one is made under a lock, that nothing but the hand-over of locks orders,
// and that no lock in common keeps apart, whatever the sequence.

import (
	"slices"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

// heldLock is a lock that a thread holds: a location that a compare-and-swap, or an exchange whose result is looked at, has
// changed from zero, until it is zero again.
type heldLock struct {
	at     uint64
	scope  race.Scope // of the atomic
	fenced race.Scope // of the widest fence behind it, or of its own acquire
	by     uint32     // the thread
	pc     uint32     // the atomic
}

// covers is the scope within which the lock excludes.
func (l *heldLock) covers() race.Scope { return min(l.scope, l.fenced) }

// locks is what the check knows in a launch.
type locks struct {
	inUse bool            // a lock has been taken
	given map[uint64]bool // the locations that have been given back, and so are locks
	turns int             // how often that has changed
	// swapped are the exchanges that took what is taken, and lists those of them whose location was made zero by who did not
	// take it: a list that is emptied, or a mailbox.
	swapped map[uint64]uint32
	lists   map[uint32]bool
	// claims are compare-and-swaps that take what nobody gives back, such as vertices that are visited. What they take
	// is followed no more; if a lock is among it, nobody can say any longer which accesses it guards.
	claims map[uint32]bool
	last   comparison
}

// hasLock reports whether one of a block's threads holds a location as a lock.
func (b *block) hasLock(at uint64) bool {
	return slices.ContainsFunc(b.held, func(l heldLock) bool { return l.at == at })
}

// lockSet is some locks that were held at once; it is shared.
type lockSet struct {
	locks []heldLock
	// given are those that had been given back, once, as of a turn.
	given []heldLock
	known int
}

// comparison is how two accesses were guarded, one by each of two sets, and what that lacks.
type comparison struct {
	first, second         *lockSet
	firstWarp, secondWarp uint32
	need                  race.Scope
	turns                 int
	missing               Missing
	safe                  bool
}

// holding returns the locks that a block holds, or nil if it holds none.
func (b *block) holding() *lockSet {
	if len(b.held) == 0 {
		return nil
	}
	if b.holds != nil {
		return b.holds
	}
	for _, s := range b.sets {
		if s != nil && slices.Equal(s.locks, b.held) {
			b.holds = s
			return s
		}
	}
	b.holds = &lockSet{locks: slices.Clone(b.held)}
	b.sets[b.next%len(b.sets)] = b.holds
	b.next++
	return b.holds
}

// maxGuards bounds the guards of a word.
const maxGuards = 64

// guard is the locks that the block held at an access.
type guard struct {
	warp, lanes, epoch uint32 // of the access
	writes             bool
	held               *lockSet
}

// isLock reports whether a location in a word has been given back.
func (c *cell) isLock(at uint64) bool { return c.given>>(at&3)&1 != 0 }

// noteLock follows the locks through strong writes, and reports whether one, of a location in some cell, is about
// a lock.
func (d *Detector) noteLock(t *thread, c *cell, a *event.Access, s strength, lane int, at uint64) bool {
	zero := a.Kind == event.Write && a.Value[0].Known() && a.Value[0].At(lane) == 0 ||
		a.Op == event.AtomicExchange && a.Operand.Known() && a.Operand.At(lane) == 0
	switch {
	case taking(a, lane):
		exchange := a.Op == event.AtomicExchange
		if d.claims[a.PC] || d.lists[a.PC] || exchange && d.unread(a.PC, t.w.number) {
			return false
		}
		l := heldLock{at: at, scope: s.scope, by: t.first() + uint32(lane), pc: a.PC}
		if s.acquire {
			l.fenced = s.scope
		}
		b := t.w.block
		b.held, b.holds = append(b.held, l), nil
		if !d.inUse {
			d.locks = locks{inUse: true, given: map[uint64]bool{}, claims: map[uint32]bool{}, swapped: map[uint64]uint32{}, lists: map[uint32]bool{}}
		}
		if exchange {
			d.swapped[at] = a.PC
		}
		if len(b.held) > maxHeld+2*fan*len(b.warps) {
			d.dropClaims(b)
		}
		return true
	case zero && d.inUse:
		b := t.w.block
		for i := 0; i < len(b.held); i++ {
			if l := b.held[i]; l.at == at {
				b.held, b.holds = slices.Delete(b.held, i, i+1), nil
				d.emptied(c, at, t.w, &l)
				i--
			}
		}
		d.emptied(c, at, t.w, nil)
		return c.isLock(at)
	}
	return false
}

// taking reports whether an atomic of a lane changes zero into something else.
func taking(a *event.Access, lane int) bool {
	switch a.Op {
	case event.AtomicCompareExchange:
		return a.Compare.At(lane) == 0 && a.Operand.At(lane) != 0
	case event.AtomicExchange:
		return a.Operand.Known() && a.Value[0].Known() && a.Value[0].At(lane) == 0 && a.Operand.At(lane) != 0
	}
	return false
}

// unread reports whether nothing looks at the result of an atomic of a warp: who sets a flag so does not know whether it was free.
func (d *Detector) unread(pc, warp uint32) bool {
	l, _, begin := d.home(int(warp >> fanBits))
	return l.Program.Unread(pc - begin)
}

// emptied notes that a warp has made a location in some cell zero, which was held, or not by its block. An exchange's is given
// back by the warp that took it, else it was no lock.
func (d *Detector) emptied(c *cell, at uint64, w *warpState, held *heldLock) {
	pc, swapped := d.swapped[at]
	delete(d.swapped, at)
	switch {
	case held != nil && (!swapped || held.by>>fanBits == w.number):
		d.giveBack(c, at)
	case swapped:
		d.lists[pc] = true
		if d.given[at] {
			delete(d.given, at)
			d.turns++
			c.given &^= 1 << (at & 3)
		}
	}
}

// maxHeld is how many locations a block may hold, beside two for each thread, before those that have never been given back
// are taken for no locks.
const maxHeld = 1024

// dropClaims forgets what a block holds that has never been given back.
func (d *Detector) dropClaims(b *block) {
	b.held = slices.DeleteFunc(b.held, func(l heldLock) bool {
		if !d.given[l.at] {
			d.claims[l.pc] = true
		}
		return !d.given[l.at]
	})
	b.holds, b.sets = nil, [fan]*lockSet{}
}

// giveBack notes that a location in some cell has been given back.
func (d *Detector) giveBack(c *cell, at uint64) {
	if !c.isLock(at) {
		d.given[at] = true
		d.turns++
		c.given |= 1 << (at & 3)
	}
}

// fenceLocks notes a fence of a thread that holds locks.
func (d *Detector) fenceLocks(t *thread, scope race.Scope) {
	b := t.w.block
	for i := range b.held {
		l := &b.held[i]
		if l.by>>fanBits == t.w.number && t.lanes>>(l.by&(fan-1))&1 != 0 && l.fenced < scope {
			l.fenced, b.holds = scope, nil
		}
	}
}

// heldBy returns what a thread holds: it is in a critical section if that is a lock.
func (d *Detector) heldBy(id uint32) (held []uint64) {
	for _, l := range d.blocks[int(id>>blockBits)].held {
		if l.by == id {
			held = append(held, l.at)
		}
	}
	return held
}

// guard notes the locks under which a word is accessed.
func (d *Detector) guard(t *thread, c *cell, e *entry) {
	if held := t.w.block.holding(); held != nil || c.guarded() {
		d.shadow.crowdOf(c).guard(guard{e.warp, e.lanes, e.epoch, e.writes(), held})
	}
}

// guarded reports whether a word has been accessed under a lock.
func (c *cell) guarded() bool { return c.more != nil && len(c.more.guards) > 0 }

// guard notes the locks under which an access was made.
func (m *crowd) guard(now guard) {
	for i := range m.guards {
		if o := &m.guards[i]; o.warp == now.warp && o.writes == now.writes {
			*o = now
			return
		}
	}
	if len(m.guards) == maxGuards {
		m.missing = true
		return
	}
	m.guards = append(m.guards, now)
}

// heldAt returns the locks under which an earlier access of a word was made, as far as that is known.
func (c *cell) heldAt(o *entry) (held *lockSet, known bool) {
	if !c.guarded() {
		return nil, true
	}
	for i := range c.more.guards {
		if x := &c.more.guards[i]; x.warp == o.warp && x.writes == o.writes() {
			return x.held, x.lanes == o.lanes && x.epoch == o.epoch // else it is another access's
		}
	}
	return nil, !c.more.missing
}

// suspect reports an earlier access that is ordered before the present one by locks alone, none of
// which both hold. How locks themselves are accessed is none of its business.
func (d *Detector) suspect(c *cell, o, e *entry, t *thread, at uint64) {
	if o.flags&async != 0 || e.flags&async != 0 || o.warp == t.w.number || o.mask&e.mask == 0 || !o.writes() && !e.writes() {
		return
	}
	if o.flags.level() == strong && e.flags.level() == strong || t.covers(t.past.firm, d.height, o.warp, o.lanes, o.epoch, e.lanes) || c.isLock(at) {
		return
	}
	held, known := c.heldAt(o)
	if !known {
		return
	}
	if !d.lockedApart(held, t.w.block.holding(), o.warp, e.warp, t.place) {
		d.keepSuspect(o, e, t, at, d.last.missing)
	}
}

// lockedApart reports whether a lock keeps two accesses of different warps apart, or none was held, or nobody knows; what lacks is in
// last.
func (d *Detector) lockedApart(first, second *lockSet, firstWarp, secondWarp uint32, at place) bool {
	if len(d.claims) > 0 {
		return true
	}
	x := comparison{
		first: first, second: second, firstWarp: firstWarp, secondWarp: secondWarp,
		need: distance(d.placeOf(int32(firstWarp>>fanBits)), at), turns: d.turns,
	}
	y := d.last
	if y.missing, y.safe = x.missing, x.safe; x != y {
		d.compare(&x)
		d.last = x
	}
	return d.last.safe
}

// lockLacks says what a lock lacks that two threads held at accesses which are not ordered: it was handed over, maybe by
// many others between. Nothing, if there is none.
func (d *Detector) lockLacks(o *entry, t *thread, first, second uint32, need race.Scope, at uint64) Missing {
	c := d.shadow.peek(at &^ 3)
	if c == nil {
		return Nothing
	}
	held, known := c.heldAt(o)
	if !known || held == nil {
		return Nothing
	}
	for _, l := range held.locks {
		for _, m := range t.w.block.held {
			switch {
			case l.at != m.at || l.by != first || m.by != second:
			case min(l.scope, m.scope) < need:
				return AccessScope
			case m.fenced == race.ScopeNone:
				return AcquireFence
			case m.fenced < need:
				return FenceScope
			default:
				return ReleaseFence
			}
		}
	}
	return Nothing
}

// compare finds out whether a lock keeps two accesses apart, or what the locks in common lack. Without any
// locks there is nothing to suspect.
func (d *Detector) compare(x *comparison) {
	x.missing, x.safe = CommonLock, true
	first, second := d.locksOf(x.first), d.locksOf(x.second)
	for i := range first {
		x.safe = x.safe && !first[i].reaches(x.firstWarp, x.need)
	}
	for i := range second {
		x.safe = x.safe && !second[i].reaches(x.secondWarp, x.need)
	}
	if x.safe {
		return
	}
	for i := range first {
		for j := range second {
			l, m := &first[i], &second[j]
			switch {
			case l.at != m.at || !l.reaches(x.firstWarp, x.need) || !m.reaches(x.secondWarp, x.need):
			case l.covers() >= x.need && m.covers() >= x.need:
				x.safe = true
				return
			case min(l.fenced, m.fenced) == race.ScopeNone:
				x.missing = AcquireFence
			case min(l.fenced, m.fenced) < x.need:
				x.missing = FenceScope
			default:
				x.missing = AccessScope
			}
		}
	}
}

// locksOf returns those of a set that have been given back once.
func (d *Detector) locksOf(held *lockSet) []heldLock {
	if held == nil {
		return nil
	}
	if held.known != d.turns {
		held.known, held.given = d.turns, held.given[:0]
		for _, l := range held.locks {
			if d.given[l.at] {
				held.given = append(held.given, l)
			}
		}
	}
	return held.given
}

// reaches reports whether a lock counts for an access of a warp of the block that holds it: one thread may take a lock
// for all, or for another warp of the same block those of the warp.
func (l *heldLock) reaches(warp uint32, need race.Scope) bool {
	return need > race.ScopeBlock || l.by>>fanBits == warp
}
