// This file rounds exactly known results in all rounding modes of PTX. Only instructions that
// ask for another mode than to nearest even pay for it.

package sim

import (
	"math"
	"math/big"
)

// exactBits holds every sum and product of three doubles without rounding.
const exactBits = 4500

// round32 rounds a double to single precision.
func round32(v float64, mode rounding) float32 {
	r := float32(v)
	if float64(r) == v || r != r || math.IsInf(v, 0) {
		return r
	}
	return toward32(r, float64(r) < v, mode)
}

// toward32 corrects a number that was rounded to nearest: below tells that the exact value is
// above it.
func toward32(r float32, below bool, mode rounding) float32 {
	up := mode == upward || mode == towardZero && math.Signbit(float64(r))
	down := mode == downward || mode == towardZero && !up
	switch {
	case mode == nearestEven || mode == nearestAway:
	case up && below:
		return math.Nextafter32(r, float32(math.Inf(1)))
	case down && !below:
		return math.Nextafter32(r, float32(math.Inf(-1)))
	}
	return r
}

// toward64 is toward32 for doubles.
func toward64(r float64, below bool, mode rounding) float64 {
	up := mode == upward || mode == towardZero && math.Signbit(r)
	down := mode == downward || mode == towardZero && !up
	switch {
	case mode == nearestEven || mode == nearestAway:
	case up && below:
		return math.Nextafter(r, math.Inf(1))
	case down && !below:
		return math.Nextafter(r, math.Inf(-1))
	}
	return r
}

// roundBig rounds to double precision, subnormal numbers and overflow included.
func roundBig(exact *big.Float, mode rounding) float64 {
	r, accuracy := exact.Float64()
	if accuracy == big.Exact {
		return r
	}
	return toward64(r, accuracy == big.Below, mode)
}

// oddBig rounds to a double whose last bit is set if anything was lost.
func oddBig(exact *big.Float) float64 {
	r, accuracy := exact.Float64()
	if accuracy == big.Exact || math.Float64bits(r)&1 != 0 {
		return r
	}
	if (accuracy == big.Below) == (r > 0) {
		return math.Float64frombits(math.Float64bits(r) + 1)
	}
	return math.Float64frombits(math.Float64bits(r) - 1)
}

func exactFloat(v float64) *big.Float { return new(big.Float).SetPrec(exactBits).SetFloat64(v) }

// The operations in double precision. Infinities, NaNs and zero results come out of the
// processor's own arithmetic, which is right for them in all modes but for the sign of an exact zero sum.

func finite(values ...float64) bool {
	for _, v := range values {
		if math.IsInf(v, 0) || v != v {
			return false
		}
	}
	return true
}

func add64(x, y float64, mode rounding) float64 {
	r := x + y
	if mode == nearestEven || !finite(x, y) {
		return r
	}
	if r == 0 {
		return zeroSum(x, y, mode)
	}
	return roundBig(exactFloat(x).Add(exactFloat(x), exactFloat(y)), mode)
}

// zeroSum is the sum of two numbers that cancel out, or of two zeros.
func zeroSum(x, y float64, mode rounding) float64 {
	if mode == downward && (math.Signbit(x) || math.Signbit(y)) {
		return math.Copysign(0, -1)
	}
	return x + y
}

func mul64(x, y float64, mode rounding) float64 {
	if mode == nearestEven || !finite(x, y) || x == 0 || y == 0 {
		return x * y
	}
	return roundBig(exactFloat(0).Mul(exactFloat(x), exactFloat(y)), mode)
}

func fmaRounded(x, y, z float64, mode rounding) float64 {
	if mode == nearestEven || !finite(x, y, z) {
		return math.FMA(x, y, z)
	}
	if x == 0 || y == 0 {
		return add64(x*y, z, mode)
	}
	sum := exactFloat(0).Mul(exactFloat(x), exactFloat(y))
	sum.Add(sum, exactFloat(z))
	if sum.Sign() == 0 {
		if mode == downward {
			return math.Copysign(0, -1)
		}
		return 0
	}
	return roundBig(sum, mode)
}

// quotientBits are enough to tell a quotient or a root from every double and every midpoint.
const quotientBits = 256

func div64(x, y float64, mode rounding) float64 {
	if mode == nearestEven || !finite(x, y) || x == 0 || y == 0 {
		return x / y
	}
	q := new(big.Float).SetPrec(quotientBits)
	return roundBig(q.Quo(exactFloat(x), exactFloat(y)), mode)
}

func sqrtRounded(x float64, mode rounding) float64 {
	if mode == nearestEven || !finite(x) || x <= 0 {
		return math.Sqrt(x)
	}
	q := new(big.Float).SetPrec(quotientBits)
	return roundBig(q.Sqrt(exactFloat(x)), mode)
}
