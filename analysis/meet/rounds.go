package meet

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file finds the rounds of operations on rings and checks them; see rings.go.

// shiftArrivals finds rounds for the arrivals of a ring that ascend for each thread from 0 on.
func (c *checker) shiftArrivals(r *ring) bool {
	for _, o := range r.arrivals {
		for o.shift = -1; c.solvable(o, c.t.Lt(c.roundOf(o), c.t.Const(0))); o.shift++ {
			if o.shift > 0 {
				return false
			}
		}
	}
	const most = 2
	for changed := true; changed; {
		changed = false
		for _, o := range r.arrivals {
			for _, p := range r.arrivals {
				if c.ascends(o, p) {
					continue
				}
				if p.shift++; o == p || p.shift > most && !(p.fixed && p.shift <= mostRounds) {
					return false
				}
				changed = true
			}
		}
	}
	return true
}

// solvable reports whether an operation may happen with a condition, as far as is known.
func (c *checker) solvable(o *ringOp, conds ...*term.Cond) bool {
	return !c.impossible(append(conds, atEvent(o.e)...)...)
}

// ringBudget bounds a question about the edges between two accesses, of which each wait and arrival adds one.
const ringBudget = 4 * pairBudget

// impossible reports whether conditions contradict each other.
func (c *checker) impossible(conds ...*term.Cond) bool {
	c.solver.Budget, c.solver.Rounds = ringBudget, true
	defer func() { c.solver.Rounds = false }()
	return c.solver.Unsat(append(conds, c.s.Given...)...)
}

// ascends reports whether an arrival of a thread at a barrier is in a later round than another one before it.
func (c *checker) ascends(o, p *ringOp) bool {
	if o == p && len(o.e.Loops) == 0 || !c.graph.Reaches(o.e.Stmt, p.e.Stmt, nil) || !o.overlaps(p) {
		return true
	}
	one, two := c.ofOneThread()
	conds := []*term.Cond{c.t.Eq(one.Poly(c.barrierOf(o)), two.Poly(c.barrierOf(p))), c.t.Le(two.Poly(c.roundOf(p)), one.Poly(c.roundOf(o)))}
	for _, when := range o.e.When {
		conds = append(conds, one.Cond(when))
	}
	for _, when := range membersOf(p.e) {
		if when.Loops() == 0 {
			conds = append(conds, two.Cond(when))
		}
	}
	if len(o.e.Loops) == 1 && len(p.e.Loops) == 1 && o.e.Loops[0] == p.e.Loops[0] {
		i := c.t.Poly(o.e.Loops[0].Iter)
		later := int64(0)
		if c.places[o.e.Stmt].at >= c.places[p.e.Stmt].at {
			later = 1
		}
		conds = append(conds, c.t.Le(c.t.Offset(one.Poly(i), later), two.Poly(i)))
	}
	return c.impossible(conds...)
}

// ofOneThread renames for two moments of one thread.
func (c *checker) ofOneThread() (one, two *term.Renaming) {
	shared := func(a *term.Atom) bool { return a.Loops == 0 }
	return c.t.Rename(1, shared, nil), c.t.Rename(2, shared, nil)
}

// shiftWait finds the round that a wait waits for, and reports whether that is certain; r has the waits before it.
func (c *checker) shiftWait(w *ringOp, r *ring) bool {
	if s, ok := w.e.Stmt.(*ir.Named); ok {
		if len(w.e.Args) < 2 || s.Args[1].Type().Size() >= 8 {
			return c.waitsForOwn(w, r)
		}
		if w.fixed { // the last that follows
			for w.shift = mostRounds; w.shift >= 0; w.shift-- {
				if other := c.otherParity(w); other != nil && !c.solvable(w, other) && c.follows(w, r) {
					return true
				}
			}
			return false
		}
		for _, w.shift = range []int64{0, -1} {
			if other := c.otherParity(w); other != nil && !c.solvable(w, other) {
				return c.follows(w, r)
			}
		}
		return false
	}
	return c.follows(w, r)
}

