// Half precision numbers: __half and __half2 with the functions of the CUDA Math API. Device
// code uses the instructions on f16 and f16x2; host code converts by software.
#pragma once
#include "cuda_runtime.h"
#include "warplint/small_floats.h"

#if defined(__cplusplus)

struct __half_raw { unsigned short x; };
struct __half2_raw { unsigned short x, y; };

namespace warplint {

// IEEE binary16 from binary32, to nearest, ties to even.
static inline unsigned short half_from_float(float value) {
  unsigned bits;
  __builtin_memcpy(&bits, &value, 4);
  unsigned sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return (unsigned short)(sign | 0x7fff);
  if (magnitude >= 0x477ff000) return (unsigned short)(sign | 0x7c00);
  if (magnitude < 0x33000001) return (unsigned short)sign;
  unsigned exponent = magnitude >> 23, mantissa = (magnitude & 0x7fffff) | 0x800000;
  unsigned shift = exponent < 113 ? 126 - exponent : 13;
  unsigned kept = mantissa >> shift, rest = mantissa & ((1u << shift) - 1), halfway = 1u << (shift - 1);
  if (rest > halfway || (rest == halfway && (kept & 1))) kept++;
  return (unsigned short)(sign | (exponent < 113 ? kept : kept + ((exponent - 113) << 10)));
}
static inline float float_from_half(unsigned short half) {
  unsigned sign = (unsigned)(half & 0x8000) << 16, exponent = half >> 10 & 0x1f, mantissa = half & 0x3ff, bits;
  float value;
  if (exponent == 31) {
    bits = sign | 0x7f800000 | mantissa << 13;
  } else if (exponent) {
    bits = sign | (exponent + 112) << 23 | mantissa << 13;
  } else {
    value = (float)mantissa * 5.9604644775390625e-8f;
    return sign ? -value : value;
  }
  __builtin_memcpy(&value, &bits, 4);
  return value;
}

}  // namespace warplint

struct __attribute__((aligned(2))) __half {
  unsigned short __x;
  __half() = default;
  WARPLINT_METHOD_BOTH __half(__half_raw raw) : __x(raw.x) {}
  WARPLINT_METHOD_BOTH __half(float value);
#define WARPLINT_CONSTRUCTOR(type) WARPLINT_METHOD_BOTH __half(type value) : __half((float)value) {}
  WARPLINT_ARITHMETIC(WARPLINT_CONSTRUCTOR)
#undef WARPLINT_CONSTRUCTOR
  WARPLINT_METHOD_BOTH operator float() const;
  WARPLINT_METHOD_BOTH operator __half_raw() const { return __half_raw{__x}; }
  WARPLINT_METHOD_BOTH static __half of(unsigned short bits) { return __half(__half_raw{bits}); }
};
struct __attribute__((aligned(4))) __half2 {
  __half x, y;
  __half2() = default;
  WARPLINT_METHOD_BOTH __half2(__half low, __half high) : x(low), y(high) {}
  WARPLINT_METHOD_BOTH __half2(__half2_raw raw) : x(__half::of(raw.x)), y(__half::of(raw.y)) {}
  WARPLINT_METHOD_BOTH operator __half2_raw() const { return __half2_raw{x.__x, y.__x}; }
};
typedef __half half;
typedef __half2 half2;

WARPLINT_BOTH unsigned short __half_as_ushort(__half h) { return h.__x; }
WARPLINT_BOTH short __half_as_short(__half h) { return (short)h.__x; }
WARPLINT_BOTH __half __ushort_as_half(unsigned short bits) { return __half::of(bits); }
WARPLINT_BOTH __half __short_as_half(short bits) { return __half::of((unsigned short)bits); }
WARPLINT_BOTH __half __float2half_rn(float value) {
#if defined(__CUDA_ARCH__)
  unsigned short r;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(value));
  return __half::of(r);
#else
  return __half::of(warplint::half_from_float(value));
#endif
}
WARPLINT_BOTH float __half2float(__half h) {
#if defined(__CUDA_ARCH__)
  float r;
  asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(h.__x));
  return r;
#else
  return warplint::float_from_half(h.__x);
