// The barrier has to come between the two halves of one statement.
__global__ void shift(const int *in, int *out) {
    __shared__ int s[129];
    int t = threadIdx.x;
    s[t] = in[t];
    if (t == 0)
        s[128] = 0;
    __syncthreads();
    s[t] += s[t + 1]; // want missing-syncthreads intra-block
    __syncthreads();
    out[blockIdx.x * 128 + t] = s[t];
}

// A condition that not all threads meet is asked on both sides of it. The race within the loop hides the one with what is in front of it.
__global__ void scan(const float *in, float *out) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[t];
    for (int off = 1; off < 256; off *= 2) {
        if (t >= off)
            s[t] += s[t - off]; // want missing-syncthreads intra-block
    }
    out[t] = s[t];
}

// The variable has the type that all instances agree on, and a body without braces gets some as the file has them.
template <typename T> __global__ void scanned(T *a) {
  int t = threadIdx.x;
  for (int off = 1; off < 256; off *= 2) // each power
    if (t >= off) a[t] += a[t - off]; // want missing-syncthreads intra-block
}

void run(const float *f, float *sums, const int *in, int *out, int blocks) {
    scan<<<1, 256>>>(f, sums);
    shift<<<blocks, 128>>>(in, out);
    scanned<<<1, 256>>>(sums);
    scanned<<<1, 256>>>(out);
}
