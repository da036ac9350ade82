// No barrier can stand within one update.
__global__ void bins(const unsigned char *in, unsigned *out, int n) {
    __shared__ unsigned count[256];
    count[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        count[in[i]]++; // want missing-syncthreads intra-block
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = count[threadIdx.x];
}

__global__ void unset(const unsigned char *in, unsigned *out, int n) {
    __shared__ unsigned count[256];
    count[threadIdx.x] = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        count[in[i]]++; // want missing-syncthreads intra-block
    out[blockIdx.x * 256 + threadIdx.x] = count[threadIdx.x]; // want missing-syncthreads intra-block
}

// A tile is overwritten while others go by it.
__global__ void sums(const float *in, float *out, int n) {
    __shared__ float tile[256];
    float sum = 0;
    for (int t = 0; t < n; t += 256) {
        tile[threadIdx.x] = in[t + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 256; k++)
            sum += tile[k]; // want missing-syncthreads intra-block
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}

void run(const unsigned char *bytes, unsigned *out, const float *in, float *f, int n) {
    bins<<<64, 256>>>(bytes, out, n);
    unset<<<64, 256>>>(bytes, out, n);
    sums<<<64, 256>>>(in, f, n);
}
