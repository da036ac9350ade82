package meet

import (
	"fmt"
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/phase"
	"github.com/warplint/warplint/analysis/term"
)

// This file finds barriers in two halves: those of a block, a cluster or the grid, and barriers in
// memory (cuda::barrier, mbarrier) at which all threads of the block arrive. An arrival releases
// the accesses of the thread that arrives, a wait acquires those of all that have arrived in its
// phase (PTX ISA, "mbarrier.arrive" and "mbarrier.test_wait").

// halves are the parts that statements have in barriers.
type halves struct {
	part   map[ir.Stmt]phase.Part
	number map[string]int         // of the barriers in memory, by keyOf
	ofGrid map[ir.Stmt]phase.Part // of barriers of the grid that are built by hand
}

// The numbers of barriers in halves: those of a block by their own, and then these.
const (
	clusterHalves = 16 + iota
	gridHalves
	firstInMemory
	firstByHand = 48
	mostHalves  = 64
)

// inMemory is what the kernel does to one barrier in memory.
type inMemory struct {
	inits, arrivals, waits []*access.Event
	other                  bool // it does more than warplint follows
}

// keyOf names the memory that an address points to, "" if it may be several places.
func keyOf(v access.Value) string {
	if v.Base == nil || v.P == nil || v.Base.Space != ir.Shared || v.Base.Object == nil || v.Base.Remote != nil {
		return ""
	}
	off, ok := v.P.IsConst()
	if !ok {
		return ""
	}
	return fmt.Sprintf("%p %d", v.Base, off)
}

func (c *checker) findHalves() {
	c.halves = halves{part: map[ir.Stmt]phase.Part{}, number: map[string]int{}, ofGrid: map[ir.Stmt]phase.Part{}}
	for i, b := range c.sync.GridBarriers() {
		if firstByHand+i < mostHalves {
			c.halves.ofGrid[b.Arrive] = phase.Part{Arrive: true, Barrier: firstByHand + i}
			c.halves.ofGrid[b.Wait] = phase.Part{Wait: true, Barrier: firstByHand + i}
		}
	}
	found := map[string]*inMemory{}
	var keys []string
	vague := false // an operation may be on any barrier
	for _, e := range c.s.Events {
		switch s := e.Stmt.(type) {
		case *ir.Barrier:
			if n, ok := c.ofHardware(s); ok {
				c.halves.part[s] = phase.Part{Arrive: s.Mode == ir.BarrierArrive, Wait: s.Mode == ir.BarrierWait, Barrier: n}
			}
		case *ir.Named:
			if !isBarrier(s) || len(e.Args) == 0 {
				continue
			}
			key := keyOf(e.Args[0])
			if key == "" {
				vague = true
				continue
			}
			if found[key] == nil {
				found[key] = &inMemory{}
				keys = append(keys, key)
			}
			found[key].add(s, e)
		}
	}
	if vague {
		return
	}
	for _, key := range keys {
		if n := firstInMemory + len(c.halves.number); n < firstByHand && c.holdsBlock(found[key]) {
			c.halves.number[key] = n
			for _, e := range found[key].arrivals {
				c.halves.part[e.Stmt] = phase.Part{Arrive: true, Barrier: n}
			}
			for _, e := range found[key].waits {
				c.halves.part[e.Stmt] = phase.Part{Wait: true, Barrier: n}
			}
		}
	}
}

func isBarrier(s *ir.Named) bool {
	switch s.Op {
	case "mbarrier.init", "mbarrier.arrive", "mbarrier.arrive_drop", "mbarrier.wait":
		return true
	}
	return false
}

func (m *inMemory) add(s *ir.Named, e *access.Event) {
	switch s.Op {
	case "mbarrier.init":
		m.inits = append(m.inits, e)
	case "mbarrier.arrive":
		m.arrivals = append(m.arrivals, e)
		m.other = m.other || len(e.Args) > 1 && !isOne(e.Args[1])
	case "mbarrier.wait":
		m.waits = append(m.waits, e)
	default:
		m.other = true
	}
}

func isOne(v access.Value) bool {
	n, ok := int64(0), false
	if v.P != nil {
		n, ok = v.P.IsConst()
	}
	return ok && n == 1
}

// ofHardware is the number of a hardware barrier of which a statement is one half.
func (c *checker) ofHardware(b *ir.Barrier) (int, bool) {
	if b.Mode == ir.BarrierSync || b.Count != nil {
		return 0, false
	}
	switch b.Level {
	case ir.ClusterLevel:
		return clusterHalves, true
	case ir.GridLevel:
		return gridHalves, true
	case ir.BlockLevel:
		if b.ID == nil {
			return 0, true
		}
		id, ok := b.ID.(*ir.Const)
		if ok && id.Bits < clusterHalves {
			return int(id.Bits), true
		}
	}
	return 0, false
}

// holdsBlock reports whether each thread of the block arrives in each phase of a barrier, and waits
// for the phase that it has arrived in.
func (c *checker) holdsBlock(m *inMemory) bool {
	if m.other || len(m.inits) != 1 || len(m.inits[0].Loops) > 0 || len(m.inits[0].Args) != 2 {
		return false
	}
	threads := c.t.Mul(c.s.Block[0], c.t.Mul(c.s.Block[1], c.s.Block[2]))
	if count := m.inits[0].Args[1].P; count == nil || !count.Equal(threads) {
		return false
	}
	for _, e := range m.arrivals {
		if !c.uniform(e) || c.arrivesTwice(e, m) {
			return false
		}
	}
	for _, e := range m.waits {
		if !c.uniform(e) || len(e.Args) > 1 && !c.ownPhase(e, m.arrivals) {
			return false
		}
	}
	return true
}

// arrivesTwice reports whether a thread may arrive anew without having waited since: two arrivals of one
// thread in a phase complete it in place of another thread's.
func (c *checker) arrivesTwice(e *access.Event, m *inMemory) bool {
	waits := func(s ir.Stmt) bool {
		return slices.ContainsFunc(m.waits, func(w *access.Event) bool { return w.Stmt == s })
	}
	return slices.ContainsFunc(m.arrivals, func(next *access.Event) bool { return c.graph.Reaches(e.Stmt, next.Stmt, waits) })
}

// ownPhase reports whether the token that a thread waits with is that of its last arrival.
func (c *checker) ownPhase(wait *access.Event, arrivals []*access.Event) bool {
	var token *term.Atom
	if wait.Args[1].P != nil {
		token = wait.Args[1].P.IsAtom()
	}
	if token == nil {
		return false
	}
	arrival, ok := token.Origin().Ref.(ir.Stmt)
	if !ok || c.graph.Reaches(wait.Stmt, wait.Stmt, func(s ir.Stmt) bool { return s == arrival }) {
		return false
	}
	known := false
	for _, e := range arrivals {
		if e.Stmt == arrival {
			known = true
		} else if c.graph.Reaches(e.Stmt, wait.Stmt, func(s ir.Stmt) bool { return s == arrival }) {
			return false
		}
	}
	return known
}
