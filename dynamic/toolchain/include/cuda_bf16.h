// Bfloat16 numbers: __nv_bfloat16 and __nv_bfloat162 with the functions of the CUDA Math API. Device
// code uses the instructions on bf16 and bf16x2; host code converts by software.
#pragma once
#include "cuda_runtime.h"

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
  WARPLINT_METHOD_BOTH __nv_bfloat16(double value) : __nv_bfloat16((float)value) {}
  WARPLINT_METHOD_BOTH __nv_bfloat16(int value) : __nv_bfloat16((float)value) {}
  WARPLINT_METHOD_BOTH __nv_bfloat16(unsigned value) : __nv_bfloat16((float)value) {}
  WARPLINT_METHOD_BOTH operator float() const { return __builtin_bit_cast(float, (unsigned)__x << 16); }
  WARPLINT_METHOD_BOTH operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }
  WARPLINT_METHOD_BOTH static __nv_bfloat16 of(unsigned short bits) { return __nv_bfloat16(__nv_bfloat16_raw{bits}); }
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  WARPLINT_METHOD_BOTH __nv_bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) : x(low), y(high) {}
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
WARPLINT_BOTH __nv_bfloat16 __double2bfloat16(double value) { return __float2bfloat16_rn((float)value); }
WARPLINT_BOTH __nv_bfloat16 __int2bfloat16_rn(int value) { return __float2bfloat16_rn((float)value); }
WARPLINT_BOTH __nv_bfloat16 __uint2bfloat16_rn(unsigned value) { return __float2bfloat16_rn((float)value); }
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
WARPLINT_BFLOAT_FUNCTION(sqrt, sqrtf)
WARPLINT_BFLOAT_FUNCTION(rsqrt, rsqrtf)
WARPLINT_BFLOAT_FUNCTION(rcp, 1.0f /)
WARPLINT_BFLOAT_FUNCTION(floor, floorf)
WARPLINT_BFLOAT_FUNCTION(ceil, ceilf)
WARPLINT_BFLOAT_FUNCTION(trunc, truncf)
WARPLINT_BFLOAT_FUNCTION(rint, rintf)
#undef WARPLINT_BFLOAT_FUNCTION

#define WARPLINT_BFLOAT_PAIRS(name)                                                                 \
  WARPLINT_INTRINSIC __nv_bfloat162 __h##name##2(__nv_bfloat162 a, __nv_bfloat162 b) {              \
    return __nv_bfloat162((float)__h##name(a.x, b.x), (float)__h##name(a.y, b.y));                  \
  }                                                                                                 \
  WARPLINT_INTRINSIC bool __hb##name##2(__nv_bfloat162 a, __nv_bfloat162 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }
// Comparisons are false where a NaN takes part, and true if their names end in u.
#define WARPLINT_BFLOAT_COMPARE(name, ordered, unordered)                                           \
  WARPLINT_INTRINSIC bool __h##name(__nv_bfloat16 a, __nv_bfloat16 b) {                             \
    float x = __bfloat162float(a), y = __bfloat162float(b);                                         \
    return ordered;                                                                                 \
  }                                                                                                 \
  WARPLINT_INTRINSIC bool __h##name##u(__nv_bfloat16 a, __nv_bfloat16 b) {                          \
    float x = __bfloat162float(a), y = __bfloat162float(b);                                         \
    return unordered;                                                                               \
  }                                                                                                 \
  WARPLINT_BFLOAT_PAIRS(name)                                                                       \
  WARPLINT_BFLOAT_PAIRS(name##u)
WARPLINT_BFLOAT_COMPARE(eq, x == y, !(x < y || x > y))
WARPLINT_BFLOAT_COMPARE(ne, x < y || x > y, x != y)
WARPLINT_BFLOAT_COMPARE(lt, x < y, !(x >= y))
WARPLINT_BFLOAT_COMPARE(le, x <= y, !(x > y))
WARPLINT_BFLOAT_COMPARE(gt, x > y, !(x <= y))
WARPLINT_BFLOAT_COMPARE(ge, x >= y, !(x < y))
#undef WARPLINT_BFLOAT_COMPARE
#undef WARPLINT_BFLOAT_PAIRS
#define WARPLINT_BFLOAT_OPERATOR(operation, does) \
  WARPLINT_INTRINSIC bool operator operation(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return does(a, b); }
WARPLINT_BFLOAT_OPERATOR(==, __heq)
WARPLINT_BFLOAT_OPERATOR(!=, __hneu)
WARPLINT_BFLOAT_OPERATOR(<, __hlt)
WARPLINT_BFLOAT_OPERATOR(<=, __hle)
WARPLINT_BFLOAT_OPERATOR(>, __hgt)
WARPLINT_BFLOAT_OPERATOR(>=, __hge)
#undef WARPLINT_BFLOAT_OPERATOR
WARPLINT_INTRINSIC bool __hisnan(__nv_bfloat16 h) { return (h.__x & 0x7fff) > 0x7f80; }
WARPLINT_INTRINSIC int __hisinf(__nv_bfloat16 h) { return (h.__x & 0x7fff) == 0x7f80 ? (h.__x & 0x8000 ? -1 : 1) : 0; }
WARPLINT_INTRINSIC int __bfloat162int_rz(__nv_bfloat16 h) { return __float2int_rz((float)h); }
WARPLINT_INTRINSIC unsigned __bfloat162uint_rz(__nv_bfloat16 h) { return __float2uint_rz((float)h); }

#define WARPLINT_BFLOAT_OPERATOR(type, operation, does)                                                          \
  WARPLINT_INTRINSIC type operator operation(const type &a, const type &b) { return does(a, b); }                \
  WARPLINT_INTRINSIC type &operator operation##=(type &a, const type &b) { return a = does(a, b); }
WARPLINT_BFLOAT_OPERATOR(__nv_bfloat16, +, __hadd)
WARPLINT_BFLOAT_OPERATOR(__nv_bfloat16, -, __hsub)
WARPLINT_BFLOAT_OPERATOR(__nv_bfloat16, *, __hmul)
WARPLINT_BFLOAT_OPERATOR(__nv_bfloat16, /, __hdiv)
WARPLINT_BFLOAT_OPERATOR(__nv_bfloat162, +, __hadd2)
WARPLINT_BFLOAT_OPERATOR(__nv_bfloat162, -, __hsub2)
WARPLINT_BFLOAT_OPERATOR(__nv_bfloat162, *, __hmul2)
WARPLINT_BFLOAT_OPERATOR(__nv_bfloat162, /, __h2div)
#undef WARPLINT_BFLOAT_OPERATOR
WARPLINT_INTRINSIC __nv_bfloat16 operator-(const __nv_bfloat16 &a) { return __hneg(a); }
WARPLINT_INTRINSIC __nv_bfloat162 operator-(const __nv_bfloat162 &a) { return __hneg2(a); }

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

#endif
