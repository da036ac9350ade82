package interp

import "github.com/warplint/warplint/analysis/ir"

// This file finds the arithmetic that makes addresses. Signed arithmetic that overflows has no result in C++, so where
// a thread goes once an index of it did is a fact about the sizes that were tried, not about the code; the proofs
// assume that none does. What a mask, a remainder or a shift cuts is no such index: hashes overflow and mean it.

// indexed are the additions, subtractions and products whose results are parts of addresses.
func indexed(f *ir.Func) map[*ir.Binary]bool {
	found := map[*ir.Binary]bool{}
	registers := map[*ir.Reg]bool{}
	grown := true
	var part func(e ir.Expr)
	part = func(e ir.Expr) {
		switch e := e.(type) {
		case *ir.RegRef:
			grown = grown || !registers[e.R]
			registers[e.R] = true
		case *ir.PtrAdd:
			part(e.Base)
			part(e.Offset)
		case *ir.Convert:
			if e.T.IsInt() && e.X.Type().IsSigned() && e.T.Size() >= e.X.Type().Size() {
				part(e.X)
			}
		case *ir.Select:
			part(e.X)
			part(e.Y)
		case *ir.Binary:
			if e.Op == ir.Add || e.Op == ir.Sub || e.Op == ir.Mul {
				found[e] = true
				part(e.X)
				part(e.Y)
			}
		}
	}
	for grown {
		grown = false
		ir.WalkStmts(f.Body, func(s ir.Stmt) bool {
			switch s := s.(type) {
			case *ir.Load:
				part(s.Ptr)
			case *ir.Store:
				part(s.Ptr)
			case *ir.Atomic:
				part(s.Ptr)
			case *ir.Assign:
				if registers[s.Dst] {
					part(s.X)
				}
			}
			return true
		})
	}
	return found
}

// exact computes what an operation on signed 32-bit numbers would give if they were whole ones.
func exact(op opcode, x, y uint64) int64 {
	switch op {
	case opAddIndex:
		return int64(x) + int64(y)
	case opSubIndex:
		return int64(x) - int64(y)
	}
	return int64(x) * int64(y)
}
