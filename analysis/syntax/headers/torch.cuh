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

template <class T, unsigned long N, template <class> class P = DefaultPtrTraits, class I = long> class TensorAccessor {
    T *from;
    const I *extents;

  public:
    __host__ __device__ TensorAccessor(T *p, const I *e) : from(p), extents(e) {}
    __host__ __device__ TensorAccessor<T, N - 1, P, I> operator[](I i) const {
        I step = 1;
        for (int k = 1; k < N; k++)
            step *= extents[k];
        return TensorAccessor<T, N - 1, P, I>(from + i * step, extents + 1);
    }
    __host__ __device__ I size(I i) const { return extents[i]; }
    __host__ __device__ T *data() const { return from; }
};
template <class T, template <class> class P, class I> class TensorAccessor<T, 1, P, I> {
    T *from;
    const I *extents;

  public:
    __host__ __device__ TensorAccessor(T *p, const I *e) : from(p), extents(e) {}
    __host__ __device__ T &operator[](I i) const { return from[i]; }
    __host__ __device__ I size(I i) const { return extents[i]; }
    __host__ __device__ T *data() const { return from; }
};

template <class T, unsigned long N, template <class> class P = DefaultPtrTraits, class I = long> class GenericPackedTensorAccessor {
    T *from;
    I extents[N];

  public:
    __host__ __device__ TensorAccessor<T, N - 1, P, I> operator[](I i) const { return TensorAccessor<T, N, P, I>(from, extents)[i]; }
    __host__ __device__ I size(I i) const { return extents[i]; }
    __host__ __device__ T *data() const { return from; }
};
template <class T, template <class> class P, class I> class GenericPackedTensorAccessor<T, 1, P, I> {
    T *from;
    I extents[1];

  public:
    __host__ __device__ T &operator[](I i) const { return from[i]; }
    __host__ __device__ I size(I i) const { return extents[i]; }
    __host__ __device__ T *data() const { return from; }
};
template <class T, unsigned long N, template <class> class P = DefaultPtrTraits> using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, P, int>;
template <class T, unsigned long N, template <class> class P = DefaultPtrTraits> using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, P, long>;
template <class T, unsigned long N, template <class> class P = DefaultPtrTraits, class I = long> using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, P, I>;

} // namespace at

namespace torch {
using at::DefaultPtrTraits;
using at::GenericPackedTensorAccessor;
using at::PackedTensorAccessor;
using at::PackedTensorAccessor32;
using at::PackedTensorAccessor64;
using at::RestrictPtrTraits;
} // namespace torch
