//go:build unix

package lower

// This file writes random functions for the comparison with a C++ compiler.

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

var (
	randomSeed  = flag.Uint64("agree-seed", 4, "of the functions that TestAgreeRandom makes")
	randomCount = flag.Int("agree-count", 110, "how many functions TestAgreeRandom makes")
)

// program writes random functions without undefined behaviour: shifts are masked, divisors are
// odd, and integers wrap as the compiler is told to.
type program struct {
	r    *rand.Rand
	b    strings.Builder
	vars []string
	loop int
}

var programTypes = []string{"int", "unsigned", "long long", "unsigned long long", "short", "unsigned short", "signed char", "unsigned char", "bool", "float", "double"}

func (p *program) pick(list ...string) string { return list[p.r.IntN(len(list))] }

// integer writes an integer expression.
func (p *program) integer(depth int) string {
	if depth == 0 {
		switch p.r.IntN(4) {
		case 0:
			return fmt.Sprintf("in[%d]", p.r.IntN(agreeIn))
		case 1:
			return p.pick("0", "1", "-1", "3u", "7LL", "255", "65536", "2147483647", "0x80000000", "1ull << 40", "'a'", "true")
		}
		return p.pick(p.vars...)
	}
	x := p.integer(depth - 1)
	switch p.r.IntN(24) {
	case 0, 1, 2, 3:
		return fmt.Sprintf("((%s) %s (%s))", x, p.pick("+", "-", "*", "&", "|", "^"), p.integer(depth-1))
	case 4:
		return fmt.Sprintf("((%s) %s ((%s) & 7))", x, p.pick("<<", ">>"), p.integer(depth-1))
	case 5:
		return fmt.Sprintf("((%s) %s (((%s) & 15) | 1u))", x, p.pick("/", "%"), p.integer(depth-1))
	case 6:
		return fmt.Sprintf("((%s) %s (%s))", x, p.pick("<", "<=", ">", ">=", "==", "!=", "&&", "||"), p.integer(depth-1))
	case 7:
		return fmt.Sprintf("(%s(%s))", p.pick("-", "~", "!", "+"), x)
	case 8:
		return fmt.Sprintf("((%s) ? (%s) : (%s))", x, p.integer(depth-1), p.integer(depth-1))
	case 9:
		return fmt.Sprintf("((%s)(%s))", p.pick(programTypes[:9]...), x)
	case 10:
		return fmt.Sprintf("call%d(%s, %s)", p.r.IntN(4), x, p.integer(depth-1))
	}
	return p.object(x, depth)
}

// object writes an expression that goes through floating-point numbers, pointers, classes,
// templates, macros or calls.
func (p *program) object(x string, depth int) string {
	switch p.r.IntN(22) {
	case 0:
		return fmt.Sprintf("((int)((float)((%s) & 0xffff) * 0.5f))", x)
	case 1:
		return fmt.Sprintf("((long long)((%s)((%s) & 0xffff) %s %s))", p.pick("float", "double"), x, p.pick("+", "-", "*", "/"), p.pick("3", "0.25f", "1.5", "7.0f"))
	case 2:
		return fmt.Sprintf("((float)(%s) %s (double)(%s))", x, p.pick("<", ">=", "==", "!="), p.integer(depth-1))
	case 3:
		return fmt.Sprintf("rec%d(%d, %s)", p.r.IntN(2), p.r.IntN(6), x)
	case 4:
		return p.pick("LARGER", "ABSOLUTE_OF_SUM", "PICK") + fmt.Sprintf("(%s, %s)", x, p.integer(depth-1))
	case 5:
		return fmt.Sprintf("rec.%s", p.pick("a", "b", "c[1]", "d", "low", "high", "in.x", "in.y"))
	case 6:
		return fmt.Sprintf("makeRec(%s, in[%d]).%s", x, p.r.IntN(agreeIn), p.pick("a", "b", "sum()", "d", "low", "high", "in.y"))
	case 7:
		return fmt.Sprintf("buf.at(%s)", x)
	case 8:
		return fmt.Sprintf("(Buf<%s, %d>(%s).total<%s>())", p.pick("int", "short", "unsigned char", "long long"), p.r.IntN(2)*2+2, x, p.pick("int", "unsigned", "long long"))
	case 9:
		return fmt.Sprintf("View(%s).%s", x, p.pick("u", "h[0]", "h[1]", "b[2]", "s.lo", "s.hi"))
	case 10:
		return fmt.Sprintf("ptr[(%s) & 1]", x)
	case 11:
		return fmt.Sprintf("grid[(%s) & 1][(%s) & 3]", x, p.integer(depth-1))
	case 12:
		return fmt.Sprintf("[&](%s q) { return q %s %s; }(%s)", p.pick("int", "auto", "unsigned char", "long long"), p.pick("+", "^", "*"), p.pick(p.vars...), x)
	}
	switch p.r.IntN(8) {
	case 0:
		return fmt.Sprintf("recs[(%s) & 1].%s", x, p.pick("a", "b", "c[0]", "in.y", "low"))
	case 1:
		return fmt.Sprintf("at->%s", p.pick("a", "d", "sum()", "in.x", "high"))
	case 2:
		return fmt.Sprintf("sumPack(%s, %s, %s)", x, p.integer(depth-1), p.pick("1", "2u", "3LL", "(short)4"))
	case 3:
		return fmt.Sprintf("\"%s\"[(%s) & 3]", p.pick("abc", "\\xff\\n1", "Zz9"), x)
	case 4:
		return fmt.Sprintf("derived.%s(%s)", p.pick("twice", "base", "mix"), x)
	case 5:
		return fmt.Sprintf("(Shade)((%s) & 3)", x)
	case 6:
		return fmt.Sprintf("constants[(%s) & 3]", x)
	}
	return fmt.Sprintf("(%s) (rec + (%s)).%s", p.pick("int", "unsigned short", "long long"), x, p.pick("a", "d", "in.x"))
}

