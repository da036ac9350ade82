// What warplint knows of OpenCV's matrices on the device, as kernels take them: rows of a pitch in bytes.
#pragma once

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;

namespace cv {
namespace cuda {

template <class T> struct DevPtr {
    typedef T elem_type;
    T *data;
    __host__ __device__ DevPtr() : data(nullptr) {}
    __host__ __device__ DevPtr(T *p) : data(p) {}
    __host__ __device__ unsigned long elemSize() const { return sizeof(T); }
    __host__ __device__ operator T *() { return data; }
    __host__ __device__ operator const T *() const { return data; }
};
template <class T> struct PtrSz : DevPtr<T> {
    unsigned long size;
    __host__ __device__ PtrSz() : size(0) {}
    __host__ __device__ PtrSz(T *p, unsigned long n) : DevPtr<T>(p), size(n) {}
};
template <class T> struct PtrStep : DevPtr<T> {
    unsigned long step; // bytes
    __host__ __device__ PtrStep() : step(0) {}
    __host__ __device__ PtrStep(T *p, unsigned long bytes) : DevPtr<T>(p), step(bytes) {}
    __host__ __device__ T *ptr(int y = 0) { return (T *)((char *)this->data + y * step); }
    __host__ __device__ const T *ptr(int y = 0) const { return (const T *)((const char *)this->data + y * step); }
    __host__ __device__ T &operator()(int y, int x) { return ptr(y)[x]; }
    __host__ __device__ const T &operator()(int y, int x) const { return ptr(y)[x]; }
};
template <class T> struct PtrStepSz : PtrStep<T> {
    int cols, rows;
    __host__ __device__ PtrStepSz() : cols(0), rows(0) {}
    __host__ __device__ PtrStepSz(int h, int w, T *p, unsigned long bytes) : PtrStep<T>(p, bytes), cols(w), rows(h) {}
    __host__ __device__ T *ptr(int y = 0) { return __builtin_assume(cols * sizeof(T) <= this->step), PtrStep<T>::ptr(y); }
    __host__ __device__ const T *ptr(int y = 0) const { return __builtin_assume(cols * sizeof(T) <= this->step), PtrStep<T>::ptr(y); }
    __host__ __device__ T &operator()(int y, int x) { return ptr(y)[x]; }
    __host__ __device__ const T &operator()(int y, int x) const { return ptr(y)[x]; }
    template <class U> explicit PtrStepSz(const PtrStepSz<U> &d) : PtrStep<T>((T *)d.data, d.step), cols(d.cols), rows(d.rows) {}
};
typedef PtrStep<unsigned char> PtrStepb;
typedef PtrStep<float> PtrStepf;
typedef PtrStep<int> PtrStepi;
typedef PtrStepSz<unsigned char> PtrStepSzb;
typedef PtrStepSz<float> PtrStepSzf;
typedef PtrStepSz<int> PtrStepSzi;

// A matrix of the host's: what its elements are is for who takes it to say.
struct GpuMat {
    int flags, rows, cols;
    unsigned long step;
    unsigned char *data;
    bool empty() const { return data == nullptr; }
    template <class T> T *ptr(int y = 0) { return (T *)(data + y * step); }
    template <class T> const T *ptr(int y = 0) const { return (const T *)(data + y * step); }
    template <class T> operator PtrStepSz<T>() const { return PtrStepSz<T>(rows, cols, (T *)data, step); }
    template <class T> operator PtrStep<T>() const { return PtrStep<T>((T *)data, step); }
};

namespace device {
__host__ __device__ constexpr int divUp(int total, int grain) { return (total + grain - 1) / grain; }
} // namespace device

} // namespace cuda
namespace cudev {
__host__ __device__ constexpr int divUp(int total, int grain) { return (total + grain - 1) / grain; }
} // namespace cudev
} // namespace cv
