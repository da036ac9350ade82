// Floating point: the four roundings, conversions, comparisons with numbers that are none, and
// half precision and bfloat16.
#include "common.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define ROUNDED(mode)                                                                                                            \
  KERNEL(single_##mode) {                                                                                                        \
    float a = number<float>(IN(0)), b = number<float>(IN(1)), c = number<float>(IN(2));                                          \
    OUT(0, __fadd_##mode(a, b)), OUT(1, __fsub_##mode(a, b)), OUT(2, __fmul_##mode(a, b)), OUT(3, __fdiv_##mode(a, b));          \
    OUT(4, __fmaf_##mode(a, b, c)), OUT(5, __fsqrt_##mode(fabsf(a))), OUT(6, __frcp_##mode(a));                                  \
  }                                                                                                                              \
  KERNEL(double_##mode) {                                                                                                        \
    double a = number<double>(IN(0)), b = number<double>(IN(1)), c = number<double>(IN(2));                                      \
    OUT(0, __dadd_##mode(a, b)), OUT(1, __dsub_##mode(a, b)), OUT(2, __dmul_##mode(a, b)), OUT(3, __ddiv_##mode(a, b));          \
    OUT(4, __fma_##mode(a, b, c)), OUT(5, __dsqrt_##mode(fabs(a))), OUT(6, __drcp_##mode(a));                                    \
  }                                                                                                                              \
  KERNEL(to_integer_##mode) {                                                                                                    \
    float a = number<float>(IN(0));                                                                                              \
    double b = number<double>(IN(1));                                                                                            \
    OUT(0, __float2int_##mode(a)), OUT(1, __float2uint_##mode(a)), OUT(2, __float2ll_##mode(a)), OUT(3, __float2ull_##mode(a));  \
    OUT(4, __double2int_##mode(b)), OUT(5, __double2uint_##mode(b)), OUT(6, __double2ll_##mode(b)), OUT(7, __double2ull_##mode(b)); \
  }                                                                                                                              \
  KERNEL(from_integer_##mode) {                                                                                                  \
    u64 a = IN(0) >> IN(1) % 64;                                                                                                 \
    OUT(0, __int2float_##mode((s32)a)), OUT(1, __uint2float_##mode((u32)a)), OUT(2, __ll2float_##mode((s64)a));                  \
    OUT(3, __ull2float_##mode(a)), OUT(4, __ll2double_##mode((s64)a)), OUT(5, __ull2double_##mode(a));                           \
    OUT(6, __double2float_##mode(number<double>(IN(2))));                                                                        \
  }
ROUNDED(rn)
ROUNDED(rz)
ROUNDED(ru)
ROUNDED(rd)

// A sum with this is the same number, but a NaN becomes the one that the hardware makes: a compiler
// may change signs by operations on bits.
__device__ inline float hidden(float v) { asm volatile("mov.f32 %0, %0;" : "+f"(v)); return v; }
__device__ inline double hidden(double v) { asm volatile("mov.f64 %0, %0;" : "+d"(v)); return v; }

#define COMPARED(T)                                                                                                  \
  KERNEL(compare_##T) {                                                                                              \
    T a = number<T>(IN(0)), b = IN(2) % 4 ? number<T>(IN(1)) : a, none = (T)NAN;                                     \
    if (IN(3) % 8 == 0) b = none;                                                                                    \
    OUT(0, a == b), OUT(1, a != b), OUT(2, a < b), OUT(3, a <= b), OUT(4, a > b), OUT(5, a >= b), OUT(6, !(a < b));  \
    OUT(7, !(a >= b)), OUT(8, (bool)isnan(b)), OUT(9, (bool)isinf(a)), OUT(10, (bool)signbit(a)), OUT(11, a < b ? 1 : 2); \
  }                                                                                                                  \
  KERNEL(whole_##T) {                                                                                                \
    T a = number<T>(IN(0)), b = number<T>(IN(1)) / 64;                                                               \
    OUT(0, floor(a)), OUT(1, ceil(a)), OUT(2, trunc(a)), OUT(3, rint(a)), OUT(4, floor(b)), OUT(5, ceil(b));         \
    OUT(6, trunc(b)), OUT(7, rint(b)), OUT(8, round(b)), OUT(9, nearbyint(b));                                       \
  }                                                                                                                  \
  KERNEL(minimum_##T) {                                                                                              \
    T a = number<T>(IN(0)), b = IN(2) % 4 ? number<T>(IN(1)) : (T)NAN, zero = (T)(IN(3) & 1 ? 0.0 : -0.0);           \
    T none = hidden((T)-0.0);                                                                                        \
    OUT(0, fmin(a, b)), OUT(1, fmax(a, b)), OUT(2, fmin(b, a)), OUT(3, fmax(b, a)), OUT(4, fabs(b) + none), OUT(5, -b + none);     \
    OUT(6, copysign(a, zero)), OUT(7, fmin(zero, (T)0)), OUT(8, fmax(zero, (T)0)), OUT(9, fdim(a, (T)3));            \
  }                                                                                                                  \
  KERNEL(division_##T) {                                                                                             \
    T a = number<T>(IN(0)), b = number<T>(IN(1));                                                                    \
    OUT(0, a / b), OUT(1, 1 / b), OUT(2, sqrt(fabs(a))), OUT(3, a / 3), OUT(4, a + b), OUT(5, a - b), OUT(6, a * b);  \
  }
COMPARED(float)
COMPARED(double)

KERNEL(casts) {
  float f = (float)(s32)IN(0) / 65536;
  double d = (double)(s64)IN(1) / 4294967296.0;
  OUT(0, (s32)f), OUT(1, (u32)fabsf(f)), OUT(2, (s64)f), OUT(3, (s16)f), OUT(4, (s8)(f / 300)), OUT(5, (s32)(d / 4)), OUT(6, (s64)d);
  OUT(7, (double)f), OUT(8, (float)d), OUT(9, (float)(u8)IN(2)), OUT(10, (double)(s16)IN(2)), OUT(11, (float)IN(3)), OUT(12, (bool)f);
}
KERNEL(reinterpreted) {
  double d = number<double>(IN(0));
  OUT(0, __double2hiint(d)), OUT(1, __double2loint(d)), OUT(2, __hiloint2double((s32)IN(1), (s32)IN(2))), OUT(3, __float_as_int((float)(s32)IN(1)));
  OUT(4, __int_as_float((s32)IN(3) & 0x3fffffff)), OUT(5, __saturatef(number<float>(IN(4))));
}
KERNEL(powers_of_two) {
  float f = number<float>(IN(0));
  double d = number<double>(IN(1));
  int e = (int)(IN(2) % 400) - 200, at;
  OUT(0, ldexpf(f, e)), OUT(1, ldexp(d, e * 5)), OUT(2, scalbnf(f, 3));
  f = (float)(s32)IN(3), d = (double)(s64)IN(4);
  OUT(3, frexpf(f, &at)), OUT(4, at), OUT(5, frexp(d, &at)), OUT(6, at), OUT(7, ilogbf(f)), OUT(8, ilogb(d)), OUT(9, logbf(f));
}
KERNEL(remainders) {
  float a = (float)(s32)IN(0) / 256, b = (float)(s32)(IN(1) >> 40) / 16 + 0.5f, whole;
  double c = (double)(s64)IN(2) / 1048576, d = (double)(s32)IN(3) / 16 + 0.25, wide;
  OUT(0, fmodf(a, b)), OUT(1, fmod(c, d)), OUT(2, remainderf(a, b)), OUT(3, remainder(c, d)), OUT(4, modff(a, &whole)), OUT(5, whole);
  OUT(6, modf(c, &wide)), OUT(7, wide), OUT(8, nextafterf(a, b)), OUT(9, nextafter(c, d)), OUT(10, (s64)lrintf(a)), OUT(11, (s64)llround(d));
}

__device__ inline u64 bits(__half h) { return __half_as_ushort(h); }
__device__ inline u64 bits(__half2 h) { return (u64)__half_as_ushort(__high2half(h)) << 16 | __half_as_ushort(__low2half(h)); }
KERNEL(half_arithmetic) {
  __half a = __ushort_as_half((u16)IN(0)), b = __ushort_as_half((u16)IN(1)), c = __ushort_as_half((u16)IN(2));
  OUT(0, __hadd(a, b)), OUT(1, __hsub(a, b)), OUT(2, __hmul(a, b)), OUT(3, __hfma(a, b, c)), OUT(4, __hneg(a)), OUT(5, __habs(a));
  OUT(6, __hmin(a, b)), OUT(7, __hmax(a, b));
}
KERNEL(half_pairs) {
  __half2 a = __halves2half2(__ushort_as_half((u16)IN(0)), __ushort_as_half((u16)(IN(0) >> 16)));
  __half2 b = __halves2half2(__ushort_as_half((u16)IN(1)), __ushort_as_half((u16)(IN(1) >> 16)));
  OUT(0, __hadd2(a, b)), OUT(1, __hsub2(a, b)), OUT(2, __hmul2(a, b)), OUT(3, __hfma2(a, b, a)), OUT(4, __hneg2(a)), OUT(5, __habs2(b));
  OUT(6, __lowhigh2highlow(a)), OUT(7, __lows2half2(a, b)), OUT(8, __highs2half2(a, b)), OUT(9, __hmin2(a, b)), OUT(10, __hmax2(a, b));
}
KERNEL(half_conversions) {
  __half h = __ushort_as_half((u16)IN(0));
  OUT(0, __half2float(h)), OUT(1, __float2half_rn(number<float>(IN(1)))), OUT(2, __floats2half2_rn(number<float>(IN(2)), number<float>(IN(3))));
  OUT(3, __half2int_rz(h)), OUT(4, __half2uint_rz(__habs(h))), OUT(5, __int2half_rn((s32)IN(4) % 100000)), OUT(6, __half2short_rn(h));
}
KERNEL(half_comparisons) {
  __half a = __ushort_as_half((u16)IN(0)), b = IN(2) % 4 ? __ushort_as_half((u16)IN(1)) : a, c = __ushort_as_half((u16)IN(3));
  OUT(0, __heq(a, b)), OUT(1, __hne(a, b)), OUT(2, __hlt(a, b)), OUT(3, __hle(a, b)), OUT(4, __hgt(a, b)), OUT(5, __hge(a, b));
  OUT(6, __hisnan(a)), OUT(7, a + b < c ? 1 : 2);
}

__device__ inline u64 bits(__nv_bfloat16 h) { return __bfloat16_as_ushort(h); }
__device__ inline u64 bits(__nv_bfloat162 h) { return (u64)__bfloat16_as_ushort(h.y) << 16 | __bfloat16_as_ushort(h.x); }
KERNEL(bfloat_arithmetic) {
  __nv_bfloat16 a = __ushort_as_bfloat16((u16)IN(0)), b = __ushort_as_bfloat16((u16)IN(1)), c = __ushort_as_bfloat16((u16)IN(2));
  OUT(0, __hadd(a, b)), OUT(1, __hsub(a, b)), OUT(2, __hmul(a, b)), OUT(3, __hfma(a, b, c)), OUT(4, __hneg(a)), OUT(5, __habs(a));
  OUT(6, __hmin(a, b)), OUT(7, __hmax(a, b)), OUT(8, a < b), OUT(9, __heq(a, a)), OUT(10, __hisnan(b));
}
KERNEL(bfloat_pairs) {
  __nv_bfloat162 a = __halves2bfloat162(__ushort_as_bfloat16((u16)IN(0)), __ushort_as_bfloat16((u16)IN(1)));
  __nv_bfloat162 b = __halves2bfloat162(__ushort_as_bfloat16((u16)IN(2)), __ushort_as_bfloat16((u16)IN(3)));
  OUT(0, __hadd2(a, b)), OUT(1, __hsub2(a, b)), OUT(2, __hmul2(a, b)), OUT(3, __hfma2(a, b, a)), OUT(4, __hneg2(a)), OUT(5, __habs2(b));
  OUT(6, __hmin2(a, b)), OUT(7, __hmax2(a, b)), OUT(8, __low2float(a)), OUT(9, __high2float(b));
}
KERNEL(bfloat_conversions) {
  __nv_bfloat16 h = __ushort_as_bfloat16((u16)IN(0));
  OUT(0, __bfloat162float(h)), OUT(1, __float2bfloat16_rn(number<float>(IN(1)))), OUT(2, __floats2bfloat162_rn(number<float>(IN(2)), number<float>(IN(3))));
  OUT(3, __int2bfloat16_rn((s32)IN(4) % 100000)), OUT(4, __bfloat162int_rz(h));
}
KERNEL(pair_comparisons) {
  __half2 a = __halves2half2(__ushort_as_half((u16)IN(0)), __ushort_as_half((u16)IN(1)));
  __half2 b = __halves2half2(IN(4) % 2 ? a.x : __ushort_as_half((u16)IN(2)), IN(4) % 4 ? a.y : __ushort_as_half((u16)IN(3)));
  OUT(0, __heq2(a, b)), OUT(1, __hne2(a, b)), OUT(2, __hlt2(a, b)), OUT(3, __hge2(a, b)), OUT(4, __hbeq2(a, b)), OUT(5, __hble2(a, b)), OUT(6, __hbgt2(a, b));
  float f = number<float>(IN(5)) / 8;
  OUT(7, __float2half_rz(f)), OUT(8, __float2half_rd(f)), OUT(9, __float2half_ru(f));
}