// otherParity says that a wait names another parity than that of its round; nil if it is not known.
func (c *checker) otherParity(w *ringOp) *term.Cond {
	round, zero := c.t.Const(0), c.t.Const(0)
	if !w.once {
		round = c.t.Quotient(w.turn, c.t.Const(w.size))
	}
	odd := c.t.Remainder(round, c.t.Const(2))
	if w.shift%2 != 0 {
		odd = c.t.Sub(c.t.Const(1), odd)
	}
	switch named := w.e.Args[1]; {
	case named.P != nil:
		return c.t.Ne(odd, named.P)
	case named.Truth != nil:
		return term.Disj(term.Conj(named.Truth, c.t.Eq(odd, zero)), term.Conj(c.t.Not(named.Truth), c.t.Ne(odd, zero)))
	}
	return nil
}

// waitsForOwn gives a wait with a token the round of the arrival that has made it.
func (c *checker) waitsForOwn(w *ringOp, r *ring) bool {
	i := slices.IndexFunc(r.arrivals, func(o *ringOp) bool {
		if len(w.e.Args) < 2 { // for the phase of the last arrival
			return c.graph.Next(o.e.Stmt, w.e.Stmt)
		}
		return w.e.Args[1].P != nil && slices.Equal(tokensOf(w.e.Args[1].P), []ir.Stmt{o.e.Stmt})
	})
	if i < 0 {
		return false
	}
	own := r.arrivals[i]
	if !slices.Equal(own.e.Loops, w.e.Loops) || !c.barrierOf(own).Equal(c.barrierOf(w)) || !c.graph.Before(own.e.Stmt, w.e.Stmt) {
		return false
	}
	w.own, w.turn, w.size, w.shift = own, own.turn, own.size, own.shift
	return c.follows(own, r)
}

// follows reports whether a thread has come to an operation on a barrier in each round before, from 0 on.
func (c *checker) follows(o *ringOp, r *ring) bool {
	first := c.t.Le(c.t.Const(1), c.roundOf(o))
	if len(o.e.Loops) == 0 {
		return !c.solvable(o, first) || slices.ContainsFunc(r.waits, func(w *ringOp) bool { return c.roundBefore(w, o) })
	}
	i := o.e.Loops[0].Iter
	if c.solvable(o, first, c.t.Lt(c.t.Poly(i), c.t.Const(o.size))) {
		return false
	}
	if !o.turn.Mentions(i) {
		return false
	}
	if c.graph.EachRound(o.e.Stmt) {
		return true
	}
	// In a later round its conditions held then, too.
	if !c.places[o.e.Stmt].plain || !o.steady() {
		return false
	}
	later := []*term.Cond{c.t.Le(c.t.Const(1), c.roundOf(c.moved(o, o.size)))}
	in := c.inRound(i, o.size)
	for _, when := range o.e.When {
		later = append(later, in.Cond(when))
	}
	for _, when := range o.e.When {
		if !c.impossible(append(slices.Clone(later), c.t.Not(when))...) {
			return false
		}
	}
	return true
}

// roundBefore reports whether a thread that comes to an operation behind a loop has come to another one in the loop, in
// the round before on the same barrier, if there is one.
func (c *checker) roundBefore(w, o *ringOp) bool {
	if len(o.e.Loops) > 0 || len(w.e.Loops) != 1 || w.once || o.once || w.size != o.size || w.step != o.step || w.first != o.first {
		return false
	}
	t, l := c.t, w.e.Loops[0]
	ahead := t.Sub(w.turn, t.Poly(l.Iter))
	each := c.graph.EachRound(w.e.Stmt) || c.places[w.e.Stmt].plain && w.steady()
	if l.Rounds == nil || ahead.Mentions(l.Iter) || !each || leftEarly(l.Stmt) || !c.graph.Reaches(w.e.Stmt, o.e.Stmt, nil) || c.graph.Reaches(o.e.Stmt, w.e.Stmt, nil) {
		return false
	}
	at := t.Sub(t.Offset(o.turn, o.size*(o.shift-1-w.shift)), ahead)
	passed := []*term.Cond{t.Le(t.Const(0), at), t.Lt(at, l.Rounds)}
	for _, when := range w.e.When {
		passed = append(passed, t.SubstituteCond(when, l.Iter, at))
	}
	return !c.solvable(o, t.Le(t.Const(1), c.roundOf(o)), t.Not(term.Conj(passed...)))
}

