// cuRAND's device functions and its host's: what is known of philox, and the means of distributions.
#include <cmath>
#include <cstdio>
#include <curand.h>
#include <curand_kernel.h>
#include <curand_mtgp32_host.h>
#include <curand_mtgp32dc_p_11213.h>

const int threads = 256, draws = 64;

__global__ void philox(uint4 *out) {
  curandStatePhilox4_32_10_t state;
  curand_init(0, 0, 0, &state);
  *out = curand4(&state);
}
template <class State> __global__ void draw(State *states, double *means) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  curand_init(1234, i, 0, &states[i]);
  State state = states[i];
  double uniform = 0, normal = 0, square = 0, counts = 0, precise = 0;
  for (int n = 0; n < draws; n++) {
    uniform += curand_uniform(&state);
    float x = curand_normal(&state);
    normal += x, square += x * x;
    counts += curand_poisson(&state, 7.0);
    precise += curand_uniform_double(&state);
  }
  states[i] = state;
  atomicAdd(&means[0], uniform), atomicAdd(&means[1], normal), atomicAdd(&means[2], square);
  atomicAdd(&means[3], counts), atomicAdd(&means[4], precise);
}

// Each thread takes its own part of a sequence: all parts are one sequence, that of the host.
__global__ void sobol(curandDirectionVectors32_t *vectors, float *out) {
  curandStateSobol32 state;
  curand_init(vectors[blockIdx.x], threadIdx.x * draws, &state);
  for (int n = 0; n < draws; n++) out[(blockIdx.x * threads + threadIdx.x) * draws + n] = curand_uniform(&state);
}

// The threads of a block draw together; each loop must see them all.
__global__ void together(curandStateMtgp32 *states, double *means, curandDiscreteDistribution_t rare) {
  double uniform = 0, normal = 0, counts = 0;
  for (int n = 0; n < draws; n++) {
    uniform += curand_uniform(&states[blockIdx.x]);
    normal += curand_normal(&states[blockIdx.x]);
    counts += curand_discrete(&states[blockIdx.x], rare);
  }
  atomicAdd(&means[0], uniform), atomicAdd(&means[1], normal), atomicAdd(&means[2], counts);
}

void near(const char *what, double is, double want, double within) {
  if (!(std::fabs(is - want) <= within)) printf("%s: %f, want %f\n", what, is, want);
}
template <class State> void means(const char *name) {
  State *states;
  double *sums;
  cudaMalloc(&states, threads * sizeof(State));
  cudaMallocManaged(&sums, 5 * sizeof(double));
  for (int i = 0; i < 5; i++) sums[i] = 0;
  draw<<<threads / 64, 64>>>(states, sums);
  cudaDeviceSynchronize();
  const double want[] = {0.5, 0, 1, 7, 0.5}, within[] = {0.02, 0.04, 0.06, 0.1, 0.02};
  for (int i = 0; i < 5; i++) near(name, sums[i] / threads / draws, want[i], within[i]);
}

void mtgp32() {
  curandStateMtgp32 *states;
  mtgp32_kernel_params *constants;
  curandDiscreteDistribution_t rare;
  double *sums;
  cudaMalloc(&states, 2 * sizeof *states);
  cudaMalloc(&constants, sizeof *constants);
  cudaMallocManaged(&sums, 3 * sizeof(double));
  if (curandMakeMTGP32Constants(mtgp32dc_params_fast_11213, constants) || curandMakeMTGP32KernelState(states, mtgp32dc_params_fast_11213, constants, 2, 5) ||
      curandCreatePoissonDistribution(2, &rare))
    puts("no mtgp32");
  together<<<2, threads / 2>>>(states, sums, rare);
  cudaDeviceSynchronize();
  const double want[] = {0.5, 0, 2};
  for (int i = 0; i < 3; i++) near("mtgp32", sums[i] / threads / draws, want[i], 0.04);
}

void quasi() {
  const int points = threads * draws, boxes = 16;
  curandDirectionVectors32_t *vectors, *copy;
  curandGenerator_t generator;
  float *device, *host;
  cudaMallocManaged(&device, 2 * points * sizeof(float));
  cudaMallocManaged(&host, 2 * points * sizeof(float));
  curandGetDirectionVectors32(&vectors, CURAND_DIRECTION_VECTORS_32_JOEKUO6);
  cudaMalloc(&copy, 2 * sizeof *vectors);
  cudaMemcpy(copy, vectors, 2 * sizeof *vectors, cudaMemcpyHostToDevice);
  sobol<<<2, threads>>>(copy, device);
  cudaDeviceSynchronize();
  curandCreateGenerator(&generator, CURAND_RNG_QUASI_SOBOL32);
  curandSetQuasiRandomGeneratorDimensions(generator, 2);
  if (curandGenerateUniform(generator, host, 2 * points) != CURAND_STATUS_SUCCESS) puts("no points");
  if (curandGenerateUniform(generator, host, 3) != CURAND_STATUS_LENGTH_NOT_MULTIPLE) puts("three halves of a point");
  for (int d = 0; d < 2; d++) {
    int count[boxes] = {};
    float apart = 0;
    for (int i = 0; i < points; i++) {
      count[(int)(std::ceil(device[d * points + i] * boxes)) - 1]++;
      apart = std::fmax(apart, d == 0 ? std::fabs(device[i] - host[i]) : 0);
    }
    for (int b = 0; b < boxes; b++) near("points in a box", count[b], points / boxes, 1);
    near("host and device", apart, 0, 1e-6);
  }
}

template <class State, class F> void another(const char *name, F ahead) {
  State a, b;
  curand_init(1, 2, 3, &a);
  b = a;
  ahead(0, &b);
  if (curand(&a) != curand(&b)) printf("%s: no sequence further\n", name);
  ahead(1, &b);
  if (curand(&a) == curand(&b)) printf("%s: the same sequence\n", name);
}

int main() {
  quasi();
  another<curandState>("xorwow", [](int n, curandState *s) { skipahead_sequence(n, s); });
  another<curandStateMRG32k3a>("mrg32k3a", [](int n, curandStateMRG32k3a *s) { skipahead_subsequence(n, s); });
  mtgp32();
  uint4 *out;
  cudaMallocManaged(&out, sizeof *out);
  philox<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  // The first of the known answers that its authors give.
  if (out->x != 0x6627e8d5 || out->y != 0xe169c58d || out->z != 0xbc57ac4c || out->w != 0x9b00dbd8)
    printf("philox: %08x %08x %08x %08x\n", out->x, out->y, out->z, out->w);
  means<curandState>("xorwow");
  means<curandStateMRG32k3a>("mrg32k3a");
  means<curandStatePhilox4_32_10_t>("philox");
  curandGenerator_t generator;
  float *drawn, sum = 0;
  cudaMallocManaged(&drawn, 10000 * sizeof(float));
  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);
  curandSetPseudoRandomGeneratorSeed(generator, 7);
  if (curandGenerateNormal(generator, drawn, 10000, 3, 1) != CURAND_STATUS_SUCCESS) puts("no numbers");
  for (int i = 0; i < 10000; i++) sum += drawn[i];
  near("host", sum / 10000, 3, 0.05);
  curandDestroyGenerator(generator);
  puts("done");
}
