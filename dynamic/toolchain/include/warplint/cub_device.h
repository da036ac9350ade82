// CUB's algorithms for a whole device (https://nvidia.github.io/cccl/cub), as far as programs use them. A thread works on a
// run of elements, so that a few short kernels do what CUB does; what they allocate is the caller's temporary storage.
#pragma once
#include <cstdio>
#include <functional>
#include <iterator>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>
#include "../cuda_runtime.h"

namespace cub {

struct Difference {
  template <class T> __host__ __device__ T operator()(const T &a, const T &b) const { return a - b; }
};

// What stands for elements without storing them.
#define WARPLINT_CUB_ITERATOR(name, value)                                                                        \
  typedef name self_type;                                                                                         \
  typedef ptrdiff_t difference_type;                                                                              \
  typedef value value_type;                                                                                       \
  typedef value reference;                                                                                        \
  typedef void pointer;                                                                                           \
  typedef std::random_access_iterator_tag iterator_category;                                                      \
  __host__ __device__ value operator*() const { return (*this)[0]; }                                              \
  __host__ __device__ name operator+(ptrdiff_t n) const { name i = *this; return i.move(n), i; }                  \
  __host__ __device__ name operator-(ptrdiff_t n) const { name i = *this; return i.move(-n), i; }                 \
  __host__ __device__ name &operator+=(ptrdiff_t n) { return move(n), *this; }                                    \
  __host__ __device__ name &operator-=(ptrdiff_t n) { return move(-n), *this; }                                   \
  __host__ __device__ name &operator++() { return move(1), *this; }                                               \
  __host__ __device__ name operator++(int) { name i = *this; return move(1), i; }

template <class T, class D = ptrdiff_t> class CountingInputIterator {
  T at_;
  __host__ __device__ void move(ptrdiff_t n) { at_ += n; }

 public:
  WARPLINT_CUB_ITERATOR(CountingInputIterator, T)
  __host__ __device__ CountingInputIterator(T at) : at_(at) {}
  __host__ __device__ T operator[](ptrdiff_t i) const { return at_ + (T)i; }
};
template <class T, class D = ptrdiff_t> class ConstantInputIterator {
  T value_;
  __host__ __device__ void move(ptrdiff_t) {}

 public:
  WARPLINT_CUB_ITERATOR(ConstantInputIterator, T)
  __host__ __device__ ConstantInputIterator(T v, ptrdiff_t = 0) : value_(v) {}
  __host__ __device__ T operator[](ptrdiff_t) const { return value_; }
};
template <class V, class F, class I, class D = ptrdiff_t> class TransformInputIterator {
  I in_;
  F f_;
  __host__ __device__ void move(ptrdiff_t n) { in_ += n; }

 public:
  WARPLINT_CUB_ITERATOR(TransformInputIterator, V)
  __host__ __device__ TransformInputIterator(I in, F f) : in_(in), f_(f) {}
  __host__ __device__ V operator[](ptrdiff_t i) const { F f = f_; return f(in_[i]); }
};
template <class I, class D = ptrdiff_t, class V = typename std::iterator_traits<I>::value_type> class ArgIndexInputIterator {
  I in_;
  ptrdiff_t at_ = 0;
  __host__ __device__ void move(ptrdiff_t n) { at_ += n; }

 public:
  typedef KeyValuePair<D, V> pair;
  WARPLINT_CUB_ITERATOR(ArgIndexInputIterator, pair)
  __host__ __device__ ArgIndexInputIterator(I in, ptrdiff_t at = 0) : in_(in), at_(at) {}
  __host__ __device__ pair operator[](ptrdiff_t i) const { return pair((D)(at_ + i), in_[at_ + i]); }
};
enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };
template <CacheLoadModifier M, class I> __device__ auto ThreadLoad(I from) {
  typedef typename std::iterator_traits<I>::value_type value;
  if constexpr (M == LOAD_VOLATILE) return (value) * (const volatile value *)&*from;
  else return (value)*from;
}
template <CacheStoreModifier M, class I, class V> __device__ void ThreadStore(I to, V v) {
  if constexpr (M == STORE_VOLATILE) *(volatile typename std::iterator_traits<I>::value_type *)&*to = v;
  else *to = v;
}
template <CacheLoadModifier M, class T, class D = ptrdiff_t> class CacheModifiedInputIterator {
  const T *in_;
  __host__ __device__ void move(ptrdiff_t n) { in_ += n; }

 public:
  WARPLINT_CUB_ITERATOR(CacheModifiedInputIterator, T)
  __host__ __device__ CacheModifiedInputIterator(const T *in) : in_(in) {}
  __device__ T operator[](ptrdiff_t i) const { return in_[i]; }
};
#undef WARPLINT_CUB_ITERATOR
template <class D = ptrdiff_t> struct DiscardOutputIterator {
  typedef void value_type;
  struct ignored {
    template <class T> __host__ __device__ const ignored &operator=(const T &) const { return *this; }
  };
  __host__ __device__ DiscardOutputIterator(D = 0) {}
  __host__ __device__ ignored operator*() const { return {}; }
  __host__ __device__ ignored operator[](ptrdiff_t) const { return {}; }
  __host__ __device__ DiscardOutputIterator operator+(ptrdiff_t) const { return *this; }
};

template <class T> struct DoubleBuffer {
  T *d_buffers[2];
  int selector = 0;
  __host__ __device__ DoubleBuffer(T *current = nullptr, T *alternate = nullptr) : d_buffers{current, alternate} {}
  __host__ __device__ T *Current() const { return d_buffers[selector]; }
  __host__ __device__ T *Alternate() const { return d_buffers[selector ^ 1]; }
};

inline cudaError_t Debug(cudaError_t error, const char *file, int line) {
  if (error != cudaSuccess) fprintf(stderr, "CUDA error %d [%s, %d]: %s\n", (int)error, file, line, cudaGetErrorString(error));
  return error;
}
#define CubDebug(e) ::cub::Debug((cudaError_t)(e), __FILE__, __LINE__)
#define CubDebugExit(e) \
  if (::cub::Debug((cudaError_t)(e), __FILE__, __LINE__)) exit(1)

