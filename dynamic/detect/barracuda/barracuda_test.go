package barracuda

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/warplint/warplint/dynamic/detect/script"
	"github.com/warplint/warplint/dynamic/event"
)

// listing gives the lines of a script the PTX that its fences and accesses stand for, so that
// releases and acquires can be inferred.
type listing struct {
	*Detector
	inferred bool
}

func (l *listing) LaunchBegin(launch *event.Launch) {
	p := program{launch.Program}
	if !l.inferred {
		l.roles[launch.Program] = infer(p)
		l.inferred = true
	}
	l.Detector.LaunchBegin(launch)
}

type program struct{ event.Program }

func (p program) Location(pc uint32) event.Location {
	at := p.Program.Location(pc)
	words := strings.Fields(at.Text)
	at.Text = ""
	if len(words) > 1 {
		at.Text = map[string]string{
			"read": "ld.global.u32", "vread": "ld.volatile.global.u32", "write": "st.global.u32", "vwrite": "st.volatile.global.u32",
			"atomic": "atom.add.u32", "cas": "atom.cas.b32", "exch": "atom.exch.b32", "fence": "membar.gl", "barrier": "bar.sync",
		}[words[1]]
		if words[len(words)-1] == "block" && words[1] == "fence" {
			at.Text = "membar.cta"
		}
	}
	return at
}

