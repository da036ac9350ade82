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

// This file says how long asynchronous copies are under way. A copy belongs to no order but that
// of its end (PTX ISA, "Completion mechanisms for asynchronous copy operations"): its thread
// closes a group of copies by a commit and waits until only so many groups are pending, or the
// copy ends with the phase of an mbarrier at which its thread arrives.

// mostGroups bounds the groups of copies that are told apart.
const mostGroups = 16

// span is where an access may take place.
func (c *checker) span(a *access.Access) *phase.Span {
	if a.Copy == nil {
		return c.graph.At(a.Stmt)
	}
	begin := phase.Progress{Commits: -1}
	if a.Copy.Closed {
		begin = phase.Progress{Waits: c.pending()[a.Stmt] + 1}
	}
	bit := uint64(0)
	if a.Copy.Barrier != nil {
		key := keyOf(*a.Copy.Barrier)
		if n, ok := c.halves.number[key]; ok && (!a.Copy.Bulk || c.halves.counts[key]) {
			bit = 1 << n
		}
	}
	if a.Copy.Barrier != nil && bit == 0 {
		return c.graph.Endless(a.Stmt)
	}
	if a.Copy.Bulk { // the phase that is under way does not end without its bytes
		begin.Arrived, begin.Reading = bit, a.Kind == race.Read
	}
	return c.graph.Until(a.Stmt, begin, func(p phase.Progress, s ir.Stmt) (phase.Progress, bool) {
		if a.Copy.Barrier != nil {
			return c.towardsBarrier(p, s, bit)
		}
		if a.Copy.Bulk {
			return c.towardsBulkWait(p, s)
		}
		return c.towardsWait(p, s)
	})
}

// towardsBarrier is the progress of a copy that ends with the phase of an mbarrier.
func (c *checker) towardsBarrier(p phase.Progress, s ir.Stmt, bit uint64) (phase.Progress, bool) {
	part, ok := c.halves.part[s]
	if !ok || bit != 1<<part.Barrier {
		return p, false
	}
	if part.Arrive {
		p.Arrived |= bit
	}
	return p, part.Wait && p.Arrived&bit != 0
}

// towardsWait is the progress of a copy that ends with its group.
func (c *checker) towardsWait(p phase.Progress, s ir.Stmt) (phase.Progress, bool) {
	n, ok := s.(*ir.Named)
	if !ok {
		return p, false
	}
	if closes(n) {
		if p.Commits++; p.Commits == 0 {
			p.Waits = c.pending()[s] + 1
		}
		p.Commits = min(p.Commits, mostGroups)
		return p, false
	}
	pending, kind := c.waitsFor(n)
	switch kind {
	case everyCopy:
		return p, true
	case someGroups:
		return p, p.Commits >= 0 && int64(p.Commits) >= pending
	case oldestGroup:
		if p.Commits >= 0 {
			p.Waits--
		}
		return p, p.Commits >= 0 && p.Waits <= 0
	}
	return p, false
}

// towardsBulkWait is the progress of a bulk copy that ends with its group.
func (c *checker) towardsBulkWait(p phase.Progress, s ir.Stmt) (phase.Progress, bool) {
	n, ok := s.(*ir.Named)
	switch {
	case !ok:
	case n.Op == "bulk.commit":
		p.Commits = min(p.Commits+1, mostGroups)
	case n.Op == "bulk.wait" || n.Op == "bulk.wait.read" && p.Reading:
		if e := c.events[n]; e != nil && e.Args[0].P != nil && p.Commits >= 0 {
			pending, known := e.Args[0].P.IsConst()
			return p, known && int64(p.Commits) >= pending
		}
	}
	return p, false
}

// closes reports whether a statement closes a group of its thread's copies.
func closes(n *ir.Named) bool {
	switch n.Op {
	case "cp.async.commit", "pipeline.commit":
		return true
	case "group.copy":
		return len(n.Args) == 5
	}
	return false
}

// waiting is which copies a statement waits for.
type waiting uint8

const (
	noCopy      waiting = iota
	everyCopy           // closed or not
	someGroups          // all but so many that were closed last
	oldestGroup         // the one that was closed first of those pending
)

