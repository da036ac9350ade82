package causality_test

// This file compares the detector with the PTX model's definitions, spelled out: patterns,
// observation and causality as explicit relations over all the events of a run.

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/detect/causality"
	"github.com/warplint/warplint/dynamic/event"
)

// step is one lane's access, fence, arrival or release at a barrier.
type step struct {
	thread, block    int
	pc               uint32
	access, wrote    bool
	changes          bool // what it finds
	rmw, read        bool
	at               uint64
	size             uint64
	strong, volatile bool
	scope            race.Scope
	acquire, release bool
	sc               bool // a fence of sequential consistency
	from             int  // the write that a read observes, -1 if none
	barrier          int  // number of the completed barrier, from 1
	arrives          bool
}

// recorder keeps all steps of a run.
type recorder struct {
	event.Nothing
	program  event.Program
	steps    []step
	last     map[uint64]int // the last write of each byte
	barriers int
	open     map[string][]int // arrivals
}

func (r *recorder) LaunchBegin(l *event.Launch) { r.program = l.Program }

func (r *recorder) add(s *event.Step, lane int, e step) {
	e.block, e.pc = s.Block, s.PC
	e.thread = s.GlobalWarp()*32 + lane
	r.steps = append(r.steps, e)
}

func lanesOf(mask uint32) (list []int) {
	for ; mask != 0; mask &= mask - 1 {
		list = append(list, bits.TrailingZeros32(mask))
	}
	return list
}

func (r *recorder) Access(a *event.Access) {
	for _, lane := range lanesOf(a.Mask) {
		at := a.Addr[lane]
		if a.Space == event.Shared {
			at |= uint64(a.Owner+1) << 56
		}
		e := step{
			access: true, at: at, size: uint64(a.Size), from: -1, volatile: a.Volatile, scope: a.Scope,
			strong: a.Order != event.Weak, read: a.Kind != event.Write, rmw: a.Kind == event.Atomic,
			acquire: a.Order == event.Acquire || a.Order >= event.AcquireRelease, release: a.Order >= event.Release,
		}
		e.wrote = a.Kind == event.Write || e.rmw && (a.Op != event.AtomicCompareExchange || a.Value[0].At(lane) == a.Compare.At(lane))
		e.changes = e.wrote && !leaves(a, lane)
		if w, ok := r.last[e.at]; ok && e.read && r.steps[w].at == e.at && r.steps[w].size == e.size {
			e.from = w
			for i := range e.size {
				if r.last[e.at+i] != w {
					e.from = -1
				}
			}
		}
		if e.wrote {
			for i := range e.size {
				r.last[e.at+i] = len(r.steps)
			}
		}
		r.add(&a.Step, lane, e)
	}
}

// leaves reports whether a lane's atomic writes what it finds.
func leaves(a *event.Access, lane int) bool {
	switch a.Op {
	case event.AtomicExchange:
		return a.Operand.At(lane) == a.Value[0].At(lane)
	case event.AtomicCompareExchange:
		return a.Operand.At(lane) == a.Compare.At(lane)
	case event.AtomicAdd:
		return a.Operand.At(lane) == 0
	}
	return false
}

func (r *recorder) Fence(f *event.Fence) {
	for _, lane := range lanesOf(f.Mask) {
		r.add(&f.Step, lane, step{strong: true, scope: f.Scope, acquire: f.Order != event.Release, release: f.Order != event.Acquire,
			sc: f.Order == event.SequentiallyConsistent, from: -1})
	}
}

func (r *recorder) Barrier(b *event.Barrier) {
	key := fmt.Sprint(b.Kind, b.ID, b.Block)
	if b.Kind == event.WarpBarrier {
		key += fmt.Sprint(" ", b.Warp)
	}
	if b.Phase == event.Arrived {
		for _, lane := range lanesOf(b.Mask) {
			r.open[key] = append(r.open[key], len(r.steps))
			r.add(&b.Step, lane, step{from: -1, arrives: true})
		}
		return
	}
	r.barriers++
	there := map[int]bool{}
	for _, g := range b.Participants {
		for _, lane := range lanesOf(g.Mask) {
			s := b.Step
			s.Block, s.Warp = g.Block, g.Warp
			there[s.GlobalWarp()*32+lane] = true
			if g.Waits {
				r.add(&s, lane, step{from: -1, barrier: r.barriers})
			}
		}
	}
	var rest []int
	for _, i := range r.open[key] {
		if there[r.steps[i].thread] {
			r.steps[i].barrier = r.barriers
		} else {
			rest = append(rest, i)
		}
	}
	r.open[key] = rest
}

