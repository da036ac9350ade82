package access

import (
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/term"
)

// This file runs loops of the host that compute a number from constants, such as the next power of two of a size:
// what comes of them is a constant as well, and not what some round may give.

// maxKnownRounds bounds the rounds that are run.
const maxKnownRounds = 256

// known runs a loop to its end, if all that it reads is constant and it does nothing but compute. It reports whether
// it has; else nothing is changed.
func (x *executor) known(st *state, s *ir.Loop) bool {
	if !x.host || !x.ofConstants(st, s) {
		return false
	}
	n := len(st.facts)
	in := st.fork()
	for range maxKnownRounds {
		in = x.iteration(in, s, false)
		exits := x.exits[s.Label]
		switch {
		case in == nil && len(exits) == 1 && len(exits[0].facts) == n:
			delete(x.exits, s.Label)
			*st = *exits[0]
			return true
		case in == nil || len(exits) > 0 || len(in.facts) > n || x.ctx.Err() != nil:
			delete(x.exits, s.Label)
			return false
		}
	}
	return false
}

// ofConstants reports whether a loop only computes, and each register that it reads holds a constant before it or is
// set in it.
func (x *executor) ofConstants(st *state, s *ir.Loop) bool {
	yes, fixed := true, false
	ir.WalkStmts([]ir.Stmt{s}, func(inner ir.Stmt) bool {
		switch inner.(type) {
		case *ir.Loop:
			yes = yes && inner == ir.Stmt(s)
		case *ir.Assign, *ir.If, *ir.Block, *ir.Break, *ir.Continue:
		default:
			yes = false
		}
		for _, e := range ir.Operands(inner) {
			ir.WalkExpr(e, func(e ir.Expr) {
				switch e := e.(type) {
				case *ir.RegRef:
					c := isConstant(st.regs.of(e.R))
					fixed = fixed || c
					yes = yes && (c || slices.Contains(x.flow.assigned[s], e.R) && st.regs.of(e.R) == Value{})
				case *ir.ParamRef:
					yes = yes && isConstant(x.params[e.P])
				}
			})
		}
		return yes
	})
	return yes && fixed
}

func isConstant(v Value) bool {
	switch {
	case v.Base != nil:
		return false
	case v.P != nil:
		_, ok := v.P.IsConst()
		return ok
	}
	return v.Truth != nil && (v.Truth.Op == term.True || v.Truth.Op == term.False)
}
