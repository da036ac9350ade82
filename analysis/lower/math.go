package lower

// This file lowers arithmetic functions: minimum, maximum and absolute value to operators, all
// others to pure calls by name.

import (
	"strings"

	"github.com/warplint/warplint/analysis/ir"
)

// floatFunctions work on double, on float with the suffix f, and overloaded on both.
var floatFunctions = strings.Fields(`sqrt rsqrt cbrt rcbrt exp exp2 exp10 expm1 log log2 log10 log1p logb sin cos tan asin acos atan
	sinh cosh tanh asinh acosh atanh sinpi cospi erf erfc erfinv erfcinv erfcx normcdf normcdfinv tgamma lgamma floor ceil trunc round
	rint nearbyint j0 j1 y0 y1 atan2 pow powi fmod remainder hypot rhypot copysign fdim nextafter fma norm3d rnorm3d norm4d rnorm4d
	ldexp scalbn cyl_bessel_i0 cyl_bessel_i1 fdivide`)

// intResult are functions on floats that give an integer or a bool.
var intResult = map[string]*ctype{
	"lrint": tLong, "lround": tLong, "llrint": tLLong, "llround": tLLong, "ilogb": tInt, "isnan": tBool, "isinf": tBool, "isfinite": tBool, "signbit": tBool,
	"__isnan": tBool, "__isinf": tBool, "__finite": tBool, "isnormal": tBool,
	"__signbit": tBool, "__signbitf": tBool, "__isnanf": tBool, "__isinff": tBool, "__finitef": tBool,
}

