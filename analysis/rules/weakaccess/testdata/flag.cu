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

void run(int *value, int *out) {
    plain<<<2, 32>>>(value, out);
    strong<<<2, 32>>>(value, out);
}
