// The last block sums up. Who writes has a fence, but a narrow one; who reads has none.

__device__ unsigned count;

__global__ void sum(const float *in, float *part, float *out) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = in[blockIdx.x];
        __threadfence_block();
        last = atomicAdd(&count, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float total = 0;
        for (int b = 0; b < gridDim.x; b++)
            total += part[b]; // want fence-scope inter-block
        *out = total;
    }
}

void run(const float *in, float *part, float *out) {
    sum<<<4, 64>>>(in, part, out);
}
