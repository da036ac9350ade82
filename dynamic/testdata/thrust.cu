// Thrust's vectors and algorithms against those of the host.
#include <algorithm>
#include <cstdio>
#include <deque>
#include <iterator>
#include <list>
#include <numeric>
#include <sstream>
#include <vector>
#include <thrust/complex.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/iterator_adaptor.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/set_operations.h>
#include <thrust/shuffle.h>
#include <thrust/sort.h>
#include <thrust/system/cuda/error.h>
#include <thrust/system_error.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>
#include <thrust/universal_vector.h>

#define CHECK(condition) \
  if (!(condition)) printf("line %d: %s\n", __LINE__, #condition)

struct axpy {
  float a;
  __device__ float operator()(float x, float y) const { return a * x + y; }
};
struct odd {
  __host__ __device__ bool operator()(int x) const { return x % 2; }
};
struct squared {
  __device__ int operator()(int x) const { return x * x; }
};
struct row {
  int width;
  __host__ __device__ int operator()(int i) { return i / width; }  // not const, as in Thrust's own examples
};
struct downwards {
  __device__ bool operator()(int x, int y) const { return x > y; }
};
struct product {
  template <class T> __host__ __device__ int operator()(const T &t) const { return thrust::get<0>(t) * thrust::get<1>(t); }
};
template <class I> __global__ void increment(I first, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) first[i] += 1;
}

// Each thread works on a row of its own, by algorithms that it calls.
__global__ void rows(int *all, int w, int *wrong) {
  int *row = all + threadIdx.x * w, *copied = all + (blockDim.x + threadIdx.x) * w;
  auto same = [&](bool condition, int line) { if (!condition) *wrong = line; };
  thrust::copy(thrust::seq, row, row + w, copied);
  same(thrust::equal(thrust::seq, row, row + w, copied), __LINE__);
  thrust::sort(thrust::seq, row, row + w, thrust::greater<int>());
  same(thrust::is_sorted(thrust::seq, row, row + w, thrust::greater<int>()), __LINE__);
  same(*thrust::max_element(thrust::device, copied, copied + w) == row[0], __LINE__);
  thrust::sort(copied, copied + w);
  same(thrust::reduce(thrust::seq, row, row + w) == thrust::reduce(thrust::seq, copied, copied + w, 0, thrust::plus<int>()), __LINE__);
  int *end = thrust::unique(thrust::seq, copied, copied + w), *at = thrust::lower_bound(thrust::seq, copied, end, row[0]);
  same(at + 1 == end && thrust::find(thrust::seq, copied, end, row[0]) == at, __LINE__);
  thrust::transform(thrust::seq, row, row + w, row, thrust::negate<int>());
  int sum = thrust::count_if(thrust::seq, row, row + w, odd());
  thrust::inclusive_scan(thrust::seq, row, row + w, row);
  same(sum <= w && row[w - 1] <= row[0], __LINE__);
  thrust::for_each(thrust::seq, row, row + w, [](int &x) { x = 5; });
  same(thrust::count(thrust::seq, row, row + w, 5) == w, __LINE__);
}

void checkRows() {
  thrust::device_vector<int> all(2 * 8 * 20), wrong(1, 0);
  for (int i = 0; i < 8 * 20; i++) all[i] = i * 7919 % 31;
  rows<<<1, 8>>>(thrust::raw_pointer_cast(all.data()), 20, thrust::raw_pointer_cast(wrong.data()));
  CHECK(wrong[0] == 0);
}

// Each element a number of times.
template <class I> class repeated : public thrust::iterator_adaptor<repeated<I>, I> {
  I first;
  int times;
  friend class thrust::iterator_core_access;
  __host__ __device__ typename repeated::super_t::reference dereference() const { return first[(this->base() - first) / times]; }

 public:
  __host__ __device__ repeated(I i, int times) : repeated::super_t(i), first(i), times(times) {}
};
struct byFirst {
  template <class T> __host__ __device__ bool operator()(const T &a, const T &b) const { return thrust::get<0>(a) < thrust::get<0>(b); }
};

