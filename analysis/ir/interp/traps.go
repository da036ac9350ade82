package interp

import "github.com/warplint/warplint/analysis/ir"

// This file says of which launches it is known beforehand that nothing stops them.

// MayTrap reports whether some statement may end a launch with these arguments; false is certain, but
// for addresses that are moved by more than 512 GiB.
func (p *Program) MayTrap(args []Arg) bool {
	for i := range p.code {
		if p.instrMayTrap(&p.code[i], args) {
			return true
		}
	}
	return false
}

func (p *Program) instrMayTrap(in *instr, args []Arg) bool {
	switch in.op {
	case opTrap, opAssume, opUnknown, opNamed, opMapa:
		return true
	case opDivS, opDivU, opRemS, opRemU:
		return !p.neverZero(in.b, args)
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
	return mask >= 0 && uint32(p.initial[mask]) == 1<<warpSize-1
}

// neverZero reports whether a slot holds a constant other than 0, or such an argument. Only constants
// have another initial value.
func (p *Program) neverZero(slot int32, args []Arg) bool {
	if p.initial[slot] != 0 {
		return true
	}
	for _, in := range p.inputs {
		if in.slot == slot && in.param != nil && in.param.Index < len(args) {
			return normalize(in.param.Type, args[in.param.Index].Bits) != 0
		}
	}
	return false
}
