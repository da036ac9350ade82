package lsp

// This file defines hovers: over a place of a finding, what races and what mends it; over the
// name of a kernel, the verdict on it.

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/internal/report"
)

// Hover implements protocol.Server.
func (s *server) Hover(ctx context.Context, params *protocol.HoverParams) (*protocol.Hover, error) {
	d, ok := s.snapshot().document(params.TextDocument.URI)
	if !ok || !d.isCUDA() {
		return nil, nil
	}
	jsonrpc2.Async(ctx)
	c, err := s.result(ctx, d)
	if err != nil {
		return nil, err
	}
	text := s.page()
	at, found := c.hover(text, d.mapper.offset(params.Position))
	if !found {
		return nil, nil
	}
	r := c.snapshot.toRange(at)
	return &protocol.Hover{Contents: &protocol.MarkupContent{Kind: text.kind(), Value: text.String()}, Range: &r}, nil
}

func (s *server) page() page {
	if s.client.markdown {
		return &markdown{}
	}
	return &plain{}
}

// hover writes what is known about the place of an offset, and returns that place. It explains
// one finding of each rule, and names the others.
func (c *checked) hover(text page, offset int) (source.Span, bool) {
	var at source.Span
	var explained []race.Rule
	var rest []string
	for i, f := range c.result.Findings {
		span, ok := c.touches(i, offset)
		switch {
		case !ok:
			continue
		case slices.Contains(explained, f.Rule):
			rest = append(rest, c.also(f))
			continue
		case at.IsZero():
			at = span
		default:
			text.rule()
		}
		explained = append(explained, f.Rule)
		c.explain(text, f)
		text.paragraph("Runs", c.onSimulator(i))
	}
	for _, f := range c.runs.alone {
		span := widened(c.snapshot, shownSite(f).Span)
		if !span.Contains(offset) {
			continue
		}
		switch {
		case slices.Contains(explained, f.Rule):
			rest = append(rest, string(f.Rule)+": "+f.Message+", "+howOften(f))
			continue
		case at.IsZero():
			at = span
		default:
			text.rule()
		}
		explained = append(explained, f.Rule)
		c.explainSeen(text, f)
	}
	if !at.IsZero() {
		text.list("Other races here", rest)
		return at, true
	}
	for _, k := range c.result.Kernels {
		if k.Span.File == c.document.path && k.Span.Contains(offset) {
			c.explainKernel(text, k)
			return k.Span, true
		}
	}
	return source.Span{}, false
}

// onSimulator says in a sentence what runs have shown of a finding.
func (c *checked) onSimulator(i int) string {
	note := c.runs.note(i)
	if note == "" {
		return ""
	}
	return strings.ToUpper(note[:1]) + note[1:] + "."
}

// also names a finding in one line.
func (c *checked) also(f race.Finding) string {
	return fmt.Sprintf("%s: %s at %s, %s at %s", f.Rule,
		f.First.Access, c.where(f.First), f.Second.Access, c.where(f.Second))
}

// touches reports whether the offset lies where a finding is shown or at its other access.
func (c *checked) touches(i, offset int) (source.Span, bool) {
	p := c.places[i]
	if p.at.Contains(offset) {
		return p.at, true
	}
	if span, ok := inFile(p.other, c.document.path); ok && span.Contains(offset) {
		return span, true
	}
	return source.Span{}, false
}

// explain writes one finding: what races, which threads, why, and what mends it.
func (c *checked) explain(text page, f race.Finding) {
	text.title(string(f.Rule), string(rulePage(f.Rule)), what(f))
	text.paragraph("", f.Message)
	if w := f.Witness; w != nil {
		text.table([]string{"", "block", "thread", "access", "at"}, [][]string{
			c.row("first", w.First, f.First), c.row("second", w.Second, f.Second),
		})
		text.paragraph("", c.launch(w))
		text.paragraph("Memory when it begins", w.Contents())
	}
	text.paragraph("Why nothing orders them", f.Why)
	text.paragraph("What mends it", f.Mend)
	text.list("This assumes", f.Assumes)
}

// what says in a few words what races: "intra-block race on shared partial in kernel reduce".
func what(f race.Finding) string {
	words := []string{string(f.Kind), "race"}
	if f.Variable != "" {
		words = append(words, "on", f.Space, "`"+f.Variable+"`")
	}
	if f.Kernel != "" {
		words = append(words, "in kernel", "`"+f.Kernel+"`")
	}
	return oneLine(strings.Join(words, " "))
}

// row is a thread of the witness in the table.
func (c *checked) row(name string, thread race.Thread, site race.Site) []string {
	return []string{name, thread.Block.Coordinate(), thread.Thread.Coordinate(), describe(site), c.where(site)}
}

// where names the line and the text of an access, and the file if it is another one.
func (c *checked) where(site race.Site) string {
	f, ok := c.snapshot.File(site.Span.File)
	if !ok {
		return ""
	}
	at := fmt.Sprintf("line %d: `%s`", f.Position(site.Span.Start).Line, shorten(f.Slice(site.Span)))
	if site.Span.File != c.document.path {
		at = base(site.Span.File) + " " + at
	}
	return at
}

// launch says which launch the two threads belong to.
func (c *checked) launch(w *race.Witness) string {
	text := "Launch"
	if f, ok := c.snapshot.File(w.Launch.File); ok {
		text += " at "
		if w.Launch.File != c.document.path {
			text += base(w.Launch.File) + " "
		}
		text += fmt.Sprintf("line %d", f.Position(w.Launch.Start).Line)
	}
	text += ": grid " + w.Grid.Coordinate() + ", block " + w.Block.Coordinate()
	values := w.Values()
	names := slices.Sorted(maps.Keys(values))
	for i, name := range names {
		names[i] = "`" + name + " = " + values[name] + "`"
	}
	if len(names) > 0 {
		text += ", with " + strings.Join(names, ", ")
	}
	if w.Launch.IsZero() {
		return text + "; assumed, as no launch was found that says otherwise."
	}
	return text + "."
}

// explainKernel writes the verdict on a kernel and what led to it.
func (c *checked) explainKernel(text page, k race.Kernel) {
	text.title("Kernel "+k.Name, "", string(k.Verdict))
	if k.Verdict == race.RaceFree {
		text.paragraph("", "No two accesses of this kernel can race.")
	}
	var races []string
	for i, f := range c.result.Findings {
		if f.Kernel == k.Name {
			line := c.document.file.Position(c.places[i].at.Start).Line
			races = append(races, fmt.Sprintf("line %d, %s: %s", line, f.Rule, f.Message))
		}
	}
	text.list("Races", races)
	text.list("Not understood or not decided", report.Reasons(k.Reasons))
	text.list("This assumes", k.Assumes)
}

// shorten makes source text fit into a cell, as code.
func shorten(text string) string {
	const most = 48
	runes := []rune(strings.ReplaceAll(oneLine(text), "`", "'"))
	if len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return string(runes)
}

func base(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }
