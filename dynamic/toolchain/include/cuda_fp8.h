// Numbers of eight bits (CUDA Math API, "FP8 Intrinsics"): conversions, in software, and the types that hold them. E4M3 has
// no infinity, and one NaN; E5M2 is like a half without its last eight bits.
#pragma once
#include "cuda_runtime.h"
#include "cuda_fp16.h"
#include "cuda_bf16.h"

#if defined(__cplusplus)

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

// Rounds to nearest, ties to even. The value comes as a float or a double.
WARPLINT_BOTH __nv_fp8_storage_t __nv_cvt_double_to_fp8(double value, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
  const int fraction = kind == __NV_E4M3 ? 3 : 2, bias = kind == __NV_E4M3 ? 7 : 15;
  const unsigned greatest = kind == __NV_E4M3 ? 0x7e : 0x7b;
  unsigned long long bits = __builtin_bit_cast(unsigned long long, value);
  const unsigned sign = (unsigned)(bits >> 56) & 0x80;
  bits &= 0x7fffffffffffffffull;
  if (bits > 0x7ff0000000000000ull) return 0x7f;
  int exponent = (int)(bits >> 52) - 1023 + bias;
  unsigned long long mantissa = (bits & 0xfffffffffffffull) | (bits >> 52 ? 1ull << 52 : 0);
  int drop = 52 - fraction;
  if (exponent < 1) drop += 1 - exponent, exponent = 1;
  unsigned result = greatest + 1;
  if (drop > 60) {
    result = 0;
  } else if (exponent < 40) {
    unsigned long long kept = mantissa >> drop, rest = mantissa & ((1ull << drop) - 1), half = 1ull << (drop - 1);
    if (rest > half || (rest == half && (kept & 1))) kept++;
    unsigned long long all = ((unsigned long long)(exponent - 1) << fraction) + kept;
    result = all > greatest ? greatest + 1 : (unsigned)all;
  }
  if (result > greatest) result = saturate == __NV_SATFINITE ? greatest : kind == __NV_E4M3 ? 0x7f : 0x7c;
  return (__nv_fp8_storage_t)(sign | result);
}
WARPLINT_BOTH __nv_fp8_storage_t __nv_cvt_float_to_fp8(float value, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) { return __nv_cvt_double_to_fp8(value, saturate, kind); }
WARPLINT_BOTH __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw value, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) { return __nv_cvt_double_to_fp8(__half2float(__half(value)), saturate, kind); }
WARPLINT_BOTH __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw value, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) { return __nv_cvt_double_to_fp8(__bfloat162float(__nv_bfloat16(value)), saturate, kind); }

namespace warplint {
WARPLINT_BOTH float fp8_to_float(__nv_fp8_storage_t value, __nv_fp8_interpretation_t kind) {
  const int fraction = kind == __NV_E4M3 ? 3 : 2, bias = kind == __NV_E4M3 ? 7 : 15;
  unsigned sign = (unsigned)(value & 0x80) << 24, rest = value & 0x7fu, exponent = rest >> fraction, mantissa = rest & ((1u << fraction) - 1);
  if (kind == __NV_E4M3 ? rest == 0x7f : rest > 0x7c) return __builtin_bit_cast(float, 0x7fffffffu);
  if (kind == __NV_E5M2 && rest == 0x7c) return __builtin_bit_cast(float, sign | 0x7f800000u);
  if (exponent == 0) {
    float small = (float)mantissa * __builtin_bit_cast(float, (unsigned)(127 + 1 - bias - fraction) << 23);
    return __builtin_bit_cast(float, sign | __builtin_bit_cast(unsigned, small));
  }
  return __builtin_bit_cast(float, sign | (exponent + 127 - bias) << 23 | mantissa << (23 - fraction));
}
}  // namespace warplint

WARPLINT_BOTH __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t value, __nv_fp8_interpretation_t kind) { return (__half_raw)__float2half(warplint::fp8_to_float(value, kind)); }
WARPLINT_BOTH __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t value, __nv_fp8_interpretation_t kind) {
  __half2_raw r;
  r.x = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)value, kind).x;
  r.y = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(value >> 8), kind).x;
  return r;
}
WARPLINT_BOTH __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 value, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
  return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_fp8(value.x, saturate, kind) | __nv_cvt_float_to_fp8(value.y, saturate, kind) << 8);
}
WARPLINT_BOTH __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw value, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
  __half_raw low, high;
  low.x = value.x, high.x = value.y;
  return (__nv_fp8x2_storage_t)(__nv_cvt_halfraw_to_fp8(low, saturate, kind) | __nv_cvt_halfraw_to_fp8(high, saturate, kind) << 8);
}