// races plays a script and returns "FIRST SECOND CONDITION" for each race, with lines for
// instructions.
func races(t *testing.T, text string) []string {
	t.Helper()
	d := New()
	if err := script.Play(text, &listing{Detector: d}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range d.Races() {
		got = append(got, fmt.Sprintf("%d %d %s", r.First.PC, r.Second.PC, strings.TrimPrefix(r.Condition, "BARRACUDA's ")))
	}
	return got
}

func TestRaces(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"reads", "grid 2 64\n0.0 read x\n1.0 read x\n0.32 read x", nil},
		{"program order", "grid 1 32\n0.0 write x\n0.0 read x\n0.0 write x", nil},
		{"blocks", "grid 2 64\n0.0 write x\n1.0 read x", []string{"2 3 inter-block race"}},
		{"warps", "grid 1 64\n0.0 write x\n0.32 read x", []string{"2 3 intra-block race"}},
		{"warps, shared memory", "grid 1 64\n0.0 write s:x\n0.32 read s:x", []string{"2 3 intra-block race"}},
		{"shared memory of two blocks", "grid 2 64\n0.0 write s:x\n1.0 read s:x", nil},
		{"a write behind the reads of two", "grid 1 96\n0.0 read x\n0.32 read x\n0.64 write x", []string{"2 4 intra-block race"}},
		{"a barrier", "grid 1 64\n0.0 write x\n0 barrier\n0.32 read x\n0.33 write y\n0 barrier\n0.0 read y", nil},
		{"what is behind a barrier", "grid 1 64\n0.0 write x\n0 barrier\n0.32 write x\n0.0 read x", []string{"4 5 intra-block race"}},
		{"a barrier of some warps", "grid 1 96\n0.64 write x\n0.32 write y\n0.0-63 barrier\n0.0 read y\n0.0 read x", []string{"2 6 intra-block race"}},
		{"a barrier of all warps that are left", "grid 1 64\n0.32 write x\n0.32-63 exit\n0.0-31 barrier\n0.0 read x", nil},
		{"reads of one thread before and behind a barrier", "grid 1 64\n0.0 read x\n0.32 read x\n0 barrier\n0.0 read x\n0.32 write x",
			[]string{"5 6 intra-block race"}},
		{"a launch begins anew", "grid 2 64\n0.0 write x\ngrid 2 64\n1.0 write x", nil},
		{"asynchronous copies", "grid 1 64\n0.0 write x\n0.32 copy x s:x\n0.0 read s:x", []string{"2 3 intra-block race", "3 4 intra-block race"}},
		{"asynchronous copies of one word", "grid 1 64\n0.0 copy x s:x\n0.32 copy x s:y", nil},
		{"an asynchronous copy, and then its warp", "grid 1 64\n0.0-31 copy x[] s:x[]\n0.0-31 read s:x[]", nil},
		{"a barrier of another block", "grid 2 64\n0.0 write x\n0 barrier\n1 barrier\n1.0 read x", []string{"2 5 inter-block race"}},
		{"the grid's barrier", "grid 2 64\n0.0 write x\nall barrier\n1.0 read x\n1.0 write x\nall barrier\n0.40 write x", nil},
		{"lockstep: independent threads are not seen", "grid 1 32\n0.0-31 write x[]\n0.0-31 read x\n0.0 write y\n0.0-31 read y", nil},
		{"lanes of one instruction", "grid 1 32\n0.0-31 write x", []string{"2 2 intra-warp race"}},
		{"lanes of one instruction, one value", "grid 1 32\n0.0-31 write x =1", nil},
		{"branches", "grid 1 32\n0.0-31 write y[]\n0.0-15 write x\n0.16-31 read x\n0.0-31 join 0-15 16-31\n0.31 write x",
			[]string{"3 3 intra-warp race", "3 4 branch ordering race"}},
		{"branches, one value", "grid 1 32\n0.0-31 read y\n0.0-15 write x =1\n0.16-31 write x =1", []string{"3 4 branch ordering race"}},
		{"branches at one time, one value", "grid 1 32\n0.0-31 read y\n0.0-15 write x =1\n0.16-31 read y\n0.16-31 write x =1", []string{"3 5 branch ordering race"}},
		{"before branches", "grid 1 32\n0.5 write x\n0.0-31 read y\n0.5 read y\n0.0 read x", nil},
		{"what a lane learnt in a branch", "grid 1 32\n0.0-31 read y\n0.0 write x\n0.0-1 read y\n0.1-2 read y\n0.2 read x", nil},
		{"what a lane learnt from another", "grid 1 32\n0.0-31 read y\n0.0 write x\n0.0-1 read y\n0.5 read y\n0.1-2 read y\n0.2 read x", nil},
		{"behind branches", "grid 1 32\n0.0 write x\n0.1-31 read y\n0.0-31 join 0-0 1-31\n0.5 read x", nil},
		{"nested branches", "grid 1 32\n0.0-31 read y\n0.0-7 read y\n0.0 write x\n0.1-7 read y\n0.0-7 join 0-0 1-7\n0.1 read x\n0.8 write x",
			[]string{"4 8 branch ordering race", "7 8 branch ordering race"}},
		{"a barrier of lanes", "grid 1 32\n0.0 write x\n0.1-31 read y\n0.0-31 syncwarp\n0.1 read x", nil},
		{"atomics", "grid 2 64\n0.0 atomic x\n1.0 atomic x\n0.32 atomic x", nil},
		{"a write and an atomic", "grid 2 64\n0.0 write x\n1.0 atomic x", []string{"2 3 inter-block race"}},
		{"a read and an atomic", "grid 2 64\n0.0 read x\n1.0 atomic x", []string{"2 3 inter-block race"}},
		{"two reads and an atomic", "grid 2 64\n0.0 read x\n0.32 read x\n1.0 atomic x", []string{"2 4 inter-block race"}},
		{"an atomic, a write and an atomic", "grid 2 64\n0.0 atomic x\n0.0 write x\n1.0 atomic x", []string{"3 4 inter-block race"}},
		{"the scope of atomics is nothing", "grid 2 64\n0.0 atomic x block\n1.0 atomic x block", nil},
		{"an atomic and a write", "grid 2 64\n0.0 atomic x\n1.0 write x", []string{"2 3 inter-block race"}},
		{"an atomic and a read", "grid 2 64\n0.0 atomic x\n1.0 read x", []string{"2 3 inter-block race"}},
		{"atomics order nothing", "grid 2 64\n0.0 write x\n0.0 atomic f\n1.0 atomic f\n1.0 read x", []string{"2 5 inter-block race"}},
		{"bytes", "grid 1 64\n0.0 write x:2\n0.32 write x+2:2\n0.33 write x+1:1", []string{"2 4 intra-block race"}},
		{"a word and its byte", "grid 1 64\n0.0 write x\n0.32 read x+3:1", []string{"2 3 intra-block race"}},
		{"wide accesses", "grid 1 64\n0.0 write x+4\n0.32 read x:8", []string{"2 3 intra-block race"}},
		{"a flag", "grid 2 64\n0.0 write x\n0.0 fence device\n0.0 write f =1\n1.0 read f\n1.0 fence device\n1.0 read x", nil},
		{"a flag without the reader's fence", "grid 2 64\n0.0 write x\n0.0 fence device\n0.0 write f =1\n1.0 read f\n1.0 read x",
			[]string{"2 6 inter-block race"}},
		{"a release acquires nothing", "grid 2 64\n0.0 write x\n0.0 fence device\n0.0 write f\n1.0 fence device\n1.0 write f\n1.0 read x",
			[]string{"2 7 inter-block race"}},
		{"a flag that two set", "grid 3 64\n0.0 write x\n0.0 fence device\n0.0 write f\n1.0 write y\n1.0 fence device\n1.0 write f\n" +
			"2.0 read f\n2.0 fence device\n2.0 read x\n2.0 read y", nil},
		{"a flag of the block that two set", "grid 1 96\n0.0 write x\n0.0 fence block\n0.0 write f\n0.32 write y\n0.32 fence block\n0.32 write f\n" +
			"0.64 read f\n0.64 fence block\n0.64 read x\n0.64 read y", nil},
		{"one flag after the other", "grid 3 64\n0.0 write x\n0.0 fence device\n0.0 write f\n1.0 read f\n1.0 fence device\n1.0 write g\n" +
			"2.0 read g\n2.0 fence device\n2.0 read x", nil},
		{"a flag, and then a barrier", "grid 2 64\n1.0 write x\n1.0 fence device\n1.0 write f\n0.32 read f\n0.32 fence device\n0 barrier\n0.0 read x", nil},
		{"a flag, and then the warp", "grid 2 64\n1.0 fence device\n1.0 write f\n0.0-31 read f\n0.0-31 fence device\n0.0 read z\n0.0 write x\n0.0-31 read y\n0.1 read x", nil},
		{"a flag that lanes of two warps set for them", "grid 3 64\n0.1 write x\n0.0-31 read z\n0.0 fence device\n0.0 write f\n1.1 write y\n1.0-31 read z\n" +
			"1.0 fence device\n1.0 write f\n2.0 read f\n2.0 fence device\n2.0 read x\n2.0 read y", nil},
		{"a flag, and then a barrier of some warps", "grid 2 96\n1.0 write x\n1.0 fence device\n1.0 write f\n0.32 read f\n0.32 fence device\n0.0-63 barrier\n0.0 read x", nil},
		{"a flag that one lane sets for its warp", "grid 2 64\n0.1 write x\n0.0-31 read y\n0.0 fence device\n0.0 write f\n1.0 read f\n1.0 fence device\n1.0 read x", nil},
		{"a flag that one lane sets for another", "grid 2 64\n0.0-31 read y\n0.1 write x\n0.0-1 read y\n0.0 fence device\n0.0 write f\n1.0 read f\n1.0 fence device\n1.0 read x", nil},
		{"a flag with fences of the block", "grid 2 64\n0.0 write x\n0.0 fence block\n0.0 write f =1\n1.0 read f\n1.0 fence block\n1.0 read x",
			[]string{"2 7 inter-block race"}},
		{"one fence of the grid is enough", "grid 2 64\n0.0 write x\n0.0 fence device\n0.0 write f =1\n1.0 read f\n1.0 fence block\n1.0 read x", nil},
		{"the reader's is enough, too", "grid 2 64\n0.0 write x\n0.0 fence block\n0.0 write f =1\n1.0 read f\n1.0 fence device\n1.0 read x", nil},
		{"a flag of the block", "grid 1 64\n0.0 write x\n0.0 fence block\n0.0 write f =1\n0.32 read f\n0.32 fence block\n0.32 read x", nil},
		{"a lock", "grid 2 64\n" + script.Critical("0.0", "l", "write x") + script.Critical("1.0", "l", "write x"), nil},
		{"a lock taken without a fence", "grid 2 64\n" + script.Critical("0.0", "l", "write x") + strings.Replace(script.Critical("1.0", "l", "write x"), "1.0 fence device\n", "", 1),
			[]string{"4 8 inter-block race"}},
		{"a lock given back without a fence", "grid 2 64\n0.0 cas l 0 1\n0.0 fence device\n0.0 write x\n0.0 exch l 0\n0.0 read z\n" + script.Critical("1.0", "l", "write x"),
			[]string{"4 9 inter-block race"}},
		{"one without a lock", "grid 2 64\n" + script.Critical("0.0", "l", "write x") + "1.0 write x", []string{"4 7 inter-block race"}},
		{"counters", "grid 3 64\n0.0 write x\n0.0 fence device\n0.0 atomic f\n0.0 fence device\n1.0 write y\n1.0 fence device\n1.0 atomic f\n1.0 fence device\n" +
			"2.0 fence device\n2.0 atomic f\n2.0 fence device\n2.0 read x\n2.0 read y", nil},
		{"a barrier before a release", "grid 2 64\n0.40 write x\n0 barrier\n0.0 fence device\n0.0 write f =1\n1.0 read f\n1.0 fence device\n1.0 read x", nil},
	} {
		if got := races(t, test.text); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q\n%s", test.name, got, test.want, test.text)
		}
	}
}

