// Atomic operations with an order and a scope: what cuda::atomic and nvcc's __nv_atomic functions
// are made of. Device code becomes PTX instructions of the same order and scope; host code uses
// the compiler's atomics. Orders are those of C++, as numbers.
#pragma once
#include <stddef.h>
#include "../crt/host_defines.h"

// The values that nvcc's functions take (CUDA C++ Programming Guide, "Atomic Functions").
enum { __NV_ATOMIC_RELAXED, __NV_ATOMIC_CONSUME, __NV_ATOMIC_ACQUIRE, __NV_ATOMIC_RELEASE, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_SEQ_CST };
enum {
  __NV_THREAD_SCOPE_SYSTEM,
  __NV_THREAD_SCOPE_DEVICE,
  __NV_THREAD_SCOPE_BLOCK,
  __NV_THREAD_SCOPE_THREAD,
  __NV_THREAD_SCOPE_CLUSTER,
};

namespace warplint {

// The scope's name has to stand in the text of each statement, so everything below is written
// once for each scope: PTX(scope), then its specialization.
template <int S> struct fences;
template <int S, size_t Bytes> struct words;

#define WARPLINT_STATEMENT(kind, scope, ptx, r, reg, at) asm volatile(kind scope "." ptx " %0, [%1];" : "=" reg(r) : "l"(at) : "memory")
#define WARPLINT_UPDATE(order, scope, op, ptx, r, reg, at, v)                                                 \
  asm volatile("atom" order scope "." op "." ptx " %0, [%1], %2;" : "=" reg(r) : "l"(at), reg(v) : "memory")
#define WARPLINT_ORDERED(statement, order, ...)                                                               \
  switch (order) {                                                                                            \
    case __NV_ATOMIC_RELAXED: statement(".relaxed", __VA_ARGS__); break;                                      \
    case __NV_ATOMIC_CONSUME:                                                                                 \
    case __NV_ATOMIC_ACQUIRE: statement(".acquire", __VA_ARGS__); break;                                      \
    case __NV_ATOMIC_RELEASE: statement(".release", __VA_ARGS__); break;                                      \
    default: statement(".acq_rel", __VA_ARGS__); break;                                                       \
  }
#define WARPLINT_FETCH(name, scope, op, type, ptx, reg)                                                       \
  WARPLINT_METHOD static type name(void *at, type v, int order) {                                             \
    type r;                                                                                                   \
    WARPLINT_ORDERED(WARPLINT_UPDATE, order, scope, op, ptx, r, reg, at, v)                                   \
    return r;                                                                                                 \
  }
#define WARPLINT_COMPARE(order, scope, ptx, r, reg, at, c, v)                                                 \
  asm volatile("atom" order scope ".cas." ptx " %0, [%1], %2, %3;" : "=" reg(r) : "l"(at), reg(c), reg(v) : "memory")

#define WARPLINT_ACCESS(scope, type_, ptx, reg)                                                               \
  typedef type_ type;                                                                                         \
  WARPLINT_METHOD static type load(const void *at, bool acquire) {                                            \
    type r;                                                                                                   \
    if (acquire) WARPLINT_STATEMENT("ld.acquire", scope, ptx, r, reg, at);                                    \
    else WARPLINT_STATEMENT("ld.relaxed", scope, ptx, r, reg, at);                                            \
    return r;                                                                                                 \
  }                                                                                                           \
  WARPLINT_METHOD static void store(void *at, type v, bool release) {                                         \
    if (release) asm volatile("st.release" scope "." ptx " [%0], %1;" ::"l"(at), reg(v) : "memory");          \
    else asm volatile("st.relaxed" scope "." ptx " [%0], %1;" ::"l"(at), reg(v) : "memory");                  \
  }
#define WARPLINT_BITWISE(scope, type_, bits, reg, signedType)                                                 \
  typedef signedType signed_type;                                                                             \
  WARPLINT_FETCH(exchange, scope, "exch", type_, "b" bits, reg)                                               \
  WARPLINT_FETCH(fetch_and, scope, "and", type_, "b" bits, reg)                                               \
  WARPLINT_FETCH(fetch_or, scope, "or", type_, "b" bits, reg)                                                 \
  WARPLINT_FETCH(fetch_xor, scope, "xor", type_, "b" bits, reg)                                               \
  WARPLINT_METHOD static type_ compare_exchange(void *at, type_ c, type_ v, int order) {                      \
    type_ r;                                                                                                  \
    WARPLINT_ORDERED(WARPLINT_COMPARE, order, scope, "b" bits, r, reg, at, c, v)                              \
    return r;                                                                                                 \
  }
// Numbers of one byte and of two: libcu++ updates the word around them, the simulator just them.
#define WARPLINT_SMALL(scope, ptx, bits, signedType)                                                          \
  WARPLINT_ACCESS(scope, unsigned short, ptx, "h")                                                            \
  WARPLINT_BITWISE(scope, unsigned short, bits, "h", signedType)                                              \
  template <class F> WARPLINT_METHOD static type update(void *at, int order, F function) {                    \
    for (type old = load(at, false);;) {                                                                      \
      type seen = compare_exchange(at, old, function(old), order);                                            \
      if (seen == old) return old;                                                                            \
      old = seen;                                                                                             \
    }                                                                                                         \
  }                                                                                                           \
  WARPLINT_METHOD static type fetch_add(void *at, type v, int order) {                                        \
    return update(at, order, [=](type old) { return (type)((old + v) & ((1 << 8 * sizeof(signedType)) - 1)); }); \
  }                                                                                                           \
  template <class V> WARPLINT_METHOD static type fetch_min(void *at, V v, int order) {                        \
    return update(at, order, [=](type old) { return v < (V)old ? (type)v : old; });                           \
  }                                                                                                           \
  template <class V> WARPLINT_METHOD static type fetch_max(void *at, V v, int order) {                        \
    return update(at, order, [=](type old) { return (V)old < v ? (type)v : old; });                           \
  }
#define WARPLINT_WORD(scope, type_, bits, reg, signedType)                                                    \
  WARPLINT_ACCESS(scope, type_, "b" bits, reg)                                                                \
  WARPLINT_BITWISE(scope, type_, bits, reg, signedType)                                                       \
  WARPLINT_FETCH(fetch_add, scope, "add", type_, "u" bits, reg)                                               \
  WARPLINT_FETCH(fetch_min, scope, "min", type_, "u" bits, reg)                                               \
  WARPLINT_FETCH(fetch_max, scope, "max", type_, "u" bits, reg)                                               \
  WARPLINT_FETCH(fetch_min, scope, "min", signedType, "s" bits, reg)                                          \
  WARPLINT_FETCH(fetch_max, scope, "max", signedType, "s" bits, reg)
#define WARPLINT_SCOPE(S, scope)                                                                              \
  template <> struct fences<S> {                                                                              \
    WARPLINT_METHOD static void acq_rel() { asm volatile("fence.acq_rel" scope ";" ::: "memory"); }           \
    WARPLINT_METHOD static void sc() { asm volatile("fence.sc" scope ";" ::: "memory"); }                     \
    WARPLINT_FETCH(fetch_add, scope, "add", float, "f32", "f")                                                \
    WARPLINT_FETCH(fetch_add, scope, "add", double, "f64", "d")                                               \
  };                                                                                                          \
  template <> struct words<S, 1> { WARPLINT_SMALL(scope, "u8", "8", signed char) };                           \
  template <> struct words<S, 2> { WARPLINT_SMALL(scope, "u16", "16", short) };                               \
  template <> struct words<S, 4> { WARPLINT_WORD(scope, unsigned, "32", "r", int) };                          \
  template <> struct words<S, 8> { WARPLINT_WORD(scope, unsigned long long, "64", "l", long long) };
WARPLINT_SCOPE(__NV_THREAD_SCOPE_SYSTEM, ".sys")
WARPLINT_SCOPE(__NV_THREAD_SCOPE_DEVICE, ".gpu")
WARPLINT_SCOPE(__NV_THREAD_SCOPE_CLUSTER, ".cluster")
WARPLINT_SCOPE(__NV_THREAD_SCOPE_BLOCK, ".cta")
WARPLINT_SCOPE(__NV_THREAD_SCOPE_THREAD, ".cta")
#undef WARPLINT_SCOPE
#undef WARPLINT_WORD
#undef WARPLINT_SMALL
#undef WARPLINT_BITWISE
#undef WARPLINT_ACCESS
#undef WARPLINT_COMPARE
#undef WARPLINT_FETCH
#undef WARPLINT_ORDERED
#undef WARPLINT_UPDATE
#undef WARPLINT_STATEMENT

template <class T, size_t = sizeof(T)> struct word_of { typedef unsigned long long type; };
template <class T> struct word_of<T, 4> { typedef unsigned type; };
template <class T> struct word_of<T, 2> { typedef unsigned short type; };
template <class T> struct word_of<T, 1> { typedef unsigned short type; };

template <class To, class From> WARPLINT_METHOD inline To pun(const From &from) {
  To to{};
  __builtin_memcpy(&to, &from, sizeof(To) < sizeof(From) ? sizeof(To) : sizeof(From));
  return to;
}

// The operations on an object wherever it is. A sequentially consistent one is a fence.sc
// and the acquiring or releasing form (PTX ISA, "Memory Consistency Model"). What T is, its values
// tell: libstdc++ uses the names of the compiler's type traits, and <type_traits> is not for every file.
template <class T, int S> struct operations {
  typedef words<S, sizeof(T)> memory;
  typedef typename word_of<T>::type word;
#if defined(__CUDA_ARCH__)
  WARPLINT_METHOD static int fenced(int order) {
    if (order == __NV_ATOMIC_SEQ_CST) fences<S>::sc();
    return order;
  }
  WARPLINT_METHOD static T load(const T *at, int order) {
    fenced(order);
    return pun<T>(memory::load(at, order != __NV_ATOMIC_RELAXED));
  }
  WARPLINT_METHOD static void store(T *at, T value, int order) {
    fenced(order);
    memory::store(at, pun<word>(value), order != __NV_ATOMIC_RELAXED);
  }
  WARPLINT_METHOD static T exchange(T *at, T value, int order) { return pun<T>(memory::exchange(at, pun<word>(value), fenced(order))); }
  WARPLINT_METHOD static bool compare_exchange(T *at, T &expected, T value, int order) {
    word want = pun<word>(expected), old = memory::compare_exchange(at, want, pun<word>(value), fenced(order));
    expected = pun<T>(old);
    return old == want;
  }
  WARPLINT_METHOD static T fetch_add(T *at, T value, int order) {
    if constexpr ((T)0.5 != (T)0) return fences<S>::fetch_add(at, value, fenced(order));
    else return pun<T>(memory::fetch_add(at, pun<word>(value), fenced(order)));
  }
  WARPLINT_METHOD static T fetch_and(T *at, T value, int order) { return pun<T>(memory::fetch_and(at, pun<word>(value), fenced(order))); }
  WARPLINT_METHOD static T fetch_or(T *at, T value, int order) { return pun<T>(memory::fetch_or(at, pun<word>(value), fenced(order))); }
  WARPLINT_METHOD static T fetch_xor(T *at, T value, int order) { return pun<T>(memory::fetch_xor(at, pun<word>(value), fenced(order))); }
  WARPLINT_METHOD static T fetch_min(T *at, T value, int order) {
    if constexpr ((T)-1 < (T)0) return (T)memory::fetch_min(at, (typename memory::signed_type)value, fenced(order));
    else return (T)memory::fetch_min(at, (word)value, fenced(order));
  }
  WARPLINT_METHOD static T fetch_max(T *at, T value, int order) {
    if constexpr ((T)-1 < (T)0) return (T)memory::fetch_max(at, (typename memory::signed_type)value, fenced(order));
    else return (T)memory::fetch_max(at, (word)value, fenced(order));
  }
#else
  static T load(const T *at, int order) { T r; __atomic_load(at, &r, order); return r; }
  static void store(T *at, T value, int order) { __atomic_store(at, &value, order); }
  static T exchange(T *at, T value, int order) { T r; __atomic_exchange(at, &value, &r, order); return r; }
  static bool compare_exchange(T *at, T &expected, T value, int) {
    return __atomic_compare_exchange(at, &expected, &value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  }
  template <class F> static T update(T *at, F function) {
    T old = load(at, __NV_ATOMIC_RELAXED);
    while (!compare_exchange(at, old, function(old), __NV_ATOMIC_SEQ_CST)) {}
    return old;
  }
  static T fetch_add(T *at, T value, int) { return update(at, [=](T old) { return (T)(old + value); }); }
  static T fetch_and(T *at, T value, int) { return update(at, [=](T old) { return (T)(old & value); }); }
  static T fetch_or(T *at, T value, int) { return update(at, [=](T old) { return (T)(old | value); }); }
  static T fetch_xor(T *at, T value, int) { return update(at, [=](T old) { return (T)(old ^ value); }); }
  static T fetch_min(T *at, T value, int) { return update(at, [=](T old) { return value < old ? value : old; }); }
  static T fetch_max(T *at, T value, int) { return update(at, [=](T old) { return old < value ? value : old; }); }
#endif
};

// WARPLINT_IN_SCOPE does something in a scope that is known once this is inlined; inside, S is the
// scope as a constant.
#define WARPLINT_IN_SCOPE(scope, ...)                                                                         \
  switch (scope) {                                                                                            \
    case __NV_THREAD_SCOPE_THREAD:                                                                            \
    case __NV_THREAD_SCOPE_BLOCK: { constexpr int S = __NV_THREAD_SCOPE_BLOCK; __VA_ARGS__; break; }          \
    case __NV_THREAD_SCOPE_CLUSTER: { constexpr int S = __NV_THREAD_SCOPE_CLUSTER; __VA_ARGS__; break; }      \
    case __NV_THREAD_SCOPE_DEVICE: { constexpr int S = __NV_THREAD_SCOPE_DEVICE; __VA_ARGS__; break; }        \
    default: { constexpr int S = __NV_THREAD_SCOPE_SYSTEM; __VA_ARGS__; break; }                              \
  }

WARPLINT_METHOD inline void fence(int order, int scope) {
  if (order == __NV_ATOMIC_RELAXED || scope == __NV_THREAD_SCOPE_THREAD) return;
  if (order == __NV_ATOMIC_SEQ_CST) WARPLINT_IN_SCOPE(scope, fences<S>::sc())
  else WARPLINT_IN_SCOPE(scope, fences<S>::acq_rel())
}

}  // namespace warplint
