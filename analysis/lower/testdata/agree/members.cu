// Operators of classes, inheritance, nested and anonymous members.

struct Big { unsigned lo, hi; Big(unsigned l = 0, unsigned h = 0) : lo(l), hi(h) {} Big &operator++() { if (++lo == 0) ++hi; return *this; } Big operator++(int) { Big old = *this; ++*this; return old; } Big &operator+=(const Big &o) { unsigned s = lo + o.lo; hi += o.hi + (s < lo); lo = s; return *this; } friend Big operator+(Big a, const Big &b) { a += b; return a; } bool operator<(const Big &o) const { return hi != o.hi ? hi < o.hi : lo < o.lo; } bool operator!() const { return !lo && !hi; } explicit operator bool() const { return lo || hi; } explicit operator unsigned long long() const { return (unsigned long long)hi << 32 | lo; } Big operator-() const { Big r(~lo, ~hi); return ++r; } Big operator<<(int n) const { return Big(lo << n, hi << n | (n ? lo >> (32 - n) : 0)); } unsigned operator[](int i) const { return i ? hi : lo; } unsigned operator()(unsigned m) const { return (lo ^ hi) % m; } Big *operator->() { return this; } };
__global__ void bigOperators(const int *in, long long *out) {
  Big a(in[0], in[1]), b(in[2]); Big c = a + b; out[0] = (unsigned long long)c; Big d = c++; out[1] = (unsigned long long)d ^ (unsigned long long)++c; out[2] = (a < b) + 2 * (b < a) + 4 * !b; out[3] = (unsigned long long)-a; out[4] = (unsigned long long)(a << (in[3] & 15)); out[5] = a[in[4] & 1] + a->lo; out[6] = a(1000) + Big()(7); if (b) out[7] = 1; out[7] += b ? 10 : 20; a += a; a += 3u; out[7] = out[7] * 1000 + a[1] % 100;
}
struct Animal { int legs; Animal(int l) : legs(l) {} virtual int sound(int x) const { return x; } virtual ~Animal() {} int twice(int x) const { return sound(x) + sound(x + 1); } };
struct Dog : Animal { Dog() : Animal(4) {} int sound(int x) const override { return x * 10 + legs; } }; struct Puppy final : Dog { int age; Puppy(int a) : age(a) { legs--; } int sound(int x) const override { return Dog::sound(x) - age; } };
static int listen(const Animal &a, int x) { return a.twice(x); }
__global__ void overridden(const int *in, long long *out) {
  Animal a(2); Dog d; Puppy p(in[0] & 15); out[0] = listen(a, in[1] & 255); out[1] = listen(d, in[1] & 255); out[2] = listen(p, in[1] & 255); Animal *all[3] = {&a, &d, &p}; for (int i = 0; i < 3; i++) out[3] += all[i]->sound(i); out[4] = all[in[2] & 1]->sound(5); const Dog &r = p; out[5] = r.sound(1) + r.Animal::sound(2); Dog copy = p; out[6] = copy.sound(1); out[7] = all[2]->legs * 10 + copy.legs;
}
struct Left { int l; Left(int v) : l(v) {} int id() const { return l; } }; struct Right { int r; Right(int v) : r(v) {} int id() const { return r * 2; } }; struct Both : Left, Right { using Left::Left; int own; Both(int a, int b) : Left(a), Right(b), own(a ^ b) {} int all() const { return Left::id() + Right::id() + own; } };
__global__ void severalBases(const int *in, long long *out) {
  Both b(in[0] & 1023, in[1] & 1023); out[0] = b.all(); Right &r = b; r.r = 7; out[1] = b.all(); Left *l = &b; l->l++; out[2] = b.l; out[3] = static_cast<Both *>(l)->own; Both c = b; c.r = 1; out[4] = b.r * 10 + c.r; out[5] = b.Right::id(); Left cut = b; cut.l = 0; out[6] = b.l + cut.id();
}
struct Mixed { int tag; union { int i; float f; struct { short lo, hi; }; unsigned char b[4]; }; struct { int x, y; } at; struct Deep { int k; struct { int m[2]; } in; } deep; };
__global__ void anonymousMembers(const int *in, long long *out) {
  Mixed m = {}; m.i = in[0]; out[0] = m.lo; out[1] = m.hi; m.b[2] = 9; out[2] = m.i; m.f = 2.5f; out[3] = m.i; m.at.x = in[1]; m.at.y = m.at.x ^ 3; out[4] = m.at.y; m.deep.in.m[in[2] & 1] = 4; out[5] = m.deep.in.m[0] * 10 + m.deep.in.m[1]; Mixed n = m; n.at.x++; out[6] = n.at.x - m.at.x + sizeof(Mixed); Mixed::Deep d{3, {{4, 5}}}; out[7] = d.k + d.in.m[in[3] & 1];
}
union Number { unsigned long long u; double d; long long s; struct { unsigned lo, hi; } w; unsigned short h[4]; Number(double x) : d(x) {} Number(unsigned a, unsigned b) { w.lo = a; w.hi = b; } int exponent() const { return (w.hi >> 20 & 0x7ff) - 1023; } };
__global__ void doubleParts(const int *in, long long *out) {
  Number n((double)in[0]); out[0] = n.u; out[1] = n.exponent(); n.w.hi ^= 0x80000000u; out[2] = (long long)n.d; Number m(in[1], in[2] & 0x3fffffff); out[3] = m.s; out[4] = m.h[in[3] & 3]; m.h[1] = 5; out[5] = m.w.lo; Number c = m; c.u++; out[6] = c.u - m.u; Number a[2] = {Number(1.0), Number(1u, 2u)}; out[7] = a[in[4] & 1].h[2];
}
struct Node { int v; Node *next; }; struct List { Node *head = nullptr; int n = 0; void push(Node *x) { x->next = head; head = x; n++; } int at(int i) const { Node *p = head; while (p && i--) p = p->next; return p ? p->v : -1; } void reverse() { Node *r = nullptr; for (Node *p = head; p;) { Node *q = p->next; p->next = r; r = p; p = q; } head = r; } };
__global__ void lists2(const int *in, long long *out) {
  Node nodes[5]; List l; for (int i = 0; i < 5; i++) { nodes[i].v = in[i]; l.push(&nodes[i]); } out[0] = l.at(0); out[1] = l.at(in[5] & 3); l.reverse(); out[2] = l.at(0) ^ l.n; out[3] = l.at(9); int s = 0; for (const Node *p = l.head; p != nullptr; p = p->next) s = s * 3 + (p->v & 7); out[4] = s; l.head->next = l.head->next->next; out[5] = l.at(1);
}
struct Ring { int buf[8], head = 0, tail = 0; bool push(int x) { int t = (tail + 1) & 7; if (t == head) return false; buf[tail] = x; tail = t; return true; } bool pop(int &x) { if (head == tail) return false; x = buf[head]; head = (head + 1) % 8; return true; } int size() const { return (tail - head) & 7; } };
__global__ void rings(const int *in, long long *out) {
  Ring q; for (int i = 0; i < 8; i++) { if (!q.push(in[i])) out[0] = i; int x; if ((in[i] & 3) == 0 && q.pop(x)) out[1] ^= x; } out[2] = q.size(); int y = -1; while (q.pop(y)) out[3] = out[3] * 7 + (y & 15); out[4] = y; out[5] = q.pop(y); out[6] = q.head;
}
static int level = 3; static int scaleOf(int x) { return x * 2; } static int inherited() { return 7; } enum { width = 9 }; struct AddTo { int k; int operator()(int x) const { return x + k; } }; struct Under { int level, depth; int inherited() const { return depth; } };
struct Hiding : Under { int width; AddTo scaleOf; int run(int x) { level += x; width = scaleOf(x) + inherited(); auto f = [&] { depth += level; return width; }; { int level = 8; depth += level; } return f() + ::scaleOf(x) + ::inherited() + ::level; } template <typename T> T cast(T level) const { return level + T(width); } };
__global__ void hidingNames(const int *in, long long *out) {
  Hiding h; h.level = in[0] & 255; h.depth = in[1] & 255; h.width = 0; h.scaleOf.k = in[2]; out[0] = h.run(in[3] & 15); out[1] = h.level; out[2] = h.depth; out[3] = h.cast<short>(in[4]); out[4] = level + width + scaleOf(in[5]) + inherited();
}
enum Plain { none, some = 7 }; enum Wide { top = 0x80000000, all = top | 1 }; enum Fixed : unsigned { fixed = 1 };
__global__ void enumSigns(const int *in, long long *out) {
  Plain p = in[0] > 0 ? some : none; out[0] = p - 9; out[1] = (p < -1) + 2 * (some - 8 < 0); Wide w = in[1] > 0 ? top : all; out[2] = w - 1; out[3] = w > 0; out[4] = fixed - 2; Fixed f = fixed; out[5] = (f - 2 > 0) + sizeof(p + 0); out[6] = -some; out[7] = ~top + in[2];
}
__global__ void functionalCasts(const int *in, long long *out) {
  int a = in[0], b = in[1]; out[0] = (unsigned(a) * unsigned(b)); out[1] = (unsigned(a) & unsigned(b)) != 0; out[2] = (short(a) + short(b)) - long(in[2]); out[3] = max(unsigned(a), unsigned(b)); long t[2] = {long(a), short(b)}; out[4] = t[in[3] & 1]; unsigned u(a), v = unsigned(b) % 7u; out[5] = u ^ v; out[6] = a > 0 ? unsigned(b) : signed(a); out[7] = -long(a) + (unsigned char)(b) + unsigned{3};
}
