// Objects without a name, and code that constants leave out.

struct Four { int v[4]; Four(int x) { for (int i = 0; i < 4; i++) v[i] = x + i * 10; } int at(int i) const { return v[i & 3]; } Four &put(int i, int x) { v[i & 3] = x; return *this; } int sum() const { int s = 0; for (int x : v) s += x; return s; } };
struct Tally { int n = 0; Tally &add(int x) { n += x; return *this; } Tally plus(int x) const { Tally t = *this; t.n += x; return t; } };
static Four makeFour(int x) { Four f(x); f.v[x & 3] = -1; return f; }
static int readFour(const Four &f, int i) { return f.at(i); }
static int changeFour(Four f, int i) { f.v[i & 3] += 5; return f.sum(); }

__global__ void temporaryArrays(const int *in, long long *out) {
  out[0] = Four(in[0]).at(in[1]); out[1] = makeFour(in[0] & 255).sum(); out[2] = readFour(Four(in[2]), in[3]); out[3] = changeFour(Four(in[2] & 255), in[3]);
  out[4] = Four(in[4]).v[in[5] & 3]; out[5] = makeFour(in[4]).put(in[5], 7).at(in[5]); for (int x : Four(in[6] & 255).v) out[6] += x; out[7] = Four(1).put(in[7], 2).put(in[6], 3).sum();
}
__global__ void temporaryChanges(const int *in, long long *out) {
  out[0] = Tally().add(in[0] & 255).add(2).n; out[1] = Tally{in[1]}.plus(3).n; out[2] = Tally().add(1).plus(in[2] & 15).add(4).n; const Tally &t = Tally().add(in[3] & 31); out[3] = t.n;
  Tally u = Tally().add(5); Tally w = u.plus(1).add(1); out[4] = u.n * 100 + w.n; Tally &&r = Tally(); r.add(in[4] & 7); out[5] = r.n; out[6] = (in[5] > 0 ? Tally{1} : Tally{2}).add(3).n; out[7] = [&] { return Tally{in[6]}; }().plus(1).n;
}
struct Seen { int x; Seen(int y) : x(y) {} Seen(bool a, int b) : x(a ? b : -b) {} }; static int less(int a, int b) { return a - b; }
__global__ void likeDeclarations(const int *in, long long *out) {
  int a = in[0], b = in[1]; Seen s(less(true, a)); out[0] = s.x; Seen t(less(a, false)); out[1] = t.x; Seen u(false, b); out[2] = u.x; Seen v(in[2]); out[3] = v.x; Seen w(less(a, b)), z(less(in[3], in[4])); out[4] = w.x; out[5] = z.x; int n(less(nullptr == nullptr, b)); out[6] = n; int m(a), k(int(b) & 7); out[7] = m ^ k;
}
static int early(int n, int x) { if (n < 2) return x; if (x & 1) return early(n - 2, x >> 1) + 1; return early(n - 1, x + 5); }
template <int N> static int pick3(const int *in) { if (N == 0) return in[0]; if constexpr (N == 1) return in[1] + 1; else if constexpr (N <= 2) { return in[2] * 2; } else return pick3<N - 3>(in + 3) + N; }
template <typename T> static long long kindOf(T x) { if (sizeof(T) == 1) return x + 100; if (sizeof(T) == 8) { return x; } return -x; }
__global__ void leftOut(const int *in, long long *out) {
  out[0] = early(5, in[0]); out[1] = early(1, in[1]); out[2] = pick3<2>(in); out[3] = pick3<4>(in); out[4] = kindOf((char)in[2]) + kindOf((long long)in[3]) + kindOf((short)in[4]);
  for (int i = 0; i < 3; i++) { out[5] += i; continue; out[5] = 0; } do { out[6] = 4; break; out[6] = 5; } while (true); { if (in[5] > 0) { out[7] = 1; return; out[7] = 2; } } out[7] = 3; return; out[0] = 0;
}
struct Flags { unsigned a : 3, b : 31, c : 32; int d : 5, e : 32; unsigned long long f : 7, g : 40; bool h : 1; unsigned char i : 4; };
__global__ void narrowFields(const int *in, long long *out) {
  Flags f = {}; f.a = in[0]; f.b = in[1]; f.c = in[2]; f.d = in[3]; f.e = in[4]; f.f = in[5]; f.g = in[6]; f.h = in[7]; f.i = in[0];
  out[0] = f.a - 5; out[1] = (f.b < -1) + 2 * (f.c < -1) + 4 * (f.f < -1) + 8 * (f.a > -1); out[2] = ~f.a + -f.i; out[3] = f.c - 1; out[4] = f.g - (1ll << 45); out[5] = (f.a << 30) >> 31; out[6] = -f.h + (f.d >> 1); auto g = f.a; out[7] = (g - 8 > 0) + (f.f ? f.a : -1) + sizeof(f.a + 0);
  f.a += 7; f.d--; f.f *= 3; f.g = ~f.g; f.i++; out[7] = out[7] * 31 + f.a + f.d + f.f + (long long)(f.g >> 3) + f.i;
}
struct Rng { unsigned s; unsigned next() { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return s; } short half() { return (short)(next() >> 16); } }; static int bump(int &x, int by) { x += by; return x; } static long long pairOf(int a, int b) { return a * 1000LL + b; } struct TwoInts { int a, b; };
__global__ void calledInOrder(const int *in, long long *out) {
  Rng r{(unsigned)in[0] | 1u}; out[0] = r.next() - r.next() * 3; out[1] = (r.half() << 8) + (r.half() & 255) - r.half(); int x = in[1] & 255; out[2] = bump(x, 1) * 100 + bump(x, 2); out[3] = pairOf(bump(x, 3), bump(x, 4)); TwoInts t{bump(x, 5), bump(x, 6)}; out[4] = t.a * 10 + t.b; out[5] = x - bump(x, 7); out[6] = bump(x, 1) < bump(x, -2) ? x : -x; int a[3] = {bump(x, 1), bump(x, 1), x}; out[7] = a[0] + a[1] * 2 + a[2] * 4 + max(bump(x, 5), bump(x, -9));
}
__global__ void indicesInOrder(const int *in, long long *out) {
  int x = in[0] & 255, g[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}}; const int *p = in; g[bump(x, 1) & 1][bump(x, 2) & 3] += 100; out[0] = g[bump(x, 1) & 1][bump(x, 1) & 3]; out[1] = g[x & 1][bump(x, 5) & 3]; out[2] = in[bump(x, 1) & 7] - bump(x, 3); out[3] = p[x & 3] + bump(x, 3) + p[x & 3]; int *q = &g[x & 1][0]; out[4] = q[bump(x, 1) & 3] * 10 + q[x & 3]; for (int r = 0; r < 2; r++) for (int c = 0; c < 4; c++) out[5] = out[5] * 31 + g[r][c]; out[6] = pairOf(g[x & 1][x & 3], bump(x, 9)); out[7] = x;
}
