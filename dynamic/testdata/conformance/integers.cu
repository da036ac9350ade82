// Integer arithmetic in each type, and the integer intrinsics.
#include "common.h"

#define ARITHMETIC(T, U, width)                                                               \
  KERNEL(arithmetic_##T) {                                                                    \
    T a = number<T>(IN(0)), b = number<T>(IN(1)), c = number<T>(IN(2));                       \
    OUT(0, (T)((U)a + (U)b)), OUT(1, (T)((U)a - (U)b)), OUT(2, (T)((u64)a * (u64)b));         \
    OUT(3, (T)((u64)a * (u64)b + (u64)c)), OUT(4, (T)-(U)a), OUT(5, (T)~a);                   \
    OUT(6, (T)(a & b)), OUT(7, (T)(a | b)), OUT(8, (T)(a ^ b)), OUT(9, (T)(a & ~b));          \
    OUT(10, (T)(a < b ? a : b)), OUT(11, (T)(a < b ? b : a)), OUT(12, (u64)a), OUT(13, (s64)b); \
  }                                                                                           \
  KERNEL(division_##T) {                                                                      \
    T a = number<T>(IN(0)), b = number<T>(IN(1));                                             \
    if (b == 0 || (T)(b + 1) == 0) b = 3;                                                     \
    OUT(0, (T)(a / b)), OUT(1, (T)(a % b)), OUT(2, (T)(a / 7)), OUT(3, (T)(a % 10));          \
    OUT(4, (T)(a / 8)), OUT(5, (T)(a % 16)), OUT(6, (T)(100 / b));                            \
  }                                                                                           \
  KERNEL(shift_##T) {                                                                         \
    T a = number<T>(IN(0));                                                                   \
    int s = (int)(IN(1) % width);                                                             \
    OUT(0, (T)((U)a << s)), OUT(1, (T)(a >> s)), OUT(2, (T)((U)a << 3)), OUT(3, (T)(a >> 5)); \
    OUT(4, (T)((U)a << s | (U)a >> (width - s) % width));                                     \
  }                                                                                           \
  KERNEL(compare_##T) {                                                                       \
    T a = number<T>(IN(0)), b = IN(2) % 4 ? number<T>(IN(1)) : a;                             \
    OUT(0, a == b), OUT(1, a != b), OUT(2, a < b), OUT(3, a <= b), OUT(4, a > b), OUT(5, a >= b); \
    OUT(6, a < b && IN(3) % 2), OUT(7, a < b || IN(3) % 2), OUT(8, (a < b) != (IN(3) % 2)), OUT(9, !a); \
    OUT(10, a < b ? 5 : 9);                                                                   \
  }
ARITHMETIC(s8, u8, 8)
ARITHMETIC(u8, u8, 8)
ARITHMETIC(s16, u16, 16)
ARITHMETIC(u16, u16, 16)
ARITHMETIC(s32, u32, 32)
ARITHMETIC(u32, u32, 32)
ARITHMETIC(s64, u64, 64)
ARITHMETIC(u64, u64, 64)

