package dynamic

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/dynamic/event"
	"github.com/warplint/warplint/dynamic/toolchain"
)

// simulateOK runs something that must at least begin. It needs clang, which scripts/test.sh of
// this project installs.
func simulateOK(t *testing.T, ctx context.Context, o *Options) (*Result, string) {
	t.Helper()
	var out bytes.Buffer
	o.Stdout, o.Stderr = &out, &out
	r, err := Simulate(ctx, o)
	if err != nil {
		t.Fatalf("%v\n(scripts/test.sh installs what the tests need)", err)
	}
	return r, out.String()
}

// compiledOnce compiles a program, and returns what runs it, each time with other options.
func compiledOnce(t *testing.T, file string) func(Options) (*Result, string) {
	t.Helper()
	execute, modules, err := prepareProgram(t.Context(), &Options{Files: []string{file}}, t.TempDir())
	if err != nil {
		t.Fatalf("%v\n(scripts/test.sh installs what the tests need)", err)
	}
	return func(o Options) (*Result, string) {
		t.Helper()
		var out bytes.Buffer
		o.Files, o.Stdout, o.Stderr = []string{file}, &out, &out
		collect := newCollector(&o, modules)
		if err := collect.schedule(t.Context(), 0, execute); err != nil {
			t.Fatal(err)
		}
		return &collect.result, out.String()
	}
}

func problems(r *Result) string {
	var b strings.Builder
	for _, p := range r.Problems {
		b.WriteString(p.Message + "\n")
	}
	return b.String()
}

func TestRuntime(t *testing.T) {
	r, out := simulateOK(t, t.Context(), &Options{Files: []string{"testdata/runtime.cu"}})
	if out != "done\n" {
		t.Errorf("the program says\n%s%s", out, problems(r))
	}
	for _, p := range r.Problems {
		// What the program does wrong on purpose is told, too.
		if !strings.HasPrefix(p.Message, "cuda") && !p.Handled {
			t.Error(p.Message)
		}
	}
	if n := strings.Count(problems(r), "cudaIpcGetMemHandle is not simulated"); n != 1 {
		t.Errorf("an unknown call is told %d times", n)
	}
	if r.Run.Launches != 22 {
		t.Errorf("%d launches, want 22", r.Run.Launches)
	}
}

// Files that use each other's device code and variables, managed ones too; clusters of a fixed size.
func TestSeparate(t *testing.T) {
	detectors, err := SelectDetectors(nil)
	if err != nil {
		t.Fatal(err)
	}
	r, out := simulateOK(t, t.Context(), &Options{
		Files: []string{"testdata/separate/device.cu", "testdata/separate/main.cu"}, Detectors: detectors,
	})
	if out != "1119 1122 1127 1134, 7 80\n0 1 0 1, 12\n" || len(r.Problems) > 0 {
		t.Errorf("the program says\n%s%s", out, problems(r))
	}
	var races []string
	for _, f := range r.Findings {
		if f.Severity >= race.Warning {
			races = append(races, fmt.Sprint(f.Rule, " ", f.Kernel, " ", f.Variable))
		}
	}
	if !slices.Equal(races, []string{"missing-syncwarp race own"}) {
		t.Errorf("races %q", races)
	}
	if len(r.Kernels) != 4 || r.Kernels[0].Name != "increment" || r.Kernels[1].Name != "increment" || r.Kernels[0].Span.File == r.Kernels[1].Span.File {
		t.Errorf("kernels %+v", r.Kernels)
	}
}

func TestDriver(t *testing.T) {
	r, out := simulateOK(t, t.Context(), &Options{Files: []string{"testdata/driver.cpp"}})
	if out != "done\n" || r.Run.Launches != 5 {
		t.Errorf("%d launches, the program says\n%s%s", r.Run.Launches, out, problems(r))
	}
	for _, p := range r.Problems {
		if strings.HasPrefix(p.Message, "no kernel none") && !p.Handled {
			t.Errorf("the program knows: %s", p.Message)
		}
	}
	if !strings.Contains(problems(r), "cuMemExportToShareableHandle is not simulated; it returns CUDA_ERROR_NOT_SUPPORTED") {
		t.Errorf("an unknown call is not told: %s", problems(r))
	}
}

// What a program compiles as it runs is watched like the rest, and its text is there for the report.
func TestCompiledAtRunTime(t *testing.T) {
	detectors, err := SelectDetectors(nil)
	if err != nil {
		t.Fatal(err)
	}
	r, out := simulateOK(t, t.Context(), &Options{Files: []string{"testdata/nvrtc.cpp"}, Detectors: detectors})
	if out != "done\n" {
		t.Errorf("the program says\n%s%s", out, problems(r))
	}
	if len(r.Findings) != 1 || r.Findings[0].Rule != race.MissingSyncthreads || r.Findings[0].Variable != "cells" {
		t.Fatalf("findings %+v", r.Findings)
	}
	span := r.Findings[0].First.Span
	if from, ok := r.Sources.File(span.File); !ok || from.Position(span.Start).Line < 4 {
		t.Errorf("the finding stands at %+v", span)
	}
}

// A program that compiles an instance of a template from a file has its races in that file, and its log names no folder of ours.
func TestCompiledFromFile(t *testing.T) {
	kernel := writeFile(t, "k.cu", `template <class T> __global__ void reversed(T *p, int n) {
  __shared__ T s[64];
  s[threadIdx.x] = p[threadIdx.x];
  p[threadIdx.x] = s[n - 1 - threadIdx.x];
}
`)
	program := writeFile(t, "a.cpp", `#include <cuda.h>
#include <nvrtc.h>
#include <cstdio>
#include <fstream>
#include <sstream>
int main(int, char **arguments) {
  std::stringstream text;
  text << std::ifstream(arguments[1]).rdbuf();
  nvrtcProgram p;
  nvrtcCreateProgram(&p, text.str().c_str(), arguments[1], 0, nullptr, nullptr), nvrtcAddNameExpression(p, "reversed<int>");
  nvrtcCompileProgram(p, 0, nullptr);
  size_t size;
  nvrtcGetPTXSize(p, &size);
  std::string ptx(size, 0);
  const char *name;
  nvrtcGetPTX(p, &ptx[0]), nvrtcGetLoweredName(p, "reversed<int>", &name);
  CUcontext context;
  CUmodule module;
  CUfunction kernel;
  CUdeviceptr memory;
  cuInit(0), cuCtxCreate(&context, 0, 0), cuModuleLoadData(&module, ptx.data()), cuModuleGetFunction(&kernel, module, name), cuMemAlloc(&memory, 256);
  int n = 64;
  void *parameters[] = {&memory, &n};
  cuLaunchKernel(kernel, 1, 1, 1, n, 1, 1, 0, 0, parameters, 0), cuCtxSynchronize();
  nvrtcCreateProgram(&p, "int;x", "wrong.cu", 0, nullptr, nullptr), nvrtcCompileProgram(p, 0, nullptr), nvrtcGetProgramLogSize(p, &size);
  std::string log(size, 0);
  nvrtcGetProgramLog(p, &log[0]);
  puts(log.c_str());
}
`)
	detectors, err := SelectDetectors(nil)
	if err != nil {
		t.Fatal(err)
	}
	r, out := simulateOK(t, t.Context(), &Options{Files: []string{program}, Args: []string{kernel}, Detectors: detectors})
	if !strings.HasPrefix(out, "wrong.cu does not compile:\nwrong.cu:1:") || strings.Contains(out, "/") {
		t.Errorf("the program says\n%s%s", out, problems(r))
	}
	if len(r.Findings) != 1 || r.Findings[0].Second.Span.File != kernel {
		t.Errorf("findings %+v", r.Findings)
	}
}

// Programs that check themselves: rounding.cu by the host's processor, the judge of arithmetic in
// the four rounding modes.
func TestSelfChecking(t *testing.T) {
	for _, file := range []string{"rounding.cu", "halves.cu", "atomics.cu", "collectives.cu", "random.cu", "standard.cu", "thrust.cu", "cub_device.cu", "language.cu", "graphs.cu", "references.cu",
		"conditional.cu", "fp8.cu", "bulk.cu", "groups.cu", "barriers.cu", "mathematics.cu", "openmp.cpp", "classes.cu", "tensors.cu", "textures.cu", "lenient.cu", "constrained.cu", "matrices.cu", "blas.cpp"} {
		r, out := simulateOK(t, t.Context(), &Options{Files: []string{"testdata/" + file}})
		if out != "done\n" {
			t.Errorf("%s says\n%s%s", file, out, problems(r))
		}
	}
}

