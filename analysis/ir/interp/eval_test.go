package interp_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp"
	"github.com/warplint/warplint/analysis/race"
)

// evaluate runs a kernel of one thread that stores an expression over the parameters $a, $b
// and $c, and returns the stored bits.
func evaluate(t *testing.T, result ir.Type, expr string, operand ir.Type, args ...uint64) uint64 {
	t.Helper()
	text := "func k {\n  param $out ptr\n"
	launch := interp.Launch{
		Grid: race.Dim3{1, 1, 1}, Block: race.Dim3{1, 1, 1},
		Buffers: []interp.Buffer{{Size: 8}}, Args: []interp.Arg{interp.PointerTo(0, 0)},
	}
	for i, a := range args {
		text += fmt.Sprintf("  param $%c %s\n", 'a'+i, operand)
		launch.Args = append(launch.Args, interp.Arg{Bits: a})
	}
	text += fmt.Sprintf("  store %s $out, %s\n}\n", result, expr)
	f, err := ir.ParseFunc(text)
	if err != nil {
		t.Fatal(err)
	}
	out, err := interp.Compile(f).Run(context.Background(), launch, interp.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !out.Completed() || len(out.Opaque) > 0 {
		t.Fatalf("%s: %+v, opaque %v", expr, out.Trap, out.Opaque)
	}
	return binary.LittleEndian.Uint64(out.Memory.ReadBuffer(0, 0, 8))
}

// wrap gives an integer the value that it has in a type.
func wrap(t ir.Type, v *big.Int) *big.Int {
	modulus := new(big.Int).Lsh(big.NewInt(1), uint(t.Bits()))
	v = new(big.Int).Mod(v, modulus)
	if t.IsSigned() && v.Bit(t.Bits()-1) == 1 {
		v.Sub(v, modulus)
	}
	return v
}

// TestIntegers compares all integer operators with arithmetic of unbounded integers.
func TestIntegers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	ops := map[string]func(x, y *big.Int) *big.Int{
		"$a + $b": func(x, y *big.Int) *big.Int { return x.Add(x, y) },
		"$a - $b": func(x, y *big.Int) *big.Int { return x.Sub(x, y) },
		"$a * $b": func(x, y *big.Int) *big.Int { return x.Mul(x, y) },
		"$a / $b": func(x, y *big.Int) *big.Int { return x.Quo(x, y) },
		"$a % $b": func(x, y *big.Int) *big.Int { return x.Rem(x, y) },
		"$a & $b": func(x, y *big.Int) *big.Int { return x.And(x, y) },
		"$a | $b": func(x, y *big.Int) *big.Int { return x.Or(x, y) },
		"$a ^ $b": func(x, y *big.Int) *big.Int { return x.Xor(x, y) },
		"~$a":     func(x, y *big.Int) *big.Int { return x.Not(x) },
		"-($a)":   func(x, y *big.Int) *big.Int { return x.Neg(x) },
		"min($a, $b)": func(x, y *big.Int) *big.Int {
			if x.Cmp(y) < 0 {
				return x
			}
			return y
		},
		"max($a, $b)": func(x, y *big.Int) *big.Int {
			if x.Cmp(y) > 0 {
				return x
			}
			return y
		},
	}
	compare := map[string]func(int) bool{
		"<": func(c int) bool { return c < 0 }, "<=": func(c int) bool { return c <= 0 },
		">": func(c int) bool { return c > 0 }, ">=": func(c int) bool { return c >= 0 },
		"==": func(c int) bool { return c == 0 }, "!=": func(c int) bool { return c != 0 },
	}
	for typ := ir.I8; typ <= ir.U64; typ++ {
		mask := ^uint64(0) >> (64 - typ.Bits())
		for _, pair := range operandPairs(random, mask) {
			a, b := pair[0], pair[1]
			value := func(v uint64) *big.Int { return wrap(typ, new(big.Int).SetUint64(v)) }
			for expr, op := range ops {
				if b == 0 && (expr == "$a / $b" || expr == "$a % $b") {
					continue
				}
				want := wrap(ir.U64, wrap(typ, op(value(a), value(b)))).Uint64() & mask
				if got := evaluate(t, typ, expr, typ, a, b); got != want {
					t.Errorf("%s: %s of 0x%x, 0x%x is 0x%x, want 0x%x", typ, expr, a, b, got, want)
				}
			}
			for token, test := range compare {
				got := evaluate(t, ir.Bool, "$a "+token+" $b", typ, a, b) == 1
				if want := test(value(a).Cmp(value(b))); got != want {
					t.Errorf("%s: 0x%x %s 0x%x is %t", typ, a, token, b, got)
				}
			}
			for to := ir.I8; to <= ir.U64; to++ {
				want := wrap(ir.U64, wrap(to, value(a))).Uint64() & (^uint64(0) >> (64 - to.Bits()))
				if got := evaluate(t, to, to.String()+"($a)", typ, a); got != want {
					t.Errorf("%s(0x%x as %s) is 0x%x, want 0x%x", to, a, typ, got, want)
				}
			}
		}
	}
}

