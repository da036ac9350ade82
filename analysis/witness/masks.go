package witness

import (
	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/term"
)

// This file knows masks: where the tickets of a ring of slots, or the hashes of a table, are taken `& mask`, whoever calls the
// kernel passes a size less one, and sizes are powers of two.

// masks are the unknown numbers of a launch by which numbers that vary are masked.
func masks(s *access.Summary) map[*term.Atom]bool {
	found := map[*term.Atom]bool{}
	note := func(a *term.Atom) {
		if a.Kind != term.Func || a.Name != "and" || len(a.Args) != 2 {
			return
		}
		for i, p := range a.Args {
			mask, other := p.IsAtom(), a.Args[1-i]
			if mask != nil && len(mask.Args) == 0 && mask.Variance == term.Grid && mask.Loops == 0 && (other.Variance() > term.Grid || other.Loops() != 0) {
				found[mask] = true
			}
		}
	}
	for _, a := range s.Accesses {
		a.Off.AllLeaves(note)
	}
	return found
}
