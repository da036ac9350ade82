// threadIdx, blockIdx, blockDim, gridDim and warpSize as reads of PTX special registers.
#pragma once
#include "vector_types.h"

#define WARPLINT_REGISTER(member, read) \
  __declspec(property(get = get_##member)) unsigned int member; \
  WARPLINT_METHOD static unsigned int get_##member() { return read; }

#define WARPLINT_TRIPLE(name, register)                                          \
  struct warplint_##name {                                                             \
    WARPLINT_REGISTER(x, __nvvm_read_ptx_sreg_##register##_x())                        \
    WARPLINT_REGISTER(y, __nvvm_read_ptx_sreg_##register##_y())                        \
    WARPLINT_REGISTER(z, __nvvm_read_ptx_sreg_##register##_z())                        \
    WARPLINT_METHOD operator uint3() const { return uint3{get_x(), get_y(), get_z()}; } \
    WARPLINT_METHOD operator dim3() const { return dim3(get_x(), get_y(), get_z()); }  \
                                                                                       \
    warplint_##name() = delete;                                                        \
    warplint_##name(const warplint_##name &) = delete;                                 \
    void operator=(const warplint_##name &) const = delete;                            \
  };                                                                                   \
  extern const __attribute__((device, weak)) warplint_##name name;

WARPLINT_TRIPLE(threadIdx, tid)
WARPLINT_TRIPLE(blockIdx, ctaid)
WARPLINT_TRIPLE(blockDim, ntid)
WARPLINT_TRIPLE(gridDim, nctaid)

#undef WARPLINT_TRIPLE
#undef WARPLINT_REGISTER

__attribute__((device)) constexpr int warpSize = 32;
