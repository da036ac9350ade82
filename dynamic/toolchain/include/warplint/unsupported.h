// Functions of the CUDA runtime API that the simulator does not have. Calling one says its name
// once and returns cudaErrorNotSupported. X(name) is expanded for each.
#define WARPLINT_UNSUPPORTED(X) \
  X(cudaArrayGetMemoryRequirements) X(cudaArrayGetPlane) X(cudaArrayGetSparseProperties) X(cudaDestroyExternalMemory) \
  X(cudaDestroyExternalSemaphore) X(cudaDeviceFlushGPUDirectRDMAWrites) X(cudaDeviceGetDefaultNvSciSyncAttributes) \
  X(cudaDeviceGetNvSciSyncAttributes) X(cudaDeviceGetTexture1DLinearMaxWidth) X(cudaDeviceRegisterAsyncNotification) \
  X(cudaDeviceUnregisterAsyncNotification) X(cudaExternalMemoryGetMappedBuffer) X(cudaExternalMemoryGetMappedMipmappedArray) \
  X(cudaFreeMipmappedArray) X(cudaFuncGetName) X(cudaFuncGetParamInfo) X(cudaGetDriverEntryPoint) \
  X(cudaGetDriverEntryPointByVersion) X(cudaGetExportTable) X(cudaGetFuncBySymbol) X(cudaGetKernel) \
  X(cudaGetMipmappedArrayLevel) X(cudaGetSurfaceObjectResourceDesc) X(cudaGetTextureObjectResourceDesc) \
  X(cudaGetTextureObjectResourceViewDesc) X(cudaGetTextureObjectTextureDesc) X(cudaGraphAddDependencies_v2) \
  X(cudaGraphAddEventRecordNode) X(cudaGraphAddEventWaitNode) X(cudaGraphAddExternalSemaphoresSignalNode) \
  X(cudaGraphAddExternalSemaphoresWaitNode) X(cudaGraphAddMemcpyNodeFromSymbol) X(cudaGraphAddMemcpyNodeToSymbol) \
  X(cudaGraphAddNode) X(cudaGraphAddNode_v2) X(cudaGraphChildGraphNodeGetGraph) X(cudaGraphConditionalHandleCreate) \
  X(cudaGraphDebugDotPrint) X(cudaGraphDestroyNode) X(cudaGraphEventRecordNodeGetEvent) X(cudaGraphEventRecordNodeSetEvent) \
  X(cudaGraphEventWaitNodeGetEvent) X(cudaGraphEventWaitNodeSetEvent) X(cudaGraphExecChildGraphNodeSetParams) \
  X(cudaGraphExecEventRecordNodeSetEvent) X(cudaGraphExecEventWaitNodeSetEvent) X(cudaGraphExecGetFlags) \
  X(cudaGraphExecHostNodeSetParams) X(cudaGraphExecMemcpyNodeSetParams) X(cudaGraphExecMemcpyNodeSetParams1D) \
  X(cudaGraphExecMemsetNodeSetParams) X(cudaGraphExecNodeSetParams) X(cudaGraphGetEdges) X(cudaGraphGetRootNodes) \
  X(cudaGraphHostNodeGetParams) X(cudaGraphHostNodeSetParams) X(cudaGraphInstantiateWithParams) \
  X(cudaGraphKernelNodeCopyAttributes) X(cudaGraphKernelNodeGetAttribute) X(cudaGraphKernelNodeGetParams) \
  X(cudaGraphKernelNodeSetAttribute) X(cudaGraphKernelNodeSetParams) X(cudaGraphMemAllocNodeGetParams) \
  X(cudaGraphMemFreeNodeGetParams) X(cudaGraphMemcpyNodeGetParams) X(cudaGraphMemcpyNodeSetParams) \
  X(cudaGraphMemcpyNodeSetParams1D) X(cudaGraphMemsetNodeGetParams) X(cudaGraphMemsetNodeSetParams) \
  X(cudaGraphNodeFindInClone) X(cudaGraphNodeGetDependencies) X(cudaGraphNodeGetDependentNodes) X(cudaGraphNodeGetEnabled) \
  X(cudaGraphNodeGetType) X(cudaGraphNodeSetEnabled) X(cudaGraphNodeSetParams) X(cudaGraphReleaseUserObject) \
  X(cudaGraphRemoveDependencies) X(cudaGraphRetainUserObject) X(cudaGraphicsMapResources) X(cudaGraphicsResourceGetMappedMipmappedArray) \
  X(cudaGraphicsResourceGetMappedPointer) X(cudaGraphicsResourceSetMapFlags) X(cudaGraphicsSubResourceGetMappedArray) \
  X(cudaGraphicsUnmapResources) X(cudaGraphicsUnregisterResource) X(cudaImportExternalMemory) X(cudaImportExternalSemaphore) \
  X(cudaIpcCloseMemHandle) X(cudaIpcGetEventHandle) X(cudaIpcGetMemHandle) X(cudaIpcOpenEventHandle) X(cudaIpcOpenMemHandle) \
  X(cudaLibraryGetGlobal) X(cudaLibraryGetKernel) X(cudaLibraryLoadData) X(cudaLibraryLoadFromFile) X(cudaLibraryUnload) \
  X(cudaMallocMipmappedArray) X(cudaMemPoolExportPointer) X(cudaMemPoolExportToShareableHandle) \
  X(cudaMemPoolImportFromShareableHandle) X(cudaMemPoolImportPointer) X(cudaMemRangeGetAttribute) X(cudaMemRangeGetAttributes) \
  X(cudaMemcpy3DPeer) X(cudaMemcpy3DPeerAsync) X(cudaMemset3DAsync) X(cudaMipmappedArrayGetMemoryRequirements) \
  X(cudaMipmappedArrayGetSparseProperties) X(cudaOccupancyMaxActiveClusters) X(cudaOccupancyMaxPotentialClusterSize) \
  X(cudaProfilerInitialize) X(cudaSetDoubleForDevice) X(cudaSetDoubleForHost) X(cudaSignalExternalSemaphoresAsync) \
  X(cudaStreamBeginCaptureToGraph) X(cudaStreamCopyAttributes) X(cudaStreamGetCaptureInfo) X(cudaStreamGetCaptureInfo_v2) \
  X(cudaStreamGetCaptureInfo_v3) X(cudaStreamGetDevice) X(cudaStreamGetId) X(cudaStreamUpdateCaptureDependencies) \
  X(cudaStreamUpdateCaptureDependencies_v2) X(cudaThreadExchangeStreamCaptureMode) X(cudaUserObjectCreate) \
  X(cudaUserObjectRelease) X(cudaUserObjectRetain) X(cudaWaitExternalSemaphoresAsync)
