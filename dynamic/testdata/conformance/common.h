// What the kernels of the conformance suite share. Each kernel gets 16 columns of 256 numbers and
// fills up to 16 columns of 256 results, a cell for each thread of its launch.
#pragma once
typedef unsigned long long u64;
typedef long long s64;
typedef unsigned u32;
typedef int s32;
typedef unsigned short u16;
typedef short s16;
typedef unsigned char u8;
typedef signed char s8;

#define KERNEL(name) extern "C" __global__ void name(u64 *out, const u64 *in)
#define CELL (blockIdx.x * blockDim.x + threadIdx.x)
#define IN(column) in[CELL + 256 * (column)]
#define OUT(column, value) (out[CELL + 256 * (column)] = bits(value))

__device__ inline u64 bits(u64 v) { return v; }
__device__ inline u64 bits(s64 v) { return (u64)v; }
__device__ inline u64 bits(u32 v) { return v; }
__device__ inline u64 bits(s32 v) { return (u32)v; }
__device__ inline u64 bits(u16 v) { return v; }
__device__ inline u64 bits(s16 v) { return (u16)v; }
__device__ inline u64 bits(u8 v) { return v; }
__device__ inline u64 bits(s8 v) { return (u8)v; }
__device__ inline u64 bits(bool v) { return v; }
__device__ inline u64 bits(float v) { return __float_as_uint(v); }
__device__ inline u64 bits(double v) { return (u64)__double_as_longlong(v); }

// Numbers of a kind, made of random bits: one in two is of moderate size, the others have any bits.
template <class T> __device__ inline T number(u64 raw) { return (T)(raw & 1 ? raw >> 20 : (raw >> 1) % 200); }
template <> __device__ inline float number<float>(u64 raw) {
  return raw & 1 ? __uint_as_float((u32)(raw >> 32)) : (float)(s32)(raw >> 40) / 4096.0f - 2000.0f;
}
template <> __device__ inline double number<double>(u64 raw) {
  return raw & 1 ? __longlong_as_double((s64)(raw >> 1 << 1)) : (double)(s32)(raw >> 32) / 4096.0;
}
