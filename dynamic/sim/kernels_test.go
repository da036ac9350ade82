package sim_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
	"github.com/warplint/warplint/dynamic/ptx"
	"github.com/warplint/warplint/dynamic/sim"
)

// bench is a device with one module loaded.
type bench struct {
	t      testing.TB
	device *sim.Device
	module *sim.Module
	output bytes.Buffer
}

// The kernels of basic.cu, compiled by clang and by nvcc (compile.sh has the commands).
const (
	basic     = "basic.ptx"
	basicNvcc = "basic-nvcc.ptx"
)

// bothCompilers runs a test with the PTX of each one.
func bothCompilers(t *testing.T, test func(t *testing.T, basic string)) {
	for _, file := range []string{basic, basicNvcc} {
		t.Run(file, func(t *testing.T) { test(t, file) })
	}
}

func load(t testing.TB, text string, listener event.Listener) *bench {
	t.Helper()
	b := &bench{t: t}
	b.device = sim.NewDevice(sim.Config{Output: &b.output, Listener: listener})
	m, err := ptx.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if b.module, err = b.device.Load(m); err != nil {
		t.Fatal(err)
	}
	return b
}

func loadFile(t testing.TB, file string, listener event.Listener) *bench {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return load(t, string(text), listener)
}

// alloc makes device memory that holds some 32-bit values.
func (b *bench) alloc(values ...uint32) uint64 {
	b.t.Helper()
	a, err := b.device.Malloc(uint64(4*len(values)), "test")
	if err != nil {
		b.t.Fatal(err)
	}
	bytes, _ := b.device.Bytes(a, uint64(4*len(values)))
	for i, v := range values {
		binary.LittleEndian.PutUint32(bytes[4*i:], v)
	}
	return a
}

func (b *bench) read(a uint64, n int) []uint32 {
	b.t.Helper()
	bytes, err := b.device.Bytes(a, uint64(4*n))
	if err != nil {
		b.t.Fatal(err)
	}
	out := make([]uint32, n)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(bytes[4*i:])
	}
	return out
}

// args lays arguments out as kernels expect them.
func args(values ...any) []byte {
	var out []byte
	for _, v := range values {
		size := binary.Size(v)
		for len(out)%min(size, 16) != 0 {
			out = append(out, 0)
		}
		out, _ = binary.Append(out, binary.LittleEndian, v)
	}
	return out
}

func (b *bench) kernel(name string) *sim.Kernel {
	b.t.Helper()
	k, err := b.module.Kernel(name)
	if err != nil {
		b.t.Fatal(err)
	}
	return k
}

func (b *bench) launch(name string, l sim.Launch) (*sim.Stats, error) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	return b.device.Launch(ctx, b.kernel(name), l)
}

func (b *bench) run(name string, grid, block int, arguments ...any) *sim.Stats {
	b.t.Helper()
	s, err := b.launch(name, sim.Launch{Grid: race.Dim3{grid}, Block: race.Dim3{block}, Args: args(arguments...)})
	if err != nil {
		b.t.Fatalf("%s: %v", name, err)
	}
	return s
}

func equal(t *testing.T, what string, got, want []uint32) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s[%d] is %d (%#x), want %d (%#x)", what, i, got[i], got[i], want[i], want[i])
		}
	}
}

// build makes n values.
func build(n int, f func(i int) uint32) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = f(i)
	}
	return out
}

func TestSaxpy(t *testing.T) { bothCompilers(t, testSaxpy) }

func testSaxpy(t *testing.T, basic string) {
	b := loadFile(t, basic, nil)
	x := b.alloc(build(1000, func(i int) uint32 { return f32bits(float32(i) / 3) })...)
	y := b.alloc(build(1000, func(i int) uint32 { return f32bits(float32(i)) })...)
	b.run("saxpy", 8, 128, y, x, float32(2.5), int32(1000))
	equal(t, "y", b.read(y, 1000), build(1000, func(i int) uint32 {
		return f32bits(float32(float64(float32(i)/3)*2.5 + float64(i)))
	}))
}

func TestReduce(t *testing.T) { bothCompilers(t, testReduce) }

