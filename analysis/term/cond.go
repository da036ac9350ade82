package term

import "slices"

// CondOp says what a condition is made of.
type CondOp uint8

const (
	True CondOp = iota
	False
	LeZero // P ≤ 0
	EqZero // P = 0
	NeZero // P ≠ 0
	And
	Or
)

// Cond is a condition in negation normal form. It is immutable.
type Cond struct {
	Op   CondOp
	P    *Poly
	Args []*Cond
	text string
	not  *Cond // once it was asked for
}

var (
	always = &Cond{Op: True}
	never  = &Cond{Op: False}
)

// Always and Never are the constant conditions.
func Always() *Cond { return always }
func Never() *Cond  { return never }

// Le returns p ≤ q, Lt p < q, Eq p = q and Ne p ≠ q, decided at once where the bounds of the
// atoms decide it.
func (t *Table) Le(p, q *Poly) *Cond { return compare(LeZero, t.Sub(p, q)) }
func (t *Table) Lt(p, q *Poly) *Cond { return compare(LeZero, t.Offset(t.Sub(p, q), 1)) }
func (t *Table) Eq(p, q *Poly) *Cond { return t.equal(EqZero, t.Sub(p, q)) }
func (t *Table) Ne(p, q *Poly) *Cond { return t.equal(NeZero, t.Sub(p, q)) }

// Is is p = q as it stands: that `x < n ? 1 : 0` is 1 where x < n defines it, while Eq takes the one for the other.
func (t *Table) Is(p, q *Poly) *Cond { return compare(EqZero, t.Sub(p, q)) }

// equal is compare, where a number that says whether something holds says so: `(x < n ? 1 : 0) != 0` is `x < n`.
func (t *Table) equal(op CondOp, p *Poly) *Cond {
	chosen := chosenIn(p)
	if chosen == nil {
		return compare(op, p)
	}
	first, second := t.Substitute(p, chosen, chosen.Args[0]), t.Substitute(p, chosen, chosen.Args[1])
	if one, two := compare(op, first), compare(op, second); one.Op == two.Op {
		return one
	} else if one.Op == True {
		return chosen.If
	}
	return t.Not(chosen.If)
}

// chosenIn is the choice of 1 or 0 that all of p is made of but for a constant, nil for other numbers.
func chosenIn(p *Poly) (chosen *Atom) {
	for _, x := range p.terms {
		switch {
		case len(x.Mono.Atoms) == 0:
		case len(x.Mono.Atoms) != 1 || chosen != nil:
			return nil
		default:
			chosen = x.Mono.Atoms[0]
		}
	}
	if chosen == nil || chosen.Kind != Select {
		return nil
	}
	for _, arg := range chosen.Args {
		if n, ok := arg.IsConst(); !ok || n < 0 || n > 1 {
			return nil
		}
	}
	return chosen
}

func compare(op CondOp, p *Poly) *Cond {
	lo, hi := p.Range()
	switch op {
	case LeZero:
		if hi <= 0 {
			return always
		}
		if lo > 0 {
			return never
		}
	case EqZero, NeZero:
		if lo > 0 || hi < 0 {
			return constant(op == NeZero)
		}
		if lo == 0 && hi == 0 {
			return constant(op == EqZero)
		}
	}
	return &Cond{Op: op, P: p}
}

func constant(b bool) *Cond {
	if b {
		return always
	}
	return never
}

// Conj returns the conjunction of conditions, flattened.
func Conj(args ...*Cond) *Cond { return join(And, True, False, args) }

// Disj returns the disjunction of conditions, flattened.
func Disj(args ...*Cond) *Cond { return join(Or, False, True, args) }

func join(op, unit, zero CondOp, args []*Cond) *Cond {
	var flat conds
	var collect func(args []*Cond) bool
	collect = func(args []*Cond) bool {
		for _, c := range args {
			switch c.Op {
			case unit:
			case zero:
				return false
			case op:
				if !collect(c.Args) {
					return false
				}
			default:
				// x and not x: a branch and its opposite meet again.
				if n := opposite(c.Op); n != True && flat.has(&Cond{Op: n, P: c.P}) {
					return false
				}
				flat.add(c)
			}
		}
		return true
	}
	if !collect(args) {
		return constant(zero == True)
	}
	switch len(flat.list) {
	case 0:
		return constant(unit == True)
	case 1:
		return flat.list[0]
	}
	return &Cond{Op: op, Args: flat.list}
}

// opposite is what holds of a number where an equation does not, or the other way round; True for other operators.
func opposite(op CondOp) CondOp {
	switch op {
	case EqZero:
		return NeZero
	case NeZero:
		return EqZero
	}
	return True
}

// conds is a set of conditions, most often of few.
type conds struct {
	list []*Cond
	keys map[string]bool // nil while there are few
}

func (s *conds) has(c *Cond) bool {
	if s.keys != nil {
		return s.keys[c.key()]
	}
	return slices.ContainsFunc(s.list, c.Same)
}

func (s *conds) add(c *Cond) {
	const few = 16
	if s.has(c) {
		return
	}
	s.list = append(s.list, c)
	switch {
	case s.keys != nil:
		s.keys[c.key()] = true
	case len(s.list) > few:
		s.keys = map[string]bool{}
		for _, c := range s.list {
			s.keys[c.key()] = true
		}
	}
}

