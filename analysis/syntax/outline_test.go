package syntax

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warplint/warplint/analysis/source"
)

func TestOutline(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"a kernel and its launch", "__global__ void __launch_bounds__(256) k(int *a) { f(a); }\nvoid run(int *a) { k<<<1, 32>>>(a); }",
			"kernel k: f\nrun launches: k"},
		{"only declared", "__global__ void k(int *a);\nextern __device__ int f(int);\nint table[] = {1, 2};\nstruct S;", ""},
		{"who can be meant", "static __device__ int f() { return 1; }\nnamespace { int g() { return h(); } }\nnamespace n { int i() { return 2; } }",
			"device local f:\nlocal g: h\ni:"},
		{"templates", "template <typename T, int N = (3)> __global__ void k(T *a) { g<T>(a); }\ntemplate <> __global__ void k<int, 2>(int *a) {}",
			"kernel k: g\nkernel k:"},
		{"the runtime's launch", "int run() { void *args[] = {&a}; return cudaLaunchKernel((void *)k, 1, 32, args); }",
			"run launches: args cudaLaunchKernel k"},
		{"a macro that launches", "int run() { LAUNCH_KERNEL(k, 1, a); }", "run: LAUNCH_KERNEL a k"},
		{"members", "void C::run(int n) { helper(n); }\nC::C() : a(1), b{2} { init(); }\nclass D { void go() { start(); } };",
			"run: helper\nC: init\nD: go start"},
		{"conditionals", "#if A\n__global__ void k(int *a) { f();\n#else\n__global__ void k(float *a) { g();\n#endif\n}\nvoid run() { h(); }",
			"kernel k: f\nkernel k: g\nrun: h"},
		{"comments and text", "// void no() {}\nconst char *s = \"void no() { f(); }\"; /* { */ void yes() { /* f(); */ g(\"f()\"); }", "yes: g"},
		{"includes", "#include \"a.cuh\"\n  # include <b/c.h> // it\n#include MACRO\n#include \"", "include a.cuh\ninclude <b/c.h>"},
		{"nothing is closed", "void f() { g(", "f: g"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, OutlineOf(source.New("a.cu", test.text)).String()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// String writes an outline for the test.
func (o Outline) String() string {
	var lines []string
	for _, i := range o.Includes {
		if i.Angled {
			i.Name = "<" + i.Name + ">"
		}
		lines = append(lines, "include "+i.Name)
	}
	for _, f := range o.Functions {
		line := ""
		for _, word := range []struct {
			is   bool
			text string
		}{{f.Kernel, "kernel "}, {f.Device, "device "}, {f.Local, "local "}} {
			if word.is {
				line += word.text
			}
		}
		line += f.Name
		if f.Launches {
			line += " launches"
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s: %s", line, strings.Join(f.Uses, " "))))
	}
	return strings.Join(lines, "\n")
}
