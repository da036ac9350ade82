package dynamic

import (
	"fmt"
	"testing"

	"github.com/warplint/warplint/analysis/race"
)

// Tensor maps are made up wherever a kernel finds them.
func TestMadeUpMaps(t *testing.T) {
	file := writeFile(t, "a.cu", `#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
__constant__ CUtensorMap fixed[2];
struct P { CUtensorMap a, b[2]; int n; float *p; };
__global__ void k(const CUtensorMap *maps, const __grid_constant__ P p, int *out, int which) {
  __shared__ alignas(128) int tile[64];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    int32_t at[2] = {0, 8 * (int)blockIdx.x};
    const CUtensorMap *m = which == 0 ? &maps[1] : which == 1 ? &fixed[1] : which == 2 ? &p.a : &p.b[1];
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, m, at, &bar);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 256);
  }
  while (which < 4 && !ptx::mbarrier_try_wait_parity(&bar, 0)) {}
  out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}
`)
	var code Code
	defer code.Remove()
	for which := range 5 {
		r := aloneWatched(t, file, &code, KernelRun{Args: map[string]string{"which": fmt.Sprint(which), "p.n": "1"}})
		if races := which == 4; len(r.Problems) > 0 || len(r.Findings) > 0 != races {
			t.Errorf("which = %d: %d findings\n%s", which, len(r.Findings), problems(r))
		}
	}
}

// aloneWatched runs a kernel k on two blocks of 64 threads; code keeps it for other runs, if it is not nil.
func aloneWatched(t *testing.T, file string, code *Code, kernel KernelRun) *Result {
	t.Helper()
	detectors, err := SelectDetectors(nil)
	if err != nil {
		t.Fatal(err)
	}
	kernel.Name, kernel.Grid, kernel.Block = "k", race.Dim3{2, 1, 1}, race.Dim3{64, 1, 1}
	r, _ := simulateOK(t, t.Context(), &Options{Files: []string{file}, Detectors: detectors, Code: code, Kernel: kernel})
	return r
}

// Copies by maps that are made up race as others do. A witness may say what is in a map, which means nothing.
func TestMadeUpRaces(t *testing.T) {
	const program = `#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>
using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cde = cuda::device::experimental;
__global__ void k(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) int tile[8][8];
  __shared__ barrier bar;
  int x = threadIdx.x %% 8, y = threadIdx.x / 8;
  if (threadIdx.x == 0) { init(&bar, blockDim.x); cde::fence_proxy_async_shared_cta(); }
  __syncthreads();
  barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_2d_global_to_shared(tile, &map, 8 * blockIdx.x, 0, bar);
    token = cuda::device::barrier_arrive_tx(bar, 1, sizeof tile);
  } else {
    token = bar.arrive();
  }
  %s
  tile[y][x] += 1;
  %s
  __syncthreads();
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_2d_shared_to_global(&map, %s, 0, tile);
    cde::cp_async_bulk_commit_group();
    cde::cp_async_bulk_wait_group_read<0>();
  }
  %s
}
`
	const wait, fence, column = "bar.wait(std::move(token));", "cde::fence_proxy_async_shared_cta();", "8 * blockIdx.x"
	for name, test := range map[string]struct {
		wait, fence, column, then string
		races                     race.Kind
	}{
		"right":       {wait, fence, column, "", ""},
		"no wait":     {"", fence, column, "", race.IntraWarp},
		"no fence":    {wait, "", column, "", race.IntraWarp},
		"one column":  {wait, fence, "0", "", race.InterBlock},
		"not read":    {wait, fence, column, "if (threadIdx.x == 0) tile[0][0] = 1;", ""},
		"too early":   {wait, fence, column, "if (threadIdx.x == 40) tile[0][0] = 1;", race.IntraBlock},
		"synchronous": {wait, fence, column, "__syncthreads(); tile[7 - y][x] = 1;", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := writeFile(t, "a.cu", fmt.Sprintf(program, test.wait, test.fence, test.column, test.then))
			r := aloneWatched(t, file, nil, KernelRun{Ample: true, Args: map[string]string{"map.state[3]": "1"}})
			if len(r.Problems) > 0 {
				t.Error(problems(r))
			}
			found := test.races == ""
			for _, f := range r.Findings {
				found = found || f.Kind == test.races
				if test.races == "" || f.Rule != race.AsyncCopy {
					t.Errorf("%s, %s", f.Rule, f.Kind)
				}
			}
			if !found {
				t.Errorf("no race %s", test.races)
			}
		})
	}
}
