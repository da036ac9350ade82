// Managed memory: host and device share it. Variables lie at the address that the host's program gave them.
#define _GNU_SOURCE
#include "wire.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Where the program has its managed variables, if it has any (crt/host_defines.h).
extern char __start_warplint_managed[] __attribute__((weak)), __stop_warplint_managed[] __attribute__((weak));

static int in_section(const char *p) { return __start_warplint_managed && p >= __start_warplint_managed && p < __stop_warplint_managed; }

static struct allocation {
  struct allocation *next;
  char *pointer;
  size_t size;
  struct advice advice;
} *allocations;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct allocation **find(const char *p) {
  struct allocation **a = &allocations;
  while (*a && !(p >= (*a)->pointer && p < (*a)->pointer + (*a)->size)) a = &(*a)->next;
  return a;
}

int is_managed(const void *p) {
  pthread_mutex_lock(&lock);
  int known = *find(p) != NULL;
  pthread_mutex_unlock(&lock);
  return known || in_section(p);
}

struct advice *advice_of(const void *p) {
  pthread_mutex_lock(&lock);
  struct allocation *a = *find(p);
  pthread_mutex_unlock(&lock);
  static struct advice variables = {.preferred = cudaInvalidDeviceId, .prefetched = cudaInvalidDeviceId};
  return a ? &a->advice : in_section(p) ? &variables : NULL;
}

cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned int flags) {
  if (!pointer || size == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)) return fail(cudaErrorInvalidValue);
  cudaError_t error = cudaHostAlloc(pointer, size, 0);
  if (error != cudaSuccess) return error;
  pthread_mutex_lock(&lock);
  struct allocation *a = malloc(sizeof *a);
  *a = (struct allocation){allocations, *pointer, size, {.preferred = cudaInvalidDeviceId, .prefetched = cudaInvalidDeviceId}};
  allocations = a;
  pthread_mutex_unlock(&lock);
  return cudaSuccess;
}

void forget_managed(const void *pointer) {
  pthread_mutex_lock(&lock);
  struct allocation **at = find(pointer), *a = *at;
  if (a) *at = a->next;
  pthread_mutex_unlock(&lock);
  free(a);
}

void share_managed(uint64_t module, char *host, const char *name, size_t size) {
  static uint64_t offset;  // of the section's first page, once it is shared
  static int shared;
  if (!in_section(host)) return;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *first = (char *)((uintptr_t)__start_warplint_managed & ~(page - 1));
  size_t bytes = ((size_t)(__stop_warplint_managed - first) + page - 1) & ~(page - 1);
  if (!shared) {
    struct request q = {.op = OP_HOST_ALLOC, .a = {bytes}};
    struct reply r;
    if (transact_early(&q, NULL, &r, NULL) != cudaSuccess) return;
    offset = r.r[0];
    memcpy(shared_base + offset, first, bytes);
    if (mmap(first, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, shared_descriptor, (off_t)offset) == MAP_FAILED) {
      note("managed variables can't be shared with the device");
      return;
    }
    shared = 1;
  }
  struct request q = {.op = OP_BIND_VARIABLE, .payload = (uint32_t)strlen(name), .a = {module, (uint64_t)host, size, offset + (uint64_t)(host - first)}};
  transact_early(&q, name, NULL, NULL);
}
