// Thrust's vectors and algorithms (https://nvidia.github.io/cccl/thrust), as far as programs use them. An algorithm on
// device memory is a kernel of one thread, or of a thread for each element where no element hangs on another.
#pragma once
#if __cplusplus < 201703L
#error "Thrust needs C++17, as it does since CUDA 13: simulate with --std c++17"
#else
#include <deque>
#include <iostream>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>
#include "../cuComplex.h"
#include "../cuda_runtime.h"

#include <cuda/version>

namespace thrust {

using ::std::get;
using ::std::make_pair;
using ::std::make_tuple;
using ::std::pair;
using ::std::error_code;
using ::std::iterator_traits;
using ::std::system_error;
using ::std::tie;
using ::std::tuple;
using ::std::tuple_element;
using ::std::tuple_size;

// Where memory is, and where a function runs.
enum class side { any, host, device };

struct host_policy {
  static constexpr side where = side::host;
};
struct device_policy {
  static constexpr side where = side::device;
  template <class... A> device_policy on(A &&...) const { return {}; }
  template <class A> device_policy operator()(A &&) const { return {}; }
};
inline constexpr host_policy host, seq;
inline constexpr device_policy device;
namespace cuda {
inline constexpr device_policy par, par_nosync;
}
namespace cuda_cub {
using cuda::par;
}


template <class T> class device_ptr;

// An element of device memory, seen from the host or the device.
template <class T> class device_reference {
  T *at_;

 public:
  typedef std::remove_const_t<T> value_type;
  __host__ __device__ explicit device_reference(T *at) : at_(at) {}
  device_reference(const device_reference &) = default;
  __host__ __device__ operator value_type() const {
#if defined(__CUDA_ARCH__)
    return *at_;
#else
    alignas(value_type) unsigned char bytes[sizeof(value_type)];
    cudaMemcpy(bytes, at_, sizeof bytes, cudaMemcpyDeviceToHost);
    return *reinterpret_cast<value_type *>(bytes);
#endif
  }
  __host__ __device__ const device_reference &operator=(const value_type &v) const {
#if defined(__CUDA_ARCH__)
    *at_ = v;
#else
    cudaMemcpy(at_, &v, sizeof v, cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
#endif
    return *this;
  }
  __host__ __device__ const device_reference &operator=(const device_reference &v) const { return *this = (value_type)v; }
  __host__ __device__ device_ptr<T> operator&() const { return device_ptr<T>(at_); }
  template <class V> __host__ __device__ const device_reference &operator+=(const V &v) const { return *this = (value_type)*this + v; }
  template <class V> __host__ __device__ const device_reference &operator-=(const V &v) const { return *this = (value_type)*this - v; }
  template <class V> __host__ __device__ const device_reference &operator*=(const V &v) const { return *this = (value_type)*this * v; }
  template <class V> __host__ __device__ const device_reference &operator/=(const V &v) const { return *this = (value_type)*this / v; }
  __host__ __device__ const device_reference &operator++() const { return *this += 1; }
  __host__ __device__ const device_reference &operator--() const { return *this -= 1; }
};
template <class T> __host__ __device__ void swap(device_reference<T> x, device_reference<T> y) {
  std::remove_const_t<T> old = x;
  x = (std::remove_const_t<T>)y, y = old;
}
template <class S, class T> S &operator<<(S &to, const device_reference<T> &r) {
  to << (std::remove_const_t<T>)r;
  return to;
}

// What iterators have that are a position and can be moved.
template <class Self> struct moves {
  friend __host__ __device__ Self operator+(Self i, ptrdiff_t n) { return i.advance(n), i; }
  friend __host__ __device__ Self operator+(ptrdiff_t n, Self i) { return i.advance(n), i; }
  friend __host__ __device__ Self operator-(Self i, ptrdiff_t n) { return i.advance(-n), i; }
  friend __host__ __device__ Self &operator+=(Self &i, ptrdiff_t n) { return i.advance(n), i; }
  friend __host__ __device__ Self &operator-=(Self &i, ptrdiff_t n) { return i.advance(-n), i; }
  friend __host__ __device__ Self &operator++(Self &i) { return i.advance(1), i; }
  friend __host__ __device__ Self &operator--(Self &i) { return i.advance(-1), i; }
  friend __host__ __device__ Self operator++(Self &i, int) { Self old = i; return i.advance(1), old; }
  friend __host__ __device__ Self operator--(Self &i, int) { Self old = i; return i.advance(-1), old; }
  friend __host__ __device__ ptrdiff_t operator-(const Self &i, const Self &j) { return i.distance_from(j); }
  friend __host__ __device__ bool operator==(const Self &i, const Self &j) { return i.distance_from(j) == 0; }
  friend __host__ __device__ bool operator!=(const Self &i, const Self &j) { return i.distance_from(j) != 0; }
  friend __host__ __device__ bool operator<(const Self &i, const Self &j) { return i.distance_from(j) < 0; }
};
template <class V, class R> struct iterates {
  typedef std::random_access_iterator_tag iterator_category;
  typedef V value_type;
  typedef ptrdiff_t difference_type;
  typedef void pointer;
  typedef R reference;
};

template <class T> class device_ptr : public moves<device_ptr<T>>, public iterates<std::remove_const_t<T>, device_reference<T>> {
  T *at_;

 public:
  typedef T element_type;
  __host__ __device__ device_ptr(std::nullptr_t = nullptr) : at_(nullptr) {}
  __host__ __device__ explicit device_ptr(T *at) : at_(at) {}
  template <class U, class = std::enable_if_t<std::is_convertible_v<U *, T *>>> __host__ __device__ device_ptr(const device_ptr<U> &p) : at_(p.get()) {}
  __host__ __device__ T *get() const { return at_; }
  __host__ __device__ device_reference<T> operator*() const { return device_reference<T>(at_); }
  __host__ __device__ device_reference<T> operator[](ptrdiff_t i) const { return device_reference<T>(at_ + i); }
  __host__ __device__ explicit operator bool() const { return at_ != nullptr; }
  __host__ __device__ void advance(ptrdiff_t n) { at_ += n; }
  __host__ __device__ ptrdiff_t distance_from(const device_ptr &p) const { return at_ - p.at_; }
};
template <> class device_ptr<void> {
  void *at_;

 public:
  __host__ __device__ explicit device_ptr(void *at = nullptr) : at_(at) {}
  template <class U> __host__ __device__ device_ptr(const device_ptr<U> &p) : at_(p.get()) {}
  __host__ __device__ void *get() const { return at_; }
};
template <class T> __host__ __device__ T *raw_pointer_cast(T *p) { return p; }
template <class T> __host__ __device__ T *raw_pointer_cast(const device_ptr<T> &p) { return p.get(); }
template <class T> __host__ __device__ T &raw_reference_cast(T &v) { return v; }
template <class T> __host__ __device__ device_ptr<T> device_pointer_cast(T *p) { return device_ptr<T>(p); }
template <class T> __host__ __device__ device_ptr<T> device_pointer_cast(const device_ptr<T> &p) { return p; }
template <class T> device_ptr<T> device_malloc(size_t n) {
  T *p = nullptr;
  if (n && cudaMalloc(&p, n * sizeof(T)) != cudaSuccess) throw std::bad_alloc();
  return device_ptr<T>(p);
}
inline device_ptr<void> device_malloc(size_t bytes) { return device_malloc<char>(bytes); }
template <class T> void device_free(const device_ptr<T> &p) { cudaFree(p.get()); }
template <class I> using iterator_value_t = typename std::iterator_traits<I>::value_type;
template <class I> struct iterator_value { typedef iterator_value_t<I> type; };
template <class I> struct iterator_difference { typedef typename std::iterator_traits<I>::difference_type type; };
template <class I> struct iterator_reference { typedef typename std::iterator_traits<I>::reference type; };

// Errors of the runtime as C++ has errors.
inline const std::error_category &cuda_category() {
  static struct : std::error_category {
    const char *name() const noexcept override { return "cuda"; }
    std::string message(int error) const override { return cudaGetErrorString((cudaError_t)error); }
  } category;
  return category;
}
namespace system {
using thrust::cuda_category;
using thrust::system_error;
namespace cuda {
using thrust::cuda::par;
using thrust::cuda::par_nosync;
}
}  // namespace system


// Iterators that compute what they give.

template <class T> class counting_iterator : public moves<counting_iterator<T>>, public iterates<T, T> {
  T at_;

 public:
  __host__ __device__ explicit counting_iterator(T at = T()) : at_(at) {}
  __host__ __device__ T operator*() const { return at_; }
  __host__ __device__ T operator[](ptrdiff_t i) const { return at_ + T(i); }
  __host__ __device__ void advance(ptrdiff_t n) { at_ += T(n); }
  __host__ __device__ ptrdiff_t distance_from(const counting_iterator &i) const { return ptrdiff_t(at_) - ptrdiff_t(i.at_); }
};
template <class T> __host__ __device__ counting_iterator<T> make_counting_iterator(T at) { return counting_iterator<T>(at); }

template <class T> class constant_iterator : public moves<constant_iterator<T>>, public iterates<T, T> {
  T value_;
  ptrdiff_t at_;

 public:
  __host__ __device__ explicit constant_iterator(T value, ptrdiff_t at = 0) : value_(value), at_(at) {}
  __host__ __device__ T operator*() const { return value_; }
  __host__ __device__ T operator[](ptrdiff_t) const { return value_; }
  __host__ __device__ void advance(ptrdiff_t n) { at_ += n; }
  __host__ __device__ ptrdiff_t distance_from(const constant_iterator &i) const { return at_ - i.at_; }
};
template <class T> __host__ __device__ constant_iterator<T> make_constant_iterator(T v) { return constant_iterator<T>(v); }

class discard_iterator : public moves<discard_iterator>, public iterates<int, void> {
  ptrdiff_t at_;
  struct ignored {
    template <class T> __host__ __device__ const ignored &operator=(const T &) const { return *this; }
  };

 public:
  __host__ __device__ explicit discard_iterator(ptrdiff_t at = 0) : at_(at) {}
  __host__ __device__ ignored operator*() const { return {}; }
  __host__ __device__ ignored operator[](ptrdiff_t) const { return {}; }
  __host__ __device__ void advance(ptrdiff_t n) { at_ += n; }
  __host__ __device__ ptrdiff_t distance_from(const discard_iterator &i) const { return at_ - i.at_; }
};
inline __host__ __device__ discard_iterator make_discard_iterator() { return discard_iterator(); }

// Iterators that programs make: of members that say how they move (iterator_facade), or around another one (iterator_adaptor).
struct use_default {};
struct incrementable_traversal_tag {};
struct single_pass_traversal_tag : incrementable_traversal_tag {};
struct forward_traversal_tag : single_pass_traversal_tag {};
struct bidirectional_traversal_tag : forward_traversal_tag {};
struct random_access_traversal_tag : bidirectional_traversal_tag {};
struct any_system_tag {};
struct host_system_tag {};
struct device_system_tag {};

struct iterator_core_access {
  template <class I> static __host__ __device__ decltype(auto) dereference(const I &i) { return i.dereference(); }
  template <class I> static __host__ __device__ void advance(I &i, ptrdiff_t n) { i.advance(n); }
  template <class I, class J> static __host__ __device__ ptrdiff_t distance(const I &i, const J &j) { return j.distance_to(i); }
};
template <class Self, class V, class System, class Traversal, class R, class D = ptrdiff_t> class iterator_facade : public iterates<std::remove_cv_t<V>, R> {
  typedef iterator_core_access core;
  __host__ __device__ Self &self() { return static_cast<Self &>(*this); }
  __host__ __device__ const Self &self() const { return static_cast<const Self &>(*this); }
  __host__ __device__ Self moved(ptrdiff_t n) const { Self i = self(); return core::advance(i, n), i; }

 public:
  __host__ __device__ R operator*() const { return core::dereference(self()); }
  __host__ __device__ R operator[](ptrdiff_t n) const { return core::dereference(moved(n)); }
  __host__ __device__ Self &operator+=(ptrdiff_t n) { return core::advance(self(), n), self(); }
  __host__ __device__ Self &operator-=(ptrdiff_t n) { return *this += -n; }
  __host__ __device__ Self &operator++() { return *this += 1; }
  __host__ __device__ Self &operator--() { return *this += -1; }
  __host__ __device__ Self operator++(int) { Self old = self(); return *this += 1, old; }
  __host__ __device__ Self operator--(int) { Self old = self(); return *this += -1, old; }
  friend __host__ __device__ Self operator+(const Self &i, ptrdiff_t n) { return i.moved(n); }
  friend __host__ __device__ Self operator+(ptrdiff_t n, const Self &i) { return i.moved(n); }
  friend __host__ __device__ Self operator-(const Self &i, ptrdiff_t n) { return i.moved(-n); }
  friend __host__ __device__ ptrdiff_t operator-(const Self &i, const Self &j) { return core::distance(i, j); }
  friend __host__ __device__ bool operator==(const Self &i, const Self &j) { return core::distance(i, j) == 0; }
  friend __host__ __device__ bool operator!=(const Self &i, const Self &j) { return core::distance(i, j) != 0; }
  friend __host__ __device__ bool operator<(const Self &i, const Self &j) { return core::distance(i, j) < 0; }
};
template <class T, class Otherwise> using given_or = std::conditional_t<std::is_same_v<T, use_default>, Otherwise, T>;
template <class Self, class Base, class V = use_default, class System = use_default, class Traversal = use_default, class R = use_default, class D = use_default>
class iterator_adaptor : public iterator_facade<Self, given_or<V, typename std::iterator_traits<Base>::value_type>, System, Traversal,
                             given_or<R, std::conditional_t<std::is_same_v<V, use_default>, typename std::iterator_traits<Base>::reference, V &>>> {
  Base base_;

 public:
  typedef Base base_type;
  __host__ __device__ iterator_adaptor() : base_() {}
  __host__ __device__ explicit iterator_adaptor(const Base &base) : base_(base) {}
  __host__ __device__ const Base &base() const { return base_; }

 protected:
  typedef iterator_adaptor super_t;
  friend struct iterator_core_access;
  __host__ __device__ Base &base_reference() { return base_; }
  __host__ __device__ const Base &base_reference() const { return base_; }
  __host__ __device__ decltype(auto) dereference() const { return *base_; }
  __host__ __device__ void advance(ptrdiff_t n) { base_ += n; }
  template <class J> __host__ __device__ ptrdiff_t distance_to(const J &j) const { return j.base() - base_; }
};

// What an iterator is in the code that runs where its memory is.
template <class I> __host__ __device__ I raw(const I &i) { return i; }
template <class T> __host__ __device__ T *raw(const device_ptr<T> &p) { return p.get(); }
template <class I> using raw_t = decltype(raw(std::declval<I>()));
// That of an iterator around another one is the other's.
template <class I> struct system_of;
constexpr side adapted(const void *) { return side::any; }
template <class Self, class Base, class... Rest> constexpr side adapted(const iterator_adaptor<Self, Base, Rest...> *) { return system_of<Base>::value; }
template <class I> struct system_of { static constexpr side value = adapted((I *)nullptr); };
template <class I> constexpr bool is_vector_iterator = false;
template <class T, class C> constexpr bool is_vector_iterator<__gnu_cxx::__normal_iterator<T, C>> = true;
template <class T> struct system_of<T *> { static constexpr side value = side::host; };
template <class T> struct system_of<device_ptr<T>> { static constexpr side value = side::device; };
template <class T, class C> struct system_of<__gnu_cxx::__normal_iterator<T, C>> { static constexpr side value = side::host; };
template <class... I> constexpr side common_system() {
  side all[] = {side::any, system_of<I>::value...}, found = side::any;
  for (side s : all)
    if (s != side::any && found != side::device) found = s;
  return found;
}
// Where an algorithm runs: on the device, if nothing leads to memory of the host.
template <class... I> constexpr side place_for() { return common_system<I...>() == side::host ? side::host : side::device; }
template <class I> using value_of = typename std::iterator_traits<I>::value_type;

// What a function returns, which may be for the device alone: host code may name the call in a function for both sides only.
template <class F, class A> __host__ __device__ decltype(auto) called(F &f, A a) { return f(a); }
template <class F, class A> using result_of = decltype(called(std::declval<F &>(), std::declval<A>()));

template <class F, class I> class transform_iterator : public moves<transform_iterator<F, I>>,
      public iterates<std::decay_t<result_of<F, value_of<I>>>, result_of<F, value_of<I>>> {
 public:
  I base_;
  mutable F f_;  // many are not const
  __host__ __device__ transform_iterator(I base, F f = F()) : base_(base), f_(f) {}
  __host__ __device__ auto operator*() const { return f_(*base_); }
  __host__ __device__ auto operator[](ptrdiff_t i) const { return f_(base_[i]); }
  __host__ __device__ void advance(ptrdiff_t n) { base_ += n; }
  __host__ __device__ ptrdiff_t distance_from(const transform_iterator &i) const { return base_ - i.base_; }
};
template <class F, class I> __host__ __device__ transform_iterator<F, I> make_transform_iterator(I i, F f) { return {i, f}; }
template <class F, class I> __host__ __device__ transform_iterator<F, raw_t<I>> raw(const transform_iterator<F, I> &i) { return {raw(i.base_), i.f_}; }
template <class F, class I> struct system_of<transform_iterator<F, I>> : system_of<I> {};

template <class E, class I> class permutation_iterator : public moves<permutation_iterator<E, I>>,
      public iterates<value_of<E>, typename std::iterator_traits<E>::reference> {
 public:
  E elements_;
  I index_;
  __host__ __device__ permutation_iterator(E elements, I index) : elements_(elements), index_(index) {}
  __host__ __device__ decltype(auto) operator*() const { return elements_[*index_]; }
  __host__ __device__ decltype(auto) operator[](ptrdiff_t i) const { return elements_[index_[i]]; }
  __host__ __device__ void advance(ptrdiff_t n) { index_ += n; }
  __host__ __device__ ptrdiff_t distance_from(const permutation_iterator &i) const { return index_ - i.index_; }
};
template <class E, class I> __host__ __device__ permutation_iterator<E, I> make_permutation_iterator(E e, I i) { return {e, i}; }
template <class E, class I> __host__ __device__ permutation_iterator<raw_t<E>, raw_t<I>> raw(const permutation_iterator<E, I> &i) { return {raw(i.elements_), raw(i.index_)}; }
template <class E, class I> struct system_of<permutation_iterator<E, I>> { static constexpr side value = common_system<E, I>(); };

// What is assigned to it goes through a function first.
template <class F, class O> class transform_output_iterator : public moves<transform_output_iterator<F, O>>, public iterates<int, void> {
 public:
  O base_;
  mutable F f_;
  struct assigned {
    O to;
    mutable F f;
    template <class V> __host__ __device__ const assigned &operator=(const V &v) const { return *to = f(v), *this; }
  };
  __host__ __device__ transform_output_iterator(O base, F f) : base_(base), f_(f) {}
  __host__ __device__ assigned operator*() const { return {base_, f_}; }
  __host__ __device__ assigned operator[](ptrdiff_t i) const { return {base_ + i, f_}; }
  __host__ __device__ void advance(ptrdiff_t n) { base_ += n; }
  __host__ __device__ ptrdiff_t distance_from(const transform_output_iterator &i) const { return base_ - i.base_; }
};
template <class F, class O> __host__ __device__ transform_output_iterator<F, O> make_transform_output_iterator(O o, F f) { return {o, f}; }
template <class F, class O> __host__ __device__ transform_output_iterator<F, raw_t<O>> raw(const transform_output_iterator<F, O> &i) { return {raw(i.base_), i.f_}; }
template <class F, class O> struct system_of<transform_output_iterator<F, O>> : system_of<O> {};

template <class I> class reverse_iterator : public moves<reverse_iterator<I>>, public iterates<value_of<I>, typename std::iterator_traits<I>::reference> {
 public:
  I base_;
  __host__ __device__ explicit reverse_iterator(I base = I()) : base_(base) {}
  __host__ __device__ I base() const { return base_; }
  __host__ __device__ decltype(auto) operator*() const { return base_[-1]; }
  __host__ __device__ decltype(auto) operator[](ptrdiff_t i) const { return base_[-1 - i]; }
  __host__ __device__ void advance(ptrdiff_t n) { base_ -= n; }
  __host__ __device__ ptrdiff_t distance_from(const reverse_iterator &i) const { return i.base_ - base_; }
};
template <class I> __host__ __device__ reverse_iterator<I> make_reverse_iterator(I i) { return reverse_iterator<I>(i); }
template <class I> __host__ __device__ reverse_iterator<raw_t<I>> raw(const reverse_iterator<I> &i) { return reverse_iterator<raw_t<I>>(raw(i.base_)); }
template <class I> struct system_of<reverse_iterator<I>> : system_of<I> {};

template <class... I> class zip_iterator;
template <class... I> class zip_iterator<tuple<I...>> : public moves<zip_iterator<tuple<I...>>>,
      public iterates<tuple<value_of<I>...>, tuple<typename std::iterator_traits<I>::reference...>> {
 public:
  typedef tuple<typename std::iterator_traits<I>::reference...> reference;
  tuple<I...> all_;
  __host__ __device__ zip_iterator(tuple<I...> all) : all_(all) {}
  __host__ __device__ const tuple<I...> &get_iterator_tuple() const { return all_; }
  __host__ __device__ reference operator*() const { return (*this)[0]; }
  __host__ __device__ reference operator[](ptrdiff_t n) const { return at(n, std::index_sequence_for<I...>()); }
  __host__ __device__ void advance(ptrdiff_t n) { move(n, std::index_sequence_for<I...>()); }
  __host__ __device__ ptrdiff_t distance_from(const zip_iterator &i) const { return std::get<0>(all_) - std::get<0>(i.all_); }

 private:
  template <size_t... K> __host__ __device__ reference at(ptrdiff_t n, std::index_sequence<K...>) const { return reference(std::get<K>(all_)[n]...); }
  template <size_t... K> __host__ __device__ void move(ptrdiff_t n, std::index_sequence<K...>) { ((std::get<K>(all_) += n), ...); }
};
template <class... I> __host__ __device__ zip_iterator<tuple<I...>> make_zip_iterator(tuple<I...> t) { return {t}; }
template <class... I> __host__ __device__ zip_iterator<tuple<I...>> make_zip_iterator(I... i) { return {tuple<I...>(i...)}; }
template <class... I> __host__ __device__ zip_iterator<tuple<raw_t<I>...>> raw(const zip_iterator<tuple<I...>> &i) {
  return std::apply([](auto... each) { return tuple<raw_t<I>...>(raw(each)...); }, i.all_);
}
template <class... I> struct system_of<zip_iterator<tuple<I...>>> { static constexpr side value = common_system<I...>(); };

// Functions as values.
#define WARPLINT_FUNCTION_2(name, does)                                                              \
  template <class T = void> struct name {                                                            \
    typedef T first_argument_type;                                                                   \
    typedef T second_argument_type;                                                                  \
    __host__ __device__ constexpr auto operator()(const T &x, const T &y) const { return does; }     \
  };                                                                                                 \
  template <> struct name<void> {                                                                    \
    template <class A, class B> __host__ __device__ constexpr auto operator()(const A &x, const B &y) const { return does; } \
  };
WARPLINT_FUNCTION_2(plus, x + y)
WARPLINT_FUNCTION_2(minus, x - y)
WARPLINT_FUNCTION_2(multiplies, x * y)
WARPLINT_FUNCTION_2(divides, x / y)
WARPLINT_FUNCTION_2(modulus, x % y)
WARPLINT_FUNCTION_2(maximum, x < y ? y : x)
WARPLINT_FUNCTION_2(minimum, y < x ? y : x)
WARPLINT_FUNCTION_2(less, x < y)
WARPLINT_FUNCTION_2(less_equal, x <= y)
WARPLINT_FUNCTION_2(greater, x > y)
WARPLINT_FUNCTION_2(greater_equal, x >= y)
WARPLINT_FUNCTION_2(equal_to, x == y)
WARPLINT_FUNCTION_2(not_equal_to, x != y)
WARPLINT_FUNCTION_2(logical_and, x && y)
WARPLINT_FUNCTION_2(logical_or, x || y)
WARPLINT_FUNCTION_2(bit_and, x & y)
WARPLINT_FUNCTION_2(bit_or, x | y)
WARPLINT_FUNCTION_2(bit_xor, x ^ y)
#undef WARPLINT_FUNCTION_2
template <class T = void> struct negate {
  template <class A> __host__ __device__ constexpr A operator()(const A &x) const { return -x; }
};
template <class T = void> struct logical_not {
  template <class A> __host__ __device__ constexpr bool operator()(const A &x) const { return !x; }
};
template <class T = void> struct identity {
  template <class A> __host__ __device__ constexpr A operator()(const A &x) const { return x; }
};
template <class T = void> struct square {
  template <class A> __host__ __device__ constexpr A operator()(const A &x) const { return x * x; }
};
template <class A, class B> struct unary_function { typedef A argument_type; typedef B result_type; };
template <class A, class B, class C> struct binary_function { typedef A first_argument_type; typedef B second_argument_type; typedef C result_type; };
template <class T, class C> __host__ __device__ T max(const T &x, const T &y, C before) { return before(x, y) ? y : x; }
template <class T, class C> __host__ __device__ T min(const T &x, const T &y, C before) { return before(y, x) ? y : x; }
template <class T> __host__ __device__ T max(const T &x, const T &y) { return x < y ? y : x; }
template <class T> __host__ __device__ T min(const T &x, const T &y) { return y < x ? y : x; }
template <class T> __host__ __device__ void swap(T &x, T &y) { T old = x; x = y, y = old; }

// Functions written as expressions: _1 and its like are their arguments.
namespace placeholders {
template <class F> struct term {
  F f;
  template <class... A> __host__ __device__ decltype(auto) operator()(A &&...a) const { return f(a...); }
};
template <class T> constexpr bool is_term = false;
template <class F> constexpr bool is_term<term<F>> = true;
template <size_t K> struct argument {
  template <class First, class... A> __host__ __device__ decltype(auto) operator()(First &first, A &...a) const {
    if constexpr (K == 0) return (first);
    else return argument<K - 1>()(a...);
  }
};
template <class T> struct constant {
  T value;
  template <class... A> __host__ __device__ T operator()(A &...) const { return value; }
};
template <class T> __host__ __device__ constexpr auto as_term(const T &v) {
  if constexpr (is_term<T>) return v.f;
  else return constant<T>{v};
}
#define WARPLINT_OPERATOR_2(name, sign)                                                                                          \
  template <class L, class R> struct name {                                                                                      \
    L l;                                                                                                                         \
    R r;                                                                                                                         \
    template <class... A> __host__ __device__ auto operator()(A &...a) const { return l(a...) sign r(a...); }                    \
  };                                                                                                                             \
  template <class L, class R, std::enable_if_t<is_term<L> || is_term<R>, int> = 0>                                               \
  __host__ __device__ constexpr auto operator sign(const L &l, const R &r) {                                                     \
    typedef name<decltype(as_term(l)), decltype(as_term(r))> both;                                                               \
    return term<both>{both{as_term(l), as_term(r)}};                                                                             \
  }
#define WARPLINT_OPERATOR_1(name, sign)                                                                                          \
  template <class V> struct name {                                                                                               \
    V v;                                                                                                                         \
    template <class... A> __host__ __device__ auto operator()(A &...a) const { return sign v(a...); }                            \
  };                                                                                                                             \
  template <class V> __host__ __device__ constexpr term<name<V>> operator sign(const term<V> &v) { return {{v.f}}; }
WARPLINT_OPERATOR_2(sum, +)
WARPLINT_OPERATOR_2(difference, -)
WARPLINT_OPERATOR_2(product, *)
WARPLINT_OPERATOR_2(quotient, /)
WARPLINT_OPERATOR_2(remainder, %)
WARPLINT_OPERATOR_2(both_bits, &)
WARPLINT_OPERATOR_2(any_bits, |)
WARPLINT_OPERATOR_2(other_bits, ^)
WARPLINT_OPERATOR_2(left, <<)
WARPLINT_OPERATOR_2(right, >>)
WARPLINT_OPERATOR_2(both, &&)
WARPLINT_OPERATOR_2(any, ||)
WARPLINT_OPERATOR_2(same, ==)
WARPLINT_OPERATOR_2(other, !=)
WARPLINT_OPERATOR_2(below, <)
WARPLINT_OPERATOR_2(above, >)
WARPLINT_OPERATOR_2(not_above, <=)
WARPLINT_OPERATOR_2(not_below, >=)
WARPLINT_OPERATOR_2(add, +=)
WARPLINT_OPERATOR_2(subtract, -=)
WARPLINT_OPERATOR_2(multiply, *=)
WARPLINT_OPERATOR_2(divide, /=)
WARPLINT_OPERATOR_1(negative, -)
WARPLINT_OPERATOR_1(no, !)
WARPLINT_OPERATOR_1(inverse, ~)
#undef WARPLINT_OPERATOR_2
#undef WARPLINT_OPERATOR_1
inline constexpr term<argument<0>> _1{};
inline constexpr term<argument<1>> _2{};
inline constexpr term<argument<2>> _3{};
inline constexpr term<argument<3>> _4{};
}  // namespace placeholders

// Random numbers, on the host and the device. The engine is that of Park and Miller with a better factor ("Technical
// correspondence", CACM 36(7), 1993), which C++ has, too.
namespace random {
class minstd_rand {
  unsigned state_;

 public:
  typedef unsigned result_type;
  static constexpr unsigned min = 1, max = 2147483646;
  __host__ __device__ explicit minstd_rand(unsigned seed = 1) { this->seed(seed); }
  __host__ __device__ void seed(unsigned s) { state_ = s % 2147483647u ? s % 2147483647u : 1; }
  __host__ __device__ unsigned operator()() { return state_ = (unsigned)(48271ull * state_ % 2147483647u); }
  __host__ __device__ void discard(unsigned long long n) {
    unsigned long long factor = 48271, power = 1;
    for (; n; n /= 2, factor = factor * factor % 2147483647u)
      if (n % 2) power = power * factor % 2147483647u;
    state_ = (unsigned)(power * state_ % 2147483647u);
  }
};
typedef minstd_rand default_random_engine, minstd_rand0, taus88, ranlux24, ranlux48;  // other numbers than NVIDIA's
template <class T = double> class uniform_real_distribution {
  T low_, high_;

 public:
  typedef T result_type;
  __host__ __device__ explicit uniform_real_distribution(T low = 0, T high = 1) : low_(low), high_(high) {}
  template <class E> __host__ __device__ T operator()(E &e) { return low_ + (high_ - low_) * T((e() - E::min) / (E::max - E::min + 1.0)); }
};
template <class T = int> class uniform_int_distribution {
  T low_, high_;

 public:
  typedef T result_type;
  __host__ __device__ explicit uniform_int_distribution(T low = 0, T high = std::numeric_limits<T>::max()) : low_(low), high_(high) {}
  template <class E> __host__ __device__ T operator()(E &e) { return low_ + T((e() - E::min) / (E::max - E::min + 1.0) * ((double)high_ - low_ + 1)); }
};
template <class T = double> class normal_distribution {
  T mean_, deviation_;

 public:
  typedef T result_type;
  __host__ __device__ explicit normal_distribution(T mean = 0, T deviation = 1) : mean_(mean), deviation_(deviation) {}
  template <class E> __host__ __device__ T operator()(E &e) {
    double u = (e() - E::min + 1.0) / (E::max - E::min + 1.0), angle = 6.283185307179586 * (e() - E::min) / (E::max - E::min + 1.0);
    return T(mean_ + deviation_ * ::sqrt(-2.0 * ::log(u)) * ::cos(angle));
  }
};
}  // namespace random
using namespace random;

// Running a function here or there.

template <class F> __global__ void run_once(F f) { f(); }
template <class F> __global__ void run_for_each(size_t n, F f) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) f(i);
}
template <side S> struct runs {
  template <class F> static __host__ __device__ void once(F f) { f(); }
  template <class F> static __host__ __device__ void each(size_t n, F f) {
    for (size_t i = 0; i < n; i++) f(i);
  }
};
// Whatever stream a policy names, kernels run in the default one, and wait for all others instead.
template <> struct runs<side::device> {
  template <class F> static void once(F f) {
    cudaDeviceSynchronize();
    run_once<<<1, 1>>>(f);
    cudaDeviceSynchronize();
  }
  template <class F> static void each(size_t n, F f) {
    cudaDeviceSynchronize();
    if (n) run_for_each<<<(n + 255) / 256, 256>>>(n, f);
    cudaDeviceSynchronize();
  }
};

