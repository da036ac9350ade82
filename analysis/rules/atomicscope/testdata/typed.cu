// Scopes that are types or arguments.
#include <cuda/atomic>

__global__ void built_in(int *n) {
    __nv_atomic_fetch_add(n, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK); // want atomic-scope inter-block
}

__global__ void reference(int *n) {
    cuda::atomic_ref<int, cuda::thread_scope_block> r(*n);
    r.fetch_add(1, cuda::std::memory_order_relaxed); // want atomic-scope inter-block
}

__device__ cuda::atomic<int, cuda::thread_scope_block> total;
__global__ void object() {
    total.fetch_add(1); // want atomic-scope inter-block
}

// The type of a pointer is changed where the host names it, too.
__global__ void handed(int *data, cuda::atomic<unsigned, cuda::thread_scope_block> *flag, int *out) {
    if (threadIdx.x > 0) return;
    if (blockIdx.x == 0) {
        *data = 42;
        flag->store(1, cuda::memory_order_release);
    } else {
        while (flag->load(cuda::memory_order_acquire) == 0) {} // want atomic-scope inter-block
        out[blockIdx.x] = *data;                                // want atomic-scope inter-block
    }
}

// Types by other names, and objects that have none.
using Ref = cuda::atomic_ref<int, cuda::thread_scope_block>;
template <class T> using Of = cuda::atomic_ref<T, cuda::thread_scope_block>;
struct Counters { int pad; cuda::atomic<int, cuda::thread_scope_block> hits; };

__global__ void named(int *n, Counters *c) {
    cuda::atomic_ref<int, cuda::thread_scope_block>(*n).fetch_add(1, cuda::memory_order_relaxed); // want atomic-scope inter-block
    Ref r(n[1]);
    r.fetch_add(1); // want atomic-scope inter-block
    Of<int> o(n[2]);
    o++; // want atomic-scope inter-block
    c->hits += 2; // want atomic-scope inter-block
    auto a = cuda::atomic_ref<int, cuda::thread_scope_block>{n[3]};
    a.fetch_or(1); // want atomic-scope inter-block
}

// Within a block the scope of a block suffices.
// verdict inside race-free
__global__ void inside(int *out) {
    __shared__ int n;
    if (threadIdx.x == 0) n = 0;
    __syncthreads();
    __nv_atomic_fetch_add(&n, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = n;
}

void run(int *n, int *out) {
    cuda::atomic<unsigned, cuda::thread_scope_block> *flag;
    cudaMalloc(&flag, sizeof(*flag));
    handed<<<16, 64>>>(n, flag, out);
    built_in<<<16, 64>>>(n);
    reference<<<16, 64>>>(n);
    object<<<16, 64>>>();
    named<<<16, 64>>>(n, (Counters *)out);
    inside<<<16, 64>>>(out);
}
