// What can be asked of the nodes of graphs, and changed.
#include "wire.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int depends(const struct CUgraphNode_st *n, const struct CUgraphNode_st *on) {
  for (size_t i = 0; i < n->count; i++)
    if (n->after[i] == on) return 1;
  return 0;
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  if (!graph || !count) return fail(cudaErrorInvalidValue);
  size_t found = 0;
  for (struct CUgraphNode_st *n = graph->first; n; n = n->next) {
    if (n->count) continue;
    if (nodes && found < *count) nodes[found] = n;
    found++;
  }
  if (!nodes || found < *count) *count = found;
  return fail(cudaSuccess);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count) {
  if (!graph || !count) return fail(cudaErrorInvalidValue);
  size_t found = 0;
  for (struct CUgraphNode_st *n = graph->first; n; n = n->next)
    for (size_t i = 0; i < n->count; i++, found++)
      if (from && to && found < *count) from[found] = n->after[i], to[found] = n;
  if (!from || found < *count) *count = found;
  return fail(cudaSuccess);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count) {
  if (!node || !count) return fail(cudaErrorInvalidValue);
  for (size_t i = 0; nodes && i < node->count && i < *count; i++) nodes[i] = node->after[i];
  if (!nodes || node->count < *count) *count = node->count;
  return fail(cudaSuccess);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count) {
  if (!node || !count) return fail(cudaErrorInvalidValue);
  size_t found = 0;
  for (struct CUgraphNode_st *n = node->graph->first; n; n = n->next) {
    if (!depends(n, node)) continue;
    if (nodes && found < *count) nodes[found] = n;
    found++;
  }
  if (!nodes || found < *count) *count = found;
  return fail(cudaSuccess);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type) {
  static const enum cudaGraphNodeType types[] = {
      [TASK_EMPTY] = cudaGraphNodeTypeEmpty,   [TASK_KERNEL] = cudaGraphNodeTypeKernel,   [TASK_COPY] = cudaGraphNodeTypeMemcpy,
      [TASK_FILL] = cudaGraphNodeTypeMemset,   [TASK_HOST] = cudaGraphNodeTypeHost,       [TASK_GRAPH] = cudaGraphNodeTypeGraph,
      [TASK_ALLOC] = cudaGraphNodeTypeMemAlloc, [TASK_FREE] = cudaGraphNodeTypeMemFree,   [TASK_RECORD] = cudaGraphNodeTypeEventRecord,
      [TASK_CALLBACK] = cudaGraphNodeTypeHost, [TASK_CONDITIONAL] = cudaGraphNodeTypeConditional, [TASK_WAIT] = cudaGraphNodeTypeWaitEvent,
  };
  if (!node || !type) return fail(cudaErrorInvalidValue);
  *type = types[node->task.kind];
  return fail(cudaSuccess);
}

