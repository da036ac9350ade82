// What warplint knows of helper_math.h of NVIDIA's samples, which many programs include and few have beside them: arithmetic of
// vectors, element by element. It stands for that header only where it is not found.
#pragma once
#include <cuda_runtime.h>

#define WARPLINT_FN inline __host__ __device__

WARPLINT_FN float lerp(float a, float b, float t) { return a + t * (b - a); }
WARPLINT_FN float clamp(float v, float a, float b) { return v < a ? a : v > b ? b : v; }
WARPLINT_FN int clamp(int v, int a, int b) { return v < a ? a : v > b ? b : v; }
WARPLINT_FN unsigned clamp(unsigned v, unsigned a, unsigned b) { return v < a ? a : v > b ? b : v; }
WARPLINT_FN float smoothstep(float a, float b, float x) {
    float y = clamp((x - a) / (b - a), 0.0f, 1.0f);
    return y * y * (3.0f - 2.0f * y);
}
WARPLINT_FN float fracf(float v) { return v - floorf(v); }

// What a vector is made of: one number, a longer or a shorter vector, another type's.
#define WARPLINT_MAKE(V, E, A, B)                                                                                               \
    WARPLINT_FN V##2 make_##V##2(E s) { return make_##V##2(s, s); }                                                             \
    WARPLINT_FN V##2 make_##V##2(V##3 a) { return make_##V##2(a.x, a.y); }                                                      \
    WARPLINT_FN V##2 make_##V##2(A##2 a) { return make_##V##2(E(a.x), E(a.y)); }                                                \
    WARPLINT_FN V##2 make_##V##2(B##2 a) { return make_##V##2(E(a.x), E(a.y)); }                                                \
    WARPLINT_FN V##3 make_##V##3(E s) { return make_##V##3(s, s, s); }                                                          \
    WARPLINT_FN V##3 make_##V##3(V##2 a) { return make_##V##3(a.x, a.y, E(0)); }                                                \
    WARPLINT_FN V##3 make_##V##3(V##2 a, E s) { return make_##V##3(a.x, a.y, s); }                                              \
    WARPLINT_FN V##3 make_##V##3(V##4 a) { return make_##V##3(a.x, a.y, a.z); }                                                 \
    WARPLINT_FN V##3 make_##V##3(A##3 a) { return make_##V##3(E(a.x), E(a.y), E(a.z)); }                                        \
    WARPLINT_FN V##3 make_##V##3(B##3 a) { return make_##V##3(E(a.x), E(a.y), E(a.z)); }                                        \
    WARPLINT_FN V##4 make_##V##4(E s) { return make_##V##4(s, s, s, s); }                                                       \
    WARPLINT_FN V##4 make_##V##4(V##3 a) { return make_##V##4(a.x, a.y, a.z, E(0)); }                                           \
    WARPLINT_FN V##4 make_##V##4(V##3 a, E s) { return make_##V##4(a.x, a.y, a.z, s); }                                         \
    WARPLINT_FN V##4 make_##V##4(A##4 a) { return make_##V##4(E(a.x), E(a.y), E(a.z), E(a.w)); }                                \
    WARPLINT_FN V##4 make_##V##4(B##4 a) { return make_##V##4(E(a.x), E(a.y), E(a.z), E(a.w)); }
WARPLINT_MAKE(float, float, int, uint)
WARPLINT_MAKE(int, int, float, uint)
WARPLINT_MAKE(uint, unsigned, float, int)
#undef WARPLINT_MAKE

