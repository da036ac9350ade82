// Random numbers in kernels, with the functions of cuRAND's device API (cuRAND documentation, "Device API Overview"). The
// generators are the published ones: xorwow (Marsaglia, "Xorshift RNGs", 2003), mrg32k3a (L'Ecuyer, "Good parameters and
// implementations for combined multiple recursive random number generators", 1999) and philox 4x32-10 (Salmon et al.,
// "Parallel random numbers: as easy as 1, 2, 3", 2011). Sequences of xorwow and mrg32k3a begin elsewhere than cuRAND's.
// The quasi-random ones are Sobol's, with the direction vectors of curand.h.
#pragma once
#include "cuda_runtime.h"
#include "curand.h"

namespace warplint {

// A well mixed number for each of 2^64 (Steele et al., "Fast splittable pseudorandom number generators", 2014).
WARPLINT_BOTH unsigned long long splitmix(unsigned long long &state) {
  unsigned long long z = state += 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

// What the states of all generators have: the second number of a pair that has a normal distribution.
struct spare_normals {
  int has_single, has_double;
  float single_value;
  double double_value;
};

}  // namespace warplint

typedef struct curandStateXORWOW {
  unsigned d, v[5];
  warplint::spare_normals spare;
} curandStateXORWOW_t, curandState_t, curandState;

typedef struct curandStateMRG32k3a {
  unsigned s1[3], s2[3];
  warplint::spare_normals spare;
} curandStateMRG32k3a_t;

typedef struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned used;  // of output
  warplint::spare_normals spare;
} curandStatePhilox4_32_10_t;

WARPLINT_BOTH unsigned curand(curandStateXORWOW *state) {
  unsigned t = state->v[0] ^ state->v[0] >> 2;
  for (int i = 0; i < 4; i++) state->v[i] = state->v[i + 1];
  state->v[4] = (state->v[4] ^ state->v[4] << 4) ^ (t ^ t << 1);
  return state->v[4] + (state->d += 362437);
}

WARPLINT_BOTH unsigned curand(curandStateMRG32k3a *state) {
  const unsigned long long m1 = 4294967087ull, m2 = 4294944443ull;
  unsigned long long p = (1403580ull * state->s1[1] + (m1 - 810728ull) * state->s1[0]) % m1;
  unsigned long long q = (527612ull * state->s2[2] + (m2 - 1370589ull) * state->s2[0] % m2) % m2;
  for (int i = 0; i < 2; i++) state->s1[i] = state->s1[i + 1], state->s2[i] = state->s2[i + 1];
  state->s1[2] = (unsigned)p, state->s2[2] = (unsigned)q;
  return (unsigned)(p > q ? p - q : p - q + m1);
}

namespace warplint {

WARPLINT_BOTH uint4 philox(uint4 c, uint2 k) {
  for (int round = 0; round < 10; round++) {
    unsigned long long p = 0xd2511f53ull * c.x, q = 0xcd9e8d57ull * c.z;
    c = make_uint4((unsigned)(q >> 32) ^ c.y ^ k.x, (unsigned)q, (unsigned)(p >> 32) ^ c.w ^ k.y, (unsigned)p);
    k.x += 0x9e3779b9u, k.y += 0xbb67ae85u;
  }
  return c;
}

// A number of 128 bits, to which numbers are added in its lower and its upper half.
WARPLINT_BOTH void count(uint4 &c, unsigned long long low, unsigned long long high) {
  unsigned long long below = c.x | (unsigned long long)c.y << 32, above = c.z | (unsigned long long)c.w << 32;
  below += low;
  above += high + (below < low);
  c = make_uint4((unsigned)below, (unsigned)(below >> 32), (unsigned)above, (unsigned)(above >> 32));
}

}  // namespace warplint

WARPLINT_BOTH unsigned curand(curandStatePhilox4_32_10 *state) {
  unsigned all[4] = {state->output.x, state->output.y, state->output.z, state->output.w};
  unsigned r = all[state->used++];
  if (state->used == 4) {
    warplint::count(state->ctr, 1, 0);
    state->output = warplint::philox(state->ctr, state->key);
    state->used = 0;
  }
  return r;
}
WARPLINT_BOTH uint4 curand4(curandStatePhilox4_32_10 *state) {
  unsigned x = curand(state), y = curand(state), z = curand(state);
  return make_uint4(x, y, z, curand(state));
}

