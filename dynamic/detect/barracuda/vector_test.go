package barracuda

// This file compares the compressed clocks with whole vector clocks (4.3.1: the compression loses
// nothing), by the rules of figures 2 and 3, on random scripts.

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/warplint/warplint/dynamic/detect/script"
	"github.com/warplint/warplint/dynamic/event"
)

const (
	vectorBlocks  = 2
	vectorThreads = 64
)

// vectors is the reference: a clock of all threads for each thread.
type vectors struct {
	clocks [vectorBlocks * vectorThreads][vectorBlocks * vectorThreads]int
	words  map[uint64]*history
	syncs  map[byte]*[vectorBlocks * vectorThreads]int // by flag
	racy   map[uint32]bool                             // instructions that came second
}

// history is what is known of a word: the last write, and all reads since.
type history struct {
	write  vectorEpoch
	atomic bool
	reads  []vectorEpoch
}

type vectorEpoch struct{ thread, time int }

func newVectors() *vectors {
	v := &vectors{words: map[uint64]*history{}, syncs: map[byte]*[vectorBlocks * vectorThreads]int{}, racy: map[uint32]bool{}}
	for t := range v.clocks {
		v.clocks[t][t] = 1
	}
	return v
}

// meet joins the clocks of some threads and forks them again.
func (v *vectors) meet(threads []int) {
	var all [vectorBlocks * vectorThreads]int
	for _, t := range threads {
		for u, time := range v.clocks[t] {
			all[u] = max(all[u], time)
		}
	}
	for _, t := range threads {
		v.clocks[t] = all
		v.clocks[t][t]++
	}
}

func (v *vectors) access(threads []int, pc uint32, at uint64, kind event.Kind) {
	v.meet(threads)
	h := v.words[at]
	if h == nil {
		h = &history{}
		v.words[at] = h
	}
	for _, t := range threads {
		races := func(e vectorEpoch) bool { return e.time > v.clocks[t][e.thread] }
		if kind == event.Read {
			v.racy[pc] = v.racy[pc] || races(h.write)
			h.reads = append(h.reads, vectorEpoch{t, v.clocks[t][t]})
			continue
		}
		atomics := kind == event.Atomic && h.atomic
		v.racy[pc] = v.racy[pc] || !atomics && races(h.write) || slices.ContainsFunc(h.reads, races)
		*h = history{write: vectorEpoch{t, v.clocks[t][t]}, atomic: kind == event.Atomic}
	}
	v.meet(threads)
}

// sync is a release or an acquire of a flag by one thread.
func (v *vectors) sync(t int, flag byte, release bool) {
	v.meet([]int{t})
	s := v.syncs[flag]
	if s == nil {
		s = new([vectorBlocks * vectorThreads]int)
		v.syncs[flag] = s
	}
	for u := range s {
		if release {
			s[u] = max(s[u], v.clocks[t][u])
		} else {
			v.clocks[t][u] = max(v.clocks[t][u], s[u])
		}
	}
	v.meet([]int{t})
}

// synchronizing gives volatile accesses their roles: of the grid for the flags g and h, else of the
// block; each block has its own of those.
type synchronizing struct{ *Detector }

func (l *synchronizing) LaunchBegin(launch *event.Launch) {
	roles := make([]role, launch.Program.Instructions())
	for pc := range roles {
		words := strings.Fields(launch.Program.Location(uint32(pc)).Text)
		if len(words) < 3 || words[1][0] != 'v' {
			continue
		}
		reaches := map[bool]reach{true: inGrid, false: inBlock}[words[2] == "g" || words[2] == "h"]
		if words[1] == "vwrite" {
			roles[pc].release = reaches
		} else {
			roles[pc].acquire = reaches
		}
	}
	l.roles[launch.Program] = roles
	l.Detector.LaunchBegin(launch)
}

func TestVectorClocks(t *testing.T) {
	seen := 0
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 1))
		reference := newVectors()
		text := fmt.Sprintf("grid %d %d\n", vectorBlocks, vectorThreads)
		for pc := uint32(2); pc < 50; pc++ {
			text += randomLine(random, reference, pc) + "\n"
		}
		d := New()
		if err := script.Play(text, &synchronizing{d}); err != nil {
			t.Fatal(err)
		}
		got := map[uint32]bool{}
		for _, r := range d.Races() {
			got[r.Second.PC] = true
		}
		for pc := range uint32(50) {
			if got[pc] != reference.racy[pc] {
				t.Fatalf("line %d: race %v, with whole clocks %v, in\n%s", pc, got[pc], reference.racy[pc], text)
			}
			if got[pc] {
				seen++
			}
		}
	}
	if seen < 1000 {
		t.Errorf("only %d races", seen)
	}
}

// randomLine is a line of a script, which the reference has done.
func randomLine(random *rand.Rand, reference *vectors, pc uint32) string {
	block, warp := random.IntN(vectorBlocks), random.IntN(2)
	first := block * vectorThreads
	span := func(low, high int) (threads []int) {
		for i := low; i <= high; i++ {
			threads = append(threads, first+i)
		}
		return threads
	}
	low := 32*warp + []int{0, 0, 0, 8, 16, random.IntN(32)}[random.IntN(6)]
	high := max(low, 32*warp+[]int{31, 31, 7, 15, 23}[random.IntN(5)])
	switch random.IntN(12) {
	case 0:
		reference.meet(span(0, vectorThreads-1))
		return fmt.Sprintf("%d barrier", block)
	case 1: // of some lanes
		reference.meet(span(low, high))
		return fmt.Sprintf("%d.%d-%d syncwarp", block, low, high)
	case 2:
		reference.meet(span(0, 47))
		return fmt.Sprintf("%d.0-47 barrier", block)
	case 3, 4, 5, 6:
		flag := []byte{'g', 'h', byte('b' + block)}[random.IntN(3)]
		release := random.IntN(2) == 0
		reference.sync(first+low, flag, release)
		return fmt.Sprintf("%d.%d %s %c", block, low, map[bool]string{true: "vwrite", false: "vread"}[release], flag)
	}
	kind := []event.Kind{event.Read, event.Read, event.Write, event.Atomic}[random.IntN(4)]
	word := random.IntN(5)
	reference.access(span(low, high), pc, uint64(word), kind)
	return fmt.Sprintf("%d.%d-%d %v %c", block, low, high, kind, 'm'+word)
}
