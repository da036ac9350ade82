// The driver API on the runtime's functions: its errors have the same numbers, a function is
// known by an address of its own, and the context is one that is always there. Memory that is
// reserved is there at once; what is mapped onto it later changes nothing.
#include "cuda.h"
#include "wire.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static CUresult result(cudaError_t error) { return (CUresult)error; }
static void *memory(CUdeviceptr p) { return (void *)p; }

CUresult cuInit(unsigned int flags) { return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }
CUresult cuDriverGetVersion(int *version) { return result(cudaDriverGetVersion(version)); }
static const struct {
  CUresult error;
  const char *name;
} names[] = {
#define NAMED(name, number) {number, "CUDA_" #name},
    WARPLINT_DRIVER_ERRORS(NAMED)};

CUresult cuGetErrorName(CUresult error, const char **name) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].error == error) return *name = names[i].name, CUDA_SUCCESS;
  *name = NULL;
  return CUDA_ERROR_INVALID_VALUE;
}
CUresult cuGetErrorString(CUresult error, const char **text) {
  CUresult known = cuGetErrorName(error, text); // where the runtime has no words for it, its name must do
  const char *words = cudaGetErrorString((cudaError_t)error);
  if (known == CUDA_SUCCESS && strncmp(words, "unrecognized", 12) != 0) *text = words;
  return known;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDeviceGetCount(int *count) { return result(cudaGetDeviceCount(count)); }
CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  struct cudaDeviceProp p;
  cudaError_t error = cudaGetDeviceProperties(&p, device);
  if (error == cudaSuccess) snprintf(name, (size_t)length, "%s", p.name);
  return result(error);
}
CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device) {
  size_t available;
  return device == 0 ? result(cudaMemGetInfo(&available, bytes)) : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  if (attribute == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED || attribute == CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED) {
    *value = 1;
    return CUDA_SUCCESS;
  }
  return result(cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, device));
}
CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) { return result(cudaDeviceCanAccessPeer(can, device, peer)); }
CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
  CUresult error = cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  return error == CUDA_SUCCESS ? cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device) : error;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
  struct cudaDeviceProp p;
  cudaError_t error = cudaGetDeviceProperties(&p, device);
  if (error == cudaSuccess) memcpy(uuid, &p.uuid, sizeof *uuid);
  return result(error);
}
CUresult cuDeviceGetPCIBusId(char *id, int length, CUdevice device) { return result(cudaDeviceGetPCIBusId(id, length, device)); }
CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *id) { return result(cudaDeviceGetByPCIBusId(device, id)); }

static CUcontext const the_context = (CUcontext)1;
static CUresult give_context(CUcontext *context) {
  if (context) *context = the_context;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) { return device == 0 ? give_context(context) : CUDA_ERROR_INVALID_DEVICE; }
CUresult cuDevicePrimaryCtxRelease(CUdevice device) { return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE; }
CUresult cuCtxCreate(CUcontext *context, unsigned int flags, CUdevice device) {
  (void)flags;
  return cuDevicePrimaryCtxRetain(context, device);
}
CUresult cuCtxDestroy(CUcontext context) { return context == the_context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT; }
CUresult cuCtxPushCurrent(CUcontext context) { return cuCtxDestroy(context); }
CUresult cuCtxPopCurrent(CUcontext *context) { return give_context(context); }
CUresult cuCtxSetCurrent(CUcontext context) { return context ? cuCtxDestroy(context) : CUDA_SUCCESS; }
CUresult cuCtxGetCurrent(CUcontext *context) { return give_context(context); }
CUresult cuCtxGetDevice(CUdevice *device) { return result(cudaGetDevice(device)); }
CUresult cuCtxSynchronize(void) { return result(cudaDeviceSynchronize()); }

CUresult cuCtxGetApiVersion(CUcontext context, unsigned int *version) {
  *version = 3020;
  return context ? cuCtxDestroy(context) : CUDA_SUCCESS;
}
CUresult cuCtxGetFlags(unsigned int *flags) { return result(cudaGetDeviceFlags(flags)); }
CUresult cuCtxGetLimit(size_t *value, CUlimit limit) { return result(cudaDeviceGetLimit(value, (enum cudaLimit)limit)); }
CUresult cuCtxSetLimit(CUlimit limit, size_t value) { return result(cudaDeviceSetLimit((enum cudaLimit)limit, value)); }
CUresult cuCtxGetCacheConfig(CUfunc_cache *config) { return result(cudaDeviceGetCacheConfig((enum cudaFuncCache *)config)); }
CUresult cuCtxSetCacheConfig(CUfunc_cache config) { return result(cudaDeviceSetCacheConfig((enum cudaFuncCache)config)); }
CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) { return result(cudaDeviceSetSharedMemConfig((enum cudaSharedMemConfig)config)); }
CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) { return result(cudaDeviceGetStreamPriorityRange(least, greatest)); }
CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config) { return result(cudaDeviceGetSharedMemConfig((enum cudaSharedMemConfig *)config)); }
CUresult cuCtxResetPersistingL2Cache(void) { return result(cudaCtxResetPersistingL2Cache()); }
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active) {
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  *active = 1;
  return result(cudaGetDeviceFlags(flags));
}
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags) { return device == 0 ? result(cudaSetDeviceFlags(flags)) : CUDA_ERROR_INVALID_DEVICE; }
CUresult cuDevicePrimaryCtxReset(CUdevice device) { return device == 0 ? result(cudaDeviceReset()) : CUDA_ERROR_INVALID_DEVICE; }
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags) {
  (void)peer, (void)flags;
  return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;  // of the one device to itself
}