WARPLINT_BOTH void skipahead(unsigned long long n, curandStatePhilox4_32_10 *state) {
  n += state->used;
  warplint::count(state->ctr, n / 4, 0);
  state->used = n % 4;
  state->output = warplint::philox(state->ctr, state->key);
}
WARPLINT_BOTH void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10 *state) {
  warplint::count(state->ctr, 0, n);
  state->output = warplint::philox(state->ctr, state->key);
}
template <class State> __host__ __device__ inline void skipahead(unsigned long long n, State *state) {
  for (; n; n--) curand(state);
}
// Sequences of these generators are made of the number of the sequence, and so is what lies n further.
WARPLINT_BOTH void skipahead_sequence(unsigned long long n, curandStateXORWOW *state) {
  if (n == 0) return;
  for (unsigned &word : state->v) word ^= (unsigned)warplint::splitmix(n);
  state->v[0] |= 1;
}
WARPLINT_BOTH void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a *state) {
  if (n == 0) return;
  for (unsigned &word : state->s1) word = (word + (unsigned)warplint::splitmix(n)) % 4294967087u;
}
WARPLINT_BOTH void skipahead_sequence(unsigned long long n, curandStateMRG32k3a *state) { skipahead_subsequence(n ^ n << 32, state); }

WARPLINT_BOTH void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                               curandStateXORWOW *state) {
  unsigned long long mixed = seed;
  mixed = warplint::splitmix(mixed) ^ subsequence;
  for (int i = 0; i < 5; i++) state->v[i] = (unsigned)warplint::splitmix(mixed);
  state->v[0] |= 1;  // not all may be zero
  state->d = (unsigned)warplint::splitmix(mixed);
  state->spare = warplint::spare_normals();
  skipahead(offset, state);
}
WARPLINT_BOTH void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                               curandStateMRG32k3a *state) {
  unsigned long long mixed = seed;
  mixed = warplint::splitmix(mixed) ^ subsequence;
  for (int i = 0; i < 3; i++) {
    state->s1[i] = 1 + (unsigned)(warplint::splitmix(mixed) % 4294967086u);
    state->s2[i] = 1 + (unsigned)(warplint::splitmix(mixed) % 4294944442u);
  }
  state->spare = warplint::spare_normals();
  skipahead(offset, state);
}
WARPLINT_BOTH void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                               curandStatePhilox4_32_10 *state) {
  state->ctr = make_uint4(0, 0, 0, 0);
  state->key = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
  state->used = 0;
  state->spare = warplint::spare_normals();
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}

// Distributions. A uniform number lies above 0, and is at most 1.

template <class State> __host__ __device__ inline float curand_uniform(State *state) {
  return curand(state) * 2.3283064e-10f + (2.3283064e-10f / 2.0f);
}
template <class State> __host__ __device__ inline double curand_uniform_double(State *state) {
  unsigned x = curand(state);
  unsigned long long bits = (unsigned long long)x ^ (unsigned long long)curand(state) << 21;
  return bits * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2.0;
}
// Two numbers of a normal distribution (Box and Muller, "A note on the generation of random normal deviates", 1958).
template <class State> __host__ __device__ inline float2 curand_normal2(State *state) {
  float u = curand_uniform(state), angle = 6.2831853f * curand_uniform(state), length = sqrtf(-2.0f * logf(u));
  return make_float2(length * sinf(angle), length * cosf(angle));
}
template <class State> __host__ __device__ inline double2 curand_normal2_double(State *state) {
  double u = curand_uniform_double(state), angle = 6.283185307179586 * curand_uniform_double(state), length = sqrt(-2.0 * log(u));
  return make_double2(length * sin(angle), length * cos(angle));
}
template <class State> __host__ __device__ inline float curand_normal(State *state) {
  if (state->spare.has_single) {
    state->spare.has_single = 0;
    return state->spare.single_value;
  }
  float2 two = curand_normal2(state);
  state->spare.has_single = 1, state->spare.single_value = two.y;
  return two.x;
}
template <class State> __host__ __device__ inline double curand_normal_double(State *state) {
  if (state->spare.has_double) {
    state->spare.has_double = 0;
    return state->spare.double_value;
  }
  double2 two = curand_normal2_double(state);
  state->spare.has_double = 1, state->spare.double_value = two.y;
  return two.x;
}
template <class State> __host__ __device__ inline float curand_log_normal(State *state, float mean, float deviation) {
  return expf(mean + deviation * curand_normal(state));
}
template <class State> __host__ __device__ inline double curand_log_normal_double(State *state, double mean, double deviation) {
  return exp(mean + deviation * curand_normal_double(state));
}
// As many waiting times as lambda has room for, in pieces of which none underflows.
template <class State> __host__ __device__ inline unsigned curand_poisson(State *state, double lambda) {
  unsigned n = 0;
  for (double left = lambda; left > 0; left -= 500) {
    double least = exp(-(left < 500 ? left : 500.0)), product = curand_uniform_double(state);
    for (; product > least; product *= curand_uniform_double(state)) n++;
  }
  return n;
}

