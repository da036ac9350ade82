package dynamic

import (
	"fmt"
	"slices"
	"testing"

	"github.com/warplint/warplint/analysis/source"
)

// A finding names the lines of the host program that allocated the memory and launched the kernel, also through templates and
// macros that are inlined. Memory to which no parameter of the kernel points is called by what the host has it in.
func TestLinesOfTheHost(t *testing.T) {
	file := writeFile(t, "a.cu", `#include <cstdlib>
#define CHECK(call) if ((call) != cudaSuccess) exit(1)
struct Mesh { int *cells; int n; };
__device__ int *table;
__global__ void direct(int *p) { p[0] += threadIdx.x; }
__global__ void inStruct(Mesh m) { m.cells[0] += threadIdx.x; }
__global__ void byVariable() { table[0] += threadIdx.x; }
template <class T> T *make(size_t n) {
  T *p;
  CHECK(cudaMalloc((void **)&p, n * sizeof(T)));
  return p;
}
template <class... A> void run(void (*kernel)(A...), A... arguments) {
  kernel<<<1, 2>>>(arguments...);
}
int main() {
  Mesh mesh;
  int *managed, *other;
  CHECK(
      cudaMallocManaged(&managed, 4));
  CHECK(cudaMalloc(&other, 4)); CHECK(cudaMalloc(&mesh.cells, 4)); CHECK(cudaMemset(mesh.cells, 0, 4));
  int *made = make<int>(1);
  cudaMemcpyToSymbol(table, &made, sizeof made);
  direct<<<1, 2>>>(managed);
  run(inStruct, mesh);
  void *none[1];
  cudaLaunchKernel(
      byVariable, 1, 2, none);
  cudaDeviceSynchronize();
}
`)
	for _, detector := range []string{"causality", "scord"} {
		detectors, err := SelectDetectors([]string{detector})
		if err != nil {
			t.Fatal(err)
		}
		r, out := simulateOK(t, t.Context(), &Options{Files: []string{file}, Detectors: detectors})
		if out != "" || len(r.Problems) > 0 {
			t.Errorf("the program says\n%s%s", out, problems(r))
		}
		line := func(s source.Span) int {
			if s.File != file {
				return 0
			}
			from, _ := r.Sources.File(s.File)
			return from.Position(s.Start).Line
		}
		var got []string
		for _, f := range r.Findings {
			got = append(got, fmt.Sprintf("%s: %s of line %d, launched on line %d", f.Kernel, f.Variable, line(f.Allocated), line(f.Witness.Launch)))
		}
		slices.Sort(got)
		want := []string{"byVariable: p of line 10, launched on line 27", "direct: p of line 19, launched on line 24", "inStruct: mesh.cells of line 21, launched on line 14"}
		if got = slices.Compact(got); detector == "causality" && !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", detector, got, want)
		}
		for _, g := range got {
			if !slices.Contains(want, g) {
				t.Errorf("%s: got %q", detector, g)
			}
		}
	}
}
