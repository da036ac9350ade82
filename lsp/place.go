package lsp

// This file defines where findings are shown.

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

// place is where a finding is shown in the document that was checked.
type place struct {
	at    source.Span // in the document
	shown race.Site   // the side that stands there
	other race.Site   // the side that is told as related information
}

// placesOf chooses the places of all findings.
func placesOf(c *checked) []place {
	places := make([]place, len(c.result.Findings))
	for i, f := range c.result.Findings {
		places[i] = placeOf(c, f)
	}
	return places
}

// mark is what the user sees at one place: all findings of one rule that are shown there. One
// access often races with several others in the same way, and that is one mistake to mend.
type mark struct {
	at       source.Span
	rule     race.Rule
	severity race.Severity // of the worst of them
	findings []int
}

// marksOf groups the findings, in the order in which they come.
func marksOf(c *checked) []mark {
	var marks []mark
	for i, f := range c.result.Findings {
		at := c.places[i].at
		k := slices.IndexFunc(marks, func(m mark) bool { return m.at == at && m.rule == f.Rule })
		if k < 0 {
			k = len(marks)
			marks = append(marks, mark{at: at, rule: f.Rule, severity: f.Severity})
		}
		marks[k].findings = append(marks[k].findings, i)
		marks[k].severity = max(marks[k].severity, f.Severity)
	}
	return marks
}

// placeOf chooses the side that has to change, if one of them has: a finding is of most use
// where it is mended. For all others it is the second access, before which an order is missing.
func placeOf(c *checked, f race.Finding) place {
	p := place{shown: f.Second, other: f.First}
	if firstMustChange(f) {
		p.shown, p.other = f.First, f.Second
	}
	var ok bool
	if p.at, ok = inFile(p.shown, c.document.path); ok {
		return p
	}
	if p.at, ok = inFile(p.other, c.document.path); ok {
		p.shown, p.other = p.other, p.shown
		return p
	}
	p.at = includeOf(c.document.file, p.shown.Span.File)
	return p
}

// firstMustChange reports whether the rule blames the first access rather than the second: the
// one whose scope is too narrow, the plain one beside an atomic, or the one that may come too late.
func firstMustChange(f race.Finding) bool {
	first, second := f.First, f.Second
	if second.Access == race.End {
		return true
	}
	switch f.Rule {
	case race.AtomicScope, race.LockScope:
		return first.Access == race.Atomic && (second.Access != race.Atomic || first.Scope < second.Scope)
	case race.MixedAtomic, race.WeakAccess:
		return first.Access != race.Atomic && second.Access == race.Atomic
	}
	return false
}

// inFile returns where a site is seen in a file: the access itself, or else the innermost call
// in that file through which it is reached.
func inFile(site race.Site, path string) (source.Span, bool) {
	if site.Span.File == path {
		return site.Span, true
	}
	for i := len(site.Inlined) - 1; i >= 0; i-- {
		if site.Inlined[i].File == path {
			return site.Inlined[i], true
		}
	}
	return source.Span{}, false
}

// includeOf returns the directive that names a header, as the place of a finding which lies
// all in it, or the file's first line if the header comes in by way of another one.
func includeOf(f *source.File, header string) source.Span {
	first := source.Span{File: f.Path}
	_, first.End = f.LineBounds(1)
	for line := 1; line <= f.Lines(); line++ {
		text := strings.TrimSpace(f.Line(line))
		if strings.HasPrefix(text, "#") && strings.Contains(text, "include") && strings.Contains(text, filepath.Base(header)) {
			start, end := f.LineBounds(line)
			return source.Span{File: f.Path, Start: start, End: end}
		}
	}
	return first
}
