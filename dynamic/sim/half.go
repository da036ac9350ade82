// This file converts half precision and bfloat16 (PTX ISA, "Alternate Floating-Point Data
// Formats") from and to single and double precision.

package sim

import "math"

// half returns the value of a half-precision number.
func half(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, h>>10&31, uint32(h&0x3ff)
	switch exponent {
	case 0:
		v := float32(fraction) * (1.0 / (1 << 24))
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 31:
		return math.Float32frombits(sign | 0x7f800000 | fraction<<13)
	}
	return math.Float32frombits(sign | (uint32(exponent)+112)<<23 | fraction<<13)
}

// halfBits rounds to half precision; every NaN becomes 0x7fff.
func halfBits(v float32) uint16 { return roundHalf(float64(v), nearestEven) }

// bfloat returns the value of a bfloat16 number.
func bfloat(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// bfloatBits rounds to bfloat16; every NaN becomes 0x7fff.
func bfloatBits(v float32) uint16 { return roundBfloat(float64(v), nearestEven) }

// rounding is a rounding mode of PTX.
type rounding uint8

const (
	nearestEven rounding = iota // .rn
	towardZero                  // .rz
	downward                    // .rm
	upward                      // .rp
	nearestAway                 // .rna
)

func roundHalf(v float64, mode rounding) uint16 {
	return uint16(roundSmall(v, mode, 10, 5))
}

func roundBfloat(v float64, mode rounding) uint16 {
	return uint16(roundSmall(v, mode, 7, 8))
}

// roundSmall rounds a number to a format with an implicit leading bit, given the widths of its
// fraction and its exponent, and returns its bits. Every NaN becomes all ones without a sign.
func roundSmall(v float64, mode rounding, fractionBits, exponentBits int) uint32 {
	bias := 1<<(exponentBits-1) - 1
	top := uint32(1)<<(fractionBits+exponentBits) - 1
	if v != v {
		return top
	}
	var sign uint32
	if math.Signbit(v) {
		sign, v, mode = top+1, -v, mirrored(mode)
	}
	infinity := top &^ (1<<fractionBits - 1)
	if math.IsInf(v, 0) {
		return sign | infinity
	}
	_, e := math.Frexp(v) // v = f * 2^e, f in [1/2, 1)
	exponent := max(e-1, 1-bias)
	units := math.Ldexp(v, fractionBits-exponent) // exact, below 2^(fractionBits+1)
	n := uint32(roundUnits(units, mode))
	// Subnormal numbers have no leading bit, so the exponent's field comes out as 0 or 1 by itself.
	bits := n + uint32(exponent+bias-1)<<fractionBits
	if v == 0 {
		return sign
	}
	if bits >= infinity {
		if mode == towardZero || mode == downward {
			return sign | (infinity - 1)
		}
		return sign | infinity
	}
	return sign | bits
}

// mirrored is the mode to use on the absolute value of a negative number.
func mirrored(mode rounding) rounding {
	switch mode {
	case downward:
		return upward
	case upward:
		return downward
	}
	return mode
}

// roundUnits rounds a number that is not negative to an integer.
func roundUnits(v float64, mode rounding) float64 {
	switch mode {
	case towardZero, downward:
		return math.Floor(v)
	case upward:
		return math.Ceil(v)
	case nearestAway:
		return math.Floor(v + 0.5)
	}
	return math.RoundToEven(v)
}
