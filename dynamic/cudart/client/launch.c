// Registration of modules, functions and variables; launches; what can be asked of a kernel.
#include "wire.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What clang and nvcc put behind the wrapper that they register (magic 0x466243b1). A fat
// binary has a header with its size; what clang embeds for us is a text that ends with NUL.
struct wrapper {
  int magic, version;
  const void *data;
  void *more;
};
struct fat_header {
  uint32_t magic;  // 0xba55ed50
  uint16_t version, header_size;
  uint64_t size;
};

struct function {
  struct function *next;
  const void *host;
  uint64_t module;
  char *name;
  int found;
  cudaError_t error;
  uint64_t id;
  struct function_info info;
  struct parameter_info *parameters;
  int max_dynamic;  // set by cudaFuncSetAttribute; -1 if never
  int large_clusters;
};

struct variable {
  struct variable *next;
  const void *host;
  uint64_t module;
  char *name;
  size_t size;
};

static pthread_mutex_t tables = PTHREAD_MUTEX_INITIALIZER;
static struct function *functions;
static struct variable *variables;

size_t image_size(const void *image) {
  const struct fat_header *fat = image;
  return fat->magic == 0xba55ed50u ? fat->header_size + fat->size : strlen(image);
}

void **__cudaRegisterFatBinary(void *data) {
  const struct wrapper *w = data;
  struct request q = {.op = OP_LOAD_MODULE, .payload = (uint32_t)image_size(w->data)};
  struct reply r;
  uint64_t *module = calloc(1, sizeof *module);
  if (transact_early(&q, w->data, &r, NULL) == cudaSuccess) *module = r.r[0];
  return (void **)module;
}

void __cudaRegisterFatBinaryEnd(void **module) { (void)module; }

void __cudaUnregisterFatBinary(void **module) {
  struct request q = {.op = OP_UNLOAD_MODULE, .a = {*(uint64_t *)module}};
  transact_early(&q, NULL, NULL, NULL);
  free(module);
}

static struct function *add_function(const void *host, uint64_t module, const char *name) {
  struct function *f = calloc(1, sizeof *f);
  f->host = host ? host : f, f->module = module, f->name = strdup(name), f->max_dynamic = -1;
  pthread_mutex_lock(&tables);
  f->next = functions;
  functions = f;
  pthread_mutex_unlock(&tables);
  return f;
}

const void *module_function(uint64_t module, const char *name) { return add_function(NULL, module, name)->host; }

void __cudaRegisterFunction(void **module, const char *host, char *device, const char *name, int limit, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp) {
  (void)device, (void)limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
  add_function(host, *(uint64_t *)module, name);
}

void __cudaRegisterVar(void **module, char *host, char *device, const char *name, int external, size_t size, int constant, int global) {
  (void)device, (void)external, (void)constant, (void)global;
  struct variable *v = calloc(1, sizeof *v);
  v->host = host, v->module = *(uint64_t *)module, v->name = strdup(name), v->size = size;
  if (!external) share_managed(v->module, host, name, size);
  pthread_mutex_lock(&tables);
  v->next = variables;
  variables = v;
  pthread_mutex_unlock(&tables);
}

void __cudaRegisterManagedVar(void **module, void **host, char *device, const char *name, int external, size_t size, int constant, int global) {
  __cudaRegisterVar(module, (char *)host, device, name, external, size, constant, global);
}

// find_function looks a kernel up and asks the simulator about it at its first use.
static cudaError_t find_function(const void *host, struct function **found) {
  pthread_mutex_lock(&tables);
  struct function *f = functions;
  while (f && f->host != host) f = f->next;
  if (f && !f->found) {
    f->found = 1;
    struct request q = {.op = OP_FIND_FUNCTION, .payload = (uint32_t)strlen(f->name), .a = {f->module, f->host == f}};
    struct reply r;
    void *out = NULL;
    f->error = transact(&q, f->name, &r, &out);
    if (f->error == cudaSuccess) {
      f->id = r.r[0];
      memcpy(&f->info, out, sizeof f->info);
      size_t bytes = f->info.parameters * sizeof *f->parameters;
      f->parameters = malloc(bytes + 1);
      memcpy(f->parameters, (char *)out + sizeof f->info, bytes);
    }
    free(out);
  }
  pthread_mutex_unlock(&tables);
  *found = f;
  return f ? f->error : cudaErrorInvalidDeviceFunction;
}

