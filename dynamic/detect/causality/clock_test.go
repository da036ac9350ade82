package causality

// This file holds the trees of clocks against arrays that say the same.

import (
	"math/rand/v2"
	"testing"
)

const clockHeight = 3

// plain is what a tree knows of each element.
type plain [3 << (2 * fanBits)]uint32

// learn joins what a tree of some level says into both.
func (p *plain) learn(n *node, random *rand.Rand) *node {
	epoch := 1 + random.Uint32N(6)
	id := random.Uint32N(uint32(len(p)))
	raise := func(first, count uint32, set uint32) {
		for i := range count {
			if set>>(i&(fan-1))&1 != 0 && first+i < uint32(len(p)) {
				p[first+i] = max(p[first+i], epoch)
			}
		}
	}
	switch random.IntN(8) {
	case 0: // a block
		raise(id&^(1<<(2*fanBits)-1), 1<<(2*fanBits), allLanes)
		return put(n, clockHeight-1, 1, id, &node{floor: epoch})
	case 1: // a warp
		raise(id&^(fan-1), fan, allLanes)
		return put(n, clockHeight-1, 0, id, leaf(allLanes, epoch))
	case 2: // all warps of a block, one by one
		first := id &^ (1<<(2*fanBits) - 1)
		for w := range uint32(fan) {
			n = put(n, clockHeight-1, 0, first+w*fan, leaf(allLanes, epoch))
		}
		raise(first, 1<<(2*fanBits), allLanes)
		return n
	}
	set := random.Uint32() & random.Uint32()
	raise(id&^(fan-1), fan, set)
	return put(n, clockHeight-1, 0, id, leaf(set, epoch))
}

// TestTrees makes pairs of trees and their joins, and compares all that can be asked of them.
func TestTrees(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 400 {
		var plains [2]plain
		var trees [2]*node
		for i := range trees {
			for range random.IntN(40) {
				trees[i] = plains[i].learn(trees[i], random)
			}
		}
		both := plains[0]
		isWithin := true
		for i, v := range plains[1] {
			isWithin = isWithin && both[i] <= v
			both[i] = max(both[i], v)
		}
		joined := join(trees[0], trees[1])
		compareTree(t, trees[0], &plains[0], random)
		compareTree(t, joined, &both, random)
		if trees[0].within(trees[1]) && !isWithin {
			t.Fatal("a tree is said to be within another one, and is not")
		}
		if !trees[0].within(joined) || !trees[1].within(joined) {
			t.Fatal("a tree is not within a join of it")
		}
		compareTree(t, join(joined, trees[1]), &both, random)
	}
}

func compareTree(t *testing.T, n *node, want *plain, random *rand.Rand) {
	t.Helper()
	for first := uint32(0); first < uint32(len(want)); first += fan {
		set, epoch := random.Uint32()&random.Uint32(), 1+random.Uint32N(6)
		if set == 0 {
			continue
		}
		covered := true
		for i := range uint32(fan) {
			covered = covered && (set>>i&1 == 0 || want[first+i] >= epoch)
		}
		if got := n.covers(clockHeight, first, set, epoch); got != covered {
			t.Fatalf("lanes %#x of warp %d up to %d: covered is %v, want %v", set, first/fan, epoch, got, covered)
		}
		if known := n.floorAt(clockHeight, 1, first); known > want[first] {
			t.Fatalf("all of the block of warp %d known up to %d, one of them up to %d", first/fan, known, want[first])
		}
	}
}
