package analysis

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules"
	"github.com/warplint/warplint/analysis/rules/rule"
	"github.com/warplint/warplint/analysis/source"
)

// This file proposes fixes and verifies each by checking the edited text.

// maxTried bounds the edits of one kind that are checked for a finding, maxOffered those that are offered, and maxDepth the changes that
// are made together.
const (
	maxTried   = 8
	maxOffered = 2
	maxDepth   = 3
)

// fixWork bounds the work on the fixes of one result. Each finding may have half of what those before it leave.
const fixWork = 3 * kernelWork

// Fixer finds the fixes of a result's findings, one after the other. It is for one goroutine.
type Fixer struct {
	engine *Engine
	req    Request
	before *Result
	left   int64
	may    func(race.Fix) bool
	edited map[string]*edited // by change: one often mends several findings
	known  []change           // that mend a finding
}

// Fixer returns one for the result of a request.
func (e *Engine) Fixer(req Request) *Fixer {
	req.Config.Kernel = ""
	return &Fixer{engine: e, req: req, left: fixWork, may: func(race.Fix) bool { return true }, edited: map[string]*edited{}}
}

// Fixes returns the changes that mend a finding of a Result for the same request, the best
// first, each verified by checking the edited text. A change that does not mend it is left out.
func (e *Engine) Fixes(ctx context.Context, req Request, f race.Finding) []race.Fix {
	return e.Fixer(req).Fixes(ctx, f)
}

// Fixes is Engine.Fixes for one of the findings.
func (x *Fixer) Fixes(ctx context.Context, f race.Finding) []race.Fix {
	if x.before == nil {
		x.before = x.engine.Check(ctx, x.req)
	}
	var c *rule.Case
	var offers []race.Fix
	if f.Rule == race.BarrierDivergence {
		offers = rule.Moved(x.req.Files, f.First, f.Second)
	} else {
		if c = caseOf(x.before, x.req, f.Kernel, func(g race.Finding) bool { return sameRace(f, g) }); c == nil {
			return nil
		}
		offers = rules.Classify(c).Fixes(c)
	}
	var mending []change
	leaves, spared := map[string]int{}, max(0, x.left/2)
	for changes, depth := singly(offers), 1; len(changes) > 0 && len(mending) == 0; depth++ {
		var then []change
		tried := map[sort]int{} // where one statement does not help, another one may
		for _, fix := range changes {
			if len(mending) >= maxOffered || ctx.Err() != nil {
				break
			}
			e, of := x.edited[keyOf(fix.Fix)], sort{fix.Title, len(fix.Edits)}
			if tried[of] >= maxTried || x.left <= spared && (e == nil || e.after == nil) || slices.ContainsFunc(mending, fix.doesMore) || !x.may(fix.Fix) {
				continue
			}
			tried[of]++
			left, ok, rest := x.mends(ctx, f, fix.Fix)
			switch {
			case ok:
				if fix, left = x.needed(ctx, f, fix, left); slices.ContainsFunc(mending, fix.doesMore) {
					continue
				}
				leaves[keyOf(fix.Fix)] = left
				mending = append(mending, fix)
			case c != nil && len(mending) == 0 && depth < maxDepth && rest != nil:
				then = append(then, fix.followed(f, c, rest())...)
			}
		}
		changes = then
	}
	if len(mending) == 0 {
		mending = x.alsoMending(ctx, f)
	}
	// Where another finding of the same stretch needs the barrier of the block, that of the warp is not the better change.
	slices.SortStableFunc(mending, func(a, b change) int { return cmp.Compare(leaves[keyOf(a.Fix)], leaves[keyOf(b.Fix)]) })
	var fixes []race.Fix
	for _, fix := range mending {
		x.known = append(x.known, fix)
		fixes = append(fixes, fix.offered(x.req.Files))
	}
	return fixes
}

