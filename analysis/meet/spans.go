package meet

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
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

// Disjoint is the assumption.
const Disjoint = "segments that are given by start and length do not overlap"

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
	p, q := x.Args[0], y.Args[0]
	return x.Name != y.Name && p.Gcd() > 0 && q.Gcd() > 0 && t.Scale(q.Gcd(), p).Equal(t.Scale(p.Gcd(), q))
}
