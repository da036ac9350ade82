// Updates that are written as assignments.
__global__ void greatest(int *best, const int *in, const int *at, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        best[at[i]] = max(best[at[i]], in[i]); // want inter-block-race inter-block
}

__global__ void least(unsigned *best, const unsigned *in, const int *at, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        if (in[i] < best[at[i]]) {
            best[at[i]] = in[i]; // want inter-block-race inter-block
        }
    }
}

__global__ void forces(float *f, const int *from, const int *to, const float *by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    f[from[i]] = f[from[i]] + by[i] * 2; // want inter-block-race inter-block
    f[to[i]] -= by[i]; // want inter-block-race inter-block
}

__global__ void listed(int *list, int *count, const int *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0)
        list[(*count)++] = i; // want inter-block-race inter-block
}

// What is asked besides stays outside of the atomic, which is for people to write.
__global__ void twice(int *best, const int *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > best[0])
        best[0] = in[i]; // want inter-block-race inter-block
}

void run(int *a, unsigned *u, float *f, const float *by, int *b, int *c, int n) {
    int grid = (n + 255) / 256;
    greatest<<<grid, 256>>>(a, b, c, n);
    least<<<grid, 256>>>(u, (unsigned *)b, c, n);
    forces<<<grid, 256>>>(f, b, c, by, n);
    listed<<<grid, 256>>>(a, c, b, n);
    twice<<<grid, 256>>>(a, b, n);
}
