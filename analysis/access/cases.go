package access

import (
	"slices"

	"github.com/warplint/warplint/analysis/term"
)

// This file makes of a launch whose pointers take turns, as those of two buffers that the host swaps in each round, one launch for
// each turn. In one launch all threads are given the same pointers; so a counter or a flag is one place, and turns that
// differ in the names of buffers only are alike. Other conditions stay part of one launch: nobody knows whether they ever hold.

// maxCases bounds the cases of a launch; with more, it stays one.
const maxCases = 4

// cases lists the launches that a launch is, by whose turn it is.
func (x *executor) cases(l *Launch) []*Launch {
	b := l.undecided()
	if b == nil {
		return []*Launch{l}
	}
	var out []*Launch
	for _, alt := range b.Either {
		if !saysWhoseTurn(alt.When) {
			return []*Launch{l}
		}
		one := x.inCase(l, alt.When)
		if one.undecided() == b {
			return []*Launch{l}
		}
		out = append(out, x.cases(one)...)
		if len(out) > maxCases || slices.ContainsFunc(out, func(l *Launch) bool { return l.undecided() != nil }) {
			return []*Launch{l}
		}
	}
	return out
}

// saysWhoseTurn reports whether a condition speaks of nothing but the rounds of loops.
func saysWhoseTurn(c *term.Cond) bool {
	all := true
	c.Walk(func(c *term.Cond) {
		c.P.Leaves(func(a *term.Atom) { all = all && a.Kind == term.Iter })
	})
	return all
}

// undecided is what a pointer of a launch points to if that is one of several, nil if each points to one.
func (l *Launch) undecided() *Base {
	for _, v := range l.Args {
		if v.Base != nil && len(v.Base.Either) > 0 {
			return v.Base
		}
	}
	for _, h := range l.held {
		for _, v := range [...]Value{h.In, h.To} {
			if v.Base != nil && len(v.Base.Either) > 0 {
				return v.Base
			}
		}
	}
	return nil
}

// inCase is a launch where a condition holds.
func (x *executor) inCase(l *Launch, when *term.Cond) *Launch {
	out := *l
	out.When = append(slices.Clone(l.When), term.Conjuncts([]*term.Cond{when})...)
	out.Args = slices.Clone(l.Args)
	for i, v := range out.Args {
		out.Args[i] = x.pointerWhere(v, out.When)
	}
	out.held = nil
	for _, h := range l.held {
		out.held = append(out.held, Held{x.pointerWhere(h.In, out.When), x.pointerWhere(h.To, out.When), h.Type, h.Rounds})
	}
	x.inKnownRounds(&out)
	return &out
}

// inKnownRounds has the arguments of a launch be what they are in a round that its conditions name: an element of a table that one
// round takes may be the one that another argument is.
func (x *executor) inKnownRounds(l *Launch) {
	by := map[*term.Atom]*term.Poly{}
	for _, c := range l.When {
		if c.Op != term.EqZero || len(c.P.Terms()) != 1 {
			continue
		}
		if one := c.P.Terms()[0]; len(one.Mono.Atoms) == 1 && one.Mono.Atoms[0].Kind == term.Iter && c.P.Constant()%one.Coef == 0 {
			by[one.Mono.Atoms[0]] = x.t.Const(-c.P.Constant() / one.Coef)
		}
	}
	if len(by) == 0 {
		return
	}
	in := x.renaming(by)
	for i, v := range l.Args {
		l.Args[i] = x.rename(in, v)
	}
	for i := range 3 {
		l.Grid[i], l.Block[i] = in.Poly(l.Grid[i]), in.Poly(l.Block[i])
	}
}

// pointerWhere is a pointer where conditions hold, without the memory that it then does not point to.
func (x *executor) pointerWhere(v Value, conds []*term.Cond) Value {
	if v.Base == nil || len(v.Base.Either) == 0 {
		return v
	}
	var left []Alternative
	for _, alt := range v.Base.Either {
		if !excluded(x.t, alt.When, conds) {
			left = append(left, alt)
		}
	}
	switch len(left) {
	case len(v.Base.Either), 0:
		return v
	case 1:
		v.P, v.Base = x.t.Add(v.P, left[0].To.P), left[0].To.Base
		return v
	}
	v.Base = &Base{Name: v.Base.Name, Space: v.Base.Space, Either: left}
	return v
}

// excluded reports whether a condition cannot hold where others do, as they are written.
func excluded(t *term.Table, c *term.Cond, where []*term.Cond) bool {
	return slices.ContainsFunc(term.Conjuncts([]*term.Cond{c}), func(c *term.Cond) bool { return term.Implies(where, t.Not(c)) })
}
