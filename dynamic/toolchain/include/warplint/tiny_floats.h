// Numbers of six and of four bits (CUDA Math API, "FP6 Intrinsics" and "FP4 Intrinsics"): no infinity and no NaN, so that what is
// too large, and NaN, becomes the greatest number.
#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_fp8.h"

enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };

namespace warplint {

template <int exponent_bits, int fraction_bits> struct tiny {
  static constexpr unsigned sign = 1u << (exponent_bits + fraction_bits), greatest = sign - 1;
  static WARPLINT_METHOD_BOTH float value(unsigned code) {
    const unsigned exponent = (code & greatest) >> fraction_bits, fraction = code & ((1u << fraction_bits) - 1);
    const unsigned whole = exponent ? fraction | 1u << fraction_bits : fraction;  // in units of the last bit
    const float size = (float)whole * __builtin_bit_cast(float, (127u + (exponent ? exponent : 1) - fraction_bits - ((1u << (exponent_bits - 1)) - 1)) << 23);
    return code & sign ? -size : size;
  }
  // The nearest number, of two that are equally near the one whose last bit is 0.
  static WARPLINT_METHOD_BOTH unsigned code(double number) {
    if (number != number) return greatest;
    const double size = __builtin_fabs(number);
    unsigned low = 0;
    while (low < greatest && value(low + 1) <= size) low++;
    if (low < greatest) {
      const double below = size - value(low), above = value(low + 1) - size;
      if (above < below || (above == below && (low & 1))) low++;
    }
    return __builtin_signbit(number) ? low | sign : low;
  }
};

}  // namespace warplint

// bits is how far apart the numbers of a pair are, form the numbers' type above.
#define WARPLINT_TINY(width, name, form, bits) \
  struct __attribute__((aligned(1))) __nv_##width##_##name { \
    __nv_##width##_storage_t __x; \
    __nv_##width##_##name() = default; \
    WARPLINT_METHOD_BOTH explicit __nv_##width##_##name(double v) : __x((__nv_##width##_storage_t)form::code(v)) {} \
    WARPLINT_METHOD_BOTH explicit __nv_##width##_##name(float v) : __nv_##width##_##name((double)v) {} \
    WARPLINT_METHOD_BOTH explicit __nv_##width##_##name(int v) : __nv_##width##_##name((double)v) {} \
    WARPLINT_METHOD_BOTH explicit __nv_##width##_##name(__half v) : __nv_##width##_##name((double)__half2float(v)) {} \
    WARPLINT_METHOD_BOTH explicit __nv_##width##_##name(__nv_bfloat16 v) : __nv_##width##_##name((double)__bfloat162float(v)) {} \
    WARPLINT_METHOD_BOTH explicit operator float() const { return form::value(__x); } \
    WARPLINT_METHOD_BOTH explicit operator double() const { return form::value(__x); } \
    WARPLINT_METHOD_BOTH explicit operator __half() const { return __float2half(form::value(__x)); } \
    WARPLINT_METHOD_BOTH explicit operator __nv_bfloat16() const { return __float2bfloat16(form::value(__x)); } \
  }; \
  struct __attribute__((aligned(sizeof(__nv_##width##x2_storage_t)))) __nv_##width##x2_##name { \
    __nv_##width##x2_storage_t __x; \
    __nv_##width##x2_##name() = default; \
    WARPLINT_METHOD_BOTH explicit __nv_##width##x2_##name(float2 v) \
        : __x((__nv_##width##x2_storage_t)(form::code(v.x) | form::code(v.y) << bits)) {} \
    WARPLINT_METHOD_BOTH explicit __nv_##width##x2_##name(__half2 v) : __nv_##width##x2_##name(__half22float2(v)) {} \
    WARPLINT_METHOD_BOTH explicit operator float2() const { return make_float2(form::value(__x), form::value(__x >> bits)); } \
    WARPLINT_METHOD_BOTH explicit operator __half2() const { return __float22half2_rn((float2)*this); } \
  }; \
  struct __attribute__((aligned(sizeof(__nv_##width##x4_storage_t)))) __nv_##width##x4_##name { \
    __nv_##width##x4_storage_t __x; \
    __nv_##width##x4_##name() = default; \
    WARPLINT_METHOD_BOTH explicit __nv_##width##x4_##name(float4 v) \
        : __x((__nv_##width##x4_storage_t)(form::code(v.x) | form::code(v.y) << bits | form::code(v.z) << 2 * bits | \
                                           form::code(v.w) << 3 * bits)) {} \
    WARPLINT_METHOD_BOTH explicit operator float4() const { \
      return make_float4(form::value(__x), form::value(__x >> bits), form::value(__x >> 2 * bits), form::value(__x >> 3 * bits)); \
    } \
  };

// The functions of a width, by how a number of a kind is made, and read.
#define WARPLINT_TINY_CONVERSIONS(width, bits, code, value) \
  WARPLINT_BOTH __nv_##width##_storage_t __nv_cvt_double_to_##width(double v, __nv_##width##_interpretation_t kind, cudaRoundMode) { \
    return (__nv_##width##_storage_t)code(v, kind); \
  } \
  WARPLINT_BOTH __nv_##width##_storage_t __nv_cvt_float_to_##width(float v, __nv_##width##_interpretation_t kind, cudaRoundMode) { \
    return (__nv_##width##_storage_t)code(v, kind); \
  } \
  WARPLINT_BOTH __nv_##width##x2_storage_t __nv_cvt_float2_to_##width##x2(float2 v, __nv_##width##_interpretation_t kind, cudaRoundMode) { \
    return (__nv_##width##x2_storage_t)(code(v.x, kind) | code(v.y, kind) << bits); \
  } \
  WARPLINT_BOTH __half_raw __nv_cvt_##width##_to_halfraw(__nv_##width##_storage_t v, __nv_##width##_interpretation_t kind) { \
    return (__half_raw)__float2half(value(v, kind)); \
  } \
  WARPLINT_BOTH __half2_raw __nv_cvt_##width##x2_to_halfraw2(__nv_##width##x2_storage_t v, __nv_##width##_interpretation_t kind) { \
    __half2_raw r; \
    r.x = ((__half_raw)__float2half(value(v, kind))).x, r.y = ((__half_raw)__float2half(value(v >> bits, kind))).x; \
    return r; \
  }