// Not returns the negation.
func (t *Table) Not(c *Cond) *Cond {
	switch {
	case c.Op == True:
		return never
	case c.Op == False:
		return always
	case c.not == nil:
		c.not = t.opposite(c)
	}
	return c.not
}

func (t *Table) opposite(c *Cond) *Cond {
	switch c.Op {
	case LeZero: // not (P ≤ 0) is 1 - P ≤ 0
		return compare(LeZero, t.Sub(t.Const(1), c.P))
	case EqZero:
		return &Cond{Op: NeZero, P: c.P}
	case NeZero:
		return &Cond{Op: EqZero, P: c.P}
	}
	args := make([]*Cond, len(c.Args))
	for i, a := range c.Args {
		args[i] = t.Not(a)
	}
	if c.Op == And {
		return Disj(args...)
	}
	return Conj(args...)
}

// Implies reports whether c holds wherever one of the given conditions does, by comparing
// them as they are written; it may say false where a solver would say true.
func Implies(given []*Cond, c *Cond) bool {
	if c.Op == True {
		return true
	}
	if c.Op == And {
		for _, a := range c.Args {
			if !Implies(given, a) {
				return false
			}
		}
		return true
	}
	for _, g := range given {
		if g.Same(c) || g.Op == And && Implies(g.Args, c) {
			return true
		}
	}
	return false
}

// Conjuncts lists what must hold for all of some conditions to hold, none of it a conjunction.
func Conjuncts(all []*Cond) (out []*Cond) {
	for _, c := range all {
		if c.Op == And {
			out = append(out, Conjuncts(c.Args)...)
		} else {
			out = append(out, c)
		}
	}
	return out
}

// Walk calls f for each comparison in the condition.
func (c *Cond) Walk(f func(*Cond)) {
	if c.P != nil {
		f(c)
	}
	for _, a := range c.Args {
		a.Walk(f)
	}
}

// Variance is the widest variance of the values compared.
func (c *Cond) Variance() Variance {
	v := Grid
	c.Walk(func(c *Cond) { v = max(v, c.P.Variance()) })
	return v
}

// Loops is the set of loops on whose iterations the condition depends.
func (c *Cond) Loops() uint64 {
	var l uint64
	c.Walk(func(c *Cond) { l |= c.P.Loops() })
	return l
}

// Key is a text that two conditions of one table share exactly if they are written alike.
func (c *Cond) Key() string { return c.key() }

// Same reports whether two conditions are written alike.
func (c *Cond) Same(d *Cond) bool {
	return c == d || c.Op == d.Op && (c.P == d.P || c.P != nil && d.P != nil && c.P.Equal(d.P)) && slices.EqualFunc(c.Args, d.Args, (*Cond).Same)
}

func (c *Cond) key() string {
	if c.text != "" {
		return c.text
	}
	switch c.Op {
	case True:
		return "T"
	case False:
		return "F"
	case LeZero:
		c.text = "l" + c.P.key()
	case EqZero:
		c.text = "e" + c.P.key()
	case NeZero:
		c.text = "n" + c.P.key()
	default:
		b := []byte{'0' + byte(c.Op), '('}
		for i, a := range c.Args {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, a.key()...)
		}
		c.text = string(append(b, ')'))
	}
	return c.text
}

// MapCond returns a condition with other numbers in the place of those that it compares with zero.
func (t *Table) MapCond(c *Cond, to func(*Poly) *Poly) *Cond {
	if c.P == nil {
		return c.eachArg(func(c *Cond) *Cond { return t.MapCond(c, to) })
	}
	if p := to(c.P); !p.Equal(c.P) {
		return compare(c.Op, p)
	}
	return c
}

// SubstituteCond replaces an atom by a polynomial in the comparisons of a condition.
func (t *Table) SubstituteCond(c *Cond, a *Atom, by *Poly) *Cond {
	if c.P != nil {
		if p := t.Substitute(c.P, a, by); p != c.P {
			return compare(c.Op, p)
		}
		return c
	}
	const joining = 10 // what an argument of a new condition costs, in terms
	d := c.eachArg(func(c *Cond) *Cond { return t.SubstituteCond(c, a, by) })
	switch {
	case d != c:
		t.Work += int64(1 + joining*len(c.Args))
	case len(c.Args) > 0:
		t.Work++
	}
	return d
}

// with is a comparison of another polynomial, or of the same one, whose atoms may have got narrower bounds.
func (c *Cond) with(p *Poly) *Cond {
	if d := compare(c.Op, p); d.P == nil || p != c.P {
		return d
	}
	return c
}

// eachArg changes the parts of a condition.
func (c *Cond) eachArg(change func(*Cond) *Cond) *Cond {
	var args []*Cond
	for i, x := range c.Args {
		y := change(x)
		if y != x && args == nil {
			args = append(make([]*Cond, 0, len(c.Args)), c.Args[:i]...)
		}
		if args != nil {
			args = append(args, y)
		}
	}
	switch {
	case args == nil:
		return c
	case c.Op == And:
		return Conj(args...)
	}
	return Disj(args...)
}
