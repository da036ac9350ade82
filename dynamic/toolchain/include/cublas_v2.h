// cuBLAS as far as programs use it besides their own kernels: vectors, products with matrices, and solutions with triangular ones.
// Matrices lie column by column. Each call is one kernel in the handle's stream, so that what it touches is seen.
#pragma once
#define CUBLAS_V2_H_  // what programs ask for
#define CUBLAS_API_H_
#if !defined(__CUDA__)
#error "cuBLAS is simulated in files that are compiled as CUDA: name this one .cu"
#else
#include "cuComplex.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "library_types.h"

typedef enum {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16,
} cublasStatus_t;
typedef enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2, CUBLAS_OP_HERMITAN = 2, CUBLAS_OP_CONJG = 3 } cublasOperation_t;
typedef enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1, CUBLAS_FILL_MODE_FULL = 2 } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;
typedef enum {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3,
  CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16,
} cublasMath_t;
typedef enum { CUBLAS_GEMM_DFALT = -1, CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DFALT_TENSOR_OP = 99, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99 } cublasGemmAlgo_t;
typedef enum {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_16F_PEDANTIC = 65,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_64F_PEDANTIC = 71,
  CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32I_PEDANTIC = 73,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
} cublasComputeType_t;
typedef cudaDataType cublasDataType_t;

struct cublasContext {
  cudaStream_t stream;
  cublasPointerMode_t pointers;
  cublasMath_t math;
  cublasAtomicsMode_t atomics;
  void *result;  // of a kernel, on its way to the host
};
typedef cublasContext *cublasHandle_t;

