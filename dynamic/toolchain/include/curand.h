// cuRAND's host API as far as programs use it: numbers are drawn on the host, by the generators of its C++ library, and
// copied to where they are wanted.
#pragma once
#include <random>
#include <vector>
#include "cuda_runtime.h"

typedef enum curandStatus {
  CURAND_STATUS_SUCCESS = 0,
  CURAND_STATUS_NOT_INITIALIZED = 101,
  CURAND_STATUS_TYPE_ERROR = 103,
  CURAND_STATUS_LAUNCH_FAILURE = 201,
} curandStatus_t;
typedef enum curandRngType {
  CURAND_RNG_PSEUDO_DEFAULT = 100,
  CURAND_RNG_PSEUDO_XORWOW = 101,
  CURAND_RNG_PSEUDO_MRG32K3A = 121,
  CURAND_RNG_PSEUDO_MTGP32 = 141,
  CURAND_RNG_PSEUDO_MT19937 = 142,
  CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161,
  CURAND_RNG_QUASI_DEFAULT = 200,
} curandRngType_t;
typedef enum curandOrdering {
  CURAND_ORDERING_PSEUDO_BEST = 100,
  CURAND_ORDERING_PSEUDO_DEFAULT = 101,
} curandOrdering_t;

struct curandGenerator_st {
  std::mt19937_64 bits;
  bool host;
};
typedef curandGenerator_st *curandGenerator_t;

static inline curandStatus_t curandCreateGenerator(curandGenerator_t *g, curandRngType_t type) {
  if (type >= CURAND_RNG_QUASI_DEFAULT) return CURAND_STATUS_TYPE_ERROR;
  *g = new curandGenerator_st();
  return CURAND_STATUS_SUCCESS;
}
static inline curandStatus_t curandCreateGeneratorHost(curandGenerator_t *g, curandRngType_t type) {
  curandStatus_t status = curandCreateGenerator(g, type);
  if (status == CURAND_STATUS_SUCCESS) (*g)->host = true;
  return status;
}
static inline curandStatus_t curandDestroyGenerator(curandGenerator_t g) {
  delete g;
  return CURAND_STATUS_SUCCESS;
}
static inline curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t g, unsigned long long seed) {
  g->bits.seed(seed);
  return CURAND_STATUS_SUCCESS;
}
static inline curandStatus_t curandSetGeneratorOffset(curandGenerator_t g, unsigned long long offset) {
  g->bits.discard(offset);
  return CURAND_STATUS_SUCCESS;
}
static inline curandStatus_t curandSetGeneratorOrdering(curandGenerator_t, curandOrdering_t) { return CURAND_STATUS_SUCCESS; }
static inline curandStatus_t curandSetStream(curandGenerator_t, cudaStream_t) { return CURAND_STATUS_SUCCESS; }

namespace warplint {
template <class T, class Distribution> curandStatus_t draw(curandGenerator_t g, T *to, size_t n, Distribution numbers) {
  if (!g) return CURAND_STATUS_NOT_INITIALIZED;
  std::vector<T> drawn(n);
  for (T &v : drawn) v = numbers(g->bits);
  cudaError_t status = cudaMemcpy(to, drawn.data(), n * sizeof(T), g->host ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice);
  return status == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}
// Numbers above 0 and at most 1.
template <class T> struct above_zero {
  std::uniform_real_distribution<T> below_one;
  T operator()(std::mt19937_64 &bits) { return T(1) - below_one(bits); }
};
}  // namespace warplint

static inline curandStatus_t curandGenerate(curandGenerator_t g, unsigned *to, size_t n) {
  return warplint::draw(g, to, n, std::uniform_int_distribution<unsigned>());
}
static inline curandStatus_t curandGenerateLongLong(curandGenerator_t g, unsigned long long *to, size_t n) {
  return warplint::draw(g, to, n, std::uniform_int_distribution<unsigned long long>());
}
static inline curandStatus_t curandGenerateUniform(curandGenerator_t g, float *to, size_t n) {
  return warplint::draw(g, to, n, warplint::above_zero<float>());
}
static inline curandStatus_t curandGenerateUniformDouble(curandGenerator_t g, double *to, size_t n) {
  return warplint::draw(g, to, n, warplint::above_zero<double>());
}
static inline curandStatus_t curandGenerateNormal(curandGenerator_t g, float *to, size_t n, float mean, float deviation) {
  return warplint::draw(g, to, n, std::normal_distribution<float>(mean, deviation));
}
static inline curandStatus_t curandGenerateNormalDouble(curandGenerator_t g, double *to, size_t n, double mean, double deviation) {
  return warplint::draw(g, to, n, std::normal_distribution<double>(mean, deviation));
}
static inline curandStatus_t curandGenerateLogNormal(curandGenerator_t g, float *to, size_t n, float mean, float deviation) {
  return warplint::draw(g, to, n, std::lognormal_distribution<float>(mean, deviation));
}
static inline curandStatus_t curandGeneratePoisson(curandGenerator_t g, unsigned *to, size_t n, double lambda) {
  return warplint::draw(g, to, n, std::poisson_distribution<unsigned>(lambda));
}
