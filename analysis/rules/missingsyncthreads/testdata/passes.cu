// A barrier in the loop that deals out elements is one that some threads miss; it belongs behind that.
__global__ void passes(float *data, int n, int bits) {
    extern __shared__ float s[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[__brev(i) >> (32 - bits)] = data[blockIdx.x * n + i]; // want missing-syncwarp intra-warp
    __syncthreads();
    for (int half = 1; half < n; half <<= 1) {
        for (int i = threadIdx.x; i < n / 2; i += blockDim.x) {
            int k = i & (half - 1), a = ((i - k) << 1) + k;
            float u = s[a], v = s[a + half];
            s[a] = u + v; // want missing-syncthreads intra-block
            s[a + half] = u - v; // want missing-syncthreads intra-block
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) data[blockIdx.x * n + i] = s[i];
}

// Each call touches what the one before it has touched.
__device__ void fill(int *s, const int *in) { s[threadIdx.x] = in[threadIdx.x]; }
__device__ void reversed(const int *s, int *out) { out[threadIdx.x] = s[127 - threadIdx.x]; } // want missing-syncthreads intra-block

__global__ void calls(const int *in, int *out) {
    __shared__ int s[128];
    fill(s, in);
    reversed(s, out);
    fill(s, in + 128);
    reversed(s, out + 128);
}

void run(const int *in, int *out) { calls<<<1, 128>>>(in, out); }

// The function that lacks a barrier has a group to sync.
#include <cooperative_groups.h>
__device__ int total(cooperative_groups::thread_block g, int *s, int mine) {
    int t = g.thread_rank();
    for (int d = 64; d > 0; d /= 2) {
        s[t] = mine;
        g.sync();
        if (t < d)
            mine += s[t + d]; // want missing-syncthreads intra-block
    }
    return mine;
}

__global__ void totals(int *out) {
    __shared__ int s[128];
    out[threadIdx.x] = total(cooperative_groups::this_thread_block(), s, out[threadIdx.x]);
}

void more(int *out) { totals<<<1, 128>>>(out); }