inline const char *cublasGetStatusName(cublasStatus_t status) {
#define WARPLINT_STATUS(name) \
  if (status == CUBLAS_STATUS_##name) return "CUBLAS_STATUS_" #name;
  WARPLINT_STATUS(SUCCESS) WARPLINT_STATUS(NOT_INITIALIZED) WARPLINT_STATUS(ALLOC_FAILED) WARPLINT_STATUS(INVALID_VALUE) WARPLINT_STATUS(ARCH_MISMATCH)
  WARPLINT_STATUS(MAPPING_ERROR) WARPLINT_STATUS(EXECUTION_FAILED) WARPLINT_STATUS(INTERNAL_ERROR) WARPLINT_STATUS(NOT_SUPPORTED) WARPLINT_STATUS(LICENSE_ERROR)
#undef WARPLINT_STATUS
  return "<unknown>";
}
inline const char *cublasGetStatusString(cublasStatus_t status) { return cublasGetStatusName(status); }

namespace warplint {
namespace blas {

inline cublasStatus_t status(cudaError_t error) { return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED; }

// Arithmetic on all that a matrix may hold. What is shorter than a float is computed with as one.
template <class T> struct wide { typedef T type; };
template <> struct wide<__half> { typedef float type; };
template <> struct wide<__nv_bfloat16> { typedef float type; };
template <> struct wide<signed char> { typedef int type; };
template <class T> using wide_t = typename wide<T>::type;
template <class W, class T> WARPLINT_METHOD_BOTH inline W widened(T v) { return (W)v; }
template <class T, class W> WARPLINT_METHOD_BOTH inline T narrowed(W v) { return (T)v; }
template <class W> WARPLINT_METHOD_BOTH inline W times(W a, W b) { return a * b; }
template <class W> WARPLINT_METHOD_BOTH inline W plus(W a, W b) { return a + b; }
template <class W> WARPLINT_METHOD_BOTH inline W over(W a, W b) { return a / b; }
template <class W> WARPLINT_METHOD_BOTH inline W conjugate(W a) { return a; }
template <class W> WARPLINT_METHOD_BOTH inline bool is_zero(W a) { return a == 0; }
template <class W> WARPLINT_METHOD_BOTH inline auto size1(W a) { return a < 0 ? -a : a; }  // as asum and amax have it
template <class W> WARPLINT_METHOD_BOTH inline auto square(W a) { return a * a; }
template <class W> struct number { static WARPLINT_METHOD_BOTH W of(double v) { return (W)v; } };
#define WARPLINT_BLAS_COMPLEX(W, R, f) \
  template <> WARPLINT_METHOD_BOTH inline W times(W a, W b) { return cuCmul##f(a, b); } \
  template <> WARPLINT_METHOD_BOTH inline W plus(W a, W b) { return cuCadd##f(a, b); } \
  template <> WARPLINT_METHOD_BOTH inline W over(W a, W b) { return cuCdiv##f(a, b); } \
  template <> WARPLINT_METHOD_BOTH inline W conjugate(W a) { return cuConj##f(a); } \
  template <> WARPLINT_METHOD_BOTH inline bool is_zero(W a) { return a.x == 0 && a.y == 0; } \
  WARPLINT_METHOD_BOTH inline R size1(W a) { return size1(a.x) + size1(a.y); } \
  WARPLINT_METHOD_BOTH inline R square(W a) { return a.x * a.x + a.y * a.y; } \
  template <> struct number<W> { static WARPLINT_METHOD_BOTH W of(double v) { return W{(R)v, 0}; } };
WARPLINT_BLAS_COMPLEX(cuComplex, float, f)
WARPLINT_BLAS_COMPLEX(cuDoubleComplex, double, )
#undef WARPLINT_BLAS_COMPLEX

// A factor, which stands in the host's memory or in the device's.
template <class T, class W> struct factor {
  T value;
  const T *at;
  factor(cublasHandle_t h, const void *p) : value(), at((const T *)p) {
    if (h->pointers == CUBLAS_POINTER_MODE_HOST) value = *at, at = nullptr;
  }
  __device__ W operator()() const { return widened<W>(at ? *at : value); }
};
// A matrix, or its transpose; a vector is one of one column.
template <class T> struct matrix {
  T *p;
  long long down, right;
  bool conjugated;
  template <class W> __device__ W get(long long i, long long j) const {
    W v = widened<W>(p[i * down + j * right]);
    return conjugated ? conjugate(v) : v;
  }
  template <class W> __device__ void set(long long i, long long j, W v) const { p[i * down + j * right] = narrowed<T>(v); }
  __host__ __device__ matrix at(long long n) const { return matrix{p + n, down, right, conjugated}; }
};
template <class T> matrix<T> given(T *p, int ld, cublasOperation_t op = CUBLAS_OP_N) {
  return op == CUBLAS_OP_N ? matrix<T>{p, 1, ld, false} : matrix<T>{p, ld, 1, op == CUBLAS_OP_C};
}
template <class T> matrix<T> vector(T *p, int n, int step) { return matrix<T>{step < 0 ? p - (long long)(n - 1) * step : p, step, 0, false}; }

template <class F> __global__ void run(long long n, F f) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) f(i);
}
template <class F> cublasStatus_t each(cublasHandle_t h, long long n, F f) {
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (n < 0) return CUBLAS_STATUS_INVALID_VALUE;
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  run<<<(unsigned)((n + 255) / 256), n < 256 ? (unsigned)n : 256, 0, h->stream>>>(n, f);
  return status(cudaPeekAtLastError());
}

// reduced gives what join makes of all elements to where the program wants it.
template <class R, class Element, class Join, class Last> __global__ void join_all(int n, R zero, Element element, Join join, Last last, decltype(last(zero)) *to) {
  __shared__ unsigned char bytes[256 * sizeof(R)];
  R *part = reinterpret_cast<R *>(bytes), mine = zero;
  for (int i = threadIdx.x; i < n; i += 256) mine = join(mine, element(i));
  part[threadIdx.x] = mine;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] = join(part[threadIdx.x], part[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) *to = last(part[0]);
}
template <class R, class Element, class Join, class Last, class T> cublasStatus_t reduced(cublasHandle_t h, int n, T *to, R zero, Element element, Join join, Last last) {
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
  const bool host = h->pointers == CUBLAS_POINTER_MODE_HOST;
  T *result = host ? (T *)h->result : to;
  join_all<<<1, 256, 0, h->stream>>>(n, zero, element, join, last, result);
  if (!host) return status(cudaPeekAtLastError());
  cudaError_t error = cudaMemcpyAsync(to, result, sizeof(T), cudaMemcpyDeviceToHost, h->stream);
  return status(error == cudaSuccess ? cudaStreamSynchronize(h->stream) : error);
}

struct largest {
  double value;
  int at;  // from 1, as in Fortran; the first of several
};

// gemm: C = alpha A B + beta C, 16 elements a thread, once for each matrix of a batch.
template <class W, class A, class B, class C, class S, class Batch> __global__ void multiply(int m, int n, int k, factor<S, W> alpha, factor<S, W> beta, Batch batch) {
  matrix<A> a;
  matrix<B> b;
  matrix<C> c;
  batch(blockIdx.z, a, b, c);
  const int row = (blockIdx.x * 16 + threadIdx.x) * 4, column = (blockIdx.y * 16 + threadIdx.y) * 4;
  if (row >= m || column >= n) return;
  W sum[4][4];
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) sum[i][j] = number<W>::of(0);
  const int rows = m - row < 4 ? m - row : 4, columns = n - column < 4 ? n - column : 4;
  for (int l = 0; l < k; l++) {
    W x[4], y[4];
    for (int i = 0; i < 4; i++) x[i] = i < rows ? a.template get<W>(row + i, l) : number<W>::of(0);
    for (int j = 0; j < 4; j++) y[j] = j < columns ? b.template get<W>(l, column + j) : number<W>::of(0);
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) sum[i][j] = plus(sum[i][j], times(x[i], y[j]));
  }
  const W scale = alpha(), old = beta();
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      W v = times(scale, sum[i][j]);
      c.set(row + i, column + j, is_zero(old) ? v : plus(v, times(old, c.template get<W>(row + i, column + j))));
    }
}
template <class W, class S, class A, class B, class C, class Batch> cublasStatus_t gemm(cublasHandle_t h, int m, int n, int k, const void *alpha, const void *beta, int count, Batch batch) {
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (m < 0 || n < 0 || k < 0 || count < 0) return CUBLAS_STATUS_INVALID_VALUE;
  if (m == 0 || n == 0 || count == 0) return CUBLAS_STATUS_SUCCESS;
  multiply<W, A, B, C, S><<<dim3((m + 63) / 64, (n + 63) / 64, count), dim3(16, 16), 0, h->stream>>>(m, n, k, factor<S, W>(h, alpha), factor<S, W>(h, beta), batch);
  return status(cudaPeekAtLastError());
}
template <class W, class S, class A, class B, class C>
cublasStatus_t gemm(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const void *alpha, const A *a, int lda, long long sa, const B *b, int ldb, long long sb,
                    const void *beta, C *c, int ldc, long long sc, int count) {
  auto first = given(const_cast<A *>(a), lda, ta);
  auto second = given(const_cast<B *>(b), ldb, tb);
  auto third = given(c, ldc);
  return gemm<W, S, A, B, C>(h, m, n, k, alpha, beta, count, [=] __device__(long long i, matrix<A> &a, matrix<B> &b, matrix<C> &c) { a = first.at(i * sa), b = second.at(i * sb), c = third.at(i * sc); });
}
template <class W, class S, class T>
cublasStatus_t gemm_batched(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const void *alpha, const T *const *a, int lda, const T *const *b, int ldb,
                            const void *beta, T *const *c, int ldc, int count) {
  return gemm<W, S, T, T, T>(h, m, n, k, alpha, beta, count, [=] __device__(long long i, matrix<T> &first, matrix<T> &second, matrix<T> &third) {
    first = ta == CUBLAS_OP_N ? matrix<T>{const_cast<T *>(a[i]), 1, lda, false} : matrix<T>{const_cast<T *>(a[i]), lda, 1, ta == CUBLAS_OP_C};
    second = tb == CUBLAS_OP_N ? matrix<T>{const_cast<T *>(b[i]), 1, ldb, false} : matrix<T>{const_cast<T *>(b[i]), ldb, 1, tb == CUBLAS_OP_C};
    third = matrix<T>{c[i], 1, ldc, false};
  });
}

// by_type calls gemm for types that are known at run time.
template <int = 0> cublasStatus_t by_type(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const void *alpha, const void *a, cudaDataType at, int lda, long long sa, const void *b,
                              cudaDataType bt, int ldb, long long sb, const void *beta, void *c, cudaDataType ct, int ldc, long long sc, int count, cublasComputeType_t compute) {
#define WARPLINT_GEMM(T, C, S, W, type, ctype) \
  if (at == type && bt == type && ct == ctype) \
    return gemm<W, S>(h, ta, tb, m, n, k, alpha, (const T *)a, lda, sa, (const T *)b, ldb, sb, beta, (C *)c, ldc, sc, count);
  if (compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC) {
    WARPLINT_GEMM(__half, __half, __half, float, CUDA_R_16F, CUDA_R_16F)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  WARPLINT_GEMM(__half, __half, float, float, CUDA_R_16F, CUDA_R_16F)
  WARPLINT_GEMM(__half, float, float, float, CUDA_R_16F, CUDA_R_32F)
  WARPLINT_GEMM(__nv_bfloat16, __nv_bfloat16, float, float, CUDA_R_16BF, CUDA_R_16BF)
  WARPLINT_GEMM(__nv_bfloat16, float, float, float, CUDA_R_16BF, CUDA_R_32F)
  WARPLINT_GEMM(float, float, float, float, CUDA_R_32F, CUDA_R_32F)
  WARPLINT_GEMM(double, double, double, double, CUDA_R_64F, CUDA_R_64F)
  WARPLINT_GEMM(signed char, int, int, int, CUDA_R_8I, CUDA_R_32I)
  WARPLINT_GEMM(signed char, float, float, float, CUDA_R_8I, CUDA_R_32F)
  WARPLINT_GEMM(cuComplex, cuComplex, cuComplex, cuComplex, CUDA_C_32F, CUDA_C_32F)
  WARPLINT_GEMM(cuDoubleComplex, cuDoubleComplex, cuDoubleComplex, cuDoubleComplex, CUDA_C_64F, CUDA_C_64F)
#undef WARPLINT_GEMM
  return CUBLAS_STATUS_NOT_SUPPORTED;
}
// The way to name what is computed with before CUDA 11.
inline cublasComputeType_t computing(cudaDataType type) {
  return type == CUDA_R_16F ? CUBLAS_COMPUTE_16F : type == CUDA_R_64F || type == CUDA_C_64F ? CUBLAS_COMPUTE_64F : type == CUDA_R_32I ? CUBLAS_COMPUTE_32I : CUBLAS_COMPUTE_32F;
}

// An element of a symmetric matrix of which one triangle is stored.
template <class T> __device__ T mirrored(matrix<T> a, cublasFillMode_t fill, long long i, long long j) {
  return (fill == CUBLAS_FILL_MODE_LOWER) == (i >= j) ? a.template get<T>(i, j) : a.template get<T>(j, i);
}
// solve overwrites a vector x by the solution of A x' = x, A being triangular, and lower if it is said so.
template <class T> __device__ void solve(matrix<T> a, bool lower, bool unit, int n, matrix<T> x) {
  for (int step = 0; step < n; step++) {
    int i = lower ? step : n - 1 - step;
    T v = x.template get<T>(i, 0);
    for (int done = 0; done < step; done++) {
      int j = lower ? done : n - 1 - done;
      v = plus(v, times(number<T>::of(-1), times(a.template get<T>(i, j), x.template get<T>(j, 0))));
    }
    x.set(i, 0, unit ? v : over(v, a.template get<T>(i, i)));
  }
}

}  // namespace blas
}  // namespace warplint

inline cublasStatus_t cublasCreate(cublasHandle_t *handle) {
  cublasHandle_t h = new cublasContext();
  *handle = h;
  return cudaMalloc(&h->result, 16) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}
inline cublasStatus_t cublasDestroy(cublasHandle_t h) {
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
  cudaFree(h->result);
  delete h;
  return CUBLAS_STATUS_SUCCESS;
}
#define WARPLINT_BLAS_STATE(name, type, member) \
  inline cublasStatus_t cublasSet##name(cublasHandle_t h, type v) { \
    return h ? (h->member = v, CUBLAS_STATUS_SUCCESS) : CUBLAS_STATUS_NOT_INITIALIZED; \
  } \
  inline cublasStatus_t cublasGet##name(cublasHandle_t h, type *v) { \
    return h ? (*v = h->member, CUBLAS_STATUS_SUCCESS) : CUBLAS_STATUS_NOT_INITIALIZED; \
  }