#endif
}
WARPLINT_METHOD_BOTH inline __half::__half(float value) : __x(__float2half_rn(value).__x) {}
WARPLINT_METHOD_BOTH inline __half::operator float() const { return __half2float(*this); }
WARPLINT_BOTH __half __float2half(float value) { return __float2half_rn(value); }
WARPLINT_BOTH __half __double2half(double value) { return __float2half_rn(warplint::cut_off(value)); }
WARPLINT_BOTH __half2 __floats2half2_rn(float low, float high) { return __half2(__float2half_rn(low), __float2half_rn(high)); }
WARPLINT_BOTH __half2 __float2half2_rn(float value) { return __floats2half2_rn(value, value); }
WARPLINT_BOTH __half2 __float22half2_rn(float2 value) { return __floats2half2_rn(value.x, value.y); }
WARPLINT_BOTH float2 __half22float2(__half2 h) { return make_float2(__half2float(h.x), __half2float(h.y)); }
WARPLINT_BOTH __half2 __halves2half2(__half low, __half high) { return __half2(low, high); }
WARPLINT_BOTH __half2 make_half2(__half low, __half high) { return __half2(low, high); }
WARPLINT_BOTH __half2 __half2half2(__half h) { return __half2(h, h); }
WARPLINT_BOTH __half __low2half(__half2 h) { return h.x; }
WARPLINT_BOTH __half __high2half(__half2 h) { return h.y; }
WARPLINT_BOTH float __low2float(__half2 h) { return __half2float(h.x); }
WARPLINT_BOTH float __high2float(__half2 h) { return __half2float(h.y); }
WARPLINT_BOTH __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
WARPLINT_BOTH __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }

