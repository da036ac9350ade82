// Nodes of a graph that run as a value says which kernels set: a loop, a choice, one of several.
#include <cstdio>
#define CHECK(call) \
  if (cudaError_t error_ = (call)) return printf("line %d: %s\n", __LINE__, cudaGetErrorName(error_)), 1

__global__ void count(int *x, cudaGraphConditionalHandle h) {
  *x += 1;
  cudaGraphSetConditional(h, *x % 10 != 0);
}
__global__ void add(int *x, int v) { *x += v; }
__global__ void choose(cudaGraphConditionalHandle h, unsigned v) { cudaGraphSetConditional(h, v); }

static cudaGraphNodeParams kernel(void *f, void **arguments) {
  cudaGraphNodeParams p = {cudaGraphNodeTypeKernel};
  p.kernel.func = f, p.kernel.gridDim = p.kernel.blockDim = dim3(1), p.kernel.kernelParams = arguments;
  return p;
}

int main() {
  int *x, ten = 10, hundred = 1000, million = 1000000;
  unsigned one = 1;
  CHECK(cudaMallocManaged(&x, 4));
  *x = 0;
  cudaGraph_t g;
  cudaStream_t s;
  cudaGraphConditionalHandle loop, which, never;
  cudaGraphNode_t node, next;
  CHECK(cudaGraphCreate(&g, 0));
  CHECK(cudaStreamCreate(&s));
  CHECK(cudaGraphConditionalHandleCreate(&loop, g, 1, cudaGraphCondAssignDefault));
  CHECK(cudaGraphConditionalHandleCreate(&which, g));
  CHECK(cudaGraphConditionalHandleCreate(&never, g, 0, cudaGraphCondAssignDefault));
  cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
  p.conditional.handle = loop, p.conditional.type = cudaGraphCondTypeWhile, p.conditional.size = 1;
  CHECK(cudaGraphAddNode(&node, g, NULL, 0, &p));
  CHECK(cudaStreamBeginCaptureToGraph(s, p.conditional.phGraph_out[0], NULL, NULL, 0, cudaStreamCaptureModeRelaxed));
  count<<<1, 1, 0, s>>>(x, loop);
  CHECK(cudaStreamEndCapture(s, NULL));
  void *chooses[] = {&which, &one}, *tens[] = {&x, &ten}, *hundreds[] = {&x, &hundred}, *millions[] = {&x, &million};
  p = kernel((void *)choose, chooses);
  CHECK(cudaGraphAddNode(&next, g, &node, NULL, 1, &p));
  p = {cudaGraphNodeTypeConditional};
  p.conditional.handle = which, p.conditional.type = cudaGraphCondTypeSwitch, p.conditional.size = 2;
  CHECK(cudaGraphAddNode(&node, g, &next, 1, &p));
  cudaGraph_t *bodies = p.conditional.phGraph_out;
  p = kernel((void *)add, tens);
  CHECK(cudaGraphAddNode(&next, bodies[0], NULL, 0, &p));
  p = kernel((void *)add, hundreds);
  CHECK(cudaGraphAddNode(&next, bodies[1], NULL, 0, &p));
  p = {cudaGraphNodeTypeConditional};
  p.conditional.handle = never, p.conditional.type = cudaGraphCondTypeIf, p.conditional.size = 1;
  CHECK(cudaGraphAddNode(&next, g, &node, 1, &p));
  bodies = p.conditional.phGraph_out;
  p = kernel((void *)add, millions);
  CHECK(cudaGraphAddNode(&next, bodies[0], NULL, 0, &p));
  cudaGraphExec_t e;
  CHECK(cudaGraphInstantiate(&e, g, 0));
  for (int i = 0; i < 2; i++) CHECK(cudaGraphLaunch(e, s));
  CHECK(cudaStreamSynchronize(s));
  if (*x != 2020) printf("%d\n", *x);
  puts("done");
}