WARPLINT_BLAS_STATE(Stream, cudaStream_t, stream)
WARPLINT_BLAS_STATE(PointerMode, cublasPointerMode_t, pointers)
WARPLINT_BLAS_STATE(MathMode, cublasMath_t, math)
WARPLINT_BLAS_STATE(AtomicsMode, cublasAtomicsMode_t, atomics)
#undef WARPLINT_BLAS_STATE
inline cublasStatus_t cublasSetWorkspace(cublasHandle_t, void *, size_t) { return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasGetVersion(cublasHandle_t, int *version) { return *version = 120800, CUBLAS_STATUS_SUCCESS; }

inline cublasStatus_t cublasSetMatrixAsync(int rows, int columns, int size, const void *a, int lda, void *b, int ldb, cudaStream_t stream) {
  return warplint::blas::status(cudaMemcpy2DAsync(b, (size_t)ldb * size, a, (size_t)lda * size, (size_t)rows * size, columns, cudaMemcpyDefault, stream));
}
inline cublasStatus_t cublasSetMatrix(int rows, int columns, int size, const void *a, int lda, void *b, int ldb) {
  return warplint::blas::status(cudaMemcpy2D(b, (size_t)ldb * size, a, (size_t)lda * size, (size_t)rows * size, columns, cudaMemcpyDefault));
}
inline cublasStatus_t cublasGetMatrixAsync(int rows, int columns, int size, const void *a, int lda, void *b, int ldb, cudaStream_t s) { return cublasSetMatrixAsync(rows, columns, size, a, lda, b, ldb, s); }
inline cublasStatus_t cublasGetMatrix(int rows, int columns, int size, const void *a, int lda, void *b, int ldb) { return cublasSetMatrix(rows, columns, size, a, lda, b, ldb); }
inline cublasStatus_t cublasSetVectorAsync(int n, int size, const void *x, int sx, void *y, int sy, cudaStream_t s) { return cublasSetMatrixAsync(1, n, size, x, sx, y, sy, s); }
inline cublasStatus_t cublasGetVectorAsync(int n, int size, const void *x, int sx, void *y, int sy, cudaStream_t s) { return cublasSetMatrixAsync(1, n, size, x, sx, y, sy, s); }
inline cublasStatus_t cublasSetVector(int n, int size, const void *x, int sx, void *y, int sy) { return cublasSetMatrix(1, n, size, x, sx, y, sy); }
inline cublasStatus_t cublasGetVector(int n, int size, const void *x, int sx, void *y, int sy) { return cublasSetMatrix(1, n, size, x, sx, y, sy); }

// What is not called is not compiled.
#define WARPLINT_ON_USE template <int = 0> inline

// prefix is what names begin with, index what those begin with that find a place, T the type, R that of sizes; the others are names that are not regular.
#define WARPLINT_BLAS(prefix, index, T, R, dot, dotc, nrm2, asum, ger) \
  WARPLINT_ON_USE cublasStatus_t prefix##axpy(cublasHandle_t h, int n, const T *alpha, const T *x, int sx, T *y, int sy) { \
    namespace b = warplint::blas; \
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED; \
    auto f = b::factor<T, T>(h, alpha); \
    auto from = b::vector(const_cast<T *>(x), n, sx), to = b::vector(y, n, sy); \
    return b::each(h, n, [=] __device__(long long i) { to.set(i, 0, b::plus(b::times(f(), from.get<T>(i, 0)), to.get<T>(i, 0))); }); \
  } \
  WARPLINT_ON_USE cublasStatus_t prefix##scal(cublasHandle_t h, int n, const T *alpha, T *x, int sx) { \
    namespace b = warplint::blas; \
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED; \
    auto f = b::factor<T, T>(h, alpha); \
    auto to = b::vector(x, n, sx); \
    return b::each(h, n, [=] __device__(long long i) { to.set(i, 0, b::times(f(), to.get<T>(i, 0))); }); \
  } \
  WARPLINT_ON_USE cublasStatus_t prefix##copy(cublasHandle_t h, int n, const T *x, int sx, T *y, int sy) { \
    namespace b = warplint::blas; \
    auto from = b::vector(const_cast<T *>(x), n, sx), to = b::vector(y, n, sy); \
    return b::each(h, n, [=] __device__(long long i) { to.set(i, 0, from.get<T>(i, 0)); }); \
  } \
  WARPLINT_ON_USE cublasStatus_t prefix##swap(cublasHandle_t h, int n, T *x, int sx, T *y, int sy) { \
    namespace b = warplint::blas; \
    auto one = b::vector(x, n, sx), other = b::vector(y, n, sy); \
    return b::each(h, n, [=] __device__(long long i) { \
      T v = one.get<T>(i, 0); \
      one.set(i, 0, other.get<T>(i, 0)); \
      other.set(i, 0, v); \
    }); \
  } \
  WARPLINT_BLAS_DOT(T, dot, v) \
  WARPLINT_BLAS_DOTC(T, dotc) \
  WARPLINT_ON_USE cublasStatus_t cublas##nrm2(cublasHandle_t h, int n, const T *x, int sx, R *result) { \
    namespace b = warplint::blas; \
    auto of = b::vector(const_cast<T *>(x), n, sx); \
    return b::reduced(h, n, result, R(0), [=] __device__(int i) { return b::square(of.get<T>(i, 0)); }, [] __device__(R a, R c) { return a + c; }, [] __device__(R a) -> R { return sqrt(a); }); \
  } \
  WARPLINT_ON_USE cublasStatus_t cublas##asum(cublasHandle_t h, int n, const T *x, int sx, R *result) { \
    namespace b = warplint::blas; \
    auto of = b::vector(const_cast<T *>(x), n, sx); \
    return b::reduced(h, n, result, R(0), [=] __device__(int i) { return b::size1(of.get<T>(i, 0)); }, [] __device__(R a, R c) { return a + c; }, [] __device__(R a) -> R { return a; }); \
  } \
  WARPLINT_BLAS_EXTREME(index, T, max, 1) \
  WARPLINT_BLAS_EXTREME(index, T, min, -1) \
  WARPLINT_ON_USE cublasStatus_t prefix##gemv(cublasHandle_t h, cublasOperation_t op, int m, int n, const T *alpha, const T *a, int lda, const T *x, int sx, const T *beta, T *y, int sy) { \
    namespace b = warplint::blas; \
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED; \
    const int rows = op == CUBLAS_OP_N ? m : n, columns = op == CUBLAS_OP_N ? n : m; \
    auto of = b::given(const_cast<T *>(a), lda, op), from = b::vector(const_cast<T *>(x), columns, sx), to = b::vector(y, rows, sy); \
    auto scale = b::factor<T, T>(h, alpha), old = b::factor<T, T>(h, beta); \
    return b::each(h, rows, [=] __device__(long long i) { \
      T sum = b::number<T>::of(0); \
      for (int j = 0; j < columns; j++) sum = b::plus(sum, b::times(of.get<T>(i, j), from.get<T>(j, 0))); \
      sum = b::times(scale(), sum); \
      to.set(i, 0, b::is_zero(old()) ? sum : b::plus(sum, b::times(old(), to.get<T>(i, 0)))); \
    }); \
  } \
  WARPLINT_ON_USE cublasStatus_t cublas##ger(cublasHandle_t h, int m, int n, const T *alpha, const T *x, int sx, const T *y, int sy, T *a, int lda) { \
    namespace b = warplint::blas; \
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED; \
    auto one = b::vector(const_cast<T *>(x), m, sx), other = b::vector(const_cast<T *>(y), n, sy), to = b::given(a, lda); \
    auto scale = b::factor<T, T>(h, alpha); \
    return b::each(h, (long long)m * n, [=] __device__(long long e) { \
      long long i = e % m, j = e / m; \
      to.set(i, j, b::plus(b::times(scale(), b::times(one.get<T>(i, 0), other.get<T>(j, 0))), to.get<T>(i, j))); \
    }); \
  } \
  WARPLINT_ON_USE cublasStatus_t prefix##symv(cublasHandle_t h, cublasFillMode_t fill, int n, const T *alpha, const T *a, int lda, const T *x, int sx, const T *beta, T *y, int sy) { \
    namespace b = warplint::blas; \
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED; \
    auto of = b::given(const_cast<T *>(a), lda), from = b::vector(const_cast<T *>(x), n, sx), to = b::vector(y, n, sy); \
    auto scale = b::factor<T, T>(h, alpha), old = b::factor<T, T>(h, beta); \
    return b::each(h, n, [=] __device__(long long i) { \
      T sum = b::number<T>::of(0); \
      for (int j = 0; j < n; j++) sum = b::plus(sum, b::times(b::mirrored(of, fill, i, j), from.get<T>(j, 0))); \
      sum = b::times(scale(), sum); \
      to.set(i, 0, b::is_zero(old()) ? sum : b::plus(sum, b::times(old(), to.get<T>(i, 0)))); \
    }); \
  } \
  WARPLINT_ON_USE cublasStatus_t prefix##trsv(cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op, cublasDiagType_t diagonal, int n, const T *a, int lda, T *x, int sx) { \
    namespace b = warplint::blas; \
    auto of = b::given(const_cast<T *>(a), lda, op), to = b::vector(x, n, sx); \
    const bool lower = (fill == CUBLAS_FILL_MODE_LOWER) == (op == CUBLAS_OP_N); \
    return b::each(h, n > 0, [=] __device__(long long) { b::solve(of, lower, diagonal == CUBLAS_DIAG_UNIT, n, to); }); \
  } \
  WARPLINT_ON_USE cublasStatus_t prefix##trsm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t op, cublasDiagType_t diagonal, int m, int n, const T *alpha, const T *a, int lda, T *c, int ldc) { \
    namespace b = warplint::blas; \
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED; \
    const bool left = side == CUBLAS_SIDE_LEFT; \
    auto of = b::given(const_cast<T *>(a), lda, op), to = b::given(c, ldc); \
    bool lower = (fill == CUBLAS_FILL_MODE_LOWER) == (op == CUBLAS_OP_N); \
    if (!left) { /* X A = B is A' X' = B' */ \
      long long down = of.down; \
      of.down = of.right, of.right = down, lower = !lower, to.down = ldc, to.right = 1; \
    } \
    const int rows = left ? m : n; \
    auto scale = b::factor<T, T>(h, alpha); \
    return b::each(h, left ? n : m, [=] __device__(long long j) { \
      auto x = to.at(j * to.right); \
      for (int i = 0; i < rows; i++) x.set(i, 0, b::times(scale(), x.template get<T>(i, 0))); \
      b::solve(of, lower, diagonal == CUBLAS_DIAG_UNIT, rows, x); \
    }); \
  } \
  WARPLINT_ON_USE cublasStatus_t prefix##geam(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, const T *alpha, const T *a, int lda, const T *beta, const T *c, int ldb, T *to, int ldc) { \
    namespace b = warplint::blas; \
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED; \
    auto one = b::given(const_cast<T *>(a), lda, ta), other = b::given(const_cast<T *>(c), ldb, tb), sum = b::given(to, ldc); \
    auto x = b::factor<T, T>(h, alpha), y = b::factor<T, T>(h, beta); \
    return b::each(h, (long long)m * n, [=] __device__(long long e) { \
      long long i = e % m, j = e / m; \
      T v = b::number<T>::of(0); \
      if (!b::is_zero(x())) v = b::times(x(), one.get<T>(i, j)); \
      if (!b::is_zero(y())) v = b::plus(v, b::times(y(), other.get<T>(i, j))); \
      sum.set(i, j, v); \
    }); \
  } \
  WARPLINT_ON_USE cublasStatus_t prefix##dgmm(cublasHandle_t h, cublasSideMode_t side, int m, int n, const T *a, int lda, const T *x, int sx, T *to, int ldc) { \
    namespace b = warplint::blas; \
    auto of = b::given(const_cast<T *>(a), lda), by = b::vector(const_cast<T *>(x), side == CUBLAS_SIDE_LEFT ? m : n, sx), out = b::given(to, ldc); \
    return b::each(h, (long long)m * n, [=] __device__(long long e) { \
      long long i = e % m, j = e / m; \
      out.set(i, j, b::times(of.get<T>(i, j), by.get<T>(side == CUBLAS_SIDE_LEFT ? i : j, 0))); \
    }); \
  } \
  WARPLINT_ON_USE cublasStatus_t prefix##syrk(cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op, int n, int k, const T *alpha, const T *a, int lda, const T *beta, T *c, int ldc) { \
    namespace b = warplint::blas; \
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED; \
    auto of = b::given(const_cast<T *>(a), lda, op), to = b::given(c, ldc); \
    auto scale = b::factor<T, T>(h, alpha), old = b::factor<T, T>(h, beta); \
    return b::each(h, (long long)n * n, [=] __device__(long long e) { \
      long long i = e % n, j = e / n; \
      if (fill == CUBLAS_FILL_MODE_LOWER ? i < j : i > j) return; \
      T sum = b::number<T>::of(0); \
      for (int l = 0; l < k; l++) sum = b::plus(sum, b::times(of.get<T>(i, l), of.get<T>(j, l))); \
      sum = b::times(scale(), sum); \
      to.set(i, j, b::is_zero(old()) ? sum : b::plus(sum, b::times(old(), to.get<T>(i, j)))); \
    }); \
  } \
  WARPLINT_ON_USE cublasStatus_t prefix##symm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill, int m, int n, const T *alpha, const T *a, int lda, const T *x, int ldb, const T *beta, T *c, int ldc) { \
    namespace b = warplint::blas; \
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED; \
    auto of = b::given(const_cast<T *>(a), lda), by = b::given(const_cast<T *>(x), ldb), to = b::given(c, ldc); \
    auto scale = b::factor<T, T>(h, alpha), old = b::factor<T, T>(h, beta); \
    return b::each(h, (long long)m * n, [=] __device__(long long e) { \
      long long i = e % m, j = e / m; \
      T sum = b::number<T>::of(0); \
      if (side == CUBLAS_SIDE_LEFT) \
        for (int l = 0; l < m; l++) sum = b::plus(sum, b::times(b::mirrored(of, fill, i, l), by.get<T>(l, j))); \
      else \
        for (int l = 0; l < n; l++) sum = b::plus(sum, b::times(by.get<T>(i, l), b::mirrored(of, fill, l, j))); \
      sum = b::times(scale(), sum); \
      to.set(i, j, b::is_zero(old()) ? sum : b::plus(sum, b::times(old(), to.get<T>(i, j)))); \
    }); \
  } \
  WARPLINT_BLAS_GEMM(prefix, T)