// leftEarly reports whether a thread may leave a loop otherwise than by its condition.
func leftEarly(l *ir.Loop) bool {
	return slices.ContainsFunc(ir.Nested(l), func(body []ir.Stmt) bool {
		breaks, other := exits(body)
		return breaks || other
	})
}

// moved is an operation some iterations on.
func (c *checker) moved(o *ringOp, by int64) *ringOp {
	if len(o.e.Loops) == 0 || by == 0 {
		return o
	}
	i := o.e.Loops[0].Iter
	p := *o
	if by < 0 && !o.once { // a remainder of what is not negative
		by, p.shift = by+o.size, o.shift-1
	}
	p.turn = c.t.Substitute(o.turn, i, c.t.Offset(c.t.Poly(i), by))
	return &p
}

// inRound renames for so many iterations on.
func (c *checker) inRound(i *term.Atom, by int64) *term.Renaming {
	return c.t.Rename(0, func(a *term.Atom) bool { return a.Loops == 0 }, func(a *term.Atom) *term.Poly {
		if a == i {
			return c.t.Offset(c.t.Poly(i), by)
		}
		return nil
	})
}

// trustRings leaves the rings in which no thread arrives before the last phase that it has arrived in is over.
func (c *checker) trustRings() {
	for {
		all := len(c.rings)
		c.deriveWaits()
		c.rings = slices.DeleteFunc(c.rings, func(r *ring) bool {
			return !r.whole && slices.ContainsFunc(r.arrivals, func(o *ringOp) bool { return !c.keepsPace(o, r) })
		})
		if len(c.rings) == all {
			return
		}
	}
}

// derived are the waits of a ring, with those that follow from waits for others.
func (c *checker) derived(r *ring) []*ringOp { return append(slices.Clone(r.waits), c.implied[r]...) }

// deriveWaits finds what waits tell of other rings: those who have arrived had waited there before.
func (c *checker) deriveWaits() {
	c.implied = map[*ring][]*ringOp{}
	for _, r := range c.rings {
		for _, o := range r.arrivals {
			for _, of := range c.rings {
				for _, before := range of.waits {
					back, ok := c.waitedBefore(before, of, o, r)
					if !ok {
						continue
					}
					if r.whole {
						known := *before
						known.e = o.e
						c.implied[of] = append(c.implied[of], &known)
						continue
					}
					for _, w := range r.waits {
						if w.size == o.size && w.step == o.step && w.first == o.first && w.once == o.once && before.once == o.once && !(of == r && before.own == o) {
							c.implied[of] = append(c.implied[of], &ringOp{e: w.e, step: before.step, first: before.first, size: w.size, turn: w.turn, once: w.once, shift: w.shift - o.shift + before.shift - back})
						}
					}
				}
			}
		}
	}
}

