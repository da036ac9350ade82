// What tensor cores do. Numbers are small, so that sums are exact in whatever order they are made.
#include "common.h"
#include <mma.h>
using namespace nvcuda;

__device__ inline int small(u64 raw) { return (int)(raw % 9) - 4; }

template <class A, class B> constexpr bool same = false;
template <class A> constexpr bool same<A, A> = true;

// A product with factors and sums from shared memory, where each warp has its own.
template <int M, int N, int K, class T, class S, class C, class D, class Left, class Right>
__device__ void multiply(u64 *out, const u64 *in, wmma::layout_t order, bool saturate = false) {
  __shared__ __align__(32) S left[2][M * K], right[2][K * N];
  __shared__ __align__(32) C before[2][M * N];
  __shared__ __align__(32) D after[2][M * N];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const u64 *own = in + CELL / 32 * 512; // 8 warps have 4,096 numbers
  for (int i = lane; i < M * K; i += 32) left[warp][i] = (S)small(own[i % 512]);
  for (int i = lane; i < K * N; i += 32) right[warp][i] = (S)small(own[i % 512] >> 10);
  for (int i = lane; i < M * N; i += 32) before[warp][i] = (C)small(own[i % 512] >> 20);
  __syncwarp();
  wmma::fragment<wmma::matrix_a, M, N, K, T, Left> a;
  wmma::fragment<wmma::matrix_b, M, N, K, T, Right> b;
  wmma::fragment<wmma::accumulator, M, N, K, C> c;
  wmma::fragment<wmma::accumulator, M, N, K, D> d, e;
  bool rows = order == wmma::mem_row_major;
  wmma::load_matrix_sync(a, left[warp], same<Left, wmma::row_major> ? K : M);
  wmma::load_matrix_sync(b, right[warp], same<Right, wmma::row_major> ? N : K);
  wmma::load_matrix_sync(c, before[warp], rows ? N : M, order);
  if constexpr (same<D, int>) wmma::mma_sync(d, a, b, c, saturate);
  else wmma::mma_sync(d, a, b, c);
  wmma::fill_fragment(e, (D)1.0f);
  for (int i = 0; i < d.num_elements; i++) d.x[i] = d.x[i] + e.x[i];
  wmma::store_matrix_sync(after[warp], d, rows ? N : M, order);
  __syncwarp();
  for (int j = 0; j < M * N / 32; j++) OUT(j, (float)after[warp][lane + 32 * j]);
}
#define ROW wmma::row_major
#define COL wmma::col_major
KERNEL(wmma_half) { multiply<16, 16, 16, __half, __half, float, float, ROW, COL>(out, in, wmma::mem_row_major); }
KERNEL(wmma_half_rows) { multiply<16, 16, 16, __half, __half, float, float, ROW, ROW>(out, in, wmma::mem_col_major); }
KERNEL(wmma_half_columns) { multiply<16, 16, 16, __half, __half, float, float, COL, COL>(out, in, wmma::mem_row_major); }
KERNEL(wmma_half_tall) { multiply<32, 8, 16, __half, __half, float, float, ROW, COL>(out, in, wmma::mem_row_major); }
KERNEL(wmma_half_wide) { multiply<8, 32, 16, __half, __half, float, float, COL, ROW>(out, in, wmma::mem_row_major); }
KERNEL(wmma_half_sums) { multiply<16, 16, 16, __half, __half, __half, __half, ROW, COL>(out, in, wmma::mem_row_major); }
KERNEL(wmma_half_sums_columns) { multiply<16, 16, 16, __half, __half, __half, float, COL, ROW>(out, in, wmma::mem_col_major); }
KERNEL(wmma_half_narrowed) { multiply<16, 16, 16, __half, __half, float, __half, ROW, COL>(out, in, wmma::mem_col_major); }
KERNEL(wmma_bfloat) { multiply<16, 16, 16, __nv_bfloat16, __nv_bfloat16, float, float, ROW, COL>(out, in, wmma::mem_row_major); }
KERNEL(wmma_bfloat_tall) { multiply<32, 8, 16, __nv_bfloat16, __nv_bfloat16, float, float, COL, ROW>(out, in, wmma::mem_row_major); }
KERNEL(wmma_bfloat_wide) { multiply<8, 32, 16, __nv_bfloat16, __nv_bfloat16, float, float, ROW, ROW>(out, in, wmma::mem_col_major); }
KERNEL(wmma_tf32) { multiply<16, 16, 8, wmma::precision::tf32, float, float, float, ROW, COL>(out, in, wmma::mem_row_major); }
KERNEL(wmma_tf32_columns) { multiply<16, 16, 8, wmma::precision::tf32, float, float, float, COL, ROW>(out, in, wmma::mem_col_major); }
KERNEL(wmma_double) { multiply<8, 8, 4, double, double, double, double, ROW, COL>(out, in, wmma::mem_row_major); }
KERNEL(wmma_double_columns) { multiply<8, 8, 4, double, double, double, double, COL, ROW>(out, in, wmma::mem_col_major); }
KERNEL(wmma_bytes) { multiply<16, 16, 16, s8, s8, int, int, ROW, COL>(out, in, wmma::mem_row_major); }
KERNEL(wmma_bytes_tall) { multiply<32, 8, 16, s8, s8, int, int, ROW, ROW>(out, in, wmma::mem_col_major, true); }
KERNEL(wmma_bytes_wide) { multiply<8, 32, 16, s8, s8, int, int, COL, COL>(out, in, wmma::mem_row_major); }
KERNEL(wmma_unsigned_bytes) { multiply<16, 16, 16, u8, u8, int, int, COL, ROW>(out, in, wmma::mem_row_major); }

