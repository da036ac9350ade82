// Intrinsics on the halves and the bytes of a word, for random bits and for parts that are equal or extreme.
#include "common.h"

__device__ inline u32 parts(u64 raw) { return (u32)(raw & 3 ? raw >> 8 : raw >> 40 & 0x80ff7f00 | raw >> 10 & 0x00010100); }
KERNEL(simd_alone_2) {
  u32 a = parts(IN(0)), b = IN(2) & 1 ? parts(IN(1)) : a ^ (u32)(IN(1) & 0xff00);
  OUT(0, __vabs2(a));
  OUT(1, __vabsss2(a));
  OUT(2, __vneg2(a));
  OUT(3, __vnegss2(a));
}
KERNEL(simd_sums_2) {
  u32 a = parts(IN(0)), b = IN(2) & 1 ? parts(IN(1)) : a ^ (u32)(IN(1) & 0xff00);
  OUT(0, __vadd2(a, b));
  OUT(1, __vaddss2(a, b));
  OUT(2, __vaddus2(a, b));
  OUT(3, __vsub2(a, b));
  OUT(4, __vsubss2(a, b));
  OUT(5, __vsubus2(a, b));
}
KERNEL(simd_distances_2) {
  u32 a = parts(IN(0)), b = IN(2) & 1 ? parts(IN(1)) : a ^ (u32)(IN(1) & 0xff00);
  OUT(0, __vabsdiffs2(a, b));
  OUT(1, __vabsdiffu2(a, b));
  OUT(2, __vavgs2(a, b));
  OUT(3, __vavgu2(a, b));
  OUT(4, __vhaddu2(a, b));
  OUT(5, __vmaxs2(a, b));
  OUT(6, __vmaxu2(a, b));
  OUT(7, __vmins2(a, b));
  OUT(8, __vminu2(a, b));
  OUT(9, __vsads2(a, b));
  OUT(10, __vsadu2(a, b));
}
KERNEL(simd_comparisons_2) {
  u32 a = parts(IN(0)), b = IN(2) & 1 ? parts(IN(1)) : a ^ (u32)(IN(1) & 0xff00);
  OUT(0, __vcmpeq2(a, b));
  OUT(1, __vcmpne2(a, b));
  OUT(2, __vcmpges2(a, b));
  OUT(3, __vcmpgts2(a, b));
  OUT(4, __vcmples2(a, b));
  OUT(5, __vcmplts2(a, b));
  OUT(6, __vcmpgeu2(a, b));
  OUT(7, __vcmpgtu2(a, b));
  OUT(8, __vcmpleu2(a, b));
  OUT(9, __vcmpltu2(a, b));
}
KERNEL(simd_conditions_2) {
  u32 a = parts(IN(0)), b = IN(2) & 1 ? parts(IN(1)) : a ^ (u32)(IN(1) & 0xff00);
  OUT(0, __vseteq2(a, b));
  OUT(1, __vsetne2(a, b));
  OUT(2, __vsetges2(a, b));
  OUT(3, __vsetgts2(a, b));
  OUT(4, __vsetles2(a, b));
  OUT(5, __vsetlts2(a, b));
  OUT(6, __vsetgeu2(a, b));
  OUT(7, __vsetgtu2(a, b));
  OUT(8, __vsetleu2(a, b));
  OUT(9, __vsetltu2(a, b));
}
KERNEL(simd_alone_4) {
  u32 a = parts(IN(0)), b = IN(2) & 1 ? parts(IN(1)) : a ^ (u32)(IN(1) & 0xff00);
  OUT(0, __vabs4(a));
  OUT(1, __vabsss4(a));
  OUT(2, __vneg4(a));
  OUT(3, __vnegss4(a));
}
KERNEL(simd_sums_4) {
  u32 a = parts(IN(0)), b = IN(2) & 1 ? parts(IN(1)) : a ^ (u32)(IN(1) & 0xff00);
  OUT(0, __vadd4(a, b));
  OUT(1, __vaddss4(a, b));
  OUT(2, __vaddus4(a, b));
  OUT(3, __vsub4(a, b));
  OUT(4, __vsubss4(a, b));
  OUT(5, __vsubus4(a, b));
}
KERNEL(simd_distances_4) {
  u32 a = parts(IN(0)), b = IN(2) & 1 ? parts(IN(1)) : a ^ (u32)(IN(1) & 0xff00);
  OUT(0, __vabsdiffs4(a, b));
  OUT(1, __vabsdiffu4(a, b));
  OUT(2, __vavgs4(a, b));
  OUT(3, __vavgu4(a, b));
  OUT(4, __vhaddu4(a, b));
  OUT(5, __vmaxs4(a, b));
  OUT(6, __vmaxu4(a, b));
  OUT(7, __vmins4(a, b));
  OUT(8, __vminu4(a, b));
  OUT(9, __vsads4(a, b));
  OUT(10, __vsadu4(a, b));
}
KERNEL(simd_comparisons_4) {
  u32 a = parts(IN(0)), b = IN(2) & 1 ? parts(IN(1)) : a ^ (u32)(IN(1) & 0xff00);
  OUT(0, __vcmpeq4(a, b));
  OUT(1, __vcmpne4(a, b));
  OUT(2, __vcmpges4(a, b));
  OUT(3, __vcmpgts4(a, b));
  OUT(4, __vcmples4(a, b));
  OUT(5, __vcmplts4(a, b));
  OUT(6, __vcmpgeu4(a, b));
  OUT(7, __vcmpgtu4(a, b));
  OUT(8, __vcmpleu4(a, b));
  OUT(9, __vcmpltu4(a, b));
}
KERNEL(simd_conditions_4) {
  u32 a = parts(IN(0)), b = IN(2) & 1 ? parts(IN(1)) : a ^ (u32)(IN(1) & 0xff00);
  OUT(0, __vseteq4(a, b));
  OUT(1, __vsetne4(a, b));
  OUT(2, __vsetges4(a, b));
  OUT(3, __vsetgts4(a, b));
  OUT(4, __vsetles4(a, b));
  OUT(5, __vsetlts4(a, b));
  OUT(6, __vsetgeu4(a, b));
  OUT(7, __vsetgtu4(a, b));
  OUT(8, __vsetleu4(a, b));
  OUT(9, __vsetltu4(a, b));
}