cudaError_t function_info(const void *function, const struct function_info **info) {
  struct function *f;
  cudaError_t error = find_function(function, &f);
  if (error == cudaSuccess) *info = &f->info;
  return error;
}

cudaError_t split_parameters(const void *function, char *buffer, void **pointers, size_t room) {
  struct function *f;
  cudaError_t error = find_function(function, &f);
  if (error != cudaSuccess) return error;
  if (f->info.parameters > room) return cudaErrorInvalidValue;
  for (uint32_t i = 0; i < f->info.parameters; i++) pointers[i] = buffer + f->parameters[i].offset;
  return cudaSuccess;
}

static cudaError_t find_variable(const void *host, size_t count, size_t offset, char **at, size_t *size) {
  pthread_mutex_lock(&tables);
  struct variable *v = variables;
  while (v && v->host != host) v = v->next;
  pthread_mutex_unlock(&tables);
  if (!v) return cudaErrorInvalidSymbol;
  struct request q = {.op = OP_FIND_VARIABLE, .payload = (uint32_t)strlen(v->name), .a = {v->module}};
  struct reply r;
  cudaError_t error = transact(&q, v->name, &r, NULL);
  if (error != cudaSuccess) return error;
  if (offset > r.r[1] || count > r.r[1] - offset) return cudaErrorInvalidValue;
  *at = (char *)r.r[0] + offset;
  if (size) *size = r.r[1];
  return cudaSuccess;
}

cudaError_t symbol_address(const void *symbol, size_t count, size_t offset, char **at) { return find_variable(symbol, count, offset, at, NULL); }

cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol) { return fail(find_variable(symbol, 0, 0, (char **)pointer, NULL)); }

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol) {
  char *at;
  return fail(find_variable(symbol, 0, 0, &at, size));
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t count, size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream) {
  char *at;
  cudaError_t error = find_variable(symbol, count, offset, &at, NULL);
  return error == cudaSuccess ? cudaMemcpyAsync(at, from, count, kind, stream) : fail(error);
}
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t count, size_t offset, enum cudaMemcpyKind kind) {
  return WAITING(cudaMemcpyToSymbolAsync(symbol, from, count, offset, kind, 0));
}
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream) {
  char *at;
  cudaError_t error = find_variable(symbol, count, offset, &at, NULL);
  return error == cudaSuccess ? cudaMemcpyAsync(to, at, count, kind, stream) : fail(error);
}
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind) {
  return WAITING(cudaMemcpyFromSymbolAsync(to, symbol, count, offset, kind, 0));
}

// The configuration of <<<>>> waits here until the kernel's stub takes it.
static __thread struct {
  dim3 grid, block;
  size_t shared;
  void *stream;
  uint64_t callers[CALLERS];
} configurations[16];
static __thread int configured;
static __thread int by_stub;  // the present launch is one of <<<>>>, whose error nobody gets but who asks for the last one
static __thread uint64_t launched_from[CALLERS];  // then, as the stub stands where the kernel does

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream) {
  if (configured == 16) return 1;
  configurations[configured].grid = grid, configurations[configured].block = block;
  configurations[configured].shared = shared, configurations[configured].stream = stream;
  callers(configurations[configured].callers);
  configured++;
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
  if (configured == 0) return cudaErrorMissingConfiguration;
  configured--;
  memcpy(launched_from, configurations[configured].callers, sizeof launched_from);
  by_stub = 1;
  *grid = configurations[configured].grid, *block = configurations[configured].block;
  *shared = configurations[configured].shared, *(void **)stream = configurations[configured].stream;
  return cudaSuccess;
}

enum { MAX_STATIC_SHARED = 48 * 1024, MAX_SHARED = 227 * 1024, MAX_THREADS = 1024 };