// mma says which lane holds what, so registers are compared as they are.
__device__ inline u32 halves(u64 raw) {
  __half h[2] = {(__half)(float)small(raw), (__half)(float)small(raw >> 20)};
  u32 r;
  memcpy(&r, h, 4);
  return r;
}
__device__ inline u32 bfloats(u64 raw) {
  return __float_as_uint((float)small(raw)) >> 16 | __float_as_uint((float)small(raw >> 20)) & 0xffff0000;
}
__device__ inline u32 single(u64 raw) { return __float_as_uint((float)small(raw)); }

#define SUM4 "{%0,%1,%2,%3}"
KERNEL(mma_m16n8k16_half) {
  float d[4];
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " SUM4 ", {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
               : "r"(halves(IN(0))), "r"(halves(IN(1))), "r"(halves(IN(2))), "r"(halves(IN(3))), "r"(halves(IN(4))), "r"(halves(IN(5))),
                 "f"((float)small(IN(6))), "f"((float)small(IN(7))), "f"((float)small(IN(8))), "f"((float)small(IN(9))));
  for (int i = 0; i < 4; i++) OUT(i, d[i]);
}
KERNEL(mma_m16n8k16_half_sums) {
  u32 d[2];
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9};"
               : "=r"(d[0]), "=r"(d[1])
               : "r"(halves(IN(0))), "r"(halves(IN(1))), "r"(halves(IN(2))), "r"(halves(IN(3))), "r"(halves(IN(4))), "r"(halves(IN(5))),
                 "r"(halves(IN(6))), "r"(halves(IN(7))));
  for (int i = 0; i < 2; i++) OUT(i, d[i]);
}
KERNEL(mma_m16n8k8_half) {
  float d[4];
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 " SUM4 ", {%4,%5}, {%6}, {%7,%8,%9,%10};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
               : "r"(halves(IN(0))), "r"(halves(IN(1))), "r"(halves(IN(2))),
                 "f"((float)small(IN(6))), "f"((float)small(IN(7))), "f"((float)small(IN(8))), "f"((float)small(IN(9))));
  for (int i = 0; i < 4; i++) OUT(i, d[i]);
}
KERNEL(mma_m16n8k16_bfloat) {
  float d[4];
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 " SUM4 ", {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
               : "r"(bfloats(IN(0))), "r"(bfloats(IN(1))), "r"(bfloats(IN(2))), "r"(bfloats(IN(3))), "r"(bfloats(IN(4))), "r"(bfloats(IN(5))),
                 "f"((float)small(IN(6))), "f"((float)small(IN(7))), "f"((float)small(IN(8))), "f"((float)small(IN(9))));
  for (int i = 0; i < 4; i++) OUT(i, d[i]);
}
KERNEL(mma_m16n8k4_tf32) {
  float d[4];
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 " SUM4 ", {%4,%5}, {%6}, {%7,%8,%9,%10};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
               : "r"(single(IN(0))), "r"(single(IN(1))), "r"(single(IN(2))),
                 "f"((float)small(IN(6))), "f"((float)small(IN(7))), "f"((float)small(IN(8))), "f"((float)small(IN(9))));
  for (int i = 0; i < 4; i++) OUT(i, d[i]);
}
KERNEL(mma_m16n8k8_tf32) {
  float d[4];
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 " SUM4 ", {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
               : "r"(single(IN(0))), "r"(single(IN(1))), "r"(single(IN(2))), "r"(single(IN(3))), "r"(single(IN(4))), "r"(single(IN(5))),
                 "f"((float)small(IN(6))), "f"((float)small(IN(7))), "f"((float)small(IN(8))), "f"((float)small(IN(9))));
  for (int i = 0; i < 4; i++) OUT(i, d[i]);
}
KERNEL(mma_m8n8k4_double) {
  double d[2];
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%5};" : "=d"(d[0]), "=d"(d[1])
               : "d"((double)small(IN(0))), "d"((double)small(IN(1))), "d"((double)small(IN(2))), "d"((double)small(IN(3))));
  OUT(0, d[0]), OUT(1, d[1]);
}
KERNEL(mma_m8n8k16_bytes) {
  s32 d[2];
  asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32 {%0,%1}, {%2}, {%3}, {%4,%5};" : "=r"(d[0]), "=r"(d[1])
               : "r"((u32)IN(0)), "r"((u32)IN(1)), "r"((u32)IN(2)), "r"((u32)IN(3)));
  OUT(0, d[0]), OUT(1, d[1]);
}
KERNEL(mma_m16n8k16_bytes) {
  s32 d[4];
  asm volatile("mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.s8.s32 " SUM4 ", {%4,%5}, {%6}, {%7,%8,%9,%10};"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
               : "r"((u32)IN(0)), "r"((u32)IN(1)), "r"((u32)IN(2)), "r"((u32)IN(3)), "r"((u32)IN(4)), "r"(0x7fffff00), "r"(0x80000010));
  for (int i = 0; i < 4; i++) OUT(i, d[i]);
}
KERNEL(mma_m16n8k32_bytes) {
  s32 d[4];
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 " SUM4 ", {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
               : "r"((u32)IN(0)), "r"((u32)IN(1)), "r"((u32)IN(2)), "r"((u32)IN(3)), "r"((u32)IN(4)), "r"((u32)IN(5)), "r"((u32)IN(6)),
                 "r"((u32)IN(7)), "r"((u32)IN(8)), "r"((u32)IN(9)));
  for (int i = 0; i < 4; i++) OUT(i, d[i]);
}