WARPLINT_BOTH float4 curand_uniform4(curandStatePhilox4_32_10 *state) {
  float x = curand_uniform(state), y = curand_uniform(state), z = curand_uniform(state);
  return make_float4(x, y, z, curand_uniform(state));
}
WARPLINT_BOTH double2 curand_uniform2_double(curandStatePhilox4_32_10 *state) {
  double x = curand_uniform_double(state);
  return make_double2(x, curand_uniform_double(state));
}
WARPLINT_BOTH float4 curand_normal4(curandStatePhilox4_32_10 *state) {
  float2 a = curand_normal2(state), b = curand_normal2(state);
  return make_float4(a.x, a.y, b.x, b.y);
}
WARPLINT_BOTH double4 curand_uniform4_double(curandStatePhilox4_32_10 *state) {
  double2 a = curand_uniform2_double(state), b = curand_uniform2_double(state);
  return make_double4(a.x, a.y, b.x, b.y);
}
WARPLINT_BOTH double4 curand_normal4_double(curandStatePhilox4_32_10 *state) {
  double2 a = curand_normal2_double(state), b = curand_normal2_double(state);
  return make_double4(a.x, a.y, b.x, b.y);
}
WARPLINT_BOTH float4 curand_log_normal4(curandStatePhilox4_32_10 *state, float mean, float deviation) {
  float4 v = curand_normal4(state);
  return make_float4(expf(mean + deviation * v.x), expf(mean + deviation * v.y), expf(mean + deviation * v.z), expf(mean + deviation * v.w));
}
WARPLINT_BOTH uint4 curand_poisson4(curandStatePhilox4_32_10 *state, double lambda) {
  unsigned x = curand_poisson(state, lambda), y = curand_poisson(state, lambda), z = curand_poisson(state, lambda);
  return make_uint4(x, y, z, curand_poisson(state, lambda));
}
template <class State> __host__ __device__ inline float2 curand_log_normal2(State *state, float mean, float deviation) {
  float2 v = curand_normal2(state);
  return make_float2(expf(mean + deviation * v.x), expf(mean + deviation * v.y));
}
template <class State> __host__ __device__ inline double2 curand_log_normal2_double(State *state, double mean, double deviation) {
  double2 v = curand_normal2_double(state);
  return make_double2(exp(mean + deviation * v.x), exp(mean + deviation * v.y));
}

// Of discrete distributions the host makes those of Poisson only.
struct curandDiscreteDistribution_st {
  double lambda;
};
typedef curandDiscreteDistribution_st *curandDiscreteDistribution_t;
inline curandStatus_t curandCreatePoissonDistribution(double lambda, curandDiscreteDistribution_t *made) {
  curandDiscreteDistribution_st d = {lambda};
  if (!(lambda > 0)) return CURAND_STATUS_OUT_OF_RANGE;
  if (!made) return CURAND_STATUS_NOT_INITIALIZED;
  return cudaMalloc((void **)made, sizeof d) == cudaSuccess && cudaMemcpy(*made, &d, sizeof d, cudaMemcpyHostToDevice) == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_ALLOCATION_FAILED;
}
inline curandStatus_t curandDestroyDistribution(curandDiscreteDistribution_t d) {
  return d && cudaFree(d) == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED;
}
template <class State> __device__ inline unsigned curand_discrete(State *state, curandDiscreteDistribution_t d) { return curand_poisson(state, d->lambda); }
WARPLINT_BOTH uint4 curand_discrete4(curandStatePhilox4_32_10 *state, curandDiscreteDistribution_t d) { return curand_poisson4(state, d->lambda); }

