// What warplint knows of GLM, the vectors and matrices of graphics: which elements an operation reads and writes. It has
// no swizzles, and no extension but those that kernels use.
#pragma once
#include <cuda_runtime.h>

#define WARPLINT_FN inline __host__ __device__

namespace glm {

enum qualifier { packed_highp, packed_mediump, packed_lowp, highp = packed_highp, mediump = packed_mediump, lowp = packed_lowp, defaultp = packed_highp };
typedef int length_t;

template <length_t L, class T, qualifier Q = defaultp> struct vec;

template <class T, qualifier Q> struct vec<1, T, Q> {
    typedef T value_type;
    union { T x, r, s; };
    WARPLINT_FN constexpr vec() {}
    WARPLINT_FN constexpr vec(T v) : x(v) {}
    WARPLINT_FN T &operator[](length_t i) { return x; }
    WARPLINT_FN const T &operator[](length_t i) const { return x; }
};

template <class T, qualifier Q> struct vec<2, T, Q> {
    typedef T value_type;
    union { T x, r, s; };
    union { T y, g, t; };
    WARPLINT_FN constexpr vec() {}
    WARPLINT_FN constexpr explicit vec(T v) : x(v), y(v) {}
    template <class A, class B> WARPLINT_FN constexpr vec(A a, B b) : x(T(a)), y(T(b)) {}
    template <class U> WARPLINT_FN constexpr vec(const vec<2, U, Q> &v) : x(T(v.x)), y(T(v.y)) {}
    template <class U> WARPLINT_FN constexpr explicit vec(const vec<3, U, Q> &v) : x(T(v.x)), y(T(v.y)) {}
    template <class U> WARPLINT_FN constexpr explicit vec(const vec<4, U, Q> &v) : x(T(v.x)), y(T(v.y)) {}
    WARPLINT_FN static constexpr length_t length() { return 2; }
    WARPLINT_FN T &operator[](length_t i) { return (&x)[i]; }
    WARPLINT_FN const T &operator[](length_t i) const { return (&x)[i]; }
};

template <class T, qualifier Q> struct vec<3, T, Q> {
    typedef T value_type;
    union { T x, r, s; };
    union { T y, g, t; };
    union { T z, b, p; };
    WARPLINT_FN constexpr vec() {}
    WARPLINT_FN constexpr explicit vec(T v) : x(v), y(v), z(v) {}
    template <class A, class B, class C> WARPLINT_FN constexpr vec(A a, B b, C c) : x(T(a)), y(T(b)), z(T(c)) {}
    template <class U, class C> WARPLINT_FN constexpr vec(const vec<2, U, Q> &v, C c) : x(T(v.x)), y(T(v.y)), z(T(c)) {}
    template <class U> WARPLINT_FN constexpr vec(const vec<3, U, Q> &v) : x(T(v.x)), y(T(v.y)), z(T(v.z)) {}
    template <class U> WARPLINT_FN constexpr explicit vec(const vec<4, U, Q> &v) : x(T(v.x)), y(T(v.y)), z(T(v.z)) {}
    WARPLINT_FN static constexpr length_t length() { return 3; }
    WARPLINT_FN T &operator[](length_t i) { return (&x)[i]; }
    WARPLINT_FN const T &operator[](length_t i) const { return (&x)[i]; }
};

template <class T, qualifier Q> struct vec<4, T, Q> {
    typedef T value_type;
    union { T x, r, s; };
    union { T y, g, t; };
    union { T z, b, p; };
    union { T w, a, q; };
    WARPLINT_FN constexpr vec() {}
    WARPLINT_FN constexpr explicit vec(T v) : x(v), y(v), z(v), w(v) {}
    template <class A, class B, class C, class D> WARPLINT_FN constexpr vec(A a, B b, C c, D d) : x(T(a)), y(T(b)), z(T(c)), w(T(d)) {}
    template <class U, class C, class D> WARPLINT_FN constexpr vec(const vec<2, U, Q> &v, C c, D d) : x(T(v.x)), y(T(v.y)), z(T(c)), w(T(d)) {}
    template <class U, class D> WARPLINT_FN constexpr vec(const vec<3, U, Q> &v, D d) : x(T(v.x)), y(T(v.y)), z(T(v.z)), w(T(d)) {}
    template <class U> WARPLINT_FN constexpr vec(const vec<4, U, Q> &v) : x(T(v.x)), y(T(v.y)), z(T(v.z)), w(T(v.w)) {}
    WARPLINT_FN static constexpr length_t length() { return 4; }
    WARPLINT_FN T &operator[](length_t i) { return (&x)[i]; }
    WARPLINT_FN const T &operator[](length_t i) const { return (&x)[i]; }
};

// What is done element by element.
#define WARPLINT_EACH(R, first, second, third, fourth)                                                                          \
    vec<L, R, Q> out;                                                                                                           \
    out.x = first;                                                                                                              \
    if constexpr (L > 1)                                                                                                        \
        out.y = second;                                                                                                         \
    if constexpr (L > 2)                                                                                                        \
        out.z = third;                                                                                                          \
    if constexpr (L > 3)                                                                                                        \
        out.w = fourth;                                                                                                         \
    return out;
#define WARPLINT_EACH1(R, name, f)                                                                                              \
    template <length_t L, class T, qualifier Q> WARPLINT_FN vec<L, R, Q> name(const vec<L, T, Q> &a) {                          \
        WARPLINT_EACH(R, f(a.x), f(a.y), f(a.z), f(a.w))                                                                        \
    }
#define WARPLINT_EACH2(R, name, f)                                                                                              \
    template <length_t L, class T, qualifier Q> WARPLINT_FN vec<L, R, Q> name(const vec<L, T, Q> &a, const vec<L, T, Q> &b) {   \
        WARPLINT_EACH(R, f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w))                                                    \
    }
