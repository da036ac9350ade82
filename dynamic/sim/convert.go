// This file decodes cvt (PTX ISA, "cvt"): the common conversions are in the table of operations,
// the others are composed of reading one type and writing another.

package sim

import (
	"math"
	"math/big"

	"github.com/warplint/warplint/dynamic/ptx"
)

var roundings = map[string]rounding{
	"rn": nearestEven, "rz": towardZero, "rm": downward, "rp": upward, "rna": nearestAway,
	"rni": nearestEven, "rzi": towardZero, "rmi": downward, "rpi": upward,
}

func decodeCvt(t *translator, in *ptx.Instr) {
	t.allow(in, "rn rz rm rp rna rni rzi rmi rpi ftz sat relu satfinite")
	for i := range 2 {
		if _, ok := float8s[in.Type(i)]; ok {
			t.convertEight(in)
			return
		}
	}
	if len(in.Operands) == 3 {
		t.convertPair(in)
		return
	}
	t.operands(in, 2, 2)
	to, from := in.Type(0), in.Type(1)
	d, s := t.registerType(&in.Operands[0]), t.registerType(&in.Operands[1])
	exact := d.Size() == max(to.Size(), 2) && (s.Size() == max(from.Size(), 2) || s == ptx.NoType)
	if op, ok := operations[operationKey(in)]; ok && (exact || classOf(d) == classOf(to) && !to.Float() && to.Size() == 4) {
		if s == ptx.NoType || s.Size() >= from.Size() && classOf(s) == classOf(from) {
			t.emit(instr{run: op.run, d: t.target(&in.Operands[0], d), a: t.source(&in.Operands[1], from)})
			return
		}
	}
	f := t.conversion(in, to, from)
	if !to.Float() && d.Size() > to.Size() {
		narrow, extend := f, signExtension(to.Size(), d.Size())
		if !to.Signed() {
			extend = func(v uint64) uint64 { return v }
		}
		f = func(x, _, _ uint64) uint64 { return extend(narrow(x, 0, 0)) }
	}
	if s == ptx.NoType {
		s = from
	}
	if d == ptx.NoType || d.Size() < to.Size() || s.Size() < from.Size() {
		t.fail("registers of %s", mnemonic(in))
	}
	t.emit(instr{
		run: runMapping, d: t.target(&in.Operands[0], d), a: t.source(&in.Operands[1], s),
		x: &mapping{f: f, operandCount: 1, wideD: classOf(d) == long, wide: [3]bool{classOf(s) == long}},
	})
}

// conversion composes the function from the bits of one type to those of another.
func (t *translator) conversion(in *ptx.Instr, to, from ptx.Type) func(x, _, _ uint64) uint64 {
	mode := roundings[one(in, "rn rz rm rp rna rni rzi rmi rpi", "rn")]
	switch {
	case from.Float() && to.Float():
		return t.floatToFloat(in, to, from, mode)
	case from.Float():
		return t.floatToInt(in, to, from, mode)
	case to.Float():
		return t.intToFloat(in, to, from, mode)
	}
	saturate := in.Has("sat")
	read, write := readInt(from), writeInt(to)
	return func(x, _, _ uint64) uint64 {
		v := read(x)
		if saturate {
			v = clampInt(v, to)
		}
		return write(v)
	}
}

// wideInt is a 65-bit integer, big enough for all integer types.
type wideInt struct {
	bits     uint64
	negative bool // bits is then a negative int64
}

func readInt(ty ptx.Type) func(x uint64) wideInt {
	shift := 64 - 8*ty.Size()
	if ty.Signed() {
		return func(x uint64) wideInt {
			v := int64(x<<shift) >> shift
			return wideInt{uint64(v), v < 0}
		}
	}
	return func(x uint64) wideInt { return wideInt{x << shift >> shift, false} }
}

func writeInt(ty ptx.Type) func(v wideInt) uint64 {
	shift := 64 - 8*ty.Size()
	return func(v wideInt) uint64 { return v.bits << shift >> shift }
}

