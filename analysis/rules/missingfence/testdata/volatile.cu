// The reader of volatile data has no fence: policy takes the two as ordered, so that the kernel is
// proved, and the finding is information. A writer without one is a warning all the same.
// verdict no_acquire race-free
// verdict no_release racy

__device__ int ready[2];

__global__ void no_acquire(volatile int *value, int *out) {
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *value = 42;
        __threadfence();
        atomicExch(&ready[0], 1);
    } else {
        while (atomicAdd(&ready[0], 0) == 0) {
        }
        out[blockIdx.x] = *value; // want missing-fence inter-block
    }
}

__global__ void no_release(volatile int *value, int *out) {
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *value = 42;
        atomicExch(&ready[1], 1);
    } else {
        while (atomicAdd(&ready[1], 0) == 0) {
        }
        out[blockIdx.x] = *value; // want missing-fence inter-block
    }
}

void run(int *value, int *out) {
    no_acquire<<<2, 32>>>(value, out);
    no_release<<<2, 32>>>(value, out);
}
