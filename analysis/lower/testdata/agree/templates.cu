// Templates, overloads, lambdas, namespaces, constants.

template <typename T> static T twice(T x) { return x + x; }
template <typename T, int N> static T power(T x) { T r = 1; for (int i = 0; i < N; i++) r *= x; return r; }
template <typename T> static T clampTo(T x, T lo, T hi) { return x < lo ? lo : x > hi ? hi : x; }
static int over(int) { return 1; } static int over(unsigned) { return 2; } static int over(float) { return 3; } static int over(const int *) { return 4; } static int over(double) { return 5; } template <typename T> static int over(T *) { return 6; }
__global__ void functions(const int *in, long long *out) {
  out[0] = twice(in[0] & 255); out[1] = twice<unsigned char>(in[1]); out[2] = power<int, 3>(in[2] & 15); out[3] = clampTo(in[3], -5, 5); short s = 1; float *fp = nullptr;
  out[4] = over(1) * 100000 + over(1u) * 10000 + over(1.0f) * 1000 + over(in) * 100 + over(1.0) * 10 + over(s); out[5] = over(fp) * 10 + over('c'); out[6] = clampTo<long long>(in[4], 0, 1LL << 40); out[7] = over(true);
}
template <typename T, int N = 4> struct Stack { T data[N]; int top = 0; void push(T v) { if (top < N) data[top++] = v; } T pop() { return top > 0 ? data[--top] : T(-1); } static constexpr int capacity = N; using value_type = T; };
template <typename T> struct Traits { static const int id = 0; typedef T type; }; template <> struct Traits<float> { static const int id = 1; typedef double type; }; template <typename T> struct Traits<T *> { static const int id = 2; typedef T type; };
__global__ void classTemplates(const int *in, long long *out) {
  Stack<int> s; s.push(in[0]); s.push(in[1]); out[0] = s.pop(); out[1] = s.pop(); out[2] = s.pop(); Stack<short, 2> t; t.push(in[2]); t.push(2); t.push(3); out[3] = t.pop() * 10 + t.top; out[4] = Stack<char, 9>::capacity; out[5] = Traits<int>::id + Traits<float>::id * 10 + Traits<char *>::id * 100; typename Traits<float>::type d = 0.5; out[6] = sizeof(d) + sizeof(Traits<short *>::type); Stack<int>::value_type v = 3; out[7] = v + sizeof(Stack<int, 7>);
}
template <typename F> static int apply(F f, int a, int b) { return f(a, b); }
struct Plus { int operator()(int a, int b) const { return a + b; } }; template <typename Op> static int fold(const int *p, int n, Op op) { int r = p[0]; for (int i = 1; i < n; i++) r = op(r, p[i]); return r; }
__global__ void lambdas(const int *in, long long *out) {
  int k = in[0] & 15; auto add = [k](int a, int b) { return a + b + k; }; k = 100; out[0] = add(1, 2); auto inc = [&] { k++; }; inc(); inc(); out[1] = k; auto g = [=](int x) -> long long { if (x > 0) return x + k; return -1; }; out[2] = g(in[1] & 255); out[3] = apply([](int a, int b) { return a * b; }, 6, 7); out[4] = apply(add, 3, 4); out[5] = fold(in, 8, Plus()); out[6] = fold(in, 8, [](int a, int b) { return a ^ b; }); auto gen = [](auto x, auto y) { return x < y ? x : y; }; out[7] = gen(in[2], 5);
}
namespace outer { const int base = 40; namespace inner { static int f(int x) { return x + base; } struct P { int v; }; static int g(P p) { return p.v * 2; } } using inner::f; } namespace alias = outer::inner; using namespace outer;
constexpr int kSize = 3 * 4 + 1; static const int table[] = {10, 20, 30, 40}; constexpr int cube(int x) { return x * x * x; } template <int N> constexpr int plusOne = N + 1;
__global__ void names(const int *in, long long *out) {
  out[0] = outer::f(in[0] & 7); out[1] = alias::f(1); out[2] = base + kSize; inner::P p = {21}; out[3] = g(p); out[4] = table[in[1] & 3]; int a[cube(2)]; a[7] = 5; out[5] = a[7] + sizeof(a); out[6] = plusOne<6>; typedef unsigned short half_t; using word = unsigned int; half_t h = in[2]; word w = in[3]; out[7] = h + (w >> 31);
}
template <typename... A> static int count(A... a) { return sizeof...(a); } template <typename... A> static long long total(A... a) { return (0LL + ... + a); } static int last() { return -1; } template <typename T, typename... R> static int last(T t, R... r) { if constexpr (sizeof...(r) == 0) return t; else return last(r...); }
__global__ void packs(const int *in, long long *out) { out[0] = count(1, 2, 3) + count(); out[2] = last(4, 5, in[0]); out[3] = last(); }
template <typename T> static auto kind(T) { if constexpr (std::is_same<T, float>::value) return 1; else if constexpr (std::is_integral<T>::value) return 2.5f; else return 'c'; }
template <bool B> struct Tag {}; static int dispatch(Tag<true>, int a = 2) { return 10 + a; } static int dispatch(Tag<false>, int a = 3) { return 20 + a; }
__global__ void choices(const int *in, long long *out) { out[0] = (long long)(kind(1.0f) * 2); out[1] = (long long)(kind(in[0]) * 2); out[2] = dispatch(Tag<(sizeof(int) > 2)>()); out[3] = dispatch(Tag<false>(), in[1] & 3); out[4] = std::is_same<int, std::conditional<true, int, float>::type>::value; }
#define SQ(x) ((x) * (x))
#define SWAP(a, b, T) { T t = a; a = b; b = t; }
#define EACH(i, n) for (int i = 0; i < (n); i++)
__global__ void macros(const int *in, long long *out) { int a = in[0] & 255, b = in[1] & 255; SWAP(a, b, int) out[0] = SQ(a + 1); out[1] = b; EACH(i, 4) out[2] += SQ(i); }
template <typename... A> static int packed(int k, A... a) { int s = 0; int list[] = {a...}; for (int x : list) s += x * k; return s; }
template <typename T, T... V> struct Seq { static constexpr int size = sizeof...(V); };
struct Mixin { template <typename T> T get(T v) const { return v + k; } int k; static int twice(int v) { return v * 2; } enum { Width = 12 }; };
template <typename D> struct Crtp { int run(int x) { return static_cast<D *>(this)->impl(x) + 1; } }; struct Impl : Crtp<Impl> { int m = 5; int impl(int x) { m += x; return m; } };
template <typename T> T Later(T v); template <typename T> T Later(T v) { return v - 1; }
template <typename T> struct Outer2 { struct In { T v; }; In make(T v) { In i; i.v = v; return i; } T late(T); }; template <typename T> T Outer2<T>::late(T x) { return x * 3; }
__global__ void more(const int *in, long long *out) {
  out[0] = packed(2, in[0] & 7, 3, 4); out[1] = Seq<int, 1, 2, 3>::size; Mixin m{in[1] & 15}; out[2] = m.get(5LL) + Mixin::twice(4) + Mixin::Width; Impl i; out[3] = i.run(in[2] & 63) + i.m; out[4] = Later(in[3] & 7);
  Outer2<int> o; auto n = o.make(in[4] & 7); out[5] = n.v + o.late(2); int k = 4; auto mut = [k]() mutable { k += 2; return k; }; out[6] = mut() + k; auto rec = [&](auto self, int x) -> int { return x <= 0 ? k : self(self, x - 3) + 1; }; out[7] = rec(rec, 5);
}
template <int A, int B> struct Gcd { enum { value = Gcd<B, A % B>::value }; }; template <int A> struct Gcd<A, 0> { enum { value = A }; };
template <class T, int N> static int length(T (&)[N]) { return N; } template <class T> static T total2(const T *p, int n) { T s = T(); for (int i = 0; i < n; ++i) s = s + p[i]; return s; }
struct Money { int c; Money(int v = 0) : c(v) {} friend Money operator+(Money a, Money b) { return Money(a.c + b.c); } explicit operator bool() const { return c > 0; } Money &operator++() { ++c; return *this; } Money operator++(int) { Money t = *this; ++c; return t; } Money operator-() const { return Money(-c); } bool operator<(const Money &o) const { return c < o.c; } };
__global__ void evenMore(const int *in, long long *out) {
  out[0] = Gcd<48, 18>::value; int a[5] = {in[0], in[1], in[2], 4, 5}; out[1] = length(a); out[2] = total2(a, 5); Money m[3] = {1, in[3] & 7, 3}; out[3] = total2(m, 3).c; if (m[1]) out[4] = 1; out[5] = (m[0]++).c * 10 + (++m[0]).c; out[6] = (-m[2]).c + (m[1] < m[2]); const auto [p, q] = int2{in[4], 9}; out[7] = p + q;
}
