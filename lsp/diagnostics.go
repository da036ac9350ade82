package lsp

// This file defines diagnostics: what is said at a mark, and how the client gets it. Clients that show what is pushed are pushed to, after each change and with
// the version that the diagnostics belong to. A client that can only pull is told that it may;
// nobody is offered both, since editors would show everything twice.

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules"
	"github.com/warplint/warplint/analysis/source"
)

// rulePage returns where people read about a rule; nowhere if there is no such rule.
func rulePage(name race.Rule) uri.URI {
	r, ok := rules.Get(name)
	if !ok {
		return ""
	}
	return uri.URI(r.URL())
}

// findingID depends on what a finding is about, not on its number in a result.
func findingID(f race.Finding) string {
	hash := sha256.New()
	fmt.Fprintln(hash, f.Rule, f.Kind, f.Kernel, f.Variable, f.First.Span, f.Second.Span, f.First.Inlined, f.Second.Inlined)
	return hex.EncodeToString(hash.Sum(nil)[:8])
}

// findingData is the data of a diagnostic: enough for code actions to know it again.
type findingData struct {
	Finding string    `json:"finding"`
	Rule    race.Rule `json:"rule"`
}

// diagnostics converts all findings of a result.
func (s *server) diagnostics(c *checked) []protocol.Diagnostic {
	all := make([]protocol.Diagnostic, 0, len(c.marks))
	for _, m := range c.marks {
		all = append(all, s.diagnostic(c, m))
	}
	for _, m := range c.mistakes {
		all = append(all, protocol.Diagnostic{
			Range:    c.snapshot.toRange(m.Span),
			Severity: protocol.DiagnosticSeverityWarning,
			Code:     protocol.String("warplint-ignore"),
			Source:   protocol.NewOptional("warplint"),
			Message:  protocol.String(m.Message),
		})
	}
	return append(all, s.simulated(c.snapshot, c.runs.alone)...)
}

// diagnostic converts the findings of a mark. What they say differs in the other access only,
// so one speaks for all.
func (s *server) diagnostic(c *checked, m mark) protocol.Diagnostic {
	first := c.result.Findings[m.findings[0]]
	data, _ := json.Marshal(findingData{findingID(first), m.rule})
	message := oneLine(first.Message)
	if more := len(m.findings) - 1; more > 0 {
		message += fmt.Sprintf(" (and %d more at this place)", more)
	}
	if note := c.noteOf(m); note != "" {
		message += "; " + note
	}
	d := protocol.Diagnostic{
		Range:    c.snapshot.toRange(m.at),
		Severity: toSeverity(m.severity),
		Code:     protocol.String(m.rule),
		Source:   protocol.NewOptional("warplint"),
		Message:  protocol.String(message),
		Data:     data,
	}
	if s.client.codeDescription {
		d.CodeDescription.Href = rulePage(m.rule)
	}
	if s.client.related {
		d.RelatedInformation = c.relatedTo(m)
	}
	return d
}

// noteOf says what runs have shown of the findings of a mark: the first that says something.
func (c *checked) noteOf(m mark) string {
	for _, i := range m.findings {
		if note := c.runs.note(i); note != "" {
			return note
		}
	}
	return ""
}

// relatedTo lists the related places of all findings of a mark, each once, the most telling
// ones of all first.
func (c *checked) relatedTo(m mark) []protocol.DiagnosticRelatedInformation {
	var all []protocol.DiagnosticRelatedInformation
	for rank, more := 0, true; more; rank++ {
		more = false
		for _, i := range m.findings {
			related := related(c.result.Findings[i], c.places[i], c.snapshot.toLocation)
			if rank >= len(related) {
				continue
			}
			more = true
			if !slices.Contains(all, related[rank]) {
				all = append(all, related[rank])
			}
		}
	}
	return all
}

