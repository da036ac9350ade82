// libcu++'s plain classes in kernels.
#include <nv/target>

#include <cstdio>
#include <cuda/annotated_ptr>
#include <cuda/iterator>
#include <cuda/std/bitset>
#include <cuda/std/charconv>
#include <cuda/std/inplace_vector>
#include <cuda/stream_ref>
#include <cuda/version>
#include <cuda/warp>
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

// Bits, elements in place, numbers as text, computed sequences, and shuffles of anything.
struct Two {
  double a;
  short b;
};
__global__ void small(int *out) {
  cuda::std::bitset<70> bits;
  bits.set(3), bits[65] = true, bits.flip(0);
  out[0] = (int)bits.count() + 10 * (bits << 1).test(66) + 100 * (bits & ~bits).none() + 1000 * bits.all();
  cuda::std::inplace_vector<int, 4> v{1, 2, 3};
  v.insert(v.begin() + 1, 9), v.erase(v.begin());
  out[1] = v[0] * 100 + v[1] * 10 + v[2] + 1000 * (v.try_push_back(5) && !v.try_push_back(6));
  char text[8];
  int number = 0;
  auto end = cuda::std::to_chars(text, text + 8, -1234);
  auto read = cuda::std::from_chars(text, end.ptr, number);
  out[2] = read.ptr == end.ptr ? number : 0;
  out[3] = cuda::std::to_chars(text, text + 2, 255u, 8).ec == cuda::std::errc::value_too_large && cuda::std::from_chars(text, text, number).ec == cuda::std::errc::invalid_argument;
  auto squares = cuda::make_transform_iterator(cuda::counting_iterator<int>(5), [] __device__(int i) { return i * i; });
  out[4] = squares[2] + cuda::constant_iterator<int>(3)[7];
}
__global__ void shuffled(int *out) {
  Two mine = {threadIdx.x + 0.5, (short)threadIdx.x};
  auto next = cuda::device::warp_shuffle_down(mine, 1);
  out[threadIdx.x] = (int)(2 * next.data.a) + 100 * next.data.b + 10000 * next.pred + 100000 * cuda::device::warp_match_all(7.5);
}

// What only device code can call, called through the library.
struct Twice {
  __device__ int operator()(int x) const { return 2 * x; }
  __device__ int operator()(float x) const { return -2 * (int)x; }
};
template <class F> __device__ cuda::std::invoke_result_t<F, int> call(F f, int x) { return f(x); }
__global__ void called(int *out) {
  static_assert(cuda::std::is_invocable_r_v<int, Twice, int> && !cuda::std::is_invocable_v<Twice, int *>);
  cuda::std::variant<int, float> v = 2.0f;
  out[0] = call(Twice(), 1) + 10 * cuda::std::apply(Twice(), cuda::std::make_tuple(2)) + 100 * cuda::std::visit(Twice(), v);
}
static_assert(CCCL_MAJOR_VERSION == 2 && CUB_VERSION == 200700);

int main() {
  int *memory;
  cudaMallocManaged(&memory, 40 * sizeof(int));
  cuda::stream_ref stream(cudaStreamPerThread);
  called<<<1, 1, 0, stream.get()>>>(memory);
  stream.wait();
  if (!stream.ready() || stream == cuda::stream_ref() || stream.priority() != 0) puts("stream");
  if (memory[0] != 2 + 40 - 400) printf("called %d\n", memory[0]);
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
  small<<<1, 1>>>(memory);
  cudaDeviceSynchronize();
  if (memory[0] != 113 || memory[1] != 1923 || memory[2] != -1234 || memory[3] != 1 || memory[4] != 52)
    printf("small %d %d %d %d %d\n", memory[0], memory[1], memory[2], memory[3], memory[4]);
  shuffled<<<1, 32>>>(memory);
  cudaDeviceSynchronize();
  if (memory[0] != 110103 || memory[31] != 103163) printf("shuffled %d %d\n", memory[0], memory[31]);
  puts("done");
}
