// Short vector types: charN … doubleN for N of 1 to 4, and dim3.
// Sizes and alignments are those of the CUDA C++ Programming Guide, table of built-in vector types.
#ifndef WARPLINT_VECTOR_TYPES_H
#define WARPLINT_VECTOR_TYPES_H

#include "crt/host_defines.h"

#define WARPLINT_VECTORS(name, type, align2, align4)                        \
  struct name##1 { type x; };                                              \
  struct __align__(align2) name##2 { type x, y; };                         \
  struct name##3 { type x, y, z; };                                        \
  struct __align__(align4) name##4 { type x, y, z, w; };                   \
  typedef struct name##1 name##1;                                          \
  typedef struct name##2 name##2;                                          \
  typedef struct name##3 name##3;                                          \
  typedef struct name##4 name##4;

WARPLINT_VECTORS(char, signed char, 2, 4)
WARPLINT_VECTORS(uchar, unsigned char, 2, 4)
WARPLINT_VECTORS(short, short, 4, 8)
WARPLINT_VECTORS(ushort, unsigned short, 4, 8)
WARPLINT_VECTORS(int, int, 8, 16)
WARPLINT_VECTORS(uint, unsigned int, 8, 16)
WARPLINT_VECTORS(long, long, 16, 16)
WARPLINT_VECTORS(ulong, unsigned long, 16, 16)
WARPLINT_VECTORS(longlong, long long, 16, 16)
WARPLINT_VECTORS(ulonglong, unsigned long long, 16, 16)
WARPLINT_VECTORS(float, float, 8, 16)
WARPLINT_VECTORS(double, double, 16, 16)
#undef WARPLINT_VECTORS

// Those of 32 bytes as CUDA 13 names them, by alignment.
#define WARPLINT_VECTOR4(name, type)                                    \
  typedef struct __align__(16) name##4_16a { type x, y, z, w; } name##4_16a; \
  typedef struct __align__(32) name##4_32a { type x, y, z, w; } name##4_32a;
WARPLINT_VECTOR4(long, long)
WARPLINT_VECTOR4(ulong, unsigned long)
WARPLINT_VECTOR4(longlong, long long)
WARPLINT_VECTOR4(ulonglong, unsigned long long)
WARPLINT_VECTOR4(double, double)
#undef WARPLINT_VECTOR4

typedef struct dim3 {
  unsigned int x, y, z;
#ifdef __cplusplus
  WARPLINT_METHOD_BOTH constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  WARPLINT_METHOD_BOTH constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  WARPLINT_METHOD_BOTH constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
} dim3;

#endif
