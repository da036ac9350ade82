#include <cuda/atomic>

__device__ cuda::atomic<int, cuda::thread_scope_block> lock;
__device__ int sum;
__global__ void add() {
    if (threadIdx.x != 0) return;
    while (lock.exchange(1, cuda::std::memory_order_acquire) != 0) { } // want lock-scope inter-block
    sum += 1; // want lock-scope inter-block
    lock.store(0, cuda::std::memory_order_release); // want lock-scope inter-block, same-value-write inter-block
}

__device__ int mutex, count;
__global__ void built_in() {
    if (threadIdx.x != 0) return;
    while (__nv_atomic_exchange_n(&mutex, 1, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) != 0) { }
    count += 1; // want lock-scope inter-block
    __nv_atomic_store_n(&mutex, 0, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK); // want lock-scope inter-block, same-value-write inter-block
}

void run() {
    add<<<16, 64>>>();
    built_in<<<16, 64>>>();
}
