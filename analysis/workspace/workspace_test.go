package workspace

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/google/go-cmp/cmp"

	"github.com/warplint/warplint/analysis/source"
)

// Each archive in testdata holds the files of a workspace. Its prose says what it shows and ends
// with lines
//
//	FILE: UNIT + FILE + FILE, UNIT
//
// that say in which units a file is looked at, and with which others.
func TestUnits(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no test data", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			x := New()
			for _, f := range archive.Files {
				x.Set(source.New(f.Name, string(f.Data)), nil)
			}
			asked := 0
			for line := range strings.Lines(string(archive.Comment)) {
				name, want, ok := strings.Cut(strings.TrimSpace(line), ": ")
				if !ok || !strings.Contains(filepath.Base(name), ".") || strings.Contains(name, " ") {
					continue
				}
				asked++
				if diff := cmp.Diff(want, described(x.Units(name))); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
			if asked == 0 {
				t.Error("the archive asks nothing")
			}
		})
	}
}

func described(units []Unit) string {
	var all []string
	for _, u := range units {
		all = append(all, strings.Join(append([]string{u.Path}, u.With...), " + "))
	}
	return strings.Join(all, ", ")
}

// What is taken out, or set to another text, is as if it had never been there.
func TestUpdates(t *testing.T) {
	x := New()
	set := func(path, text string) { x.Set(source.New(path, text), nil) }
	want := func(what, units string) {
		t.Helper()
		if got := described(x.Units("b.cu")); got != units {
			t.Errorf("%s: %s, want %s", what, got, units)
		}
	}
	set("b.cu", "__global__ void k() {}")
	want("alone", "b.cu")
	set("a.cu", "void run() { k<<<1, 1>>>(); }")
	want("with a launch", "b.cu + a.cu")
	version := x.Version()
	set("a.cu", "// a comment\nvoid run() { k<<<2, 1>>>(); }")
	if x.Version() != version {
		t.Error("an edit that changes no name changes the version")
	}
	set("a.cu", "void run() { other<<<1, 1>>>(); }")
	want("with another launch", "b.cu")
	if x.Version() == version {
		t.Error("an edit of a name does not change the version")
	}
	set("a.cu", "#include \"b.cu\"\nvoid run() { k<<<1, 1>>>(); }")
	want("included", "a.cu")
	x.Remove("a.cu")
	want("without it", "b.cu")
	x.Remove("b.cu")
	for name, m := range map[string]int{"files": len(x.files), "defined": len(x.defined), "used": len(x.used), "named": len(x.named), "naming": len(x.naming), "uses": x.uses} {
		if m != 0 {
			t.Errorf("%s is not empty", name)
		}
	}
}

// An index that is full takes no more.
func TestBounds(t *testing.T) {
	x := New()
	for i := range MaxFiles {
		if !x.Set(source.New(fmt.Sprintf("%d.cu", i), ""), nil) {
			t.Fatalf("file %d is refused", i)
		}
	}
	if x.Set(source.New("more.cu", ""), nil) || x.Files() != MaxFiles {
		t.Errorf("%d files, want %d", x.Files(), MaxFiles)
	}
	if !x.Set(source.New("1.cu", "void f() {}"), nil) {
		t.Error("the new text of a file is refused")
	}
}

// BenchmarkUnits asks for one of a thousand files that all use some common names.
func BenchmarkUnits(b *testing.B) {
	x := New()
	for i := range 1000 {
		x.Set(source.New(fmt.Sprintf("/w/%d/k.cu", i), "#include \"../common.h\"\n__global__ void k() { f(); }\n"), nil)
		x.Set(source.New(fmt.Sprintf("/w/%d/main.cu", i), "#include \"../common.h\"\nint main() { check(k<<<1, 1>>>()); }\n"), nil)
	}
	x.Set(source.New("/w/common.h", "inline void check() {}\n"), nil)
	for b.Loop() {
		x.Units("/w/500/k.cu")
	}
}