// waitedBefore reports whether all that arrive somewhere in some round have waited before in the same turn at a ring, or so
// many rounds back.
func (c *checker) waitedBefore(w *ringOp, of *ring, o *ringOp, r *ring) (back int64, ok bool) {
	if w.e == o.e || !slices.Equal(w.e.Loops, o.e.Loops) || !r.whole && (w.size != o.size || !w.turn.Equal(o.turn) || len(o.e.Loops) == 0) {
		return 0, false
	}
	some := slices.Clone(o.comes) // of those who arrive there
	if c.places[w.e.Stmt].at > c.places[o.e.Stmt].at {
		if back = 1; r.whole || w.size != 1 || w.shift > 0 || !c.graph.EachRound(w.e.Stmt) {
			return 0, false
		}
	} else if !c.graph.Before(w.e.Stmt, o.e.Stmt) {
		if !c.places[w.e.Stmt].plain {
			return 0, false
		}
		for i, at := range c.listThreads() {
			some[i] = some[i] && c.comesAs(w.e, at)
		}
		for _, when := range w.e.When {
			if byThread(when) {
				continue
			}
			if c.solvable(o, c.t.Le(c.t.Const(0), c.roundOf(w)), c.t.Not(when)) {
				return 0, false
			}
		}
	}
	// Who comes there arrives in that round by no other operation, or has waited before that one, too.
	for _, p := range r.arrivals {
		if p == o || back == 0 && slices.ContainsFunc(of.waits, func(x *ringOp) bool { return c.standsAlike(x, p, w, o) }) {
			continue
		}
		if c.solvable(p, c.t.Le(c.t.Const(0), c.t.Offset(c.roundOf(p), w.shift-o.shift-back))) {
			for i, comes := range p.comes {
				some[i] = some[i] && !comes
			}
		}
	}
	return back, slices.Contains(some, true)
}

// standsAlike reports whether a wait stands before an arrival as another one does before another.
func (c *checker) standsAlike(x, p, w, o *ringOp) bool {
	return x.size == w.size && x.step == w.step && x.first == w.first && x.once == w.once && x.shift-p.shift == w.shift-o.shift &&
		p.size == o.size && p.step == o.step && p.first == o.first && x.turn.Equal(p.turn) && slices.Equal(x.e.Loops, p.e.Loops) && c.graph.Before(x.e.Stmt, p.e.Stmt)
}

// byThread reports whether only the thread's coordinates have a say in a condition, and they have.
func byThread(when *term.Cond) bool { return when.Loops() == 0 && when.Variance() > term.Block }

// comesAs reports whether a thread meets the conditions of an event that only its coordinates have a say in.
func (c *checker) comesAs(e *access.Event, at race.Dim3) bool {
	return !slices.ContainsFunc(e.When, func(when *term.Cond) bool {
		holds, known := when.Holds(c.electing(at))
		return byThread(when) && !(known && holds)
	})
}

// keepsPace reports whether the phase before that of an arrival is over when a thread arrives.
func (c *checker) keepsPace(o *ringOp, r *ring) bool {
	first := c.t.Le(c.t.Const(1), c.roundOf(o))
	if !c.solvable(o, first) {
		return true
	}
	if len(o.e.Loops) == 0 {
		return slices.ContainsFunc(c.derived(r), func(w *ringOp) bool { return c.roundBefore(w, o) })
	}
	i := o.e.Loops[0].Iter
	for _, w := range c.derived(r) {
		if !slices.Equal(w.e.Loops, o.e.Loops) {
			continue
		}
		for back := range w.size + 1 {
			if back == 0 && (w.e == o.e || c.places[w.e.Stmt].at > c.places[o.e.Stmt].at) || back > 0 && c.solvable(o, first, c.t.Lt(c.t.Poly(i), c.t.Const(back))) {
				continue
			}
			var passed []*term.Cond
			switch {
			case back == 0 && c.graph.Before(w.e.Stmt, o.e.Stmt), back > 0 && c.graph.EachRound(w.e.Stmt):
			case c.places[w.e.Stmt].plain && w.steady():
				passed = w.e.When
			default:
				continue
			}
			on, later := c.moved(o, back), c.inRound(i, back)
			conds := []*term.Cond{c.t.Le(c.t.Const(1), c.roundOf(on))}
			for _, when := range o.e.When {
				conds = append(conds, later.Cond(when))
			}
			enough := append(slices.Clone(passed), c.t.Eq(c.barrierOf(w), c.barrierOf(on)), c.t.Le(c.t.Offset(c.roundOf(on), -1), c.roundOf(w)))
			if c.impossible(append(conds, c.t.Not(term.Conj(enough...)))...) {
				return true
			}
		}
	}
	return false
}
