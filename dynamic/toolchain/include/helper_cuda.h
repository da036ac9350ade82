// What NVIDIA's samples share for errors and devices, for programs that come without it.
#pragma once
#include "cuda_runtime.h"
#include "helper_string.h"

namespace warplint {
template <class E> void check(E result, const char *call, const char *file, int line) {
  if (!result) return;
  const char *name = "";
  if constexpr (std::is_same<E, cudaError_t>::value) name = cudaGetErrorName(result);
  fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\" \n", file, line, (int)result, name, call);
  exit(EXIT_FAILURE);
}
inline void last_error(const char *message, const char *file, int line, bool ends) {
  cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s(%i) : getLastCudaError() CUDA error : %s : (%d) %s.\n", file, line, message, (int)error, cudaGetErrorString(error));
  if (ends) exit(EXIT_FAILURE);
}
}  // namespace warplint
#define checkCudaErrors(call) ::warplint::check((call), #call, __FILE__, __LINE__)
#define getLastCudaError(message) ::warplint::last_error(message, __FILE__, __LINE__, true)
#define printLastCudaError(message) ::warplint::last_error(message, __FILE__, __LINE__, false)
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif

inline const char *_cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }
#ifdef CUBLAS_API_H_
inline const char *_cudaGetErrorEnum(cublasStatus_t status) { return cublasGetStatusName(status); }
#endif
inline int ftoi(float value) { return (int)(value >= 0 ? value + 0.5 : value - 0.5); }
inline int _ConvertSMVer2Cores(int major, int minor) { return major == 6 && minor == 0 || major == 7 || major == 8 && minor == 0 ? 64 : 128; }
inline const char *_ConvertSMVer2ArchName(int major, int) { return major >= 9 ? "Hopper" : major == 8 ? "Ampere" : "Volta"; }
inline int gpuDeviceInit(int device) {
  checkCudaErrors(cudaSetDevice(device < 0 ? 0 : device));
  return device < 0 ? 0 : device;
}
inline int gpuGetMaxGflopsDeviceId() { return 0; }
inline int findCudaDevice(int argc, const char **argv) {
  int device = gpuDeviceInit(checkCmdLineFlag(argc, argv, "device") ? getCmdLineArgumentInt(argc, argv, "device") : 0);
  cudaDeviceProp p;
  checkCudaErrors(cudaGetDeviceProperties(&p, device));
  printf("GPU Device %d: \"%s\" with compute capability %d.%d\n\n", device, _ConvertSMVer2ArchName(p.major, p.minor), p.major, p.minor);
  return device;
}
inline bool checkCudaCapabilities(int major, int minor) {
  cudaDeviceProp p;
  checkCudaErrors(cudaGetDeviceProperties(&p, 0));
  return p.major > major || p.major == major && p.minor >= minor;
}