KERNEL(bit_counts) {
  u64 a = IN(0) >> IN(1) % 64;
  OUT(0, __popc((u32)a)), OUT(1, __popcll(a)), OUT(2, __clz((s32)a)), OUT(3, __clzll((s64)a)), OUT(4, __ffs((s32)a));
  OUT(5, __ffsll((s64)a)), OUT(6, __brev((u32)a)), OUT(7, __brevll(a)), OUT(8, __clz(0)), OUT(9, __ffs(0));
}
KERNEL(high_products) {
  u64 a = IN(0), b = IN(1);
  OUT(0, __mulhi((s32)a, (s32)b)), OUT(1, __umulhi((u32)a, (u32)b)), OUT(2, __mul64hi((s64)a, (s64)b)), OUT(3, __umul64hi(a, b));
  OUT(4, (s64)(s32)a * (s32)b), OUT(5, (u64)(u32)a * (u32)b), OUT(6, __mul24((s32)a, (s32)b)), OUT(7, __umul24((u32)a, (u32)b));
  OUT(8, (u64)((s64)(s32)a * (s32)b) + b), OUT(9, (s32)((s16)a * (s16)b));
}
KERNEL(averages) {
  u32 a = (u32)IN(0), b = (u32)IN(1), c = (u32)IN(2);
  OUT(0, __hadd((s32)a, (s32)b)), OUT(1, __rhadd((s32)a, (s32)b)), OUT(2, __uhadd(a, b)), OUT(3, __urhadd(a, b));
  OUT(4, __sad((s32)a, (s32)b, c)), OUT(5, __usad(a, b, c)), OUT(6, abs((s32)(a >> 1))), OUT(7, llabs((s64)IN(3) >> 1));
}
KERNEL(permuted_bytes) {
  u32 a = (u32)IN(0), b = (u32)IN(1), c = (u32)IN(2);
  OUT(0, __byte_perm(a, b, c)), OUT(1, __byte_perm(a, b, 0x5140)), OUT(2, __byte_perm(a, 0, 0x4321)), OUT(3, __byte_perm(a, b, 0x9876));
}
KERNEL(funnel_shifts) {
  u32 a = (u32)IN(0), b = (u32)IN(1), s = (u32)IN(2) % 70;
  OUT(0, __funnelshift_l(a, b, s)), OUT(1, __funnelshift_r(a, b, s)), OUT(2, __funnelshift_lc(a, b, s)), OUT(3, __funnelshift_rc(a, b, s));
}
KERNEL(dot_products) {
  u32 a = (u32)IN(0), b = (u32)IN(1), c = (u32)IN(2);
  OUT(0, __dp4a((s32)a, (s32)b, (s32)c)), OUT(1, __dp4a(a, b, c));
}
KERNEL(minima) {
  OUT(0, min((s32)IN(0), (s32)IN(1))), OUT(1, max((s32)IN(0), (s32)IN(1))), OUT(2, min((u32)IN(0), (u32)IN(1))), OUT(3, max((u32)IN(0), (u32)IN(1)));
  OUT(4, min((s64)IN(0), (s64)IN(1))), OUT(5, max((s64)IN(0), (s64)IN(1))), OUT(6, min(IN(0), IN(1))), OUT(7, max(IN(0), IN(1)));
}
KERNEL(wide_words) {
  unsigned __int128 a = (unsigned __int128)IN(0) << 64 | IN(1), b = IN(2), p = a * b + IN(3);
  OUT(0, (u64)p), OUT(1, (u64)(p >> 64)), OUT(2, (u64)(a >> 13)), OUT(3, (u64)(a - b >> 64)), OUT(4, a < p);
}
struct Fields { u32 a : 5, b : 11, c : 16; s32 d : 7; };
KERNEL(bit_fields) {
  Fields f;
  f.a = (u32)IN(0), f.b = (u32)IN(1), f.c = (u32)IN(2), f.d = (s32)IN(3);
  f.b += f.a, f.d -= 3;
  OUT(0, (u32)f.a), OUT(1, (u32)f.b), OUT(2, (u32)f.c), OUT(3, (s32)f.d);
}
KERNEL(carries) {
  u32 a = (u32)IN(0), b = (u32)IN(1), c = (u32)IN(2), d = (u32)IN(3), low, high;
  asm("add.cc.u32 %0, %2, %3;\n\taddc.u32 %1, %4, %5;" : "=&r"(low), "=r"(high) : "r"(a), "r"(b), "r"(c), "r"(d));
  OUT(0, low), OUT(1, high);
  asm("sub.cc.u32 %0, %2, %3;\n\tsubc.u32 %1, %4, %5;" : "=&r"(low), "=r"(high) : "r"(a), "r"(b), "r"(c), "r"(d));
  OUT(2, low), OUT(3, high);
  asm("mad.lo.cc.u32 %0, %2, %3, %4;\n\tmadc.hi.u32 %1, %2, %3, %5;" : "=&r"(low), "=r"(high) : "r"(a), "r"(b), "r"(c), "r"(d));
  OUT(4, low), OUT(5, high);
}
