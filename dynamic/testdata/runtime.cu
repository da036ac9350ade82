// Calls most of the runtime API and checks what comes back. Prints one line for each check that
// fails, and "done".
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>
#include <vector>

#define CHECK(condition) \
  if (!(condition)) printf("line %d: %s\n", __LINE__, #condition)
#define OK(call)                                                                                    \
  do {                                                                                              \
    cudaError_t error = (call);                                                                     \
    if (error != cudaSuccess) printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorString(error)); \
  } while (0)
#define FAILS(expected, call)                                                                                    \
  do {                                                                                                           \
    cudaError_t error = (call);                                                                                  \
    if (error != expected) printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorName(error));                \
    CHECK(cudaGetLastError() == expected);                                                                       \
  } while (0)

__device__ int variable[4] = {1, 2, 3, 4};
__constant__ float factor = 2.0f;

__global__ void increment(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i]++;
}
struct Large { double d[20]; char c; };
__global__ void arguments(char c, double d, Large l, short s, float3 f, int *out) {
  out[0] = c + (int)d + (int)l.d[19] + l.c + s + (int)(f.x + f.y + f.z);
}
__global__ void symbols(int *out) {
  for (int i = 0; i < 4; i++) out[i] = (int)(variable[i] * factor), variable[i] = 10 * i;
}
__global__ void dynamicShared(int *out) {
  extern __shared__ int s[];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
__global__ void sumOfGrid(int *cells, int *out) {
  auto grid = cooperative_groups::this_grid();
  cells[grid.thread_rank()] = 1;
  grid.sync();
  if (grid.thread_rank() == 0)
    for (unsigned i = 0; i < grid.num_threads(); i++) *out += cells[i];
}
__global__ void sample(cudaTextureObject_t t, cudaTextureObject_t linear, float *out) {
  out[0] = tex2D<float>(t, 1.5f, 0.5f);
  out[1] = tex2D<float>(t, 1.0f, 1.0f);  // between four elements
  out[2] = tex2D<float>(t, 99.0f, 0.5f);
  out[3] = tex1Dfetch<float>(linear, 2);
}
__global__ void paint(cudaSurfaceObject_t s) { surf2Dwrite(7.0f, s, 2 * (int)sizeof(float), 1); }
template <class T> __global__ void twice(T *a) { a[threadIdx.x] *= 2; }

static void memory() {
  int host[100], *a, *b;
  for (int i = 0; i < 100; i++) host[i] = i;
  OK(cudaMalloc(&a, sizeof host));
  OK(cudaMalloc(&b, sizeof host));
  OK(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
  increment<<<4, 32>>>(a, 100);
  OK(cudaGetLastError());
  OK(cudaMemcpy(b, a, sizeof host, cudaMemcpyDeviceToDevice));
  OK(cudaMemset(a, 0, sizeof host));
  OK(cudaMemcpy(host, b, sizeof host, cudaMemcpyDefault));
  CHECK(host[0] == 1 && host[99] == 100);
  FAILS(cudaErrorInvalidValue, cudaMemcpy(a, host, sizeof host + 4, cudaMemcpyHostToDevice));
  FAILS(cudaErrorInvalidValue, cudaMemcpy(a, host, 4, cudaMemcpyDeviceToHost));
  FAILS(cudaErrorInvalidValue, cudaFree(a + 1));
  cudaPointerAttributes p;
  OK(cudaPointerGetAttributes(&p, a));
  CHECK(p.type == cudaMemoryTypeDevice);
  OK(cudaFree(a));
  FAILS(cudaErrorInvalidValue, cudaFree(a));
  OK(cudaFree(0));
  FAILS(cudaErrorMemoryAllocation, cudaMalloc(&a, (size_t)1 << 45));
  OK(cudaFree(b));

  size_t pitch;
  char rows[3][10], back[3][10];
  for (int i = 0; i < 30; i++) rows[0][i] = (char)i;
  char *pitched;
  OK(cudaMallocPitch(&pitched, &pitch, 10, 3));
  CHECK(pitch >= 10);
  OK(cudaMemcpy2D(pitched, pitch, rows, 10, 10, 3, cudaMemcpyHostToDevice));
  OK(cudaMemset2D(pitched, pitch, 99, 5, 2));
  OK(cudaMemcpy2D(back, 10, pitched, pitch, 10, 3, cudaMemcpyDeviceToHost));
  CHECK(back[1][4] == 99 && back[1][5] == 15 && back[2][0] == 20);
  OK(cudaFree(pitched));

  cudaPitchedPtr cube;
  OK(cudaMalloc3D(&cube, make_cudaExtent(4, 3, 2)));
  char in[24], out[24];
  for (int i = 0; i < 24; i++) in[i] = (char)i;
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(in, 4, 4, 3), copy.dstPtr = cube;
  copy.extent = make_cudaExtent(4, 3, 2), copy.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&copy));
  copy.srcPtr = cube, copy.dstPtr = make_cudaPitchedPtr(out, 4, 4, 3), copy.kind = cudaMemcpyDeviceToHost;
  OK(cudaMemcpy3D(&copy));
  CHECK(memcmp(in, out, 24) == 0);
  OK(cudaFree(cube.ptr));
}

