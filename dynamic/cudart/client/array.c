// Arrays: device memory with an element format, laid out row by row; copies that involve them.
// Textures and surfaces refer to arrays or to linear memory.
#include "warplint/texture_layout.h"
#include "wire.h"
#include <stdlib.h>
#include <string.h>

struct cudaArray {
  struct cudaChannelFormatDesc desc;
  struct cudaExtent extent;  // in elements; 0 for a dimension that is not there
  unsigned flags;
  size_t element, pitch, slice;  // bytes
  char *memory;
};

static size_t at_least_one(size_t n) { return n ? n : 1; }

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f) {
  struct cudaChannelFormatDesc d = {x, y, z, w, f};
  return d;
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned int flags) {
  if (!array || !desc || extent.width == 0) return fail(cudaErrorInvalidValue);
  struct cudaArray *a = calloc(1, sizeof *a);
  a->desc = *desc, a->extent = extent, a->flags = flags;
  a->element = (size_t)(desc->x + desc->y + desc->z + desc->w) / 8;
  a->pitch = extent.width * a->element;
  a->slice = a->pitch * at_least_one(extent.height);
  cudaError_t error = cudaMalloc((void **)&a->memory, a->slice * at_least_one(extent.depth));
  if (error != cudaSuccess) {
    free(a);
    return error;
  }
  *array = a;
  return fail(cudaSuccess);
}
cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width, size_t height, unsigned int flags) {
  return cudaMalloc3DArray(array, desc, make_cudaExtent(width, height, 0), flags);
}
cudaError_t cudaFreeArray(cudaArray_t array) {
  if (!array) return fail(cudaSuccess);
  cudaError_t error = cudaFree(array->memory);
  free(array);
  return error;
}
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned int *flags, cudaArray_t array) {
  if (!array) return fail(cudaErrorInvalidValue);
  if (desc) *desc = array->desc;
  if (extent) *extent = array->extent;
  if (flags) *flags = array->flags;
  return fail(cudaSuccess);
}
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array) {
  if (!array) return fail(cudaErrorInvalidValue);
  *desc = array->desc;
  return fail(cudaSuccess);
}

static struct side place(cudaArray_const_t a, size_t x, size_t y, size_t z) {
  struct side s = {a->memory + x + y * a->pitch + z * a->slice, a->pitch, a->slice};
  return s;
}

// copy3d_task reads cudaMemcpy3DParms: positions and the extent count elements where an array
// takes part, bytes otherwise.
cudaError_t copy3d_task(struct task *t, const struct cudaMemcpy3DParms *p) {
  if (!p) return cudaErrorInvalidValue;
  cudaArray_const_t some = p->srcArray ? p->srcArray : p->dstArray;
  size_t unit = some ? some->element : 1;
  memset(t, 0, sizeof *t);
  t->kind = TASK_COPY;
  t->copy.width = p->extent.width * unit, t->copy.height = p->extent.height, t->copy.depth = p->extent.depth;
  if (p->srcArray) {
    t->copy.from = place(p->srcArray, p->srcPos.x * p->srcArray->element, p->srcPos.y, p->srcPos.z);
  } else {
    size_t slice = p->srcPtr.pitch * p->srcPtr.ysize;
    t->copy.from = (struct side){(char *)p->srcPtr.ptr + p->srcPos.x + p->srcPos.y * p->srcPtr.pitch + p->srcPos.z * slice, p->srcPtr.pitch, slice};
  }
  if (p->dstArray) {
    t->copy.to = place(p->dstArray, p->dstPos.x * p->dstArray->element, p->dstPos.y, p->dstPos.z);
  } else {
    size_t slice = p->dstPtr.pitch * p->dstPtr.ysize;
    t->copy.to = (struct side){(char *)p->dstPtr.ptr + p->dstPos.x + p->dstPos.y * p->dstPtr.pitch + p->dstPos.z * slice, p->dstPtr.pitch, slice};
  }
  return cudaSuccess;
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
  (void)kind;
  if (!to || !from) return fail(cudaErrorInvalidValue);
  struct task t = {.kind = TASK_COPY, .copy = {place(to, x, y, 0), {(char *)from, pitch, 0}, width, height, 1}};
  return fail(submit(stream, &t));
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height, enum cudaMemcpyKind kind) {
  return cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, 0);
}
cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height, enum cudaMemcpyKind kind) {
  (void)kind;
  if (!to || !from) return fail(cudaErrorInvalidValue);
  struct task t = {.kind = TASK_COPY, .copy = {{to, pitch, 0}, place(from, x, y, 0), width, height, 1}};
  return fail(submit(0, &t));
}
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t toX, size_t toY, cudaArray_const_t from, size_t fromX, size_t fromY, size_t width, size_t height, enum cudaMemcpyKind kind) {
  (void)kind;
  if (!to || !from) return fail(cudaErrorInvalidValue);
  struct task t = {.kind = TASK_COPY, .copy = {place(to, toX, toY, 0), place(from, fromX, fromY, 0), width, height, 1}};
  return fail(submit(0, &t));
}
// A one-dimensional copy runs on over the ends of rows, which lie next to each other.
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t count, enum cudaMemcpyKind kind) {
  if (!to) return fail(cudaErrorInvalidValue);
  return cudaMemcpy(place(to, x, y, 0).pointer, from, count, kind);
}
cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t count, enum cudaMemcpyKind kind) {
  if (!from) return fail(cudaErrorInvalidValue);
  return cudaMemcpy(to, place(from, x, y, 0).pointer, count, kind);
}

