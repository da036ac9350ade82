package analysis

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/warplint/warplint/analysis/meet"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

// This file tests the verdicts on random kernels: what is proved must not race when it runs, and what has a
// warning must.

// TestRandomKernels makes kernels that are plausible in each line and senseless as a whole.
func TestRandomKernels(t *testing.T) { testRandom(t, 150, randomKernel) }

// TestRandomHandOvers makes kernels in which threads synchronize by memory, each part of it right or wrong.
func TestRandomHandOvers(t *testing.T) { testRandom(t, 150, randomHandOver) }

// seeds says from which seed on how many tests are made: so many from 0 on, or as WARPLINT_SEED and WARPLINT_RANDOM have it.
func seeds(usual int) (first, number int) {
	number = usual
	if n, err := strconv.Atoi(os.Getenv("WARPLINT_RANDOM")); err == nil {
		number = n
	}
	if n, err := strconv.Atoi(os.Getenv("WARPLINT_SEED")); err == nil {
		first = n
	}
	return first, number
}

// testRandom tests a number of kernels.
func testRandom(t *testing.T, number int, kernel func(seed uint64) string) {
	first, number := seeds(number)
	verdicts := map[race.Verdict]*atomic.Int64{race.RaceFree: {}, race.Racy: {}, race.Unknown: {}}
	numbers := make([]int, number)
	for i := range numbers {
		numbers[i] = first + i
	}
	inParallel(numbers, func(n int) {
		text := kernel(uint64(n))
		file := source.New("text.cu", text)
		m := mutant{files: source.Map{file.Path: file}, path: file.Path}
		result := check(m.files, m.path)
		verdict := result.Kernels[0].Verdict
		verdicts[verdict].Add(1)
		shown, doubted := contest(m, result)
		switch {
		case slices.Contains(result.Kernels[0].Assumes, meet.WithinRows): // the launches are also of shorter rows
		case verdict == race.RaceFree && shown != nil:
			t.Errorf("kernel %d is proved, and %s and %s race (%s):\n%s", n, shown.First.Access, shown.Second.Access, shown.Kind, text)
		case shown == nil && doubted:
			t.Errorf("kernel %d has a warning, but no run shows a race:\n%s", n, text)
		}
	})
	for verdict, count := range verdicts {
		t.Logf("%d kernels are %s", count.Load(), verdict)
		if verdict != race.Unknown && count.Load() < int64(number)/20 {
			t.Errorf("too few are %s to test anything", verdict)
		}
	}
}

// writer writes a random kernel.
type writer struct {
	*rand.Rand
	text    strings.Builder
	indent  int
	block   int               // threads of a block
	loops   []string          // variables of the loops around
	uniform bool              // all threads of the block come here
	habits  map[string]string // the index that is mostly used for an array, for shared ones until the next barrier
	budget  int               // statements
}

func randomKernel(seed uint64) string {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 1)), uniform: true, budget: 12, habits: map[string]string{}}
	w.block = []int{32, 64, 64, 96, 128, 48}[w.IntN(6)]
	grid := []int{1, 1, 2, 3, 8}[w.IntN(5)]
	number, dims := "threadIdx.x", strconv.Itoa(w.block)
	if w.one(4) {
		number, dims = "threadIdx.y * 16 + threadIdx.x", fmt.Sprintf("dim3(16, %d)", w.block/16)
	}
	w.line("__shared__ int s[4096], r[4096];")
	w.line("__device__ int g[65536]; __device__ unsigned count; __device__ int lock; __device__ volatile int flag;")
	w.line("__device__ void put(int *p, int v) { *p = v; }")
	w.line("__device__ int get(int *p, int v) { return *p + v; }")
	w.line("__device__ void swap(int *p, int v) { int old = p[0]; p[0] = v; p[1] = old; }")
	w.line("__global__ void k(int *a, int *b, const int *c, int n) {")
	w.indent++
	w.line("int t = %s, i = blockIdx.x * blockDim.x * blockDim.y + t, lane = t %% 32, warp = t / 32, p = 0, x = 0;", number)
	if w.one(4) {
		w.line("if (%s) return;", w.from("i >= n", "t >= n", "t >= 40", "lane >= 16", "i >= 100"))
		w.uniform = false
	}
	w.list(3 + w.IntN(4))
	if w.one(2) {
		w.line("b[i] = x;")
	}
	w.indent--
	w.line("}")
	w.line("void run(int *a, int *b, const int *c, int n) { k<<<%s, %s>>>(a, b, c, n); }", w.from(strconv.Itoa(grid), strconv.Itoa(grid), fmt.Sprintf("(n + %d) / %d", w.block-1, w.block)), dims)
	return w.text.String()
}

