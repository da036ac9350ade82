// The one device: what a program can ask of it. The numbers are those of compute capability 9.0
// in the CUDA C++ Programming Guide's tables, for a device of 132 multiprocessors.
#include "wire.h"
#include <stdio.h>
#include <string.h>

cudaError_t cudaGetDeviceCount(int *count) {
  *count = 1;
  return fail(cudaSuccess);
}
cudaError_t cudaGetDevice(int *device) {
  *device = 0;
  return fail(cudaSuccess);
}
static cudaError_t check(int device) { return fail(device == 0 ? cudaSuccess : cudaErrorInvalidDevice); }
cudaError_t cudaSetDevice(int device) { return check(device); }
cudaError_t cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags) {
  (void)deviceFlags, (void)flags;
  return check(device);
}
cudaError_t cudaSetValidDevices(int *devices, int count) {
  (void)devices, (void)count;
  return fail(cudaSuccess);
}
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop) {
  (void)prop;
  *device = 0;
  return fail(cudaSuccess);
}

static cudaError_t properties(struct cudaDeviceProp *p, int device) {
  if (!p || device != 0) return fail(cudaErrorInvalidDevice);
  size_t available = 0, total = 0;
  cudaMemGetInfo(&available, &total);
  memset(p, 0, sizeof *p);
  snprintf(p->name, sizeof p->name, "warplint simulator");
  p->totalGlobalMem = total;
  p->sharedMemPerBlock = 48 * 1024;
  p->regsPerBlock = p->regsPerMultiprocessor = 65536;
  p->warpSize = 32;
  p->memPitch = 0x7fffffff;
  p->maxThreadsPerBlock = 1024;
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024, p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 0x7fffffff, p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  WARPLINT_UNTIL_12(p->clockRate = 1000000;)
  p->totalConstMem = 65536;
  p->major = 9;
  p->textureAlignment = p->surfaceAlignment = 512;
  p->texturePitchAlignment = 32;
  WARPLINT_UNTIL_12(p->deviceOverlap = 1;)
  p->multiProcessorCount = 132;
  p->canMapHostMemory = 1;
  p->maxTexture1D = p->maxTexture2D[0] = 131072, p->maxTexture2D[1] = 65536;
  p->maxTexture3D[0] = p->maxTexture3D[1] = p->maxTexture3D[2] = 16384;
  WARPLINT_UNTIL_12(p->maxTexture1DLinear = 268435456;)
  p->maxTexture2DLinear[0] = 131072, p->maxTexture2DLinear[1] = 65000, p->maxTexture2DLinear[2] = 2097120;
  p->maxTexture1DLayered[0] = 32768, p->maxTexture1DLayered[1] = 2048;
  p->maxTexture2DLayered[0] = p->maxTexture2DLayered[1] = 32768, p->maxTexture2DLayered[2] = 2048;
  p->concurrentKernels = 1;
  p->asyncEngineCount = 3;
  p->unifiedAddressing = 1;
  WARPLINT_UNTIL_12(p->memoryClockRate = 1000000;)
  p->memoryBusWidth = 5120;
  p->l2CacheSize = 50 << 20;
  p->persistingL2CacheMaxSize = p->accessPolicyMaxWindowSize = 32 << 20;
  p->maxThreadsPerMultiProcessor = 2048;
  p->streamPrioritiesSupported = 1;
  p->globalL1CacheSupported = p->localL1CacheSupported = 1;
  p->sharedMemPerMultiprocessor = 228 * 1024;
  p->managedMemory = 1;
  p->hostNativeAtomicSupported = 0;
  WARPLINT_UNTIL_12(p->singleToDoublePrecisionPerfRatio = 2;)
  p->concurrentManagedAccess = 0;
  p->computePreemptionSupported = 1;
  p->canUseHostPointerForRegisteredMem = 1;
  p->cooperativeLaunch = 1;
  p->sharedMemPerBlockOptin = 227 * 1024;
  p->maxBlocksPerMultiProcessor = 32;
  p->reservedSharedMemPerBlock = 1024;
  p->hostRegisterSupported = 1;
  p->memoryPoolsSupported = 1;
  p->clusterLaunch = 1;
  return fail(cudaSuccess);
}