#define WARPLINT_BLAS_GEMM(prefix, T) \
  WARPLINT_ON_USE cublasStatus_t prefix##gemm(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc) { \
    return warplint::blas::gemm<warplint::blas::wide_t<T>, T>(h, ta, tb, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1); \
  } \
  WARPLINT_ON_USE cublasStatus_t prefix##gemmStridedBatched(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const T *alpha, const T *a, int lda, long long sa, const T *b, int ldb, long long sb, \
                                                      const T *beta, T *c, int ldc, long long sc, int count) { \
    return warplint::blas::gemm<warplint::blas::wide_t<T>, T>(h, ta, tb, m, n, k, alpha, a, lda, sa, b, ldb, sb, beta, c, ldc, sc, count); \
  } \
  WARPLINT_ON_USE cublasStatus_t prefix##gemmBatched(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const T *alpha, const T *const a[], int lda, const T *const b[], int ldb, const T *beta, T *const c[], int ldc, int count) { \
    return warplint::blas::gemm_batched<warplint::blas::wide_t<T>, T>(h, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count); \
  }
#define WARPLINT_BLAS_DOT(T, name, first) \
  WARPLINT_ON_USE cublasStatus_t cublas##name(cublasHandle_t h, int n, const T *x, int sx, const T *y, int sy, T *result) { \
    namespace b = warplint::blas; \
    auto one = b::vector(const_cast<T *>(x), n, sx), other = b::vector(const_cast<T *>(y), n, sy); \
    return b::reduced(h, n, result, b::number<T>::of(0), [=] __device__(int i) { T v = one.get<T>(i, 0); return b::times(first, other.get<T>(i, 0)); }, \
                      [] __device__(T a, T c) { return b::plus(a, c); }, [] __device__(T a) -> T { return a; }); \
  }
