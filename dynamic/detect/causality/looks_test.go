package causality_test

// This file compares the detector with the definitions where threads look at a word again and again, write the same there
// in the same epoch, and others write something else between.

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// watched is a word for all, or one for each lane.
func (g *generator) watched() string { return g.pick("[%p]", "[%p]", "[%p+4]", "[%pl]") }

// repeats is what a thread does in each round of a loop.
func (g *generator) repeats() string {
	at, scope := g.watched(), g.pick("gpu", "gpu", "gpu", "sys", "cta")
	switch g.IntN(12) {
	case 0:
		return fmt.Sprintf("atom.relaxed.%s.global.exch.b32 %%v, %s, 1;", scope, at)
	case 1:
		return fmt.Sprintf("atom.relaxed.%s.global.add.u32 %%v, %s, 0;", scope, at)
	case 2:
		return g.pick("st.volatile.global.u32 ", "st.relaxed.gpu.global.u32 ", "st.relaxed.cta.global.u32 ") + at + ", 1;"
	case 3:
		return fmt.Sprintf("atom.relaxed.%s.global.cas.b32 %%v, %s, 7, 1;", scope, at)
	}
	return g.pick("ld.relaxed.gpu.global.u32 %v, ", "ld.relaxed.gpu.global.u32 %v, ", "ld.volatile.global.u32 %v, ") + at + ";"
}

// interrupts is what another thread does between.
func (g *generator) interrupts() string {
	at := g.watched()
	return g.pick("atom.relaxed.cta.global.exch.b32 %v, "+at+", 1;", "atom.relaxed.cta.global.add.u32 %v, "+at+", 1;", "st.relaxed.cta.global.u32 "+at+", 1;",
		"st.global.u32 "+at+", 1;", "st.volatile.global.u32 "+at+", 1;", "st.global.u8 "+at+", 1;", "atom.relaxed.gpu.global.exch.b32 %v, "+at+", 1;")
}

func watchedKernel(random *rand.Rand) (text string, blocks int) {
	g := &generator{Rand: random, fences: []string{"gpu", "sys"}, wrong: []int{0, 3, 10}[random.IntN(3)]}
	g.begin("%pl", `shl.b32 %x, %l, 2; cvt.u64.u32 %e, %x; add.u64 %pl, %p, %e;
`)
	fmt.Fprintf(&g.text, "setp.ge.u32 %%q, %%n, %s;\n@%%q ret;\n", g.pick("1", "5", "6"))
	step := func() {
		if g.slips() {
			g.text.WriteString(g.pick("fence.sc.gpu;", "fence.acq_rel.gpu;", "fence.acq_rel.cta;", "bar.warp.sync 0xffffffff;") + "\n")
			return
		}
		g.text.WriteString(g.repeats() + "\n")
	}
	nothing := func() {}
	for range 1 + random.IntN(3) {
		g.loop(func() int {
			for range 1 + g.IntN(3) {
				step()
			}
			if g.IntN(3) > 0 {
				round := g.IntN(8)
				g.branch(fmt.Sprintf("eq.u32 %%q, %%c, %d", g.IntN(3)), func() {
					g.branch(fmt.Sprintf("eq.u32 %%q, %%i, %d", round), func() { g.text.WriteString(g.interrupts() + "\n") }, nothing)
				}, nothing)
			}
			return 3 + g.IntN(12)
		})
		g.text.WriteString(g.pick("", "", "bar.sync 0;\n", "bar.warp.sync 0xffffffff;\n"))
	}
	g.text.WriteString("ret;\n}\n")
	return g.text.String(), 2 + random.IntN(2)
}

func TestWatchedWords(t *testing.T) { compareSpecial(t, seeded(11), watchedKernel) }