// typedCalls are pure functions with a fixed result type; arguments are promoted scalars.
var typedCalls = map[string]*ctype{
	"__popc": tInt, "__popcll": tInt, "__clz": tInt, "__clzll": tInt, "__ffs": tInt, "__ffsll": tInt, "__brev": tUInt, "__brevll": tULLong,
	"__byte_perm": tUInt, "__funnelshift_l": tUInt, "__funnelshift_r": tUInt, "__funnelshift_lc": tUInt, "__funnelshift_rc": tUInt,
	"__umulhi": tUInt, "__mulhi": tInt, "__umul64hi": tULLong, "__mul64hi": tLLong, "__sad": tUInt, "__usad": tUInt, "__hadd": tInt, "__rhadd": tInt, "__uhadd": tUInt, "__urhadd": tUInt,
	"__dp4a": tInt, "__dp2a_lo": tInt, "__dp2a_hi": tInt, "__fns": tUInt, "__builtin_popcount": tInt, "__builtin_clz": tInt, "__builtin_ctz": tInt, "__builtin_ffs": tInt,
	"__float_as_int": tInt, "__float_as_uint": tUInt, "__int_as_float": tFloat, "__uint_as_float": tFloat, "__double_as_longlong": tLLong, "__longlong_as_double": tDouble,
	"__double2hiint": tInt, "__double2loint": tInt, "__hiloint2double": tDouble,
	"__saturatef": tFloat, "__expf": tFloat, "__exp10f": tFloat, "__logf": tFloat, "__log2f": tFloat, "__log10f": tFloat, "__sinf": tFloat, "__cosf": tFloat, "__tanf": tFloat,
	"__powf": tFloat, "__fdividef": tFloat, "__frcp_rn": tFloat, "__fsqrt_rn": tFloat, "__frsqrt_rn": tFloat, "__fmaf_rn": tFloat, "__fmaf_rz": tFloat, "__fmaf_ru": tFloat, "__fmaf_rd": tFloat, "__nanf": tFloat, "nanf": tFloat, "nan": tDouble,
	"__half2float": tFloat, "__float2half": tHalf, "__float2half_rn": tHalf, "__float2half_rz": tHalf, "__double2half": tHalf, "__bfloat162float": tFloat, "__float2bfloat16": tBFloat, "__float2bfloat16_rn": tBFloat, "__float2bfloat16_rz": tBFloat, "__double2bfloat16": tBFloat,
	"__half_as_ushort": tUShort, "__half_as_short": tShort, "__ushort_as_half": tHalf, "__short_as_half": tHalf, "__int2half_rn": tHalf, "__half2int_rn": tInt, "__half2int_rz": tInt, "__half2uint_rn": tUInt,
	"__float2int_rn": tInt, "__float2int_rz": tInt, "__float2int_ru": tInt, "__float2int_rd": tInt, "__float2uint_rn": tUInt, "__float2uint_rz": tUInt, "__float2uint_ru": tUInt, "__float2uint_rd": tUInt,
	"__float2ll_rn": tLLong, "__float2ll_rz": tLLong, "__float2ull_rn": tULLong, "__float2ull_rz": tULLong, "__int2float_rn": tFloat, "__int2float_rz": tFloat, "__uint2float_rn": tFloat, "__uint2float_rz": tFloat,
	"__ll2float_rn": tFloat, "__ull2float_rn": tFloat, "__int2double_rn": tDouble, "__uint2double_rn": tDouble, "__ll2double_rn": tDouble, "__ull2double_rn": tDouble, "__double2float_rn": tFloat, "__double2float_rz": tFloat,
	"__double2int_rn": tInt, "__double2int_rz": tInt, "__double2int_rd": tInt, "__double2int_ru": tInt, "__double2uint_rn": tUInt, "__double2uint_rz": tUInt, "__double2ll_rn": tLLong, "__double2ll_rz": tLLong, "__double2ull_rn": tULLong, "__double2ull_rz": tULLong,
	"__cvta_generic_to_shared": tULong, "__cvta_generic_to_global": tULong, "__isShared": tUInt, "__isGlobal": tUInt, "__isLocal": tUInt, "__isConstant": tUInt,
	"__vabsdiffu4": tUInt, "__vabsdiffs4": tUInt, "__vadd4": tUInt, "__vsub4": tUInt, "__vaddus4": tUInt, "__vmaxu4": tUInt, "__vminu4": tUInt, "__vcmpgtu4": tUInt, "__vcmpeq4": tUInt, "__vsadu4": tUInt, "__vsads4": tUInt, "__vavgu4": tUInt,
	"__vadd2": tUInt, "__vsub2": tUInt, "__vmaxs2": tUInt, "__vmins2": tUInt, "__vmaxu2": tUInt, "__vminu2": tUInt, "__vabsdiffu2": tUInt, "__vabsdiffs2": tUInt, "__vsetgtu2": tUInt, "__vsetltu2": tUInt,
	"abort": tVoid,
}

// conversionCalls are intrinsics that are plain conversions.
var conversionCalls = map[string]bool{
	"__float2int_rz": true, "__float2uint_rz": true, "__float2ll_rz": true, "__float2ull_rz": true, "__double2int_rz": true, "__double2uint_rz": true, "__double2ll_rz": true, "__double2ull_rz": true,
	"__int2float_rn": true, "__uint2float_rn": true, "__ll2float_rn": true, "__ull2float_rn": true, "__int2double_rn": true, "__uint2double_rn": true, "__ll2double_rn": true, "__ull2double_rn": true, "__double2float_rn": true,
	"__half2float": true, "__float2half": true, "__float2half_rn": true, "__double2half": true,
}