func operandPairs(random *rand.Rand, mask uint64) [][2]uint64 {
	special := []uint64{0, 1, 2, mask, mask >> 1, mask>>1 + 1}
	var pairs [][2]uint64
	for _, a := range special {
		for _, b := range special {
			pairs = append(pairs, [2]uint64{a, b})
		}
	}
	for range 10 {
		pairs = append(pairs, [2]uint64{random.Uint64() & mask, random.Uint64() & mask})
	}
	return pairs
}

func TestShifts(t *testing.T) {
	for _, test := range []struct {
		typ  ir.Type
		expr string
		a, b uint64
		want uint64
	}{
		{ir.I32, "$a << $b", 1, 31, 1 << 31},
		{ir.I32, "$a << $b", 1, 32, 0},
		{ir.U32, "$a << $b", 3, 100, 0},
		{ir.I32, "$a >> $b", 0x80000000, 4, 0xf8000000},
		{ir.I32, "$a >> $b", 0x80000000, 64, 0xffffffff},
		{ir.U32, "$a >> $b", 0x80000000, 32, 0},
		{ir.U64, "$a >> $b", 1 << 63, 63, 1},
		{ir.I64, "$a >> $b", 1 << 63, 1000, math.MaxUint64},
		{ir.I32, "$a << $b", 1, 0xffffffff, 0}, // -1 counts as a huge number
		{ir.U8, "$a << $b", 0x81, 1, 2},
		{ir.I8, "$a >> $b", 0x80, 7, 0xff},
	} {
		if got := evaluate(t, test.typ, test.expr, test.typ, test.a, test.b); got != test.want {
			t.Errorf("%s: %s of 0x%x, 0x%x is 0x%x, want 0x%x", test.typ, test.expr, test.a, test.b, got, test.want)
		}
	}
}

func f32(v float32) uint64 { return uint64(math.Float32bits(v)) }
func f64(v float64) uint64 { return math.Float64bits(v) }

