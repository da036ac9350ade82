package witness

import (
	"context"

	"github.com/warplint/warplint/analysis/access"
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
	for _, fill := range fills {
		for _, p := range plans(s) {
			for i := range p.launch.Buffers {
				p.launch.Buffers[i].Fill = fill
			}
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
				if run.Trap != nil || len(run.OutOfBounds) > 0 || fill != nil && !run.Completed() {
					continue // not a launch that can happen
				}
				for _, r := range result.Races {
					if !r.Note {
						out = append(out, r)
					}
				}
			}
		}
	}
	return out
}