func (c *checker) waitsFor(n *ir.Named) (pending int64, kind waiting) {
	switch n.Op {
	case "cp.async.wait", "group.wait", "pipeline.wait":
	default:
		return 0, noCopy
	}
	for i, arg := range n.Args {
		if !arg.Type().IsInt() {
			continue
		}
		if e := c.events[n]; e != nil && e.Args[i].P != nil {
			if v, ok := e.Args[i].P.IsConst(); ok {
				return v, someGroups
			}
		}
		return 0, noCopy // until some number of groups is pending that is not known
	}
	if n.Op == "pipeline.wait" {
		return 0, oldestGroup
	}
	return 0, everyCopy
}

// pending gives for each statement the most groups that its thread may have closed and not waited
// for.
func (c *checker) pending() map[ir.Stmt]int {
	if c.groups == nil {
		c.groups = c.graph.Most(1<<10, func(n int, s ir.Stmt) int {
			named, ok := s.(*ir.Named)
			if !ok {
				return n
			}
			if closes(named) {
				return n + 1
			}
			switch left, kind := c.waitsFor(named); kind {
			case everyCopy:
				return 0
			case someGroups:
				return int(min(int64(n), left))
			case oldestGroup:
				return max(n-1, 0)
			}
			return n
		})
	}
	return c.groups
}

// sameThread asks whether a thread meets its own copy.
const sameThread race.Kind = "same thread"

// ownCopies looks at whether a thread itself comes to one of two accesses while the other is a copy
// of it that is under way.
func (c *checker) ownCopies(a, b *access.Access) {
	if c.ownCopy(a, b) {
		c.out.Candidates = append(c.out.Candidates, Candidate{A: a, B: b, Kind: race.IntraWarp, Miss: unwaited})
	}
}

// unwaited is what a thread lacks that meets its own copy.
func unwaited() order.Miss { return order.Miss{What: order.Wait} }

// missOfCopy is what two accesses lack of which one is a copy: a wait, if its thread comes to the
// other with the copy under way, or if a copy that were over where it stands would not meet it.
func (c *checker) missOfCopy(a, b *access.Access, kind race.Kind) order.Miss {
	if a.Copy != nil && c.comesTo(a, b, kind) || b.Copy != nil && c.comesTo(b, a, kind) {
		return unwaited()
	}
	for _, m := range c.phases[kind].Meet(c.graph.At(a.Stmt), c.graph.At(b.Stmt)) {
		if !c.disjoint(a, b, kind, m) {
			return order.Miss{}
		}
	}
	return unwaited()
}

// comesTo reports whether the thread of a copy comes to the other access with the copy under way, at a place that this may touch.
func (c *checker) comesTo(copied, other *access.Access, kind race.Kind) bool {
	return slices.ContainsFunc(c.span(copied).Later(c.graph, other.Stmt), func(m phase.Mode) bool {
		return !c.disjoint(copied, other, kind, m) && !c.orderedByRings(copied, other, kind, m)
	})
}

func (c *checker) ownCopy(a, b *access.Access) bool {
	if a == b && len(a.Loops) == 0 {
		return false // made once
	}
	return a.Copy != nil && c.comesTo(a, b, sameThread) || b.Copy != nil && a != b && c.comesTo(b, a, sameThread)
}

// sharesCopy reports whether two accesses are those of one copy that the threads of a group make together: each piece
// belongs to one of them.
func sharesCopy(a, b *access.Access) bool { return a.Stmt == b.Stmt && a.Copy != nil && !a.Copy.Alone }

// otherPiece says of two threads of a block that do not make one piece of a copy, at one time.
func otherPiece(s *access.Summary, a *access.Access, one, two *term.Renaming) *term.Cond {
	apart := []*term.Cond{term.Conj(otherGroup(s, a.Copy, one, two)...)}
	for _, l := range a.Loops {
		i := s.T.Poly(l.Iter)
		apart = append(apart, s.T.Ne(one.Poly(i), two.Poly(i)))
	}
	return term.Disj(apart...)
}

// otherGroup says of two threads of a block that different groups of them make a copy.
func otherGroup(s *access.Summary, c *access.Copy, one, two *term.Renaming) []*term.Cond {
	if c.Group == ir.BlockLevel {
		return []*term.Cond{term.Never()}
	}
	if c.Group != ir.WarpLevel || c.Tile <= 0 {
		return nil
	}
	tile := s.ThreadGroup(c.Tile)
	return []*term.Cond{s.T.Ne(one.Poly(tile), two.Poly(tile))}
}