func TestFloats(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, test := range []struct {
		result  ir.Type
		expr    string
		operand ir.Type
		args    []uint64
		want    uint64
	}{
		{ir.F32, "$a + $b", ir.F32, []uint64{f32(1 << 24), f32(1)}, f32(1 << 24)},
		{ir.F64, "f64($a) + f64($b)", ir.F32, []uint64{f32(1 << 24), f32(1)}, f64(1<<24 + 1)},
		{ir.F32, "$a / $b", ir.F32, []uint64{f32(1), f32(3)}, 0x3eaaaaab},
		{ir.F32, "$a / $b", ir.F32, []uint64{f32(1), f32(0)}, f32(inf)},
		{ir.F32, "-($a)", ir.F32, []uint64{f32(0)}, 0x80000000},
		{ir.F32, "min($a, $b)", ir.F32, []uint64{f32(nan), f32(2)}, f32(2)},
		{ir.F32, "max($a, $b)", ir.F32, []uint64{0x80000000, 0}, 0},
		{ir.F64, "min($a, $b)", ir.F64, []uint64{f64(-1), f64(2)}, f64(-1)},
		{ir.Bool, "$a == $a", ir.F32, []uint64{f32(nan)}, 0},
		{ir.Bool, "$a != $a", ir.F32, []uint64{f32(nan)}, 1},
		{ir.Bool, "$a >= $b", ir.F64, []uint64{f64(2), f64(2)}, 1},
		{ir.Bool, "$a > $b", ir.F64, []uint64{f64(2), f64(math.NaN())}, 0},
		{ir.I32, "i32($a)", ir.F32, []uint64{f32(-1.9)}, 0xffffffff},
		{ir.I32, "i32($a)", ir.F32, []uint64{f32(3e9)}, math.MaxInt32},
		{ir.U32, "u32($a)", ir.F32, []uint64{f32(-5)}, 0},
		{ir.U32, "u32($a)", ir.F64, []uint64{f64(1e10)}, math.MaxUint32},
		{ir.I32, "i32($a)", ir.F32, []uint64{f32(nan)}, 0},
		{ir.I64, "i64($a)", ir.F32, []uint64{f32(nan)}, 1 << 63},
		{ir.I32, "i32($a)", ir.F64, []uint64{f64(math.NaN())}, 1 << 31},
		{ir.I64, "i64($a)", ir.F64, []uint64{f64(-1e30)}, 1 << 63},
		{ir.U64, "u64($a)", ir.F64, []uint64{f64(1 << 63)}, 1 << 63},
		{ir.U8, "u8($a)", ir.F32, []uint64{f32(258)}, 2},
		{ir.Bool, "bool($a)", ir.F32, []uint64{f32(0.5)}, 1},
		{ir.F32, "f32($a)", ir.I32, []uint64{0xffffffff}, f32(-1)},
		{ir.F32, "f32($a)", ir.U64, []uint64{math.MaxUint64}, f32(1 << 64)},
		{ir.F32, "f32($a)", ir.I64, []uint64{1<<62 + 1<<38 + 1}, f32(1<<62 + 1<<39)}, // one rounding, not two
		{ir.F64, "f64($a)", ir.U32, []uint64{1 << 31}, f64(1 << 31)},
		{ir.F32, "f32($a)", ir.F64, []uint64{f64(1e300)}, f32(inf)},
		{ir.F16, "f16($a)", ir.F32, []uint64{f32(65519)}, 0x7bff},
		{ir.F16, "f16($a)", ir.F32, []uint64{f32(65520)}, 0x7c00},
		{ir.F16, "f16($a)", ir.F64, []uint64{f64(1 + 1.0/2048)}, 0x3c00},
		{ir.F16, "f16($a)", ir.F64, []uint64{f64(1 + 3.0/2048)}, 0x3c02},
		{ir.F16, "f16($a)", ir.F64, []uint64{f64(math.Ldexp(1, -25))}, 0},
		{ir.F16, "f16($a)", ir.F64, []uint64{f64(math.Ldexp(1.5, -25))}, 1},
		{ir.F16, "$a + $b", ir.F16, []uint64{0x3c00, 0x3c00}, 0x4000},
		{ir.F16, "$a * $b", ir.F16, []uint64{0x4200, 0xbe00}, 0xc480},
		{ir.F16, "-($a)", ir.F16, []uint64{0x3c00}, 0xbc00},
	} {
		if got := evaluate(t, test.result, test.expr, test.operand, test.args...); got != test.want {
			t.Errorf("%s of %x (%s) is 0x%x, want 0x%x", test.expr, test.args, test.operand, got, test.want)
		}
	}
}

