// Package report writes findings and verdicts for people and for programs: text, JSON,
// SARIF 2.1.0 and GitHub's workflow commands. docs/command-line.md describes the formats. Lines
// and columns count from 1, columns in bytes but for SARIF, which counts UTF-16 code units.
package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

// Formats are the names that New knows, the default first.
var Formats = []string{"text", "json", "sarif", "github"}

// Part is what is known about one file, or about one run.
type Part struct {
	Kernels    []race.Kernel
	Findings   []Finding
	Suppressed []Finding // those that a comment in the source says to ignore
	Problems   []race.Problem
	Run        any // the "run" object of a simulation; nil if there was none
	Files      []Timing
}

// Timing is how long a file took.
type Timing struct {
	Path     string
	FrontEnd time.Duration // to be parsed and lowered
	Whole    time.Duration // with the proofs; 0 if it is not known
}

// Finding is a race with what only a run can know of it.
type Finding struct {
	race.Finding
	Detector string // the detector that saw it; "" for static findings
	Count    int    // how often it was seen; 0 for static findings
	// Confirmation is what became of the witness on the simulator; nil if it was not run.
	Confirmation *race.Confirmation
	Reason       string // of a suppressed finding, as its comment gives it
}

// Static wraps the findings of the static analysis.
func Static(findings []race.Finding) []Finding {
	out := make([]Finding, len(findings))
	for i, f := range findings {
		out[i].Finding = f
	}
	return out
}

// Options are what all formats need besides the findings.
type Options struct {
	Files   source.Provider     // the texts that the spans of findings point into
	Name    func(string) string // what a path of a span is called in the output; nil for itself
	Version string              // warplint's
	Color   bool                // ANSI colours, text only
	// NoVerdicts is set where no kernels are judged, so that text does not count them.
	NoVerdicts bool
}

// Writer takes parts in order. Add may write at once; Close writes what needs them all.
type Writer interface {
	Add(Part) error
	Close() error
}

// New returns the writer of a format; the error names the formats that there are.
func New(format string, w io.Writer, o Options) (Writer, error) {
	places := places{o.Files, o.Name}
	if o.Name == nil {
		places.name = func(path string) string { return path }
	}
	switch format {
	case "text":
		return &textWriter{told: map[string]bool{}, w: bufio.NewWriter(w), places: places, style: style{o.Color}, noVerdicts: o.NoVerdicts}, nil
	case "json":
		return &jsonWriter{w: w, places: places, version: o.Version}, nil
	case "sarif":
		return &sarifWriter{w: w, places: places, version: o.Version}, nil
	case "github":
		return &githubWriter{w: w, places: places}, nil
	}
	if format == "stats" {
		return &statsWriter{w: w, Stats: Stats{Name: places.name, Line: places.line}}, nil
	}
	return nil, fmt.Errorf("unknown format %q (there are: %s)", format, strings.Join(Formats, ", "))
}

// places turns spans into lines and columns.
type places struct {
	files source.Provider
	name  func(string) string
}

// bounds returns both ends of a span, (1,1) where its file can't be read.
func (p places) bounds(s source.Span) (start, end source.Position) {
	file, ok := p.files.File(s.File)
	if !ok {
		return source.Position{Line: 1, Column: 1}, source.Position{Line: 1, Column: 1}
	}
	return file.Position(s.Start), file.Position(s.End)
}

// line writes a place as "file:line".
func (p places) line(s source.Span) string {
	start, _ := p.bounds(s)
	return fmt.Sprintf("%s:%d", p.name(s.File), start.Line)
}

// column writes a place as "file:line:column".
func (p places) column(s source.Span) string {
	start, _ := p.bounds(s)
	return fmt.Sprintf("%s:%d:%d", p.name(s.File), start.Line, start.Column)
}

// describe says in a few words what a side of a race does, such as "block-scoped atomic".
func describe(site race.Site) string {
	if site.Scope == race.ScopeNone {
		return string(site.Access)
	}
	return fmt.Sprintf("%s-scoped %s", site.Scope, site.Access)
}

// label says what stands at one side of a finding: who accesses memory there, or, for a barrier that
// not all threads reach, where their ways part.
func label(f *Finding, first bool) string {
	site := f.Second
	if first {
		site = f.First
	}
	switch {
	case f.Rule != race.BarrierDivergence:
		return describe(site) + " by " + who(f, first)
	case f.First.Span != f.Second.Span && first:
		return "the ways of the threads part"
	case f.Witness == nil || f.Witness.First == f.Witness.Second:
		return "reached by " + who(f, true)
	}
	return "reached by " + who(f, true) + ", and not, or less often, by " + who(f, false)
}

// who names the thread of one side, or the operation; without either it is "one thread" or "another thread".
func who(f *Finding, first bool) string {
	switch {
	case len(f.Operations) == 2 && first:
		return operation(f.Operations[0])
	case len(f.Operations) == 2:
		return operation(f.Operations[1])
	case f.Witness == nil && first:
		return "one thread"
	case f.Witness == nil:
		return "another thread"
	case first:
		return thread(f.Witness.First)
	}
	return thread(f.Witness.Second)
}

// operation says who makes the access of an operation.
func operation(o race.Operation) string {
	if o.Kernel != "" {
		return thread(o.Thread) + " in " + o.Stream
	}
	return o.What + " in " + o.Stream
}

func thread(t race.Thread) string {
	return fmt.Sprintf("thread %s of block %s", t.Thread.Coordinate(), t.Block.Coordinate())
}

// dimension writes a launch dimension without the axes that are 1, such as "16x16".
func dimension(d race.Dim3) string {
	switch {
	case d[2] > 1:
		return fmt.Sprintf("%dx%dx%d", d[0], d[1], d[2])
	case d[1] > 1:
		return fmt.Sprintf("%dx%d", d[0], d[1])
	}
	return fmt.Sprint(d[0])
}
