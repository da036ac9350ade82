// What cuda_fp16.h and cuda_bf16.h have in common: functions that go by way of float, whose results are rounded right, as it has more
// than twice the digits. T and T2 are the types, to and from turn them into float and back.
#pragma once

#if defined(__CUDA__)
#define WARPLINT_HOST static __inline__ __attribute__((host, always_inline, unused))
#else
#define WARPLINT_HOST WARPLINT_BOTH
#endif

// The types besides float that turn into one of these.
#define WARPLINT_ARITHMETIC(X) X(double) X(short) X(unsigned short) X(int) X(unsigned) X(long) X(unsigned long) X(long long) X(unsigned long long)

// Arithmetic of the host; device code has instructions, and NVRTC no host.
#if defined(__CUDACC_RTC__)
#define WARPLINT_SMALL_HOST(T, T2, to, from)
#else
#define WARPLINT_SMALL_HOST(T, T2, to, from)                                                                                     \
  WARPLINT_HOST T __hadd(T a, T b) { return from(to(a) + to(b)); }                                                               \
  WARPLINT_HOST T __hsub(T a, T b) { return from(to(a) - to(b)); }                                                               \
  WARPLINT_HOST T __hmul(T a, T b) { return from(to(a) * to(b)); }                                                               \
  WARPLINT_HOST T __hdiv(T a, T b) { return from(to(a) / to(b)); }                                                               \
  WARPLINT_HOST T __hneg(T a) { return from(-to(a)); }                                                                           \
  WARPLINT_HOST T __habs(T a) { return from(__builtin_fabsf(to(a))); }                                                           \
  WARPLINT_HOST T __hmin(T a, T b) { return from(__builtin_fminf(to(a), to(b))); }                                               \
  WARPLINT_HOST T __hmax(T a, T b) { return from(__builtin_fmaxf(to(a), to(b))); }                                               \
  WARPLINT_HOST T __hfma(T a, T b, T c) { return from((float)((double)to(a) * (double)to(b) + (double)to(c))); }                  \
  WARPLINT_HOST T2 __hadd2(T2 a, T2 b) { return T2(__hadd(a.x, b.x), __hadd(a.y, b.y)); }                                        \
  WARPLINT_HOST T2 __hsub2(T2 a, T2 b) { return T2(__hsub(a.x, b.x), __hsub(a.y, b.y)); }                                        \
  WARPLINT_HOST T2 __hmul2(T2 a, T2 b) { return T2(__hmul(a.x, b.x), __hmul(a.y, b.y)); }                                        \
  WARPLINT_HOST T2 __h2div(T2 a, T2 b) { return T2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }                                        \
  WARPLINT_HOST T2 __hneg2(T2 a) { return T2(__hneg(a.x), __hneg(a.y)); }                                                        \
  WARPLINT_HOST T2 __hfma2(T2 a, T2 b, T2 c) { return T2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }
#endif

#define WARPLINT_SMALL_OPERATOR(T, sign, does)                                                                                   \
  WARPLINT_BOTH T operator sign(const T &a, const T &b) { return does(a, b); }                                                   \
  WARPLINT_BOTH T &operator sign##=(T &a, const T &b) { return a = does(a, b); }

