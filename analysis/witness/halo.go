package witness

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/term"
)

// This file knows the numbers by which a tile in shared memory is wider than its block, as the r of `blockDim.x + 2 * r` is. They
// are radii of stencils and filters, or paddings, and far smaller than what nothing bounds: a tile of natural ones has no room.

// halo is a radius that is tried as natural.
const halo = 3

// halos lists such numbers of an access.
func halos(s *access.Summary, a *access.Access) (out []*term.Atom) {
	if a.Base == nil || a.Base.Space != ir.Shared {
		return nil
	}
	add := func(p *term.Poly, whole bool) {
		for i := range 3 {
			for _, width := range p.Terms() {
				of := without(width.Mono.Atoms, s.Block[i].IsAtom())
				if of == nil && !ofBlock(width, s.Block[i]) || whole != (len(of) == 0) {
					continue
				}
				for _, x := range p.Terms() {
					for _, number := range x.Mono.Atoms {
						if (x.Coef > 0) == (width.Coef > 0) && free(number) && number.Kind == term.Symbol && !isLength(s, number) && slices.Equal(without(x.Mono.Atoms, number), of) {
							out = append(out, number)
						}
					}
				}
			}
		}
	}
	add(a.Off, false) // of the tile's rows
	for _, c := range term.Conjuncts(a.When) {
		if c.Op == term.LeZero && c.P.Variance() == term.Thread {
			add(c.P, true) // as far as its columns go
		}
	}
	return out
}

// ofBlock reports whether a constant may be made of the known length of a block, as the 255 of `t < 256 + 2 * r` is.
func ofBlock(x term.Term, length *term.Poly) bool {
	n, known := length.IsConst()
	return len(x.Mono.Atoms) == 0 && known && n > 1 && max(x.Coef, -x.Coef) >= n-1
}

// without are the factors of a product but for one that it has; nil if it has not.
func without(factors []*term.Atom, one *term.Atom) []*term.Atom {
	i := slices.Index(factors, one)
	if one == nil || i < 0 {
		return nil
	}
	return slices.Delete(slices.Clone(factors), i, i+1)
}
