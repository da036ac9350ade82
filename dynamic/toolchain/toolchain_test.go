package toolchain

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// find returns the machine's toolchain. These tests are about clang, so there is none without.
func find(t *testing.T) *Toolchain {
	t.Helper()
	tools, err := Find(t.Context())
	if err != nil {
		t.Fatalf("%v; scripts/test.sh of this project installs what the tests need", err)
	}
	return tools
}

func device(t *testing.T, o *Options, source string) *Module {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a.cu")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := find(t).Device(t.Context(), o, file, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestFindSaysHowToGetACompiler(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Find(t.Context())
	if !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "apt-get install") {
		t.Errorf("got %v", err)
	}
}

func TestFindRefusesWhatIsNoClang(t *testing.T) {
	t.Setenv("WARPLINT_CLANG", "/bin/true")
	_, err := Find(t.Context())
	if !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "/bin/true is no clang") {
		t.Errorf("got %v", err)
	}
}

// access is a load, store or atomic of PTX in shared or global memory, with its source line.
type access struct {
	line int
	op   string
}

var (
	locLine    = regexp.MustCompile(`^\s*\.loc\s+\d+ (\d+) \d+`)
	accessLine = regexp.MustCompile(`^\s*(?:@!?%p\d+ )?(ld|st|atom|red)\.((?:volatile\.)?(?:global|shared)|[a-z.]*add|[a-z.]*cas|[a-z.]*exch|(?:v\d\.)?[bfsu]\d+)`)
)

func accesses(ptx string) map[access]int {
	found := map[access]int{}
	line := 0
	for text := range strings.Lines(ptx) {
		if m := locLine.FindStringSubmatch(text); m != nil {
			line = 0
			for _, c := range m[1] {
				line = 10*line + int(c-'0')
			}
		}
		if m := accessLine.FindStringSubmatch(text); m != nil {
			space := m[2]
			switch {
			case m[1] == "atom" || m[1] == "red":
				space = "atomic"
			case !strings.HasSuffix(space, "global") && !strings.HasSuffix(space, "shared"):
				space = "generic"
			}
			found[access{line, m[1] + " " + space}]++
		}
	}
	return found
}

// Every access that the source makes to shared and global memory stays, on its line; a comment
// says which ones a line makes. LLVM at -O2 without pins removes, merges or hoists each of them.
const everyAccess = `
__device__ int counter;
struct Pair { int x, y; };
__global__ void k(int *a, Pair *pairs, volatile int *v, int n, unsigned char *bytes) {
  __shared__ int s[64];
  __shared__ int written[64];
  int t = threadIdx.x;
  s[t] = a[t];                       // ld global, st shared
  written[t] = t;                    // st shared
  int twice = a[t];                  // ld global
  int again = a[t];                  // ld global
  int unused = a[t + 1];             // ld global
  unsigned char small = bytes[t];    // ld global
  a[t] = twice;                      // st global
  a[t] = again + s[t];               // st global, ld shared
  for (int i = 0; i < n; i++) {
    a[0] += s[i];                    // ld global, ld shared, st global
    counter++;                       // ld global, st global
  }
  if (t & 1)
    a[5] = 3;                        // st global
  else
    a[5] = 4;                        // st global
  pairs[t] = pairs[t + 1];           // ld global, ld global, st global, st global
  v[0] = v[1];                       // ld volatile.global, st volatile.global
  atomicAdd(&a[t], 0);               // atom atomic
  int local[2] = {t, n};
  local[0] += local[1];
  a[n] = local[0];                   // st global
  int *heap = (int *)malloc(8), *more = new int[2];
  heap[t & 1] = t;                   // st generic
  more[t & 1] = t;                   // st generic
}
int main() {}
`

