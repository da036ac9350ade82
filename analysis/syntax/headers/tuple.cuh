// What warplint knows of the C++ standard library's tuples, optional values and complex numbers, which libcu++ has for the
// device, too.
#pragma once

namespace cuda {
namespace std {

template <class... T> struct tuple;
template <> struct tuple<> {};
template <class A> struct tuple<A> {
    A first;
};
template <class A, class B> struct tuple<A, B> {
    A first;
    B second;
};
template <class A, class B, class C> struct tuple<A, B, C> {
    A first;
    B second;
    C third;
};
template <class A, class B, class C, class D> struct tuple<A, B, C, D> {
    A first;
    B second;
    C third;
    D fourth;
};
template <class... T> __host__ __device__ constexpr tuple<T...> make_tuple(T... v) { return tuple<T...>{v...}; }

template <class A, class B> struct tied {
    A &first;
    B &second;
    template <class T> __host__ __device__ constexpr void operator=(const T &v) {
        first = v.first;
        second = v.second;
    }
};
template <class A, class B, class C> struct tied3 {
    A &first;
    B &second;
    C &third;
    template <class T> __host__ __device__ constexpr void operator=(const T &v) {
        first = v.first;
        second = v.second;
        third = v.third;
    }
};
template <class A, class B> __host__ __device__ constexpr tied<A, B> tie(A &a, B &b) { return tied<A, B>{a, b}; }
template <class A, class B, class C> __host__ __device__ constexpr tied3<A, B, C> tie(A &a, B &b, C &c) { return tied3<A, B, C>{a, b, c}; }

template <int I, class T> struct at_of;
template <class T> struct at_of<0, T> {
    static __host__ __device__ constexpr auto &of(T &t) { return t.first; }
};
template <class T> struct at_of<1, T> {
    static __host__ __device__ constexpr auto &of(T &t) { return t.second; }
};
template <class T> struct at_of<2, T> {
    static __host__ __device__ constexpr auto &of(T &t) { return t.third; }
};
template <class T> struct at_of<3, T> {
    static __host__ __device__ constexpr auto &of(T &t) { return t.fourth; }
};
template <int I, class T> __host__ __device__ constexpr auto &get(T &t) { return at_of<I, T>::of(t); }

struct nullopt_t {};
constexpr nullopt_t nullopt{};
template <class T> class optional {
    T held;
    bool is;

  public:
    typedef T value_type;
    __host__ __device__ constexpr optional() : held(), is(false) {}
    __host__ __device__ constexpr optional(nullopt_t) : held(), is(false) {}
    __host__ __device__ constexpr optional(const T &v) : held(v), is(true) {}
    __host__ __device__ constexpr bool has_value() const { return is; }
    __host__ __device__ constexpr explicit operator bool() const { return is; }
    __host__ __device__ constexpr T &value() { return held; }
    __host__ __device__ constexpr const T &value() const { return held; }
    __host__ __device__ constexpr T &operator*() { return held; }
    __host__ __device__ constexpr const T &operator*() const { return held; }
    __host__ __device__ constexpr T *operator->() { return &held; }
    __host__ __device__ constexpr T value_or(T other) const { return is ? held : other; }
    __host__ __device__ constexpr void reset() { is = false; }
};

template <class T> class complex {
    T re, im;

  public:
    typedef T value_type;
    __host__ __device__ constexpr complex() : re(), im() {}
    __host__ __device__ constexpr complex(const T &r) : re(r), im() {}
    __host__ __device__ constexpr complex(const T &r, const T &i) : re(r), im(i) {}
    __host__ __device__ constexpr T real() const { return re; }
    __host__ __device__ constexpr T imag() const { return im; }
    __host__ __device__ constexpr void real(T v) { re = v; }
    __host__ __device__ constexpr void imag(T v) { im = v; }
    __host__ __device__ complex &operator+=(const complex &o) {
        re += o.re;
        im += o.im;
        return *this;
    }
    __host__ __device__ complex &operator-=(const complex &o) {
        re -= o.re;
        im -= o.im;
        return *this;
    }
    __host__ __device__ complex &operator*=(const complex &o) {
        T r = re * o.re - im * o.im;
        im = re * o.im + im * o.re;
        re = r;
        return *this;
    }
    __host__ __device__ complex &operator*=(const T &o) {
        re *= o;
        im *= o;
        return *this;
    }
    __host__ __device__ complex &operator/=(const T &o) {
        re /= o;
        im /= o;
        return *this;
    }
};
template <class T> __host__ __device__ complex<T> operator+(const complex<T> &a, const complex<T> &b) { return complex<T>(a.real() + b.real(), a.imag() + b.imag()); }
template <class T> __host__ __device__ complex<T> operator-(const complex<T> &a, const complex<T> &b) { return complex<T>(a.real() - b.real(), a.imag() - b.imag()); }
template <class T> __host__ __device__ complex<T> operator*(const complex<T> &a, const complex<T> &b) { return complex<T>(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()); }
template <class T> __host__ __device__ complex<T> operator*(const complex<T> &a, const T &b) { return complex<T>(a.real() * b, a.imag() * b); }
template <class T> __host__ __device__ complex<T> operator*(const T &b, const complex<T> &a) { return complex<T>(a.real() * b, a.imag() * b); }
template <class T> __host__ __device__ complex<T> operator/(const complex<T> &a, const T &b) { return complex<T>(a.real() / b, a.imag() / b); }
template <class T> __host__ __device__ complex<T> conj(const complex<T> &a) { return complex<T>(a.real(), -a.imag()); }
template <class T> __host__ __device__ T norm(const complex<T> &a) { return a.real() * a.real() + a.imag() * a.imag(); }
template <class T> __host__ __device__ T abs(const complex<T> &a) { return sqrt(a.real() * a.real() + a.imag() * a.imag()); }
template <class T> __host__ __device__ T arg(const complex<T> &a) { return atan2(a.imag(), a.real()); }

} // namespace std
} // namespace cuda

namespace std {
using cuda::std::complex;
using cuda::std::get;
using cuda::std::make_tuple;
using cuda::std::nullopt;
using cuda::std::optional;
using cuda::std::tie;
using cuda::std::tuple;
} // namespace std

namespace thrust {
using cuda::std::complex;
using cuda::std::get;
using cuda::std::make_tuple;
using cuda::std::tuple;
} // namespace thrust