#define WARPLINT_BLAS_EXTREME(index, T, name, sign) \
  WARPLINT_ON_USE cublasStatus_t index##a##name(cublasHandle_t h, int n, const T *x, int sx, int *result) { \
    namespace b = warplint::blas; \
    auto of = b::vector(const_cast<T *>(x), n, sx); \
    return b::reduced(h, n, result, b::largest{0, 0}, [=] __device__(int i) { return b::largest{sign * (double)b::size1(of.get<T>(i, 0)), i + 1}; }, \
                      [] __device__(b::largest p, b::largest q) { return !q.at || (p.at && (p.value > q.value || (p.value == q.value && p.at < q.at))) ? p : q; }, \
                      [] __device__(b::largest p) -> int { return p.at; }); \
  }
#define WARPLINT_BLAS_DOTC(T, name)
WARPLINT_BLAS(cublasS, cublasIs, float, float, Sdot, , Snrm2, Sasum, Sger)
WARPLINT_BLAS(cublasD, cublasId, double, double, Ddot, , Dnrm2, Dasum, Dger)
#undef WARPLINT_BLAS_DOTC
#define WARPLINT_BLAS_DOTC(T, name) WARPLINT_BLAS_DOT(T, name, b::conjugate(v))
WARPLINT_BLAS(cublasC, cublasIc, cuComplex, float, Cdotu, Cdotc, Scnrm2, Scasum, Cgeru)
WARPLINT_BLAS(cublasZ, cublasIz, cuDoubleComplex, double, Zdotu, Zdotc, Dznrm2, Dzasum, Zgeru)
WARPLINT_BLAS_GEMM(cublasH, __half)
#undef WARPLINT_ON_USE
#undef WARPLINT_BLAS
#undef WARPLINT_BLAS_GEMM
#undef WARPLINT_BLAS_DOT
#undef WARPLINT_BLAS_DOTC
#undef WARPLINT_BLAS_EXTREME

