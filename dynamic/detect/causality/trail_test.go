package causality_test

// This file compares the detector with the definitions where most words are only updated, or only read, until something
// else comes to them.

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/detect/causality"
)

// scattered is one word for all, or several for each warp: in the order of the lanes, out of order, or some lanes at one word.
func (g *generator) scattered() string {
	return g.pick("[%p]", "[%pt+4]", "[%ps]", "[%ps]", "[%ps+8]", "[%pl]", "[%pl+4]")
}

func (g *generator) update() string {
	at, scope := g.scattered(), g.pick("gpu", "gpu", "gpu", "sys", "cta")
	switch g.IntN(6) {
	case 0: // one that mostly fails
		return fmt.Sprintf("atom.relaxed.%s.global.cas.b32 %%v, %s, %d, 2;", scope, at, 1+g.IntN(3))
	case 1:
		return fmt.Sprintf("atom.relaxed.%s.global.exch.b32 %%v, %s, %d;", scope, at, g.IntN(3))
	case 2: // that changes nothing
		return fmt.Sprintf("atom.relaxed.%s.global.add.u32 %%v, %s, 0;", scope, at)
	}
	return fmt.Sprintf("atom.relaxed.%s.global.add.u32 %%v, %s, 1;", scope, at)
}

// other is what rarely happens beside updates.
func (g *generator) other() string {
	at := g.scattered()
	return g.pick("ld.global.u32 %x, ", "ld.global.u32 %x, ", "ld.relaxed.gpu.global.u32 %x, ") + at + ";"
}

func (g *generator) changes() string {
	at := g.scattered()
	return g.pick("st.global.u32 "+at+", 1;", "st.relaxed.gpu.global.u32 "+at+", 1;", "st.global.u8 "+at+", 1;",
		"atom.relaxed.gpu.global.cas.b32 %v, "+at+", 0, 1;", "atom.relaxed.gpu.global.add.u64 %w, [%p+8], 1;", "st.global.u64 [%p+8], %p;")
}

func updatedKernel(random *rand.Rand) (text string, blocks int) {
	g := &generator{Rand: random, fences: []string{"gpu", "sys"}, wrong: []int{0, 2, 10, 30}[random.IntN(4)]}
	g.begin("%w, %ps, %pl, %pt", `shl.b32 %x, %n, 2; cvt.u64.u32 %e, %x; add.u64 %pt, %p, %e;
mad.lo.u32 %x, %n, 20, %c; and.b32 %x, %x, 124; cvt.u64.u32 %e, %x; add.u64 %ps, %p, %e;
rem.u32 %x, %l, 5; shl.b32 %x, %x, 3; cvt.u64.u32 %e, %x; add.u64 %pl, %p, %e;
`)
	threads := 3 + g.IntN(6)
	if g.IntN(10) == 0 {
		threads = 34
	}
	fmt.Fprintf(&g.text, "setp.ge.u32 %%q, %%l, %d;\n@%%q ret;\n", threads)
	reads := g.IntN(3) == 0 // more than they update
	step := func() {
		text := ""
		switch {
		case g.slips():
			text = g.pick(g.changes(), g.changes(), "fence.acq_rel.gpu;", "fence.sc.gpu;", "fence.acq_rel.cta;")
		case reads && g.IntN(8) > 0 || g.IntN(20) == 0:
			text = g.other()
		default:
			text = g.update()
		}
		g.text.WriteString(text + "\n")
	}
	nothing := func() {}
	for range 2 + random.IntN(5) {
		switch g.IntN(6) {
		case 0: // one thread
			g.branch(fmt.Sprintf("eq.u32 %%q, %%t, %d", g.IntN(68)), step, nothing)
		case 1: // some lanes
			g.branch(fmt.Sprintf("lt.u32 %%q, %%l, %d", 1+g.IntN(threads)), step, step)
		case 2: // one block
			g.branch(fmt.Sprintf("eq.u32 %%q, %%c, %d", g.IntN(2)), step, nothing)
		case 3, 4: // again and again
			g.loop(func() int {
				for range 1 + g.IntN(3) {
					step()
				}
				return 2 + g.IntN(12)
			})
		default:
			step()
		}
		g.text.WriteString(g.pick("", "", "", "bar.sync 0;\n", "bar.warp.sync 0xffffffff;\n"))
	}
	g.text.WriteString(g.pick("", g.changes()+"\n", g.other()+"\n") + "ret;\n}\n")
	return g.text.String(), 2
}

func TestUpdatedWords(t *testing.T) { compareSpecial(t, seeded(9), updatedKernel) }

// TestUpdatedSharedMemory: the shared memory of a block that has ended says nothing about that of one which begins.
func TestUpdatedSharedMemory(t *testing.T) {
	const text = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q)
{
.reg .b32 %n, %v; .reg .pred %q;
.shared .align 4 .b8 m[256];
mov.u32 %n, %tid.x; setp.ge.u32 %q, %n, 32;
@%q bra L1;
atom.relaxed.gpu.shared.add.u32 %v, [m], 1;
bra L2;
L1:
mov.u32 %n, %ctaid.x; and.b32 %n, %n, 1; setp.eq.u32 %q, %n, 0;
@%q bra L2;
ld.shared.u32 %v, [m];
L2:
ret;
}
`
	const blocks = 300
	d := causality.New()
	newRunner(t, text, "k", d).launch(blocks, 64, 1)
	words := 0
	for _, r := range d.Races() {
		words += r.Count
	}
	if words != blocks/2 {
		t.Errorf("%d blocks race, of %d that do", words, blocks/2)
	}
}

// An update behind a barrier of the block is not forgotten with what is before the barrier.
func TestUpdatedBehindBarrier(t *testing.T) {
	const text = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q)
{
.reg .b32 %n, %v; .reg .pred %q;
.shared .align 4 .b8 m[256];
mov.u32 %n, %tid.x;
bar.sync 0;
setp.lt.u32 %q, %n, 32;
@%q bra UPDATE;
ld.shared.u32 %v, [m+4];
st.shared.u32 [m], 1;
bra END;
UPDATE:
atom.relaxed.gpu.shared.add.u32 %v, [m], 1;
END:
ret;
}
`
	for seed := range uint64(8) { // either warp may be the first
		found := false
		for _, r := range races(t, text, "k", 1, 64, seed) {
			found = found || (r.First.Access == race.Atomic) != (r.Second.Access == race.Atomic)
		}
		if !found {
			t.Errorf("seed %d: no race of the update", seed)
		}
	}
}
