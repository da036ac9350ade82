package access

import (
	"slices"

	"github.com/warplint/warplint/analysis/term"
)

// This file takes defaults off the numbers of a launch: `n = argc > 1 ? atoi(argv[1]) : 1024` is any number, as what
// the caller gives may be. Nothing is lost where that number counts nowhere else, and lengths stay single numbers that
// an index can be split by.

// withoutDefaults gives a launch's terms in the numbers that its callers choose.
func (x *executor) withoutDefaults(l *Launch) *Launch {
	if l == nil {
		return nil
	}
	d := defaults{of: map[*term.Atom]*term.Atom{}, elsewhere: map[*term.Atom]bool{}, seen: map[*term.Atom]bool{}}
	for i := range 3 {
		d.poly(l.Grid[i])
		d.poly(l.Block[i])
	}
	for _, v := range l.Args {
		d.poly(v.P)
		d.cond(v.Truth)
	}
	for _, c := range l.When {
		d.cond(c)
	}
	by := map[*term.Atom]*term.Poly{}
	for chosen, choice := range d.of {
		if choice != nil && !d.elsewhere[chosen] && x.mayHold(l.When, chosenIf(choice, chosen, x.t)) {
			by[choice] = x.t.Poly(chosen)
		}
	}
	return x.renamed(l, by)
}

// defaults are the numbers that stand in one alternative of one choice, and in nothing else.
type defaults struct {
	of        map[*term.Atom]*term.Atom // the choice; nil if there are several
	elsewhere map[*term.Atom]bool
	seen      map[*term.Atom]bool
}

func (d *defaults) poly(p *term.Poly) {
	if p == nil {
		return
	}
	for _, m := range p.Terms() {
		for _, a := range m.Mono.Atoms {
			d.atom(a)
		}
	}
}

func (d *defaults) cond(c *term.Cond) {
	if c != nil {
		c.Walk(func(c *term.Cond) { d.poly(c.P) })
	}
}

func (d *defaults) atom(a *term.Atom) {
	if d.seen[a] {
		return
	}
	d.seen[a] = true
	if len(a.Args) == 0 {
		d.elsewhere[a] = true
	}
	chosen := anyNumber(a)
	for _, p := range a.Args {
		if chosen == nil || p.IsAtom() != chosen {
			d.poly(p)
		}
	}
	d.cond(a.If)
	if a.First != nil {
		d.poly(a.First)
	}
	if chosen != nil {
		if _, again := d.of[chosen]; again {
			a = nil
		}
		d.of[chosen] = a
	}
}

// anyNumber is the alternative of a choice that may be any number which the other one may be, nil if none is.
func anyNumber(a *term.Atom) *term.Atom {
	if a.Kind != term.Select {
		return nil
	}
	for i, p := range a.Args {
		chosen := p.IsAtom()
		if chosen == nil || len(chosen.Args) > 0 || chosen.First != nil || chosen.Kind == term.Iter {
			continue
		}
		if lo, hi := a.Args[1-i].Range(); chosen.Lo <= lo && hi <= chosen.Hi {
			return chosen
		}
	}
	return nil
}

// chosenIf is the condition for an alternative of a choice.
func chosenIf(choice, chosen *term.Atom, t *term.Table) *term.Cond {
	if choice.Args[0].IsAtom() == chosen {
		return choice.If
	}
	return t.Not(choice.If)
}

// mayHold reports whether no condition of some is seen to rule out another one.
func (x *executor) mayHold(given []*term.Cond, c *term.Cond) bool {
	opposite := x.t.Not(c)
	return !slices.ContainsFunc(term.Conjuncts(given), func(g *term.Cond) bool {
		if g.Same(opposite) {
			return true
		}
		if g.Op == term.EqZero && c.P != nil { // a value is fixed, and may not be the one
			shared := false
			g.P.AllLeaves(func(a *term.Atom) { shared = shared || c.P.Mentions(a) })
			return shared
		}
		if g.Op != term.LeZero || c.Op != term.LeZero {
			return false
		}
		sum, isConst := x.t.Add(g.P, c.P).IsConst()
		return isConst && sum > 0
	})
}
