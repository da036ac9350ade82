// Atomic functions, in three scopes: _block, none (the device) and _system. Written as PTX, so
// that the instruction says what the source says: clang's own atomics turn atomicAdd(p, 0)
// into another operation.
#pragma once

#define WARPLINT_ATOMIC(name, op, type, ptxType, reg)                                                          \
  WARPLINT_ATOMIC_SCOPED(name, "", op, type, ptxType, reg)                                                     \
  WARPLINT_ATOMIC_SCOPED(name##_block, ".cta", op, type, ptxType, reg)                                         \
  WARPLINT_ATOMIC_SCOPED(name##_system, ".sys", op, type, ptxType, reg)
#define WARPLINT_ATOMIC_SCOPED(name, scope, op, type, ptxType, reg)                                            \
  WARPLINT_INTRINSIC type name(type *address, type value) {                                                    \
    type old;                                                                                                  \
    asm volatile("atom" scope "." op "." ptxType " %0, [%1], %2;" : "=" reg(old) : "l"(address), reg(value) : "memory"); \
    return old;                                                                                                \
  }

WARPLINT_ATOMIC(atomicAdd, "add", int, "s32", "r")
WARPLINT_ATOMIC(atomicAdd, "add", unsigned, "u32", "r")
WARPLINT_ATOMIC(atomicAdd, "add", unsigned long long, "u64", "l")
WARPLINT_ATOMIC(atomicAdd, "add", float, "f32", "f")
WARPLINT_ATOMIC(atomicAdd, "add", double, "f64", "d")
WARPLINT_ATOMIC(atomicMin, "min", int, "s32", "r")
WARPLINT_ATOMIC(atomicMin, "min", unsigned, "u32", "r")
WARPLINT_ATOMIC(atomicMin, "min", long long, "s64", "l")
WARPLINT_ATOMIC(atomicMin, "min", unsigned long long, "u64", "l")
WARPLINT_ATOMIC(atomicMax, "max", int, "s32", "r")
WARPLINT_ATOMIC(atomicMax, "max", unsigned, "u32", "r")
WARPLINT_ATOMIC(atomicMax, "max", long long, "s64", "l")
WARPLINT_ATOMIC(atomicMax, "max", unsigned long long, "u64", "l")
WARPLINT_ATOMIC(atomicInc, "inc", unsigned, "u32", "r")
WARPLINT_ATOMIC(atomicDec, "dec", unsigned, "u32", "r")
WARPLINT_ATOMIC(atomicExch, "exch", int, "b32", "r")
WARPLINT_ATOMIC(atomicExch, "exch", unsigned, "b32", "r")
WARPLINT_ATOMIC(atomicExch, "exch", unsigned long long, "b64", "l")
WARPLINT_ATOMIC(atomicExch, "exch", float, "b32", "f")
WARPLINT_ATOMIC(atomicAnd, "and", int, "b32", "r")
WARPLINT_ATOMIC(atomicAnd, "and", unsigned, "b32", "r")
WARPLINT_ATOMIC(atomicAnd, "and", unsigned long long, "b64", "l")
WARPLINT_ATOMIC(atomicOr, "or", int, "b32", "r")
WARPLINT_ATOMIC(atomicOr, "or", unsigned, "b32", "r")
WARPLINT_ATOMIC(atomicOr, "or", unsigned long long, "b64", "l")
WARPLINT_ATOMIC(atomicXor, "xor", int, "b32", "r")
WARPLINT_ATOMIC(atomicXor, "xor", unsigned, "b32", "r")
WARPLINT_ATOMIC(atomicXor, "xor", unsigned long long, "b64", "l")
#undef WARPLINT_ATOMIC
#undef WARPLINT_ATOMIC_SCOPED

// A subtraction is the addition of the negated value (PTX has no other).
#define WARPLINT_SUBTRACT(name, add)                                                                  \
  WARPLINT_INTRINSIC int name(int *address, int value) { return add(address, (int)(0u - (unsigned)value)); } \
  WARPLINT_INTRINSIC unsigned name(unsigned *address, unsigned value) { return add(address, 0u - value); }
WARPLINT_SUBTRACT(atomicSub, atomicAdd)
WARPLINT_SUBTRACT(atomicSub_block, atomicAdd_block)
WARPLINT_SUBTRACT(atomicSub_system, atomicAdd_system)
#undef WARPLINT_SUBTRACT

#define WARPLINT_CAS(type, ptxType, reg)                                                              \
  WARPLINT_CAS_SCOPED(atomicCAS, "", type, ptxType, reg)                                              \
  WARPLINT_CAS_SCOPED(atomicCAS_block, ".cta", type, ptxType, reg)                                    \
  WARPLINT_CAS_SCOPED(atomicCAS_system, ".sys", type, ptxType, reg)
#define WARPLINT_CAS_SCOPED(name, scope, type, ptxType, reg)                                          \
  WARPLINT_INTRINSIC type name(type *address, type compare, type value) {                             \
    type old;                                                                                         \
    asm volatile("atom" scope ".cas." ptxType " %0, [%1], %2, %3;"                                    \
                 : "=" reg(old) : "l"(address), reg(compare), reg(value) : "memory");                 \
    return old;                                                                                       \
  }
WARPLINT_CAS(int, "b32", "r")
WARPLINT_CAS(unsigned, "b32", "r")
WARPLINT_CAS(unsigned long long, "b64", "l")
WARPLINT_CAS(unsigned short, "b16", "h")
#undef WARPLINT_CAS
#undef WARPLINT_CAS_SCOPED

// Any plain type of 16 bytes.
namespace warplint {
struct alignas(16) pair_of_long {
  unsigned long long low, high;
};
template <class T, size_t Bytes = sizeof(T)> struct of_16_bytes {};
template <class T> struct of_16_bytes<T, 16> {
  typedef T type;
};
}  // namespace warplint
#define WARPLINT_WIDE(suffix, scope)                                                                                                            \
  template <class T> WARPLINT_METHOD inline typename warplint::of_16_bytes<T>::type atomicExch##suffix(T *address, T value) {                   \
    warplint::pair_of_long v = __builtin_bit_cast(warplint::pair_of_long, value), old;                                                          \
    asm volatile("{ .reg .b128 v, old; mov.b128 v, {%3, %4}; atom" scope ".exch.b128 old, [%2], v; mov.b128 {%0, %1}, old; }"                   \
                 : "=l"(old.low), "=l"(old.high) : "l"(address), "l"(v.low), "l"(v.high) : "memory");                                           \
    return __builtin_bit_cast(T, old);                                                                                                          \
  }                                                                                                                                             \
  template <class T> WARPLINT_METHOD inline typename warplint::of_16_bytes<T>::type atomicCAS##suffix(T *address, T compare, T value) {         \
    warplint::pair_of_long c = __builtin_bit_cast(warplint::pair_of_long, compare), v = __builtin_bit_cast(warplint::pair_of_long, value), old; \
    asm volatile("{ .reg .b128 c, v, old; mov.b128 c, {%3, %4}; mov.b128 v, {%5, %6}; atom" scope ".cas.b128 old, [%2], c, v; mov.b128 {%0, %1}, old; }" \
                 : "=l"(old.low), "=l"(old.high) : "l"(address), "l"(c.low), "l"(c.high), "l"(v.low), "l"(v.high) : "memory");                  \
    return __builtin_bit_cast(T, old);                                                                                                          \
  }
WARPLINT_WIDE(, "")
WARPLINT_WIDE(_block, ".cta")
WARPLINT_WIDE(_system, ".sys")
#undef WARPLINT_WIDE

// Vectors are updated element by element; only each of these is atomic.
WARPLINT_INTRINSIC float2 atomicAdd(float2 *at, float2 v) { return make_float2(atomicAdd(&at->x, v.x), atomicAdd(&at->y, v.y)); }
WARPLINT_INTRINSIC float4 atomicAdd(float4 *at, float4 v) {
  return make_float4(atomicAdd(&at->x, v.x), atomicAdd(&at->y, v.y), atomicAdd(&at->z, v.z), atomicAdd(&at->w, v.w));
}