// Between the two halves of a block's barrier nothing waits yet, and what is done there nobody waits for.
func TestHalvesOfBarrier(t *testing.T) {
	file := writeFile(t, "a.cu", `#include <cooperative_groups.h>
#include <utility>
__global__ void early(int *out) {
  __shared__ int s[64];
  auto block = cooperative_groups::this_thread_block();
  s[threadIdx.x] = threadIdx.x;
  auto token = block.barrier_arrive();
  out[threadIdx.x] = s[63 - threadIdx.x];
  block.barrier_wait(std::move(token));
}
__global__ void late(int *out) {
  __shared__ int s[64];
  auto block = cooperative_groups::this_thread_block();
  auto token = block.barrier_arrive();
  s[threadIdx.x] = threadIdx.x;
  block.barrier_wait(std::move(token));
  out[threadIdx.x] = s[63 - threadIdx.x];
}
int main() {
  int *p;
  cudaMallocManaged(&p, 64 * sizeof(int));
  early<<<1, 64>>>(p);
  late<<<1, 64>>>(p);
  cudaDeviceSynchronize();
}
`)
	detectors, err := SelectDetectors(nil)
	if err != nil {
		t.Fatal(err)
	}
	r, _ := simulateOK(t, t.Context(), &Options{Files: []string{file}, Detectors: detectors})
	for _, kernel := range []string{"early", "late"} {
		if !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Kernel == kernel && f.Rule == race.MissingSyncthreads }) {
			t.Errorf("no race in %s\n%s", kernel, problems(r))
		}
	}
}

// A lane that the mask of its own __syncwarp leaves out is ordered with nobody.
func TestLaneOutsideItsMask(t *testing.T) {
	file := writeFile(t, "a.cu", `
__global__ void k(int *out) {
  __shared__ int s[32];
  s[threadIdx.x] = threadIdx.x;
  __syncwarp(0x0000ffff);
  if (threadIdx.x < 16) out[threadIdx.x] = s[15 - threadIdx.x];
  else out[threadIdx.x] = s[threadIdx.x - 16];
}
int main() {
  int *p;
  cudaMallocManaged(&p, 32 * sizeof(int));
  k<<<1, 32>>>(p);
  return cudaDeviceSynchronize();
}
`)
	detectors, err := SelectDetectors(nil)
	if err != nil {
		t.Fatal(err)
	}
	r, _ := simulateOK(t, t.Context(), &Options{Files: []string{file}, Detectors: detectors})
	var lines []int
	for _, f := range r.Findings {
		from, _ := r.Sources.File(f.Second.Span.File)
		lines = append(lines, from.Position(f.Second.Span.Start).Line)
	}
	if !slices.Equal(lines, []int{7}) || r.Findings[0].Rule != race.MissingSyncwarp {
		t.Errorf("findings %+v\n%s", r.Findings, problems(r))
	}
}

// A list whose head is looked at before it is swapped lacks the fences of all that push, not only of the last one.
func TestListWithoutFences(t *testing.T) {
	file := writeFile(t, "a.cu", `#include <cuda/atomic>
struct Node {
  Node *next;
  int value;
};
__device__ cuda::atomic<Node *, cuda::thread_scope_device> head{nullptr};
__global__ void k(Node *n, int *sum) {
  int i = threadIdx.x;
  if (blockIdx.x == 0) {
    n[i].value = i;
    Node *h = head.load(cuda::memory_order_relaxed);
    do n[i].next = h;
    while (!head.compare_exchange_weak(h, &n[i], cuda::memory_order_relaxed));
  } else if (i == 0) {
    for (int got = 0; got < 4;)
      for (Node *h = head.exchange(nullptr, cuda::memory_order_acquire); h; h = h->next, got++) atomicAdd(sum, h->value);
  }
}
int main() {
  Node *n;
  int *sum;
  cudaMalloc(&n, 4 * sizeof(Node));
  cudaMallocManaged(&sum, sizeof(int));
  k<<<2, 4>>>(n, sum);
  return cudaDeviceSynchronize();
}
`)
	detectors, err := SelectDetectors(nil)
	if err != nil {
		t.Fatal(err)
	}
	r, _ := simulateOK(t, t.Context(), &Options{Files: []string{file}, Detectors: detectors})
	if len(r.Findings) != 2 || slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Rule != race.MissingFence }) {
		t.Errorf("findings %+v\n%s", r.Findings, problems(r))
	}
	for _, f := range r.Findings {
		if !strings.Contains(f.Mend, "in the thread that sets it") {
			t.Errorf("%s: %s", f.Why, f.Mend)
		}
	}
}

// What a file's objects do before main finds the file's kernels and variables.
func TestBeforeMain(t *testing.T) {
	file := writeFile(t, "a.cu", `#include <stdio.h>
__device__ int step = 3;
__managed__ int runs;
__global__ void fill(int *a) {
  a[threadIdx.x] = threadIdx.x + step;
  if (threadIdx.x == 0) runs++;
}
static struct Filled {
  int *p;
  Filled() {
    int ten = 10;
    cudaMemcpyToSymbol(step, &ten, sizeof ten);
    cudaMalloc(&p, 32 * sizeof(int));
    fill<<<1, 32>>>(p);
  }
} filled;
int main() {
  int out[32];
  cudaMemcpy(out, filled.p, sizeof out, cudaMemcpyDefault);
  printf("%d %d\n", out[31], runs);
}
`)
	r, out := simulateOK(t, t.Context(), &Options{Files: []string{file}})
	if out != "41 1\n" || len(r.Problems) > 0 {
		t.Errorf("the program says\n%s%s", out, problems(r))
	}
}

// Who initializes an mbarrier races with who uses it, whichever comes first.
func TestInitializedMbarrier(t *testing.T) {
	const program = `#include <cuda/barrier>
using barrier = cuda::barrier<cuda::thread_scope_block>;
__global__ void k(int *out) {
  __shared__ barrier b;
  if (threadIdx.x == 0) init(&b, blockDim.x);
  %s
  b.arrive_and_wait();
  if (threadIdx.x == 5) out[blockIdx.x] = 1;
}
int main() { int *p; cudaMalloc(&p, 256); k<<<2, 64>>>(p); cudaDeviceSynchronize(); }
`
	for between, races := range map[string]bool{"__syncthreads();": false, "__syncwarp();": true, "": true} {
		file := writeFile(t, "a.cu", fmt.Sprintf(program, between))
		detectors, err := SelectDetectors(nil)
		if err != nil {
			t.Fatal(err)
		}
		// A block where a thread uses it first ends there.
		r, _ := simulateOK(t, t.Context(), &Options{Files: []string{file}, Detectors: detectors, Schedules: 8, Instructions: 20_000})
		for _, f := range r.Findings {
			if f.Rule != race.MissingSyncthreads && f.Rule != race.MissingSyncwarp || !races {
				t.Errorf("%q: %s", between, f.Rule)
			}
		}
		if found := len(r.Findings) > 0; found != races {
			t.Errorf("%q: races: %v", between, races)
		}
	}
}

// A bulk copy reads what threads have written once a proxy fence stands between, wherever that is.
func TestProxyFences(t *testing.T) {
	kernel := func(name, body string) string {
		return "__global__ void " + name + "(int *out) {\n__shared__ alignas(16) int s[64];\n" + body + "\n}\n"
	}
	const write, fence, meet = "s[threadIdx.x] = threadIdx.x;", "ptx::fence_proxy_async(ptx::space_shared);", "__syncthreads();"
	const copies = `if (threadIdx.x == 0) { ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, s, sizeof s); ptx::cp_async_bulk_commit_group(); ptx::cp_async_bulk_wait_group(ptx::n32_t<0>()); }`
	for name, test := range map[string]struct {
		body  string
		races bool
	}{
		"by_writers":  {write + fence + meet + copies, false},
		"by_copier":   {write + meet + fence + copies, false},
		"by_another":  {write + meet + "if (threadIdx.x == 40) " + fence + meet + copies, false},
		"none":        {write + meet + copies, true},
		"early":       {fence + write + meet + copies, true},
		"by_one":      {write + "if (threadIdx.x == 40) " + fence + meet + copies, true},
		"by_late_one": {write + meet + "if (threadIdx.x == 40) " + fence + copies, true},
		"global":      {write + "ptx::fence_proxy_async(ptx::space_global);" + meet + copies, true},
		"one_thread":  {"if (threadIdx.x == 0) { for (int i = 0; i < 64; i++) s[i] = i; " + fence + "}" + copies, false},
		"one_forgets": {"if (threadIdx.x == 0) { for (int i = 0; i < 64; i++) s[i] = i; }" + copies, true},
		"again":       {"for (int i = 0; i < 3; i++) {" + write + fence + meet + copies + meet + "}", false},
		"first_only":  {"for (int i = 0; i < 3; i++) {" + write + "if (i == 0) " + fence + meet + copies + meet + "}", true},
		"other_words": {"if (threadIdx.x >= 32) " + write + meet + "if (threadIdx.x == 0) ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, s, 128);", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := writeFile(t, "a.cu", "#include <cuda/ptx>\nnamespace ptx = cuda::ptx;\n"+kernel(name, test.body)+
				"int main() { int *p; cudaMalloc(&p, 256); "+name+"<<<2, 64>>>(p); cudaDeviceSynchronize(); }\n")
			detectors, err := SelectDetectors(nil)
			if err != nil {
				t.Fatal(err)
			}
			r, _ := simulateOK(t, t.Context(), &Options{Files: []string{file}, Detectors: detectors})
			var rules []race.Rule
			for _, f := range r.Findings {
				if f.Kind != race.InterBlock { // the blocks write to the same place
					rules = append(rules, f.Rule)
				}
				if f.Rule == race.AsyncCopy && f.Kind != race.InterBlock && !(strings.Contains(f.Message, "no proxy fence") && strings.Contains(f.Mend, "fence.proxy.async")) {
					t.Errorf("%s. %s", f.Message, f.Mend)
				}
			}
			if len(rules) > 0 != test.races || test.races && rules[0] != race.AsyncCopy {
				t.Errorf("got %v, races: %v\n%s", rules, test.races, problems(r))
			}
		})
	}
}