// In the layout, a dimension that is not there has size 1.
static int dimension(size_t n) { return n ? (int)n : 1; }

// make_object puts a description of the resource into device memory; its address is the object.
static cudaError_t make_object(unsigned long long *object, const struct cudaResourceDesc *resource, const struct cudaTextureDesc *desc) {
  if (!object || !resource) return cudaErrorInvalidValue;
  struct warplint_texture t = {.height = 1, .depth = 1};
  struct cudaChannelFormatDesc format;
  switch (resource->resType) {
    case cudaResourceTypeArray: {
      const struct cudaArray *a = resource->res.array.array;
      if (!a) return cudaErrorInvalidValue;
      format = a->desc;
      t.memory = (uint64_t)a->memory, t.pitch = a->pitch, t.slice = a->slice;
      t.width = dimension(a->extent.width), t.height = dimension(a->extent.height), t.depth = dimension(a->extent.depth);
      break;
    }
    case cudaResourceTypeLinear:
      format = resource->res.linear.desc;
      t.memory = (uint64_t)resource->res.linear.devPtr;
      t.width = (int)resource->res.linear.sizeInBytes;  // in bytes for now
      break;
    case cudaResourceTypePitch2D:
      format = resource->res.pitch2D.desc;
      t.memory = (uint64_t)resource->res.pitch2D.devPtr, t.pitch = resource->res.pitch2D.pitchInBytes;
      t.width = dimension(resource->res.pitch2D.width), t.height = dimension(resource->res.pitch2D.height);
      break;
    default: return cudaErrorNotSupported;
  }
  if (format.x <= 0) return cudaErrorInvalidChannelDescriptor;
  t.channels = 1 + (format.y > 0) + (format.z > 0) + (format.w > 0), t.bits = format.x, t.kind = format.f;
  if (resource->resType == cudaResourceTypeLinear) t.width /= t.channels * t.bits / 8;
  if (desc) {
    for (int i = 0; i < 3; i++) t.mode[i] = desc->addressMode[i];
    t.linear_filter = desc->filterMode == cudaFilterModeLinear;
    t.normalized_read = desc->readMode == cudaReadModeNormalizedFloat;
    t.normalized_coordinates = desc->normalizedCoords;
    memcpy(t.border, desc->borderColor, sizeof t.border);
  }
  void *memory;
  cudaError_t error = cudaMalloc(&memory, sizeof t);
  if (error == cudaSuccess) error = copy_bytes(memory, &t, sizeof t);
  if (error == cudaSuccess) *object = (uint64_t)memory;
  return error;
}

// A view may only say again what the resource says.
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture, const struct cudaResourceDesc *resource, const struct cudaTextureDesc *desc, const struct cudaResourceViewDesc *view) {
  if (!desc) return fail(cudaErrorInvalidValue);
  if (view && view->format != cudaResViewFormatNone) return fail(cudaErrorNotSupported);
  return fail(make_object(texture, resource, desc));
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) { return cudaFree((void *)texture); }
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface, const struct cudaResourceDesc *resource) { return fail(make_object(surface, resource, NULL)); }
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) { return cudaFree((void *)surface); }
