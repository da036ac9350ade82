// Block 0 hands a value to the others by a flag.
// verdict fenced race-free

__device__ int ready[4];

__global__ void no_release(int *value, int *out) {
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *value = 42;
        atomicExch(&ready[0], 1);
    } else {
        while (atomicAdd(&ready[0], 0) == 0) {
        }
        __threadfence();
        out[blockIdx.x] = *value; // want missing-fence inter-block
    }
}

__global__ void no_acquire(int *value, int *out) {
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *value = 42;
        __threadfence();
        atomicExch(&ready[1], 1);
    } else {
        while (atomicAdd(&ready[1], 0) == 0) {
        }
        out[blockIdx.x] = *value; // want missing-fence inter-block
    }
}

__global__ void fenced(int *value, int *out) {
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *value = 42;
        __threadfence();
        atomicExch(&ready[2], 1);
    } else {
        while (atomicAdd(&ready[2], 0) == 0) {
        }
        __threadfence();
        out[blockIdx.x] = *value;
    }
}

void run(int *value, int *out) {
    no_release<<<2, 32>>>(value, out);
    no_acquire<<<2, 32>>>(value, out);
    fenced<<<2, 32>>>(value, out);
}
