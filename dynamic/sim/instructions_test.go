package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/sim"
)

// evaluate runs instructions in one thread; they leave their result in %d. The sources are %a,
// %b and %c.
func evaluate(t *testing.T, body string, a, b, c uint32) uint32 {
	t.Helper()
	run := load(t, fmt.Sprintf(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry kernel(.param .u64 p)\n{\n"+
		".reg .b64 %%p; .reg .b32 %%d, %%a, %%b, %%c; ld.param.u64 %%p, [p];\n"+
		"mov.u32 %%a, %d; mov.u32 %%b, %d; mov.u32 %%c, %d;\n%s\nst.global.u32 [%%p], %%d;\nret;\n}\n", a, b, c, body), nil)
	p := run.alloc(0)
	if _, err := run.launch("kernel", sim.Launch{Block: race.Dim3{1}, Args: args(p)}); err != nil {
		t.Fatal(err)
	}
	return run.read(p, 1)[0]
}

func TestVideo(t *testing.T) {
	for _, test := range []struct {
		body string
		want uint32
	}{
		{"vabsdiff4.u32.u32.u32.add %d, %a, %b, %c;", 1000 + 0x7f + 0x30 + 0xfe + 1},
		{"vabsdiff4.u32.u32.u32 %d, %a, %b, %c;", 0x7f30fe01},
		{"vadd4.u32.u32.u32 %d, %a, %b, %c;", 0x81500003},
		{"vadd4.u32.u32.u32.sat %d, %a, %b, %c;", 0x8150ff03},
		{"vsub2.u32.u32.u32 %d, %a, %b, %c;", 0x7ed0fdff},
		{"vmax4.s32.s32.s32 %d, %a, %b, %c;", 0x01400102},
		{"vsub.s32.s32.s32.sat %d, %a, %b;", 0x80000000},
		{"vabsdiff.u32.s32.s32 %d, %a, %b;", 0x812f0201},
		{"vmin.s32.s32.s32.max %d, %a, %b, %c;", 1000},
		{"vadd.u32.u32.u32.add %d, %a, %b, %c;", 0x815103eb},
		{"vavrg4.u32.u32.u32 %d, %a, %b, %c;", 0x41288002},
	} {
		if got := evaluate(t, test.body, 0x8010ff01, 0x01400102, 1000); got != test.want {
			t.Errorf("%s gives %#x, want %#x", test.body, got, test.want)
		}
	}
}

// A function that nobody defines matters only when it is called.
func TestUndefinedFunction(t *testing.T) {
	run := load(t, `.version 8.0
		.target sm_90
		.address_size 64
		.extern .func nowhere();
		.visible .entry kernel(.param .u32 n) { .reg .b32 %n; .reg .pred %p;
		ld.param.u32 %n, [n]; setp.eq.u32 %p, %n, 0; @%p bra END;
		call.uni nowhere, ();
		END: ret; }`, nil)
	if _, err := run.launch("kernel", sim.Launch{Args: args(uint32(0))}); err != nil {
		t.Error(err)
	}
	_, err := run.launch("kernel", sim.Launch{Args: args(uint32(1))})
	if f := fault(t, err); f.Kind != sim.Invalid || !strings.Contains(f.Message, "call of nowhere") {
		t.Errorf("%v", f)
	}
}

// What is not supported is named, with its line.
func TestUnsupported(t *testing.T) {
	for _, body := range []string{"cvt.rn.e4m3x2.f32 %h, %f, %f;", "vset.eq.u32.u32 %n, %n, %n;",
		"cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%n], [%p, {%n, %n, %n}], [%n], {%h};",
		"cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes [%n], [%p, {%n, %n, %n, %n, %n}], [%n];"} {
		run := load(t, ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry kernel() { .reg .b64 %p; .reg .b32 %n; .reg .f32 %f; .reg .b16 %h;\n"+body+"\nret; }", nil)
		_, err := run.module.Kernel("kernel")
		name, _, _ := strings.Cut(body, " ")
		if err == nil || !strings.Contains(err.Error(), "PTX line 5: "+name+" is not supported") {
			t.Errorf("%s: error %v", body, err)
		}
	}
}

// Single-precision atomics in global memory flush subnormal numbers; the values are from an H100.
func TestGlobalAtomics(t *testing.T) {
	for _, test := range []struct {
		body       string
		start, end uint32
	}{
		{"atom.global.add.f32 %f, [%p], 0f00000100;", 0x100, 0},
		{"red.global.add.f32 [%p], 0f00000100;", 0x100, 0},
		{"atom.add.f32 %f, [%p], 0f00000001;", 0x7fffff, 0},
		{"red.global.add.f32 [%p], 0f80000001;", 0x80000001, 0x80000000},
		{"atom.global.add.noftz.f16x2 %t, [%p], 0x00010200;", 0x02000003, 0x02010203},
		{"atom.global.add.noftz.bf16x2 %t, [%p], 0x00010200;", 0x02000003, 0x02000200},
	} {
		run := load(t, ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry kernel(.param .u64 p) { .reg .b64 %p; .reg .f32 %f; .reg .b32 %t;\n"+
			"ld.param.u64 %p, [p];\n"+test.body+"\nret; }", nil)
		p := run.alloc(test.start)
		run.run("kernel", 1, 1, p)
		if got := run.read(p, 1)[0]; got != test.end {
			t.Errorf("%s turns %#x into %#x, want %#x", test.body, test.start, got, test.end)
		}
	}
}

// Blocks may wait for blocks that come later, as long as the device has room for all.
func TestLaterBlocks(t *testing.T) {
	run := load(t, `.version 8.0
		.target sm_90
		.address_size 64
		.visible .entry kernel(.param .u64 p) { .reg .b64 %p; .reg .b32 %t, %n; .reg .pred %q;
		ld.param.u64 %p, [p];
		mov.u32 %n, %nctaid.x;
		mov.u32 %t, %tid.x;
		setp.eq.u32 %q, %t, 0;
		@%q red.global.add.u32 [%p], 1;
		AGAIN: ld.volatile.global.u32 %t, [%p];
		setp.lt.u32 %q, %t, %n;
		@%q bra AGAIN;
		ret; }`, nil)
	s, err := run.launch("kernel", sim.Launch{Grid: race.Dim3{500}, Block: race.Dim3{1}, Args: args(run.alloc(0))})
	if err != nil {
		t.Fatal(err)
	}
	if s.Instructions > 500*1000 {
		t.Errorf("%d instructions", s.Instructions)
	}
	l := sim.Launch{Grid: race.Dim3{500}, Block: race.Dim3{1024}, Args: args(run.alloc(0))}
	if _, err := run.launch("kernel", l); fault(t, err).Kind != sim.Livelock {
		t.Errorf("error %v: 500 blocks of 1024 threads do not fit", err)
	}
}

// Atomics of 128 bits change all of it, or nothing where half of it is another.
func TestWideAtomics(t *testing.T) {
	run := load(t, `.version 8.3
		.target sm_90
		.address_size 64
		.visible .entry kernel(.param .u64 p) { .reg .b64 %p, %a, %b; .reg .b128 %x, %y, %z;
		ld.param.u64 %p, [p];
		mov.b64 %a, 1;
		mov.b64 %b, 2;
		mov.b128 %x, {%a, %b};
		mov.b128 %y, {%b, %a};
		mov.b128 %z, {%b, %b};
		atom.global.exch.b128 %z, [%p], %x;
		st.global.b128 [%p+16], %z;
		mov.b128 %z, {%b, %b};
		atom.global.cas.b128 %y, [%p], %z, %y;
		st.global.b128 [%p+32], %y;
		mov.b128 %z, {%a, %a};
		atom.relaxed.gpu.global.cas.b128 _, [%p], %z, %y;
		mov.b128 %y, {%b, %a};
		atom.relaxed.gpu.global.cas.b128 _, [%p], %x, %y;
		ret; }`, nil)
	p := run.alloc(7, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	run.run("kernel", 1, 1, p)
	equal(t, "words", run.read(p, 12), []uint32{2, 0, 1, 0, 7, 0, 8, 0, 1, 0, 2, 0})
}

// What PTX does not allow is refused, with its line.
func TestBadOperands(t *testing.T) {
	for _, test := range [][2]string{
		{"atom.global.exch.b128 %x, [%p], 5;", "needs registers"},
		{"atom.global.cas.b128 %x, [%p], %x;", "without an operand"},
		{"atom.global.cas.b128 %p, [%p], %x, %x;", "unexpected target"},
		{"atom.global.add.b128 %x, [%p], %x;", "not supported"},
		{"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 %n, %n, [%n];", "unexpected address"},
		{"st.async.mmio.release.sys.global.u32 [%p], %n, [%n];", "not supported"},
		{"red.async.shared::cluster.mbarrier::complete_tx::bytes.add.v2.u32 [%n], {%n, %n}, [%n];", "not supported"},
		{"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%n], [%p], [%n];", "needs a tensor map and 2 coordinates"},
		{"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%n], [%p, {%n}], [%n];", "needs a tensor map and 2 coordinates"},
		{"cp.async.bulk.tensor.shared::cluster.global.mbarrier::complete_tx::bytes [%n], [%p, {}], [%n];", "not supported"},
		{"cp.reduce.async.bulk.tensor.1d.global.shared::cta.bulk_group [%p, {%n}], [%n];", "not supported"},
		{"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u8 [%p], [%n], 16;", "not supported"},
	} {
		run := load(t, ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry kernel() { .reg .b64 %p; .reg .b32 %n; .reg .b128 %x;\n"+test[0]+"\nret; }", nil)
		if _, err := run.module.Kernel("kernel"); err == nil || !strings.Contains(err.Error(), "PTX line 5: ") || !strings.Contains(err.Error(), test[1]) {
			t.Errorf("%s: error %v", test[0], err)
		}
	}
}
