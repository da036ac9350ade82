package causality_test

// This file compares the detector with the definitions where threads do most in shared memory, between barriers of their block, and seldom race.

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/warplint/warplint/dynamic/detect/causality"
	"github.com/warplint/warplint/dynamic/event"
)

// tile is an access of shared memory: mostly of the thread's own words, wherever they lie, else of another one's, or of a word that all read.
func (g *generator) tile(own string) string {
	at, value := own, g.pick("%v", "7")
	if g.IntN(8) == 0 {
		at = g.pick("%s0", "%s1", "%s2", "%s3", "%s")
	}
	volatile := g.pick("", "", "", ".volatile")
	switch g.IntN(8) {
	case 0, 1, 2:
		return fmt.Sprintf("st%s.shared.u32 [%s], %s;", volatile, at, value)
	case 3:
		return g.pick("ld.shared.v2.u32 {%v, %x}, [%s2];", "st.shared.v2.u32 [%s2], {%v, %x};", "ld.shared.u32 %x, [%s2+4];", "st.shared.u8 [%s1+1], 1;", "ld.shared.u16 %x, [%s1];")
	}
	return fmt.Sprintf("ld%s.shared.u32 %%x, [%s];", volatile, g.pick(at, at, "%s0", "%s3", "%s"))
}

// message has one thread hand a word over to others.
func (g *generator) message() {
	g.branch(fmt.Sprintf("eq.u32 %%q, %%n, %d", g.IntN(34)), func() {
		fmt.Fprintf(&g.text, "st.shared.u32 [%%s+512], %%v; %s st.volatile.shared.u32 [%%s+516], %%v; %s\n", g.pick("", "fence.acq_rel.cta;", "fence.acq_rel.cta;"), g.pick("", "fence.acq_rel.cta;"))
	}, func() {
		fmt.Fprintf(&g.text, "ld.volatile.shared.u32 %%x, [%%s+516]; %s ld.shared.u32 %%x, [%%s+512];\n", g.pick("", "fence.acq_rel.cta;", "fence.acq_rel.cta;"))
	})
}

func screenKernel(random *rand.Rand) (text string, blocks int) {
	g := &generator{Rand: random, fences: []string{"gpu", "sys"}}
	blocks = 1 + random.IntN(2)
	g.begin("%f", `.reg .b32 %s, %s0, %s1, %s2, %s3; .shared .align 16 .b8 m[1024];
ld.param.u64 %f, [q]; mov.u32 %s, m; mov.u32 %v, %n;
shl.b32 %x, %n, 2; add.u32 %s1, %s, %x; add.u32 %s0, %s1, 4; shl.b32 %x, %n, 3; add.u32 %s2, %s, %x; mul.lo.u32 %x, %n, 7; and.b32 %x, %x, 63; shl.b32 %x, %x, 2; add.u32 %s3, %s, %x;
`)
	for range 3 + random.IntN(6) {
		own := g.pick("%s1", "%s0", "%s3", "%s2")
		for range 1 + g.IntN(4) {
			g.some(func() {
				switch g.IntN(32) {
				case 0:
					g.anyFence()
				case 1:
					g.handOver()
				case 2:
					g.text.WriteString(g.pick("atom.relaxed.cta.shared.add.u32 %x, [%s1], 1;\n", "atom.acq_rel.cta.shared.add.u32 %x, [%s], 1;\n", "st.global.u32 [%p], %n;\n",
						"atom.relaxed.cta.shared.cas.b32 %x, [%s], 0, 1;\n"))
				case 3:
					g.message()
				default:
					g.text.WriteString(g.tile(own) + "\n")
				}
			})
		}
		g.text.WriteString(g.pick("", "bar.sync 0;\n", "bar.sync 0;\n", "bar.sync 0;\n", "bar.sync 0;\n", "bar.sync 1, 64;\n", "bar.warp.sync 0xffffffff;\n"))
	}
	g.text.WriteString("ret;\n}\n")
	return g.text.String(), blocks
}

