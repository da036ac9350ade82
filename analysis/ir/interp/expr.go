package interp

// This file defines how expressions are flattened.

import (
	"github.com/warplint/warplint/analysis/ir"
)

// expr returns the slot that holds an expression's value.
func (c *compiler) expr(e ir.Expr) int32 {
	switch e := e.(type) {
	case *ir.Const:
		return c.constant(normalize(e.T, e.Bits))
	case *ir.RegRef:
		return int32(e.R.ID)
	case *ir.ParamRef:
		return c.input(inputKey{ofParam, e.P.Index, 0}, input{param: e.P})
	case *ir.Builtin:
		return c.input(inputKey{ofBuiltin, int(e.Var), e.Axis}, input{builtin: e})
	case *ir.ObjAddr:
		return c.input(inputKey{ofObject, e.Obj.ID, 0}, input{object: e.Obj})
	case *ir.Convert:
		if keepsBits(e.T, e.X.Type()) {
			return c.expr(e.X)
		}
	}
	dst := c.temp()
	c.into(e, dst)
	return dst
}

// keepsBits reports whether a conversion changes nothing of a register's value.
func keepsBits(to, from ir.Type) bool {
	if to == from {
		return true
	}
	if to == ir.Bool || to.IsFloat() || from.IsFloat() {
		return false
	}
	if to.Size() == 8 {
		return true // values are held widened
	}
	return !from.IsSigned() && from.Bits() < to.Bits() || from.IsSigned() && to.IsSigned() && from.Bits() <= to.Bits()
}

// into emits code that leaves an expression's value in a slot. The slot is written last, so
// it may be an operand as well.
func (c *compiler) into(e ir.Expr, dst int32) {
	switch e := e.(type) {
	case *ir.PtrAdd:
		c.ptrAdd(e, dst)
	case *ir.Unary:
		c.unary(e, dst)
	case *ir.Binary:
		c.binary(e, dst)
	case *ir.Convert:
		c.convert(e, dst)
	case *ir.Select:
		c.choose(e, dst)
	case *ir.Call:
		c.call(e, dst)
	default:
		c.emit(instr{op: opMove, dst: dst, a: c.expr(e)})
	}
}

// ptrAdd fuses the usual base + index*size.
func (c *compiler) ptrAdd(e *ir.PtrAdd, dst int32) {
	base := c.expr(e.Base)
	if m, ok := e.Offset.(*ir.Binary); ok && m.Op == ir.Mul {
		if k, ok := m.Y.(*ir.Const); ok && int64(k.Bits) == int64(int32(k.Bits)) {
			c.emit(instr{op: opAddress, dst: dst, a: base, b: c.expr(m.X), c: int32(k.Bits)})
			return
		}
	}
	c.emit(instr{op: opAdd, dst: dst, a: base, b: c.expr(e.Offset)})
}

func (c *compiler) unary(e *ir.Unary, dst int32) {
	t := e.X.Type()
	x := c.expr(e.X)
	switch {
	case e.Op == ir.LogNot:
		c.emit(instr{op: opXor, dst: dst, a: x, b: c.constant(1)})
	case e.Op == ir.BitNot:
		c.emit(instr{op: opNot, dst: dst, a: x})
		c.normalize(t, dst)
	case t.IsFloat():
		sign := uint64(1) << (t.Size()*8 - 1)
		c.emit(instr{op: opXor, dst: dst, a: x, b: c.constant(sign)})
	default:
		c.emit(instr{op: opSub, dst: dst, a: c.constant(0), b: x})
		c.normalize(t, dst)
	}
}

// normalize cuts the value of a slot where the operation before may have left the width.
func (c *compiler) normalize(t ir.Type, dst int32) {
	if t.Size() < 8 {
		c.emit(instr{op: opNormalize, t: t, dst: dst, a: dst})
	}
}

func (c *compiler) binary(e *ir.Binary, dst int32) {
	switch {
	case (e.Op == ir.LogAnd || e.Op == ir.LogOr) && mayTrap(e.Y):
		c.shortCircuit(e, dst)
		return
	case e.X.Type().IsFloat():
		c.float(e, dst)
		return
	}
	x, y := c.expr(e.X), c.expr(e.Y)
	signed := e.X.Type().IsSigned()
	in := instr{dst: dst, a: x, b: y}
	switch e.Op {
	case ir.Add:
		in.op = opAdd
	case ir.Sub:
		in.op = opSub
	case ir.Mul:
		in.op = opMul
	case ir.Div:
		in.op = either(signed, opDivS, opDivU)
	case ir.Rem:
		in.op = either(signed, opRemS, opRemU)
	case ir.And, ir.LogAnd:
		in.op = opAnd
	case ir.Or, ir.LogOr:
		in.op = opOr
	case ir.Xor:
		in.op = opXor
	case ir.Shl:
		in.op = opShl
	case ir.Shr:
		in.op = either(signed, opShrS, opShrU)
	case ir.Min:
		in.op = either(signed, opMinS, opMinU)
	case ir.Max:
		in.op = either(signed, opMaxS, opMaxU)
	case ir.Eq:
		in.op = opEq
	case ir.Ne:
		in.op = opNe
	case ir.Lt, ir.Gt:
		in.op = either(signed, opLtS, opLtU)
	case ir.Le, ir.Ge:
		in.op = either(signed, opLeS, opLeU)
	}
	if e.Op == ir.Gt || e.Op == ir.Ge {
		in.a, in.b = y, x
	}
	if c.indexed[e] && e.X.Type() == ir.I32 {
		in.op = map[opcode]opcode{opAdd: opAddIndex, opSub: opSubIndex, opMul: opMulIndex}[in.op]
	}
	c.emitInteger(in, e.X.Type())
}