// What a pointer leads to.
CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *size, CUdeviceptr pointer) {
  struct request q = {.op = OP_FIND_ALLOCATION, .a = {pointer}};
  struct reply r;
  cudaError_t error = transact(&q, NULL, &r, NULL);
  if (error != cudaSuccess) return result(error);
  if (r.r[2] == 0) return CUDA_ERROR_NOT_FOUND;
  if (base) *base = r.r[0];
  if (size) *size = r.r[1];
  return CUDA_SUCCESS;
}
CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr pointer) {
  struct cudaPointerAttributes a;
  CUdeviceptr base;
  size_t size;
  cudaError_t error = cudaPointerGetAttributes(&a, memory(pointer));
  if (error != cudaSuccess) return result(error);
  if (a.type == cudaMemoryTypeUnregistered) return CUDA_ERROR_INVALID_VALUE;
  CUresult ranged = cuMemGetAddressRange(&base, &size, pointer);
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: return give_context(value);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: *(unsigned *)value = a.type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: *(CUdeviceptr *)value = pointer; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      if (!a.hostPointer) return CUDA_ERROR_INVALID_VALUE;
      *(void **)value = a.hostPointer;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: *(int *)value = 1; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: *(unsigned long long *)value = base; return ranged;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: *(int *)value = a.type == cudaMemoryTypeManaged; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)value = 0; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE: *(int *)value = 0; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: *(CUdeviceptr *)value = base; return ranged;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: *(size_t *)value = size; return ranged;
    case CU_POINTER_ATTRIBUTE_MAPPED: *(int *)value = 1; return CUDA_SUCCESS;
    default: return CUDA_ERROR_INVALID_VALUE;
  }
}
CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute *attributes, void **values, CUdeviceptr pointer) {
  for (unsigned i = 0; i < count; i++) { // of memory that is not the device's, each is zero
    if (cuPointerGetAttribute(values[i], attributes[i], pointer) == CUDA_SUCCESS) continue;
    int small = attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE || attributes[i] == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS ||
                (attributes[i] >= CU_POINTER_ATTRIBUTE_IS_MANAGED && attributes[i] <= CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE) || attributes[i] == CU_POINTER_ATTRIBUTE_MAPPED;
    memset(values[i], 0, small ? 4 : 8);
  }
  return CUDA_SUCCESS;
}
CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr pointer) {
  (void)value, (void)pointer;
  return attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// A module is its number.
CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  if (!module || !image) return CUDA_ERROR_INVALID_VALUE;
  struct request q = {.op = OP_LOAD_MODULE, .payload = (uint32_t)image_size(image)};
  struct reply r;
  cudaError_t error = transact(&q, image, &r, NULL);
  if (error == cudaSuccess) *module = (CUmodule)r.r[0];
  return result(error);
}
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int count, CUjit_option *options, void **values) {
  (void)count, (void)options, (void)values;
  return cuModuleLoadData(module, image);
}
CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image) { return cuModuleLoadData(module, image); }
// content reads a file; a zero stands behind what it holds.
static char *content(const char *path, size_t *size) {
  FILE *file = path ? fopen(path, "rb") : NULL;
  if (!file) return NULL;
  char *text = NULL;
  size_t room = 0, n;
  *size = 0;
  do {
    if (room - *size < 4096) text = realloc(text, room = 2 * room + 65536);
    *size += n = fread(text + *size, 1, room - *size - 1, file);
  } while (n > 0);
  fclose(file);
  text[*size] = 0;
  return text;
}
CUresult cuModuleLoad(CUmodule *module, const char *path) {
  size_t size;
  char *text = content(path, &size);
  if (!text) return CUDA_ERROR_FILE_NOT_FOUND;
  CUresult error = cuModuleLoadData(module, text);
  free(text);
  return error;
}
CUresult cuModuleUnload(CUmodule module) {
  struct request q = {.op = OP_UNLOAD_MODULE, .a = {(uint64_t)module}};
  return result(transact(&q, NULL, NULL, NULL));
}
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  const void *host = module_function((uint64_t)module, name);
  const struct function_info *info;
  cudaError_t error = function_info(host, &info);
  if (error == cudaErrorInvalidDeviceFunction) return CUDA_ERROR_NOT_FOUND;
  *function = (CUfunction)host;
  return result(error);
}
CUresult cuModuleGetGlobal(CUdeviceptr *pointer, size_t *bytes, CUmodule module, const char *name) {
  struct request q = {.op = OP_FIND_VARIABLE, .payload = (uint32_t)strlen(name), .a = {(uint64_t)module}};
  struct reply r;
  cudaError_t error = transact(&q, name, &r, NULL);
  if (error == cudaErrorInvalidSymbol) return CUDA_ERROR_NOT_FOUND;
  if (error != cudaSuccess) return result(error);
  if (pointer) *pointer = r.r[0];
  if (bytes) *bytes = r.r[1];
  return CUDA_SUCCESS;
}

