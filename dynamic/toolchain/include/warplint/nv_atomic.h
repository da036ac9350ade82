// __nv_atomic_*: atomics with an order and a scope as arguments, built into nvcc 12.8 and newer (CUDA
// C++ Programming Guide, "Built-in atomic functions"). They are the operations of cuda/atomic.
#pragma once
#include "../cuda/atomic"

#if defined(__CUDA__)
#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

// A cluster's scope is taken as the device's, which includes it.
#define WARPLINT_ON_SCOPE(operation, ...)                                                              \
  switch (scope) {                                                                                     \
    case __NV_THREAD_SCOPE_THREAD: return operations<T, thread_scope_thread>::operation(__VA_ARGS__);  \
    case __NV_THREAD_SCOPE_BLOCK: return operations<T, thread_scope_block>::operation(__VA_ARGS__);    \
    case __NV_THREAD_SCOPE_CLUSTER:                                                                    \
    case __NV_THREAD_SCOPE_DEVICE: return operations<T, thread_scope_device>::operation(__VA_ARGS__);  \
    default: return operations<T, thread_scope_system>::operation(__VA_ARGS__);                        \
  }
#define WARPLINT_BY_SCOPE(name)                                                         \
  template <class T> WARPLINT_METHOD inline T name(T *at, T v, int order, int scope) {  \
    WARPLINT_ON_SCOPE(name, at, v, (memory_order)order)                                 \
  }

namespace cuda {
namespace details {
namespace by_scope {
WARPLINT_BY_SCOPE(exchange)
WARPLINT_BY_SCOPE(fetch_add)
WARPLINT_BY_SCOPE(fetch_and)
WARPLINT_BY_SCOPE(fetch_or)
WARPLINT_BY_SCOPE(fetch_xor)
WARPLINT_BY_SCOPE(fetch_min)
WARPLINT_BY_SCOPE(fetch_max)
template <class T> WARPLINT_METHOD inline T load(const T *at, int order, int scope) { WARPLINT_ON_SCOPE(load, at, (memory_order)order) }
template <class T> WARPLINT_METHOD inline void store(T *at, T v, int order, int scope) { WARPLINT_ON_SCOPE(store, at, v, (memory_order)order) }
template <class T> WARPLINT_METHOD inline bool compare_exchange(T *at, T &expected, T v, int order, int scope) {
  WARPLINT_ON_SCOPE(compare_exchange, at, expected, v, (memory_order)order)
}
template <class T> struct identity { typedef T type; };
template <class T> using value = typename identity<T>::type; // an argument that decides no type
}  // namespace by_scope
}  // namespace details
}  // namespace cuda
#undef WARPLINT_BY_SCOPE
#undef WARPLINT_ON_SCOPE

#define WARPLINT_UPDATE_BY_SCOPE(name, method, v)                                                                                       \
  template <class T> WARPLINT_METHOD inline T name(T *at, cuda::details::by_scope::value<T> x, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) { \
    return cuda::details::by_scope::method(at, (T)(v), order, scope);                                                                   \
  }
WARPLINT_UPDATE_BY_SCOPE(__nv_atomic_exchange_n, exchange, x)
WARPLINT_UPDATE_BY_SCOPE(__nv_atomic_fetch_add, fetch_add, x)
WARPLINT_UPDATE_BY_SCOPE(__nv_atomic_fetch_sub, fetch_add, -x)
WARPLINT_UPDATE_BY_SCOPE(__nv_atomic_fetch_and, fetch_and, x)
WARPLINT_UPDATE_BY_SCOPE(__nv_atomic_fetch_or, fetch_or, x)
WARPLINT_UPDATE_BY_SCOPE(__nv_atomic_fetch_xor, fetch_xor, x)
WARPLINT_UPDATE_BY_SCOPE(__nv_atomic_fetch_min, fetch_min, x)
WARPLINT_UPDATE_BY_SCOPE(__nv_atomic_fetch_max, fetch_max, x)
#undef WARPLINT_UPDATE_BY_SCOPE

template <class T> WARPLINT_METHOD inline T __nv_atomic_load_n(const T *at, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return cuda::details::by_scope::load(at, order, scope);
}
template <class T> WARPLINT_METHOD inline void __nv_atomic_load(const T *at, T *to, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  *to = cuda::details::by_scope::load(at, order, scope);
}
template <class T>
WARPLINT_METHOD inline void __nv_atomic_store_n(T *at, cuda::details::by_scope::value<T> x, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  cuda::details::by_scope::store(at, x, order, scope);
}
template <class T> WARPLINT_METHOD inline void __nv_atomic_store(T *at, T *x, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  cuda::details::by_scope::store(at, *x, order, scope);
}
template <class T> WARPLINT_METHOD inline void __nv_atomic_exchange(T *at, T *x, T *old, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  *old = cuda::details::by_scope::exchange(at, *x, order, scope);
}
template <class T>
WARPLINT_METHOD inline bool __nv_atomic_compare_exchange_n(T *at, T *expected, cuda::details::by_scope::value<T> x, bool, int order, int,
                                                           int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return cuda::details::by_scope::compare_exchange(at, *expected, x, order, scope);
}
template <class T>
WARPLINT_METHOD inline bool __nv_atomic_compare_exchange(T *at, T *expected, T *x, bool, int order, int, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return cuda::details::by_scope::compare_exchange(at, *expected, *x, order, scope);
}
WARPLINT_METHOD inline void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  switch (scope) {
    case __NV_THREAD_SCOPE_THREAD: return;
    case __NV_THREAD_SCOPE_BLOCK: return cuda::atomic_thread_fence((cuda::memory_order)order, cuda::thread_scope_block);
    case __NV_THREAD_SCOPE_CLUSTER:
    case __NV_THREAD_SCOPE_DEVICE: return cuda::atomic_thread_fence((cuda::memory_order)order, cuda::thread_scope_device);
    default: return cuda::atomic_thread_fence((cuda::memory_order)order, cuda::thread_scope_system);
  }
}
#endif
