// Fences of libcu++ and of the compiler.
#include <cuda/atomic>

__device__ int flag, data;
__global__ void library(int *out) {
    if (threadIdx.x != 0) return;
    cuda::atomic_ref<int, cuda::thread_scope_device> f(flag);
    if (blockIdx.x == 0) {
        data = 42;
        cuda::atomic_thread_fence(cuda::std::memory_order_release, cuda::thread_scope_block);
        f.store(1, cuda::std::memory_order_relaxed);
    } else if (blockIdx.x == 1) {
        while (f.load(cuda::std::memory_order_relaxed) == 0) { }
        cuda::atomic_thread_fence(cuda::std::memory_order_acquire, cuda::thread_scope_device);
        *out = data; // want fence-scope inter-block
    }
}

__device__ int ready, value;
__global__ void built_in(int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        value = 42;
        __nv_atomic_thread_fence(__NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK);
        __nv_atomic_store_n(&ready, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    } else if (blockIdx.x == 1) {
        while (__nv_atomic_load_n(&ready, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE) == 0) { }
        __nv_atomic_thread_fence(__NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
        *out = value; // want fence-scope inter-block
    }
}

void run(int *out) {
    library<<<2, 64>>>(out);
    built_in<<<2, 64>>>(out);
}