// Linking puts pieces of PTX one behind the other; they are joined where they are loaded.
struct CUlinkState_st {
  char *text;
  size_t size;
};
CUresult cuLinkCreate(unsigned int count, CUjit_option *options, void **values, CUlinkState *state) {
  (void)count, (void)options, (void)values;
  *state = calloc(1, sizeof **state);
  return CUDA_SUCCESS;
}
CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name, unsigned int count, CUjit_option *options, void **values) {
  (void)type, (void)name, (void)count, (void)options, (void)values;
  char *text = state->text = realloc(state->text, state->size + size + 2);
  memcpy(text + state->size, data, size);
  text[state->size + size] = 0;
  size_t length = strlen(text + state->size); // a zero may be counted
  if (!strstr(text + state->size, ".version")) {
    note("cuLinkAddData takes PTX, and what NVRTC compiled; it returns CUDA_ERROR_NOT_SUPPORTED");
    text[state->size] = 0; // what came before stands alone again
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  state->size += length + 1;
  memcpy(text + state->size - 1, "\n", 2);
  return CUDA_SUCCESS;
}
CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned int count, CUjit_option *options, void **values) {
  size_t size;
  char *text = content(path, &size);
  if (!text) return CUDA_ERROR_FILE_NOT_FOUND;
  CUresult error = cuLinkAddData(state, type, text, size, path, count, options, values);
  free(text);
  return error;
}
CUresult cuLinkComplete(CUlinkState state, void **image, size_t *size) {
  if (!state->size) return CUDA_ERROR_INVALID_IMAGE;
  *image = state->text;
  if (size) *size = state->size;
  return CUDA_SUCCESS;
}
CUresult cuLinkDestroy(CUlinkState state) {
  free(state->text);
  free(state);
  return CUDA_SUCCESS;
}

// Parameters come as an array of pointers, or as one buffer that "extra" describes.
static void **unpacked(CUfunction function, void **extra, void *pointers[1024]) {
  char *buffer = NULL;
  for (void **e = extra; *e != CU_LAUNCH_PARAM_END; e += 2)
    if (*e == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = e[1];
  return buffer && split_parameters(function, buffer, pointers, 1024) == cudaSuccess ? pointers : NULL;
}
static CUresult launch(CUfunction function, dim3 grid, dim3 block, unsigned int shared, CUstream stream, void **parameters, void **extra, int cooperative) {
  void *pointers[1024];
  if (!parameters && extra && !(parameters = unpacked(function, extra, pointers))) return CUDA_ERROR_INVALID_VALUE;
  return result((cooperative ? cudaLaunchCooperativeKernel : cudaLaunchKernel)(function, grid, block, parameters, shared, stream));
}
CUresult cuLaunchKernel(CUfunction function, unsigned int gridX, unsigned int gridY, unsigned int gridZ, unsigned int blockX, unsigned int blockY, unsigned int blockZ, unsigned int shared, CUstream stream, void **parameters, void **extra) {
  return launch(function, (dim3){gridX, gridY, gridZ}, (dim3){blockX, blockY, blockZ}, shared, stream, parameters, extra, 0);
}
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int gridX, unsigned int gridY, unsigned int gridZ, unsigned int blockX, unsigned int blockY, unsigned int blockZ, unsigned int shared, CUstream stream, void **parameters) {
  return launch(function, (dim3){gridX, gridY, gridZ}, (dim3){blockX, blockY, blockZ}, shared, stream, parameters, NULL, 1);
}
CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction function, void **parameters, void **extra) {
  if (!c) return CUDA_ERROR_INVALID_VALUE;
  void *pointers[1024];
  if (!parameters && extra && !(parameters = unpacked(function, extra, pointers))) return CUDA_ERROR_INVALID_VALUE;
  cudaLaunchConfig_t config = {{c->gridDimX, c->gridDimY, c->gridDimZ}, {c->blockDimX, c->blockDimY, c->blockDimZ}, c->sharedMemBytes, c->hStream, (cudaLaunchAttribute *)c->attrs, c->numAttrs};
  return result(cudaLaunchKernelExC(&config, function, parameters));
}
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data) { return result(cudaLaunchHostFunc(stream, function, data)); }
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) { return result(cudaFuncSetCacheConfig(function, (enum cudaFuncCache)config)); }
CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config) { return result(cudaFuncSetSharedMemConfig(function, (enum cudaSharedMemConfig)config)); }
CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
  struct cudaFuncAttributes a;
  cudaError_t error = cudaFuncGetAttributes(&a, function);
  if (error != cudaSuccess) return result(error);
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = a.maxThreadsPerBlock; break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)a.sharedSizeBytes; break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = (int)a.constSizeBytes; break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = (int)a.localSizeBytes; break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = a.numRegs; break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = a.ptxVersion; break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = a.binaryVersion; break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = a.maxDynamicSharedSizeBytes; break;
    default: return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}
