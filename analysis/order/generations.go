package order

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file recognises barriers of the grid that begin a new generation each time:
//
//	__syncthreads();
//	if (threadIdx.x == 0) {
//	    unsigned mine = generation;                        // volatile
//	    __threadfence();
//	    if (atomicAdd(&arrived, 1) == gridDim.x - 1) {     // or atomicInc, which sets itself back
//	        arrived = 0;
//	        __threadfence();
//	        generation = mine + 1;
//	    } else
//	        while (generation == mine) { }
//	    __threadfence();
//	}
//	__syncthreads();
//
// A block that has come through has seen the generation change, so what it reads of it next is that generation or a later one. A later
// one begins only when all blocks have drawn once more, itself included; so before it draws, it reads this one. By induction nobody
// draws for the next generation before all have drawn for this one and the count has been set back, and who draws the last number
// knows that all are there. How often blocks come there does not matter, nor in which loop, as long as all come as often.

// generation is a count that barriers of the grid draw from.
type generation struct {
	draws, resets []*access.Access
	barriers      []GridBarrier
}

// change is one of the places where blocks wait for a generation to change.
type change struct {
	gridRound
	before *access.Access // reads the generation before the draw
	mine   *term.Atom     // and finds that
	set    *access.Access
}

// generations lists the counts of such barriers, each with all that is done to it.
func (y *Sync) generations() []generation {
	if y.begun == nil {
		y.begun = []generation{}
		var counts []*access.Access
		for _, d := range y.writes {
			if adds(d) && d.Result != nil && !slices.ContainsFunc(counts, func(o *access.Access) bool { return samePlace(o, d) }) {
				counts = append(counts, d)
			}
		}
		for _, d := range counts {
			if g, ok := y.generationOf(d); ok {
				y.begun = append(y.begun, g)
			}
		}
	}
	return y.begun
}

func samePlace(a, b *access.Access) bool {
	return a.Base == b.Base && a.Size == b.Size && a.Off.Equal(b.Off)
}

// isOneForAll reports whether an access is to one place of global memory, whoever makes it.
func isOneForAll(a *access.Access) bool {
	return a.Base.Space != ir.Shared && a.Base.Space != ir.Local && a.Off.Variance() == term.Grid && a.Off.Loops() == 0
}

func (y *Sync) generationOf(count *access.Access) (g generation, ok bool) {
	if start, known := y.initial(count); !isOneForAll(count) || !known || start != 0 {
		return g, false
	}
	for _, w := range y.writes {
		switch {
		case !y.mayMeet(w, count) || Reads(w):
		case !samePlace(w, count):
			return g, false
		case adds(w):
			g.draws = append(g.draws, w)
		default:
			g.resets = append(g.resets, w)
		}
	}
	var changes []change
	for _, d := range g.draws {
		c, ok := y.changeBehind(d)
		if !ok || len(changes) > 0 && !samePlace(c.told.on, changes[0].told.on) {
			return g, false
		}
		changes = append(changes, c)
	}
	if !y.setBySome(changes) || !y.setBack(g.resets, changes) {
		return g, false
	}
	var rounds []gridRound
	for _, c := range changes {
		rounds = append(rounds, c.gridRound)
	}
	for _, c := range changes {
		b, ok := y.halves(c.gridRound, rounds)
		if !ok || !y.handsOnAll(c, g.resets) {
			return g, false
		}
		g.barriers = append(g.barriers, b)
	}
	y.s.Assumes[startsAtZero] = true
	return g, true
}

