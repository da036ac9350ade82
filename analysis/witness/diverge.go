package witness

import (
	"cmp"
	"context"
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp"
	"github.com/warplint/warplint/analysis/ir/interp/hb"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/slice"
	"github.com/warplint/warplint/analysis/term"
)

// This file shows barriers and exchanges of a warp that not all threads of their group reach: in a planned launch, some
// thread comes to the barrier more often than another that has not returned, or two threads of a block
// meet from different places.

// Divergence is such a barrier or exchange with two threads that show it: the first comes to it, the second
// does not. If it is a warp's and its mask leaves out a lane that comes, both are that lane.
type Divergence struct {
	At      *access.Event
	Branch  ir.Stmt // the If or the Loop at which the threads part, nil if none is known
	Kind    race.Kind
	Launch  *ir.Launch // the host's launch, nil if assumed
	Small   bool       // only shown with numbers or contents of memory that may never be
	Witness race.Witness
}

// Divergences runs planned launches for barriers and exchanges that may be divergent, and returns those that are.
func Divergences(ctx context.Context, s *access.Summary, suspects []*access.Event) []Divergence {
	if g := guessesIn(s.Func); g != nil {
		// What a run draws for each thread says nothing of whether their ways part.
		suspects = slices.DeleteFunc(slices.Clone(suspects), func(e *access.Event) bool { return g.under[e.Stmt] || g.loops[e.Stmt] })
	}
	if len(suspects) == 0 {
		return nil
	}
	p := newShares(s)
	for _, e := range suspects {
		sh := p.of(e.When)
		sh.suspects = append(sh.suspects, e)
	}
	var out []Divergence
	for _, sh := range p.all {
		out = append(out, sh.divergences(ctx)...)
	}
	return out
}

func (sh *share) divergences(ctx context.Context) []Divergence {
	s, suspects := sh.s, sh.suspects
	if len(suspects) == 0 {
		return nil
	}
	d := &divergences{s: s, program: interp.Compile(slice.Of(s, nil)), suspects: suspects, found: map[int]*Divergence{}, times: map[[2]int]int{}}
	tried := 1
	if heedsMemory(s.Func) {
		tried = len(contents)
	}
	all, sure := plans(s), 1
	l := newPlanner(s, s.Func)
	for _, notFull := range [...]func() (plan, bool){l.ragged, l.leavingOneOut} {
		if p, ok := notFull(); ok && len(all) > 0 {
			all, sure = slices.Insert(all, 1, p), sure+1
		}
	}
	for i, p := range all {
		for k := range tried {
			if len(d.found) == len(d.suspects) && i >= sure || d.steps > totalSteps || ctx.Err() != nil {
				break
			}
			most := p.steps()
			if i > 0 && i < sure { // what parts the threads comes at the end
				most = totalSteps
			}
			p.fill(k)
			d.once(ctx, &p, i, k, most)
		}
	}
	if len(d.found) < len(d.suspects) && len(all) > 0 && ctx.Err() == nil {
		if p, ok := all[0].ofWholeGrid(s); ok {
			p.fill(0)
			d.once(ctx, &p, 0, 0, wholeGridSteps)
		}
	}
	var out []Divergence
	for _, e := range suspects {
		if f := d.found[e.Site]; f != nil {
			f.Small = true
			need := 1
			if _, inMemory := e.Stmt.(*ir.Named); inMemory { // who leaves such a ring by what memory says may know why
				need = tried
			}
			for i := range sure {
				if d.times[[2]int{e.Site, i}] >= need && !all[i].small {
					f.Small = false
				}
			}
			out = append(out, *f)
		}
	}
	return out
}

type divergences struct {
	s        *access.Summary
	program  *interp.Program
	suspects []*access.Event
	found    map[int]*Divergence // by the barrier's site
	times    map[[2]int]int      // by site and plan, in how many of the contents it shows
	steps    int64
}

// once makes a run from some contents, of so many steps at most.
func (d *divergences) once(ctx context.Context, p *plan, number, contents int, most int64) {
	options := hb.Schedules[0]
	options.MaxSteps = most
	seen := &arrivals{at: map[int]map[*interp.Thread]int{}}
	run, err := d.program.Run(ctx, p.launch, options, seen)
	if err != nil {
		return
	}
	d.steps += run.Steps
	if run.Trap != nil && run.Trap.Kind != interp.TrapMisuse {
		return
	}
	for _, e := range d.suspects {
		one, two := met(e, run)
		if run.Limit == "" && one == nil {
			one, two = seen.apart(e, run)
		}
		if one == nil {
			continue
		}
		d.times[[2]int{e.Site, number}]++
		if d.found[e.Site] != nil {
			continue
		}
		f := &Divergence{At: e, Branch: d.branch(e), Kind: kindOf(one, two), Witness: race.Witness{Grid: p.launch.Grid, Block: p.launch.Block,
			First: one.Coords, Second: two.Coords, Parameters: p.parameters, Floats: p.floats, Pointers: p.pointers, Memory: p.memories(contents)}}
		if d.s.Launch != nil {
			f.Launch = d.s.Launch.Stmt
		}
		d.found[e.Site] = f
	}
}

// met returns a thread that met another of its block at a barrier, and that one, which came from elsewhere.
func met(e *access.Event, run *interp.Outcome) (one, two *interp.Thread) {
	if level, counted := groupOf(e); level != ir.BlockLevel || counted || run.Trap != nil {
		return nil, nil
	}
	for _, d := range run.Divergent {
		switch e.Site {
		case d.First:
			return d.FirstThread, d.SecondThread
		case d.Second:
			return d.SecondThread, d.FirstThread
		}
	}
	return nil, nil
}

