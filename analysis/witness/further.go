package witness

import (
	"context"

	"github.com/warplint/warplint/analysis/ir/interp"
	"github.com/warplint/warplint/analysis/meet"
	"github.com/warplint/warplint/analysis/race"
)

// This file looks for races of threads that are further apart: what two lanes of a warp race for, two warps may race for as well in
// later rounds, and what orders lanes would not mend that. So may those whose atomics another one has observed, and that come
// before it, where threads take turns from the other end.

// nearer reports whether a race that counts is one of threads nearer to each other than those of a candidate.
func (f *search) nearer(r Race, c meet.Candidate) bool {
	return !r.discounted() && !c.Discounted() && distance(r.Kind) < distance(c.Kind)
}

var fromTheEnd = interp.Options{Order: interp.Descending}

// further runs a launch that was cut off once more, with more steps, if it has shown a pair for near threads only, or one with
// atomics from the other end.
func (f *search) further(ctx context.Context, candidates []meet.Candidate) {
	for _, c := range candidates {
		r, ok := f.found[pairOf(c)]
		if !ok || !f.nearer(r, c) || r.Small || ctx.Err() != nil {
			continue
		}
		for i := range f.plans {
			for k := range f.contents {
				_, shown := f.hits[hit{pairOf(c), k}][i]
				if shown && (c.A.Kind == race.Atomic || c.B.Kind == race.Atomic) && f.nearer(f.found[pairOf(c)], c) {
					options := fromTheEnd
					options.MaxSteps = f.plans[i].steps()
					f.once(ctx, attempt{i, k, options})
				}
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
