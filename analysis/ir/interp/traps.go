package interp

import (
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
)

// This file says of which launches it is known beforehand that nothing stops them.

// MayTrap reports whether some statement may end a launch with these arguments; false is certain, but
// for addresses that are moved by more than 512 GiB.
func (p *Program) MayTrap(args []Arg) bool {
	for i := range p.code {
		if p.instrMayTrap(&p.code[i]) {
			return true
		}
	}
	d := divisors{args: args, assigned: map[*ir.Reg][]ir.Expr{}}
	return !d.neverZero(p.Func)
}

func (p *Program) instrMayTrap(in *instr) bool {
	switch in.op {
	case opTrap, opAssume, opUnknown, opNamed, opMapa:
		return true
	case opLoadS32, opLoadU32, opLoad64, opLoad, opConvert, opNormalize, opCall: // a pointer may be any
		return in.t == ir.Ptr || in.op == opCall && p.calls[in.c].t == ir.Ptr
	case opBarrier:
		o := &p.stmts[in.c]
		b := o.stmt.(*ir.Barrier)
		if b.Level == ir.WarpLevel {
			return !p.allLanes(o)
		}
		return b.Mode != ir.BarrierSync || b.ID != nil || b.Count != nil
	case opWarp:
		o := &p.stmts[in.c]
		return o.stmt.(*ir.WarpOp).Op != "activemask" && !p.allLanes(o)
	}
	return false
}

// allLanes reports whether an operation's mask, its first operand, is constant and names all lanes.
func (p *Program) allLanes(o *operation) bool {
	mask := o.operands[0]
	return mask >= 0 && uint32(p.initial[mask]) == 1<<race.WarpSize-1
}

// divisors knows the numbers that a launch fixes, as far as divisors are made of them.
type divisors struct {
	args     []Arg
	assigned map[*ir.Reg][]ir.Expr // nil among them for what is no assignment
}

// neverZero reports whether all integer divisors of a function are such numbers, and none is 0.
func (d *divisors) neverZero(f *ir.Func) bool {
	var all []ir.Expr
	ir.WalkStmts(f.Body, func(s ir.Stmt) bool {
		if a, ok := s.(*ir.Assign); ok {
			d.assigned[a.Dst] = append(d.assigned[a.Dst], a.X)
		} else {
			for _, r := range ir.Defs(s) {
				d.assigned[r] = append(d.assigned[r], nil)
			}
		}
		ir.WalkExprs(s, func(e ir.Expr) {
			if b, ok := e.(*ir.Binary); ok && (b.Op == ir.Div || b.Op == ir.Rem) && !b.X.Type().IsFloat() {
				all = append(all, b.Y)
			}
		})
		return true
	})
	const deep = 8
	for _, e := range all {
		if v, ok := d.value(e, deep); !ok || v == 0 {
			return false
		}
	}
	return true
}

func (d *divisors) value(e ir.Expr, deep int) (uint64, bool) {
	if deep == 0 {
		return 0, false
	}
	switch e := e.(type) {
	case *ir.Const:
		return e.Bits, true
	case *ir.ParamRef:
		if i := e.P.Index; i < len(d.args) && !d.args[i].Pointer {
			return normalize(e.P.Type, d.args[i].Bits), true
		}
	case *ir.Builtin:
		return 1, e.Var == ir.BlockDim || e.Var == ir.GridDim // as far as 0 goes
	case *ir.RegRef:
		if from := d.assigned[e.R]; len(from) == 1 && from[0] != nil {
			return d.value(from[0], deep-1)
		}
	case *ir.Convert:
		if v, ok := d.value(e.X, deep-1); ok {
			return convert(e.T, e.X.Type(), v), true
		}
	}
	return 0, false
}