// The algorithm and the type that is computed with do not matter to what is touched.
template <class Compute> inline cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const void *alpha, const void *a, cudaDataType at, int lda, long long sa,
                                                                          const void *b, cudaDataType bt, int ldb, long long sb, const void *beta, void *c, cudaDataType ct, int ldc, long long sc, int count, Compute compute,
                                                                          cublasGemmAlgo_t) {
  cublasComputeType_t type;
  if constexpr (std::is_same<Compute, cudaDataType>::value) type = warplint::blas::computing(compute);
  else type = compute;
  return warplint::blas::by_type(h, ta, tb, m, n, k, alpha, a, at, lda, sa, b, bt, ldb, sb, beta, c, ct, ldc, sc, count, type);
}
template <class Compute> inline cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const void *alpha, const void *a, cudaDataType at, int lda, const void *b,
                                                            cudaDataType bt, int ldb, const void *beta, void *c, cudaDataType ct, int ldc, Compute compute, cublasGemmAlgo_t algorithm) {
  return cublasGemmStridedBatchedEx(h, ta, tb, m, n, k, alpha, a, at, lda, 0, b, bt, ldb, 0, beta, c, ct, ldc, 0, 1, compute, algorithm);
}
inline cublasStatus_t cublasSgemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const float *alpha, const void *a, cudaDataType at, int lda, const void *b, cudaDataType bt, int ldb,
                                    const float *beta, void *c, cudaDataType ct, int ldc) {
  return cublasGemmEx(h, ta, tb, m, n, k, alpha, a, at, lda, b, bt, ldb, beta, c, ct, ldc, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}
// The names behind cublas_v2.h's.
#define cublasCreate_v2 cublasCreate
#define cublasDestroy_v2 cublasDestroy
#define cublasSetStream_v2 cublasSetStream
#define cublasSgemm_v2 cublasSgemm
#define cublasDgemm_v2 cublasDgemm
#endif
