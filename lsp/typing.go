package lsp

// This file defines what is shown while somebody types. What is half typed may be anything: the barrier that orders two
// accesses, the guard that keeps a thread out, the launch of a kernel. So a kernel of which less is understood than of the text
// that is meant keeps the findings that it had, at the places to which the text has moved, and gets no new ones.

import (
	"cmp"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis"
	"github.com/warplint/warplint/analysis/race"
)

// settle decides what is shown of what the analysis has found, knowing what was shown last.
func (c *checked) settle(last *checked) {
	c.result, c.kept = c.found, nil
	if last == nil || c.basis == nil {
		return
	}
	kept := map[string][]race.Finding{}
	found, shown := byKernel(c.found), byKernel(last.result)
	m := newMover(last.snapshot, c.snapshot, strict)
	for name := range kernelsOf(c.found, last.result) {
		if !c.found.Gaps.HalfTyped(name, c.basis.gaps) {
			continue
		}
		before := m.findings(shown[name])
		if !slices.EqualFunc(before, found[name], sameFinding) {
			kept[name] = before
		}
	}
	lost := c.lost(last, m)
	for _, k := range lost {
		kept[k.Name] = m.findings(shown[k.Name])
	}
	if len(kept) > 0 {
		c.kept = kept
		c.result = keep(c.found, kept, lost)
	}
}

// lost returns the kernels that were shown and whose names still stand there, though what is typed makes no function of them. Without
// them their lenses would go and come, and move the lines.
func (c *checked) lost(last *checked, m *mover) []race.Kernel {
	var all []race.Kernel
	for _, k := range last.result.Kernels {
		stands := slices.ContainsFunc(c.found.Kernels, func(found race.Kernel) bool { return found.Name == k.Name })
		if stands || !c.found.Gaps.HalfTyped(k.Name, c.basis.gaps) || !m.span(&k.Span) {
			continue
		}
		f, ok := c.snapshot.File(k.Span.File)
		if !ok {
			continue
		}
		if head, _, _ := strings.Cut(f.Slice(k.Span), "{"); strings.Contains(head, k.Name) {
			all = append(all, race.Kernel{Name: k.Name, Span: k.Span, Verdict: race.Unknown, Reasons: []string{analysis.StillTyped}})
		}
	}
	return all
}

// kernelsOf are the names of the kernels of a result, and of those that another one has findings in.
func kernelsOf(now, before *analysis.Result) map[string]bool {
	all := map[string]bool{}
	for _, k := range now.Kernels {
		all[k.Name] = true
	}
	for _, f := range before.Findings {
		all[f.Kernel] = true
	}
	return all
}

func byKernel(r *analysis.Result) map[string][]race.Finding {
	all := map[string][]race.Finding{}
	for _, f := range r.Findings {
		all[f.Kernel] = append(all[f.Kernel], f)
	}
	return all
}

// sameFinding reports whether users see the same.
func sameFinding(a, b race.Finding) bool {
	return a.Rule == b.Rule && a.Severity == b.Severity && a.Message == b.Message && a.First.Span == b.First.Span && a.Second.Span == b.Second.Span
}

// keep returns a result with other findings in some kernels, and with some more kernels.
func keep(found *analysis.Result, kept map[string][]race.Finding, lost []race.Kernel) *analysis.Result {
	out := *found
	out.Findings = nil
	for _, f := range found.Findings {
		if _, ok := kept[f.Kernel]; !ok {
			out.Findings = append(out.Findings, f)
		}
	}
	for _, findings := range kept {
		out.Findings = append(out.Findings, findings...)
	}
	slices.SortStableFunc(out.Findings, func(a, b race.Finding) int {
		return cmp.Or(cmp.Compare(a.First.Span.File, b.First.Span.File), cmp.Compare(a.First.Span.Start, b.First.Span.Start),
			cmp.Compare(a.Second.Span.Start, b.Second.Span.Start), strings.Compare(a.Kernel, b.Kernel))
	})
	out.Kernels = slices.Concat(found.Kernels, lost)
	for i := range out.Kernels {
		k := &out.Kernels[i]
		findings, ok := kept[k.Name]
		if !ok {
			continue
		}
		switch {
		case slices.ContainsFunc(findings, func(f race.Finding) bool { return f.Severity >= race.Warning }):
			k.Verdict = race.Racy
		case k.Verdict == race.Racy:
			k.Verdict = race.Unknown
			k.Reasons = append(slices.Clone(k.Reasons), analysis.StillTyped)
		}
	}
	return &out
}
