// This file records what the two threads of a race did, by running the schedule that showed it
// once more: the simulator does the same again for the same seed.

package confirm

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/dynamic"
	"github.com/warplint/warplint/dynamic/event"
	"github.com/warplint/warplint/dynamic/toolchain"
)

// Timeline is what two threads did about one piece of memory, in the order in which it happened.
type Timeline struct {
	First, Second race.Thread
	Space         string
	Variable      string
	Address       uint64 // of the byte that both touched: generic, or an offset in shared memory
	Steps         []Step
}

// Step is an access to that memory, or something that may order accesses.
type Step struct {
	Second bool   // done by the second thread; barriers are told once for each thread
	What   string // "write", "atomic add", "barrier of the block", "fence of device scope"
	Sync   bool   // a barrier, a fence or an operation on other memory that hands over
	Race   bool   // one of the two accesses that race
	Span   source.Span
	Values string // what an access read or wrote; "" if unknown
}

// maxSteps bounds what is recorded of one launch.
const maxSteps = 4096

// shownSteps bounds a timeline; what is nearest to the race is kept.
const shownSteps = 40

// Trace runs a finding's schedule again and returns its timeline; nil if the two threads did not
// meet again, as they may not if the program itself depends on time.
func Trace(ctx context.Context, options *dynamic.Options, f dynamic.Finding) (*Timeline, error) {
	if f.Witness == nil {
		return nil, nil
	}
	o := *options
	var recorders []*recorder
	o.Detectors = func(s *dynamic.Sources) []dynamic.Detector {
		r := &recorder{sources: s, finding: f}
		recorders = append(recorders, r)
		return []dynamic.Detector{r}
	}
	o.Schedules, o.More, o.Enough = int(f.Seed-o.Seed)+1, 0, func([]dynamic.Finding) bool { return recorders[len(recorders)-1].timeline != nil }
	if _, err := dynamic.Simulate(ctx, &o); err != nil || len(recorders) == 0 {
		return nil, err
	}
	return recorders[len(recorders)-1].timeline, ctx.Err()
}

// recorder is a listener that keeps what two threads do.
type recorder struct {
	event.Nothing
	sources *dynamic.Sources
	finding dynamic.Finding

	launch   *event.Launch // the one at hand, nil if it is of another kernel
	places   map[uint32]source.Span
	who      [2]lane
	steps    []step
	timeline *Timeline // of the first launch in which the two meet
}

// lane is where a thread is in a launch.
type lane struct {
	block, warp int
	lane        int
}

// step is a Step with the memory that it is about.
type step struct {
	Step
	access     bool
	start, end uint64
	owner      int
	space      event.Space
}

func (r *recorder) Name() string                { return "recorder" }
func (r *recorder) Findings() []dynamic.Finding { return nil }
func (r *recorder) LaunchBegin(l *event.Launch) { r.begin(l) }
func (r *recorder) LaunchEnd(*event.Launch)     { r.end() }
func (r *recorder) ProxyFence(e *event.Step)    { r.sync(e, "proxy fence") }
func (r *recorder) Fence(e *event.Fence)        { r.sync(&e.Step, "fence of "+e.Scope.String()+" scope") }
func (r *recorder) CopyGroup(e *event.CopyGroup) {
	r.sync(&e.Step, "asynchronous copies: "+copyGroups[e.Op])
}
func (r *recorder) Mbarrier(e *event.Mbarrier) { r.sync(&e.Step, "mbarrier "+e.Op.String()) }

var copyGroups = [...]string{"commit", "wait", "wait for all", "arrive at an mbarrier"}

func (r *recorder) begin(l *event.Launch) {
	w := r.finding.Witness
	r.launch, r.steps = nil, nil
	if r.timeline != nil || toolchain.PlainName(l.Kernel) != r.finding.Kernel || l.Grid != w.Grid || l.Block != w.Block {
		return
	}
	r.launch, r.places = l, map[uint32]source.Span{}
	for i, t := range [2]race.Thread{w.First, w.Second} {
		thread := linear(t.Thread, l.Block)
		r.who[i] = lane{linear(t.Block, l.Grid), thread / event.WarpSize, thread % event.WarpSize}
	}
}

func linear(at, size race.Dim3) int { return at[0] + size[0]*(at[1]+size[1]*at[2]) }

// place finds the text of an instruction.
func (r *recorder) place(pc uint32) source.Span {
	span, known := r.places[pc]
	if !known {
		span = r.sources.Span(r.launch.Program.Location(pc).Place)
		r.places[pc] = span
	}
	return span
}

