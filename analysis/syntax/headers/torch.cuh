// What warplint knows of PyTorch's C++ extensions: accessors, and the macros around launches. A tensor has an element
// for each index, in rows that follow each other; strides that make two indices one element are not looked at.
#pragma once

namespace at {

template <class T> struct DefaultPtrTraits {
    typedef T *PtrType;
};
template <class T> struct RestrictPtrTraits {
    typedef T *PtrType;
};

// The extents of a tensor: its first one, and those of a row.
template <unsigned long N, class I> struct Extents {
    I first;
    Extents<N - 1, I> row;
    __host__ __device__ I size(I i) const { return i == 0 ? first : row.size(i - 1); }
    __host__ __device__ I stride(I i) const { return i == 0 ? row.elements() : row.stride(i - 1); }
    __host__ __device__ I elements() const { return first * row.elements(); }
};
template <class I> struct Extents<0, I> {
    __host__ __device__ I size(I i) const { return 1; }
    __host__ __device__ I stride(I i) const { return 1; }
    __host__ __device__ I elements() const { return 1; }
};

template <class T, unsigned long N, template <class> class P = DefaultPtrTraits, class I = long> class TensorAccessor {
    T *data_;
    Extents<N, I> extents;

  public:
    __host__ __device__ TensorAccessor(T *p, Extents<N, I> e) : data_(p), extents(e) {}
    __host__ __device__ TensorAccessor<T, N - 1, P, I> operator[](I i) const {
        return TensorAccessor<T, N - 1, P, I>(data_ + i * extents.row.elements(), extents.row);
    }
    __host__ __device__ I size(I i) const { return extents.size(i); }
    __host__ __device__ I stride(I i) const { return extents.stride(i); }
    __host__ __device__ T *data() const { return data_; }
};
template <class T, template <class> class P, class I> class TensorAccessor<T, 1, P, I> {
    T *data_;
    Extents<1, I> extents;

  public:
    __host__ __device__ TensorAccessor(T *p, Extents<1, I> e) : data_(p), extents(e) {}
    __host__ __device__ T &operator[](I i) const { return data_[i]; }
    __host__ __device__ I size(I i) const { return extents.first; }
    __host__ __device__ I stride(I i) const { return 1; }
    __host__ __device__ T *data() const { return data_; }
};

template <class T, unsigned long N, template <class> class P = DefaultPtrTraits, class I = long> class GenericPackedTensorAccessor {
    T *data_;
    Extents<N, I> extents;

  public:
    __host__ __device__ TensorAccessor<T, N - 1, P, I> operator[](I i) const {
        return TensorAccessor<T, N - 1, P, I>(data_ + i * extents.row.elements(), extents.row);
    }
    __host__ __device__ I size(I i) const { return extents.size(i); }
    __host__ __device__ I stride(I i) const { return extents.stride(i); }
    __host__ __device__ T *data() const { return data_; }
};
template <class T, template <class> class P, class I> class GenericPackedTensorAccessor<T, 1, P, I> {
    T *data_;
    Extents<1, I> extents;

  public:
    __host__ __device__ T &operator[](I i) const { return data_[i]; }
    __host__ __device__ I size(I i) const { return extents.first; }
    __host__ __device__ I stride(I i) const { return 1; }
    __host__ __device__ T *data() const { return data_; }
};
template <class T, unsigned long N, template <class> class P = DefaultPtrTraits> using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, P, int>;
template <class T, unsigned long N, template <class> class P = DefaultPtrTraits> using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, P, long>;
template <class T, unsigned long N, template <class> class P = DefaultPtrTraits, class I = long> using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, P, I>;

typedef __half Half;
typedef __nv_bfloat16 BFloat16;

extern bool dispatched;

template <class T, bool device> struct AccumulateTypeOn {
    using type = T;
};
template <> struct AccumulateTypeOn<__half, true> {
    using type = float;
};
template <> struct AccumulateTypeOn<__nv_bfloat16, true> {
    using type = float;
};
template <> struct AccumulateTypeOn<float, false> {
    using type = double;
};
template <class T, bool device> using acc_type = typename AccumulateTypeOn<T, device>::type;
template <class T> using opmath_type = typename AccumulateTypeOn<T, true>::type;

template <class T, class U> __host__ __device__ constexpr T ceil_div(T a, U b) { return (a + b - 1) / b; }
template <class T, class U> __host__ __device__ constexpr T round_up(T a, U b) { return ceil_div(a, b) * b; }

namespace native {
template <class T, class I> __device__ void fastAtomicAdd(T *p, I i, I n, T v, bool fast) { atomicAdd(p + i, v); }
} // namespace native
namespace cuda {
template <class T, class U> __host__ __device__ constexpr T ATenCeilDiv(T a, U b) { return (a + b - 1) / b; }
} // namespace cuda

} // namespace at

namespace c10 {
typedef __half Half;
typedef __nv_bfloat16 BFloat16;
namespace cuda {
namespace compat {
template <class T> __device__ T abs(T x) { return ::fabs(x); }
template <class T> __device__ T exp(T x) { return ::exp(x); }
template <class T> __device__ T ceil(T x) { return ::ceil(x); }
template <class T> __device__ T copysign(T x, T y) { return ::copysign(x, y); }
template <class T> __device__ T floor(T x) { return ::floor(x); }
template <class T> __device__ T log(T x) { return ::log(x); }
template <class T> __device__ T log1p(T x) { return ::log1p(x); }
template <class T> __device__ T max(T x, T y) { return ::fmax(x, y); }
template <class T> __device__ T min(T x, T y) { return ::fmin(x, y); }
template <class T> __device__ T pow(T x, T y) { return ::pow(x, y); }
template <class T> __device__ T sqrt(T x) { return ::sqrt(x); }
template <class T> __device__ T rsqrt(T x) { return ::rsqrt(x); }
template <class T> __device__ T tan(T x) { return ::tan(x); }
template <class T> __device__ T tanh(T x) { return ::tanh(x); }
template <class T> __device__ T normcdf(T x) { return ::normcdf(x); }
} // namespace compat
} // namespace cuda
} // namespace c10

