// cuRAND's host API as far as programs use it: numbers are drawn on the host, by the generators of its C++ library, and
// copied to where they are wanted.
#pragma once
#define CURAND_H_  // what programs ask for
#include <random>
#include <vector>
#include "cuda_runtime.h"

typedef enum curandStatus {
  CURAND_STATUS_SUCCESS = 0,
  CURAND_STATUS_VERSION_MISMATCH = 100,
  CURAND_STATUS_NOT_INITIALIZED = 101,
  CURAND_STATUS_ALLOCATION_FAILED = 102,
  CURAND_STATUS_TYPE_ERROR = 103,
  CURAND_STATUS_OUT_OF_RANGE = 104,
  CURAND_STATUS_LENGTH_NOT_MULTIPLE = 105,
  CURAND_STATUS_DOUBLE_PRECISION_REQUIRED = 106,
  CURAND_STATUS_LAUNCH_FAILURE = 201,
  CURAND_STATUS_PREEXISTING_FAILURE = 202,
  CURAND_STATUS_INITIALIZATION_FAILED = 203,
  CURAND_STATUS_ARCH_MISMATCH = 204,
  CURAND_STATUS_INTERNAL_ERROR = 999,
} curandStatus_t;
typedef enum curandRngType {
  CURAND_RNG_TEST = 0,
  CURAND_RNG_PSEUDO_DEFAULT = 100,
  CURAND_RNG_PSEUDO_XORWOW = 101,
  CURAND_RNG_PSEUDO_MRG32K3A = 121,
  CURAND_RNG_PSEUDO_MTGP32 = 141,
  CURAND_RNG_PSEUDO_MT19937 = 142,
  CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161,
  CURAND_RNG_QUASI_DEFAULT = 200,
  CURAND_RNG_QUASI_SOBOL32 = 201,
  CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 = 202,
  CURAND_RNG_QUASI_SOBOL64 = 203,
  CURAND_RNG_QUASI_SCRAMBLED_SOBOL64 = 204,
} curandRngType_t;
typedef enum curandOrdering {
  CURAND_ORDERING_PSEUDO_BEST = 100,
  CURAND_ORDERING_PSEUDO_DEFAULT = 101,
  CURAND_ORDERING_PSEUDO_SEEDED = 102,
  CURAND_ORDERING_PSEUDO_LEGACY = 103,
  CURAND_ORDERING_PSEUDO_DYNAMIC = 104,
  CURAND_ORDERING_QUASI_DEFAULT = 201,
} curandOrdering_t;
typedef enum curandDirectionVectorSet {
  CURAND_DIRECTION_VECTORS_32_JOEKUO6 = 101,
  CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6 = 102,
  CURAND_DIRECTION_VECTORS_64_JOEKUO6 = 103,
  CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6 = 104,
} curandDirectionVectorSet_t;

// Direction vectors of Sobol's sequences (Sobol, "On the distribution of points in a cube", 1967), of as many dimensions as
// cuRAND has. The numbers that are free are drawn; they are not those of Joe and Kuo.
typedef unsigned curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];

namespace warplint {
const unsigned dimensions = 20000;
template <class T> struct directions {
  static const int bits = 8 * sizeof(T);
  T (*of)[bits];
  directions() : of(new T[dimensions][bits]) {
    std::mt19937_64 drawn;
    for (unsigned d = 0; d < dimensions; d++)
      for (int i = 0; i < bits; i++) {  // the highest i + 1 bits, of which the lowest is set
        T free = d ? T(drawn()) << (bits - 1 - i) : 0;
        of[d][i] = free | T(1) << (bits - 1 - i);
      }
  }
  static T (*all())[bits] {
    static directions made;
    return made.of;
  }
};
}  // namespace warplint

static inline curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t *vectors[], curandDirectionVectorSet_t set) {
  if (set > CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6) return CURAND_STATUS_OUT_OF_RANGE;
  *vectors = warplint::directions<unsigned>::all();
  return CURAND_STATUS_SUCCESS;
}
static inline curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t *vectors[], curandDirectionVectorSet_t set) {
  if (set < CURAND_DIRECTION_VECTORS_64_JOEKUO6) return CURAND_STATUS_OUT_OF_RANGE;
  *vectors = warplint::directions<unsigned long long>::all();
  return CURAND_STATUS_SUCCESS;
}
namespace warplint {
template <class T> curandStatus_t scramble(T **constants) {
  static T *drawn;
  if (!drawn) {
    std::mt19937_64 bits;
    drawn = new T[dimensions];
    for (unsigned d = 0; d < dimensions; d++) drawn[d] = T(bits());
  }
  *constants = drawn;
  return CURAND_STATUS_SUCCESS;
}
}  // namespace warplint
static inline curandStatus_t curandGetScrambleConstants32(unsigned **constants) { return warplint::scramble(constants); }
static inline curandStatus_t curandGetScrambleConstants64(unsigned long long **constants) { return warplint::scramble(constants); }

struct curandGenerator_st {
  curandRngType_t type;
  std::mt19937_64 bits;
  bool host;
  unsigned dimensions;        // of a quasi-random sequence
  unsigned long long offset;  // of its next point
};
typedef curandGenerator_st *curandGenerator_t;