// Structures, vectors, templates, functions, references, __restrict__, loops that unroll and
// statements whose result nobody uses.
const everyAccessOfTypes = `
struct Body { float4 position; float2 speed; int id; };
struct Cell { short a, b; unsigned char c; double d; };
template <class T, int N> struct Tile {
  T data[N];
  __device__ T &at(int i) { return data[i]; }
};
template <class T> __device__ T sum(const T *p, int n) {
  T s = 0;
  for (int i = 0; i < n; i++)
    s += p[i];                       // ld global, ld shared
  return s;
}
static __device__ float square(const float &x) {
  return x * x;                      // ld global, ld global
}
template <class T> __global__ void k(Body *bodies, Cell *cells, const T *__restrict__ in, T *__restrict__ out, int n) {
  __shared__ Tile<T, 64> tile;
  __shared__ Body near[32];
  __shared__ T sums[2][32];
  int t = threadIdx.x;
  Body b = bodies[t];                // ld global, ld global, ld global
  near[t].position = b.position;     // st shared
  near[t].speed.x = b.speed.x;       // st shared
  near[t].id++;                      // ld shared, st shared
  tile.at(t) = in[t];                // ld global, st shared
  tile.at(t) += tile.at(t + 1);      // ld shared, ld shared, st shared
  cells[t].a = cells[t].b;           // ld global, st global
  cells[t].c |= 1;                   // ld global, st global
  cells[t].d *= 2;                   // ld global, st global
  Cell c = cells[n];                 // ld global, ld global
  cells[n + 1] = c;                  // st global, st global
  for (int i = 0; i < 4; i++)
    sums[i & 1][t] = out[i];         // ld global, st shared
  T *p = t & 1 ? &out[n] : &tile.data[n];
  *p = 0;                            // st generic
  out[0] = in[0] > 0 ? in[1] : in[2]; // ld global, ld global, ld global, st global
  out[1] = sum(in, n) + sum(sums[0], 32); // st global
  out[2] = square(out[3]);           // st global
  (void)atomicExch(&out[4], 1);      // atom atomic
  do {
    n = near[n].id;                  // ld shared
  } while (n > 0);
  float4 v = near[0].position;       // ld shared
  bodies[0].position = make_float4(v.x, v.y, v.z, tile.data[0]); // ld shared, st global
  out[6] = 1;                        // st global
  out[6] = 2;                        // st global
  if (out[7] > 0 && out[8] > 0) return; // ld global, ld global
  out[9] = out[9];                   // ld global, st global
}
template __global__ void k<float>(Body *, Cell *, const float *, float *, int);
int main() {}
`

func TestEveryAccessStaysOnItsLine(t *testing.T) {
	t.Run("statements", func(t *testing.T) { testEveryAccess(t, everyAccess) })
	t.Run("types", func(t *testing.T) { testEveryAccess(t, everyAccessOfTypes) })
}

func testEveryAccess(t *testing.T, everyAccess string) {
	want := map[access]int{}
	for i, line := range strings.Split(everyAccess, "\n") {
		if _, comment, ok := strings.Cut(line, "// "); ok {
			for op := range strings.SplitSeq(comment, ", ") {
				want[access{i + 1, op}]++
			}
		}
	}
	got := accesses(device(t, &Options{}, everyAccess).PTX)
	for a, n := range want {
		// Unrolling may repeat an access, and a vector may be copied in two halves, but none is dropped.
		if got[a] < n {
			t.Errorf("line %d: %d × %q, want %d", a.line, got[a], a.op, n)
		}
		delete(got, a)
	}
	for a, n := range got {
		if strings.HasSuffix(a.op, " generic") {
			continue // the copy of a structure may be in local memory
		}
		t.Errorf("line %d: %d × %q, which the source does not make", a.line, n, a.op)
	}
}

func TestVariablesAreRegisters(t *testing.T) {
	m := device(t, &Options{}, `
struct P { float x, y; };
__device__ void swap(float &a, float &b) { float t = a; a = b; b = t; }
__global__ void k(float *out, int n) {
  P p = {out[0], out[1]};
  for (int i = 0; i < n; i++) swap(p.x, p.y);
  out[2] = p.x - p.y;
}`)
	if regexp.MustCompile(`\b(ld|st)\.local`).MatchString(m.PTX) || strings.Contains(m.PTX, "__local_depot") {
		t.Errorf("local variables are in memory:\n%s", m.PTX)
	}
}