// one is true once in n times.
func (w *writer) one(n int) bool { return w.IntN(n) == 0 }

func (w *writer) from(list ...string) string { return list[w.IntN(len(list))] }

func (w *writer) line(format string, args ...any) {
	fmt.Fprintf(&w.text, "%s"+format+"\n", append([]any{strings.Repeat("    ", w.indent)}, args...)...)
}

func (w *writer) list(n int) {
	for range n {
		if w.budget--; w.budget > 0 {
			w.statement()
		}
	}
}

func (w *writer) statement() {
	switch w.IntN(18) {
	case 0, 1, 2:
		w.line("%s = x + %d;", w.place(), w.IntN(9))
	case 3, 4, 5:
		w.line("x += %s;", w.place())
	case 6:
		w.line("%s += t;", w.place())
	case 7:
		w.line("%s(&%s, 1);", w.from("atomicAdd", "atomicAdd", "atomicAdd_block", "atomicMax"), w.place())
	case 8, 9, 10:
		w.barrier()
	case 11, 12:
		w.branch()
	case 13, 14:
		w.loop()
	case 15:
		w.idiom()
	case 16:
		w.line("%s(%s, x + %d);", w.from("put", "get", "swap"), "&"+w.place(), w.IntN(9))
	case 17:
		if len(w.loops) > 0 {
			condition := w.from("t > 20", w.loops[0]+" > 2", "x > 5", "n == 3", "warp == 1")
			w.line("if (%s) %s;", condition, w.from("break", "continue"))
			w.uniform = w.uniform && (condition == "n == 3" || condition[0] == 'j')
		}
	}
}

// barrier writes one that all threads come to that have to.
func (w *writer) barrier() {
	if !w.uniform {
		w.line("%s;", w.from("__threadfence()", "__syncwarp(__activemask())", "__syncwarp()", "x++"))
		return
	}
	barrier := w.from("__syncthreads()", "__syncthreads()", "__syncthreads()", "__syncwarp()", "__threadfence_block()")
	if barrier == "__syncthreads()" {
		delete(w.habits, "s")
		delete(w.habits, "r")
	}
	w.line("%s;", barrier)
}

func (w *writer) branch() {
	conditions := []string{"t == 0", "t < 32", "t < 16", "lane == 0", "warp == 1", "t % 2 == 0", "i < n", "t >= 32", "t > 0", "t + 1 < " + strconv.Itoa(w.block),
		"n > 5", "blockIdx.x == 0", "c[0] > 1", "c[i] > 1", "x > 2", "t < 8 && n > 2", "(t ^ 1) > t", "t == 3 || t == 40", "(t & 3) == 1", "n % 2 == 0", "p == 0"}
	for _, j := range w.loops {
		conditions = append(conditions, "(t ^ "+j+") > t", "t < "+j)
	}
	condition := w.from(conditions...)
	was := w.uniform
	w.uniform = was && (condition[0] == 'n' || condition == "p == 0" || condition == "c[0] > 1" || condition[0] == 'b')
	w.line("if (%s) {", condition)
	w.indent++
	w.list(1 + w.IntN(3))
	w.indent--
	if w.one(3) {
		w.line("} else {")
		w.indent++
		w.list(1 + w.IntN(2))
		w.indent--
	}
	w.line("}")
	w.uniform = was
}

