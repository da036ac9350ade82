// Device memory, memory of the host that the device sees, copies and fills.
#define _GNU_SOURCE
#include "wire.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PITCH 512

static cudaError_t call(enum operation op, uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3, struct reply *r) {
  struct request q = {.op = op, .a = {a0, a1, a2, a3}};
  return transact(&q, NULL, r, NULL);
}

// call_from is call, and says where the program's call comes from.
static cudaError_t call_from(enum operation op, uint64_t a0, uint64_t a1, uint64_t a2, struct reply *r) {
  uint64_t list[CALLERS];
  callers(list);
  struct request q = {.op = op, .payload = sizeof list, .a = {a0, a1, a2}};
  return transact(&q, list, r, NULL);
}

// connected makes sure that the shared memory is mapped.
static void connected(void) {
  if (!shared_base) call(OP_MEMORY_INFO, 0, 0, 0, 0, &(struct reply){0});
}

cudaError_t allocate(void **pointer, size_t size) {
  if (!pointer) return fail(cudaErrorInvalidValue);
  if (size == 0) {
    *pointer = NULL;
    return fail(cudaSuccess);
  }
  struct reply r;
  cudaError_t error = call_from(OP_MALLOC, size, 0, 0, &r);
  if (error == cudaSuccess) *pointer = (void *)r.r[0];
  return fail(error);
}

// To allocate and to free waits for the whole device (CUDA C++ Programming Guide, "Stream Ordered Memory Allocator").
cudaError_t cudaMalloc(void **pointer, size_t size) {
  order_await_all();
  return allocate(pointer, size);
}

static int in_shared(const void *p) { return shared_base && (char *)p >= shared_base && (char *)p < shared_base + shared_size; }

cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned int flags) {
  (void)flags;
  if (!pointer) return fail(cudaErrorInvalidValue);
  if (size == 0) {
    *pointer = NULL;
    return fail(cudaSuccess);
  }
  connected();
  order_await_all();
  struct reply r;
  cudaError_t error = call_from(OP_HOST_ALLOC, size, 0, 0, &r);
  if (error == cudaSuccess) *pointer = shared_base + r.r[0];
  return fail(error);
}

cudaError_t cudaMallocHost(void **pointer, size_t size) { return cudaHostAlloc(pointer, size, 0); }

cudaError_t cudaFreeHost(void *pointer) {
  if (!pointer) return fail(cudaSuccess);
  if (!in_shared(pointer)) return fail(cudaErrorInvalidValue);
  order_await_all();
  return fail(call(OP_HOST_FREE, (uint64_t)((char *)pointer - shared_base), 0, 0, 0, NULL));
}

cudaError_t cudaFree(void *pointer) {
  if (pointer) order_await_all();
  return release(pointer);
}

cudaError_t release(void *pointer) {
  if (!pointer) return fail(cudaSuccess);
  if (in_shared(pointer)) {
    forget_managed(pointer);
    return cudaFreeHost(pointer);
  }
  if (!is_device(pointer)) return fail(cudaErrorInvalidValue);
  if (is_graph_memory(pointer)) return fail(cudaSuccess);
  return fail(call(OP_FREE, (uint64_t)pointer, 0, 0, 0, NULL));
}

// Registered memory: its pages are replaced by shared ones with the same content.
static struct registration {
  struct registration *next;
  char *first;   // page
  size_t bytes;  // whole pages
  char *pointer;
  size_t size;
} *registrations;
static pthread_mutex_t registering = PTHREAD_MUTEX_INITIALIZER;

static struct registration **find_registration(const void *p) {
  struct registration **r = &registrations;
  while (*r && !((char *)p >= (*r)->pointer && (char *)p < (*r)->pointer + (*r)->size)) r = &(*r)->next;
  return r;
}

// The pages may be those of the caller's stack. So a thread with another stack replaces them, while the caller does nothing that
// writes to its own.
struct replacement {
  char *pages;
  size_t bytes;
  off_t offset;  // in the shared memory, or -1 for pages of the process
  int failed;
  atomic_int ready, done;
};

