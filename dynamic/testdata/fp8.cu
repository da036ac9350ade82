// Numbers of eight bits and fewer: each code is what its own value becomes, what lies between two becomes the nearer one, or the even one.
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
#include <cmath>
#include <cstdio>
#define CHECK(condition) \
  if (!(condition)) printf("line %d: %s\n", __LINE__, #condition)

template <class T> __global__ void through(const float *in, T *codes, float *out) {
  int i = threadIdx.x;
  codes[i] = T(in[i]);
  out[i] = (float)codes[i];
}

template <class T> void check(__nv_fp8_interpretation_t kind, int finite) {
  float *in, *out;
  T *codes;
  cudaMallocManaged(&in, 1024), cudaMallocManaged(&out, 1024), cudaMallocManaged(&codes, 256);
  for (int i = 0; i < 256; i++) {
    T t;
    t.__x = (unsigned char)i;
    in[i] = (float)t;
  }
  through<<<1, 256>>>(in, codes, out);
  cudaDeviceSynchronize();
  for (int i = 0; i < 256; i++) {
    if ((i & 127) > finite) continue;
    CHECK(codes[i].__x == i && out[i] == in[i]);
    if ((i & 127) == finite) continue;
    float low = in[i], high = in[i + 1], middle = (low + high) / 2;
    CHECK(__nv_cvt_float_to_fp8(middle, __NV_SATFINITE, kind) == (i & 1 ? i + 1 : i));
    CHECK(__nv_cvt_float_to_fp8(low + (middle - low) * 0.9f, __NV_SATFINITE, kind) == i);
    CHECK(__nv_cvt_float_to_fp8(low + (middle - low) * 1.1f, __NV_SATFINITE, kind) == i + 1);
  }
  CHECK(__nv_cvt_float_to_fp8(1e30f, __NV_SATFINITE, kind) == finite && __nv_cvt_float_to_fp8(-INFINITY, __NV_SATFINITE, kind) == (finite | 128));
  CHECK(std::isnan((float)T(NAN)));
}

// The instructions do what the functions do, which are written in C++.
__global__ void instructions(const float *in, unsigned short *narrow, unsigned *wide) {
  int i = threadIdx.x;
  float a = in[i], b = in[(i * 7 + 3) % 256];
  __half2 pair = __floats2half2_rn(b, a);
  unsigned bits = *(unsigned *)&pair;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(narrow[i]) : "f"(a), "f"(b));
  asm("cvt.rn.satfinite.relu.e5m2x2.f32 %0, %1, %2;" : "=h"(narrow[256 + i]) : "f"(a), "f"(b));
  asm("cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;" : "=h"(narrow[512 + i]) : "r"(bits));
  asm("cvt.rn.satfinite.e5m2x2.f16x2 %0, %1;" : "=h"(narrow[768 + i]) : "r"(bits));
  unsigned short both = (unsigned short)(i << 8 | (255 - i));
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(wide[i]) : "h"(both));
  asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(wide[256 + i]) : "h"(both));
}

void checkInstructions() {
  float *in;
  unsigned short *narrow;
  unsigned *wide;
  cudaMallocManaged(&in, 1024), cudaMallocManaged(&narrow, 4 * 512), cudaMallocManaged(&wide, 2 * 1024);
  for (int i = 0; i < 256; i++) in[i] = (i % 2 ? -1 : 1) * std::ldexp(1.0f + i * 5 % 17 / 17.0f, i % 40 - 20);
  in[5] = INFINITY, in[6] = NAN, in[7] = 0, in[8] = -0.0f;
  instructions<<<1, 256>>>(in, narrow, wide);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (int i = 0; i < 256; i++) {
    float a = in[i], b = in[(i * 7 + 3) % 256];
    float2 pair = make_float2(b, a), half = __half22float2(__floats2half2_rn(b, a)), positive = make_float2(b < 0 ? 0 : b, a < 0 ? 0 : a);
    CHECK(narrow[i] == __nv_cvt_float2_to_fp8x2(pair, __NV_SATFINITE, __NV_E4M3));
    CHECK((narrow[256 + i] & 0x7f7f) == (__nv_cvt_float2_to_fp8x2(positive, __NV_SATFINITE, __NV_E5M2) & 0x7f7f));
    CHECK(narrow[512 + i] == __nv_cvt_float2_to_fp8x2(half, __NV_SATFINITE, __NV_E4M3));
    CHECK(narrow[768 + i] == __nv_cvt_float2_to_fp8x2(half, __NV_SATFINITE, __NV_E5M2));
    __half2_raw four = __nv_cvt_fp8x2_to_halfraw2((unsigned short)(i << 8 | (255 - i)), __NV_E4M3), five = __nv_cvt_fp8x2_to_halfraw2((unsigned short)(i << 8 | (255 - i)), __NV_E5M2);
    CHECK(wide[i] == (four.x | (unsigned)four.y << 16) && wide[256 + i] == (five.x | (unsigned)five.y << 16));
  }
}