func (w *writer) loop() {
	if len(w.loops) == 2 {
		return
	}
	j := [2]string{"j", "l"}[len(w.loops)]
	b := strconv.Itoa(w.block)
	was := w.uniform
	head := w.from(
		"int J = 0; J < 4; J++", "int J = 0; J < n; J++", "int J = B / 2; J > 0; J >>= 1", "int J = 1; J < B; J *= 2", "int J = 0; J < 8; J += 2", "int J = 3; J >= 0; J--",
		"int J = t; J < 256; J += B", "int J = i; J < n; J += gridDim.x * B", "int J = lane; J < 64; J += 32", "int J = 0; J < t; J++", "int J = warp; J < 16; J += B / 32")
	if len(w.loops) == 1 && w.one(3) {
		head = w.from("int J = O; J > 0; J >>= 1", "int J = 0; J < O; J++", "int J = O; J < 4; J++")
	}
	head = strings.NewReplacer("J", j, "B", b, "O", "j").Replace(head)
	w.uniform = was && !strings.ContainsAny(strings.TrimPrefix(head, "int "), "ti") || strings.Contains(head, "= 0; "+j+" < n") && was
	if strings.Contains(head, "lane") || strings.Contains(head, "warp") {
		w.uniform = false
	}
	w.line("for (%s) {", head)
	w.loops = append(w.loops, j)
	w.indent++
	w.list(1 + w.IntN(4))
	if w.one(6) {
		w.line("p ^= 1;")
	}
	w.indent--
	w.loops = w.loops[:len(w.loops)-1]
	clear(w.habits)
	w.line("}")
	w.uniform = was
}

// idiom writes what threads synchronize by, with a part left out now and then.
func (w *writer) idiom() {
	maybe := func(s string) string {
		if w.one(4) {
			return ""
		}
		return s
	}
	fence := maybe(w.from("__threadfence(); ", "__threadfence(); ", "__threadfence_block(); "))
	which := w.IntN(6)
	if which == 2 && !w.uniform {
		return
	}
	switch which {
	case 0:
		w.line("x += __shfl_%s_sync(0xffffffff, x, %d);", w.from("xor", "down", "up"), 1<<w.IntN(4))
	case 1:
		w.line("if (t == 0) { while (atomicCAS(&lock, 0, 1) != 0) ; %s%s += 1; %satomicExch(&lock, 0); }", fence, w.from("g[0]", "a[0]", "a[n]"), maybe("__threadfence(); "))
	case 2:
		w.line("{ __shared__ bool last; %s%sif (t == 0) last = atomicInc(&count, gridDim.x - 1) == gridDim.x - 1; %sif (last) { %s x += %s; } }",
			fence, maybe("__syncthreads(); "), maybe("__syncthreads(); "), maybe("__threadfence();"), w.place())
	case 3:
		w.line("if (i == 0) { g[1] = 7; %sflag = 1; } else if (i == 70) { while (flag == 0) ; %s x += g[1]; }", fence, maybe("__threadfence();"))
	case 4:
		w.line("x = atomicAdd(&%s, 1); %s = t;", w.from("count", "count", "s[0]"), w.from("a[x]", "b[x + n]", "g[x]", "s[x]"))
	case 5:
		w.line("x = __ballot_sync(0xffffffff, c[i] > 0) & 31;")
	}
}

func (w *writer) place() string {
	array := w.from("s", "s", "s", "r", "r", "a", "a", "b", "g", "c")
	if array == "c" {
		return "g[c[i] & 255]"
	}
	if w.habits[array] == "" || w.one(8) {
		w.habits[array] = w.index()
	}
	index := w.habits[array]
	switch w.IntN(24) {
	case 0:
		return "((char *)" + array + ")[" + index + "]"
	case 1:
		return "((short *)" + array + ")[" + index + "]"
	case 2:
		return "((int2 *)" + array + ")[" + index + "]." + w.from("x", "y")
	case 3:
		return "(" + array + " + 3)[" + index + "]"
	}
	return array + "[" + index + "]"
}

