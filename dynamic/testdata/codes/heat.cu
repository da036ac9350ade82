// Temperature of a plate over time: reads a grid as text, steps it with a tile in shared memory that
// shrinks by a cell a step, writes the grid as text and prints its sum. heat ROWS COLUMNS STEPS FILE OUTPUT
#include <stdio.h>
#include <stdlib.h>
#include "heat_kernel.cu"

static void fatal(const char *message) {
  fprintf(stderr, "heat: %s\n", message);
  exit(1);
}

static void readGrid(float *grid, int rows, int columns, const char *path) {
  char line[256];
  FILE *f = fopen(path, "r");
  if (!f) fatal("the file cannot be read");
  for (int i = 0; i < rows * columns; i++)
    if (!fgets(line, sizeof line, f) || sscanf(line, "%f", &grid[i]) != 1) fatal("the file has too few numbers");
  fclose(f);
}

int main(int argc, char **argv) {
  if (argc != 6) fatal("usage: heat ROWS COLUMNS STEPS FILE OUTPUT");
  int rows = atoi(argv[1]), columns = atoi(argv[2]), steps = atoi(argv[3]);
  size_t bytes = (size_t)rows * columns * sizeof(float);
  float *grid = (float *)malloc(bytes), *from, *to;
  readGrid(grid, rows, columns, argv[4]);
  cudaMalloc((void **)&from, bytes);
  cudaMalloc((void **)&to, bytes);
  cudaMemcpy(from, grid, bytes, cudaMemcpyHostToDevice);
  int inner = BLOCK_SIZE - 2 * PYRAMID_HEIGHT;
  dim3 threads(BLOCK_SIZE, BLOCK_SIZE), blocks((columns + inner - 1) / inner, (rows + inner - 1) / inner);
  for (int t = 0; t < steps; t += PYRAMID_HEIGHT) {
    heat<<<blocks, threads>>>(min(PYRAMID_HEIGHT, steps - t), from, to, columns, rows);
    float *swap = from;
    from = to, to = swap;
  }
  cudaThreadSynchronize();
  if (cudaGetLastError() != cudaSuccess) fatal("a launch failed");
  cudaMemcpy(grid, from, bytes, cudaMemcpyDeviceToHost);
  FILE *f = fopen(argv[5], "w");
  double sum = 0;
  for (int i = 0; i < rows * columns; i++) {
    fprintf(f, "%g\n", grid[i]);
    sum += grid[i];
  }
  fclose(f);
  printf("sum %.3f\n", sum);
  cudaFree(from);
  cudaFree(to);
  free(grid);
  return 0;
}
