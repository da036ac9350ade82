package toolchain

import (
	"slices"
	"strings"
	"testing"

	"github.com/warplint/warplint/dynamic/ptx"
)

func TestInlinedCallsAreNamed(t *testing.T) {
	m := device(t, &Options{}, `
__device__ __forceinline__ void put(int *at, int v) { *at = v; }
template <class T> __device__ __forceinline__ void outer(T *a) {
  put(a + 1, 2);
}
__global__ void k(int *a) {
  outer(a);
  put(a, 1);
  a[2] = 3;
}`)
	parsed, err := ptx.Parse(m.PTX)
	if err != nil {
		t.Fatalf("%v in\n%s", err, m.PTX)
	}
	var got []string
	for _, l := range parsed.Locations {
		// The stores, by their lines, with the lines of the calls around them.
		var lines []string
		for at := l; ; at = parsed.Locations[at.InlinedAt] {
			lines = append(lines, string(rune('0'+at.Line)))
			if at.InlinedAt == 0 {
				break
			}
		}
		got = append(got, strings.Join(lines, " in "))
	}
	for _, want := range []string{"2 in 4 in 7", "2 in 8", "9"} {
		if !slices.Contains(got, want) {
			t.Errorf("no location is %s; there are %q", want, got)
		}
	}
	if strings.Contains(m.PTX, "26843545") {
		t.Error("a number is left over")
	}
}

func FuzzInlining(f *testing.F) {
	f.Add("!1 = !DIFile(filename: \"a.cu\", directory: \"/d\")\n!2 = distinct !DISubprogram(name: \"f\", file: !1)\n"+
		"!3 = !DILocation(line: 1, column: 2, scope: !2, inlinedAt: !4)\n!4 = distinct !DILocation(line: 5, scope: !2)\n",
		"\t.loc\t1 268435456 2\n\t.file\t1 \"/d/a.cu\"\n")
	f.Add("!3 = !DILocation(line: 1, column: 2, scope: !3, inlinedAt: !3)\n", "\t.loc 1 268435456 0\n")
	f.Fuzz(func(t *testing.T, ir, text string) {
		var n inlining
		n.number(ir)
		n.restore(text)
	})
}
