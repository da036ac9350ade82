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

// Operation computes the integer operations that have no polynomial; ok is false for other functions, and for a
// result that is outside of its bounds.
func (a *Atom) Operation(leaf func(*Atom) (int64, bool)) (v int64, ok bool) {
	if a.Kind != Func || len(a.Args) != 2 {
		return 0, false
	}
	x, ok1 := a.Args[0].Value(leaf)
	y, ok2 := a.Args[1].Value(leaf)
	if !ok1 || !ok2 {
		return 0, false
	}
	switch a.Name {
	case "sdiv", "srem":
		if y == 0 {
			return 0, false
		}
		if v = x / y; a.Name == "srem" {
			v = x % y
		}
	case "and":
		v = x & y
	case "or":
		v = x | y
	case "xor":
		v = x ^ y
	case "shl":
		if v = x << (y & 63); y < 0 || y > 62 || v>>y != x {
			return 0, false
		}
	case "shr":
		if v = x >> (y & 63); y < 0 || y > 63 {
			return 0, false
		}
	default:
		return 0, false
	}
	return v, v >= a.Lo && v <= a.Hi
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

// Leaves calls f once for each atom that Value would ask for, arguments of compound atoms
// included.
func (p *Poly) Leaves(f func(*Atom)) {
	p.leaves(&visited{}, func(a *Atom) bool { return a.Kind != Func }, f)
}

// AllLeaves is like Leaves, but calls f for the atoms in the arguments of functions, too.
func (p *Poly) AllLeaves(f func(*Atom)) { p.leaves(&visited{}, func(*Atom) bool { return true }, f) }

// MadeOf reports whether a leaf is in the polynomial, be it in the arguments of its atoms.
func (p *Poly) MadeOf(leaf *Atom) bool {
	found := false
	p.AllLeaves(func(a *Atom) { found = found || a == leaf })
	return found
}

// GrowsWith reports whether a leaf is in the polynomial otherwise than in remainders by numbers up to a limit, which are
// of the same size however large it is.
func (p *Poly) GrowsWith(leaf *Atom, limit int64) bool {
	found := false
	p.leaves(&visited{}, func(a *Atom) bool {
		by, fixed := int64(0), a.Kind == Rem
		if fixed {
			by, fixed = a.Args[1].IsConst()
		}
		return !fixed || by > limit
	}, func(a *Atom) { found = found || a == leaf })
	return found
}

// leaves looks at each atom once, and into those that it is told to: terms share their parts, and there may be
// exponentially many ways to one.
func (p *Poly) leaves(seen *visited, into func(*Atom) bool, f func(*Atom)) {
	for _, t := range p.terms {
		for _, a := range t.Mono.Atoms {
			if !seen.first(a) {
				continue
			}
			if len(a.Args) == 0 || a.Kind == Func {
				f(a)
			}
			if !into(a) {
				continue
			}
			a.If.leaves(seen, into, f)
			for _, q := range a.Args {
				q.leaves(seen, into, f)
			}
		}
	}
}

func (c *Cond) leaves(seen *visited, into func(*Atom) bool, f func(*Atom)) {
	if c == nil {
		return
	}
	if c.P != nil {
		c.P.leaves(seen, into, f)
	}
	for _, a := range c.Args {
		a.leaves(seen, into, f)
	}
}

// visited is a set of atoms, most often of few.
type visited struct {
	few  [12]*Atom
	n    int
	many Numbers
}

// first reports whether an atom is new, and adds it.
func (v *visited) first(a *Atom) bool {
	if v.many == nil {
		for _, old := range v.few[:v.n] {
			if old == a {
				return false
			}
		}
		if v.n < len(v.few) {
			v.few[v.n] = a
			v.n++
			return true
		}
		for _, old := range v.few {
			v.many.Add(old.ID)
		}
	}
	return v.many.Add(a.ID)
}
