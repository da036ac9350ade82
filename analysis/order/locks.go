package order

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file recognises locks by what they do: a thread goes on only when its compare-and-swap
// or exchange has changed the free value into another, and only a thread that has done so
// writes the free value back (HGRD matches acquire and release in the same way).

// hold is a lock that a thread has at an access, or its block behind a barrier.
type hold struct {
	acquire *access.Access
	free    int64         // the value of the lock when nobody has it
	turn    *term.Poly    // the value that its holder waits for, where holders take turns; nil for a lock
	at      *access.Event // the barrier, nil if the thread itself has the lock
}

// holds lists the locks that the conditions of an access imply.
func (y *Sync) holds(a *access.Access) []hold {
	var out []hold
	for _, w := range y.waits(a.When) {
		if h, ok := y.holdBy(w); ok {
			out = append(out, h)
		}
	}
	return out
}

// blockHolds lists the locks that the first thread of the block has taken for all.
func (y *Sync) blockHolds(a *access.Access) []hold {
	var out []hold
	for _, w := range y.toldTo(a.Stmt) {
		if h, ok := y.holdBy(w.wait); ok {
			h.at = w.at
			out = append(out, h)
		}
	}
	return out
}

// holdBy is the lock that somebody has who has seen a value.
func (y *Sync) holdBy(w wait) (hold, bool) {
	if w.when.P == nil {
		return hold{}, false
	}
	for _, value := range y.compared(w) {
		c, isConst := value.IsConst()
		at, atomic := w.on.Stmt.(*ir.Atomic)
		switch {
		case atomic && isConst && w.when.Op == term.NeZero:
			c, isConst = y.otherwise(at, w.on, c)
		case w.when.Op != term.EqZero:
			continue
		}
		if atomic && isConst && y.takes(at, w.on, c) && y.isLock(w.on, c) {
			return hold{acquire: w.on, free: c}, true
		}
	}
	if w = y.forOneNumber(w); w.when.Op == term.EqZero && y.lax == 0 {
		for _, number := range y.compared(w) {
			if y.isTurn(w, number) {
				return hold{acquire: w.on, turn: number}, true
			}
		}
	}
	return hold{}, false
}

// compared is what the condition of a wait compares the number with that is read: one of the two, as the sign may be the other.
func (y *Sync) compared(w wait) [2]*term.Poly {
	atom := y.t.Poly(w.atom)
	return [...]*term.Poly{y.t.Sub(atom, w.when.P), y.t.Add(atom, w.when.P)}
}

// otherwise is the free value of a lock that a thread takes by an exchange until it reads
// something else than what it writes: what its holder gives it back with.
func (y *Sync) otherwise(at *ir.Atomic, on *access.Access, taken int64) (free int64, ok bool) {
	if at.Op != ir.AtomicExch || on.Value == nil {
		return 0, false
	}
	if v, isConst := on.Value.IsConst(); !isConst || v != taken {
		return 0, false
	}
	for _, w := range y.writes {
		if !y.mayMeet(w, on) || w.Value == nil {
			continue
		}
		if v, isConst := w.Value.IsConst(); isConst && v != taken {
			return v, true
		}
	}
	return 0, false
}

// takes reports whether an atomic that has read the free value leaves another one.
func (y *Sync) takes(at *ir.Atomic, on *access.Access, free int64) bool {
	if on.Value == nil {
		return false
	}
	v, ok := on.Value.IsConst()
	switch at.Op {
	case ir.AtomicExch:
		return ok && v != free
	case ir.AtomicCAS:
		if on.Compare == nil {
			return false
		}
		c, isConst := on.Compare.IsConst()
		return isConst && at.T.Cut(c) == free && y.neverIs(on, free)
	}
	return false
}

// neverIs reports whether a write never stores a value.
func (y *Sync) neverIs(w *access.Access, value int64) bool {
	if v, ok := w.Value.IsConst(); ok {
		return v != value
	}
	return y.impossible(append(slices.Clone(w.When), y.t.Eq(w.Value, y.t.Const(value)))...)
}