// Quasi-random numbers: each state walks through one dimension, in the order of a Gray code (Antonov and Saleev, "An economic
// method of computing LPtau-sequences", 1979).

namespace warplint {

template <class T, bool scrambled> struct sobol_state {
  T i, x, constant, vectors[8 * sizeof(T)];
};
}  // namespace warplint

typedef warplint::sobol_state<unsigned, false> curandStateSobol32, curandStateSobol32_t;
typedef warplint::sobol_state<unsigned, true> curandStateScrambledSobol32, curandStateScrambledSobol32_t;
typedef warplint::sobol_state<unsigned long long, false> curandStateSobol64, curandStateSobol64_t;
typedef warplint::sobol_state<unsigned long long, true> curandStateScrambledSobol64, curandStateScrambledSobol64_t;

template <class T, bool scrambled> __host__ __device__ inline T curand(warplint::sobol_state<T, scrambled> *state) {
  T x = state->x;
  int lowest = 0;  // bit that is not set
  while (lowest < 8 * (int)sizeof(T) - 1 && state->i >> lowest & 1) lowest++;
  state->x ^= state->vectors[lowest];
  state->i++;
  return x;
}
template <class T, bool scrambled> __host__ __device__ inline void skipahead(unsigned long long n, warplint::sobol_state<T, scrambled> *state) {
  state->i += (T)n;
  state->x = state->constant;
  for (T k = 0, gray = state->i ^ state->i >> 1; gray; k++, gray >>= 1)
    if (gray & 1) state->x ^= state->vectors[k];
}
namespace warplint {
template <class T, bool scrambled>
__host__ __device__ inline void start(const T *vectors, T constant, unsigned long long offset, sobol_state<T, scrambled> *state) {
  for (int k = 0; k < 8 * (int)sizeof(T); k++) state->vectors[k] = vectors[k];
  state->constant = constant;
  state->i = 0, state->x = constant;
  skipahead(offset, state);
}

}  // namespace warplint

template <class T> __host__ __device__ inline void curand_init(T *vectors, unsigned long long offset, warplint::sobol_state<T, false> *state) {
  warplint::start(vectors, T(0), offset, state);
}
template <class T>
__host__ __device__ inline void curand_init(T *vectors, unsigned long long constant, unsigned long long offset,
                                            warplint::sobol_state<T, true> *state) {
  warplint::start(vectors, (T)constant, offset, state);
}
template <class T, bool scrambled> __host__ __device__ inline float curand_uniform(warplint::sobol_state<T, scrambled> *state) {
  return (float)((double)((curand(state) >> (8 * sizeof(T) - 24)) + 1) / 16777216.0);
}
template <class T, bool scrambled>
__host__ __device__ inline double curand_uniform_double(warplint::sobol_state<T, scrambled> *state) {
  return sizeof(T) == 4 ? ((double)curand(state) + 1) / 4294967296.0 : ((double)(curand(state) >> 11) + 1) / 9007199254740992.0;
}
#ifdef __CUDACC__
template <class T, bool scrambled> __device__ inline float curand_normal(warplint::sobol_state<T, scrambled> *state) {
  return (float)normcdfinv(((curand(state) >> (8 * sizeof(T) - 24)) + 0.5) / 16777216.0);
}
template <class T, bool scrambled> __device__ inline double curand_normal_double(warplint::sobol_state<T, scrambled> *state) {
  return normcdfinv(((double)(curand(state) >> (8 * sizeof(T) - 32)) + 0.5) / 4294967296.0);
}
#endif
#include "warplint/mtgp32.h"
