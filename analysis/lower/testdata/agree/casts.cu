// Casts, and expressions that look like casts until the name is known to be a value.

namespace ns { static const int b = 12; typedef unsigned char byte; struct Inner { static const int c = 5; typedef short T; }; }
typedef short T16; typedef long long i64;
__global__ void castOrProduct(const int *in, long long *out) {
  int v0 = in[0] % 1000, x = in[1] % 1000, *p = &x;
  out[0] = (v0) * x; out[1] = (v0) - 1; out[2] = (v0) + x; out[3] = (v0) & x; out[4] = (T16) * p; out[5] = (T16) - x; out[6] = (T16) + v0; out[7] = (v0) - x - (v0) * (x);
}
__global__ void castOrDifference(const int *in, long long *out) {
  int x = in[0] % 1000;
  out[0] = (ns::b) - 1; out[1] = (ns::b) * x; out[2] = (ns::byte) - 1; out[3] = (ns::Inner::c) - x; out[4] = (ns::Inner::T) - x; out[5] = 2 * (ns::b) - 1; out[6] = -(ns::b) + (ns::b); out[7] = (ns::b) & x;
}
__global__ void castOrCall(const int *in, long long *out) {
  int x = in[0]; auto f = [](int v) { return v * 2; };
  out[0] = (f)(x & 255); out[1] = (T16)(x); out[2] = (i64)(x) * 2; out[3] = (unsigned char)(x) + 1; out[4] = T16(x) + i64(x); out[5] = (int)(unsigned char)(x); out[6] = (unsigned)(T16)x; out[7] = (i64)(unsigned)x;
}
__global__ void castPrecedence(const int *in, long long *out) {
  int a = in[0], b = in[1]; unsigned u = in[2];
  out[0] = (i64)a * b; out[1] = (i64)(a * b); out[2] = (short)a + b; out[3] = (short)(a + b); out[4] = (unsigned char)a << 3; out[5] = (i64)u << 8; out[6] = (i64)(u << 8); out[7] = ~(unsigned char)a;
}
__global__ void castNegative(const int *in, long long *out) {
  signed char c = -in[0]; unsigned char u = -1; short s = -32768; out[0] = c; out[1] = -u; out[2] = -s; out[3] = (short)-s; out[4] = (unsigned)-1; out[5] = (unsigned long long)-1 >> 1; out[6] = -(long long)in[1]; out[7] = (unsigned char)-in[2];
}
__global__ void castFloats(const int *in, long long *out) {
  int i = in[0]; float f = i; double d = i; out[0] = (i64)f; out[1] = (i64)d; out[2] = (i64)(float)(i64)in[1]; out[3] = (int)(in[2] % 100000 / 7.0f); out[4] = (i64)(double)((i64)in[3] << 20); out[5] = (unsigned)(float)(in[4] & 0xffff); out[6] = (int)-2.9f + (int)2.9; out[7] = (short)(float)(in[5] & 0x7fff);
}
__global__ void castNamed(const int *in, long long *out) {
  int x = in[0]; const int *p = in; out[0] = static_cast<short>(x); out[1] = static_cast<unsigned>(x) >> 3; int *q = const_cast<int *>(&x); *q += 1; out[2] = x; out[3] = *reinterpret_cast<const short *>(p); out[4] = reinterpret_cast<unsigned char &>(x); out[5] = static_cast<i64>(static_cast<float>(x & 0xffff)); enum E { A, B, C }; out[6] = static_cast<E>(x & 1) == B; out[7] = reinterpret_cast<uintptr_t>(p + 3) - reinterpret_cast<uintptr_t>(p);
}
__global__ void conditionalTypes(const int *in, long long *out) {
  unsigned u = in[0]; int i = in[1]; short s = in[2]; long long l = in[3];
  out[0] = (in[4] > 0 ? i : u); out[1] = (true ? -1 : 1u); out[2] = (false ? 1u : -1); out[3] = (true ? s : 'a') >> 1; out[4] = sizeof(true ? 'a' : 1) + sizeof(true ? 'a' : 'b') * 10; out[5] = (true ? -1 : 0u) / 2; out[6] = (in[5] > 0 ? l : u) + 1; out[7] = (i64)((true ? 1 : 2.0) / 2 * 10);
}
__global__ void conditionalPointers(const int *in, long long *out) {
  int a = 3, b = 4; int *p = true ? &a : nullptr, *q = false ? &a : 0; const int *r = in[0] > 0 ? in + 1 : in; out[0] = *p; out[1] = q == nullptr; out[2] = *r; out[3] = *(true ? in : &in[1]); out[4] = (in[1] > 0 ? p : q) == &a; out[5] = *(in[2] > 0 ? &a : &b); const char *t = true ? "xy" : "z"; out[6] = t[1]; out[7] = (in[3] > 0 ? p : nullptr) != nullptr;
}
__global__ void conditionalNested(const int *in, long long *out) {
  int x = in[0], y = in[1], z = in[2]; out[0] = x > 0 ? y > 0 ? 1 : 2 : z > 0 ? 3 : 4; out[1] = x < y ? (y < z ? y : x < z ? z : x) : (x < z ? x : y < z ? z : y); x > 0 ? y = 5 : z = 6; out[2] = y; out[3] = z; out[4] = (x, y > 0) ? x++ : --x; out[5] = x; out[6] = x ?: 9; out[7] = (x & 1 ?: y & 2) + 1;
}
__global__ void charSigns(const int *in, long long *out) {
  char c = in[0]; signed char s = in[0]; unsigned char u = in[0]; out[0] = c; out[1] = s == c; out[2] = u == c; out[3] = c >> 1; out[4] = u >> 1; out[5] = (c < 0) + (u > 127) * 2; out[6] = c * u; out[7] = (c ^ u) & 0xffff;
}
__global__ void boolMath(const int *in, long long *out) {
  bool a = in[0], b = in[1]; out[0] = a + b + true; out[1] = a & b; out[2] = a | 4; out[3] = a ^ b; out[4] = ~a; out[5] = a << 3; bool c = a; c |= b; c &= in[2] > 0; out[6] = c; out[7] = (a == b) - (a < b) + (bool)in[3] * 3;
}
__global__ void wide(const int *in, long long *out) {
  unsigned long long a = ((unsigned long long)(unsigned)in[0] << 32) | (unsigned)in[1]; long long b = (long long)a; out[0] = a >> 7; out[1] = b >> 7; out[2] = a / 10; out[3] = a % 1000; out[4] = b / 7; out[5] = b % 7; out[6] = a * 0x9E3779B97F4A7C15ull; out[7] = (a ^ (a >> 33)) * 3;
}
__global__ void promotions(const int *in, long long *out) {
  unsigned short a = in[0], b = in[1]; out[0] = a * b; out[1] = a - b; out[2] = (a - b) < 0; out[3] = (unsigned short)(a - b) > 100; out[4] = a << 16 >> 16; unsigned char c = in[2]; out[5] = c + 255; out[6] = (c += 255); out[7] = sizeof(a + b) + sizeof(+c) + sizeof(c++) + sizeof(1 ? c : a);
}
