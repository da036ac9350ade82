package analysis

import (
	"cmp"
	"context"
	"slices"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

// This file mends all findings of a file or a kernel, one after the other: what is mended first may mend others as
// well, or show how they are to be mended. In the end each change that the others make superfluous is taken back.

// maxSteps bounds the changes that mend a file, mendWork the work on finding them.
const (
	maxSteps = 100
	mendWork = 4 * fixWork
)

// Mended is what Mend changed.
type Mended struct {
	Edits []race.Edit // in the order of their places; those of one place in the order in which they stand there
	Steps int         // changes
	Gone  int         // findings of severity warning and above that the edited text no longer has
	Left  int         // those that it still has
}

// Mend changes a text until it has no finding of severity warning or above left for which a verified change is known,
// and returns the edits. With Config.Kernel only that kernel's findings are mended. Only files for which mayEdit is true are changed.
func (e *Engine) Mend(ctx context.Context, req Request, mayEdit func(path string) bool) Mended {
	kernel := req.Config.Kernel
	req.Config.Kernel = ""
	m := mender{engine: e.aside(), req: req, kernel: kernel, mayEdit: mayEdit}
	first := m.engine.Check(ctx, req)
	m.now = first
	for left := int64(mendWork); left > 0 && len(m.steps) < maxSteps && ctx.Err() == nil; {
		work, ok := m.step(ctx)
		if !ok {
			break
		}
		left -= work
	}
	m.dropSuperfluous(ctx)
	if ctx.Err() != nil {
		return Mended{Left: m.open(first)}
	}
	out := Mended{Edits: m.edits(m.steps), Steps: len(m.steps), Left: m.open(m.now)}
	out.Gone = m.open(first) - out.Left
	return out
}

// mender mends one text.
type mender struct {
	engine  *Engine
	req     Request
	kernel  string
	mayEdit func(path string) bool

	made    []made
	steps   []step
	now     *Result // of the text with all edits
	without []pair  // findings of it for which no change is known
}

// made is an edit of the first text, and the step that made it.
type made struct {
	race.Edit
	step int
}

// step is a change and, in the first text, the places of the finding that it mends; zero if an earlier step has written one.
type step struct {
	number        int
	kernel        string
	first, second source.Span
}

// wants reports whether a finding is to be mended.
func (m *mender) wants(f race.Finding) bool {
	return f.Severity >= race.Warning && (m.kernel == "" || f.Kernel == m.kernel)
}

// open counts the findings to be mended.
func (m *mender) open(r *Result) (n int) {
	for _, f := range r.Findings {
		if m.wants(f) {
			n++
		}
	}
	return n
}

// edits are those of some steps, in order.
func (m *mender) edits(steps []step) []race.Edit {
	var out []race.Edit
	for _, e := range m.made {
		if slices.ContainsFunc(steps, func(s step) bool { return s.number == e.step }) {
			out = append(out, e.Edit)
		}
	}
	return out
}

// edited is the text that some steps leave; ok is false if their edits do not go together.
func (m *mender) edited(steps []step) (e *edited, ok bool) {
	files, ok := Apply(m.req.Files, m.edits(steps))
	if !ok {
		return nil, false
	}
	return m.engine.edited(m.req, files), true
}

// step mends one more finding and returns the work that it took; ok is false if none can be mended.
func (m *mender) step(ctx context.Context) (work int64, ok bool) {
	text, ok := m.edited(m.steps)
	if !ok {
		return 0, false
	}
	fixer := m.engine.Fixer(text.req)
	fixer.before = m.now
	for _, f := range m.now.Findings {
		if !m.wants(f) || slices.Contains(m.without, pairOf(f)) {
			continue
		}
		for _, fix := range fixer.Fixes(ctx, f) {
			if m.take(f, fix) {
				m.now = fixer.edited[keyOf(fix)].after
				return fixWork - fixer.left, true
			}
		}
		m.without = append(m.without, pairOf(f))
	}
	return fixWork - fixer.left, false
}

// take adds a change of the text as it is now to the steps, if it changes only the first text and what may be edited.
func (m *mender) take(f race.Finding, fix race.Fix) bool {
	next := step{number: len(m.steps), kernel: f.Kernel}
	type placed struct {
		made
		before int
	}
	var added []placed
	for _, e := range fix.Edits {
		before, span, ok := origin(m.made, e.Span)
		if !ok || !m.mayEdit(e.Span.File) {
			return false
		}
		added = append(added, placed{made{race.Edit{Span: span, Text: e.Text}, next.number}, before})
	}
	slices.SortStableFunc(added, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.before, b.before), cmp.Compare(a.Span.Start, b.Span.Start))
	})
	list := slices.Clone(m.made)
	for _, p := range slices.Backward(added) {
		list = slices.Insert(list, p.before, p.made)
	}
	if _, first, ok := origin(m.made, f.First.Span); ok {
		if _, second, ok := origin(m.made, f.Second.Span); ok {
			next.first, next.second = first, second
		}
	}
	for i, p := range m.without {
		m.without[i] = pair{p.rule, shifted(p.first, fix.Edits), shifted(p.second, fix.Edits)}
	}
	m.made, m.steps = list, append(m.steps, next)
	return true
}

// dropSuperfluous takes back each step without which nothing more races than with it.
func (m *mender) dropSuperfluous(ctx context.Context) {
	for _, s := range slices.Clone(m.steps) {
		if len(m.steps) < 2 || ctx.Err() != nil {
			return
		}
		others := slices.DeleteFunc(slices.Clone(m.steps), func(o step) bool { return o == s })
		text, ok := m.edited(others)
		if !ok {
			continue
		}
		if edits := m.edits(others); !s.first.IsZero() {
			if open, _, _ := text.mayRace(ctx, s.kernel, shifted(s.first, edits), shifted(s.second, edits)); open {
				continue
			}
		}
		now := text.engine.Check(ctx, text.req)
		if !now.cutShort() && len(now.Findings) <= len(m.now.Findings) && m.open(now) <= m.open(m.now) && now.missable <= m.now.missable && now.doubts <= m.now.doubts {
			m.steps, m.now = others, now
		}
	}
}

// origin says where a span of an edited text stood before, and before which of the edits it stands now; ok is false if it has
// text that an edit wrote.
func origin(edits []made, s source.Span) (before int, was source.Span, ok bool) {
	moved := 0
	for i, e := range edits {
		if e.Span.File != s.File {
			continue
		}
		start, end := e.Span.Start+moved, e.Span.Start+moved+len(e.Text)
		if s.End <= start {
			return i, source.Span{File: s.File, Start: s.Start - moved, End: s.End - moved}, true
		}
		if s.Start < end {
			return 0, source.Span{}, false
		}
		moved += len(e.Text) - (e.Span.End - e.Span.Start)
	}
	return len(edits), source.Span{File: s.File, Start: s.Start - moved, End: s.End - moved}, true
}
