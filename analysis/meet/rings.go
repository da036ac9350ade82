package meet

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file knows barriers at which some threads arrive for others to wait, as producers and consumers use them: arrays
// of barriers in memory (`full[it % STAGES]`, `empty[it % STAGES]`), and numbered ones (bar.arrive and bar.sync).
//
// DESIGN. All barriers that operations name by one number modulo a constant are a ring. Each operation gets a round:
// which phase of its barrier it means, as a term over the iteration of its loop. That is checked, not guessed:
//
//   - The rounds of a thread's arrivals at one barrier ascend from 0 on, and no more threads arrive than the barrier
//     waits for, each not before its last phase is over. So once a phase is over, each of them has arrived in it.
//   - A wait for a parity means the phase after the one that was waited for last (PTX ISA, "mbarrier.test_wait"); a
//     wait with a token, and bar.sync, the phase of the thread's own arrival, which is the number of those before.
//
// Then an arrival in one round is before a wait for this round or a later one. What stands before the arrival is
// before what stands behind the wait, and the solver is asked for two iterations without such an order. Each check
// rests on waits that have returned before, so that they may rest on each other.

// ring is a set of barriers that operations choose from by a number.
type ring struct {
	arrivals, waits []*ringOp
	count           int64 // the threads that each waits for
	full            bool  // so many threads come to it
	whole           bool  // a barrier of the block: all threads come to it alike
}

// ringOp is an operation on a barrier of a ring: on number first + step·(turn % size), in round turn / size + shift.
type ringOp struct {
	e                 *access.Event
	step, first, size int64
	turn              *term.Poly
	shift             int64
	fixed             bool    // it is in no loop, always on the same barrier: its round is shift
	once              bool    // it goes through barriers from the first on, and never round: its round is shift
	comes             []bool  // which threads of the block come to it
	own               *ringOp // of a wait: the arrival of the same thread that it waits for the phase of
}

// Limits of a ring: its size, and the barriers of it that a loop goes through once.
const (
	mostStages = 64
	mostRounds = 64 // of an operation behind a loop, before which the loop has gone round the ring so often
	mostInTurn = 8
)

func (c *checker) barrierOf(o *ringOp) *term.Poly {
	if o.once {
		return c.t.Offset(c.t.Scale(o.step, o.turn), o.first)
	}
	return c.t.Offset(c.t.Scale(o.step, c.t.Remainder(o.turn, c.t.Const(o.size))), o.first)
}

func (c *checker) roundOf(o *ringOp) *term.Poly {
	if o.once {
		return c.t.Const(o.shift)
	}
	return c.t.Offset(c.t.Quotient(o.turn, c.t.Const(o.size)), o.shift)
}

// ringOpAt reads which barrier an event names.
func (c *checker) ringOpAt(e *access.Event, at *term.Poly) *ringOp {
	if at == nil || len(e.Loops) > 1 {
		return nil
	}
	o := &ringOp{e: e, size: 1, first: at.Constant(), turn: c.t.Const(0)}
	if len(e.Loops) == 1 {
		o.turn = c.t.Poly(e.Loops[0].Iter)
	}
	if _, fixed := at.IsConst(); fixed {
		return o
	}
	rest := c.t.Offset(at, -o.first).Terms()
	if len(rest) != 1 || len(rest[0].Mono.Atoms) != 1 || rest[0].Coef <= 0 {
		return nil
	}
	a := rest[0].Mono.Atoms[0]
	o.step = rest[0].Coef
	if len(e.Loops) == 1 && a == e.Loops[0].Iter { // a few barriers, one after the other
		for !c.impossible(append([]*term.Cond{c.t.Le(c.t.Const(o.size), o.turn)}, e.When...)...) {
			if o.size++; o.size > mostInTurn {
				return nil
			}
		}
		o.once = true
		return o
	}
	if a.Kind != term.Rem {
		return nil
	}
	size, fixed := a.Args[1].IsConst()
	if !fixed || size > mostStages || a.Args[0].Variance() > term.Block || !sumOfIteration(a.Args[0], e.Loops) {
		return nil
	}
	if lo, _ := a.Args[0].Range(); lo < 0 && !c.impossible(append([]*term.Cond{c.t.Lt(a.Args[0], c.t.Const(0))}, atEvent(e)...)...) {
		return nil
	}
	o.size, o.turn = size, a.Args[0]
	return o
}

// atEvent are the conditions that hold for a thread at an event.
func atEvent(e *access.Event) []*term.Cond { return slices.Concat(e.When, e.Ended, e.Left) }