static void advice() {
  int *managed, value, list[3], *plain;
  OK(cudaMallocManaged(&managed, 400));
  OK(cudaMalloc(&plain, 4));
  OK(cudaMemAdvise(managed, 400, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId));
  OK(cudaMemAdvise(managed, 400, cudaMemAdviseSetAccessedBy, cudaCpuDeviceId));
  OK(cudaMemPrefetchAsync(managed, 400, 0, 0));
  FAILS(cudaErrorInvalidDevice, cudaMemPrefetchAsync(managed, 400, 7, 0));
  OK(cudaMemRangeGetAttribute(&value, sizeof value, cudaMemRangeAttributePreferredLocation, managed, 400));
  CHECK(value == cudaCpuDeviceId);
  OK(cudaMemRangeGetAttribute(&value, sizeof value, cudaMemRangeAttributeReadMostly, managed, 400));
  CHECK(value == 0);
  OK(cudaMemRangeGetAttribute(list, sizeof list, cudaMemRangeAttributeAccessedBy, managed, 400));
  CHECK(list[0] == cudaCpuDeviceId && list[1] == cudaInvalidDeviceId);
  void *values[] = {&value};
  size_t sizes[] = {sizeof value};
  cudaMemRangeAttribute asked[] = {cudaMemRangeAttributeLastPrefetchLocation};
  OK(cudaMemRangeGetAttributes(values, sizes, asked, 1, managed, 400));
  CHECK(value == 0);
  FAILS(cudaErrorInvalidValue, cudaMemRangeGetAttribute(&value, sizeof value, cudaMemRangeAttributeReadMostly, plain, 4));
}

static void sharedMemory() {
  int *managed, *pinned, *registered = (int *)malloc(10000), *device;
  OK(cudaMallocManaged(&managed, 400));
  OK(cudaHostAlloc(&pinned, 400, cudaHostAllocMapped));
  for (int i = 0; i < 100; i++) managed[i] = pinned[i] = registered[i] = i;
  OK(cudaHostRegister(registered, 400, 0));
  FAILS(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(registered, 400, 0));
  OK(cudaHostGetDevicePointer(&device, pinned, 0));
  increment<<<1, 100>>>(managed, 100);
  increment<<<1, 100>>>(device, 100);
  increment<<<1, 100>>>(registered, 100);
  OK(cudaDeviceSynchronize());
  CHECK(managed[99] == 100 && pinned[99] == 100 && registered[99] == 100);
  OK(cudaHostUnregister(registered));
  CHECK(registered[99] == 100);
  registered[0] = 5;
  int local[4] = {1, 2, 3, 4};  // on the pages that the call's own frames are on
  OK(cudaHostRegister(local, sizeof local, 0));
  increment<<<1, 4>>>(local, 4);
  OK(cudaDeviceSynchronize());
  OK(cudaHostUnregister(local));
  CHECK(local[0] == 2 && local[3] == 5);
  free(registered);
  OK(cudaFree(managed));
  OK(cudaFreeHost(pinned));
}

