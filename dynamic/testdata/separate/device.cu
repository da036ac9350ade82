#include "separate.h"
__device__ int table[4] = {1, 2, 3, 4};
__managed__ int shared = 5;
static __device__ int hidden = 100;
__device__ int twice(int x) { return 2 * x + hidden; }
__device__ int Square::area() const { return side * side; }
static __global__ void increment(int *) { table[threadIdx.x]++; }
void fill() { increment<<<1, 4>>>(nullptr); }