// What follows may be called in kernels, too, where it is the calling thread's work alone.
#pragma clang force_cuda_host_device begin

// Memory that both sides reach, for results and for what an algorithm needs besides; in a kernel, the thread's own.
template <class T> class scratch {
  T *at_ = nullptr;

 public:
#if defined(__CUDA_ARCH__)
  alignas(T) unsigned char one_[sizeof(T)];
  explicit scratch(size_t n = 1) : at_(n == 1 ? (T *)one_ : (T *)::malloc(n * sizeof(T))) {}
  ~scratch() {
    if (at_ != (T *)one_) ::free(at_);
  }
#else
  explicit scratch(size_t n = 1) {
    if (n && cudaMallocManaged(&at_, n * sizeof(T)) != cudaSuccess) throw std::bad_alloc();
  }
  ~scratch() { cudaFree(at_); }
#endif
  scratch(const scratch &) = delete;
  T *get() const { return at_; }
  T &operator*() const { return *at_; }
};

// The algorithms, on raw iterators. What they return is a value, or a number of elements.
#define WARPLINT_RUN __host__ __device__
// An assignment, of tuples by their elements: the host's library has none for the device before C++20.
template <class T> constexpr bool is_tuple = false;
template <class... T> constexpr bool is_tuple<tuple<T...>> = true;
template <class L, class V> __host__ __device__ void put(L &&to, const V &v);
template <class L, class V, size_t... K> __host__ __device__ void put_each(L &to, const V &v, std::index_sequence<K...>) {
  (put(std::get<K>(to), std::get<K>(v)), ...);
}
template <class L, class V> __host__ __device__ void put(L &&to, const V &v) {
  if constexpr (is_tuple<std::decay_t<L>>) put_each(to, v, std::make_index_sequence<std::tuple_size_v<std::decay_t<L>>>());
  else to = v;
}

