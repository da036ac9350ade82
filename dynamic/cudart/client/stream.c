// Streams, events and the execution of tasks.
//
// Everything is done when the call returns. That is one of the orders that streams allow, and
// the simplest; what depends on real overlap (a kernel that waits for the host, or for a kernel
// of another stream) can't be had this way.
#include "wire.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

// A capture is known to the streams that joined it and to the events recorded in it, which are not told of its end. It is
// never freed.
struct capture {
  cudaGraph_t graph;  // null once it has ended
};

// Streams and events are marked when they are destroyed, and kept, as programs use them then.
struct CUstream_st {
  int destroyed;
  unsigned flags;
  int priority;
  struct capture *capture;
  int joined;         // the capture belongs to another stream
  struct nodes tail;  // what the next node of the capture comes after
};

struct CUevent_st {
  int destroyed, recorded, untimed;
  double milliseconds;
  struct capture *capture;  // that it was recorded in
  struct nodes tail;        // what it comes after in the capture
};

static void add_nodes(struct nodes *to, const struct nodes *from) {
  for (size_t i = 0; i < from->count; i++) {
    size_t k = 0;
    while (k < to->count && to->list[k] != from->list[i]) k++;
    if (k < to->count) continue;
    to->list = realloc(to->list, (to->count + 1) * sizeof *to->list);
    to->list[to->count++] = from->list[i];
  }
}
static void set_nodes(struct nodes *to, const struct nodes *from) {
  to->count = 0;
  add_nodes(to, from);
}

// The streams that have no object: the default one, legacy and per thread.
static struct CUstream_st *object(cudaStream_t stream) { return (uintptr_t)stream <= 2 ? NULL : stream; }

static int is_stream(cudaStream_t stream) { return !object(stream) || !stream->destroyed; }
static int is_event(cudaEvent_t event) { return event && !event->destroyed; }

// captured is the graph that what is done in a stream becomes part of, if any.
static cudaGraph_t captured(cudaStream_t stream) { return object(stream) && stream->capture ? stream->capture->graph : NULL; }

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

cudaError_t submit(cudaStream_t stream, struct task *t) {
  if (!is_stream(stream)) return cudaErrorInvalidResourceHandle;
  order_place(t);
  cudaGraph_t graph = captured(stream);
  if (graph) {
    cudaGraphNode_t made;
    cudaError_t error = record(graph, t, &stream->tail, &made);
    if (error == cudaSuccess) set_nodes(&stream->tail, &(struct nodes){&made, 1});
    return error;
  }
  return execute_in_order(t, stream);
}

static cudaError_t execute_copy(const struct task *t) {
  const struct side *to = &t->copy.to, *from = &t->copy.from;
  size_t width = t->copy.width, height = t->copy.height;
  if (height > 1 && to->pitch == width && from->pitch == width) width *= height, height = 1;
  for (size_t z = 0; z < t->copy.depth; z++)
    for (size_t y = 0; y < height; y++) {
      cudaError_t error = copy_bytes(to->pointer + z * to->slice + y * to->pitch, from->pointer + z * from->slice + y * from->pitch, width);
      if (error != cudaSuccess) return error;
    }
  return cudaSuccess;
}

static cudaError_t execute_fill(const struct task *t) {
  for (size_t z = 0; z < t->fill.depth; z++)
    for (size_t y = 0; y < t->fill.height; y++) {
      cudaError_t error = fill(t->fill.at.pointer + z * t->fill.at.slice + y * t->fill.at.pitch, t->fill.value, t->fill.element, t->fill.width);
      if (error != cudaSuccess) return error;
    }
  return cudaSuccess;
}

cudaError_t execute(const struct task *t, cudaStream_t stream) {
  if (sticky != cudaSuccess) return sticky;
  switch (t->kind) {
    case TASK_EMPTY: return cudaSuccess;
    case TASK_KERNEL: return run_kernel(t, stream);
    case TASK_COPY: return execute_copy(t);
    case TASK_FILL: return execute_fill(t);
    case TASK_HOST: order_await_operation(), t->host.function(t->host.data); return cudaSuccess;
    case TASK_CALLBACK: order_await_operation(), t->callback.function(t->callback.stream, cudaSuccess, t->callback.data); return cudaSuccess;
    case TASK_GRAPH: return run_graph(t->graph, stream);
    case TASK_CONDITIONAL: return run_conditional(t, stream);
    case TASK_ALLOC: return cudaSuccess;
    case TASK_FREE: return release(t->memory.pointer);
    case TASK_RECORD: order_record(t->event), t->event->recorded = 1, t->event->milliseconds = now(); return cudaSuccess;
    case TASK_WAIT: order_operation_waits(t->event); return cudaSuccess;
  }
  return cudaErrorUnknown;
}

