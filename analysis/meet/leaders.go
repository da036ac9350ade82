package meet

import (
	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/phase"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file knows leaders: of the lanes of a warp that bring one value to a match, as
//
//	peers = __match_any_sync(~0u, bin);
//	if (lane == __ffs(peers) - 1) count[bin] = __popc(peers);
//
// only the lowest goes on. Two leaders of a warp have brought different values.

// led says that two threads differ in warp or value, where each goes on only as the leader of its peers in one match of the
// whole warp.
func (c *checker) led(a, b *access.Access, kind race.Kind, m phase.Mode, one, two *term.Renaming) []*term.Cond {
	if kind == race.InterBlock || kind == sameCluster || kind == sameThread {
		return nil
	}
	peers := c.leads(a)
	if peers == nil {
		return nil
	}
	others := c.leads(b)
	if others == nil || others.Ref != peers.Ref || !c.inOneRound(peers.Loops|others.Loops, m) {
		return nil
	}
	match := c.s.Exchanges[peers.Ref.(*ir.WarpOp)]
	if match == nil || match.Brings == nil || !isWhole(match.Mask) {
		return nil
	}
	warp := c.s.ThreadGroup(race.WarpSize)
	return []*term.Cond{term.Disj(c.t.Ne(one.Poly(warp), two.Poly(warp)), c.t.Ne(one.Poly(match.Brings), two.Poly(match.Brings)))}
}

// inOneRound reports whether two threads are in the same round of all of some loops.
func (c *checker) inOneRound(loops uint64, m phase.Mode) bool {
	for _, r := range m.Loops {
		if l := c.s.Loops[r.Loop]; l != nil && r.Tied && r.Delta == 0 && !r.More {
			loops &^= l.Bit
		}
	}
	return loops == 0
}

// leads returns the mask of peers of which a thread that makes an access is the lowest, nil if none is known.
func (c *checker) leads(a *access.Access) *term.Atom {
	for _, when := range term.Conjuncts(a.When) {
		if when.Op != term.EqZero {
			continue
		}
		if rank := when.P.IsAtom(); rank != nil { // no lower one is there
			if peers := c.rankMask(rank); isMatch(peers) {
				return peers
			}
			if peers := c.belowIn(rank); isMatch(peers) {
				return peers
			}
		}
		for _, x := range when.P.Terms() { // it is the first one
			if len(x.Mono.Atoms) != 1 || x.Coef != 1 && x.Coef != -1 {
				continue
			}
			first := x.Mono.Atoms[0]
			if first.Kind != term.Func || first.Name != "__ffs" || !isMatch(first.Args[0].IsAtom()) {
				continue
			}
			if lane := c.t.Sub(c.t.Poly(first), c.t.Scale(x.Coef, when.P)); lane.Equal(c.t.Offset(c.s.Lane(), 1)) {
				return first.Args[0].IsAtom()
			}
		}
	}
	return nil
}

func isMatch(x *term.Atom) bool {
	if x == nil {
		return false
	}
	s, ok := x.Ref.(*ir.WarpOp)
	return ok && s.Op == "match_any"
}
