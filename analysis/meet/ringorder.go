package meet

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/phase"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file asks whether the barriers of rings order two accesses; see rings.go.

// orderedByRings reports whether, wherever two threads of a block meet by two accesses, a ring's barrier is between.
func (c *checker) orderedByRings(a, b *access.Access, kind race.Kind, m phase.Mode) bool {
	if len(c.rings) == 0 || c.spent >= kernelBudget || kind == race.InterBlock || kind == sameCluster {
		return false
	}
	one, two := c.threads(a, b, kind, m)
	conds := c.question(a, b, kind, m)
	var later []*term.Cond
	if kind == sameThread {
		later = c.comesLater(a, b, one, two)
		conds = append(conds, later...)
	}
	edges := append(c.ringEdges(a, b, one, two), c.ringEdges(b, a, two, one)...)
	if len(edges)+len(later) == 0 {
		return false
	}
	for _, edge := range edges {
		conds = append(conds, c.t.Not(edge))
	}
	yes := c.impossible(conds...)
	c.spent += ringBudget - c.solver.Budget
	if !yes && c.failedBits < maxByBits {
		if yes = c.solver.UnsatByBits(conds...); !yes {
			c.failedBits++
		}
	}
	return yes
}

// comesLater says of a thread that it comes to an access behind another one.
func (c *checker) comesLater(a, b *access.Access, one, two *term.Renaming) []*term.Cond {
	if len(a.Loops) != 1 || !slices.Equal(a.Loops, b.Loops) {
		return nil
	}
	i, later := c.t.Poly(a.Loops[0].Iter), int64(0)
	if c.places[a.Stmt].at >= c.places[b.Stmt].at {
		later = 1
	}
	return []*term.Cond{c.t.Le(c.t.Offset(one.Poly(i), later), two.Poly(i))}
}

// ringEdges are the conditions under which the first of two accesses is before the second by a ring.
func (c *checker) ringEdges(a, b *access.Access, one, two *term.Renaming) []*term.Cond {
	var edges []*term.Cond
	for _, r := range c.rings {
		var waits []*ringOp
		var passed [][]*term.Cond
		for _, w := range c.derived(r) {
			if conds, back, ok := c.behindWait(b, w); ok {
				waits, passed = append(waits, c.moved(w, -back)), append(passed, conds)
			}
		}
		if len(waits) == 0 {
			continue
		}
		for _, o := range r.arrivals {
			conds, ahead, ok := c.releasedBy(a, o)
			if !ok {
				continue
			}
			if c.releasedByLeader(a, o) {
				conds = nil
			}
			next := c.moved(o, ahead)
			barrier, round := c.barrierOf(next), c.roundOf(next)
			for i, w := range waits {
				edge := []*term.Cond{c.t.Eq(one.Poly(barrier), two.Poly(c.barrierOf(w))), c.t.Le(one.Poly(round), two.Poly(c.roundOf(w)))}
				for _, cond := range conds {
					edge = append(edge, one.Cond(cond))
				}
				for _, cond := range passed[i] {
					edge = append(edge, two.Cond(cond))
				}
				edges = append(edges, term.Conj(edge...))
			}
		}
	}
	return edges
}

// behindWait reports whether an access stands behind a wait in the same round of its loop, under some conditions, or
// in the round after it.
func (c *checker) behindWait(b *access.Access, w *ringOp) (conds []*term.Cond, back int64, ok bool) {
	switch {
	case !access.Inside(b.Loops, w.e.Loops):
		return nil, 0, false
	case c.graph.Before(w.e.Stmt, b.Stmt):
		return nil, 0, true
	case c.places[w.e.Stmt].at < c.places[b.Stmt].at:
		return w.e.When, 0, c.places[w.e.Stmt].plain
	}
	if len(w.e.Loops) != 1 || !c.graph.EachRound(w.e.Stmt) {
		return nil, 0, false
	}
	return []*term.Cond{c.t.Le(c.t.Const(1), c.t.Poly(w.e.Loops[0].Iter))}, 1, true
}

// releasedBy reports whether the arrivals of a thread before an access are in earlier rounds than one, so many
// iterations on, if the thread comes to it.
func (c *checker) releasedBy(a *access.Access, o *ringOp) (conds []*term.Cond, ahead int64, ok bool) {
	if a.Copy != nil && a.Copy.Bulk {
		return nil, 0, c.bringsBytes(a, o)
	}
	if a.Copy != nil && !c.endsWith(a, o) {
		return nil, 0, false
	}
	if !access.Inside(a.Loops, o.e.Loops) {
		return nil, 0, false
	}
	if c.places[o.e.Stmt].at < c.places[a.Stmt].at {
		if ahead = 1; len(o.e.Loops) == 0 || o.size != 1 {
			return nil, 0, false
		}
	}
	return membersOf(o.e), ahead, true
}

