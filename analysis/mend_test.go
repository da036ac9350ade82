package analysis_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warplint/warplint/analysis"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

func anyFix(race.Fix) bool { return true }

// mended is a text, and what Mend makes of it.
func mended(t *testing.T, file *source.File, kernel string, may func(race.Fix) bool) (string, analysis.Mended) {
	t.Helper()
	req := analysis.Request{Files: source.Map{file.Path: file}, Path: file.Path}
	req.Config.Kernel = kernel
	m := analysis.NewEngine().Mend(context.Background(), req, may)
	edited, ok := analysis.Apply(req.Files, m.Edits)
	if !ok {
		t.Fatal("the edits overlap")
	}
	if f, ok := edited[file.Path]; ok {
		return f.Text, m
	}
	return file.Text, m
}

// TestMend wants one barrier of the block where one of the warp mends the first race alone, and one for each step of a reduction.
func TestMend(t *testing.T) {
	const text = `
__global__ void both(float *out, const float *in) {
    __shared__ float s[256], r[256];
    int i = threadIdx.x;
    s[i] = in[i];
    r[i] = in[i] * 2;
    float x = s[i ^ 1];
    out[i] = x + r[255 - i];
}
__global__ void sum(float *out, const float *in) {
    __shared__ float s[128];
    int i = threadIdx.x;
    s[i] = in[i];
    if (i < 64) s[i] += s[i + 64];
    if (i < 32) s[i] += s[i + 32];
    if (i < 16) s[i] += s[i + 16];
    if (i == 0) out[0] = s[0] + s[1];
}
void run(float *out, const float *in) { both<<<1, 256>>>(out, in); sum<<<1, 128>>>(out, in); }
`
	const both, sum = "    r[i] = in[i] * 2;\n", "    s[i] = in[i];\n    if (i < 64) s[i] += s[i + 64];\n    if (i < 32) s[i] += s[i + 32];\n    if (i < 16) s[i] += s[i + 16];\n"
	withBoth := strings.Replace(text, both, both+"    __syncthreads();\n", 1)
	lines := strings.SplitAfter(sum, "\n")
	reduced := lines[0] + "    __syncthreads();\n" + lines[1] + "    __syncthreads();\n" + lines[2] + "    __syncwarp();\n" + lines[3] + "    __syncwarp();\n"
	file := source.New("two.cu", text)
	for _, c := range []struct {
		kernel, want string
		steps        int
	}{
		{"both", withBoth, 1},
		{"sum", strings.Replace(text, sum, reduced, 1), 4},
		{"", strings.Replace(withBoth, sum, reduced, 1), 5},
	} {
		got, m := mended(t, file, c.kernel, anyFix)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("kernel %q (-want +got):\n%s", c.kernel, diff)
		}
		if m.Steps != c.steps || m.Left != 0 || m.Gone < c.steps {
			t.Errorf("kernel %q: %d steps, %d findings gone, %d left", c.kernel, m.Steps, m.Gone, m.Left)
		}
	}
	if got, m := mended(t, file, "", func(race.Fix) bool { return false }); got != text || m.Gone != 0 || m.Left == 0 {
		t.Errorf("with no change allowed there are %d edits", len(m.Edits))
	}
}

// TestMendLockstep wants each step of a reduction that counts on lockstep parted, with barriers around its reading, though none of these
// mends all that a step races with.
func TestMendLockstep(t *testing.T) {
	file := source.New("k.cu", `
__global__ void k(float *out, const float *in) {
    __shared__ float s[128];
    int i = threadIdx.x;
    s[i] = in[i];
    __syncthreads();
    if (i < 32) {
        volatile float *v = s;
        v[i] += v[i + 32];
        v[i] += v[i + 16];
        v[i] += v[i + 8];
        v[i] += v[i + 4];
    }
    if (i == 0) out[0] = s[0];
}
void run(float *out, const float *in) { k<<<1, 128>>>(out, in); }
`)
	oneLine := source.New("k.cu", regexp.MustCompile(`;\n\s*v`).ReplaceAllString(file.Text, "; v"))
	for _, file := range []*source.File{file, oneLine} {
		got, m := mended(t, file, "", anyFix)
		if after, _ := counted(source.New(file.Path, got)); after != 0 || m.Left != 0 || strings.Count(got, "__syncwarp();") != 6 {
			t.Errorf("%d findings are left in\n%s", after, got)
		}
	}
}

