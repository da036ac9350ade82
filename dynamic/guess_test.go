package dynamic

import (
	"fmt"
	"slices"
	"testing"

	"github.com/warplint/warplint/analysis/race"
)

// The read in front of a compare-and-swap is what the static side makes of it: a hint where it is plain, nothing where it is volatile.
// One whose value nobody checks is a race.
func TestReadBeforeCompareAndSwap(t *testing.T) {
	file := writeFile(t, "a.cu", `struct Node { int value; Node *next; };
struct Pool { Node *nodes; int *count; };
__device__ Node *head;
__device__ double atomicAddDouble(double *p, double v) {
  unsigned long long *at = (unsigned long long *)p, old = *at, was;
  do { was = old; old = atomicCAS(at, was, __double_as_longlong(v + __longlong_as_double(was))); } while (was != old);
  return __longlong_as_double(old);
}
__global__ void add(double *sums) { atomicAddDouble(&sums[threadIdx.x % 2], 1); }
__global__ void push(Pool pool) {
  Node *mine = pool.nodes + blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long *at = (unsigned long long *)&head, old = *(volatile unsigned long long *)at, was;
  do { was = old; mine->next = (Node *)was; __threadfence(); old = atomicCAS(at, was, (unsigned long long)mine); } while (was != old);
}
struct __align__(8) Least { float value; int where; };
__global__ void least(Least *least, const int *in) {
  Least mine = {(float)in[blockIdx.x * blockDim.x + threadIdx.x], (int)threadIdx.x};
  unsigned long long *at = (unsigned long long *)least, old = *(volatile unsigned long long *)at, was;
  do {
    was = old;
    if ((*(Least *)&was).value <= mine.value) return;
    old = atomicCAS(at, was, *(unsigned long long *)&mine);
  } while (was != old);
}
__global__ void most(int *best, const int *in) {
  int v = in[blockIdx.x * blockDim.x + threadIdx.x];
  if (v > *best) atomicMax(best, v);
}
int main() {
  double *sums;
  int *in;
  Pool pool;
  cudaMallocManaged(&sums, 16);
  cudaMallocManaged(&in, 2 * 64 * sizeof(int));
  cudaMallocManaged(&pool.nodes, 2 * 64 * sizeof(Node));
  for (int i = 0; i < 128; i++) in[i] = i * 37 % 128;
  add<<<2, 64>>>(sums);
  push<<<2, 64>>>(pool);
  least<<<2, 64>>>((Least *)sums, in);
  most<<<2, 64>>>((int *)sums, in);
  cudaDeviceSynchronize();
}
`)
	detectors, err := SelectDetectors(nil)
	if err != nil {
		t.Fatal(err)
	}
	r, out := simulateOK(t, t.Context(), &Options{Files: []string{file}, Detectors: detectors})
	if out != "" || len(r.Problems) > 0 {
		t.Errorf("the program says\n%s%s", out, problems(r))
	}
	var got []string
	for _, f := range r.Findings {
		if f.Kind == race.InterBlock {
			got = append(got, fmt.Sprintf("%s: %v %s, %s", f.Kernel, f.Severity, f.Rule, f.Mend[:7]))
		}
	}
	slices.Sort(got)
	if want := []string{"add: hint mixed-atomic, Nothing", "most: error mixed-atomic, Make th"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
