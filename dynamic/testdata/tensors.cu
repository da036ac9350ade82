// Copies of boxes of tensors, and stores into another block's shared memory, each checked against what the host expects.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <cudaTypedefs.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cde = cuda::device::experimental;
namespace ptx = cuda::ptx;

#define CHECK(x)                                             \
  if (!(x)) {                                                \
    printf("line %d: %s is wrong\n", __LINE__, #x);          \
    return false;                                            \
  }

static PFN_cuTensorMapEncodeTiled_v12000 encode() {
  cudaDriverEntryPointQueryResult status;
  void *function = nullptr;
  if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &status) || status != cudaDriverEntryPointSuccess) return nullptr;
  return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(function);
}

template <int N>
CUtensorMap tensor(void *p, CUtensorMapDataType type, int size, const int (&sizes)[N], const int (&box)[N], CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE,
                   CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) {
  CUtensorMap map{};
  uint64_t lengths[N], strides[N];
  uint32_t boxes[N], steps[N];
  uint64_t stride = size;
  for (int d = 0; d < N; d++) {
    lengths[d] = sizes[d], boxes[d] = box[d], steps[d] = 1;
    stride = (stride * sizes[d] + 15) / 16 * 16;
    strides[d] = stride;
  }
  if (encode()(&map, type, N, p, lengths, strides, boxes, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, fill) != CUDA_SUCCESS) printf("no map\n");
  return map;
}

constexpr int W = 16, H = 8;

// As the programming guide has it: a tile comes in, is changed and goes out.
__global__ void add_one(const __grid_constant__ CUtensorMap map, int x, int y) {
  __shared__ alignas(128) int tile[H][W];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier bar;
  if (threadIdx.x == 0) {
    init(&bar, blockDim.x);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_2d_global_to_shared(&tile, &map, x, y, bar);
    token = cuda::device::barrier_arrive_tx(bar, 1, sizeof(tile));
  } else {
    token = bar.arrive();
  }
  bar.wait(std::move(token));
  for (int i = threadIdx.x; i < W * H; i += blockDim.x) tile[i / W][i % W] += 1;
  cde::fence_proxy_async_shared_cta();
  __syncthreads();
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_2d_shared_to_global(&map, x, y, &tile);
    cde::cp_async_bulk_commit_group();
    cde::cp_async_bulk_wait_group_read<0>();
  }
}

bool tiles() {
  const int w = 36, h = 20;  // the last tiles hang over
  int *p;
  cudaMallocManaged(&p, w * h * sizeof(int));
  for (int i = 0; i < w * h; i++) p[i] = i;
  CUtensorMap map = tensor(p, CU_TENSOR_MAP_DATA_TYPE_INT32, 4, {w, h}, {W, H});
  for (int y = -3; y < h; y += H)
    for (int x = -5; x < w; x += W) add_one<<<1, 64>>>(map, x, y);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (int i = 0; i < w * h; i++) CHECK(p[i] == i + 1);
  return true;
}

// The box as it lies in shared memory.
template <int N, class T> __global__ void look(const __grid_constant__ CUtensorMap map, T *out, int bytes, int x, int y, int z) {
  extern __shared__ __align__(1024) unsigned char box[];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&bar, 1);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
    int at[N] = {x};
    if constexpr (N > 1) at[1] = y;
    if constexpr (N > 2) at[2] = z;
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, box, &map, at, &bar);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, bytes);
  }
  while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
  for (int i = threadIdx.x; i * sizeof(T) < bytes; i += blockDim.x) out[i] = ((T *)box)[i];
}

bool shapes() {
  float *p, *out;
  cudaMallocManaged(&p, 4096 * 4);
  cudaMallocManaged(&out, 65536);
  for (int i = 0; i < 4096; i++) p[i] = i;
  CUtensorMap one = tensor(p, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, {1000}, {128}, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
  look<1><<<1, 32, 1024>>>(one, out, 512, 900, 0, 0);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (int i = 0; i < 128; i++) CHECK(i < 100 ? out[i] == 900 + i : out[i] != out[i]);
  CUtensorMap three = tensor(p, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, {16, 12, 10}, {8, 5, 4});
  look<3><<<1, 32, 1024>>>(three, out, 8 * 5 * 4 * 4, 12, -2, 7);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (int i = 0; i < 8 * 5 * 4; i++) {
    int x = 12 + i % 8, y = -2 + i / 8 % 5, z = 7 + i / 40;
    CHECK(out[i] == (x < 16 && y >= 0 && z < 10 ? x + 16 * (y + 12 * z) : 0));
  }
  // 16 bytes change places with others of their row, by the lowest bits of the row's number.
  for (int bits = 1; bits <= 3; bits++) {
    int row = 4 << bits;
    CUtensorMap swizzled = tensor(p, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, {row, 4096 / row}, {row, 16}, (CUtensorMapSwizzle)bits);
    look<2><<<1, 32, 4096>>>(swizzled, out, row * 16 * 4, 0, 0, 0);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    for (int i = 0; i < row * 16; i++) {
      int at = i * 4 ^ (i * 4 >> 7 & ((1 << bits) - 1)) << 4;
      CHECK(out[at / 4] == i);
    }
  }
  return true;
}

// Boxes are added to a tensor by several blocks at once.
__global__ void add(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) int tile[4][8];
  tile[threadIdx.x / 8][threadIdx.x % 8] = threadIdx.x;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    const int at[2] = {2, 1};
    ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &map, at, tile);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
  }
}

