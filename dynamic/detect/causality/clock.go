package causality

// This file defines vector clocks. They are persistent trees over the thread hierarchy: lanes,
// warps, then blocks in groups of 32. A node says what is known of all threads below at once,
// so that what a barrier orders takes one node, whatever the number of threads.

const (
	fan     = 32
	fanBits = 5
	// agentHeight is the height of trees of asynchronous copies.
	agentHeight = 6
)

// node knows of each element below it all up to an epoch. It is immutable and shared. A nil
// node knows nothing.
type node struct {
	floor uint32 // what is known of all elements, at least
	// A node of level 0 may have lanes, those above kids; both say more than the floor.
	lanes *[fan]uint32
	kids  *[fan]*node
}

func (n *node) flat() bool { return n.lanes == nil && n.kids == nil }

// covers reports whether all elements of a set that share a leaf are known up to an epoch;
// first is the leaf's first element.
func (n *node) covers(height int, first, set, epoch uint32) bool {
	for level := height - 1; n != nil; level-- {
		if n.floor >= epoch {
			return true
		}
		if level == 0 {
			return n.lanes != nil && n.lanesCover(set, epoch)
		}
		if n.kids == nil {
			return false
		}
		n = n.kids[first>>(fanBits*level)&(fan-1)]
	}
	return false
}

func (n *node) lanesCover(set, epoch uint32) bool {
	for i, v := range n.lanes {
		if set>>i&1 != 0 && v < epoch {
			return false
		}
	}
	return true
}

// leaf is a node of level 0 that knows some of its elements up to an epoch.
func leaf(set, epoch uint32) *node {
	lanes := new([fan]uint32)
	for i := range lanes {
		if set>>i&1 != 0 {
			lanes[i] = epoch
		}
	}
	return &node{lanes: lanes}
}

// put joins a tree of some level, which holds the element id, into one of a higher level.
func put(n *node, level, at int, id uint32, sub *node) *node {
	if level == at {
		return join(n, sub)
	}
	i := id >> (fanBits * level) & (fan - 1)
	var kid *node
	if n != nil && n.kids != nil {
		kid = n.kids[i]
	}
	below := put(kid, level-1, at, id, sub)
	if below == kid {
		return n
	}
	out := &node{kids: new([fan]*node)}
	if n != nil {
		out.floor = n.floor
		if n.kids != nil {
			*out.kids = *n.kids
		}
	}
	out.kids[i] = below
	return out.collapsed()
}

// join returns what either of two nodes of one level knows, and one of them if it knows all.
func join(a, b *node) *node {
	switch {
	case a == b || b == nil:
		return a
	case a == nil:
		return b
	case b.flat() && b.floor <= a.floor:
		return a
	case a.flat() && a.floor <= b.floor:
		return b
	}
	if a.kids != nil || b.kids != nil {
		return joinKids(a, b)
	}
	return joinLanes(a, b)
}

// within reports whether another node of the same level knows all that this one does.
func (n *node) within(other *node) bool {
	switch {
	case n == nil || n == other:
		return true
	case other == nil || n.floor > other.floor && other.flat():
		return false
	case n.flat() && n.floor <= other.floor:
		return true
	case n.kids != nil:
		for i, k := range n.kids {
			if k == nil || k.flat() && k.floor <= other.floor {
				continue
			}
			if o := other.kid(i); o == nil || !k.within(o) {
				return false
			}
		}
		return n.floor <= other.floor
	case n.lanes != nil:
		for i, v := range n.lanes {
			if v > other.lane(i) {
				return false
			}
		}
		return n.floor <= other.floor
	}
	return false
}

func joinLanes(a, b *node) *node {
	var lanes [fan]uint32
	isA, isB := true, true
	for i := range lanes {
		x, y := a.lane(i), b.lane(i)
		lanes[i] = max(x, y)
		isA, isB = isA && x >= y, isB && y >= x
	}
	switch {
	case isA:
		return a
	case isB:
		return b
	}
	low, high := lanes[0], lanes[0]
	for _, v := range lanes {
		low, high = min(low, v), max(high, v)
	}
	if low == high {
		return &node{floor: low}
	}
	kept := lanes // only what is kept goes to the heap
	return &node{floor: low, lanes: &kept}
}

func (n *node) lane(i int) uint32 {
	if n.lanes == nil {
		return n.floor
	}
	return max(n.floor, n.lanes[i])
}

func joinKids(a, b *node) *node {
	var kids [fan]*node
	floor := max(a.floor, b.floor)
	isA, isB := floor == a.floor, floor == b.floor
	for i := range kids {
		x, y := a.kid(i), b.kid(i)
		k := join(x, y)
		isA, isB = isA && k == x, isB && k == y
		if k != nil && k.flat() && k.floor <= floor {
			k = nil
		}
		kids[i] = k
	}
	switch {
	case isA:
		return a
	case isB:
		return b
	}
	kept := kids // only what is kept goes to the heap
	out := &node{floor: floor, kids: &kept}
	return out.collapsed()
}

func (n *node) kid(i int) *node {
	if n.kids == nil {
		return nil
	}
	return n.kids[i]
}

// collapsed returns a flat node if all kids are flat and alike.
func (n *node) collapsed() *node {
	first := n.kids[0]
	if first == nil || !first.flat() {
		return n
	}
	for _, k := range n.kids[1:] {
		if k == nil || !k.flat() || k.floor != first.floor {
			return n
		}
	}
	return &node{floor: max(n.floor, first.floor)}
}

// clock is what is known of threads, and of asynchronous copies. Assumed is what else would be
// known of threads if each of them that has observed a release had a fence behind that; it says
// what a missing fence is to blame for, and orders nothing. Firm is what is known of threads but for
// what the hand-over of locks has told, which could have been in another order: it is the same node
// as threads as long as no lock is used. Sc is about fences of sequential consistency.
type clock struct {
	threads, copies, assumed, firm *node
	sc                             *sequential
}

func (c clock) join(other clock) clock {
	out := clock{
		join(c.threads, other.threads), join(c.copies, other.copies), join(c.assumed, other.assumed), nil, c.sc.join(other.sc),
	}
	if c.firm == c.threads && other.firm == other.threads {
		out.firm = out.threads
	} else {
		out.firm = join(c.firm, other.firm)
	}
	return out
}

// know adds what a tree of some level says of threads.
func (c *clock) know(level, at int, id uint32, sub *node) {
	same := c.firm == c.threads
	c.threads = put(c.threads, level, at, id, sub)
	if same {
		c.firm = c.threads
	} else {
		c.firm = put(c.firm, level, at, id, sub)
	}
}

// settled drops assumptions that have come true.
func (c clock) settled() clock {
	if join(c.threads, c.assumed) == c.threads {
		c.assumed = nil
	}
	return c
}

// Each asynchronous copy is an agent, which has read by its first epoch, written by its second.
const (
	copyRead    = 1
	copyWritten = 2
)

// finish returns the clock that also knows an agent's work.
func (c clock) finish(agent, epoch uint32) clock {
	c.copies = put(c.copies, agentHeight-1, 0, agent, leaf(1<<(agent&(fan-1)), epoch))
	return c
}
