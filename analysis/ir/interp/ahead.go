package interp

// This file lets threads that take turns step by step run ahead.
//
// DESIGN. Most steps only compute: no other thread sees them, nor can change what they do. A thread that has taken a step goes
// on with such ones at once, and has nothing to do when the turns come in which it would have taken them. So all that can be seen
// happens in the same order and at the same step, and turns in which nobody has anything to do are counted without being taken.

// mostAhead bounds the steps that a thread runs ahead.
const mostAhead = 64

type ahead struct {
	most int
	// skipped are the turns that were only counted, and idle how many threads in a row have had nothing to do.
	skipped int64
	idle    int
}

// goAhead notes that a thread has taken the steps of its next turns.
func (r *run) goAhead(t *thread, steps int) { t.ahead = r.ahead.skipped + int64(steps) }

// hasBeen reports whether a thread has taken the step of its turn before.
func (r *run) hasBeen(t *thread) bool {
	if t.ahead <= r.ahead.skipped {
		r.ahead.idle = 0
		return false
	}
	t.ahead--
	r.ahead.idle++
	return true
}

// skip counts the turns that all threads have ahead of them, if there are any, up to the last step.
func (r *run) skip(limit int64) {
	if r.ahead.idle < r.queue.n || r.queue.n == 0 {
		return
	}
	r.ahead.idle = 0
	n := int64(r.queue.n)
	turns := min(mostAhead, (limit-1-r.outcome.Steps)/n)
	for i := 0; i < r.queue.n && turns > 0; i++ {
		turns = min(turns, (*r.queue.at(i)).ahead-r.ahead.skipped)
	}
	if turns > 0 {
		r.ahead.skipped += turns
		r.outcome.Steps += turns * n
	}
}
