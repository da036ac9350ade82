// Complex numbers for host and device code.
#pragma once
#include "cuda_runtime.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define WARPLINT_COMPLEX(type, real, f, root)                                                                       \
  WARPLINT_BOTH type make_cu##f(real x, real y) { type z = {x, y}; return z; }                                      \
  WARPLINT_BOTH real cuCreal##root(type z) { return z.x; }                                                          \
  WARPLINT_BOTH real cuCimag##root(type z) { return z.y; }                                                          \
  WARPLINT_BOTH type cuConj##root(type z) { return make_cu##f(z.x, -z.y); }                                         \
  WARPLINT_BOTH type cuCadd##root(type a, type b) { return make_cu##f(a.x + b.x, a.y + b.y); }                      \
  WARPLINT_BOTH type cuCsub##root(type a, type b) { return make_cu##f(a.x - b.x, a.y - b.y); }                      \
  WARPLINT_BOTH type cuCmul##root(type a, type b) { return make_cu##f(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); } \
  WARPLINT_BOTH type cuCdiv##root(type a, type b) {                                                                 \
    real d = b.x * b.x + b.y * b.y;                                                                                 \
    return make_cu##f((a.x * b.x + a.y * b.y) / d, (a.y * b.x - a.x * b.y) / d);                                    \
  }                                                                                                                 \
  WARPLINT_BOTH type cuCfma##root(type a, type b, type c) { return cuCadd##root(cuCmul##root(a, b), c); }
WARPLINT_COMPLEX(cuFloatComplex, float, FloatComplex, f)
WARPLINT_COMPLEX(cuDoubleComplex, double, DoubleComplex, )
#undef WARPLINT_COMPLEX
WARPLINT_BOTH cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
WARPLINT_BOTH float cuCabsf(cuFloatComplex z) { return __builtin_sqrtf(z.x * z.x + z.y * z.y); }
WARPLINT_BOTH double cuCabs(cuDoubleComplex z) { return __builtin_sqrt(z.x * z.x + z.y * z.y); }
WARPLINT_BOTH cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) { return make_cuFloatComplex((float)z.x, (float)z.y); }
WARPLINT_BOTH cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return make_cuDoubleComplex(z.x, z.y); }
