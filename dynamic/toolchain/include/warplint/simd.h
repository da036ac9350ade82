// The intrinsics of the CUDA Math API that work on the two halves, or the four bytes, of a word ("SIMD Intrinsics").
#pragma once

namespace warplint {

template <class T, class F> WARPLINT_METHOD inline unsigned each_part(unsigned x, unsigned y, F f) {
  unsigned r = 0, ones = ~0u >> (32 - 8 * sizeof(T));
  for (int shift = 0; shift < 32; shift += 8 * sizeof(T)) r |= ((unsigned)f((int)(T)(x >> shift), (int)(T)(y >> shift)) & ones) << shift;
  return r;
}
template <class T, class F> WARPLINT_METHOD inline unsigned sum_of_parts(unsigned x, unsigned y, F f) {
  unsigned sum = 0;
  for (int shift = 0; shift < 32; shift += 8 * sizeof(T)) sum += (unsigned)f((int)(T)(x >> shift), (int)(T)(y >> shift));
  return sum;
}
// To the numbers that T has.
template <class T> WARPLINT_METHOD inline int clamped(int v) {
  const int most = (T)~(T)0 > 0 ? (T)~(T)0 : (1 << (8 * sizeof(T) - 1)) - 1, least = (T)~(T)0 > 0 ? 0 : -most - 1;
  return v < least ? least : v > most ? most : v;
}

}  // namespace warplint

#define WARPLINT_PARTS_1(name, T, does) \
  WARPLINT_INTRINSIC unsigned name(unsigned a) { return warplint::each_part<T>(a, 0, [](int x, int) { return does; }); }
#define WARPLINT_PARTS_2(name, T, does) \
  WARPLINT_INTRINSIC unsigned name(unsigned a, unsigned b) { return warplint::each_part<T>(a, b, [](int x, int y) { return does; }); }
#define WARPLINT_PARTS_SUM(name, T, does) \
  WARPLINT_INTRINSIC unsigned name(unsigned a, unsigned b) { return warplint::sum_of_parts<T>(a, b, [](int x, int y) { return does; }); }
#define WARPLINT_PARTS_COMPARE(n, how, T, holds)       \
  WARPLINT_PARTS_2(__vcmp##how##n, T, holds ? ~0 : 0)  \
  WARPLINT_PARTS_2(__vset##how##n, T, holds ? 1 : 0)
#define WARPLINT_PARTS(n, S, U)                                     \
  WARPLINT_PARTS_1(__vabs##n, S, x < 0 ? -x : x)                    \
  WARPLINT_PARTS_1(__vabsss##n, S, warplint::clamped<S>(x < 0 ? -x : x)) \
  WARPLINT_PARTS_1(__vneg##n, S, -x)                                \
  WARPLINT_PARTS_1(__vnegss##n, S, warplint::clamped<S>(-x))        \
  WARPLINT_PARTS_2(__vadd##n, U, x + y)                             \
  WARPLINT_PARTS_2(__vaddss##n, S, warplint::clamped<S>(x + y))     \
  WARPLINT_PARTS_2(__vaddus##n, U, warplint::clamped<U>(x + y))     \
  WARPLINT_PARTS_2(__vsub##n, U, x - y)                             \
  WARPLINT_PARTS_2(__vsubss##n, S, warplint::clamped<S>(x - y))     \
  WARPLINT_PARTS_2(__vsubus##n, U, warplint::clamped<U>(x - y))     \
  WARPLINT_PARTS_2(__vabsdiffs##n, S, x < y ? y - x : x - y)        \
  WARPLINT_PARTS_2(__vabsdiffu##n, U, x < y ? y - x : x - y)        \
  WARPLINT_PARTS_2(__vavgs##n, S, (x + y + (x + y >= 0)) >> 1)      \
  WARPLINT_PARTS_2(__vavgu##n, U, (x + y + 1) >> 1)                 \
  WARPLINT_PARTS_2(__vhaddu##n, U, (x + y) >> 1)                    \
  WARPLINT_PARTS_2(__vmaxs##n, S, x > y ? x : y)                    \
  WARPLINT_PARTS_2(__vmaxu##n, U, x > y ? x : y)                    \
  WARPLINT_PARTS_2(__vmins##n, S, x < y ? x : y)                    \
  WARPLINT_PARTS_2(__vminu##n, U, x < y ? x : y)                    \
  WARPLINT_PARTS_SUM(__vsads##n, S, x < y ? y - x : x - y)          \
  WARPLINT_PARTS_SUM(__vsadu##n, U, x < y ? y - x : x - y)          \
  WARPLINT_PARTS_COMPARE(n, eq, U, x == y)                          \
  WARPLINT_PARTS_COMPARE(n, ne, U, x != y)                          \
  WARPLINT_PARTS_COMPARE(n, ges, S, x >= y)                         \
  WARPLINT_PARTS_COMPARE(n, gts, S, x > y)                          \
  WARPLINT_PARTS_COMPARE(n, les, S, x <= y)                         \
  WARPLINT_PARTS_COMPARE(n, lts, S, x < y)                          \
  WARPLINT_PARTS_COMPARE(n, geu, U, x >= y)                         \
  WARPLINT_PARTS_COMPARE(n, gtu, U, x > y)                          \
  WARPLINT_PARTS_COMPARE(n, leu, U, x <= y)                         \
  WARPLINT_PARTS_COMPARE(n, ltu, U, x < y)
WARPLINT_PARTS(2, short, unsigned short)
WARPLINT_PARTS(4, signed char, unsigned char)
#undef WARPLINT_PARTS
#undef WARPLINT_PARTS_COMPARE
#undef WARPLINT_PARTS_SUM
#undef WARPLINT_PARTS_2
#undef WARPLINT_PARTS_1
