// This file defines the text output: for each finding the message, the source with both
// places marked, the launch, why nothing orders the two accesses and what mends it; at the
// end each kernel's verdict and a summary line.

package report

import (
	"bufio"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

// style paints text for a terminal, or leaves it alone.
type style struct{ on bool }

func (s style) paint(code, text string) string {
	if !s.on || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s style) bold(t string) string   { return s.paint("1", t) }
func (s style) red(t string) string    { return s.paint("31", t) }
func (s style) green(t string) string  { return s.paint("32", t) }
func (s style) yellow(t string) string { return s.paint("1;33", t) }
func (s style) blue(t string) string   { return s.paint("1;34", t) }
func (s style) cyan(t string) string   { return s.paint("1;36", t) }

func (s style) severity(level race.Severity) string {
	switch level {
	case race.Error:
		return s.paint("1;31", level.String())
	case race.Warning:
		return s.yellow(level.String())
	}
	return s.cyan(level.String())
}

// textWriter writes findings as they come and the verdicts at the end.
type textWriter struct {
	w      *bufio.Writer
	places places
	style  style
	all    Part
	told   map[string]bool // the reasons that were given

	noVerdicts bool
}

func (t *textWriter) Add(p Part) error {
	t.all = join(t.all, p)
	for i := range p.Findings {
		t.finding(&p.Findings[i])
	}
	return t.w.Flush()
}

func (t *textWriter) Close() error {
	for _, k := range t.all.Kernels {
		t.kernel(k)
	}
	if len(t.all.Kernels) > 0 {
		t.line("")
	}
	t.line("%s", t.style.bold(t.summary()))
	return t.w.Flush()
}

func (t *textWriter) line(format string, args ...any) {
	fmt.Fprintf(t.w, format+"\n", args...)
}

func (t *textWriter) lines(list []string) {
	for _, l := range list {
		t.line("%s", l)
	}
}

func (t *textWriter) finding(f *Finding) {
	t.line("%s: %s: %s [%s]", t.style.bold(printable(t.places.column(f.First.Span))), t.style.severity(f.Severity),
		t.style.bold(printable(f.Message)), f.Rule)
	g := gutter{width: t.gutterWidth(f), paint: t.style.blue}
	t.excerpts(g, f)
	for _, n := range t.notes(f) {
		t.lines(n.show(g, t.style))
	}
	t.fixes(g, f)
	t.line("%s", g.note(t.style.bold("more: ")+"warplint explain "+string(f.Rule)))
	t.line("")
}

// gutterWidth is the width of the greatest line number that the finding shows.
func (t *textWriter) gutterWidth(f *Finding) int {
	last := 1
	see := func(s source.Span) {
		_, end := t.places.bounds(s)
		last = max(last, end.Line+diffContext)
	}
	see(f.First.Span)
	see(f.Second.Span)
	for _, fix := range f.Fixes {
		for _, e := range fix.Edits {
			see(e.Span)
		}
	}
	return len(fmt.Sprint(last))
}

// excerpts shows both places: in one excerpt if they are in one file, else in one each.
func (t *textWriter) excerpts(g gutter, f *Finding) {
	first := mark{f.First.Span, label(f, true), t.style.yellow}
	second := mark{f.Second.Span, label(f, false), t.style.cyan}
	if first.span == second.span && first.label == second.label {
		t.excerpt(g, f.First.Span.File, first)
		return
	}
	if f.First.Span.File == f.Second.Span.File {
		t.excerpt(g, f.First.Span.File, first, second)
		return
	}
	t.excerpt(g, f.First.Span.File, first)
	t.line("%s", g.arrow(printable(t.places.column(f.Second.Span))))
	t.excerpt(g, f.Second.Span.File, second)
}

func (t *textWriter) excerpt(g gutter, path string, marks ...mark) {
	file, ok := t.places.files.File(path)
	switch {
	case !ok:
		for _, m := range marks {
			t.line("%s", g.note(m.label))
		}
	case isBlank(file, marks):
		for _, m := range marks {
			t.line("%s", g.note(m.label+" at "+printable(t.places.line(m.span))))
		}
	default:
		t.lines(excerpt(g, file, marks))
	}
}

// isBlank reports whether there is nothing to show: no access stands on a blank line, so the
// text only stands in for one that is not here.
func isBlank(file *source.File, marks []mark) bool {
	for _, m := range marks {
		if strings.TrimSpace(file.Line(file.Position(m.span.Start).Line)) != "" {
			return false
		}
	}
	return true
}

// note is a fact about a finding that has no place in the excerpt.
type note struct{ name, text string }

// show breaks a note into lines that begin below each other.
func (n note) show(g gutter, s style) []string {
	out := wrap(n.name+": "+printable(n.text), textWidth)
	out[0] = g.note(s.bold(n.name+":") + strings.TrimPrefix(out[0], n.name+":"))
	for i := range out[1:] {
		out[i+1] = strings.Repeat(" ", g.width+3) + out[i+1]
	}
	return out
}

// notes are in the order in which people ask: when, why, and what to do.
func (t *textWriter) notes(f *Finding) []note {
	var out []note
	note := func(name, text string) {
		if text != "" {
			out = append(out, note{name, text})
		}
	}
	note("first, called from", t.reached(f.First))
	note("second, called from", t.reached(f.Second))
	note("in the library", t.within(f))
	note(seen(f))
	switch {
	case f.Witness != nil:
		note("launch", t.launch(f))
		note("memory", f.Witness.Contents())
	case len(f.Operations) == 2:
		note("first launch", t.launched(f.Operations[0]))
		note("second launch", t.launched(f.Operations[1]))
	default:
		note("kernel", f.Kernel)
	}
	if !f.Allocated.IsZero() {
		note("allocated", "at "+t.places.line(f.Allocated))
	}
	if !t.told[f.Why] { // the reasons of one rule are alike
		note("why", f.Why)
		t.told[f.Why] = true
	}
	for _, a := range f.Assumes {
		note("assuming", a)
	}
	note("to mend it", f.Mend)
	if n := Plural(len(f.Also), "further pair"); len(f.Also) > 0 && (f.Presumed || !f.Rule.LacksBarrier()) {
		note("likewise", n+" of places in `"+f.Variable+"`")
	} else if len(f.Also) > 0 {
		note("mends as well", n+" of places in the same stretch")
	}
	return out
}

// reached says through which calls and which macro a side is reached.
func (t *textWriter) reached(s race.Site) string {
	var steps []string
	for _, call := range s.Inlined {
		steps = append(steps, t.places.column(call))
	}
	text := strings.Join(steps, ", ")
	if !s.Macro.IsZero() {
		text = strings.TrimPrefix(text+", macro defined at "+t.places.line(s.Macro), ", ")
	}
	return text
}

// within says where inside of a library the accesses stand.
func (t *textWriter) within(f *Finding) string {
	var places []string
	for _, s := range []race.Site{f.First, f.Second} {
		if s.Library.IsZero() {
			continue
		}
		if at := t.places.line(s.Library); !slices.Contains(places, at) {
			places = append(places, at)
		}
	}
	return strings.Join(places, " and ")
}

// seen says what a run has shown of a finding, as a note's name and text.
func seen(f *Finding) (name, text string) {
	switch c := f.Confirmation; {
	case c != nil && c.Seen && f.Rule == race.BarrierDivergence:
		return "confirmed", "threads waited for each other for ever on the simulator"
	case c != nil && c.Seen:
		return "confirmed", fmt.Sprintf("the two lines raced %s on the simulator", Plural(c.Count, "time"))
	case c != nil:
		return "not confirmed", c.Reason
	case f.Detector == "" || f.Count == 0:
		return "seen", f.Detector
	case f.Count == 1:
		return "seen", "once, by " + f.Detector
	}
	return "seen", fmt.Sprintf("%d times, by %s", f.Count, f.Detector)
}

// launch says for which launch and which parameters the two threads meet.
func (t *textWriter) launch(f *Finding) string {
	w := f.Witness
	text := fmt.Sprintf("%s<<<%s, %s>>>", f.Kernel, dimension(w.Grid), dimension(w.Block))
	if w.Cluster.Count() > 1 {
		text += " in clusters of " + dimension(w.Cluster)
	}
	switch {
	case !w.Launch.IsZero():
		text += " at " + t.places.line(w.Launch)
	case f.Source == "static":
		text += " (assumed)"
	}
	values := w.Values()
	names := slices.Sorted(maps.Keys(values))
	for i, name := range names {
		names[i] = name + " = " + values[name]
	}
	if len(names) > 0 {
		text += " with " + strings.Join(names, ", ")
	}
	return text
}

// launched says where the host launches a kernel; what is no kernel is marked in the excerpt.
func (t *textWriter) launched(o race.Operation) string {
	if o.Kernel == "" {
		return ""
	}
	text := fmt.Sprintf("%s<<<%s, %s>>> in %s", o.Kernel, dimension(o.Grid), dimension(o.Block), o.Stream)
	if !o.Span.IsZero() {
		text += " at " + t.places.line(o.Span)
	}
	return text
}

// fixes shows the best fix as a diff, and names the others.
func (t *textWriter) fixes(g gutter, f *Finding) {
	for i, fix := range f.Fixes {
		name := "fix"
		if i > 0 {
			name = "or"
		}
		if fix.Verified {
			name += " (verified)"
		} else {
			name += " (not verified)"
		}
		t.lines(note{name, fix.Title}.show(g, t.style))
		if i == 0 {
			t.diff(g, f, fix)
		}
	}
}

func (t *textWriter) diff(g gutter, f *Finding, fix race.Fix) {
	shown := f.First.Span.File
	for _, h := range hunks(t.places.files, fix.Edits) {
		if h.file.Path != shown {
			shown = h.file.Path
			t.line("%s", g.arrow(printable(fmt.Sprintf("%s:%d", t.places.name(shown), h.line))))
		}
		t.lines(h.show(g, t.style))
	}
}

func (t *textWriter) kernel(k race.Kernel) {
	verdict := string(k.Verdict)
	switch k.Verdict {
	case race.RaceFree:
		verdict = t.style.green(verdict)
	case race.Racy:
		verdict = t.style.yellow(verdict)
	}
	t.line("%s: %s: %s", printable(t.places.line(k.Span)), t.style.bold(k.Name), verdict)
	for _, reason := range Reasons(k.Reasons) {
		t.line("    because %s", printable(reason))
	}
	for _, a := range k.Assumes {
		t.line("    assuming %s", printable(a))
	}
}

// summary counts findings by severity, the worst first, and kernels by verdict.
func (t *textWriter) summary() string {
	severities := map[race.Severity]int{}
	for _, f := range t.all.Findings {
		severities[f.Severity]++
	}
	verdicts := map[race.Verdict]int{}
	for _, k := range t.all.Kernels {
		verdicts[k.Verdict]++
	}
	var found []string
	for level := race.Error; level >= race.Hint; level-- {
		if n := severities[level]; n > 0 {
			found = append(found, Plural(n, level.String()))
		}
	}
	text := "no findings"
	if len(found) > 0 {
		text = strings.Join(found, ", ")
	}
	if !t.noVerdicts {
		text += "; " + Plural(len(t.all.Kernels), "kernel")
	}
	if len(t.all.Kernels) > 0 {
		text += fmt.Sprintf(": %d race-free, %d racy, %d unknown", verdicts[race.RaceFree], verdicts[race.Racy], verdicts[race.Unknown])
	}
	if n := len(t.all.Suppressed); n > 0 {
		text += fmt.Sprintf("; %d ignored", n)
	}
	handled := 0
	for _, p := range t.all.Problems {
		if p.Handled {
			handled++
		}
	}
	if n := len(t.all.Problems) - handled; n > 0 {
		text += "; " + Plural(n, "problem") + ", see above"
	}
	if handled > 0 {
		text += "; " + Plural(handled, "error") + " that the program was told of, see above"
	}
	return text
}

// Plural counts things: "1 race", "3 launches", "2 information".
func Plural(n int, word string) string {
	switch {
	case n == 1:
		return "1 " + word
	case word == "information":
		return fmt.Sprintf("%d %s", n, word)
	case strings.HasSuffix(word, "ch"):
		return fmt.Sprintf("%d %ses", n, word)
	}
	return fmt.Sprintf("%d %ss", n, word)
}
