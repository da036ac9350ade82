// Minima, maxima and sums in one ("SIMD Intrinsics" of the CUDA Math API, also called DPX), of words and of their halves.
#pragma once

namespace warplint::dpx {

template <class T> WARPLINT_BOTH T min(T a, T b) { return b < a ? b : a; }
template <class T> WARPLINT_BOTH T max(T a, T b) { return a < b ? b : a; }
template <class T> WARPLINT_BOTH T sum(T a, T b) { return (T)((unsigned)a + (unsigned)b); }
template <class T, class F, class... Words> WARPLINT_BOTH unsigned halves(F f, Words... words) {
  return (unsigned)f((T)words...) & 0xffff | (unsigned)f((T)(words >> 16)...) << 16;
}

}  // namespace warplint::dpx

// What a function does is said in numbers a, b and c of type T.
#define WARPLINT_DPX_OF(function, kind, end, word, half, does)                                                               \
  WARPLINT_BOTH word function##_##kind##32##end(word a, word b, word c) {                                                    \
    typedef word T;                                                                                                          \
    return does;                                                                                                             \
  }                                                                                                                          \
  WARPLINT_BOTH unsigned function##_##kind##16x2##end(unsigned x, unsigned y, unsigned z) {                                  \
    typedef half T;                                                                                                          \
    return warplint::dpx::halves<T>([](T a, T b, T c) -> T { return does; }, x, y, z);                                       \
  }
#define WARPLINT_DPX(function, does)                                                                                         \
  WARPLINT_DPX_OF(function, s, , int, short, does)                                                                           \
  WARPLINT_DPX_OF(function, u, , unsigned, unsigned short, does)                                                             \
  WARPLINT_DPX_OF(function, s, _relu, int, short, warplint::dpx::max(does, (T)0))
WARPLINT_DPX(__vimin3, warplint::dpx::min(warplint::dpx::min(a, b), c))
WARPLINT_DPX(__vimax3, warplint::dpx::max(warplint::dpx::max(a, b), c))
WARPLINT_DPX(__viaddmin, warplint::dpx::min(warplint::dpx::sum(a, b), c))
WARPLINT_DPX(__viaddmax, warplint::dpx::max(warplint::dpx::sum(a, b), c))
#undef WARPLINT_DPX
#undef WARPLINT_DPX_OF

// These say as well whether the first number was taken.
#define WARPLINT_DPX_OF(pick, takes, kind, word, half)                                                                       \
  WARPLINT_BOTH word __vib##pick##_##kind##32(word a, word b, bool *first) { return (*first = a takes b) ? a : b; }          \
  WARPLINT_BOTH unsigned __vib##pick##_##kind##16x2(unsigned x, unsigned y, bool *first_high, bool *first_low) {             \
    *first_high = (half)(x >> 16) takes (half)(y >> 16), *first_low = (half)x takes (half)y;                                 \
    return warplint::dpx::halves<half>(warplint::dpx::pick<half>, x, y);                                                     \
  }
#define WARPLINT_DPX(pick, takes)                                                                                            \
  WARPLINT_DPX_OF(pick, takes, s, int, short)                                                                                \
  WARPLINT_DPX_OF(pick, takes, u, unsigned, unsigned short)                                                                  \
  WARPLINT_BOTH int __vi##pick##_s32_relu(int a, int b) { return __vi##pick##3_s32_relu(a, b, b); }                          \
  WARPLINT_BOTH unsigned __vi##pick##_s16x2_relu(unsigned a, unsigned b) { return __vi##pick##3_s16x2_relu(a, b, b); }
WARPLINT_DPX(min, <=)
WARPLINT_DPX(max, >=)
#undef WARPLINT_DPX
#undef WARPLINT_DPX_OF