// Clocks have the format that the last events call for (figure 7).
func TestFormats(t *testing.T) {
	for _, test := range []struct {
		text string
		want format
	}{
		{"0.0-31 read x[]", converged},
		{"0.0-31 read x[]\n0 barrier", converged},
		{"0.0-31 read x[]\n0.0-15 read y", diverged},
		{"0.0-31 read x[]\n0.0-15 read y\n0.0-7 read y\n0.0 read y", nestedDiverged},
		{"0.0-31 read x[]\n0.0-15 read y\n0 barrier", converged},
		{"1.0 fence device\n1.0 write f\n0.0-31 read f\n0.0-31 fence device", sparse},
	} {
		d := New()
		got := format(255)
		l := &watcher{listing: listing{Detector: d}, end: func() {
			for _, g := range d.blocks[0].warps[0].groups {
				if g.mask&1 != 0 {
					got = g.format()
				}
			}
		}}
		if err := script.Play("grid 2 64\n"+test.text, l); err != nil {
			t.Fatal(err)
		}
		if got != test.want {
			t.Errorf("%q: %v, want %v", test.text, got, test.want)
		}
	}
}

// watcher looks at the clocks before the first block ends.
type watcher struct {
	listing
	end func()
}

func (w *watcher) BlockEnd(l *event.Launch, number int) {
	if number == 0 {
		w.end()
	}
	w.listing.BlockEnd(l, number)
}

