package interp

// This file defines the pure functions that kernels call by name. Functions that IEEE 754
// rounds correctly, conversions and integer functions are exact; transcendental ones are
// computed in double precision and rounded, where the hardware is off by a few last places.

import (
	"math"
	"math/bits"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
)

// pureFunc computes a register value from those of its arguments.
type pureFunc func(args []uint64) uint64

// pureFunction returns the function of a call, or nil if it is not known.
func pureFunction(e *ir.Call) pureFunc {
	name := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(e.Name, "::"), "std::"), "__nv_")
	if name == "printf" {
		return func(a []uint64) uint64 { return uint64(max(len(a)-1, 0)) }
	}
	for _, lookup := range []func(string, *ir.Call) pureFunc{bitCast, integerFunction, minMaxAbs, roundedConversion, classification, floatFunction} {
		if fn := lookup(name, e); fn != nil {
			return fn
		}
	}
	return nil
}

// hasArgs reports whether a call has n arguments.
func hasArgs(e *ir.Call, n int) bool { return len(e.Args) == n }

var bitCasts = map[string]bool{
	"__float_as_int": true, "__float_as_uint": true, "__int_as_float": true, "__uint_as_float": true,
	"__double_as_longlong": true, "__longlong_as_double": true, "__half_as_short": true, "__half_as_ushort": true,
	"__short_as_half": true, "__ushort_as_half": true,
}

func bitCast(name string, e *ir.Call) pureFunc {
	if !bitCasts[name] || !hasArgs(e, 1) || e.Args[0].Type().Size() != e.T.Size() {
		return nil
	}
	t := e.T
	return func(a []uint64) uint64 { return normalize(t, a[0]) }
}

