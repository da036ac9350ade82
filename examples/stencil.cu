// Smooths a signal: each element becomes the mean of itself and its neighbours. A block copies
// its part into shared memory first, with a border on both sides.
//
// Rule: missing-syncthreads. A thread reads what threads of other warps put into the tile,
// and nothing makes it wait for them.
#include <cstdio>

#define BLOCK 256
#define RADIUS 4
#define N (64 * BLOCK)

__global__ void smooth(const float *in, float *out) {
    __shared__ float tile[BLOCK + 2 * RADIUS];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    int t = threadIdx.x + RADIUS;

    tile[t] = in[i];
    if (threadIdx.x < RADIUS) {
        tile[t - RADIUS] = i >= RADIUS ? in[i - RADIUS] : 0.0f;
        tile[t + BLOCK] = i + BLOCK < N ? in[i + BLOCK] : 0.0f;
    }

    float sum = 0.0f;
    for (int k = 0; k <= 2 * RADIUS; k++)
        sum += tile[threadIdx.x + k];
    out[i] = sum / (2 * RADIUS + 1);
}

int main() {
    float *in, *out;
    cudaMallocManaged(&in, N * sizeof(float));
    cudaMallocManaged(&out, N * sizeof(float));
    for (int i = 0; i < N; i++)
        in[i] = i % 9;

    smooth<<<N / BLOCK, BLOCK>>>(in, out);
    cudaDeviceSynchronize();

    printf("out[100] = %f (4 if every neighbour was there)\n", out[100]);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
