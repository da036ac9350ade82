package witness

import (
	"context"
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp"
	"github.com/warplint/warplint/analysis/ir/interp/hb"
	"github.com/warplint/warplint/analysis/meet"
	"github.com/warplint/warplint/analysis/prove/bits"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/slice"
)

// This file runs two threads by themselves, where a whole block does not come in its steps to where they meet.
//
// DESIGN. Where no thread goes by what memory or other threads tell it, and all threads of a block come to each of its
// barriers, a thread does the same whether the others run or not. So those that the question's solution names may run alone:
// a step of theirs is a step of the launch. The others are taken to have ended, as barriers don't wait for those. Whether
// they leave arrays is known from the runs before.

// Limits: so many pairs, and steps of the interpreter for one run and in all.
const (
	maxTwos  = 4
	twoSteps = 250_000
	twosAll  = 1_000_000
)

// inTwos looks for pairs that no run has shown, or only for threads that are nearer to each other, in all launches with natural
// numbers of one size.
func (f *search) inTwos(ctx context.Context, candidates []meet.Candidate) {
	if len(f.plans) == 0 || f.parted || f.waits || f.guesses != nil {
		return
	}
	kinds := f.kindsOfPlans()
	left, pairs := f.steps+twosAll, map[[2]ir.Stmt]bool{}
	for _, c := range candidates {
		pair := pairOf(c)
		if old, ok := f.found[pair]; ok && !f.nearer(old, c) || c.Discounted() || ctx.Err() != nil || f.steps > left || len(pairs) == maxTwos && !pairs[pair] {
			continue
		}
		pairs[pair] = true
		part := slice.OfMeeting(f.s, []int{c.A.Site, c.B.Site})
		if !goesAlone(part) {
			continue
		}
		program := interp.Compile(part)
		for _, alike := range kinds {
			if f.inTwo(ctx, program, c, alike) {
				break
			}
		}
	}
}

// kindsOfPlans are the plans with natural numbers that have come to no end, nor outside of an array, those that are alike together.
func (f *search) kindsOfPlans() (kinds [][]int) {
	for i := range f.plans {
		if !f.alike(i, i) {
			continue
		}
		k := slices.IndexFunc(kinds, func(k []int) bool { return f.alike(i, k[0]) })
		if k < 0 {
			k, kinds = len(kinds), append(kinds, nil)
		}
		kinds[k] = append(kinds[k], i)
	}
	return slices.DeleteFunc(kinds, func(k []int) bool { return !slices.ContainsFunc(k, f.goesOn) || slices.ContainsFunc(k, f.isOdd) })
}

// goesOn reports whether a plan has run and was cut off.
func (f *search) goesOn(plan int) bool {
	reached := f.reached[[2]int{f.twins.of(attempt{plan: plan}).plan, 0}]
	return reached > 0 && reached != whole
}

// isOdd reports whether a run of a plan has led outside of an array, or to a trap.
func (f *search) isOdd(plan int) bool {
	for a, r := range f.ended {
		if a.plan == plan && (r.Outcomes[0].Trap != nil || len(r.Outcomes[0].OutOfBounds) > 0) {
			return true
		}
	}
	return false
}

// goesAlone reports whether what a thread does hangs on no other.
func goesAlone(f *ir.Func) bool {
	alone := !heedsMemory(f)
	ir.WalkStmts(f.Body, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.WarpOp, *ir.Unknown, *ir.Trap:
			alone = false
		case *ir.Barrier:
			alone = alone && s.Level <= ir.BlockLevel && s.Mode == ir.BarrierSync && s.ID == nil && s.Count == nil && s.Pred == nil
		case *ir.Named:
			alone = alone && slices.Contains([]string{"cp.async", "cp.async.commit", "cp.async.wait"}, s.Op)
		}
		return alone
	})
	return alone
}

// inTwo runs the two threads of a candidate in some plans, and takes the race if each of them shows it.
func (f *search) inTwo(ctx context.Context, program *interp.Program, c meet.Candidate, plans []int) bool {
	type shown struct {
		attempt
		race *hb.Race
	}
	var all []shown
	for _, i := range plans {
		p := &f.plans[i]
		threads, answer := f.threadsOf(ctx, p, c, false)
		if answer != bits.Sat {
			return false
		}
		q := *p
		q.aimed, q.of, q.launch.Blocks, q.launch.Threads = true, i, nil, nil
		for _, t := range threads {
			q.launch.Blocks = append(q.launch.Blocks, linear(t.Block, q.launch.Grid))
			q.launch.Threads = append(q.launch.Threads, linear(t.Thread, q.launch.Block))
		}
		slices.Sort(q.launch.Blocks)
		q.launch.Blocks = wholeClusters(slices.Compact(q.launch.Blocks), q.launch.Grid, f.s.Cluster)
		f.plans = append(f.plans, q)
		a := attempt{len(f.plans) - 1, 0, f.schedules()[0]}
		r := f.runTwo(ctx, program, a, c)
		if r == nil {
			return false
		}
		all = append(all, shown{a, r})
	}
	for _, s := range all {
		f.match(&f.plans[s.plan], s.attempt, s.race)
	}
	return true
}

// runTwo returns the race of a candidate in a run of its threads, if there is one.
func (f *search) runTwo(ctx context.Context, program *interp.Program, a attempt, c meet.Candidate) *hb.Race {
	is := func(r *hb.Race) bool {
		open, pair, _, _ := f.foretold(r)
		return len(open) > 0 && pair == pairOf(c) && shows(r, c)
	}
	p := &f.plans[a.plan]
	p.fill(a.contents)
	options := a.options
	options.MaxMemory, options.MaxSteps = runMemory, twoSteps
	f.res.Runs++
	result, err := hb.DetectAt(ctx, program, p.launch, []interp.Options{options}, hb.Wanted{Sites: []int{c.A.Site, c.B.Site}, Enough: is})
	if err != nil {
		return nil
	}
	out := result.Outcomes[0]
	f.steps, f.res.Steps = f.steps+out.Steps, f.res.Steps+out.Steps
	if i := slices.IndexFunc(result.Races, is); i >= 0 && out.Trap == nil && len(out.OutOfBounds) == 0 {
		return result.Races[i]
	}
	return nil
}

func linear(at, of race.Dim3) int { return at[0] + of[0]*(at[1]+of[1]*at[2]) }