// Comparisons are false where a NaN takes part, and true if their names end in u.
#define WARPLINT_SMALL_COMPARE(T, T2, to, name, ordered, unordered)                                                              \
  WARPLINT_BOTH bool __h##name(T a, T b) {                                                                                       \
    float x = to(a), y = to(b);                                                                                                  \
    return ordered;                                                                                                              \
  }                                                                                                                              \
  WARPLINT_BOTH bool __h##name##u(T a, T b) {                                                                                    \
    float x = to(a), y = to(b);                                                                                                  \
    return unordered;                                                                                                            \
  }                                                                                                                              \
  WARPLINT_SMALL_PAIRS(T2, name)                                                                                                 \
  WARPLINT_SMALL_PAIRS(T2, name##u)
#define WARPLINT_SMALL_PAIRS(T2, name)                                                                                           \
  WARPLINT_BOTH T2 __h##name##2(T2 a, T2 b) { return T2((float)__h##name(a.x, b.x), (float)__h##name(a.y, b.y)); }               \
  WARPLINT_BOTH bool __hb##name##2(T2 a, T2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }                            \
  WARPLINT_BOTH unsigned __h##name##2_mask(T2 a, T2 b) { return (__h##name(a.x, b.x) ? 0xffffu : 0) | (__h##name(a.y, b.y) ? 0xffff0000u : 0); }
#define WARPLINT_SMALL_COMPARISONS(T, T2, to)                                                                                    \
  WARPLINT_SMALL_COMPARE(T, T2, to, eq, x == y, !(x < y || x > y))                                                               \
  WARPLINT_SMALL_COMPARE(T, T2, to, ne, x < y || x > y, x != y)                                                                  \
  WARPLINT_SMALL_COMPARE(T, T2, to, lt, x < y, !(x >= y))                                                                        \
  WARPLINT_SMALL_COMPARE(T, T2, to, le, x <= y, !(x > y))                                                                        \
  WARPLINT_SMALL_COMPARE(T, T2, to, gt, x > y, !(x <= y))                                                                        \
  WARPLINT_SMALL_COMPARE(T, T2, to, ge, x >= y, !(x < y))                                                                        \
  WARPLINT_BOTH bool operator==(const T &a, const T &b) { return __heq(a, b); }                                                  \
  WARPLINT_BOTH bool operator!=(const T &a, const T &b) { return __hneu(a, b); }                                                 \
  WARPLINT_BOTH bool operator<(const T &a, const T &b) { return __hlt(a, b); }                                                   \
  WARPLINT_BOTH bool operator<=(const T &a, const T &b) { return __hle(a, b); }                                                  \
  WARPLINT_BOTH bool operator>(const T &a, const T &b) { return __hgt(a, b); }                                                   \
  WARPLINT_BOTH bool operator>=(const T &a, const T &b) { return __hge(a, b); }                                                  \
  WARPLINT_BOTH bool operator==(const T2 &a, const T2 &b) { return __hbeq2(a, b); }                                              \
  WARPLINT_BOTH bool operator!=(const T2 &a, const T2 &b) { return __hbneu2(a, b); }                                             \
  WARPLINT_BOTH bool operator<(const T2 &a, const T2 &b) { return __hblt2(a, b); }                                               \
  WARPLINT_BOTH bool operator<=(const T2 &a, const T2 &b) { return __hble2(a, b); }                                              \
  WARPLINT_BOTH bool operator>(const T2 &a, const T2 &b) { return __hbgt2(a, b); }                                               \
  WARPLINT_BOTH bool operator>=(const T2 &a, const T2 &b) { return __hbge2(a, b); }

#define WARPLINT_SMALL_OPERATORS(T, T2)                                                                                          \
  WARPLINT_SMALL_OPERATOR(T, +, __hadd)                                                                                          \
  WARPLINT_SMALL_OPERATOR(T, -, __hsub)                                                                                          \
  WARPLINT_SMALL_OPERATOR(T, *, __hmul)                                                                                          \
  WARPLINT_SMALL_OPERATOR(T, /, __hdiv)                                                                                          \
  WARPLINT_SMALL_OPERATOR(T2, +, __hadd2)                                                                                        \
  WARPLINT_SMALL_OPERATOR(T2, -, __hsub2)                                                                                        \
  WARPLINT_SMALL_OPERATOR(T2, *, __hmul2)                                                                                        \
  WARPLINT_SMALL_OPERATOR(T2, /, __h2div)                                                                                        \
  WARPLINT_BOTH T operator-(const T &a) { return __hneg(a); }                                                                    \
  WARPLINT_BOTH T operator+(const T &a) { return a; }                                                                            \
  WARPLINT_BOTH T2 operator-(const T2 &a) { return __hneg2(a); }                                                                 \
  WARPLINT_BOTH T2 operator+(const T2 &a) { return a; }                                                                          \
  WARPLINT_BOTH T &operator++(T &a) { return a += T(1.0f); }                                                                     \
  WARPLINT_BOTH T &operator--(T &a) { return a -= T(1.0f); }                                                                     \
  WARPLINT_BOTH T operator++(T &a, int) { T old = a; return a += T(1.0f), old; }                                                 \
  WARPLINT_BOTH T operator--(T &a, int) { T old = a; return a -= T(1.0f), old; }                                                 \
  WARPLINT_BOTH T2 &operator++(T2 &a) { return a += T2(1.0f, 1.0f); }                                                            \
  WARPLINT_BOTH T2 &operator--(T2 &a) { return a -= T2(1.0f, 1.0f); }

// Forms of a function of two numbers, and of three: with rounding in the name, with results from 0 to 1, for pairs.
#define WARPLINT_SMALL_FORMS(T, T2, to, from, name)                                                                              \
  WARPLINT_BOTH T name##_rn(T a, T b) { return name(a, b); }                                                                     \
  WARPLINT_BOTH T2 name##2_rn(T2 a, T2 b) { return name##2(a, b); }                                                              \
  WARPLINT_BOTH T name##_sat(T a, T b) { return __hsaturated(name(a, b)); }                                                      \
  WARPLINT_BOTH T2 name##2_sat(T2 a, T2 b) { return T2(name##_sat(a.x, b.x), name##_sat(a.y, b.y)); }
#define WARPLINT_SMALL_MORE(T, T2, to, from)                                                                                     \
  WARPLINT_BOTH T __hsaturated(T a) { float x = to(a); return from(!(x > 0) ? 0.0f : x > 1 ? 1.0f : x); }                        \
  WARPLINT_SMALL_FORMS(T, T2, to, from, __hadd)                                                                                  \
  WARPLINT_SMALL_FORMS(T, T2, to, from, __hsub)                                                                                  \
  WARPLINT_SMALL_FORMS(T, T2, to, from, __hmul)                                                                                  \
  WARPLINT_BOTH T __hfma_sat(T a, T b, T c) { return __hsaturated(__hfma(a, b, c)); }                                            \
  WARPLINT_BOTH T2 __hfma2_sat(T2 a, T2 b, T2 c) { return T2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)); }            \
  WARPLINT_BOTH T __hfma_relu(T a, T b, T c) { float x = to(__hfma(a, b, c)); return from(x < 0 ? 0.0f : x); }                   \
  WARPLINT_BOTH T2 __hfma2_relu(T2 a, T2 b, T2 c) { return T2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)); }         \
  WARPLINT_BOTH T2 __hcmadd(T2 a, T2 b, T2 c) { /* of complex numbers */                                                         \
    return T2(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));                         \
  }                                                                                                                              \
  WARPLINT_BOTH T __hmin_nan(T a, T b) { return to(a) != to(a) ? a : to(b) != to(b) ? b : __hmin(a, b); }                        \
  WARPLINT_BOTH T __hmax_nan(T a, T b) { return to(a) != to(a) ? a : to(b) != to(b) ? b : __hmax(a, b); }                        \
  WARPLINT_BOTH T2 __hmin2_nan(T2 a, T2 b) { return T2(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)); }                            \
  WARPLINT_BOTH T2 __hmax2_nan(T2 a, T2 b) { return T2(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)); }                            \
  WARPLINT_BOTH T2 __hisnan2(T2 a) { return T2((float)__hisnan(a.x), (float)__hisnan(a.y)); }                                    \
  WARPLINT_BOTH T2 __lowhigh2highlow(T2 a) { return T2(a.y, a.x); }

