// A lock that is given back by a plain store.
__global__ void add(int *lock, int *sum) {
    if (threadIdx.x != 0)
        return;
    while (atomicCAS(lock, 0, 1) != 0) { }
    __threadfence();
    atomicAdd(sum, 1);
    __threadfence();
    *lock = 0; // want mixed-atomic inter-block, same-value-write inter-block
}

void run(int *lock, int *sum) { add<<<16, 64>>>(lock, sum); }
