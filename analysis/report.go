package analysis

import (
	"fmt"
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules"
	"github.com/warplint/warplint/analysis/rules/rule"
	"github.com/warplint/warplint/analysis/source"
)

// This file turns a verdict into findings on the text as it is now.

// add puts a kernel with its verdict and findings into the result.
func (r *Result) add(req Request, f *ir.Func, hosts []*ir.Func, v *verdict) {
	k := race.Kernel{Name: f.Name, Span: f.Span, Verdict: race.RaceFree, Assumes: v.assumes,
		Milliseconds: float64(v.took.Microseconds()) / 1000}
	for _, reason := range v.reasons {
		k.Reasons = union(k.Reasons, []string{describe(req.Files, f, reason)})
	}
	if len(k.Reasons) > 0 {
		k.Verdict = race.Unknown
	}
	for _, c := range v.cases(req, f, hosts) {
		finding := newFinding(c.Case, c.witness, v.assumes)
		if finding.Severity >= race.Warning {
			k.Verdict = race.Racy
		} else if k.Verdict == race.RaceFree {
			k.Verdict = race.Unknown
			k.Reasons = append(k.Reasons, "there is a race that may do no harm: "+finding.Message)
		}
		r.Findings = append(r.Findings, finding)
	}
	r.earlyExits += v.earlyExits
	r.Kernels = append(r.Kernels, k)
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
	line := file.Position(span.Start).Line
	if span.File != f.Span.File {
		return fmt.Sprintf("%s:%d: %s", span.File, line, reason.Text)
	}
	return fmt.Sprintf("line %d: %s", line, reason.Text)
}

// shownCase is a case with its witness.
type shownCase struct {
	*rule.Case
	witness *race.Witness
}

// cases are the races of a verdict as cases on the kernel's present text.
func (v *verdict) cases(req Request, f *ir.Func, hosts []*ir.Func) []shownCase {
	now := twins(v.kernel, f)
	var out []shownCase
	for _, r := range v.races {
		c := &rule.Case{Func: f, A: moved(r.A, now), B: moved(r.B, now), Kind: r.Kind, Files: req.Files}
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
		out = append(out, shownCase{c, &w})
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
		if twin, ok := twins(h, now[i])[l].(*ir.Launch); ok {
			return now[i].Sites[twin.Site].Span
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
func newFinding(c *rule.Case, w *race.Witness, assumes []string) race.Finding {
	r := rules.Classify(c)
	text := r.Explain(c)
	return race.Finding{
		Source: "static", Rule: r.Name, Kind: c.Kind, Severity: severity(c, r),
		Kernel: c.Func.Name, Space: c.A.Base.Space.String(), Variable: c.Variable(),
		Message: text.Message, Why: text.Why, Mend: text.Mend,
		First: site(c, c.A), Second: site(c, c.B), Witness: w, Assumes: slices.Clone(assumes),
	}
}

func site(c *rule.Case, a *access.Access) race.Site {
	s := c.Site(a)
	out := race.Site{Span: s.Span, Access: a.Kind, Inlined: s.Inlined, Macro: s.Macro}
	if rule.Strong(a) {
		out.Scope = a.Scope
	}
	return out
}

// severity is the rule's, but lower where the race hangs on the contents of memory: two
// elements of an index array that are equal are not what its author has in mind.
func severity(c *rule.Case, r rule.Rule) race.Severity {
	if r.Severity >= race.Warning && c.IndexFromMemory() && !c.Updates() {
		return race.Information
	}
	return r.Severity
}
