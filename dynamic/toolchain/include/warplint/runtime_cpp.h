// The C++ side of the runtime API: typed pointers, symbols and kernels as arguments.
#pragma once

template <class T> inline cudaError_t cudaMalloc(T **pointer, size_t size) { return ::cudaMalloc((void **)pointer, size); }
template <class T> inline cudaError_t cudaMallocHost(T **pointer, size_t size, unsigned int flags = 0) { return ::cudaHostAlloc((void **)pointer, size, flags); }
template <class T> inline cudaError_t cudaHostAlloc(T **pointer, size_t size, unsigned int flags) { return ::cudaHostAlloc((void **)pointer, size, flags); }
template <class T> inline cudaError_t cudaMallocManaged(T **pointer, size_t size, unsigned int flags = cudaMemAttachGlobal) { return ::cudaMallocManaged((void **)pointer, size, flags); }
template <class T> inline cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height) { return ::cudaMallocPitch((void **)pointer, pitch, width, height); }
template <class T> inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags) { return ::cudaHostGetDevicePointer((void **)device, host, flags); }
template <class T> inline cudaError_t cudaMallocAsync(T **pointer, size_t size, cudaStream_t stream) { return ::cudaMallocAsync((void **)pointer, size, stream); }
template <class T> inline cudaError_t cudaMallocAsync(T **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream) { return ::cudaMallocFromPoolAsync((void **)pointer, size, pool, stream); }
template <class T> inline cudaError_t cudaMallocFromPoolAsync(T **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream) { return ::cudaMallocFromPoolAsync((void **)pointer, size, pool, stream); }
template <class T> inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *pointer, size_t length = 0, unsigned int flags = cudaMemAttachSingle) { return ::cudaStreamAttachMemAsync(stream, (void *)pointer, length, flags); }

template <class F> inline cudaError_t cudaGetDriverEntryPoint(const char *name, F **function, unsigned long long flags, cudaDriverEntryPointQueryResult *result = nullptr) { return ::cudaGetDriverEntryPoint(name, (void **)function, flags, result); }
template <class F> inline cudaError_t cudaGetDriverEntryPointByVersion(const char *name, F **function, unsigned version, unsigned long long flags, cudaDriverEntryPointQueryResult *result = nullptr) { return ::cudaGetDriverEntryPointByVersion(name, (void **)function, version, flags, result); }

inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) { return ::cudaEventCreateWithFlags(event, flags); }
inline cudaError_t cudaMallocHost(void **pointer, size_t size, unsigned int flags) { return ::cudaHostAlloc(pointer, size, flags); }
inline cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t count, cudaMemLocation location, unsigned int, cudaStream_t stream = 0) { return ::cudaMemPrefetchAsync(pointer, count, location.id, stream); }
inline cudaError_t cudaMemAdvise(const void *pointer, size_t count, cudaMemoryAdvise advice, cudaMemLocation location) { return ::cudaMemAdvise(pointer, count, advice, location.id); }
inline cudaError_t cudaMemPrefetchAsync_v2(const void *pointer, size_t count, cudaMemLocation location, unsigned int flags, cudaStream_t stream = 0) { return cudaMemPrefetchAsync(pointer, count, location, flags, stream); }
inline cudaError_t cudaMemAdvise_v2(const void *pointer, size_t count, cudaMemoryAdvise advice, cudaMemLocation location) { return cudaMemAdvise(pointer, count, advice, location); }
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags = 0) { return ::cudaGraphInstantiateWithFlags(exec, graph, flags); }
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *, char *, size_t) { return ::cudaGraphInstantiateWithFlags(exec, graph, 0); }
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *node, cudaGraphExecUpdateResult *result) {
  cudaGraphExecUpdateResultInfo info;
  cudaError_t error = ::cudaGraphExecUpdate(exec, graph, &info);
  if (node) *node = info.errorNode;
  if (result) *result = info.result;
  return error;
}

inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus *status, unsigned long long *id = 0, cudaGraph_t *graph = 0, const cudaGraphNode_t **after = 0, size_t *count = 0) {
  return ::cudaStreamGetCaptureInfo_v2(stream, status, id, graph, after, count);
}
// As CUDA 13 has them: edges may carry data, which means nothing here.
inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **after, const cudaGraphEdgeData **edges, size_t *count) {
  if (edges) *edges = nullptr;
  return ::cudaStreamGetCaptureInfo_v2(stream, status, id, graph, after, count);
}
inline cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *after, const cudaGraphEdgeData *, size_t count, unsigned int flags) {
  return ::cudaStreamUpdateCaptureDependencies(stream, after, count, flags);
}
inline cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, const cudaGraphEdgeData *edges, size_t count, cudaGraphNodeParams *params) {
  return ::cudaGraphAddNode_v2(node, graph, after, edges, count, params);
}
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData *, size_t count) {
  return ::cudaGraphAddDependencies(graph, from, to, count);
}
template <class T> inline cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const T &symbol, const void *from, size_t size, size_t offset, cudaMemcpyKind kind) {
  return ::cudaGraphAddMemcpyNodeToSymbol(node, graph, after, count, (const void *)&symbol, from, size, offset, kind);
}
template <class T> inline cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, void *to, const T &symbol, size_t size, size_t offset, cudaMemcpyKind kind) {
  return ::cudaGraphAddMemcpyNodeFromSymbol(node, graph, after, count, to, (const void *)&symbol, size, offset, kind);
}
template <class... P> inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, void (*kernel)(P...), const cudaLaunchConfig_t *config) { return ::cudaOccupancyMaxPotentialClusterSize(size, (const void *)kernel, config); }
template <class... P> inline cudaError_t cudaOccupancyMaxActiveClusters(int *count, void (*kernel)(P...), const cudaLaunchConfig_t *config) { return ::cudaOccupancyMaxActiveClusters(count, (const void *)kernel, config); }
template <class... P> inline cudaError_t cudaFuncGetName(const char **name, void (*kernel)(P...)) { return ::cudaFuncGetName(name, (const void *)kernel); }

inline cudaError_t cudaMemcpyBatchAsync(const void **to, const void **from, const size_t *sizes, size_t count, cudaMemcpyAttributes *attributes, size_t *firsts, size_t kinds, cudaStream_t stream) {  // of CUDA 13
  return ::cudaMemcpyBatchAsync((void **)to, (void **)from, (size_t *)sizes, count, attributes, firsts, kinds, nullptr, stream);
}
template <class T> inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t count, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice) { return ::cudaMemcpyToSymbol((const void *)&symbol, from, count, offset, kind); }
template <class T> inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t count, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0) { return ::cudaMemcpyToSymbolAsync((const void *)&symbol, from, count, offset, kind, stream); }
template <class T> inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t count, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost) { return ::cudaMemcpyFromSymbol(to, (const void *)&symbol, count, offset, kind); }
template <class T> inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t count, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0) { return ::cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, count, offset, kind, stream); }
template <class T> inline cudaError_t cudaGetSymbolAddress(void **pointer, const T &symbol) { return ::cudaGetSymbolAddress(pointer, (const void *)&symbol); }
template <class T> inline cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol) { return ::cudaGetSymbolSize(size, (const void *)&symbol); }

template <class T> inline cudaError_t cudaLaunchKernel(T *function, dim3 grid, dim3 block, void **arguments, size_t shared = 0, cudaStream_t stream = 0) { return ::cudaLaunchKernel((const void *)function, grid, block, arguments, shared, stream); }
template <class T> inline cudaError_t cudaLaunchCooperativeKernel(T *function, dim3 grid, dim3 block, void **arguments, size_t shared = 0, cudaStream_t stream = 0) { return ::cudaLaunchCooperativeKernel((const void *)function, grid, block, arguments, shared, stream); }
template <class... P, class... A> inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...), A &&...arguments) {
  return [&](P... converted) {
    void *list[] = {(void *)&converted..., nullptr};
    return ::cudaLaunchKernelExC(config, (const void *)kernel, list);
  }(static_cast<A &&>(arguments)...);
}
template <class T> inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *function) { return ::cudaFuncGetAttributes(attributes, (const void *)function); }
template <class T> inline cudaError_t cudaFuncSetAttribute(T *function, cudaFuncAttribute attribute, int value) { return ::cudaFuncSetAttribute((const void *)function, attribute, value); }
template <class T> inline cudaError_t cudaFuncSetCacheConfig(T *function, cudaFuncCache config) { return ::cudaFuncSetCacheConfig((const void *)function, config); }
template <class T> inline cudaError_t cudaFuncSetSharedMemConfig(T *function, cudaSharedMemConfig config) { return ::cudaFuncSetSharedMemConfig((const void *)function, config); }

template <class T> inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T function, int blockSize, size_t shared) { return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)function, blockSize, shared); }
template <class T> inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T function, int blockSize, size_t shared, unsigned int flags) { return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)function, blockSize, shared, flags); }

