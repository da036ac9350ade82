// Arrays, pointers, references, structs, unions.

__global__ void arrays(const int *in, long long *out) {
  int a[8], b[2][4] = {{1, 2}, {3}}, c[] = {5, 6, 7}; for (int i = 0; i < 8; i++) a[7 - i] = in[i]; for (int i = 0; i < 2; i++) for (int j = 0; j < 4; j++) b[i][j] += a[i * 4 + j];
  out[0] = a[in[0] & 7]; out[1] = b[1][in[1] & 3]; out[2] = c[1]; int *p = a + 2; p += in[2] & 3; out[3] = *p++; out[4] = p - a; out[5] = p[-1] + *(p - 2); int (*q)[4] = b; q++; out[6] = (*q)[2]; out[7] = 2[a];
}
__global__ void pointers(const int *in, long long *out) {
  int x = in[0], y = in[1], *p = &x; *p += 5; if (in[2] > 0) p = &y; *p = 7; out[0] = x; out[1] = y; int **pp = &p; **pp = 9; out[2] = x + y; const int *e = in + 8; long long s = 0; for (const int *q = in; q != e; ++q) s += *q; out[3] = s;
  out[4] = p == &y; out[5] = &in[5] - in; const unsigned char *b = (const unsigned char *)in; out[6] = b[5]; out[7] = *(const short *)(b + 2);
}
static void swap2(int &a, int &b) { int t = a; a = b; b = t; }
static void outp(int *a, int v) { *a = v; }
static int &pick(int &a, int &b, bool w) { return w ? a : b; }
static int &first(int *p) { return p[0]; }
__global__ void references(const int *in, long long *out) {
  int a = in[0], b = in[1]; swap2(a, b); out[0] = a; out[1] = b; int &r = a; r += 2; out[2] = a; outp(&b, 33); out[3] = b; const int &c = in[2] + 1; out[4] = c; int arr[3] = {1, 2, 3}; for (int &e : arr) e *= in[3] & 7; out[5] = arr[2]; first(arr) = 4; out[6] = arr[0]; for (auto e : arr) out[7] += e;
}
struct Vec { int x, y; int dot(const Vec &o) const { return x * o.x + y * o.y; } Vec operator+(const Vec &o) const { return Vec{x + o.x, y + o.y}; } Vec &operator+=(const Vec &o) { x += o.x; y += o.y; return *this; } bool operator==(const Vec &o) const { return x == o.x && y == o.y; } int &operator[](int i) { return i == 0 ? x : y; } };
static Vec operator*(const Vec &a, int k) { return {a.x * k, a.y * k}; }
__global__ void structs(const int *in, long long *out) {
  Vec a = {in[0] % 1000, in[1] % 1000}, b{in[2] % 1000, in[3] % 1000}; Vec c = a + b * 2; a += c; Vec *p = &a; p->x++; out[0] = a.x; out[1] = a.y; out[2] = a.dot(b); out[3] = c == a; Vec d = a; d.x = 0; out[4] = a.x + d.x; c[1] = 5; out[5] = c.y + c[0]; Vec v[3] = {a, b, c}; out[6] = v[in[4] & 1].x + v[2].y; d = in[5] > 0 ? a : b; out[7] = d.x;
}
struct Base { int k; int get() const { return k * 2; } Base(int v) : k(v) {} }; struct Derived : Base { int m = 3; Derived(int v) : Base(v + 1) { m += v; } int all() { return get() + m + k; } };
struct Counter { int n = 0; Counter &add(int x) { n += x; return *this; } operator int() const { return n; } int operator()(int a, int b = 10) const { return n + a * b; } };
__global__ void classes(const int *in, long long *out) {
  Derived d(in[0] & 255); out[0] = d.all(); Base &b = d; b.k = 7; out[1] = d.get(); Counter c; c.add(3).add(in[1] & 15); out[2] = c; out[3] = c + 1; out[4] = c(2); out[5] = c(2, 3); Counter e = c; e.add(1); out[6] = e.n - c.n; Derived *pd = &d; Base *pb = pd; out[7] = pb->get();
}
union Bits { unsigned u; float f; unsigned char b[4]; };
struct Fields { unsigned a : 3, b : 5; int c : 4; unsigned d; };
__global__ void unions(const int *in, long long *out) {
  Bits x; x.u = in[0]; out[0] = x.b[1]; x.b[3] = 1; out[1] = x.u; x.f = 1.0f; out[2] = x.u; Fields f; f.a = in[1]; f.b = in[2]; f.c = in[3]; f.d = in[4]; out[3] = f.a; out[4] = f.b; out[5] = f.c; out[6] = f.d + ++f.a; f.c += 3; out[7] = f.c;
}
__global__ void vectors(const int *in, long long *out) {
  int2 a = make_int2(in[0], in[1]); int4 b = {1, 2, 3, 4}; b.w = a.x; a.y = b.z; const int4 *p = (const int4 *)in; int4 c = p[1]; out[0] = a.x; out[1] = a.y; out[2] = b.w; out[3] = c.x ^ c.w; dim3 d(in[2] & 7, 3); out[4] = d.x * d.y * d.z; float4 f = make_float4(1, 2, 3, in[3] % 9); f.x += f.w; out[5] = (long long)(f.x * 2); int2 arr[2] = {{1, 2}, {3, 4}}; arr[1].x = in[4]; out[6] = arr[in[5] & 1].x; out[7] = sizeof(float4) + alignof(float4);
}
struct Inner { short s[3]; int v; }; struct Outer { char c; Inner in[2]; long long l; };
__global__ void nested(const int *in, long long *out) {
  Outer o = {}; o.in[in[0] & 1].s[in[1] & 1] = 7; o.in[1].v = in[2]; o.l = in[3]; Outer q = o; q.in[1].v++; out[0] = o.in[0].s[0] + o.in[1].s[0] * 10 + o.in[0].s[1] * 100 + o.in[1].s[1] * 1000; out[1] = q.in[1].v; out[2] = o.in[1].v; out[3] = q.l; out[4] = sizeof(Outer); Inner *p = &q.in[1]; p->s[2] = -5; out[5] = q.in[1].s[2]; Inner &r = q.in[0]; r.v = 9; out[6] = q.in[0].v; out[7] = q.c;
}
struct Guard { int &n; int k; Guard(int &x, int y) : n(x), k(y) { n += k; } ~Guard() { n = n * 2 - k; } };
static int guarded(int x, int &n) { Guard g(n, 3); for (int i = 0; i < 4; i++) { Guard h(n, i); if (i == x) break; if (i == 1) continue; if (n > 100000) return n; n++; } if (x > 5) return n + 1; Guard k(n, 5); return n; }
struct Deep { int v; Deep(int x) : v(x) {} Deep(const Deep &o) : v(o.v + 1000) {} Deep &operator=(const Deep &o) { v = o.v + 7; return *this; } };
static int byValue(Deep d) { return d.v; }
struct Shape { int s = 2; virtual int area() const { return s; } }; struct Square : Shape { int area() const override { return s * s; } };
__global__ void objects(const int *in, long long *out) {
  int n = in[0] & 15; out[0] = guarded(in[1] & 7, n); out[1] = n; { Guard a(n, 1); Guard b(n, 2); } out[2] = n;
  Deep d(in[2] & 255), e = d; out[3] = e.v; e = d; out[4] = e.v; out[5] = byValue(d) + byValue(Deep(1)); Square q; out[6] = q.area();
}
__global__ void order(const int *in, long long *out) {
  int i = 0, a[4] = {1, 2, 3, 4}; a[i++] = i + 5; out[0] = a[0]; out[1] = i; a[i] = i++; out[2] = a[1] * 10 + a[2]; int x = 1, y = 2; (in[0] > 0 ? x : y) = 9; out[3] = x * 10 + y; int &r = in[1] > 0 ? x : y; r += 3; out[4] = x * 100 + y; ++(in[2] > 0 ? x : y); out[5] = x * 100 + y; int *p = &(in[3] > 0 ? x : y); *p = 0; out[6] = x + y;
}
struct Pt { int x, y; }; static void mod(Pt &p) { p.x++; } static void modp(Pt *p) { p->y += 2; } static int take(Pt p) { p.x = 0; return p.y; }
__global__ void bound(const int *in, long long *out) {
  Pt a = {1, 2}, b = {3, 4}, c = {5, 6}; mod(a); modp(&b); out[0] = a.x * 10 + b.y; out[1] = take(c) + c.x; Pt d = c; mod(d); out[2] = c.x + d.x; auto f = [&] { c.x = 50; }; f(); out[3] = c.x; const int t[3] = {7, 8, 9}; out[4] = t[in[0] & 1] + t[2]; int k = 3; int *p = &k; if (in[1] > 0) *p = 4; out[5] = k; Pt arr[2] = {{1, 2}, {3, 4}}; mod(arr[1]); out[6] = arr[1].x; int z[2] = {5, 6}; for (auto &e : z) e++; out[7] = z[0] + z[1];
}
__global__ void bigArrays(const int *in, long long *out) {
  int a[10][20] = {}; float f[300] = {0}; a[in[0] & 7][3] = 5; f[in[1] & 255] += 2; int s = 0; for (int i = 0; i < 10; i++) for (int j = 0; j < 20; j++) s += a[i][j]; out[0] = s; float t = 0; for (int i = 0; i < 300; i++) t += f[i]; out[1] = (long long)t; short c[70] = {1, 2}; out[2] = c[1] + c[in[2] & 63]; char text[] = "hello"; out[3] = text[in[3] & 3] + sizeof(text); const char *p = "abc"; out[4] = p[1];
}
__global__ void chained(const int *in, long long *out) {
  int a[8]; signed char c[4]; float f[2]; int *p = a, i = in[0] & 3; a[0] = a[1] = a[2] = in[1]; a[i] = a[i + 1] = i; a[4] = c[i] = in[2]; a[5] = f[i & 1] = in[3] / 7.0; int x = ++a[i], y = --c[i], z = (a[6] = a[5]++) + a[5];
  out[0] = a[0] + a[1] * 3ll + a[2] * 5ll; out[1] = a[4]; out[2] = a[5]; out[3] = x; out[4] = y; out[5] = z; (a[7] = 3) += 4; *(p += 2) = (a[1] = 9) == a[1]; out[6] = a[7] + a[2]; if ((a[3] = in[4]) > 0 && (i = a[0] -= 2) != 0) a[i & 7] = i = a[3] %= 5; out[7] = a[3] * 7ll + a[i & 7] + i;
}
