// Calls the driver API and checks what comes back. Prints one line for each check that fails, and
// "done".
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define CHECK(condition) \
  if (!(condition)) printf("line %d: %s\n", __LINE__, #condition)
#define OK(call) GIVES(CUDA_SUCCESS, call)
#define GIVES(expected, call)                                          \
  do {                                                                 \
    CUresult error = (call);                                           \
    const char *name;                                                  \
    cuGetErrorName(error, &name);                                      \
    if (error != expected) printf("line %d: %s: %s\n", __LINE__, #call, name); \
  } while (0)

// scale(p, n, c): p[i] = p[i] * factor + n + c
static const char scale[] = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 factor = 3;
.visible .entry scale(.param .u64 p, .param .u32 n, .param .u8 c) {
  .reg .b64 %rd<4>;
  .reg .b32 %r<8>;
  .reg .b16 %h<2>;
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r1, [n];
  ld.param.u8 %h1, [c];
  cvt.u32.u16 %r2, %h1;
  mov.u32 %r3, %tid.x;
  mad.wide.u32 %rd2, %r3, 4, %rd1;
  ld.global.u32 %r4, [%rd2];
  ld.global.u32 %r5, [factor];
  mad.lo.u32 %r6, %r4, %r5, %r1;
  add.u32 %r6, %r6, %r2;
  st.global.u32 [%rd2], %r6;
  ret;
}
)";

static CUmodule module;
static CUfunction function;

static void launches() {
  CUdeviceptr p, factor;
  int host[4] = {1, 2, 3, 4}, n = 10, three;
  unsigned char c = 5;
  size_t size;
  OK(cuMemAlloc(&p, sizeof host));
  OK(cuMemcpyHtoD(p, host, sizeof host));
  void *parameters[] = {&p, &n, &c};
  OK(cuLaunchKernel(function, 1, 1, 1, 4, 1, 1, 0, nullptr, parameters, nullptr));
  OK(cuCtxSynchronize());
  OK(cuMemcpyDtoH(host, p, sizeof host));
  CHECK(host[0] == 18 && host[3] == 27);

  OK(cuModuleGetGlobal(&factor, &size, module, "factor"));
  CHECK(size == 4);
  OK(cuMemcpyDtoH(&three, factor, 4));
  CHECK(three == 3);
  OK(cuMemsetD32(factor, 2, 1));
  struct { CUdeviceptr p; int n; unsigned char c; } buffer = {p, 1, 0};
  size = sizeof buffer;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_END};
  OK(cuLaunchKernel(function, 1, 1, 1, 4, 1, 1, 0, nullptr, nullptr, extra));
  OK(cuMemcpyDtoH(host, p, sizeof host));
  CHECK(host[0] == 37 && host[3] == 55);
  OK(cuMemFree(p));
  GIVES(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal(&p, &size, module, "none"));
  GIVES(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&function, module, "none"));
  GIVES(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&module, "/none"));
  const char *name;
  OK(cuGetErrorName(CUDA_ERROR_NOT_FOUND, &name));
  CHECK(!strcmp(name, "CUDA_ERROR_NOT_FOUND"));
  GIVES(CUDA_ERROR_INVALID_VALUE, cuGetErrorName((CUresult)12345, &name));
}

// Two pieces, of which one calls the other.
static const char calls[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n.extern .func (.param .b32 r) twice(.param .b32 x);\n"
    ".visible .entry calls(.param .u64 p) {\n .reg .b64 %rd<2>; .reg .b32 %r<3>;\n ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1];\n"
    " { .param .b32 x; .param .b32 r; st.param.b32 [x], %r1; call.uni (r), twice, (x); ld.param.b32 %r2, [r]; }\n"
    " st.global.u32 [%rd1], %r2; ret;\n}";
static const char called[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n.visible .func (.param .b32 r) twice(.param .b32 x) {\n"
    " .reg .b32 %r<3>; ld.param.b32 %r1, [x]; add.u32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret;\n}";

static void linkingPieces() {
  CUlinkState state;
  CUmodule linked;
  CUfunction f;
  CUdeviceptr p;
  void *image;
  int value = 21;
  OK(cuLinkCreate(0, nullptr, nullptr, &state));
  OK(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)calls, sizeof calls, "calls", 0, nullptr, nullptr));
  GIVES(CUDA_ERROR_NOT_SUPPORTED, cuLinkAddData(state, CU_JIT_INPUT_OBJECT, (void *)"object", 7, "object", 0, nullptr, nullptr));
  OK(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)called, sizeof called, "called", 0, nullptr, nullptr));
  OK(cuLinkComplete(state, &image, nullptr));
  OK(cuModuleLoadData(&linked, image));
  OK(cuLinkDestroy(state));
  OK(cuModuleGetFunction(&f, linked, "calls"));
  OK(cuMemAlloc(&p, sizeof value));
  OK(cuMemcpyHtoD(p, &value, sizeof value));
  void *arguments[] = {&p};
  OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  OK(cuMemcpyDtoH(&value, p, sizeof value));
  CHECK(value == 42);
}

