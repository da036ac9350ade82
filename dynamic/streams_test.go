package dynamic

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/race"
)

var streamCase = regexp.MustCompile(`(?m)^CASE\((\w+)\) \{$`)

// Each case of testdata/streams.cu has the finding that its comments want, or none.
func TestStreams(t *testing.T) {
	const file = "testdata/streams.cu"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	detectors, err := SelectDetectors([]string{"streams"})
	if err != nil {
		t.Fatal(err)
	}
	o := &Options{Files: []string{file}, Detectors: detectors}
	execute, modules, err := o.prepare(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	places := streamCase.FindAllSubmatchIndex(text, -1)
	for i, at := range places {
		name, end := string(text[at[2]:at[3]]), len(text)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		t.Run(name, func(t *testing.T) {
			want := map[string]int{}
			severity := race.Error
			for n, line := range strings.Split(string(text[at[0]:end]), "\n") {
				_, comment, _ := strings.Cut(line, "  // ")
				words := strings.Fields(comment)
				if len(words) > 0 && (words[0] == "first" || words[0] == "second") {
					want[words[0]] = strings.Count(string(text[:at[0]]), "\n") + 1 + n
					for _, s := range []race.Severity{race.Hint, race.Information} {
						if slices.Contains(words[1:], s.String()) {
							severity = s
						}
					}
				}
			}
			one := *o
			one.Args = []string{name}
			c := newCollector(&one, modules)
			if err := c.schedule(t.Context(), 0, execute); err != nil {
				t.Fatal(err)
			}
			for _, p := range c.result.Problems {
				t.Error(p.Message)
			}
			if len(c.result.Findings) != len(want)/2 {
				t.Errorf("%d findings, want %d", len(c.result.Findings), len(want)/2)
			}
			for _, f := range c.result.Findings {
				if f.Rule != race.StreamOrder || f.Kind != race.InterGrid || f.Severity != severity {
					t.Errorf("%s %s %s", f.Rule, f.Kind, f.Severity)
				}
				var lines []int
				for _, op := range f.Operations {
					from, _ := c.sources.File(op.Span.File)
					lines = append(lines, from.Position(op.Span.Start).Line)
				}
				called := map[string]string{"two_streams": "stream `s1`, stream `s2`", "non_blocking_and_default": "stream `free1`, the default stream",
					"two_copies_to_one_place": "stream `s1`, stream `s2`"}[name]
				if got := f.Operations[0].Stream + ", " + f.Operations[1].Stream; called != "" && got != called {
					t.Errorf("they are called %s", got)
				}
				if !slices.Equal(lines, []int{want["first"], want["second"]}) {
					t.Errorf("%s: lines %v, want %v", f.Message, lines, want)
				}
			}
		})
	}
}

// Libraries of ours that do not take the stream that they are given wait for all.
func TestStreamsOfLibraries(t *testing.T) {
	file := writeFile(t, "a.cu", `#include <curand.h>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/fill.h>
__global__ void use(const int *p, const float *f, int *out) { out[threadIdx.x] = p[threadIdx.x] + (f[threadIdx.x] > 0.5f); }
int main() {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  int *p, *out;
  float *f;
  cudaMalloc(&p, 1024), cudaMalloc(&out, 1024), cudaMalloc(&f, 1024);
  curandGenerator_t g;
  curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT);
  curandSetStream(g, s);
  for (int i = 0; i < 2; i++) {
    thrust::fill(thrust::cuda::par.on(s), thrust::device_pointer_cast(p), thrust::device_pointer_cast(p) + 256, i);
    curandGenerateUniform(g, f, 256);
    use<<<1, 256, 0, s>>>(p, f, out);
  }
  return cudaDeviceSynchronize();
}
`)
	detectors, err := SelectDetectors(nil)
	if err != nil {
		t.Fatal(err)
	}
	r, _ := simulateOK(t, t.Context(), &Options{Files: []string{file}, Detectors: detectors})
	if len(r.Findings) > 0 || len(r.Problems) > 0 || r.Run.Launches != 4 {
		t.Errorf("findings %+v\n%d launches\n%s", r.Findings, r.Run.Launches, problems(r))
	}
}