// integerFunctions work on bits; their results are cut to the call's type.
var integerFunctions = map[string]struct {
	args int
	fn   pureFunc
}{
	"__popc":   {1, func(a []uint64) uint64 { return uint64(bits.OnesCount32(uint32(a[0]))) }},
	"__popcll": {1, func(a []uint64) uint64 { return uint64(bits.OnesCount64(a[0])) }},
	"__clz":    {1, func(a []uint64) uint64 { return uint64(bits.LeadingZeros32(uint32(a[0]))) }},
	"__clzll":  {1, func(a []uint64) uint64 { return uint64(bits.LeadingZeros64(a[0])) }},
	"__ffs":    {1, func(a []uint64) uint64 { return uint64((bits.TrailingZeros32(uint32(a[0])) + 1) % 33) }},
	"__ffsll":  {1, func(a []uint64) uint64 { return uint64((bits.TrailingZeros64(a[0]) + 1) % 65) }},
	"__brev":   {1, func(a []uint64) uint64 { return uint64(bits.Reverse32(uint32(a[0]))) }},
	"__brevll": {1, func(a []uint64) uint64 { return bits.Reverse64(a[0]) }},
	"__mulhi":  {2, func(a []uint64) uint64 { return uint64(int64(int32(a[0])) * int64(int32(a[1])) >> 32) }},
	"__umulhi": {2, func(a []uint64) uint64 { return uint64(uint32(a[0])) * uint64(uint32(a[1])) >> 32 }},
	"__umul64hi": {2, func(a []uint64) uint64 {
		high, _ := bits.Mul64(a[0], a[1])
		return high
	}},
	"__mul64hi": {2, func(a []uint64) uint64 {
		high, _ := bits.Mul64(a[0], a[1])
		return high - uint64(int64(a[0])>>63)&a[1] - uint64(int64(a[1])>>63)&a[0]
	}},
	"__mul24":  {2, func(a []uint64) uint64 { return uint64(int64(int32(a[0]<<8)>>8) * int64(int32(a[1]<<8)>>8)) }},
	"__umul24": {2, func(a []uint64) uint64 { return (a[0] & 0xffffff) * (a[1] & 0xffffff) }},
	"__sad": {3, func(a []uint64) uint64 {
		d := int64(int32(a[0])) - int64(int32(a[1]))
		return uint64(max(d, -d)) + a[2]
	}},
	"__usad": {3, func(a []uint64) uint64 {
		x, y := uint32(a[0]), uint32(a[1])
		return uint64(max(x, y)-min(x, y)) + a[2]
	}},
	"__hadd":   {2, func(a []uint64) uint64 { return uint64((int64(int32(a[0])) + int64(int32(a[1]))) >> 1) }},
	"__uhadd":  {2, func(a []uint64) uint64 { return (uint64(uint32(a[0])) + uint64(uint32(a[1]))) >> 1 }},
	"__urhadd": {2, func(a []uint64) uint64 { return (uint64(uint32(a[0])) + uint64(uint32(a[1])) + 1) >> 1 }},
	"__rhadd":  {2, func(a []uint64) uint64 { return uint64((int64(int32(a[0])) + int64(int32(a[1])) + 1) >> 1) }},
	"__byte_perm": {3, func(a []uint64) uint64 {
		bytes := uint64(uint32(a[0])) | a[1]<<32
		var v uint64
		for i := range 4 {
			v |= bytes >> (8 * (a[2] >> (4 * i) & 7)) & 255 << (8 * i)
		}
		return v
	}},
	"__funnelshift_l":          {3, func(a []uint64) uint64 { return pair(a) << (a[2] & 31) >> 32 }},
	"__funnelshift_r":          {3, func(a []uint64) uint64 { return pair(a) >> (a[2] & 31) }},
	"__funnelshift_lc":         {3, func(a []uint64) uint64 { return pair(a) << min(uint64(uint32(a[2])), 32) >> 32 }},
	"__funnelshift_rc":         {3, func(a []uint64) uint64 { return pair(a) >> min(uint64(uint32(a[2])), 32) }},
	"__cvta_generic_to_shared": {1, func(a []uint64) uint64 { return sharedAddress(a[0]) }},
	"__cvta_shared_to_generic": {1, func(a []uint64) uint64 { return genericAddress(uint32(a[0])) }},
	"__dp4a": {3, func(a []uint64) uint64 {
		sum := int64(a[2])
		for i := range 4 {
			sum += int64(int8(a[0]>>(8*i))) * int64(int8(a[1]>>(8*i)))
		}
		return uint64(sum)
	}},
	"__fns":              {3, nthSet},
	ir.ElectLane:         {1, func(a []uint64) uint64 { return uint64(max(bits.Len32(uint32(a[0])), 1) - 1) }},
	ir.ElectRank:         {3, func(a []uint64) uint64 { return (a[0] - 1) - a[2]%a[0] }},
	"__builtin_popcount": {1, func(a []uint64) uint64 { return uint64(bits.OnesCount32(uint32(a[0]))) }},
	"__builtin_clz":      {1, func(a []uint64) uint64 { return uint64(bits.LeadingZeros32(uint32(a[0]))) }},
	"__builtin_ctz":      {1, func(a []uint64) uint64 { return uint64(bits.TrailingZeros32(uint32(a[0]))) }},
	"__builtin_ffs":      {1, func(a []uint64) uint64 { return uint64((bits.TrailingZeros32(uint32(a[0])) + 1) % 33) }},
	"__hiloint2double":   {2, func(a []uint64) uint64 { return a[0]<<32 | uint64(uint32(a[1])) }},
	"__double2hiint":     {1, func(a []uint64) uint64 { return a[0] >> 32 }},
	"__double2loint":     {1, func(a []uint64) uint64 { return a[0] }},
}