func testReduce(t *testing.T, basic string) {
	b := loadFile(t, basic, nil)
	in := b.alloc(build(5000, func(i int) uint32 { return uint32(i * i % 101) })...)
	out := b.alloc(0)
	b.run("reduce", 20, 256, out, in, int32(5000))
	sum := uint32(0)
	for i := range 5000 {
		sum += uint32(i * i % 101)
	}
	equal(t, "sum", b.read(out, 1), []uint32{sum})
}

func TestDynamicShared(t *testing.T) { bothCompilers(t, testDynamicShared) }

func testDynamicShared(t *testing.T, basic string) {
	b := loadFile(t, basic, nil)
	data := b.alloc(build(100, func(i int) uint32 { return uint32(i) })...)
	if _, err := b.launch("reverse", sim.Launch{Block: race.Dim3{100}, Shared: 400, Args: args(data)}); err != nil {
		t.Fatal(err)
	}
	equal(t, "data", b.read(data, 100), build(100, func(i int) uint32 { return uint32(99 - i) }))
}

func TestRecursion(t *testing.T) { bothCompilers(t, testRecursion) }

func testRecursion(t *testing.T, basic string) {
	b := loadFile(t, basic, nil)
	out := b.alloc(make([]uint32, 64)...)
	b.run("recursion", 1, 64, out)
	fib := []uint32{0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89}
	equal(t, "fib", b.read(out, 64), build(64, func(i int) uint32 { return fib[i%12] }))
}

func TestSpinLock(t *testing.T) { bothCompilers(t, testSpinLock) }

func testSpinLock(t *testing.T, basic string) {
	for seed := range uint64(5) {
		b := loadFile(t, basic, nil)
		lock, count := b.alloc(0), b.alloc(0)
		_, err := b.launch("spinlock", sim.Launch{
			Grid: race.Dim3{10}, Block: race.Dim3{96}, Args: args(lock, count), Seed: seed,
		})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "count", b.read(count, 1), []uint32{960})
	}
}

func TestShuffleSum(t *testing.T) { bothCompilers(t, testShuffleSum) }

func testShuffleSum(t *testing.T, basic string) {
	b := loadFile(t, basic, nil)
	out := b.alloc(make([]uint32, 4)...)
	b.run("warp_sum", 1, 128, out)
	equal(t, "sums", b.read(out, 4), build(4, func(i int) uint32 { return uint32(32*32*i + 496) }))
}

func TestDivergentLoop(t *testing.T) { bothCompilers(t, testDivergentLoop) }

func testDivergentLoop(t *testing.T, basic string) {
	b := loadFile(t, basic, nil)
	out := b.alloc(make([]uint32, 1000)...)
	b.run("collatz", 8, 128, out, uint32(1000))
	equal(t, "steps", b.read(out, 1000), build(1000, func(i int) uint32 {
		n := uint32(0)
		for v := uint64(i + 1); v != 1; n++ {
			if v&1 == 1 {
				v = 3*v + 1
			} else {
				v /= 2
			}
		}
		return n
	}))
}

func TestPrintf(t *testing.T) { bothCompilers(t, testPrintf) }

