package lower

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/syntax"
)

// version lowers a text as the next one of a file; cache and previous may be nil.
func version(text string, cache *Cache, previous *syntax.Unit) (*ir.Module, *syntax.Unit) {
	files := source.Map{"a.cu": source.New("a.cu", text)}
	u := syntax.Parse(context.Background(), files, "a.cu", syntax.Config{}, previous)
	return ModuleFor(context.Background(), u, "a.cu", cache), u
}

// places prints a module with all that its sites say, and which of its kernels are launched.
func places(m *ir.Module) string {
	var b strings.Builder
	for _, f := range append(append([]*ir.Func{}, m.Kernels...), m.Hosts...) {
		fmt.Fprintln(&b, f.Span)
		_ = ir.Print(&b, f, true)
		for _, s := range f.Sites {
			fmt.Fprintln(&b, s)
		}
		ir.WalkStmts(f.Body, func(s ir.Stmt) bool {
			if l, ok := s.(*ir.Launch); ok {
				fmt.Fprintln(&b, "kernel", slices.Index(m.Kernels, l.Kernel))
			}
			return true
		})
	}
	return b.String()
}

// What a function says is not a part of the text that it was lowered from: whoever keeps the function would keep all of the text.
func TestFunctionsDoNotKeepTheText(t *testing.T) {
	for name, text := range seeds(t) {
		m, u := version(text, NewCache(4096), nil)
		begin := uintptr(unsafe.Pointer(unsafe.StringData(u.Text)))
		seen := map[any]bool{}
		var walk func(v reflect.Value)
		walk = func(v reflect.Value) {
			switch v.Kind() {
			case reflect.String:
				at := uintptr(unsafe.Pointer(unsafe.StringData(v.String())))
				if v.Len() > 0 && begin <= at && at < begin+uintptr(len(u.Text)) {
					t.Errorf("%s: %q", name, v.String())
				}
			case reflect.Pointer:
				if !v.IsNil() && !seen[v.Pointer()] {
					seen[v.Pointer()] = true
					walk(v.Elem())
				}
			case reflect.Interface:
				walk(v.Elem())
			case reflect.Slice, reflect.Array:
				for i := range v.Len() {
					walk(v.Index(i))
				}
			case reflect.Struct:
				for i := range v.NumField() {
					walk(v.Field(i))
				}
			}
		}
		walk(reflect.ValueOf(m))
	}
}

// Whatever is typed, a kernel from the cache is what it would be if it were lowered anew, and
// stands where it stands now.
func TestReuseChangesNothing(t *testing.T) {
	for name, text := range seeds(t) {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, uint64(len(text))))
			cache := NewCache(4096)
			var unit *syntax.Unit
			var m *ir.Module
			kernels := 0
			for range 60 {
				m, unit = version(text, cache, unit)
				fresh, _ := version(text, nil, nil)
				if diff := cmp.Diff(places(fresh), places(m)); diff != "" {
					t.Fatalf("with the cache (+), and without (-):\n%s\nof\n%s", diff, text)
				}
				kernels += len(m.Kernels)
				text = mutated(random, text)
			}
			if kernels > 200 && cache.Lowered() > kernels*9/10 {
				t.Errorf("%d of %d kernels were lowered", cache.Lowered(), kernels)
			}
		})
	}
}

// seeds are the texts of the tests of lowering and of the rules.
func seeds(t testing.TB) map[string]string {
	t.Helper()
	out := map[string]string{}
	archives, _ := filepath.Glob("testdata/*.txtar")
	for _, path := range archives {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			if f.Name == "a.cu" {
				out[filepath.Base(path)] = string(f.Data)
			}
		}
	}
	files, _ := filepath.Glob("../rules/*/testdata/*.cu")
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(path)] = string(text)
	}
	if len(out) < 10 {
		t.Fatalf("only %d texts", len(out))
	}
	return out
}

// mutated makes an edit as people make them: in white space, comments, names, numbers, lines, and what is half typed.
func mutated(r *rand.Rand, text string) string {
	lines := strings.SplitAfter(text, "\n")
	i := r.IntN(len(lines))
	switch r.IntN(8) {
	case 0:
		lines[i] = "\n" + lines[i]
	case 1:
		lines[i] = "/* a comment */ " + lines[i]
	case 2:
		lines[i] = strings.Replace(lines[i], " ", "  ", 1)
	case 3:
		lines[i] = strings.NewReplacer("1", "2", "2", "1", "+", "-", "int", "float").Replace(lines[i])
	case 4:
		lines[i] = ""
	case 5:
		j := r.IntN(len(lines))
		lines[i], lines[j] = lines[j], lines[i]
	case 6:
		j := r.IntN(len(lines))
		lines[i] += lines[j]
	case 7:
		from := r.IntN(len(lines[i]) + 1)
		lines[i] = lines[i][:from] + lines[i][min(from+r.IntN(16), len(lines[i])):]
	}
	return strings.Join(lines, "")
}

