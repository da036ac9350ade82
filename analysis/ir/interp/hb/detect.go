package hb

// This file defines how a launch is run under several schedules.

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/warplint/warplint/analysis/ir/interp"
)

// MaxThreads is the number of threads that Detect accepts: its vectors grow with them.
const MaxThreads = 1 << 13

// Schedules are interleavings that differ much: in turn from either end, in lockstep, and at
// random.
var Schedules = []interp.Options{
	{},
	{Order: interp.Descending},
	{Quantum: 1},
	{Order: interp.Shuffled, Seed: 1, Quantum: 64},
	{Order: interp.Shuffled, Seed: 2, Quantum: 4},
	{Order: interp.Shuffled, Seed: 3, Quantum: 8},
}

// Result is what the runs of a launch have shown.
type Result struct {
	Races    []*Race           // by sites; Count sums over the runs
	Outcomes []*interp.Outcome // one for each schedule, without Memory
	// Incomplete is set when a run touched more memory than is kept track of.
	Incomplete bool
	// Trace is a hash of what each thread accessed, in its order: sites and offsets, no values.
	Trace uint64
	// Stopped is set when a run ended because the races were enough.
	Stopped bool
	// Given is set where a thread read what the launch found in its buffers or in a global variable, or may have.
	Given bool
	// Came says to which sites some thread came.
	Came []bool
}

// Wanted restricts what is looked for.
type Wanted struct {
	// Sites are those between which races are looked for; nil means all.
	Sites []int
	// Enough is told of the races, the first of each kind between two sites, and says when to stop;
	// nil means never. What would have turned out later of a race is not known then, such as that its
	// location is a flag: Enough is not told of those that could be none.
	Enough func(*Race) bool
	// Known is told of races, any number of times, and says of which nobody needs to know what they lack;
	// nil means of none. If a run has only those, they are without it, and the run is made once.
	Known func(*Race) bool
}

// Detect runs a launch once for each schedule and joins the races. It returns early, with
// what it has, when the context is done.
func Detect(ctx context.Context, p *interp.Program, launch interp.Launch, schedules []interp.Options) (*Result, error) {
	return DetectAt(ctx, p, launch, schedules, Wanted{})
}

// DetectAt looks only for what is wanted, in less time. Everything else is run as it is by Detect.
func DetectAt(ctx context.Context, p *interp.Program, launch interp.Launch, schedules []interp.Options, wanted Wanted) (*Result, error) {
	blocks := len(launch.Blocks)
	if launch.Blocks == nil {
		blocks = launch.Grid.Count()
	}
	if n := blocks * launch.Block.Count(); n < 1 || n > MaxThreads {
		return nil, fmt.Errorf("%d threads: races are looked for among 1 to %d", n, MaxThreads)
	}
	all := &Result{}
	for _, options := range schedules {
		r, err := once(ctx, p, launch, options, wanted, blocks*launch.Block.Count())
		if err != nil {
			return nil, err
		}
		all.add(r)
		if ctx.Err() != nil {
			break
		}
	}
	return all, nil
}

// once runs a launch under one schedule. The first run finds races, and what they lack as long as no thread
// has observed another; the second, if there are others, what those lack.
func once(ctx context.Context, p *interp.Program, launch interp.Launch, options interp.Options, wanted Wanted, threads int) (*Result, error) {
	known := func(r *Race) bool { return !r.guessed || wanted.Known != nil && wanted.Known(r) }
	for explain := false; ; explain = true {
		stoppable, stop := context.WithCancel(ctx)
		d := NewDetector(p.Func, threads, explain)
		d.watch(wanted.Sites)
		enough, all := false, true
		d.onRace = func(r *Race) {
			all = all && known(r)
			enough = enough || all && wanted.Enough != nil && wanted.Enough(r)
			if enough || !all {
				stop()
			}
		}
		out, err := p.Run(stoppable, launch, options, d)
		stop()
		if err != nil {
			return nil, err
		}
		out.Memory = nil
		races := d.Races()
		all = all && !slices.ContainsFunc(races, func(r *Race) bool { return !known(r) })
		if all || ctx.Err() != nil {
			return &Result{Races: races, Outcomes: []*interp.Outcome{out}, Incomplete: d.Incomplete, Trace: d.trace(), Stopped: enough, Given: d.given, Came: d.came}, nil
		}
	}
}

// add joins the results of other runs of the same launch.
func (r *Result) add(other *Result) {
	r.Outcomes = append(r.Outcomes, other.Outcomes...)
	r.Incomplete = r.Incomplete || other.Incomplete
	r.Stopped = r.Stopped || other.Stopped
	r.Given = r.Given || other.Given
	r.Trace = other.Trace + r.Trace*traceFactor
	r.Came = CameToEither(r.Came, other.Came)
	for _, found := range other.Races {
		k := found.key()
		i, ok := slices.BinarySearchFunc(r.Races, k, func(have *Race, k key) int { return cmp.Compare(have.key(), k) })
		if ok {
			r.Races[i].Count += found.Count
		} else {
			r.Races = slices.Insert(r.Races, i, found)
		}
	}
}

// CameToEither joins what two runs of a function came to.
func CameToEither(one, other []bool) []bool {
	if one == nil {
		return other
	}
	both := slices.Clone(one)
	for site, came := range other {
		both[site] = both[site] || came
	}
	return both
}
