package interp_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp"
	"github.com/warplint/warplint/analysis/race"
)

// orders are interleavings that every kernel below must agree under.
var orders = []interp.Options{
	{},
	{Quantum: 1},
	{Order: interp.Descending},
	{Order: interp.Descending, Quantum: 3},
	{Order: interp.Shuffled, Seed: 1},
	{Order: interp.Shuffled, Seed: 2, Quantum: 2},
}

func execute(t *testing.T, text string, launch interp.Launch, options interp.Options) *interp.Outcome {
	t.Helper()
	f, err := ir.ParseFunc(text)
	if err != nil {
		t.Fatal(err)
	}
	out, err := interp.Compile(f).Run(context.Background(), launch, options, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// words reads 32-bit words of a buffer.
func words(out *interp.Outcome, buffer, n int) []uint32 {
	data := out.Memory.ReadBuffer(buffer, 0, 4*n)
	list := make([]uint32, n)
	for i := range list {
		list[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return list
}

// oneBuffer is a launch of a kernel with one parameter, a buffer of words.
func oneBuffer(blocks, threads, size int) interp.Launch {
	return interp.Launch{
		Grid: race.Dim3{blocks, 1, 1}, Block: race.Dim3{threads, 1, 1},
		Args: []interp.Arg{interp.PointerTo(0, 0)}, Buffers: []interp.Buffer{{Name: "out", Size: int64(4 * size)}},
	}
}

// TestKernels runs kernels under all orders and compares the first words of their buffer.
func TestKernels(t *testing.T) {
	for _, test := range []struct {
		name            string
		blocks, threads int
		body            string
		want            []uint32
	}{
		{"coordinates", 3, 2, `
			store $out[blockIdx.x * blockDim.x + threadIdx.x], blockIdx.x * 10 + threadIdx.x`,
			[]uint32{0, 1, 10, 11, 20, 21}},
		{"loop with break and continue", 1, 1, `
			%i = 0u32
			%sum = 0u32
			L1: loop { } while %i < 10 {
				if %i == 7 { break L1 }
				if %i % 2 == 0 { continue L1 }
				%sum = %sum + %i
			} post { %i = %i + 1 }
			store $out[0], %sum
			store $out[1], %i`,
			[]uint32{9, 7}},
		{"blocks and do loop", 1, 1, `
			%i = 0u32
			L1: block {
				L2: loop { } while true {
					%i = %i + 1
				} post {
					if %i == 5 { break L1 }
					if !(%i < 9) { break L2 }
				}
				%i = 100
			}
			store $out[0], %i`,
			[]uint32{5}},
		{"reduction in shared memory", 1, 64, `
			store @s[threadIdx.x], threadIdx.x
			barrier block sync
			%d = 32u32
			L1: loop { } while %d > 0 {
				if threadIdx.x < %d {
					%x = load @s[threadIdx.x]
					%y = load @s[threadIdx.x + %d]
					store @s[threadIdx.x], %x + %y
				}
				barrier block sync
			} post { %d = %d >> 1 }
			if threadIdx.x == 0 {
				%x = load @s[0]
				store $out[0], %x
			}`,
			[]uint32{2016}},
		{"barrier with exited threads", 1, 40, `
			if threadIdx.x >= 3 { return }
			store @s[threadIdx.x], 5
			barrier block sync
			%x = load @s[(threadIdx.x + 1) % 3]
			store $out[threadIdx.x], %x`,
			[]uint32{5, 5, 5, 0}},
		{"reducing barriers", 1, 33, `
			%n = barrier block sync reduce count of threadIdx.x % 3 == 0
			%all = barrier block sync reduce and of threadIdx.x < 33
			%any = barrier block sync reduce or of threadIdx.x == 50
			store $out[threadIdx.x], u32(%n) * 100 + u32(%all) * 10 + u32(%any)`,
			[]uint32{1110, 1110}},
		{"named barrier: producers arrive, consumers wait", 1, 64, `
			if threadIdx.x < 32 {
				store @s[threadIdx.x], threadIdx.x
				barrier block arrive id 1 count 64
			} else {
				barrier block sync id 1 count 64
				%x = load @s[63 - threadIdx.x]
				store $out[threadIdx.x - 32], %x
			}`,
			[]uint32{31, 30, 29}},
		{"grid barrier", 4, 8, `
			store $out[blockIdx.x], blockIdx.x + 1
			barrier grid sync
			%x = load $out[(blockIdx.x + 1) % 4]
			barrier grid sync
			store $out[blockIdx.x], %x`,
			[]uint32{2, 3, 4, 1}},
		{"split grid barrier", 2, 2, `
			store $out[blockIdx.x], 7
			barrier grid arrive
			barrier grid wait
			%x = load $out[1 - blockIdx.x]
			store $out[blockIdx.x + 2], %x`,
			[]uint32{7, 7, 7, 7}},
		{"warp barrier and partial warp", 1, 40, `
			%first = threadIdx.x / 32 * 32
			store @s[threadIdx.x], threadIdx.x
			barrier warp sync mask 0xffffffff
			%x = load @s[%first + 7 - laneId % 8]
			store $out[threadIdx.x], %x
			`,
			[]uint32{7, 6, 5, 4, 3, 2, 1, 0, 7}},
		{"shuffles", 1, 32, `
			%a = warp shfl mask 0xffffffff args threadIdx.x, 3u32, 8
			%b = warp shfl_up mask 0xffffffff args threadIdx.x, 1u32, 32
			%c = warp shfl_down mask 0xffffffff args threadIdx.x, 2u32, 4
			%d = warp shfl_xor mask 0xffffffff args threadIdx.x, 1u32, 32
			store $out[threadIdx.x], %a * 1000000 + %b * 10000 + %c * 100 + %d`,
			[]uint32{3000201, 3000300, 3010203, 3020302, 3030605, 3040704, 3050607, 3060706, 11070_000 + 1009}},
		{"votes and matches", 1, 32, `
			%all = warp all mask 0xffffffff args threadIdx.x < 32
			%any = warp any mask 0xffffffff args threadIdx.x == 40
			%ballot = warp ballot mask 0xffffffff args threadIdx.x % 4 == 1
			%same = warp match_any mask 0xffffffff args threadIdx.x / 16
			%none = warp match_all mask 0xffffffff args threadIdx.x
			if threadIdx.x == 20 {
				store $out[0], u32(%all) * 2 + u32(%any)
				store $out[1], %ballot
				store $out[2], %same
				store $out[3], %none
			}`,
			[]uint32{2, 0x22222222, 0xffff0000, 0}},
		{"diverged warp operations", 1, 32, `
			if laneId < 4 {
				%v = warp shfl mask 0xf args threadIdx.x * 10, 3u32, 32
			} else {
				%m = warp activemask
				%v = warp shfl mask %m args threadIdx.x, 5u32, 32
				%v = %v + (%m >> 28)
			}
			store $out[threadIdx.x], %v`,
			[]uint32{30, 30, 30, 30, 20, 20}},
		{"atomics", 2, 33, `
			atomic add $out[0], 2
			atomic max $out[1], threadIdx.x
			%o = atomic inc $out[2], 9
			atomic or $out[3], 1u32 << (threadIdx.x % 8)
			atomic sub relaxed block $out[4], 1
			`,
			[]uint32{132, 32, 6, 255, 0xffffffff - 65}},
		{"spin lock", 2, 40, `
			L1: loop {
				%old = atomic cas $out[0], 0, 1
			} while %old != 0 { }
			%x = load volatile $out[1]
			store volatile $out[1], %x + 1
			fence seq_cst device
			atomic exch $out[0], 0`,
			[]uint32{0, 80}},
		{"flag between blocks", 2, 1, `
			if blockIdx.x == 1 {
				store $out[0], 42
				fence seq_cst device
				atomic exch $out[1], 1
			} else {
				L1: loop {
					%f = load volatile $out[1]
				} while %f == 0 { }
				%x = load $out[0]
				store $out[2], %x
			}`,
			[]uint32{42, 1, 42}},
		{"local arrays are private", 1, 4, `
			store @l[1], threadIdx.x
			barrier block sync
			%x = load @l[1]
			store $out[threadIdx.x], %x`,
			[]uint32{0, 1, 2, 3}},
		{"variables", 2, 2, `
			%x = load @g[1]
			%y = atomic add @g[0], 1
			store $out[blockIdx.x * 2 + threadIdx.x], %x
			store $out[4 + %y], 1`,
			[]uint32{9, 9, 9, 9, 1, 1, 1, 1}},
		{"asynchronous copy", 1, 4, `
			store $out[threadIdx.x], threadIdx.x + 50
			named cp.async @s[threadIdx.x], $out[threadIdx.x], 4
			named cp.async.commit
			named cp.async.wait 0
			barrier block sync
			%x = load @s[3 - threadIdx.x]
			store $out[4 + threadIdx.x], %x`,
			[]uint32{50, 51, 52, 53, 53, 52, 51, 50}},
		{"copy of a block", 1, 40, `
			store $out[threadIdx.x], threadIdx.x + 50
			barrier block sync
			named group.copy @s, $out, 160, 1u32, 0u32
			named group.wait 0, 1u32
			barrier block sync
			%x = load @s[39 - threadIdx.x]
			store $out[threadIdx.x], %x`,
			[]uint32{89, 88, 87, 86}},
		{"copy that an mbarrier waits for", 1, 8, `
			if threadIdx.x == 0 { named mbarrier.init @g, 8 }
			store $out[threadIdx.x], threadIdx.x + 50
			barrier block sync
			named cp.async @s[threadIdx.x], $out[7 - threadIdx.x], 4, @g
			named mbarrier.arrive @g
			named mbarrier.wait @g
			%x = load @s[(threadIdx.x + 1) % 8]
			store $out[threadIdx.x], %x`,
			[]uint32{56, 55, 54, 53, 52, 51, 50, 57}},
		{"waiting for a time", 1, 2, `
			%start = call i64 clock64()
			L1: loop {
				%now = call i64 clock64()
			} while %now - %start < 100000 { }
			store $out[threadIdx.x], 1`,
			[]uint32{1, 1}},
		{"warp reductions", 1, 32, `
			%a = warp reduce_add mask 0xffffffff args threadIdx.x
			%m = warp reduce_max mask 0xffffffff args i32(threadIdx.x) - 40
			%x = warp reduce_xor mask 0xffffffff args threadIdx.x * 3
			%f = warp reduce_add mask 0xffffffff args 0.5f32
			store $out[0], %a
			store $out[1], u32(%m)
			store $out[2], %x
			store $out[3], u32(%f)`,
			[]uint32{496, 0xfffffff7, 32, 16}},
		{"mbarrier", 1, 8, `
			if threadIdx.x == 0 { named mbarrier.init @g, 8 }
			barrier block sync
			store @s[threadIdx.x], threadIdx.x
			%token = named mbarrier.arrive @g
			named mbarrier.wait @g, %token
			%x = load @s[7 - threadIdx.x]
			%token = named mbarrier.arrive @g
			named mbarrier.wait @g, 1u32
			store $out[threadIdx.x], %x`,
			[]uint32{7, 6, 5, 4, 3, 2, 1, 0}},
	} {
		text := "func k {\n param $out ptr u32\n shared @s u32 dims 64\n local @l u32 dims 4\n" +
			"global @g u32 dims 2 init \"0000000009000000\"\n" + test.body + "\n}\n"
		for _, options := range orders {
			t.Run(fmt.Sprintf("%s/%d-%d-%d", test.name, options.Order, options.Quantum, options.Seed), func(t *testing.T) {
				out := execute(t, text, oneBuffer(test.blocks, test.threads, 128), options)
				if !out.Completed() || len(out.Opaque) > 0 || len(out.OutOfBounds) > 0 {
					t.Fatalf("limit %q, trap %v, deadlock %v, opaque %v, out of bounds %v", out.Limit, out.Trap, out.Deadlock, out.Opaque, out.OutOfBounds)
				}
				if got := words(out, 0, len(test.want)); !slices.Equal(got, test.want) {
					t.Errorf("got %v, want %v", got, test.want)
				}
			})
		}
	}
}

func TestClusters(t *testing.T) {
	const text = `func k {
		cluster 2 1 1
		param $out ptr u32
		store $out[blockIdx.x], clusterIdx.x * 10 + blockInCluster.x
		barrier cluster sync
		%x = load $out[blockIdx.x ^ 1]
		store $out[blockIdx.x + 4], %x + clusterDim.x * 100
	}`
	out := execute(t, text, oneBuffer(4, 1, 8), interp.Options{})
	if got, want := words(out, 0, 8), []uint32{0, 1, 10, 11, 201, 200, 211, 210}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if _, err := interp.Compile(ir.MustParse(text)).Run(context.Background(), oneBuffer(3, 1, 8), interp.Options{}, nil); err == nil {
		t.Error("a grid of 3 blocks in clusters of 2 runs")
	}
}

func TestEnds(t *testing.T) {
	for _, test := range []struct {
		name, body string
		threads    int
		want       string
	}{
		{"division", "%x = 1 / i32(threadIdx.x)", 1, "division by zero"},
		{"null", "%x = load i32 null", 1, "null pointer"},
		{"wild", "%x = load i32 bits(ptr, 0x1234)", 1, "0x1234, which is no address"},
		{"stored pointer", "store ptr $out, null\n%p = load ptr $out\n%x = load i32 %p", 1, "null pointer"},
		{"pointer behind pointers", "%p = load ptr $out\n%p = load ptr %p\n%p = load ptr %p\n%x = load i32 %p", 1, "null pointer"},
		{"trap", "trap", 1, "the kernel traps"},
		{"assume", "assume threadIdx.x == 1", 1, "assumption"},
		{"barrier number", "barrier block sync id 16", 1, "barrier number 16"},
		{"own lane", "barrier warp sync mask 2", 1, "leaves out its own lane 0"},
		{"count", "barrier block sync count 2000", 1, "barrier for 2000 threads"},
		{"mbarrier", "named mbarrier.arrive $out", 1, "not initialized"},
		{"endless", "L1: loop { } while true { }", 3, "limit steps"},
		{"memory", "%i = 0i64\nL1: loop { } while true { store u8 $big + %i, 1u8\n %i = %i + 1000000 }", 1, "limit memory"},
		{"missing threads", "if threadIdx.x == 0 { barrier block sync id 1 count 64 }", 33, "0 waits for block barrier"},
		{"disagreeing masks", "if threadIdx.x == 0 { barrier warp sync mask 3 } else { barrier warp sync mask 2\nbarrier block sync }", 2,
			"0 waits for warp barrier, 1 waits for block barrier"},
		{"lock twice", "L1: loop { %o = atomic cas $out[0], 0, 1 } while %o != 0 { }\nL2: loop { %o = atomic cas $out[0], 0, 1 } while %o != 0 { }", 1, "limit steps"},
	} {
		t.Run(test.name, func(t *testing.T) {
			launch := oneBuffer(1, test.threads, 128)
			launch.Args = append(launch.Args, interp.PointerTo(1, 0))
			launch.Buffers = append(launch.Buffers, interp.Buffer{})
			out := execute(t, "func k {\nparam $out ptr i32\nparam $big ptr i32\n"+test.body+"\n}", launch, interp.Options{MaxSteps: 1e6, MaxMemory: 4 << 20})
			got := ""
			switch {
			case out.Trap != nil:
				got = out.Trap.Reason
			case out.Limit != "":
				got = "limit " + out.Limit
			}
			for i, w := range out.Deadlock {
				if i > 0 {
					got += ", "
				}
				got += fmt.Sprintf("%d waits for %s", w.Thread.ID, w.For)
			}
			if !strings.Contains(got, test.want) {
				t.Errorf("ends with %q, want %q", got, test.want)
			}
		})
	}
}

// TestStandstill runs threads that wait for what nobody does, and some that only seem to.
func TestStandstill(t *testing.T) {
	for _, test := range []struct {
		name, body, want string
	}{
		{"lock twice", "L1: loop { %o = atomic cas $out[0], 0, 1 } while %o != 0 { }\nL2: loop { %o = atomic cas $out[0], 0, 1 } while %o != 0 { }", interp.Standstill},
		{"flag of nobody", "L: loop { %f = load volatile $out[1] } while %f == 0 { }", interp.Standstill},
		{"two flags", "L: loop { %f = load volatile $out[1]\n %g = atomic add $out[2], 0 } while %f == 0 | %g == 0 { }", interp.Standstill},
		{"flag of the last thread", "if threadIdx.x == 3 { store volatile $out[1], 1 }\nL: loop { %f = load volatile $out[1] } while %f == 0 { }", ""},
		{"late flag", "%n = 0\nif threadIdx.x == 3 { W: loop { } while %n < 5000 { %n = %n + 1 }\n store volatile $out[1], 1 }\nL: loop { %f = load volatile $out[1] } while %f == 0 { }", ""},
		{"counted tries", "%n = 0\nL: loop { %f = load volatile $out[1] } while %f == 0 & %n < 5000 { %n = %n + 1 }", ""},
		{"lanes at activemask", "if threadIdx.x == 3 { %m = warp activemask\n store volatile $out[1], 1 }\nL: loop { %f = load volatile $out[1] } while %f == 0 { }", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := ir.MustParse("func k {\nparam $out ptr i32\n" + test.body + "\n}")
			for _, options := range orders {
				options.MaxSteps = 1e6
				out, err := interp.Compile(f).Run(context.Background(), oneBuffer(1, 4, 128), options, quiet{})
				if err != nil || out.Limit != test.want || out.Steps > 5e5 {
					t.Errorf("%v: limit %q after %d steps, %v; want %q", options, out.Limit, out.Steps, err, test.want)
				}
			}
		})
	}
}

// quiet is a listener that does nothing.
type quiet struct{}

func (quiet) Access(*interp.Thread, *interp.Access)       {}
func (quiet) Fence(*interp.Thread, *ir.Fence)             {}
func (quiet) Arrive(*interp.Thread, *interp.Phase, int)   {}
func (quiet) Release(*interp.Phase, []*interp.Thread)     {}
func (quiet) ProxyFence(*interp.Thread)                   {}
func (quiet) AsyncIssue(*interp.Thread, *interp.AsyncOp)  {}
func (quiet) AsyncWait(*interp.Thread, []*interp.AsyncOp) {}
func (quiet) Exit(*interp.Thread)                         {}

func TestOutOfBounds(t *testing.T) {
	const text = `func k {
		param $out ptr u32
		shared @s u32 dims 4
		store @s[threadIdx.x], 9
		%x = load $out[-1]
		store $out[i32(threadIdx.x) - 2], 7
		%y = load $out[-2]
		store $out[0], %y
	}`
	out := execute(t, text, oneBuffer(1, 6, 4), interp.Options{})
	if !out.Completed() {
		t.Fatal(out.Trap)
	}
	var got []string
	for _, b := range out.OutOfBounds {
		got = append(got, fmt.Sprintf("%s %s%+d by %d", b.Kind, b.Object.Name, b.Offset, b.Thread.Index))
	}
	want := []string{"read out-4 by 0", "write out-8 by 0", "read out-8 by 0", "write s+16 by 4"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if words(out, 0, 1)[0] != 7 {
		t.Error("memory before the buffer does not keep its contents")
	}
}

func TestOpaque(t *testing.T) {
	const text = `func k {
		param $out ptr u32
		reg %r u32
		unknown "virtual call" sets %r
		%c = call u32 mystery(threadIdx.x, 3)
		%d = call u32 mystery(threadIdx.x, 3)
		named mystery.op
		%s = warp shfl mask 1 args 5u32, 4, 32
		store $out[0], %r
		store $out[1], %c - %d
		launch other grid 1, 1, 1 block 1, 1, 1
	}`
	first := execute(t, text, oneBuffer(1, 1, 4), interp.Options{})
	want := []string{"call of mystery", "host statement", "operation mystery.op", "shfl reads a lane that does not take part", "virtual call"}
	if !first.Completed() || !slices.Equal(first.Opaque, want) {
		t.Errorf("opaque %q, want %q", first.Opaque, want)
	}
	second := execute(t, text, oneBuffer(1, 1, 4), interp.Options{})
	if a, b := words(first, 0, 2), words(second, 0, 2); !slices.Equal(a, b) || a[0] == 0 || a[1] != 0 {
		t.Errorf("values %v and then %v", a, b)
	}
}

// TestBuffers checks initial contents, unknown sizes, shared buffers and chosen blocks.
func TestBuffers(t *testing.T) {
	const text = `func k {
		param $a ptr u32
		param $b ptr u32
		param $n u32
		%x = load $b[$n]
		store $a[blockIdx.x], %x
		%y = load $b[i64(-300000)]
		store $a[100], %y
	}`
	launch := interp.Launch{
		Grid: race.Dim3{5, 1, 1}, Block: race.Dim3{1, 1, 1}, Blocks: []int{3, 1},
		Args:    []interp.Arg{interp.PointerTo(0, 0), interp.PointerTo(0, 8), interp.Int(1000000)},
		Buffers: []interp.Buffer{{Fill: interp.Repeat([]byte{1, 2, 3, 4})}},
	}
	out := execute(t, text, launch, interp.Options{})
	if !out.Completed() || len(out.OutOfBounds) > 0 {
		t.Fatal(out.Trap, out.OutOfBounds)
	}
	for _, w := range words(out, 0, 5) {
		if w != 0x04030201 {
			t.Errorf("words %x", words(out, 0, 5))
		}
	}
	launch.Buffers[0] = interp.Buffer{Data: []byte{0, 0, 0, 0, 8}, Fill: race.Memory{Seed: 1, Width: 4, Below: 3}.Fill}
	out = execute(t, text, launch, interp.Options{})
	got := words(out, 0, 5)
	if got[0] != 0 || got[1] >= 3 || got[3] != got[1] || words(out, 0, 101)[100] >= 3 {
		t.Errorf("words %v", got)
	}
}

func TestVariables(t *testing.T) {
	const text = `func k {
		param $out ptr u32
		global @p ptr
		constant @c u32 init "01000000"
		%p = load @p
		%c = load @c
		%x = load u32 %p
		store $out[0], %x + %c
	}`
	launch := oneBuffer(1, 1, 4)
	launch.Buffers[0].Data = []byte{0, 0, 0, 0, 0, 0, 0, 0, 40}
	pointer := binary.LittleEndian.AppendUint64(nil, interp.PointerBits(0, 8))
	launch.Variables = map[int]interp.Buffer{0: {Data: pointer}, 1: {Data: []byte{2}}}
	out := execute(t, text, launch, interp.Options{})
	if got := words(out, 0, 1)[0]; got != 42 {
		t.Errorf("got %d, want 42 (trap %v)", got, out.Trap)
	}
	if got := out.Memory.ReadVariable(1, 0, 4); !slices.Equal(got, []byte{2, 0, 0, 0}) {
		t.Errorf("the constant is %v", got)
	}
}

func TestBadLaunches(t *testing.T) {
	p := interp.Compile(ir.MustParse("func k {\nparam $out ptr u32\n}"))
	good := oneBuffer(1, 1, 1)
	for name, change := range map[string]func(*interp.Launch){
		"no blocks":         func(l *interp.Launch) { l.Grid[1] = 0 },
		"huge block":        func(l *interp.Launch) { l.Block = race.Dim3{1024, 2, 1} },
		"huge grid":         func(l *interp.Launch) { l.Grid = race.Dim3{1 << 30, 1 << 30, 1 << 30} },
		"missing argument":  func(l *interp.Launch) { l.Args = nil },
		"missing buffer":    func(l *interp.Launch) { l.Buffers = nil },
		"block of no grid":  func(l *interp.Launch) { l.Blocks = []int{1} },
		"block twice":       func(l *interp.Launch) { l.Blocks = []int{0, 0} },
		"negative shared":   func(l *interp.Launch) { l.SharedBytes = -1 },
		"negative buffer":   func(l *interp.Launch) { l.Buffers = []interp.Buffer{{Size: -1}} },
		"far away argument": func(l *interp.Launch) { l.Args = []interp.Arg{interp.PointerTo(0, 1<<50)} },
	} {
		launch := good
		change(&launch)
		if _, err := p.Run(context.Background(), launch, interp.Options{}, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := p.Run(context.Background(), good, interp.Options{}, nil); err != nil {
		t.Error(err)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := interp.Compile(ir.MustParse("func k {\nL1: loop { } while true { }\n}"))
	out, err := p.Run(ctx, interp.Launch{Grid: race.Dim3{1, 1, 1}, Block: race.Dim3{1, 1, 1}}, interp.Options{MaxSteps: 1 << 60}, nil)
	if err != nil || out.Limit != "cancelled" {
		t.Error(out, err)
	}
}

// TestManyBlocks checks that a grid larger than what is resident at once comes to its end.
func TestManyBlocks(t *testing.T) {
	out := execute(t, "func k {\nparam $out ptr u32\nshared @s u32 dims 256\nstore @s[threadIdx.x], 1\natomic add $out[0], 1\n}",
		oneBuffer(1000, 256, 1), interp.Options{})
	if !out.Completed() || words(out, 0, 1)[0] != 256000 {
		t.Error(out.Limit, out.Trap, words(out, 0, 1))
	}
}

func TestDivergence(t *testing.T) {
	out := execute(t, "func k {\nif threadIdx.x == 0 { barrier block sync } else { barrier block sync }\n}",
		interp.Launch{Grid: race.Dim3{2, 1, 1}, Block: race.Dim3{3, 1, 1}}, interp.Options{})
	if len(out.Divergent) != 1 || out.Divergent[0].FirstThread.Index != 0 || out.Divergent[0].First == out.Divergent[0].Second {
		t.Errorf("%+v", out.Divergent)
	}
}

// FuzzRun checks that no function crashes a run, and that runs are deterministic.
func FuzzRun(f *testing.F) {
	f.Add("func k {\n param $a ptr i32\n %x = atomic add $a[threadIdx.x], 1\n barrier block sync\n store $a[%x], 7 / %x\n}", uint64(1))
	f.Add("func k {\n shared @s u64\n %m = warp activemask\n %v = warp shfl mask %m args 3, 2, 7\n named mbarrier.init @s, 3\n %t = named mbarrier.arrive @s\n named mbarrier.wait @s, %t\n}", uint64(2))
	f.Add("func k {\n param $a ptr f32\n shared @s f32 dims 4\n named cp.async @s, $a, 16\n named cp.async.commit\n named cp.async.wait 0\n barrier grid arrive\n barrier grid wait\n}", uint64(3))
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		function, err := ir.ParseFunc(text)
		if err != nil {
			return
		}
		launch := interp.Launch{Grid: race.Dim3{2, 1, 1}, Block: race.Dim3{5, 1, 1}, Buffers: []interp.Buffer{{Size: 64}, {Fill: race.Memory{Seed: seed, Width: 4, Below: 100}.Fill}}}
		for _, p := range function.Params {
			arg := interp.Int(int64(seed % 100))
			if p.Type == ir.Ptr {
				arg = interp.PointerTo(p.Index%2, 0)
			}
			launch.Args = append(launch.Args, arg)
		}
		program := interp.Compile(function)
		options := interp.Options{Seed: seed, Order: interp.Order(seed % 3), Quantum: int(seed % 7), MaxSteps: 5000, MaxMemory: 1 << 20}
		var outcomes [2]string
		for i := range outcomes {
			out, err := program.Run(context.Background(), launch, options, nil)
			if err != nil {
				return // such as a grid that is not made of clusters
			}
			outcomes[i] = fmt.Sprint(out.Steps, out.Limit, len(out.Deadlock), len(out.OutOfBounds), out.Opaque, out.Memory.ReadBuffer(0, 0, 64))
		}
		if outcomes[0] != outcomes[1] {
			t.Fatalf("%s\nand then\n%s", outcomes[0], outcomes[1])
		}
	})
}
