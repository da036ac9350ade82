package syntax

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/source"
)

const sample = `#include "b.h"
#define N 32
#define AT(p, i) (p)[(i)]
namespace app {
template <typename T, int K = 4>
struct Tile { T data[K][K + 1]; __device__ T &at(int i, int j) { return data[i][j]; } };

/* A reduction. */
template <typename T>
__global__ void __launch_bounds__(256, 2) reduce(const T *in, T *out, int n) {
  __shared__ T tile[N];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    tile[threadIdx.x] += AT(in, i); // strided
  __syncthreads();
#if N > 16
  if (threadIdx.x < 16) tile[threadIdx.x] += tile[threadIdx.x + 16];
#endif
  asm volatile("membar.gl;" ::: "memory");
  if (threadIdx.x == 0) atomicAdd(out, tile[0]);
}
}
static int table[] = { 1, 2, 3 };
extern "C" { void c(void); }
int main() {
  float *in, *out;
  app::reduce<float><<<dim3(4), 256, 0, 0>>>(in, out, 100);
  auto f = [=] __device__ (int x) { return x + table[0]; };
  return cudaDeviceSynchronize() != cudaSuccess;
}
`

func sampleFiles(text string) source.Map {
	return source.Map{"a.cu": source.New("a.cu", text), "b.h": source.New("b.h", "#pragma once\ninline int ceil(int a, int b) { return (a + b - 1) / b; }\n")}
}

// checkSame reports the first difference between two trees.
func checkSame(t *testing.T, a, b *Node) bool {
	t.Helper()
	if a.Kind != b.Kind || a.Field != b.Field || a.Named != b.Named || a.Missing != b.Missing || a.HasError != b.HasError ||
		a.Start != b.Start || a.End != b.End || len(a.Children) != len(b.Children) {
		t.Errorf("with the previous unit %s %d-%d, %d children, error %v; without %s %d-%d, %d children, error %v", a.Kind, a.Start, a.End,
			len(a.Children), a.HasError, b.Kind, b.Start, b.End, len(b.Children), b.HasError)
		return false
	}
	for i := range a.Children {
		if !checkSame(t, a.Children[i], b.Children[i]) {
			return false
		}
	}
	return true
}

// checkTree checks what holds for every tree.
func checkTree(t *testing.T, u *Unit, n *Node) {
	t.Helper()
	if n.Start > n.End || n.Start < 0 || n.End > len(u.Text) {
		t.Fatalf("%s %d-%d in %d bytes", n.Kind, n.Start, n.End, len(u.Text))
	}
	wrong := n.Missing || n.Kind == "ERROR"
	at := n.Start
	for _, c := range n.Children {
		if c.Start < at || c.End > n.End {
			t.Fatalf("%s %d-%d in %s %d-%d after %d", c.Kind, c.Start, c.End, n.Kind, n.Start, n.End, at)
		}
		at = c.End
		wrong = wrong || c.HasError
		checkTree(t, u, c)
	}
	if wrong != n.HasError {
		t.Fatalf("%s %d-%d: HasError is %v", n.Kind, n.Start, n.End, n.HasError)
	}
	u.Origin(n.Start, n.End)
}

// edits are what the random edits put in.
var edits = []string{"", "", "", " ", "\n", "x", "{", "}", "(", ")", ";", "/*", "*/", "//", "\"", "#if 0\n", "#endif\n", "#define N 4\n",
	"__global__ void k() { }\n", "namespace z {", "<<<", ">>>", "AT(", "struct S { int a; };", "for (;;) ", "ATTR ", "template <class T> ", "\\\n"}

func edit(r *rand.Rand, text string) string {
	start := r.IntN(len(text) + 1)
	end := min(len(text), start+r.IntN(3)*r.IntN(8))
	return text[:start] + edits[r.IntN(len(edits))] + text[end:]
}

// checkEdits edits a text again and again and compares each parse with one from scratch.
func checkEdits(t *testing.T, text string, seed uint64, steps int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	var u *Unit
	for range steps {
		files := sampleFiles(text)
		u = Parse(context.Background(), files, "a.cu", Config{}, u)
		checkTree(t, u, u.Root)
		scratch := Parse(context.Background(), files, "a.cu", Config{}, nil)
		if u.Text != scratch.Text || !checkSame(t, u.Root, scratch.Root) {
			t.Fatalf("after an edit:\n%s", text)
		}
		text = edit(r, text)
	}
}

func TestReparse(t *testing.T) {
	for seed := range uint64(30) {
		checkEdits(t, sample, seed, 20)
	}
}

// TestReparseLarge edits a function that is large enough to be parsed again in parts.
func TestReparseLarge(t *testing.T) {
	for seed := range uint64(10) {
		checkEdits(t, large(400), seed, 5)
	}
}

func large(lines int) string {
	var b strings.Builder
	b.WriteString("__global__ void k(int *p) {\n")
	for i := range lines {
		fmt.Fprintf(&b, "  if (p[%d] < threadIdx.x) p[%d] = f<int>(p[i] * (%d + x)); // line %d\n", i, i, i, i)
	}
	b.WriteString("}\n")
	return b.String()
}

