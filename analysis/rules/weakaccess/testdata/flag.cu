// A flag that is polled and set by plain accesses.
// verdict strong race-free

__device__ int ready, shown;

__global__ void plain(int *value, int *out) {
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *value = 42;
        __threadfence();
        ready = 1;
    } else {
        while (ready == 0) { // want weak-access inter-block
        }
        __threadfence();
        out[blockIdx.x] = *value; // want weak-access inter-block
    }
}

__global__ void strong(int *value, int *out) {
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *value = 42;
        __threadfence();
        atomicExch(&shown, 1);
    } else {
        while (atomicAdd(&shown, 0) == 0) {
        }
        __threadfence();
        out[blockIdx.x] = *value;
    }
}

// What all threads of a block ask of what all have written is no flag.
__global__ void tiles(const int *in, int *out, int n) {
    __shared__ int s[128];
    for (int i = 0; i < n; i++) {
        s[threadIdx.x] = in[i * 128 + threadIdx.x];
        if (s[(threadIdx.x + 1) & 127] < 0) // want weak-access intra-block
            break;
        out[threadIdx.x] += i;
    }
}

void run(int *value, int *out) {
    plain<<<2, 32>>>(value, out);
    strong<<<2, 32>>>(value, out);
    tiles<<<1, 128>>>(value, out, 10);
}
