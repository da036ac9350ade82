package witness

import (
	"context"
	"maps"
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/meet"
	"github.com/warplint/warplint/analysis/prove"
	"github.com/warplint/warplint/analysis/prove/bits"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file finds out which blocks to run where those at the edges of the grid, which run first, do not meet:
// with the numbers of a plan, the question whether two threads meet has a solution that names their blocks.

// Limits of aiming: so many candidates, and so much work for each.
const (
	maxAims         = 4 // of each kind
	aimGates        = 15_000
	aimPropagations = 150_000
	aimedSteps      = 500_000 // of the runs, in all
	aimedContents   = 1       // besides zeros
)

// aimed runs the plans with natural numbers once more, with blocks that meet, or of which two threads do, for candidates
// that they have not shown: for a race to be sure all of them have to.
// It reports whether there were answers to all that it asked.
func (f *search) aimed(ctx context.Context, candidates []meet.Candidate) bool {
	flat := true // whether the first rounds and the first layer are worth a question by themselves
	return f.onceMore(ctx, candidates, func(number int, c meet.Candidate) bits.Answer {
		p := &f.plans[number]
		if p.launch.Blocks == nil {
			return bits.Sat // all have run
		}
		if c.Kind != race.InterBlock && f.mayMeetIn(ctx, p, c, p.launch.Blocks[0]) {
			return bits.Unsat // other blocks do what this one does, and it has run
		}
		blocks, answer := f.blocksOf(ctx, p, c, false)
		if answer == bits.Unknown && f.mixable(pairOf(c)) {
			if flat {
				blocks, answer = f.blocksOf(ctx, p, c, true)
			}
			if answer == bits.Unknown {
				flat = false      // what is too much with some numbers mostly is with others
				return bits.Unsat // with these numbers rows may be long enough
			}
		}
		if answer == bits.Sat {
			f.aimAt(ctx, number, blocks, nil)
		}
		return answer
	})
}

// onceMore gives each plan with natural numbers to a function that runs another one like it, for candidates that have
// not been shown, until it has no answer, and reports whether it always had.
func (f *search) onceMore(ctx context.Context, candidates []meet.Candidate, run func(number int, c meet.Candidate) bits.Answer) bool {
	left, aims, natural := f.steps+aimedSteps, map[race.Kind]int{}, len(f.plans)
	for _, c := range candidates {
		if c.Discounted() || aims[c.Kind] == maxAims {
			continue
		}
		aims[c.Kind]++
	plans:
		for i := range natural {
			if r, ok := f.found[pairOf(c)]; ok && !r.Small && f.sure(pairOf(c)) || f.steps > left || ctx.Err() != nil {
				break
			}
			p := &f.plans[i]
			_, raced := f.hits[hit{pairOf(c), 0}][i]
			if raced || p.small || p.mixed || p.few != nil || p.begin || p.aimed || p.size != f.plans[0].size {
				continue
			}
			switch answer := run(i, c); {
			case answer == bits.Unknown:
				return false // so it will be with other numbers, or of another place
			case answer == bits.Unsat && c.Kind != race.InterBlock:
				break plans // it is not sure, and would be nothing new
			}
		}
	}
	return true
}

// aimAt runs a plan with other blocks, and with words in its memory, of each part that is drawn, if there are any.
func (f *search) aimAt(ctx context.Context, number int, blocks []int, words [][]race.Word) {
	q := f.plans[number]
	if f.waits { // for blocks at the edges, maybe
		blocks = slices.Compact(slices.Sorted(slices.Values(slices.Concat(blocks, q.launch.Blocks))))
	}
	q.launch.Blocks, q.aimed, q.of = blocks, true, number
	if words != nil {
		q.lead(words)
	} else if i := slices.IndexFunc(f.plans, func(o plan) bool {
		return o.aimed && !o.led && f.twins.same(o.of, number) && slices.Equal(o.launch.Blocks, blocks)
	}); i >= 0 {
		f.twins.aimed[len(f.plans)] = i
	}
	f.plans = append(f.plans, q)
	options := f.schedules()[0]
	options.MaxSteps = longRunSteps
	f.once(ctx, attempt{len(f.plans) - 1, 0, options})
	if f.contents > 1 && words == nil {
		f.once(ctx, attempt{len(f.plans) - 1, aimedContents, options})
	}
}

// blocksOf returns blocks of a plan of which two threads meet as a candidate says, or whether there are none.
func (f *search) blocksOf(ctx context.Context, p *plan, c meet.Candidate, flat bool) (blocks []int, answer bits.Answer) {
	threads, answer := f.threadsOf(ctx, p, c, flat)
	return f.theirBlocks(p, threads), answer
}

// mayMeetIn reports whether two threads of one block may meet as a candidate says.
func (f *search) mayMeetIn(ctx context.Context, p *plan, c meet.Candidate, block int) bool {
	q := f.question(p, c, heldAtFirst)
	for i, length := range p.launch.Grid {
		q.conds = append(q.conds, q.plain.Cond(f.s.T.Eq(q.one.Poly(f.s.BlockIdx[i]), f.s.T.Const(int64(block%length)))))
		block /= length
	}
	return q.solve(ctx) != bits.Unsat
}

// heldAtFirst reports whether what is read of memory is zero, since that is what the runs begin with.
func heldAtFirst(a *term.Atom) bool { return access.IsContents(a) || a.Kind == term.Result }

func (f *search) theirBlocks(p *plan, threads []race.Thread) (blocks []int) {
	for _, t := range threads {
		blocks = append(blocks, linear(t.Block, p.launch.Grid))
	}
	slices.Sort(blocks)
	return wholeClusters(slices.Compact(blocks), p.launch.Grid, f.s.Cluster)
}

// threadsOf returns two threads of a plan that meet as a candidate says, or whether there are none, if what is
// read of memory is zero, since that is what the runs begin with. If flat is set, only first rounds of loops and the first
// layer of the grid count.
func (f *search) threadsOf(ctx context.Context, p *plan, c meet.Candidate, flat bool) (threads []race.Thread, answer bits.Answer) {
	q := f.question(p, c, func(a *term.Atom) bool {
		return heldAtFirst(a) || flat && a.Kind == term.Iter
	})
	if flat {
		const layers = 2
		for _, of := range [...]*term.Renaming{q.one, q.two} {
			for _, at := range [...]*term.Poly{f.s.BlockIdx[layers], f.s.ThreadIdx[layers]} {
				q.conds = append(q.conds, q.plain.Cond(f.s.T.Eq(of.Poly(at), f.s.T.Const(0))))
			}
		}
	}
	answer = q.solve(ctx)
	return q.threads, answer
}

// question is whether two threads of a plan meet as a candidate says.
type question struct {
	f        *search
	p        *plan
	conds    []*term.Cond
	one, two *term.Renaming
	plain    *term.Renaming // puts the plan's numbers in
	threads  []race.Thread  // the two, once it is solved
	model    bits.Model
}

// question asks of a plan, where what some atoms stand for is zero.
func (f *search) question(p *plan, c meet.Candidate, isZero func(*term.Atom) bool) *question {
	t, s := f.s.T, f.s
	conds, one, two := meet.Meeting(s, c)
	conds = append(conds, s.Given...)
	values := maps.Clone(p.values)
	known := func(number *term.Poly, is int64) {
		if a := number.IsAtom(); a != nil {
			values[a] = is
		} else {
			conds = append(conds, t.Eq(number, t.Const(is)))
		}
	}
	for i := range 3 {
		known(s.Grid[i], int64(p.launch.Grid[i]))
		known(s.Block[i], int64(p.launch.Block[i]))
		for _, of := range [...]*term.Renaming{one, two} { // what is known of these numbers speaks of dimensions of any size
			conds = append(conds, t.Lt(of.Poly(s.BlockIdx[i]), t.Const(int64(p.launch.Grid[i]))), t.Lt(of.Poly(s.ThreadIdx[i]), t.Const(int64(p.launch.Block[i]))))
		}
	}
	for _, param := range s.Func.Params {
		if x, given := p.parameters[param.Name]; given && s.Params[param].P != nil {
			known(s.Params[param].P, x)
		}
	}
	fixed := func(a *term.Atom) *term.Poly {
		if x, known := values[a]; known {
			return t.Const(x)
		}
		if isZero(a) {
			return t.Const(0)
		}
		return nil
	}
	free := func(a *term.Atom) bool {
		kept := true
		t.Poly(a).AllLeaves(func(a *term.Atom) { kept = kept && fixed(a) == nil })
		return kept
	}
	plain := t.Rename(0, free, fixed)
	for i, cond := range conds {
		conds[i] = plain.Cond(cond)
	}
	return &question{f: f, p: p, conds: conds, one: one, two: two, plain: plain}
}

func (q *question) solve(ctx context.Context) bits.Answer {
	s := q.f.s
	answer, model := q.f.decide(ctx, q.conds)
	if answer != bits.Sat {
		return answer
	}
	q.model = model
	for _, of := range [...]*term.Renaming{q.one, q.two} {
		var at race.Thread
		for i := range 3 {
			x, _ := of.Poly(s.BlockIdx[i]).Value(func(a *term.Atom) (int64, bool) { return model[a], true })
			at.Block[i] = int(min(max(x, 0), int64(q.p.launch.Grid[i]-1)))
			x, _ = of.Poly(s.ThreadIdx[i]).Value(func(a *term.Atom) (int64, bool) { return model[a], true })
			at.Thread[i] = int(min(max(x, 0), int64(q.p.launch.Block[i]-1)))
		}
		q.threads = append(q.threads, at)
	}
	return answer
}

// solution is what the bits say to a question, with the values of its numbers in the order in which these come.
type solution struct {
	answer bits.Answer
	values []value
}

type value struct {
	is    int64
	known bool
}

// decide asks the bits, unless it has asked the same in other names: of each field of an element, as a rule.
func (f *search) decide(ctx context.Context, conds []*term.Cond) (bits.Answer, bits.Model) {
	shape := prove.Shape(conds, f.s.Axioms)
	key := shape.String()
	done, again := f.tried.solved[key]
	if !again {
		answer, model, cost := bits.Decide(ctx, conds, f.s.Axioms, bits.Limits{Gates: aimGates, Propagations: aimPropagations})
		f.s.T.Work += cost.Work()
		done.answer = answer
		if answer == bits.Sat {
			for _, a := range shape.Atoms {
				x, known := model[a]
				done.values = append(done.values, value{x, known})
			}
		}
		f.tried.solved[key] = done
	}
	model := bits.Model{}
	for i, v := range done.values {
		if v.known {
			model[shape.Atoms[i]] = v.is
		}
	}
	return done.answer, model
}