static cudaError_t check_configuration(const struct function *f, dim3 grid, dim3 block, size_t shared, int cooperative, const char **why) {
  *why = "its grid has no blocks";
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return cudaErrorInvalidConfiguration;
  *why = "its blocks have no threads";
  if (block.x == 0 || block.y == 0 || block.z == 0) return cudaErrorInvalidConfiguration;
  *why = "its grid is larger than 2147483647 x 65535 x 65535 blocks";
  if (grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535) return cudaErrorInvalidConfiguration;
  *why = "a block can have 1024 threads, and 64 along z";
  if (block.x > MAX_THREADS || block.y > MAX_THREADS || block.z > 64) return cudaErrorInvalidConfiguration;
  uint64_t threads = (uint64_t)block.x * block.y * block.z;
  if (threads > MAX_THREADS) return cudaErrorInvalidConfiguration;
  *why = "its __launch_bounds__ allow fewer threads in a block";
  if (f->info.max_threads && threads > f->info.max_threads) return cudaErrorLaunchOutOfResources;
  size_t limit = f->max_dynamic >= 0 ? (size_t)f->max_dynamic + f->info.shared : MAX_STATIC_SHARED;
  *why = "a block can have 48 KiB of shared memory, or what cudaFuncSetAttribute has allowed";
  if (shared + f->info.shared > (limit > MAX_STATIC_SHARED ? limit : MAX_STATIC_SHARED)) return cudaErrorInvalidValue;
  int most = 0, processors = 0;
  if (cooperative) {
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, f->host, (int)threads, shared);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
  }
  *why = "the blocks of a cooperative launch must all fit on the device at once";
  if (cooperative && (uint64_t)grid.x * grid.y * grid.z > (uint64_t)most * (uint64_t)processors) return cudaErrorCooperativeLaunchTooLarge;
  return cudaSuccess;
}

cudaError_t kernel_task(struct task *t, const void *function, dim3 grid, dim3 block, void **arguments, size_t shared, int cooperative) {
  struct function *f;
  cudaError_t error = find_function(function, &f);
  const char *why;
  if (!f) refused("of no name", "it is none of the program's, or the launch comes before main, where CUDA leaves open what happens", !by_stub);
  if (error != cudaSuccess) return error;
  error = check_configuration(f, grid, block, shared, cooperative, &why);
  if (error != cudaSuccess) {
    refused(f->name, why, !by_stub);
    return error;
  }
  memset(t, 0, sizeof *t);
  t->kind = TASK_KERNEL;
  t->kernel.function = function, t->kernel.grid = grid, t->kernel.block = block, t->kernel.shared = shared, t->kernel.cooperative = cooperative;
  if (by_stub) memcpy(t->callers, launched_from, sizeof launched_from);
  else callers(t->callers);
  t->kernel.arguments = calloc(1, f->info.parameter_bytes + 1);
  for (uint32_t i = 0; i < f->info.parameters; i++) memcpy((char *)t->kernel.arguments + f->parameters[i].offset, arguments[i], f->parameters[i].size);
  return cudaSuccess;
}

static cudaError_t launch(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream, int cooperative, dim3 cluster) {
  struct task t;
  cudaError_t error = kernel_task(&t, function, grid, block, arguments, shared, cooperative);
  if (error == cudaSuccess) {
    t.kernel.cluster = cluster;
    error = submit(stream, &t);
    release_task(&t);
    struct function *f;
    if (error == cudaErrorInvalidResourceHandle && find_function(function, &f) == cudaSuccess) refused(f->name, "its stream has been destroyed", !by_stub);
  }
  by_stub = 0;
  return fail(error);
}

