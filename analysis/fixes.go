package analysis

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules"
	"github.com/warplint/warplint/analysis/source"
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
	edited map[string]*edited // by change: one often mends several findings
}

// Fixer returns one for the result of a request.
func (e *Engine) Fixer(req Request) *Fixer {
	req.Config.Kernel = ""
	return &Fixer{engine: e, req: req, left: fixWork, edited: map[string]*edited{}}
}

// Fixes returns the changes that mend a finding of a Result for the same request, the best
// first, each verified by checking the edited text. A change that does not mend it is left out.
func (e *Engine) Fixes(ctx context.Context, req Request, f race.Finding) []race.Fix {
	return e.Fixer(req).Fixes(ctx, f)
}

// Fixes is Engine.Fixes for one of the findings.
func (x *Fixer) Fixes(ctx context.Context, f race.Finding) []race.Fix {
	if x.left <= 0 && len(x.edited) == 0 {
		return nil
	}
	if x.before == nil {
		x.before = x.engine.Check(ctx, x.req)
	}
	var fixes []race.Fix
	leaves := map[string]int{}
	tried := map[string]int{} // by title: where one statement does not help, another one may
	for _, fix := range x.proposals(f) {
		if len(fixes) >= maxOffered || ctx.Err() != nil {
			break
		}
		e := x.edited[keyOf(fix)]
		if tried[fix.Title] >= maxTried || x.left <= 0 && (e == nil || e.after == nil) || slices.ContainsFunc(fixes, func(o race.Fix) bool { return o.Title == fix.Title }) {
			continue
		}
		tried[fix.Title]++
		if left, ok := x.mends(ctx, f, fix); ok {
			fix.Verified = true
			fixes = append(fixes, fix)
			leaves[keyOf(fix)] = left
		}
	}
	// Where another finding of the same stretch needs the barrier of the block, that of the warp is not the better change.
	slices.SortStableFunc(fixes, func(a, b race.Fix) int { return cmp.Compare(leaves[keyOf(a)], leaves[keyOf(b)]) })
	return fixes
}

// proposals asks the rule of a finding for its fixes.
func (x *Fixer) proposals(f race.Finding) []race.Fix {
	for _, j := range x.before.judged {
		if j.f.Name != f.Kernel {
			continue
		}
		for _, c := range j.v.cases(x.req, j.f, j.hosts) {
			if sameRace(f, newFinding(c, nil)) {
				return rules.Classify(c.Case).Fixes(c.Case)
			}
		}
	}
	return nil
}

// keyOf tells changes of a text apart.
func keyOf(fix race.Fix) string { return fmt.Sprint(fix.Edits) }

// mends reports whether the edited text no longer shows a finding, shows no new one, and has
// no barrier that some threads may miss and no reason for doubt that was not there before; and how many of the other findings it still has.
func (x *Fixer) mends(ctx context.Context, f race.Finding, fix race.Fix) (left int, ok bool) {
	e := x.edited[keyOf(fix)]
	if e == nil {
		text, ok := Apply(x.req.Files, fix.Edits)
		if !ok {
			return 0, false
		}
		e = x.engine.edited(x.req, text)
		x.edited[keyOf(fix)] = e
	}
	defer func() {
		if ctx.Err() != nil {
			delete(x.edited, keyOf(fix)) // it may lack something
		}
	}()
	shift := func(s source.Span) source.Span { return shifted(s, fix.Edits) }
	if e.after != nil {
		if left, ok = x.better(f, e.after, shift); !ok {
			return 0, false
		}
	}
	open, missable, work := e.mayRace(ctx, f.Kernel, shift(f.First.Span), shift(f.Second.Span))
	x.left -= work
	if open || missable > x.before.missableIn(f.Kernel) || ctx.Err() != nil {
		return 0, false
	}
	if e.after == nil {
		e.after = e.engine.Check(ctx, e.req)
		x.left -= e.after.workBeside(x.before)
		left, ok = x.better(f, e.after, shift)
	}
	return left, ok && ctx.Err() == nil
}

// better reports whether a result lacks a finding and has nothing new, and how many of the others it has. Its text is the one before, but
// for a change that shifts places.
func (x *Fixer) better(f race.Finding, after *Result, shift func(source.Span) source.Span) (left int, ok bool) {
	if after.cutShort() || x.before.cutShort() || after.missable > x.before.missable || after.doubts > x.before.doubts {
		return 0, false
	}
	for _, g := range after.Findings {
		if g.Severity < race.Warning && f.Severity >= race.Warning && g.Variable != f.Variable {
			continue // the race that is mended has hidden it, or the search for one more has found it
		}
		is := func(o race.Finding) bool {
			return o.Rule == g.Rule && o.Kind == g.Kind && shift(o.First.Span) == g.First.Span && shift(o.Second.Span) == g.Second.Span
		}
		if is(f) || !slices.ContainsFunc(x.before.Findings, is) {
			return 0, false
		}
		left++
	}
	return left, left < len(x.before.Findings)
}

// cutShort reports whether the work on a kernel was ended by time: what is missing then is no sign of anything.
func (r *Result) cutShort() bool {
	return slices.ContainsFunc(r.judged, func(j judged) bool { return j.v.cut })
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

// missableIn counts the barriers of a kernel that some threads may not come to.
func (r *Result) missableIn(kernel string) (n int) {
	for _, j := range r.judged {
		if j.f.Name == kernel {
			n += j.v.missable
		}
	}
	return n
}

// aside returns an engine that uses and fills the same verdicts, but leaves this engine's trees
// as they are: the edited text is not the one that people go on to edit.
func (e *Engine) aside() *Engine {
	return &Engine{units: e.units.copy(), lowered: e.lowered, hosts: e.hosts, verdicts: e.verdicts}
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
		slices.SortStableFunc(list, func(a, b race.Edit) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
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
