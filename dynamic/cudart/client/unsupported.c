// Functions that the simulator does not have. Their parameters do not matter.
#include "warplint/unsupported.h"
#define WARPLINT_NO_UNSUPPORTED
#include "wire.h"

static cudaError_t unsupported(const char *name) {
  note("%s is not simulated; it returns cudaErrorNotSupported", name);
  return fail(cudaErrorNotSupported);
}

#define DEFINE(name) \
  cudaError_t name(void) { return unsupported(#name); }
WARPLINT_UNSUPPORTED(DEFINE)

#define DEFINE_DRIVER(name)                                                  \
  int name(void) {                                                           \
    note("%s is not simulated; it returns CUDA_ERROR_NOT_SUPPORTED", #name); \
    return cudaErrorNotSupported; /* the same number */                      \
  }
WARPLINT_UNSUPPORTED_DRIVER(DEFINE_DRIVER)
