// Sums the 32 elements of each warp. It does without barriers of the whole block.
//
// Since Volta a lane may be a step ahead of its neighbour: __syncwarp() makes the lanes wait
// for each other, and makes what they wrote visible.
#include <cstdio>

#define BLOCK 256
#define BLOCKS 64
#define WARP 32

__global__ void warp_sums(const int *in, int *sums) {
    __shared__ int part[BLOCK];
    int t = threadIdx.x;
    int i = blockIdx.x * BLOCK + t;
    int lane = t % WARP;

    part[t] = in[i];
    for (int half = WARP / 2; half > 0; half /= 2) {
        __syncwarp();
        if (lane < half)
            part[t] += part[t + half];
    }
    if (lane == 0)
        sums[i / WARP] = part[t];
}

int main() {
    int *in, *sums;
    cudaMallocManaged(&in, BLOCKS * BLOCK * sizeof(int));
    cudaMallocManaged(&sums, BLOCKS * BLOCK / WARP * sizeof(int));
    for (int i = 0; i < BLOCKS * BLOCK; i++)
        in[i] = 1;

    warp_sums<<<BLOCKS, BLOCK>>>(in, sums);
    cudaDeviceSynchronize();

    printf("sums[0] = %d of %d\n", sums[0], WARP);
    cudaFree(in);
    cudaFree(sums);
    return 0;
}
