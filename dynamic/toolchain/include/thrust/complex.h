// Thrust's complex numbers, for host and device code.
#pragma once
#include <cmath>
#include <complex>
#include <type_traits>
#include "../cuda_runtime.h"

namespace thrust {

template <class T> struct complex {
  typedef T value_type;
  __host__ __device__ constexpr complex(const T &re = T(), const T &im = T()) : re_(re), im_(im) {}
  template <class U> __host__ __device__ constexpr complex(const complex<U> &z) : re_(T(z.real())), im_(T(z.imag())) {}
  complex(const std::complex<T> &z) : re_(z.real()), im_(z.imag()) {}
  operator std::complex<T>() const { return {re_, im_}; }
  __host__ __device__ constexpr T real() const { return re_; }
  __host__ __device__ constexpr T imag() const { return im_; }
  __host__ __device__ void real(T x) { re_ = x; }
  __host__ __device__ void imag(T x) { im_ = x; }
  __host__ __device__ complex &operator+=(const complex &z) { return *this = *this + z; }
  __host__ __device__ complex &operator-=(const complex &z) { return *this = *this - z; }
  __host__ __device__ complex &operator*=(const complex &z) { return *this = *this * z; }
  __host__ __device__ complex &operator/=(const complex &z) { return *this = *this / z; }
  // Friends are found for mixed operands, too: 2.0f * z.
  friend __host__ __device__ complex operator+(const complex &a, const complex &b) { return {a.re_ + b.re_, a.im_ + b.im_}; }
  friend __host__ __device__ complex operator-(const complex &a, const complex &b) { return {a.re_ - b.re_, a.im_ - b.im_}; }
  friend __host__ __device__ complex operator*(const complex &a, const complex &b) { return {a.re_ * b.re_ - a.im_ * b.im_, a.re_ * b.im_ + a.im_ * b.re_}; }
  friend __host__ __device__ complex operator/(const complex &a, const complex &b) {
    T d = b.re_ * b.re_ + b.im_ * b.im_;
    return {(a.re_ * b.re_ + a.im_ * b.im_) / d, (a.im_ * b.re_ - a.re_ * b.im_) / d};
  }
  friend __host__ __device__ complex operator-(const complex &a) { return {-a.re_, -a.im_}; }
  friend __host__ __device__ complex operator+(const complex &a) { return a; }
  friend __host__ __device__ bool operator==(const complex &a, const complex &b) { return a.re_ == b.re_ && a.im_ == b.im_; }
  friend __host__ __device__ bool operator!=(const complex &a, const complex &b) { return !(a == b); }

 private:
  T re_, im_;
};
template <class T> __host__ __device__ T abs(const complex<T> &z) { return ::hypot(z.real(), z.imag()); }
template <class T> __host__ __device__ T arg(const complex<T> &z) { return ::atan2(z.imag(), z.real()); }
template <class T> __host__ __device__ T norm(const complex<T> &z) { return z.real() * z.real() + z.imag() * z.imag(); }
template <class T> __host__ __device__ complex<T> conj(const complex<T> &z) { return {z.real(), -z.imag()}; }
template <class T> __host__ __device__ complex<T> polar(const T &r, const T &angle = T()) { return {r * ::cos(angle), r * ::sin(angle)}; }
template <class T> __host__ __device__ complex<T> exp(const complex<T> &z) { return polar<T>(::exp(z.real()), z.imag()); }
template <class T> __host__ __device__ complex<T> log(const complex<T> &z) { return {::log(abs(z)), arg(z)}; }
template <class T> __host__ __device__ complex<T> sqrt(const complex<T> &z) { return polar<T>(::sqrt(abs(z)), arg(z) / 2); }
template <class T> __host__ __device__ complex<T> log10(const complex<T> &z) { return log(z) / T(2.302585092994045684); }
template <class T> __host__ __device__ complex<T> proj(const complex<T> &z) { return z; }
template <class T> __host__ __device__ complex<T> pow(const complex<T> &z, const complex<T> &w) { return z == T() ? T(w == T()) : exp(log(z) * w); }
template <class T, class U, class = std::enable_if_t<std::is_arithmetic<U>::value>> __host__ __device__ complex<T> pow(const complex<T> &z, const U &x) {
  return polar<T>(::pow(abs(z), T(x)), arg(z) * T(x));
}
template <class T, class U, class = std::enable_if_t<std::is_arithmetic<U>::value>> __host__ __device__ complex<T> pow(const U &x, const complex<T> &w) {
  return pow(complex<T>(T(x)), w);
}
template <class T> __host__ __device__ complex<T> sinh(const complex<T> &z) { return {::sinh(z.real()) * ::cos(z.imag()), ::cosh(z.real()) * ::sin(z.imag())}; }
template <class T> __host__ __device__ complex<T> cosh(const complex<T> &z) { return {::cosh(z.real()) * ::cos(z.imag()), ::sinh(z.real()) * ::sin(z.imag())}; }
template <class T> __host__ __device__ complex<T> tanh(const complex<T> &z) { return sinh(z) / cosh(z); }
template <class T> __host__ __device__ complex<T> sin(const complex<T> &z) { return {::sin(z.real()) * ::cosh(z.imag()), ::cos(z.real()) * ::sinh(z.imag())}; }
template <class T> __host__ __device__ complex<T> cos(const complex<T> &z) { return {::cos(z.real()) * ::cosh(z.imag()), -::sin(z.real()) * ::sinh(z.imag())}; }
template <class T> __host__ __device__ complex<T> tan(const complex<T> &z) { return sin(z) / cos(z); }
template <class T> __host__ __device__ complex<T> asinh(const complex<T> &z) { return log(z + sqrt(z * z + T(1))); }
template <class T> __host__ __device__ complex<T> acosh(const complex<T> &z) { return log(z + sqrt(z + T(1)) * sqrt(z - T(1))); }
template <class T> __host__ __device__ complex<T> atanh(const complex<T> &z) { return (log(T(1) + z) - log(T(1) - z)) / T(2); }
template <class T> __host__ __device__ complex<T> asin(const complex<T> &z) {
  complex<T> w = asinh(complex<T>(-z.imag(), z.real()));
  return {w.imag(), -w.real()};
}
template <class T> __host__ __device__ complex<T> acos(const complex<T> &z) { return T(1.570796326794896619) - asin(z); }
template <class T> __host__ __device__ complex<T> atan(const complex<T> &z) {
  complex<T> w = atanh(complex<T>(-z.imag(), z.real()));
  return {w.imag(), -w.real()};
}
template <class T, class S> S &operator<<(S &to, const complex<T> &z) { return to << '(' << z.real() << ',' << z.imag() << ')', to; }

}  // namespace thrust
