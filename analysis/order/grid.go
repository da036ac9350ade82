package order

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file recognises barriers of the grid that are built by hand: one thread of each block counts it, and
// waits until all are counted.
//
//	__syncthreads();
//	if (threadIdx.x == 0) {
//	    __threadfence();
//	    atomicAdd(&arrived, 1);
//	    while (atomicAdd(&arrived, 0) < goal) { }
//	    __threadfence();
//	}
//	__syncthreads();
//
// If each block draws once a round, and goes on to the next round only when the count has come to the number
// of blocks times the number of rounds so far, then all have drawn by then: as long as one has not, nobody is
// in the next round, and the count is less. What the block does before the first barrier comes before what
// any block does behind the second, by the fences of the thread that draws, or by fences of all threads on
// the far sides of the barriers, see teams.go.

// GridBarrier is a barrier of all blocks in two halves.
type GridBarrier struct{ Arrive, Wait ir.Stmt }

// gridRound is a place where blocks wait for each other.
type gridRound struct {
	draw *access.Access
	told wait
	seen []*term.Cond // by the first thread
	at   *access.Event
}

// GridBarriers lists the barriers of the grid that a kernel is made of.
func (y *Sync) GridBarriers() []GridBarrier {
	out := y.counted()
	for _, g := range y.generations() {
		out = append(out, g.barriers...)
	}
	return out
}

// counted lists those at which blocks wait until a count has come to the number of a round.
func (y *Sync) counted() []GridBarrier {
	var rounds []gridRound
	for _, e := range y.s.Events {
		if isBlockBarrier(e.Stmt) && len(e.Loops) <= 1 && y.alikeInGrid(e) {
			rounds = append(rounds, y.roundsAt(e)...)
		}
	}
	var out []GridBarrier
	for _, r := range rounds {
		same := slices.DeleteFunc(slices.Clone(rounds), func(o gridRound) bool { return o.draw.Base != r.draw.Base || !o.draw.Off.Equal(r.draw.Off) })
		number := y.numberOf(r, same)
		if number == nil || !y.countsRounds(r.draw, same) || !y.waitsForAll(r, number) {
			return nil // the others may rest on it
		}
		if b, ok := y.halves(r, same); ok {
			out = append(out, b)
		}
	}
	return out
}

// alikeInGrid reports whether all blocks come to an event, as often.
func (y *Sync) alikeInGrid(e *access.Event) bool {
	return !slices.ContainsFunc(e.When, func(c *term.Cond) bool { return c.Variance() > term.Grid }) &&
		!slices.ContainsFunc(e.Loops, func(l *access.Loop) bool { return l.Varies > term.Grid })
}

// roundsAt lists what the first thread of a block has waited for before a barrier, having drawn itself.
func (y *Sync) roundsAt(e *access.Event) []gridRound {
	var out []gridRound
	seen := y.asFirst(append(slices.Clone(e.When), e.Ended...))
	for _, w := range y.seenBefore(e) {
		if !y.g.Reaches(w.on.Stmt, e.Stmt, isBlockBarrier) {
			continue
		}
		for _, draw := range y.writes {
			known := slices.ContainsFunc(out, func(r gridRound) bool { return r.draw == draw })
			if !known && adds(draw) && draw.Stmt != w.on.Stmt && MayTouch(draw, w.on) && draw.Size == w.on.Size && draw.Off.Equal(w.on.Off) && y.drawnBefore(draw, e) {
				out = append(out, gridRound{draw, w.wait, seen, e})
			}
		}
	}
	return out
}

// drawnBefore reports whether the first thread of a block draws once each time before a barrier.
func (y *Sync) drawnBefore(draw *access.Access, e *access.Event) bool {
	if !slices.Equal(draw.Loops, e.Loops) || !y.g.Reaches(draw.Stmt, e.Stmt, isBlockBarrier) || y.g.Before(e.Stmt, draw.Stmt) || !y.oneOfBlock(draw, draw) {
		return false
	}
	if y.g.Reaches(draw.Stmt, draw.Stmt, func(s ir.Stmt) bool { return s == e.Stmt }) {
		return false
	}
	return y.firstComes(draw, y.asFirst(append(slices.Clone(e.When), e.Ended...)))
}

// countsRounds reports whether nothing but the draws of rounds changes a count, and nobody draws for a round
// before the last one has ended.
func (y *Sync) countsRounds(draw *access.Access, rounds []gridRound) bool {
	for _, r := range rounds {
		for _, o := range rounds {
			if y.g.Reaches(r.draw.Stmt, o.draw.Stmt, func(s ir.Stmt) bool { return s == r.at.Stmt }) {
				return false
			}
		}
	}
	for _, w := range y.writes {
		if !y.mayMeet(w, draw) || Reads(w) {
			continue
		}
		n := 0
		for _, r := range rounds {
			if r.draw.Stmt == w.Stmt {
				n++
			}
		}
		op, ok := w.Stmt.(*ir.Atomic)
		by, isConst := int64(0), false
		if w.Value != nil {
			by, isConst = w.Value.IsConst()
		}
		if n != 1 || !ok || op.Op != ir.AtomicAdd || !isConst || by != 1 || !y.covers(w, race.ScopeDevice) || w.Off.Variance() > term.Grid || w.Off.Loops() != 0 || w.Base.Space == ir.Shared {
			return false
		}
		if start, ok := y.initial(w); !ok || start != 0 {
			return false
		}
	}
	y.s.Assumes[startsAtZero] = true
	return true
}

