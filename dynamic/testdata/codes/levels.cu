// Distances from a vertex of a graph: reads the graph as text from a file or standard input, and launches
// two kernels for each level until the device says that nothing has changed. levels [-s SOURCE] [FILE]
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_THREADS 64
struct Node { int first, count; };

__global__ void visit(const Node *nodes, const int *edges, bool *frontier, bool *reached, const bool *done, int *cost, int n) {
  int v = blockIdx.x * MAX_THREADS + threadIdx.x;
  if (v < n && frontier[v]) {
    frontier[v] = false;
    for (int i = nodes[v].first; i < nodes[v].first + nodes[v].count; i++) {
      int to = edges[i];
      if (!done[to]) {
        cost[to] = cost[v] + 1;
        reached[to] = true;
      }
    }
  }
}
__global__ void advance(bool *frontier, bool *reached, bool *done, bool *again, int n) {
  int v = blockIdx.x * MAX_THREADS + threadIdx.x;
  if (v < n && reached[v]) {
    frontier[v] = true;
    done[v] = true;
    *again = true;
    reached[v] = false;
  }
}

static int number(FILE *f) {
  int n;
  if (fscanf(f, "%d", &n) != 1) {
    fprintf(stderr, "levels: the graph is cut short\n");
    exit(1);
  }
  return n;
}
template <class T> static T *onDevice(const T *data, int n) {
  T *p = NULL;
  cudaMalloc((void **)&p, n * sizeof(T));
  cudaMemcpy(p, data, n * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}

int main(int argc, char **argv) {
  int source = 0, option;
  while ((option = getopt(argc, argv, "s:")) != -1)
    if (option == 's') source = atoi(optarg);
  FILE *f = optind < argc ? fopen(argv[optind], "r") : stdin;
  if (!f) {
    perror(argv[optind]);
    return 1;
  }
  int n = number(f);
  Node *nodes = (Node *)malloc(n * sizeof(Node));
  for (int i = 0; i < n; i++) nodes[i].first = number(f), nodes[i].count = number(f);
  int m = number(f), *edges = (int *)malloc(m * sizeof(int)), *cost = (int *)malloc(n * sizeof(int));
  for (int i = 0; i < m; i++) edges[i] = number(f);
  bool *flags = (bool *)calloc(n, sizeof(bool)), again;
  bool *reached = onDevice(flags, n), *deviceAgain = onDevice(&again, 1);
  flags[source] = true;
  bool *frontier = onDevice(flags, n), *done = onDevice(flags, n);
  for (int i = 0; i < n; i++) cost[i] = -1;
  cost[source] = 0;
  int *deviceCost = onDevice(cost, n), *deviceEdges = onDevice(edges, m), rounds = 0;
  Node *deviceNodes = onDevice(nodes, n);
  dim3 grid((n + MAX_THREADS - 1) / MAX_THREADS, 1, 1), threads(n < MAX_THREADS ? n : MAX_THREADS, 1, 1);
  do {
    again = false;
    cudaMemcpy(deviceAgain, &again, sizeof again, cudaMemcpyHostToDevice);
    visit<<<grid, threads, 0>>>(deviceNodes, deviceEdges, frontier, reached, done, deviceCost, n);
    advance<<<grid, threads, 0>>>(frontier, reached, done, deviceAgain, n);
    cudaMemcpy(&again, deviceAgain, sizeof again, cudaMemcpyDeviceToHost);
    rounds++;
  } while (again);
  cudaMemcpy(cost, deviceCost, n * sizeof(int), cudaMemcpyDeviceToHost);
  long sum = 0;
  for (int i = 0; i < n; i++) sum += cost[i];
  printf("rounds %d, sum %ld\n", rounds, sum);
  return 0;
}
