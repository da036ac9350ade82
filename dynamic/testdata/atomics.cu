// nvcc's __nv_atomic functions and cuda::atomic, on objects of each size and kind. Each thread of
// two warps takes part, so a lost update shows. Prints one line for each check that fails, and "done".
#include <cuda/atomic>
#include <stdio.h>

#define CHECK(condition) \
  if (!(condition)) printf("line %d: %s\n", __LINE__, #condition)

struct Pair { short a, b; };
__device__ double twice;
__device__ float once;
__device__ unsigned count, bits;
__device__ long long least;
__device__ int most, winners;
__device__ Pair pair;
__device__ short small;
__device__ unsigned char tiny, bytes[4];
__device__ short coldest;
__device__ cuda::atomic<int, cuda::thread_scope_block> counter;

__global__ void update() {
  int t = threadIdx.x;
  cuda::atomic_flag<> set(true), clear;
  CHECK(set.test_and_set() && !clear.test_and_set());
  __nv_atomic_add(&twice, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_fetch_sub(&once, 1.5, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_BLOCK);
  __nv_atomic_fetch_add(&count, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
  __nv_atomic_or(&bits, 1u << (t % 32), __NV_ATOMIC_SEQ_CST);
  __nv_atomic_min(&least, -(long long)t, __NV_ATOMIC_SEQ_CST);
  __nv_atomic_max(&most, t, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_CLUSTER);
  Pair none = {0, 0}, mine = {(short)(t + 1), (short)-t};
  if (__nv_atomic_compare_exchange(&pair, &none, &mine, false, __NV_ATOMIC_ACQUIRE, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE))
    __nv_atomic_add(&winners, 1, __NV_ATOMIC_RELAXED);
  else
    CHECK(none.a == 1 - none.b);
  __nv_atomic_store_n(&small, -7, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
  unsigned char byte = 200;
  __nv_atomic_store(&tiny, &byte, __NV_ATOMIC_RELAXED);
  __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST);
  CHECK(__nv_atomic_load_n(&small, __NV_ATOMIC_ACQUIRE) == -7);
  counter.fetch_add(2, cuda::memory_order_relaxed);
  cuda::atomic_ref<unsigned char, cuda::thread_scope_device>(bytes[t % 4]).fetch_add(17);
  cuda::atomic_ref<short> halves(coldest);
  halves.fetch_min(-t);
  CHECK(halves.fetch_or(0) <= -t);
  cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
}

// Each thread adds to both halves of 16 bytes at once.
struct alignas(16) Both {
  long long a, b;
};
__device__ Both both;
__global__ void wide() {
  Both seen = {0, 0}, old;
  for (;; seen = old) {
    Both next = {seen.a + 1, seen.b - 2};
    old = atomicCAS(&both, seen, next);
    CHECK(old.b == -2 * old.a);
    if (old.a == seen.a && old.b == seen.b) break;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    old = atomicExch(&both, Both{1, 2});
    CHECK(old.a == blockDim.x && old.b == -2 * (long long)blockDim.x && both.a == 1 && both.b == 2);
  }
}

__global__ void look() {
  CHECK(twice == 64 && once == -96 && count == 64 && bits == ~0u && least == -63 && most == 63 && winners == 1);
  CHECK(pair.a == 1 - pair.b && tiny == 200 && bytes[0] == 16 && bytes[3] == 16 && coldest == -63 && counter.load() == 128);
  CHECK(__nv_atomic_exchange_n(&count, 5, __NV_ATOMIC_RELAXED) == 64 && count == 5);
}

int main() {
  update<<<1, 64>>>();
  wide<<<1, 64>>>();
  look<<<1, 1>>>();
  if (cudaDeviceSynchronize() == cudaSuccess) printf("done\n");
}
