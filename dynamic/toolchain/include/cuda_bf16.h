// Bfloat16 numbers: __nv_bfloat16 and __nv_bfloat162 with the functions of the CUDA Math API. Device
// code uses the instructions on bf16 and bf16x2; host code converts by software.
#pragma once
#include "cuda_runtime.h"
#include "warplint/small_floats.h"

#if defined(__cplusplus)

struct __nv_bfloat16_raw { unsigned short x; };
struct __nv_bfloat162_raw { unsigned short x, y; };

namespace warplint {

// The upper half of a binary32, rounded to nearest, ties to even.
static inline unsigned short bfloat_from_float(float value) {
  unsigned bits;
  __builtin_memcpy(&bits, &value, 4);
  if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fff;
  return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

}  // namespace warplint

struct __attribute__((aligned(2))) __nv_bfloat16 {
  unsigned short __x;
  __nv_bfloat16() = default;
  WARPLINT_METHOD_BOTH __nv_bfloat16(__nv_bfloat16_raw raw) : __x(raw.x) {}
  WARPLINT_METHOD_BOTH __nv_bfloat16(float value);
#define WARPLINT_CONSTRUCTOR(type) WARPLINT_METHOD_BOTH __nv_bfloat16(type value) : __nv_bfloat16((float)value) {}
  WARPLINT_ARITHMETIC(WARPLINT_CONSTRUCTOR)
#undef WARPLINT_CONSTRUCTOR
  WARPLINT_METHOD_BOTH operator float() const { return __builtin_bit_cast(float, (unsigned)__x << 16); }
  WARPLINT_METHOD_BOTH operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }
  WARPLINT_METHOD_BOTH static __nv_bfloat16 of(unsigned short bits) { return __nv_bfloat16(__nv_bfloat16_raw{bits}); }
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  WARPLINT_METHOD_BOTH __nv_bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) : x(low), y(high) {}
  WARPLINT_METHOD_BOTH __nv_bfloat162(__nv_bfloat162_raw raw) : x(__nv_bfloat16::of(raw.x)), y(__nv_bfloat16::of(raw.y)) {}
  WARPLINT_METHOD_BOTH operator __nv_bfloat162_raw() const { return __nv_bfloat162_raw{x.__x, y.__x}; }
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

WARPLINT_BOTH unsigned short __bfloat16_as_ushort(__nv_bfloat16 h) { return h.__x; }
WARPLINT_BOTH short __bfloat16_as_short(__nv_bfloat16 h) { return (short)h.__x; }
WARPLINT_BOTH __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) { return __nv_bfloat16::of(bits); }
WARPLINT_BOTH __nv_bfloat16 __short_as_bfloat16(short bits) { return __nv_bfloat16::of((unsigned short)bits); }
WARPLINT_BOTH __nv_bfloat16 __float2bfloat16_rn(float value) {
#if defined(__CUDA_ARCH__)
  unsigned short r;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r) : "f"(value));
  return __nv_bfloat16::of(r);
#else
  return __nv_bfloat16::of(warplint::bfloat_from_float(value));
#endif
}
WARPLINT_METHOD_BOTH inline __nv_bfloat16::__nv_bfloat16(float value) : __x(__float2bfloat16_rn(value).__x) {}
WARPLINT_BOTH float __bfloat162float(__nv_bfloat16 h) { return (float)h; }
WARPLINT_BOTH __nv_bfloat16 __float2bfloat16(float value) { return __float2bfloat16_rn(value); }
WARPLINT_BOTH __nv_bfloat16 __double2bfloat16(double value) { return __float2bfloat16_rn(warplint::cut_off(value)); }
WARPLINT_BOTH __nv_bfloat162 __floats2bfloat162_rn(float low, float high) { return __nv_bfloat162(__float2bfloat16_rn(low), __float2bfloat16_rn(high)); }
WARPLINT_BOTH __nv_bfloat162 __float2bfloat162_rn(float value) { return __floats2bfloat162_rn(value, value); }
WARPLINT_BOTH __nv_bfloat162 __float22bfloat162_rn(float2 value) { return __floats2bfloat162_rn(value.x, value.y); }
WARPLINT_BOTH float2 __bfloat1622float2(__nv_bfloat162 h) { return make_float2(__bfloat162float(h.x), __bfloat162float(h.y)); }
WARPLINT_BOTH __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) { return __nv_bfloat162(low, high); }
WARPLINT_BOTH __nv_bfloat162 make_bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) { return __nv_bfloat162(low, high); }
WARPLINT_BOTH __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 h) { return __nv_bfloat162(h, h); }
WARPLINT_BOTH __nv_bfloat16 __low2bfloat16(__nv_bfloat162 h) { return h.x; }
WARPLINT_BOTH __nv_bfloat16 __high2bfloat16(__nv_bfloat162 h) { return h.y; }
WARPLINT_BOTH float __low2float(__nv_bfloat162 h) { return __bfloat162float(h.x); }
WARPLINT_BOTH float __high2float(__nv_bfloat162 h) { return __bfloat162float(h.y); }

