package analysis

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/meet"
	"github.com/warplint/warplint/analysis/prove"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/sweep"
	"github.com/warplint/warplint/analysis/term"
)

// This file proposes fixes and verifies each by checking the edited text.

// maxTried bounds the edits of one kind that are checked for a finding, maxOffered those that are offered.
const (
	maxTried   = 8
	maxOffered = 2
)

// fixWork bounds the work on the fixes of one result; findings that it does not suffice for have none.
const fixWork = 3 * kernelWork

// Fixer finds the fixes of a result's findings, one after the other. It is for one goroutine.
type Fixer struct {
	engine *Engine
	req    Request
	before *Result
	left   int64
	missed map[string]int     // by kernels of the text as it is, how many barriers threads may miss
	after  map[string]*Result // of the texts that were checked: one change often mends several findings
}

// Fixer returns one for the result of a request.
func (e *Engine) Fixer(req Request) *Fixer {
	req.Config.Kernel = ""
	return &Fixer{engine: e, req: req, left: fixWork, missed: map[string]int{}, after: map[string]*Result{}}
}

// Fixes returns the changes that mend a finding of a Result for the same request, the best
// first, each verified by checking the edited text. A change that does not mend it is left out.
func (e *Engine) Fixes(ctx context.Context, req Request, f race.Finding) []race.Fix {
	return e.Fixer(req).Fixes(ctx, f)
}

// Fixes is Engine.Fixes for one of the findings.
func (x *Fixer) Fixes(ctx context.Context, f race.Finding) []race.Fix {
	if x.left <= 0 && len(x.after) == 0 {
		return nil
	}
	if x.before == nil {
		x.before = x.engine.Check(ctx, x.req)
	}
	var fixes []race.Fix
	tried := map[string]int{} // by title: where one statement does not help, another one may
	for _, fix := range x.engine.proposals(ctx, x.req, f) {
		if len(fixes) >= maxOffered || ctx.Err() != nil {
			break
		}
		if tried[fix.Title] >= maxTried || x.left <= 0 && x.after[keyOf(fix)] == nil || slices.ContainsFunc(fixes, func(o race.Fix) bool { return o.Title == fix.Title }) {
			continue
		}
		tried[fix.Title]++
		if x.mends(ctx, f, fix) {
			fix.Verified = true
			fixes = append(fixes, fix)
		}
	}
	return fixes
}

// proposals asks the rule of a finding for its fixes.
func (e *Engine) proposals(ctx context.Context, req Request, f race.Finding) []race.Fix {
	for _, module := range e.modules(ctx, req) {
		for _, k := range module.Kernels {
			if k.Name != f.Kernel {
				continue
			}
			hosts := launchersIn(module)[k]
			for _, c := range e.verdicts.judge(ctx, req, k, hosts, hostRuns{}, fileWork, kernelWork).cases(req, k, hosts) {
				if sameRace(f, newFinding(c, nil)) {
					return rules.Classify(c.Case).Fixes(c.Case)
				}
			}
		}
	}
	return nil
}

// keyOf tells changes of a text apart.
func keyOf(fix race.Fix) string { return fmt.Sprint(fix.Edits) }

// mends reports whether the edited text no longer shows a finding, shows no new one, and has
// no barrier that some threads may miss and no reason for doubt that was not there before.
func (x *Fixer) mends(ctx context.Context, f race.Finding, fix race.Fix) bool {
	edited, ok := Apply(x.req.Files, fix.Edits)
	if !ok {
		return false
	}
	before, changed := x.before, x.req
	changed.Files = overlay{x.req.Files, edited}
	shift := func(s source.Span) source.Span { return shifted(s, fix.Edits) }
	aside := x.engine.aside()
	open, missed, work := aside.mayRace(ctx, changed, f.Kernel, shift(f.First.Span), shift(f.Second.Span))
	x.left -= work
	if open || missed > x.missedIn(ctx, f.Kernel) {
		return false
	}
	after := x.after[keyOf(fix)]
	if after == nil {
		after = aside.Check(ctx, changed)
		x.after[keyOf(fix)], x.left = after, x.left-after.workBeside(before)
	}
	if ctx.Err() != nil || after.earlyExits > before.earlyExits || after.doubts > before.doubts {
		return false
	}
	known := 0
	for _, g := range after.Findings {
		if g.Severity < race.Warning && f.Severity >= race.Warning && g.Variable != f.Variable {
			continue // the race that is mended has hidden it, or the search for one more has found it
		}
		is := func(o race.Finding) bool {
			return o.Rule == g.Rule && o.Kind == g.Kind && shift(o.First.Span) == g.First.Span && shift(o.Second.Span) == g.Second.Span
		}
		if is(f) || !slices.ContainsFunc(before.Findings, is) {
			return false
		}
		known++
	}
	return known < len(before.Findings)
}