// isLock reports whether every write to the location either takes the lock or gives it back
// after having taken it, or makes it free before anybody takes it. One that nobody gives back is a
// mistake, not a lock.
func (y *Sync) isLock(acquire *access.Access, free int64) bool {
	var given []*access.Access
	for _, w := range y.writes {
		if !y.mayMeet(w, acquire) {
			continue
		}
		if w.Size != acquire.Size || w.Type().Cut(free) != free {
			return false // as w's type has it, the free value is another number
		}
		if at, ok := w.Stmt.(*ir.Atomic); ok && y.takes(at, w, free) {
			continue
		}
		if y.givesBack(w, acquire, free) != nil {
			given = append(given, w)
		} else if !y.initializes(w, acquire, free) {
			return false
		}
	}
	return len(given) > 0 && !slices.ContainsFunc(given, func(w *access.Access) bool {
		return slices.ContainsFunc(given, func(again *access.Access) bool { return y.givesBackTwice(w, again, acquire, free) })
	})
}

// givesBackTwice reports whether a thread may give a lock back that it has given back before and not taken since: by
// then it may be another thread's.
func (y *Sync) givesBackTwice(w, again, acquire *access.Access, free int64) bool {
	taken := y.takenBefore(again, acquire, free)
	return slices.ContainsFunc(y.takenBefore(w, acquire, free), func(a *access.Access) bool { return slices.Contains(taken, a) }) && y.comesTo(w, again, taken)
}

// comesTo reports whether a thread may come from one access to another, which hangs on locks that it has taken, without
// taking one anew. What it takes in each round of the loops around, it has taken since the last round; and in one
// round the conditions of both hold.
func (y *Sync) comesTo(a, b *access.Access, taken []*access.Access) bool {
	var within []*ir.Loop
	if slices.ContainsFunc(taken, func(t *access.Access) bool { return access.Inside(t.Loops, b.Loops) }) {
		for _, l := range b.Loops {
			within = append(within, l.Stmt)
		}
	}
	again := func(s ir.Stmt) bool {
		return slices.ContainsFunc(taken, func(t *access.Access) bool { return t.Stmt == s })
	}
	if !y.g.ReachesWithin(within, a.Stmt, b.Stmt, again) {
		return false
	}
	return len(within) < len(b.Loops) || !slices.Equal(a.Loops, b.Loops) || !y.impossible(slices.Concat(a.When, b.When)...)
}

// initializes reports whether a write makes a lock free that its thread has not taken before. That
// no other thread has is for the pair of this write and the acquire to show, as for any two accesses.
func (y *Sync) initializes(w, acquire *access.Access, free int64) bool {
	if w.Value == nil || w.Order != ir.Weak {
		return false
	}
	v, ok := w.Value.IsConst()
	return ok && v == free && !y.g.Reaches(acquire.Stmt, w.Stmt, nil)
}

// givesBack returns the atomic by which a thread has taken a lock that stores the free value, nil for
// another write.
func (y *Sync) givesBack(w, acquire *access.Access, free int64) *access.Access {
	if taken := y.takenBefore(w, acquire, free); len(taken) > 0 {
		return taken[0]
	}
	return nil
}

// takenBefore lists the atomics by which a thread has taken a lock that stores the free value.
func (y *Sync) takenBefore(w, acquire *access.Access, free int64) (taken []*access.Access) {
	if w.Value == nil {
		return nil
	}
	if v, ok := w.Value.IsConst(); !ok || v != free {
		return nil
	}
	if at, ok := w.Stmt.(*ir.Atomic); ok && at.Op != ir.AtomicExch {
		return nil
	}
	if !y.strong(w) {
		return nil
	}
	for _, held := range y.waits(y.settled(w)) {
		at, ok := held.on.Stmt.(*ir.Atomic)
		if ok && held.on.Base == acquire.Base && held.on.Off.Equal(w.Off) && y.takes(at, held.on, free) && y.hasTaken(held, at, free) {
			taken = append(taken, held.on)
		}
	}
	return taken
}

// ReturnsLock reports whether a write gives a lock back: such a location is one by which threads synchronize.
func (y *Sync) ReturnsLock(w *access.Access) bool {
	if w.Value == nil {
		return false
	}
	free, ok := w.Value.IsConst()
	return ok && slices.ContainsFunc(y.writes, func(acquire *access.Access) bool {
		at, atomic := acquire.Stmt.(*ir.Atomic)
		return atomic && MayTouch(w, acquire) && y.takes(at, acquire, free) && y.isLock(acquire, free) && y.givesBack(w, acquire, free) != nil
	})
}