#if defined(__CUDA__)
WARPLINT_INTRINSIC __half __hadd(__half a, __half b) { unsigned short r; asm("add.f16 %0, %1, %2;" : "=h"(r) : "h"(a.__x), "h"(b.__x)); return __half::of(r); }
WARPLINT_INTRINSIC __half2 __hadd2(__half2 a, __half2 b) { unsigned r; asm("add.f16x2 %0, %1, %2;" : "=r"(r) : "r"(__builtin_bit_cast(unsigned, a)), "r"(__builtin_bit_cast(unsigned, b))); return __builtin_bit_cast(__half2, r); }
WARPLINT_INTRINSIC __half __hsub(__half a, __half b) { unsigned short r; asm("sub.f16 %0, %1, %2;" : "=h"(r) : "h"(a.__x), "h"(b.__x)); return __half::of(r); }
WARPLINT_INTRINSIC __half2 __hsub2(__half2 a, __half2 b) { unsigned r; asm("sub.f16x2 %0, %1, %2;" : "=r"(r) : "r"(__builtin_bit_cast(unsigned, a)), "r"(__builtin_bit_cast(unsigned, b))); return __builtin_bit_cast(__half2, r); }
WARPLINT_INTRINSIC __half __hmul(__half a, __half b) { unsigned short r; asm("mul.f16 %0, %1, %2;" : "=h"(r) : "h"(a.__x), "h"(b.__x)); return __half::of(r); }
WARPLINT_INTRINSIC __half2 __hmul2(__half2 a, __half2 b) { unsigned r; asm("mul.f16x2 %0, %1, %2;" : "=r"(r) : "r"(__builtin_bit_cast(unsigned, a)), "r"(__builtin_bit_cast(unsigned, b))); return __builtin_bit_cast(__half2, r); }
WARPLINT_INTRINSIC __half __hfma(__half a, __half b, __half c) { unsigned short r; asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r) : "h"(a.__x), "h"(b.__x), "h"(c.__x)); return __half::of(r); }
WARPLINT_INTRINSIC __half2 __hfma2(__half2 a, __half2 b, __half2 c) { unsigned r; asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(__builtin_bit_cast(unsigned, a)), "r"(__builtin_bit_cast(unsigned, b)), "r"(__builtin_bit_cast(unsigned, c))); return __builtin_bit_cast(__half2, r); }
WARPLINT_INTRINSIC __half __hneg(__half a) { unsigned short r; asm("neg.f16 %0, %1;" : "=h"(r) : "h"(a.__x)); return __half::of(r); }
WARPLINT_INTRINSIC __half2 __hneg2(__half2 a) { unsigned r; asm("neg.f16x2 %0, %1;" : "=r"(r) : "r"(__builtin_bit_cast(unsigned, a))); return __builtin_bit_cast(__half2, r); }
WARPLINT_INTRINSIC __half __habs(__half a) { unsigned short r; asm("abs.f16 %0, %1;" : "=h"(r) : "h"(a.__x)); return __half::of(r); }
WARPLINT_INTRINSIC __half2 __habs2(__half2 a) { unsigned r; asm("abs.f16x2 %0, %1;" : "=r"(r) : "r"(__builtin_bit_cast(unsigned, a))); return __builtin_bit_cast(__half2, r); }
WARPLINT_INTRINSIC __half __hmin(__half a, __half b) { unsigned short r; asm("min.f16 %0, %1, %2;" : "=h"(r) : "h"(a.__x), "h"(b.__x)); return __half::of(r); }
WARPLINT_INTRINSIC __half2 __hmin2(__half2 a, __half2 b) { unsigned r; asm("min.f16x2 %0, %1, %2;" : "=r"(r) : "r"(__builtin_bit_cast(unsigned, a)), "r"(__builtin_bit_cast(unsigned, b))); return __builtin_bit_cast(__half2, r); }
WARPLINT_INTRINSIC __half __hmax(__half a, __half b) { unsigned short r; asm("max.f16 %0, %1, %2;" : "=h"(r) : "h"(a.__x), "h"(b.__x)); return __half::of(r); }
WARPLINT_INTRINSIC __half2 __hmax2(__half2 a, __half2 b) { unsigned r; asm("max.f16x2 %0, %1, %2;" : "=r"(r) : "r"(__builtin_bit_cast(unsigned, a)), "r"(__builtin_bit_cast(unsigned, b))); return __builtin_bit_cast(__half2, r); }
WARPLINT_INTRINSIC __half __hdiv(__half a, __half b) { return __float2half(__half2float(a) / __half2float(b)); }
WARPLINT_INTRINSIC __half2 __h2div(__half2 a, __half2 b) { return __half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
#define WARPLINT_HALF_FUNCTION(name, does)                                                                    \
  WARPLINT_INTRINSIC __half h##name(__half a) { return __float2half(does(__half2float(a))); }                 \
  WARPLINT_INTRINSIC __half2 h2##name(__half2 a) { return __half2(h##name(a.x), h##name(a.y)); }
WARPLINT_HALF_FUNCTION(exp, expf)
WARPLINT_HALF_FUNCTION(exp2, exp2f)
WARPLINT_HALF_FUNCTION(exp10, exp10f)
WARPLINT_HALF_FUNCTION(log, logf)
WARPLINT_HALF_FUNCTION(log2, log2f)
WARPLINT_HALF_FUNCTION(log10, log10f)
WARPLINT_HALF_FUNCTION(sin, sinf)
WARPLINT_HALF_FUNCTION(cos, cosf)
WARPLINT_HALF_FUNCTION(tanh, tanhf)
WARPLINT_HALF_FUNCTION(sqrt, sqrtf)
WARPLINT_HALF_FUNCTION(rsqrt, rsqrtf)
WARPLINT_HALF_FUNCTION(rcp, 1.0f /)
WARPLINT_HALF_FUNCTION(floor, floorf)
WARPLINT_HALF_FUNCTION(ceil, ceilf)
WARPLINT_HALF_FUNCTION(trunc, truncf)
WARPLINT_HALF_FUNCTION(rint, rintf)
WARPLINT_INTRINSIC __half htanh_approx(__half a) { return htanh(a); }
WARPLINT_INTRINSIC __half2 h2tanh_approx(__half2 a) { return h2tanh(a); }
#undef WARPLINT_HALF_FUNCTION
#define WARPLINT_HALF_ROUNDED(name, mode) \
  WARPLINT_INTRINSIC __half __float2half_##name(float value) { unsigned short r; asm("cvt." mode ".f16.f32 %0, %1;" : "=h"(r) : "f"(value)); return __half::of(r); }
WARPLINT_HALF_ROUNDED(rz, "rz")
WARPLINT_HALF_ROUNDED(rd, "rm")
WARPLINT_HALF_ROUNDED(ru, "rp")
#undef WARPLINT_HALF_ROUNDED
#define WARPLINT_ATOMIC_HALF(name, scope)                                                                                            \
  WARPLINT_INTRINSIC __half name(__half *address, __half value) {                                                                    \
    unsigned short old;                                                                                                              \
    asm volatile("atom" scope ".add.noftz.f16 %0, [%1], %2;" : "=h"(old) : "l"(address), "h"(value.__x) : "memory");                 \
    return __half::of(old);                                                                                                          \
  }                                                                                                                                  \
  WARPLINT_INTRINSIC __half2 name(__half2 *address, __half2 value) {                                                                 \
    unsigned old;                                                                                                                    \
    asm volatile("atom" scope ".add.noftz.f16x2 %0, [%1], %2;" : "=r"(old) : "l"(address), "r"(__builtin_bit_cast(unsigned, value)) : "memory"); \
    return __builtin_bit_cast(__half2, old);                                                                                         \
  }
WARPLINT_ATOMIC_HALF(atomicAdd, "")
WARPLINT_ATOMIC_HALF(atomicAdd_block, ".cta")
WARPLINT_ATOMIC_HALF(atomicAdd_system, ".sys")
#undef WARPLINT_ATOMIC_HALF
#endif

WARPLINT_BOTH bool __hisnan(__half h) { return (h.__x & 0x7fff) > 0x7c00; }
WARPLINT_BOTH int __hisinf(__half h) { return (h.__x & 0x7fff) == 0x7c00 ? (h.__x & 0x8000 ? -1 : 1) : 0; }
WARPLINT_BOTH __half2 __low2half2(__half2 h) { return __half2(h.x, h.x); }
WARPLINT_BOTH __half2 __high2half2(__half2 h) { return __half2(h.y, h.y); }
WARPLINT_SMALL_HOST(__half, __half2, __half2float, __float2half)
WARPLINT_SMALL_OPERATORS(__half, __half2)
WARPLINT_SMALL_COMPARISONS(__half, __half2, __half2float)
WARPLINT_SMALL_MORE(__half, __half2, __half2float, __float2half)
WARPLINT_SMALL_INTEGERS(__half, __half2float, __float2half, half)

#endif
