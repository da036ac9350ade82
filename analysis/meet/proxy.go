package meet

import (
	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/order"
	"github.com/warplint/warplint/analysis/phase"
	"github.com/warplint/warplint/analysis/race"
)

// This file looks at bulk copies of what threads have written. They read by another proxy than plain accesses, so that
// no barrier alone makes the writes visible to them: a proxy fence has to stand on the way (PTX ISA, "Proxies" and
// "Causality order").

func (c *checker) proxies() {
	for _, read := range c.s.Accesses {
		if read.Copy == nil || !read.Copy.Bulk || read.Kind != race.Read || read.Base.Space != ir.Shared {
			continue
		}
		for _, write := range c.s.Accesses {
			if write.Copy != nil || !write.Writes() || !c.mayAlias(write, read) || !c.unfencedProxy(write, read) {
				continue
			}
			if c.mayBeSynchronized(write, read) || !c.lastsUntil(write, read) {
				c.out.Reasons = append(c.out.Reasons, access.Reason{Text: "no fence.proxy.async between plain writes and this bulk copy of them", Site: read.Site})
				break
			}
			for _, kind := range [...]race.Kind{race.IntraWarp, race.IntraBlock} {
				if !c.disjoint(write, read, kind, phase.Mode{}) || kind == race.IntraWarp && !c.disjoint(write, read, sameThread, phase.Mode{}) {
					c.out.Candidates = append(c.out.Candidates, Candidate{A: write, B: read, Kind: kind, Miss: noProxyFence, Unfenced: true})
				}
			}
		}
	}
}

func noProxyFence() order.Miss { return order.Miss{What: order.ProxyFence} }

// lastsUntil reports whether what a thread writes is there until a bulk copy of it that no proxy fence precedes: no other copy writes
// there, or not on each way. Such a copy ends with a proxy fence.
func (c *checker) lastsUntil(write, read *access.Access) bool {
	over := map[ir.Stmt]bool{}
	for _, a := range c.s.Accesses {
		if a.Copy != nil && a.Writes() && c.mayAlias(a, read) {
			over[a.Stmt] = true
		}
	}
	return len(over) == 0 || c.graph.Reaches(write.Stmt, read.Stmt, func(s ir.Stmt) bool { return over[s] || isProxyFence(s) })
}

func isProxyFence(s ir.Stmt) bool {
	n, ok := s.(*ir.Named)
	return ok && n.Op == "proxy.fence"
}

// unfencedProxy reports whether a way leads from a write to a bulk copy of the same memory with no proxy fence on it:
// through the code, or from one thread that writes and lets others go on to one that has waited and copies.
func (c *checker) unfencedProxy(write, read *access.Access) bool {
	if c.disjoint(write, read, sameThread, phase.Mode{}) && c.disjoint(write, read, sameBlock, phase.Mode{}) {
		return false
	}
	if c.graph.Reaches(write.Stmt, read.Stmt, nil) {
		return c.graph.Reaches(write.Stmt, read.Stmt, isProxyFence)
	}
	published, taken := false, false
	for _, e := range c.s.Events {
		published = published || lets(e.Stmt) && c.graph.Reaches(write.Stmt, e.Stmt, isProxyFence)
		taken = taken || isWait(e.Stmt) && c.graph.Reaches(e.Stmt, read.Stmt, isProxyFence)
	}
	return published && taken
}

// lets reports whether a statement lets others go on that wait for the thread.
func lets(s ir.Stmt) bool {
	switch s := s.(type) {
	case *ir.Barrier:
		return s.Mode != ir.BarrierWait
	case *ir.Named:
		return s.Op == "mbarrier.arrive" || s.Op == "mbarrier.arrive_drop"
	}
	return false
}