template <side S> struct algorithms {
  typedef runs<S> run;

  template <class I, class F> static size_t for_each(I first, I last, F f) {
    size_t n = last - first;
    run::each(n, [=] WARPLINT_RUN(size_t i) mutable { f(first[i]); });
    return n;
  }
  template <class I, class F> static size_t for_each_n(I first, size_t n, F f) { return for_each(first, first + n, f); }
  template <class I, class O, class F> static size_t transform(I first, I last, O out, F f) {
    size_t n = last - first;
    run::each(n, [=] WARPLINT_RUN(size_t i) mutable { put(out[i], f(first[i])); });
    return n;
  }
  template <class I, class J, class O, class F, class = std::enable_if_t<!std::is_same_v<F, void>>>
  static size_t transform(I first, I last, J second, O out, F f) {
    size_t n = last - first;
    run::each(n, [=] WARPLINT_RUN(size_t i) mutable { put(out[i], f(first[i], second[i])); });
    return n;
  }
  template <class I, class J, class O, class F, class P> static size_t transform_if(I first, I last, J stencil, O out, F f, P p) {
    size_t n = last - first;
    run::each(n, [=] WARPLINT_RUN(size_t i) mutable { if (p(stencil[i])) put(out[i], f(first[i])); });
    return n;
  }
  template <class I, class T> static size_t fill(I first, I last, T v) {
    size_t n = last - first;
    run::each(n, [=] WARPLINT_RUN(size_t i) { put(first[i], v); });
    return n;
  }
  template <class I, class T> static size_t fill_n(I first, size_t n, T v) { return fill(first, first + n, v); }
  template <class I, class T = value_of<I>, class D = value_of<I>> static size_t sequence(I first, I last, T from = T(0), D step = D(1)) {
    size_t n = last - first;
    run::each(n, [=] WARPLINT_RUN(size_t i) { put(first[i], value_of<I>(from + step * value_of<I>(i))); });
    return n;
  }
  template <class I, class F> static size_t tabulate(I first, I last, F f) {
    size_t n = last - first;
    run::each(n, [=] WARPLINT_RUN(size_t i) mutable { put(first[i], f(i)); });
    return n;
  }
  template <class I, class F> static size_t generate(I first, I last, F f) {
    size_t n = last - first;
    run::once([=] WARPLINT_RUN() mutable { for (size_t i = 0; i < n; i++) put(first[i], f()); });
    return n;
  }
  template <class I, class F> static size_t generate_n(I first, size_t n, F f) { return generate(first, first + n, f); }
  template <class I, class J> static size_t swap_ranges(I first, I last, J second) {
    size_t n = last - first;
    run::each(n, [=] WARPLINT_RUN(size_t i) { value_of<I> v = first[i]; put(first[i], second[i]), put(second[i], v); });
    return n;
  }
  template <class I, class P, class T> static size_t replace_if(I first, I last, P p, T v) {
    size_t n = last - first;
    run::each(n, [=] WARPLINT_RUN(size_t i) mutable { if (p(first[i])) put(first[i], v); });
    return n;
  }
  template <class I, class J, class P, class T> static size_t replace_if(I first, I last, J stencil, P p, T v) {
    size_t n = last - first;
    run::each(n, [=] WARPLINT_RUN(size_t i) mutable { if (p(stencil[i])) put(first[i], v); });
    return n;
  }
  template <class I, class T> static size_t replace(I first, I last, T old, T v) {
    return replace_if(first, last, [=] WARPLINT_RUN(const value_of<I> &x) { return x == old; }, v);
  }
  template <class I, class O, class P, class T> static size_t replace_copy_if(I first, I last, O out, P p, T v) {
    size_t n = last - first;
    run::each(n, [=] WARPLINT_RUN(size_t i) mutable { put(out[i], p(first[i]) ? value_of<I>(v) : value_of<I>(first[i])); });
    return n;
  }
  template <class I, class O, class T> static size_t replace_copy(I first, I last, O out, T old, T v) {
    return replace_copy_if(first, last, out, [=] WARPLINT_RUN(const value_of<I> &x) { return x == old; }, v);
  }
  template <class M, class G, class I, class O, class P = identity<value_of<G>>> static size_t gather_if(M map, M end, G stencil, I from, O out, P p = P()) {
    size_t n = end - map;
    run::each(n, [=] WARPLINT_RUN(size_t i) mutable { if (p(stencil[i])) put(out[i], from[map[i]]); });
    return n;
  }
  template <class I, class M, class G, class O, class P = identity<value_of<G>>> static size_t scatter_if(I first, I last, M map, G stencil, O out, P p = P()) {
    size_t n = last - first;
    run::each(n, [=] WARPLINT_RUN(size_t i) mutable { if (p(stencil[i])) put(out[map[i]], first[i]); });
    return n;
  }
  template <class I, class O> static size_t reverse_copy(I first, I last, O out) {
    size_t n = last - first;
    run::each(n, [=] WARPLINT_RUN(size_t i) { put(out[i], first[n - 1 - i]); });
    return n;
  }
  template <class M, class I, class O> static size_t gather(M map, M end, I from, O out) {
    size_t n = end - map;
    run::each(n, [=] WARPLINT_RUN(size_t i) { put(out[i], from[map[i]]); });
    return n;
  }
  template <class I, class M, class O> static size_t scatter(I first, I last, M map, O out) {
    size_t n = last - first;
    run::each(n, [=] WARPLINT_RUN(size_t i) { put(out[map[i]], first[i]); });
    return n;
  }
  template <class I> static size_t reverse(I first, I last) {
    size_t n = last - first;
    run::each(n / 2, [=] WARPLINT_RUN(size_t i) { value_of<I> v = first[i]; put(first[i], first[n - 1 - i]), put(first[n - 1 - i], v); });
    return n;
  }

  template <class I, class F, class T, class Op> static T transform_reduce(I first, I last, F f, T init, Op op) {
    scratch<T> result;
    T *to = result.get();
    size_t n = last - first;
    run::once([=] WARPLINT_RUN() mutable {
      T sum = init;
      for (size_t i = 0; i < n; i++) put(sum, op(sum, f(first[i])));
      put(*to, sum);
    });
    return *result;
  }
  template <class I, class T = value_of<I>, class Op = plus<T>> static T reduce(I first, I last, T init = T(0), Op op = Op()) {
    return transform_reduce(first, last, identity<>(), init, op);
  }
  template <class I, class J, class T, class A = plus<T>, class B = multiplies<T>>
  static T inner_product(I first, I last, J second, T init, A sum = A(), B product = B()) {
    return transform_reduce(counting_iterator<size_t>(0), counting_iterator<size_t>(last - first),
                            [=] WARPLINT_RUN(size_t i) mutable { return product(first[i], second[i]); }, init, sum);
  }
  template <class I, class P> static ptrdiff_t count_if(I first, I last, P p) {
    return transform_reduce(first, last, [=] WARPLINT_RUN(const value_of<I> &v) mutable { return (ptrdiff_t)(bool)p(v); }, (ptrdiff_t)0, plus<ptrdiff_t>());
  }
  template <class I, class T> static ptrdiff_t count(I first, I last, T v) {
    return count_if(first, last, [=] WARPLINT_RUN(const value_of<I> &x) { return x == v; });
  }
  // The first element that is no worse than all others.
  template <class I, class Better> static size_t best(I first, I last, Better better) {
    scratch<size_t> result;
    size_t *to = result.get(), n = last - first;
    run::once([=] WARPLINT_RUN() mutable {
      size_t found = 0;
      for (size_t i = 1; i < n; i++)
        if (better(first[i], first[found])) found = i;
      *to = found;
    });
    return *result;
  }
  template <class I, class C = less<value_of<I>>> static size_t min_element(I first, I last, C c = C()) { return best(first, last, c); }
  template <class I, class C = less<value_of<I>>> static size_t max_element(I first, I last, C c = C()) {
    return best(first, last, [=] WARPLINT_RUN(const value_of<I> &x, const value_of<I> &y) mutable { return c(y, x); });
  }
  template <class I, class P> static size_t find_if(I first, I last, P p) {
    scratch<size_t> result;
    size_t *to = result.get(), n = last - first;
    run::once([=] WARPLINT_RUN() mutable {
      size_t i = 0;
      while (i < n && !p(first[i])) i++;
      *to = i;
    });
    return *result;
  }
  template <class I, class T> static size_t find(I first, I last, T v) {
    return find_if(first, last, [=] WARPLINT_RUN(const value_of<I> &x) { return x == v; });
  }
  template <class I, class P> static size_t find_if_not(I first, I last, P p) {
    return find_if(first, last, [=] WARPLINT_RUN(const value_of<I> &x) mutable { return !p(x); });
  }
  template <class I, class J, class E = equal_to<value_of<I>>> static size_t mismatch(I first, I last, J second, E same = E()) {
    scratch<size_t> result;
    size_t *to = result.get(), n = last - first;
    run::once([=] WARPLINT_RUN() mutable {
      size_t i = 0;
      while (i < n && same(first[i], second[i])) i++;
      *to = i;
    });
    return *result;
  }
  template <class I, class C = less<value_of<I>>> static size_t is_sorted_until(I first, I last, C c = C()) {
    if (last - first < 2) return last - first;
    return 1 + mismatch(first + 1, last, first, [=] WARPLINT_RUN(const value_of<I> &x, const value_of<I> &y) mutable { return !c(x, y); });
  }
  template <class I, class P> static bool any_of(I first, I last, P p) { return find_if(first, last, p) != (size_t)(last - first); }
  template <class I, class P> static bool none_of(I first, I last, P p) { return !any_of(first, last, p); }
  template <class I, class P> static bool all_of(I first, I last, P p) { return count_if(first, last, p) == last - first; }
  template <class I, class J, class E> static bool equal(I first, I last, J second, E same) {
    return (ptrdiff_t)mismatch(first, last, second, same) == last - first;
  }
  template <class I, class J> static bool equal(I first, I last, J second) {
    return inner_product(first, last, second, true, logical_and<bool>(), equal_to<value_of<I>>());
  }
  template <class I, class C = less<value_of<I>>> static bool is_sorted(I first, I last, C c = C()) {
    if (last - first < 2) return true;
    return inner_product(first + 1, last, first, true, logical_and<bool>(), [=] WARPLINT_RUN(const value_of<I> &x, const value_of<I> &y) mutable { return !c(x, y); });
  }

  // Prefix sums, of segments if begins says so of an element.
  template <class I, class O, class B, class T, class F, class Op> static size_t scan(I first, I last, O out, B begins, F f, bool exclusive, bool from, T init, Op op) {
    size_t n = last - first;
    run::once([=] WARPLINT_RUN() mutable {
      T sum = init;
      bool any = from;
      for (size_t i = 0; i < n; i++) {
        if (i == 0 || begins(i)) put(sum, init), any = from;
        T v = f(first[i]);
        if (exclusive) put(out[i], sum);
        put(sum, any ? op(sum, v) : v);
        any = true;
        if (!exclusive) put(out[i], sum);
      }
    });
    return n;
  }
  struct never {
    __host__ __device__ bool operator()(size_t) const { return false; }
  };
  template <class K, class E> struct new_key {
    K keys;
    E same;
    __host__ __device__ bool operator()(size_t i) { return !same(keys[i - 1], keys[i]); }
  };
  template <class I, class O, class Op = plus<value_of<I>>> static size_t inclusive_scan(I first, I last, O out, Op op = Op()) {
    return scan(first, last, out, never(), identity<>(), false, false, value_of<I>(), op);
  }
  template <class I, class O, class T = value_of<I>, class Op = plus<T>> static size_t exclusive_scan(I first, I last, O out, T init = T(0), Op op = Op()) {
    return scan(first, last, out, never(), identity<>(), true, true, init, op);
  }
  template <class I, class O, class F, class Op> static size_t transform_inclusive_scan(I first, I last, O out, F f, Op op) {
    return scan(first, last, out, never(), f, false, false, std::decay_t<decltype(f(*first))>(), op);
  }
  template <class I, class O, class F, class T, class Op> static size_t transform_exclusive_scan(I first, I last, O out, F f, T init, Op op) {
    return scan(first, last, out, never(), f, true, true, init, op);
  }
  template <class K, class I, class O, class E = equal_to<value_of<K>>, class Op = plus<value_of<I>>>
  static size_t inclusive_scan_by_key(K keys, K end, I first, O out, E same = E(), Op op = Op()) {
    return scan(first, first + (end - keys), out, new_key<K, E>{keys, same}, identity<>(), false, false, value_of<I>(), op);
  }
  template <class K, class I, class O, class T = value_of<I>, class E = equal_to<value_of<K>>, class Op = plus<T>>
  static size_t exclusive_scan_by_key(K keys, K end, I first, O out, T init = T(0), E same = E(), Op op = Op()) {
    return scan(first, first + (end - keys), out, new_key<K, E>{keys, same}, identity<>(), true, true, init, op);
  }
  template <class I, class O, class Op = minus<value_of<I>>> static size_t adjacent_difference(I first, I last, O out, Op op = Op()) {
    size_t n = last - first;
    run::once([=] WARPLINT_RUN() mutable {
      value_of<I> before;
      for (size_t i = 0; i < n; i++) {
        value_of<I> v = first[i];
        put(out[i], i ? op(v, before) : v);
        put(before, v);
      }
    });
    return n;
  }

  // What stays of a sequence: the elements that keep says so of, in their order.
  template <class I, class O, class P> static size_t keep(I first, size_t n, O out, P p) {
    scratch<size_t> result;
    size_t *to = result.get();
    run::once([=] WARPLINT_RUN() mutable {
      size_t kept = 0;
      for (size_t i = 0; i < n; i++)
        if (p(i)) put(out[kept++], first[i]);
      *to = kept;
    });
    return *result;
  }
  template <class I, class O, class P> static size_t copy_if(I first, I last, O out, P p) {
    return keep(first, last - first, out, [=] WARPLINT_RUN(size_t i) mutable { return p(first[i]); });
  }
  template <class I, class J, class O, class P> static size_t copy_if(I first, I last, J stencil, O out, P p) {
    return keep(first, last - first, out, [=] WARPLINT_RUN(size_t i) mutable { return p(stencil[i]); });
  }
  template <class I, class P> static size_t remove_if(I first, I last, P p) {
    return keep(first, last - first, first, [=] WARPLINT_RUN(size_t i) mutable { return !p(first[i]); });
  }
  template <class I, class J, class P> static size_t remove_if(I first, I last, J stencil, P p) {
    return keep(first, last - first, first, [=] WARPLINT_RUN(size_t i) mutable { return !p(stencil[i]); });
  }
  template <class I, class O, class P> static size_t remove_copy_if(I first, I last, O out, P p) {
    return keep(first, last - first, out, [=] WARPLINT_RUN(size_t i) mutable { return !p(first[i]); });
  }
  template <class I, class J, class O, class P> static size_t remove_copy_if(I first, I last, J stencil, O out, P p) {
    return keep(first, last - first, out, [=] WARPLINT_RUN(size_t i) mutable { return !p(stencil[i]); });
  }
  template <class I, class O, class T> static size_t remove_copy(I first, I last, O out, T v) {
    return remove_copy_if(first, last, out, [=] WARPLINT_RUN(const value_of<I> &x) { return x == v; });
  }
  template <class I, class T> static size_t remove(I first, I last, T v) {
    return remove_if(first, last, [=] WARPLINT_RUN(const value_of<I> &x) { return x == v; });
  }
  template <class I, class O, class E = equal_to<value_of<I>>> static size_t unique_copy(I first, I last, O out, E same = E()) {
    scratch<size_t> result;
    size_t *to = result.get(), n = last - first;
    run::once([=] WARPLINT_RUN() mutable {
      size_t kept = 0;
      value_of<I> before;
      for (size_t i = 0; i < n; i++) {
        value_of<I> v = first[i];
        if (i == 0 || !same(before, v)) put(out[kept++], v);
        put(before, v);
      }
      *to = kept;
    });
    return *result;
  }
  template <class I, class E = equal_to<value_of<I>>> static size_t unique(I first, I last, E same = E()) { return unique_copy(first, last, first, same); }
  template <class K, class I, class KO, class O, class E = equal_to<value_of<K>>, class Op = plus<value_of<I>>>
  static size_t reduce_by_key(K keys, K end, I first, KO keysOut, O out, E same = E(), Op op = Op()) {
    scratch<size_t> result;
    size_t *to = result.get(), n = end - keys;
    run::once([=] WARPLINT_RUN() mutable {
      size_t groups = 0;
      for (size_t i = 0; i < n; groups++) {
        value_of<K> key = keys[i];
        value_of<I> sum = first[i];
        for (i++; i < n && same(key, keys[i]); i++) put(sum, op(sum, first[i]));
        put(keysOut[groups], key), put(out[groups], sum);
      }
      *to = groups;
    });
    return *result;
  }
  template <class K, class I, class KO, class O, class E = equal_to<value_of<K>>>
  static size_t unique_by_key_copy(K keys, K end, I values, KO keysOut, O out, E same = E()) {
    return reduce_by_key(keys, end, values, keysOut, out, same, [] WARPLINT_RUN(const value_of<I> &x, const value_of<I> &) { return x; });
  }
  template <class K, class I, class E = equal_to<value_of<K>>> static size_t unique_by_key(K keys, K end, I values, E same = E()) {
    return unique_by_key_copy(keys, end, values, keys, values, same);
  }
  template <class I, class P> static size_t stable_partition(I first, I last, P p) {
    size_t n = last - first;
    scratch<value_of<I>> rest(n);
    value_of<I> *others = rest.get();
    scratch<size_t> result;
    size_t *to = result.get();
    run::once([=] WARPLINT_RUN() mutable {
      size_t kept = 0, left = 0;
      for (size_t i = 0; i < n; i++) {
        value_of<I> v = first[i];
        if (p(v)) put(first[kept++], v);
        else put(others[left++], v);
      }
      for (size_t i = 0; i < left; i++) put(first[kept + i], others[i]);
      *to = kept;
    });
    return *result;
  }
  template <class I, class J, class P> static size_t stable_partition(I first, I last, J stencil, P p) {
    size_t n = last - first;
    scratch<value_of<I>> rest(n + 1);
    size_t left = remove_copy_if(first, last, stencil, rest.get(), p), kept = n - left;
    remove_if(first, last, stencil, [=] WARPLINT_RUN(const value_of<J> &v) mutable { return !p(v); });
    value_of<I> *others = rest.get();
    run::each(left, [=] WARPLINT_RUN(size_t i) { put(first[kept + i], others[i]); });
    return kept;
  }
  template <class I, class J, class P> static size_t partition(I first, I last, J stencil, P p) { return stable_partition(first, last, stencil, p); }
  template <class I, class O, class R, class P> static pair<size_t, size_t> stable_partition_copy(I first, I last, O yes, R no, P p) {
    return {copy_if(first, last, yes, p), remove_copy_if(first, last, no, p)};
  }
  template <class I, class O, class R, class P> static pair<size_t, size_t> partition_copy(I first, I last, O yes, R no, P p) {
    return stable_partition_copy(first, last, yes, no, p);
  }
  template <class I, class P> static size_t partition_point(I first, I last, P p) { return find_if_not(first, last, p); }
  template <class I, class P> static bool is_partitioned(I first, I last, P p) {
    return count_if(first, last, p) == (ptrdiff_t)find_if_not(first, last, p);
  }
  template <class I, class P> static size_t partition(I first, I last, P p) { return stable_partition(first, last, p); }

  // The first of n sorted elements that does not stand before v, or that v stands before. What compares may want two of one type.
  template <class I, class T, class C> static __host__ __device__ size_t bound(I first, size_t n, const T &v, C c, bool upper) {
    size_t low = 0;
    while (n) {
      size_t half = n / 2;
      const value_of<I> middle = first[low + half];
      if (upper ? !c(v, middle) : (bool)c(middle, v)) low += half + 1, n -= half + 1;
      else n = half;
    }
    return low;
  }
  template <class I, class T, class C> static size_t search(I first, I last, T v, C c, bool upper) {
    scratch<size_t> result;
    size_t *to = result.get(), n = last - first;
    run::once([=] WARPLINT_RUN() { *to = bound(first, n, v, c, upper); });
    return *result;
  }
  template <class I, class T, class C = less<>> static size_t lower_bound(I first, I last, T v, C c = C()) { return search(first, last, v, c, false); }
  template <class I, class T, class C = less<>> static size_t upper_bound(I first, I last, T v, C c = C()) { return search(first, last, v, c, true); }
  template <class I, class T, class C = less<>> static pair<size_t, size_t> equal_range(I first, I last, T v, C c = C()) {
    return {search(first, last, v, c, false), search(first, last, v, c, true)};
  }
  template <class I, class T, class C = less<>> static bool binary_search(I first, I last, T v, C c = C()) {
    return search(first, last, v, c, false) != search(first, last, v, c, true);
  }
  template <class I, class V, class O, class F> static size_t search_each(I first, I last, V values, V end, O out, F f) {
    size_t n = last - first;
    run::each(end - values, [=] WARPLINT_RUN(size_t i) { put(out[i], f(first, n, (value_of<V>)values[i])); });
    return end - values;
  }
  template <class I, class V, class O, class C = less<>> static size_t lower_bound(I first, I last, V values, V end, O out, C c = C()) {
    return search_each(first, last, values, end, out, [=] WARPLINT_RUN(I i, size_t n, value_of<V> v) { return bound(i, n, v, c, false); });
  }
  template <class I, class V, class O, class C = less<>> static size_t upper_bound(I first, I last, V values, V end, O out, C c = C()) {
    return search_each(first, last, values, end, out, [=] WARPLINT_RUN(I i, size_t n, value_of<V> v) { return bound(i, n, v, c, true); });
  }
  template <class I, class V, class O, class C = less<>> static size_t binary_search(I first, I last, V values, V end, O out, C c = C()) {
    return search_each(first, last, values, end, out, [=] WARPLINT_RUN(I i, size_t n, value_of<V> v) { return bound(i, n, v, c, false) != bound(i, n, v, c, true); });
  }

  // Sorting by merging: each element finds its place among those of the run beside its own.
  template <class K, class V, class C> static void merge_sort(K keys, V values, size_t n, C c) {
    typedef value_of<K> Key;
    typedef value_of<V> Value;
    scratch<Key> moreKeys(n);
    scratch<Value> moreValues(n);
    Key *keysTo = moreKeys.get();
    Value *valuesTo = moreValues.get();
    for (size_t width = 1; width < n; width *= 2) {
      run::each(n, [=] WARPLINT_RUN(size_t i) mutable {
        size_t base = i / (2 * width) * 2 * width, middle = base + width < n ? base + width : n, end = base + 2 * width < n ? base + 2 * width : n;
        Key key = keys[i];
        size_t at = i < middle ? i + bound(keys + middle, end - middle, key, c, false) : i - middle + base + bound(keys + base, middle - base, key, c, true);
        put(keysTo[at], key), put(valuesTo[at], values[i]);
      });
      run::each(n, [=] WARPLINT_RUN(size_t i) { put(keys[i], keysTo[i]), put(values[i], valuesTo[i]); });
    }
  }
  template <class I, class C = less<value_of<I>>> static size_t sort(I first, I last, C c = C()) {
    size_t n = last - first;
    scratch<char> none(n);
    merge_sort(first, none.get(), n, c);
    return n;
  }
  template <class I, class C = less<value_of<I>>> static size_t stable_sort(I first, I last, C c = C()) { return sort(first, last, c); }
  template <class K, class V, class C = less<value_of<K>>> static size_t sort_by_key(K keys, K end, V values, C c = C()) {
    merge_sort(keys, values, end - keys, c);
    return end - keys;
  }
  template <class K, class V, class C = less<value_of<K>>> static size_t stable_sort_by_key(K keys, K end, V values, C c = C()) { return sort_by_key(keys, end, values, c); }
  template <class I, class J, class O, class C = less<value_of<I>>> static size_t merge(I a, I aEnd, J b, J bEnd, O out, C c = C()) {
    size_t m = aEnd - a, n = bEnd - b;
    run::each(m, [=] WARPLINT_RUN(size_t i) mutable { put(out[i + bound(b, n, (value_of<I>)a[i], c, false)], a[i]); });
    run::each(n, [=] WARPLINT_RUN(size_t i) mutable { put(out[i + bound(a, m, (value_of<J>)b[i], c, true)], b[i]); });
    return m + n;
  }

  // Sorted sequences as sets, in which an element may be several times: that of number k among its equals in the first one
  // has a partner if the second one has more than k of them.
  template <bool Partner, class I, class J, class O, class C> static size_t partnered(I a, I aEnd, J b, J bEnd, O out, C c) {
    size_t m = aEnd - a, n = bEnd - b;
    return keep(a, m, out, [=] WARPLINT_RUN(size_t i) mutable {
      value_of<I> v = a[i];
      size_t before = i - bound(a, m, v, c, false), there = bound(b, n, v, c, true) - bound(b, n, v, c, false);
      return (before < there) == Partner;
    });
  }
  template <class I, class J, class O, class C = less<value_of<I>>> static size_t set_difference(I a, I aEnd, J b, J bEnd, O out, C c = C()) {
    return partnered<false>(a, aEnd, b, bEnd, out, c);
  }
  template <class I, class J, class O, class C = less<value_of<I>>> static size_t set_intersection(I a, I aEnd, J b, J bEnd, O out, C c = C()) {
    return partnered<true>(a, aEnd, b, bEnd, out, c);
  }
  template <class I, class J, class O, class C = less<value_of<I>>> static size_t set_union(I a, I aEnd, J b, J bEnd, O out, C c = C()) {
    scratch<value_of<I>> others(bEnd - b + 1);
    size_t n = partnered<false>(b, bEnd, a, aEnd, others.get(), c);
    return merge(a, aEnd, others.get(), others.get() + n, out, c);
  }
  template <class I, class J, class O, class C = less<value_of<I>>> static size_t set_symmetric_difference(I a, I aEnd, J b, J bEnd, O out, C c = C()) {
    scratch<value_of<I>> mine(aEnd - a + 1), others(bEnd - b + 1);
    size_t m = partnered<false>(a, aEnd, b, bEnd, mine.get(), c), n = partnered<false>(b, bEnd, a, aEnd, others.get(), c);
    return merge(mine.get(), mine.get() + m, others.get(), others.get() + n, out, c);
  }
  template <class I, class J, class C = less<value_of<I>>> static bool includes(I a, I aEnd, J b, J bEnd, C c = C()) {
    scratch<value_of<J>> left(bEnd - b + 1);
    return partnered<false>(b, bEnd, a, aEnd, left.get(), c) == 0;
  }
};
#undef WARPLINT_RUN