#if defined(__CUDA__)
#define WARPLINT_BFLOAT_1(name, ptx)                                                                                      \
  WARPLINT_INTRINSIC __nv_bfloat16 name(__nv_bfloat16 a) {                                                                \
    unsigned short r;                                                                                                     \
    asm(ptx ".bf16 %0, %1;" : "=h"(r) : "h"(a.__x));                                                                      \
    return __nv_bfloat16::of(r);                                                                                          \
  }                                                                                                                       \
  WARPLINT_INTRINSIC __nv_bfloat162 name##2(__nv_bfloat162 a) {                                                           \
    unsigned r;                                                                                                           \
    asm(ptx ".bf16x2 %0, %1;" : "=r"(r) : "r"(__builtin_bit_cast(unsigned, a)));                                          \
    return __builtin_bit_cast(__nv_bfloat162, r);                                                                         \
  }
#define WARPLINT_BFLOAT_2(name, ptx)                                                                                      \
  WARPLINT_INTRINSIC __nv_bfloat16 name(__nv_bfloat16 a, __nv_bfloat16 b) {                                               \
    unsigned short r;                                                                                                     \
    asm(ptx ".bf16 %0, %1, %2;" : "=h"(r) : "h"(a.__x), "h"(b.__x));                                                      \
    return __nv_bfloat16::of(r);                                                                                          \
  }                                                                                                                       \
  WARPLINT_INTRINSIC __nv_bfloat162 name##2(__nv_bfloat162 a, __nv_bfloat162 b) {                                         \
    unsigned r;                                                                                                           \
    asm(ptx ".bf16x2 %0, %1, %2;" : "=r"(r) : "r"(__builtin_bit_cast(unsigned, a)), "r"(__builtin_bit_cast(unsigned, b))); \
    return __builtin_bit_cast(__nv_bfloat162, r);                                                                         \
  }
WARPLINT_BFLOAT_1(__hneg, "neg")
WARPLINT_BFLOAT_1(__habs, "abs")
WARPLINT_BFLOAT_2(__hadd, "add.rn")
WARPLINT_BFLOAT_2(__hsub, "sub.rn")
WARPLINT_BFLOAT_2(__hmul, "mul.rn")
WARPLINT_BFLOAT_2(__hmin, "min")
WARPLINT_BFLOAT_2(__hmax, "max")
#undef WARPLINT_BFLOAT_1
#undef WARPLINT_BFLOAT_2
WARPLINT_INTRINSIC __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  unsigned short r;
  asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(r) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
  return __nv_bfloat16::of(r);
}
WARPLINT_INTRINSIC __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  unsigned r;
  asm("fma.rn.bf16x2 %0, %1, %2, %3;"
      : "=r"(r) : "r"(__builtin_bit_cast(unsigned, a)), "r"(__builtin_bit_cast(unsigned, b)), "r"(__builtin_bit_cast(unsigned, c)));
  return __builtin_bit_cast(__nv_bfloat162, r);
}
WARPLINT_INTRINSIC __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b) { return __float2bfloat16((float)a / (float)b); }
WARPLINT_INTRINSIC __nv_bfloat162 __h2div(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }

#define WARPLINT_BFLOAT_FUNCTION(name, does)                                                                  \
  WARPLINT_INTRINSIC __nv_bfloat16 h##name(__nv_bfloat16 a) { return __float2bfloat16(does((float)a)); }      \
  WARPLINT_INTRINSIC __nv_bfloat162 h2##name(__nv_bfloat162 a) { return __nv_bfloat162(h##name(a.x), h##name(a.y)); }