// hasTaken reports whether what an atomic has read says that the lock was free.
func (y *Sync) hasTaken(held wait, at *ir.Atomic, free int64) bool {
	atom := y.t.Poly(held.atom)
	if y.impossible(held.when, y.t.Ne(atom, y.t.Const(free))) {
		return true
	}
	return at.Op == ir.AtomicExch && y.impossible(held.when, y.t.Eq(atom, held.on.Value))
}

// locked reports whether both accesses are made under one lock, whose atomics and fences
// have a scope that includes both threads. Of a thread that has several, as those of two accounts
// that it takes the lesser one of first, it need not be known which one that is.
func (y *Sync) locked(a, b *access.Access, kind race.Kind) bool {
	as, bs := y.holds(a), y.holds(b)
	if kind == race.InterBlock && y.lax == 0 {
		as, bs = append(as, y.blockHolds(a)...), append(bs, y.blockHolds(b)...)
	}
	var others []pairOfLocks
	for _, h := range as {
		if kind == race.InterBlock && ofBlock(h.acquire) {
			continue // each block has its own
		}
		for _, k := range bs {
			if h.free != k.free || (h.turn == nil) != (k.turn == nil) || h.acquire.Base != k.acquire.Base || h.acquire.Size != k.acquire.Size {
				continue
			}
			same := y.sameLock(h, k, a, b, kind)
			if !same && len(as)+len(bs) == 2 {
				continue
			}
			p, guarded := y.guards(h, a, kind)
			if !guarded {
				break
			}
			q, guarded := y.guards(k, b, kind)
			switch {
			case !guarded || !p.released.meets(q.acquired) || !q.released.meets(p.acquired):
			case same:
				return true
			default:
				others = append(others, pairOfLocks{h.acquire.Off, k.acquire.Off})
			}
		}
	}
	return len(others) > 1 && y.share(a, b, kind, others)
}

// guard is how a lock that is held from before to after an access is tied to it.
type guard struct{ acquired, released link }

// guards reports whether a lock is held, with its fences, from before to after an access.
func (y *Sync) guards(h hold, a *access.Access, kind race.Kind) (g guard, ok bool) {
	scope := kind.Scope()
	if !y.covers(h.acquire, scope) {
		return g, false
	}
	g = guard{acquired: link{own: true}, released: link{own: true}}
	from := h.acquire.Stmt
	if h.at != nil {
		from = h.at.Stmt
		g = guard{acquired: y.acquiring(h.acquire, a), released: link{own: true, sequential: true}}
	} else if !y.acquires(h.acquire, a, scope) {
		return g, false
	}
	again := func(s ir.Stmt) bool { return s == from }
	for _, w := range y.writes {
		if !y.mayMeet(w, h.acquire) || Reads(w) {
			continue
		}
		taken := y.takenFor(h, w)
		if taken == nil {
			continue
		}
		if !y.covers(w, scope) || !y.handsOn(taken, w, scope) {
			return g, false
		}
		if h.at == nil && y.comesTo(w, a, []*access.Access{h.acquire}) || h.at != nil && y.g.Reaches(w.Stmt, a.Stmt, again) {
			return g, false
		}
		if h.at != nil && y.g.Reaches(h.acquire.Stmt, w.Stmt, again) {
			return g, false // given back before the barrier
		}
		switch {
		case h.at != nil && !y.apartByBarriers(a, w), h.at == nil && !y.releases(a, w, scope):
			return g, false
		case h.at != nil:
			g.released = g.released.and(y.releasing(a, w))
		}
	}
	return g, true
}

// takenFor is the access by which the one has taken a lock who gives it back by a write, nil if the write
// does not give it back.
func (y *Sync) takenFor(h hold, w *access.Access) *access.Access {
	if h.turn == nil {
		return y.givesBack(w, h.acquire, h.free)
	}
	if t, ok := y.turnBefore(w); ok {
		return t.on
	}
	return nil
}

// handsOn reports whether what came before a lock was taken comes before what follows when it is given
// back, whatever is done in between: the write goes on from what the other has read, or a fence stands
// between.
func (y *Sync) handsOn(taken, w *access.Access, scope race.Scope) bool {
	_, updates := w.Stmt.(*ir.Atomic)
	both := func(o ir.Order) bool { return o.Acquires() && o.Releases() }
	return updates || taken.Order.Acquires() && w.Order.Releases() || y.fenced(taken.Stmt, w.Stmt, scope, both)
}
