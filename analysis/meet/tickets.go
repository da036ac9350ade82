package meet

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/order"
	"github.com/warplint/warplint/analysis/phase"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file says what is known of tickets: numbers that threads draw from a counter by atomics which
// all add to it, or all subtract. Each draw has an interval of its own, as wide as what it adds, so
// that `out[atomicAdd(&n, 1)] = v` writes each element once. A counter that wraps around (atomicInc),
// that is written in another way, or whose atomics do not cover both threads gives no tickets; but one
// in shared memory may be set anew where a barrier stands before and behind.

// ticket is a number that a thread has drawn, or that one of its block has drawn and handed on by
// shared memory.
type ticket struct {
	atom     *term.Atom
	draw     *access.Access
	slot     *term.Poly       // where in shared memory it was handed on, nil if it was not
	shuffled bool             // one lane has drawn it for its warp, see ranks.go
	lanes    *term.Atom       // the mask of the lanes that it was drawn for, if these are counted
	named    bool             // it is one for these lanes only
	resets   []*access.Access // the other writes of the counter
	presumed bool             // what is added may be negative, for all that is known, see counts.go
}

// ticketsOf lists the tickets that the address and the conditions of an access speak of.
func (c *checker) ticketsOf(a *access.Access) []ticket {
	if list, ok := c.tickets[a]; ok {
		return list
	}
	var list []ticket
	seen := map[*term.Atom]bool{}
	note := func(x *term.Atom) {
		if seen[x] {
			return
		}
		seen[x] = true
		if t, ok := c.ticket(x); ok && (!t.named || c.named(a, t.lanes)) {
			list = append(list, t)
		}
	}
	a.Off.Leaves(note)
	for _, when := range a.When {
		when.Walk(func(w *term.Cond) { w.P.Leaves(note) })
	}
	c.tickets[a] = list
	return list
}

// ticket reports whether an atom is the result of a draw.
func (c *checker) ticket(x *term.Atom) (ticket, bool) {
	switch s := x.Ref.(type) {
	case *ir.Atomic:
		draw := c.only(s)
		if draw == nil || draw.Result == nil || draw.Result != x.Origin() || x != x.Origin() && x.Side != term.Handed {
			return ticket{}, false
		}
		resets, adds, ok := c.counter(draw)
		out := ticket{atom: x, draw: draw, resets: resets, presumed: adds == presumed}
		if x.Side == term.Handed {
			out.slot = c.t.Const(0)
			ok = ok && len(resets) == 0 && draw.Value.Variance() <= term.Block && draw.Value.Loops() == 0
		}
		return out, ok
	case *ir.Load:
		return c.handedTicket(x, s)
	case *ir.WarpOp:
		return c.shuffledTicket(x, s)
	}
	return ticket{}, false
}

// only is the access that a statement makes, nil if it may make another one: through a pointer to one of
// several places.
func (c *checker) only(s ir.Stmt) *access.Access {
	var found *access.Access
	for _, a := range c.s.Accesses {
		if a.Stmt != s {
			continue
		}
		if found != nil {
			return nil
		}
		found = a
	}
	return found
}

// counter reports whether an atomic draws from a counter, what is known of the sign of all that is added to it,
// and the writes that are no draws.
func (c *checker) counter(draw *access.Access) (resets []*access.Access, adds sign, ok bool) {
	op := draw.Stmt.(*ir.Atomic)
	adds = c.widens(draw)
	if op.Op != ir.AtomicAdd && op.Op != ir.AtomicSub || op.T.IsFloat() || adds == unknown {
		return nil, adds, false
	}
	for _, w := range c.s.Accesses {
		if !w.Writes() || !order.MayTouch(w, draw) {
			continue
		}
		if other, atomic := w.Stmt.(*ir.Atomic); atomic && other.Op == op.Op && w.Size == draw.Size {
			if by := c.widens(w); by != unknown {
				adds = min(adds, by)
				continue
			}
		}
		resets = append(resets, w)
	}
	return resets, adds, true
}

