// Conversions with the rounding in the name, and reinterpretation of bits.
#pragma once

WARPLINT_INTRINSIC float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
WARPLINT_INTRINSIC float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
WARPLINT_INTRINSIC int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
WARPLINT_INTRINSIC unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
WARPLINT_INTRINSIC double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
WARPLINT_INTRINSIC long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
WARPLINT_INTRINSIC int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
WARPLINT_INTRINSIC int __double2loint(double x) { return (int)__double_as_longlong(x); }
WARPLINT_INTRINSIC double __hiloint2double(int high, int low) { return __longlong_as_double((long long)high << 32 | (unsigned)low); }

#define WARPLINT_CONVERT(name, to, from, instruction, toReg, fromReg) \
  WARPLINT_INTRINSIC to name(from x) { to r; asm(instruction " %0, %1;" : "=" toReg(r) : fromReg(x)); return r; }
#define WARPLINT_CONVERSIONS(name, mode, integral)                                                    \
  WARPLINT_CONVERT(__float2int_##name, int, float, "cvt." #integral ".s32.f32", "r", "f") \
  WARPLINT_CONVERT(__int2float_##name, float, int, "cvt." #mode ".f32.s32", "f", "r") \
  WARPLINT_CONVERT(__double2int_##name, int, double, "cvt." #integral ".s32.f64", "r", "d") \
  WARPLINT_CONVERT(__float2uint_##name, unsigned, float, "cvt." #integral ".u32.f32", "r", "f") \
  WARPLINT_CONVERT(__uint2float_##name, float, unsigned, "cvt." #mode ".f32.u32", "f", "r") \
  WARPLINT_CONVERT(__double2uint_##name, unsigned, double, "cvt." #integral ".u32.f64", "r", "d") \
  WARPLINT_CONVERT(__float2ll_##name, long long, float, "cvt." #integral ".s64.f32", "l", "f") \
  WARPLINT_CONVERT(__ll2float_##name, float, long long, "cvt." #mode ".f32.s64", "f", "l") \
  WARPLINT_CONVERT(__double2ll_##name, long long, double, "cvt." #integral ".s64.f64", "l", "d") \
  WARPLINT_CONVERT(__ll2double_##name, double, long long, "cvt." #mode ".f64.s64", "d", "l") \
  WARPLINT_CONVERT(__float2ull_##name, unsigned long long, float, "cvt." #integral ".u64.f32", "l", "f") \
  WARPLINT_CONVERT(__ull2float_##name, float, unsigned long long, "cvt." #mode ".f32.u64", "f", "l") \
  WARPLINT_CONVERT(__double2ull_##name, unsigned long long, double, "cvt." #integral ".u64.f64", "l", "d") \
  WARPLINT_CONVERT(__ull2double_##name, double, unsigned long long, "cvt." #mode ".f64.u64", "d", "l") \
  WARPLINT_CONVERT(__double2float_##name, float, double, "cvt." #mode ".f32.f64", "f", "d")
WARPLINT_CONVERSIONS(rn, rn, rni)
WARPLINT_CONVERSIONS(rz, rz, rzi)
WARPLINT_CONVERSIONS(ru, rp, rpi)
WARPLINT_CONVERSIONS(rd, rm, rmi)
#undef WARPLINT_CONVERSIONS
#undef WARPLINT_CONVERT
WARPLINT_INTRINSIC double __int2double_rn(int x) { return (double)x; }
WARPLINT_INTRINSIC double __uint2double_rn(unsigned x) { return (double)x; }
