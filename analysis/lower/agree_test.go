//go:build unix

package lower

// This file compares what the interpreter makes of lowered functions with what a C++ compiler
// makes of the same text. A function that is compiled or interpreted wrongly may loop for ever, so
// every program that is started here has an end.

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
	"syscall"
	"testing"
	"time"

	"github.com/warplint/warplint/analysis/hostcompiler"
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
#include <utility>
#include <algorithm>
#define __global__ static
#define __device__ static inline
#define __host__
#define __forceinline__ inline
#define __restrict__ __restrict
#define __constant__
using std::min; using std::max;
#include <cstddef>
#include <unistd.h>
#include <cfloat>
#include <climits>
struct dim3 { unsigned x, y, z; dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {} };
#define VECTOR(name, type, size) \
  struct alignas(2 * size) name##2 { type x, y; }; struct name##3 { type x, y, z; }; struct alignas(4 * size > 16 ? 16 : 4 * size) name##4 { type x, y, z, w; }; \
  static inline name##2 make_##name##2(type x, type y) { return {x, y}; } static inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; } \
  static inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
VECTOR(char, signed char, 1) VECTOR(uchar, unsigned char, 1) VECTOR(short, short, 2) VECTOR(ushort, unsigned short, 2) VECTOR(int, int, 4) VECTOR(uint, unsigned, 4)
VECTOR(longlong, long long, 8) VECTOR(ulonglong, unsigned long long, 8) VECTOR(float, float, 4) VECTOR(double, double, 8)
typedef unsigned u32; typedef unsigned long long u64; typedef long long s64;
static inline int __popc(u32 x) { return __builtin_popcount(x); } static inline int __popcll(u64 x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x ? __builtin_clz(x) : 32; } static inline int __clzll(s64 x) { return x ? __builtin_clzll(x) : 64; }
static inline int __ffs(int x) { return __builtin_ffs(x); } static inline int __ffsll(s64 x) { return __builtin_ffsll(x); }
static inline u64 __brevll(u64 x) { u64 r = 0; for (int i = 0; i < 64; i++) r |= (x >> i & 1) << (63 - i); return r; }
static inline u32 __brev(u32 x) { return __brevll(x) >> 32; }
static inline u32 __byte_perm(u32 x, u32 y, u32 s) { u64 v = (u64)y << 32 | x; u32 r = 0; for (int i = 0; i < 4; i++) r |= (u32)(v >> 8 * (s >> 4 * i & 7) & 0xff) << 8 * i; return r; }
static inline u32 __funnelshift_l(u32 lo, u32 hi, u32 s) { return ((u64)hi << 32 | lo) << (s & 31) >> 32; }
static inline u32 __funnelshift_r(u32 lo, u32 hi, u32 s) { return ((u64)hi << 32 | lo) >> (s & 31); }
static inline int __mulhi(int a, int b) { return (s64)a * b >> 32; } static inline u32 __umulhi(u32 a, u32 b) { return (u64)a * b >> 32; }
static inline s64 __mul64hi(s64 a, s64 b) { return (__int128)a * b >> 64; } static inline u64 __umul64hi(u64 a, u64 b) { return (unsigned __int128)a * b >> 64; }
static inline int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); } static inline u32 __umul24(u32 a, u32 b) { return (a & 0xffffff) * (b & 0xffffff); }
static inline u32 __sad(int a, int b, u32 c) { return c + (a > b ? a - b : b - a); } static inline u32 __usad(u32 a, u32 b, u32 c) { return c + (a > b ? a - b : b - a); }
static inline int __hadd(int a, int b) { return ((s64)a + b) >> 1; } static inline u32 __uhadd(u32 a, u32 b) { return ((u64)a + b) >> 1; }
static inline int __rhadd(int a, int b) { return ((s64)a + b + 1) >> 1; } static inline u32 __urhadd(u32 a, u32 b) { return ((u64)a + b + 1) >> 1; }
template <typename To, typename From> static inline To bitsAs(From f) { To t; memcpy(&t, &f, sizeof t); return t; }
static inline int __float_as_int(float f) { return bitsAs<int>(f); } static inline u32 __float_as_uint(float f) { return bitsAs<u32>(f); } static inline float __int_as_float(int i) { return bitsAs<float>(i); }
static inline s64 __double_as_longlong(double d) { return bitsAs<s64>(d); } static inline double __longlong_as_double(s64 l) { return bitsAs<double>(l); }
static inline int __double2hiint(double d) { return bitsAs<s64>(d) >> 32; } static inline int __double2loint(double d) { return bitsAs<s64>(d); }
static inline double __hiloint2double(int hi, int lo) { return bitsAs<double>((s64)((u64)hi << 32 | (u32)lo)); }
static inline float __saturatef(float f) { return f < 0 ? 0 : f > 1 ? 1 : f; } static inline float __fmul_rn(float a, float b) { return a * b; } static inline float __int2float_rn(int i) { return i; }
static inline int __float2int_rn(float f) { return rintf(f); } static inline int __float2int_rz(float f) { return f; } static inline int __float2int_ru(float f) { return ceilf(f); } static inline int __float2int_rd(float f) { return floorf(f); } static inline u32 __float2uint_rz(float f) { return f; }
`

const (
	agreeIn   = 8 // ints that a case gets
	agreeOut  = 8 // 64-bit results that it gives
	agreeRuns = 24

	compileLimit = 2 * time.Minute
	runLimit     = 20 * time.Second
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
	raw, err := runProgram(t, compileCases(t, text, names, inputs), runLimit)
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

// compileCases makes a program that writes the results of all cases on all inputs. It ends
// itself after runLimit, so that it outlives not even a test that was killed.
func compileCases(t *testing.T, text string, names []string, inputs [][]int32) string {
	t.Helper()
	dir := t.TempDir()
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s\nint main() {\n alarm(%d);\n static const int in[][8] = {\n", prelude, text, int(runLimit.Seconds()))
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
	if _, err := runProgram(t, hostcompiler.Path(), compileLimit, "-std=c++20", "-O0", "-w", "-fwrapv", "-ffp-contract=off", "-fno-strict-aliasing", "-o", bin, src); err != nil {
		t.Fatal(err)
	}
	return bin
}

// runProgram gives what a program writes. When it returns, the program and all that this one
// started are gone.
func runProgram(t *testing.T, path string, limit time.Duration, args ...string) ([]byte, error) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), limit)
	defer stop()
	cmd := exec.CommandContext(ctx, path, args...)
	var messages bytes.Buffer
	cmd.Stderr = &messages
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if cmd.Process != nil {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it left behind
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%s did not end within %v", filepath.Base(path), limit)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", filepath.Base(path), err, messages.String())
	}
	return out, nil
}

// A function that never ends is a failure of its case, and neither its process nor one that it
// started goes on: the pipe that both have open is closed.
func TestEndlessCaseEnds(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	gone := make(chan error, 1)
	go func() {
		data, err := os.ReadFile(pipe)
		if err == nil && len(data) != 2 {
			err = fmt.Errorf("%d processes ran, not 2", len(data))
		}
		gone <- err
	}()
	text := fmt.Sprintf(`
#include <fcntl.h>
__global__ void endless(const int *in, long long *out) { int f = open("%s", O_WRONLY); fork(); write(f, "x", 1); for (;;) pause(); }
`, pipe)
	program := compileCases(t, text, []string{"endless"}, agreeInputs())
	if out, err := runProgram(t, program, time.Second); err == nil {
		t.Errorf("it ended with %d bytes", len(out))
	}
	select {
	case err := <-gone:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(runLimit):
		t.Error("a process goes on")
	}
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
		o, err := p.Run(context.Background(), launch, interp.Options{MaxSteps: 100_000}, nil)
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