// widens says what is known of the sign of what an atomic adds or subtracts.
func (c *checker) widens(a *access.Access) sign {
	if a.Value == nil {
		return unknown
	}
	return c.sign(a.Value)
}

// handedTicket reports whether a load reads shared memory that holds nothing but draws of the block.
func (c *checker) handedTicket(x *term.Atom, load *ir.Load) (ticket, bool) {
	read := c.only(load)
	if read == nil || read.Base.Space != ir.Shared || read.Base.Remote != nil {
		return ticket{}, false
	}
	var from *access.Access
	open := false
	for _, w := range c.s.Accesses {
		if !w.Writes() || !order.MayTouch(w, read) {
			continue
		}
		if w.Value == nil || w.Value.IsAtom() == nil || w.Kind != race.Write || from != nil {
			return ticket{}, false
		}
		if _, direct := w.Value.IsAtom().Ref.(*ir.Atomic); !direct {
			return ticket{}, false
		}
		drawn, ok := c.ticket(w.Value.IsAtom())
		if !ok || len(drawn.resets) > 0 || !slices.Equal(drawn.draw.Loops, w.Loops) {
			return ticket{}, false // one draw may be put into several places
		}
		if c.morallyStrong(w, read, race.IntraBlock) && c.meetInBlock(w, read) || !c.putBefore(w, read) {
			return ticket{}, false // it may be read before it is there
		}
		from, open = drawn.draw, drawn.presumed
	}
	if from == nil {
		return ticket{}, false
	}
	if from.Value.Variance() > term.Block || from.Value.Loops() != 0 {
		return ticket{}, false // it may be another thread's
	}
	return ticket{atom: x, draw: from, slot: read.Off, presumed: open}, true
}

// meetInBlock reports whether two threads of a block may meet by two accesses with no barrier between.
func (c *checker) meetInBlock(a, b *access.Access) bool {
	for _, kind := range []race.Kind{race.IntraWarp, race.IntraBlock} {
		for _, m := range c.phases[kind].Meet(c.span(a), c.span(b)) {
			if !c.disjoint(a, b, kind, m) {
				return true
			}
		}
	}
	return false
}

// putBefore reports whether somebody has put a ticket into shared memory where it is read, if a barrier
// stands between: one thread of the block, or one lane of each warp, and nothing else decides that.
func (c *checker) putBefore(w, read *access.Access) bool {
	var given func(conds []*term.Cond) bool
	given = func(conds []*term.Cond) bool {
		return !slices.ContainsFunc(conds, func(when *term.Cond) bool {
			if when.Op == term.And {
				return !given(when.Args)
			}
			return !term.Implies(read.When, when) && !(when.Variance() > term.Block && c.choosesOne(when, w.Off))
		})
	}
	return w.Off.Equal(read.Off) && given(w.When)
}

// choosesOne reports whether a condition says which thread of the block, or which lane of each warp, writes to
// a place of the block's, or of the warp's.
func (c *checker) choosesOne(when *term.Cond, off *term.Poly) bool {
	if when.Op != term.EqZero {
		return false
	}
	is := func(number *term.Poly) bool {
		apart, sum := c.t.Sub(when.P, number), c.t.Add(when.P, number)
		return apart.Variance() <= term.Grid && apart.Loops() == 0 || sum.Variance() <= term.Grid && sum.Loops() == 0
	}
	if off.Variance() > term.Block {
		return is(c.s.Lane())
	}
	return is(c.s.Lane()) || slices.ContainsFunc(c.s.ThreadIdx[:], is)
}

// distinct says of the tickets of two threads of a kind that they are different draws.
func (c *checker) distinct(a, b *access.Access, kind race.Kind, one, two *term.Renaming) []*term.Cond {
	return c.drawsApart(a, b, kind, one, two, false)
}