// releasedByLeader reports whether a thread of the same warp arrives for the one that makes an access, whichever it is,
// behind a barrier of the warp that comes after the access.
func (c *checker) releasedByLeader(a *access.Access, o *ringOp) bool {
	if a.Copy != nil || c.apartInWarp || c.places[o.e.Stmt].at < c.places[a.Stmt].at {
		return false
	}
	met := slices.ContainsFunc(c.s.Events, func(e *access.Event) bool {
		b, ok := e.Stmt.(*ir.Barrier)
		return ok && b.Level == ir.WarpLevel && wholeWarp(b) && slices.Equal(e.Loops, o.e.Loops) && c.places[a.Stmt].at < c.places[b].at && c.graph.Before(b, o.e.Stmt)
	})
	if !met {
		return false
	}
	threads, led := c.listThreads(), map[int]bool{}
	for i, at := range threads {
		led[i/race.WarpSize] = led[i/race.WarpSize] || o.comes[i] && c.comesAs(o.e, at)
	}
	for i, at := range threads {
		if !led[i/race.WarpSize] && !slices.ContainsFunc(a.When, func(when *term.Cond) bool {
			holds, known := when.Holds(c.electing(at))
			return known && !holds
		}) {
			return false
		}
	}
	return true
}

// endsWith reports whether a copy ends before the phase does in which its thread arrives behind it (PTX ISA,
// "cp.async.mbarrier.arrive").
func (c *checker) endsWith(a *access.Access, o *ringOp) bool {
	with := a.Copy.Barrier
	_, inMemory := o.e.Stmt.(*ir.Named)
	return inMemory && with != nil && with.P != nil && with.Base == o.e.Args[0].Base && with.P.Equal(o.e.Args[0].P) &&
		slices.Equal(a.Loops, o.e.Loops) && c.places[a.Stmt].at < c.places[o.e.Stmt].at
}

// bringsBytes reports whether a bulk copy belongs to the phase in which an operation arrives: the bytes of the
// copies are those that the phase waits for (PTX ISA, "mbarrier.expect_tx").
func (c *checker) bringsBytes(a *access.Access, o *ringOp) bool {
	own := func(x *access.Access) bool {
		return x.Copy != nil && x.Copy.Bulk && x.Copy.Barrier != nil && x.Copy.Barrier.Base == o.e.Args[0].Base && x.Copy.Barrier.P != nil && x.Kind != race.Read
	}
	if _, inMemory := o.e.Stmt.(*ir.Named); !inMemory || !own(a) {
		return false
	}
	alongside := func(x *access.Access) bool {
		return x.Copy.Barrier.P.Equal(o.e.Args[0].P) && slices.Equal(x.Loops, o.e.Loops) && alike(x.When, atEvent(o.e))
	}
	bytes := int64(0)
	for _, e := range c.s.Events {
		s, ok := e.Stmt.(*ir.Named)
		if !ok || s.Op != "mbarrier.expect" || e.Args[0].Base != o.e.Args[0].Base || !c.graph.Next(e.Stmt, o.e.Stmt) {
			continue
		}
		n, known := expectedBytes(e)
		if !known || !e.Args[0].P.Equal(o.e.Args[0].P) {
			return false
		}
		bytes += n
	}
	for _, x := range c.s.Accesses {
		if own(x) && alongside(x) {
			bytes -= x.Size
		}
	}
	return bytes == 0 && alongside(a) && !c.waitsBetween(a.Stmt, o.e.Stmt)
}

// waitsBetween reports whether a thread waits for others between two statements: a copy that comes before such a
// wait may end in the phase before.
func (c *checker) waitsBetween(copy, arrival ir.Stmt) bool {
	return slices.ContainsFunc(c.s.Events, func(e *access.Event) bool {
		at := c.places[e.Stmt].at
		return at > c.places[copy].at && at < c.places[arrival].at && isWait(e.Stmt)
	})
}

func isWait(s ir.Stmt) bool {
	switch s := s.(type) {
	case *ir.Barrier:
		return s.Mode != ir.BarrierArrive
	case *ir.Named:
		return s.Op == "mbarrier.wait"
	}
	return false
}

// meetsInRing reports whether a barrier is one of a ring: those who are not to come need not.
func (c *checker) meetsInRing(s ir.Stmt) bool {
	return slices.ContainsFunc(c.rings, func(r *ring) bool {
		return r.full && slices.ContainsFunc(r.arrivals, func(o *ringOp) bool { return o.e.Stmt == s })
	})
}

// placeOf says where a statement stands.
type placeOf struct {
	at    int  // its number in the order of the text
	plain bool // in each round of its loop a thread comes to it exactly if the conditions around it hold
}

func placesOf(f *ir.Func) map[ir.Stmt]placeOf {
	out := map[ir.Stmt]placeOf{}
	var walk func(list []ir.Stmt, plain bool)
	walk = func(list []ir.Stmt, plain bool) {
		for _, s := range list {
			out[s] = placeOf{len(out), plain}
			_, loop := s.(*ir.Loop)
			for _, nested := range ir.Nested(s) {
				walk(nested, plain || loop)
			}
			plain = plain && !leaves(s)
		}
	}
	walk(f.Body, true)
	return out
}

// leaves reports whether a thread may leave a statement otherwise than by its end.
func leaves(s ir.Stmt) bool {
	breaks, other := exits([]ir.Stmt{s})
	return breaks || other
}

// exits reports whether there are jumps out of some statements: by a break, or otherwise.
func exits(list []ir.Stmt) (breaks, other bool) {
	inner := map[*ir.Label]bool{}
	ir.WalkStmts(list, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Loop:
			inner[s.Label] = true
		case *ir.Block:
			inner[s.Label] = true
		case *ir.Break:
			breaks = breaks || !inner[s.Target]
		case *ir.Continue:
			other = other || !inner[s.Target]
		case *ir.Return:
			other = true
		}
		return true
	})
	return breaks, other
}
