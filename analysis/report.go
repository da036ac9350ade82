package analysis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/meet"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules"
	"github.com/warplint/warplint/analysis/rules/barrierdivergence"
	"github.com/warplint/warplint/analysis/rules/rule"
	"github.com/warplint/warplint/analysis/source"
)

// This file turns a verdict into findings on the text as it is now.

// add puts a kernel with its verdict and findings into the result.
func (r *Result) add(req Request, f *ir.Func, hosts []*ir.Func, v *verdict) {
	k := race.Kernel{Name: f.Name, Span: f.Span, Verdict: race.RaceFree, Assumes: v.assumes,
		Milliseconds: float64(v.took.Microseconds()) / 1000, Outside: v.outside, Unshown: v.unshown, CutShort: v.cut}
	for _, reason := range v.reasons {
		k.Reasons = withOne(k.Reasons, describe(req.Files, f, reason))
	}
	if len(k.Reasons) > 0 {
		k.Verdict = race.Unknown
	}
	findings := v.findings(req, f, hosts)
	for _, finding := range findings {
		if finding.Severity >= race.Warning {
			k.Verdict = race.Racy
		} else if k.Verdict == race.RaceFree && !finding.Tolerated && !finding.Presumed {
			k.Verdict = race.Unknown
			k.Reasons = append(k.Reasons, "a race that may not matter: "+finding.Message)
		}
	}
	r.Findings = append(r.Findings, grouped(findings)...)
	r.missable += v.missable
	r.Kernels = append(r.Kernels, k)
}

// outside lists what of a kernel was not lowered.
func outside(f *ir.Func) []string {
	var out []string
	for _, reason := range f.Unknowns {
		out = withOne(out, reason)
	}
	for u := range ir.All[*ir.Unknown](f.Body) {
		out = withOne(out, u.Reason)
	}
	return out
}

