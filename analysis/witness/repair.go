package witness

// This file changes the values of a launch until what is known of them holds.

import (
	"maps"
	"slices"

	"github.com/warplint/warplint/analysis/term"
)

// given lists what holds of a launch.
func (v *assignment) given() []*term.Cond {
	if v.s.Launch == nil {
		return v.s.Given
	}
	return append(slices.Clip(v.s.Given), v.s.Launch.When...)
}

// repair changes values until the conditions on the way to the launch hold, and what the kernel asserts of
// them if it can; it reports whether the former do.
func (v *assignment) repair() bool {
	given := v.given()
	if !v.makeHold(given) {
		return false
	}
	if len(v.s.Expected) > 0 {
		values := maps.Clone(v.values)
		if !v.makeHold(append(slices.Clip(given), v.s.Expected...)) {
			v.values = values
			clear(v.made)
		}
	}
	return true
}

// makeHold changes values until the conditions hold; it reports whether they do.
func (v *assignment) makeHold(conds []*term.Cond) bool {
	const rounds = 20
	for range rounds {
		good, before := true, v.moved
		for _, c := range conds {
			if holds, ok := c.Holds(v.leaf); ok && !holds {
				good = false
				v.adjust(c)
			}
		}
		if good {
			return true
		}
		if v.moved == before {
			return false // nor would the next round move any
		}
	}
	return false
}

// adjust moves one value of a comparison that does not hold by as much as it lacks.
func (v *assignment) adjust(c *term.Cond) {
	if c.P == nil {
		for _, a := range c.Args {
			if holds, ok := a.Holds(v.leaf); ok && !holds {
				v.adjust(a)
				return
			}
		}
		return
	}
	lack, ok := c.P.Value(v.leaf)
	if !ok {
		return
	}
	if c.Op == term.NeZero {
		lack = 1
	}
	terms := slices.Clone(c.P.Terms())
	slices.SortStableFunc(terms, func(a, b term.Term) int { return rank(a) - rank(b) })
	for _, t := range terms {
		if len(t.Mono.Atoms) != 1 {
			continue
		}
		a := unwrapped(t.Mono.Atoms[0])
		old, ok := v.leaf(a)
		if !ok || !v.isChosen(a) {
			continue
		}
		by := lack / t.Coef
		if lack%t.Coef != 0 {
			by += sign(lack) * sign(t.Coef)
		}
		x := old - by
		if a.Power && by < 0 {
			x = 2*x - 1 // at least x as a power of two, which leaf makes of it
		}
		if x >= a.Lo && x <= a.Hi && by != 0 {
			v.set(a, x)
			return
		}
	}
	if c.Op != term.NeZero {
		v.shrink(c, terms)
		v.goRound(c, terms)
	}
	if holds, ok := c.Holds(v.leaf); ok && !holds {
		v.tune(c)
	}
}

// tune gives a number that a comparison hangs on by functions and cases, as in `(n < 2 * most ? half(n) : most) == 512`, the one that
// it is compared with, or one near it, until it holds.
func (v *assignment) tune(c *term.Cond) {
	bound := max(c.P.Constant(), -c.P.Constant())
	var leaves []*term.Atom
	c.P.AllLeaves(func(a *term.Atom) {
		if v.isChosen(a) && !slices.Contains(leaves, a) {
			leaves = append(leaves, a)
		}
	})
	if v.spread == falling { // another one gives way
		slices.Reverse(leaves)
	}
	for _, a := range leaves {
		old, ok := v.leaf(a)
		if !ok {
			continue
		}
		before := v.moved
		for _, x := range []int64{bound, 2 * bound, bound + 1, bound - 1} {
			if x < a.Lo || x > a.Hi {
				continue
			}
			v.set(a, x)
			if holds, ok := c.Holds(v.leaf); ok && holds {
				return
			}
		}
		v.set(a, old)
		v.moved = before
	}
}

// goRound lets loops of the host go round until a number that grows with their rounds is large enough, as in
// `while (side * side < blocks) side++`.
func (v *assignment) goRound(c *term.Cond, terms []term.Term) {
	const most = 64
	for _, t := range terms {
		for _, a := range t.Mono.Atoms {
			if a.Kind != term.Iter || t.Coef > 0 || !v.isChosen(a) {
				continue
			}
			first, _ := v.leaf(a)
			before := v.moved
			for x := first; x <= first+most; x++ {
				v.set(a, x)
				if holds, ok := c.Holds(v.leaf); !ok || holds {
					return
				}
			}
			v.set(a, first)
			v.moved = before
		}
	}
}

// shrink halves the factors of products that are too large, as in `k * dims <= 1024`, until they are not.
func (v *assignment) shrink(c *term.Cond, terms []term.Term) {
	for _, t := range terms {
		if len(t.Mono.Atoms) < 2 || t.Coef < 0 {
			continue
		}
		for {
			if holds, ok := c.Holds(v.leaf); !ok || holds {
				return
			}
			var most *term.Atom
			value := int64(1)
			for _, a := range t.Mono.Atoms {
				if x, ok := v.leaf(a); ok && v.isChosen(a) && x > value && x/2 >= a.Lo {
					most, value = a, x
				}
			}
			if most == nil {
				break
			}
			v.set(most, value/2)
		}
	}
}

// rank puts the numbers of iterations first: they follow from the others.
func rank(t term.Term) int {
	if len(t.Mono.Atoms) == 1 && t.Mono.Atoms[0].Kind == term.Iter {
		return 0
	}
	return 1
}

func sign(x int64) int64 {
	if x < 0 {
		return -1
	}
	return 1
}