// changeBehind is the barrier behind which the first thread of a block has drawn the last number, or seen the generation change.
func (y *Sync) changeBehind(draw *access.Access) (c change, ok bool) {
	op := draw.Stmt.(*ir.Atomic)
	by, isConst := int64(0), false
	if draw.Value != nil {
		by, isConst = draw.Value.IsConst()
	}
	if counts := op.Op == ir.AtomicAdd && isConst && by == 1 || op.Op == ir.AtomicInc && draw.Value != nil && draw.Value.Equal(y.t.Offset(y.blocks(), -1)); !counts || !y.covers(draw, race.ScopeDevice) {
		return c, false
	}
	for _, e := range y.s.Events {
		if !isBlockBarrier(e.Stmt) || !y.alikeInGrid(e) || !y.drawnBefore(draw, e) || !y.staysFirst(e) {
			continue
		}
		seen := y.asFirst(append(slices.Clone(e.When), e.Ended...))
		for _, ways := range seen {
			if ways.Op != term.Or {
				continue
			}
			c = change{gridRound: gridRound{draw: draw, seen: seen, at: e}}
			if !slices.ContainsFunc(ways.Args, func(way *term.Cond) bool { return !y.isLast(draw, way) && !y.hasChanged(&c, way) }) && c.before != nil {
				return c, true
			}
		}
	}
	return c, false
}

// isLast reports whether conditions say that a draw was the last one of all blocks.
func (y *Sync) isLast(draw *access.Access, conds ...*term.Cond) bool {
	x := y.t.Poly(draw.Result)
	return y.impossible(append(slices.Clone(conds), y.t.Le(y.t.Const(0), x), y.t.Lt(x, y.t.Offset(y.blocks(), -1)))...)
}

// hasChanged reports whether a way to a barrier has seen another generation than the one before the draw, always the same two reads.
func (y *Sync) hasChanged(c *change, way *term.Cond) bool {
	for _, w := range y.waits([]*term.Cond{way}) {
		if w.when.Op != term.NeZero || !y.strong(w.on) || !y.covers(w.on, race.ScopeDevice) || !isOneForAll(w.on) {
			continue
		}
		mine := y.t.Sub(y.t.Poly(w.atom), w.when.P).IsAtom()
		if mine == nil {
			mine = y.t.Add(y.t.Poly(w.atom), w.when.P).IsAtom()
		}
		if mine == nil || mine == w.atom {
			continue
		}
		before := y.readOf(mine)
		if before == nil || !samePlace(before, w.on) || before.Stmt == w.on.Stmt || !y.strong(before) || !y.covers(before, race.ScopeDevice) || !y.readsBefore(before, c.draw) {
			continue
		}
		if c.before != nil && (c.before != before || c.told.on != w.on) {
			return false
		}
		c.before, c.mine, c.told = before, mine, w
		return true
	}
	return false
}

// readsBefore reports whether the thread that draws reads something before it does, and behind all other draws.
func (y *Sync) readsBefore(read, draw *access.Access) bool {
	until := func(s ir.Stmt) bool { return s == draw.Stmt }
	return slices.Equal(read.Loops, draw.Loops) && y.oneOfBlock(read, draw) && y.g.Reaches(read.Stmt, draw.Stmt, nil) &&
		!y.g.Reaches(draw.Stmt, draw.Stmt, func(s ir.Stmt) bool { return s == read.Stmt }) &&
		!slices.ContainsFunc(y.writes, func(w *access.Access) bool {
			return w.Stmt != draw.Stmt && samePlace(w, draw) && y.g.Reaches(read.Stmt, w.Stmt, until)
		})
}

// setBySome reports whether only who has drawn the last number begins a new generation, once, with another number.
func (y *Sync) setBySome(changes []change) bool {
	if len(changes) == 0 {
		return false
	}
	for _, w := range y.writes {
		if Reads(w) || !y.mayMeet(w, changes[0].told.on) {
			continue
		}
		i := slices.IndexFunc(changes, func(c change) bool { return y.byLast(w, c) })
		if i < 0 || changes[i].set != nil || !samePlace(w, changes[i].told.on) || !y.strong(w) || !y.covers(w, race.ScopeDevice) || !y.isAnother(w, changes[i].mine) {
			return false
		}
		changes[i].set = w
	}
	return !slices.ContainsFunc(changes, func(c change) bool { return c.set == nil })
}