func (p *program) statement(depth int) {
	v := p.pick(p.vars...)
	switch p.r.IntN(19) {
	case 0, 1, 2:
		fmt.Fprintf(&p.b, "%s = %s;\n", v, p.integer(3))
	case 3:
		fmt.Fprintf(&p.b, "%s %s= %s;\n", v, p.pick("+", "-", "*", "&", "|", "^"), p.integer(2))
	case 4:
		fmt.Fprintf(&p.b, "arr[(%s) & 7] %s (int)(%s);\n", p.integer(1), p.pick("=", "+=", "^="), p.integer(2))
	case 5:
		fmt.Fprintf(&p.b, "%s += arr[(%s) & 7];\n", v, p.integer(2))
	case 6:
		fmt.Fprintf(&p.b, "if (%s) {\n", p.integer(2))
		p.block(depth)
		if p.r.IntN(2) == 0 {
			p.b.WriteString("} else {\n")
			p.block(depth)
		}
		p.b.WriteString("}\n")
	case 7:
		p.loop++
		fmt.Fprintf(&p.b, "for (int k%d = 0; k%d < %d; k%d++) {\n", p.loop, p.loop, 1+p.r.IntN(5), p.loop)
		if p.r.IntN(3) == 0 {
			fmt.Fprintf(&p.b, "if (%s) %s;\n", p.integer(1), p.pick("break", "continue"))
		}
		p.block(depth)
		p.b.WriteString("}\n")
	case 8:
		fmt.Fprintf(&p.b, "switch ((%s) & 3) { case 0: %s++; break; case 1: --%s; case 2: change(%s, %s); %s default: %s = %s; }\n",
			p.integer(1), v, v, "refer", p.integer(1), p.pick("", "break;"), p.pick(p.vars...), p.integer(1))
	default:
		p.change(v, depth)
	}
}

