package witness

import (
	"context"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp"
	"github.com/warplint/warplint/analysis/ir/interp/hb"
)

// This file is the test of the proofs: it runs a kernel that was proved race-free.

// Contradictions returns the races that planned launches of a kernel show, all of them. A
// kernel that was proved race-free must have none.
func Contradictions(ctx context.Context, s *access.Summary) []*hb.Race {
	program := interp.Compile(s.Func)
	var steps int64
	var out []*hb.Race
	all := plans(s)
	for k := range contents {
		for i := range all {
			p := &all[i]
			p.fill(k)
			for _, options := range hb.Schedules {
				if steps > totalSteps || ctx.Err() != nil {
					return out
				}
				options.MaxSteps = runSteps
				result, err := hb.Detect(ctx, program, p.launch, []interp.Options{options})
				if err != nil {
					continue
				}
				run := result.Outcomes[0]
				steps += run.Steps
				if run.Trap != nil || len(run.OutOfBounds) > 0 || contents[k].random && !run.Completed() {
					continue // not a launch that can happen
				}
				for _, r := range result.Races {
					if !r.Note && !lenient(r) {
						out = append(out, r)
					}
				}
			}
		}
	}
	return out
}

// lenient reports a race that policy lets pass: only the reader's fence is missing, and what is
// read is strong or volatile, so today's devices do not reorder it.
func lenient(r *hb.Race) bool {
	strong := func(s hb.Side) bool { return s.Strength.Volatile || s.Strength.Order != ir.Weak }
	return r.Missing == hb.AcquireFence && strong(r.First) && strong(r.Second)
}
