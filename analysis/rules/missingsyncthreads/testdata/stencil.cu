// A tile in shared memory that neighbours read.
// verdict barrier race-free

__global__ void without(const float *in, float *out, int n) {
    __shared__ float tile[130];
    int i = blockIdx.x * 128 + threadIdx.x;
    tile[threadIdx.x + 1] = in[i];
    if (threadIdx.x == 0) {
        tile[0] = in[0];
        tile[129] = in[1];
    }
    out[i] = tile[threadIdx.x] + tile[threadIdx.x + 2]; // want missing-syncthreads intra-block
}

__global__ void barrier(const float *in, float *out, int n) {
    __shared__ float tile[130];
    int i = blockIdx.x * 128 + threadIdx.x;
    tile[threadIdx.x + 1] = in[i];
    if (threadIdx.x == 0) {
        tile[0] = in[0];
        tile[129] = in[1];
    }
    __syncthreads();
    out[i] = tile[threadIdx.x] + tile[threadIdx.x + 2];
}

void run(float *in, float *out, int n) {
    without<<<n / 128, 128>>>(in, out, n);
    barrier<<<n / 128, 128>>>(in, out, n);
}
