package analysis

import (
	"context"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/term"
)

// Launches that differ in names only are judged once, and those that differ in anything else are not
// taken for one another.
func TestLaunchesThatAreAlike(t *testing.T) {
	tests := []struct {
		name, host string
		want       int
	}{
		{"other names", `void run(float *a, float *b, int n, int m) {
    k<<<n / 64, 64>>>(a, b, n);
    k<<<m / 64, 64>>>(b, a, m);
}`, 1},
		{"other blocks", `void run(float *a, float *b, int n, int m) {
    k<<<n / 64, 64>>>(a, b, n);
    k<<<m / 64, 128>>>(b, a, m);
}`, 2},
		{"one buffer for two", `void run(float *a, float *b, int n) {
    k<<<n / 64, 64>>>(a, b, n);
    k<<<n / 64, 64>>>(a, a, n);
}`, 2},
		{"a part of the same buffer", `void run(float *a, float *b, int n) {
    k<<<n / 64, 64>>>(a, b, n);
    k<<<n / 64, 64>>>(a, b + 1, n);
}`, 2},
		{"another number of elements than the grid's", `void run(float *a, float *b, int n, int m) {
    k<<<n / 64, 64>>>(a, b, n);
    k<<<n / 64, 64>>>(a, b, m);
}`, 2},
		{"of unsigned numbers", `void run(float *a, float *b, int n, unsigned m) {
    k<<<n / 64, 64>>>(a, b, n);
    k<<<m / 64, 64>>>(a, b, m);
}`, 2},
		{"under a condition that bounds its numbers", `void run(float *a, float *b, int n, int m) {
    k<<<n / 64, 64>>>(a, b, n);
    if (m > 1000) k<<<m / 64, 64>>>(a, b, m);
}`, 2},
		{"in a function that is too long to be understood, too", `void run(float *a, float *b, int n) {
    k<<<n / 64, 64>>>(a, b, n);
}
void runAll(float *a, float *b, int n) {
    ` + strings.Repeat("if (n > b[0]) a[0]++;\n", 50_001) + `k<<<n / 64, 128>>>(a, b, n);
}`, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ctx := context.Background()
			text := "__global__ void k(float *out, float *in, int n) { out[blockIdx.x * blockDim.x + threadIdx.x] = in[n]; }\n" + test.host
			files := source.Map{"a.cu": source.New("a.cu", text)}
			for _, module := range NewEngine().modules(ctx, Request{Files: files, Path: "a.cu"}) {
				f := module.Kernels[0]
				if got := newHostRuns(nil).launches(ctx, term.NewTable(), f, launchersIn(module)[f]); len(got) != test.want {
					t.Errorf("%d launches, want %d", len(got), test.want)
				}
			}
		})
	}
}