static void forget(struct CUgraphNode_st *n, const struct CUgraphNode_st *on) {
  size_t kept = 0;
  for (size_t i = 0; i < n->count; i++)
    if (n->after[i] != on) n->after[kept++] = n->after[i];
  n->count = kept;
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count) {
  if (!graph || (count && (!from || !to))) return fail(cudaErrorInvalidValue);
  for (size_t i = 0; i < count; i++) forget(to[i], from[i]);
  return fail(cudaSuccess);
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  if (!node) return fail(cudaErrorInvalidValue);
  cudaGraph_t graph = node->graph;
  struct CUgraphNode_st **at = &graph->first;
  while (*at != node) at = &(*at)->next;
  *at = node->next;
  if (graph->end == &node->next) graph->end = at;
  for (struct CUgraphNode_st *n = graph->first; n; n = n->next) forget(n, node);
  release_task(&node->task);
  free(node->after);
  free(node->pointers);
  free(node);
  return fail(cudaSuccess);
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *found, cudaGraphNode_t original, cudaGraph_t clone) {
  if (!found || !clone) return fail(cudaErrorInvalidValue);
  *found = copy_of_node(clone, original);
  return fail(*found ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph) {
  if (!node || !graph || node->task.kind != TASK_GRAPH) return fail(cudaErrorInvalidValue);
  *graph = node->task.graph;
  return fail(cudaSuccess);
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *p) {
  const struct function_info *info;
  if (!node || !p || node->task.kind != TASK_KERNEL) return fail(cudaErrorInvalidValue);
  cudaError_t error = function_info(node->task.kernel.function, &info);
  if (error != cudaSuccess) return fail(error);
  free(node->pointers);
  node->pointers = malloc((info->parameters + 1) * sizeof *node->pointers);
  error = split_parameters(node->task.kernel.function, node->task.kernel.arguments, node->pointers, info->parameters);
  *p = (struct cudaKernelNodeParams){(void *)node->task.kernel.function, node->task.kernel.grid, node->task.kernel.block,
                                     (unsigned)node->task.kernel.shared, node->pointers, NULL};
  return fail(error);
}
// Of a kernel's attributes, those that change what it does.
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute, const cudaLaunchAttributeValue *v) {
  if (!node || !v || node->task.kind != TASK_KERNEL) return fail(cudaErrorInvalidValue);
  if (attribute == cudaLaunchAttributeClusterDimension) node->task.kernel.cluster = (dim3){v->clusterDim.x, v->clusterDim.y, v->clusterDim.z};
  if (attribute == cudaLaunchAttributeCooperative) node->task.kernel.cooperative = v->cooperative;
  return fail(cudaSuccess);
}
cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute, cudaLaunchAttributeValue *v) {
  if (!node || !v || node->task.kind != TASK_KERNEL) return fail(cudaErrorInvalidValue);
  const dim3 *cluster = &node->task.kernel.cluster;
  memset(v, 0, sizeof *v);
  if (attribute == cudaLaunchAttributeClusterDimension) v->clusterDim.x = cluster->x, v->clusterDim.y = cluster->y, v->clusterDim.z = cluster->z;
  if (attribute == cudaLaunchAttributeCooperative) v->cooperative = node->task.kernel.cooperative;
  return fail(cudaSuccess);
}
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *p) {
  if (!node || !p || node->task.kind != TASK_FILL) return fail(cudaErrorInvalidValue);
  const struct task *t = &node->task;
  *p = (struct cudaMemsetParams){t->fill.at.pointer, t->fill.at.pitch, t->fill.value, t->fill.element, t->fill.width, t->fill.height};
  return fail(cudaSuccess);
}
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *p) {
  if (!node || !p || node->task.kind != TASK_HOST) return fail(cudaErrorInvalidValue);
  *p = (struct cudaHostNodeParams){node->task.host.function, node->task.host.data};
  return fail(cudaSuccess);
}
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event) {
  if (!node || !event || node->task.kind != TASK_RECORD) return fail(cudaErrorInvalidValue);
  *event = node->task.event;
  return fail(cudaSuccess);
}

// set gives a node another task of its kind.
static cudaError_t set(cudaGraphNode_t node, enum task_kind kind, cudaError_t error, struct task *t) {
  if (error == cudaSuccess && (!node || node->task.kind != kind || t->kind != kind)) error = cudaErrorInvalidValue;
  if (error == cudaSuccess) {
    if (kind != TASK_KERNEL) memcpy(t->callers, node->task.callers, sizeof t->callers);
    release_task(&node->task);
    node->task = *t;
  }
  return fail(error);
}
static cudaGraphNode_t of(cudaGraphExec_t exec, cudaGraphNode_t node) { return exec ? copy_of_node(exec->graph, node) : NULL; }

