// A sum under a lock.
// verdict fenced race-free

__device__ int lock[3], sum[3];

__global__ void no_acquire() {
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock[0], 0, 1) != 0) {
        }
        sum[0] += 1; // want lock-fence inter-block
        __threadfence();
        atomicExch(&lock[0], 0);
    }
}

__global__ void no_release() {
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock[1], 0, 1) != 0) {
        }
        __threadfence();
        sum[1] += 1; // want lock-fence inter-block
        atomicExch(&lock[1], 0);
    }
}

__global__ void fenced() {
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock[2], 0, 1) != 0) {
        }
        __threadfence();
        sum[2] += 1;
        __threadfence();
        atomicExch(&lock[2], 0);
    }
}

void run() {
    no_acquire<<<16, 32>>>();
    no_release<<<16, 32>>>();
    fenced<<<16, 32>>>();
}