func clampInt(v wideInt, ty ptx.Type) wideInt {
	width := 8 * ty.Size()
	if !ty.Signed() {
		switch most := uint64(math.MaxUint64) >> (64 - width); {
		case v.negative:
			return wideInt{}
		case v.bits > most:
			return wideInt{most, false}
		}
		return v
	}
	most := uint64(math.MaxInt64) >> (64 - width)
	switch {
	case v.negative && int64(v.bits) < -int64(most)-1:
		return wideInt{^most, true}
	case !v.negative && v.bits > most:
		return wideInt{most, false}
	}
	return v
}

// readFloat gives a floating-point value as a double, which holds all of them exactly.
func (t *translator) readFloat(in *ptx.Instr, ty ptx.Type) func(x uint64) float64 {
	flush := in.Has("ftz")
	switch ty {
	case ptx.F16:
		return func(x uint64) float64 {
			if flush && x&0x7c00 == 0 {
				x &= 0x8000
			}
			return float64(half(uint16(x)))
		}
	case ptx.BF16:
		return func(x uint64) float64 { return float64(bfloat(uint16(x))) }
	case ptx.F32, ptx.TF32:
		return func(x uint64) float64 {
			v := f32(uint32(x))
			if flush {
				v = flush32(v)
			}
			return float64(v)
		}
	case ptx.F64:
		return f64
	}
	t.unsupported()
	return nil
}

// writeFloat rounds a double to a type.
func (t *translator) writeFloat(in *ptx.Instr, ty ptx.Type, mode rounding) func(v float64) uint64 {
	flush, relu, converts := in.Has("ftz"), in.Has("relu"), in.Op == ptx.Cvt
	var write func(v float64) uint64
	switch ty {
	case ptx.F16:
		write = func(v float64) uint64 {
			if flush && math.Abs(v) < 0x1p-14 {
				v = math.Copysign(0, v)
			}
			return uint64(roundHalf(v, mode))
		}
	case ptx.BF16:
		write = func(v float64) uint64 { return uint64(roundBfloat(v, mode)) }
	case ptx.TF32:
		// The bits of the number are rounded, those of a NaN as well.
		write = func(v float64) uint64 { return uint64(math.Float32bits(float32(v))+1<<12) &^ (1<<13 - 1) & 0xffffffff }
	case ptx.F32:
		write = func(v float64) uint64 {
			// Arithmetic flushes what is subnormal before it is rounded, conversions afterwards.
			if flush && !converts && math.Abs(v) < 0x1p-126 {
				v = math.Copysign(0, v)
			}
			r := round32(v, mode)
			if flush && converts {
				r = flush32(r)
			}
			return uint64(bits32(r))
		}
	case ptx.F64:
		write = bits64
	default:
		t.unsupported()
	}
	if in.Has("satfinite") && ty != ptx.TF32 {
		t.unsupported()
	}
	if relu {
		return func(v float64) uint64 { return write(max(v, 0)) }
	}
	return write
}

func (t *translator) floatToFloat(in *ptx.Instr, to, from ptx.Type, mode rounding) func(x, _, _ uint64) uint64 {
	read, write := t.readFloat(in, from), t.writeFloat(in, to, mode)
	integral := one(in, "rni rzi rmi rpi", "") != ""
	saturate := in.Has("sat")
	nan := nanConversion(to, from, in.Has("ftz"))
	return func(x, _, _ uint64) uint64 {
		v := read(x)
		if v != v && nan != nil && !saturate {
			return nan(x)
		}
		if integral {
			v = roundIntegral(v, mode)
		}
		if saturate {
			v = saturate64(v)
		}
		return write(v)
	}
}

// fractionBits has the widths of the fractions, as far as NaNs can be converted.
var fractionBits = map[ptx.Type]int{ptx.F16: 10, ptx.BF16: 7, ptx.F32: 23, ptx.TF32: 23, ptx.F64: 52}

