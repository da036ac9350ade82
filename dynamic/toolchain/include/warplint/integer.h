// Integer intrinsics of the CUDA Math API, on clang's builtins where they give the instruction.
#pragma once

WARPLINT_INTRINSIC int __popc(unsigned x) { return __builtin_popcount(x); }
WARPLINT_INTRINSIC int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
WARPLINT_INTRINSIC int __clz(int x) { return x ? __builtin_clz(x) : 32; }
WARPLINT_INTRINSIC int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
WARPLINT_INTRINSIC int __ffs(int x) { return __builtin_ffs(x); }
WARPLINT_INTRINSIC int __ffsll(long long x) { return __builtin_ffsll(x); }
WARPLINT_INTRINSIC unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
WARPLINT_INTRINSIC unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
// Unlike the instruction, the function knows no copies of a sign.
WARPLINT_INTRINSIC unsigned __byte_perm(unsigned x, unsigned y, unsigned s) {
  unsigned r;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(s & 0x7777));
  return r;
}
WARPLINT_INTRINSIC unsigned __fns(unsigned mask, unsigned base, int offset) {
  unsigned r;
  asm("fns.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(mask), "r"(base), "r"(offset));
  return r;
}
WARPLINT_INTRINSIC int __mulhi(int x, int y) { return (int)(((long long)x * y) >> 32); }
WARPLINT_INTRINSIC unsigned __umulhi(unsigned x, unsigned y) { return (unsigned)(((unsigned long long)x * y) >> 32); }
WARPLINT_INTRINSIC long long __mul64hi(long long x, long long y) {
  long long r;
  asm("mul.hi.s64 %0, %1, %2;" : "=l"(r) : "l"(x), "l"(y));
  return r;
}
WARPLINT_INTRINSIC unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  unsigned long long r;
  asm("mul.hi.u64 %0, %1, %2;" : "=l"(r) : "l"(x), "l"(y));
  return r;
}
WARPLINT_INTRINSIC int __mul24(int x, int y) { return (x << 8 >> 8) * (y << 8 >> 8); }
WARPLINT_INTRINSIC unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffff) * (y & 0xffffff); }
WARPLINT_INTRINSIC int mulhi(int x, int y) { return __mulhi(x, y); }
WARPLINT_INTRINSIC unsigned umulhi(unsigned x, unsigned y) { return __umulhi(x, y); }
WARPLINT_INTRINSIC long long mul64hi(long long x, long long y) { return __mul64hi(x, y); }
WARPLINT_INTRINSIC unsigned long long umul64hi(unsigned long long x, unsigned long long y) { return __umul64hi(x, y); }
WARPLINT_INTRINSIC int mul24(int x, int y) { return __mul24(x, y); }
WARPLINT_INTRINSIC unsigned umul24(unsigned x, unsigned y) { return __umul24(x, y); }
WARPLINT_INTRINSIC int __hadd(int x, int y) { return (int)(((long long)x + y) >> 1); }
WARPLINT_INTRINSIC int __rhadd(int x, int y) { return (int)(((long long)x + y + 1) >> 1); }
WARPLINT_INTRINSIC unsigned __uhadd(unsigned x, unsigned y) { return (unsigned)(((unsigned long long)x + y) >> 1); }
WARPLINT_INTRINSIC unsigned __urhadd(unsigned x, unsigned y) { return (unsigned)(((unsigned long long)x + y + 1) >> 1); }
WARPLINT_INTRINSIC unsigned __sad(int x, int y, unsigned z) { return z + (x < y ? (unsigned)y - (unsigned)x : (unsigned)x - (unsigned)y); }
WARPLINT_INTRINSIC unsigned __usad(unsigned x, unsigned y, unsigned z) { return z + (x < y ? y - x : x - y); }
WARPLINT_INTRINSIC unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return (unsigned)((((unsigned long long)high << 32 | low) << (shift & 31)) >> 32);
}
WARPLINT_INTRINSIC unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return (unsigned)(((unsigned long long)high << 32 | low) >> (shift & 31));
}
WARPLINT_INTRINSIC unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
WARPLINT_INTRINSIC unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}
WARPLINT_INTRINSIC int __dp4a(int x, int y, int z) {
  int r;
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
  return r;
}
WARPLINT_INTRINSIC unsigned __dp4a(unsigned x, unsigned y, unsigned z) {
  unsigned r;
  asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
  return r;
}
