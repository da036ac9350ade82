package interp

// This file defines the values of registers and the conversions between types.
//
// A register holds 64 bits: signed integers extended by their sign, unsigned ones and Bool by
// zeros, floats as their IEEE bits. So comparisons, division and widening do not depend on
// the width; what may exceed the width is followed by normalize.

import (
	"math"

	"github.com/warplint/warplint/analysis/ir"
)

// normalize cuts an integer to the type's width and extends it again.
func normalize(t ir.Type, v uint64) uint64 {
	switch t {
	case ir.Bool:
		return v & 1
	case ir.I8:
		return uint64(int8(v))
	case ir.U8:
		return uint64(uint8(v))
	case ir.I16:
		return uint64(int16(v))
	case ir.U16, ir.F16:
		return uint64(uint16(v))
	case ir.I32:
		return uint64(int32(v))
	case ir.U32, ir.F32:
		return uint64(uint32(v))
	}
	return v
}

// cut gives a register's value the form that constants and listeners see: cut to the width.
func cut(t ir.Type, v uint64) uint64 {
	if t == ir.Bool {
		return v & 1
	}
	if n := uint(t.Size()) * 8; n < 64 {
		return v & (1<<n - 1)
	}
	return v
}

// ConvertBits converts bits cut to the width of one type to another as CUDA does; the result
// is cut to its width. Float to integer truncates and saturates; NaN gives 0, or the top bit
// if either side has 64 bits (PTX ISA, cvt).
func ConvertBits(to, from ir.Type, bits uint64) uint64 {
	return cut(to, convert(to, from, normalize(from, bits)))
}

// convert is ConvertBits on register values.
func convert(to, from ir.Type, v uint64) uint64 {
	switch {
	case from == to:
		return v
	case from.IsFloat() && to == ir.Bool:
		if toFloat(from, v) != 0 {
			return 1
		}
		return 0
	case from.IsFloat() && to.IsFloat():
		return fromFloat(to, toFloat(from, v))
	case from.IsFloat():
		return floatToInt(to, from, toFloat(from, v))
	case to.IsFloat():
		return intToFloat(to, from, v)
	case to == ir.Bool:
		if v != 0 {
			return 1
		}
		return 0
	}
	return normalize(to, v)
}

// toFloat widens a float register value; that is exact.
func toFloat(t ir.Type, v uint64) float64 {
	switch t {
	case ir.F16:
		return halfToFloat(uint16(v))
	case ir.F32:
		return float64(math.Float32frombits(uint32(v)))
	}
	return math.Float64frombits(v)
}

// fromFloat rounds to nearest even.
func fromFloat(t ir.Type, v float64) uint64 {
	switch t {
	case ir.F16:
		return uint64(floatToHalf(v))
	case ir.F32:
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(v)
}

// intToFloat rounds once, straight to the type.
func intToFloat(to, from ir.Type, v uint64) uint64 {
	signed := from.IsSigned()
	switch {
	case to == ir.F32 && signed:
		return uint64(math.Float32bits(float32(int64(v))))
	case to == ir.F32:
		return uint64(math.Float32bits(float32(v)))
	case signed:
		return fromFloat(to, float64(int64(v)))
	}
	return fromFloat(to, float64(v)) // exact wherever the result is a finite half
}

func floatToInt(to, from ir.Type, v float64) uint64 {
	if to == ir.Ptr {
		to = ir.U64
	}
	wide := to
	if to.Bits() < 32 { // the hardware converts to 32 bits, and the low ones are taken
		wide = ir.I32
		if !to.IsSigned() {
			wide = ir.U32
		}
	}
	if math.IsNaN(v) {
		if from != ir.F64 && wide.Bits() < 64 {
			return 0
		}
		return normalize(to, normalize(wide, 1<<(wide.Bits()-1)))
	}
	return normalize(to, saturate(wide, math.Trunc(v)))
}

// saturate turns a whole number into the nearest value of the type.
func saturate(t ir.Type, v float64) uint64 {
	if t.IsSigned() {
		limit := math.Ldexp(1, t.Bits()-1)
		switch {
		case v >= limit:
			return 1<<(t.Bits()-1) - 1
		case v < -limit:
			return ^uint64(0) << (t.Bits() - 1)
		}
		return uint64(int64(v))
	}
	switch {
	case v >= math.Ldexp(1, t.Bits()):
		return cut(t, ^uint64(0))
	case v <= 0:
		return 0
	}
	return uint64(v)
}

func halfToFloat(h uint16) float64 {
	sign := 1.0
	if h>>15 != 0 {
		sign = -1
	}
	exponent, fraction := int(h>>10&31), float64(h&1023)
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

// floatToHalf rounds to nearest even; NaN gives the canonical NaN of PTX.
func floatToHalf(v float64) uint16 {
	if math.IsNaN(v) {
		return 0x7fff
	}
	var sign uint16
	if math.Signbit(v) {
		sign = 1 << 15
	}
	v = math.Abs(v)
	if v >= 65520 { // halfway from the largest half to the next power
		return sign | 31<<10
	}
	if v == 0 {
		return sign
	}
	_, exponent := math.Frexp(v)
	exponent = max(exponent-1, -14)
	units := math.RoundToEven(math.Ldexp(v, 10-exponent)) // of the last place; at most 2048
	return sign | uint16(int(units)+(exponent+14)<<10)    // a normal number's 1024 units carry into the exponent
}

// fmaOdd computes x*y+z for factors whose product is exact in double precision, and rounds to
// odd, so that rounding the result to single or half precision is as good as rounding once.
func fmaOdd(x, y, z float64) float64 {
	p := x * y
	s := p + z
	bits := math.Float64bits(s)
	if bits&1 != 0 || math.IsInf(s, 0) || math.IsNaN(s) {
		return s
	}
	back := s - p
	rest := (p - (s - back)) + (z - back)
	switch {
	case rest == 0:
		return s
	case (rest > 0) == (s > 0):
		return math.Float64frombits(bits + 1)
	}
	return math.Float64frombits(bits - 1)
}

// minFloat and maxFloat prefer a number to NaN and order the zeros by their signs.
func minFloat(x, y float64) float64 {
	switch {
	case math.IsNaN(x):
		return y
	case math.IsNaN(y):
		return x
	}
	return math.Min(x, y)
}

func maxFloat(x, y float64) float64 {
	switch {
	case math.IsNaN(x):
		return y
	case math.IsNaN(y):
		return x
	}
	return math.Max(x, y)
}