// Operators of vectors of 2, 3 and 4 elements, with each other and with numbers.
#define WARPLINT_OP2(V, E, op)                                                                                                  \
    WARPLINT_FN V operator op(V a, V b) { return make_##V(a.x op b.x, a.y op b.y); }                                            \
    WARPLINT_FN V operator op(V a, E s) { return make_##V(a.x op s, a.y op s); }                                                \
    WARPLINT_FN V operator op(E s, V b) { return make_##V(s op b.x, s op b.y); }
#define WARPLINT_OP3(V, E, op)                                                                                                  \
    WARPLINT_FN V operator op(V a, V b) { return make_##V(a.x op b.x, a.y op b.y, a.z op b.z); }                                \
    WARPLINT_FN V operator op(V a, E s) { return make_##V(a.x op s, a.y op s, a.z op s); }                                      \
    WARPLINT_FN V operator op(E s, V b) { return make_##V(s op b.x, s op b.y, s op b.z); }
#define WARPLINT_OP4(V, E, op)                                                                                                  \
    WARPLINT_FN V operator op(V a, V b) { return make_##V(a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w); }                    \
    WARPLINT_FN V operator op(V a, E s) { return make_##V(a.x op s, a.y op s, a.z op s, a.w op s); }                            \
    WARPLINT_FN V operator op(E s, V b) { return make_##V(s op b.x, s op b.y, s op b.z, s op b.w); }
#define WARPLINT_SET(V, E, op)                                                                                                  \
    WARPLINT_FN void operator op##=(V &a, V b) { a = a op b; }                                                                  \
    WARPLINT_FN void operator op##=(V &a, E s) { a = a op s; }
#define WARPLINT_ARITHMETIC(n, V, E)                                                                                            \
    WARPLINT_OP##n(V, E, +) WARPLINT_OP##n(V, E, -) WARPLINT_OP##n(V, E, *) WARPLINT_SET(V, E, +) WARPLINT_SET(V, E, -)         \
    WARPLINT_SET(V, E, *)
#define WARPLINT_ALL(V, E) WARPLINT_ARITHMETIC(2, V##2, E) WARPLINT_ARITHMETIC(3, V##3, E) WARPLINT_ARITHMETIC(4, V##4, E)
WARPLINT_ALL(float, float)
WARPLINT_ALL(int, int)
WARPLINT_ALL(uint, unsigned)
WARPLINT_OP2(float2, float, /)
WARPLINT_OP3(float3, float, /)
WARPLINT_OP4(float4, float, /)
WARPLINT_SET(float2, float, /)
WARPLINT_SET(float3, float, /)
WARPLINT_SET(float4, float, /)
#define WARPLINT_MINUS(V)                                                                                                       \
    WARPLINT_FN V##2 operator-(const V##2 &a) { return make_##V##2(-a.x, -a.y); }                                               \
    WARPLINT_FN V##3 operator-(const V##3 &a) { return make_##V##3(-a.x, -a.y, -a.z); }                                         \
    WARPLINT_FN V##4 operator-(const V##4 &a) { return make_##V##4(-a.x, -a.y, -a.z, -a.w); }
WARPLINT_MINUS(float)
WARPLINT_MINUS(int)
#undef WARPLINT_OP2
#undef WARPLINT_OP3
#undef WARPLINT_OP4
#undef WARPLINT_SET
#undef WARPLINT_ARITHMETIC
#undef WARPLINT_ALL
#undef WARPLINT_MINUS

// Functions of each element.
#define WARPLINT_ONE(name, of, V)                                                                                               \
    WARPLINT_FN V##2 name(V##2 a) { return make_##V##2(of(a.x), of(a.y)); }                                                     \
    WARPLINT_FN V##3 name(V##3 a) { return make_##V##3(of(a.x), of(a.y), of(a.z)); }                                            \
    WARPLINT_FN V##4 name(V##4 a) { return make_##V##4(of(a.x), of(a.y), of(a.z), of(a.w)); }
#define WARPLINT_TWO(name, V)                                                                                                   \
    WARPLINT_FN V##2 name(V##2 a, V##2 b) { return make_##V##2(name(a.x, b.x), name(a.y, b.y)); }                               \
    WARPLINT_FN V##3 name(V##3 a, V##3 b) { return make_##V##3(name(a.x, b.x), name(a.y, b.y), name(a.z, b.z)); }               \
    WARPLINT_FN V##4 name(V##4 a, V##4 b) { return make_##V##4(name(a.x, b.x), name(a.y, b.y), name(a.z, b.z), name(a.w, b.w)); }
WARPLINT_ONE(floorf, floorf, float)
WARPLINT_ONE(fracf, fracf, float)
WARPLINT_ONE(fabs, fabsf, float)
WARPLINT_ONE(abs, abs, int)
WARPLINT_TWO(fminf, float)
WARPLINT_TWO(fmaxf, float)
WARPLINT_TWO(fmodf, float)
WARPLINT_TWO(min, int)
WARPLINT_TWO(max, int)
WARPLINT_TWO(min, uint)
WARPLINT_TWO(max, uint)
#define WARPLINT_CLAMP(V, E)                                                                                                    \
    WARPLINT_FN V##2 clamp(V##2 v, V##2 a, V##2 b) { return make_##V##2(clamp(v.x, a.x, b.x), clamp(v.y, a.y, b.y)); }          \
    WARPLINT_FN V##2 clamp(V##2 v, E a, E b) { return make_##V##2(clamp(v.x, a, b), clamp(v.y, a, b)); }                        \
    WARPLINT_FN V##3 clamp(V##3 v, V##3 a, V##3 b) { return make_##V##3(clamp(v.x, a.x, b.x), clamp(v.y, a.y, b.y), clamp(v.z, a.z, b.z)); } \
    WARPLINT_FN V##3 clamp(V##3 v, E a, E b) { return make_##V##3(clamp(v.x, a, b), clamp(v.y, a, b), clamp(v.z, a, b)); }      \
    WARPLINT_FN V##4 clamp(V##4 v, V##4 a, V##4 b) {                                                                            \
        return make_##V##4(clamp(v.x, a.x, b.x), clamp(v.y, a.y, b.y), clamp(v.z, a.z, b.z), clamp(v.w, a.w, b.w));             \
    }                                                                                                                           \
    WARPLINT_FN V##4 clamp(V##4 v, E a, E b) { return make_##V##4(clamp(v.x, a, b), clamp(v.y, a, b), clamp(v.z, a, b), clamp(v.w, a, b)); }
WARPLINT_CLAMP(float, float)
WARPLINT_CLAMP(int, int)
WARPLINT_CLAMP(uint, unsigned)
#define WARPLINT_DOT(V, E)                                                                                                      \
    WARPLINT_FN E dot(V##2 a, V##2 b) { return a.x * b.x + a.y * b.y; }                                                         \
    WARPLINT_FN E dot(V##3 a, V##3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }                                             \
    WARPLINT_FN E dot(V##4 a, V##4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
WARPLINT_DOT(float, float)
WARPLINT_DOT(int, int)
WARPLINT_DOT(uint, unsigned)
#define WARPLINT_OF_FLOATS(V)                                                                                                   \
    WARPLINT_FN float length(V v) { return sqrtf(dot(v, v)); }                                                                  \
    WARPLINT_FN V normalize(V v) { return v * rsqrtf(dot(v, v)); }                                                              \
    WARPLINT_FN V lerp(V a, V b, float t) { return a + t * (b - a); }                                                           \
    WARPLINT_FN V smoothstep(V a, V b, V x) {                                                                                   \
        V y = clamp((x - a) / (b - a), 0.0f, 1.0f);                                                                             \
        return y * y * (y * -2.0f + 3.0f);                                                                                      \
    }
WARPLINT_OF_FLOATS(float2)
WARPLINT_OF_FLOATS(float3)
WARPLINT_OF_FLOATS(float4)
WARPLINT_FN float3 reflect(float3 i, float3 n) { return i - 2.0f * n * dot(n, i); }
WARPLINT_FN float3 cross(float3 a, float3 b) { return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }
#undef WARPLINT_ONE
#undef WARPLINT_TWO
#undef WARPLINT_CLAMP
#undef WARPLINT_DOT
#undef WARPLINT_OF_FLOATS
#undef WARPLINT_FN
