// The wait that a shared pipeline lacks comes behind the commit of the stage, and in front of the reading: also in a kernel that stands
// behind one that was mended. A stage that is filled twice before it is read has no wait that mends it.
#include <cuda/pipeline>
#include <cuda_pipeline.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void ahead(const float *in, float *out, int tiles) {
    __shared__ float s[2][128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state);
    pipe.producer_acquire();
    cuda::memcpy_async(&s[0][threadIdx.x], in + threadIdx.x, sizeof(float), pipe);
    pipe.producer_commit();
    for (int t = 0; t < tiles; t++) {
        if (t + 1 < tiles) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s[(t + 1) % 2][threadIdx.x], in + (t + 1) * 128 + threadIdx.x, sizeof(float), pipe); // want async-copy intra-warp
            pipe.producer_commit();
        }
        out[t * 128 + threadIdx.x] = s[t % 2][127 - threadIdx.x]; // want async-copy intra-block
        pipe.consumer_release();
    }
}

__global__ void once(const float *in, float *out) {
    __shared__ float s[128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
    auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state);
    pipe.producer_acquire();
    cuda::memcpy_async(&s[threadIdx.x], in + threadIdx.x, sizeof(float), pipe);
    pipe.producer_commit();
    out[threadIdx.x] = s[127 - threadIdx.x]; // want async-copy intra-block
    pipe.consumer_release();
}

__global__ void overfilled(const float *in, float *out, int tiles) {
    __shared__ float s[2][128];
    auto pipe = cuda::make_pipeline();
    int filled = 0;
    for (int t = 0; t < tiles; t++) {
        for (; filled < tiles && filled <= t + 2; filled++) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s[filled % 2][threadIdx.x], in + filled * 128 + threadIdx.x, sizeof(float), pipe); // want async-copy intra-warp
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        __syncthreads();
        out[t * 128 + threadIdx.x] = s[t % 2][127 - threadIdx.x]; // want async-copy intra-block
        __syncthreads();
        pipe.consumer_release();
    }
}

// The copy of the next round is waited for, and overwrites what others still read.
__global__ void reused(const float *in, float *out, int tiles) {
    __shared__ float s[2][128];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[0][t], &in[t], sizeof(float));
    __pipeline_commit();
    for (int i = 0; i < tiles; i++) {
        if (i + 1 < tiles)
            __pipeline_memcpy_async(&s[(i + 1) % 2][t], &in[(i + 1) * 128 + t], sizeof(float));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        out[i * 128 + t] = s[i % 2][127 - t]; // want async-copy intra-block
    }
}

void run(const float *in, float *out, int tiles) {
    reused<<<1, 128>>>(in, out, tiles);
    ahead<<<1, 128>>>(in, out, tiles);
    once<<<1, 128>>>(in, out);
    overfilled<<<1, 128>>>(in, out, tiles);
}
