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
	u := parse(t, "void f() { int x = ; }\nvoid g() {}")
	if !u.Root.HasError {
		t.Error("no error")
	}
	found := false
	for n := range u.Root.All() {
		found = found || n.Missing || n.Kind == "ERROR"
	}
	if !found {
		t.Error("no ERROR and nothing Missing")
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
