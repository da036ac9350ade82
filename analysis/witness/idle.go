package witness

import (
	"context"
	"slices"
)

// This file tries smaller numbers in earnest where natural ones leave the threads without anything to do, as a tile of
// 256 - 2 * steps columns does: nobody means those.

// leastNatural is the least of these smaller numbers: of a few, many kernels make something that no caller wants. fewest is
// tried where memory does not decide what threads do: of a tile of 16 - 2 * steps columns, nobody means 8 steps. No odd number is,
// as a host may let powers of two pass only, in ways that are not understood.
const (
	leastNatural = 64
	fewest       = 4
)

// lessNatural runs launches with the largest numbers with which some thread comes to an access.
func (f *search) lessNatural(ctx context.Context) {
	if len(f.plans) == 0 || f.busy(0) {
		return
	}
	l := newPlanner(f.s, f.program.Func)
	for _, size := range sizes {
		if size >= natural || size < leastNatural && !(size == fewest && f.contents == 1) {
			continue
		}
		first := len(f.plans)
		add := func(n numbers) {
			p, ok := l.with(n)
			if ok && !p.cut && p.several && l.isNew(p) {
				p.size, p.small, p.begin, p.first = size, false, n.begin, n.begin
				f.plans = append(f.plans, p)
			}
		}
		for _, order := range [...]spread{level, rising, falling, apart} {
			add(numbers{size: size, spread: order})
		}
		if carriesOn(f.s) {
			add(numbers{size: size, begin: true})
		}
		for i := first; i < len(f.plans); i++ {
			for contents := range f.contents {
				if ctx.Err() != nil {
					return
				}
				options := f.schedules()[0]
				options.MaxSteps = f.plans[i].steps()
				f.once(ctx, attempt{i, contents, options})
			}
		}
		if f.busy(first) {
			return
		}
	}
}

// busy reports whether some thread came to an access in a plan with natural numbers, from one of the plans on.
func (f *search) busy(first int) bool {
	for at, came := range f.came {
		if at[0] >= first && !f.plans[at[0]].small && !f.plans[at[0]].mixed && slices.Contains(came, true) {
			return true
		}
	}
	return false
}
