// Counts the elements above a limit, and leaves the counter at zero for the next launch.
//
// Reading and resetting is a kernel of its own: it begins when all blocks of the first have ended.
#include <cstdio>

#define BLOCK 256
#define N (64 * BLOCK)

__global__ void count_above(const int *in, int limit, int *count) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (in[i] > limit)
        atomicAdd(count, 1);
}

__global__ void take(int *count, int *result) {
    *result = *count;
    *count = 0;
}

int main() {
    int *in, *count, *result;
    cudaMallocManaged(&in, N * sizeof(int));
    cudaMallocManaged(&count, sizeof(int));
    cudaMallocManaged(&result, sizeof(int));
    for (int i = 0; i < N; i++)
        in[i] = i;
    *count = 0;

    count_above<<<N / BLOCK, BLOCK>>>(in, 99, count);
    take<<<1, 1>>>(count, result);
    cudaDeviceSynchronize();

    printf("%d of %d\n", *result, N - 100);
    cudaFree(in);
    cudaFree(count);
    cudaFree(result);
    return 0;
}
