// Bit operations and the intrinsics for them.

__global__ void counts(const int *in, long long *out) {
  unsigned a = in[0]; unsigned long long w = ((unsigned long long)a << 32) | (unsigned)in[1]; out[0] = __popc(a); out[1] = __popcll(w); out[2] = __clz(in[0]); out[3] = __clzll(w); out[4] = __ffs(in[2]); out[5] = __ffsll(w); out[6] = __brev(a); out[7] = __brevll(w);
}
__global__ void permutes(const int *in, long long *out) {
  unsigned a = in[0], b = in[1]; out[0] = __byte_perm(a, b, 0x3210); out[1] = __byte_perm(a, b, 0x7531); out[2] = __byte_perm(a, b, 0x0123); out[3] = __funnelshift_l(a, b, in[2]); out[4] = __funnelshift_r(a, b, in[3]); out[5] = __funnelshift_l(a, a, 8);
}
__global__ void products(const int *in, long long *out) {
  int a = in[0], b = in[1]; unsigned u = in[2], v = in[3]; out[0] = __mulhi(a, b); out[1] = __umulhi(u, v); out[2] = __mul24(a & 0xffff, b & 0xff); out[3] = __umul24(u & 0xfffff, v & 0xff); out[4] = __umul64hi((unsigned long long)u << 20, (unsigned long long)v << 24); out[5] = __mul64hi((long long)a << 20, (long long)b << 24); out[6] = __sad(a >> 1, b >> 1, 3u); out[7] = __usad(u, v, 1u);
}
__global__ void averages(const int *in, long long *out) {
  out[0] = __hadd(in[0], in[1]); out[1] = __uhadd((unsigned)in[0], (unsigned)in[1]); out[2] = __rhadd(in[2], in[3]); out[3] = __urhadd((unsigned)in[2], (unsigned)in[3]);
}
__global__ void reinterpreted(const int *in, long long *out) {
  float f = in[0] % 10000; out[0] = __float_as_int(f); out[1] = __float_as_uint(f * 0.5f); out[2] = __int_as_float(0x3f800000) == 1.0f; out[3] = __double_as_longlong((double)in[1]); out[4] = (long long)__longlong_as_double(0x4059000000000000ll); out[5] = __double2hiint((double)in[2]); out[6] = __double2loint(in[3] / 3.0); out[7] = (long long)__hiloint2double(0x40590000, 0);
}
__global__ void powers(const int *in, long long *out) {
  unsigned n = in[0] & 0xffff; out[0] = n && !(n & (n - 1)); unsigned v = n; v--; v |= v >> 1; v |= v >> 2; v |= v >> 4; v |= v >> 8; v |= v >> 16; v++; out[1] = v; out[2] = n & -n; out[3] = 31 - __clz(n | 1); out[4] = (n ^ (n >> 1)); out[5] = (in[1] ^ in[2]) < 0; int m = in[3] >> 31; out[6] = (in[3] + m) ^ m; out[7] = in[4] ^ ((in[4] ^ in[5]) & -(in[4] < in[5]));
}
__global__ void fields(const int *in, long long *out) {
  unsigned x = in[0]; out[0] = (x >> 5) & 0x1f; x = (x & ~(0xffu << 8)) | ((unsigned)(in[1] & 0xff) << 8); out[1] = x; x ^= 1u << (in[2] & 31); out[2] = x; out[3] = (x >> (in[3] & 31)) & 1; x &= x - 1; out[4] = x; out[5] = x << 1 | x >> 31; out[6] = (int)(x << 20) >> 20; out[7] = !(x & 0x80000000) ? 1 : -1;
}
__global__ void masks64(const int *in, long long *out) {
  unsigned s = in[0] & 63; unsigned long long one = 1, m = (one << s) - 1; out[0] = m; out[1] = ~m; out[2] = (m + 1) >> (s / 2); out[3] = 1ull << s; out[4] = (long long)(1ull << 63) >> s; out[5] = (0xffffffffu >> (in[1] & 31)); out[6] = m & (unsigned)in[2]; out[7] = (m | in[3]) ^ (unsigned)in[3];
}
__global__ void hashes(const int *in, long long *out) {
  unsigned h = 2166136261u; for (int i = 0; i < 8; i++) { h ^= in[i] & 0xff; h *= 16777619; } out[0] = h; unsigned long long x = in[0]; x ^= x << 13; x ^= x >> 7; x ^= x << 17; out[1] = x; unsigned s = in[1]; s = (s ^ 61) ^ (s >> 16); s *= 9; s = s ^ (s >> 4); s *= 0x27d4eb2d; s = s ^ (s >> 15); out[2] = s; short crc = -1; for (int k = 0; k < 8; k++) crc = (crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0); out[3] = crc; out[4] = (unsigned char)(h >> 8) | (signed char)(h >> 16);
}
__global__ void saturated(const int *in, long long *out) {
  float f = in[0] % 1000 / 100.0f; out[0] = (long long)(__saturatef(f) * 1000); out[1] = __float2int_rn(f); out[2] = __float2int_rz(f); out[3] = __float2int_ru(f); out[4] = __float2int_rd(f); out[5] = (long long)(__int2float_rn(in[1] & 0xfffff)); out[6] = __float2uint_rz(f < 0 ? 0 : f); out[7] = (long long)__fmul_rn(f, 4.0f);
}