// morallyStrong: both strong, each in the other's scope.
func morallyStrong(a, b step) bool {
	need := race.ScopeDevice
	if a.block == b.block {
		need = race.ScopeBlock
	}
	return a.strong && b.strong && a.scope >= need && b.scope >= need
}

// set is a set of steps.
type set []uint64

func (s set) has(i int) bool { return s[i/64]>>(i%64)&1 != 0 }
func (s set) add(i int)      { s[i/64] |= 1 << (i % 64) }

// causality returns, for each step, the steps that it precedes in base causality order, and in causality
// order, which observation may begin.
func (r *recorder) causality() (base, causal []set) {
	n := len(r.steps)
	relation := func() []set {
		m := make([]set, n)
		for i := range m {
			m[i] = make(set, n/64+1)
		}
		return m
	}
	before, observed := relation(), relation()
	programOrder := func(i, j int) bool { return i < j && r.steps[i].thread == r.steps[j].thread }
	for j, b := range r.steps {
		for i, a := range r.steps[:j] {
			if programOrder(i, j) || a.barrier != 0 && a.barrier == b.barrier && a.arrives && !b.arrives {
				before[i].add(j)
			}
		}
		if b.from >= 0 && morallyStrong(r.steps[b.from], b) {
			observed[b.from].add(j)
			for i := range j { // through a read-modify-write
				if observed[i].has(b.from) && r.steps[b.from].rmw {
					observed[i].add(j)
				}
			}
		}
	}
	type pattern struct{ first, last int }
	var releases, acquires []pattern // (first, write) and (read, last)
	for i, a := range r.steps {
		if a.wrote && a.release {
			releases = append(releases, pattern{i, i})
		}
		if a.read && a.acquire {
			acquires = append(acquires, pattern{i, i})
		}
		for j := i + 1; j < n; j++ {
			b := r.steps[j]
			if a.thread != b.thread {
				continue
			}
			if a.release && b.wrote && b.strong && (!a.access || a.wrote && a.at == b.at && a.size == b.size) {
				releases = append(releases, pattern{i, j})
			}
			if a.read && a.strong && b.acquire && (!b.access || b.read && a.at == b.at && a.size == b.size) {
				acquires = append(acquires, pattern{i, j})
			}
		}
	}
	for _, x := range releases {
		for _, y := range acquires {
			if observed[x.last].has(y.first) && morallyStrong(r.steps[x.first], r.steps[y.last]) {
				before[x.first].add(y.last)
			}
		}
	}
	closure(before)
	for r.fenceOrder(before, observed) {
		closure(before)
	}
	causal = relation()
	for x := range causal {
		copy(causal[x], before[x])
		for z := range n {
			if observed[x].has(z) {
				for w := range causal[x] {
					causal[x][w] |= before[z][w]
				}
			}
		}
	}
	return before, causal
}

// flags are the words that somebody looks at twice in a row, or exchanges for what is there, and the instructions that
// do: they wait, and that a flag is volatile is no race.
func (r *recorder) flags() map[uint64]bool {
	found := map[uint64]bool{}
	last := map[int]step{} // accesses, by thread
	for _, s := range r.steps {
		if !s.access {
			continue
		}
		before := last[s.thread]
		if s.strong && s.read && !s.changes && before.access && !before.changes && before.pc == s.pc && before.at == s.at {
			found[s.at&^3], found[uint64(s.pc)] = true, true
		}
		last[s.thread] = s
	}
	return found
}

// closure makes a relation transitive.
func closure(m []set) {
	for k := range m {
		for i := range m {
			if m[i].has(k) {
				for w := range m[i] {
					m[i][w] |= m[k][w]
				}
			}
		}
	}
}

// fenceOrder adds the pairs of fences whose order is forced: in the other order a read would have
// observed a write that it precedes. It reports whether there were any.
func (r *recorder) fenceOrder(before, observed []set) (added bool) {
	n := len(r.steps)
	for x := range n {
		if !r.steps[x].sc {
			continue
		}
		reads := readsOf(before, observed, x)
		for y := range n {
			if !r.steps[y].sc || x == y || before[x].has(y) || !morallyStrong(r.steps[x], r.steps[y]) {
				continue
			}
			for _, read := range reads {
				if before[read].has(y) {
					before[x].add(y)
					added = true
					break
				}
			}
		}
	}
	return added
}

