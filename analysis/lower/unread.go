package lower

// This file drops copies of coordinates that nothing reads. `dim3 b = blockIdx` copies all three, of which a kernel may go
// on to read b.x alone: then its grids have one dimension.

import "github.com/warplint/warplint/analysis/ir"

func dropUnread(f *ir.Func) {
	copies, read := false, map[*ir.Reg]bool{}
	ir.WalkStmts(f.Body, func(s ir.Stmt) bool {
		copies = copies || copiedCoordinate(s) != nil
		for _, e := range ir.Operands(s) {
			ir.WalkExpr(e, func(e ir.Expr) {
				if r, ok := e.(*ir.RegRef); ok {
					read[r.R] = true
				}
			})
		}
		return true
	})
	if !copies {
		return
	}
	f.Body = ir.Rewrite(f.Body, func(s ir.Stmt) ir.Stmt {
		if r := copiedCoordinate(s); r != nil && !read[r] {
			return nil
		}
		return s
	})
}

// copiedCoordinate is the register that a statement sets to a built-in variable, or nil.
func copiedCoordinate(s ir.Stmt) *ir.Reg {
	if a, ok := s.(*ir.Assign); ok {
		if _, ok := a.X.(*ir.Builtin); ok {
			return a.Dst
		}
	}
	return nil
}