struct CachingDeviceAllocator {
  bool debug;
  CachingDeviceAllocator(bool = false, bool debug = false) : debug(debug) {}
  CachingDeviceAllocator(unsigned, unsigned = 1, unsigned = ~0u, size_t = ~(size_t)0, bool = false, bool debug = false) : debug(debug) {}
  cudaError_t DeviceAllocate(void **p, size_t bytes, cudaStream_t = 0) { return cudaMalloc(p, bytes); }
  cudaError_t DeviceAllocate(int, void **p, size_t bytes, cudaStream_t = 0) { return cudaMalloc(p, bytes); }
  cudaError_t DeviceFree(void *p) { return cudaFree(p); }
  cudaError_t DeviceFree(int, void *p) { return cudaFree(p); }
  cudaError_t FreeAllCached() { return cudaSuccess; }
};

namespace whole {

template <class F> __global__ void run(size_t n, F f) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) f(i);
}
// each calls f with each number below n, a thread for each.
template <class F> cudaError_t each(size_t n, cudaStream_t stream, F f) {
  if (n) run<<<(unsigned)((n + 255) / 256), n < 256 ? (unsigned)n : 256, 0, stream>>>(n, f);
  return cudaPeekAtLastError();
}
template <class I> using value_of = typename std::iterator_traits<I>::value_type;

// What a function returns, which may be for the device alone: host code may name the call in a function for both sides only.
template <class F, class... A> __host__ __device__ auto called(F &f, A... a) { return f(a...); }
template <class F, class... A> using result = typename std::decay<decltype(called(std::declval<F &>(), std::declval<A>()...))>::type;

// parts of the caller's storage; without storage they say how much it takes.
struct parts {
  char *at;
  size_t used = 0;
  explicit parts(void *p) : at((char *)p) {}
  template <class T> T *take(size_t n) {
    used = (used + 255) / 256 * 256;
    T *p = at ? (T *)(at + used) : nullptr;
    return used += n * sizeof(T), p;
  }
};
#define WARPLINT_CUB_STORAGE(p)                       \
  if (!temp) return bytes = p.used + 1, cudaSuccess;  \
  if (bytes < p.used) return cudaErrorInvalidValue;

// runs are how n elements are shared out: a thread has those from begin to end.
struct runs {
  size_t n, count, each;
  explicit runs(size_t n) : n(n), count(n / 64 < 1 ? 1 : n / 64 > 1024 ? 1024 : n / 64), each((n + count - 1) / count) {}
  __host__ __device__ size_t begin(size_t run) const { return run * each < n ? run * each : n; }
  __host__ __device__ size_t end(size_t run) const { return begin(run + 1); }
};

template <class I, class O, class T, class Op, class F>
cudaError_t reduce(void *temp, size_t &bytes, I in, O out, size_t n, Op op, T init, bool hasInit, F f, cudaStream_t stream) {
  typedef result<Op, T, result<F, value_of<I>>> A;
  parts p(temp);
  runs r(n);
  A *sums = p.take<A>(r.count);
  WARPLINT_CUB_STORAGE(p)
  if (n) each(r.count, stream, [=] __device__(size_t c) mutable {
    if (r.begin(c) == r.end(c)) return;
    A sum = f(in[r.begin(c)]);
    for (size_t i = r.begin(c) + 1; i < r.end(c); i++) sum = op(sum, f(in[i]));
    sums[c] = sum;
  });
  return each(1, stream, [=] __device__(size_t) mutable {
    if (hasInit || n == 0) {
      A sum = init;
      for (size_t c = 0; r.begin(c) < r.end(c); c++) sum = op(sum, sums[c]);
      *out = sum;
    } else {
      A sum = sums[0];
      for (size_t c = 1; r.begin(c) < r.end(c); c++) sum = op(sum, sums[c]);
      *out = sum;
    }
  });
}
struct same {
  template <class T> __host__ __device__ T operator()(T v) const { return v; }
};

template <class I, class O, class T, class Op>
cudaError_t scan(void *temp, size_t &bytes, I in, O out, size_t n, Op op, T init, bool hasInit, bool exclusive, cudaStream_t stream) {
  typedef result<Op, T, value_of<I>> A;
  parts p(temp);
  runs r(n);
  A *sums = p.take<A>(r.count);
  WARPLINT_CUB_STORAGE(p)
  if (n == 0) return cudaSuccess;
  each(r.count, stream, [=] __device__(size_t c) mutable {
    if (r.begin(c) == r.end(c)) return;
    A sum = in[r.begin(c)];
    for (size_t i = r.begin(c) + 1; i < r.end(c); i++) sum = op(sum, in[i]);
    sums[c] = sum;
  });
  each(1, stream, [=] __device__(size_t) mutable {  // a sum becomes that of all runs before
    A before = init;
    bool any = hasInit;
    for (size_t c = 0; r.begin(c) < r.end(c); c++) {
      A sum = sums[c];
      sums[c] = before;
      before = any ? op(before, sum) : sum, any = true;
    }
  });
  return each(r.count, stream, [=] __device__(size_t c) mutable {
    A sum = sums[c];
    bool any = hasInit || c > 0;
    for (size_t i = r.begin(c); i < r.end(c); i++) {
      A v = in[i];
      if (exclusive) out[i] = sum;
      sum = any ? op(sum, v) : v, any = true;
      if (!exclusive) out[i] = sum;
    }
  });
}
template <class K, class I, class O, class T, class Op, class E>
cudaError_t scan_by_key(void *temp, size_t &bytes, K keys, I in, O out, size_t n, Op op, T init, bool exclusive, E equal, cudaStream_t stream) {
  parts p(temp);
  WARPLINT_CUB_STORAGE(p)
  return each(n ? 1 : 0, stream, [=] __device__(size_t) mutable {
    T sum = init;
    for (size_t i = 0; i < n; i++) {
      bool first = i == 0 || !equal(keys[i - 1], keys[i]);
      T v = in[i];
      if (first) sum = init;
      if (exclusive) out[i] = sum;
      sum = first && !exclusive ? v : op(sum, v);
      if (!exclusive) out[i] = sum;
    }
  });
}

