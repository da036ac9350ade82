// Kernels constrained by the host library's concepts: C++20, checks itself.
#include <concepts>
#include <span>
#include <stdio.h>

#if !defined(__CUDACC_EXTENDED_LAMBDA__) || !defined(__CUDACC_RELAXED_CONSTEXPR__)
#error "nvcc defines both, called as code with such lambdas needs it"
#endif

template <class F, class T>
concept Operation = requires(F f, T a, T b) { { f(a, b) } -> std::convertible_to<T>; };

template <std::integral T, Operation<T> F> __global__ void fold(const T *in, T *out, F f) {
  T all = in[0];
  for (T x : std::span<const T>(in + 1, 31)) all = f(all, x);
  *out = all;
}

int main() {
  int *cells;
  cudaMallocManaged(&cells, 33 * sizeof(int));
  for (int i = 0; i < 32; i++) cells[i] = i;
  fold<<<1, 1>>>(cells, cells + 32, [] __host__ __device__(int a, int b) { return a + b; });
  cudaDeviceSynchronize();
  if (cells[32] != 496) printf("%d\n", cells[32]);
  printf("done\n");
}
