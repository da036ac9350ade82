// Bulk copies of what threads have written, with no proxy fence on the way.
#include <cuda/ptx>
namespace ptx = cuda::ptx;

// verdict behind_barrier racy
__global__ void behind_barrier(const float *in, float *out) {
    __shared__ alignas(16) float buf[128];
    buf[threadIdx.x] = 2 * in[blockIdx.x * 128 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + blockIdx.x * 128, buf, sizeof(buf)); // want async-copy intra-block
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}

// Each thread copies its own.
__global__ void own(const float4 *in, float4 *out) {
    __shared__ float4 buf[64];
    buf[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, &out[blockIdx.x * 64 + threadIdx.x], &buf[threadIdx.x], 16); // want async-copy intra-warp
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
}

void run(const float *in, float *out, const float4 *in4, float4 *out4) {
    behind_barrier<<<16, 128>>>(in, out);
    own<<<16, 64>>>(in4, out4);
}
