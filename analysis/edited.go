package analysis

import (
	"context"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/meet"
	"github.com/warplint/warplint/analysis/prove"
	"github.com/warplint/warplint/analysis/rules/rule"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/sweep"
	"github.com/warplint/warplint/analysis/term"
)

// This file looks at a changed text for several findings that the change may mend.

// edited is a changed text, with what was found out about it.
type edited struct {
	engine  *Engine
	req     Request
	runs    hostRuns
	modules []*ir.Module
	kernels map[*ir.Func]*symbolic
	after   *Result // nil before it was checked
}

// edited returns the text of a request with other files in the place of some.
func (e *Engine) edited(req Request, files source.Map) *edited {
	req.Files = overlay{req.Files, files}
	return &edited{engine: e.aside(), req: req, runs: newHostRuns(e.hosts), kernels: map[*ir.Func]*symbolic{}}
}

// symbolic is a kernel on symbolic values, for one launch after the other.
type symbolic struct {
	work      *budget
	known     *prove.Answers
	launches  []*access.Launch
	summaries []*access.Summary // of the first launches
	missable  int               // how many barriers threads may miss in these
	spent     int64             // on these
}

// mayRace returns what the prover leaves open of two places of a kernel, nil if they do not race, how many of its barriers threads may miss if it does not, and
// what work that was to find out. Most changes that do not mend a finding end here, with the first pair that is open, before the kernel's
// other pairs are looked at and witnesses looked for.
func (e *edited) mayRace(ctx context.Context, kernel string, first, second spot) (open func() *rule.Case, missable int, work int64) {
	if e.modules == nil {
		for _, module := range e.engine.modules(ctx, e.req) {
			e.modules = append(e.modules, module)
		}
	}
	for _, module := range e.modules {
		for _, f := range module.Kernels {
			if f.Name != kernel {
				continue
			}
			open, missed, spent := e.mayRaceIn(ctx, f, launchersIn(module)[f], first, second)
			missable += missed
			if work += spent; open != nil {
				return open, missable, work
			}
		}
	}
	return nil, missable, work
}

func (e *edited) mayRaceIn(ctx context.Context, f *ir.Func, hosts []*ir.Func, first, second spot) (open func() *rule.Case, missable int, work int64) {
	k, known := e.kernels[f]
	if !known {
		table := term.NewTable()
		k = &symbolic{work: &budget{table: table}, known: prove.NewAnswers()}
		k.launches = e.runs.launches(ctx, table, f, hosts)
		work = e.runs.work(hosts)
	}
	begun := k.work.spent()
	k.work.Context, k.work.limit = ctx, begun+kernelWork-k.spent
	stands := func(a *access.Access, at spot) bool { return at.holds(f.Sites[a.Site].Span) }
	wanted := func(a, b *access.Access) bool {
		return stands(a, first) && stands(b, second) || stands(a, second) && stands(b, first)
	}
	grid, block := e.req.assumed(f, hosts)
	for i, l := range k.launches {
		if i == len(k.summaries) {
			before := k.work.spent()
			k.summaries = append(k.summaries, access.Summarize(k.work.asking(askPerStatement), k.work.table, f, l, grid, block))
			k.missable += meet.Missable(k.work.asking(askPerPair), k.summaries[i], k.known)
			k.spent += k.work.spent() - before
		}
		for c := range meet.Between(k.work.asking(askPerPair), k.summaries[i], k.known, wanted) {
			if !c.Discounted() && len(sweep.Decide(k.work.asking(askPerSweep), k.summaries[i], []meet.Candidate{c})) > 0 {
				open = func() *rule.Case { return e.caseOf(f, c) }
				break
			}
			k.work.asking(askPerPair)
		}
		if open != nil {
			break
		}
	}
	if e.kernels[f] = k; k.work.exhausted() {
		delete(e.kernels, f) // the next one may ask of what this one has left no work for
	}
	return open, k.missable, work + k.work.spent() - begun
}

// caseOf is a case that nothing has shown.
func (e *edited) caseOf(f *ir.Func, c meet.Candidate) *rule.Case {
	out := &rule.Case{Func: f, A: c.A, B: c.B, Kind: c.Kind, Miss: c.Miss(), Tolerated: c.Tolerated, Files: e.req.Files}
	if after(out.Site(out.A).Span, out.Site(out.B).Span) {
		out.A, out.B = out.B, out.A
	}
	return out
}
