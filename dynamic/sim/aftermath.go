// This file lets a launch go on for a while behind a fault.

package sim

import "context"

// It is often a race that leads to a fault: an index or a pointer that was read too early. The one who writes it may
// not have come to that, and the listener would hear of one side only. So the threads that faulted get no turn
// any more, as a schedule may have it, and the others go on until they wait for these, or for so long.
const (
	aftermathFor    = 1 << 20 // instructions
	aftermathFaults = 1 << 10 // so many groups of threads may fault, too
)

// runBlocks executes blocks until there are no more, and returns what went wrong first, if anything.
func (c *core) runBlocks(ctx context.Context) (failure any) {
	failure = c.attempt(ctx)
	if failure == nil || !c.hasAftermath(failure) {
		return failure
	}
	c.last = c.instructions + aftermathFor
	for range aftermathFaults {
		c.current.freeze()
		if next := c.attempt(ctx); next == nil || !c.hasAftermath(next) {
			break
		}
	}
	return failure
}

// hasAftermath reports whether a failure is that of some threads, and others can be heard that go on.
func (c *core) hasAftermath(failure any) bool {
	f, ok := failure.(*Fault)
	if !ok || c.listener == nil || c.audience != nil || len(c.launch.cores) > 1 {
		return false
	}
	switch f.Kind {
	case OutOfBounds, UseAfterFree, Misaligned, Trap, Assertion, StackOverflow, Invalid:
		return true
	}
	return false
}

// freeze takes the running group's turns away. Those who wait for it wait for ever.
func (w *warp) freeze() {
	w.park()
	if w.running < len(w.groups) && w.mask != 0 {
		w.groups[w.running].wait = waitFaulted
	}
}