#define WARPLINT_EITHER(R, name, f)                                                                                             \
    WARPLINT_EACH2(R, name, f)                                                                                                  \
    template <length_t L, class T, qualifier Q> WARPLINT_FN vec<L, R, Q> name(const vec<L, T, Q> &a, T b) { return name(a, vec<L, T, Q>(b)); }
#define WARPLINT_OPERATOR(op)                                                                                                   \
    template <length_t L, class T, qualifier Q> WARPLINT_FN vec<L, T, Q> operator op(const vec<L, T, Q> &a, const vec<L, T, Q> &b) { \
        WARPLINT_EACH(T, a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w)                                                        \
    }                                                                                                                           \
    template <length_t L, class T, qualifier Q> WARPLINT_FN vec<L, T, Q> operator op(const vec<L, T, Q> &a, T b) { return a op vec<L, T, Q>(b); } \
    template <length_t L, class T, qualifier Q> WARPLINT_FN vec<L, T, Q> operator op(T a, const vec<L, T, Q> &b) { return vec<L, T, Q>(a) op b; } \
    template <length_t L, class T, qualifier Q> WARPLINT_FN vec<L, T, Q> &operator op##=(vec<L, T, Q> &a, const vec<L, T, Q> &b) { return a = a op b; } \
    template <length_t L, class T, qualifier Q, class U> WARPLINT_FN vec<L, T, Q> &operator op##=(vec<L, T, Q> &a, U b) { return a = a op vec<L, T, Q>(T(b)); }
WARPLINT_OPERATOR(+)
WARPLINT_OPERATOR(-)
WARPLINT_OPERATOR(*)
WARPLINT_OPERATOR(/)
WARPLINT_OPERATOR(%)
WARPLINT_OPERATOR(&)
WARPLINT_OPERATOR(|)
WARPLINT_OPERATOR(^)
WARPLINT_OPERATOR(<<)
WARPLINT_OPERATOR(>>)
#undef WARPLINT_OPERATOR
template <length_t L, class T, qualifier Q> WARPLINT_FN vec<L, T, Q> operator-(const vec<L, T, Q> &v) { return vec<L, T, Q>(T(0)) - v; }
template <length_t L, class T, qualifier Q> WARPLINT_FN vec<L, T, Q> operator+(const vec<L, T, Q> &v) { return v; }
template <length_t L, class T, qualifier Q> WARPLINT_FN vec<L, T, Q> &operator++(vec<L, T, Q> &v) { return v += T(1); }
template <length_t L, class T, qualifier Q> WARPLINT_FN vec<L, T, Q> &operator--(vec<L, T, Q> &v) { return v -= T(1); }

