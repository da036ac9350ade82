package analysis

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/source"
)

const twoKernels = `
#define SCALE 2
__device__ int twice(int x) { return x * SCALE; }
__global__ void first(int *out) {
    out[threadIdx.x] = twice(threadIdx.x);
}
__global__ void second(int *out) {
    out[threadIdx.x] = 7;
}
void run(int *out) {
    first<<<1, 32>>>(out);
    second<<<1, 32>>>(out);
}
`

// An edit must judge anew only the kernels that depend on what it changes.
func TestAnEditJudgesOnlyWhatDependsOnIt(t *testing.T) {
	tests := []struct {
		name, old, text string
		judged          int
	}{
		{"white space", "out[threadIdx.x] = 7;", "out[threadIdx.x]  =  7 ;", 0},
		{"a line above", "#define SCALE", "\n\n#define SCALE", 0},
		{"a comment", "out[threadIdx.x] = 7;", "out[threadIdx.x] = 7; // seven", 0},
		{"a body", "= 7;", "= 8;", 1},
		{"a device function", "return x * SCALE;", "return x + SCALE;", 1},
		{"a macro that one kernel uses", "SCALE 2", "SCALE 3", 1},
		{"a launch", "second<<<1, 32>>>", "second<<<2, 32>>>", 2}, // both are launched from that function
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := NewEngine()
			check := func(text string) {
				e.Check(context.Background(), Request{Files: source.Map{"a.cu": source.New("a.cu", text)}, Path: "a.cu"})
			}
			check(twoKernels)
			if e.verdicts.judged != 2 {
				t.Fatalf("%d kernels judged at first, want 2", e.verdicts.judged)
			}
			edited := strings.Replace(twoKernels, test.old, test.text, 1)
			if edited == twoKernels {
				t.Fatal("the edit changes nothing")
			}
			check(edited)
			if got := e.verdicts.judged - 2; got != test.judged {
				t.Errorf("%d kernels judged anew, want %d", got, test.judged)
			}
		})
	}
}

// A finding from the cache stands where its text stands now.
func TestFindingsMoveWithTheText(t *testing.T) {
	const kernel = "__global__ void f(int *out) {\n    *out = threadIdx.x;\n}\nvoid run(int *out) {\n    f<<<2, 32>>>(out);\n}\n"
	e := NewEngine()
	for _, above := range []string{"", "// one line more\n", "\n\n\n"} {
		file := source.New("a.cu", above+kernel)
		res := e.Check(context.Background(), Request{Files: source.Map{"a.cu": file}, Path: "a.cu"})
		if len(res.Findings) != 1 {
			t.Fatalf("%d findings, want 1", len(res.Findings))
		}
		f := res.Findings[0]
		if got := file.Slice(f.Second.Span); got != "*out" {
			t.Errorf("the finding stands at %q", got)
		}
		if got := file.Slice(f.Witness.Launch); got != "f<<<2, 32>>>(out)" {
			t.Errorf("the launch stands at %q", got)
		}
	}
	if e.verdicts.judged != 1 {
		t.Errorf("judged %d times, want 1", e.verdicts.judged)
	}
}

// FuzzCheck looks for texts that the pipeline does not survive.
func FuzzCheck(f *testing.F) {
	paths, err := filepath.Glob("rules/*/testdata/*.cu")
	if err != nil || len(paths) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
		f.Add(string(text[:len(text)/2]))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<14 {
			return
		}
		file := source.New("a.cu", text)
		res := NewEngine().Check(context.Background(), Request{Files: source.Map{"a.cu": file}, Path: "a.cu"})
		for _, finding := range res.Findings {
			if finding.Witness == nil || finding.Second.Span.End > len(text) {
				t.Errorf("a finding without witness or place: %+v", finding)
			}
		}
	})
}

// large is a file of about 2,000 lines with a kernel in every ten.
func large() string {
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "__global__ void kernel%d(const float *in, float *out, int n) {\n"+
			"    __shared__ float tile[256];\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"+
			"    if (i >= n)\n        return;\n    tile[threadIdx.x] = in[i] * %d;\n    __syncwarp();\n"+
			"    out[i] = tile[threadIdx.x];\n}\n\n", i, i)
	}
	return b.String()
}

// BenchmarkCheck is a 2,000-line file from scratch.
func BenchmarkCheck(b *testing.B) {
	files := source.Map{"a.cu": source.New("a.cu", large())}
	for b.Loop() {
		NewEngine().Check(context.Background(), Request{Files: files, Path: "a.cu"})
	}
}

// BenchmarkKeystroke is a change of one number in the middle of a 2,000-line file.
func BenchmarkKeystroke(b *testing.B) {
	text := large()
	engine := NewEngine()
	check := func(text string) {
		files := source.Map{"a.cu": source.New("a.cu", text)}
		engine.Check(context.Background(), Request{Files: files, Path: "a.cu"})
	}
	check(text)
	i := 0
	for b.Loop() {
		i++
		check(strings.Replace(text, "in[i] * 100;", fmt.Sprintf("in[i] * 100%d;", i), 1))
	}
}
