// Counts the elements above a limit. The host sets the counter to zero before.
//
// What the host does before a launch comes before everything that the kernel does.
#include <cstdio>

#define BLOCK 256
#define N (64 * BLOCK)

__global__ void count_above(const int *in, int limit, int *count) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (in[i] > limit)
        atomicAdd(count, 1);
}

int main() {
    int *in, *count;
    cudaMallocManaged(&in, N * sizeof(int));
    cudaMallocManaged(&count, sizeof(int));
    for (int i = 0; i < N; i++)
        in[i] = i;
    *count = 0;

    count_above<<<N / BLOCK, BLOCK>>>(in, 20, count);
    cudaDeviceSynchronize();

    printf("%d of %d\n", *count, N - 21);
    cudaFree(in);
    cudaFree(count);
    return 0;
}
