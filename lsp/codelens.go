package lsp

// This file defines code lenses: above each kernel its verdict, and what can be run.

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/internal/report"
)

// mainFunction finds where a program begins.
var mainFunction = regexp.MustCompile(`(?m)^[ \t]*(?:int|auto|void)[ \t\r\n]+main[ \t]*\(`)

// CodeLens implements protocol.Server.
func (s *server) CodeLens(ctx context.Context, params *protocol.CodeLensParams) ([]protocol.CodeLens, error) {
	lenses := []protocol.CodeLens{}
	d, ok := s.snapshot().document(params.TextDocument.URI)
	if !ok || !d.isCUDA() {
		return lenses, nil
	}
	jsonrpc2.Async(ctx)
	c, err := s.result(ctx, d)
	if err != nil {
		return nil, err
	}
	add := func(at source.Span, title, command string, argument map[string]any) {
		argument["uri"] = d.uri
		lenses = append(lenses, protocol.CodeLens{
			Range: c.snapshot.toRange(at), Command: commandOf(title, command, argument),
		})
	}
	canRun := c.snapshot.settings.Trusted && filepath.IsAbs(d.path)
	for _, k := range c.result.Kernels {
		if k.Span.File != d.path {
			continue
		}
		at := k.Span
		at.End = at.Start // a lens has a line, and clients sort lenses by where they begin
		add(at, c.verdict(k), explainKernel, map[string]any{"kernel": k.Name})
		if canRun {
			add(at, "Simulate", simulateKernel, map[string]any{"kernel": k.Name})
		}
	}
	if canRun {
		if at := mainFunction.FindStringIndex(d.file.Text); at != nil {
			add(source.Span{File: d.path, Start: at[1] - 1, End: at[1] - 1}, "Simulate this program", simulateFile, map[string]any{})
		}
	}
	return lenses, nil
}

// verdict says in a few words what is known of a kernel.
func (c *checked) verdict(k race.Kernel) string {
	var text string
	switch k.Verdict {
	case race.RaceFree:
		text = "race-free"
	case race.Racy:
		races := 0
		for _, f := range c.result.Findings {
			if f.Kernel == k.Name {
				races++
			}
		}
		text = report.Plural(races, "race")
	default:
		text = "not decided"
		if n := len(k.Reasons); n > 0 {
			text += fmt.Sprintf(" (%s)", report.Plural(n, "reason"))
		}
	}
	return text + c.onRun(k)
}

// onRun says what runs have shown of a kernel.
func (c *checked) onRun(k race.Kernel) string {
	simulated, reported := 0, 0
	count := func(all []seen) {
		for _, f := range all {
			switch {
			case f.Kernel != k.Name || f.stale:
			case f.run.kind == ofReport:
				reported++
			default:
				simulated++
			}
		}
	}
	count(c.runs.alone)
	for _, all := range c.runs.with {
		count(all[:min(len(all), 1)]) // however many say it, it is one race
	}
	text := ""
	switch {
	case simulated > 0:
		text = ", " + report.Plural(simulated, "race") + " on the simulator"
	case c.runs.ran[k.Name]:
		text = ", none on the simulator"
	}
	if reported > 0 {
		text += ", " + report.Plural(reported, "race") + " in reports"
	}
	return text
}
