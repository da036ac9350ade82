package meet

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/phase"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file tells segments of an array apart by where they begin and how long they are.
//
// DESIGN. Where segments need not stand in order, as the cells of a grid or the lists of vertices, one array says where each begins and
// another how long it is: `for (k = 0; k < count[i]; k++) list[start[i] + k] = …`. Whoever made the two gave each its own room. So a
// verdict may rest on it, and names it; what threads would race with segments that overlap stays a finding, of severity information. It
// is assumed of two arrays that the kernel reads at one index; of `list[i + k]` nobody says that there is room. Nor does who asks whether
// a place is still in the array, as in `if (centre[i] + k < n) image[centre[i] + k] += …`: what has room of its own ends there.
//
// Likewise where a counter at that index says how much of a segment is filled, as in `list[start[i] + atomicAdd(&filled[i], 1)] = …`.
// Without a start nothing is assumed: `list[atomicAdd(&filled[i], 1)]` is right if the counters begin at the starts, and wrong if at zero.

// The assumptions.
const (
	Disjoint = "segments that are given by start and length do not overlap"
	WithRoom = "segments have room for what is counted into them"
)

// span names the arrays of starts and lengths.
type span struct{ start, length string }

// apartBySpans shows that threads keep apart if segments do not overlap.
func (c *checker) apartBySpans(a, b *access.Access, kind race.Kind, m phase.Mode) bool {
	spans := c.spans(a)
	if len(spans) == 0 || c.spent >= kernelBudget || !slices.ContainsFunc(c.spans(b), func(s span) bool { return slices.Contains(spans, s) }) {
		return false
	}
	key := c.key(a, b, kind, m)
	key.at = a.Off.Constant()
	conds := func() []*term.Cond {
		conds := c.question(a, b, kind, m)
		reads := contents(conds)
		for _, s := range spans {
			for i, x := range reads {
				for _, y := range reads[i+1:] {
					if m, n := c.lengthOf(x, s, reads), c.lengthOf(y, s, reads); m != nil && n != nil {
						p, q, t := c.t.Poly(x), c.t.Poly(y), c.t
						conds = append(conds, term.Disj(term.Conj(t.Eq(x.Args[0], y.Args[0]), t.Eq(p, q)), t.Le(t.Add(p, t.Poly(m)), q), t.Le(t.Add(q, t.Poly(n)), p)))
					}
				}
			}
		}
		return conds
	}
	return c.presumingOfWarps(a, b, Disjoint, key, conds)
}

// apartByRoom shows that threads keep apart if each segment has room for what its counter counts.
func (c *checker) apartByRoom(a, b *access.Access, kind race.Kind, m phase.Mode) bool {
	of, with := c.filled(a), c.filled(b)
	if len(of)*len(with) == 0 || c.spent >= kernelBudget {
		return false
	}
	one, two := c.threads(a, b, kind, m)
	draws, t := c.distinct(a, b, kind, one, two), c.t
	known := len(draws)
	for _, x := range of {
		for _, y := range with {
			if x.start.Name != y.start.Name || x.draw.Base != y.draw.Base || op(x.ticket) != op(y.ticket) {
				continue
			}
			from, most := x.interval(t, one)
			begin, end := y.interval(t, two)
			draws = append(draws, term.Disj(t.Eq(one.Poly(x.start.Args[0]), two.Poly(y.start.Args[0])), t.Le(most, begin), t.Le(end, from)))
		}
	}
	if known == 0 || known == len(draws) {
		return false
	}
	return c.presuming(WithRoom, c.key(a, b, kind, m), pairBudget, func() []*term.Cond {
		return append(query(c.s, a, b, kind, m, one, two), draws...)
	})
}

// filling is a ticket that counts from where a segment begins.
type filling struct {
	ticket
	start *term.Atom
}

// filled lists the tickets of an address that count, from where an array says, what is in a segment.
func (c *checker) filled(a *access.Access) (out []filling) {
	for _, x := range c.ticketsOf(a) {
		if x.slot != nil || x.shuffled {
			continue // of another thread, which may have counted in another segment
		}
		each := a.Off.Times(c.t.Poly(x.atom))
		for _, start := range contents([]*term.Cond{{Op: term.EqZero, P: a.Off}}) {
			if each > 0 && a.Off.Times(c.t.Poly(start)) == each && sameIndex(c.t, start.Args[0], x.draw.Off) {
				out = append(out, filling{x, start})
			}
		}
	}
	return out
}

// interval is between which elements a thread has drawn.
func (x filling) interval(t *term.Table, thread *term.Renaming) (from, end *term.Poly) {
	at, each := thread.Poly(t.Add(t.Poly(x.start), t.Poly(x.atom))), thread.Poly(x.draw.Value)
	if op(x.ticket) == ir.AtomicSub {
		return t.Sub(at, each), at
	}
	return at, t.Add(at, each)
}

// spans lists the starts and lengths of which an address and the conditions on the way to it are made.
func (c *checker) spans(a *access.Access) (out []span) {
	reads := contents([]*term.Cond{{Op: term.EqZero, P: a.Off}})
	for _, n := range countsOf(a) {
		for _, start := range reads {
			if atOneIndex(c.t, start, n.count) && countsAlong(a.Off, n.bound, a.Off.Times(c.t.Poly(start)), n.times) && !c.cutOff(a, start, n.bound) {
				out = append(out, span{start.Name, n.count.Name})
			}
		}
	}
	return out
}

// cutOff reports whether the way to an access asks how far a place of a segment is into the array.
func (c *checker) cutOff(a *access.Access, start *term.Atom, bound *term.Poly) (yes bool) {
	for _, w := range a.When {
		w.Walk(func(w *term.Cond) {
			yes = yes || w.P.Times(c.t.Poly(start)) != 0 && slices.ContainsFunc(bound.Terms(), func(x term.Term) bool {
				return len(x.Mono.Atoms) > 0 && slices.ContainsFunc(w.P.Terms(), func(y term.Term) bool { return x.Mono == y.Mono })
			})
		})
	}
	return yes
}

// countsAlong reports whether what a bound counts in some units stands in an address in others.
func countsAlong(off, bound *term.Poly, inAddress, inBound int64) bool {
	found := false
	for _, x := range bound.Terms() {
		for _, y := range off.Terms() {
			if x.Mono == y.Mono && len(x.Mono.Atoms) > 0 {
				if x.Coef*inAddress != y.Coef*inBound {
					return false
				}
				found = true
			}
		}
	}
	return found
}

// lengthOf is the length among some reads of the segment that begins where another read says.
func (c *checker) lengthOf(start *term.Atom, s span, reads []*term.Atom) *term.Atom {
	at := slices.IndexFunc(reads, func(x *term.Atom) bool { return x.Name == s.length && atOneIndex(c.t, start, x) })
	if start.Name != s.start || at < 0 {
		return nil
	}
	return reads[at]
}

// atOneIndex reports whether two arrays are read at one index, whatever the sizes of their elements.
func atOneIndex(t *term.Table, x, y *term.Atom) bool {
	return x.Name != y.Name && sameIndex(t, x.Args[0], y.Args[0])
}

func sameIndex(t *term.Table, p, q *term.Poly) bool {
	return p.Gcd() > 0 && q.Gcd() > 0 && t.Scale(q.Gcd(), p).Equal(t.Scale(p.Gcd(), q))
}
