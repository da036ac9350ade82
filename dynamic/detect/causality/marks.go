package causality

// This file defines sets of fences of sequential consistency.

// mark is such a fence of threads of a warp that are alike, in an epoch of theirs, and what they knew
// then. Epoch 0 stands for several fences, of which only the knowledge is left.
type mark struct {
	warp, lanes, epoch uint32
	lock               bool // heard of by the hand-over of a lock
	threads            *node
}

// marks is a set of fences; it is immutable and shared. Nil is empty.
type marks struct{ list []mark }

// maxMarks bounds the fences that a set keeps apart.
const maxMarks = 8

func (s *marks) all() []mark {
	if s == nil {
		return nil
	}
	return s.list
}

// within reports whether a clock knows what was fenced. Who knows a thread up to the epoch of a fence knows
// what the thread did then.
func (m *mark) within(known *node, height int) bool {
	if m.epoch != 0 {
		return known.covers(height, m.warp<<fanBits, m.lanes, m.epoch)
	}
	return m.threads.within(known)
}

// addTo joins what was fenced to what is known.
func (m *mark) addTo(known *node, height int) *node {
	known = join(known, m.threads)
	if m.epoch != 0 && !m.within(known, height) {
		known = put(known, height-1, 0, m.warp<<fanBits, leaf(m.lanes, m.epoch))
	}
	return known
}

// standsFor reports whether all that another fence is for follows from this one.
func (m *mark) standsFor(o *mark, height int) bool {
	return m.isLater(o) || (o.lock || !m.lock) && o.within(m.threads, height)
}

// isLater reports whether a fence is of the same threads as another one, and not before it.
func (m *mark) isLater(o *mark) bool {
	return m.epoch != 0 && m.warp == o.warp && includes(m.lanes, o.lanes) && o.epoch != 0 && o.epoch <= m.epoch && (o.lock || !m.lock)
}

// insert adds a fence to a list of one's own.
func insert(list []mark, m mark, height int) []mark {
	for i := range list {
		if list[i].standsFor(&m, height) {
			return list
		}
	}
	n := 0
	for i := range list {
		if !m.standsFor(&list[i], height) {
			list[n] = list[i]
			n++
		}
	}
	clear(list[n:])
	return append(list[:n], m)
}

// newMarks makes a set of what a list has; where there are too many, they are joined.
func newMarks(list []mark, height int) *marks {
	switch {
	case len(list) == 0:
		return nil
	case len(list) == 1:
		x := new(struct {
			marks
			one [1]mark
		})
		x.one[0], x.list = list[0], x.one[:]
		return &x.marks
	case len(list) == 2:
		x := new(struct {
			marks
			two [2]mark
		})
		x.list = append(x.two[:0], list...)
		return &x.marks
	case len(list) <= maxMarks:
		return &marks{append(make([]mark, 0, len(list)), list...)}
	}
	var joined [2]*node
	for i := range list {
		to := &joined[0]
		if list[i].lock {
			to = &joined[1]
		}
		*to = list[i].addTo(*to, height)
	}
	out := &marks{}
	for i, known := range joined {
		if known != nil {
			out.list = append(out.list, mark{threads: known, lock: i == 1})
		}
	}
	return out
}

// with returns the set that has other fences, too, and itself if it has them.
func (s *marks) with(more []mark, height int) *marks {
	if s == nil {
		return newMarks(more, height)
	}
	var few [2 * maxMarks]mark
	list := few[:0]
next:
	for i := range more {
		for j := range s.list { // what costs least comes first
			if s.list[j].isLater(&more[i]) {
				continue next
			}
		}
		for j := range s.list {
			if s.list[j].standsFor(&more[i], height) {
				continue next
			}
		}
		if len(list) == 0 {
			list = append(list, s.list...)
		}
		list = insert(list, more[i], height)
	}
	if len(list) == 0 {
		return s
	}
	return newMarks(list, height)
}

func (s *marks) join(other *marks, height int) *marks {
	switch {
	case s == other || other == nil:
		return s
	case s == nil:
		return other
	}
	return s.with(other.list, height)
}
