package analysis_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis"
	"github.com/warplint/warplint/analysis/source"
)

// TestFixesOfManyKernels wants a fix for each kernel of a file: what the others cost is no reason to have none.
func TestFixesOfManyKernels(t *testing.T) {
	const kernels = 24
	var text strings.Builder
	for i := range kernels {
		fmt.Fprintf(&text, `
__global__ void scan%d(const int *in, int *out) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t] + %d;
    for (int step = 1; step < 256; step *= 2) {
        __syncthreads();
        int before = t >= step ? s[t - step] : 0;
        s[t] += before;
    }
    out[blockIdx.x * 256 + t] = s[t];
}
void run%d(const int *in, int *out) { scan%d<<<4, 256>>>(in, out); }
`, i, i, i, i)
	}
	file := source.New("scans.cu", text.String())
	req := analysis.Request{Files: source.Map{file.Path: file}, Path: file.Path}
	engine := analysis.NewBatch()
	res, fixer := engine.Check(context.Background(), req), engine.Fixer(req)
	fixed := map[string]bool{}
	for _, f := range res.Findings {
		if len(fixer.Fixes(context.Background(), f)) > 0 {
			fixed[f.Kernel] = true
		}
	}
	if len(fixed) != kernels {
		t.Errorf("%d of %d kernels have a fix", len(fixed), kernels)
	}
}