// So is a race inside of a library's kernel.
func TestRaceInLibrarysKernel(t *testing.T) {
	file := writeFile(t, "a.cu", `#include <thrust/device_vector.h>
#include <thrust/scatter.h>
int main() {
  thrust::device_vector<int> map(64, 3), from(64), to(64);
  thrust::scatter(from.begin(), from.end(), map.begin(), to.begin()); // the call
}
`)
	detectors, err := SelectDetectors(nil)
	if err != nil {
		t.Fatal(err)
	}
	r, _ := simulateOK(t, t.Context(), &Options{Files: []string{file}, Detectors: detectors})
	if len(r.Findings) == 0 {
		t.Error("no race")
	}
	for _, f := range r.Findings {
		for _, site := range []race.Site{f.First, f.Second} {
			if text, _ := r.Sources.File(site.Span.File); site.Span.File != file || !strings.Contains(text.Line(text.Position(site.Span.Start).Line), "// the call") {
				t.Errorf("%s in %s, at %d", f.Message, site.Span.File, site.Span.Start)
			}
		}
	}
}

// A race inside of a library's function is shown where the user calls it.
func TestRaceInLibrary(t *testing.T) {
	file := writeFile(t, "a.cu", `#include <cub/cub.cuh>
__global__ void twice(const int *in, int *out) {
  using Reduce = cub::BlockReduce<int, 64>;
  __shared__ Reduce::TempStorage storage;
  int sum = Reduce(storage).Sum(in[threadIdx.x]);
  int most = Reduce(storage).Reduce(in[threadIdx.x], cub::Max());
  if (threadIdx.x == 0) out[0] = sum, out[1] = most;
}
int main() {
  int *p;
  cudaMallocManaged(&p, 66 * sizeof(int));
  twice<<<1, 64>>>(p + 2, p);
  cudaDeviceSynchronize();
}
`)
	detectors, err := SelectDetectors(nil)
	if err != nil {
		t.Fatal(err)
	}
	r, _ := simulateOK(t, t.Context(), &Options{Files: []string{file}, Detectors: detectors})
	for _, f := range r.Findings {
		var lines []int
		for _, site := range []race.Site{f.First, f.Second} {
			from, _ := r.Sources.File(site.Span.File)
			lines = append(lines, from.Position(site.Span.Start).Line)
			if site.Span.File != file || len(site.Inlined) > 0 || !strings.HasSuffix(site.Library.File, "cub.cuh") {
				t.Errorf("shown in %s, called from %v", site.Span.File, site.Inlined)
			}
		}
		if slices.Sort(lines); !slices.Equal(lines, []int{5, 6}) {
			t.Errorf("lines %v", lines)
		}
	}
	if len(r.Findings) == 0 {
		t.Error("no finding")
	}
}

// What threads lack is said of those that come too early, of storage that two collectives share, and of a loop of copies.
func TestTooEarly(t *testing.T) {
	file := writeFile(t, "a.cu", `#include <cub/cub.cuh>
#include <cuda/barrier>
#include <cuda_pipeline.h>
using Barrier = cuda::barrier<cuda::thread_scope_block>;
__global__ void arrives(int *p) {
  __shared__ Barrier bar;
  if (threadIdx.x == 0) init(&bar, 64);
  bar.arrive_and_wait();
}
__global__ void sorts(int *p) {
  using Load = cub::BlockLoad<int, 64, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Sort = cub::BlockRadixSort<int, 64, 4>;
  __shared__ union { typename Load::TempStorage load; typename Sort::TempStorage sort; } storage;
  int items[4];
  Load(storage.load).Load(p, items);
  Sort(storage.sort).Sort(items);
  p[threadIdx.x] = items[0];
}
__global__ void copies(int *p) {
  __shared__ int tile[64];
  int sum = 0;
  for (int i = 0; i < 3; i++) {
    __pipeline_memcpy_async(&tile[threadIdx.x], p + i * 64 + threadIdx.x, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    sum += tile[63 - threadIdx.x];
  }
  p[threadIdx.x] = sum;
}
__global__ void overwrites(int *p) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  __pipeline_memcpy_async(&tile[63 - threadIdx.x], p + threadIdx.x, 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  p[threadIdx.x] = tile[threadIdx.x];
}
int main() {
  int *p;
  cudaMalloc(&p, 4096);
  sorts<<<1, 64>>>(p);
  copies<<<1, 64>>>(p);
  overwrites<<<1, 64>>>(p);
  arrives<<<1, 64>>>(p);
  cudaDeviceSynchronize();
}
`)
	detectors, err := SelectDetectors(nil)
	if err != nil {
		t.Fatal(err)
	}
	r, _ := simulateOK(t, t.Context(), &Options{Files: []string{file}, Detectors: detectors})
	for _, c := range []struct {
		rule  race.Rule
		lines []int
		mend  string
	}{
		{race.MissingSyncthreads, []int{7, 8}, "Insert __syncthreads() between the two accesses, where all threads of the block pass."},
		{race.MissingSyncthreads, []int{15, 16}, "Insert __syncthreads() between the two accesses, where all threads of the block pass."},
		{race.AsyncCopy, []int{23, 27}, "and begin the next one behind a barrier, when all have done with what it overwrites."},
		{race.AsyncCopy, []int{33, 34}, "Begin the copy behind a barrier"},
	} {
		if !slices.ContainsFunc(r.Findings, func(f Finding) bool {
			var lines []int
			for _, site := range []race.Site{f.First, f.Second} {
				from, _ := r.Sources.File(site.Span.File)
				lines = append(lines, from.Position(site.Span.Start).Line)
			}
			slices.Sort(lines)
			return f.Rule == c.rule && slices.Equal(lines, c.lines) && strings.Contains(f.Mend, c.mend)
		}) {
			t.Errorf("%v: %v", c.lines, r.Findings)
		}
	}
}

// What happens in a kernel of a library is shown where the host program calls it: races, faults and threads that wait for ever.
func TestInLibraryKernel(t *testing.T) {
	file := writeFile(t, "a.cu", `#include <cooperative_groups.h>
#include <thrust/device_vector.h>
#include <thrust/transform.h>
struct Square { __host__ __device__ int operator()(int x) const { return x * x; } };
__global__ void hangs(int *p) {
  auto block = cooperative_groups::this_thread_block();
  if (threadIdx.x < 32) block.sync();
  else while (atomicAdd(p, 0) == 0) {}
}
int main(int argc, char **argv) {
  thrust::device_vector<int> v(100, 1), w(10);
  if (argc == 1)
    thrust::transform(v.begin(), v.end() - 1, v.begin() + 1, Square());
  else if (argc == 2)
    thrust::copy(v.begin(), v.end(), w.begin());
  else
    hangs<<<1, 64>>>(thrust::raw_pointer_cast(w.data()));
  cudaDeviceSynchronize();
}
`)
	run := compiledOnce(t, file)
	for i, c := range []struct {
		rule    race.Rule
		line    int
		problem string
	}{
		{race.MissingSyncthreads, 13, ""},
		{"", 15, "a.cu:15:5: out of bounds"},
		{race.BarrierDivergence, 7, "a.cu:7:25: livelock"},
	} {
		detectors, err := SelectDetectors(nil)
		if err != nil {
			t.Fatal(err)
		}
		r, _ := run(Options{Args: []string{"", ""}[:i], Detectors: detectors})
		if got := problems(r); !strings.Contains(got, c.problem) || (got == "") != (c.problem == "") {
			t.Errorf("problems %q", got)
		}
		if c.rule != "" && !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Rule == c.rule }) {
			t.Errorf("no %s", c.rule)
		}
		for _, f := range r.Findings {
			for _, site := range []race.Site{f.First, f.Second} {
				from, _ := r.Sources.File(site.Span.File)
				if site.Span.File != file || from.Position(site.Span.Start).Line != c.line {
					t.Errorf("shown in %s:%d", site.Span.File, from.Position(site.Span.Start).Line)
				}
				if inside := strings.HasSuffix(site.Library.File, "thrust.h"); inside != (f.Rule != race.BarrierDivergence) {
					t.Errorf("stands in %q", site.Library.File)
				}
			}
		}
	}
}

