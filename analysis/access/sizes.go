package access

import "github.com/warplint/warplint/analysis/ir"

// This file finds the parameters of a kernel that are sizes, by their use.
//
// DESIGN. C++ makes a signed width unsigned where it meets blockIdx.x, as in `y * width + x` or
// `x < width`. Was it negative, the kernel would count modulo 2^32, which nobody means by a width; so it
// is assumed not to be, by name. An offset that is only added may well be negative.

// sizes lists the parameters that something which is no constant is multiplied by, divided by or compared
// with.
func sizes(body []ir.Stmt) map[*ir.Param]bool {
	out := map[*ir.Param]bool{}
	note := func(size, other ir.Expr) {
		p, ok := converted(size).(*ir.ParamRef)
		if _, isConst := converted(other).(*ir.Const); ok && !isConst && p.P.Type.IsInt() {
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

// converted is what an expression converts.
func converted(e ir.Expr) ir.Expr {
	for {
		c, ok := e.(*ir.Convert)
		if !ok {
			return e
		}
		e = c.X
	}
}