// clone_task copies what the task points to, too.
struct task clone_task(const struct task *t) {
  struct task c = *t;
  if (t->kind == TASK_KERNEL) {
    const struct function_info *info;
    if (function_info(t->kernel.function, &info) == cudaSuccess) {
      c.kernel.arguments = malloc(info->parameter_bytes + 1);
      memcpy(c.kernel.arguments, t->kernel.arguments, info->parameter_bytes);
    }
  }
  return c;
}

void release_task(struct task *t) {
  if (t->kind == TASK_KERNEL) free(t->kernel.arguments);
  if (t->kind == TASK_CONDITIONAL) free(t->conditional.bodies);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority) {
  if (!stream || flags & ~(unsigned)cudaStreamNonBlocking) return fail(cudaErrorInvalidValue);
  *stream = calloc(1, sizeof **stream);
  (*stream)->flags = flags, (*stream)->priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
  order_stream(*stream, flags == cudaStreamNonBlocking);
  return fail(cudaSuccess);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags) { return cudaStreamCreateWithPriority(stream, flags, 0); }
cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithFlags(stream, 0); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (!object(stream) || stream->destroyed) return fail(cudaErrorInvalidResourceHandle);
  free(stream->tail.list);
  *stream = (struct CUstream_st){.destroyed = 1};
  return fail(cudaSuccess);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (is_stream(stream) && !captured(stream)) order_await_stream(stream);
  return fail(!is_stream(stream) ? cudaErrorInvalidResourceHandle : captured(stream) ? cudaErrorStreamCaptureUnsupported : cudaSuccess);
}
cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }
cudaError_t cudaDeviceSynchronize(void) {
  order_await_all();
  return fail(cudaSuccess);
}
cudaError_t cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
  *priority = object(stream) ? stream->priority : 0;
  return fail(cudaSuccess);
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags) {
  *flags = object(stream) ? stream->flags : 0;
  return fail(cudaSuccess);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  (void)flags;
  if (!is_event(event) || !is_stream(stream)) return fail(cudaErrorInvalidResourceHandle);
  // Waiting for an event of a capture joins the stream to it.
  if (!event->capture || !event->capture->graph) {
    struct task t = {.kind = TASK_WAIT, .event = event};
    if (captured(stream)) return fail(submit(stream, &t));
    order_stream_waits(stream, event);
    return fail(cudaSuccess);
  }
  if (!object(stream)) return fail(cudaSuccess);
  if (!captured(stream)) stream->capture = event->capture, stream->joined = 1, stream->tail.count = 0;
  if (stream->capture == event->capture) add_nodes(&stream->tail, &event->tail);
  return fail(cudaSuccess);
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned int flags) {
  (void)flags;
  if (!callback) return fail(cudaErrorInvalidValue);
  struct task t = {.kind = TASK_CALLBACK, .callback = {callback, stream, data}};
  return fail(submit(stream, &t));
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
  if (!function) return fail(cudaErrorInvalidValue);
  struct task t = {.kind = TASK_HOST, .host = {function, data}};
  return fail(submit(stream, &t));
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t length, unsigned int flags) {
  (void)stream, (void)length, (void)flags;
  return fail(is_visible_to_device(pointer) ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute, const cudaLaunchAttributeValue *value) {
  (void)stream, (void)attribute;
  return fail(value ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute, cudaLaunchAttributeValue *value) {
  (void)attribute;
  memset(value, 0, sizeof *value);
  if (object(stream)) value->priority = stream->priority;
  return fail(cudaSuccess);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
  int untimed = (flags & cudaEventDisableTiming) != 0;
  if (!event || flags & ~(unsigned)(cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess) || (flags & cudaEventInterprocess && !untimed))
    return fail(cudaErrorInvalidValue);
  *event = calloc(1, sizeof **event);
  (*event)->untimed = untimed;
  return fail(cudaSuccess);
}
cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (!is_event(event)) return fail(cudaErrorInvalidResourceHandle);
  free(event->tail.list);
  *event = (struct CUevent_st){.destroyed = 1};
  return fail(cudaSuccess);
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  if (!is_event(event) || !is_stream(stream)) return fail(cudaErrorInvalidResourceHandle);
  if (captured(stream) && !(flags & cudaEventRecordExternal)) {
    event->capture = stream->capture;
    set_nodes(&event->tail, &stream->tail);
    return fail(cudaSuccess);
  }
  event->capture = NULL;
  struct task t = {.kind = TASK_RECORD, .event = event};
  return fail(submit(stream, &t));
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) { return cudaEventRecordWithFlags(event, stream, 0); }
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (!is_event(event)) return fail(cudaErrorInvalidResourceHandle);
  order_await_event(event);
  return fail(cudaSuccess);
}
cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (!milliseconds || !is_event(start) || !is_event(end) || !start->recorded || !end->recorded || start->untimed || end->untimed)
    return fail(cudaErrorInvalidResourceHandle);
  order_await_event(start), order_await_event(end);  // it has an answer once both have happened
  *milliseconds = (float)(end->milliseconds - start->milliseconds);
  return fail(cudaSuccess);
}

