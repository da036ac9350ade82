package term

// This file renames terms for a query about two threads: what both see alike stays one atom,
// what each has for itself becomes a copy.

// Renaming says what a side's copy of an atom is.
type Renaming struct {
	t    *Table
	side int8
	// Shared says that the side sees the same value as the other, so the atom stays.
	shared func(*Atom) bool
	// Replace gives an atom's copy by value, or nil; it is asked first.
	replace func(*Atom) *Poly
	// Edit may change a fresh copy's variance and loops; nil leaves them.
	Edit  func(*Atom)
	polys map[*Poly]*Poly
	atoms map[*Atom]*Atom
}

// Rename makes a renaming for one side; its copies are its own. Replace (which may be nil) is
// asked for each atom first, then shared.
func (t *Table) Rename(side int8, shared func(*Atom) bool, replace func(*Atom) *Poly) *Renaming {
	return &Renaming{t: t, side: side, shared: shared, replace: replace, polys: map[*Poly]*Poly{}, atoms: map[*Atom]*Atom{}}
}

// Poly renames a polynomial.
func (r *Renaming) Poly(p *Poly) *Poly {
	if q, ok := r.polys[p]; ok {
		return q
	}
	sum := p
	if !r.keeps(p) {
		sum = r.t.Const(0)
		for _, term := range p.terms {
			prod := r.t.Const(term.Coef)
			for _, a := range term.Mono.Atoms {
				prod = r.t.Mul(prod, r.Atom(a))
			}
			sum = r.t.Add(sum, prod)
		}
	}
	r.polys[p] = sum
	return sum
}

// keeps reports whether a polynomial is its own copy.
func (r *Renaming) keeps(p *Poly) bool {
	for _, term := range p.terms {
		for _, a := range term.Mono.Atoms {
			if r.replace != nil && r.replace(a) != nil || !r.shared(a) {
				return false
			}
		}
	}
	return true
}

// Atom renames an atom.
func (r *Renaming) Atom(a *Atom) *Poly {
	if r.replace != nil {
		if p := r.replace(a); p != nil {
			return p
		}
	}
	if r.shared(a) {
		return r.t.Poly(a)
	}
	if c, ok := r.atoms[a]; ok {
		return r.t.Poly(c)
	}
	var c *Atom
	if len(a.Args) == 0 {
		c = r.t.add(&Atom{Kind: a.Kind, Name: a.Name, Lo: a.Lo, Hi: a.Hi, Variance: a.Variance, Loops: a.Loops,
			Ref: a.Ref, Side: r.side, Power: a.Power, Carried: a.Carried, origin: a.Origin()})
		if a.Halved != nil {
			c.Halved = r.Poly(a.Halved)
		}
		if a.First != nil {
			c.First = r.Poly(a.First)
		}
		if r.Edit != nil {
			r.Edit(c)
		}
	} else {
		args := make([]*Poly, len(a.Args))
		for i, p := range a.Args {
			args[i] = r.Poly(p)
		}
		var cond *Cond
		if a.If != nil {
			cond = r.Cond(a.If)
		}
		c = r.t.Apply(a.Kind, a.Name, a.Lo, a.Hi, cond, args...)
		c.Ref = a.Ref
	}
	r.atoms[a] = c
	return r.t.Poly(c)
}

// Cond renames a condition.
func (r *Renaming) Cond(c *Cond) *Cond {
	if c.P != nil {
		return c.with(r.Poly(c.P))
	}
	return c.eachArg(r.Cond)
}
