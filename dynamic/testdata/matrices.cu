// Products of matrices whose elements are bytes or less, against what the host computes. All have 8 columns.
#include <cuda_fp8.h>
#include <mma.h>

#include <cstdio>
#include <cstdlib>
using namespace nvcuda;
namespace precision = wmma::experimental::precision;

// So many rows and inner elements of so many bits, of a kind; each line of a factor lies in memory by itself.
template <int M, int K, int BITS> struct Case {
  unsigned a[M * K * BITS / 32], b[8 * K * BITS / 32];
  int d[M * 8];
};
template <int BITS> __host__ __device__ unsigned part(const unsigned *words, int at) { return words[at * BITS / 32] >> at * BITS % 32 & ((1u << BITS) - 1); }

// PTX says how lanes hold the factors: groups of four have a row of the left one, and a column of the right one, in words.
template <int M, int K, int BITS, class F> __device__ void multiply(Case<M, K, BITS> *x, F mma) {
  const int words = K * BITS / 32;
  int lane = threadIdx.x, row = lane / 4, at = lane % 4, d[4] = {0, 0, 0, 0};
  unsigned a[4], b[2];
  for (int i = 0; i < M / 8 * (words / 4); i++) a[i] = x->a[(row + 8 * (i % (M / 8))) * words + at + 4 * (i / (M / 8))];
  for (int i = 0; i < words / 4; i++) b[i] = x->b[row * words + at + 4 * i];
  mma(d, a, b);
  for (int i = 0; i < M / 4; i++) x->d[(row + 8 * (i / 2)) * 8 + at * 2 + i % 2] = d[i];
}
#define MMA_2(text)                                                                                           \
  [](int *d, const unsigned *a, const unsigned *b) {                                                          \
    asm("mma.sync.aligned." text " {%0,%1}, {%2}, {%3}, {%0,%1};" : "+r"(d[0]), "+r"(d[1]) : "r"(a[0]), "r"(b[0])); \
  }
#define MMA_4(text)                                                                                           \
  [](int *d, const unsigned *a, const unsigned *b) {                                                          \
    asm("mma.sync.aligned." text " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                     \
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])); \
  }
struct Cases {
  Case<8, 32, 4> nibbles, held, unheld;
  Case<16, 64, 4> mixed;
  Case<8, 128, 1> bits, same;
  Case<16, 256, 1> many;
  Case<16, 32, 8> floats;
};
template <class T, class C> __device__ void held(C *x) {
  wmma::fragment<wmma::matrix_a, 8, 8, 32, T, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 8, 8, 32, T, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 8, 8, 32, int> c;
  wmma::load_matrix_sync(a, x->a, 32), wmma::load_matrix_sync(b, x->b, 32), wmma::fill_fragment(c, 0);
  wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(x->d, c, 8, wmma::mem_row_major);
}
__global__ void multiplyAll(Cases *x) {
  multiply(&x->nibbles, MMA_2("m8n8k32.row.col.s32.s4.s4.s32"));
  multiply(&x->mixed, MMA_4("m16n8k64.row.col.s32.s4.u4.s32"));
  multiply(&x->bits, MMA_2("m8n8k128.row.col.s32.b1.b1.s32.xor.popc"));
  multiply(&x->many, MMA_4("m16n8k256.row.col.s32.b1.b1.s32.and.popc"));
  multiply(&x->floats, MMA_4("m16n8k32.row.col.f32.e4m3.e5m2.f32"));
  held<precision::s4>(&x->held);
  held<precision::u4>(&x->unheld);
  wmma::fragment<wmma::matrix_a, 8, 8, 128, precision::b1, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 8, 8, 128, precision::b1, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 8, 8, 128, int> c;
  wmma::load_matrix_sync(a, x->same.a, 128), wmma::load_matrix_sync(b, x->same.b, 128), wmma::fill_fragment(c, 1);
  wmma::bmma_sync(c, a, b, c, wmma::experimental::bmmaBitOpAND);
  wmma::store_matrix_sync(x->same.d, c, 8, wmma::mem_row_major);
}

template <int M, int K, int BITS, class F> void check(const char *name, const Case<M, K, BITS> &x, F term, int first = 0) {
  for (int i = 0; i < M; i++)
    for (int j = 0; j < 8; j++) {
      float sum = (float)first, is = BITS == 8 ? *(const float *)&x.d[i * 8 + j] : (float)x.d[i * 8 + j];
      for (int k = 0; k < K; k++) sum += (float)term(part<BITS>(x.a, i * K + k), part<BITS>(x.b, j * K + k));
      if (is != sum) printf("%s: %d, %d is %g, not %g\n", name, i, j, is, sum);
    }
}
int main() {
  Cases *x;
  cudaMallocManaged(&x, sizeof *x);
  for (size_t i = 0; i < sizeof *x / 4; i++) ((unsigned *)x)[i] = (unsigned)rand() * 2654435761u;
  for (unsigned &w : x->floats.a) w &= 0x3f3f3f3f;  // small ones, whose sum is exact
  for (unsigned &w : x->floats.b) w &= 0x3c3c3c3c;
  multiplyAll<<<1, 32>>>(x);
  if (cudaDeviceSynchronize() != cudaSuccess) puts("no products");
  auto s4 = [](unsigned v) { return (int)(v ^ 8) - 8; };
  check("s4", x->nibbles, [=](unsigned a, unsigned b) { return s4(a) * s4(b); });
  check("s4 and u4", x->mixed, [=](unsigned a, unsigned b) { return s4(a) * (int)b; });
  check("fragments of s4", x->held, [=](unsigned a, unsigned b) { return s4(a) * s4(b); });
  check("fragments of u4", x->unheld, [](unsigned a, unsigned b) { return a * b; });
  check("bits", x->bits, [](unsigned a, unsigned b) { return a ^ b; });
  check("many bits", x->many, [](unsigned a, unsigned b) { return a & b; });
  check("fragments of bits", x->same, [](unsigned a, unsigned b) { return a & b; }, 1);
  check("e4m3 and e5m2", x->floats, [](unsigned a, unsigned b) {
    __nv_fp8_e4m3 left;
    __nv_fp8_e5m2 right;
    left.__x = (unsigned char)a, right.__x = (unsigned char)b;
    return (float)left * (float)right;
  });
  puts("done");
}
