package witness

import (
	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/term"
)

// This file knows from where positions are measured: in the bin of a measure, `(int)((x - low) / width)`, low is the least
// x that there is. Numbers in memory begin with zero, and so does what they are measured from.

// lowest are the floating-point numbers of a launch that are added to others, or taken from them, wherever they have a say.
func lowest(s *access.Summary) map[*term.Atom]bool {
	found := map[*term.Atom]bool{}
	note := func(a *term.Atom) {
		if a.Kind != term.Func {
			return
		}
		for i, p := range a.Args {
			of := p.IsAtom()
			if of == nil || of.Kind != term.Symbol || of.Variance != term.Grid || floatType(of) == ir.Void {
				continue
			}
			only, known := found[of]
			found[of] = (only || !known) && (a.Name == ir.Add.String() || a.Name == ir.Sub.String() && i == 1)
		}
	}
	for _, a := range s.Accesses {
		a.Off.AllLeaves(note)
		for _, c := range a.When {
			c.Walk(func(c *term.Cond) {
				if c.P != nil {
					c.P.AllLeaves(note)
				}
			})
		}
	}
	return found
}
