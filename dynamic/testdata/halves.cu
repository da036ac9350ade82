// Numbers of 16 bits on both sides: the functions of the CUDA Math API, which the host has, too, as far as they are arithmetic.
#include <cmath>
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class T> __host__ __device__ T polynomial(T x) {
  T r = x * x;
  r += x;
  r -= T(1);
  r++;
  return -r / T(2);
}
template <class T> __global__ void evaluate(T *x) { x[threadIdx.x] = polynomial(x[threadIdx.x]); }
template <class T> void bothSides(const char *name) {
  T *x;
  cudaMallocManaged(&x, 32 * sizeof(T));
  for (int i = 0; i < 32; i++) x[i] = T(i * 0.25f);
  evaluate<<<1, 32>>>(x);
  cudaDeviceSynchronize();
  for (int i = 0; i < 32; i++)
    if (!(x[i] == polynomial(T(i * 0.25f)))) printf("%s: %d is %f\n", name, i, (float)x[i]);
}

// What functions give for 1.5 and 2.25, where both types have them by one name.
__device__ int next;
template <class T> __device__ void put(float *out, T value) { out[next++] = (float)value; }
template <class T, class T2> __device__ void functions(float *out, T a, T b, T2 p, T2 q) {
  put(out, __hadd_sat(a, b)), put(out, __hfma_relu(__hneg(a), b, a)), put(out, __hmul_rn(a, b)), put(out, __hfma_sat(a, b, a));
  put(out, hexp10(T(1))), put(out, hlog10(b)), put(out, htanh(a)), put(out, hrcp(a)), put(out, hrint(b));
  put(out, __hcmadd(p, q, p).x), put(out, __hcmadd(p, q, p).y), put(out, __lowhigh2highlow(p).x);
  put(out, p == p), put(out, p != q), put(out, __hbgt2(p, q)), put(out, __heq2_mask(p, T2(a, a)) == 0xffff);
  put(out, (++p).x), put(out, __hmax_nan(a, b)), put(out, __h2div(p, q).y);
}
__global__ void all(float *out) {
  functions(out, __half(1.5), __half(2.25), __half2(1.5, 2.25), __half2(2.25, 1.5));
  functions(out, __nv_bfloat16(1.5), __nv_bfloat16(2.25), __nv_bfloat162(1.5, 2.25), __nv_bfloat162(2.25, 1.5));
  put(out, __half2int_rd(__half(-1.5))), put(out, __half2ll_ru(__half(2.25))), put(out, __half2ushort_rz(__half(2.75))), put(out, __ull2half_rn(7));
  put(out, __bfloat162int_rn(__nv_bfloat16(2.75))), put(out, __short2bfloat16_rn(-3)), put(out, __low2half2(__half2(1, 2)).y);
  put(out, __highs2bfloat162(__nv_bfloat162(1, 2), __nv_bfloat162(3, 4)).y), put(out, __float2bfloat16_rz(1.999f));
}

// Rounded once, in the direction that the name says.
__host__ __device__ int rounded() {
  int wrong = 0;
  wrong += __half_as_ushort(__ushort2half_rz(2051)) != 0x6801 || __half_as_ushort(__int2half_rd(-2049)) != 0xe801 || __half_as_ushort(__int2half_ru(2049)) != 0x6801;
  wrong += __half_as_ushort(__int2half_rn(-2049)) != 0xe800 || __half_as_ushort(__uint2half_rz(100000)) != 0x7bff || __half_as_ushort(__ll2half_rd(7)) != 0x4700;
  wrong += __bfloat16_as_ushort(__int2bfloat16_ru(257)) != 0x4381 || __bfloat16_as_ushort(__int2bfloat16_rz(-257)) != 0xc380;
  wrong += __half_as_ushort(__double2half(1.00048828125000001 + 1e-12)) != 0x3c01 || __bfloat16_as_ushort(__uint2bfloat16_rn(0x80800001)) != 0x4f01;
  return wrong;
}
__global__ void rounds(float *out) { *out = rounded(); }

int main() {
  bothSides<float>("float");
  bothSides<__half>("half");
  bothSides<__nv_bfloat16>("bfloat16");
  float *out;
  cudaMallocManaged(&out, 64 * sizeof(float));
  all<<<1, 1>>>(out);
  rounds<<<1, 1>>>(out + 63);
  if (cudaDeviceSynchronize() != cudaSuccess || out[63] != 0 || rounded() != 0) puts("no functions");
  // (1.5 + 2.25i)(2.25 + 1.5i) + 1.5 + 2.25i
  const double shared[] = {1, 0, 3.375, 1, 10, std::log10(2.25), std::tanh(1.5), 1 / 1.5, 2, 1.5, 2.25 * 2.25 + 1.5 * 1.5 + 2.25, 2.25, 1, 1, 0, 1, 2.5, 2.25, 3.25 / 1.5};
  const double own[] = {-2, 3, 2, 7, 3, -3, 1, 4, 1.9921875};
  const int n = sizeof shared / sizeof *shared, m = sizeof own / sizeof *own;
  for (int i = 0; i < 2 * n + m; i++) {
    double want = i < 2 * n ? shared[i % n] : own[i - 2 * n];
    if (!(std::fabs(out[i] - want) <= std::fabs(want) * 0.01)) printf("%d: %f, want %f\n", i, out[i], want);
  }
  __half h = (size_t)7;
  h += __half(2);
  __half2 pair = __hfma2(__half2(1, 2), __half2(3, 4), __half2(5, 6));
  if (!(h == __half(9)) || (float)pair.x != 8 || (float)pair.y != 14 || !(__half(1) < h)) puts("the host's arithmetic");
  puts("done");
}
