// Calls of cuBLAS, by a file that is compiled as CUDA for it: what comes out is what loops on the host make of the same numbers.
#include <cublas_v2.h>
#include <cmath>
#include <cstdio>
#include <vector>
#define CHECK(condition) \
  if (!(condition)) printf("line %d: %s\n", __LINE__, #condition)
#define OK(call) CHECK((call) == CUBLAS_STATUS_SUCCESS)

// As programs have it that bring NVIDIA's helper_cuda.h.
#ifndef CUBLAS_API_H_
#error "they ask for this"
#endif
static const char *_cudaGetErrorEnum(cublasStatus_t status) { return status == CUBLAS_STATUS_SUCCESS ? "none" : cublasGetStatusName(status); }

template <class T> T *device(const std::vector<T> &v) {
  T *p;
  cudaMalloc(&p, v.size() * sizeof(T));
  cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}
template <class T> std::vector<T> host(const T *p, int n) {
  std::vector<T> v(n);
  cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost);
  return v;
}
static std::vector<double> numbers(int n, int seed) {
  std::vector<double> v(n);
  for (int i = 0; i < n; i++) v[i] = (i * 37 + seed * 11) % 23 - 11;
  return v;
}

static void vectors(cublasHandle_t h) {
  const int n = 1000;
  auto x = numbers(n, 1), y = numbers(n, 2);
  double *dx = device(x), *dy = device(y), a = 3, dot, norm, sum;
  int most, least;
  OK(cublasDaxpy(h, n, &a, dx, 1, dy, 1));
  OK(cublasDdot(h, n, dx, 1, dy, 1, &dot));
  OK(cublasDnrm2(h, n / 2, dx, 2, &norm));
  OK(cublasDasum(h, n, dx, 1, &sum));
  OK(cublasIdamax(h, n, dx, 1, &most));
  OK(cublasIdamin(h, n, dx, 1, &least));
  double wantDot = 0, wantNorm = 0, wantSum = 0;
  int wantMost = 0, wantLeast = 0;
  for (int i = 0; i < n; i++) {
    wantDot += x[i] * (3 * x[i] + y[i]), wantSum += std::fabs(x[i]);
    if (i % 2 == 0) wantNorm += x[i] * x[i];
    if (std::fabs(x[i]) > std::fabs(x[wantMost])) wantMost = i;
    if (std::fabs(x[i]) < std::fabs(x[wantLeast])) wantLeast = i;
  }
  CHECK(dot == wantDot && std::fabs(norm - std::sqrt(wantNorm)) < 1e-9 && sum == wantSum && most == wantMost + 1 && least == wantLeast + 1);
  OK(cublasDscal(h, n, &a, dx, 1));
  OK(cublasDswap(h, n, dx, 1, dy, 1));
  OK(cublasDcopy(h, n, dy, 1, dx, -1));
  auto r = host(dx, n);
  CHECK(r[n - 1] == 3 * x[0]);

  OK(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
  double *result = device(std::vector<double>{0});
  OK(cublasDdot(h, n, dy, 1, dy, 1, result));
  OK(cublasDscal(h, 1, result, dy, 1));
  OK(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
  CHECK(host(dy, 1)[0] == 3 * x[0] * host(result, 1)[0]);
}

static void products(cublasHandle_t h) {
  const int m = 70, n = 19, k = 33;
  auto a = numbers(m * k, 1), b = numbers(k * n, 2), c = numbers(m * n, 3);
  double *da = device(a), *db = device(b), *dc = device(c), one = 1, two = 2, none = 0;
  OK(cublasDgemm(h, CUBLAS_OP_N, CUBLAS_OP_T, m, n, k, &two, da, m, db, n, &one, dc, m));
  auto r = host(dc, m * n);
  bool good = true;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int l = 0; l < k; l++) sum += a[i + l * m] * b[j + l * n];
      good = good && r[i + j * m] == 2 * sum + c[i + j * m];
    }
  CHECK(good);
  c[0] = NAN;  // is not read where its factor is 0
  cudaMemcpy(dc, c.data(), sizeof(double), cudaMemcpyHostToDevice);
  OK(cublasDgemm(h, CUBLAS_OP_T, CUBLAS_OP_N, k, n, m, &one, da, m, device(numbers(m * n, 5)), m, &none, dc, k));
  CHECK(!std::isnan(host(dc, 1)[0]));

  std::vector<float> x(4 * 6, 2), y(6 * 4, 3), z(2 * 4 * 4, 5);
  float *dx = device(x), *dy = device(y), *dz = device(z), f = 1, g = 2;
  OK(cublasSgemmStridedBatched(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 3, &f, dx, 4, 12, dy, 3, 12, &g, dz, 4, 16, 2));
  CHECK(host(dz, 32)[31] == 28);
  float *list[] = {dx, dy, dz, dz + 16};
  float **lists = device(std::vector<float *>(list, list + 4));
  OK(cublasSgemmBatched(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 6, &f, lists, 4, lists + 1, 6, &f, lists + 2, 4, 1));
  CHECK(host(dz, 1)[0] == 28 + 36);
  std::vector<__half> p(16, __float2half(0.5f));
  __half *dp = device(p);
  OK(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &f, dp, CUDA_R_16F, 4, dp, CUDA_R_16F, 4, &g, dz, CUDA_R_32F, 4, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
  CHECK(host(dz, 1)[0] == 1 + 2 * 64);
  cuComplex i = {0, 1}, *di = device(std::vector<cuComplex>(4, i)), *dj = device(std::vector<cuComplex>(4, i)), zero = {0, 0}, dot;
  OK(cublasCgemm(h, CUBLAS_OP_C, CUBLAS_OP_N, 2, 2, 2, &i, di, 2, di, 2, &zero, dj, 2));
  CHECK(host(dj, 4)[3].x == 0 && host(dj, 4)[3].y == 2);
  OK(cublasCdotc(h, 4, di, 1, dj, 1, &dot));
  CHECK(dot.x == 8 && dot.y == 0);
}

static void matrices(cublasHandle_t h) {
  const int n = 12;
  std::vector<double> a(n * n), x = numbers(n, 4), at(n * n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[i + j * n] = i == j ? 4 : (i * 5 + j * 3) % 7 / 8.0, at[j + i * n] = a[i + j * n];
  double *da = device(a), *dx = device(x), *dy = device(x), one = 1, none = 0;
  for (int way = 0; way < 8; way++) {  // what is multiplied by a triangle is solved for again
    cublasFillMode_t fill = way & 1 ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
    cublasOperation_t op = way & 2 ? CUBLAS_OP_T : CUBLAS_OP_N;
    cublasSideMode_t side = way & 4 ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT;
    std::vector<double> triangle(n * n), whole = numbers(n * n, way);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) triangle[i + j * n] = (way & 1 ? i <= j : i >= j) ? a[i + j * n] : 0;
    double *dt = device(triangle), *dw = device(whole), *dv = device(whole);
    OK(way & 4 ? cublasDgemm(h, CUBLAS_OP_N, op, n, n, n, &one, dw, n, dt, n, &none, dv, n) : cublasDgemm(h, op, CUBLAS_OP_N, n, n, n, &one, dt, n, dw, n, &none, dv, n));
    OK(cublasDtrsm(h, side, fill, op, CUBLAS_DIAG_NON_UNIT, n, n, &one, da, n, dv, n));
    auto r = host(dv, n * n);
    bool good = true;
    for (int i = 0; i < n * n; i++) good = good && std::fabs(r[i] - whole[i]) < 1e-9;
    CHECK(good);
    if (side == CUBLAS_SIDE_RIGHT) continue;
    OK(cublasDgemv(h, op, n, n, &one, dt, n, dx, 1, &none, dy, 1));
    OK(cublasDtrsv(h, fill, op, CUBLAS_DIAG_NON_UNIT, n, da, n, dy, 1));
    r = host(dy, n);
    for (int i = 0; i < n; i++) good = good && std::fabs(r[i] - x[i]) < 1e-9;
    CHECK(good);
  }
  double *dt = device(a), *dz = device(x);
  OK(cublasDgeam(h, CUBLAS_OP_T, CUBLAS_OP_N, n, n, &one, da, n, &none, da, n, dt, n));
  CHECK(host(dt, n * n) == at);
  OK(cublasDsymv(h, CUBLAS_FILL_MODE_LOWER, n, &one, da, n, dx, 1, &none, dy, 1));
  OK(cublasDsymm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, n, 1, &one, da, n, dx, n, &none, dz, n));
  CHECK(host(dy, n) == host(dz, n));
  OK(cublasDger(h, n, n, &one, dx, 1, dx, 1, dt, n));
  CHECK(host(dt, n * n)[n + 2] == at[n + 2] + x[2] * x[1]);
  OK(cublasDsyrk(h, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, n, 1, &one, dx, n, &none, dt, n));
  CHECK(host(dt, n * n)[n] == x[0] * x[1] && host(dt, n * n)[1] == at[1] + x[1] * x[0]);
  OK(cublasDdgmm(h, CUBLAS_SIDE_RIGHT, n, n, da, n, dx, 1, dt, n));
  CHECK(host(dt, n * n)[n + 3] == a[n + 3] * x[1]);
}

int main() {
  CHECK(_cudaGetErrorEnum(CUBLAS_STATUS_SUCCESS)[0] == 'n');
  cublasHandle_t h;
  OK(cublasCreate(&h));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaStreamSynchronize(stream);
  vectors(h);
  products(h);
  matrices(h);
  OK(cublasSetStream(h, stream));
  float x[] = {1, 2, 3}, y[] = {0, 0, 0}, *d;
  cudaMalloc(&d, sizeof x);
  OK(cublasSetVector(3, sizeof *x, x, 1, d, 1));
  OK(cublasSscal(h, 3, x + 1, d, 1));
  OK(cublasGetVectorAsync(3, sizeof *x, d, 1, y, 1, stream));
  cudaStreamSynchronize(stream);
  CHECK(y[2] == 6);
  CHECK(cublasSscal(nullptr, 3, x, d, 1) == CUBLAS_STATUS_NOT_INITIALIZED);
  OK(cublasDestroy(h));
  printf("done\n");
}
