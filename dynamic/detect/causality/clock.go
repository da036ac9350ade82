package causality

// This file defines vector clocks. They are persistent trees over the thread hierarchy: lanes,
// warps, then blocks in groups of 32. A node says what is known of all threads below at once,
// so that what a barrier orders takes one node, whatever the number of threads.

import "math/bits"

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
	// Of a node of level 0, set are lanes of which more is known: all up to an epoch, or, if they differ,
	// what lanes says. Of one above, set says which kids there are; they say more than the floor.
	set   uint32
	epoch uint32
	// own, of a node of level 0, is what is known of the lane of the same number as the one whose knowledge this
	// is: one node serves all lanes of a warp that have each learnt from their like (each.go).
	own   uint32
	lanes *[fan]uint32
	kids  []*node
}

const allLanes = ^uint32(0)

func (n *node) flat() bool { return n.set == 0 && n.own == 0 }

// covers reports whether all elements of a set that share a leaf are known up to an epoch;
// first is the leaf's first element. The set ownLane is the lane whose knowledge this is.
func (n *node) covers(height int, first, set, epoch uint32) bool {
	for level := height - 1; n != nil; level-- {
		if n.floor >= epoch {
			return true
		}
		if level == 0 {
			return n.lanesCover(set, epoch)
		}
		n = n.kid(first >> (fanBits * level) & (fan - 1))
	}
	return false
}

// coversOne reports whether one of a set of elements that share a leaf is known up to an epoch.
func (n *node) coversOne(height int, first, set, epoch uint32) bool {
	for level := height - 1; n != nil && set != 0; level-- {
		if n.floor >= epoch {
			return true
		}
		if level == 0 {
			return n.lanesCoverOne(set, epoch)
		}
		n = n.kid(first >> (fanBits * level) & (fan - 1))
	}
	return false
}

func (n *node) lanesCoverOne(set, epoch uint32) bool {
	set &= n.set
	if n.lanes == nil {
		return set != 0 && n.epoch >= epoch
	}
	for ; set != 0; set &= set - 1 {
		if n.lanes[firstLane(set)] >= epoch {
			return true
		}
	}
	return false
}

// floorAt is what is known at least of all elements that share a node of a level with one of them.
func (n *node) floorAt(height, at int, id uint32) uint32 {
	known := uint32(0)
	for level := height - 1; n != nil; level-- {
		if known = max(known, n.floor); level == at {
			break
		}
		n = n.kid(id >> (fanBits * level) & (fan - 1))
	}
	return known
}

func (n *node) lanesCover(set, epoch uint32) bool {
	if set == ownLane {
		return n.own >= epoch
	}
	if n.lanes == nil || set&^n.set != 0 {
		return n.epoch >= epoch && set&^n.set == 0
	}
	for ; set != 0; set &= set - 1 {
		if n.lanes[firstLane(set)] < epoch {
			return false
		}
	}
	return true
}

// leaf is a node of level 0 that knows some of its elements up to an epoch.
func leaf(set, epoch uint32) *node {
	if set == ownLane {
		return &node{own: epoch}
	}
	return newLeaf(0, set, epoch)
}

func newLeaf(floor, set, epoch uint32) *node {
	switch {
	case set == allLanes:
		return &node{floor: max(floor, epoch)}
	case epoch <= floor || set == 0:
		return &node{floor: floor}
	}
	return &node{floor: floor, set: set, epoch: epoch}
}

// put joins a tree of some level, which holds the element id, into one of a higher level.
func put(n *node, level, at int, id uint32, sub *node) *node {
	if level == at {
		return join(n, sub)
	}
	i := id >> (fanBits * level) & (fan - 1)
	var kid *node
	if n != nil {
		if sub.flat() && sub.floor <= n.floor {
			return n
		}
		kid = n.kid(i)
	}
	below := put(kid, level-1, at, id, sub)
	if below == kid {
		return n
	}
	if n == nil {
		return newNode(0, 1<<i, []*node{below})
	}
	kids := make([]*node, 0, fan)
	if kid != nil {
		kids = append(kids, n.kids...)
		kids[n.rank(i)] = below
	} else {
		r := n.rank(i)
		kids = append(append(append(kids, n.kids[:r]...), below), n.kids[r:]...)
	}
	return newNode(n.floor, n.set|1<<i, kids)
}

// newNode is a node above level 0, with a copy of its kids.
func newNode(floor, set uint32, kids []*node) *node {
	if set == allLanes && kids[0].flat() {
		alike := true
		for _, k := range kids[1:] {
			alike = alike && k.flat() && k.floor == kids[0].floor
		}
		if alike {
			return &node{floor: max(floor, kids[0].floor)}
		}
	}
	n := nodeFor(len(kids))
	n.floor, n.set = floor, set
	copy(n.kids, kids)
	return n
}

