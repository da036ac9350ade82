// What warplint knows of cuComplex.h, whose types and makers are built in.
#pragma once

#define WARPLINT_COMPLEX(type, real, f, root)                                                                                                     \
    __host__ __device__ inline real cuCreal##f(type z) { return z.x; }                                                                            \
    __host__ __device__ inline real cuCimag##f(type z) { return z.y; }                                                                            \
    __host__ __device__ inline type cuConj##f(type z) { return make_##type(z.x, -z.y); }                                                          \
    __host__ __device__ inline type cuCadd##f(type a, type b) { return make_##type(a.x + b.x, a.y + b.y); }                                       \
    __host__ __device__ inline type cuCsub##f(type a, type b) { return make_##type(a.x - b.x, a.y - b.y); }                                       \
    __host__ __device__ inline type cuCmul##f(type a, type b) { return make_##type(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }               \
    __host__ __device__ inline type cuCdiv##f(type a, type b) {                                                                                   \
        real d = b.x * b.x + b.y * b.y;                                                                                                           \
        return make_##type((a.x * b.x + a.y * b.y) / d, (a.y * b.x - a.x * b.y) / d);                                                             \
    }                                                                                                                                             \
    __host__ __device__ inline real cuCabs##f(type z) { return root(z.x * z.x + z.y * z.y); }                                                     \
    __host__ __device__ inline type cuCfma##f(type a, type b, type c) { return cuCadd##f(cuCmul##f(a, b), c); }
WARPLINT_COMPLEX(cuFloatComplex, float, f, sqrtf)
WARPLINT_COMPLEX(cuDoubleComplex, double, , sqrt)
#undef WARPLINT_COMPLEX

__host__ __device__ inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) { return make_cuFloatComplex(z.x, z.y); }
__host__ __device__ inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return make_cuDoubleComplex(z.x, z.y); }
