// The preprocessor.

#define CAT2(a, b) a##b
#define CAT(a, b) CAT2(a, b)
#define STR2(x) #x
#define STR(x) STR2(x)
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define FIRST(a, ...) a
#define REST(a, ...) __VA_ARGS__
#define COUNT(...) COUNT_(__VA_ARGS__, 4, 3, 2, 1, 0)
#define COUNT_(a, b, c, d, n, ...) n
#define SUM(x, ...) (x + ADD(__VA_ARGS__))
#define ADD(a, b) (a + b)
#define VERSION 12
#define PREFIX var
#define APPLY(m, ...) m(__VA_ARGS__)
__global__ void pasting(const int *in, long long *out) {
  int CAT(PREFIX, 1) = in[0], CAT2(x, y) = in[1]; out[0] = var1; out[1] = xy; const char *s = STR(VERSION); out[2] = s[1] + sizeof(STR(a + b)); out[3] = CAT(VER, SION) + CAT(1, 2); out[4] = sizeof(STR2(VERSION)); out[5] = CAT(0x, ff); out[6] = STR("q")[1]; out[7] = 1 CAT(+, ) 2;
}
__global__ void variadic(const int *in, long long *out) {
  out[0] = FIRST(1, 2, 3); out[1] = APPLY(ADD, REST(0, in[0] & 255, 5)); out[2] = COUNT(a, b, c); out[3] = SUM(1, 2, 3); out[4] = MAX(MAX(in[1], in[2]), in[3]);
#define LOG(fmt, ...) (sizeof(fmt) + sizeof((int[]){0, ##__VA_ARGS__}))
  out[5] = LOG("abc"); out[6] = LOG("ab", 1, 2);
#define OPT(a, ...) a __VA_OPT__(+) __VA_ARGS__
#undef MAX
#define MAX 7
  out[7] = MAX;
#undef MAX
}
#if defined(VERSION) && VERSION >= 10 && !defined(NOTHING)
#define PATH 1
#elif VERSION > 5
#define PATH 2
#else
#define PATH 3
#endif
#if (VERSION / 4 == 3) == 1 && (1 ? 2 : 3) == 2 && 'a' == 97 && -1 < 0 && (5 & 6 | 8) == 12 && 0x10 == 16 && ~0 == -1 && UNKNOWN == 0 && 3 > 2 > 0
#define ARITH 1
#else
#define ARITH 0
#endif
#ifdef NOTHING
#error "never"
#endif
#if 0
this is not a program ' "
#elif 1
#define ELIF 5
#endif
__global__ void conditionsOf(const int *in, long long *out) {
  out[0] = PATH; out[1] = ARITH; out[2] = ELIF;
#ifndef NOTHING
  out[3] = 1;
#else
  out[3] = 2;
#endif
#if VERSION == 12
  if (in[0] > 0) {
    out[4] = 1;
#else
  if (in[0] < 0) {
#endif
    out[5] = 2;
  }
#if defined VERSION
  out[6] =
#if VERSION < 5
      1
#else
      __LINE__ - __LINE__ + 3
#endif
      ;
#endif
}
#define DEFINE(name, op) static int name(int a, int b) { return a op b; }
DEFINE(addInts, +) DEFINE(andInts, &)
#define LOOP(i, n) for (int i = 0; i < (n); ++i)
#define SWAPPED(T, a, b) do { T t_ = (a); (a) = (b); (b) = t_; } while (0)
#define CHECK(c) if (!(c)) return
#define ITEMS(X) X(Apple, 3) X(Pear, 5) X(Plum, 7)
#define AS_ENUM(n, v) n = v,
#define AS_SUM(n, v) +v
#define AS_CASE(n, v) case n: r = v * 10; break;
enum Fruit { ITEMS(AS_ENUM) LastFruit };
__global__ void statements(const int *in, long long *out) {
  int a = in[0] & 15, b = in[1] & 15; SWAPPED(int, a, b); out[0] = a * 16 + b; LOOP(i, 3) LOOP(j, 2) out[1] += i * j; out[2] = addInts(a, b) + andInts(a, b); out[3] = 0 ITEMS(AS_SUM); out[4] = Plum + LastFruit; int r = 0; switch (in[2] & 7) { ITEMS(AS_CASE) default: r = -1; } out[5] = r;
  if (a > b) SWAPPED(int, a, b); else a = 0; out[6] = a; CHECK(in[3] > 0); out[7] = 5;
}
#define SELF SELF + 1
#define PING PONG
#define PONG PING
#define EMPTY
#define CALL(f, x) f(x)
#define ID(x) x
#define DEFER(x) x EMPTY
#define LPAREN (
__global__ void rescans(const int *in, long long *out) {
  int SELF_ = 2, PING = 4; out[0] = ID(ID(SELF_)) + ID(PING); out[1] = CALL(ID, 3); out[2] = ID (4); int ID = 6; out[3] = ID; out[4] = CALL(sizeof, int); out[5] = ID EMPTY EMPTY + 1; out[7] = -EMPTY-ID(1);
}
#define M_ARR(...) {__VA_ARGS__}
#define COMMA ,
#define ADD3(a, b, c) (a + b + c)
#define ARGS 1, 2, 3
__global__ void lists(const int *in, long long *out) {
  int a[] = M_ARR(1, 2, in[0] & 7); out[0] = a[2] + sizeof(a); out[1] = APPLY(ADD3, ARGS); int b[2] = {3 COMMA 4}; out[2] = b[1]; out[3] = FIRST((1, 2), 3); out[4] = ADD((in[1], 1), 2); auto f = [](int x, int y) { return x - y; }; out[5] = FIRST(f(3, 1), 0); out[6] = __COUNTER__ * 0 + 1; out[7] = \
    5;
}