namespace warplint {

// The number as a float from which it is rounded to fewer bits as if at once: its last bit says that something is cut off.
WARPLINT_BOTH float cut_off(double value) {
  float nearest = (float)value;
  if ((double)nearest == value || value != value) return nearest;
  unsigned bits = __builtin_bit_cast(unsigned, nearest);
  if (__builtin_fabs((double)nearest) > __builtin_fabs(value)) bits--;
  return __builtin_bit_cast(float, bits | 1);
}
// The neighbour of a number of 16 bits on the side of value.
template <class T> WARPLINT_METHOD_BOTH inline T toward(T a, double is, double value) {
  return T::of((unsigned short)((is > 0) == (is > value) ? a.__x - 1 : a.__x + 1));
}

}  // namespace warplint

// Conversions from and to whole numbers, in the four rounding modes.
#define WARPLINT_SMALL_TO(T, to, small, type, name, mode, round)                                                                 \
  WARPLINT_BOTH type __##small##2##name##_##mode(T a) { return (type)round(to(a)); }
#define WARPLINT_SMALL_FROM(T, to, small, type, name, mode, beyond)                                                              \
  WARPLINT_BOTH T __##name##2##small##_##mode(type number) {                                                                     \
    T nearest = __##name##2##small##_rn(number);                                                                                 \
    double is = (double)to(nearest), value = (double)number;                                                                     \
    return (beyond) ? warplint::toward(nearest, is, value) : nearest;                                                              \
  }
#define WARPLINT_SMALL_INTEGER(T, to, from, small, type, name)                                                                   \
  WARPLINT_SMALL_TO(T, to, small, type, name, rn, __builtin_rintf)                                                               \
  WARPLINT_SMALL_TO(T, to, small, type, name, rz, )                                                                              \
  WARPLINT_SMALL_TO(T, to, small, type, name, rd, __builtin_floorf)                                                              \
  WARPLINT_SMALL_TO(T, to, small, type, name, ru, __builtin_ceilf)                                                               \
  WARPLINT_BOTH T __##name##2##small##_rn(type value) { return from(warplint::cut_off((double)value)); }                          \
  WARPLINT_SMALL_FROM(T, to, small, type, name, rz, is < 0 ? is < value : is > value)                                            \
  WARPLINT_SMALL_FROM(T, to, small, type, name, rd, is > value)                                                                  \
  WARPLINT_SMALL_FROM(T, to, small, type, name, ru, is < value)
#define WARPLINT_SMALL_INTEGERS(T, to, from, small)                                                                              \
  WARPLINT_SMALL_INTEGER(T, to, from, small, int, int)                                                                           \
  WARPLINT_SMALL_INTEGER(T, to, from, small, unsigned, uint)                                                                     \
  WARPLINT_SMALL_INTEGER(T, to, from, small, short, short)                                                                       \
  WARPLINT_SMALL_INTEGER(T, to, from, small, unsigned short, ushort)                                                             \
  WARPLINT_SMALL_INTEGER(T, to, from, small, long long, ll)                                                                      \
  WARPLINT_SMALL_INTEGER(T, to, from, small, unsigned long long, ull)                                                            \
  WARPLINT_SMALL_TO(T, to, small, signed char, char, rz, )                                                                       \
  WARPLINT_SMALL_TO(T, to, small, unsigned char, uchar, rz, )
