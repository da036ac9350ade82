package causality_test

// This file compares the detector with the definitions where warps of a block read the same rows of a table, and a
// thread or a warp writes to them now and then.

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func tableKernel(random *rand.Rand) (text string, blocks int) {
	g := &generator{Rand: random, fences: []string{"gpu", "sys"}, wrong: []int{3, 10, 30}[random.IntN(3)]}
	g.begin("%pl", `shl.b32 %x, %l, 2; cvt.u64.u32 %e, %x; add.u64 %pl, %p, %e;
`)
	// All lanes of the first warp that go on have their like in the second one, which has two.
	fmt.Fprintf(&g.text, "setp.ge.u32 %%q, %%l, %s;\n@%%q ret;\n", g.pick("1", "2", "2", "4"))
	row := func() string {
		return fmt.Sprintf("[%s+%d]", g.pick("%pl", "%pl", "%p"), 128*g.IntN(2)+4*(g.IntN(8)/7))
	}
	read := func() {
		g.text.WriteString(g.pick("ld.global.u32 %x, ", "ld.global.u32 %x, ", "ld.volatile.global.u32 %x, ") + row() + ";\n")
	}
	write := func() { g.text.WriteString("st.global.u32 " + row() + ", 1;\n") }
	nothing := func() {}
	publish := func() {
		g.text.WriteString("fence.sc.gpu;\natom.relaxed.gpu.global.exch.b32 %v, [%p+512], 1;\nfence.sc.gpu;\n")
	}
	order := func() {
		switch g.IntN(6) {
		case 0:
			publish()
		case 1, 2:
			g.branch(g.pick("ge.u32 %q, %n, 32", "lt.u32 %q, %n, 32", "eq.u32 %q, %c, 0"), publish, nothing)
		default:
			g.text.WriteString(g.pick("", "bar.sync 0;\n", "bar.warp.sync 0xffffffff;\n"))
		}
	}
	for range 1 + random.IntN(3) {
		g.loop(func() int {
			for range 1 + g.IntN(3) {
				read()
			}
			order()
			if g.slips() {
				who := g.pick("ge.u32 %q, %n, 32", "lt.u32 %q, %n, 32", "eq.u32 %q, %n, 0", "eq.u32 %q, %n, 33", "eq.u32 %q, %c, 0")
				g.branch(who, write, nothing)
				order()
			}
			return 1 + g.IntN(4)
		})
	}
	g.text.WriteString("ret;\n}\n")
	return g.text.String(), 1 + random.IntN(3)
}

func TestTables(t *testing.T) {
	if _, ordered, raced := compareMany(t, seeded(13), tableKernel, 2*operationsOf(t), 2); ordered < 10_000 || raced < 1000 {
		t.Errorf("only %d pairs ordered and %d racing: the programs say too little", ordered, raced)
	}
}

// TestRereads: both warps read a row, the first one again in a later epoch, and then writes there. The other warp's read
// is still there to race with.
func TestRereads(t *testing.T) {
	const text = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q)
{
.reg .b64 %p, %e; .reg .b32 %n, %x, %i; .reg .pred %first, %q;
ld.param.u64 %p, [p]; mov.u32 %n, %tid.x; mov.u32 %x, %laneid; shl.b32 %x, %x, 2; cvt.u64.u32 %e, %x; add.u64 %p, %p, %e;
setp.lt.u32 %first, %n, 32; mov.u32 %i, 0;
again:
ld.global.u32 %x, [%p];
@!%first ret;
fence.sc.gpu;
add.u32 %i, %i, 1; setp.lt.u32 %q, %i, 3;
@%q bra again;
st.global.u32 [%p], 1;
ret;
}
`
	for seed := range uint64(20) {
		if got := races(t, text, "k", 1, 64, seed); len(got) != 1 {
			t.Errorf("seed %d: %d races, want that of the other warp's read", seed, len(got))
		}
	}
}