// change writes a statement that changes an object, goes through a pointer, or jumps.
func (p *program) change(v string, depth int) {
	switch p.r.IntN(20) {
	case 13:
		fmt.Fprintf(&p.b, "at = &recs[(%s) & 1]; at->%s %s (%s);\n", p.integer(1), p.pick("a", "b", "c[1]", "d", "low", "in.x"), p.pick("=", "+=", "|="), p.integer(2))
	case 14:
		fmt.Fprintf(&p.b, "recs[(%s) & 1] = %s;\n", p.integer(1), p.pick("rec", "*at", "recs[0]", "makeRec(in[0], in[1])", "*at + 3"))
	case 15:
		fmt.Fprintf(&p.b, "((%s) ? %s : refer) %s (int)(%s);\n", p.integer(1), p.pick("arr[1]", "refer", "buf.v[2]", "*ptr"), p.pick("=", "+=", "^="), p.integer(1))
	case 16:
		fmt.Fprintf(&p.b, "{ int **far = &ptr; **far += (int)(%s); %s ^= **far; }\n", p.integer(1), v)
	case 17:
		fmt.Fprintf(&p.b, "derived.set(%s, %s); %s += derived.k;\n", p.integer(1), p.pick("refer", "arr[3]", "derived.m"), v)
	case 18:
		fmt.Fprintf(&p.b, "{ auto step = [&, n = (int)(%s)](int by) mutable { n += by; %s ^= n; return n > 0; }; if (step(3)) step((int)(%s)); }\n", p.integer(1), v, p.integer(1))
	case 19:
		fmt.Fprintf(&p.b, "{ static const short steps[] = {3, -1, 7}; for (short s : steps) { if (s == (%s)) break; %s += s; } }\n", p.integer(1), v)
	case 0:
		fmt.Fprintf(&p.b, "rec.%s %s (%s);\n", p.pick("a", "b", "c[2]", "d", "low", "high", "in.x", "in.y"), p.pick("=", "+=", "^=", "*="), p.integer(2))
	case 1:
		fmt.Fprintf(&p.b, "{ Rec copy = rec; copy.%s += %s; %s ^= copy.sum(); if (%s) rec = copy; }\n", p.pick("a", "low", "in.y"), p.integer(1), v, p.integer(1))
	case 2:
		fmt.Fprintf(&p.b, "ptr = %s; *ptr %s (int)(%s);\n", p.pick("arr + 2", "&arr[in[1] & 3]", "buf.v", "&arr[5]", "(in[0] > 0 ? arr : buf.v)"), p.pick("=", "-=", "|="), p.integer(2))
	case 3:
		fmt.Fprintf(&p.b, "for (int *q = arr; q != arr + %d; %s) %s += *q;\n", 2+p.r.IntN(6), p.pick("++q", "q++"), v)
	case 4:
		fmt.Fprintf(&p.b, "buf.at(%s) %s (%s);\n", p.integer(1), p.pick("=", "+=", "<<="), "("+p.integer(1)+") & 3")
	case 5:
		fmt.Fprintf(&p.b, "grid[(%s) & 1][(%s) & 3] %s (%s);\n", p.integer(1), p.integer(1), p.pick("=", "+=", "&="), p.integer(2))
	case 6:
		fmt.Fprintf(&p.b, "SWAP_ITEMS(%s, %s, %s);\n", p.pick("int", "long long", "short"), v, p.pick(p.vars...))
	case 7:
		fmt.Fprintf(&p.b, "%s = (%s, %s);\n", v, p.pick("++", "--")+p.pick(p.vars...), p.integer(1))
	case 8:
		p.loop++
		fmt.Fprintf(&p.b, "{ unsigned n%d = (%s) & 7; do {\n", p.loop, p.integer(1))
		n := p.loop
		p.block(depth)
		fmt.Fprintf(&p.b, "} while (n%d-- %s); }\n", n, p.pick("", "> 2", "&& "+v))
	case 9:
		p.loop++
		n := p.loop
		fmt.Fprintf(&p.b, "if (%s) goto skip%d;\n", p.integer(1), n)
		p.block(depth)
		fmt.Fprintf(&p.b, "skip%d: ;\n", n)
	case 10:
		fmt.Fprintf(&p.b, "if (%s%s && (%s = %s)) %s--;\n", p.pick(p.vars...), p.pick("++", "--"), v, p.integer(1), p.pick(p.vars...))
	case 11:
		fmt.Fprintf(&p.b, "for (auto %sitem : arr) %s += item++;\n", p.pick("&", ""), v)
	case 12:
		fmt.Fprintf(&p.b, "{ View w(%s); w.%s = (%s); %s += w.u; }\n", p.integer(1), p.pick("h[1]", "b[0]", "s.lo", "u"), p.integer(1), v)
	}
}

func (p *program) block(depth int) {
	if depth == 0 {
		return
	}
	for range 1 + p.r.IntN(3) {
		p.statement(depth - 1)
	}
}

