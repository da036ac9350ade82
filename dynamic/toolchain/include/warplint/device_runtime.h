// Kernels that launch kernels (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism"), and the functions of the runtime
// that device code may call. dynamic/launches.go turns "kernel<<<...>>>(...)" of device code into "child<&kernel>(...)(...)",
// since clang takes no launch there; dynamic/sim/children.go does the work.
#pragma once

#define cudaStreamTailLaunch ((cudaStream_t)0x3)
#define cudaStreamFireAndForget ((cudaStream_t)0x4)

#if __cplusplus >= 201703L

namespace warplint {

struct child_configuration {
  unsigned grid[3], block[3];
  unsigned long long shared;
  cudaStream_t stream;
  const void *const *arguments;
};
extern "C" {
__attribute__((device)) int __warplint_launch(const void *kernel, const child_configuration *configuration);
__attribute__((device)) int __warplint_last_error(int reset);
__attribute__((device)) unsigned long long __warplint_new_stream();
__attribute__((device)) void __warplint_event(unsigned long long event, unsigned long long stream, int wait);
__attribute__((device)) int __warplint_wait_for_children();
}

// The address of a kernel: device code may take it where it is a constant, and nowhere else.
template <auto Kernel> struct kernel_of { static __device__ const void *const address; };
template <auto Kernel> __device__ const void *const kernel_of<Kernel>::address = (const void *)Kernel;

// Of several kernels of one name the one with so many parameters.
inline constexpr auto kernel_with_0(void (*kernel)()) { return kernel; }
#define WARPLINT_KERNEL_WITH(n, classes, types) \
  template <classes> constexpr auto kernel_with_##n(void (*kernel)(types)) { return kernel; }
#define WARPLINT_LIST(...) __VA_ARGS__
WARPLINT_KERNEL_WITH(1, WARPLINT_LIST(class T0), WARPLINT_LIST(T0))
WARPLINT_KERNEL_WITH(2, WARPLINT_LIST(class T0, class T1), WARPLINT_LIST(T0, T1))
WARPLINT_KERNEL_WITH(3, WARPLINT_LIST(class T0, class T1, class T2), WARPLINT_LIST(T0, T1, T2))
WARPLINT_KERNEL_WITH(4, WARPLINT_LIST(class T0, class T1, class T2, class T3), WARPLINT_LIST(T0, T1, T2, T3))
WARPLINT_KERNEL_WITH(5, WARPLINT_LIST(class T0, class T1, class T2, class T3, class T4), WARPLINT_LIST(T0, T1, T2, T3, T4))
WARPLINT_KERNEL_WITH(6, WARPLINT_LIST(class T0, class T1, class T2, class T3, class T4, class T5), WARPLINT_LIST(T0, T1, T2, T3, T4, T5))
WARPLINT_KERNEL_WITH(7, WARPLINT_LIST(class T0, class T1, class T2, class T3, class T4, class T5, class T6), WARPLINT_LIST(T0, T1, T2, T3, T4, T5, T6))
WARPLINT_KERNEL_WITH(8, WARPLINT_LIST(class T0, class T1, class T2, class T3, class T4, class T5, class T6, class T7), WARPLINT_LIST(T0, T1, T2, T3, T4, T5, T6, T7))
WARPLINT_KERNEL_WITH(9, WARPLINT_LIST(class T0, class T1, class T2, class T3, class T4, class T5, class T6, class T7, class T8), WARPLINT_LIST(T0, T1, T2, T3, T4, T5, T6, T7, T8))
WARPLINT_KERNEL_WITH(10, WARPLINT_LIST(class T0, class T1, class T2, class T3, class T4, class T5, class T6, class T7, class T8, class T9), WARPLINT_LIST(T0, T1, T2, T3, T4, T5, T6, T7, T8, T9))
WARPLINT_KERNEL_WITH(11, WARPLINT_LIST(class T0, class T1, class T2, class T3, class T4, class T5, class T6, class T7, class T8, class T9, class T10), WARPLINT_LIST(T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10))
WARPLINT_KERNEL_WITH(12, WARPLINT_LIST(class T0, class T1, class T2, class T3, class T4, class T5, class T6, class T7, class T8, class T9, class T10, class T11), WARPLINT_LIST(T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11))
#undef WARPLINT_LIST
#undef WARPLINT_KERNEL_WITH
// The type of a pointer to a kernel that takes such arguments as they are.
template <class... A> struct kernel_type { using pointer = void (*)(A...); };
template <class... A> WARPLINT_METHOD_BOTH kernel_type<A...> kernel_for(A...);

template <auto Kernel, class = decltype(Kernel)> struct child;
template <auto Kernel, class... P> struct child<Kernel, void (*)(P...)> {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
  WARPLINT_METHOD child(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr) : grid(grid), block(block), shared(shared), stream(stream) {}
  WARPLINT_METHOD void operator()(P... arguments) const {
    const void *const list[] = {(const void *)&arguments..., nullptr};
    const child_configuration c = {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared, stream, list};
    __warplint_launch(kernel_of<Kernel>::address, &c);
  }
};

template <class T> __global__ void copy_bytes(T *to, const T *from, size_t count) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) to[i] = from[i];
}
template <class T> __global__ void set_bytes(T *to, int value, size_t count) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) to[i] = (T)value;
}

}  // namespace warplint

