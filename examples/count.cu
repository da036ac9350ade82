// Counts the elements that are greater than zero.
//
// Rule: atomic-scope. The counter is shared by all blocks, but atomicAdd_block is atomic only
// among the threads of one block: counts of different blocks overwrite each other.
#include <cstdio>

#define BLOCK 256
#define N (64 * BLOCK)

__global__ void count_positive(const int *in, int *count) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (in[i] > 0)
        atomicAdd_block(count, 1);
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
