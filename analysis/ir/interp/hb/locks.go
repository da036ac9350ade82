package hb

// This file defines which locks a thread holds, so that rules can tell races in critical
// sections from others. It has no part in the order.

import (
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp"
)

// Lock is a lock that a thread holds: it has changed a location from 0 by a compare-and-swap,
// or by an exchange that polls, to another constant, and has not set it back.
type Lock struct {
	Object *interp.Object
	Offset int64
}

// shareLock reports whether two accesses were made under the same lock.
func shareLock(a, b *Side) bool {
	for _, x := range a.Locks {
		for _, y := range b.Locks {
			if x.Object == y.Object && x.Offset == y.Offset {
				return true
			}
		}
	}
	return false
}

// noteLock takes note of a write that takes a lock or gives one back.
func (d *Detector) noteLock(t *thread, a *interp.Access) {
	var held []Lock
	if t.locks != nil {
		held = *t.locks
	}
	for i, l := range held {
		if l.Object == a.Object && l.Offset == a.Offset {
			if a.New == 0 {
				rest := slices.Concat(held[:i], held[i+1:])
				t.locks = &rest
			}
			return
		}
	}
	s, ok := a.Stmt.(*ir.Atomic)
	if !ok || a.Old != 0 || a.New == 0 || !isConst(s.X) {
		return
	}
	if s.Op == ir.AtomicCAS || s.Op == ir.AtomicExch && has(d.polled, a.Site) {
		more := append(slices.Clip(held), Lock{Object: a.Object, Offset: a.Offset})
		t.locks = &more
	}
}

func isConst(e ir.Expr) bool {
	_, ok := e.(*ir.Const)
	return ok
}