// TestHalf converts every half to double precision and back.
func TestHalf(t *testing.T) {
	for h := range uint64(1 << 16) {
		wide := interp.ConvertBits(ir.F64, ir.F16, h)
		if v := math.Float64frombits(wide); math.IsNaN(v) != (h&0x7fff > 0x7c00) {
			t.Fatalf("half 0x%x is %v", h, v)
		} else if math.IsNaN(v) {
			continue
		}
		if back := interp.ConvertBits(ir.F16, ir.F64, wide); back != h {
			t.Fatalf("half 0x%x comes back as 0x%x", h, back)
		}
	}
}

func TestPureFunctions(t *testing.T) {
	for _, test := range []struct {
		result  ir.Type
		expr    string
		operand ir.Type
		args    []uint64
		want    uint64
	}{
		{ir.I32, "call i32 __popc($a)", ir.U32, []uint64{0xf0f0}, 8},
		{ir.I32, "call i32 __popc($a)", ir.I32, []uint64{0xffffffff}, 32},
		{ir.I32, "call i32 __clz($a)", ir.I32, []uint64{0xffffffff}, 0},
		{ir.I32, "call i32 __clz($a)", ir.I32, []uint64{0}, 32},
		{ir.I32, "call i32 __ffs($a)", ir.I32, []uint64{0}, 0},
		{ir.I32, "call i32 __ffs($a)", ir.I32, []uint64{8}, 4},
		{ir.I32, "call i32 __ffsll($a)", ir.I64, []uint64{1 << 63}, 64},
		{ir.U32, "call u32 __fns($a, 0u32, 1)", ir.U32, []uint64{0b10100}, 2},
		{ir.U32, "call u32 __fns($a, 0u32, 2)", ir.U32, []uint64{0b10100}, 4},
		{ir.U32, "call u32 __fns($a, 0u32, 3)", ir.U32, []uint64{0b10100}, 0xffffffff},
		{ir.U32, "call u32 __fns($a, 4u32, -2)", ir.U32, []uint64{0b10100}, 2},
		{ir.U32, "call u32 __fns($a, 2u32, 0)", ir.U32, []uint64{0b10100}, 2},
		{ir.U32, "call u32 __fns($a, 3u32, 0)", ir.U32, []uint64{0b10100}, 0xffffffff},
		{ir.U32, "call u32 __brev($a)", ir.U32, []uint64{1}, 1 << 31},
		{ir.I32, "call i32 __mulhi($a, $b)", ir.I32, []uint64{0xffffffff, 2}, 0xffffffff},
		{ir.U32, "call u32 __umulhi($a, $b)", ir.U32, []uint64{0xffffffff, 2}, 1},
		{ir.I64, "call i64 __mul64hi($a, $b)", ir.I64, []uint64{math.MaxUint64, 2}, math.MaxUint64},
		{ir.U64, "call u64 __umul64hi($a, $b)", ir.U64, []uint64{math.MaxUint64, 2}, 1},
		{ir.I32, "call i32 __mul24($a, $b)", ir.I32, []uint64{0xffffff, 3}, 0xfffffffd},
		{ir.I32, "call i32 abs($a)", ir.I32, []uint64{0x80000000}, 0x80000000},
		{ir.I32, "call i32 abs($a)", ir.I32, []uint64{0xfffffffe}, 2},
		{ir.F32, "call f32 fabsf($a)", ir.F32, []uint64{f32(-2)}, f32(2)},
		{ir.U32, "call u32 __byte_perm($a, $b, $c)", ir.U32, []uint64{0x33221100, 0x77665544, 0x7210}, 0x77221100},
		{ir.U32, "call u32 __funnelshift_l($a, $b, $c)", ir.U32, []uint64{0x80000000, 1, 1}, 3},
		{ir.U32, "call u32 __funnelshift_r($a, $b, $c)", ir.U32, []uint64{2, 1, 1}, 0x80000001},
		{ir.U32, "call u32 __funnelshift_lc($a, $b, $c)", ir.U32, []uint64{7, 1, 40}, 7},
		{ir.F32, "call f32 sqrtf($a)", ir.F32, []uint64{f32(2)}, 0x3fb504f3},
		{ir.F64, "call f64 sqrt($a)", ir.F64, []uint64{f64(2)}, f64(math.Sqrt2)},
		{ir.F32, "call f32 sqrt($a)", ir.F32, []uint64{f32(2)}, 0x3fb504f3},
		{ir.F32, "call f32 rsqrtf($a)", ir.F32, []uint64{f32(4)}, f32(0.5)},
		{ir.F32, "call f32 fminf($a, $b)", ir.F32, []uint64{f32(1), f32(-1)}, f32(-1)},
		{ir.F32, "call f32 __saturatef($a)", ir.F32, []uint64{f32(1.5)}, f32(1)},
		{ir.I32, "call i32 __float2int_rn($a)", ir.F32, []uint64{f32(2.5)}, 2},
		{ir.I32, "call i32 __float2int_ru($a)", ir.F32, []uint64{f32(2.1)}, 3},
		{ir.U32, "call u32 __float_as_uint($a)", ir.F32, []uint64{f32(1)}, 0x3f800000},
		{ir.F32, "call f32 __int_as_float($a)", ir.I32, []uint64{0x3f800000}, f32(1)},
		{ir.F32, "call f32 __half2float($a)", ir.F16, []uint64{0x3c00}, f32(1)},
		{ir.Bool, "call bool isnan($a)", ir.F32, []uint64{0x7fc00000}, 1},
		{ir.F32, "call f32 ldexpf($a, 3)", ir.F32, []uint64{f32(1.5)}, f32(12)},
		{ir.F32, "call f32 floorf($a)", ir.F32, []uint64{f32(-1.5)}, f32(-2)},
		{ir.I32, "call i32 __dp4a($a, $b, $c)", ir.I32, []uint64{0x01ff0203, 0x01010101, 10}, 15},
	} {
		if got := evaluate(t, test.result, test.expr, test.operand, test.args...); got != test.want {
			t.Errorf("%s of %x (%s) is 0x%x, want 0x%x", test.expr, test.args, test.operand, got, test.want)
		}
	}
}