static void *replace_pages(void *p) {
  struct replacement *x = p;
  while (!atomic_load(&x->ready)) sched_yield();
  if (x->offset >= 0) {
    memcpy(shared_base + x->offset, x->pages, x->bytes);
    x->failed = mmap(x->pages, x->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, shared_descriptor, x->offset) == MAP_FAILED;
  } else {
    char *copy = mmap(NULL, x->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    x->failed = copy == MAP_FAILED;
    if (!x->failed) {
      memcpy(copy, x->pages, x->bytes);
      x->failed = mremap(copy, x->bytes, x->bytes, MREMAP_MAYMOVE | MREMAP_FIXED, x->pages) == MAP_FAILED;
    }
  }
  atomic_store(&x->done, 1);
  return NULL;
}

static int replace(char *pages, size_t bytes, off_t offset) {
  struct replacement *x = calloc(1, sizeof *x);
  *x = (struct replacement){pages, bytes, offset};
  pthread_t thread;
  if (pthread_create(&thread, NULL, replace_pages, x)) {
    free(x);
    return -1;
  }
  atomic_store(&x->ready, 1);
  while (!atomic_load(&x->done));
  pthread_join(thread, NULL);
  int failed = x->failed;
  free(x);
  return failed;
}

cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned int flags) {
  (void)flags;
  if (!pointer || size == 0) return fail(cudaErrorInvalidValue);
  connected();
  order_await_all();
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *first = (char *)((uintptr_t)pointer & ~(page - 1));
  size_t bytes = (((size_t)((char *)pointer - first) + size) + page - 1) & ~(page - 1);
  pthread_mutex_lock(&registering);
  for (struct registration *r = registrations; r; r = r->next)
    if (first < r->first + r->bytes && r->first < first + bytes) {
      pthread_mutex_unlock(&registering);
      return fail(cudaErrorHostMemoryAlreadyRegistered);
    }
  struct reply r;
  cudaError_t error = call(OP_HOST_ALLOC, bytes, 0, 0, 0, &r);
  if (error == cudaSuccess) {
    if (replace(first, bytes, (off_t)r.r[0]))
      error = cudaErrorOperatingSystem;
    else
      error = call_from(OP_HOST_MAP, (uint64_t)first, bytes, r.r[0], NULL);
  }
  if (error == cudaSuccess) {
    struct registration *n = malloc(sizeof *n);
    *n = (struct registration){registrations, first, bytes, pointer, size};
    registrations = n;
  }
  pthread_mutex_unlock(&registering);
  return fail(error);
}

cudaError_t cudaHostUnregister(void *pointer) {
  pthread_mutex_lock(&registering);
  struct registration **at = find_registration(pointer), *r = *at;
  if (!r || r->pointer != pointer) {
    pthread_mutex_unlock(&registering);
    return fail(cudaErrorHostMemoryNotRegistered);
  }
  order_await_all();
  replace(r->first, r->bytes, -1);
  cudaError_t error = call(OP_HOST_UNMAP, (uint64_t)r->first, 0, 0, 0, NULL);  // the shared pages are empty from here on
  *at = r->next;
  free(r);
  pthread_mutex_unlock(&registering);
  return fail(error);
}

int is_visible_to_device(const void *p) { return is_device(p) || in_shared(p) || is_managed(p) || *find_registration(p); }

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags) {
  (void)flags;
  if (!device || !is_visible_to_device(host)) return fail(cudaErrorInvalidValue);
  *device = host;
  return fail(cudaSuccess);
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *host) {
  if (!flags || !is_visible_to_device(host)) return fail(cudaErrorInvalidValue);
  *flags = cudaHostAllocMapped;
  return fail(cudaSuccess);
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
  struct cudaPitchedPtr p;
  if (!pointer || !pitch) return fail(cudaErrorInvalidValue);
  cudaError_t error = cudaMalloc3D(&p, (struct cudaExtent){width, height, 1});
  if (error == cudaSuccess) *pointer = p.ptr, *pitch = p.pitch;
  return error;
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitched, struct cudaExtent extent) {
  if (!pitched) return fail(cudaErrorInvalidValue);
  pitched->pitch = (extent.width + PITCH - 1) / PITCH * PITCH;
  pitched->xsize = extent.width, pitched->ysize = extent.height;
  size_t rows, bytes;
  if (extent.width > SIZE_MAX - PITCH || __builtin_mul_overflow(extent.height, extent.depth, &rows) || __builtin_mul_overflow(pitched->pitch, rows, &bytes))
    return fail(cudaErrorMemoryAllocation);
  return cudaMalloc(&pitched->ptr, bytes);
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
  struct reply r;
  cudaError_t error = call(OP_MEMORY_INFO, 0, 0, 0, 0, &r);
  if (error == cudaSuccess) *free = r.r[0], *total = r.r[1];
  return fail(error);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer) {
  if (!attributes) return fail(cudaErrorInvalidValue);
  memset(attributes, 0, sizeof *attributes);
  if (is_device(pointer)) {
    attributes->type = cudaMemoryTypeDevice;
    attributes->devicePointer = (void *)pointer;
  } else if (is_visible_to_device(pointer)) {
    attributes->type = is_managed(pointer) ? cudaMemoryTypeManaged : cudaMemoryTypeHost;
    attributes->devicePointer = attributes->hostPointer = (void *)pointer;
  } else {
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->hostPointer = (void *)pointer;
  }
  return fail(cudaSuccess);
}

// The staging area is one; copies through it must not mix.
static pthread_mutex_t staging = PTHREAD_MUTEX_INITIALIZER;