func TestScreen(t *testing.T) {
	random, done := seeded(17), 0
	ordered, raced := 0, 0
	for most := operationsOf(t) / 4; done < most || ordered < 1000 || raced < 100; {
		text, blocks := screenKernel(random)
		for range 2 {
			seed := random.Uint64()
			steps, good, bad := compare(t, text, blocks, seed)
			done, ordered, raced = done+steps, ordered+good, raced+bad
			compareScreened(t, text, blocks, seed)
		}
	}
}

// compareScreened compares what is told of races with what it would be if each access were compared at once. Of several that stand for each
// other, another one may be told.
func compareScreened(t *testing.T, text string, blocks int, seed uint64) {
	t.Helper()
	screened, plain := causality.New(), causality.Unscreened()
	newRunner(t, text, "k", event.Tee(screened, plain)).launch(blocks, 34, seed)
	want := map[string]string{}
	key := func(r *causality.Race) string {
		return fmt.Sprint(r.First.PC, r.Second.PC, r.First.Access, r.Second.Access, r.Kind, r.Suspected, r.Told)
	}
	tell := func(r *causality.Race) string { return fmt.Sprint("locked ", r.Locked, ", same value ", r.SameValue) }
	for _, r := range plain.Races() {
		want[key(r)] = tell(r)
	}
	for _, r := range screened.Races() {
		if also := want[key(r)]; also != "" && also != tell(r) {
			t.Fatalf("%s\nseed %d: race of %v and %v: %s\nnot screened: %s", text, seed, r.First.Location, r.Second.Location, tell(r), also)
		}
	}
}

