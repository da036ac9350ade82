// CUB's algorithms for the whole device against the host's.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>
#include <cub/cub.cuh>
#include <cuda/std/tuple>

#define CHECK(condition) \
  if (!(condition)) printf("line %d: %s\n", __LINE__, #condition)

// Calls an algorithm as CUB wants it, first for the size of its storage.
template <class F> void twice(F f) {
  void *temp = nullptr;
  size_t bytes = 0;
  if (f(temp, bytes) != cudaSuccess || bytes == 0) printf("no size\n");
  cudaMalloc(&temp, bytes);
  cudaError_t error = f(temp, bytes);
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  if (error != cudaSuccess) printf("%s\n", cudaGetErrorString(error));
  cudaFree(temp);
}
#define RUN(algorithm, ...) twice([&](void *temp, size_t &bytes) { return cub::algorithm(temp, bytes, __VA_ARGS__); })

template <class T> T *managed(const std::vector<T> &v) {
  T *p;
  cudaMallocManaged(&p, (v.size() + 1) * sizeof(T));
  std::copy(v.begin(), v.end(), p);
  return p;
}
template <class T> T *managed(size_t n) { return managed(std::vector<T>(n)); }
template <class T> bool same(const T *p, const std::vector<T> &v) { return std::equal(v.begin(), v.end(), p); }

struct Odd {
  __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};
struct Larger {
  __host__ __device__ bool operator()(int a, int b) const { return a > b; }
};
struct Half {
  __host__ __device__ float operator()(int x) const { return 0.5f * x; }
};

struct Least {  // as CUB's own examples have it
  template <class T> __device__ __forceinline__ T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
__global__ void reversed(int *a) {
  __shared__ int s[64];
  s[threadIdx.x] = a[threadIdx.x];
  cub::CTA_SYNC();
  a[threadIdx.x] = s[63 - threadIdx.x];
}

static void checkSums(int n) {
  std::vector<int> v(n);
  for (int i = 0; i < n; i++) v[i] = (i * 7919) % 1009 - 500;
  int *in = managed(v), *out = managed<int>(n), *one = managed<int>(2);
  RUN(DeviceReduce::Sum, in, one, n);
  CHECK(*one == std::accumulate(v.begin(), v.end(), 0));
  if (n) RUN(DeviceReduce::Max, in, one, n);
  CHECK(!n || *one == *std::max_element(v.begin(), v.end()));
  RUN(DeviceReduce::Reduce, in, one, n, cub::Min(), -10);
  CHECK(*one == std::min(-10, n ? *std::min_element(v.begin(), v.end()) : 0));
  RUN(DeviceReduce::Reduce, in, one, n, Least(), -10);
  CHECK(*one == std::min(-10, n ? *std::min_element(v.begin(), v.end()) : 0));
  RUN(DeviceScan::InclusiveScan, in, out, Least(), n);
  CHECK(!n || out[n - 1] == *std::min_element(v.begin(), v.end()));
  cub::KeyValuePair<int, int> *best;
  cudaMallocManaged(&best, sizeof *best);
  if (n) RUN(DeviceReduce::ArgMin, in, best, n);
  CHECK(!n || best->key == std::min_element(v.begin(), v.end()) - v.begin());
  std::vector<int> sums(n);
  std::partial_sum(v.begin(), v.end(), sums.begin());
  RUN(DeviceScan::InclusiveSum, in, out, n);
  CHECK(same(out, sums));
  RUN(DeviceScan::ExclusiveScan, in, out, cub::Sum(), 100, n);
  CHECK(!n || (out[0] == 100 && out[n - 1] == 100 + sums[n - 1] - v[n - 1]));
  RUN(DeviceScan::ExclusiveSum, out, n);  // in place
  CHECK(n < 2 || (out[0] == 0 && out[1] == 100));
  float *halves = managed<float>(1);
  RUN(DeviceReduce::Sum, (cub::TransformInputIterator<float, Half, int *>(in, Half())), halves, n);
  CHECK(!n || *halves == 0.5f * sums[n - 1]);
  RUN(DeviceSelect::If, in, out, one, n, Odd());
  std::vector<int> odd;
  std::copy_if(v.begin(), v.end(), std::back_inserter(odd), Odd());
  CHECK(*one == (int)odd.size() && same(out, odd));
  RUN(DevicePartition::If, in, out, one, n, Odd());
  CHECK(*one == (int)odd.size() && same(out, odd) && std::none_of(out + *one, out + n, Odd()));
}

template <class K> static void checkSort(std::vector<K> v) {
  int n = v.size();
  std::vector<int> index(n);
  std::iota(index.begin(), index.end(), 0);
  K *in = managed(v), *out = managed<K>(n);
  int *values = managed(index), *moved = managed<int>(n);
  RUN(DeviceRadixSort::SortPairs, in, out, values, moved, n);
  std::stable_sort(index.begin(), index.end(), [&](int a, int b) { return v[a] < v[b]; });
  for (int i = 0; i < n; i++) CHECK(out[i] == v[index[i]] && moved[i] == index[i] && in[i] == v[i]);
  cub::DoubleBuffer<K> keys(in, out);
  RUN(DeviceRadixSort::SortKeysDescending, keys, n);
  std::sort(v.begin(), v.end(), [](K a, K b) { return a > b; });
  CHECK(same(keys.Current(), v));
}

int main() {
  for (int n : {0, 1, 63, 5000}) checkSums(n);
  std::vector<int> ints(3000);
  std::vector<float> floats(300);
  std::vector<unsigned char> bytes(200);
  std::vector<long long> longs(150);
  for (size_t i = 0; i < ints.size(); i++) ints[i] = (int)(i * 2654435761u) >> (i % 7);
  for (size_t i = 0; i < floats.size(); i++) floats[i] = ((int)(i * 7919 % 601) - 300) / 8.0f;
  for (size_t i = 0; i < bytes.size(); i++) bytes[i] = (unsigned char)(i * 77);
  for (size_t i = 0; i < longs.size(); i++) longs[i] = (long long)(i * 0x9e3779b97f4a7c15u);
  checkSort(ints);
  checkSort(floats);
  checkSort(bytes);
  checkSort(longs);

  int *in = managed(ints), *out = managed<int>(ints.size()), *one = managed<int>(1);
  RUN(DeviceRadixSort::SortKeys, in, out, ints.size(), 4, 12);
  CHECK(std::is_sorted(out, out + ints.size(), [](int a, int b) { return (((unsigned)a ^ 0x80000000u) >> 4 & 255) < (((unsigned)b ^ 0x80000000u) >> 4 & 255); }));
  RUN(DeviceMergeSort::SortKeys, in, ints.size(), Larger());
  CHECK(std::is_sorted(in, in + ints.size(), Larger()));

  int *keys = managed(std::vector<int>{4, 4, 7, 7, 7, 4, 9}), *unique = managed<int>(7), *counts = managed<int>(7);
  RUN(DeviceRunLengthEncode::Encode, keys, unique, counts, one, 7);
  CHECK(*one == 4 && same(unique, {4, 7, 4, 9}) && same(counts, {2, 3, 1, 1}));
  RUN(DeviceReduce::ReduceByKey, keys, unique, keys, counts, one, cub::Sum(), 7);
  CHECK(*one == 4 && same(unique, {4, 7, 4, 9}) && same(counts, {8, 21, 4, 9}));
  RUN(DeviceSelect::Unique, keys, unique, one, 7);
  CHECK(*one == 4 && same(unique, {4, 7, 4, 9}));
  char *flags = managed(std::vector<char>{1, 0, 0, 1, 0, 1, 1});
  RUN(DeviceSelect::Flagged, keys, flags, out, one, 7);
  CHECK(*one == 4 && same(out, {4, 7, 4, 9}));
  RUN(DeviceHistogram::HistogramEven, keys, counts, 4, 3, 9, 7);  // bins [3, 5), [5, 7) and [7, 9)
  CHECK(same(counts, {3, 0, 3}));
  int *offsets = managed(std::vector<int>{0, 3, 3, 7});
  RUN(DeviceSegmentedReduce::Sum, keys, out, 3, offsets, offsets + 1);
  CHECK(same(out, {15, 0, 27}));
  RUN(DeviceSegmentedRadixSort::SortKeysDescending, keys, out, 7, 3, offsets, offsets + 1);
  CHECK(same(out, {7, 4, 4, 9, 7, 7, 4}));
  RUN(DeviceScan::InclusiveSumByKey, keys, keys, out, 7);
  CHECK(same(out, {4, 8, 7, 14, 21, 4, 9}));
  float *numbers = managed(std::vector<float>{2, 3, 4}), *x = managed(std::vector<float>{1, 10, 100}), *y = managed<float>(3);
  RUN(DeviceSpmv::CsrMV, numbers, managed(std::vector<int>{0, 2, 2, 3}), managed(std::vector<int>{0, 2, 1}), x, y, 3, 3, 3);
  CHECK(same(y, {302, 0, 40}));
  unsigned char *colours = managed(std::vector<unsigned char>{1, 9, 5, 0, 3, 9, 200, 0});
  int *red = managed<int>(2), *blue = managed<int>(2), *histograms[2] = {red, blue}, levels[2] = {3, 3}, lower[2] = {0, 0}, upper[2] = {4, 16};
  auto both = [&](void *p, size_t &size) { return cub::DeviceHistogram::MultiHistogramEven<4, 2>(p, size, colours, histograms, levels, lower, upper, 2); };
  size_t room = 0;
  void *storage;
  CHECK(both(nullptr, room) == cudaSuccess && cudaMalloc(&storage, room) == cudaSuccess && both(storage, room) == cudaSuccess);
  cudaDeviceSynchronize();
  CHECK(same(red, {1, 1}) && same(blue, {0, 2}));
  std::vector<int> up(64);
  std::iota(up.begin(), up.end(), 0);
  int *turned = managed(up);
  reversed<<<1, 64>>>(turned);
  cudaDeviceSynchronize();
  CHECK(same(turned, std::vector<int>(up.rbegin(), up.rend())));
  int *ahead = managed(std::vector<int>{1, 4, 4, 9}), *beside = managed(std::vector<int>{0, 4, 10}), *merged = managed<int>(7), *marks = managed<int>(7);
  RUN(DeviceMerge::MergePairs, ahead, managed(std::vector<int>{1, 2, 3, 4}), 4, beside, managed(std::vector<int>{5, 6, 7}), 3, merged, marks);
  CHECK(same(merged, {0, 1, 4, 4, 4, 9, 10}) && same(marks, {5, 1, 2, 3, 6, 4, 7}));
  CHECK(cub::DeviceTransform::Transform(cuda::std::make_tuple(merged, marks), out, 7, cub::Difference()) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess);
  CHECK(same(out, {-5, 0, 2, 1, -2, 5, 3}));
  int **from = managed(std::vector<int *>{merged, marks}), **to = managed(std::vector<int *>{out + 3, out}), *lengths = managed(std::vector<int>{2, 3});
  RUN(DeviceCopy::Batched, from, to, lengths, 2);
  CHECK(same(out, {5, 1, 2, 0, 1, 5, 3}));
  RUN(DeviceMemcpy::Batched, to, from, managed(std::vector<int>{4, 8}), 2);
  CHECK(same(merged, {0, 1, 4}) && same(marks, {5, 1, 2}));
  printf("done\n");
}