static void launches() {
  int *out, host[64] = {0};
  OK(cudaMalloc(&out, sizeof host));
  Large l;
  l.d[19] = 1000, l.c = 1;
  arguments<<<1, 1>>>(1, 20.0, l, 300, make_float3(1, 2, 3), out);
  OK(cudaMemcpy(host, out, 4, cudaMemcpyDeviceToHost));
  CHECK(host[0] == 1328);
  symbols<<<1, 1>>>(out);
  OK(cudaMemcpy(host, out, 16, cudaMemcpyDeviceToHost));
  CHECK(host[0] == 2 && host[3] == 8);
  OK(cudaMemcpyFromSymbol(host, variable, 8, 8));
  CHECK(host[0] == 20 && host[1] == 30);
  float three = 3;
  int five = 5;
  OK(cudaMemcpyToSymbol(factor, &three, sizeof three));
  OK(cudaMemcpyToSymbol(variable, &five, 4, 4));
  symbols<<<1, 1>>>(out);
  OK(cudaMemcpy(host, out, 16, cudaMemcpyDeviceToHost));
  CHECK(host[1] == 15);
  size_t size;
  void *at;
  OK(cudaGetSymbolSize(&size, variable));
  OK(cudaGetSymbolAddress(&at, variable));
  CHECK(size == 16);
  FAILS(cudaErrorInvalidValue, cudaMemcpyToSymbol(factor, host, 8));

  dynamicShared<<<1, 64, 256>>>(out);
  OK(cudaMemcpy(host, out, 256, cudaMemcpyDeviceToHost));
  CHECK(host[0] == 63 && host[63] == 0);
  dynamicShared<<<1, 64, 100000>>>(out);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  OK(cudaFuncSetAttribute(dynamicShared, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
  dynamicShared<<<1, 64, 100000>>>(out);
  OK(cudaGetLastError());
  dynamicShared<<<1, 2000>>>(out);
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  dynamicShared<<<0, 1>>>(out);
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);

  int *cells, zero = 0;
  OK(cudaMalloc(&cells, 4 * 128));
  OK(cudaMemcpy(out, &zero, 4, cudaMemcpyHostToDevice));
  void *list[] = {&cells, &out};
  OK(cudaLaunchCooperativeKernel(sumOfGrid, 4, 32, list));
  OK(cudaMemcpy(host, out, 4, cudaMemcpyDeviceToHost));
  CHECK(host[0] == 128);
  cudaLaunchConfig_t config = {};
  config.gridDim = 1, config.blockDim = 64, config.dynamicSmemBytes = 256;
  OK(cudaLaunchKernelEx(&config, dynamicShared, out));
  cudaFuncAttributes attributes;
  OK(cudaFuncGetAttributes(&attributes, increment));
  CHECK(attributes.maxThreadsPerBlock == 1024 && attributes.sharedSizeBytes == 0);
  int blocks, grid, block;
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, increment, 256, 0));
  CHECK(blocks == 8);
  OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, increment));
  OK(cudaOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, increment, 0, 0, cudaOccupancyDefault));
  size_t dynamic = 0;
  OK(cudaOccupancyAvailableDynamicSMemPerBlock(&dynamic, increment, 1, 256));
  CHECK(dynamic > 0);
  CHECK(block == 1024 && grid == 264);
  twice<float><<<1, 1>>>((float *)out);
  OK(cudaGetLastError());
  OK(cudaFree(out));
  OK(cudaFree(cells));
}

static std::vector<int> order;
static void CUDART_CB note(void *data) { order.push_back(*(int *)data); }