CUresult cuFuncGetName(const char **name, CUfunction function) { return result(cudaFuncGetName(name, function)); }
CUresult cuFuncGetParamInfo(CUfunction function, size_t i, size_t *offset, size_t *size) { return result(cudaFuncGetParamInfo(function, i, offset, size)); }
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return result(cudaFuncSetAttribute(function, (enum cudaFuncAttribute)attribute, value));
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int blockSize, size_t shared) {
  return result(cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, blockSize, shared));
}
CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function, CUoccupancyB2DSize shared, size_t fixed, int limit) {
  int multiprocessors, best = 0;
  CUresult error = cuDeviceGetAttribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0);
  if (limit <= 0 || limit > 1024) limit = 1024;
  for (int size = limit / 32 * 32; error == CUDA_SUCCESS && size > 0; size -= 32) {
    int blocks;
    error = cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, size, shared ? shared(size) : fixed);
    if (error == CUDA_SUCCESS && blocks * size > best) best = blocks * size, *block = size, *grid = blocks * multiprocessors;
  }
  return error;
}

CUresult cuMemAlloc(CUdeviceptr *pointer, size_t bytes) { return bytes ? result(cudaMalloc((void **)pointer, bytes)) : CUDA_ERROR_INVALID_VALUE; }
CUresult cuMemAllocManaged(CUdeviceptr *pointer, size_t bytes, unsigned int flags) { return result(cudaMallocManaged((void **)pointer, bytes, flags)); }
CUresult cuMemAllocPitch(CUdeviceptr *pointer, size_t *pitch, size_t width, size_t height, unsigned int element) {
  (void)element;
  return result(cudaMallocPitch((void **)pointer, pitch, width, height));
}
CUresult cuMemFree(CUdeviceptr pointer) { return result(cudaFree(memory(pointer))); }
CUresult cuMemAllocHost(void **pointer, size_t bytes) { return result(cudaMallocHost(pointer, bytes)); }
CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned int flags) { return result(cudaHostAlloc(pointer, bytes, flags)); }
CUresult cuMemFreeHost(void *pointer) { return result(cudaFreeHost(pointer)); }
CUresult cuMemHostGetDevicePointer(CUdeviceptr *pointer, void *host, unsigned int flags) { return result(cudaHostGetDevicePointer((void **)pointer, host, flags)); }
CUresult cuMemHostGetFlags(unsigned int *flags, void *pointer) { return result(cudaHostGetFlags(flags, pointer)); }
CUresult cuMemHostRegister(void *pointer, size_t bytes, unsigned int flags) { return result(cudaHostRegister(pointer, bytes, flags)); }
CUresult cuMemHostUnregister(void *pointer) { return result(cudaHostUnregister(pointer)); }
CUresult cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes, CUstream stream) { return result(cudaMallocAsync((void **)pointer, bytes, stream)); }
CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) { return result(cudaFreeAsync(memory(pointer), stream)); }
CUresult cuMemPrefetchAsync(CUdeviceptr pointer, size_t bytes, CUdevice device, CUstream stream) { return result(cudaMemPrefetchAsync(memory(pointer), bytes, device, stream)); }
CUresult cuMemGetInfo(size_t *available, size_t *total) { return result(cudaMemGetInfo(available, total)); }
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) { return result(cudaMemcpy(memory(to), memory(from), bytes, cudaMemcpyDefault)); }
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext toContext, CUdeviceptr from, CUcontext fromContext, size_t bytes) {
  (void)toContext, (void)fromContext;
  return cuMemcpy(to, from, bytes);
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext toContext, CUdeviceptr from, CUcontext fromContext, size_t bytes, CUstream stream) {
  (void)toContext, (void)fromContext;
  return cuMemcpyAsync(to, from, bytes, stream);
}
CUresult cuMemAdvise(CUdeviceptr pointer, size_t bytes, CUmem_advise advice, CUdevice device) { return result(cudaMemAdvise(memory(pointer), bytes, (enum cudaMemoryAdvise)advice, device)); }
CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) { return result(cudaMemcpy(memory(to), from, bytes, cudaMemcpyHostToDevice)); }
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) { return result(cudaMemcpy(to, memory(from), bytes, cudaMemcpyDeviceToHost)); }
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) { return cuMemcpy(to, from, bytes); }
static CUresult copy_async(void *to, const void *from, size_t bytes, CUstream stream) { return result(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream)); }
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) { return copy_async(memory(to), from, bytes, stream); }
CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream) { return copy_async(to, memory(from), bytes, stream); }
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) { return copy_async(memory(to), memory(from), bytes, stream); }
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) { return copy_async(memory(to), memory(from), bytes, stream); }
CUresult cuMemcpyHtoA(CUarray to, size_t offset, const void *from, size_t bytes) { return result(cudaMemcpyToArray((cudaArray_t)to, offset, 0, from, bytes, cudaMemcpyDefault)); }
CUresult cuMemcpyAtoH(void *to, CUarray from, size_t offset, size_t bytes) { return result(cudaMemcpyFromArray(to, (cudaArray_t)from, offset, 0, bytes, cudaMemcpyDefault)); }
CUresult cuMemcpyDtoA(CUarray to, size_t offset, CUdeviceptr from, size_t bytes) { return cuMemcpyHtoA(to, offset, memory(from), bytes); }
CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, size_t offset, size_t bytes) { return cuMemcpyAtoH(memory(to), from, offset, bytes); }
static CUresult set(CUdeviceptr to, size_t pitch, unsigned value, size_t element, size_t width, size_t height, CUstream stream) {
  struct task t = {.kind = TASK_FILL, .fill = {{memory(to), pitch, 0}, value, element, width, height, 1}};
  return result(fail(submit(stream, &t)));
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) { return set(to, 0, value, 1, count, 1, stream); }
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) { return set(to, 0, value, 2, count, 1, stream); }
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t count, CUstream stream) { return set(to, 0, value, 4, count, 1, stream); }
CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) { return WAITING(cuMemsetD8Async(to, value, count, 0)); }
CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count) { return WAITING(cuMemsetD16Async(to, value, count, 0)); }
CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr to, unsigned int value, unsigned int flags) { return (void)flags, cuMemsetD32Async(to, value, 1, stream); }
CUresult cuMemsetD32(CUdeviceptr to, unsigned int value, size_t count) { return WAITING(cuMemsetD32Async(to, value, count, 0)); }
CUresult cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height) { return WAITING(set(to, pitch, value, 1, width, height, 0)); }
CUresult cuMemsetD2D16(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height) { return WAITING(set(to, pitch, value, 2, width, height, 0)); }
CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height, CUstream stream) { return set(to, pitch, value, 1, width, height, stream); }
CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height, CUstream stream) { return set(to, pitch, value, 2, width, height, stream); }
CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned int value, size_t width, size_t height, CUstream stream) { return set(to, pitch, value, 4, width, height, stream); }
CUresult cuMemsetD2D32(CUdeviceptr to, size_t pitch, unsigned int value, size_t width, size_t height) { return WAITING(set(to, pitch, value, 4, width, height, 0)); }