// compact calls put with each element that stays and its new place, drop with the others and how many were dropped before.
template <class Keep, class Put, class Drop, class Count>
cudaError_t compact(void *temp, size_t &bytes, size_t n, Keep keep, Put put, Drop drop, Count count, cudaStream_t stream) {
  parts p(temp);
  runs r(n);
  size_t *kept = p.take<size_t>(r.count);
  WARPLINT_CUB_STORAGE(p)
  if (n) each(r.count, stream, [=] __device__(size_t c) mutable {
    size_t sum = 0;
    for (size_t i = r.begin(c); i < r.end(c); i++) sum += (bool)keep(i);
    kept[c] = sum;
  });
  each(1, stream, [=] __device__(size_t) mutable {
    size_t before = 0;
    for (size_t c = 0; n && c < r.count; c++) {
      size_t sum = kept[c];
      kept[c] = before, before += sum;
    }
    *count = before;
  });
  if (n) each(r.count, stream, [=] __device__(size_t c) mutable {
    size_t at = kept[c];
    for (size_t i = r.begin(c); i < r.end(c); i++)
      if (keep(i)) put(i, at++);
      else drop(i, i - at);
  });
  return cudaPeekAtLastError();
}
struct nothing {
  __device__ void operator()(size_t, size_t) const {}
};

// The bits of a key in an order in which unsigned numbers are sorted as the keys are.
template <size_t N> struct unsigned_of;
template <> struct unsigned_of<1> { typedef unsigned char type; };
template <> struct unsigned_of<2> { typedef unsigned short type; };
template <> struct unsigned_of<4> { typedef unsigned int type; };
template <> struct unsigned_of<8> { typedef unsigned long long type; };
template <class K> __device__ typename unsigned_of<sizeof(K)>::type ordered(K key) {
  typedef typename unsigned_of<sizeof(K)>::type U;
  U bits, top = (U)((U)1 << (8 * sizeof(U) - 1));
  memcpy(&bits, &key, sizeof bits);
  if (std::is_integral<K>::value) return std::is_signed<K>::value ? (U)(bits ^ top) : bits;
  if (bits == top) bits = 0;  // -0 is 0
  return bits & top ? (U)~bits : (U)(bits | top);
}

// radix sorts by 8 bits at a time, from the lowest on: the first pass writes to keys[1], the next to keys[0].
template <class K, class V>
cudaError_t radix(size_t *counters, runs r, const K *from, const V *valuesFrom, K *const keys[2], V *const values[2], int begin, int end, bool descending, cudaStream_t stream) {
  for (int bit = begin, pass = 0; bit < end || pass == 0; bit += 8, pass++) {
    const K *in = pass ? keys[pass & 1] : from;
    const V *valuesIn = pass && valuesFrom ? values[pass & 1] : valuesFrom;
    K *out = keys[~pass & 1];
    V *valuesOut = values[~pass & 1];
    int width = end - bit < 8 ? end - bit : 8;
    unsigned mask = width <= 0 ? 0 : (1u << width) - 1;
    auto digit = [=] __device__(K key) -> unsigned {
      unsigned d = mask ? (unsigned)(ordered(key) >> bit) & mask : 0;
      return descending ? mask - d : d;
    };
    each(r.count, stream, [=] __device__(size_t c) {
      for (unsigned d = 0; d <= mask; d++) counters[d * r.count + c] = 0;
      for (size_t i = r.begin(c); i < r.end(c); i++) counters[digit(in[i]) * r.count + c]++;
    });
    each(1, stream, [=] __device__(size_t) {
      size_t before = 0;
      for (size_t k = 0; k < (mask + 1) * r.count; k++) {
        size_t count = counters[k];
        counters[k] = before, before += count;
      }
    });
    each(r.count, stream, [=] __device__(size_t c) {
      for (size_t i = r.begin(c); i < r.end(c); i++) {
        K key = in[i];
        size_t at = counters[digit(key) * r.count + c]++;
        out[at] = key;
        if (valuesIn) valuesOut[at] = valuesIn[i];
      }
    });
  }
  return cudaPeekAtLastError();
}
inline int passes(int begin, int end) { return end - begin > 8 ? (end - begin + 7) / 8 : 1; }
inline runs few(size_t n) {
  runs r(n);
  return r.count > 128 ? (r.count = 128, r.each = (n + 127) / 128, r) : r;
}
template <class K, class V>
cudaError_t radix(void *temp, size_t &bytes, const K *in, K *out, const V *valuesIn, V *valuesOut, size_t n, int begin, int end, bool descending, cudaStream_t stream) {
  parts p(temp);
  runs r = few(n);
  size_t *counters = p.take<size_t>(256 * r.count);
  K *moreKeys = p.take<K>(n);
  V *moreValues = p.take<V>(valuesIn ? n : 0);
  WARPLINT_CUB_STORAGE(p)
  if (n == 0) return cudaSuccess;
  bool odd = passes(begin, end) & 1;
  K *keys[2] = {odd ? moreKeys : out, odd ? out : moreKeys};
  V *values[2] = {odd ? moreValues : valuesOut, odd ? valuesOut : moreValues};
  return radix(counters, r, in, valuesIn, keys, values, begin, end, descending, stream);
}
template <class K, class V>
cudaError_t radix(void *temp, size_t &bytes, DoubleBuffer<K> &keys, DoubleBuffer<V> *values, size_t n, int begin, int end, bool descending, cudaStream_t stream) {
  parts p(temp);
  runs r = few(n);
  size_t *counters = p.take<size_t>(256 * r.count);
  WARPLINT_CUB_STORAGE(p)
  if (n == 0) return cudaSuccess;
  K *k[2] = {keys.Current(), keys.Alternate()};
  V *v[2] = {values ? values->Current() : nullptr, values ? values->Alternate() : nullptr};
  cudaError_t error = radix(counters, r, (const K *)k[0], (const V *)v[0], k, v, begin, end, descending, stream);
  if (passes(begin, end) & 1) {
    keys.selector ^= 1;
    if (values) values->selector ^= 1;
  }
  return error;
}