static void streamsAndGraphs() {
  cudaStream_t s, other;
  cudaEvent_t begin, end;
  OK(cudaStreamCreate(&s));
  OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  OK(cudaEventCreate(&begin));
  OK(cudaEventCreate(&end));
  int *a, host[32] = {0}, first = 1, second = 2;
  OK(cudaMallocAsync(&a, sizeof host, s));
  OK(cudaMemsetAsync(a, 0, sizeof host, s));
  OK(cudaEventRecord(begin, s));
  OK(cudaStreamWaitEvent(other, begin, 0));
  increment<<<1, 32, 0, other>>>(a, 32);
  OK(cudaLaunchHostFunc(other, note, &first));
  OK(cudaEventRecord(end, other));
  OK(cudaEventSynchronize(end));
  float elapsed = -1;
  cudaEvent_t untimed;
  OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  OK(cudaEventRecord(untimed));
  FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&elapsed, begin, untimed));
  FAILS(cudaErrorInvalidValue, cudaEventCreateWithFlags(&untimed, 0x100));
  OK(cudaEventElapsedTime(&elapsed, begin, end));
  CHECK(elapsed >= 0 && order.size() == 1);

  cudaGraph_t graph, made;
  cudaGraphExec_t exec;
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  increment<<<1, 32, 0, s>>>(a, 32);
  OK(cudaEventRecord(begin, s));
  OK(cudaStreamWaitEvent(other, begin, 0));
  increment<<<1, 32, 0, other>>>(a, 32);
  OK(cudaLaunchHostFunc(s, note, &second));
  OK(cudaMemcpyAsync(host, a, sizeof host, cudaMemcpyDeviceToHost, s));
  OK(cudaStreamEndCapture(s, &graph));
  CHECK(order.size() == 1 && host[0] == 0);
  size_t nodes = 0;
  OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(nodes == 4);
  OK(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  OK(cudaGraphLaunch(exec, s));
  OK(cudaGraphLaunch(exec, s));
  OK(cudaStreamSynchronize(s));
  CHECK(host[0] == 5 && order.size() == 3);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));

  // The copy is added first and depends on the kernel, which depends on the fill.
  OK(cudaGraphCreate(&made, 0));
  cudaGraphNode_t fill, kernel, copy;
  OK(cudaGraphAddMemcpyNode1D(&copy, made, nullptr, 0, host, a, sizeof host, cudaMemcpyDeviceToHost));
  int n = 32;
  void *list[] = {&a, &n};
  cudaKernelNodeParams k = {};
  k.func = (void *)increment, k.gridDim = 1, k.blockDim = 32, k.kernelParams = list;
  OK(cudaGraphAddKernelNode(&kernel, made, nullptr, 0, &k));
  cudaMemsetParams m = {};
  m.dst = a, m.elementSize = 4, m.value = 40, m.width = 32, m.height = 1;
  OK(cudaGraphAddMemsetNode(&fill, made, nullptr, 0, &m));
  OK(cudaGraphAddDependencies(made, &fill, &kernel, 1));
  OK(cudaGraphAddDependencies(made, &kernel, &copy, 1));
  OK(cudaGraphInstantiate(&exec, made, 0));
  OK(cudaGraphLaunch(exec, 0));
  CHECK(host[31] == 41);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(made));
  OK(cudaFreeAsync(a, s));
  OK(cudaStreamDestroy(s));
  OK(cudaEventDestroy(begin));
}

