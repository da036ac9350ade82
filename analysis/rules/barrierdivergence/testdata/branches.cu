// verdict in_branch racy
__global__ void in_branch(int *v) {
    __shared__ int buf[64];
    int t = threadIdx.x;
    if (t < 40) {
        buf[t] = v[t];
        __syncthreads(); // want barrier-divergence intra-block
        v[t] = buf[39 - t];
    }
}

// All threads of a block take the same branch.
// verdict uniform race-free
__global__ void uniform(int *v, int n) {
    __shared__ int buf[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    buf[t] = v[i];
    if (blockIdx.x % 2 == 0 || n > 3) {
        __syncthreads();
        v[i] = buf[63 - t];
    }
}

// Threads that have returned are not waited for.
// verdict returned race-free
__global__ void returned(int *v) {
    __shared__ int buf[64];
    int t = threadIdx.x;
    if (t >= 32) return;
    buf[t] = v[t];
    __syncthreads();
    v[t] = buf[31 - t];
}

// Threads leave the loop after different rounds.
__global__ void in_loop(int *v) {
    __shared__ int buf[64];
    int t = threadIdx.x;
    for (int i = t; i < 100; i += 64) {
        buf[t] = v[i];
        __syncthreads(); // want barrier-divergence intra-block
        v[i] = buf[t] + 1;
    }
}

// Whether a number of the caller's is a multiple of the block, nothing says: this is information.
__global__ void tail(int *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        v[i] += 1;
        __syncthreads(); // want barrier-divergence intra-block
    }
}

__global__ void wrong_mask(int *v) {
    int t = threadIdx.x;
    if (t < 16) {
        v[t] = t;
        __syncwarp(0xff); // want barrier-divergence intra-warp
    }
}

// verdict right_mask race-free
__global__ void right_mask(int *v) {
    int t = threadIdx.x;
    if (t < 16) {
        v[t] = t;
        __syncwarp(0xffff);
    }
}

// The lanes above wait for those below, which wait for the whole block.
__global__ void half_warp(int *v) {
    int t = threadIdx.x;
    if (t >= 16) {
        v[t] = t;
        __syncwarp(); // want barrier-divergence intra-warp
    }
    __syncthreads();
}

void run(int *v, int n) {
    in_branch<<<1, 64>>>(v);
    uniform<<<16, 64>>>(v, n);
    returned<<<1, 64>>>(v);
    in_loop<<<1, 64>>>(v);
    wrong_mask<<<1, 32>>>(v);
    right_mask<<<1, 32>>>(v);
    half_warp<<<1, 32>>>(v);
}
void launch(int *v, int n) { tail<<<4, 64>>>(v, n); }

#include <cuda/barrier>

__global__ void leavesBarrier(int *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) init(&bar, 64);
    __syncthreads();
    if (threadIdx.x == 7) return;
    bar.arrive_and_wait(); // want barrier-divergence intra-warp
    out[threadIdx.x] = 1;
}

__global__ void dropsOut(int *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) init(&bar, 64);
    __syncthreads();
    if (threadIdx.x == 7) {
        bar.arrive_and_drop();
        return;
    }
    bar.arrive_and_wait();
    out[threadIdx.x] = 1;
}

__global__ void countsMore(int *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) init(&bar, 65);
    __syncthreads();
    bar.arrive_and_wait(); // want barrier-divergence intra-warp
    out[threadIdx.x] = 1;
}

// How many threads there are is for the caller to say.
__global__ void countsOthers(int *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) init(&bar, 192);
    __syncthreads();
    bar.arrive_and_wait();
    out[threadIdx.x] = 1;
}

void atBarriersInMemory(int *out, int threads) {
    countsOthers<<<1, threads>>>(out);
    countsMore<<<1, 64>>>(out);
    leavesBarrier<<<1, 64>>>(out);
    dropsOut<<<1, 64>>>(out);
}
