// Graphs, built node by node and captured, asked about and changed: checks itself.
#include <stdio.h>
#include <vector>

#define CHECK(condition) \
  if (!(condition)) printf("line %d: %s\n", __LINE__, #condition)
#define OK(call)                                                                                    \
  do {                                                                                              \
    cudaError_t error = (call);                                                                     \
    if (error != cudaSuccess) printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorString(error)); \
  } while (0)

const int n = 64;
__device__ int variable;
__global__ void add(int *a, int by) { a[threadIdx.x] += by; }
__global__ void multiply(int *a, int by) { a[threadIdx.x] *= by; }
static void CUDART_CB count(void *p) { ++*(int *)p; }

static cudaKernelNodeParams kernel(void *function, void **arguments) {
  cudaKernelNodeParams p = {};
  p.func = function, p.gridDim = dim3(1), p.blockDim = dim3(n), p.kernelParams = arguments;
  return p;
}

int main() {
  int *data, host[n], calls = 0, by = 2, times = 3;
  OK(cudaMalloc(&data, sizeof host));
  cudaGraph_t graph;
  OK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t fill, plus, product, copy, call, extra;
  cudaMemsetParams set = {};
  set.dst = data, set.elementSize = 4, set.width = n, set.height = 1, set.value = 5;
  OK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &set));
  void *addArguments[] = {&data, &by}, *productArguments[] = {&data, &times};
  cudaKernelNodeParams p = kernel((void *)add, addArguments), q = kernel((void *)multiply, productArguments);
  OK(cudaGraphAddKernelNode(&plus, graph, &fill, 1, &p));
  OK(cudaGraphAddKernelNode(&product, graph, &plus, 1, &q));
  OK(cudaGraphAddMemcpyNode1D(&copy, graph, &product, 1, host, data, sizeof host, cudaMemcpyDeviceToHost));
  cudaHostNodeParams h = {count, &calls};
  OK(cudaGraphAddHostNode(&call, graph, &copy, 1, &h));
  OK(cudaGraphAddEmptyNode(&extra, graph, &copy, 1));

  size_t nodes, roots, edges, dependent;
  OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  OK(cudaGraphGetRootNodes(graph, nullptr, &roots));
  OK(cudaGraphGetEdges(graph, nullptr, nullptr, &edges));
  OK(cudaGraphNodeGetDependentNodes(copy, nullptr, &dependent));
  CHECK(nodes == 6 && roots == 1 && edges == 5 && dependent == 2);
  cudaGraphNode_t before;
  size_t one = 1;
  OK(cudaGraphNodeGetDependencies(product, &before, &one));
  cudaGraphNodeType type;
  OK(cudaGraphNodeGetType(before, &type));
  CHECK(before == plus && one == 1 && type == cudaGraphNodeTypeKernel);
  cudaKernelNodeParams asked;
  OK(cudaGraphKernelNodeGetParams(product, &asked));
  CHECK(asked.func == (void *)multiply && asked.blockDim.x == n && *(int *)asked.kernelParams[1] == 3);
  cudaKernelNodeAttrValue value = {};
  value.cooperative = 1;
  OK(cudaGraphKernelNodeSetAttribute(product, cudaLaunchAttributePriority, &value));
  OK(cudaGraphKernelNodeSetAttribute(product, cudaLaunchAttributeCooperative, &value));
  value.cooperative = 0;
  OK(cudaGraphKernelNodeGetAttribute(product, cudaLaunchAttributeCooperative, &value));
  CHECK(value.cooperative == 1);
  OK(cudaGraphDestroyNode(extra));
  OK(cudaGraphGetEdges(graph, nullptr, nullptr, &edges));
  CHECK(edges == 4);

  cudaGraphExec_t exec;
  auto run = [&] {
    OK(cudaGraphLaunch(exec, 0));
    OK(cudaDeviceSynchronize());
    return host[n - 1];
  };
  OK(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  CHECK(run() == (5 + 2) * 3 && calls == 1);
  by = 10;
  OK(cudaGraphExecKernelNodeSetParams(exec, plus, &p));
  CHECK(run() == (5 + 10) * 3);
  set.value = 1;
  OK(cudaGraphExecMemsetNodeSetParams(exec, fill, &set));
  CHECK(run() == (1 + 10) * 3);
  OK(cudaGraphNodeSetEnabled(exec, product, 0));
  CHECK(run() == 1 + 10);
  by = 7;
  OK(cudaGraphKernelNodeSetParams(plus, &p));
  cudaGraphExecUpdateResultInfo info;
  OK(cudaGraphExecUpdate(exec, graph, &info));
  OK(cudaGraphNodeSetEnabled(exec, product, 1));
  CHECK(run() == (5 + 7) * 3);
  by = 8;  // the executable graph's nodes go by the names of the graph that it was made of
  OK(cudaGraphExecKernelNodeSetParams(exec, plus, &p));
  CHECK(run() == (5 + 8) * 3);

  cudaGraph_t clone, outer;
  cudaGraphNode_t found, child;
  OK(cudaGraphClone(&clone, graph));
  OK(cudaGraphNodeFindInClone(&found, product, clone));
  OK(cudaGraphCreate(&outer, 0));
  OK(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, clone));
  OK(cudaGraphInstantiate(&exec, outer, 0));
  CHECK(run() == (5 + 7) * 3);

  // A capture with a fork and a join.
  cudaStream_t s, other;
  cudaEvent_t forked, joined;
  OK(cudaStreamCreate(&s));
  OK(cudaStreamCreate(&other));
  OK(cudaEventCreate(&forked));
  OK(cudaEventCreate(&joined));
  cudaGraph_t captured;
  cudaStreamCaptureStatus status;
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  OK(cudaMemsetAsync(data, 0, sizeof host, s));
  OK(cudaEventRecord(forked, s));
  OK(cudaStreamWaitEvent(other, forked, 0));
  add<<<1, n / 2, 0, s>>>(data, 1);
  add<<<1, n / 2, 0, other>>>(data + n / 2, 2);
  OK(cudaEventRecord(joined, other));
  OK(cudaStreamWaitEvent(s, joined, 0));
  OK(cudaMemcpyAsync(host, data, sizeof host, cudaMemcpyDeviceToHost, s));
  OK(cudaStreamGetCaptureInfo(s, &status));
  CHECK(status == cudaStreamCaptureStatusActive);
  OK(cudaStreamEndCapture(s, &captured));
  OK(cudaStreamIsCapturing(other, &status));
  CHECK(status == cudaStreamCaptureStatusNone);
  OK(cudaStreamSynchronize(other));
  OK(cudaStreamWaitEvent(other, joined, 0));  // means nothing any more
  OK(cudaStreamSynchronize(other));
  OK(cudaGraphGetEdges(captured, nullptr, nullptr, &edges));
  OK(cudaGraphGetRootNodes(captured, nullptr, &roots));
  CHECK(edges == 4 && roots == 1);
  OK(cudaGraphInstantiate(&exec, captured, 0));
  CHECK(run() == 2 && host[0] == 1);

  // Memory that a capture allocates and frees is there again in each launch.
  int *temporary;
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  OK(cudaMallocAsync(&temporary, sizeof host, s));
  OK(cudaMemsetAsync(temporary, 0, sizeof host, s));
  add<<<1, n, 0, s>>>(temporary, 3);
  OK(cudaMemcpyAsync(host, temporary, sizeof host, cudaMemcpyDeviceToHost, s));
  OK(cudaFreeAsync(temporary, s));
  OK(cudaStreamEndCapture(s, &captured));
  cudaGraphInstantiateParams how = {cudaGraphInstantiateFlagAutoFreeOnLaunch};
  unsigned long long flags = 0;
  OK(cudaGraphInstantiateWithParams(&exec, captured, &how));
  OK(cudaGraphExecGetFlags(exec, &flags));
  CHECK(flags == cudaGraphInstantiateFlagAutoFreeOnLaunch && how.result_out == cudaGraphInstantiateSuccess);
  CHECK(run() == 3 && run() == 3);

  // What lives as long as a graph and what is made of it.
  cudaUserObject_t object;
  int destroyed = 0;
  OK(cudaUserObjectCreate(&object, &destroyed, [](void *p) { ++*(int *)p; }, 1, cudaUserObjectNoDestructorSync));
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphDestroy(graph));
  CHECK(destroyed == 0);
  OK(cudaGraphExecDestroy(exec));
  CHECK(destroyed == 1);
  cudaGraphNode_t symbol;
  int eleven = 11, back = 0;
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphAddMemcpyNodeToSymbol(&symbol, graph, nullptr, 0, variable, &eleven, sizeof eleven, 0, cudaMemcpyHostToDevice));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  run();
  OK(cudaMemcpyFromSymbol(&back, variable, sizeof back));
  CHECK(back == 11);
  printf("done\n");
}
