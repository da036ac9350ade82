// Scales a vector. The first thread computes the factor and tells the others when it is there.
//
// __threadfence() orders the factor before the flag for all threads of the device.
#include <cstdio>

#define BLOCK 128
#define BLOCKS 4  // few enough to run at the same time, so that waiting for the first one ends

__device__ int ready;

__global__ void scale(const float *in, float *out, volatile float *factor) {
    int i = blockIdx.x * BLOCK + threadIdx.x;

    if (i == 0) {
        *factor = 1.0f / (in[0] + in[1]);
        __threadfence();
        atomicExch(&ready, 1);
    }
    while (atomicAdd(&ready, 0) == 0) {
    }
    __threadfence();
    out[i] = in[i] * *factor;
}

int main() {
    float *in, *out, *factor;
    cudaMallocManaged(&in, BLOCKS * BLOCK * sizeof(float));
    cudaMallocManaged(&out, BLOCKS * BLOCK * sizeof(float));
    cudaMallocManaged(&factor, sizeof(float));
    for (int i = 0; i < BLOCKS * BLOCK; i++)
        in[i] = 2.0f;

    scale<<<BLOCKS, BLOCK>>>(in, out, factor);
    cudaDeviceSynchronize();

    printf("out[200] = %f (0.5 with the right factor)\n", out[200]);
    cudaFree(in);
    cudaFree(out);
    cudaFree(factor);
    return 0;
}