static void linking() {
  CUlinkState state;
  CUmodule linked;
  CUfunction f;
  void *image;
  size_t size;
  int value, grid, block;
  OK(cuLinkCreate(0, nullptr, nullptr, &state));
  OK(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)scale, sizeof scale, "scale", 0, nullptr, nullptr));
  OK(cuLinkComplete(state, &image, &size));
  OK(cuModuleLoadData(&linked, image));
  OK(cuLinkDestroy(state));
  OK(cuModuleGetFunction(&f, linked, "scale"));
  OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
  CHECK(value == 1024);
  OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, nullptr, 0, 0));
  CHECK(block == 1024 && grid > 0);
  OK(cuModuleUnload(linked));
}

static void memory() {
  CUdeviceptr p;
  unsigned short pair[2];
  OK(cuMemAlloc(&p, 64));
  OK(cuMemsetD16(p, 0x1234, 2));
  OK(cuMemcpyDtoH(pair, p, 4));
  CHECK(pair[0] == 0x1234 && pair[1] == 0x1234);

  CUDA_ARRAY_DESCRIPTOR d = {3, 2, CU_AD_FORMAT_FLOAT, 1};
  CUarray array;
  OK(cuArrayCreate(&array, &d));
  float from[6] = {1, 2, 3, 4, 5, 6}, to[6] = {};
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST, copy.srcHost = from, copy.srcPitch = 12;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY, copy.dstArray = array, copy.WidthInBytes = 12, copy.Height = 2;
  OK(cuMemcpy2D(&copy));
  memset(&copy, 0, sizeof copy);
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY, copy.srcArray = array, copy.srcY = 1;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST, copy.dstHost = to, copy.WidthInBytes = 12, copy.Height = 1;
  OK(cuMemcpy2D(&copy));
  CHECK(to[0] == 4 && to[2] == 6 && to[3] == 0);
  OK(cuArrayDestroy(array));
  GIVES(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(&p, 0));

  size_t granularity;
  CUmemAllocationProp prop = {};
  CUmemGenericAllocationHandle handle;
  OK(cuMemGetAllocationGranularity(&granularity, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  OK(cuMemAddressReserve(&p, granularity, 0, 0, 0));
  OK(cuMemCreate(&handle, granularity, &prop, 0));
  OK(cuMemMap(p, granularity, 0, handle, 0));
  OK(cuMemRelease(handle));
  OK(cuMemsetD8(p, 1, granularity));
  OK(cuMemUnmap(p, granularity));
  OK(cuMemAddressFree(p, granularity));
}

// Copies of boxes between memory of the host, of the device and arrays, and what is done in streams.
static void boxes() {
  CUarray array;
  CUDA_ARRAY3D_DESCRIPTOR d = {6, 4, 3, CU_AD_FORMAT_UNSIGNED_INT16, 2, 0};
  OK(cuArray3DCreate(&array, &d));
  unsigned short from[3][4][6][2], to[3][4][6][2] = {};
  for (int i = 0; i < 144; i++) from[0][0][0][i] = i;
  CUDA_MEMCPY3D up = {};
  up.srcMemoryType = CU_MEMORYTYPE_HOST, up.srcHost = from, up.dstMemoryType = CU_MEMORYTYPE_ARRAY, up.dstArray = array;
  up.WidthInBytes = 24, up.Height = 4, up.Depth = 3;
  OK(cuMemcpy3D(&up));
  CUstream stream;
  OK(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, 0));
  CUDA_MEMCPY3D down = {};
  down.srcMemoryType = CU_MEMORYTYPE_ARRAY, down.srcArray = array, down.srcXInBytes = 4, down.srcY = 1, down.srcZ = 2;
  down.dstMemoryType = CU_MEMORYTYPE_HOST, down.dstHost = to, down.dstPitch = 24, down.dstHeight = 4;
  down.WidthInBytes = 8, down.Height = 2, down.Depth = 1;
  OK(cuMemcpy3DAsync(&down, stream));
  CHECK(to[0][0][0][0] == from[2][1][1][0] && to[0][1][1][1] == from[2][2][2][1] && to[0][0][2][0] == 0 && to[0][2][0][0] == 0);
  OK(cuMemcpyAtoH(to, array, 24, 24));
  CHECK(!memcmp(to, from[0][1], 24));
  CUDA_RESOURCE_DESC resource = {};
  resource.resType = CU_RESOURCE_TYPE_ARRAY, resource.res.array.hArray = array;
  CUsurfObject surface;
  OK(cuSurfObjectCreate(&surface, &resource));
  OK(cuSurfObjectDestroy(surface));
  OK(cuArrayDestroy(array));

  CUdeviceptr p;
  unsigned numbers[8] = {};
  OK(cuMemAllocAsync(&p, sizeof numbers, stream));
  OK(cuMemsetD32Async(p, 0x01020304, 7, stream));
  OK(cuStreamWriteValue32(stream, p + 28, 0x01020304, CU_STREAM_WRITE_VALUE_DEFAULT));
  OK(cuMemsetD2D8(p + 1, 8, 9, 2, 3));
  OK(cuMemcpyDtoHAsync(numbers, p, sizeof numbers, stream));
  CHECK(numbers[0] == 0x01090904 && numbers[1] == 0x01020304 && numbers[4] == 0x01090904 && numbers[6] == 0x01020304);
  OK(cuLaunchHostFunc(stream, [](void *n) { ++*(unsigned *)n; }, numbers));
  OK(cuStreamAddCallback(stream, [](CUstream, CUresult, void *n) { ++*(unsigned *)n; }, numbers, 0));
  OK(cuStreamSynchronize(stream));
  CHECK(numbers[0] == 0x01090906);
  OK(cuMemFreeAsync(p, stream));
  size_t limit;
  OK(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 1 << 24));
  OK(cuCtxGetLimit(&limit, CU_LIMIT_MALLOC_HEAP_SIZE));
  CHECK(limit >= 1 << 24);
}

