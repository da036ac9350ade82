// Collectives of cooperative groups that update an atomic, tiles of several warps, bulk copies by cuda::device, and
// a grid that waits for the one before it.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
#include <cuda/atomic>
#include <cuda/barrier>
#include <utility>

namespace cg = cooperative_groups;
namespace cde = cuda::device::experimental;
using counter = cuda::atomic<int, cuda::thread_scope_device>;

__global__ void updates(counter *sums, int *places) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int t = threadIdx.x;
  cg::reduce_update_async(warp, sums[0], t, cg::plus<int>());
  cg::reduce_update_async(warp, sums[1], t, cg::greater<int>());
  if (t < 32) cg::reduce_store_async(warp, sums[2], t, cg::plus<int>());
  places[t] = cg::exclusive_scan_update(warp, sums[3], 2);
  places[128 + t] = cg::inclusive_scan_update(warp, sums[4], 1, cg::plus<int>());
}

__global__ void wide(int *out) {
  auto half = cg::tiled_partition<64>(cg::this_thread_block());
  int t = threadIdx.x;
  out[t] = half.shfl(t, 40) + 1000 * half.any(t == 70) + 10000 * half.all(t < 64);
}

__global__ void bulk(int *data) {
  __shared__ alignas(16) int s[256];
  __shared__ cuda::barrier<cuda::thread_scope_block> full;
  if (threadIdx.x == 0) {
    init(&full, blockDim.x);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  cuda::barrier<cuda::thread_scope_block>::arrival_token token;
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_global_to_shared(s, data, sizeof s / 2, full);
    cuda::device::memcpy_async_tx(s + 128, data + 128, cuda::aligned_size_t<16>(sizeof s / 2), full);
    token = cuda::device::barrier_arrive_tx(full, 1, sizeof s);
  } else {
    token = full.arrive();
  }
  full.wait(std::move(token));
  for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] += 1;
  cde::fence_proxy_async_shared_cta();
  __syncthreads();
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_shared_to_global(data, s, sizeof s);
    cde::cp_async_bulk_commit_group();
    cde::cp_async_bulk_wait_group_read<0>();
  }
}

__global__ void ahead(int *data) {
  data[threadIdx.x] = threadIdx.x;
  cudaTriggerProgrammaticLaunchCompletion();
}
__global__ void dependent(int *data) {
  cudaGridDependencySynchronize();
  data[64 + threadIdx.x] = data[63 - threadIdx.x];
}

int main() {
  int *p;
  if (cudaMallocManaged(&p, 4096)) return 1;
  for (int i = 0; i < 1024; i++) p[i] = 0;
  updates<<<1, 128>>>((counter *)p, p + 16);
  if (cudaDeviceSynchronize()) return 1;
  bool ok = p[0] == 127 * 64 && p[1] == 127 && p[2] == 31 * 16 && p[3] == 256 && p[4] == 128;
  long sum[2] = {};
  for (int i = 0; i < 256; i++) sum[i / 128] += p[16 + i];
  ok &= sum[0] == 127 * 128 && sum[1] == 129 * 64;
  wide<<<1, 128>>>(p);
  if (cudaDeviceSynchronize()) return 1;
  for (int i = 0; i < 128; i++) ok &= p[i] == (i < 64 ? 40 + 10000 : 104 + 1000);
  for (int i = 0; i < 256; i++) p[i] = i;
  bulk<<<1, 64>>>(p);
  if (cudaDeviceSynchronize()) return 1;
  for (int i = 0; i < 256; i++) ok &= p[i] == i + 1;
  ahead<<<1, 64>>>(p);
  cudaLaunchAttribute early;
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = 1;
  config.blockDim = 64;
  config.attrs = &early;
  config.numAttrs = 1;
  if (cudaLaunchKernelEx(&config, dependent, p) || cudaDeviceSynchronize()) return 1;
  for (int i = 0; i < 64; i++) ok &= p[64 + i] == 63 - i;
  puts(ok ? "done" : "wrong");
}