// What a kernel can't name, it does not depend on; what it can, it does.
func TestClosures(t *testing.T) {
	const text = `
struct A { int x; __device__ int get() const; };
__device__ int A::get() const { return x; }
namespace n { __device__ int inner(int x) { return x; } }
typedef A Alias;
template <typename T> __device__ int generic(T x) { return 1; }
template <> __device__ int generic<int>(int x) { return 2; /* two */ }
enum E { first = 3 };
__device__ int table[4];
__global__ void k(int *out, Alias a) {
    out[threadIdx.x] = a.get() + n::inner(1) + generic(2) + first + table[0];
}
__device__ int unrelated(int x) { return x; }
__global__ void other(int *out) { out[0] = unrelated(1); }
`
	for _, test := range []struct {
		what, old, text string
		lowered         int
	}{
		{"a member function", "return x; }\nnamespace", "return x + 1; }\nnamespace", 1},
		{"a function of a namespace", "inner(int x) { return x", "inner(int x) { return x + 1", 1},
		{"a class behind an alias", "struct A { int x;", "struct A { int y, x;", 1},
		{"an alias", "typedef A Alias;", "struct B : A { int z; }; typedef B Alias;", 1},
		{"a specialization", "return 2;", "return 3;", 1},
		{"an enumerator", "first = 3", "first = 4", 1},
		{"a variable's size", "table[4]", "table[5]", 1},
		{"a better overload", "enum E", "__device__ int generic(int x) { return 7; }\nenum E", 1},
		{"an operator", "enum E", "__device__ A operator+(A a, A b) { return a; }\nenum E", 2},
		{"a new function", "enum E", "__device__ int nobody(int x) { return 7; }\nenum E", 0},
		{"what the other kernel uses", "unrelated(int x) { return x", "unrelated(int x) { return -x", 1},
		{"blanks between", "enum E", "\n\n   enum E", 0},
		{"typing in a comment", "/* two */", "/* it is two */", 0},
	} {
		cache := NewCache(4096)
		_, unit := version(text, cache, nil)
		before := cache.Lowered()
		edited := strings.Replace(text, test.old, test.text, 1)
		if edited == text || before != 2 {
			t.Fatalf("%s: %d kernels at first", test.what, before)
		}
		version(edited, cache, unit)
		if got := cache.Lowered() - before; got != test.lowered {
			t.Errorf("%s: %d kernels lowered again, want %d", test.what, got, test.lowered)
		}
	}
}

// A host function that launches in a loop is taken from the cache while what it can name stays the same.
func TestHostsAreKept(t *testing.T) {
	const text = `
__global__ void k(int *out, int n) { out[threadIdx.x] = n; }
__global__ void other(int *out) { out[0] = 1; }
template <typename T> __global__ void generic(T *out) { out[0] = 1; }
void run(int *out) { for (int i = 0; i < 8; i++) k<<<1, 32>>>(out, i); }
void others(int *out) { other<<<1, 32>>>(out); }
void generics(int *out) { generic<<<1, 32>>>(out); }
`
	cache := NewCache(4096)
	m, unit := version(text, cache, nil)
	again, _ := version(strings.Replace(text, "out[0] = 1", "out[0] = 2", 1), cache, unit)
	first := func(m *ir.Module) ir.Stmt { return m.Hosts[0].Body[0] }
	launch := func(m *ir.Module, host int) (found *ir.Launch) {
		ir.WalkStmts(m.Hosts[host].Body, func(s ir.Stmt) bool {
			if l, ok := s.(*ir.Launch); ok {
				found = l
			}
			return true
		})
		return found
	}
	if first(m) != first(again) {
		t.Error("a host function whose kernel stayed the same was lowered again")
	}
	for host, kernel := range []string{"k", "other", "generic"} {
		if l := launch(again, host); l.Kernel.Name != kernel || !slices.Contains(again.Kernels, l.Kernel) || l == launch(m, host) {
			t.Errorf("host %d launches %s of the old module", host, l.Kernel.Name)
		}
	}
}

// A host function brings about more than its launches where what it launches is no kernel, as while __global__ is being typed.
func TestHostsWithOthersAreNotKept(t *testing.T) {
	const text = "void k(int *out) { out[0] = threadIdx.x; }\nvoid run(int *out) { k<<<1, 32>>>(out); }\n"
	cache := NewCache(4096)
	first, unit := version(text, cache, nil)
	again, _ := version(text, cache, unit)
	if diff := cmp.Diff(places(first), places(again)); diff != "" {
		t.Errorf("with the cache (+), and without (-):\n%s", diff)
	}
}

// BenchmarkRelower parses and lowers all archives again after an edit of one number in each.
func BenchmarkRelower(b *testing.B) {
	for name, text := range seeds(b) {
		at := strings.LastIndex(text, "1")
		if at < 0 {
			continue
		}
		b.Run(name, func(b *testing.B) {
			cache := NewCache(4096)
			_, unit := version(text, cache, nil)
			i := 0
			for b.Loop() {
				i++
				_, unit = version(fmt.Sprintf("%s%d%s", text[:at], i, text[at+1:]), cache, unit)
			}
		})
	}
}
