// Graphs: built node by node or captured from streams, instantiated, updated, launched. The
// nodes run one after another, in an order that their dependencies allow.
#include "wire.h"
#include <stdlib.h>
#include <string.h>

// What programs want to keep as long as a graph is there.
struct CUuserObject_st {
  unsigned references;
  cudaHostFn_t destroy;
  void *data;
};
struct held {
  struct held *next;
  cudaUserObject_t object;
  unsigned count;
};

cudaError_t cudaUserObjectCreate(cudaUserObject_t *object, void *data, cudaHostFn_t destroy, unsigned int references, unsigned int flags) {
  (void)flags;
  if (!object || !destroy || references == 0) return fail(cudaErrorInvalidValue);
  *object = malloc(sizeof **object);
  **object = (struct CUuserObject_st){references, destroy, data};
  return fail(cudaSuccess);
}
cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count) {
  if (!object) return fail(cudaErrorInvalidValue);
  object->references += count;
  return fail(cudaSuccess);
}
cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count) {
  if (!object || count > object->references) return fail(cudaErrorInvalidValue);
  if ((object->references -= count) > 0) return fail(cudaSuccess);
  object->destroy(object->data);
  free(object);
  return fail(cudaSuccess);
}
cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count, unsigned int flags) {
  if (!graph || !object) return fail(cudaErrorInvalidValue);
  if (!(flags & cudaGraphUserObjectMove)) object->references += count;
  struct held *h = malloc(sizeof *h);
  *h = (struct held){graph->held, object, count};
  graph->held = h;
  return fail(cudaSuccess);
}
cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count) {
  if (!graph) return fail(cudaErrorInvalidValue);
  for (struct held *h = graph->held; h; h = h->next)
    if (h->object == object && h->count >= count) return h->count -= count, cudaUserObjectRelease(object, count);
  return fail(cudaErrorInvalidValue);
}

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags) {
  (void)flags;
  if (!graph) return fail(cudaErrorInvalidValue);
  *graph = calloc(1, sizeof **graph);
  (*graph)->end = &(*graph)->first;
  return fail(cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  if (!graph) return fail(cudaErrorInvalidValue);
  for (struct CUgraphNode_st *n = graph->first, *next; n; n = next) {
    next = n->next;
    release_task(&n->task);
    free(n->after);
    free(n->pointers);
    free(n);
  }
  for (struct held *h = graph->held, *next; h; h = next) {
    next = h->next;
    if (h->count) cudaUserObjectRelease(h->object, h->count);
    free(h);
  }
  free(graph);
  return fail(cudaSuccess);
}

cudaError_t add_node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, struct task t) {
  if (!graph || (count && !after)) return cudaErrorInvalidValue;
  struct CUgraphNode_st *n = calloc(1, sizeof *n);
  n->task = t;
  if (!t.callers[0]) order_place(&n->task);
  n->graph = graph;
  n->count = count;
  if (count) {
    n->after = malloc(count * sizeof *after);
    memcpy(n->after, after, count * sizeof *after);
  }
  *graph->end = n;
  graph->end = &n->next;
  if (node) *node = n;
  return cudaSuccess;
}

cudaError_t record(cudaGraph_t graph, const struct task *t, const struct nodes *after, cudaGraphNode_t *made) {
  return add_node(made, graph, after->list, after->count, clone_task(t));
}

cudaGraphNode_t copy_of_node(cudaGraph_t graph, const struct CUgraphNode_st *origin) {
  for (struct CUgraphNode_st *n = graph->first; n; n = n->next)
    if (n->origin == origin) return n;
  return NULL;
}

