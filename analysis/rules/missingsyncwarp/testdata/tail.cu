// The last warp of a reduction must not count on lockstep.
// verdict synced race-free

__global__ void lockstep(float *data) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = data[t];
    __syncthreads();
    if (t < 32) {
        s[t] += s[t + 32];
        if (t < 16)
            s[t] += s[t + 16]; // want missing-syncwarp intra-warp
    }
}

__global__ void synced(float *data) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = data[t];
    __syncthreads();
    if (t < 32) {
        s[t] += s[t + 32];
        __syncwarp();
        if (t < 16)
            s[t] += s[t + 16];
    }
}

// A barrier of the warp does not stand under a condition that some lanes do not meet.
__global__ void greatest(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x, d = 64;
    s[t] = out[t];
    __syncthreads();
    while (d /= 2)
        if (t < d) s[t] = max(s[t], s[t + d]); // want missing-syncwarp intra-warp
    out[t] = s[t];
}

// One variable serves all steps.
__device__ void tail(volatile float *s, int t) {
    s[t] += s[t + 8]; // want missing-syncwarp intra-warp
    s[t] += s[t + 4]; // want missing-syncwarp intra-warp
    s[t] += s[t + 2]; // want missing-syncwarp intra-warp
}

__global__ void steps(float *data, float value) {
    __shared__ float s[40];
    int t = threadIdx.x;
    s[t] = data[t] * value;
    __syncwarp();
    tail(s, t);
}

void run(float *data) {
    steps<<<1, 32>>>(data, 2);
    lockstep<<<1, 64>>>(data);
    synced<<<1, 64>>>(data);
    greatest<<<1, 64>>>((int *)data);
}