func kindOf(a, b *interp.Thread) race.Kind {
	switch {
	case a.Block != b.Block:
		return race.InterBlock
	case a.Warp != b.Warp:
		return race.IntraBlock
	}
	return race.IntraWarp
}

// arrivals counts who comes to which barrier, and notes all threads.
type arrivals struct {
	at  map[int]map[*interp.Thread]int
	all []*interp.Thread
}

func (a *arrivals) Access(*interp.Thread, *interp.Access)           {}
func (a *arrivals) Fence(*interp.Thread, *ir.Fence)                 {}
func (a *arrivals) Release(*interp.Phase, []*interp.Thread)         {}
func (a *arrivals) ProxyFence(*interp.Thread)                       {}
func (a *arrivals) AsyncIssue(*interp.Thread, *interp.AsyncOp)      {}
func (a *arrivals) AsyncWait(*interp.Thread, []*interp.AsyncOp)     {}
func (a *arrivals) Exit(t *interp.Thread)                           { a.all = append(a.all, t) }
func (a *arrivals) Arrive(t *interp.Thread, _ *interp.Phase, s int) { a.count(t, s) }

func (a *arrivals) count(t *interp.Thread, site int) {
	if a.at[site] == nil {
		a.at[site] = map[*interp.Thread]int{}
	}
	a.at[site][t]++
}

// apart returns a thread that has come to a barrier and one of the same group that has come less
// often and has not returned.
func (a *arrivals) apart(e *access.Event, run *interp.Outcome) (one, two *interp.Thread) {
	level, counted := groupOf(e)
	if t := run.Trap; t != nil {
		if t.Stmt == e.Stmt && level == ir.WarpLevel {
			return t.Thread, t.Thread // a lane that the mask leaves out
		}
		return nil, nil
	}
	all := slices.Clone(a.all)
	for _, w := range run.Deadlock {
		if w.Site == e.Site {
			a.waits(w)
		}
		all = append(all, w.Thread)
	}
	slices.SortFunc(all, func(s, t *interp.Thread) int { return cmp.Compare(s.ID, t.ID) })
	if (level == ir.WarpLevel || counted) && len(run.Deadlock) == 0 {
		return nil, nil // lanes that have ended are not waited for, nor more threads than are counted
	}
	most := map[int]*interp.Thread{}
	for _, t := range all {
		if g := group(level, t); most[g] == nil || a.at[e.Site][t] > a.at[e.Site][most[g]] {
			most[g] = t
		}
	}
	for _, t := range slices.Backward(all) {
		if m := most[group(level, t)]; a.at[e.Site][t] < a.at[e.Site][m] && (counted || !t.Returned) {
			return m, t
		}
	}
	if _, inMemory := e.Stmt.(*ir.Named); inMemory { // it counts more than there are
		for _, w := range run.Deadlock {
			if w.Site == e.Site {
				return w.Thread, w.Thread
			}
		}
	}
	return nil, nil
}

// waits counts a lane that waits for others at a warp's barrier: it has come there.
func (a *arrivals) waits(w interp.Waiting) {
	if a.at[w.Site][w.Thread] == 0 {
		a.count(w.Thread, w.Site)
	}
}

// groupOf says whose threads meet, and whether their number is given.
func groupOf(e *access.Event) (level ir.Level, counted bool) {
	switch s := e.Stmt.(type) {
	case *ir.Barrier:
		return s.Level, s.Count != nil
	case *ir.Named:
		return ir.BlockLevel, true
	}
	return ir.WarpLevel, false
}

// group numbers the threads that a barrier of a level holds together.
func group(l ir.Level, t *interp.Thread) int {
	switch l {
	case ir.WarpLevel:
		const warps = 1024 / 32
		return t.Block*warps + t.Warp
	case ir.BlockLevel:
		return t.Block
	case ir.ClusterLevel:
		return t.Cluster
	}
	return 0
}

// branch is the innermost statement around a barrier whose condition differs between threads.
func (d *divergences) branch(e *access.Event) ir.Stmt {
	var inner ir.Stmt
	var walk func(list []ir.Stmt, around []ir.Stmt)
	walk = func(list, around []ir.Stmt) {
		for _, s := range list {
			if s == e.Stmt {
				for _, b := range around {
					if inner == nil || d.differs(b) || !d.differs(inner) {
						inner = b
					}
				}
				return
			}
			in := around
			switch s.(type) {
			case *ir.If, *ir.Loop:
				in = append(around[:len(around):len(around)], s)
			}
			for _, nested := range ir.Nested(s) {
				walk(nested, in)
			}
		}
	}
	walk(d.s.Func.Body, nil)
	return inner
}

func (d *divergences) differs(s ir.Stmt) bool {
	var cond ir.Expr
	switch s := s.(type) {
	case *ir.If:
		cond = s.Cond
	case *ir.Loop:
		cond = s.Cond
	}
	found := false
	ir.WalkExpr(cond, func(e ir.Expr) {
		switch e := e.(type) {
		case *ir.RegRef:
			found = found || d.s.Variance.Of(e.R) == term.Thread
		case *ir.Builtin:
			found = found || e.Var == ir.ThreadIdx || e.Var == ir.LaneID || e.Var == ir.WarpID
		}
	})
	return found
}
