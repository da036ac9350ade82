// This file executes additions, subtractions and multiplications with the carry flag CC.CF (PTX
// ISA, "Extended-Precision Integer Arithmetic Instructions").

package sim

import (
	"math/bits"

	"github.com/warplint/warplint/dynamic/ptx"
)

// carryOp adds or subtracts with the flag.
type carryOp struct {
	wide, use, set bool
	multiply       bool // c += the low or high half of a*b
	high, signed   bool
	subtract       bool
}

func decodeCarry(t *translator, in *ptx.Instr) {
	uses := in.Op == ptx.Addc || in.Op == ptx.Subc || in.Op == ptx.Madc
	if !uses && !in.Has("cc") {
		t.arithmetic(in)
		return
	}
	ty := in.Type(0)
	if t.allow(in, "cc hi lo"); classOf(ty) == word && ty.Size() != 4 {
		t.unsupported()
	}
	op := &carryOp{
		wide: classOf(ty) == long, use: uses, set: in.Has("cc"), signed: ty.Signed(),
		multiply: in.Op == ptx.Mad || in.Op == ptx.Madc, high: in.Has("hi"),
		subtract: in.Op == ptx.Sub || in.Op == ptx.Subc,
	}
	n := 3
	if op.multiply {
		n = 4
	}
	t.operands(in, n, n)
	code := instr{
		run: runCarry, x: op, d: t.target(&in.Operands[0], ty),
		a: t.source(&in.Operands[1], ty), b: t.source(&in.Operands[2], ty),
	}
	if op.multiply {
		code.c = t.source(&in.Operands[3], ty)
	}
	t.emit(code)
}

func runCarry(w *warp, in *instr, m uint32) {
	op := in.x.(*carryOp)
	forLanes(m, func(i int) {
		x, y := w.lane(in.a, op.wide, i), w.lane(in.b, op.wide, i)
		if op.multiply {
			x, y = op.product(x, y), w.lane(in.c, op.wide, i)
		}
		carry := uint64(0)
		if op.use {
			carry = uint64(w.carry >> i & 1)
		}
		r, out := op.add(x, y, carry)
		w.setLane(in.d, op.wide, i, r)
		if op.set {
			setMask(&w.carry, 1<<i, out != 0)
		}
	})
}

func (op *carryOp) add(x, y, carry uint64) (r, out uint64) {
	if !op.wide {
		if op.subtract {
			r = x - y - carry
		} else {
			r = x + y + carry
		}
		return r & 0xffffffff, r >> 32 & 1
	}
	if op.subtract {
		return bits.Sub64(x, y, carry)
	}
	return bits.Add64(x, y, carry)
}

// product is the wanted half of a product.
func (op *carryOp) product(x, y uint64) uint64 {
	switch {
	case op.wide && op.high && op.signed:
		return mulHighSigned(x, y)
	case op.wide && op.high:
		return mulHigh(x, y)
	case op.wide:
		return x * y
	case op.high && op.signed:
		return uint64(uint32(uint64(int64(int32(x))*int64(int32(y))) >> 32))
	case op.high:
		return x * y >> 32
	}
	return x * y & 0xffffffff
}
