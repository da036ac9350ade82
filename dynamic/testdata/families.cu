// Kernels that launch kernels: what orders the grids, and what does not. A line that ends in "races" is where a grid
// races with its parent or with a grid beside it.
#include <cstdio>
__global__ void reads(const int *x, int *o) {
  o[threadIdx.x] = x[threadIdx.x];
}
__global__ void writes(int *x, int v) {
  x[threadIdx.x] = v;
}
__global__ void written(int *x, int v) {
  x[threadIdx.x] = v;  // races
}
__global__ void unseen(int *x, int v) {
  x[threadIdx.x] = v;  // races
}
__global__ void met(int *x, int *o) {
  x[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x == 0) reads<<<1, 64>>>(x, o);
}
__global__ void unmet(int *x, int *o) {
  x[threadIdx.x] = 1;  // races
  if (threadIdx.x == 0) reads<<<1, 64>>>(x, o);
}
__global__ void behind(int *x) {
  if (threadIdx.x == 0) writes<<<1, 64>>>(x, 5);
  __syncthreads();
  x[threadIdx.x] = 2;  // races
}
__global__ void oneStream(int *x) {
  if (threadIdx.x != 0) return;
  writes<<<1, 64>>>(x, 5);
  writes<<<1, 64>>>(x, 6);
}
__global__ void twoStreams(int *x) {
  if (threadIdx.x != 0) return;
  for (int i = 0; i < 2; i++) {
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    written<<<1, 64, 0, s>>>(x, 6 + i);
  }
}
// Events order two streams, one way or not at all.
__global__ void event(int *x, int *o, bool waits) {
  if (threadIdx.x != 0) return;
  cudaStream_t s, t;
  cudaEvent_t e;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
  if (waits) {
    writes<<<1, 64, 0, s>>>(x, 7);
    cudaEventRecord(e, s);
  } else {
    cudaEventRecord(e, s);
    unseen<<<1, 64, 0, s>>>(x, 7);
  }
  cudaStreamWaitEvent(t, e);
  reads<<<1, 64, 0, t>>>(x, o);
  cudaEventDestroy(e);
}
__global__ void tail(int *x, int *o) {
  if (threadIdx.x == 0) {
    reads<<<1, 64, 0, cudaStreamTailLaunch>>>(x, o);
    writes<<<1, 32, 0, cudaStreamFireAndForget>>>(x, 3);
  } else if (threadIdx.x >= 32) {
    x[threadIdx.x] = 9;
  }
}
__global__ void middle(int *x) {
  if (threadIdx.x == 0) writes<<<1, 64>>>(x, 8);
}
__global__ void nested(int *x, int *o) {
  if (threadIdx.x != 0) return;
  middle<<<1, 32>>>(x);
  reads<<<1, 64>>>(x, o);
}
int main() {
  int *x, *o, sum = 0;
  if (cudaMallocManaged(&x, 8 * 256) || cudaMallocManaged(&o, 8 * 256)) return 1;
  met<<<1, 64>>>(x, o);
  oneStream<<<1, 64>>>(x + 64);
  tail<<<1, 64>>>(x + 128, o + 128);
  nested<<<1, 64>>>(x + 192, o + 192);
  unmet<<<1, 64>>>(x + 256, o + 256);
  behind<<<1, 64>>>(x + 320);
  twoStreams<<<1, 64>>>(x + 384);
  event<<<1, 64>>>(x, o, true);
  event<<<1, 64>>>(x + 448, o + 448, false);
  cudaDeviceSynchronize();
  for (int i = 0; i < 512; i++) sum += i % 64 == 40 ? x[i] * 100 + o[i] : 0;
  printf("%d %s\n", sum, cudaGetErrorName(cudaGetLastError()));
}