// withOne adds a text to a list that does not have it.
func withOne(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

// describe writes a reason with its line.
func describe(files source.Provider, f *ir.Func, reason access.Reason) string {
	if reason.Site < 0 || reason.Site >= len(f.Sites) {
		return reason.Text
	}
	span := f.Sites[reason.Site].Span
	file, ok := files.File(span.File)
	if !ok {
		return reason.Text
	}
	return place(file, span, f.Span.File) + ": " + reason.Text
}

// place is the line of a span, with its file if that is another one than is spoken of.
func place(file *source.File, span source.Span, of string) string {
	line := file.Position(span.Start).Line
	if span.File != of {
		return fmt.Sprintf("%s:%d", span.File, line)
	}
	return fmt.Sprintf("line %d", line)
}

// findings writes all races of a verdict down. Those that lack the same thing for one variable, and stand in the same
// lines, without a loop around them of the same statements, are one: `if (s[t] > s[p]) { x = s[t]; s[t] = s[p]; s[p] = x; }` in a loop has five, and a stencil that is updated in place
// has one with each neighbour. So are those that may not matter, in one variable: if rows are as long as they are meant to be,
// all are gone, and stores to the four channels of a pixel are ten.
func (v *verdict) findings(req Request, f *ir.Func, hosts []*ir.Func) []race.Finding {
	var out []race.Finding
	first := map[stretch]int{}
	for _, c := range v.cases(req, f, hosts) {
		finding := newFinding(c, v.assumes)
		if key, ok := stretchOf(c.Case, finding); ok {
			if i, again := first[key]; again {
				out[i].Also = append(out[i].Also, race.Pair{First: finding.First, Second: finding.Second})
				continue
			}
			first[key] = len(out)
		}
		out = append(out, finding)
	}
	return append(out, v.divergences(f, hosts)...)
}

// stretch is what such races have in common.
type stretch struct {
	rule          race.Rule
	severity      race.Severity
	presumed      bool
	variable      string
	first, second source.Span // of those that matter: a line, without a loop around them one of a statement
}

// stretchOf is that of a race, if one change mends all that have it.
func stretchOf(c *rule.Case, f race.Finding) (key stretch, ok bool) {
	key = stretch{rule: f.Rule, severity: f.Severity, presumed: f.Presumed, variable: f.Variable}
	if f.Presumed && f.Severity < race.Warning {
		return key, true
	}
	switch f.Rule {
	case race.InterBlockRace, race.SameValueWrite:
		if f.Severity < race.Warning {
			return key, true
		}
	case race.MissingSyncthreads, race.MissingSyncwarp, race.MissingClusterSync, race.MixedAtomic:
	default:
		return key, false
	}
	around := c.InLoop()
	at := func(site ir.Site) source.Span {
		file, ok := c.Files.File(site.Span.File)
		if !ok {
			return source.Span{File: site.Span.File}
		}
		start, end := file.LineBounds(file.Position(site.Span.Start).Line)
		if !around && !site.Stmt.IsZero() {
			start = site.Stmt.Start
		}
		return source.Span{File: site.Span.File, Start: start, End: end}
	}
	key.first, key.second = at(c.Site(c.A)), at(c.Site(c.B))
	return key, true
}

// divergences writes the barriers down that not all threads reach.
func (v *verdict) divergences(f *ir.Func, hosts []*ir.Func) []race.Finding {
	if len(v.divergent) == 0 {
		return nil
	}
	now := twins(v.kernel, f)
	place := func(s ir.Stmt) (race.Site, bool) {
		i, ok := ir.SiteOf(s)
		if !ok || i < 0 || i >= len(f.Sites) {
			return race.Site{}, false
		}
		return race.Site{Span: f.Sites[i].Span, Access: race.Read, Inlined: f.Sites[i].Inlined, Macro: f.Sites[i].Macro}, true
	}
	var out []race.Finding
	for _, d := range v.divergent {
		second, ok := place(now[d.At.Stmt])
		if !ok {
			continue
		}
		first, ok := place(now[d.Branch])
		if !ok {
			first = second
		}
		w := d.Witness
		if d.Launch != nil {
			w.Launch = launchSpan(d.Launch, v.hosts, hosts)
		}
		text := barrierdivergence.Text(now[d.At.Stmt], w.First == w.Second)
		severity := barrierdivergence.Rule.Severity
		if d.Small {
			severity = race.Information
		}
		out = append(out, race.Finding{
			Source: "static", Rule: barrierdivergence.Rule.Name, Kind: d.Kind, Severity: severity, Kernel: f.Name, Space: ir.Shared.String(),
			Message: text.Message, Why: text.Why, Mend: text.Mend, First: first, Second: second, Witness: &w, Assumes: slices.Clone(v.assumes),
		})
	}
	return out
}

// grouped puts a race that lacks a barrier behind one that lacks it in a narrower stretch of
// the same text: a barrier that mends the narrower one mends the wider one as well, so people
// see one finding for one missing barrier. One that counts is not put behind one that may not, and of stretches
// that begin and end alike, as those of x and x = y, the first one stands in front.
func grouped(all []race.Finding) []race.Finding {
	var out []race.Finding
	for i, f := range all {
		behind := -1
		for j, g := range all {
			if i != j && covers(f, g) && (j < i || !covers(g, f)) && f.Severity <= g.Severity && (behind < 0 || covers(all[behind], g)) {
				behind = j
			}
		}
		if behind < 0 {
			out = append(out, f)
		}
	}
	for i, f := range all {
		for k := range out {
			if covers(f, out[k]) && !sameRace(f, out[k]) && all[i].Severity >= out[k].Severity {
				out[k].Also = append(out[k].Also, race.Pair{First: f.First, Second: f.Second})
				break
			}
		}
	}
	return out
}

// covers reports whether the stretch between the places of one finding holds that of another
// whose missing barrier orders both.
func covers(wide, narrow race.Finding) bool {
	same := wide.Rule == narrow.Rule && wide.Rule.LacksBarrier()
	block := wide.Rule == race.MissingSyncwarp && narrow.Rule == race.MissingSyncthreads // orders a warp as well
	if !same && !block || wide.Variable != narrow.Variable {
		return false
	}
	a, b, c, d := wide.First.Span, narrow.First.Span, narrow.Second.Span, wide.Second.Span
	if a.File != b.File || a.File != d.File || c.File != d.File || len(wide.First.Inlined)+len(wide.Second.Inlined)+len(narrow.First.Inlined)+len(narrow.Second.Inlined) > 0 {
		return false
	}
	return a.Start <= b.Start && b.Start < c.Start && c.Start <= d.Start
}

// shownCase is a case with its witness.
type shownCase struct {
	*rule.Case
	witness *race.Witness
	small   bool // needs numbers, or a memory, that a caller may never pass
	// presumed is set where an assumption of the verdict rules the race out, rechecked where a compare-and-swap
	// sees to it that it does no harm.
	presumed, rechecked bool
}

// cases are the races of a verdict as cases on the kernel's present text.
func (v *verdict) cases(req Request, f *ir.Func, hosts []*ir.Func) []shownCase {
	if len(v.races) == 0 {
		return nil
	}
	now := twins(v.kernel, f)
	var out []shownCase
	for _, r := range v.races {
		c := &rule.Case{Func: f, A: moved(r.A, now), B: moved(r.B, now), Kind: r.Kind, Tolerated: r.Tolerated, Same: r.Same, Files: req.Files}
		c.Miss = r.Miss
		c.Miss.At = nil
		for _, s := range r.Miss.At {
			c.Miss.At = append(c.Miss.At, now[s])
		}
		w := r.Witness
		if r.Launch != nil {
			w.Launch = launchSpan(r.Launch, v.hosts, hosts)
		}
		if after(c.Site(c.A).Span, c.Site(c.B).Span) {
			c.A, c.B = c.B, c.A
			w.First, w.Second = w.Second, w.First
		}
		out = append(out, shownCase{c, &w, r.Small, r.Presumed, r.Rechecked})
	}
	return out
}

// after reports whether one place stands behind another in one file.
func after(a, b source.Span) bool { return a.File == b.File && a.Start > b.Start }

// launchSpan is where a launch stands in the host functions as they are now.
func launchSpan(l *ir.Launch, old, now []*ir.Func) source.Span {
	for i, h := range old {
		if i >= len(now) {
			break
		}
		n := slices.Index(slices.Collect(ir.All[*ir.Launch](h.Body)), l)
		if again := slices.Collect(ir.All[*ir.Launch](now[i].Body)); n >= 0 && n < len(again) {
			return now[i].Sites[again[n].Site].Span
		}
	}
	return source.Span{}
}

// twins maps the statements of a function to those of another that prints alike.
func twins(old, now *ir.Func) map[ir.Stmt]ir.Stmt {
	list := func(f *ir.Func) []ir.Stmt {
		var all []ir.Stmt
		ir.WalkStmts(f.Body, func(s ir.Stmt) bool { all = append(all, s); return true })
		return all
	}
	from, to := list(old), list(now)
	out := make(map[ir.Stmt]ir.Stmt, len(from))
	for i := range min(len(from), len(to)) {
		out[from[i]] = to[i]
	}
	return out
}

func moved(a *access.Access, now map[ir.Stmt]ir.Stmt) *access.Access {
	b := *a
	b.Stmt = now[a.Stmt]
	b.Site, _ = ir.SiteOf(b.Stmt)
	return &b
}

// newFinding writes a case down for people.
func newFinding(c shownCase, assumes []string) race.Finding {
	r := rules.Classify(c.Case)
	text := r.Explain(c.Case)
	if rest := meet.Presumptions(assumes); c.presumed && len(rest) > 0 {
		text.Mend = fmt.Sprintf("Nothing where %s. The verdict assumes that; the run above breaks it, by its numbers or by what memory holds. If callers may break it, check for it.", strings.Join(rest, " and "))
	}
	text.Why += byData(c.Case, r.Name)
	return race.Finding{
		Source: "static", Rule: r.Name, Kind: c.Kind, Severity: severity(c, r),
		Kernel: c.Func.Name, Space: c.A.Base.Space.String(), Variable: c.Variable(),
		Message: text.Message, Why: text.Why, Mend: text.Mend,
		First: site(c.Case, c.A), Second: site(c.Case, c.B), Witness: c.witness, Assumes: slices.Clone(assumes), Tolerated: c.Tolerated || c.rechecked, Presumed: c.presumed,
	}
}

// byData says that two threads meet by what memory holds, as in `count[key[i]]++`: the code alone does not show that.
func byData(c *rule.Case, name race.Rule) string {
	if name != race.InterBlockRace && !name.LacksBarrier() {
		return ""
	}
	a, b := c.A.ByData, c.B.ByData
	if c.Kind != race.InterBlock {
		a, b = c.A.InBlock, c.B.InBlock
	}
	switch {
	case a == access.ByElement && b == access.ByElement:
		return " The index comes from memory, and both threads find one there that leads to the same place; where no two do, they do not meet."
	case a == access.ByStart && b == access.ByStart:
		return " Where their elements begin comes from memory, and those of both overlap; where no two do, they do not meet."
	}
	return ""
}

func site(c *rule.Case, a *access.Access) race.Site {
	s := c.Site(a)
	out := race.Site{Span: s.Span, Access: a.Kind, Inlined: s.Inlined, Macro: s.Macro}
	if rule.Strong(a) {
		out.Scope = a.Scope
	}
	return out
}

// severity is the rule's, but lower where a compare-and-swap sees to it that a stale value does
// no harm, where policy tolerates the race or an assumption rules it out, and where the race hangs on
// what nothing in the code bounds: on equal elements of an index array, or on sizes below the number
// of threads.
func severity(c shownCase, r rule.Rule) race.Severity {
	if c.Rechecked(c.A) || c.Rechecked(c.B) {
		return race.Hint
	}
	if r.Severity >= race.Warning && (c.small || c.presumed || c.Tolerated) {
		return race.Information
	}
	return r.Severity
}