// TestMendAtEndOfWork wants a kernel mended whose pairs take more work than there is: what is not asked for lack of work is no doubt that
// a change brings.
func TestMendAtEndOfWork(t *testing.T) {
	file := source.New("k.cu", `
template <int size>
__device__ void sum(volatile int *s, int *ready, int own, int tid) {
    s[tid] = own;
    ready[tid] = 0;
    __syncthreads();
    if (size >= 256 && tid < 128) {
        if (tid >= 64) {
            s[tid] = own + s[tid + 128];
            __threadfence_block();
            atomicExch_block(&ready[tid], 1);
        } else {
            own += s[tid + 128];
        }
    }
    if (size >= 128 && tid < 64) {
        while (size >= 256 && atomicAdd_block(&ready[tid + 64], 0) != 1) ;
        __threadfence_block();
        if (tid >= 32) {
            s[tid] = own + s[tid + 64];
            __threadfence_block();
            atomicExch_block(&ready[tid], 1);
        } else {
            own += s[tid + 64];
        }
    }
    if (tid < 32) {
        while (size >= 128 && atomicAdd_block(&ready[tid + 32], 0) != 1) ;
        __threadfence_block();
        s[tid] = own = own + s[tid + 32];
        if (tid < 16) s[tid] = own = own + s[tid + 16];
        if (tid < 8) s[tid] = own = own + s[tid + 8];
        if (tid == 0) s[tid] = own = own + s[tid + 4];
    }
}
__device__ unsigned int done;
template <int size>
__global__ void k(const int *in, volatile int *out, volatile int *sums, int *ready) {
    __shared__ bool last;
    sum<size>(&sums[blockIdx.x * size], &ready[blockIdx.x * size], in[blockIdx.x * size + threadIdx.x], threadIdx.x);
    if (threadIdx.x == 0) out[blockIdx.x] = sums[blockIdx.x * size];
    __threadfence();
    if (threadIdx.x == 0) last = atomicInc(&done, gridDim.x) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        int own = 0;
        for (int i = threadIdx.x; i < gridDim.x; i += size) own += out[i];
        sum<size>(&sums[blockIdx.x * size], &ready[blockIdx.x * size], own, threadIdx.x);
        if (threadIdx.x == 0) out[0] = sums[blockIdx.x * size];
    }
}
void run(int threads, int *in, int *out, int *sums, int *ready) {
    if (threads == 256) k<256><<<32, 256>>>(in, out, sums, ready);
    else k<128><<<32, 128>>>(in, out, sums, ready);
}
`)
	got, m := mended(t, file, "", anyFix)
	if m.Left != 0 || strings.Count(got, "__syncwarp();") != 3 {
		t.Errorf("%d findings are left in\n%s", m.Left, got)
	}
}

// TestMendSafe wants of a lock and of a tile only the lock mended where only what is safe may be done.
func TestMendSafe(t *testing.T) {
	file := source.New("k.cu", `
__device__ int lock;
__global__ void k(int *sum, int *a) {
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    int x = s[63 - threadIdx.x];
    if (threadIdx.x == 0) {
        while (atomicCAS_block(&lock, 0, 1) != 0) ;
        __threadfence_block();
        *sum += x;
        __threadfence_block();
        atomicExch_block(&lock, 0);
    }
}
void run(int *sum, int *a) { k<<<8, 64>>>(sum, a); }
`)
	got, m := mended(t, file, "", func(f race.Fix) bool { return f.Safe })
	if want := strings.ReplaceAll(file.Text, "_block(", "("); got != want || m.Left != 1 {
		t.Errorf("%d findings are left in\n%s", m.Left, got)
	}
}

// TestMendedRules wants of each rule's programs what Mend says of them: the text that it leaves has as many findings as it counts, and all
// that are left have no fix.
func TestMendedRules(t *testing.T) {
	paths, err := filepath.Glob("rules/*/testdata/*.cu")
	if err != nil || len(paths) == 0 {
		t.Fatal("no programs", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file := source.New(filepath.Base(path), string(text))
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			before := len(warnings(analysis.Checked(file)).Findings)
			got, m := mended(t, file, "", anyFix)
			after, fixes := counted(source.New(file.Path, got))
			if before-after != m.Gone || after != m.Left || m.Steps > m.Gone || fixes > 0 {
				t.Errorf("of %d findings %d are left, with %d fixes; Mend says that %d are gone by %d steps, and %d left", before, after, fixes, m.Gone, m.Steps, m.Left)
			}
		})
	}
}

// counted counts the findings of a text that count, and their fixes.
func counted(file *source.File) (found, fixes int) {
	engine, req := analysis.NewEngine(), analysis.Request{Files: source.Map{file.Path: file}, Path: file.Path}
	for _, f := range engine.Check(context.Background(), req).Findings {
		if f.Severity >= race.Warning {
			found++
			fixes += len(engine.Fixes(context.Background(), req, f))
		}
	}
	return found, fixes
}
