// Block 0 hands a value to the others.
// verdict wide race-free

__device__ int ready;

__global__ void narrow(int *value, int *out) {
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *value = 42;
        __threadfence_block();
        atomicExch(&ready, 1);
    } else {
        while (atomicAdd(&ready, 0) == 0) {
        }
        __threadfence();
        out[blockIdx.x] = *value; // want fence-scope inter-block
    }
}

__device__ int set;

__global__ void wide(int *value, int *out) {
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *value = 42;
        __threadfence();
        atomicExch(&set, 1);
    } else {
        while (atomicAdd(&set, 0) == 0) {
        }
        __threadfence();
        out[blockIdx.x] = *value;
    }
}

void run(int *value, int *out) {
    narrow<<<2, 32>>>(value, out);
    wide<<<2, 32>>>(value, out);
}
