package meet

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/order"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file says what is known of places that threads claim: `if (atomicExch(&seen[v], 1) == 0) level[v] = n;`
// is done by one thread for each v, the one that has found the place free. It holds as long as nobody makes a
// place free again that was taken, so a lock is no claim.

// claim is an atomic that found its place free on the way to an access.
type claim struct {
	taken  *access.Access
	free   int64            // what a free place holds, 0 for a bit
	bit    *term.Poly       // the bits that are claimed, nil for the whole place
	resets []*access.Access // the writes that make places free
	open   bool             // what is put there may be what a free place holds, for all that is known
	handed bool             // another thread of the block has found it free, and handed that on
}

// claimsOf lists the claims among the conditions of an access.
func (c *checker) claimsOf(a *access.Access) []claim {
	if list, ok := c.claims[a]; ok {
		return list
	}
	var list []claim
	var note func(conds []*term.Cond)
	note = func(conds []*term.Cond) {
		for _, when := range conds {
			switch {
			case when.Op == term.And:
				note(when.Args)
			case when.Op == term.EqZero:
				if found, ok := c.claim(when.P); ok {
					list = append(list, found)
				}
			}
		}
	}
	note(a.When)
	c.claims[a] = list
	return list
}

// claim reads the equation p = 0 as one of an atomic's result and what a free place holds.
func (c *checker) claim(p *term.Poly) (found claim, ok bool) {
	terms := p.Terms()
	for _, x := range terms {
		if len(x.Mono.Atoms) != 1 || x.Coef != 1 && x.Coef != -1 {
			continue
		}
		result := x.Mono.Atoms[0]
		if result.Kind == term.Func && result.Name == "and" && len(terms) == 1 {
			return c.claimOfBits(result)
		}
		s, atomic := result.Ref.(*ir.Atomic)
		if !atomic {
			continue
		}
		rest := c.t.Scale(-x.Coef, c.t.Sub(p, c.t.Scale(x.Coef, c.t.Poly(result))))
		free, known := rest.IsConst()
		taken := c.only(s)
		if !known || taken == nil || taken.Result == nil || taken.Result != result.Origin() || taken.Value == nil {
			continue
		}
		found = claim{taken: taken, free: free, handed: result.Side == term.Handed}
		if result != taken.Result && !(found.handed && taken.Off.Variance() <= term.Block && taken.Off.Loops() == 0) {
			continue
		}
		if s.Op == ir.AtomicExch || s.Op == ir.AtomicCAS && isConst(taken.Compare, free) {
			return found, c.keepsTaken(&found)
		}
	}
	return claim{}, false
}

// claimOfBits reads `atomicOr(&word, bits) & bits` that is 0.
func (c *checker) claimOfBits(and *term.Atom) (claim, bool) {
	for i, p := range and.Args {
		result := p.IsAtom()
		if result == nil {
			continue
		}
		if s, ok := result.Ref.(*ir.Atomic); ok && s.Op == ir.AtomicOr {
			taken := c.only(s)
			if taken != nil && taken.Result == result && taken.Value != nil && taken.Value.Equal(and.Args[1-i]) {
				found := claim{taken: taken, bit: taken.Value}
				return found, c.keepsTaken(&found)
			}
		}
	}
	return claim{}, false
}

func isConst(p *term.Poly, n int64) bool {
	if p == nil {
		return false
	}
	k, ok := p.IsConst()
	return ok && k == n
}

// Taken is the assumption that what is put into a claimed place differs from what a free one holds, where the
// kernel leaves it open, as of the level of a vertex.
const Taken = "what threads put into a place that they claim is not what a free one holds"

// keepsTaken reports whether no write makes a place free again that was taken, but for resets, which are noted.
func (c *checker) keepsTaken(x *claim) bool {
	for _, w := range c.s.Accesses {
		if w.Base.Remote != nil && w.Base.Object == x.taken.Base.Object {
			return false
		}
		if !w.Writes() || order.Reads(w) || !order.MayTouch(w, x.taken) {
			continue
		}
		at, atomic := w.Stmt.(*ir.Atomic)
		if !atomic {
			x.resets = append(x.resets, w)
			continue
		}
		if w.Size != x.taken.Size || w.Value == nil || w.Type().Cut(x.free) != x.free {
			return false
		}
		switch {
		case x.bit != nil && at.Op == ir.AtomicOr:
		case x.bit == nil && (at.Op == ir.AtomicExch || at.Op == ir.AtomicCAS):
			if isConst(w.Value, x.free) {
				return false
			}
			if lo, hi := w.Value.Range(); lo <= x.free && x.free <= hi {
				if at.Op == ir.AtomicExch || w.Compare == nil {
					return false
				}
				x.open = true
			}
		default:
			return false
		}
	}
	return true
}

// holds reports whether two threads of a kind never both find a place free.
func (c *checker) holds(x claim, kind race.Kind) bool {
	if kind == race.InterBlock || kind == sameCluster {
		return len(x.resets) == 0 && x.taken.Scope >= race.ScopeDevice && x.taken.Base.Space != ir.Shared
	}
	return len(x.resets) == 0 || x.taken.Base.Space == ir.Shared && c.inOnePhase(ticket{draw: x.taken, resets: x.resets})
}

// claimed says of two threads of a kind that they have not claimed the same place.
func (c *checker) claimed(a, b *access.Access, kind race.Kind, one, two *term.Renaming) (out []*term.Cond) {
	for _, x := range c.claimsOf(a) {
		for _, y := range c.claimsOf(b) {
			if x.taken.Base != y.taken.Base || x.taken.Size != y.taken.Size || x.free != y.free || (x.bit == nil) != (y.bit == nil) ||
				!c.holds(x, kind) || !c.holds(y, kind) || (x.handed || y.handed) && kind != race.InterBlock {
				continue
			}
			elsewhere := c.t.Ne(one.Poly(x.taken.Off), two.Poly(y.taken.Off))
			if x.bit != nil {
				elsewhere = term.Disj(elsewhere, c.t.Ne(one.Poly(x.bit), two.Poly(y.bit)), c.t.Eq(one.Poly(x.bit), c.t.Const(0)))
			}
			out = append(out, elsewhere)
			if x.open || y.open {
				c.s.Assumes[Taken] = true
			}
		}
	}
	return slices.Clip(out)
}
