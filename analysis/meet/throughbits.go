package meet

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/phase"
	"github.com/warplint/warplint/analysis/prove"
	"github.com/warplint/warplint/analysis/prove/bits"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file tells threads apart whose index goes through operations on bits after it was made of a block's number and a
// thread's, as in `out[__brev(i) >> 20]` or `out[i ^ i >> 1]`.
//
// DESIGN. The algebra knows that threads have different i, the bits that different i have different places; neither knows
// both. So the bits are asked about any two numbers in place of i: if two different ones cannot have one place, two threads
// that meet have the same i, which the algebra is told. That follows from the question, so nothing is assumed.

// throughBudget is for a pair, in cases of the solver.
const throughBudget = 60

// apartThroughBits shows that threads keep apart by a number that their index is computed from.
func (c *checker) apartThroughBits(a, b *access.Access, kind race.Kind, m phase.Mode) bool {
	number := c.computedFrom(a)
	if number == nil {
		number = c.computedFrom(b)
	}
	if number == nil || !prove.HasBits([]*term.Cond{{Op: term.EqZero, P: a.Off}, {Op: term.EqZero, P: b.Off}}) || c.lost >= maxLost || c.spent >= kernelBudget {
		return false
	}
	return c.once(c.key(a, b, kind, m).by("through bits"), func() bool {
		x, y, u := c.of(number, a), c.of(number, b), c.t.Poly(c.anyNumber(number))
		if x == nil || y == nil {
			return false
		}
		one, two := c.threads(a, b, kind, m)
		conds := overlap(c.t, one.Poly(x.Off), x.Size, two.Poly(y.Off), y.Size)
		for _, w := range x.When {
			conds = append(conds, one.Cond(w))
		}
		for _, w := range y.When {
			conds = append(conds, two.Cond(w))
		}
		if !c.solver.UnsatByBitsSoon(append(conds, c.t.Ne(one.Poly(u), two.Poly(u)))...) {
			return false
		}
		c.solver.Budget = throughBudget
		yes := c.solver.Unsat(append(c.question(a, b, kind, m), c.t.Eq(one.Poly(number), two.Poly(number)))...)
		c.spent += throughBudget - c.solver.Budget
		return yes
	})
}

// computedFrom is the one number, but for constants, that the digits and bits in an address are of; nil if there are
// several, or if it is no sum.
func (c *checker) computedFrom(a *access.Access) *term.Poly {
	var number *term.Poly
	several := false
	var walk func(p *term.Poly, within bool)
	walk = func(p *term.Poly, within bool) {
		operations := false
		for _, x := range p.Terms() {
			for _, at := range x.Mono.Atoms {
				if ofDigits(at) {
					operations = true
					for _, arg := range at.Args {
						walk(arg, true)
					}
				}
			}
		}
		if p = c.t.Offset(p, -p.Constant()); operations || !within || len(p.Terms()) == 0 || !varies(p) {
			return
		}
		several = several || number != nil && !number.Equal(p)
		number = p
	}
	walk(a.Off, false)
	if several || number == nil || len(number.Terms()) < 2 {
		return nil
	}
	return number
}

// ofDigits reports whether a number is made of the digits of others.
func ofDigits(a *term.Atom) bool {
	switch a.Kind {
	case term.Div, term.Rem, term.Wrap:
		return true
	case term.Func:
		return slices.Contains(bits.Operations, a.Name) || bits.Reversals[a.Name] > 0
	}
	return false
}

// varies reports whether a number differs between threads or rounds.
func varies(p *term.Poly) bool {
	found := false
	p.AllLeaves(func(x *term.Atom) { found = found || x.Variance > term.Grid || x.Loops != 0 })
	return found
}

// anyNumber stands for a number.
func (c *checker) anyNumber(of *term.Poly) *term.Atom {
	lo, hi := of.Range()
	return c.t.Named(term.Symbol, "any number for "+of.Key(), lo, hi, term.Thread)
}

// of is an access with any number in place of one that its address is computed from, and the conditions that speak of that
// alone or of the launch; nil if the address is of more.
func (c *checker) of(number *term.Poly, a *access.Access) *access.Access {
	var unit *term.Atom
	for _, x := range number.Terms() {
		if x.Coef == 1 && len(x.Mono.Atoms) == 1 && len(x.Mono.Atoms[0].Args) == 0 {
			unit = x.Mono.Atoms[0]
		}
	}
	if unit == nil {
		return nil
	}
	any := c.anyNumber(number)
	by := c.t.Sub(c.t.Poly(any), c.t.Sub(number, c.t.Poly(unit)))
	with := c.t.Rename(0, func(x *term.Atom) bool { return len(x.Args) == 0 }, func(x *term.Atom) *term.Poly {
		if x == unit {
			return by
		}
		return nil
	})
	alone := func(p *term.Poly) bool {
		yes := true
		p.AllLeaves(func(x *term.Atom) {
			yes = yes && (x == any || len(x.Args) > 0 || x.Variance <= term.Grid && x.Loops == 0)
		})
		return yes
	}
	out := *a
	if out.Off = with.Poly(a.Off); !alone(out.Off) {
		return nil
	}
	out.When = nil
	for _, w := range term.Conjuncts(a.When) {
		w = with.Cond(w)
		yes := true
		w.Walk(func(w *term.Cond) { yes = yes && alone(w.P) })
		if yes {
			out.When = append(out.When, w)
		}
	}
	return &out
}
