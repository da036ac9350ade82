package witness

import (
	"context"
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp"
	"github.com/warplint/warplint/analysis/ir/interp/hb"
)

// This file is the test of the proofs: it runs a kernel that was proved race-free.

// Contradictions returns the races that planned launches of a kernel show, all of them. A
// kernel that was proved race-free must have none.
func Contradictions(ctx context.Context, s *access.Summary) []*hb.Race {
	var out []*hb.Race
	replay(ctx, s, totalSteps, runSteps, func(contents int, run *interp.Outcome, r *hb.Race) bool {
		if len(run.OutOfBounds) == 0 && (!random(contents) || run.Completed()) {
			out = append(out, r)
		}
		return true
	})
	return out
}

// Shown returns a race that a planned launch of a kernel shows, of whatever severity, nil if
// none does. Launches that hang or take long count, too.
func Shown(ctx context.Context, s *access.Summary) *hb.Race {
	var shown *hb.Race
	replay(ctx, s, deepSteps/2, longRunSteps, func(contents int, run *interp.Outcome, r *hb.Race) bool {
		outside := slices.ContainsFunc(run.OutOfBounds, func(o interp.OutOfBounds) bool { return o.Object.ID == r.Object.ID })
		if !outside && !r.SameValue && !hangsOnCounters(contents, &r.First, &r.Second) {
			shown = r
		}
		return shown == nil
	})
	return shown
}

func random(number int) bool { return contents[number].random }

// replay runs the planned launches, each for a number of steps at most, and calls f for each race,
// until it says to stop or the limit of all steps is reached.
func replay(ctx context.Context, s *access.Summary, limit, most int64, f func(contents int, run *interp.Outcome, r *hb.Race) bool) {
	program := interp.Compile(s.Func)
	var steps int64
	all := plans(s)
	for k := range contents {
		share := limit * int64(k+1) / int64(len(contents))
		for i := range all {
			p := &all[i]
			p.fill(k)
			for _, options := range hb.Schedules {
				if steps > share || ctx.Err() != nil {
					break
				}
				options.MaxSteps = min(most, max(runSteps, int64(p.threads())*stepsOfThread))
				result, err := hb.Detect(ctx, program, p.launch, []interp.Options{options})
				if err != nil {
					continue
				}
				run := result.Outcomes[0]
				steps += run.Steps
				if run.Trap != nil {
					continue // not a launch that can happen
				}
				for _, r := range result.Races {
					if !r.Note && !lenient(r) && !f(k, run, r) {
						return
					}
				}
			}
		}
	}
}

// lenient reports a race that policy lets pass: only the reader's fence is missing, and what is
// read is strong or volatile, so today's devices do not reorder it.
func lenient(r *hb.Race) bool {
	strong := func(s hb.Side) bool { return s.Strength.Volatile || s.Strength.Order != ir.Weak }
	return r.Missing == hb.AcquireFence && strong(r.First) && strong(r.Second)
}