#define WARPLINT_FP8(name, kind)                                                                                          \
  struct __attribute__((aligned(1))) __nv_fp8_##name {                                                                    \
    __nv_fp8_storage_t __x;                                                                                               \
    __nv_fp8_##name() = default;                                                                                          \
    WARPLINT_METHOD_BOTH explicit __nv_fp8_##name(float v) : __x(__nv_cvt_float_to_fp8(v, __NV_SATFINITE, kind)) {}        \
    WARPLINT_METHOD_BOTH explicit __nv_fp8_##name(double v) : __x(__nv_cvt_double_to_fp8(v, __NV_SATFINITE, kind)) {}      \
    WARPLINT_METHOD_BOTH explicit __nv_fp8_##name(int v) : __x(__nv_cvt_double_to_fp8(v, __NV_SATFINITE, kind)) {}         \
    WARPLINT_METHOD_BOTH explicit __nv_fp8_##name(unsigned v) : __x(__nv_cvt_double_to_fp8(v, __NV_SATFINITE, kind)) {}    \
    WARPLINT_METHOD_BOTH explicit __nv_fp8_##name(__half v) : __nv_fp8_##name(__half2float(v)) {}                          \
    WARPLINT_METHOD_BOTH explicit __nv_fp8_##name(__nv_bfloat16 v) : __nv_fp8_##name(__bfloat162float(v)) {}               \
    WARPLINT_METHOD_BOTH explicit operator float() const { return warplint::fp8_to_float(__x, kind); }                     \
    WARPLINT_METHOD_BOTH explicit operator double() const { return warplint::fp8_to_float(__x, kind); }                    \
    WARPLINT_METHOD_BOTH explicit operator __half() const { return __float2half(warplint::fp8_to_float(__x, kind)); }      \
    WARPLINT_METHOD_BOTH explicit operator __nv_bfloat16() const { return __float2bfloat16(warplint::fp8_to_float(__x, kind)); } \
    WARPLINT_METHOD_BOTH explicit operator int() const { return (int)warplint::fp8_to_float(__x, kind); }                  \
    WARPLINT_METHOD_BOTH explicit operator bool() const { return (__x & 0x7f) != 0; }                                      \
  };                                                                                                                      \
  struct __attribute__((aligned(2))) __nv_fp8x2_##name {                                                                  \
    __nv_fp8x2_storage_t __x;                                                                                             \
    __nv_fp8x2_##name() = default;                                                                                        \
    WARPLINT_METHOD_BOTH explicit __nv_fp8x2_##name(float2 v) : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, kind)) {}  \
    WARPLINT_METHOD_BOTH explicit __nv_fp8x2_##name(__half2 v) : __nv_fp8x2_##name(__half22float2(v)) {}                   \
    WARPLINT_METHOD_BOTH explicit operator float2() const {                                                               \
      return make_float2(warplint::fp8_to_float((__nv_fp8_storage_t)__x, kind), warplint::fp8_to_float((__nv_fp8_storage_t)(__x >> 8), kind)); \
    }                                                                                                                     \
    WARPLINT_METHOD_BOTH explicit operator __half2() const { return __float22half2_rn((float2)*this); }                    \
  };                                                                                                                      \
  struct __attribute__((aligned(4))) __nv_fp8x4_##name {                                                                  \
    __nv_fp8x4_storage_t __x;                                                                                             \
    __nv_fp8x4_##name() = default;                                                                                        \
    WARPLINT_METHOD_BOTH explicit __nv_fp8x4_##name(float4 v)                                                              \
        : __x(__nv_cvt_float2_to_fp8x2(make_float2(v.x, v.y), __NV_SATFINITE, kind) |                                     \
              (unsigned)__nv_cvt_float2_to_fp8x2(make_float2(v.z, v.w), __NV_SATFINITE, kind) << 16) {}                   \
    WARPLINT_METHOD_BOTH explicit operator float4() const {                                                               \
      return make_float4(warplint::fp8_to_float((__nv_fp8_storage_t)__x, kind), warplint::fp8_to_float((__nv_fp8_storage_t)(__x >> 8), kind), \
                         warplint::fp8_to_float((__nv_fp8_storage_t)(__x >> 16), kind), warplint::fp8_to_float((__nv_fp8_storage_t)(__x >> 24), kind)); \
    }                                                                                                                     \
  };
WARPLINT_FP8(e4m3, __NV_E4M3)
WARPLINT_FP8(e5m2, __NV_E5M2)
#undef WARPLINT_FP8

#endif
