// nvcc's __nv_atomic functions (CUDA C++ Programming Guide, "Atomic Functions"): atomics on any
// object of 1, 2, 4 or 8 bytes, in an order and a scope that the caller names.
#pragma once
#include "scoped_atomics.h"

template <class T> WARPLINT_METHOD inline T __nv_atomic_load_n(T *at, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  T r{};
  WARPLINT_IN_SCOPE(scope, r = warplint::operations<T, S>::load(at, order))
  return r;
}
template <class T> WARPLINT_METHOD inline void __nv_atomic_load(T *at, T *result, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  *result = __nv_atomic_load_n(at, order, scope);
}
template <class T, class V> WARPLINT_METHOD inline void __nv_atomic_store_n(T *at, V value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  WARPLINT_IN_SCOPE(scope, warplint::operations<T, S>::store(at, (T)value, order))
}
template <class T> WARPLINT_METHOD inline void __nv_atomic_store(T *at, T *value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  __nv_atomic_store_n(at, *value, order, scope);
}
template <class T, class V> WARPLINT_METHOD inline T __nv_atomic_exchange_n(T *at, V value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  T r{};
  WARPLINT_IN_SCOPE(scope, r = warplint::operations<T, S>::exchange(at, (T)value, order))
  return r;
}
template <class T> WARPLINT_METHOD inline void __nv_atomic_exchange(T *at, T *value, T *result, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  *result = __nv_atomic_exchange_n(at, *value, order, scope);
}
// The stronger order of the two holds for both outcomes, and the weak form never fails by chance.
template <class T, class V>
WARPLINT_METHOD inline bool __nv_atomic_compare_exchange_n(T *at, T *expected, V value, bool, int success, int failure,
                                                           int scope = __NV_THREAD_SCOPE_SYSTEM) {
  int order = success == __NV_ATOMIC_RELEASE && failure != __NV_ATOMIC_RELAXED ? (int)__NV_ATOMIC_ACQ_REL
              : success > failure                                              ? success
                                                                               : failure;
  bool done = false;
  WARPLINT_IN_SCOPE(scope, done = warplint::operations<T, S>::compare_exchange(at, *expected, (T)value, order))
  return done;
}
template <class T>
WARPLINT_METHOD inline bool __nv_atomic_compare_exchange(T *at, T *expected, T *value, bool weak, int success, int failure,
                                                         int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return __nv_atomic_compare_exchange_n(at, expected, *value, weak, success, failure, scope);
}

#define WARPLINT_FETCH(name, does, operand)                                                                             \
  template <class T, class V>                                                                                           \
  WARPLINT_METHOD inline T __nv_atomic_fetch_##name(T *at, V value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {  \
    T r{};                                                                                                              \
    WARPLINT_IN_SCOPE(scope, r = warplint::operations<T, S>::does(at, operand, order))                                  \
    return r;                                                                                                           \
  }                                                                                                                     \
  template <class T, class V>                                                                                           \
  WARPLINT_METHOD inline void __nv_atomic_##name(T *at, V value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {     \
    (void)__nv_atomic_fetch_##name(at, value, order, scope);                                                            \
  }
WARPLINT_FETCH(add, fetch_add, (T)value)
WARPLINT_FETCH(sub, fetch_add, (T)-(T)value)
WARPLINT_FETCH(and, fetch_and, (T)value)
WARPLINT_FETCH(or, fetch_or, (T)value)
WARPLINT_FETCH(xor, fetch_xor, (T)value)
WARPLINT_FETCH(min, fetch_min, (T)value)
WARPLINT_FETCH(max, fetch_max, (T)value)
#undef WARPLINT_FETCH

WARPLINT_METHOD inline void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM) { warplint::fence(order, scope); }
