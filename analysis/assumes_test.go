package analysis_test

import (
	"slices"
	"testing"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

// A texture may show memory that the kernel writes. Nobody looks for that, so the verdict says what it takes for granted.
func TestTexturesAreAssumedReadOnly(t *testing.T) {
	res := checkFile(source.New("a.cu", `
__global__ void shift(cudaTextureObject_t in, int *out) { out[threadIdx.x] = tex1Dfetch<int>(in, threadIdx.x + 1); }
void run(cudaTextureObject_t in, int *out) { shift<<<1, 64>>>(in, out); }
`))
	k := res.Kernels[0]
	if k.Verdict != race.RaceFree || !slices.Contains(k.Assumes, "textures show no memory that the kernel writes") {
		t.Errorf("%s is %s, with %q", k.Name, k.Verdict, k.Assumes)
	}
}
