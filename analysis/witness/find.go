package witness

import (
	"context"
	"fmt"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp"
	"github.com/warplint/warplint/analysis/ir/interp/hb"
	"github.com/warplint/warplint/analysis/meet"
	"github.com/warplint/warplint/analysis/order"
	"github.com/warplint/warplint/analysis/race"
)

// This file runs the planned launches and matches what races in them with the candidates.

// Race is a candidate with the two threads that show it.
type Race struct {
	A, B    *access.Access
	Kind    race.Kind
	Miss    order.Miss
	Launch  *ir.Launch // the host's launch, nil if assumed
	Small   bool       // only shown with numbers that a caller may never pass
	Witness race.Witness
}

// Result is what became of the candidates.
type Result struct {
	Races   []Race
	Reasons []access.Reason // one for each pair of sites without a witness
	Runs    int
}

// Limits of the search, in steps of the interpreter, so that they do not depend on the machine.
const (
	runSteps   = 120_000
	totalSteps = 500_000
)

// fills are the contents of memory that are tried: zeros first, as flags and locks want them;
// small numbers, which are good indices; larger ones, for conditions on data.
var fills = []interp.Filler{nil, interp.Random(1, 4, 64), interp.Random(2, 4, 1<<12), interp.Random(3, 4, 0)}

type search struct {
	s       *access.Summary
	open    map[[2]ir.Stmt][]meet.Candidate
	found   map[[2]ir.Stmt]Race
	res     *Result
	program *interp.Program
	steps   int64

	natural int                // launches with natural sizes that ran from the present contents
	hits    map[[2]ir.Stmt]int // in how many of them a pair raced
	last    map[[2]ir.Stmt]int // the last plan that counted for a pair
	plan    int                // the number of the present plan, from 1
	sure    map[[2]ir.Stmt]bool
}

// Find looks for a witness of each candidate.
func Find(ctx context.Context, s *access.Summary, candidates []meet.Candidate) *Result {
	f := &search{s: s, open: map[[2]ir.Stmt][]meet.Candidate{}, found: map[[2]ir.Stmt]Race{}, res: &Result{}, sure: map[[2]ir.Stmt]bool{}}
	for _, c := range candidates {
		f.open[pairOf(c)] = append(f.open[pairOf(c)], c)
	}
	if len(f.open) > 0 {
		f.program = interp.Compile(s.Func)
		f.run(ctx)
	}
	seen := map[[2]ir.Stmt]bool{}
	for _, c := range candidates {
		p := pairOf(c)
		if seen[p] {
			continue
		}
		seen[p] = true
		if r, ok := f.found[p]; ok {
			r.Small = r.Small || !f.sure[p]
			f.res.Races = append(f.res.Races, r)
			continue
		}
		f.res.Reasons = append(f.res.Reasons, access.Reason{Site: c.A.Site,
			Text: fmt.Sprintf("not decided whether threads race on `%s` here", f.variable(c))})
	}
	return f.res
}

func pairOf(c meet.Candidate) [2]ir.Stmt { return [2]ir.Stmt{c.A.Stmt, c.B.Stmt} }

func (f *search) variable(c meet.Candidate) string {
	if v := f.s.Func.Sites[c.A.Site].Variable; v != "" {
		return v
	}
	return c.A.Base.Name
}

// run tries the plans until every candidate has its witness or the budget is spent. Those with
// natural sizes are all tried: a race that each of them shows does not hang on the numbers.
func (f *search) run(ctx context.Context) {
	for _, fill := range fills {
		f.natural, f.hits, f.last = 0, map[[2]ir.Stmt]int{}, map[[2]ir.Stmt]int{}
		for _, p := range plans(f.s) {
			if p.small && f.done() {
				break
			}
			for i := range p.launch.Buffers {
				p.launch.Buffers[i].Fill = fill
			}
			f.launch(ctx, p, fill == nil)
		}
		for pair, n := range f.hits {
			f.sure[pair] = f.sure[pair] || n == f.natural
		}
		if f.done() || f.steps > totalSteps || ctx.Err() != nil {
			return
		}
	}
}

