package causality_test

// This file compares the detector with the PTX model's definitions, spelled out: patterns,
// observation and causality as explicit relations over all the events of a run.

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

// step is one lane's access, fence, arrival or release at a barrier.
type step struct {
	thread, block    int
	pc               uint32
	access, wrote    bool
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
	steps    []step
	last     map[uint64]int // the last write of each byte
	barriers int
	open     map[string][]int // arrivals
}

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
		e := step{
			access: true, at: a.Addr[lane], size: uint64(a.Size), from: -1, volatile: a.Volatile, scope: a.Scope,
			strong: a.Order != event.Weak, read: a.Kind != event.Write, rmw: a.Kind == event.Atomic,
			acquire: a.Order == event.Acquire || a.Order >= event.AcquireRelease, release: a.Order >= event.Release,
		}
		e.wrote = a.Kind == event.Write || e.rmw && (a.Op != event.AtomicCompareExchange || a.Value[0].At(lane) == a.Compare.At(lane))
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

// causality returns, for each step, the steps that it precedes.
func (r *recorder) causality() []set {
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
	return before
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
		for y := range n {
			if !r.steps[y].sc || x == y || before[x].has(y) || !morallyStrong(r.steps[x], r.steps[y]) {
				continue
			}
			if between(before, observed, x, y) {
				before[x].add(y)
				added = true
			}
		}
	}
	return added
}

// between reports whether a write behind x was observed by a read before y.
func between(before, observed []set, x, y int) bool {
	for w := range observed {
		if before[x].has(w) {
			for read := range observed {
				if observed[w].has(read) && before[read].has(y) {
					return true
				}
			}
		}
	}
	return false
}

// races are the unordered pairs, by the instructions in the order of the run, and the number
// of conflicting pairs of different threads that are ordered.
func (r *recorder) races() (pairs map[[2]uint32]bool, ordered int) {
	before := r.causality()
	pairs = map[[2]uint32]bool{}
	for j, b := range r.steps {
		for i, a := range r.steps[:j] {
			if !a.access || !b.access || a.thread == b.thread || a.at+a.size <= b.at || b.at+b.size <= a.at || !a.wrote && !b.wrote {
				continue
			}
			if before[i].has(j) {
				ordered++
				continue
			}
			if a.at == b.at && a.size == b.size && !a.volatile && !b.volatile && morallyStrong(a, b) {
				continue
			}
			pairs[[2]uint32{a.pc, b.pc}] = true
		}
	}
	return pairs, ordered
}

// randomKernel gives a few threads of two blocks some operations on three words.
func randomKernel(random *rand.Rand) string {
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	var b strings.Builder
	b.WriteString(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u64 q)\n{\n" +
		".reg .b64 %p, %w; .reg .b32 %t, %c, %v; .reg .pred %q; ld.param.u64 %p, [p]; mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x;\n" +
		"mad.lo.u32 %t, %c, 34, %t;\n")
	for phase := range 3 {
		for _, thread := range []int{0, 1, 33, 34, 35, 67} {
			label := fmt.Sprintf("L%d_%d", phase, thread)
			fmt.Fprintf(&b, "setp.ne.u32 %%q, %%t, %d;\n@%%q bra %s;\n", thread, label)
			for range random.IntN(6) {
				scope := pick("cta", "gpu", "gpu", "sys")
				at := fmt.Sprintf("[%%p+%d]", 8*random.IntN(3))
				switch random.IntN(11) {
				case 0:
					fmt.Fprintf(&b, "st.global.u32 %s, 1;\n", at)
				case 1:
					fmt.Fprintf(&b, "ld.global.u32 %%v, %s;\n", at)
				case 2:
					fmt.Fprintf(&b, "st.volatile.global.u32 %s, 1;\n", at)
				case 3:
					fmt.Fprintf(&b, "st.%s.%s.global.u32 %s, 1;\n", pick("relaxed", "release"), scope, at)
				case 4:
					fmt.Fprintf(&b, "ld.%s.%s.global.u32 %%v, %s;\n", pick("relaxed", "acquire"), scope, at)
				case 5:
					fmt.Fprintf(&b, "ld.volatile.global.u32 %%v, %s;\n", at)
				case 6:
					fmt.Fprintf(&b, "atom.%s.%s.global.add.u32 %%v, %s, 1;\n", pick("relaxed", "relaxed", "acq_rel", "release", "acquire"), scope, at)
				case 7:
					fmt.Fprintf(&b, "atom.%s.%s.global.cas.b32 %%v, %s, %d, 1;\n", pick("relaxed", "acquire"), scope, at, random.IntN(2))
				case 8, 9:
					fmt.Fprintf(&b, "fence.%s.%s;\n", pick("sc", "acq_rel"), scope)
				case 10:
					fmt.Fprintf(&b, "%s\n", pick("st.global.u8 [%p+9], 1;", "st.global.u64 [%p+8], %p;", "ld.global.u16 %v, [%p+2];",
						"atom.relaxed.gpu.global.add.u64 %w, [%p+8], 1;", "st.relaxed.gpu.global.u64 [%p], %p;"))
				}
			}
			fmt.Fprintf(&b, "%s:\n", label)
		}
		b.WriteString(pick("", "", "bar.sync 0;\n", "bar.warp.sync 3;\n", "bar.warp.sync 0xffffffff;\n"))
	}
	b.WriteString("ret;\n}\n")
	return b.String()
}

func TestAgainstDefinitions(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	ordered, raced := 0, 0
	for n := range 1000 {
		text := randomKernel(random)
		recorded := &recorder{last: map[uint64]int{}, open: map[string][]int{}}
		newRunner(t, text, "k", recorded).launch(2, 34, uint64(n))
		want, good := recorded.races()
		ordered += good
		raced += len(want)
		got, seconds := map[[2]uint32]bool{}, map[uint32]bool{}
		for _, r := range races(t, text, "k", 2, 34, uint64(n)) {
			got[[2]uint32{r.First.PC, r.Second.PC}] = true
			seconds[r.Second.PC] = true
		}
		for pair := range got {
			if !want[pair] {
				t.Fatalf("%s\nseed %d: race of %v that is none", text, n, pair)
			}
		}
		for pair := range want {
			if !seconds[pair[1]] {
				t.Fatalf("%s\nseed %d: no race reported at %d, want %v", text, n, pair[1], want)
			}
		}
	}
	if ordered < 1000 || raced < 1000 {
		t.Errorf("only %d pairs ordered and %d racing: the programs say too little", ordered, raced)
	}
}