// A copy between arrays counts elements along x, and the driver bytes.
static size_t elements(CUarray array, size_t bytes) {
  struct cudaChannelFormatDesc d;
  return array && cudaGetChannelDesc(&d, (cudaArray_t)array) == cudaSuccess ? 8 * bytes / (size_t)(d.x + d.y + d.z + d.w) : bytes;
}
struct cudaMemcpy3DParms driver_copy(const CUDA_MEMCPY3D *c) {
  struct cudaMemcpy3DParms p = {.kind = cudaMemcpyDefault};
  CUarray source = c->srcMemoryType == CU_MEMORYTYPE_ARRAY ? c->srcArray : NULL, target = c->dstMemoryType == CU_MEMORYTYPE_ARRAY ? c->dstArray : NULL;
  p.srcArray = (cudaArray_t)source, p.dstArray = (cudaArray_t)target;
  p.srcPos = (struct cudaPos){elements(source, c->srcXInBytes), c->srcY, c->srcZ};
  p.dstPos = (struct cudaPos){elements(target, c->dstXInBytes), c->dstY, c->dstZ};
  p.extent = (struct cudaExtent){elements(source ? source : target, c->WidthInBytes), c->Height, c->Depth};
  void *from = c->srcMemoryType == CU_MEMORYTYPE_HOST ? (void *)c->srcHost : memory(c->srcDevice);
  void *to = c->dstMemoryType == CU_MEMORYTYPE_HOST ? c->dstHost : memory(c->dstDevice);
  if (!source) p.srcPtr = (struct cudaPitchedPtr){from, c->srcPitch ? c->srcPitch : c->WidthInBytes, c->WidthInBytes, c->srcHeight ? c->srcHeight : c->Height};
  if (!target) p.dstPtr = (struct cudaPitchedPtr){to, c->dstPitch ? c->dstPitch : c->WidthInBytes, c->WidthInBytes, c->dstHeight ? c->dstHeight : c->Height};
  return p;
}
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *c, CUstream stream) {
  struct cudaMemcpy3DParms p = driver_copy(c);
  return result(cudaMemcpy3DAsync(&p, stream));
}
CUresult cuMemcpy3D(const CUDA_MEMCPY3D *c) { return WAITING(cuMemcpy3DAsync(c, 0)); }
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *c, CUstream stream) {
  CUDA_MEMCPY3D copy = {0};
  copy.srcXInBytes = c->srcXInBytes, copy.srcY = c->srcY, copy.srcMemoryType = c->srcMemoryType, copy.srcHost = c->srcHost;
  copy.srcDevice = c->srcDevice, copy.srcArray = c->srcArray, copy.srcPitch = c->srcPitch;
  copy.dstXInBytes = c->dstXInBytes, copy.dstY = c->dstY, copy.dstMemoryType = c->dstMemoryType, copy.dstHost = c->dstHost;
  copy.dstDevice = c->dstDevice, copy.dstArray = c->dstArray, copy.dstPitch = c->dstPitch;
  copy.WidthInBytes = c->WidthInBytes, copy.Height = c->Height, copy.Depth = 1;
  return cuMemcpy3DAsync(&copy, stream);
}
CUresult cuMemcpyHtoAAsync(CUarray to, size_t offset, const void *from, size_t bytes, CUstream stream) {
  return result(cudaMemcpyToArrayAsync((cudaArray_t)to, offset, 0, from, bytes, cudaMemcpyDefault, stream));
}
CUresult cuMemcpyAtoHAsync(void *to, CUarray from, size_t offset, size_t bytes, CUstream stream) {
  return result(cudaMemcpyFromArrayAsync(to, (cudaArray_t)from, offset, 0, bytes, cudaMemcpyDefault, stream));
}
CUresult cuMemcpyAtoA(CUarray to, size_t toOffset, CUarray from, size_t fromOffset, size_t bytes) {
  const CUDA_MEMCPY3D c = {.srcXInBytes = fromOffset, .srcMemoryType = CU_MEMORYTYPE_ARRAY, .srcArray = from, .dstXInBytes = toOffset,
                           .dstMemoryType = CU_MEMORYTYPE_ARRAY, .dstArray = to, .WidthInBytes = bytes, .Height = 1, .Depth = 1};
  return cuMemcpy3D(&c);
}
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *c) { return WAITING(cuMemcpy2DAsync(c, 0)); }
CUresult cuMemcpy2D(const CUDA_MEMCPY2D *c) { return WAITING(cuMemcpy2DAsync(c, 0)); }

