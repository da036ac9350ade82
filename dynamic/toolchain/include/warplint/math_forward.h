// Declares the device versions of <math.h>'s functions before any standard header is read:
// clang then takes the standard library's constexpr versions as the host's alone.
#pragma once
#include "crt/host_defines.h"
#include "warplint/math_names.h"

#define WARPLINT_DECLARE_1(name)                 \
  WARPLINT_INTRINSIC double name(double);        \
  WARPLINT_INTRINSIC float name(float);          \
  WARPLINT_INTRINSIC float name##f(float);
#define WARPLINT_DECLARE_2(name)                         \
  WARPLINT_INTRINSIC double name(double, double);        \
  WARPLINT_INTRINSIC float name(float, float);           \
  WARPLINT_INTRINSIC float name##f(float, float);
WARPLINT_MATH_LIBRARY_1(WARPLINT_DECLARE_1)
WARPLINT_MATH_CUDA_1(WARPLINT_DECLARE_1)
WARPLINT_MATH_NATIVE_1(WARPLINT_DECLARE_1)
WARPLINT_MATH_LIBRARY_2(WARPLINT_DECLARE_2)
WARPLINT_MATH_NATIVE_2(WARPLINT_DECLARE_2)
#undef WARPLINT_DECLARE_1
#undef WARPLINT_DECLARE_2

WARPLINT_INTRINSIC double fma(double, double, double);
WARPLINT_INTRINSIC float fma(float, float, float);
WARPLINT_INTRINSIC float fmaf(float, float, float);
WARPLINT_INTRINSIC double ldexp(double, int);
WARPLINT_INTRINSIC float ldexp(float, int);
WARPLINT_INTRINSIC float ldexpf(float, int);
WARPLINT_INTRINSIC double scalbn(double, int);
WARPLINT_INTRINSIC float scalbn(float, int);
WARPLINT_INTRINSIC float scalbnf(float, int);
WARPLINT_INTRINSIC double frexp(double, int *);
WARPLINT_INTRINSIC float frexp(float, int *);
WARPLINT_INTRINSIC float frexpf(float, int *);
WARPLINT_INTRINSIC double modf(double, double *);
WARPLINT_INTRINSIC float modf(float, float *);
WARPLINT_INTRINSIC float modff(float, float *);
WARPLINT_INTRINSIC int ilogb(double);
WARPLINT_INTRINSIC int ilogb(float);
WARPLINT_INTRINSIC int ilogbf(float);
WARPLINT_INTRINSIC long lrint(double);
WARPLINT_INTRINSIC long lrint(float);
WARPLINT_INTRINSIC long lrintf(float);
WARPLINT_INTRINSIC long lround(double);
WARPLINT_INTRINSIC long lround(float);
WARPLINT_INTRINSIC long lroundf(float);
WARPLINT_INTRINSIC long long llrint(double);
WARPLINT_INTRINSIC long long llrint(float);
WARPLINT_INTRINSIC long long llrintf(float);
WARPLINT_INTRINSIC long long llround(double);
WARPLINT_INTRINSIC long long llround(float);
WARPLINT_INTRINSIC long long llroundf(float);
WARPLINT_INTRINSIC int abs(int);
WARPLINT_INTRINSIC long abs(long);
WARPLINT_INTRINSIC long long abs(long long);
WARPLINT_INTRINSIC double abs(double);
WARPLINT_INTRINSIC float abs(float);
WARPLINT_INTRINSIC long labs(long);
WARPLINT_INTRINSIC long long llabs(long long);

namespace std {
#define WARPLINT_USE(name) using ::name;
WARPLINT_MATH_LIBRARY_1(WARPLINT_USE)
WARPLINT_MATH_LIBRARY_2(WARPLINT_USE)
WARPLINT_MATH_NATIVE_1(WARPLINT_USE)
WARPLINT_MATH_NATIVE_2(WARPLINT_USE)
#undef WARPLINT_USE
using ::abs;
using ::fma;
using ::frexp;
using ::ilogb;
using ::ldexp;
using ::llrint;
using ::llround;
using ::lrint;
using ::lround;
using ::modf;
using ::scalbn;
}  // namespace std
