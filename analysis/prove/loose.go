package prove

import (
	"fmt"
	"slices"

	"github.com/warplint/warplint/analysis/prove/bits"
	"github.com/warplint/warplint/analysis/term"
)

// This file makes a question to the bits more general: a number that is computed from others which the
// question speaks of nowhere else, such as a byte cut out of data, becomes one of which the bounds are all
// that is known. Pairs of accesses that differ in such numbers only are one question then.

// loosened returns the conditions with such numbers; the result is conds itself if there are none. What it
// refutes has no solution. It may have one where the conditions have none.
func (s *Solver) loosened(conds []*term.Cond) []*term.Cond {
	u := uses{in: map[*term.Atom]*term.Atom{}, shared: map[*term.Atom]bool{}}
	for _, c := range conds {
		c.Walk(func(c *term.Cond) { u.add(c.P) })
	}
	by := map[*term.Atom]*term.Poly{}
	for _, a := range u.made {
		if !u.shared[a] {
			// An equal number of a question before may be the same one: only this question counts.
			by[a] = s.T.Poly(s.T.Named(term.Opaque, fmt.Sprintf("any number %d", len(by)), a.Lo, a.Hi, a.Variance))
		}
	}
	if len(by) == 0 {
		return conds
	}
	return s.replaced(conds, by)
}

// replaced puts others in the place of some numbers.
func (s *Solver) replaced(conds []*term.Cond, by map[*term.Atom]*term.Poly) []*term.Cond {
	r := s.T.Rename(0, func(*term.Atom) bool { return true }, func(a *term.Atom) *term.Poly { return by[a] })
	out := make([]*term.Cond, len(conds))
	for i, c := range conds {
		out[i] = r.Cond(c)
	}
	return out
}

// uses says where numbers are used.
type uses struct {
	made   []*term.Atom              // those computed from others that stand in no other
	in     map[*term.Atom]*term.Atom // in which one of these a number stands that is not computed; itself if in none
	shared map[*term.Atom]bool       // those of made that have such a number in common with anything else
}

// computed reports whether a number is made of others in a way that the bits know.
func computed(a *term.Atom) bool {
	return len(a.Args) > 0 && (a.Kind != term.Func || slices.Contains(bits.Operations, a.Name) || bits.Reversals[a.Name] > 0)
}

func (u *uses) add(p *term.Poly) {
	if p == nil {
		return
	}
	for _, x := range p.Terms() {
		for _, a := range x.Mono.Atoms {
			switch {
			case !computed(a):
				u.use(a, a)
			case u.in[a] == nil:
				u.in[a] = a
				u.made = append(u.made, a)
				u.within(a, a, map[*term.Atom]bool{})
			}
		}
	}
}

// within notes what a computed number is made of; an outer one is, through it.
func (u *uses) within(a, outer *term.Atom, seen map[*term.Atom]bool) {
	part := func(p *term.Poly) {
		if p == nil {
			return
		}
		for _, x := range p.Terms() {
			for _, b := range x.Mono.Atoms {
				if seen[b] {
					continue
				}
				if seen[b] = true; computed(b) {
					u.within(b, outer, seen)
				} else {
					u.use(b, outer)
				}
			}
		}
	}
	for _, p := range a.Args {
		part(p)
	}
	if a.If != nil {
		a.If.Walk(func(c *term.Cond) { part(c.P) })
	}
}

// use notes that a number that is not computed stands in another, or by itself.
func (u *uses) use(a, in *term.Atom) {
	before, known := u.in[a]
	if !known {
		u.in[a] = in
		return
	}
	if before != in {
		u.shared[before], u.shared[in] = true, true
	}
}
