package meet

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file says what is known of tickets that one lane draws for its warp.
//
// DESIGN. To keep atomics few, one lane of those that want a place adds their number to the counter, and
// hands what it has drawn to the others by a shuffle; each takes the place behind it that its rank says, the
// number of lanes before it among them. Two lanes of one exchange have one ticket, and different ranks below
// the number of lanes that it was drawn for; lanes of two exchanges have different tickets. A lane may draw a
// fixed number for its warp as well.

// shuffledTicket reports whether a shuffle hands on what its source lane has drawn for all lanes of a mask.
func (c *checker) shuffledTicket(x *term.Atom, s *ir.WarpOp) (ticket, bool) {
	e := c.s.Exchanges[s]
	if e == nil || e.Brings == nil || !c.oneSource(e) {
		return ticket{}, false
	}
	atom, some := c.ofSource(e)
	if atom == nil || !c.sourceComes(e) {
		return ticket{}, false
	}
	if _, direct := atom.Ref.(*ir.Atomic); !direct {
		return ticket{}, false
	}
	drawn, ok := c.ticket(atom)
	if !ok || !c.drawnAtSource(drawn.draw, e, some) || drawn.draw.Off.Variance() > term.Block || drawn.draw.Off.Loops() != 0 {
		return ticket{}, false
	}
	mask := maskOf(drawn.draw.Value)
	if mask == nil && !(drawn.draw.Value.Variance() <= term.Block && drawn.draw.Value.Loops() == 0) || mask != nil && !c.oneMask(mask, e) {
		return ticket{}, false
	}
	if some != nil && some != mask {
		return ticket{}, false
	}
	return ticket{atom: x, draw: drawn.draw, shuffled: true, resets: drawn.resets, presumed: drawn.presumed, lanes: mask, named: some != nil}, true
}

// oneSource reports whether all lanes of a shuffle take the value of one lane: what a lane brings only if it
// is the source as it sees it may else be taken from a lane that sees another.
func (c *checker) oneSource(e *access.Exchange) bool {
	return e.From != nil && c.alikeIn(e, e.From)
}

// sourceComes reports whether the source lane of a shuffle takes part wherever another lane does: one that has returned brings nothing. A
// lane that a mask names has voted.
func (c *checker) sourceComes(e *access.Exchange) bool {
	if mentionsMask(e.From) {
		return true
	}
	t := c.t
	source, other, given := c.inOneWarp()
	given = append(given, t.Eq(source.Poly(c.s.Lane()), other.Poly(e.From)))
	for _, when := range e.When {
		given = append(given, other.Cond(when))
	}
	return !slices.ContainsFunc(e.When, func(when *term.Cond) bool {
		if when.Variance() <= term.Block {
			return false
		}
		differ := append(slices.Clone(given), t.Not(source.Cond(when)))
		c.solver.Budget = pairBudget
		return !c.solver.Unsat(differ...) && !c.noneInWholeWarps(differ)
	})
}

// inOneWarp renames two threads of a warp that are in the same rounds of their loops.
func (c *checker) inOneWarp() (one, two *term.Renaming, given []*term.Cond) {
	share := func(a *term.Atom) bool {
		return a.Variance <= term.Block || isVote(a) || a.Kind == term.Iter || c.alikeAtHead(a) || c.readAlike(a)
	}
	one, two = c.t.Rename(1, share, nil), c.t.Rename(2, share, nil)
	warp := c.s.ThreadGroup(race.WarpSize)
	return one, two, []*term.Cond{c.t.Eq(one.Poly(warp), two.Poly(warp))}
}

// readAlike reports whether a number is one that all lanes of a warp read at one place, where nobody writes.
func (c *checker) readAlike(a *term.Atom) bool {
	if !access.IsContents(a) || len(a.Args) != 1 {
		return false
	}
	one, two, differ := c.inOneWarp()
	differ = append(differ, c.t.Ne(one.Poly(a.Args[0]), two.Poly(a.Args[0])))
	c.solver.Budget = pairBudget
	return c.solver.Unsat(differ...) || c.noneInWholeWarps(differ)
}

// alikeAtHead reports whether a number is one that a loop carries on, and that all lanes of a warp hold where a round begins.
func (c *checker) alikeAtHead(a *term.Atom) bool {
	l := c.carrier(a)
	return l != nil && c.lanesAgree().heads[head{l.Stmt, a.Ref.(*ir.Reg)}] == allLanes
}

