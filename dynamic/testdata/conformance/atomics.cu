// Atomic operations of each type, scope and memory that all threads of a block or of the grid
// contend for. Which thread comes first is open, so only what does not depend on it is a result.
#include "common.h"
#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// Sums of what the operations returned, and what is left, per block in shared and over the grid in
// global memory.
#define CONTENDED(name, T, start, operation)                                                      \
  KERNEL(name##_##T) {                                                                            \
    __shared__ T cell;                                                                            \
    if (threadIdx.x == 0) cell = (T)(start);                                                      \
    __syncthreads();                                                                              \
    {                                                                                             \
      T *at = &cell;                                                                              \
      T v = (T)(IN(0) % 1000);                                                                    \
      operation;                                                                                  \
    }                                                                                             \
    __syncthreads();                                                                              \
    OUT(0, cell);                                                                                 \
    {                                                                                             \
      T *at = (T *)(out + 256);                                                                   \
      T v = (T)(IN(1) % 1000);                                                                    \
      operation;                                                                                  \
    }                                                                                             \
  }
CONTENDED(add, s32, 5, atomicAdd(at, v))
CONTENDED(add, u32, 5, atomicAdd(at, v))
CONTENDED(add, u64, 5, atomicAdd(at, v))
CONTENDED(add, float, 5, atomicAdd(at, v))
CONTENDED(add, double, 5, atomicAdd(at, v))
CONTENDED(sub, s32, 5, atomicSub(at, v))
CONTENDED(sub, u32, 5, atomicSub(at, v))
CONTENDED(min, s32, 900, atomicMin(at, v - 500))
CONTENDED(min, u32, 900, atomicMin(at, v))
CONTENDED(min, s64, 900, atomicMin(at, v - 500))
CONTENDED(min, u64, 900, atomicMin(at, v))
CONTENDED(max, s32, -900, atomicMax(at, v - 500))
CONTENDED(max, u32, 0, atomicMax(at, v))
CONTENDED(max, s64, -900, atomicMax(at, v - 500))
CONTENDED(max, u64, 0, atomicMax(at, v))
CONTENDED(and, s32, -1, atomicAnd(at, ~v | 15))
CONTENDED(and, u32, -1, atomicAnd(at, ~v | 15))
CONTENDED(and, u64, -1, atomicAnd(at, ~v | 15))
CONTENDED(or, s32, 0, atomicOr(at, v & 0x3c1))
CONTENDED(or, u32, 0, atomicOr(at, v & 0x3c1))
CONTENDED(or, u64, 0, atomicOr(at, v & 0x3c1))
CONTENDED(xor, s32, 7, atomicXor(at, v))
CONTENDED(xor, u32, 7, atomicXor(at, v))
CONTENDED(xor, u64, 7, atomicXor(at, v))
CONTENDED(inc, u32, 3, atomicInc(at, 50))
CONTENDED(dec, u32, 3, atomicDec(at, 50))
CONTENDED(add_block, u32, 5, atomicAdd_block(at, v % 2 * 0 + 1))
CONTENDED(add_system, u32, 5, atomicAdd_system(at, v))

KERNEL(tickets) {
  __shared__ u32 next, taken[64];
  if (threadIdx.x == 0) next = 0;
  taken[threadIdx.x] = 0;
  __syncthreads();
  u32 mine = atomicAdd(&next, 1);
  taken[mine]++;
  __syncthreads();
  OUT(0, taken[threadIdx.x]), OUT(1, next);
}
KERNEL(exchanges) {
  __shared__ u64 cell;
  __shared__ u64 sum;
  if (threadIdx.x == 0) cell = 0, sum = 0;
  __syncthreads();
  u64 got = atomicExch(&cell, (u64)threadIdx.x + 1);
  atomicAdd(&sum, got);
  __syncthreads();
  OUT(0, sum + cell);
}
KERNEL(exchange_own_cell) {
  __shared__ float f[64];
  __shared__ s32 n[64];
  f[threadIdx.x] = 1.5f, n[threadIdx.x] = 9;
  OUT(0, atomicExch(&f[threadIdx.x], (float)threadIdx.x)), OUT(1, f[threadIdx.x]), OUT(2, atomicExch(&n[threadIdx.x], -3)), OUT(3, n[threadIdx.x]);
}
#define SWAPPED(T)                                                                                     \
  KERNEL(compare_and_swap_##T) {                                                                       \
    __shared__ T sum, own[64];                                                                         \
    if (threadIdx.x == 0) sum = 0;                                                                     \
    own[threadIdx.x] = (T)threadIdx.x;                                                                 \
    __syncthreads();                                                                                   \
    T old = sum, seen;                                                                                 \
    do {                                                                                               \
      seen = old;                                                                                      \
      old = atomicCAS(&sum, seen, (T)(seen + (T)IN(0)));                                               \
    } while (old != seen);                                                                             \
    OUT(0, atomicCAS(&own[threadIdx.x], (T)(threadIdx.x & ~1u), (T)77)), OUT(1, own[threadIdx.x]);     \
    __syncthreads();                                                                                   \
    OUT(2, sum);                                                                                       \
  }
