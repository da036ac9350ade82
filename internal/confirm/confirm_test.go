package confirm

import (
	"context"
	"hash/fnv"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/warplint/warplint/analysis"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/dynamic"
)

// reasons are the findings of our own programs that a run does not show, by file and rule; each
// value is a part of the reason. Everything else must be seen.
var reasons = map[string]string{
	// The threads that pass the barrier by run to their end. Compiled code does not tell that from a
	// return, and the hardware goes on without them.
	"barrierdivergence/testdata/branches.cu barrier-divergence": "no thread waits for ever",
	"barrierdivergence/testdata/guards.cu barrier-divergence":   "no thread waits for ever",
	// So do lanes that the mask of an exchange leaves out.
	"barrierdivergence/testdata/exchanges.cu barrier-divergence": "no thread waits for ever",
	"racy/conditional_sync.cu barrier-divergence":                "no thread waits for ever",
	"racy/divloop.cu barrier-divergence":                         "no thread waits for ever",
	"racy/warpbar.cu barrier-divergence":                         "no thread waits for ever",
	"racy/ragged_function.cu barrier-divergence":                 "no thread waits for ever",
	"racy/mode_of_a_divergent_barrier.cu barrier-divergence":     "no thread waits for ever",
	// The grid of the witness has more blocks than the detector watches.
	"racy/stored_dim3.cu inter-block-race": "did not watch",
	"racy/stored_dim3.cu same-value-write": "did not watch",
	// The interpreter lets a 4-byte access straddle two words; the hardware does not.
	"racy/misal.cu inter-block-race": "misaligned access",
}

// program is a file to check, which may not be on disk.
type program struct{ name, text string }

// ownPrograms are the examples, the test data of the rules, and the kernels that race by a
// mistake each: of these one of three, always the same, and each that has a reason; with WARPLINT_CONFIRM set, all.
func ownPrograms(t *testing.T) (all []program) {
	t.Helper()
	for _, pattern := range []string{"../../examples/*.cu", "../../analysis/rules/*/testdata/*.cu"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: no files: %v", pattern, err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, program{strings.TrimPrefix(strings.TrimPrefix(filepath.ToSlash(path), "../../analysis/rules/"), "../../"), string(text)})
		}
	}
	archive, err := txtar.ParseFile("../../analysis/testdata/racy.txtar")
	if err != nil {
		t.Fatal(err)
	}
	reasoned := map[string]bool{}
	for key := range reasons {
		name, _, _ := strings.Cut(key, " ")
		reasoned[name] = true
	}
	for _, f := range archive.Files {
		p := program{"racy/" + f.Name, string(f.Data)}
		h := fnv.New32a()
		h.Write(f.Data)
		if os.Getenv("WARPLINT_CONFIRM") != "" || h.Sum32()%3 == 0 || reasoned[p.name] {
			all = append(all, p)
		}
	}
	return all
}

// TestOwnPrograms confirms every static finding of our own programs.
func TestOwnPrograms(t *testing.T) {
	dir := t.TempDir()
	engine := analysis.NewEngine()
	var lock sync.Mutex
	seen, all, needed := 0, 0, map[string]bool{}
	confirm := func(p program) {
		path := filepath.Join(dir, strings.ReplaceAll(p.name, "/", "-"))
		file := source.New(path, p.text)
		files := source.Map{path: file}
		if err := os.WriteFile(path, []byte(p.text), 0o600); err != nil {
			t.Error(err)
			return
		}
		var code dynamic.Code
		defer code.Remove()
		for _, f := range engine.Check(context.Background(), analysis.Request{Files: files, Path: path}).Findings {
			c, _, err := Run(t.Context(), files, f, Options{File: path, Code: &code, Instructions: 12_000_000})
			if err != nil {
				t.Error(err)
				return
			}
			key := p.name + " " + string(f.Rule)
			why, known := reasons[key]
			lock.Lock()
			all++
			switch {
			case c.Seen:
				seen++
			case known && strings.Contains(c.Reason, why):
				needed[key] = true
			default:
				t.Errorf("%s, line %d and %d, %s: %s", key, file.Position(f.First.Span.Start).Line,
					file.Position(f.Second.Span.Start).Line, f.Kind, c.Reason)
			}
			lock.Unlock()
		}
	}
	programs := make(chan program)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for p := range programs {
				confirm(p)
			}
		})
	}
	for _, p := range ownPrograms(t) {
		programs <- p
	}
	close(programs)
	workers.Wait()
	for key := range reasons {
		if !needed[key] {
			t.Errorf("%s is seen, and has a reason why it is not", key)
		}
	}
	t.Logf("%d of %d findings were seen on the simulator", seen, all)
}

