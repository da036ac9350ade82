// What kernels do besides arithmetic, as people write it: checks itself.
#include <alloca.h>
#include <math.h>
#include <stdio.h>
#include <cuda/latch>
#include <cuda/semaphore>
#include <nvtx3/nvToolsExt.h>

#define CHECK(condition) \
  if (!(condition)) printf("line %d: %s\n", __LINE__, #condition)

typedef int (*Operation)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int multiply(int a, int b) { return a * b; }
__device__ Operation operation = multiply;
__device__ Operation later;
__global__ void choose() { later = add; }

struct Base {
  __device__ virtual int of(int x) const { return x; }
  __device__ virtual ~Base() {}
};
struct Scaled : Base {
  int by;
  __device__ explicit Scaled(int by) : by(by) {}
  __device__ int of(int x) const override { return x * by; }
};
struct Root {
  int kept = 3;
  __device__ virtual int id() { return 1; }
};
struct Middle : virtual Root {
  __device__ int id() override { return 2; }
};
struct Leaf : Middle {
  __device__ int id() override { return 4 + kept; }
};
__global__ void virtualBase(int *out) {
  Leaf leaf;
  Middle middle;
  Root *roots[] = {&leaf, &middle};
  int first = out[0];
  out[0] = roots[first]->id(), out[1] = roots[1 - first]->id();
}
__global__ void make(Base **objects) { objects[0] = new Base, objects[1] = new Scaled(3); }
__global__ void destroy(Base **objects) { delete objects[0], delete objects[1]; }

__device__ int ackermann(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
__device__ int last(int n, int depth) {
  int *room = (int *)alloca(n * sizeof(int));
  for (int i = 0; i < n; i++) room[i] = 100 * depth + i;
  int deeper = depth > 0 ? last(n + 1, depth - 1) : 0;
  return room[n - 1] + deeper;
}

__global__ void calls(Base **objects, Operation given, int *out) {
  int i = threadIdx.x;
  out[i] = given(i, 2) + later(i, 1) + objects[i & 1]->of(i) + ackermann(1, i & 3);
  out[32 + i] = last(i % 4 + 1, 2);
}

// The lanes other than the leader never set the variable that they hand to the shuffle.
__global__ void aggregate(int *count, int *slots) {
  if (threadIdx.x % 3 != 0) return;
  unsigned mask = __activemask(), below;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  int leader = __ffs(mask) - 1, base;
  if (threadIdx.x % 32 == leader) base = atomicAdd(count, __popc(mask));
  base = __shfl_sync(mask, base, leader);
  slots[base + __popc(mask & below)] = threadIdx.x;
}

__global__ void handOver(int *out, int *sum) {
  __shared__ cuda::latch<cuda::thread_scope_block> ready;
  __shared__ cuda::binary_semaphore<cuda::thread_scope_block> turn;
  __shared__ int cells[64];
  if (threadIdx.x == 0) {
    init(&ready, blockDim.x);
    new (&turn) cuda::binary_semaphore<cuda::thread_scope_block>(1);
  }
  __syncthreads();
  cells[threadIdx.x] = threadIdx.x;
  ready.arrive_and_wait();
  out[threadIdx.x] = cells[63 - threadIdx.x];
  if (threadIdx.x % 32 == 0) {
    turn.acquire();
    *sum += 5;
    turn.release();
  }
}

template <class T, int N> struct Pack {
  T items[N];
};
template <class T, class... U> Pack(T, U...) -> Pack<T, 1 + sizeof...(U)>;

__global__ void functions(float *out) {
  out[0] = j0f(0) + umulhi(1u << 31, 2) + normcdff(0);
  out[1] = j1f(2);
  const char *names[] = {"a", "bc", "d"};
  Pack pack{1, 2, 3};
  std::pair pair(pack.items[2], 0);
  out[2] = names[(int)out[0] % pair.first][0];
}

// Exchanges without a mask, of lanes that come together.
__device__ int sumOfHalf(int v) {
  for (int k = 8; k > 0; k /= 2) v += __shfl_down(v, k, 16);
  return v;
}
__global__ void maskless(int *out) {
  int lane = threadIdx.x % 32, sum = lane;
  for (int k = 16; k > 0; k /= 2) sum += __shfl_xor(sum, k);
  out[lane] = sum + __shfl_up(lane, 1) + __shfl(lane, 3);
  if (lane < 16) {
    int half = sumOfHalf(lane);
    if (lane == 0) out[32] = half;
  } else if (__any(lane == 20) && !__all(lane == 20)) {
    out[32 + lane] = __popc(__ballot(lane % 2));
  }
}

int main() {
  int *out, *count;
  Base **objects;
  cudaMallocManaged(&out, 64 * sizeof(int));
  cudaMallocManaged(&count, sizeof(int));
  cudaMalloc(&objects, 2 * sizeof *objects);
  nvtxEventAttributes_t mark = {};
  mark.version = NVTX_VERSION, mark.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE, mark.message.ascii = "calls";
  nvtxRangePushEx(&mark);
  Operation given;
  cudaMemcpyFromSymbol(&given, operation, sizeof given);
  choose<<<1, 1>>>();
  make<<<1, 1>>>(objects);
  calls<<<1, 32>>>(objects, given, out);
  destroy<<<1, 1>>>(objects);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  nvtxRangePop();
  for (int i = 0; i < 32; i++) {
    CHECK(out[i] == 2 * i + i + 1 + (i & 1 ? 3 * i : i) + (i & 3) + 2);
    int n = i % 4;
    CHECK(out[32 + i] == 200 + n + 100 + n + 1 + n + 2);
  }
  aggregate<<<1, 128>>>(count, out);
  CHECK(cudaDeviceSynchronize() == cudaSuccess && *count == 43);
  for (int i = 0; i < 43; i++)
    for (int k = 0; k < i; k++) CHECK(out[i] != out[k] && out[i] % 3 == 0);
  functions<<<1, 1>>>((float *)out);
  CHECK(cudaDeviceSynchronize() == cudaSuccess && ((float *)out)[0] == 1 + 1 + 0.5f && ((float *)out)[1] == j1f(2) && ((float *)out)[2] == 'd');
  out[0] = 0;
  virtualBase<<<1, 1>>>(out);
  CHECK(cudaDeviceSynchronize() == cudaSuccess && out[0] == 7 && out[1] == 2);
  *count = 0;
  handOver<<<1, 64>>>(out, count);
  CHECK(cudaDeviceSynchronize() == cudaSuccess && *count == 10 && out[0] == 63 && out[63] == 0);
  maskless<<<{1, 1}, {32}>>>(out);  // as nvcc takes it
  CHECK(cudaDeviceSynchronize() == cudaSuccess && out[0] == 496 + 3 && out[9] == 496 + 8 + 3 && out[32] == 120 && out[48] == 8 && out[63] == 8);
  printf("done\n");
}
