package report

// This file defines the statistics over many files: how many kernels were lowered whole and with
// which verdicts, and the reasons of the rest by frequency, as Markdown.

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

// Stats sums up parts. Its zero value is ready to use.
type Stats struct {
	Name func(path string) string   // what a file is called; nil for itself
	Line func(s source.Span) string // what a place is called; nil for nothing

	files    []Timing
	failures []race.Problem
	kernels  int
	whole    int
	cut      []string // kernels that a time limit ended
	unshown  int      // pairs
	doubtful int      // kernels with such pairs
	verdicts map[string]int
	findings map[string]int
	outside  map[string]int
	reasons  map[string]int
	times    []float64 // of kernels, in milliseconds
}

// statsWriter is the Writer of them.
type statsWriter struct {
	Stats
	w io.Writer
}

// Add implements Writer.
func (s *statsWriter) Add(p Part) error {
	s.Stats.Add(p)
	return nil
}

// Close implements Writer.
func (s *statsWriter) Close() error {
	_, err := io.WriteString(s.w, s.String())
	return err
}

// Add counts a part.
func (s *Stats) Add(p Part) {
	if s.verdicts == nil {
		s.verdicts, s.findings, s.outside, s.reasons = map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	}
	s.files = append(s.files, p.Files...)
	s.failures = append(s.failures, p.Problems...)
	for _, k := range p.Kernels {
		s.kernel(k)
	}
	for _, f := range p.Findings {
		s.findings[f.Severity.String()+" "+string(f.Rule)]++
	}
}

func (s *Stats) kernel(k race.Kernel) {
	s.kernels++
	s.verdicts[string(k.Verdict)]++
	s.times = append(s.times, k.Milliseconds)
	if len(k.Outside) == 0 {
		s.whole++
	}
	if k.CutShort {
		name := k.Name
		if s.Line != nil {
			name += ", " + s.Line(k.Span)
		}
		s.cut = append(s.cut, name)
	}
	if k.Unshown > 0 {
		s.unshown += k.Unshown
		s.doubtful++
	}
	countKinds(s.outside, k.Outside)
	if k.Verdict == race.Unknown {
		countKinds(s.reasons, k.Reasons)
	}
}

// place is what tells one reason from another of the same kind: its line and its variable.
var place = regexp.MustCompile("^(\\S+:\\d+|line \\d+): | on `[^`]*`")

// countKinds counts each kind of reason once.
func countKinds(counts map[string]int, reasons []string) {
	kinds := map[string]bool{}
	for _, r := range reasons {
		kinds[place.ReplaceAllString(r, "")] = true
	}
	for kind := range kinds {
		counts[kind]++
	}
}

// MostReasons is how many lines a table of reasons has at most.
const MostReasons = 25

// String writes the tables.
func (s *Stats) String() string {
	var b strings.Builder
	row := func(name string, value any) { fmt.Fprintf(&b, "| %s | %v |\n", name, value) }
	b.WriteString("| what | how much |\n| --- | --- |\n")
	row("files", len(s.files))
	row("without an answer, or with a problem", len(s.failures))
	row("kernels", s.kernels)
	row("lowered whole", share(s.whole, s.kernels))
	row("verdicts", Counts(s.verdicts))
	row("findings", Counts(s.findings))
	row("pairs that may race, but that no run showed", fmt.Sprintf("%d, in %d kernels", s.unshown, s.doubtful))
	row("kernels that hit a time limit", len(s.cut))
	frontEnd, whole := func(t Timing) time.Duration { return t.FrontEnd }, func(t Timing) time.Duration { return t.Whole }
	if known(s.files, frontEnd) {
		row("to parse and lower a file", s.fileTimes(frontEnd))
	}
	if known(s.files, whole) {
		row("to check a file", s.fileTimes(whole))
	}
	row("to judge a kernel", spread(s.times))
	s.list(&b, "No answer, or a problem", s.failures)
	for _, name := range s.cut {
		fmt.Fprintf(&b, "\nCut short: %s\n", name)
	}
	table(&b, "not lowered whole because of", s.outside)
	table(&b, "unknown because of", s.reasons)
	return b.String()
}

func (s *Stats) name(path string) string {
	if s.Name == nil {
		return path
	}
	return s.Name(path)
}

func (s *Stats) list(b *strings.Builder, title string, problems []race.Problem) {
	for _, p := range problems[:min(len(problems), MostReasons)] {
		fmt.Fprintf(b, "\n%s: %s: %s\n", title, s.name(p.File), p.Message)
	}
	if more := len(problems) - MostReasons; more > 0 {
		fmt.Fprintf(b, "\n… and %d more\n", more)
	}
}

func known(files []Timing, of func(Timing) time.Duration) bool {
	return slices.ContainsFunc(files, func(t Timing) bool { return of(t) > 0 })
}

// fileTimes says how long files took, and which one most.
func (s *Stats) fileTimes(of func(Timing) time.Duration) string {
	var all []float64
	slowest := Timing{}
	for _, t := range s.files {
		all = append(all, float64(of(t).Microseconds())/1000)
		if of(t) > of(slowest) {
			slowest = t
		}
	}
	text := spread(all)
	if slowest.Path != "" {
		text += fmt.Sprintf(" (%s)", s.name(slowest.Path))
	}
	return text
}

// spread describes times in milliseconds.
func spread(times []float64) string {
	if len(times) == 0 {
		return "–"
	}
	slices.Sort(times)
	at := func(q float64) float64 { return times[int(q*float64(len(times)-1))] }
	return fmt.Sprintf("median %.2f ms, 99th percentile %.2f ms, most %.2f ms", at(0.5), at(0.99), at(1))
}

func share(part, of int) string {
	if of == 0 {
		return "0"
	}
	return fmt.Sprintf("%d (%.1f %%)", part, 100*float64(part)/float64(of))
}

// table writes how often each reason was met, the most frequent first.
func table(b *strings.Builder, title string, counts map[string]int) {
	if len(counts) == 0 {
		return
	}
	fmt.Fprintf(b, "\n| %s | kernels |\n| --- | --- |\n", title)
	names := frequent(counts)
	for _, name := range names[:min(len(names), MostReasons)] {
		fmt.Fprintf(b, "| %s | %d |\n", strings.ReplaceAll(name, "|", "\\|"), counts[name])
	}
	if more := len(names) - MostReasons; more > 0 {
		fmt.Fprintf(b, "| … and %d more reasons | |\n", more)
	}
}

// Counts writes how often each name was met, the most frequent first.
func Counts(m map[string]int) string {
	var parts []string
	for _, name := range frequent(m) {
		part := name
		if m[name] > 1 {
			part = fmt.Sprintf("%s × %d", name, m[name])
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

func frequent(m map[string]int) []string {
	names := slices.Sorted(maps.Keys(m))
	slices.SortStableFunc(names, func(a, b string) int { return m[b] - m[a] })
	return names
}
