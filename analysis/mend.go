package analysis

import (
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
	mendWork = 6 * fixWork
)

// Mended is what Mend changed.
type Mended struct {
	Edits []race.Edit // in the order of their places; those of one place in the order in which they stand there
	Steps int         // changes
	Gone  int         // findings of severity warning and above that the edited text no longer has
	Left  int         // those that it still has
}

// Mend changes a text until it has no finding of severity warning or above left for which a verified change is known,
// and returns the edits. With Config.Kernel only that kernel's findings are mended. Of the changes only those are made for which may is true.
func (e *Engine) Mend(ctx context.Context, req Request, may func(race.Fix) bool) Mended {
	kernel := req.Config.Kernel
	req.Config.Kernel = ""
	m := mender{engine: e.aside(), req: req, kernel: kernel, may: may}
	first := m.engine.Check(ctx, req)
	m.now = first
	for left := int64(mendWork); left > 0 && len(m.steps) < maxSteps && ctx.Err() == nil; {
		work, ok := m.step(ctx)
		left -= work
		if !ok && !m.again() {
			break
		}
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
	engine *Engine
	req    Request
	kernel string
	may    func(race.Fix) bool

	made    []made
	steps   []step
	now     *Result // of the text with all edits
	without []pair  // findings of it for which no change is known
	looked  int     // how many steps there were when the first of these was looked at
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
	return editsOf(slices.DeleteFunc(slices.Clone(m.made), func(e made) bool {
		return !slices.ContainsFunc(steps, func(s step) bool { return s.number == e.step })
	}))
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
	fixer.before, fixer.may = m.now, m.may
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

// again has all findings looked at once more that no change was known for, and reports whether there are any and a step has been made since.
func (m *mender) again() bool {
	if len(m.without) == 0 || m.looked == len(m.steps) {
		return false
	}
	m.without, m.looked = nil, len(m.steps)
	return true
}

// take adds a change of the text as it is now to the steps, if it changes only the first text.
func (m *mender) take(f race.Finding, fix race.Fix) bool {
	next := step{number: len(m.steps), kernel: f.Kernel}
	list, ok := compose(m.made, fix.Edits, next.number)
	if !ok {
		return false
	}
	if _, first, ok := origin(m.made, f.First.Span); ok {
		if _, second, ok := origin(m.made, f.Second.Span); ok {
			next.first, next.second = first, second
		}
	}
	for i, p := range m.without {
		m.without[i] = pair{p.rule, shifted(p.first, fix.Edits).Span, shifted(p.second, fix.Edits).Span}
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
			if open, _, _ := text.mayRace(ctx, s.kernel, shifted(s.first, edits), shifted(s.second, edits)); open != nil {
				continue
			}
		}
		now := text.engine.Check(ctx, text.req)
		if !now.cutShort() && len(now.Findings) <= len(m.now.Findings) && m.open(now) <= m.open(m.now) && now.missable <= m.now.missable && !now.doubtsMore(m.now) {
			m.steps, m.now = others, now
		}
	}
}
