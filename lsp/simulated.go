package lsp

// This file defines how findings of runs are shown: as diagnostics of their own, or, where the
// analysis knows the same race, as a part of its diagnostic, so that nothing is shown twice.

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/internal/confirm"
	"github.com/warplint/warplint/internal/report"
)

// The sources of their diagnostics: what ran here, and what reports of another tool tell.
const (
	simulatorSource = "warplint simulator"
	reportSource    = "warplint racecheck"
)

func (f seen) source() string {
	if f.run.kind == ofReport {
		return reportSource
	}
	return simulatorSource
}

// onRuns is what runs say about the document of a result.
type onRuns struct {
	alone     []seen            // what is shown by itself in the document
	with      map[int][]seen    // what is shown with a static finding, by its number
	confirmed map[int]confirmed // what became of a static finding's witness
	ran       map[string]bool   // kernels that ran as they are now
}

// onRunsOf sorts what the runs say about a document.
func onRunsOf(c *checked) onRuns {
	r := onRuns{with: map[int][]seen{}, confirmed: map[int]confirmed{}, ran: map[string]bool{}}
	if len(c.snapshot.runs.runs) == 0 {
		return r
	}
	k := c.snapshot.carriers()
	for _, f := range k.seen() {
		i := slices.IndexFunc(c.result.Findings, func(static race.Finding) bool {
			return confirm.Same(c.snapshot, static, f.Finding.Finding)
		})
		switch {
		case i >= 0 && f.stale: // the analysis knows what is so now
		case i >= 0:
			r.with[i] = append(r.with[i], f)
		case shownSite(f).Span.File == c.document.path:
			r.alone = append(r.alone, f)
		}
	}
	for _, run := range c.snapshot.runs.runs {
		if run.result == nil || run.static != nil {
			continue
		}
		for _, kernel := range run.result.Kernels {
			if kernel.Span.File == c.document.path && k.sameKernel(run, kernel.Name) {
				r.ran[kernel.Name] = true
			}
		}
	}
	for _, f := range k.confirmed() {
		for i, static := range c.result.Findings {
			if _, known := r.confirmed[i]; !known && confirm.Same(c.snapshot, static, f.Finding) {
				r.confirmed[i] = f
			}
		}
	}
	return r
}

// shownSite is the access at which a finding of a run is shown.
func shownSite(f seen) race.Site {
	if firstMustChange(f.Finding.Finding) {
		return f.First
	}
	return f.Second
}

// widened makes a place that a compiler names, which may be an operator, the code of its line.
func widened(s *snapshot, span source.Span) source.Span {
	f, ok := s.File(span.File)
	if !ok {
		return span
	}
	return codeOf(f, f.Position(span.Start).Line)
}

// simulatedData is the data of a diagnostic of a run.
type simulatedData struct {
	Run     int64     `json:"run"`
	Finding int       `json:"index"`
	Rule    race.Rule `json:"rule"`
}

// simulated converts findings of runs: those of one rule and one place become one diagnostic.
func (s *server) simulated(snap *snapshot, all []seen) []protocol.Diagnostic {
	type place struct {
		at    source.Span
		rule  race.Rule
		stale bool
	}
	of := map[place]int{}
	more := map[int]int{}
	out := []protocol.Diagnostic{}
	for _, f := range all {
		if f.stale && !s.client.unnecessary { // shown like the others, it would be taken for one
			continue
		}
		p := place{widened(snap, shownSite(f).Span), f.Rule, f.stale}
		d := s.simulatedOne(snap, f)
		i, known := of[p]
		if !known {
			of[p] = len(out)
			out = append(out, d)
			continue
		}
		more[i]++
		out[i].Severity = min(out[i].Severity, d.Severity)
		for _, related := range d.RelatedInformation {
			if !slices.Contains(out[i].RelatedInformation, related) {
				out[i].RelatedInformation = append(out[i].RelatedInformation, related)
			}
		}
	}
	for i, n := range more {
		out[i].Message = protocol.String(fmt.Sprintf("%s (and %d more at this place)", out[i].Message, n))
	}
	return out
}

