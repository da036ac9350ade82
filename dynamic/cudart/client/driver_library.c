// Libraries: modules that belong to no context. There is one context, so they are modules, and kernels are functions. The runtime API
// has the same ones as the driver API.
#include "cuda.h"
#include "wire.h"

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jit, void **jitValues, unsigned int jitCount, CUlibraryOption *options, void **values, unsigned int count) {
  (void)options, (void)values, (void)count;
  return cuModuleLoadDataEx((CUmodule *)library, code, jitCount, jit, jitValues);
}
CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *file, CUjit_option *jit, void **jitValues, unsigned int jitCount, CUlibraryOption *options, void **values, unsigned int count) {
  (void)jit, (void)jitValues, (void)jitCount, (void)options, (void)values, (void)count;
  return cuModuleLoad((CUmodule *)library, file);
}
CUresult cuLibraryUnload(CUlibrary library) { return cuModuleUnload((CUmodule)library); }
CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name) { return cuModuleGetFunction((CUfunction *)kernel, (CUmodule)library, name); }
CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library) {
  *module = (CUmodule)library;
  return CUDA_SUCCESS;
}
CUresult cuLibraryGetGlobal(CUdeviceptr *pointer, size_t *bytes, CUlibrary library, const char *name) { return cuModuleGetGlobal(pointer, bytes, (CUmodule)library, name); }
CUresult cuLibraryGetManaged(CUdeviceptr *pointer, size_t *bytes, CUlibrary library, const char *name) { return cuLibraryGetGlobal(pointer, bytes, library, name); }
CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
  *function = (CUfunction)kernel;
  return CUDA_SUCCESS;
}
CUresult cuKernelGetName(const char **name, CUkernel kernel) { return cuFuncGetName(name, (CUfunction)kernel); }
CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device) {
  return device == 0 ? cuFuncGetAttribute(value, attribute, (CUfunction)kernel) : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device) {
  return device == 0 ? cuFuncSetAttribute((CUfunction)kernel, attribute, value) : CUDA_ERROR_INVALID_DEVICE;
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, enum cudaJitOption *jit, void **jitValues, unsigned int jitCount, enum cudaLibraryOption *options, void **values, unsigned int count) {
  (void)options, (void)values, (void)count;
  return fail((cudaError_t)cuLibraryLoadData(library, code, (CUjit_option *)jit, jitValues, jitCount, NULL, NULL, 0));
}
cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *file, enum cudaJitOption *jit, void **jitValues, unsigned int jitCount, enum cudaLibraryOption *options, void **values, unsigned int count) {
  (void)options, (void)values, (void)count;
  return fail((cudaError_t)cuLibraryLoadFromFile(library, file, (CUjit_option *)jit, jitValues, jitCount, NULL, NULL, 0));
}
cudaError_t cudaLibraryUnload(cudaLibrary_t library) { return fail((cudaError_t)cuLibraryUnload(library)); }
cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name) { return fail((cudaError_t)cuLibraryGetKernel(kernel, library, name)); }
cudaError_t cudaLibraryGetGlobal(void **pointer, size_t *bytes, cudaLibrary_t library, const char *name) { return fail((cudaError_t)cuLibraryGetGlobal((CUdeviceptr *)pointer, bytes, library, name)); }
cudaError_t cudaLibraryGetManaged(void **pointer, size_t *bytes, cudaLibrary_t library, const char *name) { return cudaLibraryGetGlobal(pointer, bytes, library, name); }
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attribute, int value, int device) {
  return device == 0 ? cudaFuncSetAttribute(kernel, attribute, value) : fail(cudaErrorInvalidDevice);
}
