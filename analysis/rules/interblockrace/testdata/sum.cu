// Blocks add to one place.
// verdict own race-free
// verdict atomic race-free

__global__ void plain(int *sum, const int *in) {
    if (threadIdx.x == 0)
        *sum += in[blockIdx.x]; // want inter-block-race inter-block
}

__global__ void atomic(int *sum, const int *in) {
    if (threadIdx.x == 0)
        atomicAdd(sum, in[blockIdx.x]);
}

__global__ void own(int *sum, const int *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    sum[i] += in[i];
}

// A thread's own memory has no atomics.
__device__ void add(int *to, int n) { *to += n; } // want inter-block-race inter-block

__global__ void helped(int *sum, const int *in) {
    int mine = 0;
    for (int i = 0; i < 4; i++)
        add(&mine, in[4 * threadIdx.x + i]);
    add(sum, mine);
}

void run(int *sum, int *in, int n) {
    helped<<<8, 64>>>(sum, in);
    plain<<<8, 64>>>(sum, in);
    atomic<<<8, 64>>>(sum, in);
    own<<<(n + 63) / 64, 64>>>(sum, in, n);
}