// TestFusedMultiplyAdd compares single-precision fma with arithmetic of unbounded precision.
func TestFusedMultiplyAdd(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		x, y := randomSingle(random), randomSingle(random)
		z := randomSingle(random)
		if random.IntN(2) == 0 { // close to cancelling
			z = math.Nextafter32(-x*y, float32(random.IntN(3)-1)*1e30)
		}
		exact := func(v float32) *big.Float { return new(big.Float).SetPrec(2000).SetFloat64(float64(v)) }
		sum := exact(x)
		sum.Mul(sum, exact(y)).Add(sum, exact(z))
		want, _ := sum.Float32()
		got := math.Float32frombits(uint32(evaluate(t, ir.F32, "call f32 fmaf($a, $b, $c)", ir.F32, f32(x), f32(y), f32(z))))
		if got != want {
			t.Fatalf("fma(%g, %g, %g) is %g, want %g", x, y, z, got, want)
		}
	}
}

func randomSingle(random *rand.Rand) float32 {
	exponent := random.IntN(40) - 20
	return float32(math.Ldexp(float64(random.IntN(1<<25)-1<<24), exponent))
}

// TestUntakenDivision checks that what C++ would not evaluate does not trap.
func TestUntakenDivision(t *testing.T) {
	for _, test := range []struct {
		result ir.Type
		expr   string
		want   uint64
	}{
		{ir.I32, "select($b != 0, $a / $b, 42)", 42},
		{ir.Bool, "$b != 0 && $a / $b > 1", 0},
		{ir.Bool, "$b == 0 || $a % $b > 1", 1},
	} {
		if got := evaluate(t, test.result, test.expr, ir.I32, 7, 0); got != test.want {
			t.Errorf("%s is %d, want %d", test.expr, got, test.want)
		}
	}
}
