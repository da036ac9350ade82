package witness

import (
	"context"
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp"
	"github.com/warplint/warplint/analysis/ir/interp/hb"
	"github.com/warplint/warplint/analysis/meet"
)

// This file says when races in an array count although some thread leaves the array. A launch that leads a kernel
// outside is mostly one that nobody makes: its sizes are too large, or its block is. But where it does so whatever the
// numbers are, as a reduction with `if (t <= half) s[t] += s[t + half]` in an array of just as many elements as there
// are threads, that is the kernel's own mistake, and what else it does wrong is as real.

// outside is a run in which some thread left an array.
type outside struct {
	attempt
	result *hb.Result
}

// leaves takes in which sites of a run led outside, and returns the objects they left.
func (f *search) leaves(a attempt, result *hb.Result) (objects map[int]bool) {
	out := result.Outcomes[0]
	objects = map[int]bool{}
	led := map[int]bool{}
	for _, o := range out.OutOfBounds {
		led[o.Site] = true
		if !f.readsUnset(o.Site) {
			objects[o.Object.ID] = true
		}
	}
	for site, came := range result.Came {
		if came && !led[site] {
			f.stays[site] = true
		}
	}
	if len(led) > 0 && !f.plans[a.plan].small && !f.plans[a.plan].mixed {
		f.outside = append(f.outside, outside{a, result})
	}
	return objects
}

// readsUnset reports whether what is read at a site is nothing that threads of a block write, in the array or beyond it.
func (f *search) readsUnset(site int) bool {
	return slices.ContainsFunc(f.s.Accesses, func(a *access.Access) bool { return a.Site == site && a.Unset })
}

// byData reports whether memory has a say in where a site leads: with other contents it may stay inside.
func (f *search) byData(site int) bool {
	return slices.ContainsFunc(f.s.Accesses, func(a *access.Access) bool {
		return a.Site == site && (a.InBlock != access.Plain || a.ByData != access.Plain)
	})
}

// beyond counts the races in arrays that the kernel leaves in each launch, for dimensions that the host gives; where nothing
// says how many threads there are, it runs smaller blocks.
func (f *search) beyond(ctx context.Context) {
	if len(f.outside) == 0 || f.allSure() || ctx.Err() != nil {
		return
	}
	f.smallerNumbers(ctx)
	if f.s.Launch == nil {
		f.smallerBlocks(ctx)
		return
	}
	for i := range f.plans { // with other numbers it may stay inside
		if f.plans[i].small && !f.plans[i].mixed && f.reached[[2]int{i, 0}] == 0 {
			options := f.schedules()[0]
			options.MaxSteps = runSteps
			f.once(ctx, attempt{i, 0, options})
		}
	}
	for _, run := range f.outside {
		stray := map[int]bool{}
		for _, o := range run.result.Outcomes[0].OutOfBounds {
			stray[o.Object.ID] = stray[o.Object.ID] || f.stays[o.Site] || f.byData(o.Site)
		}
		for _, r := range run.result.Races {
			if of, left := stray[r.Object.ID]; left && !of {
				f.match(&f.plans[run.plan], run.attempt, r)
			}
		}
	}
}

// allSure reports whether each pair that counts has a witness that hangs on no numbers which may never be.
func (f *search) allSure() bool {
	for pair, open := range f.open {
		r, ok := f.found[pair]
		if (!ok || r.Small) && slices.ContainsFunc(open, func(c meet.Candidate) bool { return !c.Discounted() }) {
			return false
		}
	}
	return f.shownForSure()
}

// smallerNumbers runs launches with the largest numbers with which threads stay within shared memory, as where it is cut
// into four arrays of n elements.
func (f *search) smallerNumbers(ctx context.Context) {
	inShared := func(o outside) bool {
		return slices.ContainsFunc(o.result.Outcomes[0].OutOfBounds, func(o interp.OutOfBounds) bool { return o.Object.Space == ir.Shared })
	}
	if !slices.ContainsFunc(f.outside, inShared) {
		return
	}
	l := newPlanner(f.s, f.program.Func)
	for _, size := range sizes {
		if size >= f.plans[0].size || size < leastNatural {
			continue
		}
		first, before := len(f.plans), len(f.outside)
		for _, order := range [...]spread{level, rising, falling} {
			p, ok := l.with(numbers{size: size, spread: order})
			if !ok || p.cut || !l.isNew(p) {
				continue
			}
			p.size, p.small, p.below = size, false, uint64(size)
			f.plans = append(f.plans, p)
		}
		options := f.schedules()[0]
		for i := first; i < len(f.plans); i++ {
			for contents := range f.contents {
				if f.allSure() || ctx.Err() != nil {
					return
				}
				options.MaxSteps = f.plans[i].steps()
				f.once(ctx, attempt{i, contents, options})
			}
		}
		for i := first; i < len(f.plans); i++ { // each thread may have much to do before it comes to a barrier
			if f.allSure() || ctx.Err() != nil {
				return
			}
			if f.reached[[2]int{i, 0}] != whole {
				options.MaxSteps = longRunSteps
				f.once(ctx, attempt{i, 0, options})
			}
		}
		if !slices.ContainsFunc(f.outside[before:], inShared) {
			return
		}
	}
}

// smallerBlocks runs blocks of half as many threads as fill the arrays.
func (f *search) smallerBlocks(ctx context.Context) {
	l := newPlanner(f.s, f.s.Func)
	first, size := len(f.plans), f.plans[0].size
	for _, order := range [...]spread{level, rising, falling} {
		p, ok := l.with(numbers{size: size, spread: order, halved: true})
		if !ok || p.cut || p.launch.Block == f.plans[0].launch.Block {
			return
		}
		p.size, p.halved = size, true
		if l.isNew(p) {
			f.plans = append(f.plans, p)
		}
	}
	options := f.schedules()[0]
	for contents := range f.contents {
		for i := first; i < len(f.plans) && !f.allSure() && ctx.Err() == nil; i++ {
			options.MaxSteps = f.plans[i].steps()
			f.once(ctx, attempt{i, contents, options})
		}
	}
}