// launch runs one plan under several schedules.
func (f *search) launch(ctx context.Context, p plan, zeros bool) {
	f.plan++
	counted := false
	for _, options := range f.schedules() {
		if f.steps > totalSteps || ctx.Err() != nil {
			return
		}
		options.MaxSteps = runSteps
		if f.once(ctx, p, options, zeros) && !p.small && !counted {
			f.natural++
			counted = true
		}
		if f.done() && p.small {
			return
		}
	}
}

// schedules are the interleavings to try. Where threads meet at barriers only, one shows as
// much as many.
func (f *search) schedules() []interp.Options {
	if len(f.s.Polled) > 0 {
		return hb.Schedules
	}
	return hb.Schedules[:1]
}

func (f *search) done() bool { return len(f.found) == len(f.open) }

// once runs one launch under one schedule; it reports whether the run counts. A run from arbitrary contents counts only if it
// came to its end: a lock that nobody has taken may look taken there.
func (f *search) once(ctx context.Context, p plan, options interp.Options, zeros bool) bool {
	f.res.Runs++
	result, err := hb.Detect(ctx, f.program, p.launch, []interp.Options{options})
	if err != nil {
		return false
	}
	out := result.Outcomes[0]
	f.steps += out.Steps
	if out.Trap != nil || !zeros && !out.Completed() {
		return false // not a launch that can happen
	}
	outside := map[int]bool{}
	for _, o := range out.OutOfBounds {
		outside[o.Object.ID] = true
	}
	for _, r := range result.Races {
		if !outside[r.Object.ID] {
			f.match(p, r)
		}
	}
	return true
}

// match takes a race as the witness of a candidate.
func (f *search) match(p plan, r *hb.Race) {
	first, second := &r.First, &r.Second
	pair := [2]ir.Stmt{first.Stmt, second.Stmt}
	open, ok := f.open[pair]
	if !ok {
		first, second = second, first
		pair = [2]ir.Stmt{first.Stmt, second.Stmt}
		if open, ok = f.open[pair]; !ok {
			return
		}
	}
	for _, c := range open {
		if c.Kind != r.Kind || r.Note && !c.Miss.Lock {
			continue
		}
		if !p.small && f.last[pair] != f.plan {
			f.last[pair] = f.plan
			f.hits[pair]++
		}
		small := p.small || r.Kind == race.InterBlock && f.forOneBlock()
		if old, ok := f.found[pair]; ok && (distance(old.Kind) >= distance(r.Kind) || small && !old.Small) {
			return
		}
		found := Race{A: c.A, B: c.B, Kind: r.Kind, Miss: c.Miss, Small: small, Witness: race.Witness{
			Grid: p.launch.Grid, Block: p.launch.Block, First: first.Thread.Coords, Second: second.Thread.Coords, Parameters: p.parameters}}
		if found.Miss.What == order.Nothing {
			found.Miss.What = missing(r.Missing)
		}
		if l := f.s.Launch; l != nil {
			found.Launch = l.Stmt
		}
		f.found[pair] = found
	}
}

// forOneBlock reports whether nothing says that the kernel is launched with more than one
// block: no launch is known, and it does not ask which block it is.
func (f *search) forOneBlock() bool {
	if f.s.Launch != nil {
		return false
	}
	for axis := range 3 {
		if uses(f.s.Func, ir.BlockIdx, axis) || uses(f.s.Func, ir.GridDim, axis) {
			return false
		}
	}
	return !isConst(f.s.Grid[0])
}

// distance orders kinds by how far apart the threads are.
func distance(k race.Kind) int {
	return map[race.Kind]int{race.IntraWarp: 0, race.IntraBlock: 1, race.InterBlock: 2}[k]
}

// missing is what a trace lacks in the terms of the static side.
func missing(m hb.Missing) order.What {
	switch m {
	case hb.AcquireFence, hb.ReleaseFence, hb.Fences:
		return order.Fence
	case hb.FenceScope:
		return order.FenceScope
	case hb.AccessScope, hb.Scopes:
		return order.AtomicScope
	case hb.StrongFlag:
		return order.Weak
	}
	return order.Nothing
}
