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
  return WAITING(cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, 0));
}
cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
  (void)kind;
  if (!to || !from) return fail(cudaErrorInvalidValue);
  struct task t = {.kind = TASK_COPY, .copy = {{to, pitch, 0}, place(from, x, y, 0), width, height, 1}};
  return fail(submit(stream, &t));
}
cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height, enum cudaMemcpyKind kind) {
  return WAITING(cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, 0));
}
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t toX, size_t toY, cudaArray_const_t from, size_t fromX, size_t fromY, size_t width, size_t height, enum cudaMemcpyKind kind) {
  (void)kind;
  if (!to || !from) return fail(cudaErrorInvalidValue);
  struct task t = {.kind = TASK_COPY, .copy = {place(to, toX, toY, 0), place(from, fromX, fromY, 0), width, height, 1}};
  return fail(WAITING(submit(0, &t)));
}
// A one-dimensional copy runs on over the ends of rows, which lie next to each other.
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream) {
  if (!to) return fail(cudaErrorInvalidValue);
  return cudaMemcpyAsync(place(to, x, y, 0).pointer, from, count, kind, stream);
}
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t count, enum cudaMemcpyKind kind) {
  return WAITING(cudaMemcpyToArrayAsync(to, x, y, from, count, kind, 0));
}
cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream) {
  if (!from) return fail(cudaErrorInvalidValue);
  return cudaMemcpyAsync(to, place(from, x, y, 0).pointer, count, kind, stream);
}
cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t count, enum cudaMemcpyKind kind) {
  return WAITING(cudaMemcpyFromArrayAsync(to, from, x, y, count, kind, 0));
}
cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t toX, size_t toY, cudaArray_const_t from, size_t fromX, size_t fromY, size_t count, enum cudaMemcpyKind kind) {
  if (!from) return fail(cudaErrorInvalidValue);
  return cudaMemcpyToArray(to, toX, toY, place(from, fromX, fromY, 0).pointer, count, kind);
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream) {
  if (!p) return fail(cudaErrorInvalidValue);
  struct cudaMemcpy3DParms copy = {p->srcArray, p->srcPos, p->srcPtr, p->dstArray, p->dstPos, p->dstPtr, p->extent, cudaMemcpyDefault};
  return cudaMemcpy3DAsync(&copy, stream);
}
cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p) { return WAITING(cudaMemcpy3DPeerAsync(p, 0)); }

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const struct cudaChannelFormatDesc *desc, int device) {
  int bits = desc ? desc->x + desc->y + desc->z + desc->w : 0;
  if (!width || bits < 8 || device != 0) return fail(cudaErrorInvalidValue);
  *width = ((size_t)1 << 31) / (size_t)(bits / 8);
  return fail(cudaSuccess);
}

// In the layout, a dimension that is not there has size 1.
static int dimension(size_t n) { return n ? (int)n : 1; }

// A mipmapped array is an array for each level, half as large as the one before.
struct cudaMipmappedArray {
  unsigned count;
  cudaArray_t levels[16];
};

static size_t half(size_t n) { return n > 1 ? n / 2 : n; }

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned int levels, unsigned int flags) {
  if (!array || !desc || levels == 0) return fail(cudaErrorInvalidValue);
  struct cudaMipmappedArray *m = calloc(1, sizeof *m);
  for (int more = 1; more && m->count < levels && m->count < 16; m->count++) {
    cudaError_t error = cudaMalloc3DArray(&m->levels[m->count], desc, extent, flags);
    if (error != cudaSuccess) {
      cudaFreeMipmappedArray(m);
      return fail(error);
    }
    more = extent.width > 1 || extent.height > 1 || (!(flags & cudaArrayLayered) && extent.depth > 1);
    extent.width = half(extent.width), extent.height = half(extent.height);
    if (!(flags & (cudaArrayLayered | cudaArrayCubemap))) extent.depth = half(extent.depth);
  }
  *array = m;
  return fail(cudaSuccess);
}
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *level, cudaMipmappedArray_const_t array, unsigned int i) {
  if (!level || !array || i >= array->count) return fail(cudaErrorInvalidValue);
  *level = array->levels[i];
  return fail(cudaSuccess);
}
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array) {
  if (!array) return fail(cudaSuccess);
  for (unsigned i = 0; i < array->count; i++) cudaFreeArray(array->levels[i]);
  free(array);
  return fail(cudaSuccess);
}

// describe says what a resource is, or one level of it.
static cudaError_t describe(struct warplint_texture *t, const struct cudaResourceDesc *resource, unsigned level) {
  struct cudaChannelFormatDesc format;
  t->height = t->depth = 1;
  switch (resource->resType) {
    case cudaResourceTypeArray:
    case cudaResourceTypeMipmappedArray: {
      const struct cudaArray *a = resource->res.array.array;
      if (a && resource->resType == cudaResourceTypeMipmappedArray) a = resource->res.mipmap.mipmap->levels[level];
      if (!a) return cudaErrorInvalidValue;
      format = a->desc;
      t->memory = (uint64_t)a->memory, t->pitch = a->pitch, t->slice = a->slice;
      t->width = dimension(a->extent.width), t->height = dimension(a->extent.height), t->depth = dimension(a->extent.depth);
      break;
    }
    case cudaResourceTypeLinear:
      format = resource->res.linear.desc;
      t->memory = (uint64_t)resource->res.linear.devPtr;
      t->width = (int)resource->res.linear.sizeInBytes;  // in bytes for now
      break;
    case cudaResourceTypePitch2D:
      format = resource->res.pitch2D.desc;
      t->memory = (uint64_t)resource->res.pitch2D.devPtr, t->pitch = resource->res.pitch2D.pitchInBytes;
      t->width = dimension(resource->res.pitch2D.width), t->height = dimension(resource->res.pitch2D.height);
      break;
    default: return cudaErrorNotSupported;
  }
  if (format.x <= 0) return cudaErrorInvalidChannelDescriptor;
  t->channels = 1 + (format.y > 0) + (format.z > 0) + (format.w > 0), t->bits = format.x, t->kind = format.f;
  if (resource->resType == cudaResourceTypeLinear) t->width /= t->channels * t->bits / 8;
  return cudaSuccess;
}

