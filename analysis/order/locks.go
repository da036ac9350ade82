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

// hold is a lock that a thread has at an access.
type hold struct {
	acquire *access.Access
	free    int64 // the value of the lock when nobody has it
}

// holds lists the locks that the conditions of an access imply.
func (y *Sync) holds(a *access.Access) []hold {
	var out []hold
	for _, w := range y.waits(a.When) {
		at, ok := w.on.Stmt.(*ir.Atomic)
		if !ok {
			continue
		}
		// The condition compares the atom with a number, up to the sign.
		for _, value := range []*term.Poly{y.t.Sub(y.t.Poly(w.atom), w.when.P), y.t.Add(y.t.Poly(w.atom), w.when.P)} {
			c, isConst := value.IsConst()
			if isConst && w.when.Op == term.NeZero {
				c, isConst = y.otherwise(at, w.on, c)
			} else if w.when.Op != term.EqZero {
				continue
			}
			if isConst && y.takes(at, w.on, c) && y.isLock(w.on, c) {
				out = append(out, hold{w.on, c})
				break
			}
		}
	}
	return out
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
		if !MayTouch(w, on) || w.Value == nil {
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
		return isConst && int32(c) == int32(free) && y.neverIs(on, free)
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
	given := false
	for _, w := range y.writes {
		if !MayTouch(w, acquire) {
			continue
		}
		if at, ok := w.Stmt.(*ir.Atomic); ok && y.takes(at, w, free) {
			continue
		}
		if y.givesBack(w, acquire, free) {
			given = true
		} else if !y.initializes(w, acquire, free) {
			return false
		}
	}
	return given
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

// givesBack reports whether a write stores the free value by a thread that has the lock.
func (y *Sync) givesBack(w, acquire *access.Access, free int64) bool {
	if w.Value == nil {
		return false
	}
	if v, ok := w.Value.IsConst(); !ok || v != free {
		return false
	}
	if at, ok := w.Stmt.(*ir.Atomic); ok && at.Op != ir.AtomicExch {
		return false
	}
	if !y.strong(w) {
		return false
	}
	for _, held := range y.waits(w.When) {
		at, ok := held.on.Stmt.(*ir.Atomic)
		if ok && held.on.Base == acquire.Base && held.on.Off.Equal(w.Off) && y.takes(at, held.on, free) && y.hasTaken(held, at, free) {
			return true
		}
	}
	return false
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
// have a scope that includes both threads.
func (y *Sync) locked(a, b *access.Access, kind race.Kind) bool {
	for _, h := range y.holds(a) {
		if kind == race.InterBlock && h.acquire.Base.Space == ir.Shared && h.acquire.Base.Remote == nil {
			continue // each block has its own
		}
		for _, k := range y.holds(b) {
			if h.free == k.free && y.sameLock(h, k, a, b, kind) && y.guards(h, a, kind) && y.guards(k, b, kind) {
				return true
			}
		}
	}
	return false
}

// guards reports whether a lock is held, with its fences, from before to after an access.
func (y *Sync) guards(h hold, a *access.Access, kind race.Kind) bool {
	scope := needed(kind)
	if !y.covers(h.acquire, scope) || !y.acquires(h.acquire, a, scope) {
		return false
	}
	again := func(s ir.Stmt) bool { return s == h.acquire.Stmt }
	for _, w := range y.writes {
		if !MayTouch(w, h.acquire) || !y.givesBack(w, h.acquire, h.free) {
			continue
		}
		if !y.covers(w, scope) || y.g.Reaches(w.Stmt, a.Stmt, again) || !y.releases(a, w, scope) {
			return false
		}
	}
	return true
}
