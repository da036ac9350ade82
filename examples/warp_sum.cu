// Sums the 32 elements of each warp. It does without barriers, as was usual when the lanes of a
// warp still ran in lockstep.
//
// Rule: missing-syncwarp. Since Volta a lane may be a step ahead of its neighbour, and read
// a partial sum that is not written yet.
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