static void textures() {
  float image[2][3] = {{0, 1, 2}, {10, 11, 12}}, back[2][3], host[4], *out, *linear;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  OK(cudaMallocArray(&array, &format, 3, 2));
  OK(cudaMemcpy2DToArray(array, 0, 0, image, sizeof image[0], sizeof image[0], 2, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray, resource.res.array.array = array;
  cudaTextureDesc desc = {};
  desc.addressMode[0] = desc.addressMode[1] = cudaAddressModeClamp, desc.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t t, u;
  OK(cudaCreateTextureObject(&t, &resource, &desc, nullptr));
  OK(cudaMalloc(&linear, sizeof image));
  OK(cudaMemcpy(linear, image, sizeof image, cudaMemcpyHostToDevice));
  cudaResourceDesc flat = {};
  flat.resType = cudaResourceTypeLinear, flat.res.linear.devPtr = linear, flat.res.linear.desc = format, flat.res.linear.sizeInBytes = sizeof image;
  cudaTextureDesc plain = {};
  OK(cudaCreateTextureObject(&u, &flat, &plain, nullptr));
  OK(cudaMalloc(&out, sizeof host));
  sample<<<1, 1>>>(t, u, out);
  OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(host[0] == 1 && host[1] == 5.5f && host[2] == 2 && host[3] == 2);
  cudaSurfaceObject_t s;
  OK(cudaCreateSurfaceObject(&s, &resource));
  paint<<<1, 1>>>(s);
  OK(cudaMemcpy2DFromArray(back, sizeof back[0], array, 0, 0, sizeof back[0], 2, cudaMemcpyDeviceToHost));
  CHECK(back[1][2] == 7 && back[1][1] == 11);
  OK(cudaDestroySurfaceObject(s));
  OK(cudaDestroyTextureObject(t));
  OK(cudaFreeArray(array));
}

// A library of PTX, copies in one call, and vectors of 32 bytes.
static void libraries() {
  static const char text[] = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .global .u32 step = 5;\n"
                             ".visible .entry add(.param .u64 p) { .reg .b64 %a; .reg .b32 %n; ld.param.u64 %a, [p]; ld.global.u32 %n, [step]; red.global.add.u32 [%a], %n; ret; }\n";
  cudaLibrary_t library;
  cudaKernel_t kernel;
  int *count, host[2] = {0, 0}, step;
  void *at;
  size_t size;
  OK(cudaMalloc(&count, sizeof host));
  OK(cudaMemset(count, 0, sizeof host));
  OK(cudaLibraryLoadData(&library, text, nullptr, nullptr, 0, nullptr, nullptr, 0));
  OK(cudaLibraryGetKernel(&kernel, library, "add"));
  CHECK(cudaLibraryGetKernel(&kernel, library, "none") != cudaSuccess && cudaGetLastError() != cudaSuccess);
  void *list[] = {&count};
  OK(cudaLaunchKernel((const void *)kernel, dim3(2), dim3(10), list, 0, nullptr));
  OK(cudaLibraryGetGlobal(&at, &size, library, "step"));
  OK(cudaMemcpy(&step, at, size, cudaMemcpyDeviceToHost));
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  void *to[] = {host, host + 1}, *from[] = {count, count + 1};
  size_t sizes[] = {4, 4}, first = 0, failed;
  cudaMemcpyAttributes attributes = {};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  OK(cudaMemcpyBatchAsync(to, from, sizes, 2, &attributes, &first, 1, &failed, stream));
  OK(cudaMemcpyBatchAsync((const void **)to, (const void **)from, sizes, 2, &attributes, &first, 1, stream));
  OK(cudaStreamDestroy(stream));
  CHECK(host[0] == 100 && host[1] == 0 && step == 5);
  OK(cudaLibraryUnload(library));
  CHECK(sizeof(double4_16a) == 32 && alignof(double4_16a) == 16 && alignof(ulonglong4_32a) == 32 && make_double4_32a(1, 2, 3, 4).w == 4);
}

int main() {
  cudaDeviceProp p;
  int count = 0, warp = 0;
  OK(cudaGetDeviceCount(&count));
  OK(cudaGetDeviceProperties(&p, 0));
  OK(cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 0));
  CHECK(count == 1 && p.major == 9 && warp == 32 && p.cooperativeLaunch);
  FAILS(cudaErrorInvalidDevice, cudaSetDevice(1));
  cudaIpcMemHandle_t handle;
  FAILS(cudaErrorNotSupported, cudaIpcGetMemHandle(&handle, nullptr));
  FAILS(cudaErrorNotSupported, cudaIpcGetMemHandle(&handle, nullptr));
  memory();
  advice();
  sharedMemory();
  launches();
  streamsAndGraphs();
  textures();
  libraries();
  OK(cudaDeviceReset());
  printf("done\n");
}
