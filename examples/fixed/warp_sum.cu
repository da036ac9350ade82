// Sums the elements of each block. Once a single warp is left, the code does without barriers
// of the whole block.
//
// Since Volta a lane may be a step ahead of its neighbour: __syncwarp() makes the lanes wait
// for each other, and makes what they wrote visible.
#include <cstdio>

#define BLOCK 256
#define BLOCKS 64

__global__ void block_sums(const int *in, int *sums) {
    __shared__ int part[BLOCK];
    int t = threadIdx.x;

    part[t] = in[blockIdx.x * BLOCK + t];
    __syncthreads();
    if (t < 128) part[t] += part[t + 128];
    __syncthreads();
    if (t < 64) part[t] += part[t + 64];
    __syncthreads();

    if (t < 32) part[t] += part[t + 32];
    __syncwarp();
    if (t < 16) part[t] += part[t + 16];
    __syncwarp();
    if (t < 8) part[t] += part[t + 8];
    __syncwarp();
    if (t < 4) part[t] += part[t + 4];
    __syncwarp();
    if (t < 2) part[t] += part[t + 2];
    __syncwarp();
    if (t == 0) sums[blockIdx.x] = part[0] + part[1];
}

int main() {
    int *in, *sums;
    cudaMallocManaged(&in, BLOCKS * BLOCK * sizeof(int));
    cudaMallocManaged(&sums, BLOCKS * sizeof(int));
    for (int i = 0; i < BLOCKS * BLOCK; i++)
        in[i] = 1;

    block_sums<<<BLOCKS, BLOCK>>>(in, sums);
    cudaDeviceSynchronize();

    printf("sums[0] = %d of %d\n", sums[0], BLOCK);
    cudaFree(in);
    cudaFree(sums);
    return 0;
}
