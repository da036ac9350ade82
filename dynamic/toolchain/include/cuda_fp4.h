// Numbers of four bits, two in a byte.
#pragma once
#include "warplint/tiny_floats.h"

#if defined(__cplusplus)
typedef unsigned char __nv_fp4_storage_t;
typedef unsigned char __nv_fp4x2_storage_t;
typedef unsigned short __nv_fp4x4_storage_t;
enum __nv_fp4_interpretation_t { __NV_E2M1 };

namespace warplint {
WARPLINT_BOTH unsigned fp4_code(double v, __nv_fp4_interpretation_t) { return tiny<2, 1>::code(v); }
WARPLINT_BOTH float fp4_value(unsigned v, __nv_fp4_interpretation_t) { return tiny<2, 1>::value(v); }
typedef tiny<2, 1> e2m1;
}  // namespace warplint
WARPLINT_TINY(fp4, e2m1, warplint::e2m1, 4)
WARPLINT_TINY_CONVERSIONS(fp4, 4, warplint::fp4_code, warplint::fp4_value)
#endif
