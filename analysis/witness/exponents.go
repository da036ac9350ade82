package witness

import (
	"math/bits"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/term"
)

// This file knows numbers of bits: a transform of `1 << m` elements is launched with a small m, or with none.

// exponents are the unknown numbers of a launch by which something is shifted.
func exponents(s *access.Summary) map[*term.Atom]bool {
	found := map[*term.Atom]bool{}
	note := func(a *term.Atom) {
		if a.Kind == term.Func && (a.Name == "shl" || a.Name == "shr") && len(a.Args) == 2 {
			a.Args[1].AllLeaves(func(a *term.Atom) {
				if len(a.Args) == 0 {
					found[a] = true
				}
			})
		}
	}
	if s.Launch != nil {
		for i := range 3 {
			s.Launch.Grid[i].AllLeaves(note)
			s.Launch.Block[i].AllLeaves(note)
		}
		for _, v := range s.Launch.Args {
			if v.P != nil {
				v.P.AllLeaves(note)
			}
		}
	}
	for _, a := range s.Accesses {
		a.Off.AllLeaves(note)
	}
	return found
}

// exponent is the number of bits that goes with a size.
func exponent(size int64) int64 { return int64(bits.Len64(uint64(max(size, 1)))) - 1 }
