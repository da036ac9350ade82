// Arithmetic and conversions with a rounding mode in their names give what the host's processor
// gives in that mode. Prints one line for each difference, and "done".
#include <fenv.h>
#include <math.h>
#include <stdio.h>

struct Results {
  double add, sub, mul, div, rcp, sqrt, fma;
  float addf, subf, mulf, divf, rcpf, sqrtf, fmaf, narrow, fromInt, fromUnsigned, fromLong;
  int toInt;
  long long toLong;
};

#define KERNEL(mode)                                                                                    \
  __global__ void mode(double x, double y, int i, Results *r) {                                         \
    float f = x, g = y;                                                                                 \
    *r = {__dadd_##mode(x, y), __dsub_##mode(x, y), __dmul_##mode(x, y), __ddiv_##mode(x, y),           \
          __drcp_##mode(x), __dsqrt_##mode(fabs(x)), __fma_##mode(x, y, x), __fadd_##mode(f, g),        \
          __fsub_##mode(f, g), __fmul_##mode(f, g), __fdiv_##mode(f, g), __frcp_##mode(f),              \
          __fsqrt_##mode(fabsf(f)), __fmaf_##mode(f, g, f), __double2float_##mode(x),                   \
          __int2float_##mode(i), __uint2float_##mode(i), __ll2float_##mode(3ll * i << 30),              \
          __float2int_##mode(f), __double2ll_##mode(x)};                                                \
  }
KERNEL(rn)
KERNEL(rz)
KERNEL(ru)
KERNEL(rd)

// Volatile: the compiler does not know of rounding modes.
static Results expected(volatile double x, volatile double y, volatile int i) {
  volatile float f, g;
  int mode = fegetround();
  fesetround(FE_TONEAREST);  // as the kernels convert their arguments
  f = x, g = y;
  fesetround(mode);
  volatile Results r;
  volatile unsigned u = i;
  volatile long long l = 3ll * i << 30;
  r.add = x + y, r.sub = x - y, r.mul = x * y, r.div = x / y, r.rcp = 1 / x, r.sqrt = sqrt(fabs(x)), r.fma = fma(x, y, x);
  r.addf = f + g, r.subf = f - g, r.mulf = f * g, r.divf = f / g, r.rcpf = 1 / f, r.sqrtf = sqrtf(fabsf(f)), r.fmaf = fmaf(f, g, f);
  r.narrow = x, r.fromInt = i, r.fromUnsigned = u, r.fromLong = l;
  r.toInt = (int)rintf(f), r.toLong = llrint(x);
  return const_cast<Results &>(r);
}

#define SAME(member) \
  if (got.member != want.member) printf("%s of %a, %a, %d: " #member " is %a, want %a\n", name, x, y, i, (double)got.member, (double)want.member)

static void check(const char *name, void (*kernel)(double, double, int, Results *), int mode, double x, double y, int i) {
  Results *device, got, want;
  cudaMalloc(&device, sizeof got);
  kernel<<<1, 1>>>(x, y, i, device);
  cudaMemcpy(&got, device, sizeof got, cudaMemcpyDeviceToHost);
  cudaFree(device);
  fesetround(mode);
  want = expected(x, y, i);
  fesetround(FE_TONEAREST);
  SAME(add); SAME(sub); SAME(mul); SAME(div); SAME(rcp); SAME(sqrt); SAME(fma);
  SAME(addf); SAME(subf); SAME(mulf); SAME(divf); SAME(rcpf); SAME(sqrtf); SAME(fmaf);
  SAME(narrow); SAME(fromInt); SAME(fromUnsigned); SAME(fromLong); SAME(toInt); SAME(toLong);
}

int main() {
  const double values[][2] = {{1, 1e-20}, {-1, 1e-20}, {0.1, 0.3}, {-2.5, 3.7}, {1e9 + 0.5, -1e-9}, {-123456.789, 1.0 / 3}};
  for (auto &v : values)
    for (int i : {16777217, -16777217, 2147483647, 5}) {
      check("rn", rn, FE_TONEAREST, v[0], v[1], i);
      check("rz", rz, FE_TOWARDZERO, v[0], v[1], i);
      check("ru", ru, FE_UPWARD, v[0], v[1], i);
      check("rd", rd, FE_DOWNWARD, v[0], v[1], i);
    }
  printf("done\n");
}
