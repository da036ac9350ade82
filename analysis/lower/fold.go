package lower

// This file builds pure expressions and folds constants while it does: integers wrap at their
// width, as they do on the machine. What has no defined value, such as a division by zero, is
// left as it is.

import (
	"github.com/warplint/warplint/analysis/ir"
)

func constInt(t ir.Type, v int64) *ir.Const { return ir.IntegerConst(t, v) }

func constBool(b bool) *ir.Const { return ir.BoolConst(b) }

func isConst(e ir.Expr) (*ir.Const, bool) {
	c, ok := e.(*ir.Const)
	return c, ok
}

func isTrue(e ir.Expr) bool  { v, ok := ir.IntConst(e); return ok && v != 0 }
func isFalse(e ir.Expr) bool { v, ok := ir.IntConst(e); return ok && v == 0 }

// convert changes an expression's type, by value.
func convert(e ir.Expr, t ir.Type) ir.Expr {
	from := e.Type()
	if from == t || t == ir.Void {
		return e
	}
	if t == ir.Bool {
		return truth(e)
	}
	if c, ok := isConst(e); ok {
		if folded := ir.FoldConvert(c, t); folded != nil {
			return folded
		}
	}
	if in, is := e.(*ir.Convert); is && redundant(in, t) {
		return convert(in.X, t)
	}
	return &ir.Convert{T: t, X: e}
}

// redundant reports whether a conversion inside another one to t changes nothing: both are
// between integers of the same width.
func redundant(in *ir.Convert, t ir.Type) bool {
	return in.T.IsInt() && t.IsInt() && in.X.Type().IsInt() && in.T != ir.Bool && in.X.Type() != ir.Bool &&
		in.T.Size() == t.Size() && in.X.Type().Size() == t.Size()
}

// truth converts to bool: whether the value is not zero.
func truth(e ir.Expr) ir.Expr {
	if e.Type() == ir.Bool {
		return e
	}
	return binary(ir.Ne, e, zero(e.Type()))
}

func zero(t ir.Type) *ir.Const { return &ir.Const{T: t} }

func unary(op ir.Op, x ir.Expr) ir.Expr {
	if c, ok := isConst(x); ok {
		if folded := ir.FoldUnary(op, c); folded != nil {
			return folded
		}
	}
	if u, ok := x.(*ir.Unary); ok && u.Op == op && op == ir.LogNot {
		return u.X
	}
	return &ir.Unary{Op: op, X: x}
}

// binary applies an operator to operands of one type (shifts: any integer on the right).
func binary(op ir.Op, x, y ir.Expr) ir.Expr {
	t := x.Type()
	if op.IsCompare() || op == ir.LogAnd || op == ir.LogOr {
		t = ir.Bool
	}
	if e := foldLogic(op, x, y); e != nil {
		return e
	}
	cx, okx := x.(*ir.Const)
	cy, oky := y.(*ir.Const)
	if okx && oky {
		if folded := ir.FoldBinary(op, t, cx, cy); folded != nil {
			return folded
		}
	}
	if e := foldIdentity(op, x, y, cx, cy); e != nil {
		return e
	}
	return &ir.Binary{Op: op, T: t, X: x, Y: y}
}

func foldLogic(op ir.Op, x, y ir.Expr) ir.Expr {
	switch op {
	case ir.LogAnd:
		switch {
		case isFalse(x) || isTrue(y):
			return x
		case isTrue(x) || isFalse(y):
			return y
		}
	case ir.LogOr:
		switch {
		case isTrue(x) || isFalse(y):
			return x
		case isFalse(x) || isTrue(y):
			return y
		}
	}
	return nil
}

// foldIdentity drops operations by a neutral integer constant.
func foldIdentity(op ir.Op, x, y ir.Expr, cx, cy *ir.Const) ir.Expr {
	if cy != nil && cy.T.IsInt() {
		switch {
		case cy.Bits == 0 && (op == ir.Add || op == ir.Sub || op == ir.Or || op == ir.Xor || op == ir.Shl || op == ir.Shr):
			return x
		case cy.Bits == 1 && (op == ir.Mul || op == ir.Div):
			return x
		case cy.Bits == 0 && (op == ir.Mul || op == ir.And):
			return y
		}
	}
	if cx != nil && cx.T.IsInt() {
		switch {
		case cx.Bits == 0 && (op == ir.Add || op == ir.Or || op == ir.Xor):
			return y
		case cx.Bits == 1 && op == ir.Mul:
			return y
		case cx.Bits == 0 && (op == ir.Mul || op == ir.And):
			return x
		}
	}
	return nil
}

