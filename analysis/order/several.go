package order

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file is about threads that have several locks at once, as those of the two accounts that each moves an amount
// between. So as not to wait for each other they take the lesser one first, and which that is differs from
// thread to thread: no lock of the one is always a certain lock of the other, but where they come to one account,
// one of them is.

// maxChoices bounds the choices between a lesser and a greater number, or by a condition, of both threads together.
const maxChoices = 4

// pairOfLocks are the addresses of a lock that the one thread has and of one that the other has.
type pairOfLocks struct{ one, two *term.Poly }

// share reports whether two threads of the kind that make two accesses to one place have taken the same lock in one of
// the pairs, whichever of them it is.
func (y *Sync) share(a, b *access.Access, kind race.Kind, pairs []pairOfLocks) bool {
	one, two := y.threads(kind)
	apart := y.t.Sub(one.Poly(a.Off), two.Poly(b.Off))
	if !aligned(apart, a, b) {
		return false
	}
	for i, p := range pairs {
		pairs[i] = pairOfLocks{one.Poly(p.one), two.Poly(p.two)}
	}
	return y.shareWhere(apart, pairs, append(renameAll(one, a.When), renameAll(two, b.When)...), maxChoices)
}

// shareWhere goes through what numbers may be chosen; where none is left to choose, a pair is the same by
// algebra, or the solver sees that they can't all differ.
func (y *Sync) shareWhere(apart *term.Poly, pairs []pairOfLocks, where []*term.Cond, left int) bool {
	if slices.ContainsFunc(pairs, func(p pairOfLocks) bool { return equalWhere(y.t, apart, p.one, p.two) }) {
		return true
	}
	chosen := choiceIn(pairs)
	switch {
	case chosen == nil:
		where = append(slices.Clone(where), y.t.Eq(apart, y.t.Const(0)))
		for _, p := range pairs {
			where = append(where, y.t.Ne(p.one, p.two))
		}
		return y.impossible(where...)
	case left == 0:
		return false
	}
	for _, first := range [...]bool{true, false} {
		choose := func(p *term.Poly) *term.Poly { return y.decided(p, chosen, first) }
		var these []pairOfLocks
		for _, p := range pairs {
			these = append(these, pairOfLocks{choose(p.one), choose(p.two)})
		}
		when := y.condition(chosen)
		if !first {
			when = y.t.Not(when)
		}
		if !y.shareWhere(choose(apart), these, append(slices.Clone(where), when), left-1) {
			return false
		}
	}
	return true
}

// choiceIn is an atom among the addresses of locks that is one of two numbers, nil if there is none.
func choiceIn(pairs []pairOfLocks) *term.Atom {
	for _, pair := range pairs {
		for _, p := range [...]*term.Poly{pair.one, pair.two} {
			for _, x := range p.Terms() {
				if i := slices.IndexFunc(x.Mono.Atoms, func(a *term.Atom) bool { return a.Kind == term.Min || a.Kind == term.Max || a.Kind == term.Select }); i >= 0 {
					return x.Mono.Atoms[i]
				}
			}
		}
	}
	return nil
}

// condition is that on which an atom is the first of two numbers.
func (y *Sync) condition(a *term.Atom) *term.Cond {
	switch a.Kind {
	case term.Min:
		return y.t.Le(a.Args[0], a.Args[1])
	case term.Max:
		return y.t.Le(a.Args[1], a.Args[0])
	}
	return a.If
}

// decided is a number where an atom is the first of its two numbers, or the second. So are others that hang on
// the same: where one of two is the lesser, the other is the greater.
func (y *Sync) decided(p *term.Poly, which *term.Atom, first bool) *term.Poly {
	for again := true; again; {
		again = false
		for _, x := range p.Terms() {
			for _, a := range x.Mono.Atoms {
				if of := y.alsoChosen(a, which, first); of != nil {
					p, again = y.t.Substitute(p, a, of), true
					break
				}
			}
			if again {
				break
			}
		}
	}
	return p
}

// alsoChosen is the number that an atom is where another one is the first of its two, or the second; nil if it does not hang on that.
func (y *Sync) alsoChosen(a, which *term.Atom, first bool) *term.Poly {
	if a.Kind != term.Min && a.Kind != term.Max && a.Kind != term.Select {
		return nil
	}
	own, by := y.condition(a), y.condition(which)
	number := map[bool]*term.Poly{true: a.Args[0], false: a.Args[1]}
	switch {
	case own.Same(by):
		return number[first]
	case own.Same(y.t.Not(by)):
		return number[!first]
	case a.Kind != term.Select && which.Kind != term.Select && a.Args[0].Equal(which.Args[1]) && a.Args[1].Equal(which.Args[0]):
		return number[first != (a.Kind == which.Kind)] // which of two equal ones it is makes no difference
	case a.Kind != term.Select && a.Kind != which.Kind && which.Kind != term.Select && a.Args[0].Equal(which.Args[0]) && a.Args[1].Equal(which.Args[1]):
		return number[!first]
	}
	return nil
}