// readsOf are the reads that have observed a write behind a step.
func readsOf(before, observed []set, x int) (reads []int) {
	found := make(set, len(before[x]))
	for w := range observed {
		if before[x].has(w) {
			for i := range found {
				found[i] |= observed[w][i]
			}
		}
	}
	for i := range observed {
		if found.has(i) {
			reads = append(reads, i)
		}
	}
	return reads
}

// hidden reports whether a strong access of a thread is kept no more once the thread, or one of its block that comes behind
// it, writes the same bytes strongly, and that write comes before a step (a limit, see doc.go).
func (r *recorder) hidden(i, j int, base, causal []set) bool {
	a := r.steps[i]
	for k := i + 1; k < j; k++ {
		if b := r.steps[k]; a.strong && b.block == a.block && base[i].has(k) && b.strong && b.wrote && b.at == a.at && b.size == a.size && causal[k].has(j) {
			return true
		}
	}
	return false
}

// races are the pairs that causality order leaves unordered, by the instructions in the order of the run, those
// that base causality order does, and the number of conflicting pairs of different threads that are ordered.
func (r *recorder) races() (pairs, unordered map[[2]uint32]bool, ordered int) {
	base, causal := r.causality()
	flags := r.flags()
	pairs, unordered = map[[2]uint32]bool{}, map[[2]uint32]bool{}
	for j, b := range r.steps {
		for i, a := range r.steps[:j] {
			if !a.access || !b.access || a.thread == b.thread || a.at+a.size <= b.at || b.at+b.size <= a.at || !a.wrote && !b.wrote {
				continue
			}
			if base[i].has(j) {
				ordered++
				continue
			}
			if a.at == b.at && a.size == b.size && morallyStrong(a, b) && (!a.volatile && !b.volatile || flags[a.at&^3] || flags[uint64(a.pc)] || flags[uint64(b.pc)]) {
				continue
			}
			pair := [2]uint32{a.pc, b.pc}
			unordered[pair] = true
			if !causal[i].has(j) && !r.hidden(i, j, base, causal) {
				pairs[pair] = true
			}
		}
	}
	return pairs, unordered, ordered
}

// generator writes random kernels for blocks of 34 threads, about three words and an array of global
// and of shared memory.
type generator struct {
	*rand.Rand
	text   strings.Builder
	labels int
	// barriers counts those at which a warp does not wait: each has a number of its own.
	barriers int
	// fences are the scopes of the kernel's fences of sequential consistency: those of a block among
	// several blocks are beyond the detector's limits.
	fences []string
	wrong  int // of a hundred things that lanes do each for itself (each_test.go)
}

func (g *generator) pick(list ...string) string { return list[g.IntN(len(list))] }

// place is where an access goes: at one of the words, at one that depends on the thread, or at the
// thread's own of an array, or its neighbour's.
func (g *generator) place() (space, at string) {
	space, base := "global", "%p"
	if g.IntN(4) == 0 {
		space, base = "shared", "%s"
	}
	switch g.IntN(6) {
	case 4:
		return space, fmt.Sprintf("[%st]", base)
	case 5:
		return space, fmt.Sprintf("[%st+4]", base)
	case 0:
		return space, fmt.Sprintf("[%sl]", base)
	case 1:
		return space, fmt.Sprintf("[%sw]", base)
	}
	return space, fmt.Sprintf("[%s+%d]", base, 8*g.IntN(3))
}