func (w *writer) index() string {
	b := strconv.Itoa(w.block)
	list := []string{"t", "t", "t", "i", "i", "i", "lane", "warp", "t + 1", "t ^ 1", "t * 2", "t * 2 + 1", "t / 2", "t % 8", "(t + 1) % " + b, b + " - 1 - t", "i + n", "0", "5", "blockIdx.x",
		"blockIdx.x * " + b + " + lane", "t & 15", "t >> 2", "i + 1", "n - 1 - i", "c[i] & 63", "x & 127", "p * " + b + " + t", "(p ^ 1) * " + b + " + t", "warp * 32 + lane", "lane * 33 + warp",
		"t * max(n, 1)", "i * 4 + 2", "t + " + b, "t + 64 * p", "(t % 8) * 8 + t / 8", "t / 8 * 8 + t % 8", "i / 32", "t * 3 % 64", "min(t, 31)", "t < 16 ? t : t + 16", "threadIdx.x", "threadIdx.y",
		"threadIdx.y * blockDim.x + threadIdx.x", "threadIdx.x * blockDim.y + threadIdx.y", "(unsigned)t % 48u", "t % 16 * 4 + t / 16", "(t * 5 + 3) % 64", "(t & 7) << 3 | t >> 3"}
	for _, j := range w.loops {
		list = append(list, j, "t + "+j, "t ^ "+j, "(t ^ "+j+")", j+" * "+b+" + t", "t * 4 + "+j, "i + "+j+" * n", "t - "+j+" + 64", "2 * "+j+" * t", j+" % 2 * "+b+" + t", "("+j+" + 1) % 2 * "+b+" + t", "(t + "+j+") % "+b)
	}
	return list[w.IntN(len(list))]
}

func randomHandOver(seed uint64) string {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 2))}
	w.line("#include <cuda/atomic>")
	w.line("__device__ int data[4096]; __device__ int flags[256]; __device__ volatile int vflag; __device__ unsigned count; __shared__ int s[256];")
	w.line("__global__ void k(int *out, const int *in) {")
	w.indent++
	w.line("int t = threadIdx.x, b = blockIdx.x, i = b * 64 + t, x = 0;")
	[]func(){w.flag, w.lock, w.lastBlock, w.gridBarrier, w.leader}[w.IntN(5)]()
	w.line("out[i] = x;")
	w.indent--
	w.line("}")
	w.line("void run(int *out, const int *in) { k<<<%s, 64>>>(out, in); }", w.from("1", "2", "4"))
	return w.text.String()
}

func (w *writer) fence() string {
	return w.from("__threadfence();", "__threadfence();", "__threadfence();", "__threadfence_block();", "__threadfence_system();", "")
}

func (w *writer) scope() string { return w.from("", "", "", "_block", "_system") }

func (w *writer) barrier64() string {
	return w.from("__syncthreads();", "__syncthreads();", "__syncthreads();", "__syncwarp();", "")
}

// flag has one thread write and another wait.
func (w *writer) flag() {
	reader := w.from("i == 1", "i == 40", "i == 64", "b == 1 && t == 5", "b == gridDim.x - 1 && t == 33", "b == 1")
	set := w.from("atomicExch"+w.scope()+"(&flags[0], 1);", "vflag = 1;", "flags[0] = 1;",
		"cuda::atomic_ref<int, cuda::thread_scope_"+w.from("device", "block", "system")+">(flags[0]).store(1, cuda::memory_order_"+w.from("release", "relaxed", "seq_cst")+");")
	wait := w.from("while (atomicAdd"+w.scope()+"(&flags[0], 0) == 0) ;", "while (*(volatile int *)&flags[0] == 0) ;",
		"while (cuda::atomic_ref<int, cuda::thread_scope_"+w.from("device", "block", "system")+">(flags[0]).load(cuda::memory_order_"+w.from("acquire", "relaxed", "seq_cst")+") == 0) ;")
	if set == "vflag = 1;" {
		wait = "while (vflag == 0) ;"
	}
	place := w.from("data[0]", "data[0]", "((volatile int *)data)[0]")
	w.line("if (i == 0) { %s = in[0]; %s %s }", place, w.fence(), set)
	w.line("else if (%s) { %s %s x = %s; %s }", reader, wait, w.fence(), place, w.from("", "data[0] = 3;", "data[1] = x;"))
	if w.one(3) {
		w.line("%s x += %s;", w.barrier64(), w.from("data[1]", "data[i + 1]", "s[0]"))
	}
}

