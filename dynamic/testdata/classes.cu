// Classes and functions of headers that are seldom included.
#include <cstdio>
#include <cub/thread/thread_load.cuh>
#include <cub/thread/thread_store.cuh>
#include <cub/util_ptx.cuh>
#include <cuda/cmath>
#include <cuda/functional>
#include <cuda/std/string_view>
#include <cuda_awbarrier_primitives.h>
#include <curand_normal.h>
#include <library_types.h>
#include <nvToolsExt.h>
#include <nvfunctional>
#include <nvtx3/nvtx3.hpp>
#include <thrust/complex.h>
#include <thrust/device_vector.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/transform.h>
#include <thrust/universal_vector.h>
#include <thrust/zip_function.h>

#define CHECK(condition) \
  if (!(condition)) printf("line %d: %s\n", __LINE__, #condition)

typedef thrust::complex<float> complex;

__device__ int apply(const nvstd::function<int(int)> &f, int x) { return f(x); }

__global__ void compute(complex *z, int *out, int n) {
  __shared__ __mbarrier_t bar;
  __shared__ int v[32];
  int i = threadIdx.x;
  if (i == 0) __mbarrier_init(&bar, blockDim.x);
  __syncthreads();
  v[i] = i;
  __mbarrier_token_t token = __mbarrier_arrive(&bar);
  while (!__mbarrier_test_wait(&bar, token))
    ;
  nvstd::function<int(int)> add = [=](int x) { return x + n; }, twice = add;
  twice = [](int x) { return 2 * x; };
  out[i] = apply(add, v[31 - i]) + apply(twice, i);
  complex c(0, 1), w = 2.0f * z[i] * c;
  for (int k = 0; k < 2; k++) w += c / complex(2);
  cuda::std::complex<double> quotient = cuda::std::complex<double>(i, 2) / cuda::std::complex<double>(0, 1);
  if (quotient != cuda::std::complex<double>(2, -i)) w = 0;
  cub::ThreadStore<cub::STORE_CG>(z + i, thrust::conj(w) + thrust::abs(complex(3, 4)));
}

int main() {
  nvtx3::scoped_range range("main");
  nvtxRangePushA("all");
  thrust::universal_vector<complex> z(32);
  thrust::universal_vector<int> out(32);
  for (int i = 0; i < 32; i++) z[i] = complex(i, 1);
  compute<<<1, 32>>>(thrust::raw_pointer_cast(z.data()), thrust::raw_pointer_cast(out.data()), 7);
  cudaDeviceSynchronize();
  for (int i = 0; i < 32; i++) CHECK(out[i] == 31 - i + 7 + 2 * i && z[i] == complex(3, -2 * i - 1));
  nvstd::function<int()> f = [] { return 3; };
  CHECK(f && f() == 3);
  thrust::device_vector<int> a(10, 2), b(10, 3), c(10);
  auto first = thrust::make_zip_iterator(thrust::make_tuple(a.begin(), b.begin()));
  thrust::transform(first, first + 10, c.begin(), thrust::make_zip_function([] __host__ __device__(int x, int y) { return x * y; }));
  CHECK(c[9] == 6);
  CHECK(cuda::ceil_div(10, 4) == 3 && cuda::round_up(10, 4) == 12 && cuda::maximum<>()(2, 3) == 3);
  CHECK(cuda::std::string_view("abc").size() == 3 && thrust::norm(thrust::complex<double>(3, 4)) == 25);
  nvtxRangePop();
  puts("done");
}
