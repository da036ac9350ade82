package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFixLeavesWhatOthersChange: a file that somebody else changes meanwhile stays as that has it, and costs the others nothing.
func TestFixLeavesWhatOthersChange(t *testing.T) {
	t.Chdir(t.TempDir())
	const text = "__global__ void k(int *n) { atomicAdd_block(n, 1); }\nvoid run(int *n) { k<<<2, 32>>>(n); }\n"
	for _, name := range []string{"a.cu", "b.cu"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c, err := newChecker(&sourceFlags{z3: "none"})
	if err != nil {
		t.Fatal(err)
	}
	found, _ := c.open(t.Context(), []string{"."})
	const theirs = "// theirs\n" + text
	if err := os.WriteFile("a.cu", []byte(theirs), 0o644); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	c.fix(t.Context(), found, filepath.ToSlash, &said)
	if got := said.String(); !strings.Contains(got, "a.cu is not changed: it was changed in the meantime\n") || !strings.Contains(got, "b.cu: 1 finding mended by 1 change\n") {
		t.Errorf("said %q", got)
	}
	for name, want := range map[string]string{"a.cu": theirs, "b.cu": strings.Replace(text, "_block", "", 1)} {
		if got, _ := os.ReadFile(name); string(got) != want {
			t.Errorf("%s holds %q", name, got)
		}
	}
}
