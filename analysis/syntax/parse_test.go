package syntax

import (
	"context"
	"testing"

	"github.com/warplint/warplint/analysis/source"
)

func parse(t testing.TB, text string) *Unit {
	t.Helper()
	files := source.Map{"a.cu": source.New("a.cu", text)}
	return Parse(context.Background(), files, "a.cu", Config{}, nil)
}

func TestParse(t *testing.T) {
	u := parse(t, "__global__ void k(int *p) {\n  p[threadIdx.x] = 1; // one\n}\nint main() { k<<<1, 32>>>(0); }\n")
	if u.Root.Kind != "translation_unit" || u.Root.HasError || len(u.Items()) != 2 {
		t.Fatalf("root %+v", u.Root)
	}
	k := u.Items()[0]
	if k.Kind != "function_definition" || u.Slice(k.Child("declarator").Child("declarator")) != "k" {
		t.Errorf("kernel %s %q", k.Kind, u.Slice(k))
	}
	for n := range u.Root.All() {
		if n.Kind == "comment" {
			t.Error("a comment is in the tree")
		}
		for _, c := range n.Children {
			if c.Start < n.Start || c.End > n.End {
				t.Errorf("%s %d-%d sticks out of %s %d-%d", c.Kind, c.Start, c.End, n.Kind, n.Start, n.End)
			}
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, text := range []string{
		"void f() { int x = ; }\nvoid g() {}",
		"void f(int i) { while (true) { x\nbreak; } }",
		"void f(int i) { i +\nreturn; }",
		"void f(int i) { int\nif = i; }",
		"template\n__global__ void k(int *p) { }",
	} {
		u := parse(t, text)
		if !u.Root.HasError {
			t.Errorf("%q has no error", text)
		}
		found := false
		for n := range u.Root.All() {
			found = found || n.Missing || n.Kind == "ERROR"
		}
		if !found {
			t.Errorf("%q has no ERROR and nothing Missing", text)
		}
	}
}

func TestParseCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	u := Parse(ctx, source.Map{"a.cu": source.New("a.cu", "int x;")}, "a.cu", Config{}, nil)
	if u.Root == nil || !u.Root.HasError {
		t.Errorf("root %+v", u.Root)
	}
}

// TestMissing ends texts where the grammar then adds a token.
func TestMissing(t *testing.T) {
	for _, text := range []string{"template <class T", "x = f<", "int x = (", "void f() { a = (size_t)", "namespace n", "int a[", "x = -", "typeid", "new T *", "new"} {
		for end := range len(text) + 1 {
			u := parse(t, text[:end])
			checkTree(t, u, u.Root)
		}
	}
}
