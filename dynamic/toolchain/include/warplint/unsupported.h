// Functions of the CUDA runtime API that the simulator does not have. Calling one says its name
// once and returns cudaErrorNotSupported. X(name) is expanded for each.
#define WARPLINT_UNSUPPORTED(X) \
  X(cudaArrayGetMemoryRequirements) X(cudaArrayGetPlane) X(cudaArrayGetSparseProperties) X(cudaDestroyExternalMemory) \
  X(cudaDestroyExternalSemaphore) X(cudaDeviceFlushGPUDirectRDMAWrites) X(cudaDeviceGetDefaultNvSciSyncAttributes) \
  X(cudaDeviceGetNvSciSyncAttributes) X(cudaDeviceRegisterAsyncNotification) X(cudaDeviceUnregisterAsyncNotification) \
  X(cudaExternalMemoryGetMappedBuffer) X(cudaExternalMemoryGetMappedMipmappedArray) X(cudaGetExportTable) \
  X(cudaGraphAddDependencies_v2) X(cudaGraphAddExternalSemaphoresSignalNode) \
  X(cudaGraphAddExternalSemaphoresWaitNode) X(cudaGraphEventWaitNodeGetEvent) X(cudaGraphEventWaitNodeSetEvent) \
  X(cudaGraphExecEventWaitNodeSetEvent) X(cudaGraphExecNodeSetParams) \
  \
  X(cudaGraphMemAllocNodeGetParams) X(cudaGraphMemFreeNodeGetParams) \
  X(cudaGraphKernelNodeCopyAttributes) X(cudaGraphMemcpyNodeGetParams) X(cudaGraphNodeSetParams) X(cudaGraphicsMapResources) \
  X(cudaGraphicsResourceGetMappedMipmappedArray) X(cudaGraphicsResourceGetMappedPointer) \
  X(cudaGraphicsResourceSetMapFlags) X(cudaGraphicsSubResourceGetMappedArray) X(cudaGraphicsUnmapResources) \
  X(cudaGraphicsUnregisterResource) X(cudaImportExternalMemory) X(cudaImportExternalSemaphore) \
  X(cudaIpcCloseMemHandle) X(cudaIpcGetEventHandle) X(cudaIpcGetMemHandle) X(cudaIpcOpenEventHandle) \
  X(cudaIpcOpenMemHandle) \
  X(cudaMemPoolExportPointer) X(cudaMemPoolExportToShareableHandle) \
  X(cudaMemPoolImportFromShareableHandle) X(cudaMemPoolImportPointer) \
  X(cudaMipmappedArrayGetMemoryRequirements) X(cudaMipmappedArrayGetSparseProperties) X(cudaProfilerInitialize) \
  X(cudaSetDoubleForDevice) X(cudaSetDoubleForHost) X(cudaSignalExternalSemaphoresAsync) \
  X(cudaStreamGetCaptureInfo_v3) X(cudaStreamUpdateCaptureDependencies_v2) X(cudaWaitExternalSemaphoresAsync)

// The same of the driver API.
#define WARPLINT_UNSUPPORTED_DRIVER(X) \
  X(cuCtxAttach) X(cuCtxDetach) X(cuDeviceGetProperties) X(cuFuncSetBlockShape) X(cuFuncSetSharedSize) \
  X(cuGraphicsResourceGetMappedPointer_v2) X(cuGraphicsResourceSetMapFlags_v2) X(cuGetExportTable) X(cuGraphicsMapResources) X(cuGraphicsResourceGetMappedPointer) X(cuGraphicsResourceSetMapFlags) \
  X(cuGraphicsSubResourceGetMappedArray) X(cuGraphicsUnmapResources) X(cuGraphicsUnregisterResource) \
  X(cuIpcCloseMemHandle) X(cuIpcGetEventHandle) X(cuIpcGetMemHandle) X(cuIpcOpenEventHandle) X(cuIpcOpenMemHandle) \
  X(cuLaunch) X(cuLaunchGrid) X(cuLaunchGridAsync) X(cuMemExportToShareableHandle) X(cuMemImportFromShareableHandle) \
  X(cuMemPoolExportToShareableHandle) X(cuMemPoolImportFromShareableHandle) X(cuMemRetainAllocationHandle) \
  X(cuMipmappedArrayCreate) X(cuMipmappedArrayDestroy) X(cuMipmappedArrayGetLevel) X(cuModuleGetSurfRef) \
  X(cuModuleGetTexRef) X(cuMulticastAddDevice) X(cuMulticastBindMem) X(cuMulticastCreate) X(cuMulticastGetGranularity) \
  X(cuParamSetSize) X(cuParamSetTexRef) X(cuParamSetf) X(cuParamSeti) X(cuParamSetv) X(cuStreamBatchMemOp) \
  X(cuStreamWaitValue32) X(cuStreamWaitValue64) X(cuStreamWriteValue64) X(cuTexRefCreate) \
  X(cuTexRefDestroy) X(cuTexRefGetAddress) X(cuTexRefGetAddressMode) X(cuTexRefGetAddress_v2) X(cuTexRefGetArray) \
  X(cuTexRefGetFilterMode) X(cuTexRefGetFlags) X(cuTexRefGetFormat) X(cuTexRefSetAddress) X(cuTexRefSetAddress2D) \
  X(cuTexRefSetAddress2D_v3) X(cuTexRefSetAddressMode) X(cuTexRefSetAddress_v2) X(cuTexRefSetArray) \
  X(cuSurfRefGetArray) X(cuSurfRefSetArray) X(cuTexRefSetFilterMode) X(cuTexRefSetFlags) X(cuTexRefSetFormat)
