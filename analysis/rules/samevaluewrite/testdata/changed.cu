// A mark that many threads set.
// verdict atomically race-free

__global__ void same(const int *cost, int *best, int *changed, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && cost[i] <= best[i]) {
        best[i] = cost[i];
        *changed = 1; // want same-value-write inter-block
    }
}

// Values that differ are no hint.
__global__ void other(const int *cost, int *best, int *changed, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && cost[i] <= best[i]) {
        best[i] = cost[i];
        *changed = i; // want inter-block-race inter-block
    }
}

__global__ void atomically(const int *cost, int *best, int *changed, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && cost[i] <= best[i]) {
        best[i] = cost[i];
        atomicExch(changed, 1);
    }
}

void run(const int *cost, int *best, int *changed, int n) {
    same<<<(n + 255) / 256, 256>>>(cost, best, changed, n);
    other<<<(n + 255) / 256, 256>>>(cost, best, changed, n);
    atomically<<<(n + 255) / 256, 256>>>(cost, best, changed, n);
}
