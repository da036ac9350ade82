// Package trial makes queries for the tests of the solvers, and decides them by trying all values. It is
// the referee between the algebra, the bits and Z3, which must not contradict each other.
package trial

import (
	"fmt"
	"maps"
	"math/rand/v2"

	"github.com/warplint/warplint/analysis/term"
)

// This file makes random conjunctions over few variables of few values, and decides them.

// Source makes the choices of a generator: each is a number below n.
type Source func(n int) int

// Random makes them from a seed.
func Random(seed uint64) Source {
	r := rand.New(rand.NewPCG(seed, 1))
	return r.IntN
}

// Bytes takes them from a text, as fuzzers give it, and then zeros.
func Bytes(text []byte) Source {
	return func(n int) int {
		if len(text) == 0 {
			return 0
		}
		b := int(text[0])
		text = text[1:]
		return b % n
	}
}

// Query is a random conjunction.
type Query struct {
	Table  *term.Table
	Leaves []*term.Atom // its variables
	Conds  []*term.Cond
}

type generator struct {
	pick   Source
	t      *term.Table
	leaves []*term.Atom
}

// NewQuery makes a query.
func NewQuery(pick Source) *Query {
	g := newGenerator(pick)
	conds := g.query()
	return &Query{g.t, g.leaves, conds}
}

func newGenerator(pick Source) *generator {
	g := &generator{pick: pick, t: term.NewTable()}
	bounds := [][2]int64{{0, 7}, {-3, 4}, {0, 10}, {1, 4}, {-8, -2}, {5, 5}}
	for i := range 3 {
		b := bounds[pick(len(bounds))]
		g.leaves = append(g.leaves, g.t.Fresh(term.Symbol, fmt.Sprint("v", i), b[0], b[1], term.Variance(2*pick(2)), 0, nil))
	}
	return g
}

func (g *generator) query() []*term.Cond {
	var conds []*term.Cond
	for range 1 + g.pick(3) {
		conds = append(conds, g.cond(1))
	}
	return conds
}

func (g *generator) cond(depth int) *term.Cond {
	t := g.t
	if depth > 0 {
		switch g.pick(5) {
		case 0:
			return term.Disj(g.cond(depth-1), g.cond(depth-1))
		case 1:
			return term.Conj(g.cond(depth-1), g.cond(depth-1))
		case 2:
			return t.Not(g.cond(depth - 1))
		}
	}
	return g.compare(1 + g.pick(5)/4)
}

// compare compares two terms of some depth.
func (g *generator) compare(depth int) *term.Cond {
	t := g.t
	p, q := g.poly(depth), g.poly(depth)
	switch g.pick(4) {
	case 0:
		return t.Le(p, q)
	case 1:
		return t.Ne(p, q)
	}
	return t.Eq(p, q)
}

func (g *generator) poly(depth int) *term.Poly {
	t := g.t
	sum := t.Const(int64(g.pick(9) - 4))
	for range 1 + g.pick(2) {
		x := g.factor(depth)
		if g.pick(4) == 0 {
			x = t.Mul(x, g.factor(depth))
		}
		coefs := []int64{1, 1, -1, 2, -2, 3, 4, -12}
		sum = t.Add(sum, t.Scale(coefs[g.pick(len(coefs))], x))
	}
	return sum
}

