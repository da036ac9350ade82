// Tiles of a fixed size, in blocks that nothing tells the size of: larger ones would overlap, so they are assumed not to be
// larger, unless the kernel asks for more threads, or has room for more.
// verdict fill race-free
// verdict asked racy
// verdict roomy racy
// verdict guarded race-free
// verdict next racy
__global__ void fill(int *out, int w) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < w) out[y * w + x] = threadIdx.x;
}
__global__ void asked(int *out, int *first) {
    if (threadIdx.x >= 32) atomicAdd(first, 1);
    out[blockIdx.x * 32 + threadIdx.x] = threadIdx.x; // want inter-block-race inter-block
}
__global__ void roomy(float *out, const float *in) {
    __shared__ float s[32];
    s[threadIdx.x] = in[blockIdx.x * 30 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 30 + threadIdx.x] = s[threadIdx.x]; // want inter-block-race inter-block
}
__global__ void guarded(float *out, const float *in) {
    __shared__ float s[32];
    s[threadIdx.x] = in[blockIdx.x * 30 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 30) out[blockIdx.x * 30 + threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + 2];
}
__global__ void next(float *out) {
    int i = blockIdx.x * 16 + threadIdx.x;
    out[i] = out[i + 1]; // want inter-block-race inter-block
}