int main() {
  checkRows();
  const int n = 1000;
  std::vector<int> want(n);
  for (int i = 0; i < n; i++) want[i] = i * 7919 % 257;
  thrust::host_vector<int> from(want), h;
  thrust::device_vector<int> d = from, index(n), keys;
  auto same = [&] {
    h = d;
    return h.size() == want.size() && std::equal(h.begin(), h.end(), want.begin());
  };
  CHECK(same());

  thrust::sequence(index.begin(), index.end());
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return want[a] < want[b]; });
  thrust::sort_by_key(d.begin(), d.end(), index.begin());
  std::sort(want.begin(), want.end());
  CHECK(same());
  h = index;
  CHECK(std::equal(h.begin(), h.end(), order.begin()));
  thrust::sort(thrust::device, d.begin(), d.end(), thrust::greater<int>());
  std::reverse(want.begin(), want.end());
  CHECK(same());

  increment<<<4, 256>>>(thrust::raw_pointer_cast(d.data()), n);
  increment<<<4, 256>>>(d.begin(), n);
  for (int &v : want) v += 2;
  CHECK(same());
  d[7] = 5000;
  d[8] += 1;
  want[7] = 5000, want[8]++;
  CHECK(d[7] == 5000 && same());

  CHECK(thrust::reduce(d.begin(), d.end()) == std::accumulate(want.begin(), want.end(), 0));
  CHECK(thrust::reduce(d.begin(), d.end(), -1, thrust::maximum<int>()) == 5000);
  CHECK(thrust::max_element(d.begin(), d.end()) - d.begin() == 7);
  CHECK(*thrust::min_element(d.begin(), d.end()) == *std::min_element(want.begin(), want.end()));
  CHECK(thrust::count_if(d.begin(), d.end(), odd()) == std::count_if(want.begin(), want.end(), odd()));
  CHECK(thrust::find(d.begin(), d.end(), 5000) - d.begin() == 7);
  CHECK(thrust::transform_reduce(thrust::make_counting_iterator(0), thrust::make_counting_iterator(10), thrust::square<int>(), 0, thrust::plus<int>()) == 285);
  auto pairs = thrust::make_zip_iterator(thrust::make_tuple(d.begin(), index.begin()));
  int sum = 0;
  for (int i = 0; i < n; i++) sum += want[i] * order[i];
  CHECK(thrust::transform_reduce(pairs, pairs + n, product(), 0, thrust::plus<int>()) == sum);
  CHECK(thrust::inner_product(d.begin(), d.end(), index.begin(), 0) == sum);
  auto picked = thrust::make_permutation_iterator(d.begin(), index.begin());
  CHECK(picked[3] == want[order[3]]);

  thrust::device_vector<float> x(8, 2), y(8, 1);
  thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), axpy{3});
  CHECK(y[7] == 7.0f);

  thrust::exclusive_scan(d.begin(), d.end(), d.begin());
  for (int i = 0, before = 0; i < n; i++) {
    int v = want[i];
    want[i] = before;
    before += v;
  }
  CHECK(same());
  thrust::inclusive_scan(d.begin(), d.end(), d.begin(), thrust::maximum<int>());
  CHECK(same());

  d.erase(thrust::remove_if(d.begin(), d.end(), odd()), d.end());
  want.erase(std::remove_if(want.begin(), want.end(), odd()), want.end());
  CHECK(same());
  keys.assign(d.begin(), d.end());
  thrust::transform(keys.begin(), keys.end(), keys.begin(), [] __host__ __device__(int v) { return v / 1000; });
  thrust::device_vector<int> groups(keys.size()), counts(keys.size());
  auto ends = thrust::reduce_by_key(keys.begin(), keys.end(), thrust::make_constant_iterator(1), groups.begin(), counts.begin());
  CHECK(thrust::reduce(counts.begin(), ends.second) == (int)want.size());
  CHECK(thrust::unique(keys.begin(), keys.end()) - keys.begin() == ends.first - groups.begin());

  int *memory;
  cudaMalloc(&memory, 100 * sizeof(int));
  thrust::device_ptr<int> p(memory);
  thrust::fill(p, p + 100, 7);
  thrust::for_each(thrust::device, memory, memory + 100, [] __device__(int &v) { v *= 2; });
  std::vector<int> back(100);
  thrust::copy(p, p + 100, back.begin());
  CHECK(std::count(back.begin(), back.end(), 14) == 100);
  thrust::sort(back.begin(), back.end());

  std::vector<int> a{1, 2, 2, 3, 5, 5, 5, 9}, b{2, 3, 3, 5, 5, 8}, sets(14), wantSets(14);
  thrust::device_vector<int> da(a.begin(), a.end()), db(b.begin(), b.end()), dc(14);
  auto alike = [&](thrust::device_vector<int>::iterator end, std::vector<int>::iterator wantEnd) {
    thrust::copy(dc.begin(), end, sets.begin());
    return end - dc.begin() == wantEnd - wantSets.begin() && std::equal(wantSets.begin(), wantEnd, sets.begin());
  };
