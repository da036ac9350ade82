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
	"github.com/warplint/warplint/analysis/source"
)

// settle decides what is shown of what the analysis has found, knowing what was shown last.
func (c *checked) settle(last *checked) {
	c.result, c.kept = c.found, nil
	if last == nil || c.basis == nil {
		return
	}
	kept := map[string][]race.Finding{}
	found, shown := byKernel(c.found), byKernel(last.result)
	m := &mover{from: last.snapshot, to: c.snapshot, changes: map[string]*change{}}
	for name := range kernelsOf(c.found, last.result) {
		if !c.found.Gaps.HalfTyped(name, c.basis.gaps) {
			continue
		}
		before := m.findings(shown[name])
		if !slices.EqualFunc(before, found[name], sameFinding) {
			kept[name] = before
		}
	}
	if len(kept) > 0 {
		c.kept = kept
		c.result = keep(c.found, kept)
	}
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

// keep returns a result with other findings in some kernels.
func keep(found *analysis.Result, kept map[string][]race.Finding) *analysis.Result {
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
	out.Kernels = slices.Clone(found.Kernels)
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

// mover moves places from one snapshot to another.
type mover struct {
	from, to source.Provider
	changes  map[string]*change // by file; nil for one that has not changed
}

// findings moves findings; what stands no more is left out.
func (m *mover) findings(before []race.Finding) []race.Finding {
	var all []race.Finding
	for _, f := range before {
		if f, ok := m.finding(f); ok {
			all = append(all, f)
		}
	}
	return all
}

func (m *mover) finding(f race.Finding) (race.Finding, bool) {
	ok := m.site(&f.First) && m.site(&f.Second)
	var also []race.Pair
	for _, p := range f.Also {
		if m.site(&p.First) && m.site(&p.Second) {
			also = append(also, p)
		}
	}
	f.Also = also
	if f.Witness != nil {
		w := *f.Witness
		f.Witness = &w
		if !m.span(&w.Launch) {
			w.Launch = source.Span{}
		}
	}
	m.span(&f.Allocated)
	return f, ok
}

func (m *mover) site(s *race.Site) bool {
	s.Inlined = slices.Clone(s.Inlined)
	for i := range s.Inlined {
		if !m.span(&s.Inlined[i]) {
			return false
		}
	}
	return m.span(&s.Span) && m.span(&s.Macro)
}

// span moves a place, unless nothing of it is left.
func (m *mover) span(s *source.Span) bool {
	if s.IsZero() {
		return true
	}
	ch, known := m.changes[s.File]
	if !known {
		old, ok := m.from.File(s.File)
		now, still := m.to.File(s.File)
		if !ok || !still {
			return false
		}
		if !sameText(old, now) {
			ch = newChange(old, now)
		}
		m.changes[s.File] = ch
	}
	if ch == nil {
		return true
	}
	moved, ok := ch.span(*s)
	*s = moved
	return ok
}

// change is what differs between two texts: all between the first and the last byte that does.
type change struct {
	old, now *source.File
	start    int // in both
	end      int // in the old text
	shift    int // of what stands behind
	lines    *carrier
}

func newChange(old, now *source.File) *change {
	a, b := old.Text, now.Text
	start := 0
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	same := 0
	for same < min(len(a), len(b))-start && a[len(a)-1-same] == b[len(b)-1-same] {
		same++
	}
	return &change{old: old, now: now, start: start, end: len(a) - same, shift: len(b) - len(a)}
}

// span moves a place; of one that has changed in part, the rest is left. If several places have changed at once, lines that did
// not are found again between them.
func (c *change) span(s source.Span) (source.Span, bool) {
	switch {
	case s.End <= c.start:
		return s, true
	case s.Start >= c.end:
		return source.Span{File: s.File, Start: s.Start + c.shift, End: s.End + c.shift}, true
	case s.Start >= c.start && s.End <= c.end:
		if c.lines == nil {
			c.lines = newCarrier(c.old, c.now)
		}
		now, same, _ := c.lines.span(s)
		return now, same
	}
	now := source.Span{File: s.File, Start: min(s.Start, c.start), End: max(s.End, c.end) + c.shift}
	return now, now.Start < now.End
}