// lock has threads take turns.
func (w *writer) lock() {
	at := w.from("0", "0", "t % 2", "t", "in[i] & 7", "b")
	place := w.from("data[0]", "data["+at+"]", "data["+at+"]", "data[t]", "data["+at+" + 8]")
	who := w.from("t == 0", "t == 0", "t % 32 == 0", "true")
	take, release := w.scope(), w.scope()
	body := fmt.Sprintf("%s %s += 1; %s %s", w.fence(), place, w.fence(), w.from("atomicExch"+release+"(&flags["+at+"], 0);", "atomicExch"+release+"(&flags["+at+"], 0);", "flags["+at+"] = 0;", "*(volatile int *)&flags["+at+"] = 0;"))
	if who == "true" || w.one(3) {
		w.line("if (%s) { bool done = false; while (!done) { if (atomicCAS%s(&flags[%s], 0, 1) == 0) { %s done = true; } } }", who, take, at, body)
		return
	}
	w.line("if (%s) { while (atomicCAS%s(&flags[%s], 0, 1) != 0) ; %s }", who, take, at, body)
}

// lastBlock has the last block sum up.
func (w *writer) lastBlock() {
	w.line("__shared__ bool last;")
	w.line("%s = in[i]; %s %s", w.from("data[i]", "data[i]", "data[b]", "((volatile int *)data)[i]"), w.fence(), w.barrier64())
	w.line("if (t == 0) { %s last = %s == gridDim.x - 1; }", w.from("", "__threadfence();"), w.from("atomicAdd"+w.scope()+"(&count, 1)", "atomicInc(&count, gridDim.x - 1)", "count++"))
	w.line("%s", w.barrier64())
	w.line("if (last) { %s for (int j = t; j < gridDim.x * 64; j += 64) x += data[%s]; %s }", w.fence(), w.from("j", "j", "j + 1"), w.from("", "if (t == 0) count = 0;", "if (t == 0) atomicExch(&count, 0);"))
}

// gridBarrier has all blocks wait for each other.
func (w *writer) gridBarrier() {
	w.line("data[i] = in[i];")
	w.line("%s", w.barrier64())
	w.line("if (t == 0) { %s atomicAdd%s(&count, 1); while (%s < gridDim.x) ; %s }", w.fence(), w.scope(), w.from("*(volatile unsigned *)&count", "atomicAdd"+w.scope()+"(&count, 0)"), w.fence())
	w.line("%s", w.barrier64())
	w.line("x = data[%s];", w.from("i", "(i + 64) % (gridDim.x * 64)", "(i + 1) % (gridDim.x * 64)", "t"))
	if w.one(3) {
		w.line("data[%s] = x;", w.from("i", "i + 1", "(i + 64) % (gridDim.x * 64)"))
	}
}

// leader has one lane work for its warp.
func (w *writer) leader() {
	w.line("int lane = t %% 32, warp = t / 32;")
	w.line("if (lane == %s) s[%s] = in[i];", w.from("0", "0", "5"), w.from("warp", "warp", "warp * 4", "0"))
	w.line("%s", w.from("__syncwarp();", "__syncwarp();", "__syncthreads();", "", "__threadfence_block();"))
	w.line("x = s[%s];", w.from("warp", "warp", "warp * 4", "1 - warp"))
	if w.one(2) {
		w.line("%s s[%s] = x;", w.from("__syncwarp();", "__syncthreads();", ""), w.from("t", "t + 64", "warp"))
	}
}
