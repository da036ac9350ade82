// make_TYPEn: builds a short vector from its components.
#ifndef WARPLINT_VECTOR_FUNCTIONS_H
#define WARPLINT_VECTOR_FUNCTIONS_H

#include "vector_types.h"

#define WARPLINT_MAKE(name, type)                                                                        \
  WARPLINT_BOTH name##1 make_##name##1(type x) { name##1 v = {x}; return v; }                            \
  WARPLINT_BOTH name##2 make_##name##2(type x, type y) { name##2 v = {x, y}; return v; }                 \
  WARPLINT_BOTH name##3 make_##name##3(type x, type y, type z) { name##3 v = {x, y, z}; return v; }      \
  WARPLINT_BOTH name##4 make_##name##4(type x, type y, type z, type w) { name##4 v = {x, y, z, w}; return v; }

WARPLINT_MAKE(char, signed char)
WARPLINT_MAKE(uchar, unsigned char)
WARPLINT_MAKE(short, short)
WARPLINT_MAKE(ushort, unsigned short)
WARPLINT_MAKE(int, int)
WARPLINT_MAKE(uint, unsigned int)
WARPLINT_MAKE(long, long)
WARPLINT_MAKE(ulong, unsigned long)
WARPLINT_MAKE(longlong, long long)
WARPLINT_MAKE(ulonglong, unsigned long long)
WARPLINT_MAKE(float, float)
WARPLINT_MAKE(double, double)
#undef WARPLINT_MAKE

#define WARPLINT_MAKE4(name, type)                                                                                    \
  WARPLINT_BOTH name##4_16a make_##name##4_16a(type x, type y, type z, type w) { name##4_16a v = {x, y, z, w}; return v; } \
  WARPLINT_BOTH name##4_32a make_##name##4_32a(type x, type y, type z, type w) { name##4_32a v = {x, y, z, w}; return v; }
WARPLINT_MAKE4(long, long)
WARPLINT_MAKE4(ulong, unsigned long)
WARPLINT_MAKE4(longlong, long long)
WARPLINT_MAKE4(ulonglong, unsigned long long)
WARPLINT_MAKE4(double, double)
#undef WARPLINT_MAKE4

#endif
