// This file converts to and from pairs of numbers of eight bits (PTX ISA, "cvt": .e4m3x2, .e5m2x2).

package sim

import (
	"math"

	"github.com/warplint/warplint/dynamic/ptx"
)

// float8 is a format of eight bits: E4M3 has no infinity, and one NaN.
type float8 struct {
	fraction, bias int
	greatest       uint8 // the greatest finite number
}

const nan8 = 0x7f

var (
	e4m3    = float8{3, 7, 0x7e}
	e5m2    = float8{2, 15, 0x7b}
	float8s = map[ptx.Type]float8{ptx.E4M3x2: e4m3, ptx.E5M2x2: e5m2}
)

// convertEight decodes "cvt.rn.satfinite.e4m3x2.f32 d, a, b", where a becomes the upper half, and the conversions to and from f16x2.
func (t *translator) convertEight(in *ptx.Instr) {
	relu := in.Has("relu")
	limit := func(v float64) float64 {
		if relu && v == v {
			return max(v, 0)
		}
		return v
	}
	halves := func(x uint64, f func(h uint16) uint64, width int) uint64 {
		return f(uint16(x>>16))<<width | f(uint16(x))
	}
	to, narrow := float8s[in.Type(0)]
	from, widens := float8s[in.Type(1)]
	switch {
	case !in.Has("rn") || narrow && !in.Has("satfinite"):
	case narrow && in.Type(1) == ptx.F32 && len(in.Operands) == 3:
		round := func(x uint64) uint64 { return uint64(to.round(limit(float64(f32(uint32(x)))))) }
		t.mapped(in, func(x, y, _ uint64) uint64 { return round(x)<<8 | round(y) }, ptx.B16, ptx.F32, ptx.F32)
		return
	case narrow && in.Type(1) == ptx.F16x2 && len(in.Operands) == 2:
		t.mapped(in, func(x, _, _ uint64) uint64 {
			return halves(x, func(h uint16) uint64 { return uint64(to.round(limit(float64(half(h))))) }, 8)
		}, ptx.B16, ptx.B32)
		return
	case widens && in.Type(0) == ptx.F16x2 && len(in.Operands) == 2:
		widen := func(b uint8) uint64 { return uint64(roundHalf(limit(from.value(b)), nearestEven)) }
		t.mapped(in, func(x, _, _ uint64) uint64 { return widen(uint8(x>>8))<<16 | widen(uint8(x)) }, ptx.B32, ptx.B16)
		return
	}
	t.unsupported()
}

// value is the number that eight bits stand for.
func (f float8) value(b uint8) float64 {
	rest := int(b & 0x7f)
	v := 0.0
	switch exponent, fraction := rest>>f.fraction, rest&(1<<f.fraction-1); {
	case rest == nan8 || rest > int(f.greatest)+1:
		return math.NaN()
	case rest > int(f.greatest):
		v = math.Inf(1)
	case exponent == 0:
		v = math.Ldexp(float64(fraction), 1-f.bias-f.fraction)
	default:
		v = math.Ldexp(float64(1<<f.fraction|fraction), exponent-f.bias-f.fraction)
	}
	if b >= 0x80 {
		v = -v
	}
	return v
}

// round gives the nearest number, the even one of two, and the greatest one for what is greater.
func (f float8) round(v float64) uint8 {
	if v != v {
		return nan8
	}
	sign := uint8(0)
	if math.Signbit(v) {
		sign, v = 0x80, -v
	}
	if v == 0 {
		return sign
	}
	_, exponent := math.Frexp(v)
	exponent = max(exponent-1, 1-f.bias)
	if math.IsInf(v, 0) || exponent > f.bias+1 {
		return sign | f.greatest
	}
	steps := math.RoundToEven(math.Ldexp(v, f.fraction-exponent))
	return sign | uint8(min((exponent+f.bias-1)<<f.fraction+int(steps), int(f.greatest)))
}