// related lists the other places that belong to a finding, the most telling ones first.
func related(f race.Finding, p place, where func(source.Span) protocol.Location) []protocol.DiagnosticRelatedInformation {
	var all []protocol.DiagnosticRelatedInformation
	add := func(span source.Span, message string) {
		if !span.IsZero() {
			all = append(all, protocol.DiagnosticRelatedInformation{
				Location: where(span), Message: message,
			})
		}
	}
	if f.Rule == race.BarrierDivergence {
		if f.First.Span != f.Second.Span {
			add(f.First.Span, "the ways of the threads part here")
		}
		return all
	}
	if p.shown.Span != p.at {
		add(p.shown.Span, "the "+describe(p.shown)+" happens here")
	}
	switch {
	case p.other.Access == race.End:
		add(p.other.Span, "the other block may end here before")
	case p.shown.Span != p.other.Span:
		add(p.other.Span, "races with this "+describe(p.other))
	case p.shown.Access == p.other.Access:
		add(p.other.Span, "another thread does the same "+describe(p.other)+" here")
	default:
		add(p.other.Span, "races with another thread's "+describe(p.other)+" here")
	}
	for _, site := range []race.Site{p.shown, p.other} {
		for _, call := range site.Inlined {
			if call != p.at {
				add(call, "the "+describe(site)+" is reached by this call")
			}
		}
		add(site.Macro, "the "+describe(site)+" comes from this macro")
	}
	for _, o := range f.Operations {
		if o.Kernel != "" {
			add(o.Span, "`"+o.Kernel+"` is launched here as <<<"+dimension(o.Grid)+", "+dimension(o.Block)+">>> in "+o.Stream)
		}
	}
	if f.Witness != nil {
		add(f.Witness.Launch, "launched here as <<<"+dimension(f.Witness.Grid)+", "+dimension(f.Witness.Block)+">>>")
	}
	return all
}

// describe names an access: "read", "atomic of device scope".
func describe(s race.Site) string {
	if s.Scope == race.ScopeNone {
		return string(s.Access)
	}
	return string(s.Access) + " of " + s.Scope.String() + " scope"
}

// dimension writes a size as CUDA programs do: a number if the rest is 1.
func dimension(d race.Dim3) string {
	if d[1] == 1 && d[2] == 1 {
		return strconv.Itoa(d[0])
	}
	return fmt.Sprintf("dim3(%d,%d,%d)", d[0], d[1], d[2])
}

// oneLine joins what stands on several lines.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// publish sends a new result to a client that is pushed to, and asks one that pulls to do so
// if it can't know that there is something new.
func (s *server) publish(c, before *checked) {
	if s.client.pull {
		if before != nil && before.document == c.document && s.client.refresh {
			s.background(func(ctx context.Context) {
				s.failed("refresh its diagnostics", s.peer.DiagnosticRefresh(ctx))
			})
		}
		return
	}
	s.send(&protocol.PublishDiagnosticsParams{
		URI: c.document.uri, Version: protocol.NewOptional(c.document.version), Diagnostics: s.diagnostics(c),
	})
}

// publishNothing takes back what the client shows for a document that is closed.
func (s *server) publishNothing(u uri.URI) {
	if !s.client.pull {
		s.send(&protocol.PublishDiagnosticsParams{URI: u, Diagnostics: []protocol.Diagnostic{}})
	}
}

func (s *server) send(params *protocol.PublishDiagnosticsParams) {
	s.failed("take diagnostics", s.peer.PublishDiagnostics(s.ctx, params))
}

// Diagnostic implements protocol.Server.
func (s *server) Diagnostic(ctx context.Context, params *protocol.DocumentDiagnosticParams) (protocol.DocumentDiagnosticReport, error) {
	full := &protocol.RelatedFullDocumentDiagnosticReport{}
	full.Kind, full.Items = string(protocol.DocumentDiagnosticReportKindFull), []protocol.Diagnostic{}
	d, ok := s.snapshot().document(params.TextDocument.URI)
	if !ok || !d.isCUDA() {
		return full, nil
	}
	jsonrpc2.Async(ctx)
	c, err := s.result(ctx, d)
	if err != nil {
		return nil, err
	}
	id := fmt.Sprintf("%d.%d", c.id, c.snapshot.runs.version)
	if params.PreviousResultID != nil && *params.PreviousResultID == id {
		same := &protocol.RelatedUnchangedDocumentDiagnosticReport{}
		same.Kind, same.ResultID = string(protocol.DocumentDiagnosticReportKindUnchanged), id
		return same, nil
	}
	full.ResultID, full.Items = &id, s.diagnostics(c)
	return full, nil
}
