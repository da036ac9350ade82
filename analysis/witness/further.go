package witness

import (
	"context"

	"github.com/warplint/warplint/analysis/meet"
)

// This file looks for races of threads that are further apart: what two lanes of a warp race for, two warps may race for as well in
// later rounds, and what orders lanes would not mend that.

// nearer reports whether a race that counts is one of threads nearer to each other than those of a candidate.
func (f *search) nearer(r Race, c meet.Candidate) bool {
	return !r.discounted() && !c.Discounted() && distance(r.Kind) < distance(c.Kind)
}

// further runs a launch that was cut off once more, with more steps, if it has shown a pair for near threads only.
func (f *search) further(ctx context.Context, candidates []meet.Candidate) {
	for _, c := range candidates {
		r, ok := f.found[pairOf(c)]
		if !ok || !f.nearer(r, c) || r.Small || ctx.Err() != nil {
			continue
		}
		for i := range f.plans {
			for k := range f.contents {
				_, shown := f.hits[hit{pairOf(c), k}][i]
				if reached := f.reached[[2]int{i, k}]; shown && reached != whole && reached < longRunSteps && f.plans[i].launch.Threads == nil {
					options := f.schedules()[0]
					options.MaxSteps = longRunSteps
					f.once(ctx, attempt{i, k, options})
					return
				}
			}
		}
	}
}
