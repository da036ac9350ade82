package order

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/phase"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file knows threads that take a lock or wait for a flag for their whole block:
//
//	if (threadIdx.x == 0) { while (atomicCAS(&lock, 0, 1) != 0) { } __threadfence(); }
//	__syncthreads();
//	…
//	__syncthreads();
//	if (threadIdx.x == 0) { __threadfence(); atomicExch(&lock, 0); }
//
// A barrier is part of causality order, so what the first thread has read before it has been read before
// all that its block does behind it, and what the block does before a barrier comes before what the first
// thread writes behind it (PTX ISA, "Causality order"). The fences of the release and acquire patterns are
// those of the thread that writes and reads; where others have made theirs on the far sides of the barriers,
// both must be sequentially consistent, see last.go.

// told is what the first thread of a block has seen before a barrier behind which its block goes on.
type told struct {
	wait
	at *access.Event // the barrier
}

// toldTo lists what the first thread of the block has seen before each way to an access.
func (y *Sync) toldTo(b ir.Stmt) []told {
	if list, ok := y.toldBefore[b]; ok {
		return list
	}
	list := slices.DeleteFunc(slices.Clone(y.toldAnywhere()), func(t told) bool { return !y.g.Before(t.at.Stmt, b) })
	y.toldBefore[b] = list
	return list
}

func (y *Sync) toldAnywhere() []told {
	if y.toldAt == nil {
		y.toldAt = []told{}
		for _, e := range y.s.Events {
			if isBlockBarrier(e.Stmt) {
				y.toldAt = append(y.toldAt, y.seenBefore(e)...)
			}
		}
	}
	return y.toldAt
}

// toldOnWay is toldTo for a way to an access that its conditions single out: blocks that set the flag, and pass
// other barriers, may come to the same place, and so may blocks that wait for nobody.
func (y *Sync) toldOnWay(b *access.Access) []told {
	if list, ok := y.toldWay[b]; ok {
		return list
	}
	var list []told
	for _, e := range y.s.Events {
		if !isBlockBarrier(e.Stmt) {
			continue
		}
		always := y.g.Before(e.Stmt, b.Stmt)
		if !always && (len(e.Loops) > 0 || !y.onWay(e, b)) {
			continue
		}
		seen := y.singledOut(e, b)
		if !always {
			seen = append(seen, y.seenBefore(e)...)
		}
		list = append(list, seen...)
	}
	y.toldWay[b] = list
	return list
}

// onWay reports whether all threads that come to an access have passed a barrier outside of loops.
func (y *Sync) onWay(e *access.Event, b *access.Access) bool {
	if y.g.Passes(b.Stmt, func(s ir.Stmt) bool { return s == e.Stmt || y.offWay(s, b) }) {
		return true
	}
	return y.g.Reaches(e.Stmt, b.Stmt, nil) && !y.g.Reaches(b.Stmt, e.Stmt, nil) && !slices.ContainsFunc(slices.Concat(e.When, e.Left), func(c *term.Cond) bool {
		return !term.Implies(b.When, c)
	})
}

// singledOut lists what the first thread of a block has seen before a barrier if it has gone one of several ways there, and
// an access is made only in blocks in which it has gone that way.
func (y *Sync) singledOut(e *access.Event, b *access.Access) []told {
	inBlock := slices.DeleteFunc(slices.Clone(b.When), func(c *term.Cond) bool {
		return c.Variance() > term.Block || c.Loops() != 0 && !slices.Equal(e.Loops, b.Loops)
	})
	var list []told
	for _, c := range y.asFirst(append(slices.Clone(e.When), e.Ended...)) {
		if c.Op != term.Or || !slices.ContainsFunc(c.Args, func(way *term.Cond) bool { return len(y.beforeBarrier([]*term.Cond{way}, e)) > 0 }) {
			continue
		}
		left := slices.DeleteFunc(slices.Clone(c.Args), func(way *term.Cond) bool { return y.impossible(append(slices.Clone(inBlock), way)...) })
		if len(left) != 1 {
			continue
		}
		for _, w := range y.beforeBarrier(left, e) {
			list = append(list, told{w, e})
		}
	}
	if len(list) > 0 && !y.staysFirst(e) {
		return nil
	}
	return list
}

// offWay reports whether who passes a synchronizing operation never comes to an access.
func (y *Sync) offWay(s ir.Stmt, b *access.Access) bool {
	found := false
	for _, e := range y.s.Events {
		if e.Stmt == s {
			if found = len(e.Loops) == 0 && y.impossible(slices.Concat(e.When, b.When)...); !found {
				return false
			}
		}
	}
	return found
}

// seenBefore lists what the first thread of a block has seen before a barrier.
func (y *Sync) seenBefore(e *access.Event) []told {
	var list []told
	for _, w := range y.beforeBarrier(y.asFirst(append(slices.Clone(e.When), e.Ended...)), e) {
		list = append(list, told{w, e})
	}
	if len(list) > 0 && !y.staysFirst(e) {
		return nil
	}
	return list
}

// beforeBarrier lists the waits that conditions say of who has come to a barrier.
func (y *Sync) beforeBarrier(conds []*term.Cond, e *access.Event) []wait {
	return slices.DeleteFunc(y.waits(conds), func(w wait) bool {
		return !access.Inside(w.on.Loops, e.Loops) || !y.g.Reaches(w.on.Stmt, e.Stmt, nil)
	})
}