// drawsApart is distinct, by CountsUp too if that is presumed.
func (c *checker) drawsApart(a, b *access.Access, kind race.Kind, one, two *term.Renaming, presuming bool) []*term.Cond {
	var out []*term.Cond
	for _, x := range c.ticketsOf(a) {
		for _, y := range c.ticketsOf(b) {
			if (x.presumed || y.presumed) && !presuming {
				continue
			}
			if (x.shuffled != y.shuffled || (x.slot == nil) != (y.slot == nil)) && kind != race.InterBlock || x.draw.Base != y.draw.Base || x.draw.Size != y.draw.Size || op(x) != op(y) || !c.valid(x, a, kind) || !c.valid(y, b, kind) || !c.sinceOneReset(x, y, a, b) {
				continue
			}
			draws := c.twoDraws(x, y, one, two)
			switch {
			case x.shuffled && (kind == race.IntraWarp || kind == sameBlock):
				draws = term.Disj(draws, c.oneDraw(x, y, a, b, one, two))
			case x.slot != nil && kind != race.InterBlock:
				draws = term.Disj(draws, c.oneSlot(x, y, one, two))
			}
			out = append(out, draws)
			c.s.Assumes[access.NoOverflow] = true
		}
	}
	if len(out) > 0 {
		out = slices.Concat(out, c.counted(a, one, presuming), c.counted(b, two, presuming), c.ranked(a, one), c.ranked(b, two))
	}
	return out
}

// FromZero is the assumption of apartFromZero.
const FromZero = "counters do not start below zero"

// apartFromZero tells threads apart by tickets that are not negative, as those of counters which are
// cleared before they count: with `if (slot < room) out[bucket * room + slot] = v` each bucket keeps to
// its room.
func (c *checker) apartFromZero(a, b *access.Access, kind race.Kind, m phase.Mode) bool {
	if len(c.ticketsOf(a))*len(c.ticketsOf(b)) == 0 || c.spent >= kernelBudget {
		return false
	}
	one, two := c.threads(a, b, kind, m)
	conds := c.distinct(a, b, kind, one, two)
	known := len(conds)
	counts := map[*term.Atom]bool{}
	for i, x := range []*access.Access{a, b} {
		of := [2]*term.Renaming{one, two}[i]
		for _, drawn := range c.ticketsOf(x) {
			if op(drawn) == ir.AtomicAdd && len(drawn.resets) == 0 && !drawn.presumed {
				conds = append(conds, c.t.Le(c.t.Const(0), of.Poly(c.t.Poly(drawn.atom))))
				counts[of.Poly(c.t.Poly(drawn.atom)).IsAtom()] = true
			}
		}
	}
	if known == 0 || known == len(conds) {
		return false
	}
	return c.presuming(FromZero, c.key(a, b, kind, m), pairBudget, func() []*term.Cond {
		return c.whole(append(query(c.s, a, b, kind, m, one, two), conds...), counts)
	})
}

// whole takes off the wraps of numbers that are not negative as counts are not: index arithmetic does not
// overflow by assumption.
func (c *checker) whole(conds []*term.Cond, counts map[*term.Atom]bool) []*term.Cond {
	out := slices.Clone(conds)
	for i, cond := range conds {
		cond.Walk(func(w *term.Cond) {
			for _, x := range w.P.Terms() {
				for _, wrap := range x.Mono.Atoms {
					if wrap.Kind == term.Wrap && wrap.Hi >= 1<<32-1 && sumsUp(wrap.Args[0], counts) {
						out[i] = c.t.SubstituteCond(out[i], wrap, wrap.Args[0])
						c.s.Assumes[access.NoOverflow] = true
					}
				}
			}
		})
	}
	return out
}

// sumsUp reports whether a number is a sum of counts and other numbers that are not negative.
func sumsUp(p *term.Poly, counts map[*term.Atom]bool) bool {
	for _, x := range p.Terms() {
		if x.Coef < 0 || slices.ContainsFunc(x.Mono.Atoms, func(a *term.Atom) bool { return a.Lo < 0 && !counts[a] }) {
			return false
		}
	}
	return true
}

