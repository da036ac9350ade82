// NVTX's classes; there is no profiler here.
#pragma once
#include "nvToolsExt.h"
namespace nvtx3 {
inline namespace v1 {
struct domain {
  struct global {};
};
struct rgb {
  constexpr rgb(uint8_t, uint8_t, uint8_t) {}
};
struct argb {
  constexpr argb(uint8_t, uint8_t, uint8_t, uint8_t) {}
};
struct category {
  explicit constexpr category(uint32_t) {}
};
struct payload {
  template <class V> explicit constexpr payload(V) {}
};
struct event_attributes {
  template <class... V> explicit constexpr event_attributes(const V &...) {}
};
template <class D = domain::global> struct scoped_range_in {
  template <class... V> explicit scoped_range_in(const V &...) {}
  ~scoped_range_in() {}
};
typedef scoped_range_in<> scoped_range;
template <class D = domain::global> struct unique_range_in {
  template <class... V> explicit unique_range_in(const V &...) {}
  ~unique_range_in() {}
};
typedef unique_range_in<> unique_range;
template <class D = domain::global, class... V> void mark_in(const V &...) {}
template <class... V> void mark(const V &...) {}
}  // namespace v1
}  // namespace nvtx3
#define NVTX3_FUNC_RANGE()
#define NVTX3_FUNC_RANGE_IN(domain)
