package witness

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/term"
)

// This file says how large numbers may be that the room of declared arrays bounds, or what they are compared with.
//
// DESIGN. In `__shared__ float k[64]; if (t < n) k[t] = …` nobody means more by n than 64. Where natural numbers are
// tried, n is 64: with a greater one the run would end at the array's, and a race that only smaller numbers show would
// be one that no caller may have. Of `if ((x + y) % 2 == color)`, color is 0 or 1.

// maxCompared bounds what a number is compared with that is one of few.
const maxCompared = 64

// rooms gives the greatest numbers of a launch with which threads stay within arrays of known size.
func rooms(s *access.Summary) map[*term.Atom]int64 {
	t := s.T
	out := map[*term.Atom]int64{}
	bound := func(number *term.Atom, most int64) {
		if old, ok := out[number]; !ok || most < old {
			out[number] = most
		}
	}
	for _, a := range s.Accesses {
		for _, number := range halos(s, a) {
			bound(number, halo)
		}
		a.Off.AllLeaves(func(x *term.Atom) {
			if number := partner(x); number != nil {
				bound(number, someThread)
			}
		})
		conds := term.Conjuncts(a.When)
		for _, c := range conds {
			if number, ok := ofThread(s, c); ok {
				bound(number, someThread)
			}
			if number := ofShares(s, c, conds); number != nil {
				bound(number, ofEach)
			}
			if c.Op != term.EqZero {
				continue
			}
			for _, x := range c.P.Terms() {
				if len(x.Mono.Atoms) != 1 || !free(x.Mono.Atoms[0]) || x.Coef != 1 && x.Coef != -1 {
					continue
				}
				equal := t.Scale(-x.Coef, t.Sub(c.P, t.Monomial(x.Coef, x.Mono.Atoms)))
				if lo, hi := equal.Range(); lo < hi && lo >= 0 && hi < maxCompared {
					bound(x.Mono.Atoms[0], hi)
				}
			}
		}
		if a.Base == nil || a.Base.Object == nil || a.Base.Object.Size == 0 || a.Base.Remote != nil {
			continue
		}
		for _, c := range conds {
			if c.Op != term.LeZero {
				continue
			}
			for _, x := range c.P.Terms() { // index + constant - x·number ≤ 0
				if x.Coef >= 0 || len(x.Mono.Atoms) != 1 {
					continue
				}
				index := t.Sub(c.P, t.Monomial(x.Coef, x.Mono.Atoms))
				each := a.Off.Times(index)
				if each <= 0 || within(t, a, t.Offset(index, -index.Constant()), each, conds) {
					continue
				}
				most := ((a.Base.Object.Size-a.Size-a.Off.Constant())/each + index.Constant()) / -x.Coef
				for _, number := range choices(x.Mono.Atoms[0]) {
					if most > 0 {
						bound(number, most)
					}
				}
			}
		}
	}
	return out
}

// someThread is the number of a thread that has others on either side, in blocks that are not very small.
const someThread = 5

// ofEach is a number of elements with which each thread of a small launch has that many of a natural size.
const ofEach = 8

// ofShares is a number of the launch by which each thread's number is multiplied in a condition, as in `t * chunk + k < n`, and up to which
// threads count by others: the length of the share that each has. With one as long as all elements are, a single thread would go on.
func ofShares(s *access.Summary, c *term.Cond, others []*term.Cond) (number *term.Atom) {
	if c.Op != term.LeZero || c.P.Variance() != term.Thread {
		return nil
	}
	counted := func(number *term.Atom) bool {
		return slices.ContainsFunc(others, func(c *term.Cond) bool {
			return c.Op == term.LeZero && c.Loops() != 0 && slices.ContainsFunc(sides(s.T, c.P), func(p *term.Poly) bool { return p.Times(s.T.Poly(number)) < 0 })
		})
	}
	for _, p := range sides(s.T, c.P) {
		var of *term.Atom
		shares, less := p.Variance() == term.Thread, false
		for _, x := range p.Terms() {
			sizes := slices.DeleteFunc(slices.Clone(x.Mono.Atoms), func(a *term.Atom) bool { return !free(a) || a.Kind != term.Symbol || isLength(s, a) })
			switch varies := slices.ContainsFunc(x.Mono.Atoms, func(a *term.Atom) bool { return a.Variance > term.Grid }); {
			case varies && len(sizes) == 1 && x.Coef > 0 && (of == nil || of == sizes[0]):
				of = sizes[0]
			case varies:
				shares = false
			case x.Coef < 0 && len(x.Mono.Atoms) == 1 && len(sizes) == 1:
				less = less || sizes[0] != of
			}
		}
		if shares && less && of != nil && counted(of) {
			return of
		}
	}
	return nil
}