func (g *generator) factor(depth int) *term.Poly {
	t := g.t
	if depth == 0 || g.pick(3) == 0 {
		return t.Poly(g.leaves[g.pick(len(g.leaves))])
	}
	p := g.poly(depth - 1)
	q := g.poly(depth - 1)
	lo, hi := p.Range()
	qlo, qhi := q.Range()
	apply := func(kind term.Kind, name string, lo, hi int64, c *term.Cond, args ...*term.Poly) *term.Poly {
		return t.Poly(t.Apply(kind, name, lo, hi, c, args...))
	}
	positive := t.Const(int64(1 + g.pick(8)))
	if g.pick(2) == 0 && qlo >= 1 {
		positive = q
	}
	_, divisor := positive.Range()
	switch g.pick(10) {
	case 0:
		return apply(term.Div, "div", 0, max(hi, 0), nil, p, positive)
	case 1:
		return apply(term.Rem, "rem", 0, divisor-1, nil, p, positive)
	case 2:
		types := []struct {
			name   string
			lo, hi int64
		}{{"u3", 0, 7}, {"s3", -4, 3}, {"u5", 0, 31}}
		w := types[g.pick(len(types))]
		return apply(term.Wrap, w.name, w.lo, w.hi, nil, p)
	case 3:
		return apply(term.Min, "min", min(lo, qlo), min(hi, qhi), nil, p, q)
	case 4:
		return apply(term.Max, "max", max(lo, qlo), max(hi, qhi), nil, p, q)
	case 5:
		return apply(term.Select, "select", min(lo, qlo), max(hi, qhi), g.compare(depth-1), p, q)
	case 9: // as butterflies index
		masked := apply(term.Func, "and", -1<<12, 1<<12-1, nil, p, q)
		return t.Sub(t.Scale(int64(1+g.pick(3)), p), t.Scale(int64(1+g.pick(4)), masked))
	case 6:
		return apply(term.Func, []string{"shl", "shr"}[g.pick(2)], -1<<12, 1<<12-1, nil, p, q)
	}
	return apply(term.Func, []string{"and", "or", "xor"}[g.pick(3)], -1<<12, 1<<12-1, nil, p, q)
}

// Digits makes a query about two numbers of which the digits, to radices that are variables, are put
// together in another order: two indices as threads compute them, now and then with a mistake.
func Digits(pick Source) *Query {
	t := term.NewTable()
	q := &Query{Table: t}
	leaf := func(name string, lo, hi int64, v term.Variance) *term.Poly {
		a := t.Fresh(term.Symbol, name, lo, hi, v, 0, nil)
		q.Leaves = append(q.Leaves, a)
		return t.Poly(a)
	}
	c, d, e := leaf("c", 1, 3, term.Grid), leaf("d", 1, 3, term.Grid), leaf("e", -1, 2, term.Grid)
	if pick(3) == 0 {
		c = t.Offset(t.Add(c, e), 1)
		q.Conds = append(q.Conds, t.Le(t.Const(1), c))
	}
	mistaken := func(p *term.Poly) *term.Poly {
		switch pick(24) {
		case 0:
			return d
		case 1:
			return t.Offset(p, int64(pick(3)-1))
		}
		return p
	}
	sizes := []*term.Poly{mistaken(c), mistaken(d), t.Offset(e, 2)} // of the places
	order := [][3]int{{0, 1, 2}, {1, 0, 2}, {2, 0, 1}, {0, 2, 1}, {1, 2, 0}, {2, 1, 0}}[pick(6)]
	units := map[int]*term.Poly{}
	unit := t.Const(1)
	for _, place := range order {
		units[place] = mistaken(unit)
		unit = t.Mul(unit, sizes[place])
	}
	most, nested := mistaken(t.Mul(t.Mul(c, d), t.Offset(e, 2))), pick(2) == 0
	var whole, indices [2]*term.Poly
	for side, name := range []string{"i", "j"} {
		whole[side] = leaf(name, 0, 11, term.Thread)
		digits := []*term.Poly{t.Remainder(whole[side], c), t.Remainder(t.Quotient(whole[side], c), d), t.Quotient(whole[side], t.Mul(c, d))}
		if nested {
			digits[1] = t.Quotient(t.Remainder(whole[side], t.Mul(c, d)), c)
			digits[2] = t.Quotient(t.Quotient(whole[side], d), c)
		}
		indices[side] = t.Const(0)
		for place, digit := range digits {
			indices[side] = t.Add(indices[side], t.Mul(units[place], digit))
		}
		q.Conds = append(q.Conds, t.Lt(whole[side], most))
	}
	q.Conds = append(q.Conds, t.Eq(indices[0], indices[1]), t.Ne(whole[0], whole[1]))
	return q
}

