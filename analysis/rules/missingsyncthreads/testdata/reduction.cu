// A tree reduction needs a barrier in each round.
// verdict whole race-free

__global__ void whole(const int *in, int *out) {
    __shared__ int part[256];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half >>= 1) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

__global__ void unsynced(const int *in, int *out) {
    __shared__ int part[256];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half >>= 1) {
        if (t < half)
            part[t] += part[t + half]; // want missing-syncthreads intra-block
    }
    if (t == 0)
        out[blockIdx.x] = part[0]; // want missing-syncthreads intra-block
}

void run(int *in, int *out) {
    whole<<<64, 256>>>(in, out);
    unsynced<<<64, 256>>>(in, out);
}
