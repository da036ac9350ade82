// Waits of cuda::barrier that ask whether a phase is over, by its token and by its parity.
#include <cstdio>
#include <chrono>
#include <utility>
#include <cuda/barrier>

__global__ void reversed(int *out, const int *in, int rounds, bool by_parity) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int s[64];
    if (threadIdx.x == 0) init(&bar, 64);
    __syncthreads();
    int sum = 0;
    for (int r = 0; r < rounds; r++) {
        s[threadIdx.x] = in[threadIdx.x] + r;
        auto token = bar.arrive();
        if (by_parity) {
            while (!bar.try_wait_parity(r % 2)) { }
            while (!bar.try_wait_parity_for(r % 2, std::chrono::nanoseconds(100))) { }
        } else {
            while (!bar.try_wait_for(std::move(token), std::chrono::nanoseconds(100))) { }
        }
        sum += s[63 - threadIdx.x];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

int main() {
    int *in, *out;
    cudaMallocManaged(&in, 256);
    cudaMallocManaged(&out, 256);
    for (int i = 0; i < 64; i++) in[i] = i;
    for (int by = 0; by < 2; by++) {
        reversed<<<1, 64>>>(out, in, 3, by);
        if (cudaDeviceSynchronize()) return 1;
        for (int i = 0; i < 64; i++)
            if (out[i] != 3 * (63 - i) + 3) { printf("%d: %d\n", i, out[i]); return 1; }
    }
    printf("done\n");
}