static const dim3 no_cluster = {0, 0, 0};

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream) {
  return launch(function, grid, block, arguments, shared, stream, 0, no_cluster);
}
cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream) {
  return launch(function, grid, block, arguments, shared, stream, 1, no_cluster);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments) {
  if (!config) return fail(cudaErrorInvalidValue);
  dim3 cluster = no_cluster;
  int cooperative = 0;
  for (unsigned i = 0; i < config->numAttrs; i++) {
    const cudaLaunchAttributeValue *v = &config->attrs[i].val;
    if (config->attrs[i].id == cudaLaunchAttributeClusterDimension) cluster = (dim3){v->clusterDim.x, v->clusterDim.y, v->clusterDim.z};
    if (config->attrs[i].id == cudaLaunchAttributeCooperative) cooperative = v->cooperative;
  }
  cudaError_t error = launch(function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes, config->stream, cooperative, cluster);
  // An event that the kernel records before its end stands for all of it here.
  for (unsigned i = 0; i < config->numAttrs && error == cudaSuccess; i++) {
    const cudaLaunchAttributeValue *v = &config->attrs[i].val;
    if (config->attrs[i].id == cudaLaunchAttributeProgrammaticEvent) error = cudaEventRecord(v->programmaticEvent.event, config->stream);
    if (config->attrs[i].id == cudaLaunchAttributeLaunchCompletionEvent) error = cudaEventRecord(v->launchCompletionEvent.event, config->stream);
  }
  return error;
}

// What nvcc of CUDA 12 and 13 calls in a kernel's stub: a kernel is known by its host function.
char __cudaInitModule(void **module) {
  (void)module;
  return 1;
}
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function) {
  *kernel = (cudaKernel_t)function;
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream) {
  return cudaLaunchKernel((const void *)kernel, grid, block, arguments, shared, stream);
}

// run_kernel executes a kernel task. An error that the kernel makes is seen by later calls, as
// on a device that works on its own.
cudaError_t run_kernel(const struct task *t, cudaStream_t stream) {
  if (sticky != cudaSuccess) return sticky;
  struct function *f;
  cudaError_t error = find_function(t->kernel.function, &f);
  if (error != cudaSuccess) return error;
  size_t size = sizeof(struct launch_request) + f->info.parameter_bytes;
  char *payload = calloc(1, size);
  struct launch_request *l = (struct launch_request *)payload;
  l->function = f->id, l->stream = (uint64_t)stream, l->shared = t->kernel.shared, l->cooperative = (uint32_t)t->kernel.cooperative;
  memcpy(l->grid, &t->kernel.grid, sizeof l->grid);
  memcpy(l->block, &t->kernel.block, sizeof l->block);
  memcpy(l->cluster, &t->kernel.cluster, sizeof l->cluster);
  memcpy(l->callers, t->callers, sizeof l->callers);
  memcpy(l + 1, t->kernel.arguments, f->info.parameter_bytes);
  struct request q = {.op = OP_LAUNCH, .payload = (uint32_t)size};
  struct reply r;
  void *printed = NULL;
  error = transact(&q, payload, &r, &printed);
  free(payload);
  if (printed) fwrite(printed, 1, r.payload, stdout);
  free(printed);
  switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorAssert:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout: poison(error); return cudaSuccess;
    default: return error;
  }
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function) {
  struct function *f;
  cudaError_t error = find_function(function, &f);
  if (error != cudaSuccess) return fail(error);
  memset(attributes, 0, sizeof *attributes);
  attributes->sharedSizeBytes = f->info.shared;
  attributes->constSizeBytes = f->info.constant;
  attributes->localSizeBytes = f->info.local;
  attributes->maxThreadsPerBlock = f->info.max_threads ? (int)f->info.max_threads : MAX_THREADS;
  attributes->numRegs = (int)f->info.registers;
  attributes->ptxVersion = attributes->binaryVersion = 90;
  attributes->maxDynamicSharedSizeBytes = f->max_dynamic >= 0 ? f->max_dynamic : MAX_STATIC_SHARED - (int)f->info.shared;
  attributes->preferredShmemCarveout = -1;
  return fail(cudaSuccess);
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value) {
  struct function *f;
  cudaError_t error = find_function(function, &f);
  if (error != cudaSuccess) return fail(error);
  if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
    if (value < 0 || (size_t)value + f->info.shared > MAX_SHARED) return fail(cudaErrorInvalidValue);
    f->max_dynamic = value;
  }
  if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed) f->large_clusters = value;
  return fail(cudaSuccess);
}

cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config) {
  (void)config;
  struct function *f;
  return fail(find_function(function, &f));
}
cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config) {
  (void)config;
  struct function *f;
  return fail(find_function(function, &f));
}

// Occupancy follows the CUDA C++ Programming Guide's limits for compute capability 9.0: blocks,
// threads and shared memory of a multiprocessor. Registers are the hardware compiler's affair.
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int size, size_t shared, unsigned int flags) {
  (void)flags;
  struct function *f;
  cudaError_t error = find_function(function, &f);
  if (error != cudaSuccess) return fail(error);
  if (!blocks || size <= 0) return fail(cudaErrorInvalidValue);
  size_t warps = ((size_t)size + 31) / 32, each = shared + f->info.shared + 1024, most = 64 / warps;
  if (size > MAX_THREADS) most = 0;
  if (most > 32) most = 32;
  if (most > 228 * 1024 / each) most = 228 * 1024 / each;
  *blocks = (int)most;
  return fail(cudaSuccess);
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int size, size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, size, shared, 0);
}
// A cluster's blocks run on multiprocessors of one group; the device that we say we are has groups of 16.
cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *function, const cudaLaunchConfig_t *config) {
  (void)config;
  struct function *f;
  cudaError_t error = find_function(function, &f);
  if (error != cudaSuccess) return fail(error);
  if (!size) return fail(cudaErrorInvalidValue);
  *size = f->large_clusters ? 16 : 8;
  return fail(cudaSuccess);
}
cudaError_t cudaOccupancyMaxActiveClusters(int *count, const void *function, const cudaLaunchConfig_t *config) {
  if (!count || !config) return fail(cudaErrorInvalidValue);
  int blocks, width = 1;
  dim3 b = config->blockDim;
  cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, (int)(b.x * b.y * b.z), config->dynamicSmemBytes);
  if (error != cudaSuccess) return error;
  for (unsigned i = 0; i < config->numAttrs; i++) {
    const cudaLaunchAttributeValue *v = &config->attrs[i].val;
    if (config->attrs[i].id == cudaLaunchAttributeClusterDimension) width = (int)(v->clusterDim.x * v->clusterDim.y * v->clusterDim.z);
  }
  int most, processors;
  cudaOccupancyMaxPotentialClusterSize(&most, function, config);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
  *count = width < 1 || width > most ? 0 : processors / 16 * (16 * blocks / width);
  return fail(cudaSuccess);
}
cudaError_t cudaFuncGetName(const char **name, const void *function) {
  struct function *f;
  cudaError_t error = find_function(function, &f);
  if (error != cudaSuccess) return fail(error);
  *name = f->name;
  return fail(cudaSuccess);
}
// A kernel's handles are its host function, as the driver's are.
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol) {
  struct function *f;
  cudaError_t error = function ? find_function(symbol, &f) : cudaErrorInvalidValue;
  if (error == cudaSuccess) *function = (cudaFunction_t)symbol;
  return fail(error);
}
cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *symbol) { return cudaGetFuncBySymbol((cudaFunction_t *)kernel, symbol); }
cudaError_t cudaFuncGetParamInfo(const void *function, size_t i, size_t *offset, size_t *size) {
  struct function *f;
  cudaError_t error = find_function(function, &f);
  if (error != cudaSuccess) return fail(error);
  if (i >= f->info.parameters) return fail(cudaErrorInvalidValue);
  if (offset) *offset = f->parameters[i].offset;
  if (size) *size = f->parameters[i].size;
  return fail(cudaSuccess);
}
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared, const void *function, int blocks, int size) {
  (void)size;
  struct function *f;
  cudaError_t error = find_function(function, &f);
  if (error != cudaSuccess) return fail(error);
  if (!shared || blocks <= 0) return fail(cudaErrorInvalidValue);
  size_t each = 228 * 1024 / (size_t)blocks, used = f->info.shared + 1024;
  *shared = each > used ? each - used : 0;
  return fail(cudaSuccess);
}
