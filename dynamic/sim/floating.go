// This file decodes floating-point instructions that the table of operations does not have:
// other rounding modes, flushing, saturation, approximations, and half precision.

package sim

import (
	"math"

	"github.com/warplint/warplint/dynamic/ptx"
)

// floating decodes an instruction by composing its function on doubles; false if it is none.
func (t *translator) floating(in *ptx.Instr) bool {
	ty := in.Type(0)
	switch ty {
	case ptx.F16, ptx.BF16, ptx.F32, ptx.F64:
	default:
		return false
	}
	f, n := t.scalar(in, ty)
	if f == nil {
		return false
	}
	sources := []ptx.Type{ty, ty, ty}[:n]
	if ty == ptx.F64 && in.Op != ptx.Min && in.Op != ptx.Max {
		f = propagating(f)
	}
	t.mapped(in, f, ty, sources...)
	return true
}

// propagating gives the first NaN among the operands before it computes anything. Unused
// operands are zero.
func propagating(f func(x, y, z uint64) uint64) func(x, y, z uint64) uint64 {
	return func(x, y, z uint64) uint64 {
		for _, v := range [...]uint64{x, y, z} {
			if v&^(1<<63) > 0x7ff<<52 {
				return v | quietBit64
			}
		}
		return f(x, y, z)
	}
}

// format reads and writes the values of a type.
type format struct {
	read  func(x uint64) float64
	write func(v float64) uint64
}

const (
	floatWords = "rn rz rm rp ftz sat relu approx full NaN xorsign abs noftz"
)

func (t *translator) format(in *ptx.Instr, ty ptx.Type) format {
	mode := roundings[one(in, "rn rz rm rp", "rn")]
	n := format{t.readFloat(in, ty), t.writeFloat(in, ty, mode)}
	if in.Has("sat") {
		write := n.write
		n.write = func(v float64) uint64 { return write(saturate64(v)) }
	}
	return n
}

// scalar composes the function of an instruction and says how many operands it takes; nil if
// it is not known.
func (t *translator) scalar(in *ptx.Instr, ty ptx.Type) (f func(x, y, z uint64) uint64, operands int) {
	t.allow(in, floatWords)
	n := t.format(in, ty)
	mode := roundings[one(in, "rn rz rm rp", "rn")]
	if f := binaryFloat(in.Op, ty, mode); f != nil {
		return func(x, y, _ uint64) uint64 { return n.write(f(n.read(x), n.read(y))) }, 2
	}
	if f := unaryFloat(in, ty, mode); f != nil {
		return func(x, _, _ uint64) uint64 { return n.write(f(n.read(x))) }, 1
	}
	switch in.Op {
	case ptx.Fma, ptx.Mad:
		f := sumOfProduct(ty, mode)
		return func(x, y, z uint64) uint64 { return n.write(f(n.read(x), n.read(y), n.read(z))) }, 3
	case ptx.Neg, ptx.Abs:
		return t.signOperation(in, ty), 1
	case ptx.Min, ptx.Max:
		return t.extreme(in, n), 2
	}
	return nil, 0
}

// binaryFloat gives results that, rounded again to the type, are right: doubles are rounded in
// the instruction's mode, shorter types get a result rounded to odd.
func binaryFloat(op ptx.Opcode, ty ptx.Type, mode rounding) func(x, y float64) float64 {
	if ty == ptx.F64 {
		switch op {
		case ptx.Add:
			return func(x, y float64) float64 { return add64(x, y, mode) }
		case ptx.Sub:
			return func(x, y float64) float64 { return add64(x, -y, mode) }
		case ptx.Mul:
			return func(x, y float64) float64 { return mul64(x, y, mode) }
		case ptx.Div:
			return func(x, y float64) float64 { return div64(x, y, mode) }
		}
		return nil
	}
	switch op {
	case ptx.Add:
		return func(x, y float64) float64 { return sumOdd(x, y, mode) }
	case ptx.Sub:
		return func(x, y float64) float64 { return sumOdd(x, -y, mode) }
	case ptx.Mul:
		return func(x, y float64) float64 { return x * y } // exact
	case ptx.Div:
		return quotientToOdd
	}
	return nil
}