template <class T> __device__ T gpuAtomicAdd(T *p, T v) { return atomicAdd(p, v); }
template <class T> __device__ void gpuAtomicAddNoReturn(T *p, T v) { atomicAdd(p, v); }
template <class T> __device__ T gpuAtomicMax(T *p, T v) { return atomicMax(p, v); }
template <class T> __device__ T gpuAtomicMin(T *p, T v) { return atomicMin(p, v); }
template <class T> __device__ T WARP_SHFL(T v, int lane, int width = 32, unsigned mask = 0xffffffff) { return __shfl_sync(mask, v, lane, width); }
template <class T> __device__ T WARP_SHFL_XOR(T v, int lanes, int width = 32, unsigned mask = 0xffffffff) { return __shfl_xor_sync(mask, v, lanes, width); }
template <class T> __device__ T WARP_SHFL_UP(T v, unsigned d, int width = 32, unsigned mask = 0xffffffff) { return __shfl_up_sync(mask, v, d, width); }
template <class T> __device__ T WARP_SHFL_DOWN(T v, unsigned d, int width = 32, unsigned mask = 0xffffffff) { return __shfl_down_sync(mask, v, d, width); }

#define C10_LAUNCH_BOUNDS_1(n) __launch_bounds__(n)
#define C10_LAUNCH_BOUNDS_2(n, m) __launch_bounds__(n, m)
#define C10_CUDA_KERNEL_LAUNCH_CHECK()
#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_RESTRICT __restrict__
#define C10_WARP_SIZE 32
#define CUDA_KERNEL_ASSERT(c) assert(c)
#define TORCH_CHECK(c, ...)                                                                                                                   \
    do {                                                                                                                                      \
        if (!(c))                                                                                                                             \
            exit(1);                                                                                                                          \
    } while (0)
#define TORCH_INTERNAL_ASSERT(c, ...) TORCH_CHECK(c)
#define TORCH_CHECK_VALUE(c, ...) TORCH_CHECK(c)
#define AT_ASSERTM(c, ...) TORCH_CHECK(c)
#define AT_ASSERT(c, ...) TORCH_CHECK(c)

namespace torch {
using at::DefaultPtrTraits;
using at::GenericPackedTensorAccessor;
using at::PackedTensorAccessor;
using at::PackedTensorAccessor32;
using at::PackedTensorAccessor64;
using at::RestrictPtrTraits;
} // namespace torch

// The macros that choose a type run their body for one type of each size that tensors of such types have.
#define WARPLINT_DISPATCHED(NAME, TYPE, ...)                                                                                                  \
    {                                                                                                                                         \
        using NAME = TYPE;                                                                                                                    \
        __VA_ARGS__();                                                                                                                        \
    }
#define WARPLINT_DISPATCH_FLOATING(...)                                                                                                       \
    if (at::dispatched) WARPLINT_DISPATCHED(scalar_t, float, __VA_ARGS__) else WARPLINT_DISPATCHED(scalar_t, double, __VA_ARGS__)
#define WARPLINT_DISPATCH_REDUCED(...)                                                                                                        \
    if (at::dispatched) WARPLINT_DISPATCHED(scalar_t, __half, __VA_ARGS__) else WARPLINT_DISPATCH_FLOATING(__VA_ARGS__)
#define WARPLINT_DISPATCH_INTEGRAL(...)                                                                                                       \
    if (at::dispatched) WARPLINT_DISPATCHED(scalar_t, int, __VA_ARGS__) else WARPLINT_DISPATCHED(scalar_t, long, __VA_ARGS__)
#define WARPLINT_DISPATCH_ALL(...)                                                                                                            \
    if (at::dispatched) WARPLINT_DISPATCHED(scalar_t, unsigned char, __VA_ARGS__) else WARPLINT_DISPATCH_FLOATING(__VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES(TYPE, NAME, ...) WARPLINT_DISPATCH_FLOATING(__VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(TYPE, NAME, ...) WARPLINT_DISPATCH_REDUCED(__VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND(A, TYPE, NAME, ...) WARPLINT_DISPATCH_REDUCED(__VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND2(A, B, TYPE, NAME, ...) WARPLINT_DISPATCH_REDUCED(__VA_ARGS__)
#define AT_DISPATCH_REDUCED_FLOATING_TYPES(TYPE, NAME, ...) WARPLINT_DISPATCHED(scalar_t, __half, __VA_ARGS__)
#define AT_DISPATCH_INTEGRAL_TYPES(TYPE, NAME, ...) WARPLINT_DISPATCH_INTEGRAL(__VA_ARGS__)
#define AT_DISPATCH_INDEX_TYPES(TYPE, NAME, ...)                                                                                              \
    if (at::dispatched) WARPLINT_DISPATCHED(index_t, int, __VA_ARGS__) else WARPLINT_DISPATCHED(index_t, long, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES(TYPE, NAME, ...) WARPLINT_DISPATCH_ALL(__VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND(A, TYPE, NAME, ...) WARPLINT_DISPATCH_ALL(__VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND2(A, B, TYPE, NAME, ...) WARPLINT_DISPATCH_ALL(__VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND3(A, B, C, TYPE, NAME, ...) WARPLINT_DISPATCH_ALL(__VA_ARGS__)