WARPLINT_BFLOAT_FUNCTION(exp, expf)
WARPLINT_BFLOAT_FUNCTION(exp2, exp2f)
WARPLINT_BFLOAT_FUNCTION(exp10, exp10f)
WARPLINT_BFLOAT_FUNCTION(log, logf)
WARPLINT_BFLOAT_FUNCTION(log2, log2f)
WARPLINT_BFLOAT_FUNCTION(log10, log10f)
WARPLINT_BFLOAT_FUNCTION(sin, sinf)
WARPLINT_BFLOAT_FUNCTION(cos, cosf)
WARPLINT_BFLOAT_FUNCTION(tanh, tanhf)
WARPLINT_BFLOAT_FUNCTION(sqrt, sqrtf)
WARPLINT_BFLOAT_FUNCTION(rsqrt, rsqrtf)
WARPLINT_BFLOAT_FUNCTION(rcp, 1.0f /)
WARPLINT_BFLOAT_FUNCTION(floor, floorf)
WARPLINT_BFLOAT_FUNCTION(ceil, ceilf)
WARPLINT_BFLOAT_FUNCTION(trunc, truncf)
WARPLINT_BFLOAT_FUNCTION(rint, rintf)
#undef WARPLINT_BFLOAT_FUNCTION

#define WARPLINT_ATOMIC_BFLOAT(name, scope)                                                                       \
  WARPLINT_INTRINSIC __nv_bfloat16 name(__nv_bfloat16 *address, __nv_bfloat16 value) {                            \
    unsigned short old;                                                                                           \
    asm volatile("atom" scope ".add.noftz.bf16 %0, [%1], %2;" : "=h"(old) : "l"(address), "h"(value.__x) : "memory"); \
    return __nv_bfloat16::of(old);                                                                                \
  }                                                                                                               \
  WARPLINT_INTRINSIC __nv_bfloat162 name(__nv_bfloat162 *address, __nv_bfloat162 value) {                         \
    unsigned old;                                                                                                 \
    asm volatile("atom" scope ".add.noftz.bf16x2 %0, [%1], %2;"                                                   \
                 : "=r"(old) : "l"(address), "r"(__builtin_bit_cast(unsigned, value)) : "memory");                \
    return __builtin_bit_cast(__nv_bfloat162, old);                                                               \
  }
WARPLINT_ATOMIC_BFLOAT(atomicAdd, "")
WARPLINT_ATOMIC_BFLOAT(atomicAdd_block, ".cta")
WARPLINT_ATOMIC_BFLOAT(atomicAdd_system, ".sys")
#undef WARPLINT_ATOMIC_BFLOAT
#endif

WARPLINT_BOTH bool __hisnan(__nv_bfloat16 h) { return (h.__x & 0x7fff) > 0x7f80; }
WARPLINT_BOTH int __hisinf(__nv_bfloat16 h) { return (h.__x & 0x7fff) == 0x7f80 ? (h.__x & 0x8000 ? -1 : 1) : 0; }
WARPLINT_BOTH __nv_bfloat162 __low2bfloat162(__nv_bfloat162 h) { return __nv_bfloat162(h.x, h.x); }
WARPLINT_BOTH __nv_bfloat162 __high2bfloat162(__nv_bfloat162 h) { return __nv_bfloat162(h.y, h.y); }
WARPLINT_BOTH __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x, b.x); }
WARPLINT_BOTH __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.y, b.y); }
WARPLINT_BOTH __nv_bfloat16 __float2bfloat16_rz(float value) { return __nv_bfloat16::of((unsigned short)(__builtin_bit_cast(unsigned, value) >> 16)); }
WARPLINT_SMALL_HOST(__nv_bfloat16, __nv_bfloat162, __bfloat162float, __float2bfloat16)
WARPLINT_SMALL_OPERATORS(__nv_bfloat16, __nv_bfloat162)
WARPLINT_SMALL_COMPARISONS(__nv_bfloat16, __nv_bfloat162, __bfloat162float)
WARPLINT_SMALL_MORE(__nv_bfloat16, __nv_bfloat162, __bfloat162float, __float2bfloat16)
WARPLINT_SMALL_INTEGERS(__nv_bfloat16, __bfloat162float, __float2bfloat16, bfloat16)

#endif