// merge sorts a range by one thread, stably, with as much room besides.
template <class K, class V, class Less> __device__ void merge(K *keys, V *values, K *moreKeys, V *moreValues, size_t n, Less less) {
  K *from = keys, *to = moreKeys;
  V *valuesFrom = values, *valuesTo = moreValues;
  for (size_t width = 1; width < n; width *= 2) {
    for (size_t base = 0; base < n; base += 2 * width) {
      size_t middle = base + width < n ? base + width : n, end = base + 2 * width < n ? base + 2 * width : n;
      for (size_t i = base, j = middle, at = base; at < end; at++) {
        size_t k = j == end || (i < middle && !less(from[j], from[i])) ? i++ : j++;
        to[at] = from[k];
        if (values) valuesTo[at] = valuesFrom[k];
      }
    }
    K *k = from;
    from = to, to = k;
    V *v = valuesFrom;
    valuesFrom = valuesTo, valuesTo = v;
  }
  for (size_t i = 0; from != keys && i < n; i++) {
    keys[i] = from[i];
    if (values) values[i] = valuesFrom[i];
  }
}
// merge_sort sorts a range by many threads: each element finds its place in the neighbouring run.
template <class K, class V, class Less> cudaError_t merge_sort(void *temp, size_t &bytes, K keys, V values, size_t n, Less less, cudaStream_t stream) {
  typedef value_of<K> Key;
  typedef value_of<V> Value;
  parts p(temp);
  Key *moreKeys = p.take<Key>(n);
  Value *moreValues = p.take<Value>(n);
  WARPLINT_CUB_STORAGE(p)
  for (size_t width = 1; width < n; width *= 2) {
    each(n, stream, [=] __device__(size_t i) mutable {
      size_t base = i / (2 * width) * 2 * width, middle = base + width < n ? base + width : n, end = base + 2 * width < n ? base + 2 * width : n;
      bool left = i < middle;
      Key key = keys[i];
      size_t low = left ? middle : base, high = left ? end : middle, start = low;
      while (low < high) {
        size_t at = (low + high) / 2;
        bool before = left ? less(keys[at], key) : !less(key, keys[at]);
        if (before) low = at + 1;
        else high = at;
      }
      size_t at = left ? i + (low - start) : i - middle + low;
      moreKeys[at] = key, moreValues[at] = values[i];
    });
    each(n, stream, [=] __device__(size_t i) mutable { keys[i] = moreKeys[i], values[i] = moreValues[i]; });
  }
  return cudaPeekAtLastError();
}
}  // namespace whole

struct DeviceReduce {
  template <class I, class O, class Op, class T, class N>
  static cudaError_t Reduce(void *temp, size_t &bytes, I in, O out, N n, Op op, T init, cudaStream_t stream = 0, bool = false) {
    return whole::reduce(temp, bytes, in, out, n, op, init, true, whole::same(), stream);
  }
  template <class I, class O, class Op, class F, class T, class N>
  static cudaError_t TransformReduce(void *temp, size_t &bytes, I in, O out, N n, Op op, F f, T init, cudaStream_t stream = 0) {
    return whole::reduce(temp, bytes, in, out, n, op, init, true, f, stream);
  }
  template <class I, class O, class N> static cudaError_t Sum(void *temp, size_t &bytes, I in, O out, N n, cudaStream_t stream = 0, bool = false) {
    return Reduce(temp, bytes, in, out, n, cub::Sum(), whole::value_of<I>{}, stream);
  }
  template <class I, class O, class N> static cudaError_t Min(void *temp, size_t &bytes, I in, O out, N n, cudaStream_t stream = 0, bool = false) {
    typedef std::numeric_limits<whole::value_of<I>> limits;
    return whole::reduce(temp, bytes, in, out, n, cub::Min(), limits::max(), false, whole::same(), stream);
  }
  template <class I, class O, class N> static cudaError_t Max(void *temp, size_t &bytes, I in, O out, N n, cudaStream_t stream = 0, bool = false) {
    typedef std::numeric_limits<whole::value_of<I>> limits;
    return whole::reduce(temp, bytes, in, out, n, cub::Max(), limits::lowest(), false, whole::same(), stream);
  }
  template <class I, class O, class N> static cudaError_t ArgMin(void *temp, size_t &bytes, I in, O out, N n, cudaStream_t stream = 0, bool = false) {
    typedef KeyValuePair<int, whole::value_of<I>> P;
    return whole::reduce(temp, bytes, ArgIndexInputIterator<I, int>(in), out, n, cub::ArgMin(), P(1, std::numeric_limits<whole::value_of<I>>::max()), false, whole::same(), stream);
  }
  template <class I, class O, class N> static cudaError_t ArgMax(void *temp, size_t &bytes, I in, O out, N n, cudaStream_t stream = 0, bool = false) {
    typedef KeyValuePair<int, whole::value_of<I>> P;
    return whole::reduce(temp, bytes, ArgIndexInputIterator<I, int>(in), out, n, cub::ArgMax(), P(1, std::numeric_limits<whole::value_of<I>>::lowest()), false, whole::same(), stream);
  }
  template <class K, class KO, class I, class O, class C, class Op, class N>
  static cudaError_t ReduceByKey(void *temp, size_t &bytes, K keys, KO keysOut, I values, O out, C count, Op op, N n, cudaStream_t stream = 0, bool = false) {
    size_t items = n;
    auto first = [=] __device__(size_t i) { return i == 0 || !(keys[i - 1] == keys[i]); };
    return whole::compact(temp, bytes, items, first, [=] __device__(size_t i, size_t at) mutable {
      keysOut[at] = keys[i];
      typename std::decay<decltype(op(values[0], values[0]))>::type sum = values[i];
      for (size_t j = i + 1; j < items && keys[j] == keys[i]; j++) sum = op(sum, values[j]);
      out[at] = sum;
    }, whole::nothing(), count, stream);
  }
};

