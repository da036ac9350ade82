package lower

import (
	"bytes"
	"context"
	enc "encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp"
	"github.com/warplint/warplint/analysis/race"
)

// prelude makes a host compiler take the CUDA of the cases.
const prelude = `
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cmath>
#include <type_traits>
#include <algorithm>
#define __global__ static
#define __device__ static inline
#define __host__
#define __forceinline__ inline
#define __restrict__ __restrict
#define __constant__
using std::min; using std::max;
struct dim3 { unsigned x, y, z; dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {} };
struct int2 { int x, y; }; struct int4 { int x, y, z, w; }; struct alignas(16) float4 { float x, y, z, w; };
struct uchar4 { unsigned char x, y, z, w; };
static inline int2 make_int2(int x, int y) { return {x, y}; }
static inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
static inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
`

const (
	agreeIn   = 8 // ints that a case gets
	agreeOut  = 8 // 64-bit results that it gives
	agreeRuns = 24
)

// TestAgree compares the interpreter on lowered functions with a C++ compiler on the same
// text. Each case is a kernel of one thread: void name(const int *in, long long *out).
func TestAgree(t *testing.T) {
	files, err := filepath.Glob("testdata/agree/*.cu")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	inputs := agreeInputs()
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".cu"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			m := lowerText(map[string]string{"a.cu": string(text)})
			want := compileAndRun(t, string(text), kernelNames(string(text)), inputs)
			if len(m.Kernels) != len(kernelNames(string(text))) {
				t.Fatalf("%d kernels, want %d", len(m.Kernels), len(kernelNames(string(text))))
			}
			for _, k := range m.Kernels {
				agree(t, k, want[k.Name], inputs)
			}
		})
	}
}

func agreeInputs() [][]int32 {
	special := []int32{0, 1, -1, 2, 7, 31, 32, 255, 256, -128, 65535, math.MaxInt32, math.MinInt32}
	r := rand.New(rand.NewPCG(1, 2))
	var out [][]int32
	for run := range agreeRuns {
		in := make([]int32, agreeIn)
		for i := range in {
			switch run % 3 {
			case 0:
				in[i] = int32(r.Uint32())
			case 1:
				in[i] = special[r.IntN(len(special))]
			default:
				in[i] = int32(r.IntN(40)) - 10
			}
		}
		out = append(out, in)
	}
	return out
}

var kernelName = regexp.MustCompile(`__global__ void (\w+)\(`)

func kernelNames(text string) []string {
	var out []string
	for _, m := range kernelName.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

// compileAndRun gives, for each case, the results of all runs one after the other.
func compileAndRun(t *testing.T, text string, names []string, inputs [][]int32) map[string][]int64 {
	t.Helper()
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString(prelude + text + "\nint main() {\n static const int in[][8] = {\n")
	for _, in := range inputs {
		b.WriteString("{")
		for _, v := range in {
			if v == math.MinInt32 {
				b.WriteString("-2147483647-1,")
				continue
			}
			fmt.Fprintf(&b, "%d,", v)
		}
		b.WriteString("},\n")
	}
	b.WriteString("};\n")
	for _, name := range names {
		fmt.Fprintf(&b, "for (auto &i : in) { long long out[8] = {}; %s(i, out); fwrite(out, 1, sizeof out, stdout); }\n", name)
	}
	b.WriteString("}\n")
	src, bin := filepath.Join(dir, "a.cc"), filepath.Join(dir, "a")
	if err := os.WriteFile(src, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("c++", "-std=c++17", "-O0", "-w", "-fwrapv", "-ffp-contract=off", "-fno-strict-aliasing", "-o", bin, src)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	raw, err := exec.Command(bin).Output()
	if err != nil {
		t.Fatal(err)
	}
	all := make([]int64, len(raw)/8)
	if err := enc.Read(bytes.NewReader(raw), enc.LittleEndian, all); err != nil {
		t.Fatal(err)
	}
	results := map[string][]int64{}
	per := len(inputs) * agreeOut
	for i, name := range names {
		results[name] = all[i*per : (i+1)*per]
	}
	return results
}

func agree(t *testing.T, k *ir.Func, want []int64, inputs [][]int32) {
	t.Helper()
	if err := ir.Check(k); err != nil {
		t.Errorf("%v", err)
		return
	}
	for r := range reasonsOf(k) {
		t.Errorf("%s: not understood: %s", k.Name, r)
	}
	p := interp.Compile(k)
	for run, in := range inputs {
		data := new(bytes.Buffer)
		enc.Write(data, enc.LittleEndian, in)
		launch := interp.Launch{
			Grid: race.Dim3{1, 1, 1}, Block: race.Dim3{1, 1, 1},
			Args:    []interp.Arg{interp.PointerTo(0, 0), interp.PointerTo(1, 0)},
			Buffers: []interp.Buffer{{Name: "in", Size: 4 * agreeIn, Data: data.Bytes()}, {Name: "out", Size: 8 * agreeOut}},
		}
		o, err := p.Run(context.Background(), launch, interp.Options{}, nil)
		if err != nil || !o.Completed() {
			t.Errorf("%s(%v): %v %+v", k.Name, in, err, o)
			return
		}
		got := make([]int64, agreeOut)
		enc.Read(bytes.NewReader(o.Memory.ReadBuffer(1, 0, 8*agreeOut)), enc.LittleEndian, got)
		if w := want[run*agreeOut : (run+1)*agreeOut]; fmt.Sprint(got) != fmt.Sprint(w) {
			var b bytes.Buffer
			ir.Print(&b, k, false)
			t.Errorf("%s(%v)\n got %v\nwant %v\n%s", k.Name, in, got, w, b.String())
			return
		}
	}
}
