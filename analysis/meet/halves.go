package meet

import (
	"fmt"
	"slices"
	"strings"

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
	counts map[string]bool        // those whose phases do not end without the bytes of the bulk copies that name them
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
	expects                []*access.Event // of the bytes of copies
	other                  bool            // it does more than warplint follows
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
	return fmt.Sprintf("%s%d", nameOfBase(v.Base), off)
}

func nameOfBase(b *access.Base) string { return fmt.Sprintf("%p ", b) }

// barrierArray knows arrays of barriers at which threads arrive and wait at once: whichever they take, if
// they all take the same.
func (c *checker) barrierArray(base *access.Base) {
	m := &inMemory{}
	for _, e := range c.s.Events {
		if s, ok := e.Stmt.(*ir.Named); ok && isBarrier(s) && len(e.Args) > 0 && e.Args[0].Base == base {
			m.add(s, e)
			m.other = m.other || s.Op == "mbarrier.init" && !c.countsBlock(e)
		}
	}
	if m.other || len(m.inits) == 0 || len(m.arrivals) != len(m.waits) {
		return
	}
	for i, w := range m.waits {
		a := m.arrivals[i]
		at := w.Args[0].P
		if len(w.Args) > 1 || !c.uniform(w) || !c.graph.Next(a.Stmt, w.Stmt) || at == nil || at.Variance() > term.Block || !at.Equal(a.Args[0].P) {
			return
		}
	}
	for _, w := range m.waits {
		c.halves.part[w.Stmt] = phase.Whole
	}
}

// countsBlock reports whether a barrier is initialized to the number of threads of the block.
func (c *checker) countsBlock(init *access.Event) bool {
	threads := c.t.Mul(c.s.Block[0], c.t.Mul(c.s.Block[1], c.s.Block[2]))
	return len(init.Args) == 2 && init.Args[1].P != nil && init.Args[1].P.Equal(threads)
}

func (c *checker) findHalves() {
	c.halves = halves{part: map[ir.Stmt]phase.Part{}, number: map[string]int{}, counts: map[string]bool{}, ofGrid: map[ir.Stmt]phase.Part{}}
	for i, b := range c.sync.GridBarriers() {
		if firstByHand+i < mostHalves {
			c.halves.ofGrid[b.Arrive] = phase.Part{Arrive: true, Barrier: firstByHand + i}
			c.halves.ofGrid[b.Wait] = phase.Part{Wait: true, Barrier: firstByHand + i}
		}
	}
	found := map[string]*inMemory{}
	var keys []string
	vague := false // an operation may be on any barrier
	var arrays []*access.Base
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
				base := e.Args[0].Base
				vague = vague || base == nil || base.Object == nil || base.Space != ir.Shared || base.Remote != nil
				arrays = append(arrays, base)
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
	for _, base := range arrays {
		keys = slices.DeleteFunc(keys, func(key string) bool { return strings.HasPrefix(key, nameOfBase(base)) })
		c.barrierArray(base)
	}
	for _, key := range keys {
		if n := firstInMemory + len(c.halves.number); n < firstByHand && c.bringsCopies(found[key]) {
			c.halves.number[key], c.halves.counts[key] = n, true
			for _, e := range found[key].waits {
				c.halves.part[e.Stmt] = phase.Part{Wait: true, Barrier: n}
			}
			continue
		}
		if n := firstInMemory + len(c.halves.number); n < firstByHand && c.holdsBlock(found[key]) {
			c.halves.number[key], c.halves.counts[key] = n, c.expectsAll(found[key], key)
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
	case "mbarrier.init", "mbarrier.arrive", "mbarrier.arrive_drop", "mbarrier.expect", "mbarrier.wait", "mbarrier.test":
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
	case "mbarrier.expect":
		m.expects = append(m.expects, e)
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
	if m.other || len(m.inits) != 1 || len(m.inits[0].Loops) > 0 || !c.countsBlock(m.inits[0]) {
		return false
	}
	for _, e := range m.arrivals {
		if c.arrivesTwice(e, m) {
			return false
		}
	}
	arrival := func(s ir.Stmt) bool { return isOneOf(m.arrivals, s) }
	for _, e := range m.waits {
		missed := func(w *access.Event) bool { return c.graph.Reaches(w.Stmt, e.Stmt, arrival) }
		if !c.uniform(e) || !c.graph.Passes(e.Stmt, arrival) || slices.ContainsFunc(m.waits, missed) || len(e.Args) > 1 && !c.ownPhase(e, m) && !c.inTurn(m) {
			return false
		}
	}
	// Who arrives and waits no more does so with all others.
	return !slices.ContainsFunc(m.arrivals, func(e *access.Event) bool { return !c.uniform(e) && !c.waitsLater(e, m) })
}

func isOneOf(events []*access.Event, s ir.Stmt) bool {
	return slices.ContainsFunc(events, func(e *access.Event) bool { return e.Stmt == s })
}

// waitsLater reports whether a wait is what comes next for a barrier, on some way from an arrival.
func (c *checker) waitsLater(e *access.Event, m *inMemory) bool {
	return slices.ContainsFunc(m.waits, func(w *access.Event) bool { return c.graph.Reaches(e.Stmt, w.Stmt, nil) })
}

// arrivesTwice reports whether a thread may arrive anew without having waited since: two arrivals of one
// thread in a phase complete it in place of another thread's.
func (c *checker) arrivesTwice(e *access.Event, m *inMemory) bool {
	waits := func(s ir.Stmt) bool { return isOneOf(m.waits, s) }
	return slices.ContainsFunc(m.arrivals, func(next *access.Event) bool { return c.graph.Reaches(e.Stmt, next.Stmt, waits) })
}

// ownPhase reports whether the token that a thread waits with is that of its last arrival: one of several,
// if ways have met since.
func (c *checker) ownPhase(wait *access.Event, m *inMemory) bool {
	var last []ir.Stmt
	if wait.Args[1].P != nil {
		last = tokensOf(wait.Args[1].P)
	}
	waited := func(s ir.Stmt) bool { return isOneOf(m.waits, s) }
	old := func(s ir.Stmt) bool { return !isOneOf(m.arrivals, s) || !c.graph.Reaches(s, wait.Stmt, waited) }
	if len(last) == 0 || slices.ContainsFunc(last, old) {
		return false
	}
	fresh := func(s ir.Stmt) bool { return slices.Contains(last, s) }
	if c.graph.Reaches(wait.Stmt, wait.Stmt, fresh) {
		return false
	}
	return !slices.ContainsFunc(m.arrivals, func(e *access.Event) bool { return !fresh(e.Stmt) && c.graph.Reaches(e.Stmt, wait.Stmt, fresh) })
}

// tokensOf lists the statements of which a number may be the token, nil if it may be another number.
func tokensOf(p *term.Poly) []ir.Stmt {
	x := p.IsAtom()
	if x == nil {
		return nil
	}
	if x.Kind == term.Select {
		one, two := tokensOf(x.Args[0]), tokensOf(x.Args[1])
		if one == nil || two == nil {
			return nil
		}
		return append(one, two...)
	}
	if s, ok := x.Origin().Ref.(ir.Stmt); ok {
		return []ir.Stmt{s}
	}
	return nil
}
