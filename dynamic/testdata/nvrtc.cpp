// Compiles kernels as it runs: a template with a header, one with a race, one with a static variable and an assertion, and one
// that does not compile.
#include <cuda.h>
#include <nvrtc.h>
#include <stdio.h>
#include <string>
#include <vector>

#define CHECK(condition) \
  if (!(condition)) printf("line %d: %s\n", __LINE__, #condition)

static const char *reverse =
    "#include \"more/added.h\"\n"
    "template <class T, int N> __global__ void reverse(T *out) {\n"
    "  __shared__ T cells[64];\n"
    "  cells[threadIdx.x] = N * threadIdx.x;\n"
    "#ifndef RACY\n"
    "  __syncthreads();\n"
    "#endif\n"
    "  out[threadIdx.x] = cells[63 - threadIdx.x] + added();\n"
    "}\n";

static void run(bool racy) {
  const char *header = "__device__ inline int added() { return VALUE; }", *name = "more/added.h", *symbol = nullptr;
  const char *options[] = {"--gpu-architecture=sm_80", "-D", "VALUE=100", "-std=c++17", "-DRACY"};
  nvrtcProgram program;
  CHECK(nvrtcCreateProgram(&program, reverse, "reverse.cu", 1, &header, &name) == NVRTC_SUCCESS);
  CHECK(nvrtcAddNameExpression(program, "reverse<float, 3>") == NVRTC_SUCCESS);
  CHECK(nvrtcCompileProgram(program, racy ? 5 : 4, options) == NVRTC_SUCCESS);
  CHECK(nvrtcGetLoweredName(program, "reverse<float, 3>", &symbol) == NVRTC_SUCCESS);
  size_t size = 0;
  CHECK(nvrtcGetPTXSize(program, &size) == NVRTC_SUCCESS);
  std::vector<char> ptx(size);
  CHECK(nvrtcGetPTX(program, ptx.data()) == NVRTC_SUCCESS);
  CUmodule module;
  CUfunction function;
  CUdeviceptr out;
  float host[64];
  CHECK(cuModuleLoadData(&module, ptx.data()) == CUDA_SUCCESS);
  CHECK(cuModuleGetFunction(&function, module, symbol) == CUDA_SUCCESS);
  cuMemAlloc(&out, sizeof host);
  void *arguments[] = {&out};
  CHECK(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr) == CUDA_SUCCESS);
  cuMemcpyDtoH(host, out, sizeof host);
  CHECK(racy || (host[0] == 3 * 63 + 100 && host[63] == 100));
  CHECK(nvrtcDestroyProgram(&program) == NVRTC_SUCCESS);
}

static const char *scaled =
    "static __constant__ float by;\n"
    "#ifdef __CUDACC_RTC__\n"
    "#include <cuda_fp16.h>\n"
    "#include <cuda_bf16.h>\n"
    "float times(float x, int n) { return __half2float(__hmul(__float2half(x), __float2half(n))); }\n"
    "#endif\n"
    "extern \"C\" __global__ void scaled(float *out) {\n"
    "  assert(by > 0);\n"
    "  out[threadIdx.x] = times(by, threadIdx.x);\n"
    "}\n";

static void runScaled() {
  nvrtcProgram program;
  size_t size = 0;
  CHECK(nvrtcCreateProgram(&program, scaled, "scaled.cu", 0, nullptr, nullptr) == NVRTC_SUCCESS);
  CHECK(nvrtcAddNameExpression(program, "&by") == NVRTC_SUCCESS);
  const char *option = "-default-device";
  CHECK(nvrtcCompileProgram(program, 1, &option) == NVRTC_SUCCESS);
  const char *symbol = nullptr;
  CHECK(nvrtcGetLoweredName(program, "&by", &symbol) == NVRTC_SUCCESS);
  CHECK(nvrtcGetPTXSize(program, &size) == NVRTC_SUCCESS);
  std::vector<char> ptx(size);
  CHECK(nvrtcGetPTX(program, ptx.data()) == NVRTC_SUCCESS);
  CUmodule module;
  CUfunction function;
  CUdeviceptr out, by;
  float three = 3, host[32];
  CHECK(cuModuleLoadData(&module, ptx.data()) == CUDA_SUCCESS);
  CHECK(cuModuleGetFunction(&function, module, "scaled") == CUDA_SUCCESS);
  CHECK(cuModuleGetGlobal(&by, &size, module, "by") == CUDA_SUCCESS && size == sizeof three);
  CHECK(cuModuleGetGlobal(&by, &size, module, symbol) == CUDA_SUCCESS);
  cuMemcpyHtoD(by, &three, sizeof three);
  cuMemAlloc(&out, sizeof host);
  void *arguments[] = {&out};
  CHECK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr) == CUDA_SUCCESS);
  cuMemcpyDtoH(host, out, sizeof host);
  CHECK(host[31] == 93);
}

int main() {
  CUdevice device;
  CUcontext context;
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuCtxCreate(&context, 0, device);
  run(false);
  run(true);
  runScaled();
  nvrtcProgram wrong;
  size_t size = 0;
  CHECK(nvrtcCreateProgram(&wrong, "__global__ void k() { nowhere(); }", nullptr, 0, nullptr, nullptr) == NVRTC_SUCCESS);
  CHECK(nvrtcCompileProgram(wrong, 0, nullptr) == NVRTC_ERROR_COMPILATION);
  CHECK(nvrtcGetProgramLogSize(wrong, &size) == NVRTC_SUCCESS);
  std::string log(size, ' ');
  CHECK(nvrtcGetProgramLog(wrong, &log[0]) == NVRTC_SUCCESS && log.find("nowhere") != std::string::npos);
  printf("done\n");
}
