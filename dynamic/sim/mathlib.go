// This file defines the functions of libdevice (libdevice User's Guide), to which clang leaves
// mathematics: __nv_sin for double, __nv_sinf for single precision, and so on. They are computed in
// double precision by Go's library, so single precision results are mostly the nearest ones, and
// double precision ones as good as that library's.

package sim

import "math"

// mathLibrary finds a function of libdevice by name, nil if there is none.
func mathLibrary(name string) builtin {
	switch name {
	case "__nv_ldexp", "__nv_ldexpf", "__nv_scalbn", "__nv_scalbnf":
		return builtinLdexp
	case "__nv_ilogb", "__nv_ilogbf":
		return builtinIlogb
	case "__nv_nextafterf":
		return binaryMath(name, func(x, y float64) float64 {
			return float64(math.Nextafter32(float32(x), float32(y)))
		})
	}
	base, fast := name, false
	if len(base) > 10 && base[:10] == "__nv_fast_" {
		base, fast = base[10:], true
	} else if len(base) > 5 && base[:5] == "__nv_" {
		base = base[5:]
	} else {
		return nil
	}
	for _, try := range []string{base, trimSuffix(base, "f")} {
		if f := mathUnary[try]; f != nil && (try != base || !fast) {
			return unaryMath(name, f)
		}
		if f := mathBinary[try]; f != nil && (try != base || !fast) {
			return binaryMath(name, f)
		}
	}
	return nil
}

func trimSuffix(s, suffix string) string {
	if n := len(s) - len(suffix); n > 0 && s[n:] == suffix {
		return s[:n]
	}
	return s
}

func unaryMath(name string, f func(x float64) float64) builtin {
	return func(w *warp, call *callSite, m uint32) {
		w.need(call, m, name, 1)
		forLanes(m, func(lane int) { w.floatResult(call, lane, f(w.floatArgument(call, 0, lane))) })
	}
}

func binaryMath(name string, f func(x, y float64) float64) builtin {
	return func(w *warp, call *callSite, m uint32) {
		w.need(call, m, name, 2)
		forLanes(m, func(lane int) {
			w.floatResult(call, lane, f(w.floatArgument(call, 0, lane), w.floatArgument(call, 1, lane)))
		})
	}
}

// builtinLdexp takes a number and an int.
func builtinLdexp(w *warp, call *callSite, m uint32) {
	w.need(call, m, "ldexp", 2)
	forLanes(m, func(lane int) {
		exponent := int32(w.argument(call, 1, lane))
		w.floatResult(call, lane, math.Ldexp(w.floatArgument(call, 0, lane), int(exponent)))
	})
}

// builtinIlogb gives an int: the least one for zero and NaN, the greatest for infinities.
func builtinIlogb(w *warp, call *callSite, m uint32) {
	w.need(call, m, "ilogb", 1)
	forLanes(m, func(lane int) {
		x := w.floatArgument(call, 0, lane)
		v := int32(math.MinInt32)
		switch {
		case math.IsInf(x, 0):
			v = math.MaxInt32
		case x == x && x != 0:
			v = int32(math.Ilogb(x))
		}
		w.result(call, lane, uint64(uint32(v)))
	})
}

func (w *warp) floatArgument(call *callSite, i, lane int) float64 {
	v := w.argument(call, i, lane)
	if call.arguments[i].size == 4 {
		return float64(f32(uint32(v)))
	}
	return f64(v)
}

func (w *warp) floatResult(call *callSite, lane int, v float64) {
	if len(call.results) > 0 && call.results[0].size == 4 {
		w.result(call, lane, uint64(bits32(float32(v))))
		return
	}
	w.result(call, lane, bits64(v))
}