// A race that shows at once needs no run to the end, though its threads go on for long.
func TestEndsWithTheRace(t *testing.T) {
	c, result := confirmed(t, `__global__ void k(int *a, int n) {
	a[0] = threadIdx.x;
	for (int i = 1; i < n; i++) a[0] += a[i % 32];
}
void run(int *a) { k<<<1, 64>>>(a, 400000000); }
`)
	if !c.Seen || c.Schedules != 1 || len(result.Problems) > 0 {
		t.Errorf("%+v, problems %+v", c, result.Problems)
	}
	if most := uint64(instructions); result.Run.Instructions >= most {
		t.Errorf("%d instructions", result.Run.Instructions)
	}
}

// What a kernel needs to come to its race: members of structures, memory for pointers in memory, far ends of large arrays, constants,
// another instance of the template, the whole grid, or a rare schedule.
func TestNeeds(t *testing.T) {
	for name, text := range map[string]string{
		"members": `struct Base { int n; };
template <class T> struct View : Base { T *data; long long strides[2]; };
__global__ void k(View<float> in, View<float> out) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i + 1 < in.n) out.data[i * out.strides[1]] = in.data[(i + 1) * in.strides[1]];
}
void run(float *a, int n) { View<float> v; v.n = n; v.data = a; v.strides[1] = 1; k<<<8, 64>>>(v, v); }
`,
		"lambda": `template <class F> __global__ void each(F f, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) f(i); }
void run(float *a, int n) { each<<<8, 64>>>([=] __device__ (int i) { a[i / 2] = i; }, n); }
`,
		"instances": `template <int N> __global__ void k(int *a) { a[(blockIdx.x * blockDim.x + threadIdx.x) / N] = threadIdx.x; }
void run(int *a) { k<1><<<8, 64>>>(a); k<2><<<8, 64>>>(a); }
`,
		"table": `__global__ void k(float **rows, int n) { if (threadIdx.x + 1 < n) rows[blockIdx.x][threadIdx.x] = rows[blockIdx.x][threadIdx.x + 1]; }
void run(float **a, int n) { k<<<8, 64>>>(a, n); }
`,
		"object": `struct Work { const float *in; float *out; int n; };
__global__ void k(const Work *w) { for (int i = threadIdx.x; i < w->n; i += blockDim.x) w->out[i / 2] = w->in[i]; }
void run(const Work *w) { k<<<8, 64>>>(w); }
`,
		"variable": `__device__ float *pool;
__global__ void k() { pool[threadIdx.x / 2] = threadIdx.x; }
void run() { k<<<1, 64>>>(); }
`,
		"far": `__global__ void k(float *a, long long n) { long long i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[(i / 2) * n] = a[i * n] + 1; }
void run(float *a, long long n) { k<<<8, 64>>>(a, n * n); }
`,
		"constant": `__constant__ int n;
__global__ void k(float *a) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i / 2] = i; }
int main(int argc, char **argv) { float *a; cudaMemcpyToSymbol(n, &argc, 4); cudaMalloc(&a, 4 * argc); k<<<argc / 64 + 1, 64>>>(a); }
`,
		"try": `__device__ int lock, sum;
__global__ void k() {
	if (threadIdx.x > 0) return;
	bool mine = atomicCAS(&lock, 0, 1) == 0;
	__threadfence();
	sum += 1;
	__threadfence();
	if (mine) atomicExch(&lock, 0);
}
void run() { k<<<16, 64>>>(); }
`,
		"grid": `#include <cooperative_groups.h>
__global__ void k(int *a, int *b) {
	auto grid = cooperative_groups::this_grid();
	a[grid.thread_rank()] = 1;
	b[grid.thread_rank()] = a[grid.size() - 1 - grid.thread_rank()];
	grid.sync();
}
`,
	} {
		if c, _ := confirmed(t, text); !c.Seen {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// confirmed confirms the first finding of a program.
func confirmed(t *testing.T, text string) (race.Confirmation, *dynamic.Result) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.cu")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	files := source.Map{path: source.New(path, text)}
	found := analysis.NewEngine().Check(t.Context(), analysis.Request{Files: files, Path: path}).Findings
	if len(found) == 0 {
		t.Fatalf("no finding in %s", text)
	}
	c, result, err := Run(t.Context(), files, found[0], Options{File: path})
	if err != nil {
		t.Fatal(err)
	}
	return c, result
}