func mathTable() map[string]intrinsic {
	m := map[string]intrinsic{}
	for _, name := range floatFunctions {
		m[name], m[name+"f"] = floatCall(nil), floatCall(tFloat)
	}
	for name, t := range intResult {
		m[name] = pureCall(t)
		if strings.HasPrefix(name, "l") || strings.HasPrefix(name, "i") {
			m[name+"f"] = pureCall(t)
		}
	}
	for name, t := range typedCalls {
		m[name] = pureCall(t)
		if conversionCalls[name] {
			m[name] = conversionCall(t)
		}
	}
	for _, op := range []string{"add", "sub", "mul", "div", "sqrt", "rcp", "fma"} {
		for _, mode := range []string{"rn", "rz", "ru", "rd"} {
			m["__f"+op+"_"+mode], m["__d"+op+"_"+mode] = pureCall(tFloat), pureCall(tDouble)
		}
	}
	for name, op := range map[string]ir.Op{"min": ir.Min, "max": ir.Max, "umin": ir.Min, "umax": ir.Max, "llmin": ir.Min, "llmax": ir.Max, "ullmin": ir.Min, "ullmax": ir.Max,
		"fmin": ir.Min, "fmax": ir.Max, "fminf": ir.Min, "fmaxf": ir.Max, "__hmin": ir.Min, "__hmax": ir.Max} {
		m[name] = minMax(op)
	}
	for _, name := range []string{"abs", "labs", "llabs", "fabs", "fabsf", "__habs"} {
		m[name] = absolute
	}
	for name, t := range map[string]*ctype{"clock": tLong, "clock64": tLLong, "__clock": tLong, "globaltimer": tULLong, "__globaltimer": tULLong} {
		m[name] = special(t)
	}
	m["__mul24"], m["__umul24"] = mul24(tInt), mul24(tUInt)
	for name, op := range map[string]ir.Op{"__hadd": ir.Add, "__hsub": ir.Sub, "__hmul": ir.Mul, "__hdiv": ir.Div, "__hadd2": ir.Add, "__hsub2": ir.Sub, "__hmul2": ir.Mul, "__h2div": ir.Div,
		"__hgt": ir.Gt, "__hge": ir.Ge, "__hlt": ir.Lt, "__hle": ir.Le, "__heq": ir.Eq, "__hne": ir.Ne} {
		m[name] = halfOp(op)
	}
	m["__hneg"], m["__hneg2"] = halfNeg, halfNeg
	m["__hfma"], m["__hfma2"] = halfFMA, halfFMA
	for _, name := range []string{"hsqrt", "hrsqrt", "hexp", "hlog", "hrcp", "hsin", "hcos", "hfloor", "hceil", "htrunc", "hrint", "hexp2", "hlog2"} {
		m[name] = pureCall(tHalf)
	}
	for name, t := range map[string]string{"__float2half2_rn": "__half2", "__half2half2": "__half2", "__floats2half2_rn": "__half2", "__halves2half2": "__half2", "make_half2": "__half2", "__float22half2_rn": "__half2", "__low2half2": "__half2", "__high2half2": "__half2", "__half22float2": "float2",
		"__float2bfloat162_rn": "__nv_bfloat162", "__bfloat162bfloat162": "__nv_bfloat162", "__floats2bfloat162_rn": "__nv_bfloat162", "__halves2bfloat162": "__nv_bfloat162", "make_bfloat162": "__nv_bfloat162", "__float22bfloat162_rn": "__nv_bfloat162", "__bfloat1622float2": "float2"} {
		m[name] = halfPair(t)
	}
	m["__low2half"], m["__high2half"] = halfPart(0, tHalf), halfPart(1, tHalf)
	m["__low2bfloat16"], m["__high2bfloat16"] = halfPart(0, tBFloat), halfPart(1, tBFloat)
	m["__low2float"], m["__high2float"] = halfPart(0, tFloat), halfPart(1, tFloat)
	for _, name := range []string{"sincos", "sincosf", "__sincosf", "sincospi", "sincospif"} {
		m[name] = sinCos
	}
	for _, name := range []string{"frexp", "frexpf", "modf", "modff", "remquo", "remquof"} {
		m[name] = splitFloat
	}
	for name, t := range vectorTypes {
		m["make_"+name] = makeVectorCall(t)
	}
	m["make_cuComplex"], m["make_cuFloatComplex"], m["make_cuDoubleComplex"] = makeVectorCall(vectorTypes["float2"]), makeVectorCall(vectorTypes["float2"]), makeVectorCall(vectorTypes["double2"])
	for _, name := range strings.Fields("tex1D tex1Dfetch tex2D tex3D tex1DLod tex2DLod tex3DLod tex1DGrad tex2DGrad tex3DGrad tex1DLayered tex2DLayered tex1DLayeredLod tex2DLayeredLod texCubemap texCubemapLod texCubemapLayered texCubemapLayeredLod tex2Dgather") {
		m[name] = texture
	}
	for _, name := range strings.Fields("surf1Dread surf2Dread surf3Dread surf1DLayeredread surf2DLayeredread surfCubemapread surfCubemapLayeredread") {
		m[name] = surfaceRead
	}
	for _, name := range strings.Fields("surf1Dwrite surf2Dwrite surf3Dwrite surf1DLayeredwrite surf2DLayeredwrite surfCubemapwrite surfCubemapLayeredwrite") {
		m[name] = surfaceWrite
	}
	return m
}

