// This file defines the output as SARIF 2.1.0: one result for each finding, at its first
// place, the second one related to it, and the two threads as thread flows of one code flow.

package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules"
	"github.com/warplint/warplint/analysis/source"
)

// sarifWriter collects results and writes one run.
type sarifWriter struct {
	w       io.Writer
	places  places
	version string
	all     Part
}

func (s *sarifWriter) Add(p Part) error {
	s.all = join(s.all, p)
	return nil
}

func (s *sarifWriter) Close() error {
	doc := sarif.NewReport()
	doc.AddRun(s.run())
	return doc.PrettyWrite(s.w)
}

func (s *sarifWriter) run() *sarif.Run {
	run := sarif.NewRunWithInformationURI("warplint", "https://github.com/warplint/warplint")
	run.Tool.Driver.WithVersion(s.version).WithSemanticVersion(s.version)
	run.WithColumnKind("utf16CodeUnits")
	for _, r := range rules.All() {
		run.AddRule(string(r.Name)).
			WithName(string(r.Name)).
			WithShortDescription(sarif.NewMultiformatMessageString().WithText(r.Title + ".")).
			WithHelpURI(r.URL()).
			WithHelp(sarif.NewMultiformatMessageString().WithText(Markdown(r.Markdown(), false)).WithMarkdown(r.Markdown())).
			WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(sarifLevel(r.Severity)))
	}
	run.AddInvocation(s.invocation())
	seen := map[string]int{}
	for i := range s.all.Findings {
		run.AddResult(s.result(run, &s.all.Findings[i], seen))
	}
	for i := range s.all.Suppressed {
		f := &s.all.Suppressed[i]
		run.AddResult(s.result(run, f, seen).AddSuppression(
			sarif.NewSuppression().WithKind("inSource").WithJustification(f.Reason)))
	}
	return run
}

// invocation holds what could not be checked, so that a clean run can be told from one that read nothing.
func (s *sarifWriter) invocation() *sarif.Invocation {
	inv := sarif.NewInvocation().WithExecutionSuccessful(!slices.ContainsFunc(s.all.Problems, func(p race.Problem) bool { return !p.Handled }))
	for _, p := range s.all.Problems {
		level := "error"
		if p.Handled {
			level = "note"
		}
		location := sarif.NewLocation().WithPhysicalLocation(
			sarif.NewPhysicalLocation().WithArtifactLocation(artifact(s.places.name(p.File))))
		inv.AddToolExecutionNotification(sarif.NewNotification().WithLevel(level).
			WithMessage(sarif.NewTextMessage(p.Message)).WithLocations([]*sarif.Location{location}))
	}
	return inv
}

func (s *sarifWriter) result(run *sarif.Run, f *Finding, seen map[string]int) *sarif.Result {
	result := sarif.NewRuleResult(string(f.Rule)).
		WithRuleIndex(max(run.GetRuleIndex(string(f.Rule)), -1)).
		WithLevel(sarifLevel(f.Severity)).
		WithMessage(sarif.NewTextMessage(s.text(f)))
	result.AddLocation(s.location(f.First.Span))
	result.AddRelatedLocation(s.location(f.Second.Span).WithID(1).
		WithMessage(sarif.NewTextMessage(label(f, false))))
	result.AddCodeFlow(sarif.NewCodeFlow().
		AddThreadFlow(s.threadFlow("first", f.First, who(f, true), label(f, true))).
		AddThreadFlow(s.threadFlow("second", f.Second, who(f, false), label(f, false))))
	key := s.fingerprint(f)
	seen[key]++
	result.WithPartialFingerprints(map[string]string{"warplintPair/v1": fmt.Sprintf("%s:%d", key, seen[key])})
	for _, fix := range f.Fixes {
		if len(fix.Edits) > 0 { // SARIF knows no fix that changes nothing
			result.AddFixe(s.fix(fix))
		}
	}
	if f.Count > 0 {
		result.WithOccurrenceCount(f.Count)
	}
	return result
}

