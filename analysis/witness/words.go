package witness

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file reads from a kernel's conditions which contents of memory they turn on: behind
// `if (level[v] == current)` nothing runs as long as no element holds that number.

// words are values that the elements of a buffer are compared with, and their neighbours.
type words struct {
	width  int // of an element, in bytes
	values []int64
	equal  bool // an element must be equal to one of them: that hardly any bits are
}

// words lists the words of a buffer, given the numbers of this launch.
func (v *assignment) words(key any) words {
	var out words
	read := map[*term.Atom]bool{}
	for _, a := range v.s.Accesses {
		if a.Result != nil && v.key(a.Base) == key && (a.Size == 1 || a.Size == 2 || a.Size == 4 || a.Size == 8) {
			read[a.Result.Origin()] = true
			out.width = int(a.Size)
		}
	}
	if len(read) == 0 {
		return out
	}
	v.passOn(read)
	add := func(x int64) {
		for _, near := range []int64{x, x - 1, x + 1} {
			if !slices.Contains(out.values, near) {
				out.values = append(out.values, near)
			}
		}
	}
	for _, a := range v.s.Accesses {
		if a.Compare != nil && v.key(a.Base) == key {
			if x, ok := a.Compare.Value(v.uniform); ok {
				add(x)
			}
		}
		for _, c := range a.When {
			c.Walk(func(c *term.Cond) {
				if x, ok := v.turns(c.P, read); ok {
					add(x)
					out.equal = out.equal || c.Op == term.EqZero && slices.ContainsFunc(c.P.Terms(), func(x term.Term) bool {
						return slices.ContainsFunc(x.Mono.Atoms, func(a *term.Atom) bool { return read[a.Origin()] })
					})
				}
			})
		}
	}
	for _, c := range v.s.Compared {
		c.Walk(func(c *term.Cond) {
			if x, ok := v.turns(c.P, read); ok {
				add(x)
			}
		})
	}
	return out
}

// passOn adds what is read of arrays into which elements are copied, as into the tile of a block, to what is read of elements.
func (v *assignment) passOn(read map[*term.Atom]bool) {
	into := map[*access.Base]bool{}
	for grown := true; grown; {
		grown = false
		for _, a := range v.s.Accesses {
			switch {
			case a.Kind == race.Write && a.Value != nil && !into[a.Base]:
				a.Value.AllLeaves(func(x *term.Atom) { into[a.Base] = into[a.Base] || read[x.Origin()] })
				grown = grown || into[a.Base]
			case a.Result != nil && into[a.Base] && !read[a.Result.Origin()]:
				read[a.Result.Origin()], grown = true, true
			}
		}
	}
}

// turns returns the value of an element that makes a difference zero which contains it once and apart
// from it numbers of the launch only.
func (v *assignment) turns(p *term.Poly, read map[*term.Atom]bool) (int64, bool) {
	elements := map[*term.Atom]bool{}
	p.AllLeaves(func(a *term.Atom) {
		if read[a.Origin()] {
			elements[a] = true
		}
	})
	if len(elements) != 1 {
		return 0, false
	}
	at := func(element int64) (int64, bool) {
		return p.Value(func(a *term.Atom) (int64, bool) {
			if elements[a] {
				return element, true
			}
			return v.uniform(a)
		})
	}
	zero, ok0 := at(0)
	one, ok1 := at(1)
	switch one - zero {
	case 1:
		return -zero, ok0 && ok1
	case -1:
		return zero, ok0 && ok1
	}
	return 0, false
}

// uniform is the value of what the whole launch sees alike.
func (v *assignment) uniform(a *term.Atom) (int64, bool) {
	if a.Variance != term.Grid || a.Loops != 0 || a.Kind == term.Result || v.fromMemory(a) {
		return 0, false
	}
	return v.leaf(a)
}

// fromMemory reports whether an atom is what an access of the kernel returns.
func (v *assignment) fromMemory(a *term.Atom) bool {
	return slices.ContainsFunc(v.s.Accesses, func(b *access.Access) bool { return b.Result != nil && b.Result == a.Origin() })
}
