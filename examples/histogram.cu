// Counts how often each byte value occurs. Each block counts in shared memory, and adds its
// counts to those of the others at the end.
//
// Rule: inter-block-race. Thread t of every block adds to bins[t], with a plain +=: two blocks
// that do so at the same time read the same old count, and one of them is lost.
#include <cstdio>

#define BINS 256
#define BLOCKS 64
#define N (BLOCKS * BINS)

__global__ void histogram(const unsigned char *data, unsigned int *bins) {
    __shared__ unsigned int local[BINS];
    int t = threadIdx.x;

    local[t] = 0;
    __syncthreads();
    atomicAdd(&local[data[blockIdx.x * BINS + t]], 1u);
    __syncthreads();
    bins[t] += local[t];
}

int main() {
    unsigned char *data;
    unsigned int *bins;
    cudaMallocManaged(&data, N);
    cudaMallocManaged(&bins, BINS * sizeof(unsigned int));
    for (int i = 0; i < N; i++)
        data[i] = i % 10;
    for (int b = 0; b < BINS; b++)
        bins[b] = 0;

    histogram<<<BLOCKS, BINS>>>(data, bins);
    cudaDeviceSynchronize();

    unsigned int total = 0;
    for (int b = 0; b < BINS; b++)
        total += bins[b];
    printf("%u of %d\n", total, N);
    cudaFree(data);
    cudaFree(bins);
    return 0;
}
