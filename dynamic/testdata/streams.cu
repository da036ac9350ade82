// Pairs of operations of different streams, one pair a case. Where nothing orders them, "first" and "second" stand behind the calls;
// a word behind "second" is the finding's severity, if it is no error.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cooperative_groups.h>

enum { N = 1024, BYTES = N * sizeof(int) };

__global__ void fill(int *p) { p[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }
__global__ void use(const int *p, int *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = p[N - 1 - blockIdx.x * blockDim.x - threadIdx.x]; }
__global__ void half(int *p, int part) { p[part * N / 2 + blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void bytes(char *p, int part) { p[2 * (blockIdx.x * blockDim.x + threadIdx.x) + part] = 1; }
__global__ void one(int *p) { if (threadIdx.x == 0) p[7] = 5; }
__global__ void count(int *p) { atomicAdd(p, 1); }
__global__ void count_in_block(int *p) { atomicAdd_block(p, 1); }
__global__ void publish(int *p, int *flag) {
  p[threadIdx.x] = threadIdx.x;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(flag, 1);
}
__global__ void publish_early(int *p, int *flag) {
  if (threadIdx.x == 0) atomicExch(flag, 1);
  p[threadIdx.x] = threadIdx.x;
}
__global__ void await(const int *p, int *flag, int *out) {
  if (threadIdx.x == 0) while (atomicAdd(flag, 0) == 0);
  __syncthreads();
  __threadfence();
  out[threadIdx.x] = p[threadIdx.x];
}
__global__ void tell(int *p, volatile int *flag) {
  p[threadIdx.x] = threadIdx.x;
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) *flag = 1;
}

__global__ void both(int *p, int *q, int first) {
  p[blockIdx.x * blockDim.x + threadIdx.x] = first + threadIdx.x;
  cooperative_groups::this_grid().sync();
  q[blockIdx.x * blockDim.x + threadIdx.x] = p[N - 1 - blockIdx.x * blockDim.x - threadIdx.x];
}

static int *a, *b, *out, *pinned, *managed, pageable[N];
static cudaStream_t s1, s2, s3, free1, free2;
static cudaEvent_t event, other;
static void nothing(void *) {}

struct Case {
  static Case *all;
  const char *name;
  void (*run)();
  Case *next;
  Case(const char *name, void (*run)()) : name(name), run(run), next(all) { all = this; }
};
Case *Case::all;
#define CASE(name)                    \
  static void name();                 \
  static Case case_##name(#name, name); \
  static void name()

CASE(two_streams) {
  fill<<<4, 256, 0, s1>>>(a);  // first
  use<<<4, 256, 0, s2>>>(a, out);  // second
}
CASE(one_stream) {
  fill<<<4, 256, 0, s1>>>(a);
  use<<<4, 256, 0, s1>>>(a, out);
}
CASE(write_after_read) {
  use<<<4, 256, 0, s1>>>(a, out);  // first
  fill<<<4, 256, 0, s2>>>(a);  // second
}
CASE(only_reads) {
  use<<<4, 256, 0, s1>>>(a, out);
  use<<<4, 256, 0, s2>>>(a, b);
}

// Events.
CASE(event_waited_for) {
  fill<<<4, 256, 0, s1>>>(a);
  cudaEventRecord(event, s1);
  cudaStreamWaitEvent(s2, event, 0);
  use<<<4, 256, 0, s2>>>(a, out);
}
CASE(event_too_early) {
  cudaEventRecord(event, s1);
  fill<<<4, 256, 0, s1>>>(a);  // first
  cudaStreamWaitEvent(s2, event, 0);
  use<<<4, 256, 0, s2>>>(a, out);  // second
}
CASE(event_of_another_stream) {
  fill<<<4, 256, 0, s1>>>(a);  // first
  cudaEventRecord(event, s3);
  cudaStreamWaitEvent(s2, event, 0);
  use<<<4, 256, 0, s2>>>(a, out);  // second
}
CASE(event_never_recorded) {
  fill<<<4, 256, 0, s1>>>(a);  // first
  cudaStreamWaitEvent(s2, event, 0);
  use<<<4, 256, 0, s2>>>(a, out);  // second
}
CASE(event_recorded_after_the_wait) {
  fill<<<4, 256, 0, s1>>>(a);  // first
  cudaStreamWaitEvent(s2, event, 0);
  cudaEventRecord(event, s1);
  use<<<4, 256, 0, s2>>>(a, out);  // second
}
CASE(event_recorded_anew) {
  fill<<<4, 256, 0, s1>>>(a);  // first
  cudaEventRecord(event, s1);
  cudaEventRecord(event, s3);
  cudaStreamWaitEvent(s2, event, 0);
  use<<<4, 256, 0, s2>>>(a, out);  // second
}
CASE(event_by_way_of_a_third) {
  fill<<<4, 256, 0, s1>>>(a);
  cudaEventRecord(event, s1);
  cudaStreamWaitEvent(s3, event, 0);
  cudaEventRecord(other, s3);
  cudaStreamWaitEvent(s2, other, 0);
  use<<<4, 256, 0, s2>>>(a, out);
}
CASE(waited_for_by_another_stream) {
  fill<<<4, 256, 0, s1>>>(a);  // first
  cudaEventRecord(event, s1);
  cudaStreamWaitEvent(s3, event, 0);
  use<<<4, 256, 0, s2>>>(a, out);  // second
}
CASE(non_blocking_event) {
  fill<<<4, 256, 0, free1>>>(a);
  cudaEventRecord(event, free1);
  cudaStreamWaitEvent(0, event, 0);
  use<<<4, 256>>>(a, out);
}
CASE(event_of_a_launch) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeLaunchCompletionEvent;
  attribute.val.launchCompletionEvent.event = event;
  cudaLaunchConfig_t config = {};
  config.gridDim = 4, config.blockDim = 256, config.stream = s1, config.attrs = &attribute, config.numAttrs = 1;
  cudaLaunchKernelEx(&config, fill, a);
  cudaStreamWaitEvent(s2, event, 0);
  use<<<4, 256, 0, s2>>>(a, out);
}

// Waits of the host.
CASE(stream_synchronized) {
  fill<<<4, 256, 0, s1>>>(a);
  cudaStreamSynchronize(s1);
  use<<<4, 256, 0, s2>>>(a, out);
}
CASE(another_stream_synchronized) {
  fill<<<4, 256, 0, s1>>>(a);  // first
  cudaStreamSynchronize(s3);
  use<<<4, 256, 0, s2>>>(a, out);  // second
}
CASE(synchronized_too_early) {
  cudaStreamSynchronize(s1);
  fill<<<4, 256, 0, s1>>>(a);  // first
  use<<<4, 256, 0, s2>>>(a, out);  // second
}
CASE(event_synchronized) {
  fill<<<4, 256, 0, s1>>>(a);
  cudaEventRecord(event, s1);
  cudaEventSynchronize(event);
  use<<<4, 256, 0, s2>>>(a, out);
}
CASE(device_synchronized) {
  fill<<<4, 256, 0, free1>>>(a);
  cudaDeviceSynchronize();
  use<<<4, 256, 0, free2>>>(a, out);
}
CASE(stream_queried) {
  fill<<<4, 256, 0, s1>>>(a);
  while (cudaStreamQuery(s1) == cudaErrorNotReady);
  use<<<4, 256, 0, s2>>>(a, out);
}
CASE(event_queried) {
  fill<<<4, 256, 0, s1>>>(a);
  cudaEventRecord(event, s1);
  while (cudaEventQuery(event) == cudaErrorNotReady);
  use<<<4, 256, 0, s2>>>(a, out);
}
CASE(waited_with_another_stream) {
  fill<<<4, 256, 0, s1>>>(a);
  cudaEventRecord(event, s1);
  cudaStreamWaitEvent(s3, event, 0);
  cudaStreamSynchronize(s3);
  use<<<4, 256, 0, s2>>>(a, out);
}
CASE(stream_destroyed) {
  cudaStream_t gone;
  cudaStreamCreate(&gone);
  fill<<<4, 256, 0, gone>>>(a);  // first
  cudaStreamDestroy(gone);
  use<<<4, 256, 0, s2>>>(a, out);  // second
}
CASE(host_function) {
  fill<<<4, 256, 0, s1>>>(a);
  cudaLaunchHostFunc(s1, nothing, NULL);
  use<<<4, 256, 0, s2>>>(a, out);
}

// The default stream.
CASE(default_after) {
  fill<<<4, 256, 0, s1>>>(a);
  use<<<4, 256>>>(a, out);
}
CASE(default_before) {
  fill<<<4, 256>>>(a);
  use<<<4, 256, 0, s1>>>(a, out);
}
CASE(default_between) {
  fill<<<4, 256, 0, s1>>>(a);
  one<<<1, 32>>>(b);
  use<<<4, 256, 0, s2>>>(a, out);
}
CASE(default_and_non_blocking) {
  fill<<<4, 256>>>(a);  // first
  use<<<4, 256, 0, free1>>>(a, out);  // second
}
CASE(non_blocking_and_default) {
  fill<<<4, 256, 0, free1>>>(a);  // first
  use<<<4, 256>>>(a, out);  // second
}
CASE(default_between_non_blocking) {
  fill<<<4, 256, 0, free1>>>(a);  // first
  one<<<1, 32>>>(b);
  use<<<4, 256, 0, free2>>>(a, out);  // second
}
CASE(default_synchronized) {
  fill<<<4, 256, 0, s1>>>(a);
  cudaStreamSynchronize(0);
  use<<<4, 256, 0, free1>>>(a, out);
}
CASE(default_of_thread) {
  fill<<<4, 256, 0, cudaStreamPerThread>>>(a);  // first
  use<<<4, 256, 0, s1>>>(a, out);  // second
}
CASE(default_of_thread_and_legacy) {
  fill<<<4, 256, 0, cudaStreamPerThread>>>(a);
  use<<<4, 256, 0, cudaStreamLegacy>>>(a, out);
}

// Copies and fills.
CASE(copy_back_too_early) {
  fill<<<4, 256, 0, free1>>>(a);  // first
  cudaMemcpy(pageable, a, BYTES, cudaMemcpyDeviceToHost);  // second
}
CASE(copy_back_waited) {
  fill<<<4, 256, 0, free1>>>(a);
  cudaStreamSynchronize(free1);
  cudaMemcpy(pageable, a, BYTES, cudaMemcpyDeviceToHost);
}
CASE(copy_back_blocking) {
  fill<<<4, 256, 0, s1>>>(a);
  cudaMemcpy(pageable, a, BYTES, cudaMemcpyDeviceToHost);
}
CASE(after_copy_back) {
  cudaMemcpy(pinned, a, BYTES, cudaMemcpyDeviceToHost);
  fill<<<4, 256, 0, free1>>>(a);
}
CASE(filled_by_default) {
  cudaMemset(a, 0, BYTES);  // first
  use<<<4, 256, 0, free1>>>(a, out);  // second
}
CASE(filled_by_default_and_blocking) {
  cudaMemset(a, 0, BYTES);
  use<<<4, 256, 0, s1>>>(a, out);
}
CASE(filled_in_stream) {
  cudaMemsetAsync(a, 0, BYTES, free1);
  use<<<4, 256, 0, free1>>>(a, out);
}
CASE(managed_filled) {
  cudaMemset(managed, 0, BYTES);
  use<<<4, 256, 0, free1>>>(managed, out);
}
CASE(copied_within_device) {
  cudaMemcpy(a, b, BYTES, cudaMemcpyDeviceToDevice);  // first
  use<<<4, 256, 0, free1>>>(a, out);  // second
}
CASE(copied_from_pinned) {
  cudaMemcpy(a, pinned, BYTES, cudaMemcpyHostToDevice);
  use<<<4, 256, 0, free1>>>(a, out);
}
CASE(copied_from_pageable) {
  cudaMemcpy(a, pageable, BYTES, cudaMemcpyHostToDevice);  // first
  use<<<4, 256, 0, free1>>>(a, out);  // second information
}
CASE(overwritten_from_pageable) {
  use<<<4, 256, 0, free1>>>(a, out);  // first
  cudaMemcpy(a, pageable, BYTES, cudaMemcpyHostToDevice);  // second
}
CASE(copied_without_waiting) {
  cudaMemcpyAsync(a, pinned, BYTES, cudaMemcpyHostToDevice, s1);  // first
  use<<<4, 256, 0, s2>>>(a, out);  // second
}
CASE(copied_back_to_pageable) {
  fill<<<4, 256, 0, s1>>>(a);
  cudaMemcpyAsync(pageable, a, BYTES, cudaMemcpyDeviceToHost, s1);
  use<<<4, 256, 0, s2>>>(a, out);
}
CASE(two_copies_to_one_place) {
  cudaMemcpyAsync(pinned, a, BYTES, cudaMemcpyDeviceToHost, s1);  // first
  cudaMemcpyAsync(pinned, b, BYTES, cudaMemcpyDeviceToHost, s2);  // second
}
CASE(two_copies_to_two_places) {
  cudaMemcpyAsync(pinned, a, BYTES / 2, cudaMemcpyDeviceToHost, s1);
  cudaMemcpyAsync(pinned + N / 2, b, BYTES / 2, cudaMemcpyDeviceToHost, s2);
}
CASE(columns) {
  cudaMemset2DAsync(a, 128, 0, 64, 16, s1);
  cudaMemset2DAsync((char *)a + 64, 128, 1, 64, 16, s2);
}
CASE(columns_overlap) {
  cudaMemset2DAsync(a, 128, 0, 65, 16, s1);  // first
  cudaMemset2DAsync((char *)a + 64, 128, 1, 64, 16, s2);  // second
}
CASE(large_fill) {
  char *large;
  cudaMalloc(&large, 1 << 20);
  cudaMemsetAsync(large, 0, 1 << 20, s1);  // first
  one<<<1, 32, 0, s2>>>((int *)(large + (1 << 19)));  // second
}
CASE(large_copy_of_what_is_used) {
  char *large;
  cudaMalloc(&large, 1 << 20);
  one<<<1, 32, 0, s2>>>((int *)(large + (1 << 19)));  // first
  cudaMemsetAsync(large, 0, 1 << 20, s1);  // second
}

// Allocations.
CASE(allocated_between) {
  void *more;
  fill<<<4, 256, 0, s1>>>(a);
  cudaMalloc(&more, 16);
  use<<<4, 256, 0, s2>>>(a, out);
}
CASE(allocated_in_stream_between) {
  void *more;
  fill<<<4, 256, 0, s1>>>(a);  // first
  cudaMallocAsync(&more, 16, s3);
  use<<<4, 256, 0, s2>>>(a, out);  // second
}
CASE(freed_too_early) {
  int *p;
  cudaMallocAsync(&p, BYTES, s1);
  cudaStreamSynchronize(s1);
  fill<<<4, 256, 0, s2>>>(p);  // first
  cudaFreeAsync(p, s1);  // second
}
CASE(freed_in_order) {
  int *p;
  cudaMallocAsync(&p, BYTES, s1);
  fill<<<4, 256, 0, s1>>>(p);
  cudaFreeAsync(p, s1);
  cudaMallocAsync(&p, BYTES, s2);
  fill<<<4, 256, 0, s2>>>(p);
  cudaFreeAsync(p, s2);
}

// What each touches.
CASE(halves) {
  half<<<2, 256, 0, s1>>>(a, 0);
  half<<<2, 256, 0, s2>>>(a, 1);
}
CASE(single_bytes) {
  bytes<<<4, 256, 0, s1>>>((char *)a, 0);
  bytes<<<4, 256, 0, s2>>>((char *)a, 1);
}
CASE(single_bytes_shared) {
  bytes<<<4, 256, 0, s1>>>((char *)a, 0);  // first
  bytes<<<4, 256, 0, s2>>>((char *)a, 2);  // second hint
}
CASE(one_value) {
  one<<<1, 32, 0, s1>>>(a);  // first
  one<<<1, 32, 0, s2>>>(a);  // second hint
}
CASE(atomics) {
  count<<<4, 64, 0, s1>>>(a);
  count<<<4, 64, 0, s2>>>(a);
}
CASE(atomics_of_a_block) {
  count<<<4, 64, 0, s1>>>(a);  // first
  count_in_block<<<1, 64, 0, s2>>>(a);  // second
}
CASE(atomics_and_reads) {
  count<<<4, 64, 0, s1>>>(a);  // first
  use<<<4, 256, 0, s2>>>(a, out);  // second
}
CASE(published) {
  publish<<<1, 64, 0, s1>>>(a, b);
  await<<<1, 64, 0, s2>>>(a, b, out);
}
CASE(published_without_fence) {
  publish_early<<<1, 64, 0, s1>>>(a, b);  // first
  await<<<1, 64, 0, s2>>>(a, b, out);  // second
}
CASE(cooperative) {
  int zero = 0, hundred = 100;
  void *one[] = {&a, &b, &zero}, *other[] = {&out, &b, &hundred};
  cudaLaunchCooperativeKernel(both, 4, 256, one, 0, s1);  // first
  cudaLaunchCooperativeKernel(both, 4, 256, other, 0, s2);  // second
}
CASE(host_told) {
  tell<<<1, 64, 0, s1>>>(a, pinned);
  while (((volatile int *)pinned)[0] == 0);
  use<<<4, 256, 0, s2>>>(a, out);
}

// Graphs.
static cudaGraphNode_t fills(cudaGraph_t graph, int *p) {
  cudaGraphNode_t node;
  void *args[] = {&p};
  cudaKernelNodeParams k = {};
  k.func = (void *)fill, k.gridDim = 4, k.blockDim = 256, k.kernelParams = args;
  cudaGraphAddKernelNode(&node, graph, NULL, 0, &k);
  return node;
}
static cudaGraphNode_t uses(cudaGraph_t graph, int *p, int *to) {
  cudaGraphNode_t node;
  void *args[] = {&p, &to};
  cudaKernelNodeParams k = {};
  k.func = (void *)use, k.gridDim = 4, k.blockDim = 256, k.kernelParams = args;
  cudaGraphAddKernelNode(&node, graph, NULL, 0, &k);
  return node;
}
static cudaGraphExec_t made(cudaGraph_t graph) {
  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, 0);
  return exec;
}
CASE(edge) {
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaGraphNode_t first = fills(graph, a), second = uses(graph, a, out);
  cudaGraphAddDependencies(graph, &first, &second, 1);
  cudaGraphExec_t exec = made(graph);
  cudaGraphLaunch(exec, s1);
  cudaGraphLaunch(exec, s1);
}
CASE(no_edge) {
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaGraphNode_t node;
  cudaMemsetParams set = {a, 0, 0, 4, N, 1};
  cudaGraphAddMemsetNode(&node, graph, NULL, 0, &set);  // first
  cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, b, a, BYTES, cudaMemcpyDeviceToDevice);  // second
  cudaGraphLaunch(made(graph), s1);
}
CASE(graph_in_its_stream) {
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  fills(graph, a);
  fill<<<4, 256, 0, s1>>>(a);
  cudaGraphLaunch(made(graph), s1);
  use<<<4, 256, 0, s1>>>(a, out);
  cudaEventRecord(event, s1);
  cudaStreamWaitEvent(free1, event, 0);
  fill<<<4, 256, 0, free1>>>(a);
}
CASE(graph_and_stream) {
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaGraphNode_t node;
  cudaMemsetParams set = {a, 0, 0, 4, N, 1};
  cudaGraphAddMemsetNode(&node, graph, NULL, 0, &set);  // first
  cudaGraphLaunch(made(graph), s1);
  use<<<4, 256, 0, s2>>>(a, out);  // second
}
CASE(one_graph_twice) {
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  fills(graph, a);
  cudaGraphExec_t exec = made(graph);
  cudaGraphLaunch(exec, free1);
  cudaGraphLaunch(exec, free2);
}
CASE(captured) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s1, cudaStreamCaptureModeGlobal);
  fill<<<4, 256, 0, s1>>>(a);
  cudaEventRecord(event, s1);
  cudaStreamWaitEvent(s2, event, 0);
  use<<<4, 256, 0, s2>>>(a, out);
  cudaEventRecord(other, s2);
  cudaStreamWaitEvent(s1, other, 0);
  fill<<<4, 256, 0, s1>>>(a);
  cudaStreamEndCapture(s1, &graph);
  cudaGraphLaunch(made(graph), s1);
}
CASE(captured_apart) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s1, cudaStreamCaptureModeGlobal);
  cudaEventRecord(event, s1);
  fill<<<4, 256, 0, s1>>>(a);  // first
  cudaStreamWaitEvent(s2, event, 0);
  use<<<4, 256, 0, s2>>>(a, out);  // second
  cudaEventRecord(other, s2);
  cudaStreamWaitEvent(s1, other, 0);
  cudaStreamEndCapture(s1, &graph);
  cudaGraphLaunch(made(graph), s1);
}

int main(int argc, char **argv) {
  cudaMalloc(&a, BYTES);
  cudaMalloc(&b, BYTES);
  cudaMalloc(&out, BYTES);
  cudaMallocHost(&pinned, BYTES);
  cudaMallocManaged(&managed, BYTES);
  for (cudaStream_t *s : {&s1, &s2, &s3}) cudaStreamCreate(s);
  for (cudaStream_t *s : {&free1, &free2}) cudaStreamCreateWithFlags(s, cudaStreamNonBlocking);
  cudaEventCreate(&event);
  cudaEventCreate(&other);
  for (Case *c = Case::all; c; c = c->next)
    if (argc > 1 && !strcmp(c->name, argv[1])) c->run();
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
