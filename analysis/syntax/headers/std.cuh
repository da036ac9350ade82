// What warplint knows of the C++ standard library's plain classes, which libcu++ has for the device, too.
#pragma once

namespace cuda {
namespace std {

// Members of what kernels take are called as in the library that a simulation is compiled with.
template <class T, unsigned long N> struct array {
    typedef T value_type;
    typedef unsigned long size_type;
    typedef T *iterator;
    typedef const T *const_iterator;
    T _M_elems[N];
    __host__ __device__ constexpr T &operator[](unsigned long i) { return _M_elems[i]; }
    __host__ __device__ constexpr const T &operator[](unsigned long i) const { return _M_elems[i]; }
    __host__ __device__ constexpr T &at(unsigned long i) { return _M_elems[i]; }
    __host__ __device__ constexpr const T &at(unsigned long i) const { return _M_elems[i]; }
    __host__ __device__ constexpr T &front() { return _M_elems[0]; }
    __host__ __device__ constexpr const T &front() const { return _M_elems[0]; }
    __host__ __device__ constexpr T &back() { return _M_elems[N - 1]; }
    __host__ __device__ constexpr const T &back() const { return _M_elems[N - 1]; }
    __host__ __device__ constexpr T *data() { return _M_elems; }
    __host__ __device__ constexpr const T *data() const { return _M_elems; }
    __host__ __device__ constexpr T *begin() { return _M_elems; }
    __host__ __device__ constexpr const T *begin() const { return _M_elems; }
    __host__ __device__ constexpr T *end() { return _M_elems + N; }
    __host__ __device__ constexpr const T *end() const { return _M_elems + N; }
    __host__ __device__ constexpr unsigned long size() const { return N; }
    __host__ __device__ constexpr bool empty() const { return N == 0; }
    __host__ __device__ constexpr void fill(const T &v) {
        for (unsigned long i = 0; i < N; i++)
            _M_elems[i] = v;
    }
};

template <class A, class B> struct pair {
    typedef A first_type;
    typedef B second_type;
    A first;
    B second;
    __host__ __device__ constexpr pair() : first(), second() {}
    __host__ __device__ constexpr pair(const A &a, const B &b) : first(a), second(b) {}
};
template <class A, class B> __host__ __device__ constexpr pair<A, B> make_pair(A a, B b) { return pair<A, B>(a, b); }

template <class T, unsigned long N = ~0ul> class span {
    T *from;
    unsigned long count;

  public:
    typedef T element_type;
    typedef unsigned long size_type;
    __host__ __device__ constexpr span() : from(nullptr), count(0) {}
    __host__ __device__ constexpr span(T *p, unsigned long n) : from(p), count(n) {}
    template <unsigned long M> __host__ __device__ constexpr span(T (&a)[M]) : from(a), count(M) {}
    __host__ __device__ constexpr T &operator[](unsigned long i) const { return from[i]; }
    __host__ __device__ constexpr T &front() const { return from[0]; }
    __host__ __device__ constexpr T &back() const { return from[count - 1]; }
    __host__ __device__ constexpr T *data() const { return from; }
    __host__ __device__ constexpr T *begin() const { return from; }
    __host__ __device__ constexpr T *end() const { return from + count; }
    __host__ __device__ constexpr unsigned long size() const { return count; }
    __host__ __device__ constexpr unsigned long size_bytes() const { return count * sizeof(T); }
    __host__ __device__ constexpr bool empty() const { return count == 0; }
    __host__ __device__ constexpr span<T> subspan(unsigned long at) const { return span<T>(from + at, count - at); }
    __host__ __device__ constexpr span<T> subspan(unsigned long at, unsigned long n) const { return span<T>(from + at, n); }
    __host__ __device__ constexpr span<T> first(unsigned long n) const { return span<T>(from, n); }
    __host__ __device__ constexpr span<T> last(unsigned long n) const { return span<T>(from + (count - n), n); }
};

} // namespace std
} // namespace cuda

namespace std {
using cuda::std::array;
using cuda::std::make_pair;
using cuda::std::pair;
using cuda::std::span;
} // namespace std