// pureCall is a pure function of its scalar arguments.
func pureCall(t *ctype) intrinsic {
	return func(l *lowerer, c *callSite) value {
		if t.kind == kVoid {
			return trap(l, c)
		}
		args, ok := l.pureArgs(c.args)
		if !ok || len(args) == 0 {
			return l.rejectArity(c)
		}
		return rval(t, foldCall(&ir.Call{Name: c.name, T: t.ir(), Args: args}))
	}
}

// special reads a value that is another one for each thread and at each time, such as a clock.
func special(t *ctype) intrinsic {
	return func(l *lowerer, c *callSite) value { return l.special(c, t) }
}

func (l *lowerer) special(c *callSite, t *ctype) value {
	dst := l.newReg(t.ir(), "")
	l.emit(&ir.Named{Op: "special", Dst: dst, Site: l.namedSite(c.n, c.nameNode, "")})
	return rval(t, &ir.RegRef{R: dst})
}

// pureArgs flattens arguments to scalars.
func (l *lowerer) pureArgs(args []argument) ([]ir.Expr, bool) {
	var out []ir.Expr
	for _, a := range args {
		v := l.unwrap(l.load(l.operand(a.v, a.n), a.n), a.n)
		if v.cat != vAgg || v.lvalue {
			v = l.decay(v, a.n)
		}
		if v.cat == vPoison {
			v = l.load(l.unknownOf(a.n, tLong, v.reason, false), a.n)
		}
		if !l.flatten(v, a, &out) {
			return nil, false
		}
	}
	return out, true
}

func (l *lowerer) flatten(v value, a argument, out *[]ir.Expr) bool {
	switch v.cat {
	case vRval:
		x := l.bits(v)
		if x == nil {
			return false
		}
		*out = append(*out, x)
		return true
	case vAgg:
		for _, e := range v.elems {
			if !l.flatten(l.load(e, a.n), a, out) {
				return false
			}
		}
		return true
	case vStatic:
		return true
	}
	return false
}

// floatCall is a function on floats: float if all its arguments are or t says so.
func floatCall(t *ctype) intrinsic {
	return func(l *lowerer, c *callSite) value {
		rt := t
		var vs []value
		for i := range c.args {
			v := c.value(l, i)
			if v.cat == vPoison {
				v = l.load(l.unknownOf(c.args[i].n, tDouble, v.reason, false), c.args[i].n)
			}
			if v.cat != vRval || !v.t.isArithmetic() {
				return l.opaqueCall(c.n, "call of "+c.name+" on "+v.t.String(), c.args)
			}
			vs = append(vs, v)
		}
		if rt == nil {
			rt = overloadType(vs)
		}
		call := &ir.Call{Name: c.name, T: rt.scalar}
		for _, v := range vs {
			x := v.x
			if v.t.isFloat() {
				x = convert(x, rt.scalar)
			}
			call.Args = append(call.Args, x)
		}
		return rval(rt, foldCall(call))
	}
}

func overloadType(vs []value) *ctype {
	t := tFloat
	for _, v := range vs {
		if v.t.isFloat() && v.t.scalar != ir.F32 {
			if v.t.scalar == ir.F16 && len(vs) == 1 {
				return v.t
			}
			t = tDouble
		}
		if v.t.isInt() && len(vs) == 1 {
			t = tDouble
		}
	}
	return t
}