func op(x ticket) ir.AtomicOp { return x.draw.Stmt.(*ir.Atomic).Op }

// valid reports whether a ticket that an access speaks of differs from those of other threads of a
// kind which meet it there.
func (c *checker) valid(x ticket, a *access.Access, kind race.Kind) bool {
	if kind == race.InterBlock || kind == sameCluster {
		return len(x.resets) == 0 && x.draw.Scope >= race.ScopeDevice && x.draw.Base.Space != ir.Shared
	}
	if x.slot != nil || x.shuffled {
		return len(x.resets) == 0 && (kind == race.IntraBlock || kind == race.IntraWarp || kind == sameBlock)
	}
	return len(x.resets) == 0 || x.draw.Base.Space == ir.Shared && (c.sincePhaseBegan(x, a) || c.inOnePhase(x) || kind == race.IntraWarp && c.inOnePhaseOfWarp(x))
}

// inOnePhaseOfWarp reports whether all tickets of a counter that a warp has for itself are drawn between two of its barriers, and the counter
// is not set anew there, nor by other warps.
func (c *checker) inOnePhaseOfWarp(x ticket) bool {
	yes, known := c.ofWarps[x.draw]
	if !known {
		c.ofWarps[x.draw] = false // whether two accesses meet may hang on tickets
		yes = c.setBetweenBarriers(x)
		c.ofWarps[x.draw] = yes
	}
	return yes
}

func (c *checker) setBetweenBarriers(x ticket) bool {
	if c.apartInWarp || len(c.out.Divergent) > 0 || slices.ContainsFunc(x.resets, func(w *access.Access) bool { return c.meetInBlock(w, x.draw) }) {
		return false
	}
	return !slices.ContainsFunc(c.s.Events, func(e *access.Event) bool {
		if c.part(race.IntraBlock, e.Stmt) == (phase.Part{}) && c.part(race.IntraWarp, e.Stmt) == (phase.Part{}) {
			return false
		}
		return c.graph.Reaches(x.draw.Stmt, e.Stmt, nil) && c.graph.Reaches(e.Stmt, x.draw.Stmt, nil) // the counter counts in another round
	})
}

// inOnePhase reports whether all tickets of a counter are drawn between two barriers of the block, and the
// counter is not set anew there: whatever threads do with them later, they are different.
func (c *checker) inOnePhase(x ticket) bool {
	phases := c.phases[race.IntraBlock]
	for _, w := range x.resets {
		if len(phases.Meet(c.span(w), c.span(x.draw))) > 0 {
			return false
		}
	}
	for _, e := range c.s.Events {
		if c.part(race.IntraBlock, e.Stmt) == (phase.Part{}) {
			continue
		}
		if c.graph.Reaches(x.draw.Stmt, e.Stmt, nil) && c.graph.Reaches(e.Stmt, x.draw.Stmt, nil) {
			return false // the counter counts in another round
		}
	}
	return len(c.out.Divergent) == 0
}

// counted says of the tickets of a thread that they are below what their counter holds in the end, in
// whichever terms it is spoken of. Counters are set before they count.
func (c *checker) counted(a *access.Access, of *term.Renaming, presuming bool) []*term.Cond {
	var out []*term.Cond
	var totals []*term.Atom
	note := func(x *term.Atom) {
		if access.SettledAt(x) != nil && !slices.Contains(totals, x) {
			totals = append(totals, x)
		}
	}
	tickets := c.ticketsOf(a)
	a.Off.AllLeaves(note)
	for _, when := range a.When {
		when.Walk(func(w *term.Cond) { w.P.AllLeaves(note) })
	}
	for _, x := range tickets {
		x.draw.Value.AllLeaves(note)
	}
	for _, x := range tickets {
		if x.presumed && !presuming || x.slot != nil || op(x) != ir.AtomicAdd || x.draw.Base.Space != ir.Shared || !c.setBefore(x) {
			continue
		}
		for _, total := range totals {
			if load, ok := total.Ref.(*ir.Load); ok && access.SettledAt(total).Equal(x.draw.Off) && c.reads(load, x.draw.Base) {
				t := c.t
				out = append(out, of.Cond(t.Le(t.Add(t.Poly(x.atom), x.draw.Value), t.Poly(total))))
				if counts := c.countsUp(total); counts == natural || counts == presumed && presuming {
					out = append(out, of.Cond(t.Le(t.Const(0), t.Poly(x.atom))))
				}
				c.s.Assumes[access.NoOverflow] = true
			}
		}
	}
	return out
}

