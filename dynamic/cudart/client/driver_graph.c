// Graphs of the driver API, which are the runtime's.
#include "cuda.h"
#include "wire.h"

static CUresult result(cudaError_t error) { return (CUresult)error; }

CUresult cuGraphCreate(CUgraph *graph, unsigned int flags) { return result(cudaGraphCreate(graph, flags)); }
CUresult cuGraphDestroy(CUgraph graph) { return result(cudaGraphDestroy(graph)); }
CUresult cuGraphClone(CUgraph *clone, CUgraph graph) { return result(cudaGraphClone(clone, graph)); }
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) { return result(cudaGraphGetNodes(graph, nodes, count)); }

static struct cudaKernelNodeParams kernel(const CUDA_KERNEL_NODE_PARAMS *p) {
  return (struct cudaKernelNodeParams){
      p->func ? (void *)p->func : (void *)p->kern, {p->gridDimX, p->gridDimY, p->gridDimZ}, {p->blockDimX, p->blockDimY, p->blockDimZ}, p->sharedMemBytes, p->kernelParams, p->extra};
}
CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count, const CUDA_KERNEL_NODE_PARAMS *params) {
  struct cudaKernelNodeParams p = kernel(params);
  return result(cudaGraphAddKernelNode(node, graph, after, count, &p));
}
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params) {
  struct cudaKernelNodeParams p = kernel(params);
  return result(cudaGraphExecKernelNodeSetParams(exec, node, &p));
}
CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count, const CUDA_MEMCPY3D *params, CUcontext context) {
  (void)context;
  struct cudaMemcpy3DParms p = driver_copy(params);
  return result(cudaGraphAddMemcpyNode(node, graph, after, count, &p));
}
CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count, const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context) {
  (void)context;
  const struct cudaMemsetParams p = {(void *)params->dst, params->pitch, params->value, params->elementSize, params->width, params->height};
  return result(cudaGraphAddMemsetNode(node, graph, after, count, &p));
}
CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count, const CUDA_HOST_NODE_PARAMS *params) {
  const struct cudaHostNodeParams p = {params->fn, params->userData};
  return result(cudaGraphAddHostNode(node, graph, after, count, &p));
}
CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count) { return result(cudaGraphAddEmptyNode(node, graph, after, count)); }
CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count, CUgraph child) {
  return result(cudaGraphAddChildGraphNode(node, graph, after, count, child));
}

CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, unsigned long long flags) { return result(cudaGraphInstantiateWithFlags(exec, graph, flags)); }
CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags) { return cuGraphInstantiate(exec, graph, flags); }
CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) { return result(cudaGraphUpload(exec, stream)); }
CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) { return result(cudaGraphLaunch(exec, stream)); }
CUresult cuGraphExecDestroy(CUgraphExec exec) { return result(cudaGraphExecDestroy(exec)); }

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) { return result(cudaStreamBeginCapture(stream, (enum cudaStreamCaptureMode)mode)); }
CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) { return result(cudaStreamEndCapture(stream, graph)); }
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) { return result(cudaStreamIsCapturing(stream, (enum cudaStreamCaptureStatus *)status)); }