// Copies of boxes, and stores into another block's shared memory, are awaited by their mbarrier or their group, or race.
func TestAsyncRaces(t *testing.T) {
	file := writeFile(t, "a.cu", `#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
template <bool Waits, bool Reads> __global__ void boxes(const __grid_constant__ CUtensorMap map, int *out) {
  __shared__ alignas(128) int tile[4][8];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 1);
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    const int at[2] = {6, 3};
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof tile);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, &bar);
  }
  if (Waits) while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
  out[threadIdx.x] = tile[0][threadIdx.x];
  if (!Waits) while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
  __syncthreads();
  if (threadIdx.x == 0) {
    const int at[2] = {0, 0};
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, at, tile);
    ptx::cp_async_bulk_commit_group();
    if (Reads) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    tile[0][0] = 1;
  }
}
__global__ void adds(const __grid_constant__ CUtensorMap map, int *p) {
  __shared__ alignas(128) int tile[4][8];
  tile[threadIdx.x / 8][threadIdx.x % 8] = threadIdx.x;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    const int at[2] = {0, 0};
    ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &map, at, tile);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    if (p && blockIdx.x == 0) p[1] = 1;
  }
}
template <bool Waits> __global__ void __cluster_dims__(2, 1, 1) sends(int *out) {
  __shared__ int from, total;
  __shared__ uint64_t bar;
  auto cluster = cooperative_groups::this_cluster();
  int rank = cluster.block_rank();
  if (threadIdx.x == 0) {
    total = 0;
    ptx::mbarrier_init(&bar, 1);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, rank == 0 ? 12 : 4);
  }
  cluster.sync();
  if (threadIdx.x == 0) {
    ptx::st_async(cluster.map_shared_rank(&from, 1 - rank), rank, cluster.map_shared_rank(&bar, 1 - rank));
    ptx::red_async(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_cluster, ptx::op_add, cluster.map_shared_rank(&total, 0), 1, cluster.map_shared_rank(&bar, 0));
  }
  if (Waits) while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
  if (threadIdx.x == 0) out[rank] = from + total;
  while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
  cluster.sync();
}
int main(int argc, char **argv) {
  int *p, *out;
  cudaMallocManaged(&p, 8 * 8 * 4);
  cudaMallocManaged(&out, 256);
  CUtensorMap map;
  uint64_t sizes[2] = {8, 8}, strides[1] = {32};
  uint32_t box[2] = {8, 4}, steps[2] = {1, 1};
  cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, p, sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                         CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  switch (argc) {
    case 1: boxes<true, true><<<1, 8>>>(map, out); break;
    case 2: boxes<false, true><<<1, 8>>>(map, out); break;
    case 3: boxes<true, false><<<1, 8>>>(map, out); break;
    case 4: adds<<<3, 32>>>(map, nullptr); break;
    case 5: adds<<<3, 32>>>(map, p); break;
    case 6: sends<true><<<2, 32>>>(out); break;
    case 7: sends<false><<<2, 32>>>(out); break;
  }
  cudaDeviceSynchronize();
}
`)
	run := compiledOnce(t, file)
	for i, races := range []bool{false, true, true, false, true, false, true} {
		detectors, err := SelectDetectors(nil)
		if err != nil {
			t.Fatal(err)
		}
		r, _ := run(Options{Args: make([]string, i), Detectors: detectors})
		if got := problems(r); got != "" {
			t.Errorf("%d: %s", i, got)
		}
		if len(r.Findings) > 0 != races {
			t.Errorf("%d: findings %v", i, r.Findings)
		}
		for _, f := range r.Findings {
			if f.Rule != race.AsyncCopy {
				t.Errorf("%d: %s", i, f.Rule)
			}
		}
	}
}

// A kernel prints as the host's C library does.
func TestPrintf(t *testing.T) {
	file := writeFile(t, "a.cu", `#include <cmath>
#include <cstdio>
__host__ __device__ void print() {
  printf("%hhu %hu %hhd %hd %u %llx %zu|", 300, 70000, 200, -40000, ~0u, ~0ull, sizeof(int));
  printf("%#010x %#x %#o %08d %-6d %+d % d %+u %#.8x %*d|", 255, 0, 8, -42, 42, 42, 42, 42u, 255, 5, 7);
  printf("[%8.2f] [%-5f] [%08F] [%F] %a %A %.3a|", INFINITY, NAN, INFINITY, -INFINITY, 3.0, -1e300, 1.0);
  printf("%g %G %.0e %10.3f %5s %-5s| %.2s %c%%\n", 1e-10, 1e100, 2.5, -1.5, "ab", "ab", "abc", 'x');
}
__global__ void prints() { print(); }
int main() {
  print();
  fflush(stdout);
  prints<<<1, 1>>>();
  return cudaDeviceSynchronize();
}
`)
	r, out := simulateOK(t, t.Context(), &Options{Files: []string{file}})
	if lines := strings.Split(out, "\n"); len(lines) != 3 || lines[0] != lines[1] {
		t.Errorf("the host and the kernel print\n%s%s", out, problems(r))
	}
}

// A block's shared memory is there for others until all its threads have ended, so one of these has to know of each access before it ends.
func TestEndOfNeighbour(t *testing.T) {
	detectors, err := SelectDetectors(nil)
	if err != nil {
		t.Fatal(err)
	}
	file := writeFile(t, "a.cu", `#include <cooperative_groups.h>
#include <cuda/atomic>
namespace cg = cooperative_groups;
enum Way { ENDS, SYNCS, WAITS, TELLS_ONE };
template <Way W> __device__ void touch(int *out) {
  __shared__ int own;
  __shared__ cuda::atomic<int, cuda::thread_scope_device> done;
  auto cluster = cg::this_cluster();
  int rank = cluster.block_rank();
  if (threadIdx.x == 0) own = rank, done.store(0);
  cluster.sync();
  if (rank == 0) out[blockIdx.x * 32 + threadIdx.x] = *cluster.map_shared_rank(&own, 1);
  if (W == SYNCS) cluster.sync();
  if (W == WAITS || W == TELLS_ONE) {
    if (rank == 0 && (W == WAITS || threadIdx.x == 0)) cluster.map_shared_rank(&done, 1)->fetch_add(1);
    if (rank == 1 && threadIdx.x == 33) while (done.load() < (W == WAITS ? 64 : 1)) {}
  }
}
__global__ void __cluster_dims__(2) ends(int *out) { touch<ENDS>(out); }
__global__ void __cluster_dims__(2) syncs(int *out) { touch<SYNCS>(out); }
__global__ void __cluster_dims__(2) waits(int *out) { touch<WAITS>(out); }
__global__ void __cluster_dims__(2) tells_one(int *out) { touch<TELLS_ONE>(out); }
int main() {
  int *out;
  cudaMalloc(&out, 512);
  ends<<<4, 64>>>(out);
  syncs<<<4, 64>>>(out);
  waits<<<4, 64>>>(out);
  tells_one<<<2, 64>>>(out);
  return cudaDeviceSynchronize();
}
`)
	r, _ := simulateOK(t, t.Context(), &Options{Files: []string{file}, Detectors: detectors})
	var late []string
	for _, f := range r.Findings {
		if f.Rule != race.MissingClusterSync || f.First.Access != race.Read || f.Second.Access != race.End || f.Variable != "own" {
			t.Errorf("a finding %+v", f.Finding)
		}
		late = append(late, f.Kernel)
	}
	if got := problems(r); got != "" || !slices.Equal(late, []string{"ends", "tells_one"}) {
		t.Errorf("late are %q, problems %q", late, got)
	}
}

