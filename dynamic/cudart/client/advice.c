// What a program advises of managed memory. Memory is where both sides reach it, so advice is only kept for who asks.
#include "wire.h"

static cudaError_t known(const void *pointer, size_t count, int device) {
  if (count == 0 || !is_visible_to_device(pointer)) return cudaErrorInvalidValue;
  return device == 0 || device == cudaCpuDeviceId ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t count, int device, cudaStream_t stream) {
  (void)stream;
  cudaError_t error = known(pointer, count, device);
  struct advice *a = advice_of(pointer);
  if (error == cudaSuccess && a) a->prefetched = device;
  return fail(error);
}

cudaError_t cudaMemAdvise(const void *pointer, size_t count, enum cudaMemoryAdvise advice, int device) {
  // Some take no notice of the device.
  int ignored = advice == cudaMemAdviseSetReadMostly || advice == cudaMemAdviseUnsetReadMostly || advice == cudaMemAdviseUnsetPreferredLocation;
  cudaError_t error = known(pointer, count, ignored ? 0 : device);
  struct advice none, *a = advice_of(pointer);
  if (error != cudaSuccess) return fail(error);
  if (!a) a = &none;
  int *accessed = device == cudaCpuDeviceId ? &a->accessed_by_host : &a->accessed_by_device;
  switch (advice) {
    case cudaMemAdviseSetReadMostly: a->read_mostly = 1; break;
    case cudaMemAdviseUnsetReadMostly: a->read_mostly = 0; break;
    case cudaMemAdviseSetPreferredLocation: a->preferred = device; break;
    case cudaMemAdviseUnsetPreferredLocation: a->preferred = cudaInvalidDeviceId; break;
    case cudaMemAdviseSetAccessedBy: *accessed = 1; break;
    case cudaMemAdviseUnsetAccessedBy: *accessed = 0; break;
    default: return fail(cudaErrorInvalidValue);
  }
  return fail(cudaSuccess);
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t size, enum cudaMemRangeAttribute attribute, const void *pointer, size_t count) {
  const struct advice *a = advice_of(pointer);
  int *out = data, list = attribute == cudaMemRangeAttributeAccessedBy;
  if (!out || !a || count == 0 || size == 0 || size % sizeof *out || (!list && size != sizeof *out)) return fail(cudaErrorInvalidValue);
  switch (attribute) {
    case cudaMemRangeAttributeReadMostly: *out = a->read_mostly; break;
    case cudaMemRangeAttributePreferredLocation: *out = a->preferred; break;
    case cudaMemRangeAttributeLastPrefetchLocation: *out = a->prefetched; break;
    case cudaMemRangeAttributeAccessedBy: {
      size_t n = 0, room = size / sizeof *out;
      if (a->accessed_by_device) out[n++] = 0;
      if (a->accessed_by_host && n < room) out[n++] = cudaCpuDeviceId;
      while (n < room) out[n++] = cudaInvalidDeviceId;
      break;
    }
    default: return fail(cudaErrorInvalidValue);
  }
  return fail(cudaSuccess);
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *sizes, enum cudaMemRangeAttribute *attributes, size_t n, const void *pointer, size_t count) {
  if (!data || !sizes || !attributes || n == 0) return fail(cudaErrorInvalidValue);
  cudaError_t error = cudaSuccess;
  for (size_t i = 0; i < n && error == cudaSuccess; i++) error = cudaMemRangeGetAttribute(data[i], sizes[i], attributes[i], pointer, count);
  return error;
}