// workBeside is the work on the kernels of a result that another one does not have, as far as caches keep those.
func (r *Result) workBeside(other *Result) (work int64) {
	const kept = onceKernels / 2
	for key, of := range r.work {
		if _, known := other.work[key]; !known || len(r.work) > kept {
			work += of
		}
	}
	return work
}

// missedIn is how many barriers of a kernel threads may miss before a change.
func (x *Fixer) missedIn(ctx context.Context, kernel string) int {
	missed, known := x.missed[kernel]
	if !known {
		_, missed, _ = x.engine.mayRace(ctx, x.req, kernel, source.Span{}, source.Span{})
		x.missed[kernel] = missed
	}
	return missed
}

// mayRace reports whether the prover leaves open if two places of a kernel race, how many of its barriers threads may miss, and what
// work that was to find out. Most changes that do not mend a finding end here, with the first pair that is open, before the kernel's
// other pairs are looked at and witnesses looked for.
func (e *Engine) mayRace(ctx context.Context, req Request, kernel string, first, second source.Span) (open bool, missed int, work int64) {
	runs := hostRuns{}
	for _, module := range e.modules(ctx, req) {
		for _, f := range module.Kernels {
			if f.Name != kernel {
				continue
			}
			stands := func(a *access.Access, at source.Span) bool { return f.Sites[a.Site].Span == at }
			wanted := func(a, b *access.Access) bool {
				return stands(a, first) && stands(b, second) || stands(a, second) && stands(b, first)
			}
			table, known := term.NewTable(), prove.NewAnswers()
			bounded := &budget{Context: ctx, table: table, limit: kernelWork}
			hosts := launchersIn(module)[f]
			grid, block := req.assumed(f, hosts)
			for _, l := range runs.launches(ctx, table, f, hosts) {
				summary := access.Summarize(bounded.asking(askPerStatement), table, f, l, grid, block)
				missed += meet.Missable(bounded.asking(askPerPair), summary, known)
				for c := range meet.Between(bounded.asking(askPerPair), summary, known, wanted) {
					if !c.Discounted() && len(sweep.Decide(bounded.asking(askPerSweep), summary, []meet.Candidate{c})) > 0 {
						return true, missed, work + bounded.spent() + runs.work(hosts)
					}
					bounded.asking(askPerPair)
				}
			}
			work += bounded.spent() + runs.work(hosts)
		}
	}
	return false, missed, work
}

// aside returns an engine that uses and fills the same verdicts, but leaves this engine's trees
// as they are: the edited text is not the one that people go on to edit.
func (e *Engine) aside() *Engine {
	return &Engine{units: e.units.copy(), lowered: e.lowered, verdicts: e.verdicts}
}

// Apply returns the edited files by path; ok is false if edits overlap or a file is missing.
func Apply(files source.Provider, edits []race.Edit) (edited source.Map, ok bool) {
	byFile := map[string][]race.Edit{}
	for _, e := range edits {
		byFile[e.Span.File] = append(byFile[e.Span.File], e)
	}
	edited = source.Map{}
	for path, list := range byFile {
		f, ok := files.File(path)
		if !ok {
			return nil, false
		}
		slices.SortFunc(list, func(a, b race.Edit) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
		var b strings.Builder
		at := 0
		for _, e := range list {
			if e.Span.Start < at || e.Span.End > len(f.Text) {
				return nil, false
			}
			b.WriteString(f.Text[at:e.Span.Start])
			b.WriteString(e.Text)
			at = e.Span.End
		}
		b.WriteString(f.Text[at:])
		edited[path] = source.New(path, b.String())
	}
	return edited, true
}

// shifted says where a span stands after edits; a span that an edit changes grows with it.
func shifted(s source.Span, edits []race.Edit) source.Span {
	move := func(offset int, end bool) int {
		to := offset
		for _, e := range edits {
			if e.Span.File != s.File {
				continue
			}
			if e.Span.End <= offset && (e.Span.Start < offset || !end) {
				to += len(e.Text) - (e.Span.End - e.Span.Start)
			}
		}
		return to
	}
	return source.Span{File: s.File, Start: move(s.Start, false), End: move(s.End, true)}
}

// overlay shows edited files over others.
type overlay struct {
	under  source.Provider
	edited source.Map
}

// File implements source.Provider.
func (o overlay) File(path string) (*source.File, bool) {
	if f, ok := o.edited[path]; ok {
		return f, true
	}
	return o.under.File(path)
}