// nthSet is __fns: the position of the n-th set bit of a mask, counted from a base upwards, or
// downwards for a negative n; all ones if there is none (CUDA Math API, "Integer Intrinsics").
func nthSet(a []uint64) uint64 {
	mask, at, n, step := uint32(a[0]), int(uint32(a[1])), int(int32(a[2])), 1
	switch {
	case n == 0:
		n = 1
		if at < 32 {
			mask &= 1 << at
		}
	case n < 0:
		n, step = -n, -1
	}
	for ; at >= 0 && at < 32; at += step {
		if mask>>at&1 != 0 {
			if n--; n == 0 {
				return uint64(at)
			}
		}
	}
	return math.MaxUint32
}

// pair joins the low and the high word of a funnel shift.
func pair(a []uint64) uint64 { return uint64(uint32(a[0])) | a[1]<<32 }

func integerFunction(name string, e *ir.Call) pureFunc {
	f, ok := integerFunctions[name]
	if !ok || !hasArgs(e, f.args) {
		return nil
	}
	t, fn := e.T, f.fn
	return func(a []uint64) uint64 { return normalize(t, fn(a)) }
}

// minMaxAbs holds the functions that C++ overloads for integers and floats.
func minMaxAbs(name string, e *ir.Call) pureFunc {
	t := e.T
	convertArg := func(a []uint64, i int) uint64 { return convert(t, e.Args[i].Type(), a[i]) }
	switch name {
	case "min", "umin", "llmin", "ullmin", "fmin", "fminf", "max", "umax", "llmax", "ullmax", "fmax", "fmaxf":
		if !hasArgs(e, 2) {
			return nil
		}
		op := ir.Min
		if strings.Contains(name, "max") {
			op = ir.Max
		}
		return func(a []uint64) uint64 { return minMax(op, t, convertArg(a, 0), convertArg(a, 1)) }
	case "abs", "labs", "llabs", "fabs", "fabsf", "__habs":
		if !hasArgs(e, 1) {
			return nil
		}
		if t.IsFloat() {
			return func(a []uint64) uint64 { return convertArg(a, 0) &^ (1 << (t.Size()*8 - 1)) }
		}
		return func(a []uint64) uint64 {
			v := int64(convertArg(a, 0))
			if t.IsSigned() && v < 0 {
				v = -v
			}
			return normalize(t, uint64(v))
		}
	}
	return nil
}

// minMax computes ir.Min or ir.Max on register values of any type.
func minMax(op ir.Op, t ir.Type, x, y uint64) uint64 {
	switch {
	case t.IsFloat() && op == ir.Min:
		return fromFloat(t, minFloat(toFloat(t, x), toFloat(t, y)))
	case t.IsFloat():
		return fromFloat(t, maxFloat(toFloat(t, x), toFloat(t, y)))
	case t.IsSigned() && (int64(x) < int64(y)) == (op == ir.Min):
		return x
	case t.IsSigned():
		return y
	case (x < y) == (op == ir.Min):
		return x
	}
	return y
}

var conversionTypes = map[string]ir.Type{
	"float": ir.F32, "double": ir.F64, "half": ir.F16, "int": ir.I32, "uint": ir.U32, "ll": ir.I64, "ull": ir.U64,
	"short": ir.I16, "ushort": ir.U16,
}

// roundedConversion holds __float2int_rd and its kin. Conversions to floats round to nearest.
func roundedConversion(name string, e *ir.Call) pureFunc {
	if !hasArgs(e, 1) {
		return nil
	}
	switch name {
	case "lrint", "lrintf", "llrint", "llrintf":
		return toIntBy(math.RoundToEven, e)
	case "lround", "lroundf", "llround", "llroundf":
		return toIntBy(math.Round, e)
	}
	source, rest, ok := strings.Cut(strings.TrimPrefix(name, "__"), "2")
	target, mode, moded := strings.Cut(rest, "_")
	if !moded {
		mode = "rn"
	}
	from, known := conversionTypes[source]
	to, known2 := conversionTypes[target]
	if !ok || !known || !known2 || !strings.HasPrefix(name, "__") || e.Args[0].Type() != from || e.T.Size() != to.Size() {
		return nil
	}
	if from.IsFloat() && to.IsInt() {
		round := map[string]func(float64) float64{"rn": math.RoundToEven, "rz": math.Trunc, "ru": math.Ceil, "rd": math.Floor}[mode]
		if round == nil {
			return nil
		}
		return func(a []uint64) uint64 { return normalize(e.T, floatToInt(to, from, round(toFloat(from, a[0])))) }
	}
	if mode != "rn" {
		return nil
	}
	return func(a []uint64) uint64 { return convert(to, from, a[0]) }
}

