// An atomic addition made of compare-and-swap. Its first, plain read is checked again by the
// swap: a hint, no warning.
__device__ double addTo(double *address, double value) {
    unsigned long long *bits = (unsigned long long *)address;
    unsigned long long old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed))); // want mixed-atomic inter-block
    } while (assumed != old);
    return __longlong_as_double(old);
}

__global__ void sum(const double *in, double *out, int n) { // verdict sum race-free
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        addTo(out, in[i]);
}

// The swap is on another place: it says nothing of *flag.
__global__ void once(int *flag, int *value, int *seen) { // verdict once racy
    int old = *flag;
    atomicCAS(value, old, 1);
    atomicExch(flag, 2); // want mixed-atomic inter-block
    seen[blockIdx.x * blockDim.x + threadIdx.x] = old;
}

void run(const double *in, double *out, int n, int *flag, int *value, int *seen) {
    sum<<<(n + 255) / 256, 256>>>(in, out, n);
    once<<<4, 64>>>(flag, value, seen);
}