// sumOdd is sumToOdd with the zero that the mode asks for.
func sumOdd(x, y float64, mode rounding) float64 {
	if s := x + y; s == 0 {
		return zeroSum(x, y, mode)
	}
	return sumToOdd(x, y)
}

func quotientToOdd(x, y float64) float64 {
	q := x / y
	if q == 0 || !finite(x, y, q) {
		return q
	}
	return toOdd(q, math.FMA(-q, y, x)*math.Copysign(1, y))
}

// toOdd sets the last bit of a result that is off by something of the sign of rest.
func toOdd(q, rest float64) float64 {
	b := math.Float64bits(q)
	if rest == 0 || b&1 != 0 {
		return q
	}
	if (rest > 0) == (q > 0) {
		return math.Float64frombits(b + 1)
	}
	return math.Float64frombits(b - 1)
}

func rootToOdd(x float64) float64 {
	q := math.Sqrt(x)
	if q == 0 || !finite(x, q) {
		return q
	}
	return toOdd(q, math.FMA(-q, q, x))
}

func sumOfProduct(ty ptx.Type, mode rounding) func(x, y, z float64) float64 {
	if ty == ptx.F64 {
		return func(x, y, z float64) float64 { return fmaRounded(x, y, z, mode) }
	}
	return func(x, y, z float64) float64 { return sumOdd(x*y, z, mode) }
}

// unaryFloat has the roots, reciprocals and the approximate functions; these are computed in
// double precision, which is closer than what PTX asks for.
func unaryFloat(in *ptx.Instr, ty ptx.Type, mode rounding) func(x float64) float64 {
	switch in.Op {
	case ptx.Rcp:
		if ty == ptx.F64 {
			return func(x float64) float64 { return div64(1, x, mode) }
		}
		return func(x float64) float64 { return quotientToOdd(1, x) }
	case ptx.Sqrt:
		if ty == ptx.F64 {
			return func(x float64) float64 { return sqrtRounded(x, mode) }
		}
		return rootToOdd
	case ptx.Rsqrt:
		return func(x float64) float64 { return 1 / math.Sqrt(x) }
	case ptx.Sin:
		return math.Sin
	case ptx.Cos:
		return math.Cos
	case ptx.Ex2:
		return math.Exp2
	case ptx.Lg2:
		return math.Log2
	case ptx.Tanh:
		return math.Tanh
	}
	return nil
}

// signOperation is neg and abs for all types but double precision; a NaN becomes the canonical
// one.
func (t *translator) signOperation(in *ptx.Instr, ty ptx.Type) func(x, _, _ uint64) uint64 {
	sign := uint64(1) << (8*ty.Size() - 1)
	read, flush := t.readFloat(in, ty), in.Has("ftz")
	least := uint64(1) << fractionBits[ty] // the smallest normal number
	return func(x, _, _ uint64) uint64 {
		if v := read(x); v != v {
			return sign - 1
		}
		if flush && x&(sign-1) < least {
			x &= sign
		}
		if in.Op == ptx.Neg {
			return x ^ sign
		}
		return x &^ sign
	}
}

// extreme composes min and max with .NaN, .xorsign.abs and .ftz.
func (t *translator) extreme(in *ptx.Instr, n format) func(x, y, z uint64) uint64 {
	choose := max64
	if in.Op == ptx.Min {
		choose = min64
	}
	nan, xorsign := in.Has("NaN"), in.Has("xorsign")
	pick := func(x, y float64) float64 {
		if nan && (x != x || y != y) {
			return math.NaN()
		}
		if !xorsign {
			return f64(choose(math.Float64bits(x), math.Float64bits(y)))
		}
		sign := math.Copysign(1, x) * math.Copysign(1, y)
		return math.Copysign(f64(choose(math.Float64bits(math.Abs(x)), math.Float64bits(math.Abs(y)))), sign)
	}
	return func(x, y, _ uint64) uint64 {
		return n.write(pick(n.read(x), n.read(y)))
	}
}

