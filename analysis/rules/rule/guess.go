package rule

import (
	"reflect"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
)

// This file tells the plain read in front of a compare-and-swap from other plain reads.

// Rechecked reports whether an access is a plain read whose value a compare-and-swap of the
// same place compares with what is there: `old = *p; do … while (atomicCAS(p, old, …) != old)`,
// as the CUDA C++ Programming Guide writes it. A stale value costs another round then, and
// gives no wrong result.
func (c *Case) Rechecked(a *access.Access) bool {
	load, ok := a.Stmt.(*ir.Load)
	if !ok || Strong(a) {
		return false
	}
	copies := copiesOf(load.Dst, c.Func)
	found := false
	ir.WalkStmts(c.Func.Body, func(s ir.Stmt) bool {
		if cas, ok := s.(*ir.Atomic); ok && cas.Op == ir.AtomicCAS && reflect.DeepEqual(cas.Ptr, load.Ptr) {
			r := copied(cas.Compare)
			found = found || r != nil && copies[r]
		}
		return !found
	})
	return found
}

// copiesOf returns the registers that may hold a register's value unchanged.
func copiesOf(r *ir.Reg, f *ir.Func) map[*ir.Reg]bool {
	copies := map[*ir.Reg]bool{r: true}
	for grown := true; grown; {
		grown = false
		ir.WalkStmts(f.Body, func(s ir.Stmt) bool {
			if set, ok := s.(*ir.Assign); ok && !copies[set.Dst] && copies[copied(set.X)] {
				copies[set.Dst], grown = true, true
			}
			return true
		})
	}
	return copies
}

// copied is the register that an expression copies, with its bits kept or not; nil if it computes.
func copied(x ir.Expr) *ir.Reg {
	switch x := x.(type) {
	case *ir.RegRef:
		return x.R
	case *ir.Convert:
		return copied(x.X)
	case *ir.Call:
		if len(x.Args) == 1 && reinterprets[x.Name] {
			return copied(x.Args[0])
		}
	}
	return nil
}

// reinterprets are the intrinsics that change a value's type and keep its bits.
var reinterprets = map[string]bool{
	"__float_as_int": true, "__int_as_float": true, "__float_as_uint": true, "__uint_as_float": true,
	"__double_as_longlong": true, "__longlong_as_double": true,
}
