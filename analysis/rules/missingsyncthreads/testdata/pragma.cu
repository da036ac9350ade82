// A barrier goes in front of the pragmas of a loop, and behind the comment of a statement.
#define UNROLL _Pragma("unroll")

__global__ void reversed(const float *in, float *out) {
    __shared__ float s[256];
    s[threadIdx.x] = in[threadIdx.x]; // in the order of threads
#pragma unroll
    for (int k = 0; k < 2; k++)
        out[k * 256 + threadIdx.x] = s[255 - threadIdx.x]; // want missing-syncthreads intra-block
}

__global__ void twice(const float *in, float *out) {
    __shared__ float s[256];
    s[threadIdx.x] = in[threadIdx.x];
    UNROLL
    for (int k = 0; k < 2; k++)
        out[k * 256 + threadIdx.x] = s[255 - threadIdx.x]; // want missing-syncthreads intra-block
}

__global__ void rounds(const float *in, float *out, int n) {
    __shared__ float s[256];
    float sum = 0;
    for (int k = 0; k < n; k++) {
        s[threadIdx.x] = in[k * 256 + threadIdx.x];
        __syncthreads();
        sum += s[255 - threadIdx.x]; /* the other half */ // want missing-syncthreads intra-block
    }
    out[threadIdx.x] = sum;
}

void run(const float *in, float *out, int n) {
    reversed<<<1, 256>>>(in, out);
    twice<<<1, 256>>>(in, out);
    rounds<<<1, 256>>>(in, out, n);
}