func conversionCall(t *ctype) intrinsic {
	return func(l *lowerer, c *callSite) value {
		if len(c.args) != 1 {
			return l.rejectArity(c)
		}
		return l.convertTo(c.value(l, 0), t, c.n)
	}
}

// minMax is min or max on the common type of its arguments.
func minMax(op ir.Op) intrinsic {
	return func(l *lowerer, c *callSite) value {
		if len(c.args) != 2 {
			return l.rejectArity(c)
		}
		a, b := c.value(l, 0), c.value(l, 1)
		if a.cat == vPoison || b.cat == vPoison {
			return l.poisoned(c.n, c.name, a, b)
		}
		if !a.t.isArithmetic() || !b.t.isArithmetic() {
			return l.opaqueCall(c.n, "call of "+c.name+" on "+a.t.String(), c.args)
		}
		t := common(a.t, b.t)
		switch {
		case c.targs != nil:
			if kids := namedChildren(c.targs); len(kids) == 1 {
				if want := l.typeNode(kids[0], l.scope); want.isArithmetic() {
					t = want
				}
			}
		case strings.HasSuffix(c.name, "f"):
			t = tFloat
		case strings.HasPrefix(c.name, "f") && !t.isFloat():
			t = tDouble
		case c.name[0] == 'u' && c.name[1] == 'm':
			t = tUInt
		}
		return rval(t, binary(op, convert(a.x, t.scalar), convert(b.x, t.scalar)))
	}
}

func absolute(l *lowerer, c *callSite) value {
	if len(c.args) != 1 {
		return l.rejectArity(c)
	}
	v := c.value(l, 0)
	if v.cat == vPoison {
		return v
	}
	if !v.t.isArithmetic() {
		return l.opaqueCall(c.n, "call of "+c.name+" on "+v.t.String(), c.args)
	}
	t := v.t
	if t.isInt() {
		t = promote(t)
	}
	switch c.name {
	case "fabs":
		if !t.isFloat() {
			t = tDouble
		}
	case "fabsf":
		t = tFloat
	}
	x := convert(v.x, t.scalar)
	if !t.isInt() {
		return rval(t, &ir.Call{Name: "fabs", T: t.scalar, Args: []ir.Expr{x}})
	}
	if !t.scalar.IsSigned() {
		return rval(t, x)
	}
	return rval(t, binary(ir.Max, x, unary(ir.Neg, x)))
}

// mul24 multiplies the low 24 bits of its arguments.
func mul24(t *ctype) intrinsic {
	return func(l *lowerer, c *callSite) value {
		if len(c.args) != 2 {
			return l.rejectArity(c)
		}
		low := func(i int) ir.Expr {
			x := c.arg(l, i, t)
			if v, ok := ir.IntConst(x); ok && v >= 0 && v < 1<<23 {
				return x
			}
			if b, ok := x.(*ir.Builtin); ok && (b.Var == ir.ThreadIdx || b.Var == ir.BlockDim || b.Axis > 0) {
				return x // all are below 2^16; blockIdx.x and gridDim.x are not bounded so
			}
			eight := constInt(ir.I32, 8)
			return binary(ir.Shr, binary(ir.Shl, x, eight), eight)
		}
		return rval(t, binary(ir.Mul, low(0), low(1)))
	}
}

// halfOp is an arithmetic function on halves or pairs of halves.
func halfOp(op ir.Op) intrinsic {
	return func(l *lowerer, c *callSite) value {
		if len(c.args) != 2 {
			return l.rejectArity(c)
		}
		a, b := c.value(l, 0), c.value(l, 1)
		if a.cat == vRval && b.cat == vRval && a.t.isInt() { // __hadd on integers
			return rval(tInt, &ir.Call{Name: c.name, T: ir.I32, Args: []ir.Expr{a.x, b.x}})
		}
		return l.elementwise(c, a, b, op)
	}
}

