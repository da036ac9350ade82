package analysis

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

const someKernels = `
#define SCALE 2
#define OTHER 1
__device__ int twice(int x) { return x * SCALE; }
__global__ void first(int *out) {
    out[threadIdx.x] = twice(threadIdx.x);
}
__global__ void second(int *out) {
    out[threadIdx.x] = 7; /* seven */
}
__global__ void unused(int *out) {}
void run(int *out) {
    first<<<1, 32>>>(out);
    second<<<1, 32>>>(out);
}
`

// After an edit only what depends on the changed text is done again: declarations are parsed whose
// text changed, kernels lowered that can reach one of these, and kernels judged that became another.
func TestAnEditCostsWhatDependsOnIt(t *testing.T) {
	tests := []struct {
		name, old, text string
		want            Work
	}{
		{"nothing", "", "", Work{}},
		{"white space in a body", "out[threadIdx.x] = 7;", "out[threadIdx.x]  =  7 ;", Work{Parsed: 1, Lowered: 1}},
		{"white space between", "void run", "\n\n\tvoid run", Work{}},
		{"a line above", "#define SCALE", "\n\n#define SCALE", Work{}},
		{"typing in a comment", "/* seven */", "/* it is seven */", Work{}},
		{"a new comment", "void run", "// runs both\nvoid run", Work{}},
		{"a new comment in a body", "twice(threadIdx.x);", "twice(threadIdx.x); // not thrice", Work{Parsed: 1, Lowered: 1}},
		{"a body", "= 7;", "= 8;", Work{1, 1, 1}},
		{"a device function", "return x * SCALE;", "return x + SCALE;", Work{1, 1, 1}},
		{"a macro that one kernel uses", "SCALE 2", "SCALE 3", Work{1, 1, 1}},
		{"a macro that nobody uses", "OTHER 1", "OTHER 2", Work{}},
		{"a launch", "second<<<1, 32>>>", "second<<<2, 32>>>", Work{Parsed: 1, Judged: 2}}, // both are launched from that function
		{"a new kernel", "void run", "__global__ void third(int *out) {}\nvoid run", Work{1, 1, 1}},
		{"a new function that nobody calls", "void run", "__device__ int thrice(int x) { return 3 * x; }\nvoid run", Work{Parsed: 1}},
		{"a kernel less", "__global__ void unused(int *out) {}\n", "", Work{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := NewEngine()
			check := func(text string) Work {
				before := e.Work()
				e.Check(context.Background(), Request{Files: source.Map{"a.cu": source.New("a.cu", text)}, Path: "a.cu"})
				now := e.Work()
				return Work{now.Parsed - before.Parsed, now.Lowered - before.Lowered, now.Judged - before.Judged}
			}
			if got, want := check(someKernels), (Work{5, 3, 3}); got != want {
				t.Fatalf("at first it did %+v, want %+v", got, want)
			}
			edited := strings.Replace(someKernels, test.old, test.text, 1)
			if edited == someKernels && test.old != "" {
				t.Fatal("the edit changes nothing")
			}
			if got := check(edited); got != test.want {
				t.Errorf("it did %+v, want %+v", got, test.want)
			}
			if got := check(someKernels); got.Judged != 0 || got.Lowered != 0 {
				t.Errorf("taking the edit back did %+v", got)
			}
		})
	}
}

// After an edit of another file of the program, so much is done again as it says of the kernel.
func TestAnEditOfAnotherFile(t *testing.T) {
	const main = "__global__ void k(int *out);\nvoid run(int *out) { k<<<1, 32>>>(out); }\nvoid other() { f(1); }\n"
	e := NewEngine()
	check := func(main string) Work {
		before := e.Work()
		e.Check(context.Background(), Request{
			Files: source.Map{
				"k.cu":    source.New("k.cu", "__global__ void k(int *out) { out[threadIdx.x] = 1; }\n"),
				"main.cu": source.New("main.cu", main),
			},
			Path: "k.cu", Units: []Unit{{Source: Source{Path: "k.cu"}, With: []Source{{Path: "main.cu"}}}},
		})
		now := e.Work()
		return Work{now.Parsed - before.Parsed, now.Lowered - before.Lowered, now.Judged - before.Judged}
	}
	for _, step := range []struct {
		what, text string
		want       Work
	}{
		{"at first", main, Work{4, 1, 1}},
		{"another function", strings.Replace(main, "f(1)", "f(2)", 1), Work{Parsed: 1}},
		{"a line above", "\n" + main, Work{Parsed: 1}}, // the other function again
		{"the launch", strings.Replace(main, "<<<1,", "<<<2,", 1), Work{Parsed: 1, Judged: 1}},
	} {
		if got := check(step.text); got != step.want {
			t.Errorf("%s: it did %+v, want %+v", step.what, got, step.want)
		}
	}
}

