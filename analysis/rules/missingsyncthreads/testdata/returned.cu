// A barrier does not wait for a thread that has returned.
__global__ void first(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t == 40) {
        out[64] = s[0];
        return;
    }
    __syncthreads();
    if (t == 0)
        s[0] = 1; // want missing-syncthreads intra-block
    out[t] = s[t];
}
void run(const int *in, int *out) { first<<<1, 64>>>(in, out); }