// elementwise applies an operator to scalars or to each component of two vectors.
func (l *lowerer) elementwise(c *callSite, a, b value, op ir.Op) value {
	if a.cat == vAgg && b.cat == vAgg && len(a.elems) == len(b.elems) {
		out := value{t: a.t.unqualified(), cat: vAgg}
		for i := range a.elems {
			out.elems = append(out.elems, l.elementwise(c, l.load(a.elems[i], c.n), l.load(b.elems[i], c.n), op))
		}
		return out
	}
	if a.cat != vRval || b.cat != vRval || !a.t.isArithmetic() || !b.t.isArithmetic() {
		return l.opaqueCall(c.n, "call of "+c.name+" on "+a.t.String(), c.args)
	}
	t := common(a.t, b.t)
	x := binary(op, convert(a.x, t.scalar), convert(b.x, t.scalar))
	if op.IsCompare() {
		return rval(tBool, x)
	}
	return rval(t, x)
}

func halfNeg(l *lowerer, c *callSite) value {
	if len(c.args) != 1 {
		return l.rejectArity(c)
	}
	v := c.value(l, 0)
	if v.cat == vAgg {
		out := value{t: v.t.unqualified(), cat: vAgg}
		for _, e := range v.elems {
			e = l.load(e, c.n)
			out.elems = append(out.elems, rval(e.t, unary(ir.Neg, e.x)))
		}
		return out
	}
	if v.cat != vRval {
		return l.rejectArity(c)
	}
	return rval(v.t, unary(ir.Neg, v.x))
}

func halfFMA(l *lowerer, c *callSite) value {
	if len(c.args) != 3 {
		return l.rejectArity(c)
	}
	p := l.elementwise(c, c.value(l, 0), c.value(l, 1), ir.Mul)
	return l.elementwise(c, p, c.value(l, 2), ir.Add)
}

// halfPair builds a pair from scalars or another pair.
func halfPair(name string) intrinsic {
	return func(l *lowerer, c *callSite) value {
		t := vectorTypes[name]
		elem := t.rec.fields[0].t
		out := value{t: t, cat: vAgg}
		var parts []value
		for i := range c.args {
			v := c.value(l, i)
			if v.cat == vAgg {
				parts = append(parts, v.elems...)
			} else {
				parts = append(parts, v)
			}
		}
		switch {
		case c.name == "__low2half2" && len(parts) == 2:
			parts[1] = parts[0]
		case c.name == "__high2half2" && len(parts) == 2:
			parts[0] = parts[1]
		case len(parts) == 1:
			parts = append(parts, parts[0])
		}
		if len(parts) != 2 {
			return l.rejectArity(c)
		}
		for _, p := range parts {
			out.elems = append(out.elems, l.convertTo(p, elem, c.n))
		}
		return out
	}
}

func halfPart(i int, t *ctype) intrinsic {
	return func(l *lowerer, c *callSite) value {
		if len(c.args) != 1 {
			return l.rejectArity(c)
		}
		v := c.value(l, 0)
		if v.cat != vAgg || i >= len(v.elems) {
			return l.rejectArity(c)
		}
		return l.convertTo(v.elems[i], t, c.n)
	}
}

// sinCos writes sine and cosine through its pointers.
func sinCos(l *lowerer, c *callSite) value {
	if len(c.args) != 3 {
		return l.rejectArity(c)
	}
	t := tFloat
	if !strings.Contains(c.name, "f") {
		t = tDouble
	}
	x := l.temp(c.arg(l, 0, t))
	for i, name := range []string{"sin", "cos"} {
		place := l.deref(c.value(l, i+1), c.args[i+1].n)
		if place.isNothing() {
			return l.opaqueCall(c.n, reasonOf(place), c.args)
		}
		l.assign(place, l.convertTo(rval(t, &ir.Call{Name: name, T: t.scalar, Args: []ir.Expr{x}}), place.t, c.n), c.args[i+1].n)
	}
	return value{t: tVoid}
}