// operation is one access or fence.
func (g *generator) operation() {
	scope := g.pick("cta", "gpu", "gpu", "sys")
	space, at := g.place()
	text := ""
	switch g.IntN(14) {
	case 12:
		text = g.pick("st.global.u64 [%pe], %p;", "ld.global.u64 %w, [%pe];", "ld.global.v2.u32 {%v, %x}, [%pe];", "st.global.v2.u32 [%pe+8], {%v, %x};")
	case 13:
		text = g.pick("st.global.u32 [%pt], %n;", "ld.global.u32 %x, [%pt+8];", "st.shared.u32 [%st], %n;", "ld.shared.u32 %x, [%st+8];",
			// with gaps between the lanes' words, and volatile
			"st.global.u32 [%pe], %n;", "ld.global.u32 %x, [%pe+8];", "ld.global.u32 %x, [%pe+4];", "st.volatile.global.u32 [%pe+8], %n;",
			"ld.volatile.global.u32 %x, [%pe];", "st.volatile.global.u32 [%pt+8], %n;", "ld.volatile.global.u32 %x, [%pt];",
			// from the last word down
			"ld.global.u32 %x, [%pd];", "ld.global.u32 %x, [%pd+8];", "ld.volatile.global.u32 %x, [%pd];", "st.global.u32 [%pd], %n;")
	case 0:
		text = fmt.Sprintf("st.%s.u32 %s, 1;", space, at)
	case 1:
		text = fmt.Sprintf("ld.%s.u32 %%v, %s;", space, at)
	case 2:
		text = fmt.Sprintf("st.volatile.%s.u32 %s, 1;", space, at)
	case 3:
		text = fmt.Sprintf("st.%s.%s.%s.u32 %s, 1;", g.pick("relaxed", "release"), scope, space, at)
	case 4:
		text = fmt.Sprintf("ld.%s.%s.%s.u32 %%v, %s;", g.pick("relaxed", "acquire"), scope, space, at)
	case 5:
		text = fmt.Sprintf("ld.volatile.%s.u32 %%v, %s;", space, at)
	case 6, 7:
		text = fmt.Sprintf("atom.%s.%s.%s.add.u32 %%v, %s, 1;", g.pick("relaxed", "relaxed", "acq_rel", "release", "acquire"), scope, space, at)
	case 8:
		text = fmt.Sprintf("atom.%s.%s.%s.cas.b32 %%v, %s, %d, 1;", g.pick("relaxed", "acquire"), scope, space, at, g.IntN(2))
	case 9:
		text = fmt.Sprintf("fence.acq_rel.%s;", scope)
	case 10:
		text = fmt.Sprintf("fence.sc.%s;", g.pick(g.fences...))
	case 11:
		text = g.pick("st.global.u8 [%p+9], 1;", "st.global.u64 [%p+8], %p;", "ld.global.u16 %v, [%p+2];",
			"atom.relaxed.gpu.global.add.u64 %w, [%p+8], 1;", "st.relaxed.gpu.global.u64 [%p], %p;", "st.shared.u16 [%s+2], 1;")
	}
	g.text.WriteString(text + "\n")
}

// branch writes two ways, for the threads for which a comparison holds and for the others.
func (g *generator) branch(comparison string, then, otherwise func()) {
	g.labels++
	n := g.labels
	fmt.Fprintf(&g.text, "setp.%s;\n@%%q bra T%d;\n", comparison, n)
	otherwise()
	fmt.Fprintf(&g.text, "bra J%d;\nT%d:\n", n, n)
	then()
	fmt.Fprintf(&g.text, "J%d:\n", n)
}

// some writes what one thread does, or some lanes and the others, a warp, a block, or all threads, once or again and again.
func (g *generator) some(step func()) {
	nothing := func() {}
	switch g.IntN(9) {
	case 0:
		g.branch(fmt.Sprintf("eq.u32 %%q, %%t, %d", g.IntN(68)), step, nothing)
	case 1:
		g.branch(fmt.Sprintf("lt.u32 %%q, %%l, %d", 1+g.IntN(31)), step, step)
	case 2:
		g.branch("lt.u32 %q, %n, 32", step, nothing)
	case 3:
		g.branch(fmt.Sprintf("eq.u32 %%q, %%c, %d", g.IntN(2)), step, nothing)
	case 4, 5:
		g.loop(func() int {
			for range 1 + g.IntN(3) {
				step()
			}
			return 2 + g.IntN(4)
		})
	default:
		step()
	}
}

// anyFence and handOver are what threads hand over by; the flag lies at %f.
func (g *generator) anyFence() {
	g.text.WriteString(g.pick("fence.acq_rel.gpu;\n", "fence.sc.gpu;\n", "fence.acq_rel.cta;\n"))
}

func (g *generator) handOver() {
	g.text.WriteString(g.pick("atom.relaxed.gpu.global.add.u32 %x, [%f], 1;\n", "atom.acq_rel.gpu.global.exch.b32 %x, [%f], 1;\n", "st.release.gpu.global.u32 [%f], 1;\n", "ld.acquire.gpu.global.u32 %x, [%f];\n"))
}