// sumOfIteration reports whether a term is the loop's iteration plus what does not change in the loop.
func sumOfIteration(p *term.Poly, loops []*access.Loop) bool {
	for _, x := range p.Terms() {
		for _, a := range x.Mono.Atoms {
			if a.Loops != 0 && (len(loops) == 0 || a != loops[0].Iter || x.Coef != 1 || len(x.Mono.Atoms) > 1) {
				return false
			}
		}
	}
	return true
}

// byIteration reports whether, of all that changes from round to round, only the loop's iteration has a say in a term.
func byIteration(p *term.Poly, loops []*access.Loop) bool {
	ok := true
	p.Leaves(func(a *term.Atom) {
		ok = ok && (a.Loops == 0 || len(loops) > 0 && a == loops[0].Iter)
	})
	return ok
}

// steady reports whether the conditions of an operation are the same functions of the iteration in each round.
func (o *ringOp) steady() bool {
	ok := true
	for _, when := range o.e.When {
		when.Walk(func(part *term.Cond) { ok = ok && (part.P == nil || byIteration(part.P, o.e.Loops)) })
	}
	return ok
}

// overlaps reports whether two operations may be on one barrier.
func (o *ringOp) overlaps(p *ringOp) bool {
	for i := range o.size {
		if d := o.first + i*o.step - p.first; d == 0 || p.step > 0 && d > 0 && d%p.step == 0 && d/p.step < p.size {
			return true
		}
	}
	return false
}

// findRings finds the rings of a kernel.
func (c *checker) findRings() {
	type memory struct {
		ops   []*ringOp
		inits []*access.Event
		bad   bool
	}
	of := map[*access.Base]*memory{} // nil are the numbered barriers
	var bases []*access.Base
	at := func(b *access.Base) *memory {
		if of[b] == nil {
			of[b] = &memory{}
			bases = append(bases, b)
		}
		return of[b]
	}
	found := false
	for _, e := range c.s.Events {
		switch s := e.Stmt.(type) {
		case *ir.Barrier:
			if s.Level == ir.BlockLevel && (s.ID != nil || s.Count != nil || s.Mode != ir.BarrierSync) {
				m := at(nil)
				o := c.ringOpAt(e, e.ID)
				if m.bad = m.bad || o == nil || s.Mode == ir.BarrierWait || o.overlaps(&ringOp{size: 1}); !m.bad {
					m.ops, found = append(m.ops, o), true
				}
			}
		case *ir.Named:
			if !isBarrier(s) || len(e.Args) == 0 {
				continue
			}
			base := e.Args[0].Base
			if base == nil || base.Object == nil || base.Space != ir.Shared || base.Remote != nil || e.Args[0].P == nil {
				return
			}
			m := at(base)
			switch s.Op {
			case "mbarrier.init":
				m.inits = append(m.inits, e)
			case "mbarrier.expect":
			case "mbarrier.arrive", "mbarrier.wait":
				o := c.ringOpAt(e, e.Args[0].P)
				if m.bad = m.bad || o == nil || s.Op == "mbarrier.arrive" && len(e.Args) > 1 && !isOne(e.Args[1]); !m.bad {
					m.ops, found = append(m.ops, o), true
				}
			default:
				m.bad = true
			}
		}
	}
	if !found {
		return
	}
	threads := c.listThreads()
	if len(threads) == 0 {
		return
	}
	c.places = placesOf(c.s.Func)
	for _, base := range bases {
		m := of[base]
		for len(m.ops) > 0 && !m.bad {
			var ops []*ringOp
			ops, m.ops = connected(m.ops)
			if r := c.newRing(ops, m.inits, threads); r != nil {
				c.rings = append(c.rings, r)
			}
		}
	}
	c.trustRings()
	if len(c.rings) > 0 && !c.mayLeave {
		c.barriersAsRings(len(threads))
		c.trustRings()
	}
}

// barriersAsRings makes a ring of each barrier of the block: all its threads come to it as often, in the same order.
func (c *checker) barriersAsRings(threads int) {
	for _, e := range c.s.Events {
		b, ok := e.Stmt.(*ir.Barrier)
		if !ok || b.Level != ir.BlockLevel || b.Mode != ir.BarrierSync || b.ID != nil || b.Count != nil || !c.uniform(e) {
			continue
		}
		if o := c.ringOpAt(e, c.t.Const(0)); o != nil {
			o.own, o.comes = o, slices.Repeat([]bool{true}, threads)
			c.rings = append(c.rings, &ring{arrivals: []*ringOp{o}, waits: []*ringOp{o}, whole: true})
		}
	}
}