const tileHead = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q)
{
.reg .b64 %p; .reg .b32 %t, %x, %s, %i; .reg .pred %q, %z;
.shared .align 16 .b8 m[1024];
ld.param.u64 %p, [p]; mov.u32 %t, %tid.x; mov.u32 %s, m; shl.b32 %x, %t, 2; add.u32 %s, %s, %x; setp.eq.u32 %z, %t, 0;
`

// late lets threads wait for whom a predicate holds.
func late(who string) string {
	return fmt.Sprintf("mov.u32 %%i, 0; @%s mov.u32 %%i, 400; W: sub.u32 %%i, %%i, 1; setp.gt.s32 %%q, %%i, 0; @%%q bra W;\n", who)
}

// What a race is about is told as if each access had been compared at once: the values, and that of what was there before. A phase may
// have more accesses than a block notes.
func TestScreenedRaces(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"the same value", "st.shared.u32 [%s], %t; st.shared.u32 [%s], 7; @%z st.shared.u32 [m+132], 7;", "same-value-write"},
		{"another value", "st.shared.u32 [%s], 7; st.shared.u32 [%s], %t; @%z st.shared.u32 [m+132], 7;", "missing-syncthreads"},
		{"an atomic", "st.shared.u32 [%s], 7; @%z atom.shared.add.u32 %x, [m+132], 7;", "missing-syncthreads"},
		{"words that atomics have updated before", "atom.acq_rel.cta.shared.add.u32 %x, [%s], 1; bar.sync 0; st.shared.u32 [%s], 7; @%z st.shared.u32 [m+132], 7;", "same-value-write"},
		{"an atomic, and the same value", "st.shared.u32 [%s], 7; @%z atom.shared.add.u32 %x, [m+132], 1; @%z st.shared.u32 [m+132], 7;", "missing-syncthreads same-value-write"},
		{"an atomic on words that atomics have updated before, and the same value",
			"atom.acq_rel.cta.shared.add.u32 %x, [%s], 1; bar.sync 0; st.shared.u32 [%s], 7; " + late("%z") + "@%z atom.shared.add.u32 %x, [m+132], 1; @%z st.shared.u32 [m+132], 7;", "missing-syncthreads same-value-write"},
		{"a weak and a volatile value", "@!%z st.shared.u32 [%s], 7; @!%z st.volatile.shared.u32 [%s], 9; " + late("%z") + "@%z st.shared.u32 [m+132], 7;", "missing-syncthreads same-value-write"},
		{"the next word in the next round", `mov.u32 %i, 0;
L: mad.lo.u32 %x, %i, 4, %s; add.u32 %i, %i, 1; st.shared.u32 [%x], %i; setp.lt.u32 %q, %i, 2; @%q bra L;`, "missing-syncthreads missing-syncwarp"},
		{"lanes of one store", "st.shared.u32 [%s], %t; and.b32 %x, %x, 124; add.u32 %x, %x, %s; @%z mov.u32 %x, %s; st.shared.u32 [m+128], %t;", "missing-syncthreads missing-syncwarp"},
		{"words of two readers each", `setp.gt.u32 %q, %t, 31; @%q ret; st.shared.u32 [%s+512], %t; mul.lo.u32 %i, %t, 7; and.b32 %i, %i, 63; shl.b32 %i, %i, 2; add.u32 %x, %i, 28; and.b32 %x, %x, 252; mov.u32 %s, m; add.u32 %i, %i, %s; add.u32 %s, %x, %s;
ld.shared.u32 %x, [%i]; ld.shared.u32 %x, [%s]; st.shared.u32 [%i], %t;`, "missing-syncwarp"},
		{"a long phase", `mov.u32 %i, 0;
L: ld.shared.u32 %x, [m+132]; st.shared.u32 [%s+512], %x; add.u32 %i, %i, 1; setp.lt.u32 %q, %i, 3000; @%q bra L; @%z st.shared.u32 [m+132], %t;`, "missing-syncthreads missing-syncwarp"},
		{"a message", `@%z st.shared.u32 [m+512], 1; @%z fence.acq_rel.cta; @%z st.volatile.shared.u32 [m+516], 1; setp.ne.u32 %q, %t, 32; @%q ret; ` + late("!%q") + `
P: ld.volatile.shared.u32 %x, [m+516]; setp.eq.u32 %q, %x, 0; @%q bra P; fence.acq_rel.cta; ld.shared.u32 %x, [m+512];`, ""},
		{"lanes in epochs of their own", `@%z fence.acq_rel.cta; st.shared.u32 [%s], %t; setp.eq.u32 %q, %t, 5; @%q fence.acq_rel.cta; @%q st.volatile.shared.u32 [m+516], 1; setp.ne.u32 %q, %t, 32; @%q ret; ` + late("!%q") + `
P: ld.volatile.shared.u32 %x, [m+516]; setp.eq.u32 %q, %x, 0; @%q bra P; fence.acq_rel.cta; st.shared.u32 [m+20], 1;`, ""},
		{"a polled word", `mov.u32 %i, 0;
L: ld.volatile.shared.u32 %x, [m+132]; add.u32 %i, %i, 1; setp.lt.u32 %q, %i, 3; @%q bra L; @%z st.volatile.shared.u32 [m+132], 1;`, ""},
		{"a lock behind it", `setp.gt.u32 %q, %t, 32; @%q ret; and.b32 %x, %t, 31; setp.ne.u32 %q, %x, 0; @%q ret; @%z st.shared.u32 [m+132], 1; ` + late("!%z") + `
L: atom.global.cas.b32 %x, [%p], 0, 1; setp.ne.u32 %q, %x, 0; @%q bra L; fence.acq_rel.gpu; ld.shared.u32 %x, [%s]; @!%z st.shared.u32 [m+132], 2; fence.acq_rel.gpu; atom.global.exch.b32 %x, [%p], 0;`, "lock-mismatch"},
		{"behind an asynchronous copy", "@%z cp.async.ca.shared.global [m+132], [%p], 4; bar.sync 0; ld.shared.u32 %x, [%s];", "async-copy"},
	} {
		text := tileHead + c.body + "\nret;\n}"
		d, plain := causality.New(), causality.Unscreened()
		newRunner(t, text, "k", event.Tee(d, plain)).launch(1, 64, 1)
		for _, d := range []*causality.Detector{d, plain.Detector} {
			rules := map[string]bool{}
			for _, r := range d.Races() {
				rules[string(r.Rule())] = true
			}
			if got := strings.Join(slices.Sorted(maps.Keys(rules)), " "); got != c.want {
				t.Errorf("%s: races %q, want %q", c.name, got, c.want)
			}
		}
		compareScreened(t, text, 2, 1)
	}
}
