package causality_test

// This file compares the detector with the definitions where lanes of a warp update one word with one instruction, and
// where they read words of a table here and there.

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// own is a word of each thread's own, or of the next one or the one before.
func (g *generator) own() string {
	return fmt.Sprintf("[%%pt+%d]", 256*(1+g.IntN(2))+4*(g.IntN(3)-1))
}

// table is a word that differs between the lanes, in no order.
func (g *generator) table() string { return g.pick("[%pm]", "[%pm]", "[%pm+64]", "[%pm+4]") }

func (g *generator) countdown() string {
	scope := "gpu"
	if g.IntN(8) == 0 {
		scope = "cta"
	}
	at := g.pick("[%p]", "[%p+4]", "[%p]", "[%p+4]", "[%pt+256]")
	return g.pick(
		fmt.Sprintf("atom.relaxed.%s.global.add.u32 %%v, %s, 1;", scope, at),
		fmt.Sprintf("atom.relaxed.%s.global.add.u32 %%v, %s, 1;", scope, at),
		fmt.Sprintf("atom.relaxed.%s.global.exch.b32 %%v, %s, %s;", scope, at, g.pick("0", "2")),
		fmt.Sprintf("atom.relaxed.%s.global.cas.b32 %%v, %s, 0, 1;", scope, at))
}

// wait looks several times at a word, or at each thread's own.
func (g *generator) wait() string {
	g.labels++
	look := g.pick("atom.relaxed.gpu.global.cas.b32 %v, [%p], 7, 1;", "ld.relaxed.gpu.global.u32 %v, [%p+4];",
		"atom.relaxed.gpu.global.cas.b32 %v, [%pt+256], 7, 1;", "atom.relaxed.gpu.global.cas.b32 %v, [%pt+256], 7, 1;")
	return g.pick("", "atom.relaxed.gpu.global.exch.b32 %v, [%pt+256], 2;\n") + fmt.Sprintf("mov.u32 %%i, 0;\nL%d:\n%s\nadd.u32 %%i, %%i, 1;\nsetp.lt.u32 %%q, %%i, 5;\n@%%q bra L%d;\n", g.labels, look, g.labels) +
		g.pick("", "fence.acq_rel.gpu;", "fence.sc.gpu;")
}

// chainStep is what all threads do, or some of them that have parted from others.
func (g *generator) chainStep(parted bool) string {
	switch g.IntN(11) {
	case 10:
		return g.wait()
	case 0, 1:
		return g.countdown()
	case 2, 3:
		return g.pick("fence.sc.gpu;", "fence.acq_rel.gpu;", "fence.sc.gpu;", "fence.acq_rel.cta;", "fence.acq_rel.sys;")
	case 4:
		return g.pick("st.global.u32 "+g.own()+", 1;", "st.global.u32 "+g.own()+", 1;", "atom.relaxed.gpu.global.exch.b32 %v, [%pt+256], 2;")
	case 5:
		return "ld.global.u32 %x, " + g.own() + ";"
	case 6:
		return "ld.global.u32 %x, " + g.table() + ";"
	case 7:
		return g.pick("ld.global.u32 %x, "+g.table()+";", "st.global.u32 "+g.table()+", 1;", "ld.global.u8 %x, "+g.table()+";",
			"atom.relaxed.gpu.global.add.u32 %v, "+g.table()+", 1;", "ld.volatile.global.u32 %x, "+g.table()+";")
	case 8:
		if parted {
			return g.countdown()
		}
		return g.pick("bar.warp.sync 0xffffffff;", "bar.warp.sync 0xffffffff;", "bar.sync 0;")
	}
	return g.pick("st.volatile.global.u32 [%p], 0;", "ld.relaxed.gpu.global.u32 %v, [%p];", "ld.global.u32 %v, [%p+4];", "red.release.gpu.global.add.u32 [%p], 1;")
}

func chainKernel(random *rand.Rand) (text string, blocks int) {
	g := &generator{Rand: random, fences: []string{"gpu", "sys"}}
	g.begin("%pt, %pm", `shl.b32 %x, %n, 2; cvt.u64.u32 %e, %x; add.u64 %pt, %p, %e;
mul.lo.u32 %x, %n, 7; and.b32 %x, %x, 15; shl.b32 %x, %x, 2; add.u32 %x, %x, 8192; cvt.u64.u32 %e, %x; add.u64 %pm, %p, %e;
`)
	threads := 34
	if g.IntN(20) > 0 {
		threads = 6 + g.IntN(4)
	}
	fmt.Fprintf(&g.text, "setp.ge.u32 %%q, %%n, %d;\n@%%q ret;\n", threads)
	several := func(most int, parted bool) func() {
		return func() {
			for range 1 + g.IntN(most) {
				g.text.WriteString(g.chainStep(parted) + "\n")
			}
		}
	}
	nothing := func() {}
	for range 3 + g.IntN(4) {
		if g.IntN(3) == 0 {
			g.turn()
		}
		switch g.IntN(8) {
		case 0: // one thread
			g.branch(fmt.Sprintf("eq.u32 %%q, %%t, %d", g.IntN(75)), several(4, true), nothing)
		case 1: // one block
			g.branch(fmt.Sprintf("eq.u32 %%q, %%c, %d", g.IntN(2)), several(4, true), several(2, true))
		case 2: // all but the first lane, or the last ones
			g.branch(fmt.Sprintf("lt.u32 %%q, %%l, %d", 1+g.IntN(4)), several(2, true), several(3, true))
		case 3: // some lanes wait for each other
			g.branch("lt.u32 %q, %l, 4", func() { several(2, true)(); g.text.WriteString("bar.warp.sync 15;\n") }, nothing)
		default:
			// hand on own words to those behind in the chain
			fmt.Fprintf(&g.text, "%s\n%s\n%s\n%s\n", g.pick("", "st.global.u32 "+g.own()+", 1;", "st.global.u32 "+g.own()+", 1;"), g.pick("fence.sc.gpu;", "fence.acq_rel.gpu;", "fence.acq_rel.cta;"), g.countdown(),
				g.pick("", "", "bar.warp.sync 0xffffffff;", "bar.sync 0;", g.countdown()))
			fmt.Fprintf(&g.text, "%s\n%s\n", g.pick("", "fence.sc.gpu;", "fence.acq_rel.gpu;"), g.pick("st.global.u32 "+g.own()+", 1;", "st.global.u32 "+g.own()+", 1;", "ld.global.u32 %x, "+g.own()+";"))
			several(3, false)()
		}
	}
	g.text.WriteString("ret;\n}\n")
	return g.text.String(), 2
}

func TestChains(t *testing.T) { compareSpecial(t, seeded(9), chainKernel) }
