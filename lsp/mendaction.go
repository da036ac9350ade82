package lsp

// This file defines the actions that mend all races of a kernel at once, and all of a file that are safe to mend. What to change comes of many checks of edited
// texts, so only clients that ask for an edit when its user takes the action get it.

import (
	"context"
	"encoding/json"
	"fmt"

	"go.lsp.dev/protocol"

	"github.com/warplint/warplint/analysis"
	"github.com/warplint/warplint/analysis/race"
)

// mender is what the server asks of the analysis to mend a kernel or a file.
type mender interface {
	Mend(ctx context.Context, req analysis.Request, may func(race.Fix) bool) analysis.Mended
}

// mendActions offers to mend the kernels of some marks, each of them that has several findings that count.
func (s *server) mendActions(c *checked, at []mark) []protocol.CommandOrCodeAction {
	if _, ok := s.checker.(mender); !ok || !s.client.resolveEdit {
		return nil
	}
	var actions []protocol.CommandOrCodeAction
	kind, offered := protocol.CodeActionKindQuickFix, map[string]bool{}
	for _, m := range at {
		kernel := c.result.Findings[m.findings[0]].Kernel
		var shown []protocol.Diagnostic
		for _, other := range c.marks {
			if f := c.result.Findings[other.findings[0]]; f.Kernel == kernel && other.severity >= race.Warning {
				shown = append(shown, s.diagnostic(c, other))
			}
		}
		if _, kept := c.kept[kernel]; kept || len(shown) < 2 || offered[kernel] {
			continue
		}
		offered[kernel] = true
		data, _ := json.Marshal(resolveData{c.document.uri, c.document.version, kernel})
		actions = append(actions, &protocol.CodeAction{Title: "Mend all races of " + kernel, Kind: &kind, Diagnostics: shown, Data: data})
	}
	return actions
}

// mendEdit is the edit that mends a kernel, nil if no change is known. The user is told of findings that it leaves.
func (s *server) mendEdit(ctx context.Context, c *checked, kernel string) *protocol.WorkspaceEdit {
	limited, cancel := context.WithTimeout(ctx, s.options.CheckLimit)
	defer cancel()
	request := c.request()
	request.Config.Kernel = kernel
	m := s.checker.(mender).Mend(limited, request, func(race.Fix) bool { return true })
	switch {
	case ctx.Err() != nil:
	case limited.Err() != nil:
		s.showMessage(ctx, protocol.MessageTypeInfo, fmt.Sprintf("warplint: mending %s takes too long; mend its findings one by one.", kernel))
	case m.Left > 0:
		s.showMessage(ctx, protocol.MessageTypeInfo, fmt.Sprintf("warplint: of the findings in %s, no change is known for %d.", kernel, m.Left))
	}
	if len(m.Edits) == 0 {
		return nil
	}
	return s.edit(c, m.Edits)
}

// safeEdit is the edit that mends of a file what is safe to mend, nil if that is nothing.
func (s *server) safeEdit(ctx context.Context, c *checked) *protocol.WorkspaceEdit {
	limited, cancel := context.WithTimeout(ctx, s.options.CheckLimit)
	defer cancel()
	m := s.checker.(mender).Mend(limited, c.request(), func(f race.Fix) bool { return f.Safe })
	if len(m.Edits) == 0 {
		return nil
	}
	return s.edit(c, m.Edits)
}