// What the simulator does not have says so, and no more.
static void processes() {
  CUmemAllocationProp prop = {};
  CUmemGenericAllocationHandle handle;
  size_t size;
  int descriptor;
  prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  if (cuMemGetAllocationGranularity(&size, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM) != CUDA_SUCCESS || cuMemCreate(&handle, size, &prop, 0) != CUDA_SUCCESS ||
      cuMemExportToShareableHandle(&descriptor, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0) != CUDA_ERROR_NOT_SUPPORTED)
    printf("a handle for other processes\n");
}

// Libraries, launches with attributes, graphs, what pointers lead to.
static void later(CUcontext context) {
  CUlibrary library;
  CUkernel kernel;
  CUfunction same;
  const char *name;
  OK(cuLibraryLoadData(&library, scale, 0, 0, 0, 0, 0, 0));
  OK(cuLibraryGetKernel(&kernel, library, "scale"));
  GIVES(CUDA_ERROR_NOT_FOUND, cuLibraryGetKernel(&kernel, library, "none"));
  OK(cuKernelGetName(&name, kernel));
  OK(cuKernelGetFunction(&same, kernel));
  CHECK(strcmp(name, "scale") == 0);

  CUdeviceptr p, base;
  size_t size;
  OK(cuMemAlloc(&p, 128));
  OK(cuMemGetAddressRange(&base, &size, p + 8));
  CHECK(base == p && size == 128);
  unsigned type = 0;
  int managed = 7, local;
  CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_IS_MANAGED};
  void *values[] = {&managed};
  OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
  GIVES(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)&local));
  OK(cuPointerGetAttributes(1, attributes, values, (CUdeviceptr)&local));
  CHECK(type == CU_MEMORYTYPE_DEVICE && managed == 0);

  int n = 4, out[32];
  char c = 1;
  void *arguments[] = {&p, &n, &c};
  CUlaunchAttribute attribute[1] = {};
  attribute[0].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, attribute[0].value.cooperative = 1;
  CUlaunchConfig config = {1, 1, 1, 32, 1, 1, 0, nullptr, attribute, 1};
  OK(cuMemsetD2D16(p, 64, 0, 32, 2));
  OK(cuLaunchKernelEx(&config, same, arguments, nullptr));
  OK(cuMemcpyDtoH(out, p, sizeof out));
  CHECK(out[0] == 5 && out[31] == 5);

  CUgraph graph, captured;
  CUgraphExec exec;
  CUgraphNode set, run, copy;
  CUstream stream;
  OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  OK(cuGraphCreate(&graph, 0));
  CUDA_MEMSET_NODE_PARAMS fill = {p, 0, 2, 4, 32, 1};
  OK(cuGraphAddMemsetNode(&set, graph, nullptr, 0, &fill, context));
  CUDA_KERNEL_NODE_PARAMS launch = {(CUfunction)kernel, 1, 1, 1, 32, 1, 1, 0, arguments};
  OK(cuGraphAddKernelNode(&run, graph, &set, 1, &launch));
  CUDA_MEMCPY3D back = {};
  back.srcMemoryType = CU_MEMORYTYPE_DEVICE, back.srcDevice = p, back.dstMemoryType = CU_MEMORYTYPE_HOST, back.dstHost = out;
  back.WidthInBytes = sizeof out, back.Height = back.Depth = 1;
  OK(cuGraphAddMemcpyNode(&copy, graph, &run, 1, &back, context));
  OK(cuGraphInstantiate(&exec, graph, 0));
  OK(cuGraphLaunch(exec, stream));
  OK(cuStreamSynchronize(stream));
  CHECK(out[31] == 11);
  OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  OK(cuLaunchKernel(same, 1, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr));
  OK(cuStreamEndCapture(stream, &captured));
  OK(cuGraphGetNodes(captured, nullptr, &size));
  CHECK(size == 1);

  CUmemoryPool pool;
  CUdeviceptr q;
  OK(cuDeviceGetDefaultMemPool(&pool, 0));
  OK(cuMemAllocFromPoolAsync(&q, 64, pool, stream));
  OK(cuMemFreeAsync(q, stream));
  CUarray array;
  CUDA_ARRAY_DESCRIPTOR d = {8, 4, CU_AD_FORMAT_SIGNED_INT16, 2}, got;
  OK(cuArrayCreate(&array, &d));
  OK(cuArrayGetDescriptor(&got, array));
  CHECK(memcmp(&d, &got, sizeof d) == 0);
  OK(cuLibraryUnload(library));
}