// Numbers that are all finite: codes up to greatest, and with a sign.
template <class T> void checkTiny(int greatest, float value) {
  float *in, *out;
  T *codes, last;
  cudaMallocManaged(&in, 256), cudaMallocManaged(&out, 256), cudaMallocManaged(&codes, 64);
  for (int i = 0; i < 64; i++) {
    T t;
    t.__x = (unsigned char)(i % (2 * greatest + 2));
    in[i] = (float)t;
  }
  through<<<1, 64>>>(in, codes, out);
  cudaDeviceSynchronize();
  for (int i = 0; i < 64; i++) CHECK(codes[i].__x == i % (2 * greatest + 2) && out[i] == in[i]);
  for (int i = 0; i < greatest; i++) CHECK(in[i] < in[i + 1] && T((in[i] + in[i + 1]) / 2).__x == (i & 1 ? i + 1 : i));
  last.__x = (unsigned char)greatest;
  CHECK((float)last == value && T(1e9f).__x == greatest && (float)T(-INFINITY) == -value && T(NAN).__x == greatest);
}

int main() {
  checkInstructions();
  checkTiny<__nv_fp6_e2m3>(31, 7.5f);
  checkTiny<__nv_fp6_e3m2>(31, 28);
  checkTiny<__nv_fp4_e2m1>(7, 6);
  __nv_fp4x2_e2m1 two(make_float2(1, -0.5f));
  __nv_fp6x4_e3m2 four(make_float4(1, 2, -3, 4));
  CHECK(two.__x == 0x92 && ((float2)two).y == -0.5f && ((float4)four).z == -3 && __nv_cvt_float2_to_fp4x2(make_float2(1, -0.5f), __NV_E2M1, cudaRoundNearest) == 0x92);
  check<__nv_fp8_e4m3>(__NV_E4M3, 0x7e);
  check<__nv_fp8_e5m2>(__NV_E5M2, 0x7b);
  CHECK(__nv_cvt_float_to_fp8(1e6f, __NV_NOSAT, __NV_E4M3) == 0x7f && __nv_cvt_float_to_fp8(1e6f, __NV_NOSAT, __NV_E5M2) == 0x7c);
  CHECK((float)__nv_fp8_e4m3(448.0f) == 448 && (float)__nv_fp8_e4m3(1.0f / 512) == 1.0f / 512);
  float2 pair = (float2)__nv_fp8x2_e5m2(make_float2(1.5f, -3));
  CHECK(pair.x == 1.5f && pair.y == -3);
  __half2 halves = __nv_cvt_fp8x2_to_halfraw2(__nv_cvt_float2_to_fp8x2(pair, __NV_SATFINITE, __NV_E5M2), __NV_E5M2);
  CHECK((float)halves.x == 1.5f && (float)halves.y == -3 && ((__half2_raw)halves).y == 0xc200);
  __nv_bfloat162_raw ones = __nv_bfloat162(1, 1);
  CHECK(ones.x == 0x3f80 && (float)__nv_bfloat162(ones).y == 1);
  puts("done");
}
