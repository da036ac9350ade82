// The words that mark where a function runs and where a variable lives.
#ifndef WARPLINT_HOST_DEFINES_H
#define WARPLINT_HOST_DEFINES_H

#if defined(__CUDA__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
// clang has managed variables for HIP only. The host's variable lies in a section of its own, which the runtime library
// shares with the device (dynamic/cudart/client/managed.c).
#if defined(__CUDA_ARCH__)
#define __managed__ __attribute__((device))
#else
#define __managed__ __attribute__((device, section("warplint_managed")))
#endif
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
// Newer clangs than those that we know have an attribute of this name; dynamic/toolchain/cluster.go reads ours.
#define __cluster_dims__(...) __attribute__((annotate("__cluster_dims__", __VA_ARGS__)))
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#endif

#define __grid_constant__
#define __maxnreg__(...)
#define __forceinline__ __inline__ __attribute__((always_inline))
// clang 15 and newer know __noinline__ as a word; a macro would break <memory>, which writes
// __attribute__((__noinline__)).
#if defined(__CUDA__) && __clang_major__ < 15
#define __noinline__ __attribute__((noinline))
#endif
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __device_builtin__
#define __cudart_builtin__
#define CUDARTAPI
#define CUDART_CB
#define CUDAAPI
#define CUDA_CB

// nvcc takes alignas after __shared__, where clang wants an attribute. What is aligned to may be a
// type or a number.
#if defined(__CUDA__)
namespace warplint {
template <class T> constexpr unsigned long alignment() { return alignof(T); }
template <unsigned long Bytes> constexpr unsigned long alignment() { return Bytes; }
}  // namespace warplint
#define alignas(...) __attribute__((aligned(warplint::alignment<__VA_ARGS__>())))
#endif

// An intrinsic of ours: it disappears into its caller and carries no line of its own, so
// that what it does is reported at the line of the user's program. METHOD is for members,
// BOTH for what host code may call, too.
#if defined(__CUDA__)
#define WARPLINT_INTRINSIC static __inline__ __attribute__((device, always_inline, nodebug, unused))
#define WARPLINT_METHOD __attribute__((device, always_inline, nodebug))
#define WARPLINT_BOTH static __inline__ __attribute__((host, device, always_inline, nodebug, unused))
#define WARPLINT_METHOD_BOTH __attribute__((host, device, always_inline, nodebug))
#else
#define WARPLINT_BOTH static __inline__ __attribute__((always_inline, unused))
#define WARPLINT_METHOD_BOTH __attribute__((always_inline)) inline
#endif

#endif
