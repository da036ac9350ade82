package access

import (
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/term"
)

// This file bounds registers that some rounds of a loop raise or lower, and that end the loop once they have come far
// enough: of `if (found) { list[c] = j; c++; if (c >= most) break; }` it says that c is below most, or what it was
// before the loop. Of the host's it says only how far one comes that each round halves, as the side of an image in its pyramid.

// maxLimits bounds the limits that are tried for one register.
const maxLimits = 4

// limits lists what holds of such registers at the start of any round, by induction over the rounds.
func (x *executor) limits(st *state, l *Loop, symbols, values map[*ir.Reg]Value, end *state) (out []*term.Cond) {
	if end == nil || l.Bit == 0 && !x.host {
		return nil
	}
	var counted []*term.Cond // what the number of the round says of others
	for _, r := range x.flow.assigned[l.Stmt] {
		if symbol, v := symbols[r].P, values[r].P; symbol != nil && v != nil && v != symbol && symbols[r].Base == nil && values[r].Base == nil {
			counted = append(counted, x.t.Eq(symbol, v))
		}
	}
	for _, r := range x.flow.assigned[l.Stmt] {
		symbol, ok := symbols[r]
		before, next := st.regs.of(r), end.regs.of(r)
		if !ok || r.Type.IsFloat() || symbol.P == nil || before.P == nil || next.P == nil || values[r] != symbol || next.Base != symbol.Base || x.dependsOnLoop(before.P, l) {
			continue
		}
		ends := x.ways(next.P, nil, maxChoices)
		var may []func(*term.Poly) *term.Cond
		switch {
		case !x.host:
			may = x.mayLimit(ends, symbol.P, end.conds()[len(st.facts):], l)
		case !isGiven(before.P) || !divided(ends, symbol.P):
			continue
		}
		for _, limit := range append(x.beginnings(before.P, ends, symbol.P), may[:min(len(may), maxLimits)]...) {
			holds := limit
			if !x.proves(st, limit(before.P)) {
				holds = func(p *term.Poly) *term.Cond { return term.Disj(x.t.Eq(p, before.P), limit(p)) }
			}
			if x.keeps(end, ends, symbol.P, holds, counted) {
				out = append(out, holds(symbol.P))
			}
		}
	}
	return out
}

// beginnings lists what may limit a register that a round does more to than add to it, such as the place in a heap from which
// one goes to `2 * p + 1`, or to `(p - 1) / 2`: what it was before the loop, and 0.
func (x *executor) beginnings(before *term.Poly, ends []way, symbol *term.Poly) []func(*term.Poly) *term.Cond {
	if !slices.ContainsFunc(ends, func(w way) bool { return x.t.Sub(w.then, symbol).MadeOf(symbol.IsAtom()) }) {
		return nil
	}
	t := x.t
	return []func(*term.Poly) *term.Cond{
		func(p *term.Poly) *term.Cond { return t.Le(before, p) },
		func(p *term.Poly) *term.Cond { return t.Le(p, before) },
		func(p *term.Poly) *term.Cond { return t.Le(t.Const(0), p) },
	}
}

// isGiven reports whether a number is one by itself, such as a parameter, or some times that, and made of no others.
func isGiven(p *term.Poly) bool {
	terms := p.Terms()
	return len(terms) == 1 && len(terms[0].Mono.Atoms) == 1 && len(terms[0].Mono.Atoms[0].Args) == 0
}

// divided reports whether a register becomes a part of itself, by a known number, whichever way a round goes.
func divided(ends []way, symbol *term.Poly) bool {
	return !slices.ContainsFunc(ends, func(w way) bool {
		part := w.then.IsAtom()
		if part == nil || part.Kind != term.Div && (part.Kind != term.Func || part.Name != ir.Shr.String()) || !part.Args[0].Equal(symbol) {
			return true
		}
		_, known := part.Args[1].IsConst()
		return !known
	})
}

// way is what a register may be at the end of a round, and when.
type way struct {
	when []*term.Cond
	then *term.Poly
}

// ways takes a number apart that hangs on conditions.
func (x *executor) ways(p *term.Poly, when []*term.Cond, choices int) []way {
	for _, m := range p.Terms() {
		if choices == 0 || m.Coef != 1 || len(m.Mono.Atoms) != 1 || m.Mono.Atoms[0].Kind != term.Select {
			continue
		}
		choice := m.Mono.Atoms[0]
		rest := x.t.Sub(p, x.t.Poly(choice))
		when = slices.Clip(when)
		return append(x.ways(x.t.Add(rest, choice.Args[0]), append(when, choice.If), choices-1),
			x.ways(x.t.Add(rest, choice.Args[1]), append(when, x.t.Not(choice.If)), choices-1)...)
	}
	return []way{{when, p}}
}

// mayLimit lists the limits that conditions, those of rounds that do not end the loop and those of each way, may set to what
// a register becomes; and those at what it begins anew with.
func (x *executor) mayLimit(ends []way, symbol *term.Poly, known []*term.Cond, l *Loop) (out []func(*term.Poly) *term.Cond) {
	t := x.t
	for _, w := range ends {
		if w.then.Equal(symbol) {
			continue
		}
		if !x.dependsOnLoop(w.then, l) { // it begins anew
			out = append(out, func(p *term.Poly) *term.Cond { return t.Le(w.then, p) }, func(p *term.Poly) *term.Cond { return t.Le(p, w.then) })
		}
		for _, k := range append(slices.Clip(known), w.when...) {
			k.Walk(func(c *term.Cond) {
				if c.Op != term.LeZero && c.Op != term.NeZero {
					return
				}
				for _, sign := range [...]int64{1, -1} {
					rest := t.Sub(c.P, t.Scale(sign, w.then))
					if x.dependsOnLoop(rest, l) {
						continue
					}
					if c.Op == term.NeZero {
						rest = t.Offset(rest, 1)
					}
					out = append(out, func(p *term.Poly) *term.Cond { return t.Le(t.Add(t.Scale(sign, p), rest), t.Const(0)) })
				}
			})
		}
	}
	return out
}

// keeps reports whether a condition that holds of a register at the start of a round does so at its end.
func (x *executor) keeps(end *state, ends []way, symbol *term.Poly, holds func(*term.Poly) *term.Cond, known []*term.Cond) bool {
	for _, w := range ends {
		if w.then.Equal(symbol) {
			continue
		}
		on := end.fork()
		for _, c := range slices.Concat(w.when, known, []*term.Cond{holds(symbol)}) {
			on.know(c)
		}
		if !x.proves(on, holds(w.then)) {
			return false
		}
	}
	return true
}