// Copies by kernels are children, too. Templates cost nothing where nobody uses them.
template <class T> WARPLINT_METHOD inline cudaError_t cudaMemcpyAsync(T *to, const void *from, size_t count, cudaMemcpyKind, cudaStream_t stream = nullptr) {
  if (count) warplint::child<&warplint::copy_bytes<char>>((unsigned)(count < 131072 ? (count + 255) / 256 : 512), 256, 0, stream)((char *)to, (const char *)from, count);
  return (cudaError_t)warplint::__warplint_last_error(0);
}
template <class T> WARPLINT_METHOD inline cudaError_t cudaMemsetAsync(T *to, int value, size_t count, cudaStream_t stream = nullptr) {
  if (count) warplint::child<&warplint::set_bytes<char>>((unsigned)(count < 131072 ? (count + 255) / 256 : 512), 256, 0, stream)((char *)to, value, count);
  return (cudaError_t)warplint::__warplint_last_error(0);
}

WARPLINT_INTRINSIC cudaError_t cudaGetLastError() { return (cudaError_t)warplint::__warplint_last_error(1); }
WARPLINT_INTRINSIC cudaError_t cudaPeekAtLastError() { return (cudaError_t)warplint::__warplint_last_error(0); }
WARPLINT_INTRINSIC cudaError_t cudaDeviceSynchronize() { return (cudaError_t)warplint::__warplint_wait_for_children(); }
WARPLINT_INTRINSIC cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int) {
  *stream = (cudaStream_t)warplint::__warplint_new_stream();
  return cudaSuccess;
}
WARPLINT_INTRINSIC cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
WARPLINT_INTRINSIC cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
  if (flags != cudaEventDisableTiming) return cudaErrorInvalidValue;  // the only kind that there is
  *event = (cudaEvent_t)warplint::__warplint_new_stream();
  return cudaSuccess;
}
WARPLINT_INTRINSIC cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr) {
  warplint::__warplint_event((unsigned long long)event, (unsigned long long)stream, 0);
  return cudaSuccess;
}
WARPLINT_INTRINSIC cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream = nullptr, unsigned int = 0) { return cudaEventRecord(event, stream); }
WARPLINT_INTRINSIC cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int = 0) {
  warplint::__warplint_event((unsigned long long)event, (unsigned long long)stream, 1);
  return cudaSuccess;
}
WARPLINT_INTRINSIC cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
#endif

// A handle is the address of its value.
WARPLINT_INTRINSIC void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value) {
  asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global((const void *)handle)), "r"(value) : "memory");
}

WARPLINT_INTRINSIC const char *cudaGetErrorName(cudaError_t error) { return error == cudaSuccess ? "cudaSuccess" : "an error"; }
WARPLINT_INTRINSIC const char *cudaGetErrorString(cudaError_t error) { return error == cudaSuccess ? "no error" : "the launch failed"; }
WARPLINT_INTRINSIC cudaError_t cudaGetDevice(int *device) {
  *device = 0;
  return cudaSuccess;
}
WARPLINT_INTRINSIC cudaError_t cudaGetDeviceCount(int *count) {
  *count = 1;
  return cudaSuccess;
}
WARPLINT_INTRINSIC cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device) {
  if (device != 0) return cudaErrorInvalidDevice;
  switch ((int)attribute) {
#define WARPLINT_CASE(name, number, v) \
  case number: *value = v; break;
    WARPLINT_DEVICE_ATTRIBUTES(WARPLINT_CASE)
#undef WARPLINT_CASE
    default: return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}
WARPLINT_INTRINSIC cudaError_t cudaRuntimeGetVersion(int *version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
WARPLINT_INTRINSIC cudaError_t cudaMalloc(void **pointer, size_t size) {
  *pointer = malloc(size);
  return *pointer ? cudaSuccess : cudaErrorMemoryAllocation;
}
template <class T> WARPLINT_METHOD inline cudaError_t cudaMalloc(T **pointer, size_t size) { return cudaMalloc((void **)pointer, size); }
WARPLINT_INTRINSIC cudaError_t cudaFree(void *pointer) {
  free(pointer);
  return cudaSuccess;
}
