// Products of matrices by a warp, as the CUDA C++ Programming Guide describes them ("Warp Matrix Functions"). How the
// lanes hold a fragment is for the simulator to say.
#pragma once
#include "cuda_runtime.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#if defined(__CUDA__)

namespace nvcuda {
namespace wmma {

struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}  // namespace precision
namespace experimental {
namespace precision {
struct s4 {};
struct u4 {};
struct b1 {};
}  // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}  // namespace experimental

namespace details {
// What a fragment holds of each lane: so many numbers of a type.
template <class T, int N> struct storage {
  typedef T element_type;
  typedef T storage_element_type;
  enum { num_elements = N, num_storage_elements = N };
  T x[N];
};
template <class Use, int M, int N, int K, class T> struct held;
#define WARPLINT_HELD(use, m, n, k, type, stored, count) \
  template <> struct held<use, m, n, k, type> : storage<stored, count> {};
#define WARPLINT_HELD_SHAPES(use, type, count16, count32, count8)     \
  WARPLINT_HELD(use, 16, 16, 16, type, type, count16)                 \
  WARPLINT_HELD(use, 32, 8, 16, type, type, count32)                  \
  WARPLINT_HELD(use, 8, 32, 16, type, type, count8)
WARPLINT_HELD_SHAPES(matrix_a, __half, 16, 16, 16)
WARPLINT_HELD_SHAPES(matrix_b, __half, 16, 16, 16)
WARPLINT_HELD_SHAPES(accumulator, __half, 8, 8, 8)
WARPLINT_HELD_SHAPES(accumulator, float, 8, 8, 8)
WARPLINT_HELD_SHAPES(accumulator, int, 8, 8, 8)
WARPLINT_HELD_SHAPES(matrix_a, __nv_bfloat16, 8, 16, 4)
WARPLINT_HELD_SHAPES(matrix_b, __nv_bfloat16, 8, 4, 16)
WARPLINT_HELD_SHAPES(matrix_a, signed char, 8, 16, 4)
WARPLINT_HELD_SHAPES(matrix_b, signed char, 8, 4, 16)
WARPLINT_HELD_SHAPES(matrix_a, unsigned char, 8, 16, 4)
WARPLINT_HELD_SHAPES(matrix_b, unsigned char, 8, 4, 16)
WARPLINT_HELD(matrix_a, 16, 16, 8, precision::tf32, float, 4)
WARPLINT_HELD(matrix_b, 16, 16, 8, precision::tf32, float, 4)
WARPLINT_HELD(accumulator, 16, 16, 8, float, float, 8)
WARPLINT_HELD(matrix_a, 8, 8, 4, double, double, 1)
WARPLINT_HELD(matrix_b, 8, 8, 4, double, double, 1)
WARPLINT_HELD(accumulator, 8, 8, 4, double, double, 2)
WARPLINT_HELD(matrix_a, 8, 8, 32, experimental::precision::s4, int, 1)
WARPLINT_HELD(matrix_b, 8, 8, 32, experimental::precision::s4, int, 1)
WARPLINT_HELD(matrix_a, 8, 8, 32, experimental::precision::u4, unsigned, 1)
WARPLINT_HELD(matrix_b, 8, 8, 32, experimental::precision::u4, unsigned, 1)
WARPLINT_HELD(accumulator, 8, 8, 32, int, int, 2)
WARPLINT_HELD(matrix_a, 8, 8, 128, experimental::precision::b1, unsigned, 1)
WARPLINT_HELD(matrix_b, 8, 8, 128, experimental::precision::b1, unsigned, 1)
WARPLINT_HELD(accumulator, 8, 8, 128, int, int, 2)
#undef WARPLINT_HELD_SHAPES
#undef WARPLINT_HELD
}  // namespace details

template <class Use, int M, int N, int K, class T, class Layout = void>
struct fragment : details::held<Use, M, N, K, T> {};

WARPLINT_INTRINSIC float __float_to_tf32(float v) {
  unsigned r;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(v));
  return __uint_as_float(r);
}

template <class Use, int M, int N, int K, class T, class Layout, class V>
WARPLINT_METHOD inline void fill_fragment(fragment<Use, M, N, K, T, Layout> &f, V v) {
  for (int i = 0; i < f.num_elements; i++) f.x[i] = v;
}

template <class Layout> constexpr bool by_rows = false;
template <> constexpr bool by_rows<row_major> = true;

// Operands of one, two, four and eight registers, by the name of a matrix.
#define WARPLINT_LIST_1(a) "{%[" #a "0]}"
#define WARPLINT_LIST_2(a) "{%[" #a "0],%[" #a "1]}"
#define WARPLINT_LIST_4(a) "{%[" #a "0],%[" #a "1],%[" #a "2],%[" #a "3]}"
#define WARPLINT_LIST_8(a) "{%[" #a "0],%[" #a "1],%[" #a "2],%[" #a "3],%[" #a "4],%[" #a "5],%[" #a "6],%[" #a "7]}"
#define WARPLINT_REGISTERS_1(a, c) [a##0] c(a[0])
#define WARPLINT_REGISTERS_2(a, c) [a##0] c(a[0]), [a##1] c(a[1])
#define WARPLINT_REGISTERS_4(a, c) WARPLINT_REGISTERS_2(a, c), [a##2] c(a[2]), [a##3] c(a[3])
#define WARPLINT_REGISTERS_8(a, c) WARPLINT_REGISTERS_4(a, c), [a##4] c(a[4]), [a##5] c(a[5]), [a##6] c(a[6]), [a##7] c(a[7])
#define WARPLINT_m16n16k16 16, 16, 16
#define WARPLINT_m32n8k16 32, 8, 16
#define WARPLINT_m8n32k16 8, 32, 16
#define WARPLINT_m16n16k8 16, 16, 8
#define WARPLINT_m8n8k4 8, 8, 4
#define WARPLINT_m8n8k32 8, 8, 32
#define WARPLINT_m8n8k128 8, 8, 128

#define WARPLINT_LOAD_AS(letter, layout, shape, ptx, n, how)                                                        \
  asm volatile("wmma.load." #letter ".sync.aligned." #layout "." #shape "." #ptx " " WARPLINT_LIST_##n(r)           \
               ", [%[p]], %[s];" : WARPLINT_REGISTERS_##n(r, "=" how) : [p] "l"(p), [s] "r"(stride) : "memory")
#define WARPLINT_STORE_AS(layout, shape, ptx, n, how)                                                               \
  asm volatile("wmma.store.d.sync.aligned." #layout "." #shape "." #ptx " [%[p]], " WARPLINT_LIST_##n(r) ", %[s];"  \
               ::WARPLINT_REGISTERS_##n(r, how), [p] "l"(p), [s] "r"(stride) : "memory")
#define WARPLINT_FACTOR(use, letter, shape, type, pointed, ptx, n, word, how)                                       \
  template <class Layout> WARPLINT_METHOD inline void load_matrix_sync(                                             \
      fragment<use, WARPLINT_##shape, type, Layout> &f, const pointed *p, unsigned stride) {                        \
    word r[n];                                                                                                      \
    if constexpr (by_rows<Layout>) WARPLINT_LOAD_AS(letter, row, shape, ptx, n, how);                               \
    else WARPLINT_LOAD_AS(letter, col, shape, ptx, n, how);                                                         \
    __builtin_memcpy(f.x, r, sizeof r);                                                                             \
  }
#define WARPLINT_SUM(shape, type, ptx, n, word, how)                                                                \
  WARPLINT_INTRINSIC void load_matrix_sync(fragment<accumulator, WARPLINT_##shape, type> &f, const type *p,         \
                                           unsigned stride, layout_t layout) {                                      \
    word r[n];                                                                                                      \
    if (layout == mem_row_major) WARPLINT_LOAD_AS(c, row, shape, ptx, n, how);                                      \
    else WARPLINT_LOAD_AS(c, col, shape, ptx, n, how);                                                              \
    __builtin_memcpy(f.x, r, sizeof r);                                                                             \
  }                                                                                                                 \
  WARPLINT_INTRINSIC void store_matrix_sync(type *p, const fragment<accumulator, WARPLINT_##shape, type> &f,        \
                                            unsigned stride, layout_t layout) {                                     \
    word r[n];                                                                                                      \
    __builtin_memcpy(r, f.x, sizeof r);                                                                             \
    if (layout == mem_row_major) WARPLINT_STORE_AS(row, shape, ptx, n, how);                                        \
    else WARPLINT_STORE_AS(col, shape, ptx, n, how);                                                                \
  }

#define WARPLINT_MMA_AS(left, right, shape, types, na, nb, nc, nd, how)                                             \
  asm volatile("wmma.mma.sync.aligned." #left "." #right "." #shape types " " WARPLINT_LIST_##nd(rd) ", "           \
               WARPLINT_LIST_##na(ra) ", " WARPLINT_LIST_##nb(rb) ", " WARPLINT_LIST_##nc(rc) ";"                   \
               : WARPLINT_REGISTERS_##nd(rd, "=" how)                                                               \
               : WARPLINT_REGISTERS_##na(ra, how), WARPLINT_REGISTERS_##nb(rb, how), WARPLINT_REGISTERS_##nc(rc, how))
#define WARPLINT_MMA_LAYOUTS(shape, types, na, nb, nc, nd, how)                                                     \
  if constexpr (by_rows<Left> && by_rows<Right>) WARPLINT_MMA_AS(row, row, shape, types, na, nb, nc, nd, how);      \
  else if constexpr (by_rows<Left>) WARPLINT_MMA_AS(row, col, shape, types, na, nb, nc, nd, how);                   \
  else if constexpr (by_rows<Right>) WARPLINT_MMA_AS(col, row, shape, types, na, nb, nc, nd, how);                  \
  else WARPLINT_MMA_AS(col, col, shape, types, na, nb, nc, nd, how);
#define WARPLINT_MMA(shape, type, tc, td, types, saturated, na, nb, nc, nd, word, how)                              \
  template <class Left, class Right> WARPLINT_METHOD inline void mma_sync(                                          \
      fragment<accumulator, WARPLINT_##shape, td> &d, const fragment<matrix_a, WARPLINT_##shape, type, Left> &a,    \
      const fragment<matrix_b, WARPLINT_##shape, type, Right> &b,                                                   \
      const fragment<accumulator, WARPLINT_##shape, tc> &c, bool saturate = false) {                                \
    word ra[na], rb[nb], rc[nc], rd[nd];                                                                            \
    __builtin_memcpy(ra, a.x, sizeof ra);                                                                           \
    __builtin_memcpy(rb, b.x, sizeof rb);                                                                           \
    __builtin_memcpy(rc, c.x, sizeof rc);                                                                           \
    if (saturate) { WARPLINT_MMA_LAYOUTS(shape, saturated, na, nb, nc, nd, how) }                                   \
    else { WARPLINT_MMA_LAYOUTS(shape, types, na, nb, nc, nd, how) }                                                \
    __builtin_memcpy(d.x, rd, sizeof rd);                                                                           \
  }

#define WARPLINT_FACTORS(shape, type, pointed, ptx, na, nb, word, how)         \
  WARPLINT_FACTOR(matrix_a, a, shape, type, pointed, ptx, na, word, how)       \
  WARPLINT_FACTOR(matrix_b, b, shape, type, pointed, ptx, nb, word, how)
#define WARPLINT_HALVES(shape)                                                                            \
  WARPLINT_FACTORS(shape, __half, __half, f16, 8, 8, unsigned, "r")                                       \
  WARPLINT_SUM(shape, __half, f16, 4, unsigned, "r")                                                      \
  WARPLINT_SUM(shape, float, f32, 8, unsigned, "r")                                                       \
  WARPLINT_SUM(shape, int, s32, 8, unsigned, "r")                                                         \
  WARPLINT_MMA(shape, __half, float, float, ".f32.f32", ".f32.f32", 8, 8, 8, 8, unsigned, "r")            \
  WARPLINT_MMA(shape, __half, __half, float, ".f32.f16", ".f32.f16", 8, 8, 4, 8, unsigned, "r")           \
  WARPLINT_MMA(shape, __half, float, __half, ".f16.f32", ".f16.f32", 8, 8, 8, 4, unsigned, "r")           \
  WARPLINT_MMA(shape, __half, __half, __half, ".f16.f16", ".f16.f16", 8, 8, 4, 4, unsigned, "r")
WARPLINT_HALVES(m16n16k16)
WARPLINT_HALVES(m32n8k16)
WARPLINT_HALVES(m8n32k16)

#define WARPLINT_BYTES(shape, type, ptx, na, nb)                                                          \
  WARPLINT_FACTORS(shape, type, type, ptx, na, nb, unsigned, "r")                                         \
  WARPLINT_MMA(shape, type, int, int, ".s32." #ptx "." #ptx ".s32", ".s32." #ptx "." #ptx ".s32.satfinite", na, nb, 8, 8, \
               unsigned, "r")
WARPLINT_BYTES(m16n16k16, signed char, s8, 2, 2)
WARPLINT_BYTES(m32n8k16, signed char, s8, 4, 1)
WARPLINT_BYTES(m8n32k16, signed char, s8, 1, 4)
WARPLINT_BYTES(m16n16k16, unsigned char, u8, 2, 2)
WARPLINT_BYTES(m32n8k16, unsigned char, u8, 4, 1)
WARPLINT_BYTES(m8n32k16, unsigned char, u8, 1, 4)

#define WARPLINT_BFLOATS(shape, na, nb)                                                                   \
  WARPLINT_FACTORS(shape, __nv_bfloat16, __nv_bfloat16, bf16, na, nb, unsigned, "r")                      \
  WARPLINT_MMA(shape, __nv_bfloat16, float, float, ".f32.bf16.bf16.f32", ".f32.bf16.bf16.f32", na, nb, 8, 8, unsigned, "r")
WARPLINT_BFLOATS(m16n16k16, 4, 4)
WARPLINT_BFLOATS(m32n8k16, 8, 2)
WARPLINT_BFLOATS(m8n32k16, 2, 8)

WARPLINT_FACTORS(m16n16k8, precision::tf32, float, tf32, 4, 4, unsigned, "r")
WARPLINT_SUM(m16n16k8, float, f32, 8, unsigned, "r")
WARPLINT_MMA(m16n16k8, precision::tf32, float, float, ".f32.tf32.tf32.f32", ".f32.tf32.tf32.f32", 4, 4, 8, 8, unsigned, "r")
WARPLINT_FACTORS(m8n8k4, double, double, f64, 1, 1, unsigned long long, "l")
WARPLINT_SUM(m8n8k4, double, f64, 2, unsigned long long, "l")
WARPLINT_MMA(m8n8k4, double, double, double, ".f64.f64.f64.f64", ".f64.f64.f64.f64", 1, 1, 2, 2, unsigned long long, "l")

// Numbers of four bits, and bits, which lie side by side in memory: the left matrix by rows, the right one by columns.
#define WARPLINT_NIBBLES(type, ptx)                                                                       \
  WARPLINT_FACTORS(m8n8k32, experimental::precision::type, void, ptx, 1, 1, unsigned, "r")                \
  WARPLINT_MMA(m8n8k32, experimental::precision::type, int, int, ".s32." #ptx "." #ptx ".s32", ".s32." #ptx "." #ptx ".s32.satfinite", 1, 1, 2, 2, unsigned, "r")
WARPLINT_NIBBLES(s4, s4)
WARPLINT_NIBBLES(u4, u4)
#undef WARPLINT_NIBBLES
WARPLINT_SUM(m8n8k32, int, s32, 2, unsigned, "r")
WARPLINT_FACTORS(m8n8k128, experimental::precision::b1, void, b1, 1, 1, unsigned, "r")
WARPLINT_SUM(m8n8k128, int, s32, 2, unsigned, "r")
#define WARPLINT_BITS(how)                                                                                \
  asm volatile("wmma.mma." how ".popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 {%0,%1}, {%2}, {%3}, {%4,%5};" \
               : "=r"(d.x[0]), "=r"(d.x[1]) : "r"(a.x[0]), "r"(b.x[0]), "r"(c.x[0]), "r"(c.x[1]))
WARPLINT_INTRINSIC void bmma_sync(
    fragment<accumulator, 8, 8, 128, int> &d, const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &a,
    const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &b, const fragment<accumulator, 8, 8, 128, int> &c,
    experimental::bmmaBitOp op = experimental::bmmaBitOpXOR, experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
  if (op == experimental::bmmaBitOpXOR) WARPLINT_BITS("xor");
  else WARPLINT_BITS("and");
}
#undef WARPLINT_BITS

#undef WARPLINT_BFLOATS
#undef WARPLINT_BYTES
#undef WARPLINT_HALVES
#undef WARPLINT_FACTORS
#undef WARPLINT_MMA
#undef WARPLINT_MMA_LAYOUTS
#undef WARPLINT_MMA_AS
#undef WARPLINT_SUM
#undef WARPLINT_FACTOR
#undef WARPLINT_STORE_AS
#undef WARPLINT_LOAD_AS
#undef WARPLINT_m8n8k128
#undef WARPLINT_m8n8k32
#undef WARPLINT_m8n8k4
#undef WARPLINT_m16n16k8
#undef WARPLINT_m8n32k16
#undef WARPLINT_m32n8k16
#undef WARPLINT_m16n16k16
#undef WARPLINT_REGISTERS_8
#undef WARPLINT_REGISTERS_4
#undef WARPLINT_REGISTERS_2
#undef WARPLINT_REGISTERS_1
#undef WARPLINT_LIST_8
#undef WARPLINT_LIST_4
#undef WARPLINT_LIST_2
#undef WARPLINT_LIST_1

}  // namespace wmma
}  // namespace nvcuda

#endif