// alikeIn reports whether a number is the same for all lanes of a shuffle: made of masks that they share, and
// of what does not vary.
func (c *checker) alikeIn(e *access.Exchange, p *term.Poly) bool {
	for _, t := range p.Terms() {
		for _, x := range t.Mono.Atoms {
			made := len(x.Args) > 0 && x.If == nil && !slices.ContainsFunc(x.Args, func(p *term.Poly) bool { return !c.alikeIn(e, p) })
			ofWarp := x.Variance <= term.Block && x.Loops == 0 || x == c.s.ThreadGroup(race.WarpSize).IsAtom()
			if !made && !ofWarp && !(isMask(x) && c.oneMask(x, e)) {
				return false
			}
		}
	}
	return true
}

// drawnAtSource reports whether the source lane of a shuffle is among those that draw: nothing but being
// that lane decides which lanes do, and that there is one in a mask.
func (c *checker) drawnAtSource(draw *access.Access, e *access.Exchange, some *term.Atom) bool {
	for _, when := range draw.When {
		if term.Implies(e.When, when) || c.isSource(when, e.From) {
			continue
		}
		if mask, ok := c.isSourceOfSome(when, e); !ok || mask != some {
			return false
		}
	}
	return true
}

// isSource reports whether a condition holds of the source lane of a shuffle only.
func (c *checker) isSource(when *term.Cond, from *term.Poly) bool {
	if when.Op != term.EqZero {
		return false
	}
	t := c.t
	lane := t.Sub(c.s.Lane(), from)
	if when.P.Equal(lane) || when.P.Equal(t.Scale(-1, lane)) {
		return true
	}
	// The lowest lane of a mask has no lane before it.
	mask, first := c.rankMask(when.P.IsAtom()), from.IsAtom()
	return mask != nil && first != nil && first.Name == "__fns" && first.Args[0].IsAtom() == mask && first.Args[1].Equal(t.Const(0)) && first.Args[2].Equal(t.Const(1))
}

// isSourceOfSome reports whether a condition holds of the source lane of a shuffle only, if a mask names any lane, and
// of no lane otherwise: `if (m && lane == 0)`, or `if (m && lane == __ffs(m) - 1)`. Then a number of five bits of that lane is
// the lane itself.
func (c *checker) isSourceOfSome(when *term.Cond, e *access.Exchange) (mask *term.Atom, ok bool) {
	if when.Op != term.And {
		return nil, false
	}
	from := e.From
	if a := from.IsAtom(); a != nil && a.Kind == term.Func && a.Name == ir.And.String() {
		for i, p := range a.Args {
			if low, isConst := p.IsConst(); isConst && low == 31 {
				from = a.Args[1-i]
				break
			}
		}
	} else if a != nil && a.Kind == term.Rem && a.Args[1].Equal(c.t.Const(32)) {
		from = a.Args[0]
	}
	for _, part := range when.Args {
		switch {
		case c.isSource(part, from):
			ok = true
		case part.Op == term.NeZero && mask == nil && part.P.IsAtom() != nil && isMask(part.P.IsAtom()):
			mask = part.P.IsAtom()
		default:
			return nil, false
		}
	}
	return mask, ok && mask != nil && (from == e.From || c.firstOf(from) == mask)
}

// firstOf is the mask whose first lane a number is: `__ffs(mask) - 1`. It is nil for other numbers.
func (c *checker) firstOf(p *term.Poly) *term.Atom {
	a := c.t.Offset(p, 1).IsAtom()
	if a == nil || a.Kind != term.Func || a.Name != "__ffs" {
		return nil
	}
	return a.Args[0].IsAtom()
}

// ofSource is the value that the source lane of a shuffle brings, as far as it is one number: what a lane
// brings only if it is that lane. It brings that only if some mask names a lane, unless that is nil.
func (c *checker) ofSource(e *access.Exchange) (value, some *term.Atom) {
	a := e.Brings.IsAtom()
	if a == nil || a.Kind != term.Select {
		return a, nil
	}
	if c.isSource(a.If, e.From) {
		return a.Args[0].IsAtom(), nil
	}
	if mask, ok := c.isSourceOfSome(a.If, e); ok {
		return a.Args[0].IsAtom(), mask
	}
	return nil, nil
}

