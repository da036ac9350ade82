// Rarer functions of the CUDA Math API, made of the others.
#pragma once

WARPLINT_INTRINSIC double scalbln(double x, long e) { return ldexp(x, e > 5000 ? 5000 : e < -5000 ? -5000 : (int)e); }
WARPLINT_INTRINSIC float scalblnf(float x, long e) { return ldexpf(x, e > 5000 ? 5000 : e < -5000 ? -5000 : (int)e); }
WARPLINT_INTRINSIC double rhypot(double x, double y) { return 1.0 / hypot(x, y); }
WARPLINT_INTRINSIC double norm4d(double x, double y, double z, double w) { return __builtin_sqrt(x * x + y * y + z * z + w * w); }
WARPLINT_INTRINSIC double rnorm3d(double x, double y, double z) { return rsqrt(x * x + y * y + z * z); }
WARPLINT_INTRINSIC double rnorm4d(double x, double y, double z, double w) { return rsqrt(x * x + y * y + z * z + w * w); }
WARPLINT_INTRINSIC float rnorm4df(float x, float y, float z, float w) { return rsqrtf(x * x + y * y + z * z + w * w); }
WARPLINT_INTRINSIC double norm(int n, const double *v) {
  double s = 0;
  for (int i = 0; i < n; i++) s += v[i] * v[i];
  return __builtin_sqrt(s);
}
WARPLINT_INTRINSIC float normf(int n, const float *v) {
  float s = 0;
  for (int i = 0; i < n; i++) s += v[i] * v[i];
  return __builtin_sqrtf(s);
}
WARPLINT_INTRINSIC double rnorm(int n, const double *v) { return 1.0 / norm(n, v); }
WARPLINT_INTRINSIC float rnormf(int n, const float *v) { return 1.0f / normf(n, v); }
WARPLINT_INTRINSIC float __frsqrt_rn(float x) { return (float)rsqrt((double)x); }
WARPLINT_INTRINSIC float __tanhf(float x) { float r; asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(x)); return r; }

// The quotient's last three bits, with its sign, beside the remainder.
WARPLINT_INTRINSIC double remquo(double x, double y, int *quotient) {
  double r = remainder(x, y), q = fmod(rint((x - r) / y), 8.0);
  *quotient = __builtin_isfinite(q) ? (int)q : 0;
  return r;
}
WARPLINT_INTRINSIC float remquof(float x, float y, int *quotient) { return (float)remquo((double)x, (double)y, quotient); }
WARPLINT_INTRINSIC float remquo(float x, float y, int *quotient) { return remquof(x, y, quotient); }

// Bessel functions: of any order by recurrence, downwards where it is upwards unstable (Abramowitz and Stegun, 9.1.27 and
// 9.12); the modified ones by their series (9.6.10), which grows like e^x, or for large arguments by the asymptotic one (9.7.1).
WARPLINT_INTRINSIC double jn(int n, double x) {
  if (n < 0) return __builtin_nan("");
  if (n == 0) return j0(x);
  if (n == 1) return j1(x);
  if (x == 0) return 0;
  double ax = fabs(x), before = j0(ax), now = j1(ax), result;
  if (ax > n) {
    for (int k = 1; k < n; k++) {
      double next = 2 * k / ax * now - before;
      before = now, now = next;
    }
    result = now;
  } else {
    int m = 2 * ((n + (int)sqrt(160.0 * n)) / 2);
    double high = 0, low = 1, sum = 0;
    result = 0;
    for (int k = m; k > 0; k--) {
      double next = 2 * k / ax * low - high;
      high = low, low = next;
      if (fabs(low) > 1e10) low *= 1e-10, high *= 1e-10, result *= 1e-10, sum *= 1e-10;
      if (k % 2) sum += low;
      if (k == n) result = high;
    }
    result /= 2 * sum - low;
  }
  return x < 0 && n % 2 ? -result : result;
}
WARPLINT_INTRINSIC double yn(int n, double x) {
  if (n < 0) return __builtin_nan("");
  double before = y0(x), now = n == 0 ? before : y1(x);
  for (int k = 1; k < n && !__builtin_isinf(now); k++) {
    double next = 2 * k / x * now - before;
    before = now, now = next;
  }
  return now;
}
WARPLINT_INTRINSIC float jnf(int n, float x) { return (float)jn(n, (double)x); }
WARPLINT_INTRINSIC float ynf(int n, float x) { return (float)yn(n, (double)x); }
WARPLINT_INTRINSIC double warplint_bessel_i(int order, double x) {
  double ax = fabs(x), sum, term;
  if (ax < 30) {
    sum = term = order ? ax / 2 : 1;
    for (int k = 1; term > sum * 1e-17; k++) sum += term *= ax * ax / 4 / (k * (double)(k + order));
  } else {
    sum = term = 1;
    for (int k = 1; k < 30; k++) {
      double odd = 2 * k - 1, next = -term * (4.0 * order * order - odd * odd) / (8 * k * ax);
      if (fabs(next) > fabs(term)) break;
      sum += term = next;
    }
    sum *= exp(ax) / sqrt(6.283185307179586 * ax);
  }
  return x < 0 && order ? -sum : sum;
}
WARPLINT_INTRINSIC double cyl_bessel_i0(double x) { return warplint_bessel_i(0, x); }
WARPLINT_INTRINSIC double cyl_bessel_i1(double x) { return warplint_bessel_i(1, x); }
WARPLINT_INTRINSIC float cyl_bessel_i0f(float x) { return (float)warplint_bessel_i(0, x); }
WARPLINT_INTRINSIC float cyl_bessel_i1f(float x) { return (float)warplint_bessel_i(1, x); }

// Products of 16-bit and 8-bit parts, added up.
#define WARPLINT_DP2A(name, type, kinds, half)                                                              \
  WARPLINT_INTRINSIC type name(type a, type b, type c) {                                                    \
    type r;                                                                                                 \
    asm("dp2a." half "." kinds " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));                      \
    return r;                                                                                               \
  }
WARPLINT_DP2A(__dp2a_lo, int, "s32.s32", "lo")
WARPLINT_DP2A(__dp2a_lo, unsigned, "u32.u32", "lo")
WARPLINT_DP2A(__dp2a_hi, int, "s32.s32", "hi")
WARPLINT_DP2A(__dp2a_hi, unsigned, "u32.u32", "hi")
#undef WARPLINT_DP2A
// The same of vectors, which are the words that they fill (sm_61_intrinsics.h).
#define WARPLINT_DOT(name, type, x, y)                                                                      \
  WARPLINT_INTRINSIC type name(x a, y b, type c) { return name(__builtin_bit_cast(type, a), __builtin_bit_cast(type, b), c); }
WARPLINT_DOT(__dp4a, int, char4, char4)
WARPLINT_DOT(__dp4a, unsigned, uchar4, uchar4)
WARPLINT_DOT(__dp2a_lo, int, short2, char4)
WARPLINT_DOT(__dp2a_lo, unsigned, ushort2, uchar4)
WARPLINT_DOT(__dp2a_hi, int, short2, char4)
WARPLINT_DOT(__dp2a_hi, unsigned, ushort2, uchar4)
#undef WARPLINT_DOT