struct DeviceScan {
  template <class I, class O, class N> static cudaError_t ExclusiveSum(void *temp, size_t &bytes, I in, O out, N n, cudaStream_t stream = 0, bool = false) {
    return whole::scan(temp, bytes, in, out, n, cub::Sum(), whole::value_of<I>{}, true, true, stream);
  }
  template <class I, class O, class N> static cudaError_t InclusiveSum(void *temp, size_t &bytes, I in, O out, N n, cudaStream_t stream = 0, bool = false) {
    return whole::scan(temp, bytes, in, out, n, cub::Sum(), whole::value_of<I>{}, false, false, stream);
  }
  template <class I, class N> static cudaError_t ExclusiveSum(void *temp, size_t &bytes, I data, N n, cudaStream_t stream = 0) { return ExclusiveSum(temp, bytes, data, data, n, stream); }
  template <class I, class N> static cudaError_t InclusiveSum(void *temp, size_t &bytes, I data, N n, cudaStream_t stream = 0) { return InclusiveSum(temp, bytes, data, data, n, stream); }
  template <class I, class O, class Op, class T, class N>
  static cudaError_t ExclusiveScan(void *temp, size_t &bytes, I in, O out, Op op, T init, N n, cudaStream_t stream = 0, bool = false) {
    return whole::scan(temp, bytes, in, out, n, op, init, true, true, stream);
  }
  template <class I, class O, class Op, class N>
  static cudaError_t InclusiveScan(void *temp, size_t &bytes, I in, O out, Op op, N n, cudaStream_t stream = 0, bool = false) {
    return whole::scan(temp, bytes, in, out, n, op, whole::value_of<I>{}, false, false, stream);
  }
  template <class I, class O, class Op, class T, class N>
  static cudaError_t InclusiveScanInit(void *temp, size_t &bytes, I in, O out, Op op, T init, N n, cudaStream_t stream = 0) {
    return whole::scan(temp, bytes, in, out, n, op, init, true, false, stream);
  }
  template <class K, class I, class O, class N, class E = Equality>
  static cudaError_t ExclusiveSumByKey(void *temp, size_t &bytes, K keys, I in, O out, N n, E equal = E(), cudaStream_t stream = 0) {
    return whole::scan_by_key(temp, bytes, keys, in, out, n, cub::Sum(), whole::value_of<I>{}, true, equal, stream);
  }
  template <class K, class I, class O, class N, class E = Equality>
  static cudaError_t InclusiveSumByKey(void *temp, size_t &bytes, K keys, I in, O out, N n, E equal = E(), cudaStream_t stream = 0) {
    return whole::scan_by_key(temp, bytes, keys, in, out, n, cub::Sum(), whole::value_of<I>{}, false, equal, stream);
  }
  template <class K, class I, class O, class Op, class T, class N, class E = Equality>
  static cudaError_t ExclusiveScanByKey(void *temp, size_t &bytes, K keys, I in, O out, Op op, T init, N n, E equal = E(), cudaStream_t stream = 0) {
    return whole::scan_by_key(temp, bytes, keys, in, out, n, op, init, true, equal, stream);
  }
  template <class K, class I, class O, class Op, class N, class E = Equality>
  static cudaError_t InclusiveScanByKey(void *temp, size_t &bytes, K keys, I in, O out, Op op, N n, E equal = E(), cudaStream_t stream = 0) {
    return whole::scan_by_key(temp, bytes, keys, in, out, n, op, whole::value_of<I>{}, false, equal, stream);
  }
};

struct DeviceRadixSort {
#define WARPLINT_CUB_SORT(suffix, descending)                                                                                       \
  template <class K, class N>                                                                                                       \
  static cudaError_t SortKeys##suffix(void *temp, size_t &bytes, const K *in, K *out, N n, int begin = 0, int end = 8 * sizeof(K), cudaStream_t stream = 0, bool = false) { \
    return whole::radix(temp, bytes, in, out, (const char *)nullptr, (char *)nullptr, n, begin, end, descending, stream);           \
  }                                                                                                                                 \
  template <class K, class N>                                                                                                       \
  static cudaError_t SortKeys##suffix(void *temp, size_t &bytes, DoubleBuffer<K> &keys, N n, int begin = 0, int end = 8 * sizeof(K), cudaStream_t stream = 0, bool = false) { \
    return whole::radix(temp, bytes, keys, (DoubleBuffer<char> *)nullptr, n, begin, end, descending, stream);                        \
  }                                                                                                                                 \
  template <class K, class V, class N>                                                                                              \
  static cudaError_t SortPairs##suffix(void *temp, size_t &bytes, const K *in, K *out, const V *valuesIn, V *valuesOut, N n, int begin = 0, int end = 8 * sizeof(K), cudaStream_t stream = 0, bool = false) { \
    return whole::radix(temp, bytes, in, out, valuesIn, valuesOut, n, begin, end, descending, stream);                               \
  }                                                                                                                                 \
  template <class K, class V, class N>                                                                                              \
  static cudaError_t SortPairs##suffix(void *temp, size_t &bytes, DoubleBuffer<K> &keys, DoubleBuffer<V> &values, N n, int begin = 0, int end = 8 * sizeof(K), cudaStream_t stream = 0, bool = false) { \
    return whole::radix(temp, bytes, keys, &values, n, begin, end, descending, stream);                                              \
  }
  WARPLINT_CUB_SORT(, false)
  WARPLINT_CUB_SORT(Descending, true)
#undef WARPLINT_CUB_SORT
};

struct DeviceMergeSort {
  template <class K, class N, class C> static cudaError_t SortKeys(void *temp, size_t &bytes, K keys, N n, C less, cudaStream_t stream = 0, bool = false) {
    return whole::merge_sort(temp, bytes, keys, keys, n, less, stream);
  }
  template <class K, class N, class C> static cudaError_t StableSortKeys(void *temp, size_t &bytes, K keys, N n, C less, cudaStream_t stream = 0, bool = false) {
    return SortKeys(temp, bytes, keys, n, less, stream);
  }
  template <class K, class V, class N, class C> static cudaError_t SortPairs(void *temp, size_t &bytes, K keys, V values, N n, C less, cudaStream_t stream = 0, bool = false) {
    return whole::merge_sort(temp, bytes, keys, values, n, less, stream);
  }
  template <class K, class V, class N, class C> static cudaError_t StableSortPairs(void *temp, size_t &bytes, K keys, V values, N n, C less, cudaStream_t stream = 0, bool = false) {
    return SortPairs(temp, bytes, keys, values, n, less, stream);
  }
};

struct DeviceSelect {
  template <class I, class F, class O, class C, class N>
  static cudaError_t Flagged(void *temp, size_t &bytes, I in, F flags, O out, C count, N n, cudaStream_t stream = 0, bool = false) {
    return whole::compact(temp, bytes, n, [=] __device__(size_t i) { return (bool)flags[i]; },
                          [=] __device__(size_t i, size_t at) mutable { out[at] = in[i]; }, whole::nothing(), count, stream);
  }
  template <class I, class O, class C, class N, class P>
  static cudaError_t If(void *temp, size_t &bytes, I in, O out, C count, N n, P p, cudaStream_t stream = 0, bool = false) {
    return whole::compact(temp, bytes, n, [=] __device__(size_t i) mutable { return (bool)p(in[i]); },
                          [=] __device__(size_t i, size_t at) mutable { out[at] = in[i]; }, whole::nothing(), count, stream);
  }
  template <class I, class O, class C, class N>
  static cudaError_t Unique(void *temp, size_t &bytes, I in, O out, C count, N n, cudaStream_t stream = 0, bool = false) {
    return whole::compact(temp, bytes, n, [=] __device__(size_t i) { return i == 0 || !(in[i - 1] == in[i]); },
                          [=] __device__(size_t i, size_t at) mutable { out[at] = in[i]; }, whole::nothing(), count, stream);
  }
  template <class K, class V, class KO, class VO, class C, class N>
  static cudaError_t UniqueByKey(void *temp, size_t &bytes, K keys, V values, KO keysOut, VO out, C count, N n, cudaStream_t stream = 0, bool = false) {
    return whole::compact(temp, bytes, n, [=] __device__(size_t i) { return i == 0 || !(keys[i - 1] == keys[i]); },
                          [=] __device__(size_t i, size_t at) mutable { keysOut[at] = keys[i], out[at] = values[i]; }, whole::nothing(), count, stream);
  }
};