// Copies by what is no tensor map, or not the right one, say so.
func TestWrongTensorMap(t *testing.T) {
	file := writeFile(t, "a.cu", `#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
template <int N> __global__ void k(const __grid_constant__ CUtensorMap map, int from) {
  __shared__ alignas(128) int tile[32];
  __shared__ uint64_t bar;
  ptx::mbarrier_init(&bar, 1);
  int32_t at[N] = {};
  ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile + from, &map, at, &bar);
}
int main(int argc, char **) {
  void *p;
  cudaMalloc(&p, 1024);
  CUtensorMap m = {};
  cuuint64_t size[] = {8, 8}, stride[] = {32};
  cuuint32_t box[] = {8, argc == 4 ? 128u : 2u}, ones[] = {1, 1};
  if (argc > 1)
    cuTensorMapEncodeTiled(&m, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, p, size, stride, box, ones, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                           CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (argc == 2) k<3><<<1, 1>>>(m, 0);
  else k<2><<<1, 1>>>(m, argc == 3 ? 4 : 0);
  cudaDeviceSynchronize();
}
`)
	run := compiledOnce(t, file)
	for i, want := range []string{
		"no tensor map at",
		"3 coordinates for a tensor of 2 dimensions",
		"which is no multiple of 128",
		"bytes of shared memory",
	} {
		if r, _ := run(Options{Args: make([]string, i)}); !strings.Contains(problems(r), want) {
			t.Errorf("want %q, got %q", want, problems(r))
		}
	}
}

// TestTrouble compiles testdata/trouble.cu once and runs it in all its ways.
func TestTrouble(t *testing.T) {
	execute, modules, err := prepareProgram(t.Context(), &Options{Files: []string{"testdata/trouble.cu"}}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, c := range []struct {
		name            string
		options         Options // its first argument says what goes wrong
		output, problem string
	}{
		{"out of bounds", Options{Args: []string{"bounds"}}, "an illegal memory access was encountered\n",
			"trouble.cu:10:55: out of bounds: write of 4 bytes at 0x900000001590, right behind the end of `a` ("},
		{"livelock", Options{Args: []string{"never"}}, "the launch timed out and was terminated\n", "livelock: threads wait in loops"},
		{"divergent barrier", Options{Args: []string{"diverge"}}, "the launch timed out and was terminated\n",
			"(kernel diverge, thread (0,0,0) of block (0,0,0))\n\tthread (0,0,0) of block (0,0,0) and 31 others: waits at barrier 0 for 32 more threads at /"},
		{"barrier in memory", Options{Args: []string{"lack"}}, "the launch timed out and was terminated\n",
			"and 31 others: waits in a loop at a barrier in shared memory for 1 more arrivals at /"},
		{"assert", Options{Args: []string{"assert"}}, "device-side assert triggered\n", "trouble.cu:27:33: assertion failed"},
		{"recursion without an end", Options{Args: []string{"deep"}}, "hardware stack error\n", "calls deep (kernel recurses, thread (0,0,0) of block (0,0,0))"},
		{"printing", Options{Args: []string{"print"}}, "before\nhello from thread 0\nhello from thread 1\nafter\nno error\n", ""},
		{"a kernel that prints for ever", Options{Args: []string{"flood"}, Instructions: 10000}, "and on\nthe launch timed out and was terminated\n", "limit reached"},
		{"a host program that prints for ever", Options{Args: []string{"flood from the host"}, Timeout: 200 * time.Millisecond}, "", "longer than the time limit of 200ms"},
		{"crash", Options{Args: []string{"crash"}}, "", "the program was ended by signal 11 (segmentation fault)"},
		{"exit", Options{Args: []string{"exit"}}, "", "the program exited with status 7"},
		{"a child stays behind", Options{Args: []string{"children"}}, "no error\n", ""},
		{"instruction limit", Options{Args: []string{"busy"}, Instructions: 100000}, "the launch timed out and was terminated\n",
			"blocks at their end (kernel busy, thread (0,0,0) of block (0,0,0))"},
		{"time limit in a kernel", Options{Args: []string{"busy"}, Timeout: 200 * time.Millisecond}, "",
			"limit reached: the run took longer than the time limit of 200ms, 0 of 1 blocks at their end (kernel busy, thread (0,0,0) of block (0,0,0))"},
		{"time limit in the host program", Options{Args: []string{"loop"}, Timeout: 200 * time.Millisecond}, "", "longer than the time limit of 200ms"},
		{"memory limit", Options{Args: []string{""}, Memory: 100}, "no error\n", "cudaMalloc: out of device memory: 400 bytes asked for"},
		{"cancel", Options{Args: []string{"busy"}, Progress: func(p Progress) {
			if p.Kernel != "busy" || p.Launch != 1 || p.Schedule != 1 {
				t.Errorf("progress %+v", p)
			}
			cancel()
		}}, "", "the run was cancelled"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			o := c.options
			o.Files, o.Stdout, o.Stderr = []string{"testdata/trouble.cu"}, &out, &out
			collect := newCollector(&o, modules)
			if err := collect.schedule(ctx, 0, execute); err != nil {
				t.Fatal(err)
			}
			got := problems(&collect.result)
			if !strings.HasSuffix(out.String(), c.output) || (got == "") != (c.problem == "") || !strings.Contains(got, c.problem) {
				t.Errorf("output %q, problems %q", out.String(), got)
			}
			for _, f := range collect.result.Findings {
				if f.Rule == race.BarrierDivergence && (f.Witness == nil || f.Witness.Launch.IsZero() || (f.Witness.First == f.Witness.Second) != (c.name == "barrier in memory")) {
					t.Errorf("%s: witness %+v", c.name, f.Witness)
				}
			}
			diverges := slices.ContainsFunc(collect.result.Findings, func(f Finding) bool { return f.Rule == race.BarrierDivergence })
			if diverges != strings.Contains(c.name, "barrier") {
				t.Errorf("findings %v", collect.result.Findings)
			}
		})
	}
}

// TestAftermath has threads fault because they don't wait for one of their block, which is heard all the same.
func TestAftermath(t *testing.T) {
	file := writeFile(t, "early.cu", `__global__ void early(int *out) {
  __shared__ int *room;
  if (threadIdx.x == 0) room = out;
  room[threadIdx.x] = 1;
  __syncthreads();
}
int main() {
  int *out;
  cudaMalloc(&out, 256);
  early<<<1, 64>>>(out);
  cudaDeviceSynchronize();
}`)
	detectors, err := SelectDetectors(nil)
	if err != nil {
		t.Fatal(err)
	}
	r, _ := simulateOK(t, t.Context(), &Options{Files: []string{file}, Detectors: detectors})
	if got := problems(r); !strings.Contains(got, "early.cu:4:21: out of bounds") {
		t.Errorf("problems %q", got)
	}
	if !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Rule == race.MissingSyncthreads }) {
		t.Errorf("findings %v", r.Findings)
	}
}

// TestParted has threads of one warp meet at two barriers, which is one too many, and others at one without .aligned,
// at their own ends, and each warp at its own barrier, which is right.
func TestParted(t *testing.T) {
	file := writeFile(t, "parted.cu", `__global__ void parted(int *out) {
  if (threadIdx.x < 48) {
    __syncthreads();
    out[threadIdx.x] = 1;
  } else {
    __syncthreads();
    out[threadIdx.x] = 2;
  }
}
__global__ void fine(int *out) {
  if (threadIdx.x % 2) { __barrier_sync(1); out[threadIdx.x] = 1; }
  else { __barrier_sync(1); out[threadIdx.x] = 2; }
  if (threadIdx.x < 32) { __syncthreads(); out[threadIdx.x] = 3; }
  else { __syncthreads(); out[threadIdx.x] = 4; }
  if (threadIdx.x > 40) return;
  __syncthreads();
}
int main() {
  int *out;
  cudaMalloc(&out, 256);
  parted<<<2, 64>>>(out);
  fine<<<1, 64>>>(out);
  return cudaDeviceSynchronize();
}`)
	r, _ := simulateOK(t, t.Context(), &Options{Files: []string{file}})
	if len(r.Findings) != 1 || r.Run.Launches != 2 {
		t.Fatalf("findings %v, problems %q", r.Findings, problems(r))
	}
	f := r.Findings[0]
	if f.Rule != race.BarrierDivergence || f.Kernel != "parted" || f.Count != 2 || !strings.Contains(f.Why, "parted.cu:6") ||
		f.Witness.First.Thread[0] != 32 || f.Witness.Second.Thread[0] != 48 || f.Witness.Launch.IsZero() {
		t.Errorf("finding %+v", f)
	}
}

// One process has the device. What others get is what a GPU gives them, if it was in use when they were forked.
func TestProcesses(t *testing.T) {
	file := writeFile(t, "a.cu", `#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>
__managed__ int sum;
__global__ void add() { atomicAdd(&sum, 1); }
static cudaError_t use() {
  cudaError_t error = cudaSuccess;
  for (int i = 0; i < 200 && error == cudaSuccess; i++) {
    void *p;
    error = cudaMalloc(&p, 4);
    add<<<1, 32>>>();
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
  }
  return error;
}
int main(int n, char **arguments) {
  if (n > 1 && !strcmp(arguments[1], "worker")) return use();
  bool late = !strcmp(arguments[1], "late"), other = !strcmp(arguments[1], "other");
  if (late) use();
  pid_t child = fork();
  if (child == 0) {
    if (other) execl("/proc/self/exe", "a", "worker", (char *)0);
    _exit(use());
  }
  int status;
  if (!late) waitpid(child, &status, 0);
  cudaError_t mine = use();
  if (late) waitpid(child, &status, 0);
  printf("%d, child %d\n", mine, WEXITSTATUS(status));
}
`)
	run := compiledOnce(t, file)
	for _, c := range []struct{ when, output, problem string }{
		{"late", "0, child 3\n", "forked after the first call"},
		{"early", "3, child 0\n", "a second process of the program uses the device"},
		{"other", "0, child 3\n", "a second process of the program uses the device"},
	} {
		r, out := run(Options{Args: []string{c.when}, Timeout: time.Minute})
		if out != c.output || len(r.Problems) != 1 || !strings.Contains(problems(r), c.problem) || r.Problems[0].Handled != (c.when == "late") {
			t.Errorf("%s: output %q, problems %q", c.when, out, problems(r))
		}
	}
}