// Of what is half typed there are only verdicts that are known already. What is not judged is unknown, and is judged once the text is meant.
func TestHalfTypedIsNotJudged(t *testing.T) {
	const text = "__device__ int one() { return 1; }\n__global__ void f(int *out) { out[threadIdx.x] = one(); }\n__global__ void g(int *out) { out[0] = threadIdx.x; }\n"
	e := NewEngine()
	check := func(text string, meant *Gaps) (*Result, int) {
		before := e.Work().Judged
		res := e.Check(context.Background(), Request{Files: source.Map{"a.cu": source.New("a.cu", text)}, Path: "a.cu", Meant: meant})
		return res, e.Work().Judged - before
	}
	whole, _ := check(text, nil)
	half := strings.Replace(text, "threadIdx.x] = one()", "threadIdx.x] = ", 1)
	for _, step := range []struct {
		what      string
		meant     *Gaps
		judged    int
		postponed bool
	}{
		{"half typed", &whole.Gaps, 0, true},
		{"meant", nil, 1, false},
		{"half typed, and known", &whole.Gaps, 0, false},
	} {
		res, judged := check(half, step.meant)
		if judged != step.judged || res.Postponed != step.postponed || res.Kernels[0].Verdict == race.RaceFree || len(res.Findings) != 1 {
			t.Errorf("%s: %d judged, postponed %v, %v, %d findings", step.what, judged, res.Postponed, res.Kernels[0], len(res.Findings))
		}
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

// A host function is run again when its text, or what its kernels do to memory that it reads, has changed; and then all
// kernels are judged again that it launches.
func TestHostFunctionsRunAgain(t *testing.T) {
	const text = `
__global__ void init(int *blocks, int *other) { other[0] = 64; }
__global__ void use(float *out) { out[threadIdx.x] = blockIdx.x; }
int main() {
    int *blocks, *other;
    float *out;
    cudaMallocManaged(&blocks, 4);
    cudaMallocManaged(&other, 4);
    cudaMalloc(&out, 4096);
    *blocks = 1;
    init<<<1, 1>>>(blocks, other);
    cudaDeviceSynchronize();
    use<<<*blocks, 64>>>(out);
}
`
	e := NewEngine()
	ran := 0
	for _, step := range []struct {
		what, old, text string
		ran             int
		verdict         race.Verdict // of use
	}{
		{"at first", "", "", 1, race.RaceFree},
		{"another number", "= 64", "= 65", 0, race.RaceFree},
		{"another line", "int main", "\n\nint main", 0, race.RaceFree},
		{"memory that is read", "other[0] =", "blocks[0] =", 1, race.Racy},
		{"a number of the host", "*blocks = 1", "*blocks = 2", 1, race.Racy},
		{"as it was", "", "", 0, race.RaceFree},
	} {
		edited := strings.Replace(text, step.old, step.text, 1)
		res := e.Check(context.Background(), Request{Files: source.Map{"a.cu": source.New("a.cu", edited)}, Path: "a.cu"})
		if got := e.hosts.ran - ran; got != step.ran {
			t.Errorf("%s: the host was run %d times, want %d", step.what, got, step.ran)
		}
		ran = e.hosts.ran
		if got := res.Kernels[1].Verdict; got != step.verdict {
			t.Errorf("%s: %s is %s, want %s", step.what, res.Kernels[1].Name, got, step.verdict)
		}
	}
}

// A result that time has cut short lacks findings, and verifies no fix.
func TestTimeVerifiesNoFix(t *testing.T) {
	f := race.Finding{Rule: race.MissingSyncthreads}
	cut := []judged{{v: &verdict{cut: true}}}
	for _, test := range []struct {
		before, after []judged
		want          bool
	}{{nil, nil, true}, {cut, nil, false}, {nil, cut, false}} {
		x := &Fixer{before: &Result{Findings: []race.Finding{f}, judged: test.before}}
		if _, _, got := x.better(f, &Result{judged: test.after}, func(s source.Span) spot { return spot{Span: s} }); got != test.want {
			t.Errorf("%v, want %v", got, test.want)
		}
	}
}

// TestHiddenRaces takes a race of another variable that is shown for sure only by now for no new one, and says what is new of the same.
func TestHiddenRaces(t *testing.T) {
	at := func(start int) race.Site {
		return race.Site{Span: source.Span{File: "k.cu", Start: start, End: start + 1}}
	}
	finding := func(variable string, start int, severity race.Severity) race.Finding {
		return race.Finding{Kind: race.InterBlock, Variable: variable, First: at(start), Second: at(start), Severity: severity}
	}
	f := finding("hits", 1, race.Warning)
	x := &Fixer{before: &Result{Findings: []race.Finding{f, finding("peak", 5, race.Information)}}}
	for _, test := range []struct {
		left     race.Finding
		new, yes bool
	}{
		{finding("peak", 5, race.Warning), false, true},
		{finding("peak", 7, race.Warning), true, false},
		{finding("hits", 7, race.Warning), true, false},
		{f, false, false},
	} {
		_, new, got := x.better(f, &Result{Findings: []race.Finding{test.left}}, func(s source.Span) spot { return spot{Span: s} })
		if got != test.yes || (new != nil) != test.new {
			t.Errorf("%s at %d: %v, new %v", test.left.Variable, test.left.First.Span.Start, got, new != nil)
		}
	}
}

// TestFixesShareWork wants a fix of the last finding, though no change mends those before it, and each that is tried costs much.
func TestFixesShareWork(t *testing.T) {
	file := source.New("k.cu", `
__global__ void first(const float *in, float *out) {
    float v = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int o = 4; o > 0; o >>= 1)
        v += __shfl_xor_sync(0xffffffff, v, o);
    out[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = v;
}
__global__ void last(int *a) {
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    a[threadIdx.x] = s[63 - threadIdx.x];
}
void run(const float *in, float *out, int *a) {
    first<<<4, 256>>>(in, out);
    last<<<1, 64>>>(a);
}
`)
	engine, req := NewEngine(), Request{Files: source.Map{file.Path: file}, Path: file.Path}
	fixer := engine.Fixer(req)
	fixer.left = kernelWork / 40
	fixes := map[string]int{}
	for _, f := range engine.Check(context.Background(), req).Findings {
		fixes[f.Kernel] += len(fixer.Fixes(context.Background(), f))
	}
	if fixes["first"] > 0 || fixes["last"] == 0 {
		t.Errorf("fixes %v", fixes)
	}
}

// What a number is made of may be in it many times over: each line doubles the ways from the last one down to the first.
func TestNumbersOfManyWays(t *testing.T) {
	steps := func(number, step string) string {
		var b strings.Builder
		for i := range 40 {
			fmt.Fprintf(&b, "    %[1]s y%[2]d = x * %[2]d + %[3]s;\n    if (y%[2]d > %[2]d) x += y%[2]d * %[3]s;\n", number, i, step)
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"the host's": "__global__ void k(int *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = 1; }\n" +
			"void run(int *out, int x, int m) {\n" + steps("int", "m / 3") + "    k<<<(x + 63) / 64, 64>>>(out, x);\n}\n",
		"a kernel's": "__global__ void k(float *out, float m) {\n    __shared__ float s[256];\n    float x = threadIdx.x;\n" + steps("float", "m") +
			"    s[threadIdx.x] = x;\n    for (int d = blockDim.x / 2; d > 0; d /= 2) {\n        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];\n    }\n" +
			"    if (x > 1) out[threadIdx.x] = s[0];\n}\nvoid run(float *out, float m) { k<<<1, 256>>>(out, m); }\n",
	} {
		start := time.Now()
		res := NewEngine().Check(context.Background(), Request{Files: source.Map{"a.cu": source.New("a.cu", text)}, Path: "a.cu"})
		if took := time.Since(start); took > fuzzHang || len(res.Kernels) != 1 || res.Kernels[0].CutShort {
			t.Errorf("%s: it took %v: %+v", name, took, res.Kernels)
		}
	}
}

const (
	fuzzTime = time.Second // for one text; what takes longer is cut short, as an edit cuts a check short
	fuzzHang = time.Minute // what is not cut short by then hangs
)

// FuzzCheck looks for texts that the pipeline does not survive, or that it does not end on when
// it is told to.
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
		ctx, stop := context.WithTimeout(t.Context(), fuzzTime)
		defer stop()
		start := time.Now()
		res := NewEngine().Check(ctx, Request{Files: source.Map{"a.cu": file}, Path: "a.cu"})
		if took := time.Since(start); took > fuzzHang {
			t.Errorf("it took %v", took)
		}
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

// hosted is a program whose host checks each of its calls for an error, and launches a kernel after some.
func hosted() string {
	var b strings.Builder
	b.WriteString("#include <cstdlib>\n__global__ void scale(float *data, int n) {\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
		"    if (i < n)\n        data[i] *= 2;\n}\n\nint main(int argc, char **argv) {\n    int n = atoi(argv[1]);\n    float *data[20];\n")
	for i := range 20 {
		fmt.Fprintf(&b, "    if (cudaMalloc(&data[%d], n * sizeof(float)) != cudaSuccess)\n        exit(1);\n"+
			"    if (cudaMemset(data[%d], 0, n * sizeof(float)) != cudaSuccess)\n        return 1;\n"+
			"    scale<<<(n + 255) / 256, 256>>>(data[%d], n);\n"+
			"    if (cudaGetLastError() != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess)\n        exit(1);\n", i, i, i)
	}
	b.WriteString("}\n")
	return b.String()
}

// BenchmarkHost is that program, from scratch: most of it goes to the run of the host function.
func BenchmarkHost(b *testing.B) {
	files := source.Map{"a.cu": source.New("a.cu", hosted())}
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

// function matches the name of a function that begins on a line of its own.
var function = regexp.MustCompile(`(?m)^[A-Za-z_][^\n;={}#]*?[ *&]([A-Za-z]\w*)\(`)

// real is a file of 2,000 lines with our own programs, each in a namespace of its own, and with names of its
// own for functions.
func real(b testing.TB) string {
	var text strings.Builder
	include := regexp.MustCompile(`(?m)^ *#include.*\n`)
	for _, archive := range []string{"racefree", "racy", "synchronization", "modern"} {
		files, err := txtar.ParseFile("testdata/" + archive + ".txtar")
		if err != nil {
			b.Fatal(err)
		}
		for i, f := range files.Files {
			if strings.Count(text.String(), "\n") >= 2000 {
				break
			}
			if !strings.HasSuffix(f.Name, ".cu") {
				continue
			}
			program := string(f.Data)
			for _, line := range include.FindAllString(program, -1) {
				text.WriteString(line)
			}
			renamed := map[string]bool{}
			for _, m := range function.FindAllStringSubmatch(program, -1) {
				if name := m[1]; !renamed[name] {
					renamed[name] = true
					whole := regexp.MustCompile(`(^|[^.>\w])` + name + `\b`)
					program = whole.ReplaceAllString(program, fmt.Sprintf("${1}%s_%s_%d", name, archive, i))
				}
			}
			fmt.Fprintf(&text, "namespace %s_%d {\n%s}\n", archive, i, include.ReplaceAllString(program, ""))
		}
	}
	return text.String()
}

// BenchmarkKeystrokes types a digit into each kernel of such a file in turn, and reports what 95 of 100
// keystrokes stay below, too.
func BenchmarkKeystrokes(b *testing.B) {
	text := real(b)
	engine := NewEngine()
	check := func(text string) time.Duration {
		files := source.Map{"a.cu": source.New("a.cu", text)}
		start := time.Now()
		engine.Check(context.Background(), Request{Files: files, Path: "a.cu"})
		return time.Since(start)
	}
	check(text)
	body := regexp.MustCompile(`__global__[^;{]*\{`).FindAllStringIndex(text, -1)
	var took []time.Duration
	for round := 0; b.Loop(); round++ {
		for _, at := range body {
			took = append(took, check(fmt.Sprintf("%s if (gridDim.z == %d) return;%s", text[:at[1]], 100+round, text[at[1]:])))
		}
	}
	slices.Sort(took)
	at := func(share float64) float64 { return took[int(share*float64(len(took)))].Seconds() * 1000 }
	b.ReportMetric(at(0.5), "ms/median")
	b.ReportMetric(at(0.95), "ms/p95")
	b.ReportMetric(float64(strings.Count(text, "\n")), "lines")
	b.ReportMetric(float64(len(body)), "kernels")
}
