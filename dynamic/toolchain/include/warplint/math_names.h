// The functions of <math.h> that device code has, as lists: X(name) is expanded for each one.
// Included wherever a list is needed, so it has no include guard around the expansions.
#ifndef WARPLINT_MATH_NAMES_H
#define WARPLINT_MATH_NAMES_H

// One argument; computed by the simulator under libdevice's names.
#define WARPLINT_MATH_LIBRARY_1(X) \
  X(acos) X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(cos) X(cosh) X(erf) X(erfc) X(exp) X(exp2) \
  X(expm1) X(lgamma) X(log) X(log10) X(log1p) X(log2) X(logb) X(sin) X(sinh) X(tan) X(tanh) X(tgamma)
// The same, but CUDA's own: <cmath> knows nothing of them.
#define WARPLINT_MATH_CUDA_1(X) \
  X(cospi) X(erfcinv) X(erfcx) X(erfinv) X(exp10) X(j0) X(j1) X(normcdf) X(normcdfinv) X(sinpi) X(y0) X(y1)
// Two arguments.
#define WARPLINT_MATH_LIBRARY_2(X) X(atan2) X(fmod) X(hypot) X(nextafter) X(pow) X(remainder)
// One argument; an instruction or two.
#define WARPLINT_MATH_NATIVE_1(X) X(ceil) X(fabs) X(floor) X(nearbyint) X(rint) X(round) X(sqrt) X(trunc)
// Two arguments; an instruction or two.
#define WARPLINT_MATH_NATIVE_2(X) X(copysign) X(fdim) X(fmax) X(fmin)

#endif