static struct cudaChannelFormatDesc channels(CUarray_format format, unsigned int count) {
  int bits = format == CU_AD_FORMAT_UNSIGNED_INT8 || format == CU_AD_FORMAT_SIGNED_INT8 ? 8
             : format == CU_AD_FORMAT_UNSIGNED_INT16 || format == CU_AD_FORMAT_SIGNED_INT16 || format == CU_AD_FORMAT_HALF ? 16 : 32;
  enum cudaChannelFormatKind kind = format >= CU_AD_FORMAT_HALF ? cudaChannelFormatKindFloat
                                    : format >= CU_AD_FORMAT_SIGNED_INT8 ? cudaChannelFormatKindSigned : cudaChannelFormatKindUnsigned;
  return cudaCreateChannelDesc(bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0, kind);
}
CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *d) {
  struct cudaChannelFormatDesc format = channels(d->Format, d->NumChannels);
  return result(cudaMallocArray((cudaArray_t *)array, &format, d->Width, d->Height, 0));
}
CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *d) {
  struct cudaChannelFormatDesc format = channels(d->Format, d->NumChannels);
  return result(cudaMalloc3DArray((cudaArray_t *)array, &format, (struct cudaExtent){d->Width, d->Height, d->Depth}, d->Flags));
}
CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *d, CUarray array) {
  struct cudaChannelFormatDesc format;
  struct cudaExtent extent;
  cudaError_t error = cudaArrayGetInfo(&format, &extent, &d->Flags, (cudaArray_t)array);
  if (error != cudaSuccess) return result(error);
  int wide = format.x == 32 ? 2 : format.x == 16;
  d->Format = format.f == cudaChannelFormatKindFloat ? (wide == 2 ? CU_AD_FORMAT_FLOAT : CU_AD_FORMAT_HALF)
              : (CUarray_format)((format.f == cudaChannelFormatKindSigned ? CU_AD_FORMAT_SIGNED_INT8 : CU_AD_FORMAT_UNSIGNED_INT8) + wide);
  d->NumChannels = 1u + (format.y > 0) + (format.z > 0) + (format.w > 0);
  d->Width = extent.width, d->Height = extent.height, d->Depth = extent.depth;
  return CUDA_SUCCESS;
}
CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *d, CUarray array) {
  CUDA_ARRAY3D_DESCRIPTOR whole;
  CUresult error = cuArray3DGetDescriptor(&whole, array);
  if (error == CUDA_SUCCESS) *d = (CUDA_ARRAY_DESCRIPTOR){whole.Width, whole.Height, whole.Format, whole.NumChannels};
  return error;
}
CUresult cuArrayDestroy(CUarray array) { return result(cudaFreeArray((cudaArray_t)array)); }

