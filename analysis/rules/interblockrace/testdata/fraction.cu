// An atomic of an integer would cut the half off before it adds; the sum here is cut behind.
__global__ void half(int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) *x += 0.5f; // want inter-block-race inter-block
}
