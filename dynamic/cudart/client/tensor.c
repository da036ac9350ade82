// Tensor maps, and the driver's functions by their names. What is in a map is for the simulator alone to read: sim/tensor_copy.go.
#define _GNU_SOURCE
#include "cuda.h"
#include "wire.h"
#include <dlfcn.h>
#include <string.h>

static CUresult wrong(const char *what) {
  note_as(NOTE_TOLD, "cuTensorMapEncodeTiled: %s", what);
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address, const cuuint64_t *sizes,
                                const cuuint64_t *strides, const cuuint32_t *box, const cuuint32_t *steps, CUtensorMapInterleave interleave,
                                CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  static const unsigned char bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  (void)promotion;
  if (!map || !sizes || !box || !steps || rank > 1 && !strides) return wrong("an argument is a null pointer");
  if ((unsigned)type >= sizeof bytes) {
    note("cuTensorMapEncodeTiled: elements of type %d are not simulated", (int)type);
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE || (unsigned)swizzle > CU_TENSOR_MAP_SWIZZLE_128B) {
    note("cuTensorMapEncodeTiled: interleaved layouts and swizzles but of 32, 64 and 128 bytes are not simulated");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  if (rank < 1 || rank > 5) return wrong("a tensor has one to five dimensions");
  if (!address || (size_t)address % 16) return wrong("the tensor's address is no multiple of 16");
  CUtensorMap m = {{0}};
  cuuint64_t row = (cuuint64_t)box[0] * bytes[type];
  if (row % 16) return wrong("a row of the box is no multiple of 16 bytes");
  if (swizzle && row > 16u << swizzle) return wrong("a row of the box is longer than the swizzle");
  m.opaque[0] = 0x4d544c57 | (cuuint64_t)rank << 32 | (cuuint64_t)type << 40 | (cuuint64_t)swizzle << 48 | (cuuint64_t)fill << 56;
  m.opaque[1] = (cuuint64_t)address;
  for (unsigned d = 0; d < rank; d++) {
    if (sizes[d] < 1 || sizes[d] > 1ull << 32) return wrong("a dimension has no elements, or more than 2^32");
    if (box[d] < 1 || box[d] > 256) return wrong("a box has one to 256 elements along each dimension");
    if (steps[d] < 1 || steps[d] > 8) return wrong("elements are one to eight apart");
    if (steps[d] != 1) {
      note("cuTensorMapEncodeTiled: boxes of elements that are not next to each other are not simulated");
      return CUDA_ERROR_NOT_SUPPORTED;
    }
    m.opaque[2 + d] = sizes[d];
    if (d > 0) {
      if (strides[d - 1] % 16 || strides[d - 1] >= 1ull << 40) return wrong("a stride is no multiple of 16 bytes, or 2^40 or more");
      m.opaque[6 + d] = strides[d - 1];
    }
    m.opaque[11 + d / 4] |= (cuuint64_t)box[d] << 16 * (d % 4);
  }
  *map = m;
  return CUDA_SUCCESS;
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address) {
  if (!map || !address || (size_t)address % 16) return CUDA_ERROR_INVALID_VALUE;
  map->opaque[1] = (cuuint64_t)address;
  return CUDA_SUCCESS;
}

CUresult cuTensorMapEncodeIm2col(void) {
  note("cuTensorMapEncodeIm2col is not simulated; it returns CUDA_ERROR_NOT_SUPPORTED");
  return CUDA_ERROR_NOT_SUPPORTED;
}

// find gives a function of the driver API that the simulator has.
static void *find(const char *name) { return name && strncmp(name, "cu", 2) == 0 && strncmp(name, "cuda", 4) != 0 ? dlsym(RTLD_DEFAULT, name) : NULL; }

cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags, enum cudaDriverEntryPointQueryResult *result) {
  (void)flags;
  if (!name || !function) return fail(cudaErrorInvalidValue);
  *function = find(name);
  if (result) *result = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  if (!*function) note("the driver's function %s is not simulated", name);
  return *function || result ? cudaSuccess : fail(cudaErrorSymbolNotFound);
}
cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned int version, unsigned long long flags, enum cudaDriverEntryPointQueryResult *result) {
  (void)version;
  return cudaGetDriverEntryPoint(name, function, flags, result);
}
CUresult cuGetProcAddress(const char *name, void **function, int version, cuuint64_t flags, CUdriverProcAddressQueryResult *result) {
  (void)version, (void)flags;
  if (!name || !function) return CUDA_ERROR_INVALID_VALUE;
  *function = find(name);
  if (result) *result = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
