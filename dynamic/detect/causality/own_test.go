package causality_test

// This file compares the detector with the definitions where threads mostly go to words here and there that they have to themselves.

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// elsewhere is a weak access of one or two words, at one of some places: out of order, in columns, or as other threads have it.
func (g *generator) elsewhere(places []string) string {
	space, base := "global", "%p"
	if g.IntN(3) == 0 {
		space, base = "shared", "%s"
	}
	at := fmt.Sprintf("[%s%s", base, g.pick(places...))
	kind, value := "u32", "%v"
	if g.IntN(4) == 0 {
		kind, value = "v2.u32", "{%v, %v}"
	}
	if at += "]"; g.IntN(12) == 0 {
		kind, value, at = "u32", "%v", strings.Replace(at, "]", "+4]", 1)
	}
	if g.IntN(2) == 0 {
		return fmt.Sprintf("ld.%s.%s %s, %s;", space, kind, value, at)
	}
	return fmt.Sprintf("st.%s.%s %s, %s;", space, kind, at, value)
}

// lookAround has threads look at what the next one has, and go on with their own.
func (g *generator) lookAround() {
	space, own := "global", "[%p0]"
	if g.IntN(2) == 0 {
		space, own = "shared", "[%s0]"
	}
	next := strings.Replace(own, "0", "1", 1)
	for _, text := range []string{"st.%s.u32 %s, %%v;\n", "ld.%s.u32 %%x, %s;\n", "st.%s.u32 %s, %%v;\n"} {
		g.text.WriteString(g.pick("", "bar.sync 0;\n", "bar.sync 0;\n", "bar.sync 0;\n"))
		at := own
		if strings.HasPrefix(text, "ld") {
			at = next
		}
		fmt.Fprintf(&g.text, text, space, at)
	}
}

func ownKernel(random *rand.Rand) (text string, blocks int) {
	g := &generator{Rand: random, fences: []string{"gpu", "sys"}}
	blocks, apart := 1+random.IntN(2), []int{0, 4608, 4608}[random.IntN(3)] // what belongs to different blocks
	var made strings.Builder
	var names, shared []string
	for i, offset := range []string{
		"mul.lo.u32 %x, %n, 7; and.b32 %x, %x, 63; shl.b32 %x, %x, 3",
		"mul.lo.u32 %x, %n, 7; add.u32 %x, %x, 7; and.b32 %x, %x, 63; shl.b32 %x, %x, 3", // those of the next thread
		"mul.lo.u32 %x, %n, 136", "mul.lo.u32 %x, %n, 13; and.b32 %x, %x, 63; shl.b32 %x, %x, 5", "shl.b32 %x, %n, 3",
	} {
		names, shared = append(names, fmt.Sprintf("%%p%d", i)), append(shared, fmt.Sprintf("%%s%d", i))
		fmt.Fprintf(&made, "%s; add.u32 %%s%d, %%s, %%x; mad.lo.u32 %%x, %%c, %d, %%x; cvt.u64.u32 %%e, %%x; add.u64 %%p%d, %%p, %%e;\n", offset, i, apart, i)
	}
	g.begin(strings.Join(names, ", "), `.reg .b32 %s, `+strings.Join(shared, ", ")+`; .reg .b64 %f; .shared .align 16 .b8 m[4640];
ld.param.u64 %f, [q]; mov.u32 %s, m; mov.u32 %v, %n;
`+made.String())
	places := [][]string{{"0", "0", "1"}, {"0", "0", "0", "1", "4"}, {"2"}, {"3", "3", "0"}, {"0", "1", "2", "3", "4"}}[random.IntN(5)]
	const often = 5 // of sixteen
	updates := random.IntN(2) * often
	step := func() {
		switch n := g.IntN(16); {
		case n == 0:
			g.anyFence()
		case n == 1:
			if g.IntN(2) == 0 {
				g.handOver()
				return
			}
			g.text.WriteString(g.pick("atom.relaxed.gpu.global.add.u32 %x, [%p0], 1;", "atom.relaxed.cta.shared.add.u32 %x, [%s0], 1;",
				"st.volatile.global.u32 [%p0], %v;", "ld.volatile.shared.u32 %x, [%s2];", "st.global.u8 [%p0+1], 1;"))
		case n < 2+updates:
			g.text.WriteString(g.pick("atom.relaxed.cta.shared.add.u32 %x, [%s0], 1;", "atom.relaxed.gpu.global.add.u32 %x, [%p1], 1;", "atom.relaxed.cta.shared.add.u32 %x, [%s3], 1;"))
		default:
			g.text.WriteString(g.elsewhere(places))
		}
		g.text.WriteString("\n")
	}
	for range 3 + random.IntN(7) {
		if g.IntN(8) == 0 {
			g.lookAround()
		} else {
			g.some(step)
		}
		g.text.WriteString(g.pick("", "", "bar.sync 0;\n", "bar.sync 0;\n", "bar.warp.sync 0xffffffff;\n"))
	}
	g.text.WriteString("ret;\n}\n")
	return g.text.String(), blocks
}

func TestOwnWords(t *testing.T) { compareSpecial(t, seeded(13), ownKernel) }