// byLast reports whether a write is made by who has drawn the last number, at most once behind each draw, and before its barrier.
func (y *Sync) byLast(w *access.Access, c change) bool {
	again := func(s ir.Stmt) bool { return s == c.draw.Stmt }
	return slices.Equal(w.Loops, c.draw.Loops) && y.oneOfBlock(w, c.draw) && y.g.Reaches(c.draw.Stmt, w.Stmt, isBlockBarrier) && !y.g.Reaches(w.Stmt, w.Stmt, again) &&
		!y.g.Reaches(c.at.Stmt, w.Stmt, again) && y.isLast(c.draw, w.When...)
}

// isAnother reports whether a write changes the number that was there.
func (y *Sync) isAnother(w *access.Access, mine *term.Atom) bool {
	if w.Value == nil {
		return false
	}
	by := y.t.Sub(w.Value, y.t.Poly(mine))
	if x := w.Value.IsAtom(); x != nil && x.Kind == term.Wrap {
		by = y.t.Sub(x.Args[0], y.t.Poly(mine))
	}
	if op, ok := w.Stmt.(*ir.Atomic); ok && op.Op != ir.AtomicExch {
		if op.Op != ir.AtomicAdd {
			return false
		}
		by = w.Value
	}
	const small = 1 << 7
	n, isConst := by.IsConst()
	return isConst && n != 0 && -small < n && n < small
}

// setBack reports whether the count is zero again when a new generation begins.
func (y *Sync) setBack(resets []*access.Access, changes []change) bool {
	for _, w := range resets {
		op, atomic := w.Stmt.(*ir.Atomic)
		zero, isConst := int64(1), false
		if w.Value != nil {
			zero, isConst = w.Value.IsConst()
		}
		if !isConst || zero != 0 || atomic && op.Op != ir.AtomicExch || !slices.ContainsFunc(changes, func(c change) bool {
			return y.byLast(w, c) && !y.g.Reaches(c.set.Stmt, w.Stmt, func(s ir.Stmt) bool { return s == c.draw.Stmt })
		}) {
			return false
		}
	}
	return !slices.ContainsFunc(changes, func(c change) bool {
		return c.draw.Stmt.(*ir.Atomic).Op == ir.AtomicAdd && y.g.Reaches(c.draw.Stmt, c.set.Stmt, func(s ir.Stmt) bool {
			return slices.ContainsFunc(resets, func(w *access.Access) bool { return w.Stmt == s })
		})
	})
}

// handsOnAll reports whether what all blocks have done before they drew is handed on with the new generation, as the count is that was set
// back, and to the block that has drawn the last number as well.
func (y *Sync) handsOnAll(c change, resets []*access.Access) bool {
	acquires, releases := deviceFence(ir.Order.Acquires), deviceFence(ir.Order.Releases)
	fenced := func(from, to ir.Stmt, fence func(ir.Stmt) bool) bool { return !y.g.Reaches(from, to, fence) }
	atOnce := c.draw.Order.Acquires()
	own := c.set.Order.Releases()
	return (atOnce || fenced(c.draw.Stmt, c.set.Stmt, acquires)) && (own || fenced(c.draw.Stmt, c.set.Stmt, releases)) &&
		(atOnce || fenced(c.draw.Stmt, c.at.Stmt, acquires)) &&
		(c.told.on.Order.Acquires() || fenced(c.told.on.Stmt, c.at.Stmt, acquires)) &&
		!slices.ContainsFunc(resets, func(w *access.Access) bool { return !own && !fenced(w.Stmt, c.set.Stmt, releases) })
}

// inGenerations reports whether two accesses are draws from a count of generations, or set it back: each is behind all of the generation before.
func (y *Sync) inGenerations(a, b *access.Access) bool {
	of := func(x *access.Access) func(generation) bool {
		return func(g generation) bool { return slices.Contains(g.draws, x) || slices.Contains(g.resets, x) }
	}
	return slices.ContainsFunc(y.generations(), func(g generation) bool { return of(a)(g) && of(b)(g) })
}
