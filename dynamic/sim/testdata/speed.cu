extern "C" __global__ void integer(uint *out, int n) {
  uint a = threadIdx.x, b = blockIdx.x + 1, c = 12345, d = 7;
  for (int i = 0; i < n; i++) {
    a = a * 1664525u + 1013904223u;
    b ^= a >> 7;
    c = (c << 5) + b;
    d += c & a;
    b = b * c + d;
    a ^= d | 3;
    c = c > a ? c - 1 : a;
    d = __builtin_popcount(b) + d;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}

extern "C" __global__ void single(float *out, int n) {
  float x = threadIdx.x * 0.001f, y = 0.5f, z = 1.25f;
  for (int i = 0; i < n; i++) {
    x = x * y + z;
    y = y * 0.99f + 0.001f;
    z = z - x * 0.125f;
    x = x + y;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = x + y + z;
}

extern "C" __global__ void twice(double *out, int n) {
  double x = threadIdx.x * 0.001, y = 0.5, z = 1.25;
  for (int i = 0; i < n; i++) {
    x = x * y + z;
    y = y * 0.99 + 0.001;
    z = z - x * 0.125;
    x = x + y;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = x + y + z;
}

extern "C" __global__ void copy(uint *to, const uint *from, int n) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) to[i] = from[i];
}

// Loads and stores with nearly nothing else.
extern "C" __global__ void stream(uint *p, int n) {
  p += blockIdx.x * blockDim.x + threadIdx.x;
  volatile uint *q = p;
  for (int i = 0; i < n; i++) {
    uint a = q[0], b = q[4096], c = q[8192];
    q[12288] = a, q[16384] = b, q[20480] = c;
  }
}

extern "C" __global__ void one_lane(uint *out, int n) {
  if (threadIdx.x % 32 != 5) return;
  uint a = threadIdx.x, b = 1, c = 12345;
  for (int i = 0; i < n; i++) {
    a = a * 1664525u + 1013904223u;
    b ^= a >> 7;
    c = (c << 5) + b;
    b = b * c + a;
  }
  out[threadIdx.x] = a + b + c;
}

extern "C" __global__ void shared_tile(uint *out, const uint *in, int n) {
  __shared__ uint tile[256];
  uint sum = 0, t = threadIdx.x;
  for (int i = 0; i < n; i++) {
    tile[t] = in[t] + i;
    __syncthreads();
    for (int k = 0; k < 16; k++) sum += tile[(t + k) & 255];
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + t] = sum;
}

extern "C" __global__ void divergent(uint *out, int n) {
  uint t = threadIdx.x, v = t;
  for (int i = 0; i < n; i++) {
    if ((v + i) & 1) v = v * 3 + t;
    else v = (v >> 1) ^ i;
  }
  out[t] = v;
}
