package hb

// This file defines how a launch is run under several schedules.

import (
	"context"
	"fmt"
	"slices"

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
		d := NewDetector(p.Func, blocks*launch.Block.Count())
		d.wanted = wanted
		out, err := p.Run(ctx, launch, options, d)
		if err != nil {
			return nil, err
		}
		out.Memory = nil
		all.add(&Result{Races: d.Races(), Outcomes: []*interp.Outcome{out}})
		if ctx.Err() != nil {
			break
		}
	}
	return all, nil
}

// add joins the results of other runs of the same launch.
func (r *Result) add(other *Result) {
	r.Outcomes = append(r.Outcomes, other.Outcomes...)
	for _, found := range other.Races {
		k := keyOf(found)
		i, ok := slices.BinarySearchFunc(r.Races, k, func(have *Race, k key) int { return compareKeys(keyOf(have), k) })
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
