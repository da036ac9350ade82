// Copies that are used too early, each with the wait that its interface has.
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;

// verdict own racy
__global__ void own(const float *in, float *out) {
    __shared__ float buf[128];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&buf[t], &in[blockIdx.x * 128 + t], sizeof(float));
    __pipeline_commit();
    out[blockIdx.x * 128 + t] = buf[t]; // want async-copy intra-warp
}

// The barrier is there, the wait before it is not.
__global__ void neighbour(const float *in, float *out) {
    __shared__ float buf[128];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&buf[t], &in[blockIdx.x * 128 + t], sizeof(float));
    __pipeline_commit();
    __syncthreads();
    out[blockIdx.x * 128 + t] = buf[127 - t]; // want async-copy intra-block
}

// The wait is there, the barrier behind it is not.
__global__ void unshared(const float *in, float *out) {
    __shared__ float buf[128];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&buf[t], &in[blockIdx.x * 128 + t], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[blockIdx.x * 128 + t] = buf[127 - t]; // want async-copy intra-block
}

__global__ void piped(const int *in, int *out) {
    __shared__ int buf[64];
    int t = threadIdx.x;
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&buf[t], &in[blockIdx.x * 64 + t], sizeof(int), pipe);
    pipe.producer_commit();
    out[blockIdx.x * 64 + t] = buf[t]; // want async-copy intra-warp
    pipe.consumer_release();
}

__global__ void together(const int *in, int *out) {
    __shared__ int buf[128];
    auto block = cg::this_thread_block();
    int t = threadIdx.x;
    cg::memcpy_async(block, buf, in + blockIdx.x * 128, sizeof(buf));
    out[blockIdx.x * 128 + t] = buf[t]; // want async-copy intra-block
}

__global__ void on_barrier(const int *in, int *out) {
    __shared__ int buf[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    int t = threadIdx.x;
    if (t == 0) init(&bar, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(&buf[t], &in[blockIdx.x * 64 + t], sizeof(int), bar);
    out[blockIdx.x * 64 + t] = buf[63 - t]; // want async-copy intra-block
}

__global__ void overwritten(float *data, float *out) {
    __shared__ float buf[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    __pipeline_memcpy_async(&buf[t], &data[i], sizeof(float));
    __pipeline_commit();
    data[i] = 0.0f; // want async-copy intra-warp
    __pipeline_wait_prior(0);
    out[i] = buf[t];
}

// A wait that leaves too many copies under way is to leave fewer.
__global__ void fewer(const int *in, int *out, int n) {
    __shared__ int buf[2][128];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&buf[0][t], &in[t], sizeof(int));
    __pipeline_commit();
    for (int i = 0; i < n; i++) {
        if (i + 1 < n)
            __pipeline_memcpy_async(&buf[(i + 1) & 1][t], &in[(i + 1) * 128 + t], sizeof(int)); // want async-copy intra-warp
        __pipeline_commit();
        __pipeline_wait_prior(2);
        __syncthreads();
        out[i * 128 + t] = buf[i & 1][127 - t]; // want async-copy intra-block
        __syncthreads();
    }
}

__global__ void lastly(const int *in, int *out) {
    __shared__ int buf[128];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, buf, in, sizeof(buf));
    cg::wait_prior<1>(block);
    int sum = buf[threadIdx.x]; // want async-copy intra-block
    block.sync();
    buf[threadIdx.x] = sum; // want async-copy intra-block
    out[threadIdx.x] = buf[127 - threadIdx.x]; // want async-copy intra-block, missing-syncthreads intra-block
}

void run(const float *x, const int *in, float *data, float *y, int *out) {
    own<<<16, 128>>>(x, y);
    neighbour<<<16, 128>>>(x, y);
    unshared<<<16, 128>>>(x, y);
    piped<<<16, 64>>>(in, out);
    together<<<16, 128>>>(in, out);
    on_barrier<<<16, 64>>>(in, out);
    overwritten<<<16, 64>>>(data, y);
}

__global__ void of_pipeline(const int *in, int *out) {
    __shared__ int buf[64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int t = threadIdx.x;
    pipe.producer_acquire();
    cuda::memcpy_async(block, buf, in + blockIdx.x * 64, sizeof(buf), pipe);
    pipe.producer_commit();
    out[blockIdx.x * 64 + t] = buf[63 - t]; // want async-copy intra-block
    fewer<<<1, 128>>>(in, out, 100);
    lastly<<<1, 128>>>(in, out);
}