static cudaError_t stage(void *to, const void *from, size_t count) {
  connected();
  // A wrong count is the device's error before it is one of the host's memory.
  const void *device = is_device(to) ? to : from;
  struct reply found;
  if (call(OP_FIND_ALLOCATION, (uint64_t)device, 0, 0, 0, &found) == cudaSuccess && found.r[2] == 1 && count > found.r[0] + found.r[1] - (uint64_t)device) {
    note_as(NOTE_TOLD, "cudaMemcpy: %zu bytes at %p go beyond the allocation's %zu bytes at %p", count, device, (size_t)found.r[1], (void *)found.r[0]);
    return cudaErrorInvalidValue;
  }
  pthread_mutex_lock(&staging);
  cudaError_t error = cudaSuccess;
  for (size_t done = 0; done < count && error == cudaSuccess;) {
    size_t n = count - done < staging_size ? count - done : staging_size;
    if (is_device(to)) {
      memcpy(shared_base, (const char *)from + done, n);
      error = call(OP_STAGE_TO_DEVICE, (uint64_t)to + done, n, 0, 0, NULL);
    } else {
      error = call(OP_DEVICE_TO_STAGE, (uint64_t)from + done, n, 0, 0, NULL);
      if (error == cudaSuccess) memcpy((char *)to + done, shared_base, n);
    }
    done += n;
  }
  pthread_mutex_unlock(&staging);
  order_touch(!is_device(to), is_device(to) ? from : to, count);
  return error;
}

cudaError_t copy_bytes(void *to, const void *from, size_t count) {
  if (count == 0) return cudaSuccess;
  if (is_device(to) && is_device(from)) return call(OP_DEVICE_COPY, (uint64_t)to, (uint64_t)from, count, 0, NULL);
  if (is_device(to) || is_device(from)) return stage(to, from, count);
  order_touch(0, from, count), order_touch(1, to, count);
  memmove(to, from, count);
  return cudaSuccess;
}

cudaError_t fill(void *at, unsigned value, unsigned element, size_t count) {
  if (count == 0) return cudaSuccess;
  if (is_device(at)) return call(OP_MEMSET, (uint64_t)at, value, element, count, NULL);
  order_touch(1, at, count * element);
  for (size_t i = 0; i < count; i++) memcpy((char *)at + i * element, &value, element);
  return cudaSuccess;
}

// direction checks that the kind of a copy fits its pointers.
static cudaError_t direction(const void *to, const void *from, enum cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToHost: return is_device(to) || is_device(from) ? cudaErrorInvalidValue : cudaSuccess;
    case cudaMemcpyHostToDevice: return !is_visible_to_device(to) || is_device(from) ? cudaErrorInvalidValue : cudaSuccess;
    case cudaMemcpyDeviceToHost: return is_device(to) || !is_visible_to_device(from) ? cudaErrorInvalidValue : cudaSuccess;
    case cudaMemcpyDeviceToDevice: return is_visible_to_device(to) && is_visible_to_device(from) ? cudaSuccess : cudaErrorInvalidValue;
    case cudaMemcpyDefault: return cudaSuccess;
  }
  return cudaErrorInvalidMemcpyDirection;
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
  if (width == 0 || height == 0) return fail(cudaSuccess);
  if (!to || !from) return fail(cudaErrorInvalidValue);
  if (height > 1 && (width > toPitch || width > fromPitch)) return fail(cudaErrorInvalidPitchValue);
  cudaError_t error = direction(to, from, kind);
  if (error != cudaSuccess) return fail(error);
  struct task t = {.kind = TASK_COPY, .copy = {{to, toPitch, 0}, {(char *)from, fromPitch, 0}, width, height, 1}};
  return fail(submit(stream, &t));
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream) {
  return cudaMemcpy2DAsync(to, count, from, count, count, 1, kind, stream);
}
cudaError_t cudaMemcpy(void *to, const void *from, size_t count, enum cudaMemcpyKind kind) {
  return WAITING(cudaMemcpyAsync(to, from, count, kind, 0));
}
// The copies of a batch may be done in any order, and are done in that of the list.
cudaError_t cudaMemcpyBatchAsync(void **to, void **from, size_t *sizes, size_t count, struct cudaMemcpyAttributes *attributes, size_t *firsts, size_t kinds, size_t *failed, cudaStream_t stream) {
  (void)attributes, (void)firsts, (void)kinds;
  cudaError_t error = stream ? cudaSuccess : fail(cudaErrorInvalidValue);
  if (failed) *failed = SIZE_MAX;
  for (size_t i = 0; error == cudaSuccess && i < count; i++) {
    error = cudaMemcpyAsync(to[i], from[i], sizes[i], cudaMemcpyDefault, stream);
    if (error != cudaSuccess && failed) *failed = i;
  }
  return error;
}
cudaError_t cudaMemcpyPeerAsync(void *to, int toDevice, const void *from, int fromDevice, size_t count, cudaStream_t stream) {
  (void)toDevice, (void)fromDevice;
  return cudaMemcpyAsync(to, from, count, cudaMemcpyDefault, stream);
}
cudaError_t cudaMemcpyPeer(void *to, int toDevice, const void *from, int fromDevice, size_t count) {
  return WAITING(cudaMemcpyPeerAsync(to, toDevice, from, fromDevice, count, 0));
}
cudaError_t cudaMemcpy2D(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height, enum cudaMemcpyKind kind) {
  return WAITING(cudaMemcpy2DAsync(to, toPitch, from, fromPitch, width, height, kind, 0));
}
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *copy, cudaStream_t stream) {
  struct task t;
  cudaError_t error = copy3d_task(&t, copy);
  return fail(error == cudaSuccess ? submit(stream, &t) : error);
}
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *copy) { return WAITING(cudaMemcpy3DAsync(copy, 0)); }

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t count, cudaStream_t stream) {
  return cudaMemset2DAsync(pointer, count, value, count, 1, stream);
}
cudaError_t cudaMemset(void *pointer, int value, size_t count) { return WAITING(cudaMemsetAsync(pointer, value, count, 0)); }
cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height) {
  return WAITING(cudaMemset2DAsync(pointer, pitch, value, width, height, 0));
}
cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
  if (width == 0 || height == 0) return fail(cudaSuccess);
  if (!is_visible_to_device(pointer)) return fail(cudaErrorInvalidValue);
  struct task t = {.kind = TASK_FILL, .fill = {{pointer, pitch, 0}, (unsigned char)value, 1, width, height, 1}};
  return fail(submit(stream, &t));
}
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent extent, cudaStream_t stream) {
  struct task t = {.kind = TASK_FILL, .fill = {{p.ptr, p.pitch, p.pitch * p.ysize}, (unsigned char)value, 1, extent.width, extent.height, extent.depth}};
  return fail(submit(stream, &t));
}
cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent extent) { return WAITING(cudaMemset3DAsync(p, value, extent, 0)); }