// needed is a change that mends a finding, which leaves so many others, without the parts that it does not need.
func (x *Fixer) needed(ctx context.Context, f race.Finding, fix change, left int) (change, int) {
	for i := 0; len(fix.parts) > 1 && i < len(fix.parts); i++ {
		less := fix.without(i)
		if n, ok, _ := x.mends(ctx, f, less.Fix); ok && n <= left {
			return x.needed(ctx, f, less, n)
		}
	}
	return fix, left
}

// alsoMending is a change that mends another finding and this one as well.
func (x *Fixer) alsoMending(ctx context.Context, f race.Finding) []change {
	for _, fix := range x.known {
		if _, ok, _ := x.mends(ctx, f, fix.Fix); ok {
			return []change{fix}
		}
	}
	return nil
}

// sort is what a change does, but for the place, and at how many.
type sort struct {
	title string
	edits int
}

// caseOf is the case of a result's first finding of a kernel that matches, nil if there is none.
func caseOf(r *Result, req Request, kernel string, match func(race.Finding) bool) *rule.Case {
	for _, j := range r.judged {
		if j.f.Name != kernel {
			continue
		}
		for _, c := range j.v.cases(req, j.f, j.hosts) {
			if match(newFinding(c, nil)) {
				for _, o := range r.judged {
					c.Others = append(c.Others, o.f)
				}
				c.Arch = req.arch()
				return c.Case
			}
		}
	}
	return nil
}

// arch is the greatest __CUDA_ARCH__ that a request's text is compiled for, 0 if nobody says.
func (r Request) arch() int {
	arch := r.Config.Arch
	for _, u := range r.Units {
		arch = max(arch, u.Config.Arch)
	}
	return arch
}

// keyOf tells changes of a text apart.
func keyOf(fix race.Fix) string { return fmt.Sprint(fix.Edits) }

// mends reports whether the edited text no longer shows a finding, shows no new one, and has
// no barrier that some threads may miss and no reason for doubt that was not there before; and how many of the other findings it still has.
// If it does not mend the finding, rest says what is known to be left of it.
func (x *Fixer) mends(ctx context.Context, f race.Finding, fix race.Fix) (left int, ok bool, rest func() *rule.Case) {
	e := x.edited[keyOf(fix)]
	if e == nil {
		text, ok := Apply(x.req.Files, fix.Edits)
		if !ok {
			return 0, false, nil
		}
		e = x.engine.edited(x.req, text)
		x.edited[keyOf(fix)] = e
	}
	defer func() {
		if ctx.Err() != nil {
			delete(x.edited, keyOf(fix)) // it may lack something
		}
	}()
	shift := func(s source.Span) spot { return shifted(s, fix.Edits) }
	var new *race.Finding
	shown := func() *rule.Case {
		return caseOf(e.after, e.req, f.Kernel, func(g race.Finding) bool {
			return new == nil && g.Kind == f.Kind && at(f, shift)(g) || new != nil && sameRace(*new, g)
		})
	}
	if e.after != nil {
		if left, new, ok = x.better(f, e.after, shift); !ok {
			return 0, false, shown
		}
	}
	open, missable, work := e.mayRace(ctx, f.Kernel, shift(f.First.Span), shift(f.Second.Span))
	x.left -= work
	if open != nil || missable > x.before.missableIn(f.Kernel) || ctx.Err() != nil {
		return 0, false, open
	}
	if e.after == nil {
		e.after = e.engine.Check(ctx, e.req)
		x.left -= e.after.workBeside(x.before)
		left, new, ok = x.better(f, e.after, shift)
	}
	return left, ok && ctx.Err() == nil, shown
}

// at tells the findings of an edited text that stand where one stood before.
func at(f race.Finding, shift func(source.Span) spot) func(race.Finding) bool {
	first, second := shift(f.First.Span), shift(f.Second.Span)
	return func(g race.Finding) bool {
		return first.holds(g.First.Span) && second.holds(g.Second.Span)
	}
}

