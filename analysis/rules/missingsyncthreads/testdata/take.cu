// One block may call the function with a barrier in it; of many blocks, others change what its branch hangs on, so some threads of a block
// may not come there. That the barrier would settle another doubt is no reason to offer it.
__device__ int take(int *top, int *seen) {
    if (*top >= 0) {
        int i = atomicAdd(top, -1); // want missing-syncthreads intra-block, mixed-atomic inter-block
        return i + *seen;
    }
    return -1;
}

__global__ void alone(int *out, const unsigned *in) {
    __shared__ int top, seen;
    if (threadIdx.x == 0) top = 100;
    __syncthreads();
    unsigned h = in[threadIdx.x];
    for (int k = 0; k < 20; k++) h = (h ^ (h >> 16)) * 0x45d9f3b;
    if (threadIdx.x == 5 && h == 77) seen = 1;
    out[threadIdx.x] = take(&top, &seen);
}

__global__ void many(int *top, int *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = take(top, top + 1); }

void run(int *top, int *out, unsigned *in) {
    alone<<<1, 128>>>(out, in);
    many<<<64, 128>>>(top, out);
}
