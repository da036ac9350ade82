// A counter of the whole grid needs atomics of device scope.
// verdict device race-free
// verdict perblock race-free

__global__ void narrow(unsigned *count) {
    atomicAdd_block(count, 1u); // want atomic-scope inter-block
}

__global__ void device(unsigned *count) {
    atomicAdd(count, 1u);
}

__global__ void perblock(unsigned *count) {
    atomicAdd_block(&count[blockIdx.x], 1u);
}

void run(unsigned *count) {
    narrow<<<4, 128>>>(count);
    device<<<4, 128>>>(count);
    perblock<<<4, 128>>>(count);
}