// connected splits the operations on some memory into those that may be on the same barriers as the first, and others.
func connected(ops []*ringOp) (in, out []*ringOp) {
	in, out = ops[:1:1], ops[1:]
	for grown := true; grown; {
		grown = false
		var rest []*ringOp
		for _, o := range out {
			if slices.ContainsFunc(in, o.overlaps) {
				in, grown = append(in, o), true
			} else {
				rest = append(rest, o)
			}
		}
		out = rest
	}
	return in, out
}

// newRing checks operations by themselves, and finds their rounds; nil if they are no ring.
func (c *checker) newRing(ops []*ringOp, inits []*access.Event, threads []race.Dim3) *ring {
	r, counted := &ring{}, false
	c.alignFixed(ops)
	comers := make([]bool, len(threads))
	for _, o := range ops {
		b, numbered := o.e.Stmt.(*ir.Barrier)
		arrives, waits := numbered, numbered && b.Mode == ir.BarrierSync
		if s, ok := o.e.Stmt.(*ir.Named); ok {
			arrives, waits = s.Op == "mbarrier.arrive", s.Op == "mbarrier.wait"
		}
		if arrives {
			o.comes = c.mayCome(o.e, threads)
			for i, comes := range o.comes {
				comers[i] = comers[i] || comes
			}
			r.arrivals = append(r.arrivals, o)
		}
		if waits {
			r.waits = append(r.waits, o)
		}
		if numbered {
			count, ok := int64(len(threads)), b.Count == nil
			if e := o.e; e.Count != nil {
				count, ok = e.Count.IsConst()
				counted = true
			}
			if !ok || r.count != 0 && r.count != count {
				return nil
			}
			r.count, o.own = count, o
		}
	}
	if r.count == 0 {
		r.count = c.countOfRing(ops, inits)
	}
	n := int64(0)
	for warp := range slices.Chunk(comers, race.WarpSize) {
		come := int64(0)
		for _, comes := range warp {
			if comes {
				come++
			}
		}
		if counted && come > 0 { // see arrivals
			if come < int64(len(warp)) {
				return nil
			}
			come = race.WarpSize
		}
		n += come
	}
	if r.count <= 0 || n > r.count || len(r.waits) == 0 || !c.shiftArrivals(r) {
		return nil
	}
	r.full = n == r.count
	all := r.waits
	r.waits = nil
	for _, w := range all {
		if c.shiftWait(w, r) {
			r.waits = append(r.waits, w)
		}
	}
	return r
}

// alignFixed makes operations in no loop that are on a fixed barrier of a ring operations of the ring: of which round, is
// found out later.
func (c *checker) alignFixed(ops []*ringOp) {
	i := slices.IndexFunc(ops, func(o *ringOp) bool { return o.size > 1 && !o.once })
	if i < 0 {
		return
	}
	like := ops[i]
	for _, o := range ops {
		if d := o.first - like.first; len(o.e.Loops) == 0 && o.size == 1 && d >= 0 && d%like.step == 0 && d/like.step < like.size {
			o.first, o.step, o.size, o.turn, o.fixed = like.first, like.step, like.size, c.t.Const(d/like.step), true
		}
	}
}

// mayCome says of each thread of a block whether it may come to an event.
func (c *checker) mayCome(e *access.Event, threads []race.Dim3) []bool {
	out := make([]bool, len(threads))
	for i, at := range threads {
		out[i] = !slices.ContainsFunc(membersOf(e), func(when *term.Cond) bool {
			holds, known := when.Holds(c.electing(at))
			return known && !holds
		})
	}
	return out
}

// countOfRing is how many arrivals the barriers of a ring are initialized to wait for, 0 if that is not known.
func (c *checker) countOfRing(ops []*ringOp, inits []*access.Event) int64 {
	count := int64(0)
	for _, e := range inits {
		if slices.ContainsFunc(ops, func(o *ringOp) bool { return c.graph.Reaches(o.e.Stmt, e.Stmt, nil) }) || len(e.Args) < 2 || e.Args[1].P == nil {
			return 0
		}
		if !slices.ContainsFunc(ops, func(o *ringOp) bool { return congruent(c.barrierOf(o), e.Args[0].P) }) {
			continue
		}
		n, ok := e.Args[1].P.IsConst()
		if !ok || count != 0 && count != n {
			return 0
		}
		count = n
	}
	return count
}
