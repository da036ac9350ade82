package sim_test

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
	"github.com/warplint/warplint/dynamic/sim"
)

// recorder writes each event as a line.
type recorder struct {
	strings.Builder
	short bool // only what happens inside of warps, without addresses in global memory
}

func (r *recorder) step(s *event.Step, format string, arguments ...any) {
	fmt.Fprintf(r, "b%d w%d %08x @%d ", s.Block, s.Warp, s.Mask, s.PC)
	if r.short {
		s := r.String()
		text := strings.LastIndexByte(s, '@')
		r.Reset()
		r.WriteString(s[:text])
	}
	fmt.Fprintf(r, format+"\n", arguments...)
}

func (r *recorder) Allocate(a *event.Allocation) {
	if !r.short {
		fmt.Fprintf(r, "allocate %d %s %d\n", a.ID, a.Name, a.Size)
	}
}

func (r *recorder) Spawn(s *event.Spawn)              { r.step(&s.Step, "spawn %d", s.Origin.Stream) }
func (r *recorder) Free(a *event.Allocation)          { fmt.Fprintf(r, "free %d\n", a.ID) }
func (r *recorder) LaunchBegin(l *event.Launch)       { fmt.Fprintf(r, "launch %s\n", l.Kernel) }
func (r *recorder) LaunchEnd(l *event.Launch)         { fmt.Fprintf(r, "end %v\n", l.Err) }
func (r *recorder) BlockBegin(_ *event.Launch, b int) { fmt.Fprintf(r, "block %d begins\n", b) }
func (r *recorder) BlockEnd(_ *event.Launch, b int)   { fmt.Fprintf(r, "block %d ends\n", b) }

func (r *recorder) Access(a *event.Access) {
	first := bits.TrailingZeros32(a.Mask)
	at := a.Addr[first]
	if r.short && a.Space == event.Global {
		at &= 0xff
	}
	text := fmt.Sprintf("%s %s%s %s", a.Kind, a.Space, map[bool]string{true: " volatile"}[a.Volatile], a.Order)
	if a.Scope != race.ScopeNone {
		text += " " + a.Scope.String()
	}
	if a.Op != event.NoAtomic {
		text += " " + a.Op.String()
	}
	text += fmt.Sprintf(" %d*%d at %#x", a.Elements, a.Size/a.Elements, at)
	if a.Space == event.Shared && a.Owner != a.Block {
		text += fmt.Sprintf(" of block %d", a.Owner)
	}
	if a.Value[0].Known() {
		text += fmt.Sprintf(" = %#x", a.Value[0].At(first))
	}
	if a.Operand.Known() {
		text += fmt.Sprintf(" with %#x", a.Operand.At(first))
	}
	if a.Compare.Known() {
		text += fmt.Sprintf(" if %#x", a.Compare.At(first))
	}
	r.step(&a.Step, "%s", text)
}

func (r *recorder) Fence(f *event.Fence) { r.step(&f.Step, "fence %s %s", f.Order, f.Scope) }

func (r *recorder) Barrier(b *event.Barrier) {
	text := fmt.Sprintf("%s barrier %d", b.Kind, b.ID)
	if b.Phase == event.Arrived {
		text += " arrived"
	}
	for _, g := range b.Participants {
		text += fmt.Sprintf(" b%d w%d %08x", g.Block, g.Warp, g.Mask)
		if !g.Waits {
			text += " passing"
		}
	}
	r.step(&b.Step, "%s", text)
}

func (r *recorder) Mbarrier(b *event.Mbarrier) {
	first := bits.TrailingZeros32(b.Mask)
	r.step(&b.Step, "mbarrier %s at %#x of block %d phase %d done %08x %s %s", b.Op, b.Addr[first], b.Owner, b.Phase[first], b.Done, b.Order, b.Scope)
}

func (r *recorder) Copy(c *event.Copy) {
	first := bits.TrailingZeros32(c.Mask)
	update := ""
	if c.Update > 0 {
		update = fmt.Sprintf(", updates %d", c.Update)
	}
	r.step(&c.Step, "copy %s to %s %#x, %d of %d bytes, bulk %v%s", c.From, c.To, c.Target[first], c.SourceSize[first], c.TargetSize[first], c.Bulk, update)
}

func (r *recorder) CopyGroup(g *event.CopyGroup) {
	r.step(&g.Step, "copies %s pending %d bulk %v", [...]string{"commit", "wait", "wait all", "mbarrier"}[g.Op], g.Pending, g.Bulk)
}