// Programs that open the driver as they run find in it what they are linked with, by the names of later versions, too.
static void opened() {
  const char *names[] = {"libcuda.so.1", "libcuda.so", "libcudart.so", "libnvrtc.so.12"};
  for (const char *name : names) {
    void *library = dlopen(name, RTLD_NOW);
    CHECK(library != nullptr);
    if (library) CHECK(dlsym(library, "cuMemAlloc_v2") == (void *)(CUresult(*)(CUdeviceptr *, size_t))cuMemAlloc);
  }
}

int main() {
  CUdevice device;
  CUcontext context, same;
  int major, minor;
  char name[64];
  OK(cuInit(0));
  OK(cuDeviceGet(&device, 0));
  GIVES(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, 1));
  OK(cuDeviceGet(&device, 0));
  OK(cuDeviceGetName(name, sizeof name, device));
  OK(cuDeviceComputeCapability(&major, &minor, device));
  CHECK(major == 9 && minor == 0);
  OK(cuCtxCreate(&context, 0, device));
  OK(cuCtxGetCurrent(&same));
  CHECK(same == context);
  OK(cuModuleLoadData(&module, scale));
  OK(cuModuleGetFunction(&function, module, "scale"));
  launches();
  linking();
  linkingPieces();
  memory();
  boxes();
  processes();
  later(context);
  opened();
  OK(cuCtxDestroy(context));
  printf("done\n");
}
