package toolchain

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// A precompiled header changes nothing in what is compiled, and one that is of no use any more is replaced.
func TestPrelude(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	const text = "#include <cuda_runtime.h>\n#include <cooperative_groups.h>\n__global__ void k(float *a) {\n  cooperative_groups::this_grid().sync();\n  a[threadIdx.x] = sinf(a[0]) + max(1.0f, a[1]);\n}\n"
	want := device(t, &Options{Defines: []string{"ANY"}}, text).PTX
	kept := func() string {
		t.Helper()
		paths, err := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "warplint", "prelude-*", precompiled))
		if err != nil || len(paths) != 1 {
			t.Fatal("precompiled are", paths, err)
		}
		return paths[0]
	}
	for _, spoil := range []string{"", "no header at all", "", "CPCH", ""} {
		if spoil != "" {
			if err := os.WriteFile(kept(), []byte(spoil), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := device(t, &Options{}, text).PTX; withoutPaths(got) != withoutPaths(want) {
			t.Errorf("spoiled by %q, the PTX is\n%s\nwant\n%s", spoil, got, want)
		}
	}
}

var comment = regexp.MustCompile(`(?m)//.*$|^\s*\.file.*$`)

func withoutPaths(ptx string) string { return comment.ReplaceAllString(ptx, "") }
