package access

import (
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/term"
)

// This file asks what holds on a path.

// asked remembers questions.
type asked struct {
	answers map[string]bool // by the question and what is connected with it
	numbers map[*term.Cond][]*term.Atom
}

// nonNegative reports whether a number can't be below 0 on this path.
func (x *executor) nonNegative(st *state, p *term.Poly) bool {
	if lo, _ := p.Range(); lo >= 0 {
		return true
	}
	return x.isOblong(p) || x.proves(st, x.t.Le(x.t.Const(0), p)) || x.factorsNonNegative(st, p)
}

// isOblong reports whether a number is the product of a whole number and the one before it, as in the place i·(i-1)/2 where a row of a
// triangle begins: no such product is below 0.
func (x *executor) isOblong(p *term.Poly) bool {
	side := x.t.Const(0)
	for _, m := range p.Terms() {
		if m.Coef < 0 {
			side = x.t.Sub(side, x.t.Monomial(m.Coef, m.Mono.Atoms))
		}
	}
	return len(side.Terms()) > 0 && len(side.Terms()) < len(p.Terms()) && x.t.Mul(side, x.t.Offset(side, -1)).Equal(p)
}

// factorsNonNegative reports whether a number is a sum of products of numbers that can't be below 0, and of a rest
// that can't be either.
func (x *executor) factorsNonNegative(st *state, p *term.Poly) bool {
	t, rest := x.t, p
	for _, m := range p.Terms() {
		if len(m.Mono.Atoms) < 2 {
			continue
		}
		if m.Coef < 0 {
			return false
		}
		for _, a := range m.Mono.Atoms {
			if a.Lo < 0 && !x.proves(st, t.Le(t.Const(0), t.Poly(a))) {
				return false
			}
		}
		rest = t.Sub(rest, t.Monomial(m.Coef, m.Mono.Atoms))
	}
	if rest.Equal(p) {
		return false
	}
	lo, _ := rest.Range()
	return lo >= 0 || x.proves(st, t.Le(t.Const(0), rest))
}

// multipliesNonNegative reports whether an expression is a product of two numbers that can't be below 0, as i·(2n - i - 1) is for a row
// i < n of a triangle.
func (x *executor) multipliesNonNegative(st *state, e ir.Expr) bool {
	product, ok := e.(*ir.Binary)
	if !ok || product.Op != ir.Mul || !product.T.IsInt() {
		return false
	}
	for _, factor := range [...]ir.Expr{product.X, product.Y} {
		if p := x.eval(st, factor).P; p == nil || !x.nonNegative(st, p) {
			return false
		}
	}
	wrapped := x.eval(st, product).P.IsAtom() // and so may be anything
	return wrapped == nil || wrapped.Kind != term.Wrap
}

// proves asks the solver, with a small budget, whether a condition holds on this path.
func (x *executor) proves(st *state, c *term.Cond) bool {
	switch c.Op {
	case term.True:
		return true
	case term.False:
		return false
	}
	conds := st.conds()
	if term.Implies(conds, c) {
		return true
	}
	near := map[*term.Atom]bool{}
	for _, a := range x.numbersOf(c) {
		near[a] = true
	}
	conds = x.connected(conds, near)
	key := []byte(c.Key())
	for _, f := range conds {
		key = append(key, f.Key()...)
	}
	if yes, ok := x.asked.answers[string(key)]; ok {
		return yes
	}
	const cases = 8
	x.solver.Budget = cases
	yes := x.solver.Entails(conds, c)
	if x.asked.answers == nil {
		x.asked.answers = map[string]bool{}
	}
	x.asked.answers[string(key)] = yes
	return yes
}

// connected lists the conditions that share a number with some, directly or through others, and adds theirs.
// Those that don't can contradict each other only, which happens in code that no thread reaches; and a path of
// the host, which checks each call for an error, is full of them.
func (x *executor) connected(conds []*term.Cond, near map[*term.Atom]bool) []*term.Cond {
	kept := make([]bool, len(conds))
	n := 0
	for changed := true; changed; {
		changed = false
		for i, c := range conds {
			if kept[i] {
				continue
			}
			numbers := x.numbersOf(c)
			if !slices.ContainsFunc(numbers, func(a *term.Atom) bool { return near[a] }) {
				continue
			}
			for _, a := range numbers {
				near[a] = true
			}
			kept[i], changed = true, true
			n++
		}
	}
	out := make([]*term.Cond, 0, n)
	for i, c := range conds {
		if kept[i] {
			out = append(out, c)
		}
	}
	return out
}

// numbersOf lists the numbers that a condition speaks of, with those that their axioms do.
func (x *executor) numbersOf(c *term.Cond) []*term.Atom {
	if known, ok := x.asked.numbers[c]; ok {
		return known
	}
	var out []*term.Atom
	seen := map[*term.Atom]bool{}
	var add func(*term.Cond)
	note := func(a *term.Atom) {
		if seen[a] {
			return
		}
		seen[a] = true
		out = append(out, a)
		for _, axiom := range x.sum.Axioms(a) {
			add(axiom)
		}
	}
	add = func(c *term.Cond) {
		c.Walk(func(c *term.Cond) { c.P.Leaves(note) })
	}
	add(c)
	if x.asked.numbers == nil {
		x.asked.numbers = map[*term.Cond][]*term.Atom{}
	}
	x.asked.numbers[c] = out
	return out
}
