// Waits of cuda::barrier that ask whether a phase is over, by its token and by its parity; barriers of groups in two halves.
#include <cstdio>
#include <chrono>
#include <utility>
#include <cooperative_groups.h>
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

template <class G> __device__ void halves(G group, int *out, int *between) {
    int i = group.thread_rank(), n = group.size();
    between[i] = i;
    auto token = group.barrier_arrive();
    int own = 1000 * i;
    group.barrier_wait(std::move(token));
    out[i] = own + between[n - 1 - i];
}
__global__ void block_halves(int *out) {
    __shared__ int s[64];
    halves(cooperative_groups::this_thread_block(), out, s);
}
__global__ void grid_halves(int *out, int *between) { halves(cooperative_groups::this_grid(), out, between); }

// A barrier of the whole grid in global memory, one that counts its phases, and threads that leave.
using device_barrier = cuda::barrier<cuda::thread_scope_device>;
__global__ void construct(device_barrier *b) { init(b, 64); }
__device__ device_barrier constructed(64);
__global__ void across(device_barrier *b, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i;
    for (int step = 0; step < 3; step++) {
        b->arrive_and_wait();
        int next = out[(i + 1) % 64];
        b->wait(b->arrive());
        out[i] = next + 100;
    }
}
struct Count {
    int *phases;
    __device__ void operator()() { ++*phases; }
};
__global__ void counted(int *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block, Count> b;
    __shared__ int phases;
    if (threadIdx.x == 0) phases = 0, init(&b, 64, Count{&phases});
    __syncthreads();
    for (int step = 0; step < 5; step++) {
        if (step == 2 && threadIdx.x >= 32) {
            b.arrive_and_drop();
            return;
        }
        b.arrive_and_wait();
        out[threadIdx.x] = phases;
    }
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
    block_halves<<<1, 64>>>(out);
    if (cudaDeviceSynchronize()) return 1;
    for (int i = 0; i < 64; i++)
        if (out[i] != 1000 * i + 63 - i) { printf("block, %d: %d\n", i, out[i]); return 1; }
    void *arguments[] = {&out, &in};
    if (cudaLaunchCooperativeKernel((void *)grid_halves, 2, 32, arguments) || cudaDeviceSynchronize()) return 1;
    for (int i = 0; i < 64; i++)
        if (out[i] != 1000 * i + 63 - i) { printf("grid, %d: %d\n", i, out[i]); return 1; }
    device_barrier *b;
    cudaMalloc(&b, sizeof *b);
    construct<<<1, 1>>>(b);
    across<<<2, 32>>>(b, out);
    if (cudaDeviceSynchronize()) return 1;
    for (int i = 0; i < 64; i++)
        if (out[i] != 300 + (i + 3) % 64) { printf("across, %d: %d\n", i, out[i]); return 1; }
    cudaGetSymbolAddress((void **)&b, constructed);
    across<<<2, 32>>>(b, out);
    if (cudaDeviceSynchronize()) return 1;
    for (int i = 0; i < 64; i++)
        if (out[i] != 300 + (i + 3) % 64) { printf("constructed, %d: %d\n", i, out[i]); return 1; }
    counted<<<1, 64>>>(out);
    if (cudaDeviceSynchronize()) return 1;
    for (int i = 0; i < 64; i++)
        if (out[i] != (i < 32 ? 5 : 2)) { printf("counted, %d: %d\n", i, out[i]); return 1; }
    printf("done\n");
}
