// Counts the elements that are greater than zero.
//
// atomicAdd is atomic among all threads of the device.
#include <cstdio>

#define BLOCK 256
#define N (64 * BLOCK)

__global__ void count_positive(const int *in, int *count) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (in[i] > 0)
        atomicAdd(count, 1);
}

int main() {
    int *in, *count;
    cudaMallocManaged(&in, N * sizeof(int));
    cudaMallocManaged(&count, sizeof(int));
    for (int i = 0; i < N; i++)
        in[i] = i % 2;
    *count = 0;

    count_positive<<<N / BLOCK, BLOCK>>>(in, count);
    cudaDeviceSynchronize();

    printf("%d of %d\n", *count, N / 2);
    cudaFree(in);
    cudaFree(count);
    return 0;
}