func TestIntrinsicsHaveTheUsersLines(t *testing.T) {
	m := device(t, &Options{}, `#include <cooperative_groups.h>
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_block> flag;
__global__ void k(float *a) {
  a[0] = __shfl_down_sync(0xffffffff, a[0], 1);
  cooperative_groups::this_thread_block().sync();
  flag.store(1, cuda::memory_order_release);
  __threadfence();
  atomicAdd_block(&a[1], 2.0f);
  __nv_atomic_fetch_add(&a[2], 1, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
}`)
	at := map[string]string{}
	line := ""
	for text := range strings.Lines(m.PTX) {
		if l := locLine.FindStringSubmatch(text); l != nil {
			line = l[1]
		}
		for _, op := range []string{"shfl.sync", "bar.sync", "st.release.cta", "membar.gl", "atom.cta.add.f32", "atom.release.gpu.add.f32"} {
			if strings.Contains(text, "\t"+op) {
				at[op] = line
			}
		}
	}
	for op, want := range map[string]string{"shfl.sync": "5", "bar.sync": "6", "st.release.cta": "7", "membar.gl": "8", "atom.cta.add.f32": "9", "atom.release.gpu.add.f32": "10"} {
		if at[op] != want {
			t.Errorf("%s is on line %q, want %s", op, at[op], want)
		}
	}
}

func TestKernelsAreListed(t *testing.T) {
	m := device(t, &Options{Defines: []string{"N=3"}}, `
template <class T> __global__ void scale(T *values, T factor) { values[threadIdx.x] *= factor; }
template __global__ void scale<float>(float *, float);
namespace inner { __global__ void plain(int count, long total) { if (count > N) total++; } }
__device__ int helper() { return N; }
`)
	got := map[string]Kernel{}
	for _, k := range m.Kernels {
		got[k.Name] = k
	}
	if len(got) != 2 {
		t.Fatalf("got %+v", m.Kernels)
	}
	if k := got["scale"]; filepath.Base(k.File) != "a.cu" || k.Line != 2 || strings.Join(k.Parameters, " ") != "values factor" {
		t.Errorf("got %+v", k)
	}
	if k := got["plain"]; k.Line != 4 || strings.Join(k.Parameters, " ") != "count total" {
		t.Errorf("got %+v", k)
	}
	if names := KernelsOfPTX(m.PTX); len(names) != 2 {
		t.Errorf("from PTX: %+v", names)
	}
}

// What is missing on our side is said in our words.
func TestHints(t *testing.T) {
	for message, want := range map[string]string{
		"a.cu:1:10: fatal error: 'cublasLt.h' file not found":                     "belongs to a library that is not simulated",
		"a.cu:1:10: fatal error: 'mine/list.h' file not found":                    "If mine/list.h is yours, name its folder with -I",
		"a.cu:4:19: error: reference to __global__ function 'c' in __global__ fu": "has to name its kernel",
		"a.cu:1:10: fatal error: 'cuda/std/print' file not found":                 "has no cuda/std/print",
		"a.cu:3:24: error: use of undeclared identifier 'cuFuncLoad'":             "If 'cuFuncLoad' is CUDA's, warplint's headers lack it",
		"a.cu:3:24: error: unknown type name 'CUgreenCtx'":                        "If 'CUgreenCtx' is CUDA's",
		"a.cu:3:24: error: no member named 'rotate' in namespace 'thrust'":        "If 'rotate' is CUDA's",
		"a.cu:4:19: error: expected ';'":                                          "expected ';'",
	} {
		if got := (&CompileError{File: "a.cu", Messages: message}).Error(); !strings.Contains(got, want) {
			t.Errorf("%s", got)
		}
	}
}

// What can't be linked is said with what is missing.
func TestLinkError(t *testing.T) {
	for message, want := range map[string]string{
		"undefined reference to `main'":      "have no main function",
		"undefined reference to `cublasX'":   "Name all files",
		"ld.lld: error: undefined symbol: f": "Name all files",
	} {
		if got := linkError(&CompileError{Messages: message}).Error(); !strings.Contains(got, want) {
			t.Errorf("%s: %s", message, got)
		}
	}
}

func TestPlainName(t *testing.T) {
	for symbol, want := range map[string]string{
		"_Z1kPi": "k", "_ZN5outer5inner4nameEi": "name", "_Z5scaleIfEvPT_S0_": "scale", "k": "k", "_Z": "_Z",
		"_ZN2ns1kIiEEvPi": "k", "_Z7account4LockPi": "account", "_ZL3run5StatePS_": "run", "_Z99x": "_Z99x", "": "",
	} {
		if got := PlainName(symbol); got != want {
			t.Errorf("%s: %q, want %q", symbol, got, want)
		}
	}
}