// The packed types and the scalar type of their halves.
var halvesOf = map[ptx.Type]ptx.Type{
	ptx.F16x2: ptx.F16, ptx.BF16x2: ptx.BF16, ptx.F32x2: ptx.F32, ptx.U16x2: ptx.U16, ptx.S16x2: ptx.S16,
}

// packed decodes instructions on two values in one register; false if it is none.
func (t *translator) packed(in *ptx.Instr) bool {
	ty := in.Type(0)
	half, ok := halvesOf[ty]
	if !ok {
		return false
	}
	var f func(x, y, z uint64) uint64
	n := 2
	if half.Float() {
		f, n = t.scalar(in, half)
	} else {
		f = packedInteger(in.Op, half)
	}
	if f == nil {
		return false
	}
	shift := uint(8 * half.Size())
	mask := uint64(1)<<shift - 1
	sources := []ptx.Type{ty, ty, ty}[:n]
	t.mapped(in, func(x, y, z uint64) uint64 {
		low := f(x&mask, y&mask, z&mask)
		high := f(x>>shift, y>>shift, z>>shift)
		return low&mask | high<<shift
	}, ty, sources...)
	return true
}

func packedInteger(op ptx.Opcode, ty ptx.Type) func(x, y, z uint64) uint64 {
	less := func(x, y uint64) bool { return x < y }
	if ty == ptx.S16 {
		less = func(x, y uint64) bool { return int16(x) < int16(y) }
	}
	switch op {
	case ptx.Add:
		return func(x, y, _ uint64) uint64 { return x + y }
	case ptx.Min, ptx.Max:
		return func(x, y, _ uint64) uint64 {
			if less(x, y) == (op == ptx.Min) {
				return x
			}
			return y
		}
	}
	return nil
}

// setPacked decodes set.cmp.f16x2.f16x2 and its kin: 1.0 or all ones in each half.
func (t *translator) setPacked(in *ptx.Instr) {
	half := halvesOf[in.Type(1)]
	read := t.readFloat(in, half)
	compare := floatComparisons[one(in, comparisons, "")]
	if compare == nil || len(in.Operands) != 3 {
		t.unsupported()
	}
	yes := map[ptx.Type]uint64{ptx.F16x2: 0x3c00, ptx.BF16x2: 0x3f80}[in.Type(0)]
	if yes == 0 {
		yes = 0xffff
	}
	one := func(x, y uint64) uint64 {
		if compare(read(x), read(y)) {
			return yes
		}
		return 0
	}
	t.mapped(in, func(x, y, _ uint64) uint64 {
		return one(x&0xffff, y&0xffff) | one(x>>16&0xffff, y>>16&0xffff)<<16
	}, in.Type(0), in.Type(1), in.Type(1))
}

var floatComparisons = map[string]func(x, y float64) bool{
	"eq": func(x, y float64) bool { return x == y }, "ne": func(x, y float64) bool { return x < y || x > y },
	"lt": func(x, y float64) bool { return x < y }, "le": func(x, y float64) bool { return x <= y },
	"gt": func(x, y float64) bool { return x > y }, "ge": func(x, y float64) bool { return x >= y },
	"equ": func(x, y float64) bool { return !(x < y || x > y) }, "neu": func(x, y float64) bool { return x != y },
	"ltu": func(x, y float64) bool { return !(x >= y) }, "leu": func(x, y float64) bool { return !(x > y) },
	"gtu": func(x, y float64) bool { return !(x <= y) }, "geu": func(x, y float64) bool { return !(x < y) },
	"num": func(x, y float64) bool { return x == x && y == y }, "nan": func(x, y float64) bool { return x != x || y != y },
}