template <class P, class = void> constexpr bool is_policy = false;
template <class P> constexpr bool is_policy<P, std::void_t<decltype(std::decay_t<P>::where)>> = true;

template <class I, class = void> constexpr bool is_iterator = false;
template <class I> constexpr bool is_iterator<I, std::void_t<value_of<I>>> = !std::is_void_v<value_of<I>>;

// The result of an algorithm that says how many elements there are: behind so many of the first sequence, or of the last.
template <class I, class... A> I from_first(size_t n, I first, const A &...) { return first + n; }
template <class I> I from_last(size_t n, I last) { return last + n; }
template <class I, class... A> auto from_last(size_t n, I first, A... rest) {
  if constexpr ((is_iterator<A> || ...)) return from_last(n, rest...);
  else return first + n;
}
template <class K, class V, class... A> pair<K, V> from_keys(size_t n, K keys, K, V values, const A &...) { return {keys + n, values + n}; }
template <class K, class V, class KO, class O, class... A> pair<KO, O> from_groups(size_t n, K, K, V, KO keys, O out, const A &...) { return {keys + n, out + n}; }
template <class I, class J, class... A> pair<I, J> from_both(size_t n, I first, I, J second, const A &...) { return {first + n, second + n}; }
template <class R, class... A> R itself(R r, const A &...) { return r; }
template <class... A> void nothing(A...) {}
// The position in the first sequence, or the end of the positions.
template <class I, class... A> auto found(size_t n, I first, A... a) {
  if constexpr (sizeof...(A) <= 3) return first + n;
  else return from_last(n, a...);
}
template <class I, class... A> pair<I, I> found_both(pair<size_t, size_t> n, I first, const A &...) { return {first + n.first, first + n.second}; }
template <class I, class O, class R, class P> pair<O, R> from_parts(pair<size_t, size_t> n, I, I, O yes, R no, P) { return {yes + n.first, no + n.second}; }
template <class... A> bool whether(bool b, A...) { return b; }
template <class... A> auto whether(size_t n, A... a) { return from_last(n, a...); }
#pragma clang force_cuda_host_device end

