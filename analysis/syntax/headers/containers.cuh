// What warplint knows of the C++ standard library's containers, which only the host has: which place of its memory holds
// what, so that pointers and numbers that a program keeps there are found again.
#pragma once

extern void *malloc(unsigned long);

namespace std {

template <class T> class initializer_list {
    const T *_M_array;
    unsigned long _M_len;

  public:
    typedef T value_type;
    initializer_list() : _M_array(nullptr), _M_len(0) {}
    initializer_list(const T *a, unsigned long n) : _M_array(a), _M_len(n) {}
    const T *begin() const { return _M_array; }
    const T *end() const { return _M_array + _M_len; }
    unsigned long size() const { return _M_len; }
};

// A vector has room from the start, so its elements stay where they are.
template <class T, class A = void> class vector {
    T *_M_start;
    unsigned long _M_size;

    static T *room() { return (T *)malloc(~0ul); }

  public:
    typedef T value_type;
    typedef unsigned long size_type;
    typedef T &reference;
    typedef const T &const_reference;
    typedef T *iterator;
    typedef const T *const_iterator;
    vector() : _M_start(room()), _M_size(0) {}
    explicit vector(unsigned long n) : _M_start(room()), _M_size(n) {}
    vector(unsigned long n, const T &v) : _M_start(room()), _M_size(0) { resize(n, v); }
    vector(const T *first, const T *last) : _M_start(room()), _M_size(0) { assign(first, last); }
    vector(initializer_list<T> l) : _M_start((T *)l.begin()), _M_size(l.size()) {} // nobody else names its array
    vector(const vector &o) : _M_start(room()), _M_size(0) { assign(o._M_start, o._M_start + o._M_size); }
    vector(vector &&o) : _M_start(o._M_start), _M_size(o._M_size) {
        o._M_start = room();
        o._M_size = 0;
    }
    vector &operator=(const vector &o) {
        assign(o._M_start, o._M_start + o._M_size);
        return *this;
    }
    vector &operator=(vector &&o) {
        _M_start = o._M_start;
        _M_size = o._M_size;
        o._M_start = room();
        o._M_size = 0;
        return *this;
    }
    vector &operator=(initializer_list<T> l) {
        assign(l.begin(), l.end());
        return *this;
    }
    T &operator[](unsigned long i) { return _M_start[i]; }
    const T &operator[](unsigned long i) const { return _M_start[i]; }
    T &at(unsigned long i) { return _M_start[i]; }
    const T &at(unsigned long i) const { return _M_start[i]; }
    T &front() { return _M_start[0]; }
    const T &front() const { return _M_start[0]; }
    T &back() { return _M_start[_M_size - 1]; }
    const T &back() const { return _M_start[_M_size - 1]; }
    T *data() { return _M_start; }
    const T *data() const { return _M_start; }
    T *begin() { return _M_start; }
    const T *begin() const { return _M_start; }
    const T *cbegin() const { return _M_start; }
    T *end() { return _M_start + _M_size; }
    const T *end() const { return _M_start + _M_size; }
    const T *cend() const { return _M_start + _M_size; }
    unsigned long size() const { return _M_size; }
    bool empty() const { return _M_size == 0; }
    void reserve(unsigned long) {}
    void shrink_to_fit() {}
    void clear() { _M_size = 0; }
    void resize(unsigned long n) { _M_size = n; }
    void resize(unsigned long n, const T &v) {
        for (unsigned long i = _M_size; i < n; i++)
            _M_start[i] = v;
        _M_size = n;
    }
    void assign(unsigned long n, const T &v) {
        for (unsigned long i = 0; i < n; i++)
            _M_start[i] = v;
        _M_size = n;
    }
    void assign(const T *first, const T *last) {
        _M_size = last - first;
        for (unsigned long i = 0; i < _M_size; i++)
            _M_start[i] = first[i];
    }
    void push_back(const T &v) { _M_start[_M_size++] = v; }
    template <class... V> T &emplace_back(V... v) {
        _M_start[_M_size] = T(v...);
        return _M_start[_M_size++];
    }
    void pop_back() { _M_size--; }
    T *erase(const T *at) { return erase(at, at + 1); }
    T *erase(const T *first, const T *last) {
        unsigned long from = first - _M_start, count = last - first;
        for (unsigned long i = from; i + count < _M_size; i++)
            _M_start[i] = _M_start[i + count];
        _M_size -= count;
        return _M_start + from;
    }
    T *insert(const T *at, const T &v) { return insert(at, &v, &v + 1); }
    T *insert(const T *at, const T *first, const T *last) {
        unsigned long from = at - _M_start, count = last - first;
        for (unsigned long i = _M_size; i > from; i--)
            _M_start[i + count - 1] = _M_start[i - 1];
        for (unsigned long i = 0; i < count; i++)
            _M_start[from + i] = first[i];
        _M_size += count;
        return _M_start + from;
    }
    void swap(vector &o) {
        T *start = _M_start;
        unsigned long size = _M_size;
        _M_start = o._M_start;
        _M_size = o._M_size;
        o._M_start = start;
        o._M_size = size;
    }
};

} // namespace std