// Functions of numbers, and of vectors element by element.
template <class T> WARPLINT_FN T abs(T x) { return x < T(0) ? -x : x; }
template <class T> WARPLINT_FN T sign(T x) { return T(T(0) < x) - T(x < T(0)); }
template <class T> WARPLINT_FN T floor(T x) { return ::floor(x); }
template <class T> WARPLINT_FN T ceil(T x) { return ::ceil(x); }
template <class T> WARPLINT_FN T round(T x) { return ::round(x); }
template <class T> WARPLINT_FN T trunc(T x) { return ::trunc(x); }
template <class T> WARPLINT_FN T fract(T x) { return x - ::floor(x); }
template <class T> WARPLINT_FN T sin(T x) { return ::sin(x); }
template <class T> WARPLINT_FN T cos(T x) { return ::cos(x); }
template <class T> WARPLINT_FN T tan(T x) { return ::tan(x); }
template <class T> WARPLINT_FN T asin(T x) { return ::asin(x); }
template <class T> WARPLINT_FN T acos(T x) { return ::acos(x); }
template <class T> WARPLINT_FN T atan(T x) { return ::atan(x); }
template <class T> WARPLINT_FN T exp(T x) { return ::exp(x); }
template <class T> WARPLINT_FN T exp2(T x) { return ::exp2(x); }
template <class T> WARPLINT_FN T log(T x) { return ::log(x); }
template <class T> WARPLINT_FN T log2(T x) { return ::log2(x); }
template <class T> WARPLINT_FN T sqrt(T x) { return ::sqrt(x); }
template <class T> WARPLINT_FN T inversesqrt(T x) { return T(1) / ::sqrt(x); }
template <class T> WARPLINT_FN T radians(T x) { return x * T(0.01745329251994329577); }
template <class T> WARPLINT_FN T degrees(T x) { return x * T(57.295779513082320877); }
template <class T> WARPLINT_FN T min(T a, T b) { return b < a ? b : a; }
template <class T> WARPLINT_FN T max(T a, T b) { return a < b ? b : a; }
template <class T> WARPLINT_FN T pow(T a, T b) { return ::pow(a, b); }
template <class T> WARPLINT_FN T mod(T a, T b) { return a - b * ::floor(a / b); }
template <class T> WARPLINT_FN T atan(T a, T b) { return ::atan2(a, b); }
template <class T> WARPLINT_FN T step(T edge, T x) { return x < edge ? T(0) : T(1); }
template <class T> WARPLINT_FN T clamp(T x, T low, T high) { return x < low ? low : high < x ? high : x; }
template <class T> WARPLINT_FN bool less_of(T a, T b) { return a < b; }
template <class T> WARPLINT_FN bool most_of(T a, T b) { return a <= b; }
template <class T> WARPLINT_FN bool same_of(T a, T b) { return a == b; }
WARPLINT_EACH1(T, abs, abs)
WARPLINT_EACH1(T, sign, sign)
WARPLINT_EACH1(T, floor, floor)
WARPLINT_EACH1(T, ceil, ceil)
WARPLINT_EACH1(T, round, round)
WARPLINT_EACH1(T, trunc, trunc)
WARPLINT_EACH1(T, fract, fract)
WARPLINT_EACH1(T, sin, sin)
WARPLINT_EACH1(T, cos, cos)
WARPLINT_EACH1(T, tan, tan)
WARPLINT_EACH1(T, asin, asin)
WARPLINT_EACH1(T, acos, acos)
WARPLINT_EACH1(T, atan, atan)
WARPLINT_EACH1(T, exp, exp)
WARPLINT_EACH1(T, exp2, exp2)
WARPLINT_EACH1(T, log, log)
WARPLINT_EACH1(T, log2, log2)
WARPLINT_EACH1(T, sqrt, sqrt)
WARPLINT_EACH1(T, inversesqrt, inversesqrt)
WARPLINT_EACH1(T, radians, radians)
WARPLINT_EACH1(T, degrees, degrees)
WARPLINT_EITHER(T, min, min)
WARPLINT_EITHER(T, max, max)
WARPLINT_EITHER(T, pow, pow)
WARPLINT_EITHER(T, mod, mod)
WARPLINT_EACH2(bool, lessThan, less_of)
WARPLINT_EACH2(bool, lessThanEqual, most_of)
WARPLINT_EACH2(bool, equal, same_of)
template <length_t L, class T, qualifier Q> WARPLINT_FN vec<L, bool, Q> greaterThan(const vec<L, T, Q> &a, const vec<L, T, Q> &b) { return lessThan(b, a); }
template <length_t L, class T, qualifier Q> WARPLINT_FN vec<L, bool, Q> greaterThanEqual(const vec<L, T, Q> &a, const vec<L, T, Q> &b) { return lessThanEqual(b, a); }
template <length_t L, class T, qualifier Q> WARPLINT_FN vec<L, T, Q> clamp(const vec<L, T, Q> &v, T low, T high) { return min(max(v, low), high); }
template <length_t L, class T, qualifier Q> WARPLINT_FN vec<L, T, Q> clamp(const vec<L, T, Q> &v, const vec<L, T, Q> &low, const vec<L, T, Q> &high) {
    return min(max(v, low), high);
}