SWAPPED(s32)
SWAPPED(u32)
SWAPPED(u64)
SWAPPED(u16)
KERNEL(half_add) {
  __shared__ __half h;
  __shared__ __half2 pair;
  if (threadIdx.x == 0) h = __float2half(0), pair = __float2half2_rn(0);
  __syncthreads();
  atomicAdd(&h, __float2half((float)(threadIdx.x % 8)));
  atomicAdd(&pair, __floats2half2_rn(1, (float)(threadIdx.x % 4)));
  __syncthreads();
  OUT(0, __half_as_ushort(h)), OUT(1, __half_as_ushort(__low2half(pair))), OUT(2, __half_as_ushort(__high2half(pair)));
}
KERNEL(bfloat_add) {
  __shared__ __nv_bfloat16 h;
  __shared__ __nv_bfloat162 pair;
  if (threadIdx.x == 0) h = __float2bfloat16(0), pair = __floats2bfloat162_rn(0, 0);
  __syncthreads();
  atomicAdd(&h, __float2bfloat16((float)(threadIdx.x % 4)));
  atomicAdd(&pair, __floats2bfloat162_rn(1, (float)(threadIdx.x % 2)));
  __syncthreads();
  OUT(0, __bfloat16_as_ushort(h)), OUT(1, __bfloat16_as_ushort(pair.x)), OUT(2, __bfloat16_as_ushort(pair.y));
}
KERNEL(returned_values) {
  __shared__ u64 n[64];
  n[threadIdx.x] = IN(0);
  u32 *low = (u32 *)&n[threadIdx.x];
  OUT(0, atomicAdd(low, 5u)), OUT(1, atomicMin(low, 1000u)), OUT(2, atomicMax(low, 2000u)), OUT(3, atomicInc(low, 2000u)), OUT(4, atomicDec(low, 7u));
  OUT(5, atomicAnd(low, 0xffu)), OUT(6, atomicOr(low, 0xf000u)), OUT(7, atomicXor(low, 0x1234u)), OUT(8, atomicSub(low, 1u)), OUT(9, n[threadIdx.x]);
}

// cuda::atomic in each order; the values do not depend on it, the instructions do.
KERNEL(ordered) {
  __shared__ cuda::atomic<u32, cuda::thread_scope_block> count;
  __shared__ u32 plain;
  if (threadIdx.x == 0) count.store(0, cuda::memory_order_relaxed), plain = 0;
  __syncthreads();
  count.fetch_add(1, cuda::memory_order_relaxed);
  count.fetch_add(2, cuda::memory_order_acquire);
  count.fetch_add(3, cuda::memory_order_release);
  count.fetch_sub(1, cuda::memory_order_acq_rel);
  count.fetch_max(1, cuda::memory_order_seq_cst);
  count.fetch_or(0, cuda::memory_order_relaxed);
  cuda::atomic_ref<u32, cuda::thread_scope_device>(plain).fetch_add(threadIdx.x);
  __syncthreads();
  OUT(0, count.load(cuda::memory_order_acquire)), OUT(1, plain);
  __syncthreads();
  if (threadIdx.x == 0) OUT(2, count.exchange(9)), OUT(3, count.load());
}
// A value is handed from warp to warp by a flag.
KERNEL(flag) {
  __shared__ cuda::atomic<u32, cuda::thread_scope_block> ready;
  __shared__ u32 data[32];
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    data[threadIdx.x] = (u32)IN(0);
    __syncwarp();
    if (threadIdx.x == 0) ready.store(1, cuda::memory_order_release);
    OUT(0, 0u);
  } else {
    while (ready.load(cuda::memory_order_acquire) == 0) {}
    OUT(0, data[threadIdx.x - 32]);
  }
}
// The last block to come sums what all have written.
KERNEL(last_block) {
  __shared__ bool last;
  out[256 + CELL] = IN(0);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd((u32 *)(out + 512), 1u) == gridDim.x - 1;
  __syncthreads();
  if (last && threadIdx.x == 0) {
    __threadfence();
    u64 sum = 0;
    for (int i = 0; i < 256; i++) sum += *(volatile u64 *)&out[256 + i];
    out[0] = sum;
  }
}
KERNEL(histogram) {
  __shared__ u32 bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = 0; i < 8; i++) atomicAdd(&bins[IN(i) % 16], 1u);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd((u32 *)(out + threadIdx.x), bins[threadIdx.x]);
}