func (g *generator) several(most int) func() {
	return func() {
		for range g.IntN(most) {
			g.operation()
		}
	}
}

// phase is what some threads do, and perhaps a barrier behind it.
func (g *generator) phase() {
	nothing := func() {}
	switch g.IntN(8) {
	case 0: // all threads
		g.operation()
	case 1: // lanes that part
		g.branch("eq.u32 %q, %o, 1", func() { g.operation() }, g.several(2))
	case 2: // warps that part
		g.branch("lt.u32 %q, %n, 32", func() { g.operation() }, g.several(2))
	case 3: // some threads, in a loop
		g.branch(fmt.Sprintf("lt.u32 %%q, %%n, %d", 1+g.IntN(3)), func() {
			g.loop(func() int {
				g.several(3)()
				return 2 + g.IntN(2)
			})
		}, nothing)
	default: // single ones
		for _, thread := range []int{0, 1, 33, 34, 35, 67} {
			g.branch(fmt.Sprintf("eq.u32 %%q, %%t, %d", thread), g.several(6), nothing)
		}
	}
	g.text.WriteString(g.pick("", "", "bar.sync 0;\n", "bar.warp.sync 0xffffffff;\n", "bar.sync 1, 64;\n"))
	switch g.IntN(12) {
	case 0: // two lanes of each warp wait for each other
		g.branch("lt.u32 %q, %l, 2", func() { g.text.WriteString("bar.warp.sync 3;\n") }, nothing)
	case 1: // one warp does not wait
		g.barriers++
		g.branch("lt.u32 %q, %n, 32", func() { fmt.Fprintf(&g.text, "bar.arrive %d, 64;\n", 1+g.barriers) },
			func() { fmt.Fprintf(&g.text, "bar.sync %d, 64;\n", 1+g.barriers) })
	}
}

// loop writes a loop around a body, which says how often it goes round.
func (g *generator) loop(body func() int) {
	g.labels++
	n := g.labels
	fmt.Fprintf(&g.text, "mov.u32 %%i, 0;\nL%d:\n", n)
	rounds := body()
	fmt.Fprintf(&g.text, "add.u32 %%i, %%i, 1;\nsetp.lt.u32 %%q, %%i, %d;\n@%%q bra L%d;\n", rounds, n)
}

// begin writes how a kernel begins whose registers for addresses are made by some instructions.
func (g *generator) begin(addresses, made string) {
	fmt.Fprintf(&g.text, `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q)
{
.reg .b64 %%p, %s, %%e; .reg .b32 %%t, %%c, %%v, %%n, %%l, %%x, %%i; .reg .pred %%q;
ld.param.u64 %%p, [p]; mov.u32 %%n, %%tid.x; mov.u32 %%l, %%laneid; mov.u32 %%c, %%ctaid.x; mad.lo.u32 %%t, %%c, 34, %%n;
%s`, addresses, made)
}

func randomKernel(random *rand.Rand) (text string, blocks int) {
	g := &generator{Rand: random, fences: []string{"gpu", "sys"}}
	if blocks = 2; random.IntN(3) == 0 {
		g.fences, blocks = []string{"cta"}, 1
	}
	g.text.WriteString(`.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q)
{
.reg .b64 %p, %w, %pl, %pw, %pt, %pe, %pd, %e; .reg .b32 %st, %t, %c, %v, %n, %l, %o, %i, %s, %sl, %sw, %x; .reg .pred %q;
.shared .align 8 .b8 m[256];
ld.param.u64 %p, [p]; mov.u32 %n, %tid.x; mov.u32 %l, %laneid; mov.u32 %c, %ctaid.x; mad.lo.u32 %t, %c, 34, %n; and.b32 %o, %n, 1;
mov.u32 %s, m; rem.u32 %x, %t, 3; shl.b32 %x, %x, 3; add.u32 %sl, %s, %x; cvt.u64.u32 %e, %x; add.u64 %pl, %p, %e;
shr.u32 %x, %n, 5; shl.b32 %x, %x, 3; add.u32 %sw, %s, %x; cvt.u64.u32 %e, %x; add.u64 %pw, %p, %e;
shl.b32 %x, %n, 2; add.u32 %st, %s, %x; cvt.u64.u32 %e, %x; add.u64 %pt, %p, %e; add.u64 %pe, %pt, %e;
sub.u64 %pd, %p, %e; add.u64 %pd, %pd, 132;
`)
	for range 2 + random.IntN(4) {
		g.phase()
	}
	g.text.WriteString("ret;\n}\n")
	return g.text.String(), blocks
}