// Rows of 8x8 matrices, at addresses of which each lane gives one.
#define ROWS(name)                                           \
  __shared__ __align__(16) u32 name[64][4];                  \
  for (int i = 0; i < 4; i++) name[threadIdx.x][i] = (u32)IN(i); \
  __syncwarp();                                              \
  u32 at = (u32)__cvta_generic_to_shared(name[threadIdx.x ^ 5]);
KERNEL(ldmatrix_one) {
  ROWS(s)
  u32 d;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(d) : "r"(at) : "memory");
  OUT(0, d);
}
KERNEL(ldmatrix_two) {
  ROWS(s)
  u32 d[2];
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(d[0]), "=r"(d[1]) : "r"(at) : "memory");
  OUT(0, d[0]), OUT(1, d[1]);
}
KERNEL(ldmatrix_four) {
  ROWS(s)
  u32 d[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(at) : "memory");
  for (int i = 0; i < 4; i++) OUT(i, d[i]);
}
KERNEL(ldmatrix_four_transposed) {
  ROWS(s)
  u32 d[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(at) : "memory");
  for (int i = 0; i < 4; i++) OUT(i, d[i]);
}
KERNEL(stmatrix_two) {
  ROWS(s)
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%2};" ::"r"(at), "r"((u32)IN(4)), "r"((u32)IN(5)) : "memory");
  __syncwarp();
  for (int i = 0; i < 4; i++) OUT(i, s[threadIdx.x][i]);
}
KERNEL(stmatrix_four_transposed) {
  ROWS(s)
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(at), "r"((u32)IN(4)), "r"((u32)IN(5)),
               "r"((u32)IN(6)), "r"((u32)IN(7)) : "memory");
  __syncwarp();
  for (int i = 0; i < 4; i++) OUT(i, s[threadIdx.x][i]);
}
KERNEL(movmatrix) {
  u32 d;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(d) : "r"((u32)IN(0)));
  OUT(0, d);
}