// ofThread is a number of the launch that a condition says is that of a thread within its block, or is no greater than that, or than
// a thread's number in the grid: with more no thread would go on.
func ofThread(s *access.Summary, c *term.Cond) (number *term.Atom, ok bool) {
	if c.Op != term.EqZero && c.Op != term.LeZero {
		return nil, false
	}
	threads, grid := 0, false
	for _, x := range c.P.Terms() {
		switch {
		case len(x.Mono.Atoms) == 0:
		case c.Op == term.LeZero && x.Coef < 0 && slices.ContainsFunc(x.Mono.Atoms, func(a *term.Atom) bool {
			return slices.ContainsFunc(s.BlockIdx[:], func(p *term.Poly) bool { return p.IsAtom() == a })
		}):
			grid = true
		case len(x.Mono.Atoms) > 1 || x.Coef != 1 && x.Coef != -1:
			return nil, false
		case slices.ContainsFunc(s.ThreadIdx[:], func(p *term.Poly) bool { return p.IsAtom() == x.Mono.Atoms[0] }) && (c.Op == term.EqZero || c.Op == term.LeZero && x.Coef < 0):
			threads++
		case free(x.Mono.Atoms[0]) && x.Mono.Atoms[0].Kind == term.Symbol && number == nil && !isLength(s, x.Mono.Atoms[0]):
			number = x.Mono.Atoms[0]
		default:
			return nil, false
		}
	}
	return number, threads == 1 && number != nil && !(grid && endsRows(s, number))
}

// endsRows reports whether a number bounds what differs between threads, or rows are that long.
func endsRows(s *access.Summary, number *term.Atom) bool {
	with := func(p *term.Poly, is func(term.Term) bool) bool {
		return slices.ContainsFunc(p.Terms(), func(x term.Term) bool { return slices.Contains(x.Mono.Atoms, number) && is(x) })
	}
	return slices.ContainsFunc(s.Accesses, func(a *access.Access) bool {
		return with(a.Off, func(x term.Term) bool { return len(x.Mono.Atoms) > 1 }) || slices.ContainsFunc(term.Conjuncts(a.When), func(c *term.Cond) bool {
			return c.Op == term.LeZero && c.P.Variance() > term.Grid && with(c.P, func(x term.Term) bool { return x.Coef < 0 })
		})
	})
}

// partner is the number that tells a thread its partner, as in `i ^ number`: another thread of the launch, as each element has one.
func partner(x *term.Atom) *term.Atom {
	if x.Kind != term.Func || x.Name != "xor" || len(x.Args) != 2 {
		return nil
	}
	for i, of := range x.Args {
		number := of.IsAtom()
		if number != nil {
			number = unwrapped(number)
		}
		if number != nil && free(number) && number.Kind == term.Symbol && x.Args[1-i].Variance() == term.Thread {
			return number
		}
	}
	return nil
}

// isLength reports whether a number is one of the dimensions of the launch.
func isLength(s *access.Summary, a *term.Atom) bool {
	is := func(p *term.Poly) bool { return p.IsAtom() == a }
	return slices.ContainsFunc(s.Block[:], is) || slices.ContainsFunc(s.Grid[:], is)
}

// within reports whether an index stays within an array by itself, or a condition compares it with a constant.
func within(t *term.Table, a *access.Access, index *term.Poly, each int64, bounds []*term.Cond) bool {
	if _, hi := index.Range(); hi <= (a.Base.Object.Size-a.Size-a.Off.Constant())/each {
		return true
	}
	return slices.ContainsFunc(bounds, func(c *term.Cond) bool {
		if c.Op != term.LeZero {
			return false
		}
		n := c.P.Times(index)
		_, constant := t.Sub(c.P, t.Scale(n, index)).IsConst()
		return n > 0 && constant
	})
}

// choices are the numbers of a launch that an atom is one of, as `argc > 1 ? atoi(argv[1]) : 8` is.
func choices(a *term.Atom) []*term.Atom {
	if free(a) {
		return []*term.Atom{a}
	}
	var out []*term.Atom
	if a.Kind == term.Select {
		for _, arg := range a.Args {
			if number := arg.IsAtom(); number != nil {
				out = append(out, choices(number)...)
			}
		}
	}
	return out
}
