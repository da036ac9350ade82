package witness

import (
	"context"
	"maps"
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp"
	"github.com/warplint/warplint/analysis/ir/interp/hb"
	"github.com/warplint/warplint/analysis/order"
	"github.com/warplint/warplint/analysis/race"
)

// This file is the test of the proofs: it runs a kernel that was proved race-free.

// Contradictions returns the races that planned launches of a kernel show, all of them. A
// kernel that was proved race-free must have none.
func Contradictions(ctx context.Context, s *access.Summary) []*hb.Race {
	var out []*hb.Race
	replay(ctx, s, Effort{limit: totalSteps, most: runSteps}, func(contents int, run *interp.Outcome, r *hb.Race) bool {
		if len(run.OutOfBounds) == 0 && (!random(contents) || run.Completed()) && !hangsOnCounters(contents, &r.First, &r.Second) {
			out = append(out, r)
		}
		return true
	})
	return out
}

// Effort is how much is run to see whether a kernel races.
type Effort struct {
	limit, most int64 // steps of all runs, and of one
	thorough    bool  // all blocks of small grids run, for as many steps even with few threads, and arrays that are left count
}

// Efforts are from the least to the most: short runs, more of them, and long ones.
var Efforts = []Effort{
	{limit: deepSteps / 2, most: longRunSteps},
	{limit: 20 * deepSteps, most: longRunSteps},
	{limit: 40 * deepSteps, most: 60 * longRunSteps, thorough: true},
}

// Shown returns a race that a planned launch of a kernel shows, of whatever severity, nil if
// none does, and whether the first launch could be run. One that hangs counts, too, and one that takes too long does
// not; writes of one value count only where alike says so.
func Shown(ctx context.Context, s *access.Summary, e Effort, alike bool) (shown *hb.Race, ran bool) {
	ran = replay(ctx, s, e, func(contents int, run *interp.Outcome, r *hb.Race) bool {
		outside := slices.ContainsFunc(run.OutOfBounds, func(o interp.OutOfBounds) bool { return o.Object.ID == r.Object.ID })
		if (!outside || e.thorough) && (alike || !r.SameValue) && !hangsOnCounters(contents, &r.First, &r.Second) {
			shown = r
		}
		return shown == nil
	})
	return shown, ran
}

// ShownAs returns a race that the launch of a witness shows of the whole kernel, from the memory that it names, nil if none does.
func ShownAs(ctx context.Context, s *access.Summary, w *race.Witness) (shown *hb.Race) {
	program := interp.Compile(s.Func)
	for _, p := range plans(s) {
		if p.launch.Grid != w.Grid || p.launch.Block != w.Block || !maps.Equal(p.parameters, w.Parameters) {
			continue
		}
		if p.launch.Blocks != nil {
			blocks := append(p.launch.Blocks, linear(w.First.Block, w.Grid), linear(w.Second.Block, w.Grid))
			slices.Sort(blocks)
			p.launch.Blocks = wholeClusters(slices.Compact(blocks), w.Grid, s.Cluster)
		}
		p.fill(0)
		for i, d := range p.drawn {
			if m, named := w.Memory[d.name]; named && d.variable == nil {
				p.launch.Buffers[i].Fill = m.Fill
			}
		}
		for _, options := range hb.Schedules {
			one(ctx, program, &p, 0, longRunSteps, options, func(_ int, _ *interp.Outcome, r *hb.Race) bool {
				shown = r
				return false
			})
			if shown != nil {
				return shown
			}
		}
	}
	return nil
}

func random(number int) bool { return contents[number].random }

// replay runs the planned launches with some effort and calls f for each race, until it says to stop. It reports
// whether the first ran to some end with no trap, from zeros.
func replay(ctx context.Context, s *access.Summary, e Effort, f func(contents int, run *interp.Outcome, r *hb.Race) bool) bool {
	program := interp.Compile(s.Func)
	all := plans(s)
	if len(all) > 0 {
		if p, ok := all[0].ofWholeGrid(s); ok {
			p.fill(0)
			if _, more := one(ctx, program, &p, 0, wholeGridSteps, hb.Schedules[0], f); !more {
				return true
			}
		}
	}
	if e.thorough && len(all) > 0 { // sizes that fill no block, and such that fill all of them
		beside := all[0]
		all = append(append(all, roundedUp(s, &beside, false)...), covering(s, &beside)...)
	}
	ran, more := replayAll(ctx, program, all, e, f)
	if !more || !e.thorough {
		return ran
	}
	// Whole grids, with steps of their own: where some blocks wait for others that are not run, theirs go there.
	all = slices.DeleteFunc(plans(s), func(p plan) bool {
		return p.launch.Blocks == nil || p.launch.Grid.Count()*p.launch.Block.Count() > wholeGridThreads
	})
	for i := range all {
		all[i].launch.Blocks = nil
	}
	replayAll(ctx, program, all, e, f)
	return ran
}

// replayAll runs launches from all contents under all schedules, for as many steps as the effort has; more is
// false where f said to stop.
func replayAll(ctx context.Context, program *interp.Program, all []plan, e Effort, f func(contents int, run *interp.Outcome, r *hb.Race) bool) (ran, more bool) {
	var steps int64
	for k := range contents {
		share := e.limit * int64(k+1) / int64(len(contents))
		for i := range all {
			p := &all[i]
			p.fill(k)
			for _, options := range hb.Schedules {
				if steps > share || ctx.Err() != nil {
					break
				}
				most := min(e.most, p.steps())
				if e.thorough {
					most = e.most
				}
				run, goOn := one(ctx, program, p, k, most, options, f)
				if run != nil {
					steps += run.Steps
					ran = ran || k == 0 && i == 0 && run.Trap == nil && run.Limit != "steps"
				}
				if !goOn {
					return ran, false
				}
			}
		}
	}
	return ran, true
}

// one runs a launch, and calls f for each race; it returns how the run ended, nil if there was none, and false
// where f says to stop.
func one(ctx context.Context, program *interp.Program, p *plan, contents int, most int64, options interp.Options, f func(contents int, run *interp.Outcome, r *hb.Race) bool) (run *interp.Outcome, more bool) {
	options.MaxSteps = most
	result, err := hb.Detect(ctx, program, p.launch, []interp.Options{options})
	if err != nil {
		return nil, true
	}
	run = result.Outcomes[0]
	if run.Trap != nil {
		return run, true // not a launch that can happen
	}
	for _, r := range result.Races {
		if !r.Note && !lenient(r) && !guessed(program.Func, r) && !f(contents, run, r) {
			return run, false
		}
	}
	return run, true
}

// guessed reports a race of a plain read whose value a compare-and-swap checks.
func guessed(f *ir.Func, r *hb.Race) bool {
	one := func(read, swap hb.Side) bool {
		load, ok := read.Stmt.(*ir.Load)
		at, swaps := swap.Stmt.(*ir.Atomic)
		return ok && swaps && at.Op == ir.AtomicCAS && order.Rechecked(f, load) && order.Harmless(f, load)
	}
	return one(r.First, r.Second) || one(r.Second, r.First)
}

// lenient reports a race that policy lets pass: only the reader's fence is missing, and what is
// read is strong or volatile, so today's devices do not reorder it.
func lenient(r *hb.Race) bool {
	strong := func(s hb.Side) bool { return s.Strength.Volatile || s.Strength.Order != ir.Weak }
	return r.Missing == hb.AcquireFence && strong(r.First) && strong(r.Second)
}
