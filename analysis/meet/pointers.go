package meet

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/term"
)

// This file compares pointers that were read from memory: those of different places lead to different memory, by
// assumption, and those of one place to the same, unless the kernel has put another pointer there.

// TablesApart is the assumption about pointers of two places.
const TablesApart = "pointers in a table lead to different memory"

// mayBeSame reports whether two pointers from memory may be one, in two threads. One that the kernel has read, and that
// is not known by its place, may be any: the kernel has put pointers there. Those that the host has read do not overlap.
func (c *checker) mayBeSame(p, q *term.Poly) bool {
	x, y := p.IsAtom(), q.IsAtom()
	switch {
	case x == nil || y == nil:
		return false
	case access.IsPlaced(x) && access.IsPlaced(y):
		if c.behindLink(x, y) || c.behindLink(y, x) {
			return true
		}
		if x.Name == y.Name && !access.IsFresh(x) && (x != y || x.Variance > term.Grid || x.Loops != 0) {
			c.out.Assumes[TablesApart] = true
		}
		return x.Name == y.Name
	}
	return x.Ref != nil && x.Ref == y.Ref || c.readHere(x) && (c.readHere(y) || access.IsPlaced(y)) || c.readHere(y) && access.IsPlaced(x)
}

// behindLink reports whether a pointer stands in an object that a link leads to, and another one elsewhere, where the same member may be: a link
// may lead to an object that the kernel comes to in another way.
func (c *checker) behindLink(x, y *term.Atom) bool {
	if x.Name == y.Name || len(x.Args) != 2 || len(y.Args) == 0 || access.IsFresh(y) {
		return false
	}
	if to := x.Args[0].IsAtom(); to == nil || access.IsPlaced(to) {
		return false // other pointers to objects are known by their places
	}
	apart := c.t.Sub(x.Args[1], y.Args[len(y.Args)-1])
	step, between := apart.Gcd(), apart.Constant()
	return between == 0 || step != 0 && between%step == 0
}

// readHere reports whether the kernel has read a value from memory.
func (c *checker) readHere(x *term.Atom) bool {
	s, ok := x.Ref.(*ir.Load)
	return ok && slices.ContainsFunc(c.s.Accesses, func(a *access.Access) bool { return a.Stmt == s })
}

// samePointer says that two pointers from memory are one: of places in tables, that these are one place.
func samePointer(t *term.Table, p, q *term.Poly) *term.Cond {
	x, y := p.IsAtom(), q.IsAtom()
	if x == nil || y == nil || !access.IsPlaced(x) || !access.IsPlaced(y) || x.Name != y.Name {
		return t.Eq(p, q)
	}
	conds := make([]*term.Cond, len(x.Args))
	for i := range x.Args {
		conds[i] = samePointer(t, x.Args[i], y.Args[i])
	}
	return term.Conj(conds...)
}