// Functions of a whole vector.
#define WARPLINT_WHOLE(op, first, second, third, fourth)                                                                        \
    if constexpr (L == 1)                                                                                                       \
        return first;                                                                                                           \
    else if constexpr (L == 2)                                                                                                  \
        return first op second;                                                                                                 \
    else if constexpr (L == 3)                                                                                                  \
        return first op second op third;                                                                                        \
    else                                                                                                                        \
        return first op second op third op fourth;
template <length_t L, class T, qualifier Q> WARPLINT_FN T dot(const vec<L, T, Q> &a, const vec<L, T, Q> &b) {
    WARPLINT_WHOLE(+, a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w)
}
template <length_t L, class T, qualifier Q> WARPLINT_FN bool operator==(const vec<L, T, Q> &a, const vec<L, T, Q> &b) {
    WARPLINT_WHOLE(&&, a.x == b.x, a.y == b.y, a.z == b.z, a.w == b.w)
}
template <length_t L, qualifier Q> WARPLINT_FN bool any(const vec<L, bool, Q> &v) { WARPLINT_WHOLE(||, v.x, v.y, v.z, v.w) }
template <length_t L, qualifier Q> WARPLINT_FN bool all(const vec<L, bool, Q> &v) { WARPLINT_WHOLE(&&, v.x, v.y, v.z, v.w) }
#undef WARPLINT_WHOLE
template <length_t L, class T, qualifier Q> WARPLINT_FN bool operator!=(const vec<L, T, Q> &a, const vec<L, T, Q> &b) { return !(a == b); }
template <class T, qualifier Q> WARPLINT_FN vec<3, T, Q> cross(const vec<3, T, Q> &a, const vec<3, T, Q> &b) {
    return vec<3, T, Q>(a.y * b.z - b.y * a.z, a.z * b.x - b.z * a.x, a.x * b.y - b.x * a.y);
}
template <length_t L, class T, qualifier Q> WARPLINT_FN T length(const vec<L, T, Q> &v) { return ::sqrt(dot(v, v)); }
template <length_t L, class T, qualifier Q> WARPLINT_FN T length2(const vec<L, T, Q> &v) { return dot(v, v); }
template <length_t L, class T, qualifier Q> WARPLINT_FN T distance(const vec<L, T, Q> &a, const vec<L, T, Q> &b) { return length(b - a); }
template <length_t L, class T, qualifier Q> WARPLINT_FN T distance2(const vec<L, T, Q> &a, const vec<L, T, Q> &b) { return length2(b - a); }
template <length_t L, class T, qualifier Q> WARPLINT_FN vec<L, T, Q> normalize(const vec<L, T, Q> &v) { return v * inversesqrt(dot(v, v)); }
template <length_t L, class T, qualifier Q> WARPLINT_FN vec<L, T, Q> reflect(const vec<L, T, Q> &i, const vec<L, T, Q> &n) { return i - n * dot(n, i) * T(2); }
template <length_t L, class T, qualifier Q> WARPLINT_FN vec<L, T, Q> refract(const vec<L, T, Q> &i, const vec<L, T, Q> &n, T eta) {
    T d = dot(n, i), k = T(1) - eta * eta * (T(1) - d * d);
    return k < T(0) ? vec<L, T, Q>(T(0)) : eta * i - (eta * d + ::sqrt(k)) * n;
}
template <class V, class T> WARPLINT_FN V mix(const V &a, const V &b, T t) { return a + (b - a) * t; }
template <class V, class T> WARPLINT_FN V lerp(const V &a, const V &b, T t) { return a + (b - a) * t; }
template <class T> WARPLINT_FN T smoothstep(T a, T b, T x) {
    T t = clamp((x - a) / (b - a), T(0), T(1));
    return t * t * (T(3) - T(2) * t);
}
template <class T> WARPLINT_FN constexpr T pi() { return T(3.14159265358979323846); }
template <class T> WARPLINT_FN constexpr T two_pi() { return T(6.28318530717958647693); }
template <class T> WARPLINT_FN constexpr T half_pi() { return T(1.57079632679489661923); }
template <class T> WARPLINT_FN constexpr T epsilon() { return T(1.1920929e-7); }