// maskOf is the mask whose lanes a number counts, nil for other numbers.
func maskOf(p *term.Poly) *term.Atom {
	if p == nil {
		return nil
	}
	a := p.IsAtom()
	if a == nil || a.Kind != term.Func || a.Name != "__popc" {
		return nil
	}
	if mask := a.Args[0].IsAtom(); mask != nil && isMask(mask) {
		return mask
	}
	return nil
}

// isMask reports whether a value is a mask of lanes.
func isMask(x *term.Atom) bool {
	s, ok := x.Ref.(*ir.WarpOp)
	return ok && (s.Op == "ballot" || s.Op == "activemask")
}

// oneMask reports whether all lanes of a shuffle have the same mask: because the shuffle is one of the
// lanes that it names, or because the vote and the shuffle are of the whole warp. Then no lane votes again before all
// lanes have come to the shuffle, so the last vote of each was the same one.
func (c *checker) oneMask(mask *term.Atom, shuffle *access.Exchange) bool {
	if shuffle.Mask.IsAtom() == mask {
		return true
	}
	vote := c.s.Exchanges[mask.Ref.(*ir.WarpOp)]
	return vote != nil && isWhole(vote.Mask) && isWhole(shuffle.Mask) && mask == mask.Origin()
}

func isWhole(mask *term.Poly) bool {
	c, ok := mask.IsConst()
	return ok && uint32(c) == 0xffffffff
}

// rankMask is the mask in which a number is the rank of the thread's lane, nil for other numbers.
func (c *checker) rankMask(a *term.Atom) *term.Atom {
	if mask, which := c.counts(a); which == lanesBelow {
		return mask
	}
	return nil
}

// rank is a number that differs from lane to lane of a mask, and the least that it may be: how many of its lanes are on
// one side of the thread's own.
type rank struct {
	of    *term.Atom
	least int64
}

// ranksIn lists the thread's ranks among the terms of an access's address in a mask that names the thread itself.
func (c *checker) ranksIn(a *access.Access, mask *term.Atom) (out []rank) {
	if !c.named(a, mask) {
		return nil
	}
	a.Off.AllLeaves(func(x *term.Atom) {
		switch in, which := c.counts(x); {
		case in != mask || which == otherLanes:
		case which == lanesUpTo || which == lanesFrom:
			out = append(out, rank{x, 1})
		default:
			out = append(out, rank{x, 0})
		}
	})
	return out
}

// named reports whether a mask names the thread that makes an access: it has voted for itself.
func (c *checker) named(a *access.Access, mask *term.Atom) bool {
	s := mask.Ref.(*ir.WarpOp)
	if s.Op == "activemask" {
		return true
	}
	vote := c.s.Exchanges[s]
	return vote != nil && vote.Vote != nil && term.Implies(a.When, vote.Vote)
}

// ranked says of the ranks of a thread that they are below the number of lanes of their mask.
func (c *checker) ranked(a *access.Access, of *term.Renaming) []*term.Cond {
	var out []*term.Cond
	for _, x := range c.ticketsOf(a) {
		if x.lanes == nil {
			continue
		}
		for _, r := range c.ranksIn(a, x.lanes) {
			rank := c.t.Poly(r.of)
			out = append(out, of.Cond(c.t.Le(c.t.Const(r.least), rank)), of.Cond(c.t.Lt(c.t.Offset(rank, -r.least), x.draw.Value)))
		}
	}
	return out
}

// oneDraw says that two lanes have one ticket: then their ranks differ.
func (c *checker) oneDraw(x, y ticket, a, b *access.Access, one, two *term.Renaming) *term.Cond {
	t := c.t
	conds := []*term.Cond{t.Eq(one.Poly(t.Poly(x.atom)), two.Poly(t.Poly(y.atom)))}
	if x.lanes != nil && y.lanes != nil && x.atom.Ref == y.atom.Ref && x.lanes.Ref == y.lanes.Ref {
		for _, p := range c.ranksIn(a, x.lanes) {
			for _, q := range c.ranksIn(b, y.lanes) {
				if p.of == q.of {
					conds = append(conds, t.Ne(one.Poly(t.Poly(p.of)), two.Poly(t.Poly(q.of))))
				}
			}
		}
	}
	return term.Conj(conds...)
}
