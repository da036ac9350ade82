package sweep

import (
	"cmp"
	"slices"

	"github.com/warplint/warplint/analysis/meet"
	"github.com/warplint/warplint/analysis/race"
)

// This file finds out which candidates no two of the noted accesses show.

// record is one access that a thread may make.
type record struct {
	off              int64
	sym              symbol
	base             int32
	block, thread    int32
	phase, warpPhase int32
}

// apart reports whether no two threads of the candidate's kind touch a common byte in a phase
// that they share. The records of b are sorted by their offset.
func apart(c meet.Candidate, a, b []record) bool {
	groups := map[record][]record{}
	syms := map[record]map[symbol]bool{} // the unknown parts of the addresses in an object and phase
	for _, r := range b {
		g := group(c.Kind, r)
		groups[g] = append(groups[g], r)
		g.sym = none
		if syms[g] == nil {
			syms[g] = map[symbol]bool{}
		}
		syms[g][r.sym] = true
	}
	for _, r := range a {
		g := group(c.Kind, r)
		near := groups[g]
		i, _ := slices.BinarySearchFunc(near, r.off-c.B.Size+1, func(x record, off int64) int { return cmp.Compare(x.off, off) })
		for ; i < len(near) && near[i].off < r.off+c.A.Size; i++ {
			if meets(c.Kind, r, near[i]) {
				return false
			}
		}
		g.sym = none
		if others := syms[g]; len(others) > 1 || len(others) == 1 && !others[r.sym] {
			return false // two unknown numbers may be such that the addresses are the same
		}
	}
	return true
}

// group is what two records must have in common to be compared: the object, the unknown part
// of the address and, in one block, the phase.
func group(kind race.Kind, r record) record {
	g := record{sym: r.sym, base: r.base}
	switch kind {
	case race.IntraBlock:
		g.block, g.phase = r.block, r.phase
	case race.IntraWarp:
		g.block, g.phase, g.warpPhase, g.thread = r.block, r.phase, r.warpPhase, r.thread/32
	}
	return g
}

// meets reports whether two records belong to two threads of the kind.
func meets(kind race.Kind, x, y record) bool {
	switch kind {
	case race.InterBlock:
		return x.block != y.block
	case race.IntraBlock:
		return x.thread/32 != y.thread/32
	}
	return x.thread != y.thread
}