// The objects that are there, with what they were made of.
static struct made {
  struct made *next;
  unsigned long long object;
  struct cudaResourceDesc resource;
  struct cudaTextureDesc desc;
  struct cudaResourceViewDesc view;
} *made;

// make_object puts a description of the resource into device memory; its address is the object.
static cudaError_t make_object(unsigned long long *object, const struct cudaResourceDesc *resource, const struct cudaTextureDesc *desc, const struct cudaResourceViewDesc *view) {
  if (!object || !resource) return cudaErrorInvalidValue;
  struct warplint_texture levels[16] = {0};
  unsigned count = resource->resType == cudaResourceTypeMipmappedArray && resource->res.mipmap.mipmap ? resource->res.mipmap.mipmap->count : 1;
  for (unsigned i = 0; i < count; i++) {
    struct warplint_texture *t = &levels[i];
    cudaError_t error = describe(t, resource, i);
    if (error != cudaSuccess) return error;
    if (!desc) continue;
    for (int k = 0; k < 3; k++) t->mode[k] = desc->addressMode[k];
    t->linear_filter = desc->filterMode == cudaFilterModeLinear;
    t->normalized_read = desc->readMode == cudaReadModeNormalizedFloat;
    t->normalized_coordinates = desc->normalizedCoords;
    memcpy(t->border, desc->borderColor, sizeof t->border);
    t->levels = (int)count, t->linear_levels = desc->mipmapFilterMode == cudaFilterModeLinear;
    t->level_bias = desc->mipmapLevelBias, t->least_level = desc->minMipmapLevelClamp, t->most_level = desc->maxMipmapLevelClamp;
  }
  void *memory;
  cudaError_t error = cudaMalloc(&memory, count * sizeof *levels);
  if (error == cudaSuccess) error = copy_bytes(memory, levels, count * sizeof *levels);
  if (error != cudaSuccess) return error;
  struct made *m = calloc(1, sizeof *m);
  m->next = made, m->object = *object = (uint64_t)memory, m->resource = *resource;
  if (desc) m->desc = *desc;
  if (view) m->view = *view;
  made = m;
  return cudaSuccess;
}

static const struct made *made_of(unsigned long long object) {
  const struct made *m = made;
  while (m && m->object != object) m = m->next;
  return m;
}
static cudaError_t destroy_object(unsigned long long object) {
  for (struct made **m = &made; *m; m = &(*m)->next) {
    if ((*m)->object != object) continue;
    struct made *gone = *m;
    *m = gone->next;
    free(gone);
    break;
  }
  return cudaFree((void *)object);
}

static int view_format(const struct warplint_texture *t) {
  int first = t->kind == cudaChannelFormatKindFloat ? (t->bits == 16 ? cudaResViewFormatHalf1 : cudaResViewFormatFloat1)
              : t->bits == 8                        ? cudaResViewFormatUnsignedChar1
              : t->bits == 16                       ? cudaResViewFormatUnsignedShort1
                                                    : cudaResViewFormatUnsignedInt1;
  return first + (t->kind == cudaChannelFormatKindSigned ? 3 : 0) + (t->channels == 4 ? 2 : t->channels - 1);
}

// A view may only say again what the resource says.
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture, const struct cudaResourceDesc *resource, const struct cudaTextureDesc *desc, const struct cudaResourceViewDesc *view) {
  if (!desc) return fail(cudaErrorInvalidValue);
  struct warplint_texture t = {0};
  if (view && view->format != cudaResViewFormatNone && (!resource || describe(&t, resource, 0) != cudaSuccess || (int)view->format != view_format(&t))) return fail(cudaErrorNotSupported);
  return fail(make_object(texture, resource, desc, view));
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) { return destroy_object(texture); }
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface, const struct cudaResourceDesc *resource) { return fail(make_object(surface, resource, NULL, NULL)); }
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) { return destroy_object(surface); }

#define MADE_OF(call, type, object, part)              \
  cudaError_t call(type *to, unsigned long long object) { \
    const struct made *m = made_of(object);             \
    if (!to || !m) return fail(cudaErrorInvalidValue);  \
    *to = m->part;                                      \
    return fail(cudaSuccess);                           \
  }
MADE_OF(cudaGetTextureObjectResourceDesc, struct cudaResourceDesc, texture, resource)
MADE_OF(cudaGetTextureObjectTextureDesc, struct cudaTextureDesc, texture, desc)
MADE_OF(cudaGetTextureObjectResourceViewDesc, struct cudaResourceViewDesc, texture, view)
MADE_OF(cudaGetSurfaceObjectResourceDesc, struct cudaResourceDesc, surface, resource)