static void add_value(cudaGraph_t graph, uint64_t handle, unsigned value) {
  struct conditional_value *v = malloc(sizeof *v);
  *v = (struct conditional_value){graph->values, handle, value};
  graph->values = v;
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) {
  if (!clone || !graph) return fail(cudaErrorInvalidValue);
  cudaError_t error = cudaGraphCreate(clone, 0);
  for (struct CUgraphNode_st *n = graph->first; n && error == cudaSuccess; n = n->next) {
    cudaGraphNode_t made;
    struct task t = clone_task(&n->task);
    if (t.kind == TASK_GRAPH) error = cudaGraphClone(&t.graph, n->task.graph);
    if (t.kind == TASK_CONDITIONAL) error = clone_conditional(&t);
    if (error == cudaSuccess) error = add_node(&made, *clone, n->after, n->count, t);
    if (error == cudaSuccess) made->origin = n, made->disabled = n->disabled;
  }
  for (const struct held *h = graph->held; h; h = h->next) cudaGraphRetainUserObject(*clone, h->object, h->count, 0);
  for (const struct conditional_value *v = graph->values; v; v = v->next) add_value(*clone, v->handle, v->value);
  for (struct CUgraphNode_st *n = (*clone)->first; n; n = n->next)
    for (size_t i = 0; i < n->count; i++) n->after[i] = copy_of_node(*clone, n->after[i]);
  return fail(error);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  if (!graph || !count) return fail(cudaErrorInvalidValue);
  size_t n = 0;
  for (struct CUgraphNode_st *node = graph->first; node; node = node->next, n++)
    if (nodes && n < *count) nodes[n] = node;
  if (!nodes || n < *count) *count = n;
  return fail(cudaSuccess);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count) {
  if (!graph || !from || !to) return fail(cudaErrorInvalidValue);
  for (size_t i = 0; i < count; i++) {
    struct CUgraphNode_st *n = to[i];
    n->after = realloc(n->after, (n->count + 1) * sizeof *n->after);
    n->after[n->count++] = from[i];
  }
  return fail(cudaSuccess);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const struct cudaKernelNodeParams *p) {
  struct task t;
  cudaError_t error = kernel_task(&t, p->func, p->gridDim, p->blockDim, p->kernelParams, p->sharedMemBytes, 0);
  return fail(error == cudaSuccess ? add_node(node, graph, after, count, t) : error);
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const struct cudaMemcpy3DParms *p) {
  struct task t;
  cudaError_t error = copy3d_task(&t, p);
  return fail(error == cudaSuccess ? add_node(node, graph, after, count, t) : error);
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, void *to, const void *from, size_t size, enum cudaMemcpyKind kind) {
  (void)kind;
  struct task t = {.kind = TASK_COPY, .copy = {{to, size, 0}, {(char *)from, size, 0}, size, 1, 1}};
  return fail(add_node(node, graph, after, count, t));
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const struct cudaMemsetParams *p) {
  if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4)) return fail(cudaErrorInvalidValue);
  struct task t = {.kind = TASK_FILL, .fill = {{p->dst, p->pitch, 0}, p->value, p->elementSize, p->width, p->height, 1}};
  return fail(add_node(node, graph, after, count, t));
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const struct cudaHostNodeParams *p) {
  struct task t = {.kind = TASK_HOST, .host = {p->fn, p->userData}};
  return fail(add_node(node, graph, after, count, t));
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count) {
  struct task t = {.kind = TASK_EMPTY};
  return fail(add_node(node, graph, after, count, t));
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, cudaGraph_t child) {
  struct task t = {.kind = TASK_GRAPH};
  cudaError_t error = cudaGraphClone(&t.graph, child);
  return fail(error == cudaSuccess ? add_node(node, graph, after, count, t) : error);
}
// Memory of a graph has its address from the time the node is made until the program ends: each
// launch of the graph allocates it anew, at the same address, whoever freed it before.
static struct graph_memory {
  struct graph_memory *next;
  void *pointer;
  size_t size;
} *graph_memory;

int is_graph_memory(const void *p) {
  for (struct graph_memory *m = graph_memory; m; m = m->next)
    if (m->pointer == p) return 1;
  return 0;
}