// Pools: one heap serves them all; a pool is only a name.
struct CUmemPoolHandle_st {
  uint64_t threshold;
};
static struct CUmemPoolHandle_st default_pool;

cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream) {
  enum cudaStreamCaptureStatus status;
  cudaStreamIsCapturing(stream, &status);
  cudaError_t error = allocate(pointer, size);
  if (error != cudaSuccess || status == cudaStreamCaptureStatusNone) return error;
  keep_graph_memory(*pointer, size);
  struct task t = {.kind = TASK_ALLOC, .memory = {*pointer, size}};
  return fail(submit(stream, &t));
}
cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  (void)pool;
  return cudaMallocAsync(pointer, size, stream);
}
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
  if (!pointer) return fail(cudaSuccess);
  struct task t = {.kind = TASK_FREE, .memory = {pointer, 0}};
  return fail(submit(stream, &t));
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
  if (!pool || device != 0) return fail(cudaErrorInvalidValue);
  *pool = &default_pool;
  return fail(cudaSuccess);
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) { return cudaDeviceGetDefaultMemPool(pool, device); }
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) { return fail(device == 0 && pool ? cudaSuccess : cudaErrorInvalidValue); }
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *props) {
  if (!pool || !props) return fail(cudaErrorInvalidValue);
  if (props->handleTypes != cudaMemHandleTypeNone) return fail(cudaErrorNotSupported);
  *pool = calloc(1, sizeof **pool);
  return fail(*pool ? cudaSuccess : cudaErrorMemoryAllocation);
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  if (!pool || pool == &default_pool) return fail(cudaErrorInvalidValue);
  free(pool);
  return fail(cudaSuccess);
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep) {
  (void)keep;
  return fail(pool ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value) {
  if (!pool || !value) return fail(cudaErrorInvalidValue);
  if (attribute == cudaMemPoolAttrReleaseThreshold) pool->threshold = *(uint64_t *)value;
  return fail(cudaSuccess);
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value) {
  if (!pool || !value) return fail(cudaErrorInvalidValue);
  switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold: *(uint64_t *)value = pool->threshold; break;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemCurrent:
    case cudaMemPoolAttrUsedMemHigh: {
      size_t available = 0, total = 0;
      cudaMemGetInfo(&available, &total);
      *(uint64_t *)value = total - available;
      break;
    }
    default: *(int *)value = 1;
  }
  return fail(cudaSuccess);
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list, size_t count) {
  (void)list, (void)count;
  return fail(pool ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool, struct cudaMemLocation *location) {
  if (!flags || !pool || !location) return fail(cudaErrorInvalidValue);
  *flags = cudaMemAccessFlagsProtReadWrite;
  return fail(cudaSuccess);
}
