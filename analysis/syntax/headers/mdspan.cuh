// What warplint knows of mdspan: views of memory with several indices. Strides that make two indices one element are not
// looked at.
#pragma once

namespace cuda {
namespace std {

inline constexpr unsigned long dynamic_extent = ~0ul;

// The extents of a view: its first one, and the others.
template <class I, unsigned long... E> struct extents;
template <class I> struct extents<I> {
    typedef I index_type;
    __host__ __device__ static constexpr unsigned long rank() { return 0; }
    __host__ __device__ constexpr I extent(unsigned long r) const { return 1; }
    __host__ __device__ constexpr I elements() const { return 1; }
};
template <class I, unsigned long F, unsigned long... E> struct extents<I, F, E...> {
    typedef I index_type;
    I first;
    extents<I, E...> others;
    __host__ __device__ constexpr extents() : first(F) {}
    template <class... N> __host__ __device__ constexpr extents(I f, N... n) : first(F == dynamic_extent ? f : F), others(n...) {}
    __host__ __device__ static constexpr unsigned long rank() { return 1 + sizeof...(E); }
    __host__ __device__ constexpr I extent(unsigned long r) const { return r == 0 ? first : others.extent(r - 1); }
    __host__ __device__ constexpr I elements() const { return first * others.elements(); }
};
template <class I, unsigned long R, unsigned long... E> struct dextents_of {
    typedef typename dextents_of<I, R - 1, dynamic_extent, E...>::type type;
};
template <class I, unsigned long... E> struct dextents_of<I, 0, E...> {
    typedef extents<I, E...> type;
};
template <class I, unsigned long R> using dextents = typename dextents_of<I, R>::type;

// Where an element is: rows behind each other, or columns.
struct layout_right {
    template <class I> __host__ __device__ static constexpr I at(const extents<I> &) { return 0; }
    template <class I, unsigned long... E, class... N> __host__ __device__ static constexpr I at(const extents<I, E...> &e, I i, N... n) {
        return i * e.others.elements() + at(e.others, I(n)...);
    }
};
struct layout_left {
    template <class I> __host__ __device__ static constexpr I at(const extents<I> &) { return 0; }
    template <class I, unsigned long... E, class... N> __host__ __device__ static constexpr I at(const extents<I, E...> &e, I i, N... n) {
        return i + e.first * at(e.others, I(n)...);
    }
};

template <class T> struct default_accessor {
    typedef T element_type;
};

template <class T, class E, class L = layout_right, class A = default_accessor<T>> class mdspan {
    T *from;
    E over;

  public:
    typedef E extents_type;
    typedef T element_type;
    typedef typename E::index_type index_type;
    __host__ __device__ constexpr mdspan() : from(nullptr) {}
    __host__ __device__ constexpr mdspan(T *p, const E &e) : from(p), over(e) {}
    template <class... N> __host__ __device__ constexpr explicit mdspan(T *p, N... n) : from(p), over(index_type(n)...) {}
    template <class... N> __host__ __device__ constexpr T &operator()(N... n) const { return from[L::at(over, index_type(n)...)]; }
    template <class... N> __host__ __device__ constexpr T &operator[](N... n) const { return from[L::at(over, index_type(n)...)]; }
    __host__ __device__ static constexpr unsigned long rank() { return E::rank(); }
    __host__ __device__ constexpr index_type extent(unsigned long r) const { return over.extent(r); }
    __host__ __device__ constexpr const E &extents() const { return over; }
    __host__ __device__ constexpr unsigned long size() const { return over.elements(); }
    __host__ __device__ constexpr T *data_handle() const { return from; }
};

} // namespace std
} // namespace cuda

namespace std {
using cuda::std::dextents;
using cuda::std::dynamic_extent;
using cuda::std::extents;
using cuda::std::layout_left;
using cuda::std::layout_right;
using cuda::std::mdspan;
} // namespace std
