package syntax

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/source"
)

// What files include is parsed for one of them, and the others get the same tree as without that.
func TestIncludedTextIsParsedOnce(t *testing.T) {
	const header = "namespace n {\nint f(int x) { return x + 1; }\nstruct S { int a, b; };\n}\nint g();\n"
	files := source.Map{"h.h": source.New("h.h", header)}
	for i := range 3 {
		path := fmt.Sprint(i, ".cu")
		files[path] = source.New(path, strings.Repeat("\n", i)+"#include \"h.h\"\n"+fmt.Sprintf("__global__ void k%d() { n::f(%d); }\n", i, i))
	}
	known := NewIncluded(1 << 10)
	first := ParseWith(context.Background(), files, "0.cu", Config{}, nil, known)
	for i := 1; i < 3; i++ {
		path := fmt.Sprint(i, ".cu")
		u := ParseWith(context.Background(), files, path, Config{}, nil, known)
		if u.Parsed != 1 || first.Parsed <= 1 {
			t.Errorf("%s: %d pieces were parsed, of the first file %d", path, u.Parsed, first.Parsed)
		}
		if got, want := outline(u), outline(Parse(context.Background(), files, path, Config{}, nil)); got != want {
			t.Errorf("%s: with the memory\n%s\nwithout\n%s", path, got, want)
		}
	}
}

func outline(u *Unit) string {
	var b strings.Builder
	for n := range u.Root.All() {
		fmt.Fprintf(&b, "%s %s %d-%d %d\n", n.Kind, n.Field, n.Start, n.End, len(n.Children))
	}
	return b.String()
}

// Of more text than there is room for, what was asked for last is kept.
func TestIncludedTextIsForgotten(t *testing.T) {
	known := NewIncluded(80)
	piece := func(i int) *chunk {
		return &chunk{text: fmt.Sprintf("int a%08d;", i), branches: branches{nodes: make([]Node, 1)}}
	}
	for i := range 100 {
		known.keep([]*chunk{piece(i)})
		if missing := known.take([]*chunk{piece(0), piece(i)}); len(missing) > 0 {
			t.Fatalf("%d pieces are missing after %d", len(missing), i)
		}
	}
	if n := len(known.recent) + len(known.old); n > 4 {
		t.Errorf("%d pieces are kept", n)
	}
}