template <class T> inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared, T *function, int blocks, int blockSize) { return ::cudaOccupancyAvailableDynamicSMemPerBlock(shared, (const void *)function, blocks, blockSize); }

// The block size with the most threads resident on a multiprocessor, tried from the largest down.
template <class F, class T> inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *gridSize, int *blockSize, T function, F sharedFor, int limit = 0) {
  cudaFuncAttributes attributes;
  cudaError_t error = ::cudaFuncGetAttributes(&attributes, (const void *)function);
  if (error != cudaSuccess) return error;
  int device = 0, processors = 0, best = 0;
  ::cudaGetDevice(&device);
  ::cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  int most = attributes.maxThreadsPerBlock;
  if (limit > 0 && limit < most) most = limit;
  *gridSize = *blockSize = 0;
  for (int size = (most + 31) / 32 * 32; size > 0; size -= 32) {
    int tried = size < most ? size : most, blocks = 0;
    error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)function, tried, sharedFor(tried));
    if (error != cudaSuccess) return error;
    if (blocks * tried > best) {
      best = blocks * tried;
      *blockSize = tried;
      *gridSize = blocks * processors;
    }
  }
  return cudaSuccess;
}
template <class T> inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, T function, size_t shared = 0, int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(gridSize, blockSize, function, [shared](int) { return shared; }, limit);
}
template <class F, class T> inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *gridSize, int *blockSize, T function, F sharedFor, int limit = 0, unsigned int = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(gridSize, blockSize, function, sharedFor, limit);
}
template <class T> inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *gridSize, int *blockSize, T function, size_t shared = 0, int limit = 0, unsigned int = 0) {
  return cudaOccupancyMaxPotentialBlockSize(gridSize, blockSize, function, shared, limit);
}

// The channel format of an element type.
template <class T> inline cudaChannelFormatDesc cudaCreateChannelDesc() { return ::cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone); }
#define WARPLINT_CHANNELS(type, bits, kind)                                                                                                              \
  template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<type##1>() { return ::cudaCreateChannelDesc(bits, 0, 0, 0, kind); }                     \
  template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<type##2>() { return ::cudaCreateChannelDesc(bits, bits, 0, 0, kind); }                  \
  template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<type##4>() { return ::cudaCreateChannelDesc(bits, bits, bits, bits, kind); }
WARPLINT_CHANNELS(char, 8, cudaChannelFormatKindSigned)
WARPLINT_CHANNELS(uchar, 8, cudaChannelFormatKindUnsigned)
WARPLINT_CHANNELS(short, 16, cudaChannelFormatKindSigned)
WARPLINT_CHANNELS(ushort, 16, cudaChannelFormatKindUnsigned)
WARPLINT_CHANNELS(int, 32, cudaChannelFormatKindSigned)
WARPLINT_CHANNELS(uint, 32, cudaChannelFormatKindUnsigned)
WARPLINT_CHANNELS(float, 32, cudaChannelFormatKindFloat)
#undef WARPLINT_CHANNELS
#define WARPLINT_CHANNEL(type, bits, kind) \
  template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<type>() { return ::cudaCreateChannelDesc(bits, 0, 0, 0, kind); }
WARPLINT_CHANNEL(char, 8, cudaChannelFormatKindSigned)
WARPLINT_CHANNEL(signed char, 8, cudaChannelFormatKindSigned)
WARPLINT_CHANNEL(unsigned char, 8, cudaChannelFormatKindUnsigned)
WARPLINT_CHANNEL(short, 16, cudaChannelFormatKindSigned)
WARPLINT_CHANNEL(unsigned short, 16, cudaChannelFormatKindUnsigned)
WARPLINT_CHANNEL(int, 32, cudaChannelFormatKindSigned)
WARPLINT_CHANNEL(unsigned int, 32, cudaChannelFormatKindUnsigned)
WARPLINT_CHANNEL(float, 32, cudaChannelFormatKindFloat)
#undef WARPLINT_CHANNEL
inline cudaChannelFormatDesc cudaCreateChannelDescHalf() { return ::cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat); }
inline cudaChannelFormatDesc cudaCreateChannelDescHalf1() { return ::cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat); }
inline cudaChannelFormatDesc cudaCreateChannelDescHalf2() { return ::cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat); }
inline cudaChannelFormatDesc cudaCreateChannelDescHalf4() { return ::cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat); }
