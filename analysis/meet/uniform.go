package meet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file says whether all threads of a block, or of a warp, come to a barrier: if not, phases say
// nothing.

// barriers finds barriers that may not be reached by all threads: the phases around them say
// nothing then. A thread that has returned is not waited for.
func (c *checker) barriers() {
	if c.apartInWarp {
		c.missable()
	}
	for _, e := range c.s.Events {
		b, ok := e.Stmt.(*ir.Barrier)
		if !ok || b.Level == ir.WarpLevel || c.meetsInBand(b) || c.meetsInRing(b) {
			continue
		}
		uniform := c.uniform(e)
		if !uniform || c.leftBefore(e) {
			c.missable()
		}
		switch {
		case !uniform:
			c.out.Divergent = append(c.out.Divergent, e)
			c.out.Reasons = append(c.out.Reasons, access.Reason{Text: "not all threads of the block may reach this barrier", Site: e.Site})
		case e.ID != nil && e.ID.Variance() > term.Block: // made-up numbers do not show who meets whom
			c.out.Reasons = append(c.out.Reasons, access.Reason{Text: "which threads meet at this barrier is not known", Site: e.Site})
		case !c.countsAll(e, b):
			if c.knowsBlock() && isFixed(e.Count) {
				c.out.Divergent = append(c.out.Divergent, e)
			}
			c.out.Reasons = append(c.out.Reasons, access.Reason{Text: "fewer or more threads may come to this barrier than it waits for", Site: e.Site})
		}
	}
}

// missable counts a barrier that some threads may miss, unless the work is at its end: then nothing was asked of it.
func (c *checker) missable() {
	if c.ctx.Err() == nil {
		c.out.Missable++
	}
}

// countsAll reports whether a barrier to which all threads of a block come that have not returned waits for as many, or
// for a part of them, one after the other. One with a count waits for threads that have returned, too, but for those of
// warps that come (PTX ISA, "bar").
func (c *checker) countsAll(e *access.Event, b *ir.Barrier) bool {
	if b.Count == nil {
		return true
	}
	if e.Count == nil || c.leftBefore(e) { // of those that can be counted, see bands.go
		return false
	}
	threads := c.t.Mul(c.t.Mul(c.s.Block[0], c.s.Block[1]), c.s.Block[2])
	if count, fixed := e.Count.IsConst(); fixed {
		all, known := threads.IsConst()
		return known && count > 0 && count%race.WarpSize == 0 && (all+race.WarpSize-1)/race.WarpSize*race.WarpSize%count == 0
	}
	return e.Count.Equal(threads)
}

// knowsBlock reports whether a launch says how many threads a block has.
func (c *checker) knowsBlock() bool {
	return c.s.Launch != nil && isFixed(c.s.Block[0]) && isFixed(c.s.Block[1]) && isFixed(c.s.Block[2])
}

// isFixed reports whether a number is known.
func isFixed(p *term.Poly) bool {
	if p == nil {
		return false
	}
	_, fixed := p.IsConst()
	return fixed
}

// leftBefore reports whether some threads of a block may have returned before an event, and others not.
func (c *checker) leftBefore(e *access.Event) bool {
	return slices.ContainsFunc(e.Left, func(left *term.Cond) bool { return !c.sameInBlock(left) })
}

// leaving reports whether some threads of a block may return before a barrier that others come to.
func (c *checker) leaving() bool {
	return slices.ContainsFunc(c.s.Events, func(e *access.Event) bool {
		_, ok := e.Stmt.(*ir.Barrier)
		return ok && c.leftBefore(e)
	})
}

// warpBarriers finds barriers of warps that some lanes may miss.
func (c *checker) warpBarriers() {
	for _, e := range c.s.Events {
		b, ok := e.Stmt.(*ir.Barrier)
		if !ok || b.Level != ir.WarpLevel {
			continue
		}
		if c.mayMiss(e) {
			c.out.Divergent = append(c.out.Divergent, e)
		}
		if (wholeWarp(b) || e.Tile > 0) && !c.apartInWarp && !c.uniformInWarp(e) {
			c.apartInWarp = true
		}
	}
}

// exchanges finds exchanges of warps that some lanes may miss. Where nothing says how large a block is, its warp may be
// the lanes of the mask, and each of its rows a warp.
func (c *checker) exchanges() {
	if _, one := c.s.Block[1].IsConst(); !one && c.s.Launch == nil {
		return
	}
	asked := map[string]bool{} // exchanges often stand in rows, on one way
	for _, e := range c.s.Meetings {
		if mask, _ := e.Mask.IsConst(); uint32(mask) != 0xffffffff {
			if c.s.Launch != nil {
				c.out.Missed = append(c.out.Missed, e)
			}
			continue
		}
		way := fmt.Sprint(e.When, e.Loops)
		uniform, known := asked[way]
		if !known {
			uniform = c.uniformInWarp(e)
			asked[way] = uniform
		}
		if !uniform {
			c.out.Missed = append(c.out.Missed, e)
		}
	}
}

