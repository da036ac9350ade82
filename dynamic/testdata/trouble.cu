// Goes wrong in the way that its argument names.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cuda/barrier>

__global__ void bounds(int *a) { a[threadIdx.x + 100] = 1; }
__global__ void never(volatile int *a) {
  while (a[0] == 0) {}
}
__global__ void busy(int *a) {
  for (;;) a[threadIdx.x]++;
}
__global__ void diverge(int *a) {
  if (threadIdx.x < 32) __syncthreads();
  else while (((volatile int *)a)[0] == 0) {}
}
__global__ void lacks(int *a) {
  __shared__ cuda::barrier<cuda::thread_scope_block> all;
  if (threadIdx.x == 0) init(&all, 33);
  __syncthreads();
  all.arrive_and_wait();
}
__global__ void fails(int *a) { assert(a == nullptr); }
__global__ void floods() {
  for (;;) printf("and on\n");
}
__device__ int deep(int n, volatile int *a) {
  volatile int here[256];
  here[n & 255] = n;
  return n == a[0] ? 0 : deep(n - 1, a) + here[n & 255];
}
__global__ void recurses(int *a) { a[1] = deep(1 << 30, a); }
__global__ void prints() { printf("hello from thread %d\n", threadIdx.x); }

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  int *a;
  cudaMalloc(&a, 400);
  if (!strcmp(what, "bounds")) bounds<<<1, 32>>>(a);
  if (!strcmp(what, "never")) never<<<1, 32>>>(a);
  if (!strcmp(what, "busy")) busy<<<1, 32>>>(a);
  if (!strcmp(what, "diverge")) diverge<<<1, 64>>>(a);
  if (!strcmp(what, "lack")) lacks<<<1, 32>>>(a);
  if (!strcmp(what, "assert")) fails<<<1, 1>>>(a);
  if (!strcmp(what, "deep")) recurses<<<1, 1>>>(a);
  if (!strcmp(what, "print")) {
    printf("before\n");
    prints<<<1, 2>>>();
    printf("after\n");
  }
  if (!strcmp(what, "flood")) floods<<<1, 1>>>();
  if (!strcmp(what, "flood from the host"))
    for (;;) printf("and on\n");
  if (!strcmp(what, "crash")) *a = 1;
  if (!strcmp(what, "exit")) exit(7);
  if (!strcmp(what, "loop"))
    for (volatile int i = 0;;) i = i + 1;  // without the volatile, C++ lets a compiler remove it
  if (!strcmp(what, "children") && fork() == 0)
    for (;;) pause();
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