// Matrices of C columns and R rows.
template <length_t C, length_t R, class T, qualifier Q = defaultp> struct mat {
    typedef vec<R, T, Q> col_type;
    col_type value[C];
    WARPLINT_FN mat() {}
    WARPLINT_FN explicit mat(T s) {
        for (length_t c = 0; c < C; c++) {
            value[c] = col_type(T(0));
            if (c < R)
                value[c][c] = s;
        }
    }
    template <length_t M, length_t N> WARPLINT_FN explicit mat(const mat<M, N, T, Q> &m) {
        for (length_t c = 0; c < C; c++)
            for (length_t r = 0; r < R; r++)
                value[c][r] = c < M && r < N ? m.value[c][r] : T(c == r);
    }
    WARPLINT_FN mat(const col_type &a, const col_type &b) { value[0] = a, value[1] = b; }
    WARPLINT_FN mat(const col_type &a, const col_type &b, const col_type &c) { value[0] = a, value[1] = b, value[2] = c; }
    WARPLINT_FN mat(const col_type &a, const col_type &b, const col_type &c, const col_type &d) { value[0] = a, value[1] = b, value[2] = c, value[3] = d; }
    WARPLINT_FN mat(T a, T b, T c, T d) { value[0] = col_type(a, b), value[1] = col_type(c, d); }
    WARPLINT_FN mat(T a, T b, T c, T d, T e, T f, T g, T h, T i) {
        value[0] = col_type(a, b, c), value[1] = col_type(d, e, f), value[2] = col_type(g, h, i);
    }
    WARPLINT_FN static constexpr length_t length() { return C; }
    WARPLINT_FN col_type &operator[](length_t c) { return value[c]; }
    WARPLINT_FN const col_type &operator[](length_t c) const { return value[c]; }
};
template <length_t C, length_t R, class T, qualifier Q> WARPLINT_FN vec<R, T, Q> operator*(const mat<C, R, T, Q> &m, const vec<C, T, Q> &v) {
    vec<R, T, Q> sum(T(0));
    for (length_t c = 0; c < C; c++)
        sum += m.value[c] * v[c];
    return sum;
}
template <length_t C, length_t R, class T, qualifier Q> WARPLINT_FN vec<C, T, Q> operator*(const vec<R, T, Q> &v, const mat<C, R, T, Q> &m) {
    vec<C, T, Q> sum(T(0));
    for (length_t c = 0; c < C; c++)
        sum[c] = dot(v, m.value[c]);
    return sum;
}
template <length_t C, length_t K, length_t R, class T, qualifier Q> WARPLINT_FN mat<C, R, T, Q> operator*(const mat<K, R, T, Q> &a, const mat<C, K, T, Q> &b) {
    mat<C, R, T, Q> out;
    for (length_t c = 0; c < C; c++)
        out.value[c] = a * b.value[c];
    return out;
}
#define WARPLINT_MATRIX(op)                                                                                                     \
    template <length_t C, length_t R, class T, qualifier Q> WARPLINT_FN mat<C, R, T, Q> operator op(const mat<C, R, T, Q> &a, const mat<C, R, T, Q> &b) { \
        mat<C, R, T, Q> out;                                                                                                    \
        for (length_t c = 0; c < C; c++)                                                                                        \
            out.value[c] = a.value[c] op b.value[c];                                                                            \
        return out;                                                                                                             \
    }                                                                                                                           \
    template <length_t C, length_t R, class T, qualifier Q> WARPLINT_FN mat<C, R, T, Q> &operator op##=(mat<C, R, T, Q> &a, const mat<C, R, T, Q> &b) { \
        return a = a op b;                                                                                                      \
    }