// Triangles makes a query about two elements of a triangle that is stored row by row, now and then with a
// mistake.
func Triangles(pick Source) *Query {
	t := term.NewTable()
	q := &Query{Table: t}
	block := []int64{1, 2, 3}[pick(3)]
	b, x, j := t.Fresh(term.Symbol, "b", 0, 2, term.Block, 0, nil), t.Fresh(term.Symbol, "x", 0, block-1, term.Thread, 0, nil), t.Fresh(term.Symbol, "j", 0, 7, term.Thread, 0, nil)
	i := t.Add(t.Scale(block, t.Poly(b)), t.Poly(x))
	at := t.Quotient(t.Mul(i, t.Offset(i, int64(1+pick(5)/4))), t.Const(2))
	if pick(3) == 0 {
		at = t.Mul(i, i)
	}
	at = t.Add(at, t.Scale(int64(1+pick(6)/5), t.Poly(j)))
	within := t.Le(t.Poly(j), t.Offset(i, int64(pick(6)/5)))
	none := func(*term.Atom) bool { return false }
	one, two := t.Rename(1, none, nil), t.Rename(2, none, nil)
	for _, of := range []*term.Renaming{one, two} {
		for _, a := range []*term.Atom{b, x, j} {
			q.Leaves = append(q.Leaves, of.Atom(a).IsAtom())
		}
		q.Conds = append(q.Conds, of.Cond(within))
	}
	differ := t.Ne(one.Poly(i), two.Poly(i))
	if pick(2) == 0 {
		differ = term.Disj(differ, t.Ne(one.Poly(t.Poly(j)), two.Poly(t.Poly(j))))
	}
	q.Conds = append(q.Conds, t.Eq(one.Poly(at), two.Poly(at)), differ)
	return q
}

// Values are values of variables.
type Values map[*term.Atom]int64

// Leaf gives the values that term.Poly.Value asks for.
func (v Values) Leaf(a *term.Atom) (int64, bool) {
	if a.Kind != term.Func {
		x, ok := v[a]
		return x, ok
	}
	x, ok1 := a.Args[0].Value(v.Leaf)
	y, ok2 := a.Args[1].Value(v.Leaf)
	if !ok1 || !ok2 {
		return 0, false
	}
	switch a.Name {
	case "and":
		x &= y
	case "or":
		x |= y
	case "xor":
		x ^= y
	case "shl", "shr":
		if y < 0 || y > 63 {
			return 0, false
		}
		if a.Name == "shr" {
			x >>= y
		} else if s := x << y; s>>y != x {
			return 0, false
		} else {
			x = s
		}
	}
	return x, a.Lo <= x && x <= a.Hi
}

// Hold computes a conjunction; ok is false if it hangs on an operation that has no value.
func (v Values) Hold(conds []*term.Cond) (hold, ok bool) {
	return term.Conj(conds...).Holds(v.Leaf)
}

// Truth is what trying all values shows.
type Truth struct {
	Model Values // values that satisfy the conditions, nil if there are none
	Maybe bool   // others hang on an operation that has no value, and may do so or not
}

// TryAll tries all values of the variables.
func (q *Query) TryAll() Truth {
	var out Truth
	v := Values{}
	var try func(i int)
	try = func(i int) {
		if out.Model != nil {
			return
		}
		if i == len(q.Leaves) {
			switch hold, ok := v.Hold(q.Conds); {
			case !ok:
				out.Maybe = true
			case hold:
				out.Model = maps.Clone(v)
			}
			return
		}
		a := q.Leaves[i]
		for x := a.Lo; x <= a.Hi; x++ {
			v[a] = x
			try(i + 1)
		}
	}
	try(0)
	return out
}

func (q *Query) String() string {
	text := fmt.Sprintf("%v\nvariables", term.Conj(q.Conds...))
	for _, a := range q.Leaves {
		text += fmt.Sprintf(" %s in [%d, %d]", a, a.Lo, a.Hi)
	}
	return text
}

// Large makes a query of numbers of any size that has a solution.
func Large(pick Source) *Query {
	g := newGenerator(pick)
	values := Values{}
	for i := range g.leaves {
		lo, hi, x := int64(0), int64(term.NoHi), int64(pick(1<<62))
		switch pick(3) {
		case 0:
			lo, hi, x = -1<<31, 1<<31-1, x%(1<<31)
		case 1:
			lo, x = term.NoLo, -x
		}
		g.leaves[i] = g.t.Fresh(term.Symbol, fmt.Sprint("large", i), lo, hi, term.Variance(2*pick(2)), 0, nil)
		values[g.leaves[i]] = x >> pick(62)
	}
	q := &Query{Table: g.t, Leaves: g.leaves}
	for _, a := range g.leaves {
		q.Conds = append(q.Conds, g.t.Eq(g.t.Poly(a), g.t.Const(values[a])))
	}
	p := g.poly(1)
	if x, ok := p.Value(values.Leaf); ok {
		q.Conds = append(q.Conds, g.t.Eq(p, g.t.Const(x)))
	}
	return q
}
