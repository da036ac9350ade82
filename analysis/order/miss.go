package order

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp/hb"
	"github.com/warplint/warplint/analysis/race"
)

// This file says what is missing where two accesses are nearly ordered: the weakest link of
// the lock or the hand-over that the code has begun. Each requirement is left out in turn,
// and the first one without which the accesses would be ordered is the answer.

// laxity is a set of requirements that are left out.
type laxity uint8

const (
	laxFenceScope laxity = 1 << iota // a fence of any scope will do
	laxScope                         // an atomic of any scope will do
	laxFence                         // no fence is needed
	laxWeak                          // a plain access will do for the flag
)

// What is the requirement that is not met.
type What uint8

const (
	Nothing      What = iota // the code does not try to order the accesses
	FenceScope               // a fence's scope leaves out the other thread
	AtomicScope              // the scope of the flag's or lock's atomic leaves it out
	Fence                    // there is no fence
	Weak                     // the flag is a plain access
	LockMismatch             // one of the two holds no lock, or another one
	Wait                     // nothing has waited for an asynchronous copy
	Group                    // the tile that syncs leaves out one of the two threads
	ProxyFence               // a bulk copy reads what a thread has written before, with no proxy fence on the way
	Returned                 // one of the two may have returned before the barrier that the other comes to
)

// Miss is the weakest link.
type Miss struct {
	What What
	Lock bool      // the link is part of a lock, not of a flag
	At   []ir.Stmt // the statements that fail: the fence, the atomic, what should have a fence before it
	// Reader is set where only the thread that waits for the flag lacks its fence.
	Reader bool
}

// Miss explains why two accesses are not ordered.
func (y *Sync) Miss(a, b *access.Access, kind race.Kind) Miss {
	y.explaining = true
	defer func() { y.lax, y.unmet, y.explaining = 0, nil, false }()
	if a.Order != ir.Weak && b.Order != ir.Weak {
		// Two atomics race only by their scopes; the rest of the way to an order does not matter.
		return Miss{What: AtomicScope, Lock: y.onLock(a)}
	}
	if y.polledPlainly(a) || y.polledPlainly(b) {
		return Miss{What: Weak}
	}
	for _, try := range []struct {
		lax  laxity
		what What
	}{
		{laxFenceScope, FenceScope},
		{laxScope, AtomicScope},
		{laxFence | laxFenceScope, FenceScope}, // one is too narrow, and there is none on the other side
		{laxFence, Fence},
		{laxFenceScope | laxScope, AtomicScope},
		{laxWeak, Weak},
		{laxFence | laxScope, AtomicScope},
		{laxWeak | laxFence, Fence},
	} {
		y.lax, y.unmet = try.lax, nil
		fails := func() bool { return try.lax != laxFence|laxFenceScope || slices.ContainsFunc(y.unmet, isFence) }
		if y.locked(a, b, kind) && fails() {
			return Miss{What: try.what, Lock: true, At: y.unmet}
		}
		for _, pair := range [...][2]*access.Access{{a, b}, {b, a}} {
			y.unmet = nil
			if (y.handedOver(pair[0], pair[1], kind) || y.afterAll(pair[0], pair[1], kind)) && fails() {
				reader := !slices.ContainsFunc(y.unmet, func(s ir.Stmt) bool { return s != pair[1].Stmt })
				return Miss{What: try.what, At: y.unmet, Reader: reader && len(y.unmet) > 0}
			}
		}
	}
	y.lax, y.unmet = laxFence|laxScope|laxFenceScope, nil
	for _, h := range append(y.holds(a), y.holds(b)...) {
		if !MayTouch(h.acquire, a) {
			return Miss{What: LockMismatch, Lock: true}
		}
	}
	return Miss{}
}

func isFence(s ir.Stmt) bool {
	_, ok := s.(*ir.Fence)
	return ok
}

// polledPlainly reports whether an access is a plain read that a loop waits for: one in which no barrier
// of the block stands, as threads that wait for each other there have no use for a flag.
func (y *Sync) polledPlainly(a *access.Access) bool {
	if y.polled == nil {
		y.polled = hb.PolledSites(y.s.Func)
	}
	return a.Kind == race.Read && a.Order == ir.Weak && !a.Volatile && y.polled[a.Site] && !y.goesRoundBarrier(a)
}

func (y *Sync) goesRoundBarrier(a *access.Access) bool {
	return slices.ContainsFunc(y.s.Events, func(e *access.Event) bool {
		b, ok := e.Stmt.(*ir.Barrier)
		return ok && b.Level >= ir.BlockLevel && y.g.Reaches(a.Stmt, b, nil) && y.g.Reaches(b, a.Stmt, nil)
	})
}

// onLock reports whether an access is to the variable of a lock that some other access holds.
func (y *Sync) onLock(a *access.Access) bool {
	y.lax = laxFence | laxScope | laxFenceScope
	for _, other := range y.s.Accesses {
		for _, h := range y.holds(other) {
			if MayTouch(h.acquire, a) {
				return true
			}
		}
	}
	return false
}
