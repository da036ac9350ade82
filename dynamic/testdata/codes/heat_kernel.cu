// The kernel of heat.cu, which includes this file.
#define BLOCK_SIZE 16
#define PYRAMID_HEIGHT 2
#define IN_RANGE(x, low, high) ((x) >= (low) && (x) <= (high))

__global__ void heat(int steps, const float *from, float *to, int columns, int rows) {
  __shared__ float now[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float next[BLOCK_SIZE][BLOCK_SIZE];
  int tx = threadIdx.x, ty = threadIdx.y, inner = BLOCK_SIZE - 2 * PYRAMID_HEIGHT;
  int x = blockIdx.x * inner - PYRAMID_HEIGHT + tx, y = blockIdx.y * inner - PYRAMID_HEIGHT + ty;
  bool inside = IN_RANGE(x, 0, columns - 1) && IN_RANGE(y, 0, rows - 1), computed = false;
  if (inside) now[ty][tx] = from[y * columns + x];
  __syncthreads();
  int north = y > 0 ? ty - 1 : ty, south = y < rows - 1 ? ty + 1 : ty, west = x > 0 ? tx - 1 : tx, east = x < columns - 1 ? tx + 1 : tx;
  for (int i = 0; i < steps; i++) {
    computed = false;
    if (inside && IN_RANGE(tx, i + 1, BLOCK_SIZE - 2 - i) && IN_RANGE(ty, i + 1, BLOCK_SIZE - 2 - i)) {
      computed = true;
      float around = now[north][tx] + now[south][tx] + now[ty][west] + now[ty][east];
      next[ty][tx] = now[ty][tx] + 0.125f * (around - 4.0f * now[ty][tx]);
    }
    __syncthreads();
    if (i == steps - 1) break;
    if (computed) now[ty][tx] = next[ty][tx];
    __syncthreads();
  }
  if (computed && IN_RANGE(tx, PYRAMID_HEIGHT, BLOCK_SIZE - 1 - PYRAMID_HEIGHT) && IN_RANGE(ty, PYRAMID_HEIGHT, BLOCK_SIZE - 1 - PYRAMID_HEIGHT))
    to[y * columns + x] = next[ty][tx];
}