struct DevicePartition {
  template <class I, class F, class O, class C, class N>
  static cudaError_t Flagged(void *temp, size_t &bytes, I in, F flags, O out, C count, N n, cudaStream_t stream = 0, bool = false) {
    size_t items = n;
    return whole::compact(temp, bytes, items, [=] __device__(size_t i) { return (bool)flags[i]; },
                          [=] __device__(size_t i, size_t at) mutable { out[at] = in[i]; },
                          [=] __device__(size_t i, size_t dropped) mutable { out[items - 1 - dropped] = in[i]; }, count, stream);
  }
  template <class I, class O, class C, class N, class P>
  static cudaError_t If(void *temp, size_t &bytes, I in, O out, C count, N n, P p, cudaStream_t stream = 0, bool = false) {
    size_t items = n;
    return whole::compact(temp, bytes, items, [=] __device__(size_t i) mutable { return (bool)p(in[i]); },
                          [=] __device__(size_t i, size_t at) mutable { out[at] = in[i]; },
                          [=] __device__(size_t i, size_t dropped) mutable { out[items - 1 - dropped] = in[i]; }, count, stream);
  }
};

struct DeviceRunLengthEncode {
  template <class I, class O, class L, class C, class N>
  static cudaError_t Encode(void *temp, size_t &bytes, I in, O unique, L lengths, C count, N n, cudaStream_t stream = 0, bool = false) {
    size_t items = n;
    return whole::compact(temp, bytes, items, [=] __device__(size_t i) { return i == 0 || !(in[i - 1] == in[i]); },
                          [=] __device__(size_t i, size_t at) mutable {
      size_t end = i + 1;
      while (end < items && in[end] == in[i]) end++;
      unique[at] = in[i], lengths[at] = end - i;
    }, whole::nothing(), count, stream);
  }
  template <class I, class O, class L, class C, class N>
  static cudaError_t NonTrivialRuns(void *temp, size_t &bytes, I in, O offsets, L lengths, C count, N n, cudaStream_t stream = 0, bool = false) {
    size_t items = n;
    return whole::compact(temp, bytes, items,
                          [=] __device__(size_t i) { return (i == 0 || !(in[i - 1] == in[i])) && i + 1 < items && in[i + 1] == in[i]; },
                          [=] __device__(size_t i, size_t at) mutable {
      size_t end = i + 1;
      while (end < items && in[end] == in[i]) end++;
      offsets[at] = i, lengths[at] = end - i;
    }, whole::nothing(), count, stream);
  }
};

namespace whole {
template <class I> struct channel {
  typedef ptrdiff_t difference_type;
  typedef typename std::iterator_traits<I>::value_type value_type;
  typedef value_type reference;
  typedef void pointer;
  typedef std::random_access_iterator_tag iterator_category;
  I samples;
  int channels, c;
  __host__ __device__ value_type operator[](ptrdiff_t i) const { return samples[i * channels + c]; }
};
}  // namespace whole

struct DeviceHistogram {
  template <int Channels, int Active, class I, class C, class L, class N>
  static cudaError_t MultiHistogramEven(void *temp, size_t &bytes, I samples, C *const histograms[Active], const int levels[Active], const L lower[Active], const L upper[Active], N pixels, cudaStream_t stream = 0, bool = false);
  template <class I, class C, class L, class N>
  static cudaError_t HistogramEven(void *temp, size_t &bytes, I samples, C *histogram, int levels, L lower, L upper, N n, cudaStream_t stream = 0, bool = false) {
    whole::parts p(temp);
    WARPLINT_CUB_STORAGE(p)
    int bins = levels - 1;
    whole::each(bins, stream, [=] __device__(size_t i) { histogram[i] = 0; });
    return whole::each(n, stream, [=] __device__(size_t i) {
      typedef typename std::common_type<L, whole::value_of<I>>::type T;
      T v = samples[i];
      if (v < (T)lower || !(v < (T)upper)) return;
      int bin = std::is_integral<T>::value ? (int)((unsigned long long)(v - (T)lower) * bins / (unsigned long long)(upper - lower))
                                            : (int)((v - (T)lower) * ((T)bins / (T)(upper - lower)));
      atomicAdd(&histogram[bin < bins ? bin : bins - 1], (C)1);
    });
  }
  template <class I, class C, class L, class N>
  static cudaError_t HistogramRange(void *temp, size_t &bytes, I samples, C *histogram, int levels, const L *bounds, N n, cudaStream_t stream = 0, bool = false) {
    whole::parts p(temp);
    WARPLINT_CUB_STORAGE(p)
    whole::each(levels - 1, stream, [=] __device__(size_t i) { histogram[i] = 0; });
    return whole::each(n, stream, [=] __device__(size_t i) {
      int bin = -1;
      while (bin + 1 < levels && !((L)samples[i] < bounds[bin + 1])) bin++;
      if (bin >= 0 && bin < levels - 1) atomicAdd(&histogram[bin], (C)1);
    });
  }
};

// Histograms of some of the channels that lie one behind another.
template <int Channels, int Active, class I, class C, class L, class N>
cudaError_t DeviceHistogram::MultiHistogramEven(void *temp, size_t &bytes, I samples, C *const histograms[Active], const int levels[Active], const L lower[Active], const L upper[Active], N pixels, cudaStream_t stream, bool) {
  whole::parts p(temp);
  WARPLINT_CUB_STORAGE(p)
  cudaError_t error = cudaSuccess;
  for (int c = 0; c < Active && error == cudaSuccess; c++) error = HistogramEven(temp, bytes, whole::channel<I>{samples, Channels, c}, histograms[c], levels[c], lower[c], upper[c], pixels, stream);
  return error;
}