// Each algorithm is called with a policy, or runs where the memory is that its arguments lead to. In a kernel, it is the calling
// thread's work, whatever the policy.
#define WARPLINT_ALGORITHM(name, result)                                                                      \
  template <class P, class... A, std::enable_if_t<is_policy<P>, int> = 0> auto name(const P &, A... a) {      \
    return result(algorithms<P::where>::name(raw(a)...), a...);                                                \
  }                                                                                                           \
  template <class I, class... A, std::enable_if_t<!is_policy<I>, int> = 0> auto name(I first, A... a) {       \
    return result(algorithms<place_for<I, A...>()>::name(raw(first), raw(a)...), first, a...);                \
  }                                                                                                           \
  template <class P, class... A, std::enable_if_t<is_policy<P>, int> = 0> __device__ auto name(const P &, A... a) { \
    return result(algorithms<side::host>::name(raw(a)...), a...);                                           \
  }                                                                                                           \
  template <class I, class... A, std::enable_if_t<!is_policy<I>, int> = 0> __device__ auto name(I first, A... a) { \
    return result(algorithms<side::host>::name(raw(first), raw(a)...), first, a...);                        \
  }
WARPLINT_ALGORITHM(for_each, from_first)
WARPLINT_ALGORITHM(for_each_n, from_first)
WARPLINT_ALGORITHM(transform, from_last)
WARPLINT_ALGORITHM(transform_if, from_last)
WARPLINT_ALGORITHM(fill, nothing)
WARPLINT_ALGORITHM(fill_n, from_first)
WARPLINT_ALGORITHM(sequence, nothing)
WARPLINT_ALGORITHM(tabulate, nothing)
WARPLINT_ALGORITHM(generate, nothing)
WARPLINT_ALGORITHM(generate_n, from_first)
WARPLINT_ALGORITHM(swap_ranges, from_last)
WARPLINT_ALGORITHM(replace, nothing)
WARPLINT_ALGORITHM(replace_if, nothing)
WARPLINT_ALGORITHM(replace_copy, from_last)
WARPLINT_ALGORITHM(replace_copy_if, from_last)
WARPLINT_ALGORITHM(gather, from_last)
WARPLINT_ALGORITHM(gather_if, from_last)
WARPLINT_ALGORITHM(scatter, nothing)
WARPLINT_ALGORITHM(scatter_if, nothing)
WARPLINT_ALGORITHM(reverse, nothing)
WARPLINT_ALGORITHM(reverse_copy, from_last)
WARPLINT_ALGORITHM(reduce, itself)
WARPLINT_ALGORITHM(transform_reduce, itself)
WARPLINT_ALGORITHM(inner_product, itself)
WARPLINT_ALGORITHM(count, itself)
WARPLINT_ALGORITHM(count_if, itself)
WARPLINT_ALGORITHM(min_element, from_first)
WARPLINT_ALGORITHM(max_element, from_first)
WARPLINT_ALGORITHM(find, from_first)
WARPLINT_ALGORITHM(find_if, from_first)
WARPLINT_ALGORITHM(find_if_not, from_first)
WARPLINT_ALGORITHM(mismatch, from_both)
WARPLINT_ALGORITHM(any_of, itself)
WARPLINT_ALGORITHM(none_of, itself)
WARPLINT_ALGORITHM(all_of, itself)
WARPLINT_ALGORITHM(equal, itself)
WARPLINT_ALGORITHM(is_sorted, itself)
WARPLINT_ALGORITHM(is_sorted_until, from_first)
WARPLINT_ALGORITHM(inclusive_scan, from_last)
WARPLINT_ALGORITHM(exclusive_scan, from_last)
WARPLINT_ALGORITHM(transform_inclusive_scan, from_last)
WARPLINT_ALGORITHM(transform_exclusive_scan, from_last)
WARPLINT_ALGORITHM(inclusive_scan_by_key, from_last)
WARPLINT_ALGORITHM(exclusive_scan_by_key, from_last)
WARPLINT_ALGORITHM(adjacent_difference, from_last)
WARPLINT_ALGORITHM(copy_if, from_last)
WARPLINT_ALGORITHM(remove, from_first)
WARPLINT_ALGORITHM(remove_if, from_first)
WARPLINT_ALGORITHM(remove_copy, from_last)
WARPLINT_ALGORITHM(remove_copy_if, from_last)
WARPLINT_ALGORITHM(unique, from_first)
WARPLINT_ALGORITHM(unique_copy, from_last)
WARPLINT_ALGORITHM(unique_by_key, from_keys)
WARPLINT_ALGORITHM(unique_by_key_copy, from_groups)
WARPLINT_ALGORITHM(reduce_by_key, from_groups)
WARPLINT_ALGORITHM(partition, from_first)
WARPLINT_ALGORITHM(stable_partition, from_first)
WARPLINT_ALGORITHM(partition_copy, from_parts)
WARPLINT_ALGORITHM(stable_partition_copy, from_parts)
WARPLINT_ALGORITHM(partition_point, from_first)
WARPLINT_ALGORITHM(is_partitioned, itself)
WARPLINT_ALGORITHM(binary_search, whether)
WARPLINT_ALGORITHM(equal_range, found_both)
WARPLINT_ALGORITHM(sort, nothing)
WARPLINT_ALGORITHM(stable_sort, nothing)
WARPLINT_ALGORITHM(sort_by_key, nothing)
WARPLINT_ALGORITHM(stable_sort_by_key, nothing)
WARPLINT_ALGORITHM(merge, from_last)
WARPLINT_ALGORITHM(set_difference, from_last)
WARPLINT_ALGORITHM(set_intersection, from_last)
WARPLINT_ALGORITHM(set_union, from_last)
WARPLINT_ALGORITHM(set_symmetric_difference, from_last)
WARPLINT_ALGORITHM(includes, itself)
WARPLINT_ALGORITHM(lower_bound, found)
WARPLINT_ALGORITHM(upper_bound, found)
#undef WARPLINT_ALGORITHM

