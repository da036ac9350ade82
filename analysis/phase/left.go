package phase

import (
	"slices"

	"github.com/warplint/warplint/analysis/ir"
)

// This file says of loops that a thread has left since the last barrier how often they went round. Without a
// barrier a thread comes past a loop with a barrier in it only if the loop has no round, which sizes may rule out.

// Left says in which round one of two threads, the first or the second, has left a loop.
type Left struct {
	Loop   *ir.Loop
	Second bool
	Round  int
	Test   bool // its condition ended it, not a break
}

// left lists the loops that a thread at a place has left in this phase, in a round that is known. If the loops around
// such a loop have not gone on since, this is the last time that it was left. Of an operation that goes on
// behind its statement the values are older.
func (x *Span) left(at place, second bool) (out []Left) {
	if len(x.points) != 1 {
		return nil
	}
	for _, e := range at.ends {
		depth := len(e.around)
		if e.last.rel || e.last.vague() || depth > len(at.steps) || !slices.Equal(e.around, at.steps[:depth]) || slices.ContainsFunc(e.around, step.vague) {
			continue
		}
		out = append(out, Left{Loop: e.last.loop, Second: second, Round: int(e.last.n), Test: e.test})
	}
	return out
}