static inline curandStatus_t curandCreateGenerator(curandGenerator_t *g, curandRngType_t type) {
  *g = new curandGenerator_st();
  (*g)->type = type;
  (*g)->dimensions = 1;
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
  if (g->type >= CURAND_RNG_QUASI_DEFAULT) return CURAND_STATUS_TYPE_ERROR;
  g->bits.seed(seed);
  return CURAND_STATUS_SUCCESS;
}
static inline curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t g, unsigned n) {
  if (g->type < CURAND_RNG_QUASI_DEFAULT) return CURAND_STATUS_TYPE_ERROR;
  if (n < 1 || n > warplint::dimensions) return CURAND_STATUS_OUT_OF_RANGE;
  g->dimensions = n;
  return CURAND_STATUS_SUCCESS;
}
static inline curandStatus_t curandSetGeneratorOffset(curandGenerator_t g, unsigned long long offset) {
  g->offset = offset;
  g->bits.discard(offset);
  return CURAND_STATUS_SUCCESS;
}
static inline curandStatus_t curandSetGeneratorOrdering(curandGenerator_t, curandOrdering_t) { return CURAND_STATUS_SUCCESS; }
static inline curandStatus_t curandSetStream(curandGenerator_t, cudaStream_t) { return CURAND_STATUS_SUCCESS; }
static inline curandStatus_t curandGenerateSeeds(curandGenerator_t) { return CURAND_STATUS_SUCCESS; }
static inline curandStatus_t curandGetVersion(int *version) {
  *version = 10300;
  return CURAND_STATUS_SUCCESS;
}

namespace warplint {
// The bits of a quasi-random sequence: all points' first coordinates, then all points' second ones, and so on.
struct sobol_bits {
  typedef unsigned long long result_type;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~0ull; }
  unsigned long long first, points, drawn;
  result_type operator()() {
    unsigned long long *v = directions<unsigned long long>::all()[drawn / points], x = 0, point = first + drawn % points;
    drawn++;
    for (unsigned long long gray = point ^ point >> 1; gray; gray >>= 1, v++) x ^= gray & 1 ? *v : 0;
    return x;
  }
};
template <class T, class Distribution> curandStatus_t draw(curandGenerator_t g, T *to, size_t n, Distribution numbers) {
  if (!g) return CURAND_STATUS_NOT_INITIALIZED;
  std::vector<T> drawn(n);
  if (g->type >= CURAND_RNG_QUASI_DEFAULT) {
    if (n % g->dimensions) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    sobol_bits bits = {g->offset, n / g->dimensions, 0};
    for (T &v : drawn) v = numbers(bits);
    g->offset += bits.points;
  } else {
    for (T &v : drawn) v = numbers(g->bits);
  }
  cudaDeviceSynchronize();  // the generator's stream is not known
  cudaError_t status = cudaMemcpy(to, drawn.data(), n * sizeof(T), g->host ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice);
  cudaDeviceSynchronize();
  return status == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}
// Numbers of the highest bits, as many as the type has.
template <class T> struct highest {
  template <class Bits> T operator()(Bits &bits) { return T(bits() >> (64 - 8 * sizeof(T))); }
};
// Numbers above 0 and at most 1.
template <class T> struct above_zero {
  template <class Bits> T operator()(Bits &bits) {
    const int kept = sizeof(T) == 4 ? 24 : 53;
    return T((bits() >> (64 - kept)) + 1) / T(1ull << kept);
  }
};
// Numbers of a distribution that takes several numbers for one, so that there is none of a quasi-random sequence.
template <class T, class Distribution> curandStatus_t draw_pseudo(curandGenerator_t g, T *to, size_t n, Distribution numbers) {
  return g && g->type >= CURAND_RNG_QUASI_DEFAULT ? CURAND_STATUS_TYPE_ERROR : draw(g, to, n, numbers);
}
}  // namespace warplint

static inline curandStatus_t curandGenerate(curandGenerator_t g, unsigned *to, size_t n) {
  return warplint::draw(g, to, n, warplint::highest<unsigned>());
}
static inline curandStatus_t curandGenerateLongLong(curandGenerator_t g, unsigned long long *to, size_t n) {
  return warplint::draw(g, to, n, warplint::highest<unsigned long long>());
}
static inline curandStatus_t curandGenerateUniform(curandGenerator_t g, float *to, size_t n) {
  return warplint::draw(g, to, n, warplint::above_zero<float>());
}
static inline curandStatus_t curandGenerateUniformDouble(curandGenerator_t g, double *to, size_t n) {
  return warplint::draw(g, to, n, warplint::above_zero<double>());
}
static inline curandStatus_t curandGenerateNormal(curandGenerator_t g, float *to, size_t n, float mean, float deviation) {
  return warplint::draw_pseudo(g, to, n, std::normal_distribution<float>(mean, deviation));
}
static inline curandStatus_t curandGenerateNormalDouble(curandGenerator_t g, double *to, size_t n, double mean, double deviation) {
  return warplint::draw_pseudo(g, to, n, std::normal_distribution<double>(mean, deviation));
}
static inline curandStatus_t curandGenerateLogNormal(curandGenerator_t g, float *to, size_t n, float mean, float deviation) {
  return warplint::draw_pseudo(g, to, n, std::lognormal_distribution<float>(mean, deviation));
}
static inline curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t g, double *to, size_t n, double mean, double deviation) {
  return warplint::draw_pseudo(g, to, n, std::lognormal_distribution<double>(mean, deviation));
}
static inline curandStatus_t curandGeneratePoisson(curandGenerator_t g, unsigned *to, size_t n, double lambda) {
  return warplint::draw_pseudo(g, to, n, std::poisson_distribution<unsigned>(lambda));
}