func (s *sarifWriter) text(f *Finding) string {
	parts := []string{f.Message}
	for _, p := range []string{f.Why, f.Mend} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, "\n\n")
}

// fingerprint names a finding by its rule and the text of both lines, so that it stays the
// same when lines above it come and go.
func (s *sarifWriter) fingerprint(f *Finding) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00%s\x00", f.Rule, f.Kernel, f.Variable)
	for _, site := range []race.Site{f.First, f.Second} {
		line := ""
		if file, ok := s.places.files.File(site.Span.File); ok {
			line = strings.TrimSpace(file.Line(file.Position(site.Span.Start).Line))
		}
		fmt.Fprintf(h, "%s\x00%s\x00%s\x00", filepath.ToSlash(s.places.name(site.Span.File)), site.Access, line)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// threadFlow lists the calls through which a thread comes to its access, and the access.
func (s *sarifWriter) threadFlow(id string, site race.Site, who, label string) *sarif.ThreadFlow {
	flow := sarif.NewThreadFlow().WithID(id).WithMessage(sarif.NewTextMessage(who))
	for _, call := range site.Inlined {
		flow.AddLocation(sarif.NewThreadFlowLocation().WithLocation(
			s.location(call).WithMessage(sarif.NewTextMessage("call"))))
	}
	flow.AddLocation(sarif.NewThreadFlowLocation().WithImportance("essential").WithLocation(
		s.location(site.Span).WithMessage(sarif.NewTextMessage(label))))
	if !site.Library.IsZero() {
		flow.AddLocation(sarif.NewThreadFlowLocation().WithLocation(
			s.location(site.Library).WithMessage(sarif.NewTextMessage("in the library"))))
	}
	return flow
}

func (s *sarifWriter) fix(fix race.Fix) *sarif.Fix {
	changes := map[string]*sarif.ArtifactChange{}
	out := sarif.NewFix().WithDescription(sarif.NewTextMessage(fix.Title))
	for _, e := range fix.Edits {
		change := changes[e.Span.File]
		if change == nil {
			change = sarif.NewArtifactChange().WithArtifactLocation(artifact(s.places.name(e.Span.File)))
			changes[e.Span.File] = change
			out.AddArtifactChange(change)
		}
		change.AddReplacement(sarif.NewReplacement().WithDeletedRegion(s.region(e.Span)).
			WithInsertedContent(sarif.NewArtifactContent().WithText(e.Text)))
	}
	return out
}

func (s *sarifWriter) location(span source.Span) *sarif.Location {
	return sarif.NewLocation().WithPhysicalLocation(
		sarif.NewPhysicalLocation().WithArtifactLocation(artifact(s.places.name(span.File))).WithRegion(s.region(span)))
}

func (s *sarifWriter) region(span source.Span) *sarif.Region {
	start, end := s.places.bounds(span)
	return sarif.NewRegion().
		WithStartLine(start.Line).WithStartColumn(s.utf16Column(span.File, start)).
		WithEndLine(end.Line).WithEndColumn(s.utf16Column(span.File, end))
}

// utf16Column turns a column in bytes into one in UTF-16 code units, both from 1.
func (s *sarifWriter) utf16Column(path string, p source.Position) int {
	file, ok := s.places.files.File(path)
	if !ok {
		return p.Column
	}
	start, _ := file.LineBounds(p.Line)
	return len(utf16.Encode([]rune(file.Text[start:file.Offset(p)]))) + 1
}

// artifact names a file as a URI reference: absolute for an absolute path, else relative.
func artifact(path string) *sarif.ArtifactLocation {
	u := url.URL{Path: filepath.ToSlash(path)}
	if filepath.IsAbs(path) {
		u.Scheme, u.Path = "file", "/"+strings.TrimPrefix(u.Path, "/") // a drive of Windows stands behind a slash
	}
	return sarif.NewArtifactLocation().WithURI(u.String())
}

func sarifLevel(s race.Severity) string {
	switch s {
	case race.Error:
		return "error"
	case race.Warning:
		return "warning"
	}
	return "note"
}