template <class... A> auto minmax_element(A... a) { return make_pair(thrust::min_element(a...), thrust::max_element(a...)); }

// Iterators of the host whose elements are not in a row: of lists, sets, deques and streams.
template <class I, class = void> constexpr bool is_apart = true;
template <class I> constexpr bool is_apart<I, std::void_t<decltype(std::declval<I>() - std::declval<I>())>> = false;
template <class T, class R, class P> constexpr bool is_apart<std::_Deque_iterator<T, R, P>> = true;

// Copies lead from one system to the other, too.
template <class I, class O> O copy(I first, I last, O out) {
  constexpr side from = common_system<I>(), to = common_system<O>();
  if constexpr (is_apart<I>) {
    std::vector<value_of<I>> all(first, last);
    return thrust::copy(all.begin(), all.end(), out);
  } else if constexpr (is_apart<O>) {
    std::vector<value_of<I>> all(last - first);
    thrust::copy(first, last, all.begin());
    return std::copy(all.begin(), all.end(), out);
  } else if constexpr (from == to || from == side::any || to == side::any) {
    return thrust::transform(first, last, out, identity<>());
  } else {
    scratch<value_of<I>> between(last - first);
    algorithms<from>::transform(raw(first), raw(last), between.get(), identity<>());
    algorithms<to>::transform(between.get(), between.get() + (last - first), raw(out), identity<>());
    return out + (last - first);
  }
}
template <class P, class I, class O, std::enable_if_t<is_policy<P>, int> = 0> O copy(const P &, I first, I last, O out) {
  if constexpr (common_system<I, O>() == P::where) return thrust::copy(first, last, out);
  else return thrust::transform(P(), first, last, out, identity<>());
}
template <class I, class O> O copy_n(I first, size_t n, O out) { return thrust::copy(first, first + n, out); }
template <class P, class I, class O, std::enable_if_t<is_policy<P>, int> = 0> O copy_n(const P &p, I first, size_t n, O out) { return thrust::copy(p, first, first + n, out); }

