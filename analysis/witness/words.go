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

// asking is what a kernel compares the elements of a buffer with.
type asking struct {
	width   int // of an element, in bytes
	numbers []comparison
}

// comparison is a number that an element is compared with: the one that makes a difference zero in which elements stand.
type comparison struct {
	difference *term.Poly
	elements   map[*term.Atom]bool // nil if the number is what is written here
	equal      bool                // the difference must be zero, and has to do with what is read there itself
}

// words lists the words of a buffer, given the numbers of this launch.
func (v *assignment) words(key any) words {
	of := v.askingOf(key)
	out := words{width: of.width}
	for _, c := range of.numbers {
		x, ok := v.asked(c)
		if !ok {
			continue
		}
		for _, near := range []int64{x, x - 1, x + 1} {
			if !slices.Contains(out.values, near) {
				out.values = append(out.values, near)
			}
		}
		out.equal = out.equal || c.equal
	}
	return out
}

// askingOf looks it up, once for all launches.
func (v *assignment) askingOf(key any) *asking {
	if known := v.compares[key]; known != nil {
		return known
	}
	out := &asking{}
	v.compares[key] = out
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
	noted := map[*term.Cond]bool{}
	note := func(c *term.Cond) {
		if noted[c] {
			return
		}
		noted[c] = true
		elements := elementsIn(c.P, read)
		if len(elements) == 1 {
			out.numbers = append(out.numbers, comparison{c.P, elements, c.Op == term.EqZero && slices.ContainsFunc(c.P.Terms(), func(x term.Term) bool {
				return slices.ContainsFunc(x.Mono.Atoms, func(a *term.Atom) bool { return read[a.Origin()] })
			})})
		}
	}
	for _, a := range v.s.Accesses {
		if a.Compare != nil && v.key(a.Base) == key {
			out.numbers = append(out.numbers, comparison{difference: a.Compare})
		}
		for _, c := range a.When {
			c.Walk(note)
		}
	}
	for _, c := range v.s.Compared {
		c.Walk(func(c *term.Cond) {
			if elements := elementsIn(c.P, read); len(elements) == 1 {
				out.numbers = append(out.numbers, comparison{difference: c.P, elements: elements})
			}
		})
	}
	return out
}

// elementsIn are what stands in a number of what is read.
func elementsIn(p *term.Poly, read map[*term.Atom]bool) map[*term.Atom]bool {
	var out map[*term.Atom]bool
	p.AllLeaves(func(a *term.Atom) {
		if read[a.Origin()] {
			if out == nil {
				out = map[*term.Atom]bool{}
			}
			out[a] = true
		}
	})
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

// asked returns the value of an element that makes a difference zero which contains it once and apart
// from it numbers of the launch only.
func (v *assignment) asked(c comparison) (int64, bool) {
	if c.elements == nil {
		return c.difference.Value(v.uniform)
	}
	at := func(element int64) (int64, bool) {
		return c.difference.Value(func(a *term.Atom) (int64, bool) {
			if c.elements[a] {
				return element, true
			}
			return v.uniform(a)
		})
	}
	zero, ok0 := at(0)
	if !ok0 {
		return 0, false
	}
	one, ok1 := at(1)
	switch one - zero {
	case 1:
		return -zero, ok1
	case -1:
		return zero, ok1
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
	return v.results[a.Origin()]
}