#if defined(WARPLINT_RUNTIME) && WARPLINT_RUNTIME == 13
_Static_assert(sizeof(struct cudaDeviceProp) == 1008 && offsetof(struct cudaDeviceProp, clusterLaunch) == 748, "the layout of CUDA 13.0");
#endif

// The structure grew at its end with CUDA 12, which gave the function a second name.
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device) {
  struct cudaDeviceProp all;
  cudaError_t error = properties(&all, device);
#if defined(WARPLINT_RUNTIME) && WARPLINT_RUNTIME < 12
  size_t size = offsetof(struct cudaDeviceProp, hostRegisterSupported);
#else
  size_t size = sizeof all;
#endif
  if (error == cudaSuccess) memcpy(p, &all, size);
  return error;
}
cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp *p, int device) { return properties(p, device); }

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device) {
  if (!value) return fail(cudaErrorInvalidValue);
  struct cudaDeviceProp p;
  cudaError_t error = properties(&p, device);
  if (error != cudaSuccess) return error;
  switch (attr) {
    case cudaDevAttrMaxThreadsPerBlock: *value = p.maxThreadsPerBlock; break;
    case cudaDevAttrMaxBlockDimX: *value = p.maxThreadsDim[0]; break;
    case cudaDevAttrMaxBlockDimY: *value = p.maxThreadsDim[1]; break;
    case cudaDevAttrMaxBlockDimZ: *value = p.maxThreadsDim[2]; break;
    case cudaDevAttrMaxGridDimX: *value = p.maxGridSize[0]; break;
    case cudaDevAttrMaxGridDimY: *value = p.maxGridSize[1]; break;
    case cudaDevAttrMaxGridDimZ: *value = p.maxGridSize[2]; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = (int)p.sharedMemPerBlock; break;
    case cudaDevAttrTotalConstantMemory: *value = (int)p.totalConstMem; break;
    case cudaDevAttrWarpSize: *value = p.warpSize; break;
    case cudaDevAttrMaxPitch: *value = (int)p.memPitch; break;
    case cudaDevAttrMaxRegistersPerBlock: *value = p.regsPerBlock; break;
    case cudaDevAttrClockRate: *value = 1000000; break;
    case cudaDevAttrTextureAlignment: *value = (int)p.textureAlignment; break;
    case cudaDevAttrGpuOverlap: *value = 1; break;
    case cudaDevAttrMultiProcessorCount: *value = p.multiProcessorCount; break;
    case cudaDevAttrCanMapHostMemory: *value = p.canMapHostMemory; break;
    case cudaDevAttrMaxTexture1DWidth: *value = p.maxTexture1D; break;
    case cudaDevAttrMaxTexture2DWidth: *value = p.maxTexture2D[0]; break;
    case cudaDevAttrMaxTexture2DHeight: *value = p.maxTexture2D[1]; break;
    case cudaDevAttrSurfaceAlignment: *value = (int)p.surfaceAlignment; break;
    case cudaDevAttrConcurrentKernels: *value = p.concurrentKernels; break;
    case cudaDevAttrMemoryClockRate: *value = 1000000; break;
    case cudaDevAttrGlobalMemoryBusWidth: *value = p.memoryBusWidth; break;
    case cudaDevAttrL2CacheSize: *value = p.l2CacheSize; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = p.maxThreadsPerMultiProcessor; break;
    case cudaDevAttrAsyncEngineCount: *value = p.asyncEngineCount; break;
    case cudaDevAttrUnifiedAddressing: *value = p.unifiedAddressing; break;
    case cudaDevAttrTexturePitchAlignment: *value = (int)p.texturePitchAlignment; break;
    case cudaDevAttrComputeCapabilityMajor: *value = p.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = p.minor; break;
    case cudaDevAttrStreamPrioritiesSupported: *value = p.streamPrioritiesSupported; break;
    case cudaDevAttrGlobalL1CacheSupported: *value = p.globalL1CacheSupported; break;
    case cudaDevAttrLocalL1CacheSupported: *value = p.localL1CacheSupported; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = (int)p.sharedMemPerMultiprocessor; break;
    case cudaDevAttrMaxRegistersPerMultiprocessor: *value = p.regsPerMultiprocessor; break;
    case cudaDevAttrManagedMemory: *value = p.managedMemory; break;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio: *value = 2; break;
    case cudaDevAttrConcurrentManagedAccess: *value = p.concurrentManagedAccess; break;
    case cudaDevAttrComputePreemptionSupported: *value = p.computePreemptionSupported; break;
    case cudaDevAttrCanUseHostPointerForRegisteredMem: *value = p.canUseHostPointerForRegisteredMem; break;
    case cudaDevAttrCooperativeLaunch: *value = p.cooperativeLaunch; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = (int)p.sharedMemPerBlockOptin; break;
    case cudaDevAttrHostRegisterSupported: *value = p.hostRegisterSupported; break;
    case cudaDevAttrMaxBlocksPerMultiprocessor: *value = p.maxBlocksPerMultiProcessor; break;
    case cudaDevAttrReservedSharedMemoryPerBlock: *value = (int)p.reservedSharedMemPerBlock; break;
    case cudaDevAttrMemoryPoolsSupported: *value = p.memoryPoolsSupported; break;
    case cudaDevAttrMaxPersistingL2CacheSize: *value = p.persistingL2CacheMaxSize; break;
    case cudaDevAttrMaxAccessPolicyWindowSize: *value = p.accessPolicyMaxWindowSize; break;
    case cudaDevAttrClusterLaunch: *value = p.clusterLaunch; break;
    default: *value = 0;
  }
  return cudaSuccess;
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int from, int to) {
  (void)attr, (void)from, (void)to;
  *value = 0;
  return fail(cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  (void)device, (void)peer;
  *can = 0;
  return fail(cudaSuccess);
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
  (void)peer, (void)flags;
  return fail(cudaErrorPeerAccessUnsupported);
}
cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  (void)peer;
  return fail(cudaErrorPeerAccessNotEnabled);
}
cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int device) {
  snprintf(id, (size_t)length, "0000:00:00.0");
  return check(device);
}
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id) {
  (void)id;
  *device = 0;
  return fail(cudaSuccess);
}

