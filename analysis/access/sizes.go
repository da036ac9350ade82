package access

import (
	"maps"

	"github.com/warplint/warplint/analysis/ir"
)

// This file finds the parameters of a kernel that are sizes, by their use.
//
// DESIGN. C++ makes a signed width unsigned where it meets blockIdx.x, as in `y * width + x` or
// `x < width`. Was it negative, the kernel would count modulo 2^32, which nobody means by a width; so it
// is assumed not to be, by name. An offset that is only added may well be negative. A part of a parameter, as the
// half of a row in `half = width / 2`, is a size if the whole is.

// sizes lists the parameters that, or parts of which, something that is no constant is multiplied by, divided by or
// compared with.
func sizes(body []ir.Stmt) map[*ir.Param]bool {
	out := map[*ir.Param]bool{}
	value := values(body)
	note := func(size, other ir.Expr) {
		p, ok := whole(value(size), value).(*ir.ParamRef)
		if _, isConst := ir.Unconverted(other).(*ir.Const); ok && !isConst && p.P.Type.IsInt() {
			out[p.P] = true
		}
	}
	ir.WalkStmts(body, func(s ir.Stmt) bool {
		ir.WalkExprs(s, func(e ir.Expr) {
			b, ok := e.(*ir.Binary)
			if !ok {
				return
			}
			switch b.Op {
			case ir.Mul, ir.Lt, ir.Le, ir.Gt, ir.Ge:
				note(b.X, b.Y)
				note(b.Y, b.X)
			case ir.Div, ir.Rem:
				note(b.Y, b.X)
			}
		})
		return true
	})
	return out
}

// whole is the number of which an expression is a part that a constant says.
func whole(e ir.Expr, value func(ir.Expr) ir.Expr) ir.Expr {
	for {
		part, ok := e.(*ir.Binary)
		if !ok || part.Op != ir.Div && part.Op != ir.Shr {
			return e
		}
		if _, known := ir.Unconverted(part.Y).(*ir.Const); !known {
			return e
		}
		e = value(part.X)
	}
}

// values gives for an expression the one that it is a name for: that of a register that is given one number only.
func values(body []ir.Stmt) func(ir.Expr) ir.Expr {
	made := map[*ir.Reg][]ir.Expr{}
	for a := range ir.All[*ir.Assign](body) {
		made[a.Dst] = append(made[a.Dst], a.X)
	}
	return func(e ir.Expr) ir.Expr {
		e = ir.Unconverted(e)
		if r, ok := e.(*ir.RegRef); ok && len(made[r.R]) == 1 {
			return ir.Unconverted(made[r.R][0])
		}
		return e
	}
}

// powersOfTwo is the assumption.
const powersOfTwo = "sizes whose predecessors are masks are powers of two"

// masked lists the parameters of which the kernel takes remainders as only those of powers of two are taken: by `x & (size - 1)`.
// Numbers for which that is something else nobody means, unless the kernel asks by `size & (size - 1)`, or takes remainders
// the other way, too.
func masked(body []ir.Stmt) map[*ir.Param]bool {
	value := values(body)
	out, others := map[*ir.Param]bool{}, map[*ir.Param]bool{}
	note := func(mask, other ir.Expr) {
		mask = value(mask)
		if not, ok := mask.(*ir.Unary); ok && not.Op == ir.BitNot { // rounded down to a multiple
			mask = value(not.X)
		}
		less, ok := mask.(*ir.Binary)
		if !ok || !isOneLess(less) {
			return
		}
		if size, ok := value(less.X).(*ir.ParamRef); ok && size.P.Type.IsInt() {
			if of, same := value(other).(*ir.ParamRef); same && of.P == size.P {
				others[size.P] = true
			}
			out[size.P] = true
		}
	}
	ir.WalkStmts(body, func(s ir.Stmt) bool {
		ir.WalkExprs(s, func(e ir.Expr) {
			switch b, _ := e.(*ir.Binary); {
			case b == nil:
			case b.Op == ir.And:
				note(b.X, b.Y)
				note(b.Y, b.X)
			case b.Op == ir.Rem:
				if by, ok := value(b.Y).(*ir.ParamRef); ok {
					others[by.P] = true
				}
			}
		})
		return true
	})
	maps.DeleteFunc(out, func(size *ir.Param, _ bool) bool { return others[size] })
	return out
}

// isOneLess reports whether an expression is `x - 1`.
func isOneLess(e *ir.Binary) bool {
	by, ok := ir.Unconverted(e.Y).(*ir.Const)
	return ok && e.Op == ir.Sub && by.Bits == 1
}
