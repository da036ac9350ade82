extern "C" __global__ void saxpy(float *y, const float *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void reduce(int *out, const int *in, int n) {
  __shared__ int part[256];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  part[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) atomicAdd(out, part[0]);
}

extern __shared__ int dynamic[];
extern "C" __global__ void reverse(int *data) {
  int t = threadIdx.x;
  dynamic[t] = data[t];
  __syncthreads();
  data[t] = dynamic[blockDim.x - 1 - t];
}

__device__ __attribute__((noinline)) int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
extern "C" __global__ void recursion(int *out) { out[threadIdx.x] = fib(threadIdx.x % 12); }

extern "C" __global__ void spinlock(int *lock, int *count) {
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *(volatile int *)count = *(volatile int *)count + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

extern "C" __global__ void warp_sum(int *out) {
  int v = threadIdx.x;
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = v;
}

extern "C" __global__ void collatz(uint *steps, uint n) {
  uint i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  ull v = i + 1;
  uint s = 0;
  while (v != 1) {
    v = v & 1 ? 3 * v + 1 : v / 2;
    s++;
  }
  steps[i] = s;
}

extern "C" __global__ void hello(int *p) {
  printf("thread %d of block %d: %s %5.2f %c %llx\n", threadIdx.x, blockIdx.x, "text", 1.5 * threadIdx.x, 'A' + threadIdx.x, 0x123456789abcull);
  *p = 1;
}

extern "C" __global__ void choose(int *out, int n) {
  int t = threadIdx.x;
  switch (n + t % 8) {
  case 0: out[t] = 17; break;
  case 1: out[t] = t * 3; break;
  case 2: out[t] = t ^ 5; break;
  case 3: out[t] = 100 / (t + 1); break;
  case 4: out[t] = t % 7; break;
  case 5: out[t] = -t; break;
  case 6: out[t] = t << 3; break;
  default: out[t] = t;
  }
}

struct Big { int a[10]; uint4 v; };
__constant__ int table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
__device__ int counter = 7;
__device__ int *pointer = &counter;
extern "C" __global__ void memory(int *out, Big b) {
  int t = threadIdx.x;
  int local[8];
  for (int i = 0; i < 8; i++) local[(i + t) % 8] = b.a[i] + table[(t + i) % 16];
  int sum = 0;
  for (int i = 0; i < 8; i++) sum += local[(i * t) & 7];
  out[t] = sum + *pointer + b.v.z;
}

extern "C" __global__ void heap(int **out) {
  int *p = (int *)malloc(4 * sizeof(int));
  for (int i = 0; i < 4; i++) p[i] = threadIdx.x * 10 + i;
  out[threadIdx.x] = p;
  if (threadIdx.x & 1) free(p);
}

extern "C" __global__ void asserts(int n) { assert((int)threadIdx.x < n); }
extern "C" __global__ void stray(int *p, int i) { p[i + (int)threadIdx.x] = 1; }
extern "C" __global__ void hang(int *p) {
  if (threadIdx.x < 32) __syncthreads();
  else { while (*(volatile int *)p == 0) ; }
}
