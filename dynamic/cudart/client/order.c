// What the simulator is told of the order of operations, from when the program may have a second stream: which operation of a stream
// begins, what follows an event, and what the host has waited for (dynamic/event/host.go).
#include "wire.h"
#include <stdlib.h>
#include <string.h>

__thread uint64_t operation;
__thread int waiting;

// telling reports whether it is told, as it is from the first use of a second stream.
static int telling(int second) {
  enum ordering *level = order_level();
  if (second && *level == ORDER_LATER) *level = ORDER_NOW;
  return *level == ORDER_NOW;
}

static uint64_t tell(enum order order, uint64_t a1, uint64_t a2, uint64_t a3, const void *payload, size_t size) {
  struct request q = {.op = OP_ORDER, .payload = (uint32_t)size, .a = {order, a1, a2, a3}};
  struct reply r = {0};
  return transact(&q, payload, &r, NULL) == cudaSuccess ? r.r[0] : 0;
}

// Each thread has a stream of its own besides those that are made.
static uint64_t number(cudaStream_t stream) {
  static __thread char own;
  return stream == cudaStreamPerThread ? (uint64_t)&own : (uintptr_t)stream <= 1 ? 0 : (uint64_t)stream;
}

void order_stream(cudaStream_t stream, int non_blocking) {
  if (!telling(1)) return;
  uint64_t list[CALLERS];
  callers(list);
  tell(ORDER_STREAM, number(stream), (uint64_t)non_blocking, 0, list, sizeof list);
}

// Pageable memory is the host's alone.
static int pageable(const void *p) { return !is_device(p) && !is_visible_to_device(p); }

static enum work work_of(const struct task *t) {
  switch (t->kind) {
    case TASK_KERNEL: return WORK_KERNEL;
    case TASK_COPY: return waiting && pageable(t->copy.from.pointer) ? WORK_STAGED_COPY : WORK_COPY;
    case TASK_FILL: return WORK_FILL;
    case TASK_FREE: return WORK_FREE;
    case TASK_CONDITIONAL: return WORK_CONDITION;
    default: return WORK_NONE;
  }
}

void order_place(struct task *t) {
  if (work_of(t) > WORK_KERNEL && *order_level() != ORDER_NEVER) callers(t->callers);
}

static void begin(cudaStream_t stream, const struct task *t, int node, const uint64_t *after, size_t count) {
  uint64_t *payload = calloc(CALLERS + count, sizeof *payload);
  memcpy(payload, t->callers, sizeof t->callers);
  if (count) memcpy(payload + CALLERS, after, count * sizeof *after);
  operation = tell(ORDER_BEGIN, number(stream), work_of(t), (uint64_t)node, payload, (CALLERS + count) * sizeof *payload);
  free(payload);
}

// finished reports whether the host knows, once the call returns, that a copy or a fill has been done (CUDA Runtime API, "API
// synchronization behavior").
static int finished(const struct task *t) {
  if (t->kind == TASK_FILL) return waiting && !is_device(t->fill.at.pointer);
  if (t->kind != TASK_COPY) return 0;
  const void *to = t->copy.to.pointer, *from = t->copy.from.pointer;
  if (is_device(to) && is_device(from)) return 0;
  if (is_managed(to) || is_managed(from)) return waiting || pageable(to);
  if (!is_device(to) && !is_device(from)) return 1;
  return is_device(to) ? waiting && !pageable(from) : waiting || pageable(to);
}

cudaError_t execute_in_order(const struct task *t, cudaStream_t stream) {
  if (!telling(stream == cudaStreamPerThread)) return execute(t, stream);
  if (t->kind == TASK_COPY && work_of(t) == WORK_STAGED_COPY) order_await_stream(stream);
  uint64_t outer = operation;
  begin(stream, t, 0, NULL, 0);
  cudaError_t error = execute(t, stream);
  if (finished(t)) order_await_operation();
  operation = outer;
  return error;
}

cudaError_t launch_in_order(cudaGraphExec_t exec, cudaStream_t stream) {
  if (!telling(1)) return run_graph(exec->graph, stream);
  uint64_t outer = operation;
  struct task t = {.kind = TASK_GRAPH};
  callers(t.callers);
  begin(stream, &t, 0, &exec->operation, 1);  // a graph does not run beside itself
  cudaError_t error = run_graph(exec->graph, stream);
  tell(ORDER_FOLLOW, number(stream), operation, 0, NULL, 0);
  exec->operation = operation;
  operation = outer;
  return error;
}

void order_node(struct CUgraphNode_st *n, cudaStream_t stream, uint64_t start) {
  if (!telling(0)) return;
  uint64_t *after = malloc((n->count + 1) * sizeof *after);
  for (size_t i = 0; i < n->count; i++) after[i] = n->after[i] ? n->after[i]->operation : start;
  after[n->count] = start;
  begin(stream, &n->task, 1, after, n->count ? n->count : 1);
  free(after);
}

void order_end_of_graph(cudaGraph_t graph, cudaStream_t stream) {
  if (!telling(0) || !graph->first) return;
  size_t count = 0;
  for (struct CUgraphNode_st *n = graph->first; n; n = n->next) count++;
  uint64_t *after = malloc(count * sizeof *after), *a = after;
  for (struct CUgraphNode_st *n = graph->first; n; n = n->next) *a++ = n->operation;
  struct task none = {.kind = TASK_EMPTY};
  begin(stream, &none, 1, after, count);
  free(after);
}

void order_record(cudaEvent_t event) {
  if (telling(0)) tell(ORDER_RECORD, (uint64_t)event, operation, 0, NULL, 0);
}
void order_stream_waits(cudaStream_t stream, cudaEvent_t event) {
  if (telling(stream == cudaStreamPerThread)) tell(ORDER_STREAM_WAITS, number(stream), (uint64_t)event, 0, NULL, 0);
}
void order_operation_waits(cudaEvent_t event) {
  if (telling(0)) tell(ORDER_OPERATION_WAITS, operation, (uint64_t)event, 0, NULL, 0);
}

static void host_waits(enum awaited what, uint64_t number) {
  if (telling(0)) tell(ORDER_HOST_WAITS, what, number, 0, NULL, 0);
}
void order_await_all(void) { host_waits(AWAIT_ALL, 0); }
void order_await_stream(cudaStream_t stream) { host_waits(AWAIT_STREAM, number(stream)); }
void order_await_event(cudaEvent_t event) { host_waits(AWAIT_EVENT, (uint64_t)event); }
void order_await_operation(void) { host_waits(AWAIT_OPERATION, operation); }

void order_touch(int writes, const void *at, size_t count) {
  if (operation && is_visible_to_device(at)) tell(ORDER_TOUCH, (uint64_t)writes, (uint64_t)at, count, NULL, 0);
}