func (r *recorder) ProxyFence(s *event.Step) { r.step(s, "proxy fence") }
func (r *recorder) Split(s *event.Split)     { r.step(&s.Step, "split %08x", s.Parts) }
func (r *recorder) Join(j *event.Join)       { r.step(&j.Step, "join %08x", j.Parts) }
func (r *recorder) Exit(s *event.Step)       { r.step(s, "exit") }

// The same seed gives the same events; other seeds give other schedules, and the same results.
func TestDeterminism(t *testing.T) {
	stream := func(seed uint64) (string, uint32) {
		r := new(recorder)
		b := loadFile(t, basic, r)
		lock, count := b.alloc(0), b.alloc(0)
		in := b.alloc(build(512, func(i int) uint32 { return uint32(i) })...)
		for _, l := range []struct {
			name string
			args []byte
		}{{"spinlock", args(lock, count)}, {"reduce", args(count, in, int32(512))}, {"recursion", args(in)}, {"choose", args(in, int32(0))}} {
			_, err := b.launch(l.name, sim.Launch{Grid: race.Dim3{4}, Block: race.Dim3{64}, Args: l.args, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
		}
		return r.String(), b.read(count, 1)[0]
	}
	first, result := stream(1)
	again, _ := stream(1)
	if first != again {
		t.Error("the same seed gave other events")
	}
	other, otherResult := stream(2)
	if first == other {
		t.Error("another seed gave the same events")
	}
	if result != otherResult || result != 256+32640 {
		t.Errorf("results %d and %d", result, otherResult)
	}
}

// A hundred schedules of kernels without races give the same memory.
func TestHundredSchedules(t *testing.T) {
	var first []uint32
	for seed := range uint64(100) {
		b := loadFile(t, basic, nil)
		lock, count, sum, fib := b.alloc(0), b.alloc(0), b.alloc(0), b.alloc(make([]uint32, 64)...)
		in := b.alloc(build(512, func(i int) uint32 { return uint32(i) })...)
		for _, l := range []struct {
			name string
			sim.Launch
		}{
			{"spinlock", sim.Launch{Grid: race.Dim3{3}, Block: race.Dim3{64}, Args: args(lock, count)}},
			{"reduce", sim.Launch{Grid: race.Dim3{4}, Block: race.Dim3{64}, Args: args(sum, in, int32(512))}},
			{"recursion", sim.Launch{Block: race.Dim3{64}, Args: args(fib)}},
			{"reverse", sim.Launch{Block: race.Dim3{500}, Shared: 2000, Args: args(in)}},
		} {
			l.Seed = seed
			if _, err := b.launch(l.name, l.Launch); err != nil {
				t.Fatal(err)
			}
		}
		got := slices.Concat(b.read(count, 1), b.read(sum, 1), b.read(fib, 64), b.read(in, 512))
		if first == nil {
			first = got
		}
		equal(t, fmt.Sprint("memory with seed ", seed), got, first)
	}
}

// The schedules are different enough to show a race: an update in two steps loses some of them.
func TestSchedulesShowRaces(t *testing.T) {
	results := map[uint32]bool{}
	for seed := range uint64(100) {
		b := load(t, `.version 8.0
			.target sm_80
			.address_size 64
			.visible .entry kernel(.param .u64 p)
			{
			.reg .b64 %p; .reg .b32 %v, %i; .reg .pred %q;
			ld.param.u64 %p, [p];
			mov.u32 %i, 0;
			AGAIN: ld.global.u32 %v, [%p];
			add.u32 %v, %v, 1;
			st.global.u32 [%p], %v;
			add.u32 %i, %i, 1;
			setp.lt.u32 %q, %i, 50;
			@%q bra AGAIN;
			ret;
			}`, nil)
		count := b.alloc(0)
		if _, err := b.launch("kernel", sim.Launch{Grid: race.Dim3{2}, Block: race.Dim3{64}, Args: args(count), Seed: seed}); err != nil {
			t.Fatal(err)
		}
		results[b.read(count, 1)[0]] = true
	}
	if len(results) < 10 {
		t.Errorf("a hundred schedules give the results %v", results)
	}
}

// events runs one warp, or more, of a kernel written in PTX and returns what it told.
func events(t *testing.T, body string, l sim.Launch) string {
	t.Helper()
	r := &recorder{short: true}
	b := load(t, ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry kernel(.param .u64 p)\n{\n"+
		".reg .b64 %p; .reg .b32 %lane, %t, %u; .reg .pred %q; ld.param.u64 %p, [p]; mov.u32 %lane, %tid.x;\n"+body+"\nret;\n}\n", r)
	l.Args = args(b.alloc(make([]uint32, 256)...))
	if l.Block[0] == 0 {
		l.Block[0] = 1
	}
	if _, err := b.launch("kernel", l); err != nil {
		t.Fatal(err)
	}
	return r.String()
}

func expectEvents(t *testing.T, got string, want ...string) {
	t.Helper()
	at := 0
	for _, w := range want {
		i := strings.Index(got[at:], w+"\n")
		if i < 0 {
			t.Fatalf("no %q at its place in\n%s", w, got)
		}
		at += i + len(w)
	}
}

func TestAccessEvents(t *testing.T) {
	for _, test := range []struct{ body, want string }{
		{"st.global.u32 [%p+8], 5;", "write global weak 1*4 at 0x8 = 0x5"},
		{"ld.volatile.global.u32 %t, [%p];", "read global volatile relaxed system 1*4 at 0x0 = 0x0"},
		{"ld.acquire.gpu.u64 %p, [%p];", "read global acquire device 1*8 at 0x0 = 0x0"},
		{"st.release.cta.global.u8 [%p+3], 7;", "write global release block 1*1 at 0x3 = 0x7"},
		{"st.global.v4.u32 [%p+16], {1, 2, 3, 4};", "write global weak 4*4 at 0x10 = 0x1"},
		{"atom.global.add.u32 %t, [%p], 3;", "atomic global relaxed device add 1*4 at 0x0 = 0x0 with 0x3"},
		{"atom.acq_rel.sys.global.cas.b32 %t, [%p], 0, 9;", "atomic global acq_rel system cas 1*4 at 0x0 = 0x0 with 0x9 if 0x0"},
		{"red.relaxed.cluster.global.max.s32 [%p], 3;", "atomic global relaxed cluster max 1*4 at 0x0 = 0x0 with 0x3"},
		{"atom.cta.exch.b64 %p, [%p], 1;", "atomic global relaxed block exch 1*8 at 0x0 = 0x0 with 0x1"},
		{".shared .b32 s[4]; st.shared.u32 [s+4], 1;", "write shared weak 1*4 at 0x4 = 0x1"},
		{".shared .b32 s[4]; mov.u64 %p, s; cvta.shared.u64 %p, %p; ld.u32 %t, [%p+8];", "read shared weak 1*4 at 0x8 = 0x0"},
		{"fence.sc.sys;", "fence sc system"},
		{"fence.acq_rel.cluster;", "fence acq_rel cluster"},
		{"membar.cta;", "fence sc block"},
		{"bar.warp.sync 1;", "warp barrier 0 b0 w0 00000001"},
	} {
		expectEvents(t, events(t, test.body, sim.Launch{}), "b0 w0 00000001 "+test.want)
	}
}

// What stays in a thread is not told.
func TestPrivateAccesses(t *testing.T) {
	got := events(t, ".local .b32 l[4]; st.local.u32 [l], 1; ld.local.u32 %t, [l];", sim.Launch{})
	if strings.Contains(got, " write ") || strings.Contains(got, " read ") {
		t.Errorf("local accesses told:\n%s", got)
	}
}

func TestDivergenceEvents(t *testing.T) {
	got := events(t, `setp.lt.u32 %q, %lane, 8;
		@%q bra LOW;
		st.global.u32 [%p], 1;
		bra JOIN;
		LOW: st.global.u32 [%p+4], 2;
		JOIN: st.global.u32 [%p+8], 3;`, sim.Launch{Block: race.Dim3{32}})
	expectEvents(t, got,
		"b0 w0 ffffffff split [ffffff00 000000ff]",
		"b0 w0 ffffff00 write global weak 1*4 at 0x0 = 0x1",
		"b0 w0 000000ff write global weak 1*4 at 0x4 = 0x2",
		"b0 w0 ffffffff write global weak 1*4 at 0x8 = 0x3",
		"b0 w0 ffffffff exit")
	if !strings.Contains(got, "b0 w0 ffffffff join [") {
		t.Errorf("no join in\n%s", got)
	}
}

// Lanes meet where their ways join, though one of these stands behind everything else.
func TestJoinAfterDetour(t *testing.T) {
	got := events(t, `setp.lt.u32 %q, %lane, 8;
		@%q bra RARE;
		JOIN: bar.sync 0;
		st.global.u32 [%p+8], 3;
		ret;
		RARE: st.global.u32 [%p+4], 2;
		bra JOIN;`, sim.Launch{Block: race.Dim3{32}})
	expectEvents(t, got,
		"b0 w0 000000ff write global weak 1*4 at 0x4 = 0x2",
		"b0 w0 ffffffff block barrier 0 arrived",
		"b0 w0 ffffffff write global weak 1*4 at 0x8 = 0x3")
}

func TestBarrierEvents(t *testing.T) {
	got := events(t, `setp.lt.u32 %q, %lane, 32;
		@%q bra PRODUCER;
		barrier.sync 1, 64;
		bra JOIN;
		PRODUCER: barrier.arrive 1, 64;
		JOIN: bar.sync 0;`, sim.Launch{Block: race.Dim3{64}})
	if !strings.Contains(got, "block barrier 1 b0 w0 ffffffff passing b0 w1 ffffffff\n") ||
		!strings.Contains(got, "block barrier 0 b0 w0 ffffffff b0 w1 ffffffff\n") {
		t.Errorf("barriers in\n%s", got)
	}
}

// A barrier does not wait for threads that have exited.
func TestBarrierAfterExit(t *testing.T) {
	got := events(t, `setp.gt.u32 %q, %lane, 40;
		@%q exit;
		bar.sync 0;
		st.global.u32 [%p], 1;`, sim.Launch{Block: race.Dim3{64}})
	expectEvents(t, got, "b0 w1 000001ff write global weak 1*4 at 0x0 = 0x1")
}

func TestClusterEvents(t *testing.T) {
	got := events(t, `.shared .align 4 .b32 cell;
		mov.u32 %t, %cluster_ctarank;
		st.shared.u32 [cell], %t;
		barrier.cluster.arrive.release;
		barrier.cluster.wait.acquire;
		xor.b32 %t, %t, 1;
		mov.u32 %u, cell;
		mapa.shared::cluster.u32 %u, %u, %t;
		ld.shared::cluster.u32 %t, [%u];
		barrier.cluster.arrive.relaxed;
		barrier.cluster.wait;`, sim.Launch{Grid: race.Dim3{4}, Cluster: race.Dim3{2}})
	for b := range 4 {
		line := fmt.Sprintf("b%d w0 00000001 read shared weak 1*4 at 0x0 of block %d = %#x\n", b, b^1, b&1^1)
		if !strings.Contains(got, line) {
			t.Errorf("no %q in\n%s", line, got)
		}
	}
	if !strings.Contains(got, "cluster barrier 0 b0 w0 00000001 b1 w0 00000001\n") {
		t.Errorf("no cluster barrier in\n%s", got)
	}
}

// Nor does one of a cluster, and threads that have arrived and exited stand in for nobody.
func TestClusterBarrierAfterExit(t *testing.T) {
	got := events(t, `setp.ne.u32 %q, %lane, 0;
		@%q barrier.cluster.arrive;
		@%q exit;
		barrier.cluster.arrive;
		barrier.cluster.wait;`, sim.Launch{Grid: race.Dim3{2}, Block: race.Dim3{2}, Cluster: race.Dim3{2}})
	const all = "cluster barrier 0 b0 w0 00000001 b0 w0 00000002 passing b1 w0 00000001 b1 w0 00000002 passing\n"
	if strings.Count(got, "cluster barrier 0 b") != 1 || !strings.Contains(got, all) {
		t.Errorf("cluster barriers in\n%s", got)
	}
}

func TestMbarrierEvents(t *testing.T) {
	got := events(t, `.shared .align 8 .b64 bar;
		.shared .align 16 .b8 data[64];
		.reg .b64 %state; .reg .b32 %at;
		mov.u32 %at, data;
		setp.eq.u32 %q, %lane, 0;
		@%q mbarrier.init.shared.b64 [bar], 32;
		bar.sync 0;
		@!%q mbarrier.arrive.shared.b64 %state, [bar];
		@%q mbarrier.arrive.expect_tx.shared.b64 %state, [bar], 64;
		@%q cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%at], [%p], 64, [bar];
		AGAIN: mbarrier.test_wait.shared.b64 %q, [bar], %state;
		@!%q bra AGAIN;
		ld.shared.u32 %t, [data];`, sim.Launch{Block: race.Dim3{32}})
	expectEvents(t, got,
		"b0 w0 00000001 mbarrier init at 0x0 of block 0 phase 0 done 00000000 release block",
		"b0 w0 fffffffe mbarrier arrive at 0x0 of block 0 phase 0 done 00000000 release block",
		"b0 w0 00000001 mbarrier arrive at 0x0 of block 0 phase 0 done 00000000 release block",
		"b0 w0 00000001 copy global to shared 0x10, 64 of 64 bytes, bulk true",
		"b0 w0 ffffffff mbarrier wait at 0x0 of block 0 phase 0 done ffffffff acquire block",
		"b0 w0 ffffffff read shared weak 1*4 at 0x10 = 0x0")
}

// An asynchronous store has no source, and its bytes complete the phase; an update is told as such.
func TestAsyncStoreEvents(t *testing.T) {
	got := events(t, `.shared .align 8 .b64 bar;
		.shared .align 8 .b32 data[4];
		.reg .b64 %state; .reg .b32 %at;
		mov.u32 %at, data;
		mbarrier.init.shared.b64 [bar], 1;
		mbarrier.arrive.expect_tx.shared.b64 %state, [bar], 12;
		st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%at], {%lane, 6}, [bar];
		red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%at+4], 3, [bar];
		AGAIN: mbarrier.test_wait.shared.b64 %q, [bar], %state;
		@!%q bra AGAIN;
		ld.shared.v2.u32 {%t, %u}, [data];
		st.global.v2.u32 [%p], {%t, %u};`, sim.Launch{})
	expectEvents(t, got,
		"b0 w0 00000001 copy global to shared 0x8, 0 of 8 bytes, bulk false",
		"b0 w0 00000001 copy global to shared 0xc, 0 of 4 bytes, bulk false, updates 4",
		"b0 w0 00000001 mbarrier wait at 0x0 of block 0 phase 0 done 00000001 acquire block",
		"b0 w0 00000001 write global weak 2*4 at 0x0 = 0x0")
}

// Of proxy fences, those of the async proxy are told that hold for shared memory.
func TestProxyFenceEvents(t *testing.T) {
	got := events(t, `fence.proxy.async;
		fence.proxy.async.global;
		fence.proxy.async.shared::cta;
		fence.proxy.alias;
		fence.mbarrier_init.release.cluster;`, sim.Launch{Block: race.Dim3{32}})
	if n := strings.Count(got, "proxy fence"); n != 2 {
		t.Errorf("%d proxy fences in\n%s", n, got)
	}
}

func TestCopyEvents(t *testing.T) {
	got := events(t, `.shared .align 16 .b8 data[512]; .reg .b64 %from;
		mul.wide.u32 %from, %lane, 16;
		add.u64 %from, %p, %from;
		mov.u32 %u, data;
		mad.lo.u32 %u, %lane, 16, %u;
		st.global.u32 [%from], %lane;
		cp.async.cg.shared.global [%u], [%from], 16;
		cp.async.commit_group;
		cp.async.wait_group 0;
		ld.shared.u32 %t, [%u];
		st.global.u32 [%from+4], %t;
		cp.async.ca.shared.global [%u], [%from], 8, 4;
		cp.async.wait_all;
		ld.shared.u32 %t, [%u+4];`, sim.Launch{Block: race.Dim3{32}})
	expectEvents(t, got,
		"b0 w0 ffffffff copy global to shared 0x0, 16 of 16 bytes, bulk false",
		"b0 w0 ffffffff copies commit pending 0 bulk false",
		"b0 w0 ffffffff copies wait pending 0 bulk false",
		"b0 w0 ffffffff copy global to shared 0x0, 4 of 8 bytes, bulk false",
		"b0 w0 ffffffff copies wait all pending 0 bulk false",
		"b0 w0 ffffffff read shared weak 1*4 at 0x4 = 0x0")
}

func TestGridBarrier(t *testing.T) {
	r := &recorder{short: true}
	b := load(t, `.version 8.0
		.target sm_90
		.address_size 64
		.extern .func __warplint_grid_sync();
		.visible .entry kernel(.param .u64 p) { .reg .b64 %p; .reg .b32 %t; .reg .b32 %b;
		ld.param.u64 %p, [p];
		mov.u32 %b, %ctaid.x;
		red.global.add.u32 [%p], %b;
		call.uni __warplint_grid_sync, ();
		ld.global.u32 %t, [%p];
		red.global.max.u32 [%p+4], %t;
		ret; }`, r)
	p := b.alloc(0, 0)
	l := sim.Launch{Grid: race.Dim3{30}, Block: race.Dim3{64}, Args: args(p), Cooperative: true}
	if _, err := b.launch("kernel", l); err != nil {
		t.Fatal(err)
	}
	equal(t, "sums", b.read(p, 2), []uint32{64 * 435, 64 * 435})
	if n := strings.Count(r.String(), "grid barrier 0 b"); n != 1 {
		t.Errorf("%d grid barriers completed, want 1", n)
	}
	l.Cooperative = false
	if _, err := b.launch("kernel", l); fault(t, err).Kind != sim.Invalid {
		t.Errorf("error %v", err)
	}
}
