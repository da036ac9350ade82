package lower

// This file finds registers that are set once.

import (
	"maps"
	"slices"

	"github.com/warplint/warplint/analysis/ir"
)

// setTimes counts how often statements set each register.
func setTimes(body []ir.Stmt) map[*ir.Reg]int {
	times := map[*ir.Reg]int{}
	ir.WalkStmts(body, func(s ir.Stmt) bool {
		for _, r := range ir.Defs(s) {
			times[r]++
		}
		return true
	})
	return times
}

// onceSet gives the registers that are set once, such as the parameters of an inlined function, their values.
func onceSet(body []ir.Stmt) map[*ir.Reg]ir.Expr {
	times, out := setTimes(body), map[*ir.Reg]ir.Expr{}
	for a := range ir.All[*ir.Assign](body) {
		if times[a.Dst] == 1 {
			out[a.Dst] = a.X
		}
	}
	return out
}

// lasting gives of the registers that are set once those whose values hold as written wherever they are read: no part
// of them is set again.
func lasting(body []ir.Stmt) map[*ir.Reg]ir.Expr {
	times, out := setTimes(body), onceSet(body)
	maps.DeleteFunc(out, func(_ *ir.Reg, x ir.Expr) bool {
		return slices.ContainsFunc(ir.Registers(x), func(part *ir.Reg) bool { return times[part] > 1 })
	})
	return out
}