// A program of several files in two languages, with include folders and macros.
func TestSeveralFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"kernel.cu":        "#include \"shared.h\"\n__global__ void set(int *a) { *a = VALUE; }\nvoid launch(int *a) { set<<<1, 1>>>(a); }\n",
		"main.cpp":         "#include <cuda_runtime.h>\n#include <cstdio>\n#include \"shared.h\"\nint main() { int *a, b; cudaMalloc(&a, 4); launch(a); cudaMemcpy(&b, a, 4, cudaMemcpyDeviceToHost); std::printf(\"%d\\n\", b + twice(VALUE)); }\n",
		"plain.c":          "int twice(int x) { return 2 * x; }\n",
		"headers/shared.h": "void launch(int *);\n#ifdef __cplusplus\nextern \"C\"\n#endif\nint twice(int);\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, out := simulateOK(t, t.Context(), &Options{
		Files: []string{filepath.Join(dir, "kernel.cu"), filepath.Join(dir, "main.cpp"), filepath.Join(dir, "plain.c")},
		Compile: func(string) toolchain.Options {
			return toolchain.Options{Includes: []string{filepath.Join(dir, "headers")}, Defines: []string{"VALUE=14"}}
		},
	})
	if out != "42\n" || len(r.Problems) > 0 {
		t.Errorf("output %q, problems %q", out, problems(r))
	}
	if len(r.Kernels) != 1 || r.Kernels[0].Name != "set" || r.Kernels[0].Verdict != race.Unknown {
		t.Errorf("kernels %+v", r.Kernels)
	}
}

// recorder is a detector that reports the places of all writes to global memory as findings.
type recorder struct {
	event.Nothing
	sources *Sources
	found   []Finding
}

func (r *recorder) Name() string        { return "recorder" }
func (r *recorder) Findings() []Finding { return r.found }
func (r *recorder) Access(a *event.Access) {
	if a.Kind == event.Write && a.Space == event.Global {
		f := Finding{Detector: "recorder", Count: 1}
		f.Kernel, f.Severity = "add", race.Warning
		f.First.Span = r.sources.Span(a.Launch.Program.Location(a.PC).Place)
		r.found = append(r.found, f)
	}
}

const addition = `__global__ void add(const float *a, float *sum, int n, float scale) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = scale * a[i];
}
`

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestKernelAlone(t *testing.T) {
	file := writeFile(t, "a.cu", addition)
	o := &Options{
		Files: []string{file}, Schedules: 3,
		Kernel: KernelRun{
			Name: "add", Grid: race.Dim3{2, 1, 1}, Block: race.Dim3{64, 1, 1},
			Args: map[string]string{"n": "100", "scale": "0.5", "a": "buf:400", "sum": "zero:400"},
		},
		Detectors: func(s *Sources) []Detector { return []Detector{&recorder{sources: s}} },
	}
	r, _ := simulateOK(t, t.Context(), o)
	if len(r.Problems) > 0 || r.Run.Schedules != 3 || r.Run.Launches != 3 {
		t.Errorf("problems %q, %+v", problems(r), r.Run)
	}
	// Three schedules of four warps each write at one place.
	if len(r.Findings) != 1 || r.Findings[0].Count != 12 {
		t.Fatalf("findings %+v", r.Findings)
	}
	text := addition[r.Findings[0].First.Span.Start:]
	if !strings.HasPrefix(text, "= scale") {
		t.Errorf("the finding is at %.20q", text)
	}
	if len(r.Kernels) != 1 || r.Kernels[0].Verdict != race.Racy {
		t.Errorf("kernels %+v", r.Kernels)
	}
}

// A launch that the detector cannot watch is not passed over in silence.
// A kernel alone has the functions and variables of the other files, too.
func TestKernelOfSeveralFiles(t *testing.T) {
	uses := writeFile(t, "a.cu", "__device__ int twice(int);\nextern __constant__ int base;\n__global__ void use(int *a) { a[threadIdx.x] = twice(threadIdx.x) + base; }\n")
	defines := writeFile(t, "b.cu", "__device__ int twice(int x) { return 2 * x; }\n__constant__ int base = 3;\n__global__ void other(int *a) { *a = 1; }\n")
	calls := writeFile(t, "c.cu", "__device__ int twice(int);\n__global__ void use(int *a) { *a = twice(1); }\n")
	for _, test := range []struct {
		files   []string
		problem string
	}{{[]string{uses, defines}, ""}, {[]string{defines, uses}, ""}, {[]string{calls}, "call of twice, which is not defined in the files that are named"}} {
		r, _ := simulateOK(t, t.Context(), &Options{
			Files: test.files, Kernel: KernelRun{Name: "use", Grid: race.Dim3{1, 1, 1}, Block: race.Dim3{32, 1, 1}},
		})
		if said := problems(r); !strings.Contains(said, test.problem) || test.problem == "" && said != "" {
			t.Errorf("%q: %s", test.files, said)
		}
	}
}