void keep_graph_memory(void *pointer, size_t size) {
  struct graph_memory *m = malloc(sizeof *m);
  *m = (struct graph_memory){graph_memory, pointer, size};
  graph_memory = m;
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, struct cudaMemAllocNodeParams *p) {
  cudaError_t error = allocate(&p->dptr, p->bytesize);
  if (error != cudaSuccess) return error;
  keep_graph_memory(p->dptr, p->bytesize);
  struct task t = {.kind = TASK_ALLOC, .memory = {p->dptr, p->bytesize}};
  return fail(add_node(node, graph, after, count, t));
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, void *pointer) {
  (void)pointer;
  return cudaGraphAddEmptyNode(node, graph, after, count);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
  if (!exec || !graph) return fail(cudaErrorInvalidValue);
  *exec = calloc(1, sizeof **exec);
  (*exec)->flags = flags;
  return cudaGraphClone(&(*exec)->graph, graph);
}
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphInstantiateParams *params) {
  if (!params) return fail(cudaErrorInvalidValue);
  cudaError_t error = cudaGraphInstantiateWithFlags(exec, graph, params->flags);
  params->errNode_out = NULL;
  params->result_out = error == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateError;
  return error;
}
cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags) {
  if (!exec || !flags) return fail(cudaErrorInvalidValue);
  *flags = exec->flags;
  return fail(cudaSuccess);
}
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  (void)stream;
  return fail(exec ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  if (!exec) return fail(cudaErrorInvalidValue);
  cudaGraphDestroy(exec->graph);
  free(exec);
  return fail(cudaSuccess);
}

static int ready(const struct CUgraphNode_st *n) {
  for (size_t i = 0; i < n->count; i++)
    if (n->after[i] && !n->after[i]->done) return 0;
  return 1;
}

// run_graph runs a graph behind the present operation, and makes its end the present one.
cudaError_t run_graph(cudaGraph_t graph, cudaStream_t stream) {
  uint64_t start = operation;
  for (const struct conditional_value *v = graph->values; v; v = v->next) {
    cudaError_t error = fill((void *)v->handle, v->value, sizeof v->value, 1);
    if (error != cudaSuccess) return error;
  }
  for (struct CUgraphNode_st *n = graph->first; n; n = n->next) n->done = 0;
  for (int progress = 1; progress;) {
    progress = 0;
    for (struct CUgraphNode_st *n = graph->first; n; n = n->next) {
      if (n->done || !ready(n)) continue;
      order_node(n, stream, start);
      cudaError_t error = n->disabled ? cudaSuccess : execute(&n->task, stream);
      if (error != cudaSuccess) return error;
      n->operation = operation;
      n->done = progress = 1;
    }
  }
  order_end_of_graph(graph, stream);
  return cudaSuccess;
}

// A node that depends on a value, of four bytes of device memory.
cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph, unsigned int value, unsigned int flags) {
  if (!handle || !graph) return fail(cudaErrorInvalidValue);
  void *memory;
  cudaError_t error = cudaMalloc(&memory, sizeof value);
  if (error == cudaSuccess) error = copy_bytes(memory, &value, sizeof value);
  if (error != cudaSuccess) return fail(error);
  *handle = (uint64_t)memory;
  if (flags & cudaGraphCondAssignDefault) add_value(graph, *handle, value);
  return fail(cudaSuccess);
}

static cudaError_t add_conditional(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, struct cudaConditionalNodeParams *p) {
  if (!p->handle || p->size == 0) return cudaErrorInvalidValue;
  struct task t = {.kind = TASK_CONDITIONAL, .conditional = {p->handle, p->type, p->size, calloc(p->size, sizeof(cudaGraph_t))}};
  for (unsigned i = 0; i < p->size; i++) cudaGraphCreate(&t.conditional.bodies[i], 0);
  p->phGraph_out = t.conditional.bodies;
  return add_node(node, graph, after, count, t);
}

cudaError_t clone_conditional(struct task *t) {
  cudaGraph_t *bodies = calloc(t->conditional.size, sizeof *bodies);
  cudaError_t error = cudaSuccess;
  for (unsigned i = 0; i < t->conditional.size && error == cudaSuccess; i++) error = cudaGraphClone(&bodies[i], t->conditional.bodies[i]);
  t->conditional.bodies = bodies;
  return error;
}

