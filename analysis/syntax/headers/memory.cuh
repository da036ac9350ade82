// What warplint knows of the C++ standard library's smart pointers, which only the host has: which pointer each holds. That an
// owner deletes what it points to changes nothing that the host's analysis follows.
#pragma once

namespace std {

template <class T> class default_delete;

template <class T, class D = default_delete<T>> class unique_ptr {
    T *_M_ptr;

  public:
    typedef T *pointer;
    typedef T element_type;
    unique_ptr() : _M_ptr(nullptr) {}
    unique_ptr(decltype(nullptr)) : _M_ptr(nullptr) {}
    explicit unique_ptr(T *p) : _M_ptr(p) {}
    unique_ptr(T *p, ...) : _M_ptr(p) {}
    unique_ptr(unique_ptr &&o) : _M_ptr(o._M_ptr) { o._M_ptr = nullptr; }
    template <class U, class E> unique_ptr(unique_ptr<U, E> &&o) : _M_ptr(o.release()) {}
    unique_ptr &operator=(unique_ptr &&o) {
        _M_ptr = o._M_ptr;
        o._M_ptr = nullptr;
        return *this;
    }
    T *get() const { return _M_ptr; }
    T &operator*() const { return *_M_ptr; }
    T *operator->() const { return _M_ptr; }
    explicit operator bool() const { return _M_ptr != nullptr; }
    void reset(T *p = nullptr) { _M_ptr = p; }
    T *release() {
        T *p = _M_ptr;
        _M_ptr = nullptr;
        return p;
    }
    void swap(unique_ptr &o) {
        T *p = _M_ptr;
        _M_ptr = o._M_ptr;
        o._M_ptr = p;
    }
};
template <class T, class D> class unique_ptr<T[], D> {
    T *_M_ptr;

  public:
    typedef T *pointer;
    typedef T element_type;
    unique_ptr() : _M_ptr(nullptr) {}
    unique_ptr(decltype(nullptr)) : _M_ptr(nullptr) {}
    explicit unique_ptr(T *p) : _M_ptr(p) {}
    unique_ptr(T *p, ...) : _M_ptr(p) {}
    unique_ptr(unique_ptr &&o) : _M_ptr(o._M_ptr) { o._M_ptr = nullptr; }
    template <class U, class E> unique_ptr(unique_ptr<U, E> &&o) : _M_ptr(o.release()) {}
    unique_ptr &operator=(unique_ptr &&o) {
        _M_ptr = o._M_ptr;
        o._M_ptr = nullptr;
        return *this;
    }
    T *get() const { return _M_ptr; }
    T &operator[](unsigned long i) const { return _M_ptr[i]; }
    explicit operator bool() const { return _M_ptr != nullptr; }
    void reset(T *p = nullptr) { _M_ptr = p; }
    T *release() {
        T *p = _M_ptr;
        _M_ptr = nullptr;
        return p;
    }
};

template <class T> class shared_ptr {
    T *_M_ptr;

  public:
    typedef T element_type;
    shared_ptr() : _M_ptr(nullptr) {}
    shared_ptr(decltype(nullptr)) : _M_ptr(nullptr) {}
    template <class U> shared_ptr(const shared_ptr<U> &o) : _M_ptr(o.get()) {}
    template <class U, class D> shared_ptr(unique_ptr<U, D> &&o) : _M_ptr(o.release()) {}
    explicit shared_ptr(T *p) : _M_ptr(p) {}
    shared_ptr(T *p, ...) : _M_ptr(p) {}
    T *get() const { return _M_ptr; }
    T &operator*() const { return *_M_ptr; }
    T *operator->() const { return _M_ptr; }
    T &operator[](unsigned long i) const { return _M_ptr[i]; }
    explicit operator bool() const { return _M_ptr != nullptr; }
    void reset(T *p = nullptr) { _M_ptr = p; }
    void reset(T *p, ...) { _M_ptr = p; }
};

template <class T, class... A> unique_ptr<T> make_unique(A &&...a) { return unique_ptr<T>(new T(a...)); }
template <class T, class... A> shared_ptr<T> make_shared(A &&...a) { return shared_ptr<T>(new T(a...)); }

} // namespace std