// As Fisher and Yates do.
template <class I, class E> void shuffle(I first, I last, E &&engine) {
  std::vector<value_of<I>> all(last - first);
  thrust::copy(first, last, all.begin());
  for (size_t i = all.size(); i > 1; i--) std::swap(all[i - 1], all[uniform_int_distribution<size_t>(0, i - 1)(engine)]);
  thrust::copy(all.begin(), all.end(), first);
}
template <class P, class I, class E, std::enable_if_t<is_policy<P>, int> = 0> void shuffle(const P &, I first, I last, E &&engine) { thrust::shuffle(first, last, engine); }
template <class I, class O, class E> void shuffle_copy(I first, I last, O out, E &&engine) {
  thrust::copy(first, last, out);
  thrust::shuffle(out, out + (last - first), engine);
}
template <class... A> auto uninitialized_fill(A... a) { return thrust::fill(a...); }
template <class... A> auto uninitialized_copy(A... a) { return thrust::copy(a...); }
template <class I> auto distance(I first, I last) {
  if constexpr (is_apart<I>) return std::distance(first, last);
  else return last - first;
}
template <class I> void advance(I &i, ptrdiff_t n) { i += n; }
template <class I> I next(I i, ptrdiff_t n = 1) { return i + n; }

template <class I, class O> __device__ O copy(I first, I last, O out) { return thrust::transform(first, last, out, identity<>()); }
template <class P, class I, class O, std::enable_if_t<is_policy<P>, int> = 0> __device__ O copy(const P &, I first, I last, O out) { return thrust::copy(first, last, out); }
template <class I, class O> __device__ O copy_n(I first, size_t n, O out) { return thrust::copy(first, first + n, out); }
template <class P, class I, class O, std::enable_if_t<is_policy<P>, int> = 0> __device__ O copy_n(const P &, I first, size_t n, O out) { return thrust::copy(first, first + n, out); }
template <class... A> __device__ auto minmax_element(A... a) { return pair(thrust::min_element(a...), thrust::max_element(a...)); }
template <class I> __device__ auto distance(I first, I last) { return last - first; }
template <class I> __device__ void advance(I &i, ptrdiff_t n) { i += n; }
template <class I> __device__ I next(I i, ptrdiff_t n = 1) { return i + n; }

