// Tiles of a fixed size, in blocks that nothing tells the size of: larger ones overlap, which is for the caller to know.
// verdict fill unknown
__global__ void fill(int *out) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    out[y * 640 + x] = threadIdx.x; // want inter-block-race inter-block
}
