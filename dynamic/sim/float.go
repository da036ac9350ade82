// This file holds the floating-point functions of PTX with rounding to nearest even (PTX ISA,
// "Floating Point Instructions").

package sim

import (
	"math"
	"unsafe"
)

const (
	nan32 = 0x7fffffff // the NaN that single-precision instructions give
	nan64 = 0xfff8000000000000
)

func f32(x uint32) float32 { return math.Float32frombits(x) }
func f64(x uint64) float64 { return math.Float64frombits(x) }

// bits32 gives the bits of a result; every NaN becomes the canonical one.
func bits32(v float32) uint32 {
	if v != v {
		return nan32
	}
	return math.Float32bits(v)
}

func bits64(v float64) uint64 {
	if v != v {
		return nan64
	}
	return math.Float64bits(v)
}

// floats32 and floats64 see the registers of a warp as numbers.
func floats32(r *[32]uint32) *[32]float32 { return (*[32]float32)(unsafe.Pointer(r)) }
func floats64(r *[32]uint64) *[32]float64 { return (*[32]float64)(unsafe.Pointer(r)) }

var canonical32 = math.Float32frombits(nan32)

// quiet32 makes every NaN the canonical one.
func quiet32(v float32) float32 {
	if v != v {
		return canonical32
	}
	return v
}

// propagate64 is the NaN that an operation on doubles gives: the first one among its operands,
// or the default one if none was there.
func propagate64(operands ...float64) float64 {
	for _, v := range operands {
		if v != v {
			return math.Float64frombits(math.Float64bits(v) | quietBit64)
		}
	}
	return math.Float64frombits(nan64)
}

const quietBit64 = 1 << 51

// Negation and absolute value make a single NaN canonical, and leave a double one alone.

func negate32(x uint32) uint32 {
	if x&^(1<<31) > 0x7f800000 {
		return nan32
	}
	return x ^ 1<<31
}

func absolute32(x uint32) uint32 {
	if x &^= 1 << 31; x > 0x7f800000 {
		return nan32
	}
	return x
}

func negate64(x uint64) uint64 {
	if x&^(1<<63) > 0x7ff<<52 {
		return x | quietBit64
	}
	return x ^ 1<<63
}

func absolute64(x uint64) uint64 {
	if x&^(1<<63) > 0x7ff<<52 {
		return x | quietBit64
	}
	return x &^ (1 << 63)
}

// fma32 rounds once: the product is exact in double precision, and the sum's rounding to
// double shows in the single result only if that lies exactly between two singles, or is
// subnormal.
func fma32(x, y, z float32) float32 {
	s := float64(x)*float64(y) + float64(z)
	if plainSingle(s) {
		return float32(s)
	}
	return fma32Exact(x, y, z)
}

func fma32Exact(x, y, z float32) float32 {
	return float32(sumToOdd(float64(x)*float64(y), float64(z)))
}

// sumToOdd adds, rounding to odd: an inexact result has its last bit set, so that rounding it
// again to a much shorter format rounds correctly (Boldo and Melquiond).
func sumToOdd(x, y float64) float64 {
	s := x + y
	if s == 0 || math.IsInf(s, 0) || s != s {
		return s
	}
	t := s - x
	e := (x - (s - t)) + (y - t) // the exact error (Knuth's two-sum)
	b := math.Float64bits(s)
	if e == 0 || b&1 != 0 {
		return s
	}
	if (e > 0) == (s > 0) {
		return math.Float64frombits(b + 1)
	}
	return math.Float64frombits(b - 1)
}

func fma64(x, y, z float64) float64 { return math.FMA(x, y, z) }

// sqrt32: a double has more than twice the bits of a single, so rounding twice does no harm.
func sqrt32(x float32) float32 { return float32(math.Sqrt(float64(x))) }

func sqrt64(x float64) float64 { return math.Sqrt(x) }

// flush32 replaces a subnormal number by zero of its sign (.ftz).
func flush32(x float32) float32 {
	if b := math.Float32bits(x); b&0x7f800000 == 0 {
		return math.Float32frombits(b & (1 << 31))
	}
	return x
}

// toS32 and toU32 clamp whole numbers to their range; NaN becomes zero.

func toS32(v float64) uint32 {
	if v != v {
		return 0
	}
	return uint32(int32(max(min(v, math.MaxInt32), math.MinInt32)))
}

func toU32(v float64) uint32 {
	if v != v {
		return 0
	}
	return uint32(max(min(v, math.MaxUint32), 0))
}

// tiny32 rounds to single precision, flushing what is subnormal before it is rounded.
func tiny32(v float64) float32 {
	if math.Abs(v) < 0x1p-126 {
		return float32(math.Copysign(0, v))
	}
	return float32(v)
}

func fmaFlush32(x, y, z float32) float32 {
	if s := float64(x)*float64(y) + float64(z); math.Abs(s) < 0x1p-126 {
		return tiny32(s)
	}
	return fma32(x, y, z)
}

// saturate64 clamps to [0, 1]; NaN becomes +0 (.sat).
func saturate64(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	return min(x, 1)
}

// Minimum and maximum ignore a NaN operand and order -0 below +0.

func min32(x, y uint32) uint32 {
	a, b := f32(x), f32(y)
	switch {
	case a != a:
		return bits32(b)
	case b != b:
		return x
	case a < b, a == b && x>>31 == 1:
		return x
	}
	return y
}

func max32(x, y uint32) uint32 {
	a, b := f32(x), f32(y)
	switch {
	case a != a:
		return bits32(b)
	case b != b:
		return x
	case a > b, a == b && x>>31 == 0:
		return x
	}
	return y
}

func min64(x, y uint64) uint64 {
	a, b := f64(x), f64(y)
	switch {
	case a != a:
		return bits64(b)
	case b != b:
		return x
	case a < b, a == b && x>>63 == 1:
		return x
	}
	return y
}

func max64(x, y uint64) uint64 {
	a, b := f64(x), f64(y)
	switch {
	case a != a:
		return bits64(b)
	case b != b:
		return x
	case a > b, a == b && x>>63 == 0:
		return x
	}
	return y
}