// Captures. A stream that joined one by an event leaves it when the capture ends.
static void begin_capture(struct CUstream_st *stream, cudaGraph_t graph) {
  stream->capture = malloc(sizeof *stream->capture);
  stream->capture->graph = graph, stream->joined = 0;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
  (void)mode;
  if (!is_stream(stream)) return fail(cudaErrorInvalidResourceHandle);
  if (!object(stream)) return fail(cudaErrorStreamCaptureUnsupported);
  if (captured(stream)) return fail(cudaErrorInvalidValue);
  begin_capture(stream, NULL);
  stream->tail.count = 0;
  return cudaGraphCreate(&stream->capture->graph, 0);
}
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *after, const void *edges, size_t count, enum cudaStreamCaptureMode mode) {
  (void)edges, (void)mode;
  if (!object(stream) || !graph || (count && !after)) return fail(cudaErrorInvalidValue);
  if (captured(stream)) return fail(cudaErrorInvalidValue);
  begin_capture(stream, graph);
  set_nodes(&stream->tail, &(struct nodes){(cudaGraphNode_t *)after, count});
  return fail(cudaSuccess);
}
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
  static __thread enum cudaStreamCaptureMode now = cudaStreamCaptureModeGlobal;
  if (!mode) return fail(cudaErrorInvalidValue);
  enum cudaStreamCaptureMode before = now;
  now = *mode, *mode = before;
  return fail(cudaSuccess);
}
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **after, size_t *count) {
  if (!status) return fail(cudaErrorInvalidValue);
  cudaStreamIsCapturing(stream, status);
  if (*status != cudaStreamCaptureStatusActive) return fail(cudaSuccess);
  if (id) *id = (unsigned long long)(uintptr_t)stream->capture;
  if (graph) *graph = captured(stream);
  if (after) *after = stream->tail.list;
  if (count) *count = stream->tail.count;
  return fail(cudaSuccess);
}
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *after, size_t count, unsigned int flags) {
  if (!captured(stream) || (count && !after)) return fail(cudaErrorIllegalState);
  struct nodes more = {after, count};
  if (flags == cudaStreamSetCaptureDependencies) set_nodes(&stream->tail, &more);
  else add_nodes(&stream->tail, &more);
  return fail(cudaSuccess);
}
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
  if (!id) return fail(cudaErrorInvalidValue);
  *id = (unsigned long long)(uintptr_t)stream;
  return fail(cudaSuccess);
}
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device) {
  (void)stream;
  if (!device) return fail(cudaErrorInvalidValue);
  *device = 0;
  return fail(cudaSuccess);
}
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  if (!object(to) || !object(from)) return fail(cudaErrorInvalidValue);
  to->priority = from->priority;
  return fail(cudaSuccess);
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  if (!captured(stream) || stream->joined) return fail(cudaErrorStreamCaptureUnmatched);
  if (graph) *graph = captured(stream);
  stream->capture->graph = NULL;
  return fail(cudaSuccess);
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
  *status = captured(stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return fail(cudaSuccess);
}
