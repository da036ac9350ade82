package analysis_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

// TestMessagesNameWhatHandsOver says that findings about data blame the flag or the counter that hands it over, where
// only a run of the kernel has shown what is wrong.
func TestMessagesNameWhatHandsOver(t *testing.T) {
	const barrier = `
struct Barrier { unsigned count; unsigned round; };
__device__ Barrier bar;
__device__ void meet() {
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned r = bar.round;
        __threadfence();
        if (atomicAdd(&bar.count, 1) == gridDim.x - 1) {
            bar.count = 0;
            __threadfence();
            bar.round = r + 1;
        } else {
            while (bar.round == r) ;
        }
        __threadfence();
    }
    __syncthreads();
}
__global__ void k(float *a, float *b, int n, int steps) {
    for (int s = 0; s < steps; s++) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i > 0 && i < n - 1) b[i] = a[i - 1] + a[i + 1];
        meet();
        float *t = a; a = b; b = t;
    }
}
void run(float *a, float *b) { k<<<4, 64>>>(a, b, 200, 6); }`
	const last = `
__device__ unsigned done;
__global__ void k(const int *in, int *partial, int *out) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicInc_block(&done, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        __threadfence();
        atomicAdd(out, threadIdx.x < gridDim.x ? partial[threadIdx.x] : 0);
    }
}
void run(int *a, int *b, int *c) { k<<<8, 128>>>(a, b, c); }`
	for _, c := range []struct {
		rule                 race.Rule
		variable, text, want string
	}{
		{race.WeakAccess, "b", barrier, "`b` is handed over by a flag that is a plain access"},
		{race.AtomicScope, "partial", last, "two blocks use `partial`, but the atomic that hands it over covers only the threads of one block"},
	} {
		res := checkFile(source.New("k.cu", c.text))
		i := slices.IndexFunc(res.Findings, func(f race.Finding) bool { return f.Rule == c.rule && f.Variable == c.variable })
		if i < 0 {
			t.Errorf("no %s of %s", c.rule, c.variable)
			continue
		}
		if got := res.Findings[i].Message; !strings.Contains(got, c.want) {
			t.Errorf("the message of %s is %q, want %q", c.rule, got, c.want)
		}
	}
}

// A barrier is advised where one can stand between the two accesses.
func TestAdviceOfBarriers(t *testing.T) {
	text := `
__global__ void once(int *p, int n) { *p = threadIdx.x; }
__global__ void update(int *p, int n) { *p += 1; }
__global__ void longer(int *p, int n) { p[0] = p[0] + 1; }
__global__ void updates(int *p, int n) { for (int i = 0; i < n; i++) p[i] += 1; }
__global__ void rounds(int *p, int n) { for (int i = threadIdx.x; i < n; i += 64) *p = i; }
__global__ void shift(int *p, int n) { p[threadIdx.x] = p[threadIdx.x + 1]; }
__global__ void branches(int *p, int n) { if (threadIdx.x < 32) p[threadIdx.x] = 1; else p[threadIdx.x - 32] = 2; }
__global__ void lines(int *p, int n) { p[threadIdx.x] = 1; p[threadIdx.x + 128] = p[63 - threadIdx.x]; }
void run(int *p) {
  once<<<1, 64>>>(p, 4), update<<<1, 64>>>(p, 4), longer<<<1, 64>>>(p, 4), updates<<<1, 64>>>(p, 4), rounds<<<1, 64>>>(p, 400);
  shift<<<1, 64>>>(p, 4), branches<<<1, 64>>>(p, 4), lines<<<1, 64>>>(p, 4);
}
`
	result := checkFile(source.New("a.cu", text))
	for kernel, want := range map[string]string{
		"once": "which are one statement", "update": "which are one statement", "longer": "which are one statement", "updates": "Update it with an atomic", "rounds": "which are one statement",
		"shift": "Read into a variable first", "branches": "in different branches", "lines": "Insert __sync",
	} {
		seen := false
		for _, f := range result.Findings {
			if f.Kernel == kernel && f.Severity >= race.Warning {
				seen = true
				if !strings.Contains(f.Mend, want) {
					t.Errorf("%s: %s", kernel, f.Mend)
				}
			}
		}
		if !seen {
			t.Errorf("no race in %s", kernel)
		}
	}
}

