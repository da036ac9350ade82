// verdict both race-free
__global__ void both(int *locks, int *cells) {
    int to = (blockIdx.x + 1) % gridDim.x;
    if (threadIdx.x == 0) {
        while (atomicCAS(&locks[to], 0, 1) != 0) {}
        __threadfence();
        cells[to] += 1;
        __threadfence();
        atomicExch(&locks[to], 0);
    }
}

// The lock of another cell.
__global__ void other(int *locks, int *cells) {
    int from = blockIdx.x, to = blockIdx.x / 2;
    if (threadIdx.x == 0) {
        while (atomicCAS(&locks[from], 0, 1) != 0) {}
        __threadfence();
        cells[to] += 1; // want lock-mismatch inter-block
        __threadfence();
        atomicExch(&locks[from], 0);
    }
}

void run(int *locks, int *cells) {
    both<<<16, 32>>>(locks, cells);
    other<<<16, 32>>>(locks, cells);
}