func (s *server) simulatedOne(snap *snapshot, f seen) protocol.Diagnostic {
	shown, other := f.Second, f.First
	if firstMustChange(f.Finding.Finding) {
		shown, other = f.First, f.Second
	}
	data, _ := json.Marshal(simulatedData{f.run.id, f.index, f.Rule})
	d := protocol.Diagnostic{
		Range:    snap.toRange(widened(snap, shown.Span)),
		Severity: toSeverity(f.Severity),
		Code:     protocol.String(f.Rule),
		Source:   protocol.NewOptional(f.source()),
		Message:  protocol.String(oneLine(f.Message) + " (" + howOften(f) + ")"),
		Data:     data,
	}
	if s.client.codeDescription {
		d.CodeDescription.Href = rulePage(f.Rule)
	}
	if f.stale {
		d.Severity = protocol.DiagnosticSeverityHint
		d.Message = protocol.String(oneLine(f.Message) + " (before the last change; simulate again)")
		d.Tags = protocol.NewDiagnosticTags(protocol.DiagnosticTagUnnecessary)
		return d
	}
	if s.client.related {
		d.RelatedInformation = related(f.Finding.Finding, place{shown.Span, shown, other}, func(span source.Span) protocol.Location {
			return snap.toLocation(widened(snap, span))
		})
	}
	return d
}

// howOften says what a run has seen: "seen 12 times by causality".
func howOften(f seen) string {
	if f.run.kind == ofReport {
		return report.Plural(f.Count, "hazard") + " in " + f.run.title
	}
	return "seen " + times(f.Count) + " by " + f.Detector
}

// note says in a few words what runs have shown of a static finding; "" if there was none.
func (r onRuns) note(i int) string {
	var by, reports []string
	count := 0
	for _, f := range r.with[i] {
		if f.run.kind == ofReport {
			reports = append(reports, howOften(f))
			continue
		}
		count += f.Count
		if !slices.Contains(by, f.Detector) {
			by = append(by, f.Detector)
		}
	}
	if count > 0 {
		reports = append([]string{"seen " + times(count) + " on the simulator by " + strings.Join(by, ", ")}, reports...)
	}
	if len(reports) > 0 {
		return strings.Join(reports, "; ")
	}
	if c, ok := r.confirmed[i]; ok {
		if c.Seen {
			return "confirmed on the simulator: seen " + times(c.Count)
		}
		return "not reproduced on the simulator: " + c.Reason
	}
	return ""
}

// showElsewhere publishes the findings of runs in files that are not checked, because they are
// not open or no CUDA files, on their text as it is now.
func (s *server) showElsewhere() {
	if s.client.pull {
		return
	}
	s.elsewhere.Lock()
	defer s.elsewhere.Unlock()
	s.mu.Lock()
	snap, before := s.current, s.outside
	s.mu.Unlock()
	now := map[string][]seen{}
	for _, f := range snap.carriers().seen() {
		path := shownSite(f).Span.File
		if d := snap.documents[path]; d == nil || !d.isCUDA() {
			now[path] = append(now[path], f)
		}
	}
	after := map[string]bool{}
	for path, all := range now {
		after[path] = true
		s.send(&protocol.PublishDiagnosticsParams{URI: snap.uri(path), Diagnostics: s.simulated(snap, all)})
	}
	for path := range before {
		if d := snap.documents[path]; !after[path] && (d == nil || !d.isCUDA()) {
			s.publishNothing(snap.uri(path))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outside = after
}

// explainSeen writes a finding of a run, or of a report, for a hover.
func (c *checked) explainSeen(text page, f seen) {
	text.title(string(f.Rule), string(rulePage(f.Rule)), what(f.Finding.Finding)+", in a run of "+f.run.title)
	text.paragraph("", f.Message)
	if f.stale {
		text.paragraph("", "The kernel has changed since this run; simulate it again.")
		return
	}
	f.First.Span, f.Second.Span = widened(c.snapshot, f.First.Span), widened(c.snapshot, f.Second.Span)
	if w := f.Witness; w != nil {
		text.table([]string{"", "block", "thread", "access", "at"}, [][]string{
			c.row("first", w.First, f.First), c.row("second", w.Second, f.Second),
		})
		text.paragraph("", fmt.Sprintf("Launch: grid %s, block %s; %s.", w.Grid.Coordinate(), w.Block.Coordinate(), howOften(f)))
	}
	if len(f.Operations) == 2 {
		text.table([]string{"", "operation", "access", "at"}, [][]string{
			c.operationRow("first", f.Operations[0], f.First), c.operationRow("second", f.Operations[1], f.Second),
		})
	}
	text.paragraph("Why nothing orders them", f.Why)
	text.paragraph("What mends it", f.Mend)
}

// operationRow is an operation of a stream in the table.
func (c *checked) operationRow(name string, o race.Operation, site race.Site) []string {
	return []string{name, o.What + " in " + o.Stream, describe(site), c.where(site)}
}
