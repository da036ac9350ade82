// libcu++'s plain classes in kernels.
#include <nv/target>

#include <cstdio>
#include <cuda/annotated_ptr>
#include <cuda/std/array>
#include <cuda/std/chrono>
#include <cuda/std/complex>
#include <cuda/std/cstdint>
#include <cuda/std/functional>
#include <cuda/std/expected>
#include <cuda/std/limits>
#include <cuda/std/mdspan>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <cuda/std/variant>

__device__ cuda::std::optional<int> odd(int i) {
  if (i % 2) return i;
  return cuda::std::nullopt;
}
__global__ void use(cuda::std::array<int, 3> a, cuda::std::span<int> out) {
  int i = threadIdx.x;
  auto [x, y] = cuda::std::make_tuple(1, 2.0f);
  auto p = cuda::std::make_pair(3, 4);
  cuda::std::uint32_t most = cuda::std::numeric_limits<int>::max();
  cuda::std::variant<int, float> v = 2.0f;
  static_assert(cuda::std::is_same_v<decltype(p), cuda::std::pair<int, int>>);
  out[i] = a.at(i % 3) + x + (int)y + p.second + odd(i).value_or(0) + odd(1).value() - 1 + (most > 3) + cuda::std::plus<int>()(1, 2) + (int)v.index();
  out.first(32).subspan(16)[0] = 1000;
}

__host__ __device__ int side() { NV_IF_ELSE_TARGET(NV_IS_HOST, (return 1;), (return 2;)) }
__host__ __device__ bool waited() {
  auto start = cuda::std::chrono::high_resolution_clock::now();
  cuda::std::chrono::nanoseconds passed = cuda::std::chrono::system_clock::now() - start;
  return start.time_since_epoch().count() > 0 && passed.count() >= 0 && passed < cuda::std::chrono::seconds(100);
}
__global__ void onTarget(cuda::annotated_ptr<int, cuda::access_property::persisting> out) {
  NV_IF_TARGET(NV_IS_DEVICE, (out[0] = waited() ? side() : 0;))
  NV_DISPATCH_TARGET(NV_IS_HOST, (out[1] = 3;), NV_PROVIDES_SM_70, (out[1] = 4;), NV_ANY_TARGET, (out[1] = 5;))
}

// Views of several dimensions, values or errors, and memory by bytes.
__device__ cuda::std::expected<int, char> half(int i) {
  if (i % 2) return cuda::std::unexpected('o');
  return i / 2;
}
__global__ void view(cuda::std::mdspan<int, cuda::std::extents<int, cuda::std::dynamic_extent, 4>> rows, int *out) {
  cuda::std::mdspan<int, cuda::std::dextents<int, 2>, cuda::std::layout_left> columns(out, rows.extent(0), rows.extent(1));
  int r = threadIdx.x / 4, c = threadIdx.x % 4;
  rows(r, c) = 10 * r + c;
  columns(r, c) = half(c).value_or(half(c).error_or('x')) + (int)rows.size() * rows.stride(0);
  std::memcpy(&out[8 + threadIdx.x], &rows(r, c), sizeof(int));
  out[16 + threadIdx.x] = __dp4a(make_char4(1, 2, 3, r), make_char4(1, 1, -1, c), 100) + __dp2a_hi(make_short2(r, 3), make_char4(9, 9, 2, c), 0);
}

int main() {
  int *memory;
  cudaMallocManaged(&memory, 40 * sizeof(int));
  use<<<1, 1>>>({10, 20, 30}, cuda::std::span<int>(memory, 40));
  cudaDeviceSynchronize();
  if (memory[0] != 10 + 1 + 2 + 4 + 0 + 1 + 3 + 1 || memory[16] != 1000) printf("%d %d\n", memory[0], memory[16]);
  onTarget<<<1, 1>>>(cuda::annotated_ptr<int, cuda::access_property::persisting>(memory));
  cudaDeviceSynchronize();
  if (side() != 1 || !waited() || memory[0] != 2 || memory[1] != 4) printf("%d %d %d\n", side(), memory[0], memory[1]);
  view<<<1, 8>>>(cuda::std::mdspan<int, cuda::std::extents<int, cuda::std::dynamic_extent, 4>>(memory, 2), memory + 8);
  cudaDeviceSynchronize();
  for (int i = 0; i < 8; i++) {
    int r = i / 4, c = i % 4;
    if (memory[i] != 10 * r + c || memory[8 + c * 2 + r] != (c % 2 ? 'o' : c / 2) + 32 || memory[16 + i] != memory[i] || memory[24 + i] != 100 + r * c + 2 * r + 3 * c) printf("view %d\n", i);
  }
  puts("done");
}
