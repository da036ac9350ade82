// Control flow: loops, switches, early returns, short circuits.

__global__ void loops(const int *in, long long *out) {
  int n = (in[0] & 15) + 1; long long s = 0;
  for (int i = 0; i < n; i++) { if (i == 3) continue; if (i == 11) break; s += i * in[i & 7]; }
  out[0] = s; int k = 0; while (k * k < n) k++; out[1] = k; do { k += 3; if (k > 40) break; } while (k < n * 4); out[2] = k;
  for (int i = 0, j = n; i < j; ++i, --j) s ^= i * j; out[3] = s; for (;;) { if (--n < 0) break; if (n & 1) continue; s++; } out[4] = s;
  int c = 0; for (int a = 0; a < 3; a++) for (int b = 0; b < 4; b++) { if (b > a) break; c += a * 10 + b; } out[5] = c; do c++; while (0); out[6] = c;
  do { if (in[1] > 0) break; c += 100; } while (0); out[7] = c;
}
__global__ void switches(const int *in, long long *out) {
  for (int i = 0; i < 4; i++) {
    int r = 0;
    switch (in[i] & 7) { case 0: r = 1; break; case 1: r = 2; case 2: r += 10; break; case 3: case 4: r = 7; break; default: r = -1; break; case 6: r = 66; }
    out[i] = r;
  }
  int q = 0; switch (in[4] & 3) { default: q += 1; case 1: q += 10; break; case 2: q += 100; } out[4] = q;
  for (int i = 0; i < 8; i++) { switch (in[i] & 1) { case 0: continue; case 1: break; } q += i; } out[5] = q;
  switch (in[6] > 0) { case true: out[6] = 1; break; case false: out[6] = 2; }
  unsigned char u = in[7]; switch (u) { case 255: out[7] = 5; break; case 0: out[7] = 6; }
}
static inline int effect(int &n, int r) { n += 3; return r; }
__global__ void shorts(const int *in, long long *out) {
  int n = 0; bool a = in[0] > 0 && effect(n, in[1]) > 0; bool b = in[2] > 0 || effect(n, in[3]) > 0; int c = in[4] > 0 ? effect(n, 5) : effect(n, 6) + effect(n, 7);
  out[0] = n; out[1] = a; out[2] = b; out[3] = c; out[4] = (in[5] > 0 && in[6] > 0) ? 1 : in[7] > 0 ? 2 : 3; out[5] = n++ > 3 && n++ > 4 || n++; out[6] = n;
  out[7] = (in[0] > 1, in[1]);
}
static int early(int x) { if (x < 0) return -1; for (int i = 0; i < 10; i++) { if (i * i > x) return i; if (i == 7) { while (true) { x -= 3; if (x < 5) return x * 100; } } } return 999; }
static void cut(int x, long long *o) { *o = 1; if (x > 5) return; *o = 2; if (x > 0) { *o += x; return; } *o = 9; }
__global__ void returns(const int *in, long long *out) {
  for (int i = 0; i < 4; i++) out[i] = early(in[i] & 0xff);
  for (int i = 4; i < 8; i++) cut(in[i], out + i);
}
static int fact(int n) { return n <= 1 ? 1 : n * 2; }
template <int N> struct Fact { static const int value = N * Fact<N - 1>::value; }; template <> struct Fact<0> { static const int value = 1; };
template <int N> static int sum(const int *p) { if constexpr (N == 0) return 0; else return p[N - 1] + sum<N - 1>(p); }
__global__ void recursive(const int *in, long long *out) { out[0] = fact(in[0] & 3); out[1] = Fact<6>::value; out[2] = sum<8>(in); }
__global__ void declared(const int *in, long long *out) {
  if (int k = in[0] & 3) out[0] = k; else out[0] = 100 + k; if (int k = in[1]; k > 5) out[1] = k; int x = 1; { int x = 2; x++; out[2] = x; } out[3] = x; for (int x = 0; x < 2; x++) out[4] += x; out[5] = x;
  while (int r = x < 4) { x += r; } out[6] = x;
}
static int gotos(int x) { int n = 0; again: n++; if (n < (x & 7)) goto again; for (int i = 0; i < 5; i++) { for (int j = 0; j < 5; j++) { if (i * j == x) goto out; n += j; } if (x < -5) goto fail; } n += 1000; out: n *= 2; if (n > 100) { retry: n -= 50; if (n > 60) goto retry; } return n; fail: return -n; }
__global__ void jumps(const int *in, long long *out) { for (int i = 0; i < 8; i++) out[i] = gotos(in[i] % 20); }
