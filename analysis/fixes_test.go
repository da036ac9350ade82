package analysis_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis"
	"github.com/warplint/warplint/analysis/source"
)

// TestFixesOfManyKernels wants a fix for each kernel of a file: what the others cost is no reason to have none.
func TestFixesOfManyKernels(t *testing.T) {
	const kernels = 24
	var text strings.Builder
	for i := range kernels {
		fmt.Fprintf(&text, `
__global__ void scan%d(const int *in, int *out) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t] + %d;
    for (int step = 1; step < 256; step *= 2) {
        __syncthreads();
        int before = t >= step ? s[t - step] : 0;
        s[t] += before;
    }
    out[blockIdx.x * 256 + t] = s[t];
}
void run%d(const int *in, int *out) { scan%d<<<4, 256>>>(in, out); }
`, i, i, i, i)
	}
	file := source.New("scans.cu", text.String())
	req := analysis.Request{Files: source.Map{file.Path: file}, Path: file.Path}
	engine := analysis.NewBatch()
	res, fixer := engine.Check(context.Background(), req), engine.Fixer(req)
	fixed := map[string]bool{}
	for _, f := range res.Findings {
		if len(fixer.Fixes(context.Background(), f)) > 0 {
			fixed[f.Kernel] = true
		}
	}
	if len(fixed) != kernels {
		t.Errorf("%d of %d kernels have a fix", len(fixed), kernels)
	}
}

// TestFixTitles wants fixes by their titles, which say what is put where: of several changes where none alone mends the finding, and of one.
func TestFixTitles(t *testing.T) {
	for _, test := range []struct{ name, text, title string }{
		{"a tile that is filled in each round", `
__global__ void k(const float *a, float *c) {
    __shared__ float s[256];
    float sum = 0;
    for (int i = 0; i < 4; i++) {
        s[threadIdx.x] = a[i * 256 + threadIdx.x];
        for (int j = 0; j < 256; j++)
            sum += s[j];
    }
    c[threadIdx.x] = sum;
}
void run(const float *a, float *c) { k<<<1, 256>>>(a, c); }
`, "Insert __syncthreads() before line 7 and behind line 8"},
		{"neighbours that change in each round", `
__global__ void k(float *a) {
    __shared__ float s[257];
    for (int i = 0; i < 4; i++)
        s[threadIdx.x] = s[threadIdx.x + 1] / 2;
    a[threadIdx.x] = s[threadIdx.x];
}
void run(float *a) { k<<<1, 256>>>(a); }
`, "Insert __syncthreads() between reading and writing, and behind"},
		{"functions that others may call", `
__device__ void put(float *s, float v) { s[threadIdx.x] = v; }
__device__ float get(const float *s) {
    return s[255 - threadIdx.x];
}
__global__ void k(float *a) {
    __shared__ float s[256];
    put(s, a[threadIdx.x]);
    a[threadIdx.x] = get(s);
}
void run(float *a) { k<<<1, 256>>>(a); }
`, "Insert __syncthreads() before line 9"},
		{"one fence is too narrow, and one is not there", `
__device__ int flag;
__global__ void k(volatile int *data, int *out) {
    if (blockIdx.x == 0) {
        *data = 1;
        __threadfence_block();
        atomicExch(&flag, 1);
    } else {
        while (atomicAdd(&flag, 0) == 0) ;
        out[blockIdx.x] = *data;
    }
}
void run(int *data, int *out) { k<<<2, 1>>>(data, out); }
`, "Widen the fence to device scope, and insert __threadfence() before line 10"},
		{"a lock is too narrow, and has no fences", `
__device__ int lock;
__global__ void k(int *sum) {
    while (atomicCAS_block(&lock, 0, 1) != 0) ;
    *sum += 1;
    atomicExch_block(&lock, 0);
}
void run(int *sum) { k<<<8, 1>>>(sum); }
`, "Widen the lock to device scope, and insert __threadfence() before line 5 and before line 6"},
		{"a flag is a plain access, and there are no fences", `
__device__ int flag;
__global__ void k(int *data, int *out) {
    if (blockIdx.x == 0) {
        *data = 1;
        flag = 1;
    } else {
        while (flag == 0) ;
        out[blockIdx.x] = *data;
    }
}
void run(int *data, int *out) { k<<<2, 1>>>(data, out); }
`, "Insert __threadfence() before line 6 and before line 9, and access the flag atomically"},
		{"a barrier of the grid has no fences", `
__global__ void k(int *a, int *b, unsigned *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(count, 1u);
        while (atomicAdd(count, 0u) < gridDim.x) ;
    }
    __syncthreads();
    b[i] = a[(i + 64) % 512];
}
void run(int *a, int *b, unsigned *count) { k<<<8, 64>>>(a, b, count); }
`, "Insert __threadfence() before line 7 and behind line 8"},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := source.New("k.cu", test.text)
			req := analysis.Request{Files: source.Map{file.Path: file}, Path: file.Path}
			engine := analysis.NewEngine()
			var titles []string
			for _, f := range engine.Check(context.Background(), req).Findings {
				for _, fix := range engine.Fixes(context.Background(), req, f) {
					titles = append(titles, fix.Title)
				}
			}
			if !slices.Contains(titles, test.title) {
				t.Errorf("the fixes are %q, want %q", titles, test.title)
			}
			if text, m := mended(t, file, "", anyFix); m.Left > 0 {
				t.Errorf("%d findings are left in\n%s", m.Left, text)
			}
		})
	}
}

// TestNoFixBetweenHalves wants no barrier of the block between the two halves of one.
func TestNoFixBetweenHalves(t *testing.T) {
	file := source.New("k.cu", `
#include <cooperative_groups.h>
__global__ void k(int *out) {
    __shared__ int s[64];
    auto block = cooperative_groups::this_thread_block();
    s[threadIdx.x] = threadIdx.x;
    auto token = block.barrier_arrive();
    int x = s[63 - threadIdx.x];
    block.barrier_wait(std::move(token));
    out[threadIdx.x] = x;
}
void run(int *out) { k<<<1, 64>>>(out); }
`)
	if text, m := mended(t, file, "", anyFix); m.Left != 1 || text != file.Text {
		t.Errorf("%d findings are left in\n%s", m.Left, text)
	}
}

// TestFixVolatile wants an address that CUDA's atomic functions take.
func TestFixVolatile(t *testing.T) {
	file := source.New("k.cu", "__global__ void k(volatile unsigned *n) {\n    if (blockIdx.x == 0)\n        atomicExch((unsigned *)n, 1);\n    else\n        n[0] = 2;\n}\nvoid run(unsigned *n) { k<<<2, 1>>>(n); }\n")
	want := strings.Replace(file.Text, "n[0] = 2", "atomicExch((unsigned int *)&n[0], 2)", 1)
	if got, m := mended(t, file, "", anyFix); got != want {
		t.Errorf("%d findings are left in\n%s", m.Left, got)
	}
}