WARPLINT_MATRIX(+)
WARPLINT_MATRIX(-)
#undef WARPLINT_MATRIX
template <length_t C, length_t R, class T, qualifier Q> WARPLINT_FN mat<C, R, T, Q> operator*(const mat<C, R, T, Q> &a, T s) {
    mat<C, R, T, Q> out;
    for (length_t c = 0; c < C; c++)
        out.value[c] = a.value[c] * s;
    return out;
}
template <length_t C, length_t R, class T, qualifier Q> WARPLINT_FN mat<C, R, T, Q> operator*(T s, const mat<C, R, T, Q> &a) { return a * s; }
template <length_t C, length_t R, class T, qualifier Q> WARPLINT_FN mat<R, C, T, Q> transpose(const mat<C, R, T, Q> &m) {
    mat<R, C, T, Q> out;
    for (length_t c = 0; c < C; c++)
        for (length_t r = 0; r < R; r++)
            out.value[r][c] = m.value[c][r];
    return out;
}
template <length_t C, length_t R, class T, qualifier Q> WARPLINT_FN mat<C, R, T, Q> outerProduct(const vec<R, T, Q> &a, const vec<C, T, Q> &b) {
    mat<C, R, T, Q> out;
    for (length_t c = 0; c < C; c++)
        out.value[c] = a * b[c];
    return out;
}
// Numbers that no index hangs on; what they are made of is read here all the same.
template <length_t N, class T, qualifier Q> WARPLINT_FN T determinant(const mat<N, N, T, Q> &m) {
    T d = T(0);
    for (length_t c = 0; c < N; c++)
        d += dot(m.value[c], m.value[(c + 1) % N]);
    return d;
}
template <length_t N, class T, qualifier Q> WARPLINT_FN mat<N, N, T, Q> inverse(const mat<N, N, T, Q> &m) { return transpose(m) * (T(1) / determinant(m)); }
template <length_t N, class T, qualifier Q> WARPLINT_FN mat<N, N, T, Q> inverseTranspose(const mat<N, N, T, Q> &m) { return m * (T(1) / determinant(m)); }

#define WARPLINT_NAMES(T, p)                                                                                                    \
    typedef vec<1, T> p##vec1;                                                                                                  \
    typedef vec<2, T> p##vec2;                                                                                                  \
    typedef vec<3, T> p##vec3;                                                                                                  \
    typedef vec<4, T> p##vec4;
WARPLINT_NAMES(float, )
WARPLINT_NAMES(double, d)
WARPLINT_NAMES(int, i)
WARPLINT_NAMES(unsigned, u)
WARPLINT_NAMES(bool, b)
WARPLINT_NAMES(unsigned char, u8)
WARPLINT_NAMES(short, i16)
WARPLINT_NAMES(unsigned short, u16)
#undef WARPLINT_NAMES
typedef mat<2, 2, float> mat2;
typedef mat<3, 3, float> mat3;
typedef mat<4, 4, float> mat4;
typedef mat<3, 4, float> mat3x4;
typedef mat<4, 3, float> mat4x3;
typedef mat<2, 2, double> dmat2;
typedef mat<3, 3, double> dmat3;
typedef mat<4, 4, double> dmat4;
typedef mat2 mat2x2;
typedef mat3 mat3x3;
typedef mat4 mat4x4;
template <length_t L, class T, qualifier Q> WARPLINT_FN T *value_ptr(vec<L, T, Q> &v) { return &v.x; }
template <length_t L, class T, qualifier Q> WARPLINT_FN const T *value_ptr(const vec<L, T, Q> &v) { return &v.x; }

} // namespace glm

#undef WARPLINT_EACH
#undef WARPLINT_EACH1
#undef WARPLINT_EACH2
#undef WARPLINT_EITHER
#undef WARPLINT_FN