// nodeFor makes a node and the list of its kids in one piece.
func nodeFor(kids int) *node {
	var n *node
	var list []*node
	switch {
	case kids <= 2:
		x := new(struct {
			node
			list [2]*node
		})
		n, list = &x.node, x.list[:]
	case kids <= 4:
		x := new(struct {
			node
			list [4]*node
		})
		n, list = &x.node, x.list[:]
	case kids <= 8:
		x := new(struct {
			node
			list [8]*node
		})
		n, list = &x.node, x.list[:]
	case kids <= 16:
		x := new(struct {
			node
			list [16]*node
		})
		n, list = &x.node, x.list[:]
	default:
		x := new(struct {
			node
			list [fan]*node
		})
		n, list = &x.node, x.list[:]
	}
	n.kids = list[:kids]
	return n
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

// within reports whether another node of the same level knows all that this one does, as far as that is
// easily told.
func (n *node) within(other *node) bool {
	switch {
	case n == nil || n == other:
		return true
	case other == nil || !other.all(n.floor):
		return false
	case n.flat():
		return true
	case n.kids != nil:
		rest := n.set
		for _, k := range n.kids {
			o := other.kid(uint32(firstLane(rest)))
			rest &= rest - 1
			if o == nil {
				o = &node{floor: other.floor}
			}
			if !k.within(o) {
				return false
			}
		}
		return true
	case n.own > max(other.own, other.floor):
		return false
	case n.lanes == nil:
		return n.set == 0 || n.epoch <= other.floor || other.lanesCover(n.set, n.epoch)
	}
	for i, v := range n.lanes {
		if v > other.lane(i) {
			return false
		}
	}
	return true
}

// all reports whether all elements are known up to an epoch.
func (n *node) all(epoch uint32) bool {
	if n.floor >= epoch {
		return true
	}
	if n.set != allLanes {
		return false
	}
	for _, k := range n.kids {
		if !k.all(epoch) {
			return false
		}
	}
	return n.kids != nil || n.lanesCover(allLanes, epoch)
}

func joinLanes(a, b *node) *node {
	if a.own|b.own != 0 {
		return joinOwn(a, b)
	}
	if a.lanes != nil || b.lanes != nil {
		return joinEach(a, b)
	}
	floor := max(a.floor, b.floor)
	as, bs := a.set, b.set
	if a.epoch <= floor {
		as = 0
	}
	if b.epoch <= floor {
		bs = 0
	}
	switch {
	case floor == a.floor && (bs == 0 || bs&^as == 0 && b.epoch <= a.epoch):
		return a
	case floor == b.floor && (as == 0 || as&^bs == 0 && a.epoch <= b.epoch):
		return b
	case as == 0 || as&^bs == 0 && a.epoch <= b.epoch:
		return newLeaf(floor, bs, b.epoch)
	case bs == 0 || bs&^as == 0 && b.epoch <= a.epoch:
		return newLeaf(floor, as, a.epoch)
	case a.epoch == b.epoch:
		return newLeaf(floor, as|bs, a.epoch)
	}
	return joinEach(a, b)
}

// joinEach joins leaves lane by lane.
func joinEach(a, b *node) *node {
	var lanes [fan]uint32
	isA, isB := true, true
	low, high := allLanes, uint32(0)
	for i := range lanes {
		x, y := a.lane(i), b.lane(i)
		v := max(x, y)
		lanes[i] = v
		isA, isB = isA && x >= y, isB && y >= x
		low, high = min(low, v), max(high, v)
	}
	switch {
	case isA:
		return a
	case isB:
		return b
	}
	set, top := uint32(0), uint32(0)
	for i, v := range lanes {
		if v > low {
			set |= 1 << i
		}
		if v == high {
			top |= 1 << i
		}
	}
	if set&^top == 0 {
		return newLeaf(low, set, high)
	}
	kept := lanes // only what is kept goes to the heap
	return &node{floor: low, set: set, lanes: &kept}
}

// lane is what a node of level 0 knows of one of its elements.
func (n *node) lane(i int) uint32 {
	switch {
	case n.set>>i&1 == 0:
		return n.floor
	case n.lanes == nil:
		return max(n.floor, n.epoch)
	}
	return max(n.floor, n.lanes[i])
}

func joinKids(a, b *node) *node {
	var kids [fan]*node
	n, set := 0, uint32(0)
	floor := max(a.floor, b.floor)
	isA, isB := floor == a.floor, floor == b.floor
	x, y := a.kids, b.kids
	for rest := a.set | b.set; rest != 0; rest &= rest - 1 {
		bit := rest & -rest
		var p, q *node
		if a.set&bit != 0 {
			p, x = x[0], x[1:]
		}
		if b.set&bit != 0 {
			q, y = y[0], y[1:]
		}
		k := join(p, q)
		isA, isB = isA && k == p, isB && k == q
		if !k.flat() || k.floor > floor {
			kids[n] = k
			n++
			set |= bit
		}
	}
	switch {
	case isA:
		return a
	case isB:
		return b
	case n == 0:
		return &node{floor: floor}
	}
	return newNode(floor, set, kids[:n])
}

// rank is the place of a kid among its siblings.
func (n *node) rank(i uint32) int { return bits.OnesCount32(n.set & (1<<i - 1)) }

// kid returns one of a node's kids, or nil.
func (n *node) kid(i uint32) *node {
	if n.set>>i&1 == 0 || n.kids == nil {
		return nil
	}
	return n.kids[n.rank(i)]
}

// clock is what is known of threads, and of asynchronous copies. Firm is what is known of threads but for
// what the hand-over of locks has told, which could have been in another order: it is the same node
// as threads as long as no lock is used. Sc is about fences of sequential consistency.
type clock struct {
	threads, copies, firm *node
	sc                    *sequential
}

func (c clock) join(other clock, height int) clock {
	out := clock{join(c.threads, other.threads), join(c.copies, other.copies), nil, c.sc.join(other.sc, height)}
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