// numberOf is the number of a round among those of one count, from 1, nil if it is not known.
func (y *Sync) numberOf(r gridRound, rounds []gridRound) *term.Poly {
	before, inLoop := int64(0), int64(0)
	var loop *access.Loop
	if len(r.at.Loops) > 0 {
		loop = r.at.Loops[0]
	}
	for _, o := range rounds {
		if !y.g.EachRound(o.at.Stmt) {
			return nil
		}
		together := slices.Equal(o.at.Loops, r.at.Loops)
		if together && loop != nil {
			inLoop++
		}
		switch {
		case o.at == r.at, y.g.Before(o.at.Stmt, r.at.Stmt) && (together || len(o.at.Loops) == 0):
			before++
		case together && y.g.Before(r.at.Stmt, o.at.Stmt):
		case y.g.Reaches(o.at.Stmt, r.at.Stmt, nil):
			return nil // nobody knows how often
		}
	}
	number := y.t.Const(before)
	if loop != nil {
		number = y.t.Add(number, y.t.Scale(inLoop, y.t.Poly(loop.Iter)))
	}
	return number
}

// waitsForAll reports whether the first thread of a block goes on only when all blocks have drawn in a
// round. By then each has drawn in all rounds before.
func (y *Sync) waitsForAll(r gridRound, number *term.Poly) bool {
	if !y.strong(r.told.on) || !y.covers(r.told.on, race.ScopeDevice) {
		return false
	}
	y.s.Assumes[access.NoOverflow] = true
	blocks := y.blocks()
	conds := append(slices.Clone(r.seen), y.t.Lt(y.t.Poly(r.told.atom), y.t.Mul(number, blocks)))
	if x := r.draw.Result; x != nil { // and so many rounds are what it has drawn by the number of blocks
		before, drawn := y.t.Offset(number, -1), y.t.Poly(x)
		more := y.t.Sub(y.t.Quotient(drawn, blocks), before)
		conds = append(conds, y.t.Le(y.t.Mul(before, blocks), drawn), y.t.Le(y.t.Const(0), more), y.t.Le(y.t.Const(0), y.t.Mul(more, blocks)))
	}
	return y.impossible(append(conds, y.t.Le(y.t.Const(1), blocks))...)
}

// halves finds where the threads of a block arrive for the others, and where they have waited for them.
func (y *Sync) halves(r gridRound, rounds []gridRound) (GridBarrier, bool) {
	var first *access.Event // the barrier before the draw
	for _, e := range y.s.Events {
		if isBlockBarrier(e.Stmt) && y.alikeInGrid(e) && slices.Equal(e.Loops, r.at.Loops) && y.g.Before(e.Stmt, r.draw.Stmt) && y.g.Reaches(e.Stmt, r.draw.Stmt, isBlockBarrier) {
			first = e
		}
	}
	if first == nil {
		return GridBarrier{}, false
	}
	released := link{
		own:        r.draw.Order.Releases() || !y.g.Reaches(first.Stmt, r.draw.Stmt, deviceFence(ir.Order.Releases)),
		sequential: !y.g.Reaches(first.Stmt, r.draw.Stmt, isSequential),
	}
	acquired := link{
		own:        r.told.on.Order.Acquires() || !y.g.Reaches(r.told.on.Stmt, r.at.Stmt, deviceFence(ir.Order.Acquires)),
		sequential: !y.g.Reaches(r.told.on.Stmt, r.at.Stmt, isSequential),
	}
	b := GridBarrier{Arrive: first.Stmt, Wait: r.at.Stmt}
	shared := slices.ContainsFunc(rounds, func(o gridRound) bool { return o.at == first })
	if shared || !released.meets(acquired) {
		if shared || !released.sequential {
			b.Arrive = y.fenceOfAll(r, func(f ir.Stmt) bool { return y.g.Before(f, first.Stmt) })
		}
		if !acquired.sequential {
			b.Wait = y.fenceOfAll(r, func(f ir.Stmt) bool { return y.g.Before(r.at.Stmt, f) })
		}
	}
	return b, b.Arrive != nil && b.Wait != nil
}

// fenceOfAll returns a sequentially consistent fence that all threads of the grid make in a round, nil if
// there is none at such a place.
func (y *Sync) fenceOfAll(r gridRound, place func(ir.Stmt) bool) ir.Stmt {
	for _, e := range y.s.Events {
		if isSequential(e.Stmt) && y.alikeInGrid(e) && slices.Equal(e.Loops, r.at.Loops) && place(e.Stmt) {
			return e.Stmt
		}
	}
	return nil
}
