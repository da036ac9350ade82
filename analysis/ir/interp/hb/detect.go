package hb

// This file defines how a launch is run under several schedules.

import (
	"context"
	"fmt"
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp"
	"github.com/warplint/warplint/analysis/race"
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
}

// Result is what the runs of a launch have shown.
type Result struct {
	Races    []*Race           // by sites; Count sums over the runs
	Outcomes []*interp.Outcome // one for each schedule, without Memory
	// Incomplete is set when a run touched more memory than is kept track of.
	Incomplete bool
}

// Query restricts what is looked for. Zero values match anything.
type Query struct {
	// Sites are the two sites of the race, in either order; nil means any.
	Sites []int
	// Threads are the two threads, the i-th at the i-th site; nil means any.
	Threads []race.Thread
	Kind    race.Kind
}

// Detect runs a launch once for each schedule and joins the races. It returns early, with
// what it has, when the context is done.
func Detect(ctx context.Context, p *interp.Program, launch interp.Launch, schedules []interp.Options) (*Result, error) {
	return detect(ctx, p, launch, schedules, nil)
}

// Confirm looks for one race and stops at the first schedule that shows it. The race is nil
// if none does.
func Confirm(ctx context.Context, p *interp.Program, launch interp.Launch, schedules []interp.Options, q Query) (*Race, *Result, error) {
	all := &Result{}
	for i := range schedules {
		r, err := detect(ctx, p, launch, schedules[i:i+1], q.matches)
		if err != nil {
			return nil, nil, err
		}
		all.add(r)
		if len(all.Races) > 0 {
			return all.Races[0], all, nil
		}
	}
	return nil, all, nil
}

func detect(ctx context.Context, p *interp.Program, launch interp.Launch, schedules []interp.Options, wanted func(*Race) bool) (*Result, error) {
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

// once runs a launch under one schedule. The first run only finds out whether there are
// races; the second, if there are, what they are.
func once(ctx context.Context, p *interp.Program, launch interp.Launch, options interp.Options, wanted func(*Race) bool, threads int) (*Result, error) {
	for explain := false; ; explain = true {
		stoppable, stop := context.WithCancel(ctx)
		d := NewDetector(p.Func, threads, explain)
		d.wanted = wanted
		if !explain {
			d.onRace = stop
		}
		out, err := p.Run(stoppable, launch, options, d)
		stop()
		if err != nil {
			return nil, err
		}
		out.Memory = nil
		races := d.Races()
		if explain || len(races) == 0 || ctx.Err() != nil {
			return &Result{Races: races, Outcomes: []*interp.Outcome{out}, Incomplete: d.Incomplete}, nil
		}
	}
}

// add joins the results of other runs of the same launch.
func (r *Result) add(other *Result) {
	r.Outcomes = append(r.Outcomes, other.Outcomes...)
	r.Incomplete = r.Incomplete || other.Incomplete
	for _, found := range other.Races {
		k := found.key()
		i, ok := slices.BinarySearchFunc(r.Races, k, func(have *Race, k key) int { return compareKeys(have.key(), k) })
		if ok {
			r.Races[i].Count += found.Count
		} else {
			r.Races = slices.Insert(r.Races, i, found)
		}
	}
}

// Between returns the races between two sites, in either order.
func (r *Result) Between(a, b int) []*Race {
	var list []*Race
	for _, found := range r.Races {
		if (Query{Sites: []int{a, b}}).matches(found) {
			list = append(list, found)
		}
	}
	return list
}

func (q Query) matches(r *Race) bool {
	if q.Kind != "" && q.Kind != r.Kind {
		return false
	}
	return q.inOrder(&r.First, &r.Second) || q.inOrder(&r.Second, &r.First)
}

func (q Query) inOrder(sides ...*Side) bool {
	for i, s := range sides {
		if i < len(q.Sites) && q.Sites[i] != s.Site || i < len(q.Threads) && q.Threads[i] != s.Thread.Coords {
			return false
		}
	}
	return true
}

// Witness describes the race for people: its launch, its threads in the order of the run, and
// the integer parameters. Witness.Launch is left to the caller, who knows the source.
func (r *Race) Witness(f *ir.Func, launch interp.Launch) *race.Witness {
	w := &race.Witness{
		Grid: launch.Grid, Block: launch.Block, First: r.First.Thread.Coords, Second: r.Second.Thread.Coords,
		Parameters: map[string]int64{},
	}
	for i, p := range f.Params {
		if p.Type.IsInt() {
			w.Parameters[p.Name] = int64(launch.Args[i].Bits)
		}
	}
	return w
}