// All blocks of a cluster add a row to one of the first block, and that to a row in global memory.
__global__ void __cluster_dims__(3, 1, 1) addRows(int *out) {
  __shared__ alignas(16) int mine[32], total[32];
  __shared__ uint64_t bar;
  auto cluster = cooperative_groups::this_cluster();
  mine[threadIdx.x] = threadIdx.x + cluster.block_rank(), total[threadIdx.x] = 0;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&bar, 1);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 3 * sizeof mine);
  }
  ptx::fence_proxy_async();
  cluster.sync();
  if (threadIdx.x == 0)
    ptx::cp_reduce_async_bulk(ptx::space_cluster, ptx::space_shared, ptx::op_add, cluster.map_shared_rank(total, 0), mine, sizeof mine, cluster.map_shared_rank(&bar, 0));
  if (cluster.block_rank() == 0) {
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
    if (threadIdx.x == 0) {
      ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_max, out, total, sizeof total);
      ptx::cp_async_bulk_commit_group();
      ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
  }
  cluster.sync();
}

bool sums() {
  int *rows;
  cudaMallocManaged(&rows, 128);
  for (int i = 0; i < 32; i++) rows[i] = 50;
  addRows<<<6, 32>>>(rows);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (int i = 0; i < 32; i++) CHECK(rows[i] == std::max(50, 3 * i + 3));
  int *p;
  cudaMallocManaged(&p, 8 * 8 * 4);
  memset(p, 0, 8 * 8 * 4);
  add<<<5, 32>>>(tensor(p, CU_TENSOR_MAP_DATA_TYPE_INT32, 4, {8, 8}, {8, 4}));
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (int i = 0; i < 64; i++) {
    int x = i % 8 - 2, y = i / 8 - 1;
    CHECK(p[i] == (x >= 0 && y >= 0 && y < 4 ? 5 * (8 * y + x) : 0));
  }
  return true;
}

// Each block of a cluster sends numbers to the next one, and all add to one of the first.
__global__ void __cluster_dims__(4, 1, 1) ring(int *out) {
  __shared__ int from[2], total;
  __shared__ uint64_t bar, added;
  auto cluster = cooperative_groups::this_cluster();
  int rank = cluster.block_rank();
  if (threadIdx.x == 0) {
    total = 100;
    ptx::mbarrier_init(&bar, 1);
    ptx::mbarrier_init(&added, 1);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 8);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &added, rank == 0 ? 16 : 0);
  }
  cluster.sync();
  if (threadIdx.x == 0) {
    const int values[2] = {rank, 10 * rank};
    int next = (rank + 1) % 4;
    ptx::st_async((int *)cluster.map_shared_rank(from, next), values, cluster.map_shared_rank(&bar, next));
    ptx::red_async(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_cluster, ptx::op_add, cluster.map_shared_rank(&total, 0), rank + 1, cluster.map_shared_rank(&added, 0));
  }
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, 0)) {}
  while (!ptx::mbarrier_test_wait_parity(ptx::sem_acquire, ptx::scope_cta, &added, 0)) {}
  if (threadIdx.x == 0) out[3 * rank] = from[0], out[3 * rank + 1] = from[1], out[3 * rank + 2] = total;
  cluster.sync();
}

bool remote() {
  int *p;
  cudaMallocManaged(&p, 48);
  ring<<<4, 32>>>(p);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (int r = 0; r < 4; r++) CHECK(p[3 * r] == (r + 3) % 4 && p[3 * r + 1] == 10 * ((r + 3) % 4) && p[3 * r + 2] == (r ? 100 : 110));
  return true;
}

// What the driver refuses.
bool refused() {
  alignas(64) CUtensorMap map;
  int *p;
  cudaMalloc(&p, 1024);
  uint64_t sizes[2] = {16, 16}, strides[1] = {64};
  uint32_t box[2] = {16, 16}, steps[2] = {1, 1};
  auto with = [&](void *at) {
    return cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, at, sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  };
  CHECK(with(p) == CUDA_SUCCESS);
  CHECK(with((char *)p + 4) == CUDA_ERROR_INVALID_VALUE);
  strides[0] = 60;
  CHECK(with(p) == CUDA_ERROR_INVALID_VALUE);
  strides[0] = 64, box[0] = 3;
  CHECK(with(p) == CUDA_ERROR_INVALID_VALUE);
  return true;
}

int main() {
  bool right = encode() && tiles() && shapes() && sums() && remote() && refused();
  printf(right ? "done\n" : "wrong\n");
}
