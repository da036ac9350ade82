package bits_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/warplint/warplint/analysis/term"
)

// This file makes random conjunctions over few variables of few values, and decides them by trying
// all values.

// source is where a generator gets its choices: random numbers, or the bytes of a fuzzer.
type source func(n int) int

func random(seed uint64) source {
	r := rand.New(rand.NewPCG(seed, 1))
	return r.IntN
}

// bytes takes choices from a text, and then zeros.
func bytes(text []byte) source {
	return func(n int) int {
		if len(text) == 0 {
			return 0
		}
		b := int(text[0])
		text = text[1:]
		return b % n
	}
}

type generator struct {
	pick   source
	t      *term.Table
	leaves []*term.Atom
}

func newGenerator(pick source) *generator {
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
	switch g.pick(9) {
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
	case 6:
		return apply(term.Func, []string{"shl", "shr"}[g.pick(2)], -1<<31, 1<<31-1, nil, p, q)
	}
	return apply(term.Func, []string{"and", "or", "xor"}[g.pick(3)], -1<<31, 1<<31-1, nil, p, q)
}

// valuation computes terms from values of variables.
type valuation map[*term.Atom]int64

func (v valuation) leaf(a *term.Atom) (int64, bool) {
	if a.Kind != term.Func {
		x, ok := v[a]
		return x, ok
	}
	x, ok1 := a.Args[0].Value(v.leaf)
	y, ok2 := a.Args[1].Value(v.leaf)
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

// holds computes a conjunction; ok is false if it hangs on an operation that has no value.
func (v valuation) holds(conds []*term.Cond) (holds, ok bool) {
	return term.Conj(conds...).Holds(v.leaf)
}

// truth is what trying all values shows.
type truth struct {
	model valuation // values that satisfy the conditions
	maybe bool      // others hang on an operation that has no value
}

func (g *generator) tryAll(conds []*term.Cond) truth {
	var out truth
	v := valuation{}
	var try func(i int)
	try = func(i int) {
		if out.model != nil {
			return
		}
		if i == len(g.leaves) {
			switch holds, ok := v.holds(conds); {
			case !ok:
				out.maybe = true
			case holds:
				out.model = valuation{}
				for a, x := range v {
					out.model[a] = x
				}
			}
			return
		}
		a := g.leaves[i]
		for x := a.Lo; x <= a.Hi; x++ {
			v[a] = x
			try(i + 1)
		}
	}
	try(0)
	return out
}
