// A flag that is set by a plain access and polled by a volatile one.
__device__ int ready;

__global__ void cast(int *value, int *out) {
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *value = 42;
        __threadfence();
        ready = 1;
    } else {
        while (*(volatile int *)&ready == 0) { // want inter-block-race inter-block
        }
        __threadfence();
        out[blockIdx.x] = *value; // want weak-access inter-block
    }
}

void run(int *value, int *out) { cast<<<4, 32>>>(value, out); }
