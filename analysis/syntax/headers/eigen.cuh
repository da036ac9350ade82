// What warplint knows of Eigen's matrices of fixed size, as kernels use them: which elements an operation reads and writes. What is
// an expression there is its value here. Matrices whose size is known at run time have elements that nothing is known of.
#pragma once
#include <cuda_runtime.h>

#define WARPLINT_FN inline __host__ __device__

namespace Eigen {

typedef long Index;
enum { Dynamic = -1, ColMajor = 0, RowMajor = 1, DontAlign = 2, AutoAlign = 0 };

template <class T, int R, int C, int O = 0, int MR = R, int MC = C> struct Matrix;

template <class T> struct Plain {
    typedef T type;
};
template <class T> struct Plain<const T> {
    typedef T type;
};

// A part of a matrix: R by C elements, those of a row dr and those of a column dc apart.
template <class T, int R, int C> struct Part {
    typedef typename Plain<T>::type V;
    T *at;
    int dr, dc;
    WARPLINT_FN T &operator()(Index r, Index c) const { return at[r * dr + c * dc]; }
    WARPLINT_FN T &operator()(Index i) const { return at[i * (C == 1 ? dr : dc)]; }
    WARPLINT_FN T &operator[](Index i) const { return at[i * (C == 1 ? dr : dc)]; }
    WARPLINT_FN Matrix<V, R, C> eval() const;
    WARPLINT_FN operator Matrix<V, R, C>() const { return eval(); }
    WARPLINT_FN const Part &operator=(const Matrix<V, R, C> &m) const;
    WARPLINT_FN const Part &operator=(const Part &p) const { return *this = p.eval(); }
    WARPLINT_FN const Part &operator+=(const Matrix<V, R, C> &m) const { return *this = eval() + m; }
    WARPLINT_FN const Part &operator-=(const Matrix<V, R, C> &m) const { return *this = eval() - m; }
    WARPLINT_FN const Part &operator*=(V s) const { return *this = eval() * s; }
    WARPLINT_FN V dot(const Matrix<V, R, C> &m) const { return eval().dot(m); }
    WARPLINT_FN V norm() const { return eval().norm(); }
    WARPLINT_FN V squaredNorm() const { return eval().squaredNorm(); }
    WARPLINT_FN V sum() const { return eval().sum(); }
    WARPLINT_FN Matrix<V, C, R> transpose() const { return eval().transpose(); }
    WARPLINT_FN Matrix<V, R, C> normalized() const { return eval().normalized(); }
    WARPLINT_FN void setZero() const { *this = Matrix<V, R, C>::Zero(); }
};

template <class T, int R, int C, int O, int MR, int MC> struct Matrix {
    typedef T Scalar;
    enum { RowsAtCompileTime = R, ColsAtCompileTime = C, SizeAtCompileTime = R * C };
    T m[R * C];
    WARPLINT_FN Matrix() {}
    WARPLINT_FN explicit Matrix(const T *p) {
        for (int i = 0; i < R * C; i++)
            m[i] = p[i];
    }
    WARPLINT_FN Matrix(T a, T b) { m[0] = a, m[1] = b; }
    WARPLINT_FN Matrix(T a, T b, T c) { m[0] = a, m[1] = b, m[2] = c; }
    WARPLINT_FN Matrix(T a, T b, T c, T d) { m[0] = a, m[1] = b, m[2] = c, m[3] = d; }
    template <int P> WARPLINT_FN Matrix(const Matrix<T, R, C, P> &o) {
        for (int r = 0; r < R; r++)
            for (int c = 0; c < C; c++)
                (*this)(r, c) = o(r, c);
    }
    WARPLINT_FN static int at(Index r, Index c) { return O & RowMajor ? r * C + c : c * R + r; }
    WARPLINT_FN T &operator()(Index r, Index c) { return m[at(r, c)]; }
    WARPLINT_FN const T &operator()(Index r, Index c) const { return m[at(r, c)]; }
    WARPLINT_FN T &coeffRef(Index r, Index c) { return m[at(r, c)]; }
    WARPLINT_FN const T &coeff(Index r, Index c) const { return m[at(r, c)]; }
    WARPLINT_FN T &operator()(Index i) { return m[i]; }
    WARPLINT_FN const T &operator()(Index i) const { return m[i]; }
    WARPLINT_FN T &operator[](Index i) { return m[i]; }
    WARPLINT_FN const T &operator[](Index i) const { return m[i]; }
    WARPLINT_FN T &x() { return m[0]; }
    WARPLINT_FN const T &x() const { return m[0]; }
    WARPLINT_FN T &y() { return m[1]; }
    WARPLINT_FN const T &y() const { return m[1]; }
    WARPLINT_FN T &z() { return m[2]; }
    WARPLINT_FN const T &z() const { return m[2]; }
    WARPLINT_FN T &w() { return m[3]; }
    WARPLINT_FN const T &w() const { return m[3]; }
    WARPLINT_FN T *data() { return m; }
    WARPLINT_FN const T *data() const { return m; }
    WARPLINT_FN static constexpr Index rows() { return R; }
    WARPLINT_FN static constexpr Index cols() { return C; }
    WARPLINT_FN static constexpr Index size() { return R * C; }

    WARPLINT_FN static Matrix Constant(T s) {
        Matrix o;
        for (int i = 0; i < R * C; i++)
            o.m[i] = s;
        return o;
    }
    WARPLINT_FN static Matrix Zero() { return Constant(T(0)); }
    WARPLINT_FN static Matrix Ones() { return Constant(T(1)); }
    WARPLINT_FN static Matrix Identity() {
        Matrix o;
        for (int r = 0; r < R; r++)
            for (int c = 0; c < C; c++)
                o(r, c) = T(r == c);
        return o;
    }
    WARPLINT_FN Matrix &setZero() { return *this = Zero(); }
    WARPLINT_FN Matrix &setOnes() { return *this = Ones(); }
    WARPLINT_FN Matrix &setIdentity() { return *this = Identity(); }
    WARPLINT_FN Matrix &setConstant(T s) { return *this = Constant(s); }
    WARPLINT_FN void fill(T s) { *this = Constant(s); }

    WARPLINT_FN Part<T, R, 1> col(Index c) { return Part<T, R, 1>{m + at(0, c), at(1, 0), 0}; }
    WARPLINT_FN Part<const T, R, 1> col(Index c) const { return Part<const T, R, 1>{m + at(0, c), at(1, 0), 0}; }
    WARPLINT_FN Part<T, 1, C> row(Index r) { return Part<T, 1, C>{m + at(r, 0), 0, at(0, 1)}; }
    template <int P, int Q> WARPLINT_FN Part<T, P, Q> block(Index r, Index c) { return Part<T, P, Q>{m + at(r, c), at(1, 0), at(0, 1)}; }
    template <int P> WARPLINT_FN Part<T, P, 1> head() { return Part<T, P, 1>{m, 1, 0}; }
    template <int P> WARPLINT_FN Part<T, P, 1> tail() { return Part<T, P, 1>{m + (R * C - P), 1, 0}; }
    template <int P> WARPLINT_FN Part<T, P, 1> segment(Index i) { return Part<T, P, 1>{m + i, 1, 0}; }

    WARPLINT_FN Matrix operator-() const { return Zero() - *this; }
    WARPLINT_FN Matrix &operator+=(const Matrix &o) { return *this = *this + o; }
    WARPLINT_FN Matrix &operator-=(const Matrix &o) { return *this = *this - o; }
    WARPLINT_FN Matrix &operator*=(T s) { return *this = *this * s; }
    WARPLINT_FN Matrix &operator/=(T s) { return *this = *this / s; }
    WARPLINT_FN Matrix operator+(const Matrix &o) const {
        Matrix out;
        for (int i = 0; i < R * C; i++)
            out.m[i] = m[i] + o.m[i];
        return out;
    }
    WARPLINT_FN Matrix operator-(const Matrix &o) const {
        Matrix out;
        for (int i = 0; i < R * C; i++)
            out.m[i] = m[i] - o.m[i];
        return out;
    }
    WARPLINT_FN Matrix operator*(T s) const {
        Matrix out;
        for (int i = 0; i < R * C; i++)
            out.m[i] = m[i] * s;
        return out;
    }
    WARPLINT_FN Matrix operator/(T s) const { return *this * (T(1) / s); }
    template <int K, int P> WARPLINT_FN Matrix<T, R, K> operator*(const Matrix<T, C, K, P> &o) const {
        Matrix<T, R, K> out;
        for (int r = 0; r < R; r++)
            for (int k = 0; k < K; k++) {
                T sum = T(0);
                for (int c = 0; c < C; c++)
                    sum += (*this)(r, c) * o(c, k);
                out(r, k) = sum;
            }
        return out;
    }
    WARPLINT_FN bool operator==(const Matrix &o) const { return (*this - o).squaredNorm() == T(0); }
    WARPLINT_FN bool operator!=(const Matrix &o) const { return !(*this == o); }

    WARPLINT_FN T sum() const {
        T s = T(0);
        for (int i = 0; i < R * C; i++)
            s += m[i];
        return s;
    }
    WARPLINT_FN T dot(const Matrix &o) const { return cwiseProduct(o).sum(); }
    WARPLINT_FN T squaredNorm() const { return dot(*this); }
    WARPLINT_FN T norm() const { return ::sqrt(squaredNorm()); }
    WARPLINT_FN T mean() const { return sum() / T(R * C); }
    WARPLINT_FN T trace() const {
        T s = T(0);
        for (int i = 0; i < R; i++)
            s += (*this)(i, i);
        return s;
    }
    WARPLINT_FN T maxCoeff() const {
        T s = m[0];
        for (int i = 1; i < R * C; i++)
            s = m[i] > s ? m[i] : s;
        return s;
    }
    WARPLINT_FN T minCoeff() const {
        T s = m[0];
        for (int i = 1; i < R * C; i++)
            s = m[i] < s ? m[i] : s;
        return s;
    }
    WARPLINT_FN Matrix normalized() const { return *this / norm(); }
    WARPLINT_FN void normalize() { *this = normalized(); }
    WARPLINT_FN Matrix cross(const Matrix &o) const { return Matrix(m[1] * o.m[2] - m[2] * o.m[1], m[2] * o.m[0] - m[0] * o.m[2], m[0] * o.m[1] - m[1] * o.m[0]); }
    WARPLINT_FN Matrix cwiseProduct(const Matrix &o) const {
        Matrix out;
        for (int i = 0; i < R * C; i++)
            out.m[i] = m[i] * o.m[i];
        return out;
    }
    WARPLINT_FN Matrix cwiseQuotient(const Matrix &o) const {
        Matrix out;
        for (int i = 0; i < R * C; i++)
            out.m[i] = m[i] / o.m[i];
        return out;
    }
    WARPLINT_FN Matrix cwiseAbs() const {
        Matrix out;
        for (int i = 0; i < R * C; i++)
            out.m[i] = m[i] < T(0) ? -m[i] : m[i];
        return out;
    }
    WARPLINT_FN Matrix cwiseMin(const Matrix &o) const {
        Matrix out;
        for (int i = 0; i < R * C; i++)
            out.m[i] = m[i] < o.m[i] ? m[i] : o.m[i];
        return out;
    }
    WARPLINT_FN Matrix cwiseMax(const Matrix &o) const {
        Matrix out;
        for (int i = 0; i < R * C; i++)
            out.m[i] = m[i] > o.m[i] ? m[i] : o.m[i];
        return out;
    }
    WARPLINT_FN Matrix<T, C, R> transpose() const {
        Matrix<T, C, R> out;
        for (int r = 0; r < R; r++)
            for (int c = 0; c < C; c++)
                out(c, r) = (*this)(r, c);
        return out;
    }
    WARPLINT_FN Matrix eval() const { return *this; }
    WARPLINT_FN Matrix &noalias() { return *this; }
    template <class U> WARPLINT_FN Matrix<U, R, C> cast() const {
        Matrix<U, R, C> out;
        for (int r = 0; r < R; r++)
            for (int c = 0; c < C; c++)
                out(r, c) = U((*this)(r, c));
        return out;
    }
    // Numbers that no index hangs on; what they are made of is read here all the same.
    WARPLINT_FN T determinant() const { return squaredNorm(); }
    WARPLINT_FN Matrix inverse() const { return transpose() / determinant(); }
};
template <class T, int R, int C, int O> WARPLINT_FN Matrix<T, R, C, O> operator*(T s, const Matrix<T, R, C, O> &m) { return m * s; }

template <class T, int R, int C> WARPLINT_FN Matrix<typename Plain<T>::type, R, C> Part<T, R, C>::eval() const {
    Matrix<V, R, C> out;
    for (int r = 0; r < R; r++)
        for (int c = 0; c < C; c++)
            out(r, c) = (*this)(r, c);
    return out;
}
template <class T, int R, int C> WARPLINT_FN const Part<T, R, C> &Part<T, R, C>::operator=(const Matrix<V, R, C> &m) const {
    for (int r = 0; r < R; r++)
        for (int c = 0; c < C; c++)
            (*this)(r, c) = m(r, c);
    return *this;
}

template <class M> struct Map;
template <class T, int R, int C, int O, int MR, int MC> struct Map<Matrix<T, R, C, O, MR, MC>> : Part<T, R, C> {
    WARPLINT_FN Map(T *p) : Part<T, R, C>{p, O & RowMajor ? C : 1, O & RowMajor ? 1 : R} {}
    using Part<T, R, C>::operator=;
};
template <class T, int R, int C, int O, int MR, int MC> struct Map<const Matrix<T, R, C, O, MR, MC>> : Part<const T, R, C> {
    WARPLINT_FN Map(const T *p) : Part<const T, R, C>{p, O & RowMajor ? C : 1, O & RowMajor ? 1 : R} {}
};

template <class T, int N> using Vector = Matrix<T, N, 1>;
template <class T, int N> using RowVector = Matrix<T, 1, N, RowMajor>;
#define WARPLINT_NAMES(T, s)                                                                                                    \
    typedef Matrix<T, 2, 1> Vector2##s;                                                                                         \
    typedef Matrix<T, 3, 1> Vector3##s;                                                                                         \
    typedef Matrix<T, 4, 1> Vector4##s;                                                                                         \
    typedef Matrix<T, 2, 2> Matrix2##s;                                                                                         \
    typedef Matrix<T, 3, 3> Matrix3##s;                                                                                         \
    typedef Matrix<T, 4, 4> Matrix4##s;
WARPLINT_NAMES(float, f)
WARPLINT_NAMES(double, d)
WARPLINT_NAMES(int, i)
#undef WARPLINT_NAMES

} // namespace Eigen

#undef WARPLINT_FN
