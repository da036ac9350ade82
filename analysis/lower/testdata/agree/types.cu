// Conversions, promotions and wrap-around of arithmetic types.

__global__ void narrow(const int *in, long long *out) {
  signed char a = in[0]; unsigned char b = in[1]; short c = in[2]; unsigned short d = in[3];
  out[0] = a; out[1] = b; out[2] = c; out[3] = d;
  out[4] = a * b; out[5] = c - d; out[6] = (unsigned char)(a + b); out[7] = (short)(c * d);
}
__global__ void mixed(const int *in, long long *out) {
  unsigned u = in[0]; int i = in[1]; long long l = in[2]; unsigned long long w = in[3];
  out[0] = u + i; out[1] = u - i; out[2] = i + l; out[3] = u + l; out[4] = l - (long long)w; out[5] = u > i; out[6] = i < u; out[7] = l < u;
}
__global__ void division(const int *in, long long *out) {
  int a = in[0], b = in[1] == 0 ? 3 : in[1];
  if (a == -2147483647 - 1 && b == -1) b = 5;
  unsigned ua = in[2], ub = in[3] == 0 ? 7u : (unsigned)in[3];
  out[0] = a / b; out[1] = a % b; out[2] = ua / ub; out[3] = ua % ub;
  out[4] = (long long)a / b; out[5] = a / (long long)(b); out[6] = -a % 5; out[7] = ua / 16u + ua % 16u;
}
__global__ void shifts(const int *in, long long *out) {
  int a = in[0]; unsigned s = in[1] & 31; unsigned u = in[2]; long long l = in[3];
  out[0] = (int)((unsigned)a << s); out[1] = a >> s; out[2] = u >> s; out[3] = u << s; out[4] = l << (s & 15); out[5] = l >> s;
  unsigned char c = in[4]; out[6] = c << 4; out[7] = (unsigned char)(c << 4) >> 2;
}
__global__ void bits(const int *in, long long *out) {
  int a = in[0], b = in[1]; unsigned c = in[2]; unsigned short d = in[3];
  out[0] = a & b; out[1] = a | b; out[2] = a ^ b; out[3] = ~a; out[4] = ~c; out[5] = ~d; out[6] = (a & c) | (d ^ 0xff); out[7] = !a + !!b;
}
__global__ void literals(const int *in, long long *out) {
  out[0] = 0x7fffffff + (long long)in[0]; out[1] = 0xffffffff; out[2] = 4294967296; out[3] = 010; out[4] = 0b101; out[5] = 'a' + '\n' + '\0' + '\x41';
  out[6] = -1 < 0u; out[7] = 1'000'000 + 1e3 + 0x1p4;
}
__global__ void floats(const int *in, long long *out) {
  float f = in[0], g = in[1] % 1000; double d = in[2];
  out[0] = (long long)(f / 3.0f); out[1] = (long long)(f * 0.5); out[2] = (int)(g * g + 0.5f); out[3] = f < d; out[4] = (long long)(d / 7);
  out[5] = (f != f); out[6] = (int)g % 7; out[7] = (unsigned char)(g > 0 ? (g > 255 ? 255 : g) : 0);
}
__global__ void booleans(const int *in, long long *out) {
  bool a = in[0], b = in[1] > 3, c = a && !b || in[2]; int n = 0;
  n += a; n += b; n += c; bool d = 2; bool e = 0.5f; bool *p = &a;
  out[0] = n; out[1] = a + b; out[2] = -c; out[3] = d; out[4] = e; out[5] = p != nullptr; out[6] = a ? 10 : 20; out[7] = a == b;
}
enum Color { Red, Green = 5, Blue }; enum class Kind : unsigned char { A = 250, B, C }; enum { Anonymous = 77 }; enum Negative { Minus = -3, Zero = 0 };
__global__ void enums(const int *in, long long *out) {
  Color c = in[0] > 0 ? Blue : Red; Kind k = in[1] > 0 ? Kind::C : Kind::A; Negative m = in[2] > 0 ? Minus : Zero;
  out[0] = c; out[1] = (int)k; out[2] = c + Green; out[3] = c == Blue; out[4] = k == Kind::A; out[5] = Anonymous; out[6] = m; out[7] = m < 0;
}
__global__ void sizes(const int *in, long long *out) {
  struct S { char a; double b; short c; }; struct T { char a[3]; short b; }; int arr[5][3];
  out[0] = sizeof(S) + in[0] * 0; out[1] = sizeof(T); out[2] = sizeof(arr); out[3] = sizeof(arr[0]) + sizeof arr[0][0]; out[4] = sizeof(long) + sizeof(unsigned short);
  out[5] = alignof(S); out[6] = sizeof(void *); out[7] = sizeof('a') + sizeof(1.0f) + sizeof(1ull) + sizeof(in[0] + 1L);
}
__global__ void compound(const int *in, long long *out) {
  unsigned char c = in[0]; c += in[1]; out[0] = c; short s = in[2]; s *= 3; out[1] = s; unsigned u = in[3]; u -= 5; out[2] = u; u >>= 3; out[3] = u;
  int i = in[4]; i <<= 1; i ^= 0x55; i |= 1; i &= 0xffff; out[4] = i; i %= 7; out[5] = i; float f = in[5] % 100; f /= 4; f += 0.25; out[6] = (long long)(f * 100); long long l = in[6]; l *= in[7]; out[7] = l;
}
__global__ void increments(const int *in, long long *out) {
  int i = in[0] % 1000, j = i++ + 5, k = ++i * 2, m = i-- - --j; unsigned char c = 255; c++; signed char d = -128; d--;
  out[0] = i; out[1] = j; out[2] = k; out[3] = m; out[4] = c; out[5] = d; out[6] = (i++, j++, i + j); out[7] = i;
}
__global__ void minmax(const int *in, long long *out) {
  int a = in[0], b = in[1]; unsigned u = in[2], v = in[3];
  out[0] = min(a, b); out[1] = max(a, b); out[2] = min(u, v); out[3] = max(u, v); out[4] = a > -1000000 && a < 1000000 ? abs(a) : 3; out[5] = min(a, min(b, 3)); out[6] = (int)fminf(a % 100, 2.5f); out[7] = (long long)max((float)(b % 50), 1.5f);
}
