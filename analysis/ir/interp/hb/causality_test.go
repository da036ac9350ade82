package hb_test

// This file compares the detector with the PTX model's definitions, spelled out: patterns,
// observation and causality as explicit relations over all the events of a run.

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp"
	"github.com/warplint/warplint/analysis/ir/interp/hb"
	"github.com/warplint/warplint/analysis/race"
)

// event is an access, a fence, or a thread's arrival at or release from a barrier.
type event struct {
	thread           *interp.Thread
	site             int
	access           race.Access // "" for others
	wrote            bool
	offset           int64
	strong           bool
	scope            race.Scope
	acquire, release bool
	volatile         bool
	sequential       bool // a fence that is sequentially consistent, for the device
	from             int  // the write that a read observes, -1 if none
	phase            *interp.Phase
	arrives          bool
}

// recorder keeps all events of a run.
type recorder struct {
	events []event
	last   map[int64]int // the last write of each location
}

func (r *recorder) Access(t *interp.Thread, a *interp.Access) {
	e := event{thread: t, site: a.Site, access: a.Kind, wrote: a.Wrote, offset: a.Offset + int64(a.Object.ID)<<32, from: -1, scope: a.Strength.Scope}
	e.acquire, e.release = a.Strength.Order.Acquires(), a.Strength.Order.Releases()
	e.strong = a.Kind == race.Atomic || a.Strength.Order != ir.Weak
	if a.Strength.Volatile && !e.strong {
		e.volatile, e.strong, e.scope = true, true, race.ScopeSystem
	}
	if w, ok := r.last[e.offset]; ok && a.Kind != race.Write {
		e.from = w
	}
	if a.Wrote {
		r.last[e.offset] = len(r.events)
	}
	r.events = append(r.events, e)
}

func (r *recorder) Fence(t *interp.Thread, f *ir.Fence) {
	r.events = append(r.events, event{thread: t, strong: true, scope: f.Scope, acquire: f.Order.Acquires(), release: f.Order.Releases(), sequential: f.Order == ir.SeqCst && f.Scope >= race.ScopeDevice, from: -1})
}

func (r *recorder) Arrive(t *interp.Thread, p *interp.Phase, _ int) {
	r.events = append(r.events, event{thread: t, phase: p, arrives: true, from: -1})
}

func (r *recorder) Release(p *interp.Phase, threads []*interp.Thread) {
	for _, t := range threads {
		r.events = append(r.events, event{thread: t, phase: p, from: -1})
	}
}

func (r *recorder) ProxyFence(*interp.Thread)                   {}
func (r *recorder) AsyncIssue(*interp.Thread, *interp.AsyncOp)  {}
func (r *recorder) AsyncWait(*interp.Thread, []*interp.AsyncOp) {}
func (r *recorder) Exit(*interp.Thread)                         {}

// morallyStrong: both strong, each in the other's scope.
func morallyStrong(a, b event) bool {
	need := race.ScopeDevice
	if a.thread.Block == b.thread.Block {
		need = race.ScopeBlock
	}
	return a.strong && b.strong && a.scope >= need && b.scope >= need
}

// causality returns the relation over the events: bit j of row i says that i precedes j.
func (r *recorder) causality() [][]bool {
	n := len(r.events)
	relation := func() [][]bool {
		m := make([][]bool, n)
		for i := range m {
			m[i] = make([]bool, n)
		}
		return m
	}
	before, observed := relation(), relation()
	programOrder := func(i, j int) bool { return i < j && r.events[i].thread == r.events[j].thread }
	for j, b := range r.events {
		for i, a := range r.events[:j] {
			before[i][j] = programOrder(i, j) || a.phase != nil && a.phase == b.phase && a.arrives && !b.arrives
		}
		if b.from >= 0 && morallyStrong(r.events[b.from], b) {
			observed[b.from][j] = true
			for i := range j { // through a read-modify-write
				if observed[i][b.from] && r.events[b.from].access == race.Atomic {
					observed[i][j] = true
				}
			}
		}
	}
	along := relation() // program order and barriers
	for i := range along {
		copy(along[i], before[i])
	}
	closure(along)
	type pattern struct{ first, last int }
	var releases, acquires []pattern // (first, write) and (read, last)
	for i, a := range r.events {
		if a.wrote && a.release {
			releases = append(releases, pattern{i, i})
		}
		if a.access != "" && a.access != race.Write && a.acquire {
			acquires = append(acquires, pattern{i, i})
		}
		for j, b := range r.events {
			if !programOrder(i, j) {
				continue
			}
			if a.release && b.wrote && b.strong && (a.access == "" || a.wrote && a.offset == b.offset) {
				releases = append(releases, pattern{i, j})
			}
			reads := a.access != "" && a.access != race.Write && a.strong
			if reads && b.acquire && (b.access == "" || b.access != race.Write && a.offset == b.offset) {
				acquires = append(acquires, pattern{i, j})
			}
		}
	}
	for _, x := range releases {
		for _, y := range acquires {
			if observed[x.last][y.first] && morallyStrong(r.events[x.first], r.events[y.last]) {
				before[x.first][y.last] = true
			}
		}
	}
	r.sequential(along, before)
	closure(before)
	causal := relation()
	for x := range before {
		copy(causal[x], before[x])
		for z := range before {
			for y := range before {
				causal[x][y] = causal[x][y] || observed[x][z] && before[z][y]
			}
		}
	}
	return causal
}

