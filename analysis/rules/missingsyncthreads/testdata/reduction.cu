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
        out[blockIdx.x] = part[0];
}

// A loop without braces is given some.
__global__ void unbraced(const int *in, int *out) {
    __shared__ int part[256];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int half = 128; half > 0; half >>= 1) // halves
        if (t < half)
            part[t] += part[t + half]; // want missing-syncthreads intra-block
    if (t == 0)
        out[blockIdx.x] = part[0];
}

// A barrier of the block leaves threads of a warp that meet, which it has not brought about.
__global__ void sorted(int *data) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = data[t];
    __syncthreads();
    for (int size = 2; size <= 256; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            int other = t ^ step;
            if (other > t) {
                if (((t & size) == 0) == (s[t] > s[other])) {
                    int v = s[t];
                    s[t] = s[other]; // want missing-syncthreads intra-block
                    s[other] = v; // want missing-syncthreads intra-block
                }
            }
        }
    data[t] = s[t]; // want missing-syncthreads intra-block
}

void run(int *in, int *out) {
    unbraced<<<64, 256>>>(in, out);
    sorted<<<1, 256>>>(in);
    whole<<<64, 256>>>(in, out);
    unsynced<<<64, 256>>>(in, out);
}
