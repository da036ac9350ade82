package access

import (
	"fmt"
	"math"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/term"
)

// This file reads quotients that the host rounds as floating-point numbers: `(int)ceil((float)n / block)` is
// the number of blocks.

// ExactFloats is the assumption of rounded.
const ExactFloats = "sizes are exact as floating-point numbers"

// rounded is a floating-point number that is made an integer, where it is a ratio of integers, nil elsewhere.
func (x *executor) rounded(st *state, p *term.Poly, to ir.Type) *term.Poly {
	if !x.host || !to.IsInt() {
		return nil
	}
	up := false
	if name, args := applied(p); len(args) == 1 {
		switch strings.TrimSuffix(name, "f") {
		case "ceil":
			p, up = args[0], true
		case "floor", "trunc":
			p = args[0]
		}
	}
	num, den := x.ratio(p)
	if num == nil || !x.positive(st, den) {
		return nil
	}
	x.assume(ExactFloats)
	if up {
		num = x.t.Offset(x.t.Add(num, den), -1)
	}
	return x.divide(st, num, den, ir.I64, true)
}

// applied is the function and the arguments of a number that a function gives.
func applied(p *term.Poly) (name string, args []*term.Poly) {
	if a := p.IsAtom(); a != nil && a.Kind == term.Func {
		return a.Name, a.Args
	}
	return "", nil
}

// ratio reads a floating-point number as a quotient of integers, nil if it is none.
func (x *executor) ratio(p *term.Poly) (num, den *term.Poly) {
	t := x.t
	if a := p.IsAtom(); a != nil && a.Kind == term.Symbol {
		if whole, ok := wholeConstant(a); ok {
			return t.Const(whole), t.Const(1)
		}
		return nil, nil
	}
	name, args := applied(p)
	switch len(args) {
	case 1:
		var from, to string
		if n, _ := fmt.Sscanf(name, "%s to %s", &from, &to); n != 2 {
			return nil, nil
		}
		if strings.HasPrefix(from, "f") {
			return x.ratio(args[0])
		}
		return args[0], t.Const(1)
	case 2:
		a, b := x.ratio2(args[0], args[1])
		if a == nil {
			return nil, nil
		}
		switch name {
		case ir.Div.String():
			return t.Mul(a[0], b[1]), t.Mul(a[1], b[0])
		case ir.Mul.String():
			return t.Mul(a[0], b[0]), t.Mul(a[1], b[1])
		case ir.Add.String():
			return t.Add(t.Mul(a[0], b[1]), t.Mul(b[0], a[1])), t.Mul(a[1], b[1])
		case ir.Sub.String():
			return t.Sub(t.Mul(a[0], b[1]), t.Mul(b[0], a[1])), t.Mul(a[1], b[1])
		}
	}
	return nil, nil
}

// ratio2 reads two numbers as quotients, nil if one is none.
func (x *executor) ratio2(p, q *term.Poly) (a, b []*term.Poly) {
	m, n := x.ratio(p)
	k, l := x.ratio(q)
	if m == nil || k == nil {
		return nil, nil
	}
	return []*term.Poly{m, n}, []*term.Poly{k, l}
}

// wholeConstant is the number of a floating-point constant that is a whole one.
func wholeConstant(a *term.Atom) (int64, bool) {
	c := floatConstant(a, ir.F64)
	if c == nil {
		c = floatConstant(a, ir.F32)
	}
	if c == nil {
		return 0, false
	}
	const most = 1 << 31
	v := c.Float()
	return int64(v), v == math.Trunc(v) && math.Abs(v) < most
}
