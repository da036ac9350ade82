// Mathematics of device code: what PTX has is an instruction, the rest a call into the simulator.
#pragma once
#include "warplint/device_library.h"
#include "warplint/math_names.h"

#define WARPLINT_DEFINE_1(name)                                                  \
  WARPLINT_INTRINSIC double name(double x) { return __nv_##name(x); }            \
  WARPLINT_INTRINSIC float name(float x) { return __nv_##name##f(x); }           \
  WARPLINT_INTRINSIC float name##f(float x) { return __nv_##name##f(x); }
#define WARPLINT_DEFINE_2(name)                                                            \
  WARPLINT_INTRINSIC double name(double x, double y) { return __nv_##name(x, y); }         \
  WARPLINT_INTRINSIC float name(float x, float y) { return __nv_##name##f(x, y); }         \
  WARPLINT_INTRINSIC float name##f(float x, float y) { return __nv_##name##f(x, y); }
WARPLINT_MATH_LIBRARY_1(WARPLINT_DEFINE_1)
WARPLINT_MATH_CUDA_1(WARPLINT_DEFINE_1)
WARPLINT_MATH_LIBRARY_2(WARPLINT_DEFINE_2)
#undef WARPLINT_DEFINE_1
#undef WARPLINT_DEFINE_2

#define WARPLINT_DEFINE_1(name)                                                  \
  WARPLINT_INTRINSIC double name(double x) { return __builtin_##name(x); }       \
  WARPLINT_INTRINSIC float name(float x) { return __builtin_##name##f(x); }      \
  WARPLINT_INTRINSIC float name##f(float x) { return __builtin_##name##f(x); }
WARPLINT_MATH_NATIVE_1(WARPLINT_DEFINE_1)
#undef WARPLINT_DEFINE_1

#define WARPLINT_DEFINE_2(name)                                                              \
  WARPLINT_INTRINSIC double name(double x, double y) { return __builtin_##name(x, y); }      \
  WARPLINT_INTRINSIC float name(float x, float y) { return __builtin_##name##f(x, y); }      \
  WARPLINT_INTRINSIC float name##f(float x, float y) { return __builtin_##name##f(x, y); }
WARPLINT_DEFINE_2(fmax)
WARPLINT_DEFINE_2(fmin)
#undef WARPLINT_DEFINE_2

WARPLINT_INTRINSIC double copysign(double x, double y) { double r; asm("copysign.f64 %0, %1, %2;" : "=d"(r) : "d"(y), "d"(x)); return r; }
WARPLINT_INTRINSIC float copysignf(float x, float y) { float r; asm("copysign.f32 %0, %1, %2;" : "=f"(r) : "f"(y), "f"(x)); return r; }
WARPLINT_INTRINSIC float copysign(float x, float y) { return copysignf(x, y); }
WARPLINT_INTRINSIC double fdim(double x, double y) { return x > y ? x - y : (x <= y ? 0.0 : x + y); }
WARPLINT_INTRINSIC float fdim(float x, float y) { return x > y ? x - y : (x <= y ? 0.0f : x + y); }
WARPLINT_INTRINSIC float fdimf(float x, float y) { return fdim(x, y); }
WARPLINT_INTRINSIC double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
WARPLINT_INTRINSIC float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
WARPLINT_INTRINSIC float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
WARPLINT_INTRINSIC double ldexp(double x, int e) { return __nv_ldexp(x, e); }
WARPLINT_INTRINSIC float ldexp(float x, int e) { return __nv_ldexpf(x, e); }
WARPLINT_INTRINSIC float ldexpf(float x, int e) { return __nv_ldexpf(x, e); }
WARPLINT_INTRINSIC double scalbn(double x, int e) { return __nv_ldexp(x, e); }
WARPLINT_INTRINSIC float scalbn(float x, int e) { return __nv_ldexpf(x, e); }
WARPLINT_INTRINSIC float scalbnf(float x, int e) { return __nv_ldexpf(x, e); }
WARPLINT_INTRINSIC int ilogb(double x) {
  if (x == 0 || __builtin_isnan(x)) return -0x7fffffff - 1;
  return __builtin_isinf(x) ? 0x7fffffff : (int)__nv_logb(x);
}
WARPLINT_INTRINSIC int ilogb(float x) { return ilogb((double)x); }
WARPLINT_INTRINSIC int ilogbf(float x) { return ilogb((double)x); }
WARPLINT_INTRINSIC double frexp(double x, int *e) {
  bool plain = x != 0 && __builtin_isfinite(x);
  *e = plain ? ilogb(x) + 1 : 0;
  return plain ? ldexp(x, -*e) : x;
}
WARPLINT_INTRINSIC float frexp(float x, int *e) { return (float)frexp((double)x, e); }
WARPLINT_INTRINSIC float frexpf(float x, int *e) { return frexp(x, e); }
WARPLINT_INTRINSIC double modf(double x, double *whole) {
  *whole = trunc(x);
  return copysign(__builtin_isinf(x) ? 0.0 : x - *whole, x);
}
WARPLINT_INTRINSIC float modf(float x, float *whole) {
  *whole = truncf(x);
  return copysignf(__builtin_isinf(x) ? 0.0f : x - *whole, x);
}
WARPLINT_INTRINSIC float modff(float x, float *whole) { return modf(x, whole); }
WARPLINT_INTRINSIC long lrint(double x) { return (long)rint(x); }
WARPLINT_INTRINSIC long lrint(float x) { return (long)rintf(x); }
WARPLINT_INTRINSIC long lrintf(float x) { return (long)rintf(x); }
WARPLINT_INTRINSIC long lround(double x) { return (long)round(x); }
WARPLINT_INTRINSIC long lround(float x) { return (long)roundf(x); }
WARPLINT_INTRINSIC long lroundf(float x) { return (long)roundf(x); }
WARPLINT_INTRINSIC long long llrint(double x) { return (long long)rint(x); }
WARPLINT_INTRINSIC long long llrint(float x) { return (long long)rintf(x); }
WARPLINT_INTRINSIC long long llrintf(float x) { return (long long)rintf(x); }
WARPLINT_INTRINSIC long long llround(double x) { return (long long)round(x); }
WARPLINT_INTRINSIC long long llround(float x) { return (long long)roundf(x); }
WARPLINT_INTRINSIC long long llroundf(float x) { return (long long)roundf(x); }
WARPLINT_INTRINSIC int abs(int x) { return __builtin_abs(x); }
WARPLINT_INTRINSIC long abs(long x) { return __builtin_labs(x); }
WARPLINT_INTRINSIC long long abs(long long x) { return __builtin_llabs(x); }
WARPLINT_INTRINSIC double abs(double x) { return __builtin_fabs(x); }
WARPLINT_INTRINSIC float abs(float x) { return __builtin_fabsf(x); }
WARPLINT_INTRINSIC long labs(long x) { return __builtin_labs(x); }
WARPLINT_INTRINSIC long long llabs(long long x) { return __builtin_llabs(x); }

WARPLINT_INTRINSIC double nan(const char *) { return __builtin_nan(""); }
WARPLINT_INTRINSIC float nanf(const char *) { return __builtin_nanf(""); }

// <cmath> has templates for mixed arguments, but only for the host.
WARPLINT_INTRINSIC float pow(float x, int n) { return __nv_powf(x, (float)n); }
WARPLINT_INTRINSIC double pow(double x, int n) { return __nv_pow(x, (double)n); }
WARPLINT_INTRINSIC float powif(float x, int n) { return __nv_powf(x, (float)n); }
WARPLINT_INTRINSIC double powi(double x, int n) { return __nv_pow(x, (double)n); }

// CUDA's own. Host code may call some of them, too.
WARPLINT_INTRINSIC void sincos(double x, double *sine, double *cosine) { *sine = __nv_sin(x), *cosine = __nv_cos(x); }
WARPLINT_INTRINSIC void sincosf(float x, float *sine, float *cosine) { *sine = __nv_sinf(x), *cosine = __nv_cosf(x); }
WARPLINT_INTRINSIC void sincospi(double x, double *sine, double *cosine) { *sine = __nv_sinpi(x), *cosine = __nv_cospi(x); }
WARPLINT_INTRINSIC void sincospif(float x, float *sine, float *cosine) { *sine = __nv_sinpif(x), *cosine = __nv_cospif(x); }
WARPLINT_INTRINSIC float rsqrtf(float x) { float r; asm("rsqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(x)); return r; }
WARPLINT_INTRINSIC float rsqrt(float x) { return rsqrtf(x); }
WARPLINT_INTRINSIC double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
__attribute__((host, unused)) static inline float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
__attribute__((host, unused)) static inline double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
WARPLINT_INTRINSIC float rcbrtf(float x) { return 1.0f / __nv_cbrtf(x); }
WARPLINT_INTRINSIC double rcbrt(double x) { return 1.0 / __nv_cbrt(x); }
WARPLINT_INTRINSIC float fdividef(float x, float y) { return x / y; }
WARPLINT_INTRINSIC float __saturatef(float x) { return x >= 0.0f ? (x <= 1.0f ? x : 1.0f) : 0.0f; }
WARPLINT_INTRINSIC float norm3df(float x, float y, float z) { return __builtin_sqrtf(x * x + y * y + z * z); }
WARPLINT_INTRINSIC float norm4df(float x, float y, float z, float w) { return __builtin_sqrtf(x * x + y * y + z * z + w * w); }
WARPLINT_INTRINSIC double norm3d(double x, double y, double z) { return __builtin_sqrt(x * x + y * y + z * z); }
WARPLINT_INTRINSIC float rnorm3df(float x, float y, float z) { return rsqrtf(x * x + y * y + z * z); }
WARPLINT_INTRINSIC float rhypotf(float x, float y) { return 1.0f / __nv_hypotf(x, y); }

// Fast versions: PTX's approximations, as the CUDA C++ Programming Guide defines them.
WARPLINT_INTRINSIC float warplint_ex2(float x) { float r; asm("ex2.approx.f32 %0, %1;" : "=f"(r) : "f"(x)); return r; }
WARPLINT_INTRINSIC float warplint_lg2(float x) { float r; asm("lg2.approx.f32 %0, %1;" : "=f"(r) : "f"(x)); return r; }
WARPLINT_INTRINSIC float __sinf(float x) { float r; asm("sin.approx.f32 %0, %1;" : "=f"(r) : "f"(x)); return r; }
WARPLINT_INTRINSIC float __cosf(float x) { float r; asm("cos.approx.f32 %0, %1;" : "=f"(r) : "f"(x)); return r; }
WARPLINT_INTRINSIC float __fdividef(float x, float y) { float r; asm("div.approx.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y)); return r; }
WARPLINT_INTRINSIC float __tanf(float x) { return __fdividef(__sinf(x), __cosf(x)); }
WARPLINT_INTRINSIC void __sincosf(float x, float *sine, float *cosine) { *sine = __sinf(x), *cosine = __cosf(x); }
WARPLINT_INTRINSIC float __expf(float x) { return warplint_ex2(x * 1.4426950408889634f); }
WARPLINT_INTRINSIC float __exp10f(float x) { return warplint_ex2(x * 3.3219280948873622f); }
WARPLINT_INTRINSIC float __log2f(float x) { return warplint_lg2(x); }
WARPLINT_INTRINSIC float __logf(float x) { return warplint_lg2(x) * 0.6931471805599453f; }
WARPLINT_INTRINSIC float __log10f(float x) { return warplint_lg2(x) * 0.3010299956639812f; }
WARPLINT_INTRINSIC float __powf(float x, float y) { return warplint_ex2(y * warplint_lg2(x)); }

// Arithmetic with the rounding in the name.
#define WARPLINT_ROUNDINGS(X) X(rn, rn) X(rz, rz) X(ru, rp) X(rd, rm)  // as CUDA and as PTX has it
#define WARPLINT_ROUNDED(name, mode)                                                                                                                          \
  WARPLINT_INTRINSIC float __fadd_##name(float x, float y) { float r; asm("add." #mode ".f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y)); return r; }     \
  WARPLINT_INTRINSIC float __fsub_##name(float x, float y) { float r; asm("sub." #mode ".f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y)); return r; }     \
  WARPLINT_INTRINSIC float __fmul_##name(float x, float y) { float r; asm("mul." #mode ".f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y)); return r; }     \
  WARPLINT_INTRINSIC float __fdiv_##name(float x, float y) { float r; asm("div." #mode ".f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y)); return r; }     \
  WARPLINT_INTRINSIC float __frcp_##name(float x) { float r; asm("rcp." #mode ".f32 %0, %1;" : "=f"(r) : "f"(x)); return r; }                          \
  WARPLINT_INTRINSIC float __fsqrt_##name(float x) { float r; asm("sqrt." #mode ".f32 %0, %1;" : "=f"(r) : "f"(x)); return r; }                        \
  WARPLINT_INTRINSIC float __fmaf_##name(float x, float y, float z) { float r; asm("fma." #mode ".f32 %0, %1, %2, %3;" : "=f"(r) : "f"(x), "f"(y), "f"(z)); return r; } \
  WARPLINT_INTRINSIC double __dadd_##name(double x, double y) { double r; asm("add." #mode ".f64 %0, %1, %2;" : "=d"(r) : "d"(x), "d"(y)); return r; } \
  WARPLINT_INTRINSIC double __dsub_##name(double x, double y) { double r; asm("sub." #mode ".f64 %0, %1, %2;" : "=d"(r) : "d"(x), "d"(y)); return r; } \
  WARPLINT_INTRINSIC double __dmul_##name(double x, double y) { double r; asm("mul." #mode ".f64 %0, %1, %2;" : "=d"(r) : "d"(x), "d"(y)); return r; } \
  WARPLINT_INTRINSIC double __ddiv_##name(double x, double y) { double r; asm("div." #mode ".f64 %0, %1, %2;" : "=d"(r) : "d"(x), "d"(y)); return r; } \
  WARPLINT_INTRINSIC double __drcp_##name(double x) { double r; asm("rcp." #mode ".f64 %0, %1;" : "=d"(r) : "d"(x)); return r; }                       \
  WARPLINT_INTRINSIC double __dsqrt_##name(double x) { double r; asm("sqrt." #mode ".f64 %0, %1;" : "=d"(r) : "d"(x)); return r; }                     \
  WARPLINT_INTRINSIC double __fma_##name(double x, double y, double z) { double r; asm("fma." #mode ".f64 %0, %1, %2, %3;" : "=d"(r) : "d"(x), "d"(y), "d"(z)); return r; }
WARPLINT_ROUNDINGS(WARPLINT_ROUNDED)
#undef WARPLINT_ROUNDED

// Minimum and maximum; host code has them, too.
#define WARPLINT_MINMAX(type)                                              \
  WARPLINT_BOTH type min(type x, type y) { return y < x ? y : x; }         \
  WARPLINT_BOTH type max(type x, type y) { return x < y ? y : x; }
WARPLINT_MINMAX(int)
WARPLINT_MINMAX(unsigned int)
WARPLINT_MINMAX(long)
WARPLINT_MINMAX(unsigned long)
WARPLINT_MINMAX(long long)
WARPLINT_MINMAX(unsigned long long)
#undef WARPLINT_MINMAX
#define WARPLINT_MINMAX(small, large)                                                            \
  WARPLINT_BOTH large min(small x, large y) { return min((large)x, y); }                         \
  WARPLINT_BOTH large min(large x, small y) { return min(x, (large)y); }                         \
  WARPLINT_BOTH large max(small x, large y) { return max((large)x, y); }                         \
  WARPLINT_BOTH large max(large x, small y) { return max(x, (large)y); }
WARPLINT_MINMAX(int, unsigned int)
WARPLINT_MINMAX(long, unsigned long)
WARPLINT_MINMAX(long long, unsigned long long)
WARPLINT_BOTH float min(float x, float y) { return __builtin_fminf(x, y); }
WARPLINT_BOTH float max(float x, float y) { return __builtin_fmaxf(x, y); }
WARPLINT_BOTH double min(double x, double y) { return __builtin_fmin(x, y); }
WARPLINT_BOTH double max(double x, double y) { return __builtin_fmax(x, y); }
WARPLINT_MINMAX(float, double)
#undef WARPLINT_MINMAX
WARPLINT_INTRINSIC unsigned int umin(unsigned int x, unsigned int y) { return y < x ? y : x; }
WARPLINT_INTRINSIC unsigned int umax(unsigned int x, unsigned int y) { return x < y ? y : x; }
WARPLINT_INTRINSIC long long llmin(long long x, long long y) { return y < x ? y : x; }
WARPLINT_INTRINSIC long long llmax(long long x, long long y) { return x < y ? y : x; }