func testPrintf(t *testing.T, basic string) {
	b := loadFile(t, basic, nil)
	b.run("hello", 1, 2, b.alloc(0))
	want := "thread 0 of block 0: text  0.00 A 123456789abc\nthread 1 of block 0: text  1.50 B 123456789abc\n"
	if got := b.output.String(); got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

func TestSwitch(t *testing.T) { bothCompilers(t, testSwitch) }

func testSwitch(t *testing.T, basic string) {
	b := loadFile(t, basic, nil)
	out := b.alloc(make([]uint32, 64)...)
	b.run("choose", 1, 64, out, int32(0))
	equal(t, "out", b.read(out, 64), build(64, func(i int) uint32 {
		return []uint32{17, uint32(i * 3), uint32(i ^ 5), uint32(100 / (i + 1)), uint32(i % 7), uint32(-i), uint32(i << 3), uint32(i)}[i%8]
	}))
}

func TestMemorySpaces(t *testing.T) { bothCompilers(t, testMemorySpaces) }

func testMemorySpaces(t *testing.T, basic string) {
	b := loadFile(t, basic, nil)
	out := b.alloc(make([]uint32, 64)...)
	var big struct {
		A   [10]int32
		Pad [2]int32
		V   [4]uint32
	}
	for i := range big.A {
		big.A[i] = int32(i * 100)
	}
	big.V[2] = 1000000
	table := []int32{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3}
	arguments := args(out)
	arguments = append(arguments, make([]byte, 8)...)
	arguments, _ = binary.Append(arguments, binary.LittleEndian, big)
	if _, err := b.launch("memory", sim.Launch{Block: race.Dim3{64}, Args: arguments}); err != nil {
		t.Fatal(err)
	}
	equal(t, "out", b.read(out, 64), build(64, func(tid int) uint32 {
		var local [8]int32
		for i := range 8 {
			local[(i+tid)%8] = big.A[i] + table[(tid+i)%16]
		}
		sum := int32(1000007)
		for i := range 8 {
			sum += local[i*tid&7]
		}
		return uint32(sum)
	}))
}

func TestHeap(t *testing.T) { bothCompilers(t, testHeap) }

func testHeap(t *testing.T, basic string) {
	b := loadFile(t, basic, nil)
	out := b.alloc(make([]uint32, 64)...)
	b.run("heap", 1, 32, out)
	pointers := b.read(out, 64)
	for i := range 32 {
		p := uint64(pointers[2*i]) | uint64(pointers[2*i+1])<<32
		_, err := b.device.Bytes(p, 16)
		if freed := i%2 == 1; freed != (err != nil) {
			t.Fatalf("memory of lane %d: %v", i, err)
		}
		if err == nil {
			equal(t, "heap", b.read(p, 4), build(4, func(j int) uint32 { return uint32(i*10 + j) }))
		}
	}
}

func fault(t *testing.T, err error) *sim.Fault {
	t.Helper()
	var f *sim.Fault
	if !errors.As(err, &f) {
		t.Fatalf("error %v, want a fault", err)
	}
	return f
}

func TestAssert(t *testing.T) { bothCompilers(t, testAssert) }

func testAssert(t *testing.T, basic string) {
	b := loadFile(t, basic, nil)
	_, err := b.launch("asserts", sim.Launch{Block: race.Dim3{64}, Args: args(int32(40))})
	f := fault(t, err)
	if f.Kind != sim.Assertion || f.Thread.Thread[0] != 40 || f.Location.File == "" {
		t.Errorf("fault %+v", f)
	}
	if !strings.Contains(b.output.String(), "thread: [40,0,0] Assertion `(int)threadIdx.x < n` failed.") {
		t.Errorf("printed %q", b.output.String())
	}
}

func TestStray(t *testing.T) { bothCompilers(t, testStray) }

func testStray(t *testing.T, basic string) {
	tests := []struct {
		index int32
		shift uint64
		kind  sim.FaultKind
		lane  int
		text  string
	}{
		{index: 90, kind: sim.OutOfBounds, lane: 10, text: "right behind the end of `test` of 400 bytes"},
		{index: -5, kind: sim.OutOfBounds, lane: 0, text: "20 bytes before `test`"},
		{index: 0, shift: 2, kind: sim.Misaligned, lane: 0, text: "no multiple of 4"},
	}
	for _, test := range tests {
		b := loadFile(t, basic, nil)
		p := b.alloc(make([]uint32, 100)...)
		_, err := b.launch("stray", sim.Launch{Block: race.Dim3{32}, Args: args(p+test.shift, test.index)})
		f := fault(t, err)
		if f.Kind != test.kind || f.Thread.Thread[0] != test.lane || !strings.Contains(f.Message, test.text) || f.Location.Line == 0 {
			t.Errorf("index %d: %v", test.index, f)
		}
	}
}

func TestUseAfterFree(t *testing.T) { bothCompilers(t, testUseAfterFree) }

func testUseAfterFree(t *testing.T, basic string) {
	b := loadFile(t, basic, nil)
	p := b.alloc(make([]uint32, 100)...)
	if err := b.device.Free(p); err != nil {
		t.Fatal(err)
	}
	_, err := b.launch("stray", sim.Launch{Block: race.Dim3{32}, Args: args(p, int32(0))})
	if f := fault(t, err); f.Kind != sim.UseAfterFree {
		t.Errorf("%v", f)
	}
}

func TestNoEnd(t *testing.T) { bothCompilers(t, testNoEnd) }

func testNoEnd(t *testing.T, basic string) {
	b := loadFile(t, basic, nil)
	p := b.alloc(0)
	_, err := b.launch("hang", sim.Launch{Block: race.Dim3{64}, Args: args(p)})
	f := fault(t, err)
	if f.Kind != sim.Livelock || len(f.Waiters) != 2 {
		t.Fatalf("%v", f)
	}
	if w := f.Waiters[0]; w.Count != 32 || !strings.Contains(w.What, "barrier 0 for 32 more threads") {
		t.Errorf("waiter %+v", w)
	}
	_, err = b.launch("hang", sim.Launch{Block: race.Dim3{64}, Args: args(p), MaxInstructions: 10000})
	if f := fault(t, err); f.Kind != sim.Limit {
		t.Errorf("%v", f)
	}
}

func TestCancel(t *testing.T) { bothCompilers(t, testCancel) }

func testCancel(t *testing.T, basic string) {
	b := loadFile(t, basic, nil)
	ctx, cancel := context.WithCancel(context.Background())
	const n = 1 << 22 // seconds of work
	out, err := b.device.Malloc(4*n, "steps")
	if err != nil {
		t.Fatal(err)
	}
	before := uint64(0)
	s, err := b.device.Launch(ctx, b.kernel("collatz"), sim.Launch{
		Grid: race.Dim3{n / 256}, Block: race.Dim3{256}, Args: args(out, uint32(n)),
		Progress: func(p sim.Progress) {
			before = p.Instructions
			cancel()
		},
	})
	if f := fault(t, err); f.Kind != sim.Cancelled || !errors.Is(err, context.Canceled) {
		t.Errorf("%v", f)
	}
	// So few instructions take less than 100 ms on any machine.
	if before == 0 || s.Instructions-before > 1<<16 {
		t.Errorf("cancelled after %d instructions, %d more were executed", before, s.Instructions-before)
	}
}

// Several cores give the same results as one, where the program orders what matters.
func TestCores(t *testing.T) { bothCompilers(t, testCores) }

func testCores(t *testing.T, basic string) {
	b := loadFile(t, basic, nil)
	in := b.alloc(build(1<<16, func(i int) uint32 { return uint32(i % 17) })...)
	sum, lock, count := b.alloc(0), b.alloc(0), b.alloc(0)
	l := sim.Launch{Grid: race.Dim3{256}, Block: race.Dim3{256}, Args: args(sum, in, int32(1<<16)), Cores: 3}
	s, err := b.launch("reduce", l)
	if err != nil {
		t.Fatal(err)
	}
	want := uint32(0)
	for i := range 1 << 16 {
		want += uint32(i % 17)
	}
	equal(t, "sum", b.read(sum, 1), []uint32{want})
	if s.BlocksDone != 256 {
		t.Errorf("%d blocks done, want 256", s.BlocksDone)
	}
	l = sim.Launch{Grid: race.Dim3{8}, Block: race.Dim3{64}, Args: args(lock, count), Cores: 3}
	if _, err := b.launch("spinlock", l); err != nil {
		t.Fatal(err)
	}
	equal(t, "count", b.read(count, 1), []uint32{512})
	l = sim.Launch{Grid: race.Dim3{64}, Block: race.Dim3{64}, Args: args(in, int32(1<<20)), Cores: 3}
	if _, err := b.launch("stray", l); fault(t, err).Kind != sim.OutOfBounds {
		t.Errorf("error %v", err)
	}
}

func f32bits(v float32) uint32 {
	var b [4]byte
	_, _ = binary.Encode(b[:], binary.LittleEndian, v)
	return binary.LittleEndian.Uint32(b[:])
}