// operations is how many operations of threads TestAgainstDefinitions compares, and TestAlignedLanes a quarter as many,
// unless the environment variable WARPLINT_OPERATIONS says another number.
const operations = 200_000

// compare runs a kernel and holds the detector's races against the definitions': it may report no
// other pair, and has to report each instruction that races with an earlier one. It may report what only an
// observation of an earlier write of a chain orders (sight.go).
func compare(t *testing.T, text string, blocks int, seed uint64) (steps, ordered, raced int) {
	recorded := &recorder{last: map[uint64]int{}, open: map[string][]int{}}
	d := causality.New()
	newRunner(t, text, "k", event.Tee(recorded, d)).launch(blocks, 34, seed)
	want, unordered, ordered := recorded.races()
	got, racing := map[[2]uint32]bool{}, map[uint32]bool{}
	for _, r := range d.Races() {
		if r.Suspected {
			continue // of the lockset check: another run may race
		}
		got[[2]uint32{r.First.PC, r.Second.PC}] = true
		racing[r.First.PC], racing[r.Second.PC] = true, true
	}
	line := func(pc uint32) int { return recorded.program.Location(pc).PTXLine }
	for pair := range got {
		if !unordered[pair] {
			t.Fatalf("%s\nseed %d: race of lines %d and %d that is none", text, seed, line(pair[0]), line(pair[1]))
		}
	}
	for pair := range want {
		if !racing[pair[1]] {
			t.Fatalf("%s\nseed %d: no race reported at line %d, which races with line %d", text, seed, line(pair[1]), line(pair[0]))
		}
	}
	return len(recorded.steps), ordered, len(want)
}

func operationsOf(t *testing.T) int {
	text := os.Getenv("WARPLINT_OPERATIONS")
	if text == "" {
		return operations
	}
	most, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return most
}

// seeded returns the random numbers of a test, or others if the environment variable WARPLINT_SEED is set.
func seeded(test uint64) *rand.Rand {
	seed, _ := strconv.ParseUint(os.Getenv("WARPLINT_SEED"), 10, 64)
	return rand.New(rand.NewPCG(test, test+1+seed<<8))
}

func TestAgainstDefinitions(t *testing.T) {
	done, ordered, raced := compareMany(t, seeded(5), randomKernel, operationsOf(t), 3)
	if ordered < done/50 || raced < done/50 {
		t.Errorf("only %d pairs ordered and %d racing: the programs say too little", ordered, raced)
	}
}

// TestFinds compares kernels that once made a difference, by the seeds of their runs.
func TestFinds(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/finds.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		t.Run(path.Base(f.Name), func(t *testing.T) {
			seed, err := strconv.ParseUint(path.Dir(f.Name), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			for blocks := 1; blocks <= 2; blocks++ {
				compare(t, string(f.Data), blocks, seed)
			}
		})
	}
}

// compareMany compares random kernels, each on some schedules, until they have come to so many operations.
func compareMany(t *testing.T, random *rand.Rand, kernel func(*rand.Rand) (text string, blocks int), most, schedules int) (done, ordered, raced int) {
	t.Helper()
	kernels := 0
	for done < most {
		text, blocks := kernel(random)
		kernels++
		for range schedules {
			steps, good, bad := compare(t, text, blocks, random.Uint64())
			done, ordered, raced = done+steps, ordered+good, raced+bad
		}
	}
	t.Logf("%d kernels, %d schedules each: %d operations, %d pairs ordered, %d pairs of instructions racing", kernels, schedules, done, ordered, raced)
	return done, ordered, raced
}

// compareSpecial compares kernels that are all of one situation.
func compareSpecial(t *testing.T, random *rand.Rand, kernel func(*rand.Rand) (text string, blocks int)) {
	t.Helper()
	if _, ordered, raced := compareMany(t, random, kernel, operationsOf(t)/4, 2); ordered < 1000 || raced < 100 {
		t.Errorf("only %d pairs ordered and %d racing: the programs say too little", ordered, raced)
	}
}