const randomPrelude = `
static int call0(int a, int b) { return a - b; }
static unsigned call1(unsigned a, short b) { if (a > 100u) return a + b; return b; }
static long long call2(long long a, unsigned char b) { long long s = 0; for (int i = 0; i < (b & 3); i++) s += a ^ i; return s; }
template <typename T> static T call3(T a, long long b) { return b > 0 ? a : T(b); }
static void change(int &x, int by) { x += by; if (x > 1000) return; x *= 3; }
static int rec0(int n, int x) { return n <= 0 ? x : rec0(n - 1, x * 3 + n) ^ n; }
static unsigned rec1(int n, unsigned x) { if (n < 2) return x; if (x & 1) return rec1(n - 2, x >> 1) + 1; return rec1(n - 1, x + 5); }
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define ABSOLUTE_OF_SUM(a, b) LARGER((a) + (b), -((a) + (b)))
#define PICK(x, ...) SECOND(__VA_ARGS__, x)
#define SECOND(a, b, ...) ((a) - (b))
#define SWAP_ITEMS(T, a, b) do { T swapped = (T)(a); (a) = (b); (b) = swapped; } while (0)
struct Inner { short x; long long y; };
struct Rec {
  int a; short b; unsigned char c[3]; unsigned low : 5; int high : 11; long long d; Inner in;
  long long sum() const { return a + b + c[0] + c[1] + c[2] + low + high + d + in.x + in.y; }
  Rec operator+(int k) const { Rec r = *this; r.a += k; r.d ^= k; r.in.x -= k; return r; }
};
static Rec makeRec(long long x, int y) { Rec r = {(int)x, (short)y, {1, (unsigned char)x}}; r.low = y; r.high = x; r.d = x * y; r.in.y = y; return r; }
template <typename T, int N> struct Buf {
  T v[N];
  Buf(long long x) { for (int i = 0; i < N; i++) v[i] = (T)(x + i * 77); }
  T &at(int i) { return v[i & (N - 1)]; }
  template <typename R> R total() const { R r = 0; for (T x : v) r += x; return r; }
};
template <typename... T> static long long sumPack(T... x) { return (0 + ... + x); }
enum Shade : signed char { dark = -2, dim, bright = 3 };
static const int constants[4] = {5, -6, 7000000, 8};
struct Plain { int k; long long base(int x) const { return k - x; } };
struct Derived : Plain {
  short m;
  Derived(int x) : Plain{x * 3}, m(x) {}
  int twice(int x) { m += x; return m * 2 + k; }
  long long mix(long long x) const { return Plain::base((int)x) ^ m; }
  template <typename T> void set(long long x, T &also) { k = (int)x; also = (T)(x >> 1); }
};
union View { unsigned u; short h[2]; unsigned char b[4]; struct { short lo; unsigned short hi; } s; View(long long x) { u = (unsigned)x; } };
`

func (p *program) function(name string) {
	p.vars = []string{"refer"}
	fmt.Fprintf(&p.b, "__global__ void %s(const int *in, long long *out) {\nint arr[8] = {1, 2, 3}; int refer = in[7];\n"+
		"Rec rec = makeRec(in[6], in[5]); Buf<int, 4> buf(in[4]); Rec recs[2] = {rec, makeRec(in[1], 3)}, *at = &recs[1]; Derived derived(in[2]); int *ptr = arr + 1; long long grid[2][4] = {{in[3], 5}, {7}};\n", name)
	for i := range 5 {
		v := fmt.Sprintf("v%d", i)
		fmt.Fprintf(&p.b, "%s %s = %s;\n", p.pick(programTypes[:8]...), v, p.integer(1))
		p.vars = append(p.vars, v)
	}
	for range 6 {
		p.statement(3)
	}
	for i := range agreeOut - 1 {
		fmt.Fprintf(&p.b, "out[%d] = %s;\n", i, p.vars[i%len(p.vars)])
	}
	fmt.Fprintf(&p.b, "for (int i = 0; i < 8; i++) out[%d] = out[%d] * 31 + (arr[i] ^ grid[i & 1][i / 2] ^ buf.at(i));\n", agreeOut-1, agreeOut-1)
	fmt.Fprintf(&p.b, "out[%d] ^= rec.sum() + recs[0].sum() * 3 + recs[1].sum() * 7 + derived.k + derived.m + (at - recs);\n}\n", agreeOut-1)
}

// TestAgreeRandom compares random functions with a C++ compiler.
func TestAgreeRandom(t *testing.T) {
	t.Parallel()
	p := &program{r: rand.New(rand.NewPCG(3, *randomSeed))}
	p.b.WriteString(randomPrelude)
	for i := range *randomCount {
		p.function(fmt.Sprintf("random%d", i))
	}
	text := p.b.String()
	m := lowerText(map[string]string{"a.cu": text})
	inputs := agreeInputs()
	want := compileAndRun(t, text, kernelNames(text), inputs)
	if len(m.Kernels) != *randomCount {
		t.Fatalf("%d kernels, want %d", len(m.Kernels), *randomCount)
	}
	for _, k := range m.Kernels {
		agree(t, k, want[k.Name], inputs)
	}
}
