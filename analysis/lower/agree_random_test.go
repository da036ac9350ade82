//go:build unix

package lower

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
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
	switch p.r.IntN(12) {
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
	return fmt.Sprintf("((int)((float)((%s) & 0xffff) * 0.5f))", x)
}

func (p *program) statement(depth int) {
	v := p.pick(p.vars...)
	switch p.r.IntN(9) {
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
`

func (p *program) function(name string) {
	p.vars = []string{"refer"}
	fmt.Fprintf(&p.b, "__global__ void %s(const int *in, long long *out) {\nint arr[8] = {1, 2, 3}; int refer = in[7];\n", name)
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
	fmt.Fprintf(&p.b, "for (int i = 0; i < 8; i++) out[%d] = out[%d] * 31 + arr[i];\n}\n", agreeOut-1, agreeOut-1)
}

// TestAgreeRandom compares random functions with a C++ compiler.
func TestAgreeRandom(t *testing.T) {
	t.Parallel()
	p := &program{r: rand.New(rand.NewPCG(3, 4))}
	p.b.WriteString(randomPrelude)
	for i := range 60 {
		p.function(fmt.Sprintf("random%d", i))
	}
	text := p.b.String()
	m := lowerText(map[string]string{"a.cu": text})
	inputs := agreeInputs()
	want := compileAndRun(t, text, kernelNames(text), inputs)
	if len(m.Kernels) != 60 {
		t.Fatalf("%d kernels, want 60", len(m.Kernels))
	}
	for _, k := range m.Kernels {
		agree(t, k, want[k.Name], inputs)
	}
}