static CUresult resource_of(struct cudaResourceDesc *resource, const CUDA_RESOURCE_DESC *from) {
  memset(resource, 0, sizeof *resource);
  switch (from->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
      resource->resType = cudaResourceTypeArray, resource->res.array.array = (cudaArray_t)from->res.array.hArray;
      return CUDA_SUCCESS;
    case CU_RESOURCE_TYPE_LINEAR:
      resource->resType = cudaResourceTypeLinear, resource->res.linear.devPtr = memory(from->res.linear.devPtr);
      resource->res.linear.desc = channels(from->res.linear.format, from->res.linear.numChannels);
      resource->res.linear.sizeInBytes = from->res.linear.sizeInBytes;
      return CUDA_SUCCESS;
    case CU_RESOURCE_TYPE_PITCH2D:
      resource->resType = cudaResourceTypePitch2D, resource->res.pitch2D.devPtr = memory(from->res.pitch2D.devPtr);
      resource->res.pitch2D.desc = channels(from->res.pitch2D.format, from->res.pitch2D.numChannels);
      resource->res.pitch2D.width = from->res.pitch2D.width, resource->res.pitch2D.height = from->res.pitch2D.height;
      resource->res.pitch2D.pitchInBytes = from->res.pitch2D.pitchInBytes;
      return CUDA_SUCCESS;
    default: return CUDA_ERROR_NOT_SUPPORTED;
  }
}
CUresult cuTexObjectCreate(CUtexObject *texture, const CUDA_RESOURCE_DESC *from, const CUDA_TEXTURE_DESC *desc, const CUDA_RESOURCE_VIEW_DESC *view) {
  struct cudaResourceDesc resource;
  struct cudaTextureDesc t = {0};
  CUresult error = resource_of(&resource, from);
  if (view || error != CUDA_SUCCESS) return CUDA_ERROR_NOT_SUPPORTED;
  for (int i = 0; i < 3; i++) t.addressMode[i] = (enum cudaTextureAddressMode)desc->addressMode[i];
  t.filterMode = (enum cudaTextureFilterMode)desc->filterMode;
  // Integers are read as fractions unless the flag says otherwise; numbers of 32 bits never are.
  struct cudaChannelFormatDesc format = resource.res.linear.desc;
  if (from->resType == CU_RESOURCE_TYPE_ARRAY) cudaGetChannelDesc(&format, resource.res.array.array);
  if (!(desc->flags & CU_TRSF_READ_AS_INTEGER) && format.f != cudaChannelFormatKindFloat && format.x < 32) t.readMode = cudaReadModeNormalizedFloat;
  t.normalizedCoords = (desc->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
  memcpy(t.borderColor, desc->borderColor, sizeof t.borderColor);
  return result(cudaCreateTextureObject(texture, &resource, &t, NULL));
}
CUresult cuTexObjectDestroy(CUtexObject texture) { return result(cudaDestroyTextureObject(texture)); }

CUresult cuSurfObjectCreate(CUsurfObject *surface, const CUDA_RESOURCE_DESC *from) {
  struct cudaResourceDesc resource;
  CUresult error = resource_of(&resource, from);
  return error == CUDA_SUCCESS ? result(cudaCreateSurfaceObject(surface, &resource)) : error;
}
CUresult cuSurfObjectDestroy(CUsurfObject surface) { return result(cudaDestroySurfaceObject(surface)); }

CUresult cuStreamCreate(CUstream *stream, unsigned int flags) { return result(cudaStreamCreateWithFlags(stream, flags)); }
CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority) { return result(cudaStreamCreateWithPriority(stream, flags, priority)); }
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data, unsigned int flags) {
  return result(cudaStreamAddCallback(stream, (cudaStreamCallback_t)callback, data, flags));
}
CUresult cuStreamDestroy(CUstream stream) { return result(cudaStreamDestroy(stream)); }
CUresult cuStreamSynchronize(CUstream stream) { return result(cudaStreamSynchronize(stream)); }
CUresult cuStreamQuery(CUstream stream) { return result(cudaStreamQuery(stream)); }
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) { return result(cudaStreamWaitEvent(stream, event, flags)); }
CUresult cuEventCreate(CUevent *event, unsigned int flags) { return result(cudaEventCreateWithFlags(event, flags)); }
CUresult cuEventDestroy(CUevent event) { return result(cudaEventDestroy(event)); }
CUresult cuEventRecord(CUevent event, CUstream stream) { return result(cudaEventRecord(event, stream)); }
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags) { return result(cudaEventRecordWithFlags(event, stream, flags)); }
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context) {
  (void)stream;
  return give_context(context);
}
CUresult cuStreamGetPriority(CUstream stream, int *priority) { return result(cudaStreamGetPriority(stream, priority)); }
CUresult cuStreamGetFlags(CUstream stream, unsigned int *flags) { return result(cudaStreamGetFlags(stream, flags)); }
CUresult cuStreamGetId(CUstream stream, unsigned long long *id) { return result(cudaStreamGetId(stream, id)); }
CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr pointer, size_t bytes, unsigned int flags) { return result(cudaStreamAttachMemAsync(stream, memory(pointer), bytes, flags)); }
CUresult cuProfilerStart(void) { return result(cudaProfilerStart()); }
CUresult cuProfilerStop(void) { return result(cudaProfilerStop()); }
CUresult cuEventQuery(CUevent event) { return result(cudaEventQuery(event)); }
CUresult cuEventSynchronize(CUevent event) { return result(cudaEventSynchronize(event)); }
CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) { return result(cudaEventElapsedTime(milliseconds, start, end)); }