func TestTemplateWithoutInstance(t *testing.T) {
	file := writeFile(t, "a.cu", "template <class T, int N>\n__global__ void __launch_bounds__(64)\nfill(T *a) { a[threadIdx.x] = N; }\n__global__ void other() {}\n")
	for name, want := range map[string]string{"fill": "(there are: other); fill is a template that nothing instantiates", "fill<int, 3>": "such as template __global__ void fill<int, 3>(int *);", "none": "as it is written"} {
		_, err := Simulate(t.Context(), &Options{Files: []string{file}, Kernel: KernelRun{Name: name, Grid: race.Dim3{1, 1, 1}, Block: race.Dim3{1, 1, 1}}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUnwatched(t *testing.T) {
	detectors, err := SelectDetectors(nil)
	if err != nil {
		t.Fatal(err)
	}
	o := &Options{
		Files: []string{writeFile(t, "a.cu", addition)}, Instructions: 1000, Detectors: detectors,
		Kernel: KernelRun{
			Name: "add", Grid: race.Dim3{1 << 23, 1, 1}, Block: race.Dim3{1, 1, 1},
			Args: map[string]string{"n": "100", "scale": "0.5", "a": "buf:400", "sum": "zero:400"},
		},
	}
	r, _ := simulateOK(t, t.Context(), o)
	if !strings.Contains(problems(r), "launches that causality did not watch to their end, because they are too large for it: 1;") {
		t.Errorf("problems %q", problems(r))
	}
}

// Several cores run the blocks of a program to the same result, and no detector may watch them.
func TestSeveralCores(t *testing.T) {
	o := &Options{Files: []string{"testdata/runtime.cu"}, Cores: 2}
	if _, out := simulateOK(t, t.Context(), o); out != "done\n" {
		t.Errorf("the program says\n%s", out)
	}
	o.Detectors = func(*Sources) []Detector { return nil }
	if _, err := Simulate(t.Context(), o); err == nil || !strings.Contains(err.Error(), "without a detector") {
		t.Errorf("with a detector: %v", err)
	}
}

func TestKernelArguments(t *testing.T) {
	file := writeFile(t, "a.cu", addition)
	var code Code
	defer code.Remove()
	for _, c := range []struct {
		name string
		args map[string]string
		want string
	}{
		{"add", map[string]string{"n": "100"}, "parameter scale has no value; give one with --arg scale=VALUE"},
		{"add", map[string]string{"n": "1", "scale": "x"}, `"x" is neither a number`},
		{"add", map[string]string{"n": "0.5", "scale": "1"}, "0.5 is no integer, and the parameter is an integer of 32 bits"},
		{"add", map[string]string{"n": "4294967296", "scale": "1"}, "4294967296 does not fit"},
		{"add", map[string]string{"n": "1", "scale": "1", "a": "1.5"}, "the parameter is a pointer"},
		{"add", map[string]string{"n": "5", "scale": "1", "m": "3"}, "has no parameter m; its parameters are: a, sum, n, scale"},
		{"add", map[string]string{"n": "1", "scale": "1", "a": "buf:none"}, `"none" is no number of bytes`},
		{"add", map[string]string{"n": "1", "scale": "1", "a": "file:/does/not/exist"}, "no such file"},
		{"add", map[string]string{"n": "1", "scale": "1", "a": "what:3"}, "is neither buf:BYTES"},
		{"add", map[string]string{"n": "buf:3", "scale": "1"}, "a buffer's address takes 8 bytes"},
		{"subtract", nil, "no kernel subtract in " + file + " (there are: add);"},
	} {
		_, err := Simulate(t.Context(), &Options{Files: []string{file}, Code: &code, Kernel: KernelRun{Name: c.name, Args: c.args}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.args, err, c.want)
		}
	}
}

// A structure goes by its members, or as a whole.
func TestKernelStructures(t *testing.T) {
	file := writeFile(t, "a.cu", `#include <cstdio>
enum Mode : short { off, on };
struct Base { double low; };
template <class T> struct View : Base { static int count; T *data; int size[2]; unsigned flag : 3; Mode mode; struct { bool deep; }; union { int i; float f; }; };
__global__ void say(View<int> v, int n) {
	if (threadIdx.x == 0) printf("%g %d %d %d %d %d %g %d\n", v.low, v.data[0], v.size[0], v.size[1], v.mode, v.deep, v.f, n);
}
struct Pair { int a, b; };
__global__ void pair(Pair p) { printf("%d %d\n", p.a, p.b); }
`)
	all := map[string]string{"v.low": "0.5", "v.data": "zero:64", "v.size[0]": "7", "v.size[1]": "-8", "v.mode": "1", "v.deep": "1", "v.f": "2.5", "n": "3"}
	var code Code
	defer code.Remove()
	for _, c := range []struct {
		kernel     string
		args       map[string]string
		want, fail string
	}{
		{"say", all, "0.5 0 7 -8 1 1 2.5 3\n", ""},
		{"pair", map[string]string{"p.a": "1", "p.b": "2"}, "1 2\n", ""},
		{"pair", map[string]string{"p": "0x200000001"}, "1 2\n", ""},
		{"pair", map[string]string{"p.a": "1"}, "", "parameter p.b has no value; give one with --arg p.b=VALUE"},
		{"pair", map[string]string{"p.a": "1", "p.c": "1"}, "", "has no parameter p.c; its parameters are: p.a, p.b"},
		{"pair", map[string]string{"p.a": "0.5", "p.b": "1"}, "", "parameter p.a: 0.5 is no integer"},
	} {
		var out strings.Builder
		_, err := Simulate(t.Context(), &Options{
			Files: []string{file}, Stdout: &out, Code: &code,
			Kernel: KernelRun{Name: c.kernel, Grid: race.Dim3{1, 1, 1}, Block: race.Dim3{1, 1, 1}, Args: c.args},
		})
		if out.String() != c.want || (err == nil) != (c.fail == "") || err != nil && !strings.Contains(err.Error(), c.fail) {
			t.Errorf("%v: %q, %v", c.args, out.String(), err)
		}
	}
}

// Kernels that share their code are compiled once, with what their structures hold; so is what does not compile.
func TestCode(t *testing.T) {
	const text = `#include <cstdio>
struct Pair { int a, b; };
__global__ void first(Pair p) { printf("%d %d\n", p.a, p.b); }
__global__ void second(Pair p, int *x) { printf("%d %d\n", p.b, *x); }
`
	for _, before := range []string{text, "#error no\n"} {
		file := writeFile(t, "a.cu", before)
		var code Code
		for _, kernel := range []string{"first", "second", "first"} {
			var out strings.Builder
			_, err := Simulate(t.Context(), &Options{
				Files: []string{file}, Stdout: &out, Code: &code,
				Kernel: KernelRun{Name: kernel, Grid: race.Dim3{1, 1, 1}, Block: race.Dim3{1, 1, 1}, Args: map[string]string{"p.a": "1", "p.b": "2"}, Ample: true},
			})
			want := map[string]string{"first": "1 2\n", "second": "2 0\n"}[kernel]
			if before != text {
				want = ""
			}
			if out.String() != want || (err == nil) != (before == text) {
				t.Errorf("%s: %q, %v", kernel, out.String(), err)
			}
			after := text
			if before == text {
				after = "#error no\n"
			}
			if err := os.WriteFile(file, []byte(after), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if code.Remove(); code.dir == "" {
			t.Error("no folder")
		} else if _, err := os.Stat(code.dir); err == nil {
			t.Error("the folder is still there")
		}
	}
}

// A number is one of the parameter's type, and only a pointer gets memory unasked.
func TestKernelNumbers(t *testing.T) {
	file := writeFile(t, "a.cu", `#include <cstdio>
__global__ void say(float f, double d, int i, unsigned u, short s, unsigned char c, bool b, long long l, int *p) {
  printf("%g %g %d %u %d %d %d %lld %d\n", f, d, i, u, s, c, b, l, p[0] >= 0);
}
__device__ static int table[8];
__global__ void beyond(int n) { table[n] = 1; }
__global__ void lacking(int *p) {
  extern __shared__ int more[];
  more[threadIdx.x] = 1;
}
`)
	args := map[string]string{"f": "1", "d": "-2", "i": "-1", "u": "4294967295", "s": "-32768", "c": "0xff", "b": "true"}
	var code Code
	defer code.Remove()
	say := func() (*Result, string, error) {
		var out bytes.Buffer
		r, err := Simulate(t.Context(), &Options{Files: []string{file}, Stdout: &out, Code: &code, Kernel: KernelRun{Name: "say", Args: args}})
		return r, out.String(), err
	}
	if _, _, err := say(); err == nil || !strings.Contains(err.Error(), "parameter l has no value") {
		t.Errorf("without a value for l: %v", err)
	}
	args["l"] = "-5"
	if _, out, err := say(); err != nil || out != "1 -2 -1 4294967295 -32768 255 1 -5 1\n" {
		t.Errorf("%v, it says %q", err, out)
	}
	for kernel, want := range map[string]string{"beyond": "right behind the end of `table` of 32 bytes", "lacking": "--shared gives"} {
		o := &Options{Files: []string{file}, Code: &code, Kernel: KernelRun{Name: kernel, Args: map[string]string{}}}
		if kernel == "beyond" {
			o.Kernel.Args["n"] = "8"
		}
		if r, _ := simulateOK(t, t.Context(), o); !strings.Contains(problems(r), want) {
			t.Errorf("%s: %q", kernel, problems(r))
		}
	}
}

func TestKernelOfPTX(t *testing.T) {
	file := writeFile(t, "a.ptx", `.version 7.0
.target sm_80
.address_size 64
.visible .entry _Z3setPi(.param .u64 p) {
  .reg .b64 %rd<3>;
  .reg .b32 %r<2>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, 5;
  st.global.u32 [%rd1], %r1;
  ret;
}
`)
	r, _ := simulateOK(t, t.Context(), &Options{Files: []string{file}, Kernel: KernelRun{Name: "set", Args: map[string]string{"0": "zero:4"}}})
	if len(r.Problems) > 0 || r.Run.Launches != 1 {
		t.Errorf("problems %q, %+v", problems(r), r.Run)
	}
}

func TestNothingToRun(t *testing.T) {
	for _, c := range []struct {
		files []string
		want  string
	}{
		{nil, "no file"},
		{[]string{"missing.cu"}, "missing.cu: no such file or directory"},
		{[]string{writeFile(t, "a.cu", addition), "100"}, "100: no such file or directory; arguments of the program stand behind --"},
		{[]string{t.TempDir()}, "is a folder"},
		{[]string{writeFile(t, "notes.txt", "hello")}, "is neither a source file"},
		{[]string{writeFile(t, "empty.cu", "")}, "main"},
		{[]string{writeFile(t, "binary.cu", "\x7fELF\x00\x01\x02")}, "does not compile"},
	} {
		_, err := Simulate(t.Context(), &Options{Files: c.files})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.files, err, c.want)
		}
	}
}

// A race names its variable: the parameter that points to the memory, or the variable itself.
func TestVariables(t *testing.T) {
	file := filepath.Join(t.TempDir(), "names.cu")
	text := `#include <cuda_runtime.h>
__device__ int total;
template <class T> __global__ void store(long count, T *whole, T *rest) {
  __shared__ int part[64];
  whole[1] = blockIdx.x;
  rest[1] = blockIdx.x;
  total = blockIdx.x;
  part[count] = threadIdx.x;
}
int main() {
  int *p;
  cudaMalloc(&p, 4096);
  store<<<2, 64>>>(3, p, p + 512);
  return cudaDeviceSynchronize();
}
`
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	detectors, err := SelectDetectors([]string{"causality", "barracuda"})
	if err != nil {
		t.Fatal(err)
	}
	r, _ := simulateOK(t, t.Context(), &Options{Files: []string{file}, Detectors: detectors})
	got := map[string]bool{}
	for _, f := range r.Findings {
		source, _ := r.Sources.File(f.First.Span.File)
		line := source.Line(source.Position(f.First.Span.Start).Line)
		if !strings.Contains(line, f.Variable+"[") && !strings.Contains(line, f.Variable+" =") || !strings.Contains(f.Message, "`"+f.Variable+"`") {
			t.Errorf("%s: %q in %q", f.Detector, f.Message, line)
		}
		got[f.Detector+" "+f.Variable] = true
	}
	if len(got) != 8 {
		t.Errorf("%v", got)
	}
}

// A barrier is advised where one can stand.
func TestAdvice(t *testing.T) {
	file := writeFile(t, "a.cu", `
__global__ void once(int *p, int n) { *p = threadIdx.x; }
__global__ void update(int *p, int n) { *p += 1; }
__global__ void updates(int *p, int n) { for (int i = 0; i < n; i++) p[i] += 1; }
__global__ void rounds(int *p, int n) { for (int i = 0; i < n; i++) p[(threadIdx.x + i) % 64] = i + threadIdx.x; }
__global__ void unrolled(int *p, int n) { for (int i = 0; i < 4; i++) p[(threadIdx.x + i) % 64] = i + threadIdx.x; }
__global__ void shift(int *p, int n) { p[threadIdx.x] = p[threadIdx.x + n]; }
__global__ void branches(int *p, int n) { if (threadIdx.x < 32) p[threadIdx.x] = 1; else p[threadIdx.x - 32] = 2; }
__global__ void lines(int *p, int n) { p[threadIdx.x] = 1; p[threadIdx.x + 128] = p[63 - threadIdx.x]; }
int main() {
  int *p;
  cudaMalloc(&p, 4096);
  once<<<1, 64>>>(p, 4), update<<<1, 64>>>(p, 4), updates<<<1, 64>>>(p, 4), rounds<<<1, 64>>>(p, 4), unrolled<<<1, 64>>>(p, 4);
  shift<<<1, 64>>>(p, 4), branches<<<1, 64>>>(p, 4), lines<<<1, 64>>>(p, 4);
  cudaDeviceSynchronize();
}
`)
	detectors, err := SelectDetectors(nil)
	if err != nil {
		t.Fatal(err)
	}
	r, _ := simulateOK(t, t.Context(), &Options{Files: []string{file}, Detectors: detectors})
	for kernel, want := range map[string]string{
		"once": "which are one statement", "update": "which are one statement", "updates": "Update it with an atomic", "rounds": "Insert __sync",
		"unrolled": "Insert __sync", "shift": "read into a variable first", "branches": "in different branches", "lines": "Insert __sync",
	} {
		seen := false
		for _, f := range r.Findings {
			if f.Kernel == kernel && f.Rule != race.SameValueWrite {
				seen = true
				if !strings.Contains(f.Mend, want) {
					t.Errorf("%s: %s", kernel, f.Mend)
				}
			}
		}
		if !seen {
			t.Errorf("no race in %s", kernel)
		}
	}
}

// Races of one pair of places are one finding; another rule or detector makes another one.
func TestOneFindingForAPair(t *testing.T) {
	c := newCollector(&Options{Files: []string{"x.cu"}}, nil)
	at := func(line int, access race.Access) race.Site {
		return race.Site{Span: source.Span{File: "x.cu", Start: 10 * line, End: 10*line + 1}, Access: access}
	}
	add := func(detector string, rule race.Rule, severity race.Severity, first, second race.Site) {
		f := race.Finding{Rule: rule, Kind: race.InterBlock, Severity: severity, Kernel: "k", First: first, Second: second}
		c.finding(Finding{Finding: f, Detector: detector, Count: 2})
	}
	add("a", race.LockScope, race.Warning, at(1, race.Write), at(2, race.Read))
	add("a", race.LockScope, race.Error, at(2, race.Write), at(1, race.Write))
	add("a", race.LockScope, race.Warning, at(1, race.Write), at(2, race.Write))
	add("a", race.AtomicScope, race.Error, at(1, race.Write), at(2, race.Write))
	add("b", race.LockScope, race.Error, at(1, race.Write), at(2, race.Write))
	add("a", race.LockScope, race.Error, at(1, race.Write), at(3, race.Write))
	got := c.result.Findings
	if len(got) != 4 || got[0].Count != 6 || got[0].Severity != race.Error || got[0].First.Access != race.Write {
		t.Errorf("%+v", got)
	}
}

// Kernels launch kernels, whatever a launch looks like.
func TestLaunchesByKernels(t *testing.T) {
	r, out := simulateOK(t, t.Context(), &Options{Files: []string{"testdata/launches.cu"}})
	if !strings.HasSuffix(out, "\ndone\n") || problems(r) != "" {
		t.Errorf("the program says\n%s%s", out, problems(r))
	}
}

// Grids race with their parents and with one another where nothing orders them, and nowhere else.
func TestFamilies(t *testing.T) {
	const file = "testdata/families.cu"
	r, out := simulateOK(t, t.Context(), &Options{Files: []string{file}, Detectors: func(s *Sources) []Detector { return []Detector{newCausality(s)} }})
	if out != "5032 cudaSuccess\n" || problems(r) != "" {
		t.Errorf("the program says\n%s%s", out, problems(r))
	}
	for _, f := range r.Findings {
		if f.Rule != race.InterBlockRace || !strings.Contains(f.Why, "two grids") {
			t.Errorf("%s: %s", f.Rule, f.Why)
		}
		if !strings.Contains(f.Mend, "before the launch") || !strings.HasPrefix(f.Message, "kernels `") && !strings.HasPrefix(f.Message, "two grids of kernel `") {
			t.Errorf("%s: %s", f.Message, f.Mend)
		}
	}
	text, _ := os.ReadFile(file)
	for i, line := range strings.Split(string(text), "\n") {
		raced := slices.ContainsFunc(r.Findings, func(f Finding) bool {
			at, _ := r.Sources.File(f.First.Span.File)
			one, other := at.Position(f.First.Span.Start).Line, at.Position(f.Second.Span.Start).Line
			return max(one, other) == i+1
		})
		if raced != strings.HasSuffix(line, "// races") {
			t.Errorf("line %d, a race: %v", i+1, raced)
		}
	}
}

// A program that is no C++17 is compiled as C++20, unless a standard is given, and one that asks whether nvcc compiles it is told so.
func TestStandard(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new.cu")
	text := `#include <concepts>
#include <cstdio>
template <std::integral T> __global__ void set(T *x) { *x = 7; }
int main() {
  int *x;
  cudaMallocManaged(&x, 4);
  set<<<1, 1>>>(x);
  cudaDeviceSynchronize();
  printf("%d\n", *x);
}
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, out := simulateOK(t, t.Context(), &Options{Files: []string{file}}); out != "7\n" {
		t.Errorf("the program says\n%s%s", out, problems(r))
	}
	guarded := writeFile(t, "guarded.cu", `#include <cstdio>
#ifdef __NVCC__
#define HD __host__ __device__
#else
#define HD
#endif
HD int seven() { return 7; }
__global__ void set() { printf("%d\n", seven()); }
int main() {
  set<<<1, 1>>>();
  cudaDeviceSynchronize();
}
`)
	if r, out := simulateOK(t, t.Context(), &Options{Files: []string{guarded}}); out != "7\n" {
		t.Errorf("the program says\n%s%s", out, problems(r))
	}
	old := &Options{Files: []string{file}, Compile: func(string) toolchain.Options { return toolchain.Options{Standard: "c++17"} }}
	if _, err := Simulate(t.Context(), old); err == nil {
		t.Error("it compiles as C++17")
	}
}

// What lanes of one warp and two warps race for at the same places is one finding, of the barrier that orders both.
func TestOneBarrierForLanesAndWarps(t *testing.T) {
	file := writeFile(t, "a.cu", `__global__ void turn(int *d, int n) {
  __shared__ int s[64];
  s[threadIdx.x] = d[threadIdx.x];
  d[threadIdx.x] = s[(threadIdx.x + 1) % n];
}
int main() { int *d; cudaMalloc(&d, 256); turn<<<1, 32>>>(d, 32); turn<<<1, 64>>>(d, 64); cudaDeviceSynchronize(); }
`)
	detectors, err := SelectDetectors(nil)
	if err != nil {
		t.Fatal(err)
	}
	r, _ := simulateOK(t, t.Context(), &Options{Files: []string{file}, Detectors: detectors, Schedules: 2})
	if len(r.Findings) != 1 || r.Findings[0].Rule != race.MissingSyncthreads || r.Findings[0].Kind != race.IntraBlock || r.Findings[0].Count < 2*(32+64) {
		t.Errorf("findings: %+v", r.Findings)
	}
}
