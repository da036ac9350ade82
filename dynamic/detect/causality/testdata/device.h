// The little of CUDA's device side that the kernels in this folder need, for clang without a
// CUDA toolkit.
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ __attribute__((always_inline, nodebug)) inline
#define INTRINSIC static __device__ __forceinline__

#include <__clang_cuda_builtin_vars.h>

typedef unsigned int uint;
typedef unsigned long long ull;
struct __attribute__((aligned(16))) uint4 { uint x, y, z, w; };
struct __attribute__((aligned(8))) uint2 { uint x, y; };

extern "C" __device__ int vprintf(const char *, const char *);
extern "C" __device__ int printf(const char *, ...);
extern "C" __device__ void *malloc(__SIZE_TYPE__);
extern "C" __device__ void free(void *);
extern "C" __device__ void __assertfail(const char *, const char *, unsigned, const char *, __SIZE_TYPE__);
#define assert(e) ((e) ? (void)0 : __assertfail(#e, __FILE__, __LINE__, __func__, 1))

INTRINSIC void __syncwarp(uint mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }
INTRINSIC void __threadfence() { __nvvm_membar_gl(); }
INTRINSIC void __threadfence_block() { __nvvm_membar_cta(); }
INTRINSIC void __threadfence_system() { __nvvm_membar_sys(); }
INTRINSIC int __shfl_sync(uint m, int v, int l) { return __nvvm_shfl_sync_idx_i32(m, v, l, 31); }
INTRINSIC int __shfl_down_sync(uint m, int v, uint d) { return __nvvm_shfl_sync_down_i32(m, v, d, 31); }
INTRINSIC int __shfl_xor_sync(uint m, int v, uint d) { return __nvvm_shfl_sync_bfly_i32(m, v, d, 31); }
INTRINSIC uint __ballot_sync(uint m, int p) { return __nvvm_vote_ballot_sync(m, p); }
INTRINSIC int __any_sync(uint m, int p) { return __nvvm_vote_any_sync(m, p); }
INTRINSIC int __all_sync(uint m, int p) { return __nvvm_vote_all_sync(m, p); }
INTRINSIC int atomicAdd(int *p, int v) { return __nvvm_atom_add_gen_i(p, v); }
INTRINSIC uint atomicAdd(uint *p, uint v) { return __nvvm_atom_add_gen_i((int *)p, v); }
INTRINSIC float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
INTRINSIC int atomicCAS(int *p, int c, int v) { return __nvvm_atom_cas_gen_i(p, c, v); }
INTRINSIC int atomicExch(int *p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }
INTRINSIC uint atomicAddBlock(uint *p, uint v) { return __nvvm_atom_cta_add_gen_i((int *)p, v); }
INTRINSIC uint atomicExchange(uint *p, uint v) { return __nvvm_atom_xchg_gen_i((int *)p, v); }
INTRINSIC uint atomicExchangeBlock(uint *p, uint v) { return __nvvm_atom_cta_xchg_gen_i((int *)p, v); }
INTRINSIC uint compareAndSwap(uint *p, uint c, uint v) { return __nvvm_atom_cas_gen_i((int *)p, c, v); }
INTRINSIC uint compareAndSwapBlock(uint *p, uint c, uint v) { return __nvvm_atom_cta_cas_gen_i((int *)p, c, v); }
