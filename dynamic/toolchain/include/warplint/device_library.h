// Functions that the simulator itself provides to device code. A call to a function that no
// module defines goes to it by name: libdevice's names for mathematics (libdevice User's
// Guide), and those of the CUDA device runtime for printing, asserting and allocating.
#pragma once
#include <stddef.h>
#include "warplint/math_names.h"

#define WARPLINT_PURE __attribute__((device, const, nothrow))

extern "C" {
#define WARPLINT_LIBRARY_1(name)           \
  WARPLINT_PURE double __nv_##name(double); \
  WARPLINT_PURE float __nv_##name##f(float);
#define WARPLINT_LIBRARY_2(name)                   \
  WARPLINT_PURE double __nv_##name(double, double); \
  WARPLINT_PURE float __nv_##name##f(float, float);
WARPLINT_MATH_LIBRARY_1(WARPLINT_LIBRARY_1)
WARPLINT_MATH_CUDA_1(WARPLINT_LIBRARY_1)
WARPLINT_MATH_LIBRARY_2(WARPLINT_LIBRARY_2)
#undef WARPLINT_LIBRARY_1
#undef WARPLINT_LIBRARY_2
WARPLINT_PURE double __nv_ldexp(double, int);
WARPLINT_PURE float __nv_ldexpf(float, int);

__attribute__((device)) int vprintf(const char *format, const char *arguments);
__attribute__((device)) int printf(const char *format, ...);
__attribute__((device, noreturn)) void __assertfail(const char *message, const char *file, unsigned line, const char *function, size_t charSize);
__attribute__((device)) void *malloc(size_t size) noexcept(true);
__attribute__((device)) void free(void *pointer) noexcept(true);
__attribute__((device, always_inline, nodebug)) inline void *__nv_aligned_device_malloc(size_t size, size_t align) {
  return align > 256 ? nullptr : malloc(size);  // the simulator aligns all memory so
}
}

// <assert.h> of the host's C library calls this.
extern "C" __attribute__((device, always_inline, nodebug, noreturn)) inline void __assert_fail(const char *message, const char *file, unsigned line, const char *function) noexcept(true) {
  __assertfail(message, file, line, function, 1);
}


// What a vtable holds for a pure virtual function.
extern "C" __attribute__((device, weak, nodebug)) void __cxa_pure_virtual() { asm volatile("trap;"); }
