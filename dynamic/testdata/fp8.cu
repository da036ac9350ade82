// Numbers of eight bits: each code is what its own value becomes, what lies between two becomes the nearer one, or the even one.
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

int main() {
  check<__nv_fp8_e4m3>(__NV_E4M3, 0x7e);
  check<__nv_fp8_e5m2>(__NV_E5M2, 0x7b);
  CHECK(__nv_cvt_float_to_fp8(1e6f, __NV_NOSAT, __NV_E4M3) == 0x7f && __nv_cvt_float_to_fp8(1e6f, __NV_NOSAT, __NV_E5M2) == 0x7c);
  CHECK((float)__nv_fp8_e4m3(448.0f) == 448 && (float)__nv_fp8_e4m3(1.0f / 512) == 1.0f / 512);
  float2 pair = (float2)__nv_fp8x2_e5m2(make_float2(1.5f, -3));
  CHECK(pair.x == 1.5f && pair.y == -3);
  puts("done");
}
