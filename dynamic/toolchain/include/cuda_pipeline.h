// The pipeline primitives of the CUDA C++ Programming Guide: asynchronous copies of a thread.
#pragma once
#include "cuda_runtime.h"
#if defined(__CUDA__)
#include "warplint/async_copy.h"
WARPLINT_INTRINSIC void __pipeline_memcpy_async(void *to, const void *from, size_t size, size_t zeros = 0) {
  if (zeros) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"((unsigned)(size - zeros)) : "memory");
    return;
  }
  if (size == 16) warplint::copy_async_unit<16>(to, from);
  else if (size == 8) warplint::copy_async_unit<8>(to, from);
  else warplint::copy_async_unit<4>(to, from);
}
WARPLINT_INTRINSIC void __pipeline_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
#define __pipeline_wait_prior(pending) asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory")
#endif
