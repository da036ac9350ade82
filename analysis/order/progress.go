package order

import (
	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
)

// This file knows flags that tell how far a block has come: in each round of a loop it does a piece of work, and then
// writes the number of the round. Who has to have a piece waits until the number is that of its round, or a greater one,
// as the blocks of a wave front do.

// byRounds reports whether a, which a block makes in each round, comes before the write that ends the wait before b, since that
// write is of the round in which a is made, or of a later one.
func (y *Sync) byRounds(a, write *access.Access, w told, b *access.Access) bool {
	if !inOneLoop(a, write) || !y.precedesInRound(a, write) {
		return false
	}
	conds, one, two, three := y.ofBlocks(a, write, w, b)
	return y.noEarlierRound(&setting{one, two, three, conds}, write, w.wait)
}

// publishesByRounds reports whether that is so where one thread makes a and the write, with a fence between.
func (y *Sync) publishesByRounds(a, write *access.Access, w wait, b *access.Access, kind race.Kind, scope race.Scope) bool {
	if !inOneLoop(a, write) || !y.standsBeforeInRound(a, write) || !y.releases(a, write, scope) || !y.sameThread(a, write) && !y.addressed(a, write, w, b, kind) {
		return false
	}
	s := y.settingFor(a, write, w, w.on.Off, b, kind)
	return s != nil && y.noEarlierRound(s, write, w)
}

func inOneLoop(a, write *access.Access) bool {
	return len(write.Loops) == 1 && len(a.Loops) > 0 && a.Loops[0] == write.Loops[0]
}

// noEarlierRound reports whether a write that ends a wait is never of an earlier round than the access before it.
func (y *Sync) noEarlierRound(s *setting, write *access.Access, w wait) bool {
	read, round := s.two.Atom(w.atom).IsAtom(), y.t.Poly(write.Loops[0].Iter)
	if read == nil || write.Value == nil || write.Size != w.on.Size {
		return false
	}
	conds := append(s.conds, y.t.Lt(s.three.Poly(round), s.one.Poly(round)))
	seen := s.two.Cond(w.when)
	switch at, atomic := write.Stmt.(*ir.Atomic); {
	case !atomic || at.Op == ir.AtomicExch:
		number := y.s.Finds(w.on, write)
		if number == nil {
			return false
		}
		seen = y.t.SubstituteCond(seen, read, s.three.Poly(number))
	case at.Op == ir.AtomicAdd && y.addsUpRounds(write, w.on):
		each, _ := write.Value.IsConst()
		conds = append(conds, y.t.Le(y.t.Poly(read), y.t.Scale(each, y.t.Offset(s.three.Poly(round), 1))))
	default:
		return false
	}
	return y.impossible(append(conds, seen)...)
}

// addsUpRounds reports whether a place that is read begins at zero, and one thread at most adds the same to it in each
// round, and nobody else writes there: then it holds no more than the rounds have added up to the last that is seen.
func (y *Sync) addsUpRounds(add, read *access.Access) bool {
	each, isConst := add.Value.IsConst()
	first, known := y.initial(read)
	if !isConst || each <= 0 || !known || first != 0 || y.g.ReachesWithin([]*ir.Loop{add.Loops[0].Stmt}, add.Stmt, add.Stmt, nil) {
		return false
	}
	for _, other := range y.writes {
		if other != add && y.mayMeet(other, read) && !Reads(other) {
			return false
		}
	}
	one, two := y.threads(race.InterBlock)
	place := y.t.Sub(one.Poly(add.Off), two.Poly(add.Off))
	if !aligned(place, add, add) {
		return false
	}
	conds := append(renameAll(one, add.When), renameAll(two, add.When)...)
	return y.impossible(append(conds, y.t.Eq(place, y.t.Const(0)), y.differ(one, two, y.s.BlockIdx, y.s.ThreadIdx))...)
}

// precedesInRound reports whether an access comes before another one of its block in each round of the loop around them, and
// so before that of a later round: by a thread of its own, or with a barrier on any way.
func (y *Sync) precedesInRound(a, b *access.Access) bool {
	return y.standsBeforeInRound(a, b) && (y.oneOfBlock(a, b) || !y.g.Reaches(a.Stmt, b.Stmt, isBlockBarrier))
}

func (y *Sync) standsBeforeInRound(a, b *access.Access) bool {
	round := []*ir.Loop{b.Loops[0].Stmt}
	return y.g.ReachesWithin(round, a.Stmt, b.Stmt, nil) && !y.g.ReachesWithin(round, b.Stmt, a.Stmt, nil)
}