// better reports whether a result lacks a finding and has nothing new, and how many of the others it has. Its text is the one before, but
// for a change that shifts places. One that stands where another stood is not new, as where a lock lacks its fence only by now, or only threads
// of one warp meet. If it does lack the finding, it says what is new.
func (x *Fixer) better(f race.Finding, after *Result, shift func(source.Span) spot) (left int, new *race.Finding, ok bool) {
	if after.cutShort() || x.before.cutShort() || after.missable > x.before.missable || after.doubtsMore(x.before) || after.atomicsOnLocals() > x.before.atomicsOnLocals() {
		return 0, nil, false
	}
	for _, g := range after.Findings {
		hidden := g.Variable != f.Variable // by the race that is mended, or the search for one more has found it
		if g.Severity < race.Warning && f.Severity >= race.Warning && hidden {
			continue
		}
		known, same := false, false
		for _, o := range x.before.Findings {
			if at(o, shift)(g) && (o.Severity >= g.Severity || hidden) && (o.Kind == g.Kind || o.Kind == race.IntraBlock && g.Kind == race.IntraWarp) {
				known, same = true, same || o.Kind == g.Kind
			}
		}
		switch {
		case at(f, shift)(g) && (f.Kind == g.Kind || !same):
			return 0, nil, false
		case !known && new == nil:
			new = &g
		}
		left++
	}
	return left, new, new == nil && left < len(x.before.Findings)
}

// doubtsMore reports whether there are more reasons than before why a kernel is unknown, but for findings that may not matter. Of one whose work
// was at its end before, what pairs were not decided hangs on where it ended, and counts for nothing.
func (r *Result) doubtsMore(before *Result) bool {
	cut := map[string]bool{} // the kernels whose work was at its end
	for _, j := range before.judged {
		cut[j.f.Name] = cut[j.f.Name] || j.v.exhausted
	}
	doubts := func(r *Result) map[string]int {
		out := map[string]int{}
		for _, j := range r.judged {
			reasons := j.v.reasons
			if cut[j.f.Name] {
				reasons = j.v.gaps
			}
			if j.f.Trial == "" {
				out[j.f.Name] += len(distinct(reasons))
			}
		}
		return out
	}
	had := doubts(before)
	for kernel, n := range doubts(r) {
		if n > had[kernel] {
			return true
		}
	}
	return false
}

func distinct(reasons []access.Reason) map[access.Reason]bool {
	out := map[access.Reason]bool{}
	for _, r := range reasons {
		out[r] = true
	}
	return out
}

// cutShort reports whether the work on a kernel was ended by time: what is missing then is no sign of anything.
func (r *Result) cutShort() bool {
	return slices.ContainsFunc(r.judged, func(j judged) bool { return j.v.cut })
}

// atomicsOnLocals counts the atomics on a thread's own memory, for which CUDA has none: a function that updates what its caller
// names may be called for that as well.
func (r *Result) atomicsOnLocals() (n int) {
	for _, j := range r.judged {
		for a := range ir.All[*ir.Atomic](j.f.Body) {
			if at, ok := ir.Root(a.Ptr); ok && at.Obj.Space == ir.Local {
				n++
			}
		}
	}
	return n
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

// spot is where something stands in an edited text: at a span, or somewhere within what has taken the place of more.
type spot struct {
	source.Span
	within bool
}

func (p spot) holds(s source.Span) bool {
	return p.Span == s || p.within && p.File == s.File && p.Start <= s.Start && s.End <= p.End
}

// shifted says where a span stands after edits; a span that an edit changes grows with it.
func shifted(s source.Span, edits []race.Edit) spot {
	out := spot{Span: source.Span{File: s.File, Start: s.Start, End: s.End}}
	for _, e := range edits {
		if e.Span.File != s.File {
			continue
		}
		longer := len(e.Text) - (e.Span.End - e.Span.Start)
		switch {
		case e.Span.Start < e.Span.End && e.Span.Start <= s.Start && s.End <= e.Span.End:
			out.Start, out.End, out.within = out.Start+e.Span.Start-s.Start, out.End+e.Span.End-s.End+longer, true
		case e.Span.End <= s.Start:
			out.Start, out.End = out.Start+longer, out.End+longer
		case e.Span.End <= s.End && e.Span.Start < s.End:
			out.End += longer
		}
	}
	return out
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