// What may not matter is told once for a variable; what does is told of each pair of places.
func TestWhatMayNotMatterIsToldOnce(t *testing.T) {
	text := `
__global__ void paint(float4 *image, int width, int height, int pitch, const float *in) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float v = in[x + y];
  float *pixel = (float *)&image[y * pitch + x];
  pixel[0] = v;
  pixel[1] = 2 * v;
  pixel[2] = 3 * v;
}
__global__ void overlap(float *a, const float *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = in[i];
  a[i + blockDim.x] = 2 * in[i];
  a[i + 2 * blockDim.x] = 3 * in[i];
}
void run(float4 *image, float *a, const float *in, int w, int h, int pitch) {
  dim3 block(16, 16), grid((w + 15) / 16, (h + 15) / 16);
  paint<<<grid, block>>>(image, w, h, pitch, in);
  overlap<<<4, 64>>>(a, in);
}
__global__ void walk(const int *node, int *hit, int *stack, int depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, top = 0;
  int *own = stack + i * depth;
  own[top++] = 0;
  while (top > 0) {
    int v = own[--top];
    if (node[v] > 0) {
      own[top++] = 2 * v;
      own[top++] = 2 * v + 1;
    }
  }
  hit[i] = 1;
}
void start(const int *node, int *hit, int *stack, int n) { walk<<<n / 64, 64>>>(node, hit, stack, 8); }
`
	var told, also, sure, walked int
	for _, f := range checkFile(source.New("a.cu", text)).Findings {
		switch {
		case f.Kernel == "overlap" && f.Severity >= race.Warning:
			sure++
		case f.Kernel == "paint" && f.Severity == race.Information:
			told, also = told+1, also+len(f.Also)
		case f.Kernel == "walk":
			if f.Severity > race.Information || !strings.Contains(f.Mend, "Nothing where columns stay within their rows.") {
				t.Errorf("walk: %s: %s", f.Severity, f.Mend)
			}
			walked++
		}
	}
	if told != 1 || also == 0 {
		t.Errorf("paint has %d findings, with %d further pairs", told, also)
	}
	if walked > 1 {
		t.Errorf("walk has %d findings", walked)
	}
	if sure < 3 {
		t.Errorf("overlap has %d findings", sure)
	}
}

// That threads meet by equal numbers in memory is said, as the code alone does not show it.
func TestWhatMemoryLeadsTo(t *testing.T) {
	text := `
__global__ void count(const int *key, int *n) { n[key[blockIdx.x * blockDim.x + threadIdx.x]]++; }
__global__ void put(const int *to, int *out) { out[to[blockIdx.x * blockDim.x + threadIdx.x]] = threadIdx.x; }
__global__ void all(int *n) { n[threadIdx.x]++; }
void run(const int *key, int *n) {
  count<<<64, 256>>>(key, n);
  put<<<64, 256>>>(key, n);
  all<<<64, 256>>>(n);
}
`
	for kernel, want := range map[string]bool{"count": true, "put": true, "all": false} {
		told := false
		for _, f := range checkFile(source.New("a.cu", text)).Findings {
			told = told || f.Kernel == kernel && strings.Contains(f.Why, "where no two do, they do not meet")
		}
		if told != want {
			t.Errorf("%s: what memory has to do with it is told: %t", kernel, told)
		}
	}
}

// Memory has the name of what the kernel was given, through whatever views its elements are reached.
func TestVariableOfAView(t *testing.T) {
	text := `
struct Row { float *at; __device__ Row(float *p) : at(p) {} __device__ float &operator[](int i) const { return at[i]; } };
struct Matrix { float *data; __device__ Row operator[](int i) const { return Row(data + 4 * i); } };
__device__ void set(float *p) { p[0] = threadIdx.x; }
__global__ void pointer(float *a) { set(a + 1); }
__global__ void view(Matrix m) { m[1][2] = threadIdx.x; }
struct Rows { Matrix *m; };
__global__ void unknown(Rows r) { r.m[1][1][2] = threadIdx.x; }
void run(float *a, Matrix m, Rows r) { pointer<<<1, 64>>>(a), view<<<1, 64>>>(m), unknown<<<1, 64>>>(r); }
`
	result := checkFile(source.New("a.cu", text))
	for kernel, want := range map[string]string{"pointer": "a", "view": "m.data", "unknown": "r.m[1][1][2]"} {
		if !slices.ContainsFunc(result.Findings, func(f race.Finding) bool { return f.Kernel == kernel && f.Variable == want }) {
			t.Errorf("no race of %s in %s: %v", want, kernel, result.Findings)
		}
	}
}

// TestWhoSetsWhatALoopEndsBy says that a loop which sets what it ends by waits for nobody, and that an update is told as one.
func TestWhoSetsWhatALoopEndsBy(t *testing.T) {
	const text = `
__global__ void jobs(float *out, int *next, int n) {
    __shared__ int job;
    while (true) {
        if (threadIdx.x == 0) job = atomicAdd(next, 1);
        if (job >= n) return;
    }
}
__global__ void waits(int *out) {
    __shared__ int flag;
    if (threadIdx.x == 0) flag = 1;
    while (flag == 0) ;
}
__global__ void sum(int *total, const int *in) { *total += in[threadIdx.x]; }
void run(float *a, int *b, int n) { jobs<<<1, 64>>>(a, b, n); waits<<<1, 64>>>(b); sum<<<2, 64>>>(b, b + 1); }`
	want := map[string]string{
		"jobs":  "two warps of one block: one writes `job`, the other reads `job`; a loop ends by it, and nothing orders the two",
		"waits": "a loop waits for `flag`, which is read and written by plain accesses",
		"sum":   "two blocks both read `*total` and write it back, and nothing orders blocks",
	}
	for _, f := range checkFile(source.New("k.cu", text)).Findings {
		if message, ok := want[f.Kernel]; ok && message == f.Message {
			delete(want, f.Kernel)
		}
	}
	if len(want) > 0 {
		t.Errorf("not said: %q", want)
	}
}
