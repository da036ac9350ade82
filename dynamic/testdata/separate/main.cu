// Uses device code of another file, managed variables of both, clusters of a fixed size, and special registers as nvcc takes them.
#include <cooperative_groups.h>
#include <stdio.h>
#include "separate.h"

extern __device__ int table[4];
extern __managed__ int shared;
__device__ __managed__ int own[2] = {7, 8};
static __device__ int hidden = 1000;

static __global__ void increment(int *out) {
  Square square(threadIdx.x);
  Shape *shape = &square;
  out[threadIdx.x] = twice(table[threadIdx.x]) + shape->area() + hidden + shared;
  own[1] = 80;
}
__global__ void race() { own[0] = threadIdx.x; }
constexpr int width = 2;
__global__ void __cluster_dims__(width) ranks(int *out) {
  unsigned lane;
  asm("mov.u32 %0, %laneid;" : "=r"(lane));
  out[blockIdx.x] = cooperative_groups::this_cluster().block_rank() + 10 * lane;
}

int main() {
  int *out;
  cudaMallocManaged(&out, 4 * sizeof(int));
  fill();
  shared += 10;
  increment<<<1, 4>>>(out);
  cudaDeviceSynchronize();
  printf("%d %d %d %d, %d %d\n", out[0], out[1], out[2], out[3], own[0], own[1]);
  int twelve = 12, back;
  cudaMemcpyToSymbol(own, &twelve, sizeof twelve);
  cudaMemcpy(&back, own, sizeof back, cudaMemcpyDefault);
  ranks<<<4, 1>>>(out);
  race<<<1, 2>>>();
  cudaDeviceSynchronize();
  printf("%d %d %d %d, %d\n", out[0], out[1], out[2], out[3], back);
}