static unsigned flags_set;
cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  flags_set = flags;
  return fail(cudaSuccess);
}
cudaError_t cudaGetDeviceFlags(unsigned int *flags) {
  *flags = flags_set;
  return fail(cudaSuccess);
}
cudaError_t cudaDeviceReset(void) {
  cudaError_t error = sticky;
  sticky = cudaSuccess;
  struct request q = {.op = OP_DEVICE_RESET};
  transact(&q, NULL, NULL, NULL);
  return error;
}
cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }

static size_t limits[8] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0, 0};
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
  if ((unsigned)limit >= 8) return fail(cudaErrorUnsupportedLimit);
  limits[limit] = value;
  return fail(cudaSuccess);
}
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
  if ((unsigned)limit >= 8) return fail(cudaErrorUnsupportedLimit);
  *value = limits[limit];
  return fail(cudaSuccess);
}
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config) {
  (void)config;
  return fail(cudaSuccess);
}
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config) {
  *config = cudaFuncCachePreferNone;
  return fail(cudaSuccess);
}
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config) {
  (void)config;
  return fail(cudaSuccess);
}
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config) {
  *config = cudaSharedMemBankSizeFourByte;
  return fail(cudaSuccess);
}
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return fail(cudaSuccess);
}
cudaError_t cudaCtxResetPersistingL2Cache(void) { return fail(cudaSuccess); }
cudaError_t cudaDriverGetVersion(int *version) {
  *version = CUDART_VERSION;
  return fail(cudaSuccess);
}
cudaError_t cudaRuntimeGetVersion(int *version) {
  *version = CUDART_VERSION;
  return fail(cudaSuccess);
}
cudaError_t cudaProfilerStart(void) { return fail(cudaSuccess); }
cudaError_t cudaProfilerStop(void) { return fail(cudaSuccess); }