func toIntBy(round func(float64) float64, e *ir.Call) pureFunc {
	from, to := e.Args[0].Type(), e.T
	if !from.IsFloat() || !to.IsInt() {
		return nil
	}
	return func(a []uint64) uint64 { return floatToInt(to, from, round(toFloat(from, a[0]))) }
}

var classifications = map[string]func(float64) bool{
	"isnan": math.IsNaN, "__isnanf": math.IsNaN, "__isnan": math.IsNaN, "__hisnan": math.IsNaN,
	"isinf": isInfinite, "__isinff": isInfinite, "__isinf": isInfinite,
	"isfinite": isFinite, "__finitef": isFinite, "__finite": isFinite, "finite": isFinite,
	"signbit": math.Signbit, "__signbitf": math.Signbit, "__signbitd": math.Signbit,
}

func isInfinite(v float64) bool { return math.IsInf(v, 0) }
func isFinite(v float64) bool   { return !math.IsInf(v, 0) && !math.IsNaN(v) }

func classification(name string, e *ir.Call) pureFunc {
	test := classifications[name]
	if test == nil || !hasArgs(e, 1) || !e.Args[0].Type().IsFloat() {
		return nil
	}
	from := e.Args[0].Type()
	return func(a []uint64) uint64 {
		if test(toFloat(from, a[0])) {
			return 1
		}
		return 0
	}
}

// The float functions by their base names; the single precision ones have an f behind, or are
// overloads. Each is computed in double precision and rounded once.
var unaryFloat = map[string]func(float64) float64{
	"sqrt": math.Sqrt, "cbrt": math.Cbrt, "sin": math.Sin, "cos": math.Cos, "tan": math.Tan,
	"asin": math.Asin, "acos": math.Acos, "atan": math.Atan, "sinh": math.Sinh, "cosh": math.Cosh, "tanh": math.Tanh,
	"asinh": math.Asinh, "acosh": math.Acosh, "atanh": math.Atanh, "exp": math.Exp, "exp2": math.Exp2,
	"expm1": math.Expm1, "log": math.Log, "log2": math.Log2, "log10": math.Log10, "log1p": math.Log1p,
	"floor": math.Floor, "ceil": math.Ceil, "trunc": math.Trunc, "round": math.Round, "rint": math.RoundToEven,
	"nearbyint": math.RoundToEven, "erf": math.Erf, "erfc": math.Erfc, "tgamma": math.Gamma,
	"lgamma":      func(x float64) float64 { v, _ := math.Lgamma(x); return v },
	"rsqrt":       func(x float64) float64 { return 1 / math.Sqrt(x) },
	"rcbrt":       func(x float64) float64 { return 1 / math.Cbrt(x) },
	"exp10":       func(x float64) float64 { return math.Pow(10, x) },
	"sinpi":       func(x float64) float64 { return math.Sin(math.Pi * math.Mod(x, 2)) },
	"cospi":       func(x float64) float64 { return math.Cos(math.Pi * math.Mod(x, 2)) },
	"__saturate":  func(x float64) float64 { return minFloat(maxFloat(x, 0), 1) },
	"__frcp_rn":   func(x float64) float64 { return 1 / x },
	"__drcp_rn":   func(x float64) float64 { return 1 / x },
	"__fsqrt_rn":  math.Sqrt,
	"__dsqrt_rn":  math.Sqrt,
	"__frsqrt_rn": func(x float64) float64 { return 1 / math.Sqrt(x) },
	"__exp":       math.Exp, "__exp10": func(x float64) float64 { return math.Pow(10, x) }, "__log": math.Log,
	"__log2": math.Log2, "__log10": math.Log10, "__sin": math.Sin, "__cos": math.Cos, "__tan": math.Tan,
	"hsqrt": math.Sqrt, "hexp": math.Exp, "hlog": math.Log, "hfloor": math.Floor, "hceil": math.Ceil,
	"__hneg": func(x float64) float64 { return -x },
}

