// Memory: each space, each width, generic addresses, and what the language makes of them.
#include "common.h"

#define ACCESSED(T)                                                                            \
  KERNEL(access_##T) {                                                                         \
    __shared__ T s[64];                                                                        \
    T local[5];                                                                                \
    s[threadIdx.x] = (T)IN(0);                                                                 \
    for (int i = 0; i < 5; i++) local[i] = (T)(IN(i) * 3);                                     \
    __syncthreads();                                                                           \
    const T *mine = (const T *)in + CELL, *any = IN(1) & 1 ? &s[threadIdx.x ^ 5] : mine;       \
    OUT(0, s[63 - threadIdx.x]), OUT(1, local[IN(2) % 5]), OUT(2, *mine), OUT(3, *any), OUT(4, *(volatile const T *)mine), OUT(5, __ldg(mine)); \
  }
ACCESSED(s8)
ACCESSED(u8)
ACCESSED(s16)
ACCESSED(u16)
ACCESSED(s32)
ACCESSED(u32)
ACCESSED(s64)
ACCESSED(u64)
ACCESSED(float)
ACCESSED(double)

KERNEL(vectors) {
  __shared__ uint4 s[64];
  uint2 a = *(const uint2 *)&IN(0);
  s[threadIdx.x] = make_uint4(a.x, a.y, a.x + a.y, threadIdx.x);
  __syncthreads();
  uint4 b = s[threadIdx.x ^ 1];
  float4 f = make_float4((float)b.x, (float)b.y, 1, 2);
  ushort4 h = *(const ushort4 *)&IN(1);
  uchar4 c = *(const uchar4 *)&IN(2);
  double2 d = make_double2(f.x, f.y);
  OUT(0, b.z), OUT(1, b.w), OUT(2, f.x + f.w), OUT(3, (u32)h.y), OUT(4, (u32)h.w), OUT(5, (u32)c.z), OUT(6, d.x - d.y), OUT(7, ((ulonglong2 *)s)[threadIdx.x].y);
}
__constant__ u32 table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
__constant__ double fractions[3] = {0.5, 0.25, 0.125};
__device__ const char text[] = "conformance";
__device__ u32 initialized = 77;
__device__ u32 *to_initialized = &initialized;
KERNEL(constants_and_variables) {
  OUT(0, table[IN(0) % 16]), OUT(1, fractions[IN(1) % 3]), OUT(2, (u32)text[IN(2) % sizeof text]), OUT(3, *to_initialized);
}
struct Record { u8 a; u16 b; u32 c; u64 d; double e[3]; };
__device__ __noinline__ Record changed(Record r) {
  r.b += r.a, r.e[1] = (double)r.c;
  return r;
}
KERNEL(structures) {
  Record r = {(u8)IN(0), (u16)IN(1), (u32)IN(2), IN(3), {1, 2, 3}}, q = changed(r);
  Record all[2] = {r, q};
  Record *p = &all[IN(4) % 2];
  OUT(0, p->a), OUT(1, p->b), OUT(2, p->c), OUT(3, p->d), OUT(4, p->e[1]), OUT(5, (u32)sizeof(Record)), OUT(6, p->e[IN(5) % 3]);
}
KERNEL(local_arrays) {
  u32 a[32];
  for (u32 i = 0; i < 32; i++) a[i] = (u32)IN(0) * i;
  for (u32 i = 0; i < 64; i++) {
    u32 j = (u32)(IN(1) >> i % 32) % 32, k = (i * 7) % 32, t = a[j];
    a[j] = a[k], a[k] = t;
  }
  u32 sum = 0;
  for (u32 i = 0; i < 32; i++) sum = sum * 17 + a[i];
  OUT(0, sum), OUT(1, a[threadIdx.x % 32]);
}
KERNEL(sorted_locally) {
  u64 a[8];
  for (int i = 0; i < 8; i++) a[i] = IN(i);
  for (int i = 1; i < 8; i++)
    for (int j = i; j > 0 && a[j] < a[j - 1]; j--) {
      u64 t = a[j];
      a[j] = a[j - 1], a[j - 1] = t;
    }
  for (int i = 0; i < 8; i++) OUT(i, a[i]);
}
KERNEL(copied_and_filled) {
  u64 a[6], b[6];
  for (int i = 0; i < 6; i++) a[i] = IN(i);
  memcpy(b, (char *)a + threadIdx.x % 8, 32);
  memset((char *)b + 33, 0x5a, 11);
  b[5] = 7;
  for (int i = 0; i < 6; i++) OUT(i, b[i]);
}
KERNEL(bytes_of_words) {
  __shared__ alignas(8) u8 s[64 * 8];
  *(u64 *)&s[8 * threadIdx.x] = IN(0);
  __syncthreads();
  u64 r = 0;
  for (int i = 0; i < 8; i++) r = r << 8 | s[8 * (threadIdx.x ^ 3) + i];
  OUT(0, r), OUT(1, *(s16 *)&s[8 * threadIdx.x + 2]), OUT(2, *(s8 *)&s[8 * threadIdx.x + 7]), OUT(3, *(u32 *)&s[(8 * threadIdx.x + 4) % 512]);
}
KERNEL(transposed) {
  __shared__ u32 tile[8][9];
  u32 x = threadIdx.x % 8, y = threadIdx.x / 8;
  tile[y][x] = (u32)IN(0);
  __syncthreads();
  OUT(0, tile[x][y]);
}
KERNEL(spaces) {
  __shared__ u32 s;
  u32 l = (u32)IN(0);
  void *const pointers[] = {&s, &l, (void *)in, &initialized};
  const void *p = pointers[IN(1) % 4];
  OUT(0, (bool)__isShared(p)), OUT(1, (bool)__isGlobal(p)), OUT(2, (bool)__isLocal(p)), OUT(3, (u32)__cvta_generic_to_shared(&s) < 65536u);
}
KERNEL(linked_list) {
  struct Node { Node *next; u64 value; } nodes[6];
  for (int i = 0; i < 6; i++) nodes[i].next = i < 5 ? &nodes[(i * 5 + 1) % 6] : nullptr, nodes[i].value = IN(i);
  u64 sum = 0;
  int steps = 0;
  for (Node *n = nodes; n && steps < 12; n = n->next, steps++) sum = sum * 3 + n->value;
  OUT(0, sum), OUT(1, steps);
}
KERNEL(heap) {
  u64 *p = (u64 *)malloc(4 * sizeof(u64));
  for (int i = 0; i < 4; i++) p[i] = IN(i);
  OUT(0, p[IN(4) % 4]);
  free(p);
  Record *r = new Record{1, 2, 3, IN(5), {}};
  OUT(1, r->d + r->c);
  delete r;
}
// launch 8 32
KERNEL(written_by_one_block_read_by_its_threads) {
  out[CELL] = IN(0);
  __syncthreads();
  out[CELL + 256] = out[(CELL & ~31u) + (31 - threadIdx.x)];
}
// launch 1 256
KERNEL(eight_warps) {
  __shared__ u32 s[256];
  s[threadIdx.x] = (u32)IN(0);
  __syncthreads();
  u32 sum = 0;
  for (int i = 0; i < 256; i += 8) sum += s[(threadIdx.x + i) % 256];
  OUT(0, sum);
}
// launch 2 (4,4,8)
KERNEL(three_dimensions) {
  u32 t = threadIdx.x + 4 * (threadIdx.y + 4 * threadIdx.z), cell = blockIdx.x * 128 + t;
  out[cell] = threadIdx.x * 10000 + threadIdx.y * 100 + threadIdx.z + blockDim.z;
  out[256 + cell] = __shfl_down_sync(~0u, threadIdx.y, 3);
}
