// Numbers of six bits, each in a byte.
#pragma once
#include "warplint/tiny_floats.h"

#if defined(__cplusplus)
typedef unsigned char __nv_fp6_storage_t;
typedef unsigned short __nv_fp6x2_storage_t;
typedef unsigned int __nv_fp6x4_storage_t;
enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 };

namespace warplint {
WARPLINT_BOTH unsigned fp6_code(double v, __nv_fp6_interpretation_t kind) { return kind == __NV_E2M3 ? tiny<2, 3>::code(v) : tiny<3, 2>::code(v); }
WARPLINT_BOTH float fp6_value(unsigned v, __nv_fp6_interpretation_t kind) { return kind == __NV_E2M3 ? tiny<2, 3>::value(v) : tiny<3, 2>::value(v); }
typedef tiny<2, 3> e2m3;
typedef tiny<3, 2> e3m2;
}  // namespace warplint
WARPLINT_TINY(fp6, e2m3, warplint::e2m3, 8)
WARPLINT_TINY(fp6, e3m2, warplint::e3m2, 8)
WARPLINT_TINY_CONVERSIONS(fp6, 8, warplint::fp6_code, warplint::fp6_value)
#endif
