package term

// This file computes terms from values of their atoms.

// Value computes a polynomial. Leaf gives the values of atoms without arguments and of
// functions; ok is false where a value is missing, a divisor is 0 or 64 bits do not suffice.
func (p *Poly) Value(leaf func(*Atom) (int64, bool)) (v int64, ok bool) {
	for _, t := range p.terms {
		prod := t.Coef
		for _, a := range t.Mono.Atoms {
			x, ok := a.value(leaf)
			if !ok {
				return 0, false
			}
			if prod, ok = mul(prod, x); !ok {
				return 0, false
			}
		}
		if v, ok = add(v, prod); !ok {
			return 0, false
		}
	}
	return v, true
}

func (a *Atom) value(leaf func(*Atom) (int64, bool)) (int64, bool) {
	if len(a.Args) == 0 || a.Kind == Func {
		return leaf(a)
	}
	if a.Kind == Select {
		c, ok := a.If.Holds(leaf)
		if !ok {
			return 0, false
		}
		if c {
			return a.Args[0].Value(leaf)
		}
		return a.Args[1].Value(leaf)
	}
	x, ok := a.Args[0].Value(leaf)
	if !ok {
		return 0, false
	}
	if a.Kind == Wrap {
		size := a.Hi - a.Lo + 1
		if size <= 0 {
			return x, true
		}
		return ((x-a.Lo)%size+size)%size + a.Lo, true
	}
	y, ok := a.Args[1].Value(leaf)
	if !ok {
		return 0, false
	}
	switch a.Kind {
	case Div, Rem:
		if y <= 0 || x < 0 {
			return 0, false
		}
		if a.Kind == Div {
			return x / y, true
		}
		return x % y, true
	case Min:
		return min(x, y), true
	}
	return max(x, y), true
}

// Holds computes a condition; ok is false where a value that decides it is missing.
func (c *Cond) Holds(leaf func(*Atom) (int64, bool)) (holds, ok bool) {
	switch c.Op {
	case True, False:
		return c.Op == True, true
	case And, Or:
		all := true
		for _, a := range c.Args {
			h, ok := a.Holds(leaf)
			if ok && h == (c.Op == Or) {
				return h, true
			}
			all = all && ok
		}
		return c.Op == And, all
	}
	v, ok := c.P.Value(leaf)
	switch c.Op {
	case LeZero:
		return v <= 0, ok
	case EqZero:
		return v == 0, ok
	}
	return v != 0, ok
}

// Leaves calls f for each atom that Value would ask for, arguments of compound atoms included.
func (p *Poly) Leaves(f func(*Atom)) {
	leaves{f: f}.of(p)
}

// Within calls f for each function and each atom without parts that an atom is made of.
func (a *Atom) Within(f func(*Atom)) {
	l := leaves{f: f, functions: true, seen: map[*Atom]bool{}}
	l.args(a)
}

// leaves is a walk to the atoms without parts, which looks into each compound atom once: atoms share
// their arguments, and there are exponentially many ways to them.
type leaves struct {
	f         func(*Atom)
	functions bool // to look into functions, too
	seen      map[*Atom]bool
}

func (l leaves) of(p *Poly) {
	for _, t := range p.terms {
		for _, a := range t.Mono.Atoms {
			if len(a.Args) == 0 || a.Kind == Func {
				l.f(a)
				if len(a.Args) == 0 || !l.functions {
					continue
				}
			}
			if l.seen == nil {
				l.seen = map[*Atom]bool{}
			}
			if !l.seen[a] {
				l.seen[a] = true
				l.args(a)
			}
		}
	}
}

func (l leaves) args(a *Atom) {
	if a.If != nil {
		a.If.Walk(func(c *Cond) { l.of(c.P) })
	}
	for _, q := range a.Args {
		l.of(q)
	}
}