// sequential adds the order of sequentially consistent fences, as far as it is known: a read behind
// which one stands has observed a write, or a later one of the location, before which another stands.
func (r *recorder) sequential(along, before [][]bool) {
	wide := func(e event) bool { return e.access != "" && e.strong && e.scope >= race.ScopeDevice }
	for x, first := range r.events {
		for y, last := range r.events {
			if !first.sequential || !last.sequential || first.thread == last.thread {
				continue
			}
			for w, write := range r.events {
				for k, read := range r.events {
					if wide(write) && write.wrote && wide(read) && read.from >= w && read.thread != r.events[read.from].thread && write.offset == read.offset &&
						along[x][w] && along[k][y] && morallyStrong(r.events[read.from], read) {
						before[x][y] = true
					}
				}
			}
		}
	}
}

// closure makes a relation transitive.
func closure(m [][]bool) {
	for k := range m {
		for i := range m {
			if !m[i][k] {
				continue
			}
			for j := range m {
				m[i][j] = m[i][j] || m[k][j]
			}
		}
	}
}

// races lists the unordered pairs by sites.
func (r *recorder) races() []string {
	before := r.causality()
	var list []string
	for j, b := range r.events {
		for i, a := range r.events[:j] {
			if a.access == "" || b.access == "" || a.thread == b.thread || a.offset != b.offset || !a.wrote && !b.wrote || before[i][j] {
				continue
			}
			if !a.volatile && !b.volatile && morallyStrong(a, b) {
				continue
			}
			list = append(list, fmt.Sprint(min(a.site, b.site), "-", max(a.site, b.site)))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// randomKernel gives each of four threads in two blocks a few operations on three words.
func randomKernel(random *rand.Rand) string {
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	var b strings.Builder
	b.WriteString("func k {\n param $x ptr u32\n")
	for phase := range 2 {
		for thread := range 4 {
			fmt.Fprintf(&b, "if blockIdx.x * 2 + threadIdx.x == %d {\n", thread)
			for range 1 + random.IntN(6) {
				scope := pick("block", "device", "device")
				word := random.IntN(3)
				switch random.IntN(9) {
				case 0:
					fmt.Fprintf(&b, "store $x[%d], 1\n", word)
				case 1:
					fmt.Fprintf(&b, "%%v = load $x[%d]\n", word)
				case 2:
					fmt.Fprintf(&b, "store volatile $x[%d], 1\n", word)
				case 3:
					fmt.Fprintf(&b, "store %s %s u32 $x[%d], 1\n", pick("relaxed", "release"), scope, word)
				case 4:
					fmt.Fprintf(&b, "%%v = load %s %s u32 $x[%d]\n", pick("relaxed", "acquire"), scope, word)
				case 5:
					fmt.Fprintf(&b, "%%v = load volatile $x[%d]\n", word)
				case 6:
					fmt.Fprintf(&b, "atomic add %s %s u32 $x[%d], 1\n", pick("relaxed", "relaxed", "acq_rel", "release", "acquire"), scope, word)
				case 7:
					fmt.Fprintf(&b, "atomic cas %s %s u32 $x[%d], %d, 1\n", pick("relaxed", "acquire"), scope, word, random.IntN(2))
				case 8:
					fmt.Fprintf(&b, "fence %s %s\n", pick("seq_cst", "seq_cst", "acquire", "release"), scope)
				}
			}
			b.WriteString("}\n")
		}
		if phase == 0 && random.IntN(2) == 0 {
			b.WriteString(pick("barrier block sync\n", "barrier grid sync\n", "barrier warp sync mask 3\n"))
		}
	}
	b.WriteString("}\n")
	return b.String()
}

func TestAgainstDefinitions(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	ordered := 0
	for n := range 1000 {
		text := randomKernel(random)
		f := ir.MustParse(text)
		p := interp.Compile(f)
		launch := interp.Launch{
			Grid: race.Dim3{2, 1, 1}, Block: race.Dim3{2, 1, 1},
			Args: []interp.Arg{interp.PointerTo(0, 0)}, Buffers: []interp.Buffer{{Size: 64}},
		}
		options := interp.Options{Order: interp.Shuffled, Seed: uint64(n), Quantum: 8}
		recorded := &recorder{last: map[int64]int{}}
		if _, err := p.Run(context.Background(), launch, options, recorded); err != nil {
			t.Fatal(err)
		}
		detector := hb.NewDetector(f, 4, n%2 == 0)
		if _, err := p.Run(context.Background(), launch, options, detector); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range detector.Races() {
			got = append(got, fmt.Sprint(min(r.First.Site, r.Second.Site), "-", max(r.First.Site, r.Second.Site)))
		}
		slices.Sort(got)
		got = slices.Compact(got)
		want := recorded.races()
		if !slices.Equal(got, want) {
			t.Fatalf("%s\nseed %d: got races %v, want %v", text, n, got, want)
		}
		ordered += recorded.synchronized()
	}
	if ordered < 1000 {
		t.Errorf("only %d pairs of accesses are ordered between threads: the programs synchronize too little", ordered)
	}
}

// synchronized counts the conflicting pairs of different threads that are ordered.
func (r *recorder) synchronized() int {
	before := r.causality()
	n := 0
	for j, b := range r.events {
		for i, a := range r.events[:j] {
			if a.access != "" && b.access != "" && a.thread != b.thread && a.offset == b.offset && (a.wrote || b.wrote) && before[i][j] {
				n++
			}
		}
	}
	return n
}
