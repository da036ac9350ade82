// Loads and stores with cache hints, and questions about addresses. A hint changes nothing
// that can be observed, so these are plain accesses.
#pragma once

#define WARPLINT_LOAD(name) \
  template <class T> WARPLINT_METHOD inline T name(const T *address) { return *address; }
WARPLINT_LOAD(__ldg)
WARPLINT_LOAD(__ldca)
WARPLINT_LOAD(__ldcg)
WARPLINT_LOAD(__ldcs)
WARPLINT_LOAD(__ldlu)
#undef WARPLINT_LOAD
template <class T> WARPLINT_METHOD inline T __ldcv(const T *address) {
  if constexpr (__is_arithmetic(T)) {
    return *(const volatile T *)address;
  } else {  // vectors, by their elements
    T value;
    for (unsigned i = 0; i < sizeof(T) / sizeof(value.x); i++) (&value.x)[i] = (&((const volatile T *)address)->x)[i];
    return value;
  }
}
#define WARPLINT_STORE(name) \
  template <class T> WARPLINT_METHOD inline void name(T *address, T value) { *address = value; }
WARPLINT_STORE(__stwb)
WARPLINT_STORE(__stcg)
WARPLINT_STORE(__stcs)
#undef WARPLINT_STORE
template <class T> WARPLINT_METHOD inline void __stwt(T *address, T value) {
  if constexpr (__is_arithmetic(T)) *(volatile T *)address = value;
  else for (unsigned i = 0; i < sizeof(T) / sizeof(value.x); i++) (&((volatile T *)address)->x)[i] = (&value.x)[i];
}

#define WARPLINT_IN_SPACE(name, space)                                                                          \
  WARPLINT_INTRINSIC unsigned name(const void *pointer) {                                                       \
    unsigned r;                                                                                                 \
    asm("{ .reg .pred p; isspacep." space " p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(r) : "l"(pointer));          \
    return r;                                                                                                   \
  }
WARPLINT_IN_SPACE(__isGlobal, "global")
WARPLINT_IN_SPACE(__isShared, "shared")
WARPLINT_IN_SPACE(__isClusterShared, "shared::cluster")
WARPLINT_IN_SPACE(__isLocal, "local")
WARPLINT_IN_SPACE(__isConstant, "const")
#undef WARPLINT_IN_SPACE

#define WARPLINT_TO_SPACE(name, space)                                                          \
  WARPLINT_INTRINSIC size_t name(const void *pointer) {                                         \
    size_t r;                                                                                   \
    asm("cvta.to." space ".u64 %0, %1;" : "=l"(r) : "l"(pointer));                              \
    return r;                                                                                   \
  }
WARPLINT_TO_SPACE(__cvta_generic_to_global, "global")
WARPLINT_TO_SPACE(__cvta_generic_to_shared, "shared")
WARPLINT_TO_SPACE(__cvta_generic_to_local, "local")
WARPLINT_TO_SPACE(__cvta_generic_to_constant, "const")
#undef WARPLINT_TO_SPACE
#define WARPLINT_FROM_SPACE(name, space)                               \
  WARPLINT_INTRINSIC void *name(size_t address) {                      \
    void *r;                                                           \
    asm("cvta." space ".u64 %0, %1;" : "=l"(r) : "l"(address));        \
    return r;                                                          \
  }
WARPLINT_FROM_SPACE(__cvta_global_to_generic, "global")
WARPLINT_FROM_SPACE(__cvta_shared_to_generic, "shared")
WARPLINT_FROM_SPACE(__cvta_local_to_generic, "local")
WARPLINT_FROM_SPACE(__cvta_constant_to_generic, "const")
#undef WARPLINT_FROM_SPACE

// Block operations; the compiler makes loads and stores of them.
WARPLINT_INTRINSIC void *memcpy(void *to, const void *from, size_t count) { return __builtin_memcpy(to, from, count); }
WARPLINT_INTRINSIC void *memmove(void *to, const void *from, size_t count) { return __builtin_memmove(to, from, count); }
WARPLINT_INTRINSIC void *memset(void *to, int value, size_t count) { return __builtin_memset(to, value, count); }
// What std::string_view calls; no loop of theirs may become a call of themselves.
extern "C" {
__attribute__((device, nodebug, no_builtin)) inline size_t strlen(const char *text) {
  size_t n = 0;
  while (text[n]) n++;
  return n;
}
__attribute__((device, nodebug, no_builtin)) inline int memcmp(const void *a, const void *b, size_t count) {
  const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
  for (size_t i = 0; i < count; i++)
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  return 0;
}
__attribute__((device, nodebug, no_builtin)) inline void *memchr(const void *in, int value, size_t count) {
  const unsigned char *x = (const unsigned char *)in;
  for (size_t i = 0; i < count; i++)
    if (x[i] == (unsigned char)value) return (void *)(x + i);
  return nullptr;
}
}
// nvcc's runtime header brings <cstring>.
namespace std {
using ::memcpy;
using ::memmove;
using ::memset;
}  // namespace std
