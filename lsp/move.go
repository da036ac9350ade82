package lsp

// This file defines how findings about an older text are moved to a newer one: byte by byte where one stretch has changed, by
// its lines within that (carry.go).

import (
	"slices"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

// strictness says what becomes of a place that has changed.
type strictness int

const (
	// strict takes a place for gone when all of it has changed, and with it what is reached only from there. So it is with findings that are shown as if
	// they were about the newer text.
	strict strictness = iota
	// loose takes it to be on the lines that took the place of its own. So it is with what is remembered of a run, which is greyed out
	// once its text has changed.
	loose
)

// mover moves places from one version of files to another.
type mover struct {
	from, to source.Provider
	strictness
	changes map[string]*change // by file; nil for one that is not in both versions
}

func newMover(from, to source.Provider, s strictness) *mover {
	return &mover{from: from, to: to, strictness: s, changes: map[string]*change{}}
}

// change returns what has changed in a file, or nil if it is not in both versions.
func (m *mover) change(path string) *change {
	ch, known := m.changes[path]
	if !known {
		old, ok := m.from.File(path)
		now, still := m.to.File(path)
		if ok && still {
			ch = newChange(old, now)
		}
		m.changes[path] = ch
	}
	return ch
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

// finding moves all places of a finding; ok is false if nothing is left of one of the accesses. Of what else stands no more, the
// finding says nothing.
func (m *mover) finding(f race.Finding) (moved race.Finding, ok bool) {
	ok = m.site(&f.First) && m.site(&f.Second)
	var also []race.Pair
	for _, p := range f.Also {
		if m.site(&p.First) && m.site(&p.Second) {
			also = append(also, p)
		}
	}
	f.Also = also
	f.Operations = slices.Clone(f.Operations)
	for i := range f.Operations {
		m.span(&f.Operations[i].Span)
	}
	if f.Witness != nil {
		w := *f.Witness
		f.Witness = &w
		m.span(&w.Launch)
	}
	m.span(&f.Allocated)
	return f, ok
}

// site moves an access; the calls and the macro that it comes from are a part of it, if the mover is strict.
func (m *mover) site(s *race.Site) bool {
	var calls []source.Span
	for _, call := range s.Inlined {
		switch {
		case m.span(&call):
			calls = append(calls, call)
		case m.strictness == strict:
			return false
		}
	}
	s.Inlined = calls
	return m.span(&s.Span) && (m.span(&s.Macro) || m.strictness == loose)
}

// span moves a place. If nothing of it is left, it becomes none.
func (m *mover) span(s *source.Span) bool {
	if s.IsZero() {
		return true
	}
	if ch := m.change(s.File); ch != nil {
		if now, ok := ch.span(*s, m.strictness); ok {
			*s = now
			return true
		}
	}
	*s = source.Span{}
	return false
}

// change is what differs between two texts: all between the first and the last byte that does.
type change struct {
	old, now *source.File
	start    int // in both
	end      int // in the old text
	shift    int // of what stands behind
	byLines  *carrier
}

func newChange(old, now *source.File) *change {
	a, b := old.Text, now.Text
	if sameText(old, now) {
		return &change{old: old, now: now, start: len(a), end: len(a)}
	}
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

// lines finds the old lines in the new text.
func (c *change) lines() *carrier {
	if c.byLines == nil {
		c.byLines = newCarrier(c.old, c.now)
	}
	return c.byLines
}

// span moves a place; of one that has changed in part, the rest is left. If several places have changed at once, lines that did
// not are found again between them.
func (c *change) span(s source.Span, strictness strictness) (now source.Span, ok bool) {
	switch {
	case s.End <= c.start:
		return s, true
	case s.Start >= c.end:
		return source.Span{File: s.File, Start: s.Start + c.shift, End: s.End + c.shift}, true
	}
	now, same, near := c.lines().span(s)
	switch {
	case same || near && strictness == loose:
		return now, true
	case s.Start >= c.start && s.End <= c.end:
		return source.Span{}, false
	}
	now = source.Span{File: s.File, Start: s.Start, End: s.End + c.shift}
	if s.Start >= c.start { // its beginning has changed
		now.Start = c.end + c.shift
	}
	if s.End <= c.end { // its end has
		now.End = c.start
	}
	return now, now.Start < now.End
}
