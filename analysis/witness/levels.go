package witness

import (
	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/term"
)

// This file knows levels: numbers of a launch that are only compared with narrow data, as in `if (pixel[i] > level)`.
// A natural size is beyond all bytes; whoever passes a level means one that lies between them.

// levels gives each such number the middle of what the data may be.
func levels(s *access.Summary) map[*term.Atom]int64 {
	out, other := map[*term.Atom]int64{}, map[*term.Atom]bool{}
	exclude := func(p *term.Poly) {
		p.AllLeaves(func(a *term.Atom) { other[a] = true })
	}
	for c := range onWays(s) {
		c.Walk(func(c *term.Cond) {
			if number, data := withData(c.P); number != nil {
				out[number] = data.Lo + (data.Hi-data.Lo)/2
			} else if c.P != nil {
				exclude(c.P)
			}
		})
	}
	for _, a := range s.Accesses {
		exclude(a.Off)
	}
	for i := range 3 {
		exclude(s.Grid[i])
		exclude(s.Block[i])
	}
	for a := range other {
		delete(out, a)
	}
	return out
}

// withData splits p into a number that nothing fixes and narrow data with the other sign, or returns nil.
func withData(p *term.Poly) (number, data *term.Atom) {
	if p == nil {
		return nil, nil
	}
	var sum int64
	for _, x := range p.Terms() {
		if len(x.Mono.Atoms) == 0 {
			continue
		}
		a := x.Mono.Atoms[0]
		_, load := a.Ref.(*ir.Load)
		switch {
		case len(x.Mono.Atoms) > 1 || x.Coef != 1 && x.Coef != -1:
			return nil, nil
		case number == nil && free(a) && !load:
			number = a
		case data == nil && (load || access.IsContents(a)) && a.Lo != term.NoLo && a.Hi < natural && a.Lo > -natural:
			data = a
		default:
			return nil, nil
		}
		sum += x.Coef
	}
	if number == nil || data == nil || sum != 0 {
		return nil, nil
	}
	return number, data
}