func TestErrorsNameTheirPlace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "broken.cu")
	if err := os.WriteFile(file, []byte("__global__ void k() {\n  undeclared = 1;\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := find(t).Device(t.Context(), &Options{}, file, t.TempDir())
	var compile *CompileError
	if !errors.As(err, &compile) || !strings.Contains(compile.Messages, "broken.cu:2:3: error: use of undeclared identifier 'undeclared'") {
		t.Errorf("got %v", err)
	}
}

func TestCancelledCompilation(t *testing.T) {
	tools := find(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tools.Device(ctx, &Options{}, "a.cu", t.TempDir()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// Each header that programs include compiles by itself, as device and as host code.
func TestHeaders(t *testing.T) {
	tools := find(t)
	capitals := []string{"T0=1", "T1=1", "T2=1", "KO=1"}
	for c := 'A'; c <= 'Z'; c++ {
		capitals = append(capitals, string(c)+"=32")
	}
	for _, header := range []string{
		"cuda_runtime.h", "cuda_runtime_api.h", "cuda.h", "device_launch_parameters.h", "cooperative_groups.h",
		"cooperative_groups/reduce.h", "cooperative_groups/scan.h", "cooperative_groups/memcpy_async.h", "cuda/atomic",
		"cuda/std/atomic", "cuda/barrier", "cuda/std/barrier", "cuda/pipeline", "cuda_pipeline.h", "cuda_fp16.h", "cuda_bf16.h", "math_constants.h",
		"vector_types.h", "vector_functions.h", "driver_types.h", "builtin_types.h", "host_defines.h", "cuda_profiler_api.h",
		"nvtx3/nvToolsExt.h", "cuComplex.h", "memory", "thread", "regex", "mma.h", "curand_kernel.h", "cuda/ptx", "cuda/std/tuple", "cub/cub.cuh",
		"thrust/device_vector.h", "thrust/complex.h", "nvfunctional", "cuda/functional", "cuda_awbarrier_primitives.h", "nvtx3/nvtx3.hpp", "omp.h", "helper_math.h",
	} {
		t.Run(header, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "a.cu")
			text := "#include <" + header + ">\n__global__ void k(int *a) { a[0] = 1; }\nint main() { k<<<1, 1>>>(nullptr); }\n"
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, side := range []string{"--cuda-device-only", "--cuda-host-only"} {
				if err := tools.Run(t.Context(), file, append(tools.cuda(&Options{Defines: capitals}), side, "-fsyntax-only", file)...); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// A .cpp and a .c file that call the runtime compile without CUDA's language.
func TestPlainHostFiles(t *testing.T) {
	tools := find(t)
	for name, text := range map[string]string{
		"a.cpp": "#include <cuda_runtime.h>\n#include <memory>\nint f(float **p) { dim3 d(1, 2); return cudaMalloc(p, d.y); }\n",
		"a.c":   "#include <cuda_runtime_api.h>\nint f(void **p) { return cudaMalloc(p, 4); }\n",
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := tools.Run(t.Context(), file, tools.plainHost(&Options{}, file, file+".o")...); err != nil {
			t.Error(err)
		}
	}
}

// Of an operator that fits in no way the compiler lists all numbers that it takes; nobody reads that.
func TestCompileErrorIsShort(t *testing.T) {
	err := &CompileError{File: "a.cu", Messages: "a.cu:1:2: error: use of overloaded operator '+' is ambiguous\na.cu:1:2: note: built-in candidate operator+(int, int)\na.cu:1:2: note: built-in candidate operator+(int, long)\nh.h:1:1: note: candidate function\n"}
	if want := "a.cu does not compile:\na.cu:1:2: error: use of overloaded operator '+' is ambiguous\nh.h:1:1: note: candidate function"; err.Error() != want {
		t.Errorf("got %s", err)
	}
	err = &CompileError{File: "a.cu", Messages: "fatal error: error in backend: no\nPLEASE submit a bug report to them.\nStack dump:\n0. clang\n"}
	if want := "a.cu does not compile:\nfatal error: error in backend: no"; err.Error() != want {
		t.Errorf("got %s", err)
	}
}
