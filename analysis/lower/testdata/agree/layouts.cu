// Where members lie: packing, alignment, padding that what derives uses, bit-fields.

#pragma pack(push, 1)
struct Header { char kind; int length; };
#pragma pack(push, 2)
struct Pair { char a; double b; template <class T> struct In { char c; T t; }; };
#pragma pack(pop)
struct Tight { short s; Pair p; enum class E : short { a } e; long long w; };
#pragma pack(pop)
struct Loose { char kind; int length; };
struct __attribute__((packed)) Front { char a; int b; };
struct Back { char a; int b; } __attribute__((packed));
struct packed_by_name_only { char a; int b; };
struct Members { char a; alignas(16) int b; char c; int d __attribute__((packed)); char e; __attribute__((aligned(8))) int f; };
typedef int wide __attribute__((aligned(16)));
struct Wide { char a; wide b; };
struct Constructed { Constructed() {} int a; char b; };
struct Plain { int a; char b; };
class Hidden { int a; char b; };
struct Begun { int a = 0; char b; };
struct OfConstructed : Constructed { char c; };
struct OfPlain : Plain { char c; };
struct OfHidden : Hidden { char c; };
struct OfBegun : Begun { char c; };
struct Nothing {};
struct Twice : Nothing { Nothing n; char c; };
struct Seen { virtual int f() { return 0; } int a; };
struct Later : Plain, Seen { char c; };
struct Bits { unsigned a : 4; unsigned char b; int c : 20; int d : 20; int : 0; char e : 3; long long : 40; short f; bool g : 1; };
struct __attribute__((packed)) Crowd { unsigned a : 6; unsigned b : 9; char c; };
struct Ended { int a; char b : 3; int : 0; };

__global__ void packs(const int *in, long long *out) {
  out[0] = sizeof(Header); out[1] = offsetof(Header, length); out[2] = offsetof(Pair, b); out[3] = sizeof(Tight); out[4] = offsetof(Tight, w); out[5] = sizeof(Loose); out[6] = offsetof(Pair::In<double>, t); out[7] = alignof(Pair);
}
__global__ void attributes(const int *in, long long *out) {
  out[0] = sizeof(Front); out[1] = sizeof(Back); out[2] = sizeof(packed_by_name_only); out[3] = offsetof(Members, b); out[4] = offsetof(Members, d); out[5] = offsetof(Members, f); out[6] = sizeof(Members) + 1000 * offsetof(Wide, b); out[7] = sizeof(Wide);
}
__global__ void derived(const int *in, long long *out) {
  out[0] = sizeof(OfConstructed); out[1] = sizeof(OfPlain); out[2] = sizeof(OfHidden); out[3] = sizeof(OfBegun); out[4] = offsetof(Twice, c); out[5] = sizeof(Twice); out[6] = sizeof(Later);
}
__global__ void bit_fields(const int *in, long long *out) {
  Bits b[2]; memset(b, 0, sizeof b); unsigned char *at = (unsigned char *)b;
  b[0].a = in[0]; b[0].b = in[1]; b[0].c = in[2]; b[0].d = in[3]; b[0].e = in[4]; b[0].f = in[5]; b[0].g = in[6] & 1;
  out[0] = sizeof(Bits); out[1] = sizeof(Crowd); out[2] = sizeof(Ended);
  for (int i = 0; i < (int)sizeof(Bits); i++) out[3] = out[3] * 31 + at[i];
  out[4] = b[0].c + b[0].d; out[5] = b[0].e * 100 + b[0].g; out[6] = b[0].a + b[0].b;
  Crowd c; memset(&c, 0, sizeof c); c.a = in[0]; c.b = in[1]; out[7] = c.a * 1000 + c.b;
}
