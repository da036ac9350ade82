// Functions that the CUDA Math API documents with an error in units in the last place, which a line
// "within N" gives (CUDA C++ Programming Guide, "Mathematical Functions Appendix"). Column 0 is of float,
// column 1 of double.
#include "common.h"

#define FUNCTION(name, low, high)                                                      \
  KERNEL(function_##name) {                                                            \
    double x = fma((double)(high) - (low), (double)(u32)IN(0) / 4294967296.0, (double)(low));         \
    OUT(0, name##f((float)x)), OUT(1, name(x));                                        \
  }
#define FUNCTION2(name, low, high)                                                     \
  KERNEL(function_##name) {                                                            \
    double x = fma((double)(high) - (low), (double)(u32)IN(0) / 4294967296.0, (double)(low));         \
    double y = fma((double)(high) - (low), (double)(u32)IN(1) / 4294967296.0, (double)(low));         \
    OUT(0, name##f((float)x, (float)y)), OUT(1, name(x, y));                           \
  }
FUNCTION(sin, -1000, 1000)      // within 2 2
FUNCTION(cos, -1000, 1000)      // within 2 2
FUNCTION(tan, -100, 100)        // within 4 2
FUNCTION(sinpi, -20, 20)        // within 1 2
FUNCTION(cospi, -20, 20)        // within 1 2
FUNCTION(asin, -1, 1)           // within 2 2
FUNCTION(acos, -1, 1)           // within 2 2
FUNCTION(atan, -50, 50)         // within 2 2
FUNCTION(sinh, -20, 20)         // within 3 2
FUNCTION(cosh, -20, 20)         // within 2 2
FUNCTION(tanh, -4, 4)           // within 2 2
FUNCTION(asinh, -900, 900)      // within 3 3
FUNCTION(acosh, 1, 900)         // within 4 3
FUNCTION(atanh, -0.999, 0.999)  // within 3 2
FUNCTION(exp, -80, 80)          // within 2 1
FUNCTION(exp2, -120, 120)       // within 2 1
FUNCTION(exp10, -37, 37)        // within 2 1
FUNCTION(expm1, -5, 20)         // within 1 1
FUNCTION(log, 0, 9000)          // within 1 1
FUNCTION(log2, 0, 9000)         // within 1 1
FUNCTION(log10, 0, 9000)        // within 2 1
FUNCTION(log1p, -0.9, 900)      // within 1 1
FUNCTION(cbrt, -9000, 9000)     // within 1 1
FUNCTION(rcbrt, 1, 9000)        // within 1 1
FUNCTION(rsqrt, 0, 9000)        // within 2 1
FUNCTION(erf, -4, 4)            // within 2 2
FUNCTION(erfc, -4, 8)           // within 4 5
FUNCTION(erfcx, 0, 50)          // within 4 4
FUNCTION(erfinv, -0.99, 0.99)   // within 2 5
FUNCTION(erfcinv, 0.01, 1.99)   // within 4 6
FUNCTION(normcdf, -6, 6)        // within 5 5
FUNCTION(normcdfinv, 0.01, 0.99)  // within 5 8
FUNCTION(tgamma, 0.1, 30)       // within 5 10
FUNCTION2(atan2, -50, 50)       // within 3 2
FUNCTION2(hypot, -900, 900)     // within 3 2
FUNCTION2(pow, 0, 12)           // within 4 2