// splitFloat is frexp, modf, remquo: a result, and another one through the last pointer.
func splitFloat(l *lowerer, c *callSite) value {
	if len(c.args) < 2 {
		return l.rejectArity(c)
	}
	last := len(c.args) - 1
	t := tDouble
	if strings.HasSuffix(c.name, "f") && c.name != "modf" {
		t = tFloat
	}
	args, ok := l.pureArgs(c.args[:last])
	place := l.deref(c.value(l, last), c.args[last].n)
	if !ok || place.isNothing() || !place.t.isScalar() {
		return l.rejectArity(c)
	}
	l.assign(place, rval(place.t, &ir.Call{Name: c.name + ".part", T: place.t.ir(), Args: args}), c.args[last].n)
	return rval(t, &ir.Call{Name: c.name, T: t.scalar, Args: args})
}

// makeVectorCall is make_float4(x, y, z, w); the broadcasting and truncating forms of
// helper_math.h are functions of that header.
func makeVectorCall(t *ctype) intrinsic {
	return func(l *lowerer, c *callSite) value {
		if len(c.args) != len(t.rec.fields) {
			return l.rejectArity(c)
		}
		out := value{t: t, cat: vAgg}
		for i, f := range t.rec.fields {
			out.elems = append(out.elems, l.convertTo(c.args[i].v, f.t, c.args[i].n))
		}
		return out
	}
}

// opaqueValue is a value of a type whose scalars are pure calls on the arguments.
func opaqueValue(name string, t *ctype, args []ir.Expr) (value, bool) {
	switch {
	case t.isScalar():
		return rval(t.unqualified(), &ir.Call{Name: name, T: t.ir(), Args: args}), true
	case t.kind == kRecord && t.flat():
		out := value{t: t.unqualified(), cat: vAgg}
		for _, f := range t.rec.fields {
			e, ok := opaqueValue(name+"."+f.name, f.t, args)
			if !ok {
				return value{}, false
			}
			out.elems = append(out.elems, e)
		}
		return out, true
	}
	return value{}, false
}

// texture fetches read memory that no kernel running at the same time may write, so they are
// pure.
func texture(l *lowerer, c *callSite) value {
	var t *ctype
	if kids := namedChildren(c.targs); len(kids) > 0 {
		t = l.typeNode(kids[0], l.scope)
	}
	rest := c.args
	if len(c.args) > 0 && c.args[0].v.t.kind == kPtr { // tex2D(&result, texture, x, y)
		place := l.deref(c.value(l, 0), c.args[0].n)
		args, ok := l.pureArgs(c.args[1:])
		v, ok2 := opaqueValue(c.name, place.t, args)
		if !ok || !ok2 || !place.isPlace() {
			return l.opaqueCall(c.n, "texture fetch", c.args)
		}
		l.assign(place, v, c.args[0].n)
		return value{t: tVoid}
	}
	if t == nil && len(c.args) > 0 && c.args[0].v.t.kind == kRecord && len(c.args[0].v.t.rec.args) > 0 {
		rec := c.args[0].v.t.rec
		t, rest = rec.args[0].t, c.args[1:]
		if len(rec.args) > 2 && rec.args[2].v != nil && t != nil {
			if v, ok := ir.IntConst(rec.args[2].v.x); ok && v == 1 { // cudaReadModeNormalizedFloat
				t = normalized(t)
			}
		}
	}
	if t == nil {
		return l.opaqueCall(c.n, "texture fetch of an unknown type", c.args)
	}
	args, ok := l.pureArgs(rest)
	v, ok2 := opaqueValue(c.name, t, args)
	if !ok || !ok2 {
		return l.opaqueCall(c.n, "texture fetch", c.args)
	}
	return v
}

// normalized is the type that a texture in normalized read mode gives.
func normalized(t *ctype) *ctype {
	if t.kind == kRecord && t.rec.vector {
		return vectorTypes["float"+itoa(len(t.rec.fields))]
	}
	return tFloat
}
