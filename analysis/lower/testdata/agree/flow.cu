// Switches, jumps and loops in the shapes that generated and old code has.

static int classify(int x) { switch (x) { case -1: return 10; case 0: case 1: case 2: x += 5; case 3: return x; case 4: { int y = x * 2; if (y > 7) break; return y; } case 5: x = 50; break; default: if (x > 100) return 7; x = -x; } return x + 1000; }
__global__ void returnsInSwitch(const int *in, long long *out) { for (int i = 0; i < 8; i++) out[i] = classify(in[i] % 9); }
__global__ void nestedSwitch(const int *in, long long *out) {
  for (int i = 0; i < 8; i++) { int r = 0; switch (in[i] & 3) { case 0: switch (in[(i + 1) & 7] & 1) { case 0: r = 1; break; default: r = 2; } r += 10; break; case 1: for (int j = 0; j < 5; j++) { if (j == 2) continue; if (j == 4) break; r += j; } case 2: r *= 2; if (i & 1) break; r++; default: r += 100; } out[i] = r; }
}
__global__ void switchDefaultFirst(const int *in, long long *out) {
  for (int i = 0; i < 8; i++) { int r = 1; switch (in[i] % 4) { default: r += 1; break; case 2: r += 20; case 3: r += 300; break; case -1: r = 5; } out[i] = r; }
}
__global__ void switchDefaultMiddle(const int *in, long long *out) {
  for (int i = 0; i < 8; i++) { int r = 0; switch (in[i] & 7) { case 1: r = 1; default: r += 2; case 3: r += 4; break; case 5: r = 9; } out[i] = r; }
}
__global__ void switchWide(const int *in, long long *out) {
  long long w = (long long)in[0] << 33; switch (w) { case 0: out[0] = 1; break; case 1LL << 33: out[0] = 2; break; default: out[0] = 3; } switch ((unsigned char)in[1]) { case 255: out[1] = 1; break; case 'a': out[1] = 2; break; case 7: case 31: out[1] = 3; }
  enum class E : short { A = -1, B, C }; E e = (E)(in[2] & 1); switch (e) { case E::A: out[2] = 1; break; case E::B: out[2] = 2; break; case E::C: out[2] = 3; } switch (int q = in[3] & 3; q) { case 0: out[3] = q + 10; break; case 2: out[3] = q; } switch (int z = in[4] & 1) { case 1: out[4] = z; break; default: out[4] = 50; } switch (constexpr int K = 2; 3) { case K + 1: out[5] = 4; } switch (in[6]) { }
}
__global__ void switchVariables(const int *in, long long *out) {
  for (int i = 0; i < 8; i++) { int t; switch (in[i] & 3) { case 0: { int a = 3; t = a; break; } case 1: { int a = 4; t = a * 2; break; } case 2: t = 0; for (int k = 0; k < 3; k++) { if (k == 1) { t += 5; continue; } t++; } break; default: t = i; } out[i] = t; }
}
__global__ void gotoForward(const int *in, long long *out) {
  int n = 0; if (in[0] > 0) goto skip; n += 1; if (in[1] > 0) goto done; n += 10; skip: n += 100; done: out[0] = n; { int m = 0; for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) { m++; if (i * j == (in[2] & 7)) goto found; } m = -1; found: out[1] = m; }
}
__global__ void gotoBackward(const int *in, long long *out) {
  int n = in[0] & 7, s = 0; top: s += n; if (n-- > 0) goto top; out[0] = s; int i = 0; loop: if (i >= 5) goto end; s ^= i * 3; i++; if (i == 3) goto loop; s++; goto loop; end: out[1] = s;
}
__global__ void gotoError(const int *in, long long *out) {
  int code = 0; if (in[0] < 0) { code = 1; goto fail; } if (in[1] < 0) { code = 2; goto fail; } out[0] = 77; return; fail: out[0] = -code; out[1] = 1;
}
__global__ void loopEdges(const int *in, long long *out) {
  int n = in[0] & 7, s = 0; for (int i = n; i--;) s += i; out[0] = s; for (unsigned i = 3; i < 4; i--) s += i; out[1] = s; for (int i = 0; i < n; i += 2, s++) ; out[2] = s; while (n) { n &= n - 1; s += 100; } out[3] = s; int k = 10; while (k-- > 0) if (k == 5) break; out[4] = k; do { if (k == 3) { k = 1; continue; } k--; } while (k > 0); out[5] = k; for (long long l = 1; l < 1LL << 40; l *= 16) s++; out[6] = s; for (char c = 'a'; c <= 'e'; ++c) s += c; out[7] = s;
}
__global__ void loopBreaks(const int *in, long long *out) {
  int s = 0; for (int i = 0; i < 8; i++) { for (int j = 0;; j++) { if (j > i) break; if ((in[j] & 1) == 0) continue; s += j; if (s > 20) { s -= 15; break; } } if (s == 3) continue; s++; } out[0] = s; int c = 0; for (int i = 0, stop = 0; i < 8 && !stop; i++) { c += in[i] & 3; stop = c > 5; } out[1] = c; bool found = false; int at = -1; for (int i = 0; i < 8; i++) if (in[i] == in[7]) { found = true; at = i; break; } out[2] = found; out[3] = at; int it = 0; for (;;) { it++; if (it > 3) { if (it >= 6) break; it++; } } out[4] = it;
}
static int deepReturn(const int *p, int n) { for (int i = 0; i < n; i++) { int j = i; while (j < n) { switch ((p[j & 7] >> 2) & 3) { case 0: j += 2; continue; case 1: return i * 10 + j; case 2: break; default: if (j == 5) return -j; } j++; } } return 1000; }
__global__ void deepReturns(const int *in, long long *out) { for (int i = 0; i < 8; i++) out[i] = deepReturn(in, i); }
static bool isPrime(unsigned n) { if (n < 2) return false; for (unsigned d = 2; d * d <= n; ++d) if (n % d == 0) return false; return true; }
static int gcd(int a, int b) { while (b) { int t = a % b; a = b; b = t; } return a; }
static int collatz(unsigned n) { int c = 0; while (n > 1 && c < 50) { n = n & 1 ? 3 * n + 1 : n / 2; c++; } return c; }
__global__ void algorithms(const int *in, long long *out) {
  out[0] = isPrime(in[0] & 255); out[1] = gcd(in[1] & 1023, in[2] & 1023); out[2] = collatz(in[3] & 63); int a[8]; for (int i = 0; i < 8; i++) a[i] = in[i]; for (int i = 0; i < 8; i++) for (int j = i + 1; j < 8; j++) if (a[j] < a[i]) { int t = a[i]; a[i] = a[j]; a[j] = t; } out[3] = a[0]; out[4] = a[7]; int lo = 0, hi = 8; while (lo < hi) { int mid = (lo + hi) / 2; if (a[mid] < 5) lo = mid + 1; else hi = mid; } out[5] = lo; for (int gap = 4; gap > 0; gap /= 2) for (int i = gap; i < 8; i++) a[i] ^= a[i - gap]; out[6] = a[7]; unsigned r = 0; for (unsigned v = in[5], i = 0; i < 32; i++, v >>= 1) r = r << 1 | (v & 1); out[7] = r;
}
__global__ void commas(const int *in, long long *out) {
  int a = 1, b = (a++, a + 2), c; c = (a++, b--, b * 2); out[0] = a * 100 + b * 10 + c; for (int i = 0, j = 10; i < j; i++, j -= 2) out[1] += i * j; int x = in[0], y = (x++, x + 4); out[2] = x * 10 + y; if ((a = in[1]) && (b++, a > 3)) out[3] = b; b = 9; while (b = b - 1, b > 2) out[4]++; out[5] = (1, 2, 3); a = b = c = 9; out[6] = a + b + c; (a += 2) *= 3; out[7] = a;
}
__global__ void shadows(const int *in, long long *out) {
  int x = 1; { int x = 2; { int x = 3; out[0] = x; } out[1] = x; } out[2] = x; for (int x = 5; x < 6; x++) { { int x = 9; out[3] = x; } } if (int x = in[0] & 1) out[4] = x; else out[4] = x + 20; auto f = [](int x) { return x * 2; }; out[5] = f(8); struct x2 { int x; } s = {4}; out[6] = s.x + x; int y = x, z = y + 1; out[7] = z;
}
