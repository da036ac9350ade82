// What nvcc and its host compiler take and clang alone would not: checks itself.
#define __STDC_FORMAT_MACROS
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void fill(int *p) {
  register int i = threadIdx.x;
  assert(i < 4);
  p[i] = i;
}

// The value that is missing nobody uses.
int show(const int *p) {
  for (int i = 0; i < 4; i++)
    if (p[i] != i) {
      printf("%d\n", p[i]);
      return 1;
    }
}

// Clang 19 vectorizes the loop to one that takes other elements.
bool permuted(const float *from, const float *to) {
  bool same = true;
  for (int i = 0; i < 64; i++) same &= from[i * 5 % 64] == to[i];
  return same;
}
__device__ int twice(int *p) { p[threadIdx.x] *= 2; }
__global__ void doubled(int *p) { twice(p); }

int main() {
  int x = 2, y = 2, *p;
  dim3 block{x, y}, grid = {x / 2};
  float sizes[] = {x, 0.5f};
  typeof(x) z = x + y;
  cudaMallocManaged(&p, 16);
  fill<<<grid, block.x * block.y>>>(p);
  cudaDeviceSynchronize();
  show(p);
  doubled<<<1, z>>>(p);
  cudaDeviceSynchronize();
  float from[64], to[64];
  for (int i = 0; i < 64; i++) from[i] = i, to[i] = i * 5 & 63;
  if (!permuted(from, to)) puts("permuted");
  char text[32];
  snprintf(text, sizeof text, "%"PRId64" %g", (int64_t)p[3], sizes[0]);
  puts(text[0] == '6' && text[2] == '2' ? "done" : text);
}