// ofFirst is what a number is for the first thread of a block.
func (y *Sync) ofFirst(p *term.Poly) *term.Poly {
	for _, coordinate := range y.s.ThreadIdx {
		if x := coordinate.IsAtom(); x != nil {
			p = y.t.Substitute(p, x, y.t.Const(0))
		}
	}
	return p
}

// asFirst is what conditions say of the first thread of a block.
func (y *Sync) asFirst(conds []*term.Cond) []*term.Cond {
	out := make([]*term.Cond, len(conds))
	for i, c := range conds {
		for _, p := range y.s.ThreadIdx {
			if x := p.IsAtom(); x != nil {
				c = y.t.SubstituteCond(c, x, y.t.Const(0))
			}
		}
		out[i] = c
	}
	return out
}

// staysFirst reports whether the first thread of a block has not returned before a barrier that others
// come to.
func (y *Sync) staysFirst(e *access.Event) bool {
	other, _ := y.threads(race.IntraBlock)
	for i, c := range y.asFirst(e.Left) {
		if !y.impossible(other.Cond(e.Left[i]), y.t.Not(c)) {
			return false
		}
	}
	return true
}

// settled is what conditions say where only one of several cases is left.
func (y *Sync) settled(a *access.Access) []*term.Cond {
	if conds, ok := y.cleared[a]; ok {
		return conds
	}
	var out []*term.Cond
	for i, c := range a.When {
		if c.Op == term.Or {
			rest := slices.Delete(slices.Clone(a.When), i, i+1)
			left := slices.DeleteFunc(slices.Clone(c.Args), func(c *term.Cond) bool { return y.impossible(append(rest, c)...) })
			if len(left) == 1 {
				c = left[0]
			}
		}
		out = append(out, c)
	}
	y.cleared[a] = out
	return out
}

// link says how an access is tied to what a thread of its block writes or reads to synchronize: by a fence
// of that thread, and by sequentially consistent fences on each way.
type link struct{ own, sequential bool }

func (l link) meets(m link) bool { return l.own && m.own || l.sequential && m.sequential }

func (l link) and(m link) link { return link{l.own && m.own, l.sequential && m.sequential} }

// releasing is the link from an access to a strong write that comes behind it.
func (y *Sync) releasing(a, write *access.Access) link {
	fence := deviceFence(ir.Order.Releases)
	return y.linked(a, write, write.Order.Releases(), fence, func(barrier ir.Stmt) bool {
		return y.g.Reaches(a.Stmt, barrier, isBlockBarrier) && y.g.Reaches(barrier, write.Stmt, fence)
	})
}

// acquiring is the link from a strong read to an access that comes behind it.
func (y *Sync) acquiring(read, b *access.Access) link {
	fence := deviceFence(ir.Order.Acquires)
	return y.linked(read, b, read.Order.Acquires(), fence, func(barrier ir.Stmt) bool {
		return y.g.Reaches(barrier, b.Stmt, isBlockBarrier) && y.g.Reaches(read.Stmt, barrier, fence)
	})
}

// linked is the link between an access and one that comes behind it. The strong one of the two may be ordered
// by itself; else its thread's fence stands between, and where the other access is another thread's a barrier
// of the block as well, on the far side of the fence: unfenced names the barriers for which it need not be.
func (y *Sync) linked(first, then *access.Access, ordered bool, fence, unfenced func(ir.Stmt) bool) link {
	l := link{sequential: !y.g.Reaches(first.Stmt, then.Stmt, isSequential)}
	switch {
	case ordered, y.oneOfBlock(first, then) && !y.g.Reaches(first.Stmt, then.Stmt, fence):
		l.own = true
	default:
		l.own = !y.g.Reaches(first.Stmt, then.Stmt, isBlockBarrier) && !slices.ContainsFunc(y.s.Events, func(e *access.Event) bool {
			return isBlockBarrier(e.Stmt) && unfenced(e.Stmt)
		})
	}
	return l
}

// deviceFence tells the fences of the device that acquire, or release.
func deviceFence(does func(ir.Order) bool) func(ir.Stmt) bool {
	return func(s ir.Stmt) bool {
		f, ok := s.(*ir.Fence)
		return ok && f.Scope >= race.ScopeDevice && does(f.Order)
	}
}

func isSequential(s ir.Stmt) bool {
	f, ok := s.(*ir.Fence)
	return ok && f.Order == ir.SeqCst && f.Scope >= race.ScopeDevice
}

// apartByBarriers reports whether a barrier of the block stands between two accesses of one block, or one
// thread makes both.
func (y *Sync) apartByBarriers(a, b *access.Access) bool {
	if y.oneOfBlock(a, b) {
		return true
	}
	if y.inBlock == nil {
		y.inBlock = phase.NewPhases(y.g, func(s ir.Stmt) phase.Part {
			if isBlockBarrier(s) {
				return phase.Whole
			}
			return phase.Part{}
		}, nil)
		y.inBlock.Leave = y.Leave
	}
	return len(y.inBlock.Meet(y.g.At(a.Stmt), y.g.At(b.Stmt))) == 0
}
