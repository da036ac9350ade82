package syntax

import (
	"strings"
	"testing"
)

// TestSplit writes each text with a bar where a piece should end.
func TestSplit(t *testing.T) {
	for _, text := range []string{
		"",
		"int x;| int y;|",
		"void f() { if (a) { b; } }| void g();|",
		"struct A { int x; };| struct { int y; } b;| enum E { c };|",
		"struct A f() { return {}; }| union U { int a; } u = { 1 };|",
		"typedef struct alignas(16) { int x; } B;| class C : public D<decltype(f(1))> { void f() {} };|",
		"int a[] = { 1, 2 };| auto l = [](int x) { return x; };| int b{3};|",
		"template <class T = int, int N = (3 > 2)> void f() { }| template <> struct S<int> { };|",
		"template <typename T, typename = std::enable_if_t<(sizeof(T) > 4)>> __global__ void k(T *p) { }| int x;|",
		"namespace a {| namespace b::c {| int x;| }| void f() {}| }| int y;|",
		"namespace x = y;| using namespace std;| inline namespace v1 {| }| namespace [[deprecated]] n {| int i;| }|",
		"extern \"C\" {| void f();| }| extern \"C\" void g() { }| extern \"C\" int h;|",
		"A::A() : x(1), y{2}, z<int>{3} { f(); }| A::~A() {}|",
		"void f() try { } catch (int) { } catch (...) { }| int x;|",
		"bool operator==(A a, A b) { return true; }| A &A::operator=(const A &) { }| void operator()() { }|",
		"void f() {};| int x;|",
		"int A::operator[](int i) { return i; }| A operator+(A a, A b) { return a; }| operator int() { }| int x;|",
		"__global__ void __launch_bounds__(256, 2) k(int *p) { p[0] = '{'; s = \"}\"; }| int x;|",
		"template <class T> concept C = requires(T t) { t.x; };| int x;|",
		"template <class T> requires requires(T t) { t.x; } void f(T t) { }| int x;|",
		"auto f() -> decltype(g()) { }| void h() const noexcept(true) { }|",
		"void f(int x = [] { return 1; }()) { }| int y;|",
		"int x;| }| int y;|",
		"void f(int) { g(h; }| int y;|",
		"namespace a {| int x| }|",
		"void f(int a {\n  g();\n}|\nint x;|",
		"void f() {\n  if (x) {\n}|\nvoid g() { }|\n",
		"namespace a {|\nvoid f() {\n  if (x) {\n}|\n__global__ void g() { }|\n}|\nint x;|",
		"int x = a ?|\n__global__ void k() { }|\nconst char *s = \"open;|\n__global__ void g() { }|",
		"struct A {\n  int x;|\nstatic int y;|",
		"R(k, g)|\n__global__ void k() {}| R(f)\nS(g)|\nnamespace a {| R(int)| at::T<int> f() {}| R(f)| template <class T> T g();| R(f)| T *h();|",
		"API(void) f(int) {}| API(void) A::f() {}| f(int i) {}| R(f);| R(f) { int x; }| TYPE(int) x;| R(f)| T x;| E(f) A(g) {}| A::A() {}|",
	} {
		var got strings.Builder
		last := 0
		plain := strings.ReplaceAll(text, "|", "")
		for _, p := range split(plain) {
			got.WriteString(plain[last:p.end] + "|")
			last = p.end
		}
		got.WriteString(plain[last:])
		if got.String() != text {
			t.Errorf("\ngot  %q\nwant %q", got.String(), text)
		}
	}
}
