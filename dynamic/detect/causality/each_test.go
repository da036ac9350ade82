package causality_test

// This file compares the detector with the definitions where lanes of a warp do the same, each with words of its
// own that lanes of the same number in other warps write.

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// row is where each thread of a block accesses a word of its own, or its neighbour's: one of several rows of flags
// or of data.
func (g *generator) row(first int) string {
	neighbour := 0
	if g.slips() {
		neighbour = 4
	}
	if g.slips() {
		first++
	}
	return fmt.Sprintf("[%%pt+%d]", 256*first+neighbour)
}

func (g *generator) flag() string { return g.row(1) }
func (g *generator) data() string { return g.row(3) }

// slips reports whether the next thing shall be wrong.
func (g *generator) slips() bool { return g.IntN(100) < g.wrong }

func (g *generator) fence() string {
	if g.slips() {
		return g.pick("fence.acq_rel.cta;", "")
	}
	return g.pick("fence.sc.gpu;", "fence.sc.gpu;", "fence.acq_rel.gpu;", "fence.sc.sys;")
}

// exchange is what all threads do to hand over data, or to take it.
func (g *generator) exchange() []string {
	load := func() string {
		return g.pick("ld.relaxed.gpu.global.u32 %v, ", "ld.volatile.global.u32 %v, ", "ld.relaxed.gpu.global.u32 %v, ") + g.flag() + ";"
	}
	read := func() string { return g.pick("ld.global.u32 %x, ", "ld.volatile.global.u32 %x, ") + g.data() + ";" }
	write := func() string {
		return g.pick("st.global.u32 ", "st.global.u32 ", "st.volatile.global.u32 ") + g.data() + ", 1;"
	}
	store := func() string {
		return g.pick("st.relaxed.gpu.global.u32 ", "st.volatile.global.u32 ") + g.flag() + ", 1;"
	}
	update := func() string {
		at, scope := g.flag(), "gpu"
		if g.slips() {
			scope = "cta"
		}
		return g.pick(
			fmt.Sprintf("atom.relaxed.%s.global.add.u32 %%v, %s, 1;", scope, at),
			fmt.Sprintf("atom.relaxed.%s.global.exch.b32 %%v, %s, 0;", scope, at),
			fmt.Sprintf("atom.relaxed.%s.global.cas.b32 %%v, %s, 0, 1;", scope, at),
			fmt.Sprintf("atom.relaxed.%s.global.cas.b32 %%v, %s, 1, 0;", scope, at))
	}
	switch {
	case !g.slips():
		return []string{update(), g.fence(), g.pick(read(), write()), write(), g.fence(), update()}
	case !g.slips():
		return []string{write(), g.fence(), store()}
	case !g.slips():
		return []string{load(), g.fence(), read()}
	}
	return []string{g.pick(load(), store(), update(), read(), write(), g.fence(),
		// by descending addresses
		"ld.global.u32 %x, [%pd+1024];", "st.global.u32 [%pd+1024], 1;", "ld.volatile.global.u32 %x, [%pd+1024];", "st.volatile.global.u32 [%pd+1024], 1;")}
}

// turn lets the blocks go on one after the other, as it mostly comes out.
func (g *generator) turn() {
	g.labels++
	fmt.Fprintf(&g.text, "add.u32 %%i, %%c, %d; rem.u32 %%i, %%i, 3; mul.lo.u32 %%i, %%i, 400;\n", g.IntN(3))
	fmt.Fprintf(&g.text, "L%d:\nsub.u32 %%i, %%i, 1; setp.gt.s32 %%q, %%i, 0;\n@%%q bra L%d;\n", g.labels, g.labels)
}

func alignedKernel(random *rand.Rand) (text string, blocks int) {
	g := &generator{Rand: random, fences: []string{"gpu", "sys"}, wrong: []int{1, 3, 10, 40}[random.IntN(4)]}
	g.begin("%pt, %pd", `shl.b32 %x, %n, 2; cvt.u64.u32 %e, %x; add.u64 %pt, %p, %e;
sub.u64 %pd, %p, %e;
`)
	threads := 34
	if g.IntN(30) > 0 { // a few lanes of one warp of each block will do
		threads = 5 + g.IntN(4)
	}
	fmt.Fprintf(&g.text, "setp.ge.u32 %%q, %%n, %d;\n@%%q ret;\n", threads)
	write := func(list []string) func() {
		return func() {
			for _, line := range list {
				g.text.WriteString(line + "\n")
			}
		}
	}
	nothing := func() {}
	for range 3 + random.IntN(5) {
		if !g.slips() {
			g.turn()
		}
		switch g.IntN(9) {
		case 0: // one thread
			g.branch(fmt.Sprintf("eq.u32 %%q, %%t, %d", g.IntN(102)), write(g.exchange()), nothing)
		case 1: // some lanes, and then all
			g.branch(fmt.Sprintf("lt.u32 %%q, %%l, %d", 1+g.IntN(threads)), write(g.exchange()), nothing)
			write([]string{g.pick("", "bar.sync 0;", "bar.warp.sync 0xffffffff;"), "ld.global.u32 %x, " + g.data() + ";"})()
		case 3: // the neighbours' words
			write([]string{fmt.Sprintf("ld.relaxed.gpu.global.u32 %%v, [%%pt+%d];", 256+4), g.fence(), fmt.Sprintf("ld.global.u32 %%x, [%%pt+%d];", 256*3+4)})()
			write([]string{g.pick("", "bar.sync 0;", "bar.warp.sync 0xffffffff;")})()
		case 2: // one block
			g.branch(fmt.Sprintf("eq.u32 %%q, %%c, %d", g.IntN(3)), write(g.exchange()), write(g.exchange()))
		default:
			write(g.exchange())()
			g.text.WriteString(g.pick("", "", "", "bar.sync 0;\n", "bar.warp.sync 0xffffffff;\n"))
		}
	}
	g.text.WriteString("ret;\n}\n")
	return g.text.String(), 3
}

func TestAlignedLanes(t *testing.T) { compareSpecial(t, seeded(7), alignedKernel) }

// TestJointWords: of words that have been alike, one is known of by a thread, and the others are not.
func TestJointWords(t *testing.T) {
	got := scripted(t, `grid 3 64
1.0-15 atomic a[]
0.0-15 cas a[] 5 6
0.0 fence device
0.0 exch f 1
0.32-47 atomic f
0.32-47 fence device
0.32-47 cas a[] 5 6
0.37 fence device
0.37 exch g 1
2.5 exch g 0
2.5 fence device
2.5 write a+20`)
	want := []string{"3 13 inter-block-race error"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