// Virtual memory.
enum { GRANULARITY = 2 << 20 };

CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop, CUmemAllocationGranularity_flags option) {
  (void)prop, (void)option;
  *granularity = GRANULARITY;
  return CUDA_SUCCESS;
}
CUresult cuMemAddressReserve(CUdeviceptr *pointer, size_t size, size_t alignment, CUdeviceptr address, unsigned long long flags) {
  (void)alignment, (void)address, (void)flags;
  if (size == 0 || size % GRANULARITY) return CUDA_ERROR_INVALID_VALUE;
  return cuMemAlloc(pointer, size);
}
CUresult cuMemAddressFree(CUdeviceptr pointer, size_t size) {
  (void)size;
  return cuMemFree(pointer);
}
CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *prop, unsigned long long flags) {
  (void)flags;
  if (size == 0 || size % GRANULARITY) return CUDA_ERROR_INVALID_VALUE;
  CUmemAllocationProp *copy = malloc(sizeof *copy);
  *copy = *prop; // compressed memory holds what other memory holds
  *handle = (CUmemGenericAllocationHandle)copy;
  return CUDA_SUCCESS;
}
CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  free((void *)handle);
  return CUDA_SUCCESS;
}
CUresult cuMemMap(CUdeviceptr pointer, size_t size, size_t offset, CUmemGenericAllocationHandle handle, unsigned long long flags) {
  (void)size, (void)flags;
  return is_device(memory(pointer)) && offset == 0 && handle ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemUnmap(CUdeviceptr pointer, size_t size) {
  (void)size;
  return is_device(memory(pointer)) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemSetAccess(CUdeviceptr pointer, size_t size, const CUmemAccessDesc *desc, size_t count) {
  (void)desc, (void)count;
  return cuMemUnmap(pointer, size);
}
CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop, CUmemGenericAllocationHandle handle) {
  *prop = *(CUmemAllocationProp *)handle;
  return CUDA_SUCCESS;
}

// Pools.
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) { return result(cudaDeviceGetDefaultMemPool(pool, device)); }
CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device) { return result(cudaDeviceGetMemPool(pool, device)); }
CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) { return result(cudaDeviceSetMemPool(device, pool)); }
CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *props) { return result(cudaMemPoolCreate(pool, (const struct cudaMemPoolProps *)props)); }
CUresult cuMemPoolDestroy(CUmemoryPool pool) { return result(cudaMemPoolDestroy(pool)); }
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep) { return result(cudaMemPoolTrimTo(pool, keep)); }
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) { return result(cudaMemPoolSetAttribute(pool, (enum cudaMemPoolAttr)attribute, value)); }
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) { return result(cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)attribute, value)); }
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *pointer, size_t bytes, CUmemoryPool pool, CUstream stream) { return result(cudaMallocFromPoolAsync((void **)pointer, bytes, pool, stream)); }

// Names of later versions, by which programs look for functions in the library that they have opened.
#define LATER(X)                                                                                                                  \
  X(cuDeviceTotalMem) X(cuDeviceGetUuid) X(cuDevicePrimaryCtxRelease) X(cuDevicePrimaryCtxReset) X(cuDevicePrimaryCtxSetFlags)     \
  X(cuCtxCreate) X(cuCtxDestroy) X(cuCtxPushCurrent) X(cuCtxPopCurrent) X(cuModuleGetGlobal) X(cuLinkCreate) X(cuLinkAddData)      \
  X(cuLinkAddFile) X(cuMemGetInfo) X(cuMemAlloc) X(cuMemAllocPitch) X(cuMemFree) X(cuMemGetAddressRange) X(cuMemAllocHost)         \
  X(cuMemHostGetDevicePointer) X(cuMemHostRegister) X(cuMemcpyHtoD) X(cuMemcpyDtoH) X(cuMemcpyDtoD) X(cuMemcpyDtoA)                \
  X(cuMemcpyAtoD) X(cuMemcpyHtoA) X(cuMemcpyAtoH) X(cuMemcpyAtoA) X(cuMemcpyHtoAAsync) X(cuMemcpyAtoHAsync) X(cuMemcpy2D)          \
  X(cuMemcpy2DUnaligned) X(cuMemcpy3D) X(cuMemcpyHtoDAsync) X(cuMemcpyDtoHAsync) X(cuMemcpyDtoDAsync) X(cuMemcpy2DAsync)           \
  X(cuMemcpy3DAsync) X(cuMemsetD8) X(cuMemsetD16) X(cuMemsetD32) X(cuMemsetD2D8) X(cuMemsetD2D16) X(cuMemsetD2D32) X(cuArrayCreate) \
  X(cuArrayGetDescriptor) X(cuArray3DCreate) X(cuArray3DGetDescriptor) X(cuStreamDestroy) X(cuEventDestroy)
#define NAMED_LATER(name) extern __typeof(name) name##_v2 __attribute__((alias(#name)));
LATER(NAMED_LATER)
