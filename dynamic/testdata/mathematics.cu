// Rarer functions of the CUDA Math API against the host's library, and against what defines them.
#include <cmath>
#include <cstdio>
#define CHECK(condition) \
  if (!(condition)) printf("line %d: %s\n", __LINE__, #condition)

enum { MOST = 40 };
__global__ void compute(const double *x, double *out, int *quotient, int *integers, float *vector) {
  int i = threadIdx.x;
  double *o = out + 16 * i;
  o[0] = jn(0, x[i]), o[1] = jn(3, x[i]), o[2] = jn(20, x[i]), o[3] = yn(4, x[i]), o[4] = cyl_bessel_i0(x[i]), o[5] = cyl_bessel_i1(x[i]);
  o[6] = remquo(x[i], 0.7, quotient + i), o[7] = rhypot(x[i], 2.0), o[8] = norm4d(x[i], 1, 2, 3), o[9] = scalbln(x[i], 3), o[10] = norm(2, x + i);
  o[11] = __frsqrt_rn((float)x[i]), o[12] = jnf(2, (float)x[i]), o[13] = rnorm3d(x[i], 1, 1), o[14] = -cyl_bessel_i1(-x[i]);
  if (i == 0) {
    integers[0] = __dp2a_lo(0x0003fffe, 0x04030201, 10), integers[1] = __dp2a_hi(0x0003fffe, 0x04030201, 10);
    integers[2] = __vimax3_s32(-5, 7, 3), integers[3] = __vimin_s32_relu(-5, 7), integers[4] = __viaddmax_s32(2, 3, 4);
    bool first;
    integers[5] = __vibmin_s32(4, 3, &first), integers[6] = first;
    bool high, low;
    integers[7] = __vibmax_s16x2(0x0005fffe, 0x00060001, &high, &low), integers[8] = high * 2 + low;
    integers[9] = __viaddmax_s16x2_relu(0x7fff0001, 0x00010001, 0xfffffff0), integers[10] = __vimin3_u16x2(0xfff00003, 0x0002fff0, 0x00030004);
    integers[11] = __vimax_s16x2_relu(0xffff0001, 0x8000ffff), integers[12] = __viaddmin_u32(~0u, 3, 5);
    int *aligned = (int *)__nv_aligned_device_malloc(4, 128);
    integers[13] = (size_t)aligned % 128 == 0;
    free(aligned);
  }
  atomicAdd((float4 *)vector, make_float4(1, 2, 3, 4));
  atomicAdd((float2 *)vector, make_float2(1, 1));
}

static bool near(double a, double b) { return std::fabs(a - b) <= 1e-9 * (1 + std::fabs(b)); }

int main() {
  double *x, *out;
  int *quotient, *integers;
  float *vector;
  cudaMallocManaged(&x, 8 * (MOST + 1)), cudaMallocManaged(&out, 8 * 16 * MOST), cudaMallocManaged(&quotient, 4 * MOST), cudaMallocManaged(&integers, 64);
  cudaMallocManaged(&vector, 16);
  for (int i = 0; i <= MOST; i++) x[i] = 0.3 + i * 1.13;
  for (int i = 0; i < 4; i++) vector[i] = 0;
  compute<<<1, MOST>>>(x, out, quotient, integers, vector);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (int i = 0; i < MOST; i++) {
    const double *o = out + 16 * i, v = x[i];
    int q;
    CHECK(near(o[0], jn(0, v)) && near(o[1], jn(3, v)) && near(o[2], jn(20, v)) && near(o[3], yn(4, v)));
    CHECK(near(o[4], std::cyl_bessel_i(0.0, v)) && near(o[5], std::cyl_bessel_i(1.0, v)) && near(o[14], o[5]));
    CHECK(near(o[6], std::remquo(v, 0.7, &q)) && (quotient[i] & 7) == (q & 7));
    CHECK(near(o[7], 1 / std::hypot(v, 2)) && near(o[8], std::sqrt(v * v + 14)) && o[9] == 8 * v && near(o[10], std::hypot(v, x[i + 1])));
    CHECK(std::fabs(o[11] - 1 / std::sqrt(v)) < 1e-6 && std::fabs(o[12] - jn(2, v)) < 1e-5 && near(o[13], 1 / std::sqrt(v * v + 2)));
  }
  CHECK(integers[0] == 10 - 2 * 1 + 3 * 2 && integers[1] == 10 - 2 * 3 + 3 * 4);
  CHECK(integers[7] == 0x00060001 && integers[8] == 0 && integers[9] == 2 && integers[10] == 0x00020003 && integers[11] == 1 && integers[12] == 2);
  bool high, low; // the host has these, too
  CHECK(integers[13] && __vibmax_s16x2(0x0005fffe, 0x00060001, &high, &low) == 0x00060001 && __viaddmin_u32(~0u, 3, 5) == 2);
  CHECK(integers[2] == 7 && integers[3] == 0 && integers[4] == 5 && integers[5] == 3 && integers[6] == 0);
  CHECK(vector[0] == 2 * MOST && vector[1] == 3 * MOST && vector[2] == 3 * MOST && vector[3] == 4 * MOST);
  puts("done");
}