struct DeviceSegmentedReduce {
  template <class I, class O, class B, class E, class Op, class T>
  static cudaError_t Reduce(void *temp, size_t &bytes, I in, O out, int segments, B begins, E ends, Op op, T init, cudaStream_t stream = 0, bool = false) {
    whole::parts p(temp);
    WARPLINT_CUB_STORAGE(p)
    return whole::each(segments, stream, [=] __device__(size_t s) mutable {
      typename std::decay<decltype(op(init, in[0]))>::type sum = init;
      for (size_t i = begins[s]; i < (size_t)ends[s]; i++) sum = op(sum, in[i]);
      out[s] = sum;
    });
  }
  template <class I, class O, class B, class E> static cudaError_t Sum(void *temp, size_t &bytes, I in, O out, int segments, B begins, E ends, cudaStream_t stream = 0, bool = false) {
    return Reduce(temp, bytes, in, out, segments, begins, ends, cub::Sum(), whole::value_of<I>{}, stream);
  }
  template <class I, class O, class B, class E> static cudaError_t Min(void *temp, size_t &bytes, I in, O out, int segments, B begins, E ends, cudaStream_t stream = 0, bool = false) {
    return Reduce(temp, bytes, in, out, segments, begins, ends, cub::Min(), std::numeric_limits<whole::value_of<I>>::max(), stream);
  }
  template <class I, class O, class B, class E> static cudaError_t Max(void *temp, size_t &bytes, I in, O out, int segments, B begins, E ends, cudaStream_t stream = 0, bool = false) {
    return Reduce(temp, bytes, in, out, segments, begins, ends, cub::Max(), std::numeric_limits<whole::value_of<I>>::lowest(), stream);
  }
};

struct DeviceSegmentedRadixSort {
 private:
  template <class K, class V, class B, class E>
  static cudaError_t sort(void *temp, size_t &bytes, const K *in, K *out, const V *valuesIn, V *valuesOut, size_t n, int segments, B begins, E ends, int begin, int end, bool descending, cudaStream_t stream) {
    whole::parts p(temp);
    K *moreKeys = p.take<K>(n);
    V *moreValues = p.take<V>(valuesIn ? n : 0);
    WARPLINT_CUB_STORAGE(p)
    return whole::each(segments, stream, [=] __device__(size_t s) {
      typedef typename whole::unsigned_of<sizeof(K)>::type U;
      size_t from = begins[s], to = ends[s];
      for (size_t i = from; i < to; i++) {
        out[i] = in[i];
        if (valuesIn) valuesOut[i] = valuesIn[i];
      }
      U mask = end - begin >= (int)(8 * sizeof(U)) ? (U)~(U)0 : (U)((((U)1 << (end - begin)) - 1) << begin);
      if (from < to) whole::merge(out + from, valuesIn ? valuesOut + from : nullptr, moreKeys + from, moreValues + from, to - from, [=](const K &a, const K &b) {
        U x = whole::ordered(a) & mask, y = whole::ordered(b) & mask;
        return descending ? y < x : x < y;
      });
    });
  }

 public:
#define WARPLINT_CUB_SORT(suffix, descending)                                                                                       \
  template <class K, class B, class E>                                                                                              \
  static cudaError_t SortKeys##suffix(void *temp, size_t &bytes, const K *in, K *out, long long n, int segments, B begins, E ends, int begin = 0, int end = 8 * sizeof(K), cudaStream_t stream = 0) { \
    return sort(temp, bytes, in, out, (const char *)nullptr, (char *)nullptr, n, segments, begins, ends, begin, end, descending, stream); \
  }                                                                                                                                 \
  template <class K, class V, class B, class E>                                                                                     \
  static cudaError_t SortPairs##suffix(void *temp, size_t &bytes, const K *in, K *out, const V *valuesIn, V *valuesOut, long long n, int segments, B begins, E ends, int begin = 0, int end = 8 * sizeof(K), cudaStream_t stream = 0) { \
    return sort(temp, bytes, in, out, valuesIn, valuesOut, n, segments, begins, ends, begin, end, descending, stream);               \
  }
  WARPLINT_CUB_SORT(, false)
  WARPLINT_CUB_SORT(Descending, true)
#undef WARPLINT_CUB_SORT
};
struct DeviceSegmentedSort {
#define WARPLINT_CUB_SORT(name, as)                                                                                                 \
  template <class K, class B, class E>                                                                                              \
  static cudaError_t name(void *temp, size_t &bytes, const K *in, K *out, long long n, int segments, B begins, E ends, cudaStream_t stream = 0) { \
    return DeviceSegmentedRadixSort::as(temp, bytes, in, out, n, segments, begins, ends, 0, 8 * sizeof(K), stream);                  \
  }
#define WARPLINT_CUB_SORT_PAIRS(name, as)                                                                                           \
  template <class K, class V, class B, class E>                                                                                     \
  static cudaError_t name(void *temp, size_t &bytes, const K *in, K *out, const V *valuesIn, V *valuesOut, long long n, int segments, B begins, E ends, cudaStream_t stream = 0) { \
    return DeviceSegmentedRadixSort::as(temp, bytes, in, out, valuesIn, valuesOut, n, segments, begins, ends, 0, 8 * sizeof(K), stream); \
  }
  WARPLINT_CUB_SORT(SortKeys, SortKeys)
  WARPLINT_CUB_SORT(StableSortKeys, SortKeys)
  WARPLINT_CUB_SORT(SortKeysDescending, SortKeysDescending)
  WARPLINT_CUB_SORT(StableSortKeysDescending, SortKeysDescending)
  WARPLINT_CUB_SORT_PAIRS(SortPairs, SortPairs)
  WARPLINT_CUB_SORT_PAIRS(StableSortPairs, SortPairs)
  WARPLINT_CUB_SORT_PAIRS(SortPairsDescending, SortPairsDescending)
  WARPLINT_CUB_SORT_PAIRS(StableSortPairsDescending, SortPairsDescending)
#undef WARPLINT_CUB_SORT
#undef WARPLINT_CUB_SORT_PAIRS
};

// A matrix by rows, of its elements that are not zero, times a vector.
struct DeviceSpmv {
  template <class V> static cudaError_t CsrMV(void *temp, size_t &bytes, const V *values, const int *rows, const int *columns, const V *x, V *y, int height, int, int, cudaStream_t stream = 0, bool = false) {
    whole::parts p(temp);
    WARPLINT_CUB_STORAGE(p)
    return whole::each(height, stream, [=] __device__(size_t row) {
      V sum = 0;
      for (int i = rows[row]; i < rows[row + 1]; i++) sum += values[i] * x[columns[i]];
      y[row] = sum;
    });
  }
};

