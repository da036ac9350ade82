// A counter that is updated by atomics and reset plainly.
// verdict separate race-free

__global__ void mixed(int *count, const int *in) {
    if (in[blockIdx.x * blockDim.x + threadIdx.x] > 0)
        atomicAdd(count, 1);
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *count = 0; // want mixed-atomic inter-block
}

__global__ void separate(int *count, const int *in) {
    __shared__ int local;
    if (threadIdx.x == 0)
        local = 0;
    __syncthreads();
    if (in[blockIdx.x * blockDim.x + threadIdx.x] > 0)
        atomicAdd(&local, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(count, local);
}

void run(int *count, int *in) {
    mixed<<<4, 64>>>(count, in);
    separate<<<4, 64>>>(count, in);
}