func TestBarrierDivergence(t *testing.T) {
	d := New()
	l := &event.Launch{ID: 1, Program: &text{"", "bar.sync", "bar.sync"}, Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}, Cluster: [3]int{1, 1, 1}}
	d.LaunchBegin(l)
	d.BlockBegin(l, 0)
	arrive := func(mask, pc uint32) {
		d.Barrier(&event.Barrier{Step: event.Step{Launch: l, Mask: mask, Active: mask, PC: pc}, Kind: event.BlockBarrier})
	}
	complete := func(mask uint32) {
		all := []event.Group{{Mask: mask, Waits: true}}
		d.Barrier(&event.Barrier{Step: event.Step{Launch: l, Mask: mask, Active: mask, PC: 1}, Kind: event.BlockBarrier, Phase: event.Completed, Participants: all})
	}
	arrive(0xff, 1)
	arrive(0xffffff00, 1)
	complete(0xffffffff)
	d.Exit(&event.Step{Launch: l, Mask: 1})
	arrive(0xfffffffe, 2)
	complete(0xfffffffe)
	if n := len(d.Races()); n != 0 {
		t.Errorf("%d reports, want none", n)
	}
	arrive(0xfe, 1)
	arrive(0xffffff00, 2)
	if n := len(d.Races()); n != 1 {
		t.Errorf("%d reports, want 1", n)
	}
}

// text is a program.
type text []string

func (p *text) Polls(uint32) bool { return false }

func (p *text) Guesses(uint32) bool { return false }
func (p *text) Unread(uint32) bool  { return false }

func (p *text) InTurn(a, b uint32) bool { return a != b }
func (p *text) Leads(a, b uint32) bool  { return a < b }
func (p *text) Instructions() int       { return len(*p) }

func (p *text) Location(pc uint32) event.Location { return event.Location{Text: (*p)[pc]} }

func TestInfer(t *testing.T) {
	p := text{
		"membar.gl", "mov.u32", "bra", "st.global.u32", // release
		"ld.param.u64", "ld.volatile.global.u32", "setp.eq.s32", "bra", "membar.cta", // acquire of the block
		"ld.shared.u32", "bar.sync", "fence.acq_rel.gpu", "atom.global.add.u32", "bar.sync", // both
		"atom.cas.b32", "bra.uni", "membar.gl", "st.global.u32", // a release of the store
		"atom.cas.b32", "bra", "membar.cta", "st.global.u32", "membar.gl", "atom.exch.b32", // a lock
		"bar.sync", "membar.cta", "ld.param.u64", "st.global.u32", "bar.sync", // release of the block
		"ld.global.u32", "bar.sync", "membar.gl", "bar.sync", "st.global.u32", "bar.sync", // nothing
		"ld.global.u32", "membar.gl", "atom.exch.b32", "bar.sync", // a release of the exchange alone
	}
	roles := infer(&p)
	want := map[int]role{3: {release: inGrid}, 5: {acquire: inBlock}, 9: {}, 12: {acquire: inGrid, release: inGrid},
		17: {release: inGrid}, 18: {acquire: inBlock}, 23: {release: inGrid}, 27: {release: inBlock}, 37: {release: inGrid}}
	for pc, r := range roles {
		if r != want[pc] {
			t.Errorf("%d, %s: %+v, want %+v", pc, p[pc], r, want[pc])
		}
	}
}
