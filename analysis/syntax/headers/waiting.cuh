// What warplint knows of libcu++'s latches and semaphores: atomics that threads wait for.
#pragma once

namespace cuda {

template <cuda::thread_scope S> class latch {
  public:
    cuda::atomic<long, S> left;
    __host__ __device__ constexpr latch(long expected) : left(expected) {}
    __device__ void count_down(long n = 1) { left.fetch_sub(n, cuda::memory_order_release); }
    __device__ bool try_wait() const { return left.load(cuda::memory_order_acquire) == 0; }
    __device__ void wait() const {
        while (left.load(cuda::memory_order_acquire) != 0)
            ;
    }
    __device__ void arrive_and_wait(long n = 1) {
        count_down(n);
        wait();
    }
    static constexpr long max() { return 0x7fffffffffffffff; }
};

// In a block each thread arrives once, as at a barrier in its first phase.
template <> class latch<cuda::thread_scope_block> {
  public:
    cuda::barrier<cuda::thread_scope_block> all;
    __host__ __device__ latch(long expected) { init(&all, expected); }
    __device__ void count_down(long n = 1) { (void)all.arrive(n); }
    __device__ void wait() { all.wait_parity(false); }
    __device__ void arrive_and_wait(long n = 1) {
        (void)all.arrive(n);
        all.wait_parity(false);
    }
    static constexpr long max() { return 0x7fffffffffffffff; }
};

template <cuda::thread_scope S> __host__ __device__ void init(latch<S> *l, long expected) {
    l->left.store(expected, cuda::memory_order_relaxed);
}
__device__ void init(latch<cuda::thread_scope_block> *l, long expected) { init(&l->all, expected); }

template <cuda::thread_scope S, long Most = 0x7fffffff> class counting_semaphore {
    cuda::atomic<long, S> free;

  public:
    __host__ __device__ constexpr counting_semaphore(long n) : free(n) {}
    __device__ void release(long n = 1) { free.fetch_add(n, cuda::memory_order_release); }
    __device__ bool try_acquire() {
        long now = free.load(cuda::memory_order_relaxed);
        return now > 0 && free.compare_exchange_strong(now, now - 1, cuda::memory_order_acquire, cuda::memory_order_relaxed);
    }
    __device__ void acquire() {
        while (!try_acquire())
            ;
    }
    static constexpr long max() { return Most; }
};

// Who has one of one has all.
template <cuda::thread_scope S> class counting_semaphore<S, 1> {
    cuda::atomic<long, S> free;

  public:
    __host__ __device__ constexpr counting_semaphore(long n) : free(n) {}
    __device__ void release(long n = 1) { free.store(1, cuda::memory_order_release); }
    __device__ bool try_acquire() {
        long now = 1;
        return free.compare_exchange_strong(now, 0, cuda::memory_order_acquire, cuda::memory_order_relaxed);
    }
    __device__ void acquire() {
        while (!try_acquire())
            ;
    }
    static constexpr long max() { return 1; }
};
template <cuda::thread_scope S> using binary_semaphore = counting_semaphore<S, 1>;

namespace std {
using latch = cuda::latch<cuda::thread_scope_system>;
template <long Most = 0x7fffffff> using counting_semaphore = cuda::counting_semaphore<cuda::thread_scope_system, Most>;
using binary_semaphore = cuda::counting_semaphore<cuda::thread_scope_system, 1>;
} // namespace std

} // namespace cuda