var binaryFloat = map[string]func(x, y float64) float64{
	"pow": math.Pow, "__pow": math.Pow, "fmod": math.Mod, "remainder": math.Remainder, "atan2": math.Atan2,
	"hypot": math.Hypot, "copysign": math.Copysign, "fdim": math.Dim,
	"__fdivide": func(x, y float64) float64 { return x / y },
	"fdivide":   func(x, y float64) float64 { return x / y },
	"__fadd_rn": addFloat, "__dadd_rn": addFloat, "__hadd": addFloat,
	"__fsub_rn": subFloat, "__dsub_rn": subFloat, "__hsub": subFloat,
	"__fmul_rn": mulFloat, "__dmul_rn": mulFloat, "__hmul": mulFloat,
	"__fdiv_rn": divFloat, "__ddiv_rn": divFloat, "__hdiv": divFloat,
}

func addFloat(x, y float64) float64 { return x + y }
func subFloat(x, y float64) float64 { return x - y }
func mulFloat(x, y float64) float64 { return x * y }
func divFloat(x, y float64) float64 { return x / y }

func floatFunction(name string, e *ir.Call) pureFunc {
	if !e.T.IsFloat() || len(e.Args) == 0 {
		return nil
	}
	base := name
	if e.T == ir.F32 {
		if short, ok := strings.CutSuffix(name, "f"); ok {
			base = short
		}
	}
	t := e.T
	arg := func(a []uint64, i int) float64 {
		if from := e.Args[i].Type(); !from.IsFloat() {
			return toFloat(t, convert(t, from, a[i]))
		} else {
			return toFloat(from, a[i])
		}
	}
	switch {
	case hasArgs(e, 1) && unaryFloat[base] != nil:
		fn := unaryFloat[base]
		return func(a []uint64) uint64 { return fromFloat(t, fn(arg(a, 0))) }
	case hasArgs(e, 2) && binaryFloat[base] != nil:
		fn := binaryFloat[base]
		return func(a []uint64) uint64 { return fromFloat(t, fn(arg(a, 0), arg(a, 1))) }
	case hasArgs(e, 2) && (base == "ldexp" || base == "scalbn") && e.Args[1].Type().IsInt():
		return func(a []uint64) uint64 { return fromFloat(t, math.Ldexp(arg(a, 0), clampInt(a[1]))) }
	case hasArgs(e, 3) && (base == "fma" || base == "__fmaf_rn" || base == "__fma_rn" || base == "__hfma"):
		return func(a []uint64) uint64 { return fma(t, arg(a, 0), arg(a, 1), arg(a, 2)) }
	}
	return nil
}

func clampInt(v uint64) int { return int(min(max(int64(v), -5000), 5000)) }

// fma rounds once to the type.
func fma(t ir.Type, x, y, z float64) uint64 {
	if t == ir.F64 {
		return math.Float64bits(math.FMA(x, y, z))
	}
	return fromFloat(t, fmaOdd(x, y, z))
}

// Float computes a function of the mathematical library by its name in the source; ok is false for others.
func Float(name string, args ...float64) (v float64, ok bool) {
	for _, base := range []string{name, strings.TrimSuffix(name, "f")} {
		switch one, two := unaryFloat[base], binaryFloat[base]; {
		case len(args) == 1 && one != nil:
			return one(args[0]), true
		case len(args) == 2 && two != nil:
			return two(args[0], args[1]), true
		}
	}
	return 0, false
}
