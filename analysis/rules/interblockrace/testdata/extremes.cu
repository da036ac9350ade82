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

// What is asked besides stays outside of the atomic.
__global__ void twice(int *best, const int *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > best[0])
        best[0] = in[i]; // want inter-block-race inter-block
}

// CUDA has no function for `unsigned long`, and one for each type that an instance has.
struct Tally { size_t hits; long sum; unsigned flag : 1; };

template <class T> __global__ void tally(Tally *t, T *total, const int *in, unsigned *left, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    auto &hits = t->hits;
    hits++;                  // want inter-block-race inter-block
    t->sum -= left[i];       // want inter-block-race inter-block
    *total += in[i];         // want inter-block-race inter-block
    t->flag |= in[i] > 0;    // want inter-block-race inter-block
}

template <class T> __global__ void either(T *total, const int *in) {
    *total += in[threadIdx.x]; // want inter-block-race inter-block
}

__global__ void taken(float *total, int *count, const float *in, int *list, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = *total;
    sum += in[i];
    *total = sum;            // want inter-block-race inter-block
    int at = *count;
    *count = at + 1;         // want inter-block-race inter-block
    list[at] = i;            // want inter-block-race inter-block
    float was = total[1];
    float is = was + in[i];
    total[1] = is;           // want inter-block-race inter-block
}

void run(int *a, unsigned *u, float *f, const float *by, int *b, int *c, int n, Tally *t, float *total, double *more) {
    int grid = (n + 255) / 256;
    greatest<<<grid, 256>>>(a, b, c, n);
    least<<<grid, 256>>>(u, (unsigned *)b, c, n);
    forces<<<grid, 256>>>(f, b, c, by, n);
    listed<<<grid, 256>>>(a, c, b, n);
    twice<<<grid, 256>>>(a, b, n);
    tally<<<grid, 256>>>(t, total, b, u, n);
    tally<<<grid, 256>>>(t, more, b, u, n);
    either<<<2, 1>>>(total, b);
    either<<<2, 1>>>(&t->hits, b);
    taken<<<grid, 256>>>(total, c, by, a, n);
}