// each calls back for each of the two threads that take part in a step.
func (r *recorder) each(s *event.Step, do func(second bool, lane int)) {
	if r.launch == nil || len(r.steps) >= maxSteps {
		return
	}
	for i, t := range r.who {
		if s.Block == t.block && s.Warp == t.warp && s.Mask>>t.lane&1 != 0 {
			do(i == 1, t.lane)
		}
	}
}

func (r *recorder) sync(s *event.Step, what string) {
	r.each(s, func(second bool, _ int) {
		r.steps = append(r.steps, step{Step: Step{Second: second, What: what, Sync: true, Span: r.place(s.PC)}})
	})
}

// Access implements event.Listener.
func (r *recorder) Access(a *event.Access) {
	r.each(&a.Step, func(second bool, lane int) {
		what := a.Kind.String()
		if a.Kind == event.Atomic {
			what += " " + a.Op.String()
		}
		if a.Volatile {
			what = "volatile " + what
		}
		s := step{
			Step:   Step{Second: second, What: what, Span: r.place(a.PC)},
			access: true, start: a.Addr[lane], end: a.Addr[lane] + uint64(a.Size), owner: a.Owner, space: a.Space,
		}
		if a.Value[0].Known() && a.Elements == 1 {
			s.Values = fmt.Sprintf("%#x", a.Value[0].At(lane))
		}
		r.steps = append(r.steps, s)
	})
}

// Barrier implements event.Listener. A completed barrier is told for each of the two threads
// that it let go on.
func (r *recorder) Barrier(b *event.Barrier) {
	if r.launch == nil || b.Phase != event.Completed || len(r.steps) >= maxSteps {
		return
	}
	what := "barrier of the " + b.Kind.String()
	for i, t := range r.who {
		for _, g := range b.Participants {
			if g.Block == t.block && g.Warp == t.warp && g.Mask>>t.lane&1 != 0 {
				r.steps = append(r.steps, step{Step: Step{Second: i == 1, What: what, Sync: true, Span: r.place(b.PC)}})
			}
		}
	}
}

// end makes the timeline if the two accesses met in this launch.
func (r *recorder) end() {
	if r.launch == nil {
		return
	}
	first, second := r.meeting()
	if first < 0 {
		return
	}
	a, b := &r.steps[first], &r.steps[second]
	a.Race, b.Race = true, true
	t := &Timeline{
		First: r.finding.Witness.First, Second: r.finding.Witness.Second,
		Space: a.space.String(), Variable: r.finding.Variable, Address: max(a.start, b.start),
	}
	from, to := max(0, min(first, second)-shownSteps), max(first, second)+shownSteps
	for i, s := range r.steps {
		if i >= from && i <= to && (s.Sync || s.touches(a)) {
			t.Steps = append(t.Steps, s.Step)
		}
	}
	t.Steps = nearest(t.Steps)
	r.timeline = t
}

// nearest keeps the steps around the two accesses that race, and both of these.
func nearest(steps []Step) []Step {
	first := slices.IndexFunc(steps, func(s Step) bool { return s.Race })
	spare := max(shownSteps/4, 1)
	if first > spare {
		steps = steps[first-spare:]
	}
	if len(steps) <= shownSteps {
		return steps
	}
	kept := slices.Clone(steps[:shownSteps-1])
	for _, s := range steps[shownSteps-1:] {
		if s.Race {
			return append(kept, s)
		}
	}
	return kept
}

// samePlace compares places whose files may be named in two ways.
func samePlace(a, b source.Span) bool {
	return a.Start == b.Start && a.End == b.End && filepath.Base(a.File) == filepath.Base(b.File)
}

func (s *step) touches(o *step) bool {
	return s.access && s.space == o.space && (s.space == event.Global || s.owner == o.owner) && s.start < o.end && o.start < s.end
}

// meeting finds the first two accesses of the finding, one of each thread, to the same memory.
func (r *recorder) meeting() (first, second int) {
	f := r.finding
	for i := range r.steps {
		a := &r.steps[i]
		if !a.access || a.Second || !samePlace(a.Span, f.First.Span) {
			continue
		}
		for k := range r.steps {
			if b := &r.steps[k]; b.Second && samePlace(b.Span, f.Second.Span) && b.touches(a) {
				return i, k
			}
		}
	}
	return -1, -1
}
