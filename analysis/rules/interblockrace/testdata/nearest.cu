// What a neighbour only reads is part of no update: no atomic mends that.
struct Vector { float x, y; };

__global__ void nearest(Vector *at, const int *list, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int j = list[i];
    at[i].x += at[j].x; // want inter-block-race inter-block
}
