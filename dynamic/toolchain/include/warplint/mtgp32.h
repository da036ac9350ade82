// cuRAND's generator MTGP32, whose states are one for a block (cuRAND documentation, "Bit Generation with the MTGP32
// generator"): all of its threads, 256 at most, come to each call. The numbers are not NVIDIA's.
#pragma once

struct mtgp32_params_fast {
  int mexp;
};
typedef struct mtgp32_params_fast mtgp32_params_fast_t;
static mtgp32_params_fast mtgp32dc_params_fast_11213[200] = {{11213}};
typedef struct mtgp32_kernel_params {
  int mexp;
} mtgp32_kernel_params_t;

typedef struct curandStateMtgp32 {
  unsigned long long seed;
  unsigned offset;
  mtgp32_kernel_params_t *k;
} curandStateMtgp32_t;

inline curandStatus_t curandMakeMTGP32Constants(const mtgp32_params_fast_t *params, mtgp32_kernel_params_t *p) {
  return cudaMemcpy(p, params, sizeof *p, cudaMemcpyHostToDevice) == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_INITIALIZATION_FAILED;
}
inline curandStatus_t curandMakeMTGP32KernelState(curandStateMtgp32_t *states, mtgp32_params_fast_t *, mtgp32_kernel_params_t *k, int n, unsigned long long seed) {
  if (n <= 0 || n > 200) return CURAND_STATUS_OUT_OF_RANGE;
  for (int i = 0; i < n; i++) {
    unsigned long long mixed = seed + i;
    curandStateMtgp32_t s = {warplint::splitmix(mixed), 0, k};
    if (cudaMemcpy(states + i, &s, sizeof s, cudaMemcpyHostToDevice) != cudaSuccess) return CURAND_STATUS_INITIALIZATION_FAILED;
  }
  return CURAND_STATUS_SUCCESS;
}

#ifdef __CUDACC__
// The number with an index, of n that are drawn together.
WARPLINT_INTRINSIC unsigned curand_mtgp32_specific(curandStateMtgp32 *state, unsigned index, unsigned n) {
  unsigned long long mixed = state->seed ^ (unsigned long long)(state->offset + index) << 32;
  unsigned r = (unsigned)warplint::splitmix(mixed);
  __syncthreads();
  if (index == 0) state->offset += n;
  __syncthreads();
  return r;
}
WARPLINT_INTRINSIC unsigned curand(curandStateMtgp32 *state) {
  return curand_mtgp32_specific(state, (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x, blockDim.x * blockDim.y * blockDim.z);
}
WARPLINT_INTRINSIC float curand_mtgp32_single(curandStateMtgp32 *state) { return curand(state) * 2.3283064e-10f + (2.3283064e-10f / 2.0f); }
WARPLINT_INTRINSIC float curand_mtgp32_single_specific(curandStateMtgp32 *state, unsigned index, unsigned n) {
  return curand_mtgp32_specific(state, index, n) * 2.3283064e-10f + (2.3283064e-10f / 2.0f);
}
// One draw for each number: the threads of a block draw together.
WARPLINT_INTRINSIC double curand_uniform_double(curandStateMtgp32 *state) { return ((double)curand(state) + 0.5) / 4294967296.0; }
WARPLINT_INTRINSIC float curand_normal(curandStateMtgp32 *state) { return (float)normcdfinv(curand_uniform_double(state)); }
WARPLINT_INTRINSIC double curand_normal_double(curandStateMtgp32 *state) { return normcdfinv(curand_uniform_double(state)); }
WARPLINT_INTRINSIC unsigned curand_poisson(curandStateMtgp32 *state, double lambda) {
  double u = curand_uniform_double(state);
  if (lambda > 500) return (unsigned)fmax(0.0, rint(lambda + sqrt(lambda) * normcdfinv(u)));
  unsigned n = 0;
  for (double p = exp(-lambda), sum = p; u > sum && p > 0; sum += p) p *= lambda / ++n;
  return n;
}
#endif
