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

// This file says which numbers are not negative, as those must be that are added to a counter of tickets.
//
// DESIGN. A thread that puts the neighbours of a vertex on a list adds `degree[v]`, or `offset[v + 1] -
// offset[v]`, to the list's counter, and fills the places that it has drawn. Nothing says that the number is
// not negative but what it is: that many places. So a verdict may rest on it, and names it.

// CountsUp is the assumption.
const CountsUp = "what threads add to counters is not negative"

// sign is what is known of a number's sign, the less the lower.
type sign int

const (
	unknown  sign = iota
	presumed      // not negative by CountsUp
	natural       // not negative
)

// sign says what is known of a number's sign: what a block has counted in shared memory is not negative, and
// what memory holds, less what memory holds, is presumed not to be.
func (c *checker) sign(p *term.Poly) sign {
	if lo, _ := p.Range(); lo >= 0 {
		return natural
	}
	all, data := natural, false
	for _, x := range p.Terms() {
		if len(x.Mono.Atoms) == 0 && x.Coef < 0 {
			return unknown
		}
		of := natural
		for _, a := range x.Mono.Atoms {
			of = min(of, c.signOf(a))
		}
		switch {
		case x.Coef > 0:
			data = data || of == presumed
		case of == presumed:
			all = presumed
			continue
		default:
			return unknown
		}
		all = min(all, of)
	}
	if all == presumed && !data {
		return unknown
	}
	return all
}

func (c *checker) signOf(a *term.Atom) sign {
	switch {
	case a.Lo >= 0:
		return natural
	case a.Kind == term.Min, a.Kind == term.Select:
		return min(c.sign(a.Args[0]), c.sign(a.Args[1]))
	case a.Kind == term.Max:
		return max(c.sign(a.Args[0]), c.sign(a.Args[1]))
	case access.SettledAt(a) != nil:
		return c.countsUp(a)
	case access.IsContents(a):
		return presumed
	}
	if _, read := a.Ref.(*ir.Load); read {
		return presumed
	}
	return unknown
}

// countsUp is the sign of a value of shared memory that is made of nothing but numbers set and added.
func (c *checker) countsUp(total *term.Atom) sign {
	i := slices.IndexFunc(c.s.Accesses, func(a *access.Access) bool { return a.Stmt == total.Ref })
	if i < 0 {
		return unknown
	}
	all, set := natural, false
	for _, w := range c.s.Accesses {
		if !w.Writes() || !order.MayTouch(w, c.s.Accesses[i]) {
			continue
		}
		atomic, counts := w.Stmt.(*ir.Atomic)
		if w.Value == nil || w.Size != c.s.Accesses[i].Size || counts && atomic.Op != ir.AtomicAdd || !counts && w.Kind != race.Write {
			return unknown
		}
		of := natural
		if lo, _ := w.Value.Range(); lo < 0 {
			if of = unknown; counts && !hasSettled(w.Value) {
				of = c.sign(w.Value)
			}
		}
		all, set = min(all, of), set || !counts
	}
	if !set {
		return unknown
	}
	return all
}

func hasSettled(p *term.Poly) bool {
	found := false
	p.AllLeaves(func(a *term.Atom) { found = found || access.SettledAt(a) != nil })
	return found
}

// apartByCounts tells threads apart by tickets of counters that only count up if what is added is not negative.
func (c *checker) apartByCounts(a, b *access.Access, kind race.Kind, m phase.Mode) bool {
	open := func(x ticket) bool { return x.presumed }
	if c.spent >= kernelBudget || !slices.ContainsFunc(c.ticketsOf(a), open) && !slices.ContainsFunc(c.ticketsOf(b), open) {
		return false
	}
	return c.presuming(CountsUp, c.key(a, b, kind, m), pairBudget, func() []*term.Cond {
		one, two := c.threads(a, b, kind, m)
		more := c.drawsApart(a, b, kind, one, two, true)
		if len(more) == len(c.distinct(a, b, kind, one, two)) {
			return nil // the assumption says nothing of these
		}
		return append(query(c.s, a, b, kind, m, one, two), more...)
	})
}
