// An atomic of an integer would cut the half off before it adds; the sum here is cut behind.
__global__ void half(int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) *x += 0.5f; // want inter-block-race inter-block
}

// So it would on the way through a variable.
__global__ void halves(int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int old = *x;
        old += 0.5f;
        *x = old; // want inter-block-race inter-block
    }
}

// The greater of two is another one where they are compared as unsigned, or before the number is cut.
__global__ void greatest(int *x, const unsigned *of, const long long *more, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[0] = max(x[0], of[i]); // want inter-block-race inter-block
        if (more[i] > x[1])
            x[1] = more[i]; // want inter-block-race inter-block
    }
}