// nanConversion converts NaNs where GPUs keep their bits: from and to double precision, as many
// as fit, made quiet; from bfloat16, and to tf32, as they are. Nil elsewhere: there is one NaN.
func nanConversion(to, from ptx.Type, flush bool) func(x uint64) uint64 {
	switch {
	case from == ptx.BF16 && to == ptx.F32:
		return func(x uint64) uint64 { return x << 16 & math.MaxUint32 }
	case to == ptx.TF32:
		return func(x uint64) uint64 { return uint64(uint32(x)) &^ (1<<13 - 1) }
	case from != ptx.F64 && to != ptx.F64:
		return nil
	}
	width := 8 * from.Size()
	drop, keep := uint(52-fractionBits[from]), uint(52-fractionBits[to])
	return func(x uint64) uint64 {
		if flush && from == ptx.F32 {
			x = nan32
		}
		payload := x << drop & (1<<52 - 1) >> keep
		top := uint64(1)<<(8*to.Size()-1-fractionBits[to]) - 1 // the exponent
		quiet := uint64(1) << (fractionBits[to] - 1)
		sign := x >> (width - 1) & 1 << (8*to.Size() - 1)
		return sign | top<<fractionBits[to] | payload | quiet
	}
}

func roundIntegral(v float64, mode rounding) float64 {
	switch mode {
	case towardZero:
		return math.Trunc(v)
	case downward:
		return math.Floor(v)
	case upward:
		return math.Ceil(v)
	}
	return math.RoundToEven(v)
}

// floatToInt clamps to the target's range; NaN becomes zero, or the least signed value where
// 64 bits take part (PTX ISA, "cvt").
func (t *translator) floatToInt(in *ptx.Instr, to, from ptx.Type, mode rounding) func(x, _, _ uint64) uint64 {
	read := t.readFloat(in, from)
	nan := uint64(0)
	if from == ptx.F64 || to.Size() == 8 {
		nan = 1 << (8*to.Size() - 1)
	}
	width, signed, write := 8*to.Size(), to.Signed(), writeInt(to)
	return func(x, _, _ uint64) uint64 {
		v := read(x)
		if v != v {
			return nan
		}
		v = roundIntegral(v, mode)
		if signed {
			limit := math.Ldexp(1, width-1)
			switch {
			case v >= limit:
				return 1<<(width-1) - 1
			case v < -limit:
				return 1 << (width - 1)
			}
			return write(wideInt{bits: uint64(int64(v))})
		}
		switch limit := math.Ldexp(1, width); {
		case v <= 0:
			return 0
		case v >= limit:
			return math.MaxUint64 >> (64 - width)
		}
		return uint64(v)
	}
}

func (t *translator) intToFloat(in *ptx.Instr, to, from ptx.Type, mode rounding) func(x, _, _ uint64) uint64 {
	read, write := readInt(from), t.writeFloat(in, to, mode)
	saturate := in.Has("sat")
	return func(x, _, _ uint64) uint64 {
		v := read(x)
		exact := new(big.Float).SetPrec(64)
		if v.negative {
			exact.SetInt64(int64(v.bits))
		} else {
			exact.SetUint64(v.bits)
		}
		if to == ptx.F64 {
			return bits64(saturateIf(roundBig(exact, mode), saturate))
		}
		// Rounded to odd, 53 bits are enough for a second rounding to a shorter format.
		return write(saturateIf(oddBig(exact), saturate))
	}
}

func saturateIf(v float64, saturate bool) float64 {
	if saturate {
		return saturate64(v)
	}
	return v
}

// convertPair decodes "cvt.rn.f16x2.f32 d, a, b": a becomes the upper half.
func (t *translator) convertPair(in *ptx.Instr) {
	to := map[ptx.Type]ptx.Type{ptx.F16x2: ptx.F16, ptx.BF16x2: ptx.BF16}[in.Type(0)]
	if to == ptx.NoType || in.Type(1) != ptx.F32 {
		t.unsupported()
	}
	f := t.conversion(in, to, ptx.F32)
	t.mapped(in, func(x, y, _ uint64) uint64 { return f(x, 0, 0)<<16 | f(y, 0, 0) }, ptx.B32, ptx.F32, ptx.F32)
}