// TestReuse says which nodes an edit keeps.
func TestReuse(t *testing.T) {
	parse := func(text string, previous *Unit) *Unit {
		return Parse(context.Background(), sampleFiles(text), "a.cu", Config{}, previous)
	}
	u := parse(sample, nil)
	for _, test := range []struct {
		name, old, new string
		changed        int
	}{
		{"nothing", "", "", 0},
		{"comment", "A reduction.", "The reduction, in two lines,\n of which this is the second.", 0},
		{"line comment", "// strided", "// by grid", 0},
		{"space between", "\nstatic int", "\n\n\n  static int", 0},
		{"macro that nothing uses", "#define N 32\n", "#define N 32\n#define M 2\n", 0},
		{"body", "table[0]; }", "table[1]; }", 1},
		{"macro used once", "(p)[(i)]", "*((p) + (i))", 1},
		{"launch", "dim3(4), 256", "dim3(8), 256", 1},
		{"new function", "static int", "void f();\nstatic int", 1},
	} {
		v := parse(strings.Replace(sample, test.old, test.new, 1), u)
		known := map[string]bool{}
		for _, c := range u.chunks {
			known[c.text] = true
		}
		changed := 0
		for _, c := range v.chunks {
			if !known[c.text] {
				changed++
			}
		}
		if changed != test.changed {
			t.Errorf("%s: %d pieces are parsed again, not %d", test.name, changed, test.changed)
		}
	}
	v := parse(strings.Replace(sample, "table[0]; }", "table[1]; }", 1), u)
	if v.Items()[0] != u.Items()[0] {
		t.Error("a function before the edit has new nodes")
	}
}

func FuzzReparse(f *testing.F) {
	f.Add(sample, uint64(1))
	f.Add("namespace a { struct X { int y", uint64(2))
	f.Add("extern \"C\" { namespace b { template <class T> T f() try { } catch (...) { }", uint64(3))
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		if len(text) > 4<<10 {
			return
		}
		checkEdits(t, text, seed, 4)
	})
}

func FuzzParse(f *testing.F) {
	f.Add("#define F(x, ...) #x ## __VA_ARGS__ __VA_OPT__(x)\nF(a b, F(1), F)", "#include \"a.cu\"\nint b;")
	f.Add("#if defined(X) + __has_include(<x>) ? 1 : (2\nint a;\n#elif 1\n#else", "")
	f.Add("auto r = R\"x(\" // )x\"; L'a' u8\"\\\n\" 0x1p-3 1'0", "\ufeff\r\n/*")
	f.Add(sample, "#define N")
	f.Fuzz(func(t *testing.T, text, header string) {
		if len(text)+len(header) > 16<<10 {
			return
		}
		files := source.Map{"a.cu": source.New("a.cu", text), "b.h": source.New("b.h", header)}
		u := Parse(context.Background(), files, "a.cu", Config{Defines: []string{"D=1"}, IncludeDirs: []string{"."}}, nil)
		checkTree(t, u, u.Root)
	})
}

// benchmarkText is a file of about 2,000 lines.
func benchmarkText() string {
	var b strings.Builder
	for i := range 70 {
		b.WriteString(strings.NewReplacer("reduce", fmt.Sprintf("reduce%d", i), "Tile", fmt.Sprintf("Tile%d", i), "main", fmt.Sprintf("main%d", i)).Replace(sample))
	}
	return b.String()
}

func BenchmarkParse(b *testing.B) {
	text := benchmarkText()
	files := sampleFiles(text)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Parse(context.Background(), files, "a.cu", Config{}, nil)
	}
}

func BenchmarkPreprocess(b *testing.B) {
	text := benchmarkText()
	files := sampleFiles(text)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		newPreprocessor(context.Background(), files, "a.cu", Config{}).unit()
	}
}

func BenchmarkSplit(b *testing.B) {
	u := Parse(context.Background(), sampleFiles(benchmarkText()), "a.cu", Config{}, nil)
	b.SetBytes(int64(len(u.Text)))
	for b.Loop() {
		split(u.Text)
	}
}

// BenchmarkKeystroke parses after a letter was typed, in the first, middle and last function
// of the file, and in the middle of one very long function.
func BenchmarkKeystroke(b *testing.B) {
	long := large(2000)
	for _, test := range []struct{ name, text, at string }{
		{"first", benchmarkText(), "reduce0(const"},
		{"middle", benchmarkText(), "reduce35(const"},
		{"last", benchmarkText(), "reduce69(const"},
		{"long", long, "p[1000]"},
	} {
		b.Run(test.name, func(b *testing.B) {
			at := strings.Index(test.text, test.at)
			var files [2]source.Map
			for i := range files {
				files[i] = sampleFiles(test.text[:at] + "xy"[:i] + test.text[at:])
			}
			u := Parse(context.Background(), files[0], "a.cu", Config{}, nil)
			for i := 1; b.Loop(); i++ {
				u = Parse(context.Background(), files[i%2], "a.cu", Config{}, u)
			}
		})
	}
}
