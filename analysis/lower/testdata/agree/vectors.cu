// CUDA's vector types.

__global__ void makes(const int *in, long long *out) {
  int3 a = make_int3(in[0], in[1], in[2]); uint4 u = make_uint4(in[0], 1, 2, in[3]); short2 s = make_short2(in[4], in[5]); uchar4 c = make_uchar4(in[0], in[1], in[2], in[3]); out[0] = a.x ^ a.y ^ a.z; out[1] = u.x + u.w; out[2] = s.x * s.y; out[3] = c.x + c.y + c.z + c.w; double2 d = make_double2(in[6], 0.5); out[4] = (long long)(d.x * d.y); float2 f{1.5f, 2}; out[5] = (long long)(f.x * f.y * 4); longlong2 l = make_longlong2(in[7], 5); out[6] = l.x * l.y; char2 k = {1, 2}; out[7] = k.x + k.y + sizeof(int3) * 10 + sizeof(uchar4) * 100;
}
__global__ void vectorLoads(const int *in, long long *out) {
  const int2 *p = (const int2 *)in; const uchar4 *c = (const uchar4 *)in; const short4 *s = reinterpret_cast<const short4 *>(in); int4 v = *(const int4 *)(in + 4); out[0] = p[1].x; out[1] = p[2].y; out[2] = c[3].z; out[3] = s[1].w; out[4] = v.x ^ v.w; v.y = 3; out[5] = v.y; int4 *o = (int4 *)&out[6]; *o = make_int4(1, 2, in[0], in[1]);
}
static inline float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline float3 operator*(float k, const float3 &a) { return make_float3(k * a.x, k * a.y, k * a.z); }
static inline void operator+=(float3 &a, float3 b) { a.x += b.x; a.y += b.y; a.z += b.z; }
static inline float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__global__ void vectorOperators(const int *in, long long *out) {
  float3 a = make_float3(in[0] % 50, in[1] % 50, in[2] % 50), b = make_float3(1, 2, 3); float3 c = a + 2.0f * b; c += b; out[0] = (long long)c.x; out[1] = (long long)c.y; out[2] = (long long)dot(c, b); float3 sum = {0, 0, 0}; for (int i = 0; i < 3; i++) sum += 0.5f * a; out[3] = (long long)(sum.z * 10); out[4] = sizeof(float3);
}
__global__ void vectorArrays(const int *in, long long *out) {
  int2 a[4]; for (int i = 0; i < 4; i++) a[i] = make_int2(in[i], in[i + 4]); out[0] = a[in[0] & 3].y; int *flat = &a[0].x; out[1] = flat[3]; int4 v = {in[0], in[1], in[2], in[3]}; int *e = &v.x; e[2] = 77; out[2] = v.z; int s = 0; for (int i = 0; i < 4; i++) s ^= (&v.x)[i]; out[3] = s; int2 t = a[1]; t.x++; out[4] = t.x - a[1].x; a[2] = t; out[5] = a[2].x; int2 *p = a + 1; (p + 1)->y = 6; out[6] = a[2].y; auto [x, y] = a[3]; out[7] = x ^ y;
}
struct Ray { float3 o, d; int2 px; }; static float3 at(const Ray &r, float t) { return r.o + t * r.d; }
__global__ void vectorMembers(const int *in, long long *out) {
  Ray r; r.o = make_float3(1, 2, in[0] % 9); r.d = make_float3(0, 1, 2); r.px = make_int2(in[1], 4); Ray q = r; q.o.x = 9; out[0] = (long long)at(r, 2).z; out[1] = (long long)at(q, 3).x; out[2] = q.px.x + q.px.y; Ray rs[2] = {r, q}; out[3] = (long long)rs[in[2] & 1].o.x; out[4] = sizeof(Ray); float *f = &q.d.x; f[1] = 5; out[5] = (long long)q.d.y;
}
__global__ void dims(const int *in, long long *out) {
  dim3 a, b(4), c(2, 3), d = {1, 2, 3}; dim3 e = dim3(in[0] & 7, 2); out[0] = a.x * 100 + a.y * 10 + a.z; out[1] = b.x + b.y + b.z; out[2] = c.x * c.y * c.z; out[3] = d.z; out[4] = e.x * e.y; a = c; a.x *= 2; out[5] = a.x; out[6] = c.x; out[7] = dim3(5).y;
}