cudaError_t run_conditional(const struct task *t, cudaStream_t stream) {
  for (;;) {
    unsigned value, chosen = 0;
    cudaError_t error = copy_bytes(&value, (const void *)t->conditional.handle, sizeof value);
    if (error != cudaSuccess) return error;
    if (t->conditional.type == cudaGraphCondTypeSwitch) {
      chosen = value;
    } else if (!value) {
      chosen = t->conditional.type == cudaGraphCondTypeIf ? 1 : t->conditional.size;
    }
    if (chosen >= t->conditional.size) return cudaSuccess;
    error = run_graph(t->conditional.bodies[chosen], stream);
    if (error == cudaSuccess) error = sticky;
    if (error != cudaSuccess || t->conditional.type != cudaGraphCondTypeWhile) return error;
  }
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, cudaGraphNodeParams *p) {
  if (!p) return fail(cudaErrorInvalidValue);
  switch (p->type) {
    case cudaGraphNodeTypeKernel: return cudaGraphAddKernelNode(node, graph, after, count, &p->kernel);
    case cudaGraphNodeTypeMemcpy: return cudaGraphAddMemcpyNode(node, graph, after, count, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: return cudaGraphAddMemsetNode(node, graph, after, count, &p->memset);
    case cudaGraphNodeTypeHost: return cudaGraphAddHostNode(node, graph, after, count, &p->host);
    case cudaGraphNodeTypeGraph: return cudaGraphAddChildGraphNode(node, graph, after, count, p->graph.graph);
    case cudaGraphNodeTypeEmpty: return cudaGraphAddEmptyNode(node, graph, after, count);
    case cudaGraphNodeTypeWaitEvent: return cudaGraphAddEventWaitNode(node, graph, after, count, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord: return cudaGraphAddEventRecordNode(node, graph, after, count, p->eventRecord.event);
    case cudaGraphNodeTypeMemAlloc: return cudaGraphAddMemAllocNode(node, graph, after, count, &p->alloc);
    case cudaGraphNodeTypeMemFree: return cudaGraphAddMemFreeNode(node, graph, after, count, p->free.dptr);
    case cudaGraphNodeTypeConditional: return fail(add_conditional(node, graph, after, count, &p->conditional));
  }
  return fail(cudaErrorInvalidValue);
}
cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, const cudaGraphEdgeData *edges, size_t count, cudaGraphNodeParams *p) {
  (void)edges;
  return cudaGraphAddNode(node, graph, after, count, p);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  if (!exec) return fail(cudaErrorInvalidValue);
  return fail(launch_in_order(exec, stream));
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info) {
  if (!exec || !graph) return fail(cudaErrorInvalidValue);
  struct CUgraphNode_st *a = exec->graph->first, *b = graph->first;
  while (a && b && a->task.kind == b->task.kind && a->count == b->count) a = a->next, b = b->next;
  if (info) memset(info, 0, sizeof *info);
  if (a || b) {
    if (info) info->result = cudaGraphExecUpdateErrorTopologyChanged, info->errorNode = b;
    return fail(cudaErrorGraphExecUpdateFailure);
  }
  // The nodes stay those of the graph that it was made of: that is how they are called.
  for (a = exec->graph->first, b = graph->first; a; a = a->next, b = b->next) {
    release_task(&a->task);
    a->task = clone_task(&b->task);
    if (b->task.kind == TASK_GRAPH) cudaGraphClone(&a->task.graph, b->task.graph);
  }
  return fail(cudaSuccess);
}

cudaError_t cudaDeviceGraphMemTrim(int device) { return fail(device == 0 ? cudaSuccess : cudaErrorInvalidDevice); }
cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void *value) {
  (void)attribute;
  if (device != 0 || !value) return fail(cudaErrorInvalidValue);
  size_t bytes = 0;
  for (struct graph_memory *m = graph_memory; m; m = m->next) bytes += m->size;
  *(uint64_t *)value = bytes;
  return fail(cudaSuccess);
}
cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void *value) {
  (void)attribute;
  return fail(device == 0 && value ? cudaSuccess : cudaErrorInvalidValue);
}