// foldCall is a call of a function that has no effect, or what it gives for a constant.
func foldCall(c *ir.Call) ir.Expr {
	if len(c.Args) == 1 {
		if x, ok := isConst(c.Args[0]); ok {
			if folded := ir.FoldCall(c.Name, c.T, x); folded != nil {
				return folded
			}
		}
	}
	return c
}

// selectExpr is c ? x : y.
func selectExpr(c, x, y ir.Expr) ir.Expr {
	switch {
	case isTrue(c):
		return x
	case isFalse(c):
		return y
	}
	return &ir.Select{Cond: c, X: x, Y: y}
}

// ptrAdd moves a pointer by bytes and joins constant offsets.
func ptrAdd(p, off ir.Expr) ir.Expr {
	c, ok := ir.IntConst(off)
	if ok && c == 0 {
		return p
	}
	if a, is := p.(*ir.PtrAdd); is && ok {
		if c0, ok0 := ir.IntConst(a.Offset); ok0 {
			return ptrAdd(a.Base, constInt(ir.I64, c0+c))
		}
	}
	return &ir.PtrAdd{Base: p, Offset: off}
}

// within says of a pointer that a subscript has moved from the begin of an array that its last element begins at some
// offset.
func within(begin, p ir.Expr, last int64) ir.Expr {
	a, moved := p.(*ir.PtrAdd)
	if !moved || a.Base != begin || last <= 0 {
		return p // a subscript of 0 moves nothing, and what moved the begin is none of this array
	}
	if _, constant := ir.IntConst(a.Offset); constant {
		return p
	}
	return &ir.PtrAdd{Base: begin, Offset: a.Offset, Last: last}
}

// rebuild makes an expression again from what f makes of the expressions it is made of, folded where that is
// possible; one without any is itself.
func rebuild(e ir.Expr, f func(ir.Expr) ir.Expr) ir.Expr {
	switch e := e.(type) {
	case *ir.Unary:
		return unary(e.Op, f(e.X))
	case *ir.Binary:
		return binary(e.Op, f(e.X), f(e.Y))
	case *ir.Convert:
		return convert(f(e.X), e.T)
	case *ir.Select:
		return selectExpr(f(e.Cond), f(e.X), f(e.Y))
	case *ir.PtrAdd:
		begin := f(e.Base)
		return within(begin, ptrAdd(begin, f(e.Offset)), e.Last)
	case *ir.Call:
		c := *e
		c.Args = make([]ir.Expr, len(e.Args))
		for i, a := range e.Args {
			c.Args[i] = f(a)
		}
		return &c
	}
	return e
}

// refersToRegs reports whether the expression reads a register: then its value changes when
// the register does.
func refersToRegs(e ir.Expr) bool {
	switch e := e.(type) {
	case *ir.RegRef:
		return true
	case *ir.PtrAdd:
		return refersToRegs(e.Base) || refersToRegs(e.Offset)
	case *ir.Unary:
		return refersToRegs(e.X)
	case *ir.Binary:
		return refersToRegs(e.X) || refersToRegs(e.Y)
	case *ir.Convert:
		return refersToRegs(e.X)
	case *ir.Select:
		return refersToRegs(e.Cond) || refersToRegs(e.X) || refersToRegs(e.Y)
	case *ir.Call:
		for _, a := range e.Args {
			if refersToRegs(a) {
				return true
			}
		}
	}
	return false
}

// small reports whether an expression is short enough to be repeated.
func small(e ir.Expr) bool { return weigh(e, 6) > 0 }

// weigh takes the number of nodes from a budget; what is left is positive if it suffices.
func weigh(e ir.Expr, budget int) int {
	if budget--; budget <= 0 {
		return 0
	}
	switch e := e.(type) {
	case *ir.PtrAdd:
		return weigh(e.Offset, weigh(e.Base, budget))
	case *ir.Unary:
		return weigh(e.X, budget)
	case *ir.Binary:
		return weigh(e.Y, weigh(e.X, budget))
	case *ir.Convert:
		return weigh(e.X, budget)
	case *ir.Select:
		return weigh(e.Y, weigh(e.X, weigh(e.Cond, budget)))
	case *ir.Call:
		for _, a := range e.Args {
			budget = weigh(a, budget)
		}
	}
	return budget
}
