package hb

// This file defines which locks a thread holds, so that rules can tell races in critical
// sections from others. It has no part in the order.

import (
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp"
)

// Lock is a lock that a thread holds: it has changed a location from a constant by a
// compare-and-swap, or by an exchange that polls, and has not set it back.
type Lock struct {
	Object *interp.Object
	Offset int64
	Site   int    // where it was taken
	free   uint64 // the value that gives it back
}

// noteLock takes note of a write that takes a lock or gives one back.
func (d *Detector) noteLock(t *thread, a *interp.Access) {
	for i, l := range t.locks {
		if l.Object == a.Object && l.Offset == a.Offset {
			if a.New == l.free {
				t.locks = append(append([]Lock(nil), t.locks[:i]...), t.locks[i+1:]...)
			}
			return
		}
	}
	s, ok := a.Stmt.(*ir.Atomic)
	if !ok || a.Old == a.New {
		return
	}
	taken := s.Op == ir.AtomicExch && isConst(s.X) && d.polled[a.Site]
	if taken || s.Op == ir.AtomicCAS && isConst(s.Compare) {
		t.locks = append(t.locks[:len(t.locks):len(t.locks)], Lock{Object: a.Object, Offset: a.Offset, Site: a.Site, free: a.Old})
	}
}

func isConst(e ir.Expr) bool {
	_, ok := e.(*ir.Const)
	return ok
}
