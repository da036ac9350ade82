// Blocks that nothing tells the size of: there are threads of the numbers that a kernel asks for, and whether there
// are more of them is for the caller to know, so what hangs on it is information.
// verdict higher unknown

__global__ void asked(int *out) {
    __shared__ int s;
    if (threadIdx.x == 100) s = 5;
    if (threadIdx.x / 32 == 4) out[blockIdx.x * 32 + threadIdx.x % 32] = s; // want missing-syncthreads intra-block
}

__global__ void higher(int *out) {
    __shared__ int s[128];
    s[threadIdx.x % 128] = threadIdx.x; // want missing-syncthreads intra-block
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[0];
}
