// What a .cu file sees without including anything, and a .cpp file with this include.
#ifndef WARPLINT_CUDA_RUNTIME_H
#define WARPLINT_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__  // programs ask for it

#if defined(__CUDA__)
#define __CUDACC__ 1
#define __CUDACC_EXTENDED_LAMBDA__ 1  // what nvcc takes with options, clang takes as it is
#define __CUDACC_RELAXED_CONSTEXPR__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 8
#define __CUDACC_VER_BUILD__ 0
#define CUDA_VERSION 12080  // as cuda.h has it, which clang puts before all else: CCCL counts on that
#define CCCL_DISABLE_NVTX 1  // our nvtx3 does nothing, and has not what CCCL takes from it
#include "crt/host_defines.h"
#include "warplint/math_forward.h"
#include "warplint/device_library.h"
#include "warplint/host_throws.h"
#ifdef __cplusplus
#include <type_traits>
namespace std {  // For the constraints of a kernel, those of <concepts> too, clang asks whether device code may call it.
template <class T> __device__ typename add_rvalue_reference<T>::type declval() noexcept;
}
#endif
#endif

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __cplusplus
#include <cmath>
#include <cstdlib>
#include <new>
#include <utility>
#endif

#include "vector_types.h"
#include "vector_functions.h"
#include "cuda_runtime_api.h"

#if defined(__CUDA__)
#include "warplint/builtins.h"
#include "warplint/math.h"
#include "warplint/integer.h"
#include "warplint/math_more.h"
#include <__clang_cuda_complex_builtins.h>  // what clang calls to divide complex numbers
#include "warplint/simd.h"
#include "warplint/dpx.h"
#include "warplint/convert.h"
#include "warplint/synchronization.h"
#include "warplint/atomics.h"
#include "warplint/nv_atomics.h"
#include "warplint/memory.h"
#include "warplint/device_runtime.h"
#include "warplint/texture.h"
#include "warplint/texture_reference.h"
#endif

#endif
