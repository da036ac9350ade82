package order

import (
	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
)

// This file knows flags that tell how far a block has come: in each round of a loop it does a piece of work, and then
// writes the number of the round. Who has to have a piece waits until the number is that of its round, or a greater one,
// as the blocks of a wave front do.

// byRounds reports whether a, which a block makes in each round, comes before the write that ends the wait before b, since that
// write is of the round in which a is made, or of a later one.
func (y *Sync) byRounds(a, write *access.Access, w told, b *access.Access) bool {
	if len(write.Loops) != 1 || len(a.Loops) == 0 || a.Loops[0] != write.Loops[0] || !y.precedesInRound(a, write) {
		return false
	}
	number := y.s.Finds(w.on, write)
	if at, ok := write.Stmt.(*ir.Atomic); ok && at.Op != ir.AtomicExch || number == nil || write.Size != w.on.Size {
		return false
	}
	conds, one, two, three := y.ofBlocks(a, write, w, b)
	round := y.t.Poly(write.Loops[0].Iter)
	seen := two.Cond(w.when)
	if read := two.Atom(w.atom).IsAtom(); read != nil {
		seen = y.t.SubstituteCond(seen, read, three.Poly(number))
	}
	return y.impossible(append(conds, seen, y.t.Lt(three.Poly(round), one.Poly(round)))...)
}

// precedesInRound reports whether an access comes before another one of its block in each round of the loop around them, and
// so before that of a later round: by a thread of its own, or with a barrier on any way.
func (y *Sync) precedesInRound(a, b *access.Access) bool {
	round := []*ir.Loop{b.Loops[0].Stmt}
	if !y.g.ReachesWithin(round, a.Stmt, b.Stmt, nil) || y.g.ReachesWithin(round, b.Stmt, a.Stmt, nil) {
		return false
	}
	return y.oneOfBlock(a, b) || !y.g.Reaches(a.Stmt, b.Stmt, isBlockBarrier)
}
