package interp

// This file notices that a run stands still, such as when its blocks wait for others that do not run.
//
// DESIGN. What a thread does next is decided by its registers, its place in the code and memory. So a thread that
// comes to the same place with the same registers twice, and nothing has changed meanwhile, goes round
// for ever. A thread is looked at where it polls, and compared with itself at the first of its polls, at the second, the
// fourth, and so on (Brent 1980), as a loop may have several.

// idle counts the threads that go round and round.
type idle struct {
	changes uint64 // so often something changed that threads can see
	threads int    // that are known to go round since the last change
}

// poll is a thread as it was at one of its polls.
type poll struct {
	since uint64 // one more than the number of changes before
	state uint64 // a hash
	count int    // polls since then
	next  int    // the count at which the next one is kept
	known bool   // to go round
}

// moved notes a change.
func (r *run) moved() {
	r.idle.changes++
	r.idle.threads = 0
}

// polls looks at a thread that reads what others may change.
func (r *run) polls(t *thread) {
	if r.listener == nil {
		return // not every change is noted
	}
	p := &t.poll
	state := uint64(t.pc)
	for _, v := range t.regs {
		state = (state ^ v) * 0x9e3779b97f4a7c15
		state ^= state >> 29
	}
	switch now := r.idle.changes + 1; {
	case p.since != now:
		*p = poll{since: now, state: state, next: 1}
	case p.known:
	case p.state == state:
		p.known = true
		r.idle.threads++
	default:
		if p.count++; p.count == p.next {
			p.state, p.count, p.next = state, 0, 2*p.next
		}
	}
}

// standsStill reports whether all threads that can run go round. Lanes at activemask may yet go on.
func (r *run) standsStill() bool {
	if r.idle.threads == 0 || r.idle.threads < r.queue.len() {
		return false
	}
	for _, b := range r.blocks {
		for _, w := range b.warps {
			if w.active > 0 {
				return false
			}
		}
	}
	return true
}
