// The device side of means.c: features in rows of one kind, the means in constant memory, the number of
// changes counted by a reduction in dynamic shared memory.
#include <stdio.h>
#include <stdlib.h>
#include <cuda.h>

#define CHECK(call)                                                                      \
  do {                                                                                   \
    cudaError error = (call);                                                            \
    if (error != cudaSuccess) {                                                          \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));     \
      exit(-1);                                                                          \
    }                                                                                    \
  } while (0)

const int THREADS = 128, MAX_MEANS = 1024;
__constant__ float c_means[MAX_MEANS];
static float *d_points, *d_rows;
static int *d_membership, *d_changes, *h_changes, n, f, k, blocks;

__global__ static void transpose(const float *points, float *rows, int n, int f) {
  int i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i < n)
    for (int j = 0; j < f; j++) rows[j * n + i] = points[i * f + j];
}

__global__ static void assign(const float *rows, int n, int f, int k, int *membership, int *changes) {
  extern __shared__ int changed[];
  const unsigned int i = __mul24(blockIdx.x, blockDim.x) + threadIdx.x;
  changed[threadIdx.x] = 0;
  if (i < n) {
    int best = -1;
    float least = 3.4e38f;
    for (int c = 0; c < k; c++) {
      float d = 0.0f;
      for (int j = 0; j < f; j++) {
        float x = rows[j * n + i] - c_means[c * f + j];
        d += x * x;
      }
      if (d < least) least = d, best = c;
    }
    if (membership[i] != best) changed[threadIdx.x] = 1;
    membership[i] = best;
  }
  __syncthreads();
  for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) changed[threadIdx.x] += changed[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) changes[blockIdx.x] = changed[0];
}

extern "C" void cluster_setup(const float *points, int count, int features, int clusters) {
  n = count, f = features, k = clusters, blocks = (n + THREADS - 1) / THREADS;
  CHECK(cudaMalloc((void **)&d_points, n * f * sizeof(float)));
  CHECK(cudaMalloc((void **)&d_rows, n * f * sizeof(float)));
  CHECK(cudaMalloc((void **)&d_membership, n * sizeof(int)));
  CHECK(cudaMalloc((void **)&d_changes, blocks * sizeof(int)));
  h_changes = (int *)malloc(blocks * sizeof(int));
  CHECK(cudaMemset(d_membership, -1, n * sizeof(int)));
  CHECK(cudaMemcpy(d_points, points, n * f * sizeof(float), cudaMemcpyHostToDevice));
  transpose<<<blocks, THREADS>>>(d_points, d_rows, n, f);
  CHECK(cudaGetLastError());
}

extern "C" int cluster_assign(const float *means, int *membership) {
  int sum = 0;
  CHECK(cudaMemcpyToSymbol(c_means, means, k * f * sizeof(float), 0, cudaMemcpyHostToDevice));
  assign<<<dim3(blocks), dim3(THREADS), THREADS * sizeof(int)>>>(d_rows, n, f, k, d_membership, d_changes);
  CHECK(cudaMemcpy(h_changes, d_changes, blocks * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(membership, d_membership, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < blocks; i++) sum += h_changes[i];
  return sum;
}

extern "C" void cluster_done(void) {
  cudaFree(d_points), cudaFree(d_rows), cudaFree(d_membership), cudaFree(d_changes);
  free(h_changes);
  CHECK(cudaDeviceReset());
}