// emitInteger emits an operation on widened integers that may leave the type's width.
func (c *compiler) emitInteger(in instr, t ir.Type) {
	switch in.op {
	case opAdd, opSub, opMul:
		// the 32-bit forms follow the 64-bit one
		if t == ir.I32 {
			in.op++
		} else if t == ir.U32 {
			in.op += 2
		}
		c.emit(in)
		if t.Size() < 4 {
			c.normalize(t, in.dst)
		}
	case opDivS, opShl:
		c.emit(in)
		c.normalize(t, in.dst)
	default:
		c.emit(in)
	}
}

func (c *compiler) float(e *ir.Binary, dst int32) {
	x, y := c.expr(e.X), c.expr(e.Y)
	t := e.X.Type()
	op := e.Op
	switch op {
	case ir.Gt:
		op, x, y = ir.Lt, y, x
	case ir.Ge:
		op, x, y = ir.Le, y, x
	}
	in := instr{op: opFloat, t: t, dst: dst, a: x, b: y, c: int32(op)}
	if t == ir.F32 || t == ir.F64 {
		base := opcode(0)
		switch op {
		case ir.Add:
			base = opAddF32
		case ir.Sub:
			base = opSubF32
		case ir.Mul:
			base = opMulF32
		case ir.Div:
			base = opDivF32
		case ir.Eq:
			base = opEqF32
		case ir.Ne:
			base = opNeF32
		case ir.Lt:
			base = opLtF32
		case ir.Le:
			base = opLeF32
		}
		if base != 0 && t == ir.F64 {
			base += opAddF64 - opAddF32
		}
		if base != 0 {
			in.op = base
		}
	}
	c.emit(in)
}

// shortCircuit evaluates the right side only where C++ does, because it may trap.
func (c *compiler) shortCircuit(e *ir.Binary, dst int32) {
	t := c.temp()
	c.into(e.X, t)
	jump := c.emit(instr{op: either(e.Op == ir.LogAnd, opJumpUnless, opJumpIf), a: t})
	c.into(e.Y, t)
	c.patch(jump)
	c.emit(instr{op: opMove, dst: dst, a: t})
}

func (c *compiler) convert(e *ir.Convert, dst int32) {
	from := e.X.Type()
	x := c.expr(e.X)
	switch {
	case keepsBits(e.T, from):
		c.emit(instr{op: opMove, dst: dst, a: x})
	case from.IsFloat() || e.T.IsFloat():
		c.emit(instr{op: opConvert, t: e.T, dst: dst, a: x, c: int32(from)})
	case e.T == ir.Bool:
		c.emit(instr{op: opNe, dst: dst, a: x, b: c.constant(0)})
	default:
		c.emit(instr{op: opNormalize, t: e.T, dst: dst, a: x})
	}
}

func (c *compiler) choose(e *ir.Select, dst int32) {
	cond := c.expr(e.Cond)
	if !mayTrap(e.X) && !mayTrap(e.Y) {
		c.emit(instr{op: opSelect, dst: dst, a: c.expr(e.X), b: c.expr(e.Y), c: cond})
		return
	}
	t := c.temp()
	toElse := c.emit(instr{op: opJumpUnless, a: cond})
	c.into(e.X, t)
	toEnd := c.emit(instr{op: opJump})
	c.patch(toElse)
	c.into(e.Y, t)
	c.patch(toEnd)
	c.emit(instr{op: opMove, dst: dst, a: t})
}

// mayTrap reports whether an expression divides by an integer that may be zero.
func mayTrap(e ir.Expr) bool {
	found := false
	ir.WalkExpr(e, func(e ir.Expr) {
		b, ok := e.(*ir.Binary)
		if !ok || b.Op != ir.Div && b.Op != ir.Rem || b.T.IsFloat() {
			return
		}
		if k, ok := b.Y.(*ir.Const); !ok || k.Bits == 0 {
			found = true
		}
	})
	return found
}

func (c *compiler) call(e *ir.Call, dst int32) {
	if e.Name == "mapa" && len(e.Args) == 2 {
		c.emit(instr{op: opMapa, dst: dst, a: c.expr(e.Args[0]), b: c.expr(e.Args[1])})
		return
	}
	k := call{clock: clocks[e.Name], what: "call of " + e.Name, hash: hashString(e.Name), t: e.T, fn: pureFunction(e)}
	for _, a := range e.Args {
		k.args = append(k.args, c.expr(a))
	}
	c.p.calls = append(c.p.calls, k)
	c.emit(instr{op: opCall, dst: dst, c: int32(len(c.p.calls) - 1)})
}