template <class T> struct device_allocator {};
template <class T> using device_malloc_allocator = device_allocator<T>;
template <class T> device_ptr<T> device_new(size_t n = 1) {
  device_ptr<T> p = device_malloc<T>(n);
  thrust::fill(p, p + n, T());
  return p;
}
template <class T> void device_delete(const device_ptr<T> &p, size_t = 1) { device_free(p); }
template <class T, class A = device_allocator<T>> class device_vector {
  T *at_ = nullptr;
  size_t size_ = 0, room_ = 0;

 public:
  typedef T value_type;
  typedef size_t size_type;
  typedef ptrdiff_t difference_type;
  typedef device_ptr<T> pointer, iterator;
  typedef device_ptr<const T> const_iterator, const_pointer;
  typedef device_reference<T> reference;

  device_vector() {}
  explicit device_vector(size_t n, const T &v = T()) { resize(n, v); }
  template <class I, std::enable_if_t<is_iterator<I>, int> = 0> device_vector(I first, I last) { assign(first, last); }
  device_vector(const device_vector &v) { assign(v.begin(), v.end()); }
  device_vector(device_vector &&v) noexcept { swap(v); }
  template <class U, class B> device_vector(const std::vector<U, B> &v) { assign(v.begin(), v.end()); }
  template <class U, class B> device_vector(const device_vector<U, B> &v) { assign(v.begin(), v.end()); }
  device_vector(std::initializer_list<T> v) { assign(v.begin(), v.end()); }
  ~device_vector() { cudaFree(at_); }
  device_vector &operator=(const device_vector &v) {
    if (this != &v) assign(v.begin(), v.end());
    return *this;
  }
  device_vector &operator=(device_vector &&v) noexcept { return swap(v), *this; }
  template <class U, class B> device_vector &operator=(const std::vector<U, B> &v) { return assign(v.begin(), v.end()), *this; }
  template <class U, class B> device_vector &operator=(const device_vector<U, B> &v) { return assign(v.begin(), v.end()), *this; }

  iterator begin() { return iterator(at_); }
  iterator end() { return iterator(at_ + size_); }
  const_iterator begin() const { return const_iterator(at_); }
  const_iterator end() const { return const_iterator(at_ + size_); }
  const_iterator cbegin() const { return begin(); }
  const_iterator cend() const { return end(); }
  reverse_iterator<iterator> rbegin() { return make_reverse_iterator(end()); }
  reverse_iterator<iterator> rend() { return make_reverse_iterator(begin()); }
  reverse_iterator<const_iterator> rbegin() const { return make_reverse_iterator(end()); }
  reverse_iterator<const_iterator> rend() const { return make_reverse_iterator(begin()); }
  pointer data() { return pointer(at_); }
  const_pointer data() const { return const_pointer(at_); }
  reference operator[](size_t i) { return reference(at_ + i); }
  T operator[](size_t i) const { return reference(at_ + i); }
  reference front() { return (*this)[0]; }
  reference back() { return (*this)[size_ - 1]; }
  T front() const { return (*this)[0]; }
  T back() const { return (*this)[size_ - 1]; }
  size_t size() const { return size_; }
  size_t capacity() const { return room_; }
  bool empty() const { return size_ == 0; }
  void clear() { size_ = 0; }
  void shrink_to_fit() {}
  void reserve(size_t n) {
    if (n <= room_) return;
    T *to = device_malloc<T>(n).get();
    cudaMemcpy(to, at_, size_ * sizeof(T), cudaMemcpyDeviceToDevice);
    cudaFree(at_);
    at_ = to, room_ = n;
  }
  void resize(size_t n, const T &v = T()) {
    reserve(n);
    size_t had = size_;
    size_ = n;
    if (n > had) thrust::fill(begin() + had, end(), v);
  }
  void push_back(const T &v) {
    if (size_ == room_) reserve(2 * room_ + 1);
    resize(size_ + 1, v);
  }
  void pop_back() { size_--; }
  template <class I, std::enable_if_t<is_iterator<I>, int> = 0> void assign(I first, I last) {
    size_ = 0;
    size_t n = thrust::distance(first, last);
    reserve(n);
    size_ = n;
    thrust::copy(first, last, begin());
  }
  void assign(size_t n, const T &v) { clear(), resize(n, v); }
  iterator erase(iterator first, iterator last) {
    std::vector<T> tail(end() - last);
    thrust::copy(last, end(), tail.begin());
    thrust::copy(tail.begin(), tail.end(), first);
    size_ -= last - first;
    return first;
  }
  iterator erase(iterator i) { return erase(i, i + 1); }
  iterator insert(iterator at, const T &v) {
    size_t before = at - begin();
    insert(at, &v, &v + 1);
    return begin() + before;
  }
  void insert(iterator at, size_t n, const T &v) {
    std::vector<T> all(n, v);
    insert(at, all.begin(), all.end());
  }
  template <class I, std::enable_if_t<is_iterator<I>, int> = 0> void insert(iterator at, I first, I last) {
    std::vector<T> tail(end() - at);
    size_t before = at - begin(), more = thrust::distance(first, last);
    thrust::copy(at, end(), tail.begin());
    resize(size_ + more);
    thrust::copy(first, last, begin() + before);
    thrust::copy(tail.begin(), tail.end(), begin() + before + more);
  }
  void swap(device_vector &v) { std::swap(at_, v.at_), std::swap(size_, v.size_), std::swap(room_, v.room_); }
};
// Managed memory, which host code uses as it is.
template <class T> struct universal_allocator {
  typedef T value_type;
  universal_allocator() = default;
  template <class U> universal_allocator(const universal_allocator<U> &) {}
  T *allocate(size_t n) {
    void *p = nullptr;
    if (cudaMallocManaged(&p, n * sizeof(T)) != cudaSuccess) throw std::bad_alloc();
    return (T *)p;
  }
  void deallocate(T *p, size_t) { cudaFree(p); }
  template <class U> bool operator==(const universal_allocator<U> &) const { return true; }
  template <class U> bool operator!=(const universal_allocator<U> &) const { return false; }
};
template <class T> using universal_vector = std::vector<T, universal_allocator<T>>;

// A function of the members of a tuple.
template <class F> class zip_function {
  F f_;

 public:
  __host__ __device__ explicit zip_function(F f) : f_(f) {}
  template <class V> __host__ __device__ decltype(auto) operator()(V &&v) const {
    return each(v, std::make_index_sequence<tuple_size<std::decay_t<V>>::value>());
  }

 private:
  template <class V, size_t... K> __host__ __device__ decltype(auto) each(V &v, std::index_sequence<K...>) const { return f_(get<K>(v)...); }
};
template <class F> __host__ __device__ zip_function<F> make_zip_function(F f) { return zip_function<F>(f); }

template <class T> bool operator==(const device_vector<T> &a, const device_vector<T> &b) {
  return a.size() == b.size() && thrust::equal(a.begin(), a.end(), b.begin());
}

template <class T, class A = std::allocator<T>> class host_vector : public std::vector<T, A> {
 public:
  using std::vector<T, A>::vector;
  using std::vector<T, A>::operator=;
  host_vector() = default;
  host_vector(const std::vector<T, A> &v) : std::vector<T, A>(v) {}
  template <class B> host_vector(const device_vector<T, B> &v) : std::vector<T, A>(v.size()) { thrust::copy(v.begin(), v.end(), this->begin()); }
  template <class B> host_vector &operator=(const device_vector<T, B> &v) {
    this->resize(v.size());
    thrust::copy(v.begin(), v.end(), this->begin());
    return *this;
  }
};

}  // namespace thrust
#endif
