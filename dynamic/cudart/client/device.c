// The one device: what a program can ask of it.
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

// attribute is 0 for those that only the driver API has a name for.
static int attribute(enum cudaDeviceAttr attr) {
  switch ((int)attr) {
#define CASE(name, number, value) \
  case number: return value;
    WARPLINT_DEVICE_ATTRIBUTES(CASE)
#undef CASE
  }
  return 0;
}

static cudaError_t properties(struct cudaDeviceProp *p, int device) {
  if (!p) return fail(cudaErrorInvalidValue);
  if (device != 0) return fail(cudaErrorInvalidDevice);
  size_t available = 0;
  memset(p, 0, sizeof *p);
  cudaMemGetInfo(&available, &p->totalGlobalMem);
  snprintf(p->name, sizeof p->name, "warplint simulator");
#define SET(member, name) p->member = attribute(cudaDevAttr##name)
#define SET2(member, name) SET(member[0], name##Width), SET(member[1], name##Height)
#define SET3(member, name) SET2(member, name), SET(member[2], name##Depth)
#define LAYERED(member, name) SET(member[0], name##Width), SET(member[1], name##Layers)
#define LAYERED2(member, name) SET2(member, name), SET(member[2], name##Layers)
  SET(sharedMemPerBlock, MaxSharedMemoryPerBlock), SET(regsPerBlock, MaxRegistersPerBlock), SET(warpSize, WarpSize), SET(memPitch, MaxPitch);
  SET(maxThreadsPerBlock, MaxThreadsPerBlock);
  SET(maxThreadsDim[0], MaxBlockDimX), SET(maxThreadsDim[1], MaxBlockDimY), SET(maxThreadsDim[2], MaxBlockDimZ);
  SET(maxGridSize[0], MaxGridDimX), SET(maxGridSize[1], MaxGridDimY), SET(maxGridSize[2], MaxGridDimZ);
  WARPLINT_UNTIL_12(SET(clockRate, ClockRate), SET(deviceOverlap, GpuOverlap), SET(memoryClockRate, MemoryClockRate);)
  WARPLINT_UNTIL_12(SET(singleToDoublePrecisionPerfRatio, SingleToDoublePrecisionPerfRatio), SET(maxTexture1DLinear, MaxTexture1DLinearWidth);)
  SET(totalConstMem, TotalConstantMemory), SET(major, ComputeCapabilityMajor), SET(minor, ComputeCapabilityMinor);
  SET(textureAlignment, TextureAlignment), SET(texturePitchAlignment, TexturePitchAlignment), SET(surfaceAlignment, SurfaceAlignment);
  SET(multiProcessorCount, MultiProcessorCount), SET(canMapHostMemory, CanMapHostMemory);
  SET(maxTexture1D, MaxTexture1DWidth), SET(maxTexture1DMipmap, MaxTexture1DMipmappedWidth);
  SET2(maxTexture2D, MaxTexture2D), SET2(maxTexture2DMipmap, MaxTexture2DMipmapped);
  SET2(maxTexture2DLinear, MaxTexture2DLinear), SET(maxTexture2DLinear[2], MaxTexture2DLinearPitch), SET2(maxTexture2DGather, MaxTexture2DGather);
  SET3(maxTexture3D, MaxTexture3D), SET(maxTexture3DAlt[0], MaxTexture3DWidthAlt), SET(maxTexture3DAlt[1], MaxTexture3DHeightAlt);
  SET(maxTexture3DAlt[2], MaxTexture3DDepthAlt), SET(maxTextureCubemap, MaxTextureCubemapWidth);
  LAYERED(maxTexture1DLayered, MaxTexture1DLayered), LAYERED2(maxTexture2DLayered, MaxTexture2DLayered);
  LAYERED(maxTextureCubemapLayered, MaxTextureCubemapLayered), SET(maxSurface1D, MaxSurface1DWidth), SET2(maxSurface2D, MaxSurface2D);
  SET3(maxSurface3D, MaxSurface3D), LAYERED(maxSurface1DLayered, MaxSurface1DLayered), LAYERED2(maxSurface2DLayered, MaxSurface2DLayered);
  SET(maxSurfaceCubemap, MaxSurfaceCubemapWidth), LAYERED(maxSurfaceCubemapLayered, MaxSurfaceCubemapLayered);
  SET(concurrentKernels, ConcurrentKernels), SET(asyncEngineCount, AsyncEngineCount), SET(unifiedAddressing, UnifiedAddressing);
  SET(memoryBusWidth, GlobalMemoryBusWidth), SET(l2CacheSize, L2CacheSize), SET(persistingL2CacheMaxSize, MaxPersistingL2CacheSize);
  SET(accessPolicyMaxWindowSize, MaxAccessPolicyWindowSize), SET(maxThreadsPerMultiProcessor, MaxThreadsPerMultiProcessor);
  SET(streamPrioritiesSupported, StreamPrioritiesSupported), SET(globalL1CacheSupported, GlobalL1CacheSupported);
  SET(localL1CacheSupported, LocalL1CacheSupported), SET(sharedMemPerMultiprocessor, MaxSharedMemoryPerMultiprocessor);
  SET(regsPerMultiprocessor, MaxRegistersPerMultiprocessor), SET(managedMemory, ManagedMemory);
  SET(computePreemptionSupported, ComputePreemptionSupported), SET(canUseHostPointerForRegisteredMem, CanUseHostPointerForRegisteredMem);
  SET(cooperativeLaunch, CooperativeLaunch), SET(sharedMemPerBlockOptin, MaxSharedMemoryPerBlockOptin);
  SET(maxBlocksPerMultiProcessor, MaxBlocksPerMultiprocessor), SET(reservedSharedMemPerBlock, ReservedSharedMemoryPerBlock);
  SET(hostRegisterSupported, HostRegisterSupported), SET(memoryPoolsSupported, MemoryPoolsSupported), SET(clusterLaunch, ClusterLaunch);
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
  if (device != 0) return fail(cudaErrorInvalidDevice);
  if (!value || attr <= 0 || attr >= cudaDevAttrMax) return fail(cudaErrorInvalidValue);
  *value = attribute(attr);
  return fail(cudaSuccess);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int from, int to) {
  (void)attr, (void)from, (void)to;
  *value = 0;
  return fail(cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  if (!can) return fail(cudaErrorInvalidValue);
  *can = 0;
  return check(device ? device : peer);
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
  if (peer != 0) return fail(cudaErrorInvalidDevice);
  return fail(flags ? cudaErrorInvalidValue : cudaErrorInvalidDevice);  // none is its own peer
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