#define SETS(name) \
  CHECK(alike(thrust::name(da.begin(), da.end(), db.begin(), db.end(), dc.begin()), std::name(a.begin(), a.end(), b.begin(), b.end(), wantSets.begin())))
  SETS(set_difference);
  SETS(set_intersection);
  SETS(set_union);
  SETS(set_symmetric_difference);
  CHECK(!thrust::includes(da.begin(), da.end(), db.begin(), db.end()) && thrust::includes(da.begin(), da.end(), da.begin() + 2, da.begin() + 5));

  thrust::device_vector<int> r(da.rbegin(), da.rend());
  CHECK(r[0] == 9 && r[7] == 1);
  thrust::sort(da.rbegin(), da.rend());  // from the last down
  CHECK(da[0] == 9 && da[7] == 1);
  CHECK(thrust::mismatch(da.begin(), da.end(), r.begin()).first == da.end());
  r[5] = 7;
  auto differ = thrust::mismatch(da.begin(), da.end(), r.begin());
  CHECK(differ.first - da.begin() == 5 && differ.second - r.begin() == 5);
  CHECK(thrust::find_if_not(da.begin(), da.end(), odd()) - da.begin() == 5);
  CHECK(thrust::is_sorted_until(r.begin(), r.end(), thrust::greater<int>()) - r.begin() == 5);
  auto equals = [](const thrust::device_vector<int> &v, std::vector<int> all) { return std::vector<int>(v.begin(), v.end()) == all; };
  thrust::reverse_copy(da.begin(), da.end(), r.begin());
  CHECK(equals(r, {1, 2, 2, 3, 5, 5, 5, 9}));
  thrust::replace_copy(da.begin(), da.end(), r.begin(), 5, 4);
  CHECK(equals(r, {9, 4, 4, 4, 3, 2, 2, 1}));
  thrust::replace_copy_if(da.begin(), da.end(), r.begin(), odd(), 0);
  CHECK(equals(r, {0, 0, 0, 0, 0, 2, 2, 0}));
  CHECK(thrust::remove_copy(da.begin(), da.end(), r.begin(), 5) - r.begin() == 5);
  thrust::device_vector<int> map{7, 6, 5, 4, 3, 2, 1, 0}, stencil{1, 0, 0, 0, 0, 0, 0, 1};
  thrust::gather_if(map.begin(), map.end(), stencil.begin(), da.begin(), r.begin());
  CHECK(r[0] == 1 && r[7] == 9);
  thrust::scatter_if(map.begin(), map.end(), map.begin(), map.begin(), r.begin(), odd());
  CHECK(r[7] == 7 && r[5] == 5 && r[6] != 6);

  {
    using namespace thrust::placeholders;
    thrust::device_vector<int> x{1, 2, 3, 4}, y{5, 6, 7, 8};
    int k = 3;
    thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), k * _1 - (_2 + 1) / 2);
    CHECK(equals(y, {0, 3, 5, 8}));
    CHECK(thrust::count_if(y.begin(), y.end(), _1 > 2 && !(_1 == 5)) == 2);
    CHECK(thrust::reduce(y.begin(), y.end(), 1, _1 + _2 % 4) == 1 + 0 + 3 + 1 + 0);
    thrust::for_each(y.begin(), y.end(), _1 += 2);
    CHECK(equals(y, {2, 5, 7, 10}) && thrust::find_if(y.begin(), y.end(), -_1 <= -6) - y.begin() == 2);
  }

  auto rowOf = thrust::make_transform_iterator(thrust::make_counting_iterator(0), row{4});
  thrust::device_vector<int> rowSums(2);
  thrust::reduce_by_key(rowOf, rowOf + 8, thrust::make_constant_iterator(3), thrust::make_discard_iterator(), rowSums.begin());
  CHECK(equals(rowSums, {12, 12}));
  thrust::device_vector<double> wide(rowSums);
  wide.insert(wide.begin() + 1, 0.5);
  wide.insert(wide.end(), 2, 7.0);
  swap(wide[0], wide[1]);
  CHECK(wide.size() == 5 && wide[0] == 0.5 && wide[1] == 12 && wide[2] == 12 && wide[4] == 7);

  // Functions that only the device has.
  thrust::sequence(da.begin(), da.end(), 1);
  auto squares = thrust::make_transform_iterator(da.begin(), squared());
  CHECK(thrust::reduce(squares, squares + 8) == 204);
  thrust::sort(da.begin(), da.end(), downwards());
  CHECK(thrust::lower_bound(da.begin(), da.end(), 6, downwards()) - da.begin() == 2 && thrust::binary_search(da.begin(), da.end(), 1, downwards()));
  thrust::device_vector<bool> found(2);
  thrust::device_vector<int> sought{8, 9}, places(2);
  thrust::binary_search(da.begin(), da.end(), sought.begin(), sought.end(), found.begin(), downwards());
  thrust::upper_bound(da.begin(), da.end(), sought.begin(), sought.end(), places.begin(), downwards());
  CHECK(found[0] && !found[1] && places[0] == 1 && places[1] == 0);
  auto range = thrust::equal_range(da.begin(), da.end(), 5, thrust::greater<int>());
  CHECK(range.first - da.begin() == 3 && range.second - da.begin() == 4);
  thrust::copy(da.begin(), da.end(), thrust::make_transform_output_iterator(r.begin(), squared()));
  CHECK(r[0] == 64 && r[7] == 1);
  CHECK(!thrust::equal(da.begin(), da.end(), r.begin(), thrust::greater_equal<int>()));
  auto parts = thrust::partition_copy(da.begin(), da.end(), r.begin(), map.begin(), odd());
  CHECK(parts.first - r.begin() == 4 && parts.second - map.begin() == 4 && r[0] == 7 && map[0] == 8);
  CHECK(!thrust::is_partitioned(da.begin(), da.end(), odd()));
  stencil = std::vector<int>{0, 1, 0, 0, 0, 0, 0, 1};
  CHECK(thrust::stable_partition(da.begin(), da.end(), stencil.begin(), odd()) - da.begin() == 2);
  CHECK(equals(da, {7, 1, 8, 6, 5, 4, 3, 2}));
  thrust::shuffle(da.begin(), da.end(), thrust::default_random_engine(7));
  CHECK(thrust::reduce(da.begin(), da.end()) == 36);
  std::list<int> listed{4, 5, 6};
  thrust::universal_vector<int> shared(3);
  thrust::device_vector<int> unlisted(listed.begin(), listed.end());
  thrust::copy(listed.begin(), listed.end(), shared.begin());
  unlisted.insert(unlisted.begin() + 1, listed.begin(), listed.end());
  CHECK(equals(unlisted, {4, 4, 5, 6, 5, 6}) && shared[2] == 6);
  thrust::shuffle(shared.begin(), shared.end(), thrust::default_random_engine(7));
  CHECK(thrust::reduce(shared.begin(), shared.end()) == 15);
  std::deque<float> queue{1, 2};
  thrust::device_vector<float> queued(queue.begin(), queue.end());
  std::ostringstream written;
  thrust::copy(unlisted.begin(), unlisted.end() - 3, std::ostream_iterator<int>(written, ","));
  thrust::copy(unlisted.begin() + 3, unlisted.end(), listed.begin());
  thrust::copy(queued.begin(), queued.end(), std::back_inserter(queue));
  CHECK(written.str() == "4,4,5," && listed.front() == 6 && queue.size() == 4 && queue[3] == 2);
  thrust::device_vector<int> tens(2, 10);
  thrust::replace_if(tens.begin(), tens.end(), sought.begin(), odd(), 0);
  CHECK(tens[0] == 10 && tens[1] == 0);
  repeated<thrust::device_vector<int>::iterator> twice(sought.begin(), 2);
  thrust::copy(twice, twice + 4, r.begin());
  CHECK(r[0] == 8 && r[1] == 8 && r[2] == 9 && r[3] == 9 && thrust::reduce(twice + 1, twice + 4) == 26);
  thrust::device_vector<int> heads{3, 1, 2}, tails{30, 10, 20};
  auto zipped = thrust::make_zip_iterator(thrust::make_tuple(heads.begin(), tails.begin()));
  thrust::sort(zipped, zipped + 3, byFirst());
  CHECK(equals(tails, {10, 20, 30}));
  typedef thrust::complex<double> complex;
  CHECK(thrust::abs(thrust::pow(complex(0, 1), 3) + complex(0, 1)) < 1e-12 && thrust::abs(thrust::sin(thrust::asin(complex(0.5, 2))) - complex(0.5, 2)) < 1e-12);
  CHECK(thrust::abs(thrust::tan(thrust::atan(complex(0.3, 0.4))) - complex(0.3, 0.4)) < 1e-12 && thrust::abs(thrust::cosh(thrust::acosh(complex(2, -1))) - complex(2, -1)) < 1e-12);
  try {
    throw thrust::system_error(cudaErrorInvalidValue, thrust::cuda_category(), "here");
  } catch (const thrust::system_error &e) {
    CHECK(std::string(e.what()) == "here: invalid argument" && e.code().value() == cudaErrorInvalidValue);
  }
  puts("done");
}