static cudaError_t kernel(struct task *t, const struct cudaKernelNodeParams *p) {
  return p ? kernel_task(t, p->func, p->gridDim, p->blockDim, p->kernelParams, p->sharedMemBytes, 0) : cudaErrorInvalidValue;
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *p) {
  struct task t;
  cudaError_t error = kernel(&t, p);
  return set(node, TASK_KERNEL, error, &t);
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaKernelNodeParams *p) {
  return cudaGraphKernelNodeSetParams(of(exec, node), p);
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *p) {
  struct task t;
  cudaError_t error = p ? copy3d_task(&t, p) : cudaErrorInvalidValue;
  return set(node, TASK_COPY, error, &t);
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemcpy3DParms *p) {
  return cudaGraphMemcpyNodeSetParams(of(exec, node), p);
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from, size_t size, enum cudaMemcpyKind kind) {
  (void)kind;
  struct task t = {.kind = TASK_COPY, .copy = {{to, size, 0}, {(char *)from, size, 0}, size, 1, 1}};
  return set(node, TASK_COPY, cudaSuccess, &t);
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to, const void *from, size_t size, enum cudaMemcpyKind kind) {
  return cudaGraphMemcpyNodeSetParams1D(of(exec, node), to, from, size, kind);
}
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const void *symbol, const void *from, size_t size, size_t offset, enum cudaMemcpyKind kind) {
  char *at;
  cudaError_t error = symbol_address(symbol, size, offset, &at);
  return error == cudaSuccess ? cudaGraphAddMemcpyNode1D(node, graph, after, count, at, from, size, kind) : fail(error);
}
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, void *to, const void *symbol, size_t size, size_t offset, enum cudaMemcpyKind kind) {
  char *at;
  cudaError_t error = symbol_address(symbol, size, offset, &at);
  return error == cudaSuccess ? cudaGraphAddMemcpyNode1D(node, graph, after, count, to, at, size, kind) : fail(error);
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *p) {
  if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4)) return fail(cudaErrorInvalidValue);
  struct task t = {.kind = TASK_FILL, .fill = {{p->dst, p->pitch, 0}, p->value, p->elementSize, p->width, p->height, 1}};
  return set(node, TASK_FILL, cudaSuccess, &t);
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemsetParams *p) {
  return cudaGraphMemsetNodeSetParams(of(exec, node), p);
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *p) {
  if (!p || !p->fn) return fail(cudaErrorInvalidValue);
  struct task t = {.kind = TASK_HOST, .host = {p->fn, p->userData}};
  return set(node, TASK_HOST, cudaSuccess, &t);
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaHostNodeParams *p) {
  return cudaGraphHostNodeSetParams(of(exec, node), p);
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child) {
  cudaGraphNode_t n = of(exec, node);
  struct task t = {.kind = TASK_GRAPH};
  if (!n || !child || n->task.kind != TASK_GRAPH) return fail(cudaErrorInvalidValue);
  cudaError_t error = cudaGraphClone(&t.graph, child);
  return set(n, TASK_GRAPH, error, &t);
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, cudaEvent_t event) {
  struct task t = {.kind = TASK_RECORD, .event = event};
  return fail(event ? add_node(node, graph, after, count, t) : cudaErrorInvalidValue);
}
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, cudaEvent_t event) {
  struct task t = {.kind = TASK_WAIT, .event = event};
  return fail(event ? add_node(node, graph, after, count, t) : cudaErrorInvalidValue);
}
cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  struct task t = {.kind = TASK_RECORD, .event = event};
  return set(node, TASK_RECORD, event ? cudaSuccess : cudaErrorInvalidValue, &t);
}
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event) {
  return cudaGraphEventRecordNodeSetEvent(of(exec, node), event);
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int enabled) {
  cudaGraphNode_t n = of(exec, node);
  if (!n) return fail(cudaErrorInvalidValue);
  n->disabled = !enabled;
  return fail(cudaSuccess);
}
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int *enabled) {
  cudaGraphNode_t n = of(exec, node);
  if (!n || !enabled) return fail(cudaErrorInvalidValue);
  *enabled = !n->disabled;
  return fail(cudaSuccess);
}

// The graph as text for Graphviz, with the nodes' kinds.
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags) {
  (void)flags;
  static const char *kinds[] = {"EMPTY", "KERNEL", "MEMCPY", "MEMSET", "HOST", "GRAPH", "MEM_ALLOC", "MEM_FREE", "EVENT_RECORD", "HOST", "CONDITIONAL", "EVENT_WAIT"};
  FILE *file = graph && path ? fopen(path, "w") : NULL;
  if (!file) return fail(cudaErrorOperatingSystem);
  fprintf(file, "digraph dot {\n");
  for (struct CUgraphNode_st *n = graph->first; n; n = n->next) {
    fprintf(file, "\"%p\" [label=\"%s\"];\n", (void *)n, kinds[n->task.kind]);
    for (size_t i = 0; i < n->count; i++) fprintf(file, "\"%p\" -> \"%p\";\n", (void *)n->after[i], (void *)n);
  }
  fprintf(file, "}\n");
  fclose(file);
  return fail(cudaSuccess);
}