// setBefore reports whether a counter is set anew only before tickets are drawn, for all threads.
func (c *checker) setBefore(x ticket) bool {
	return c.inOnePhase(x) && !slices.ContainsFunc(x.resets, func(w *access.Access) bool {
		return c.graph.Reaches(x.draw.Stmt, w.Stmt, nil) || !c.graph.Reaches(w.Stmt, x.draw.Stmt, nil)
	})
}

// sinceOneReset reports whether no thread sets a counter anew between two draws of tickets of which two
// threads of a block speak at accesses that meet.
func (c *checker) sinceOneReset(x, y ticket, a, b *access.Access) bool {
	return x.draw.Stmt == y.draw.Stmt || len(x.resets) == 0 || c.setBefore(x) && c.setBefore(y) ||
		c.sincePhaseBegan(x, a) && c.sincePhaseBegan(y, b)
}

// reads reports whether a load is one of some memory.
func (c *checker) reads(load *ir.Load, base *access.Base) bool {
	return slices.ContainsFunc(c.s.Accesses, func(a *access.Access) bool { return a.Stmt == load && a.Base == base })
}

// sincePhaseBegan reports whether a ticket is drawn in the phase of the access, and the counter is not
// set anew in it.
func (c *checker) sincePhaseBegan(x ticket, a *access.Access) bool {
	phases := c.phases[race.IntraBlock]
	for _, w := range x.resets {
		if len(phases.Meet(c.span(w), c.span(x.draw))) > 0 {
			return false
		}
	}
	again := func(s ir.Stmt) bool { return s == x.draw.Stmt }
	for _, e := range c.s.Events {
		if c.part(race.IntraBlock, e.Stmt) == (phase.Part{}) {
			continue
		}
		if c.graph.Reaches(x.draw.Stmt, e.Stmt, again) && c.graph.Reaches(e.Stmt, a.Stmt, again) {
			return false
		}
	}
	return true
}

// oneSlot says that two threads have one ticket, from one place of shared memory.
func (c *checker) oneSlot(x, y ticket, one, two *term.Renaming) *term.Cond {
	t := c.t
	return term.Conj(t.Eq(one.Poly(t.Poly(x.atom)), two.Poly(t.Poly(y.atom))), t.Eq(one.Poly(x.slot), two.Poly(y.slot)))
}

// twoDraws says that two draws from one counter have intervals that are apart.
func (c *checker) twoDraws(x, y ticket, one, two *term.Renaming) *term.Cond {
	t := c.t
	p, q := one.Poly(t.Poly(x.atom)), two.Poly(t.Poly(y.atom))
	m, n := one.Poly(x.draw.Value), two.Poly(y.draw.Value)
	elsewhere := t.Ne(one.Poly(x.draw.Off), two.Poly(y.draw.Off))
	if x.draw.Stmt.(*ir.Atomic).Op == ir.AtomicSub {
		return term.Disj(t.Le(t.Add(p, n), q), t.Le(t.Add(q, m), p), elsewhere)
	}
	return term.Disj(t.Le(t.Add(p, m), q), t.Le(t.Add(q, n), p), elsewhere)
}
