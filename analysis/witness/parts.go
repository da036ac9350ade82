package witness

import (
	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/term"
)

// This file knows numbers of parts, which divide a size: in `attend<<<batch * heads, width / heads>>>` as many heads as
// the width would make blocks of one thread, and as many steps as tokens loops of one round.

// dividend is the size that a number of parts divides. Where the parts are the lengths of blocks along an axis, block is one
// more than that axis, else 0.
type dividend struct {
	size  *term.Poly
	block int
}

// parts are the unknown numbers of a launch that divide others.
func parts(s *access.Summary) map[*term.Atom]dividend {
	out := map[*term.Atom]dividend{}
	seen := map[*term.Atom]bool{}
	divided := func(p *term.Poly, block int) {
		eachAtom(p, seen, func(a *term.Atom) {
			if a.Kind != term.Div {
				return
			}
			number := a.Args[1].IsAtom()
			size := a.Args[0]
			if number == nil || !free(number) || isConst(size) || size.Variance() > term.Grid || size.Loops() != 0 || size.Mentions(number) {
				return
			}
			if out[number].size == nil {
				out[number] = dividend{size, block}
			}
		})
	}
	if s.Launch != nil {
		for i := range 3 {
			divided(s.Launch.Block[i], i+1)
		}
	}
	for _, a := range s.Accesses {
		divided(a.Off, 0)
		for _, c := range a.When {
			c.Walk(func(c *term.Cond) { divided(c.P, 0) })
		}
	}
	return out
}

// ofParts is a number of parts with which each is as large as a block that nothing is known of.
func (v *assignment) ofParts(number *term.Atom, w dividend) int64 {
	v.chosen++
	v.values[number] = v.size // for a size that is divided by what is made of it
	size, ok := w.size.Value(v.leaf)
	if !ok {
		return v.size
	}
	each := defaultThreads
	if w.block > 0 {
		each = v.filling(w.block-1, each, maxBlockThreads)
	}
	return max(size/int64(each), 1)
}
