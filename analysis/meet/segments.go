package meet

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/phase"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file tells segments of an array apart by where they begin and end.
//
// DESIGN. Sparse matrices and graphs keep the elements of row r between offset[r] and offset[r + 1]. A kernel
// that gives each row to a thread, a warp or a block writes no element twice if the offsets do not decrease.
// Nothing says so but what the array is for: no caller means anything else by one of which the kernel reads
// two neighbours as the ends of a range. So a verdict may rest on it, and names it; what threads would race
// with offsets that decrease stays a finding, of severity information.

// Ascending is the assumption.
const Ascending = "offsets of segments do not decrease"

// segmentBudget is for a pair, in cases of the solver: each two reads of offsets make three.
const segmentBudget = 150

// apartBySegments shows that threads keep apart if offsets ascend.
func (c *checker) apartBySegments(a, b *access.Access, kind race.Kind, m phase.Mode) bool {
	arrays := c.offsets(a)
	for name := range c.offsets(b) {
		arrays[name] = true
	}
	if len(arrays) == 0 || c.spent >= kernelBudget {
		return false
	}
	key := c.key(a, b, kind, m)
	key.at = a.Off.Constant()
	conds := func() []*term.Cond {
		conds := c.question(a, b, kind, m)
		return append(conds, c.ascending(arrays, conds)...)
	}
	if all := arrays; len(all) > 1 { // rows of a matrix, and which block has which of them
		if arrays = c.inAddress(all, a, b); len(arrays) > 0 && len(arrays) < len(all) && c.presuming(Ascending, key.by("in the address"), segmentBudget, conds) {
			return true
		}
		arrays = all
	}
	return c.presumingOfWarps(a, b, Ascending, key, conds)
}

// presumingOfWarps is presuming, be it for segments that each warp of the grid has: that takes both assumptions.
func (c *checker) presumingOfWarps(a, b *access.Access, assumption string, key pairKey, conds func() []*term.Cond) bool {
	if c.presuming(assumption, key, segmentBudget, conds) {
		return true
	}
	length := c.warpsNumbered(a, b)
	if length == nil || !c.presuming(WholeWarps, key.by(assumption), segmentBudget, func() []*term.Cond { return c.wholeWarps(length, conds()) }) {
		return false
	}
	c.out.Assumes[assumption] = true
	return true
}

// Presumptions are those of some assumptions that a launch, or memory, may break.
func Presumptions(assumes []string) []string {
	return slices.DeleteFunc(slices.Clone(assumes), func(a string) bool {
		return !slices.Contains([]string{WithinRows, Ascending, Disjoint, WithRoom, FromZero, CountsUp, WholeWarps}, a)
	})
}

// presuming shows, once for a key, that conditions cannot hold together, some of which are an assumption.
func (c *checker) presuming(assumption string, key pairKey, budget int, conds func() []*term.Cond) bool {
	yes := c.once(key.by(key.how+assumption), func() bool {
		c.solver.Budget = budget
		yes := c.solver.Unsat(conds()...)
		c.spent += budget - c.solver.Budget
		return yes
	})
	if yes {
		c.out.Assumes[assumption] = true
	}
	return yes
}

// offsets names the arrays of which an access has two neighbours among its terms.
func (c *checker) offsets(a *access.Access) map[string]bool {
	out := map[string]bool{}
	reads := contents(append([]*term.Cond{{Op: term.EqZero, P: a.Off}}, a.When...))
	for i, x := range reads {
		for _, y := range reads[i+1:] {
			if x.Name == y.Name && c.neighbours(x, y) {
				out[x.Name] = true
			}
		}
	}
	return out
}

// inAddress picks those of some arrays of which the addresses themselves are made.
func (c *checker) inAddress(arrays map[string]bool, a, b *access.Access) map[string]bool {
	out := map[string]bool{}
	for _, x := range contents([]*term.Cond{{Op: term.EqZero, P: a.Off}, {Op: term.EqZero, P: b.Off}}) {
		if arrays[x.Name] {
			out[x.Name] = true
		}
	}
	return out
}

// neighbours reports whether two reads of an array are of elements next to each other.
func (c *checker) neighbours(x, y *term.Atom) bool {
	d, ok := c.t.Sub(x.Args[0], y.Args[0]).IsConst()
	return ok && (d == 4 || d == -4 || d == 8 || d == -8)
}

// contents lists the reads of memory that nobody writes.
func contents(conds []*term.Cond) []*term.Atom {
	var out []*term.Atom
	for _, c := range conds {
		c.Walk(func(c *term.Cond) {
			c.P.AllLeaves(func(a *term.Atom) {
				if access.IsContents(a) && len(a.Args) == 1 && !slices.Contains(out, a) {
					out = append(out, a)
				}
			})
		})
	}
	return out
}

// ascending says of each two reads of an array that the one further on is not less.
func (c *checker) ascending(arrays map[string]bool, conds []*term.Cond) []*term.Cond {
	t := c.t
	var out []*term.Cond
	reads := contents(conds)
	for i, x := range reads {
		for _, y := range reads[i+1:] {
			if x.Name != y.Name || !arrays[x.Name] {
				continue
			}
			p, q, v, w := x.Args[0], y.Args[0], t.Poly(x), t.Poly(y)
			out = append(out, term.Disj(
				term.Conj(t.Lt(p, q), t.Le(v, w)),
				term.Conj(t.Eq(p, q), t.Eq(v, w)),
				term.Conj(t.Lt(q, p), t.Le(w, v))))
		}
	}
	return out
}