// waits finds waits at barriers in memory for which too few threads may arrive. How many these wait for, how many there
// are, and what copies bring that arrive, too, is not for a run with made-up sizes to say.
func (c *checker) waits() {
	if !c.knowsBlock() {
		return
	}
	for _, r := range c.rings {
		for _, w := range r.waits { // for what stands behind them, perhaps
			if slices.ContainsFunc(r.arrivals, func(o *ringOp) bool { return !c.ascends(w, o) }) {
				c.out.Missed = append(c.out.Missed, w.e)
			}
		}
	}
	var found []*access.Event
	for _, e := range c.s.Events {
		s, ok := e.Stmt.(*ir.Named)
		switch {
		case !ok:
		case s.Op == "mbarrier.expect", s.Op == "mbarrier.init" && (len(e.Args) < 2 || !isFixed(e.Args[1].P)):
			return
		case s.Op == "mbarrier.wait":
			if _, all := c.halves.part[s]; (!all || c.leftBefore(e)) && !c.meetsInRing(s) && !c.mayEndCopy(e) {
				found = append(found, e)
			}
		}
	}
	c.out.Missed = append(c.out.Missed, found...)
}

// mayEndCopy reports whether a copy may arrive at the barrier that an event waits at.
func (c *checker) mayEndCopy(e *access.Event) bool {
	return slices.ContainsFunc(c.s.Accesses, func(a *access.Access) bool {
		if a.Copy == nil || a.Copy.Barrier == nil {
			return false
		}
		at, own := a.Copy.Barrier, e.Args[0]
		return at.Base == nil || at.P == nil || own.P == nil || at.Base == own.Base && congruent(at.P, own.P)
	})
}

// congruent reports whether two numbers may be the same, by what divides all that may differ.
func congruent(p, q *term.Poly) bool {
	d, g := p.Constant()-q.Constant(), term.GCD(p.Gcd(), q.Gcd())
	return g == 0 && d == 0 || g != 0 && d%g == 0
}

// mayMiss reports whether lanes may come to a warp's barrier that its mask leaves out, or stay away
// that it names. The masks of groups are those of their threads.
func (c *checker) mayMiss(e *access.Event) bool {
	if e.Mask == nil {
		return false
	}
	mask, ok := e.Mask.IsConst()
	if !ok {
		return false
	}
	if uint32(mask) != 0xffffffff {
		return true
	}
	for _, when := range e.When {
		if when.Variance() > term.Block {
			return true
		}
	}
	return false
}

// uniform reports whether all threads of a block come to an event if one does, as often, but for
// those that have returned.
func (c *checker) uniform(e *access.Event) bool {
	for _, when := range e.When {
		if !c.sameInBlock(when) {
			return false
		}
	}
	for _, l := range e.Loops {
		if l.Varies > term.Block {
			return false
		}
	}
	return true
}

// sameInBlock reports whether a condition has one value for all threads of a block.
func (c *checker) sameInBlock(cond *term.Cond) bool {
	if cond.Variance() <= term.Block {
		return true
	}
	share := func(a *term.Atom) bool { return a.Variance <= term.Block }
	one, two := c.t.Rename(1, share, nil), c.t.Rename(2, share, nil)
	c.solver.Budget = pairBudget
	return c.solver.Unsat(one.Cond(cond), c.t.Not(two.Cond(cond)))
}

// uniformInWarp reports whether all threads of a warp, or of the tile that a barrier holds, come to it if
// one does, as often, but for those that have returned.
func (c *checker) uniformInWarp(e *access.Event) bool {
	size := int64(race.WarpSize)
	if e.Tile > 0 {
		size = e.Tile
	}
	for _, when := range e.When {
		if !c.sameInGroup(when, size) {
			return false
		}
	}
	return !slices.ContainsFunc(e.Loops, func(l *access.Loop) bool { return l.Varies > term.Block && !c.isLast(l.Stmt) && leftByBreak(l.Stmt) })
}

// isLast reports whether a kernel ends with a loop: who leaves it by a break has returned.
func (c *checker) isLast(l *ir.Loop) bool {
	body := c.s.Func.Body
	return len(body) > 0 && body[len(body)-1] == ir.Stmt(l)
}

// leftByBreak reports whether a loop ends otherwise than by its condition, which is among those of the
// statements in it.
func leftByBreak(l *ir.Loop) bool {
	return slices.ContainsFunc(ir.Nested(l), func(list []ir.Stmt) bool {
		breaks, _ := exits(list)
		return breaks
	})
}

// sameInGroup reports whether a condition has one value for all threads of each group of so many, in blocks of whole
// warps if it numbers those of the grid.
func (c *checker) sameInGroup(cond *term.Cond, size int64) bool {
	if cond.Variance() <= term.Block {
		return true
	}
	share := func(a *term.Atom) bool { return a.Variance <= term.Block || isVote(a) }
	one, two := c.t.Rename(1, share, nil), c.t.Rename(2, share, nil)
	group := c.s.ThreadGroup(size)
	differ := []*term.Cond{c.t.Eq(one.Poly(group), two.Poly(group)), one.Cond(cond), c.t.Not(two.Cond(cond))}
	c.solver.Budget = pairBudget
	return c.solver.Unsat(differ...) || c.noneInWholeWarps(differ)
}

// isVote reports whether a value is what a vote or a reduction gives to each thread that takes part.
func isVote(a *term.Atom) bool {
	op, ok := a.Ref.(*ir.WarpOp)
	return ok && (op.Op == "any" || op.Op == "all" || op.Op == "ballot" || strings.HasPrefix(op.Op, "reduce_"))
}
