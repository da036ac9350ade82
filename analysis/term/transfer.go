package term

import (
	"cmp"
	"slices"
)

// This file copies terms of one table into another, so that what was computed once serves the
// analyses of several kernels. The table that they come from is only read.

// Transfer copies terms into a table; an atom has one copy in all of them.
type Transfer struct {
	to    *Table
	atoms map[*Atom]*Atom
}

// NewTransfer returns a transfer into a table.
func NewTransfer(to *Table) *Transfer {
	return &Transfer{to: to, atoms: map[*Atom]*Atom{}}
}

// Collect lists the atoms of a polynomial, with those that they are made of, in a set.
func Collect(p *Poly, into map[*Atom]bool) {
	for _, x := range p.terms {
		for _, a := range x.Mono.Atoms {
			if into[a] {
				continue
			}
			into[a] = true
			for _, arg := range a.Args {
				Collect(arg, into)
			}
			if a.If != nil {
				a.If.Walk(func(c *Cond) { Collect(c.P, into) })
			}
			if a.Halved != nil {
				Collect(a.Halved, into)
			}
			if a.First != nil {
				Collect(a.First, into)
			}
		}
	}
}

// Atoms copies atoms in the order in which they were made, which many choices between them go by.
func (tr *Transfer) Atoms(all map[*Atom]bool) {
	list := make([]*Atom, 0, len(all))
	for a := range all {
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b *Atom) int { return cmp.Compare(a.ID, b.ID) })
	for _, a := range list {
		tr.Atom(a)
	}
}

// Poly copies a polynomial.
func (tr *Transfer) Poly(p *Poly) *Poly {
	if c, ok := p.IsConst(); ok {
		return tr.to.Const(c)
	}
	terms := make([]Term, len(p.terms))
	for i, x := range p.terms {
		atoms := make([]*Atom, len(x.Mono.Atoms))
		for k, a := range x.Mono.Atoms {
			atoms[k] = tr.Atom(a)
		}
		slices.SortFunc(atoms, func(a, b *Atom) int { return cmp.Compare(a.ID, b.ID) })
		terms[i] = Term{tr.to.product(atoms), x.Coef}
	}
	slices.SortFunc(terms, func(a, b Term) int { return cmp.Compare(a.Mono.ID, b.Mono.ID) })
	return &Poly{terms: terms}
}

// Cond copies a condition.
func (tr *Transfer) Cond(c *Cond) *Cond {
	switch c.Op {
	case True:
		return always
	case False:
		return never
	}
	out := &Cond{Op: c.Op}
	if c.P != nil {
		out.P = tr.Poly(c.P)
	}
	for _, a := range c.Args {
		out.Args = append(out.Args, tr.Cond(a))
	}
	return out
}

// Atom copies an atom, once.
func (tr *Transfer) Atom(a *Atom) *Atom {
	if c, ok := tr.atoms[a]; ok {
		return c
	}
	c := tr.copy(a)
	tr.atoms[a] = c
	c.Ref, c.Power, c.Carried = a.Ref, a.Power, a.Carried
	if a.First != nil {
		c.First = tr.Poly(a.First)
	}
	if a.Halved != nil {
		c.Halved = tr.Poly(a.Halved)
	}
	return c
}

func (tr *Transfer) copy(a *Atom) *Atom {
	switch {
	case len(a.Args) > 0 || a.Kind == Func:
		args := make([]*Poly, len(a.Args))
		for i, p := range a.Args {
			args[i] = tr.Poly(p)
		}
		var cond *Cond
		if a.If != nil {
			cond = tr.Cond(a.If)
		}
		return tr.to.Apply(a.Kind, a.Name, a.Lo, a.Hi, cond, args...)
	case a.named:
		return tr.to.Named(a.Kind, a.Name, a.Lo, a.Hi, a.Variance)
	}
	return tr.to.add(&Atom{Kind: a.Kind, Name: a.Name, Lo: a.Lo, Hi: a.Hi, Variance: a.Variance, Loops: a.Loops, Side: a.Side})
}