var mathUnary = map[string]func(x float64) float64{
	"acos": math.Acos, "acosh": math.Acosh, "asin": math.Asin, "asinh": math.Asinh, "atan": math.Atan,
	"atanh": math.Atanh, "cbrt": math.Cbrt, "ceil": math.Ceil, "cos": math.Cos, "cosh": math.Cosh,
	"erf": math.Erf, "erfc": math.Erfc, "erfinv": math.Erfinv, "erfcinv": math.Erfcinv, "exp": math.Exp,
	"exp2": math.Exp2, "expm1": math.Expm1, "fabs": math.Abs, "floor": math.Floor, "j0": math.J0,
	"j1": math.J1, "log": math.Log, "log10": math.Log10, "log1p": math.Log1p, "log2": math.Log2,
	"logb": math.Logb, "nearbyint": math.RoundToEven, "rint": math.RoundToEven, "round": math.Round,
	"sin": math.Sin, "sinh": math.Sinh, "sqrt": math.Sqrt, "tan": math.Tan, "tanh": math.Tanh,
	"tgamma": math.Gamma, "trunc": math.Trunc, "y0": math.Y0, "y1": math.Y1,
	"exp10":      func(x float64) float64 { return math.Pow(10, x) },
	"lgamma":     func(x float64) float64 { v, _ := math.Lgamma(x); return v },
	"rsqrt":      func(x float64) float64 { return 1 / math.Sqrt(x) },
	"rcbrt":      func(x float64) float64 { return 1 / math.Cbrt(x) },
	"sinpi":      sinPi,
	"cospi":      cosPi,
	"erfcx":      scaledErfc,
	"normcdf":    normalCDF,
	"normcdfinv": func(x float64) float64 { return -math.Sqrt2 * math.Erfcinv(2*x) },
}

var mathBinary = map[string]func(x, y float64) float64{
	"atan2": math.Atan2, "copysign": math.Copysign, "fdim": math.Dim, "fmod": math.Mod,
	"hypot": math.Hypot, "nextafter": math.Nextafter, "pow": math.Pow, "remainder": math.Remainder,
	"fmin": func(x, y float64) float64 { return f64(min64(math.Float64bits(x), math.Float64bits(y))) },
	"fmax": func(x, y float64) float64 { return f64(max64(math.Float64bits(x), math.Float64bits(y))) },
}

// sinPi is the sine of pi times x, exact at the multiples of one half.
func sinPi(x float64) float64 {
	if x == math.Trunc(x) {
		return math.Copysign(0, x)
	}
	return sinOfQuarters(math.Mod(x, 2), 0)
}

func cosPi(x float64) float64 { return sinOfQuarters(math.Mod(math.Abs(x), 2), 1) }

// sinOfQuarters is the sine of pi times r and so many quarters of a turn. What is left of r beyond
// whole quarters is exact, so the error is that of one sine or cosine close to zero.
func sinOfQuarters(r float64, quarters int) float64 {
	n := math.RoundToEven(2 * r)
	rest := math.Pi * (r - n/2)
	switch (int(n) + quarters) & 3 {
	case 0:
		return math.Sin(rest)
	case 1:
		return math.Cos(rest)
	case 2:
		return -math.Sin(rest)
	}
	return -math.Cos(rest)
}

// scaledErfc is exp(x*x)*erfc(x); for large x by its asymptotic series, where erfc underflows.
// What the square loses by rounding counts, since the exponential magnifies it.
func scaledErfc(x float64) float64 {
	if x < 25 {
		square := x * x
		return math.Exp(square) * (1 + math.FMA(x, x, -square)) * math.Erfc(x)
	}
	y, sum := 1/(2*x*x), 1.0
	for k := 13.0; k > 0; k -= 2 {
		sum = 1 - k*y*sum
	}
	return sum / (x * math.Sqrt(math.Pi))
}

// normalCDF is erfc(-x/sqrt(2))/2. Far from zero it is steep, so the quotient is taken in two parts.
func normalCDF(x float64) float64 {
	const high, low = 0.7071067811865476, -4.833646656726457e-17 // 1/sqrt(2)
	z := -x * high
	rest := math.FMA(-x, high, -z) - x*low
	return (math.Erfc(z) - rest*math.Exp(-z*z)*2/math.Sqrt(math.Pi)) / 2
}
