// verdict left_waiting racy
__global__ void left_waiting(int *v) {
    int t = threadIdx.x, sum = v[blockIdx.x * 64 + t];
    if (t % 32 < 16)
        sum += __shfl_down_sync(0xffffffff, sum, 8); // want barrier-divergence intra-warp
    __syncthreads();
    v[blockIdx.x * 64 + t] = sum;
}

// Lanes that have ended are not waited for.
// verdict others_end race-free
__global__ void others_end(int *v) {
    int t = threadIdx.x, sum = v[blockIdx.x * 64 + t];
    if (t % 32 < 16) {
        sum += __shfl_down_sync(0xffffffff, sum, 8);
        v[blockIdx.x * 64 + t] = sum;
    }
}

// verdict behind_the_end racy
__global__ void behind_the_end(const int *in, int *out, int n) {
    __shared__ int total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int v = in[i];
        for (int o = 16; o > 0; o /= 2)
            v += __shfl_xor_sync(0xffffffff, v, o); // want barrier-divergence intra-warp
        if (threadIdx.x % 32 == 0) atomicAdd(&total, v);
    }
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = total;
}

// verdict by_data racy
__global__ void by_data(int *v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (v[i] > 0 && __any_sync(0xffffffff, v[i] > 9)) // want barrier-divergence intra-warp
        v[i] = 1;
    __syncthreads();
    v[i]++;
}

// verdict whole_warps race-free
__global__ void whole_warps(const int *in, int *out, int n) {
    __shared__ int sums[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, v = 0;
    for (int base = warp * 32; base < n; base += blockDim.x) {
        int x = base + lane < n ? in[base + lane] : 0;
        for (int o = 16; o > 0; o /= 2) x += __shfl_down_sync(0xffffffff, x, o);
        v += x;
    }
    if (lane == 0) sums[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < blockDim.x / 32 ? sums[lane] : 0;
        for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffff, v, o);
        if (lane == 0) out[blockIdx.x] = v;
    }
    __syncthreads();
}

// verdict left_out racy
__global__ void left_out(int *v) {
    int t = threadIdx.x;
    v[t] = __shfl_sync(0xffff, v[t], 0); // want barrier-divergence intra-warp
}

// verdict those_that_come race-free
__global__ void those_that_come(int *v) {
    int t = threadIdx.x;
    unsigned mask = __ballot_sync(0xffffffff, v[t] > 0);
    if (v[t] > 0) v[t] = __shfl_sync(mask, v[t], __ffs(mask) - 1);
    __syncthreads();
}

// Sixteen threads, for all that is known.
// verdict half_a_warp race-free
__global__ void half_a_warp(int *v) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    v[t] = __shfl_down_sync(0xffff, v[t], 8);
}

// Rows of 32 threads, for all that is known.
// verdict a_warp_for_each_row race-free
__global__ void a_warp_for_each_row(const int *in, int *out, int rows, int columns) {
    int r = blockIdx.x * blockDim.y + threadIdx.y;
    if (r < rows) {
        int s = 0;
        for (int c = threadIdx.x; c < columns; c += 32) s += in[r * columns + c];
        for (int o = 16; o > 0; o /= 2) s += __shfl_xor_sync(0xffffffff, s, o);
        if (threadIdx.x == 0) out[r] = s;
    }
    __syncthreads();
}

void run(int *v) {
    left_waiting<<<4, 64>>>(v);
    others_end<<<4, 64>>>(v);
    left_out<<<1, 32>>>(v);
    those_that_come<<<1, 32>>>(v);
}
