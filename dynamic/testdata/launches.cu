// launches by kernels: overloads, deduced templates, namespaces, explicit template arguments, device functions, lambdas, recursion, struct arguments
#include <cstdio>
#include <cstring>
struct Arg { float f; char c; double d; };
namespace deep { template <class T, int N> __global__ void scaled(T *x, T by) { x[threadIdx.x] = x[threadIdx.x] * by + N; } }
__global__ void over(int *x, int v) { x[threadIdx.x] = v; }
__global__ void over(int *x) { x[threadIdx.x] = 7; }
__global__ void over(float *x, int v) { x[threadIdx.x] = v + .5f; }
template <class T> __global__ void deduced(T *x, T v) { x[threadIdx.x] += v; }
__global__ void structs(float *o, Arg a, short s, bool b, const char *t) { o[threadIdx.x] = a.f + a.c + (float)a.d + s + b + t[1]; }
template <class T> __device__ void helper(T *x, cudaStream_t s) { deep::scaled<T, 3><<<1, 32, 0, s>>>(x, T(2)); }
__global__ void chain(int *x, int n) { if (threadIdx.x == 0) { *x += n; if (n > 0) chain<<<1, 32>>>(x, n - 1); } }
__global__ void grid(int *x) { x[blockIdx.x * 32 + threadIdx.y * 16 + threadIdx.x] = gridDim.y * 100 + blockDim.y; }
__global__ void parent(int *i, float *f, double *d) {
  if (threadIdx.x != 0) return;
  over<<<1, 32>>>(i, 5);
  over<<<1, 32>>>(i + 32);
  over<<<1, 32>>>(f, 1);
  deduced<<<1, 32>>>(i, 10);
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  d[0] = 1; for (int k = 0; k < 32; k++) d[k] = k;
  helper(d, s);
  structs<<<1, 32>>>(f + 32, Arg{1.5f, 'b', 2.25}, 3, true, "xyz");
  dim3 g(2, 1), b(16, 2);
  grid<<<g, b>>>(i + 64);
  for (int k = 0; k < 3; k++) chain<<<1, 1>>>(i + 200, k);
  over<<<0, 32>>>(i, 1);
  if (cudaGetLastError() == cudaErrorInvalidConfiguration) i[210] = 1;
  cudaMemcpyAsync(i + 220, i + 32, 16, cudaMemcpyDeviceToDevice);
  cudaMemsetAsync(i + 230, 1, 8, s);
}
int main() {
  int *i; float *f; double *d;
  if (cudaMallocManaged(&i, 1024) || cudaMallocManaged(&f, 512) || cudaMallocManaged(&d, 512)) return 1;
  memset(i, 0, 1024);
  parent<<<1, 32>>>(i, f, d);
  if (cudaDeviceSynchronize()) return 2;
  bool ok = i[0] == 15 && i[32] == 7 && f[0] == 1.5f && d[5] == 13 && f[40] == 1.5f + 98 + 2.25f + 3 + 1 + 121 && i[64] == 102 && i[200] == 0 + 1 + 3 && i[210] == 1 && i[223] == 7 && i[231] == 0x01010101;
  printf("%d %d %g %g %g %d %d %d %d %d\n", i[0], i[32], f[0], d[5], f[40], i[64], i[200], i[210], i[223], i[231]);
  puts(ok ? "done" : "wrong");
}