struct DeviceAdjacentDifference {
  template <class I, class O, class N, class F = Difference>
  static cudaError_t SubtractLeftCopy(void *temp, size_t &bytes, I in, O out, N n, F f = F(), cudaStream_t stream = 0) {
    whole::parts p(temp);
    WARPLINT_CUB_STORAGE(p)
    return whole::each(n, stream, [=] __device__(size_t i) mutable { out[i] = i ? f(in[i], in[i - 1]) : in[i]; });
  }
  template <class I, class O, class N, class F = Difference>
  static cudaError_t SubtractRightCopy(void *temp, size_t &bytes, I in, O out, N n, F f = F(), cudaStream_t stream = 0) {
    whole::parts p(temp);
    WARPLINT_CUB_STORAGE(p)
    size_t items = n;
    return whole::each(items, stream, [=] __device__(size_t i) mutable { out[i] = i + 1 < items ? f(in[i], in[i + 1]) : in[i]; });
  }
};

struct DeviceFor {
  template <class N, class F> static cudaError_t Bulk(N n, F f, cudaStream_t stream = 0) {
    return whole::each(n, stream, [=] __device__(size_t i) mutable { f((N)i); });
  }
  template <class N, class F> static cudaError_t Bulk(void *temp, size_t &bytes, N n, F f, cudaStream_t stream = 0) {
    return temp ? Bulk(n, f, stream) : (bytes = 1, cudaSuccess);
  }
  template <class I, class N, class F> static cudaError_t ForEachN(I first, N n, F f, cudaStream_t stream = 0) {
    return whole::each(n, stream, [=] __device__(size_t i) mutable { f(first[i]); });
  }
  template <class I, class F> static cudaError_t ForEach(I first, I last, F f, cudaStream_t stream = 0) { return ForEachN(first, (size_t)(last - first), f, stream); }
};

struct DeviceTransform {
  template <class... I, class O, class N, class F> static cudaError_t Transform(std::tuple<I...> in, O out, N n, F f, cudaStream_t stream = 0) {
    return std::apply([=](auto... each) { return whole::each(n, stream, [=] __device__(size_t i) mutable { out[i] = f(each[i]...); }); }, in);
  }
  template <class I, class O, class N, class F> static cudaError_t Transform(I in, O out, N n, F f, cudaStream_t stream = 0) {
    return whole::each(n, stream, [=] __device__(size_t i) mutable { out[i] = f(in[i]); });
  }
  template <class I, class O, class N, class F> static cudaError_t TransformStableArgumentAddresses(I in, O out, N n, F f, cudaStream_t stream = 0) {
    return Transform(in, out, n, f, stream);
  }
  template <class O, class N, class F> static cudaError_t Generate(O out, N n, F f, cudaStream_t stream = 0) {
    return whole::each(n, stream, [=] __device__(size_t i) mutable { out[i] = f(); });
  }
  template <class O, class N, class V> static cudaError_t Fill(O out, N n, V v, cudaStream_t stream = 0) {
    return whole::each(n, stream, [=] __device__(size_t i) mutable { out[i] = v; });
  }
};

// Two sorted ranges become one: a thread for each element finds how many of the other range stand before it.
struct DeviceMerge {
  template <class I, class J, class O, class Less = std::less<>>
  static cudaError_t MergeKeys(void *temp, size_t &bytes, I a, long long n, J b, long long m, O out, Less less = Less(), cudaStream_t stream = 0) {
    return merge(temp, bytes, a, n, b, m, less, stream, [=] __device__(size_t to, bool first, size_t from) mutable {
      if (first) out[to] = a[from];
      else out[to] = b[from];
    });
  }
  template <class I, class V, class J, class W, class O, class P, class Less = std::less<>>
  static cudaError_t MergePairs(void *temp, size_t &bytes, I a, V av, long long n, J b, W bv, long long m, O out, P outValues, Less less = Less(), cudaStream_t stream = 0) {
    return merge(temp, bytes, a, n, b, m, less, stream, [=] __device__(size_t to, bool first, size_t from) mutable {
      if (first) out[to] = a[from], outValues[to] = av[from];
      else out[to] = b[from], outValues[to] = bv[from];
    });
  }

 private:
  template <class I, class J, class Less, class Put>
  static cudaError_t merge(void *temp, size_t &bytes, I a, size_t n, J b, size_t m, Less less, cudaStream_t stream, Put put) {
    whole::parts p(temp);
    WARPLINT_CUB_STORAGE(p)
    return whole::each(n + m, stream, [=] __device__(size_t i) mutable {
      bool first = i < n;
      if (!first) i -= n;
      size_t low = 0, high = first ? m : n;
      while (low < high) {  // of equal elements those of the first range come first
        size_t middle = (low + high) / 2;
        if (first ? less(b[middle], a[i]) : !less(b[i], a[middle])) low = middle + 1;
        else high = middle;
      }
      put(i + low, first, i);
    });
  }
};

// Many ranges are copied, a block for each.
struct DeviceCopy {
  template <class I, class O, class S>
  static cudaError_t Batched(void *temp, size_t &bytes, I in, O out, S sizes, long long ranges, cudaStream_t stream = 0) {
    whole::parts p(temp);
    WARPLINT_CUB_STORAGE(p)
    if (ranges) whole::run<<<(unsigned)ranges, 256, 0, stream>>>(~(size_t)0, [=] __device__(size_t) mutable {
      for (size_t i = threadIdx.x; i < (size_t)sizes[blockIdx.x]; i += blockDim.x) out[blockIdx.x][i] = in[blockIdx.x][i];
    });
    return cudaPeekAtLastError();
  }
};
struct DeviceMemcpy {
  template <class I, class O, class S>
  static cudaError_t Batched(void *temp, size_t &bytes, I in, O out, S sizes, long long buffers, cudaStream_t stream = 0) {
    whole::parts p(temp);
    WARPLINT_CUB_STORAGE(p)
    if (buffers) whole::run<<<(unsigned)buffers, 256, 0, stream>>>(~(size_t)0, [=] __device__(size_t) mutable {
      for (size_t i = threadIdx.x; i < (size_t)sizes[blockIdx.x]; i += blockDim.x) ((char *)out[blockIdx.x])[i] = ((const char *)in[blockIdx.x])[i];
    });
    return cudaPeekAtLastError();
  }
};
#undef WARPLINT_CUB_STORAGE

}  // namespace cub
