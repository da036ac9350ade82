package lsp

// This file defines code actions: the fixes of the findings at the cursor, a fix of everything
// that is safe to fix without looking, and the page of a rule.
//
// A fix is verified by checking the edited text, so fixes are computed only when somebody asks
// for them, and once a result. The fix of everything costs more; a client that can resolve
// actions pays for it only when its user takes it.

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/warplint/warplint/analysis/race"
)

// fixAllKind is the kind under which editors run our safe fixes, on saving for example.
const fixAllKind protocol.CodeActionKind = "source.fixAll.warplint"

// CodeAction implements protocol.Server.
func (s *server) CodeAction(ctx context.Context, params *protocol.CodeActionParams) ([]protocol.CommandOrCodeAction, error) {
	actions := []protocol.CommandOrCodeAction{}
	d, ok := s.snapshot().document(params.TextDocument.URI)
	if !ok || !d.isCUDA() || !s.client.actionLiterals {
		return actions, nil
	}
	jsonrpc2.Async(ctx)
	c, err := s.result(ctx, d)
	if err != nil {
		return nil, err
	}
	start, end := d.mapper.offsets(params.Range)
	if wants(params.Context.Only, protocol.CodeActionKindQuickFix) {
		var at []mark
		for _, m := range c.marks {
			if m.at.Start <= end && start <= m.at.End {
				at = append(at, m)
				actions = append(actions, s.quickFixes(ctx, c, m)...)
			}
		}
		actions = append(actions, s.mendActions(c, at)...)
		actions = append(actions, s.pagesOfRuns(c, actions, start, end)...)
	}
	if fixAllAsked(params.Context.Only) && len(c.marks) > 0 {
		if action, ok := s.fixAllAction(ctx, c); ok {
			actions = append(actions, action)
		}
	}
	return actions, ctx.Err()
}

// pagesOfRuns offers the pages of what runs have shown between two offsets, but for those that are
// offered already.
func (s *server) pagesOfRuns(c *checked, offered []protocol.CommandOrCodeAction, start, end int) []protocol.CommandOrCodeAction {
	if !s.client.showDocument {
		return nil
	}
	var actions []protocol.CommandOrCodeAction
	titles := map[string]bool{}
	for _, action := range offered {
		titles[action.(*protocol.CodeAction).Title] = true
	}
	kind := protocol.CodeActionKindQuickFix
	for _, f := range c.runs.alone {
		at, action := widened(c.snapshot, shownSite(f).Span), pageAction(f.Rule)
		if at.Start > end || start > at.End || titles[action.Title] {
			continue
		}
		titles[action.Title] = true
		action.Kind, action.Diagnostics = &kind, s.simulated(c.snapshot, []seen{f})
		actions = append(actions, action)
	}
	return actions
}

// pageAction opens the page of a rule.
func pageAction(rule race.Rule) *protocol.CodeAction {
	title := "Open the page of " + string(rule)
	return &protocol.CodeAction{Title: title, Command: commandOf(title, openRulePage, rule)}
}

// wants reports whether actions of a kind are asked for. Kinds are hierarchical.
func wants(only []protocol.CodeActionKind, kind protocol.CodeActionKind) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(asked protocol.CodeActionKind) bool {
		return asked == "" || asked == kind || strings.HasPrefix(string(kind), string(asked)+".")
	})
}

// fixAllAsked is stricter: who asks for everything at the cursor does not mean the whole file.
func fixAllAsked(only []protocol.CodeActionKind) bool {
	return len(only) > 0 && wants(only, fixAllKind)
}

// quickFixes returns the actions for a mark: the fixes of its findings, each once.
func (s *server) quickFixes(ctx context.Context, c *checked, m mark) []protocol.CommandOrCodeAction {
	var actions []protocol.CommandOrCodeAction
	kind, shown := protocol.CodeActionKindQuickFix, []protocol.Diagnostic{s.diagnostic(c, m)}
	preferred := false
	for _, fix := range s.fixesOf(ctx, c, m) {
		action := &protocol.CodeAction{Title: fix.Title, Kind: &kind, Diagnostics: shown, Edit: s.edit(c, fix.Edits)}
		if best := fix.Verified && !preferred; best && s.client.preferred {
			preferred = true
			action.IsPreferred = &best
		}
		actions = append(actions, action)
	}
	for _, i := range m.findings {
		if f := c.result.Findings[i]; f.Witness != nil && c.snapshot.settings.Trusted && filepath.IsAbs(c.document.path) {
			const title = "Run these two threads on the simulator"
			actions = append(actions, &protocol.CodeAction{
				Title: title, Kind: &kind, Diagnostics: shown,
				Command: commandOf(title, confirmFinding, map[string]any{"uri": c.document.uri, "finding": findingID(f)}),
			})
			break
		}
	}
	if s.client.showDocument {
		page := pageAction(m.rule)
		page.Kind, page.Diagnostics = &kind, shown
		actions = append(actions, page)
	}
	return actions
}

// fixesOf returns the fixes of all findings of a mark. Those that are verified come first.
func (s *server) fixesOf(ctx context.Context, c *checked, m mark) []race.Fix {
	var all []race.Fix
	for _, i := range m.findings {
		for _, fix := range c.fixes.of(ctx, s, c, i) {
			same := func(other race.Fix) bool {
				return other.Title == fix.Title && slices.Equal(other.Edits, fix.Edits)
			}
			if k := slices.IndexFunc(all, same); k < 0 {
				all = append(all, fix)
			} else {
				all[k].Verified = all[k].Verified || fix.Verified
			}
		}
	}
	slices.SortStableFunc(all, func(a, b race.Fix) int {
		switch {
		case a.Verified == b.Verified:
			return 0
		case a.Verified:
			return -1
		}
		return 1
	})
	return all
}

// fixCache keeps the fixes of a result's findings. They are the same for every request.
type fixCache struct {
	mu    sync.Mutex
	known map[int][]race.Fix
}

// of returns the fixes of finding i, computing them if nobody has yet. A computation that its
// client cancels is not kept; one that takes too long is, so that it is not tried again.
func (k *fixCache) of(ctx context.Context, s *server, c *checked, i int) []race.Fix {
	k.mu.Lock()
	defer k.mu.Unlock()
	if fixes, ok := k.known[i]; ok {
		return fixes
	}
	f := c.result.Findings[i]
	fixes := f.Fixes
	if _, kept := c.kept[f.Kernel]; len(fixes) == 0 && !kept { // no fix of what is half typed can be verified
		limited, cancel := context.WithTimeout(ctx, s.options.FixLimit)
		defer cancel()
		fixes = s.checker.Fixes(limited, c.request(), f)
	}
	if ctx.Err() != nil {
		return nil
	}
	if k.known == nil {
		k.known = map[int][]race.Fix{}
	}
	k.known[i] = fixes
	return fixes
}

// edit converts edits of files to an edit of the workspace, for the versions that were checked.
func (s *server) edit(c *checked, edits []race.Edit) *protocol.WorkspaceEdit {
	byFile := map[string][]protocol.TextEdit{}
	var files []string
	for _, e := range edits {
		path := e.Span.File
		if byFile[path] == nil {
			files = append(files, path)
		}
		byFile[path] = append(byFile[path], protocol.TextEdit{Range: c.snapshot.toRange(e.Span), NewText: e.Text})
	}
	result := &protocol.WorkspaceEdit{}
	for _, path := range files {
		if s.client.documentChanges {
			result.DocumentChanges = append(result.DocumentChanges, c.documentEdit(path, byFile[path]))
			continue
		}
		if result.Changes == nil {
			result.Changes = map[uri.URI][]protocol.TextEdit{}
		}
		result.Changes[c.snapshot.uri(path)] = byFile[path]
	}
	return result
}

func (c *checked) documentEdit(path string, edits []protocol.TextEdit) protocol.DocumentChange {
	change := &protocol.TextDocumentEdit{}
	change.TextDocument.URI = c.snapshot.uri(path)
	if path == c.document.path {
		change.TextDocument.Version = &c.document.version
	} else if d, ok := c.snapshot.documents[path]; ok {
		change.TextDocument.Version = &d.version
	}
	for _, e := range edits {
		change.Edits = append(change.Edits, &e)
	}
	return change
}

// resolveData is what an action must know whose edit comes later.
type resolveData struct {
	URI     uri.URI `json:"uri"`
	Version int32   `json:"version"`
	Kernel  string  `json:"kernel,omitempty"` // whose races are to be mended; without one, all that is safe to fix
}

// fixAllAction offers to fix everything, with the edit if it can't come later.
func (s *server) fixAllAction(ctx context.Context, c *checked) (*protocol.CodeAction, bool) {
	kind := fixAllKind
	action := &protocol.CodeAction{Title: "Fix all races that are safe to fix", Kind: &kind}
	if _, ok := s.checker.(mender); !ok {
		return nil, false
	}
	if s.client.resolveEdit {
		action.Data, _ = json.Marshal(resolveData{URI: c.document.uri, Version: c.document.version})
		return action, true
	}
	action.Edit = s.safeEdit(ctx, c)
	return action, action.Edit != nil
}

// CodeActionResolve implements protocol.Server. Only what changes more than one finding's places comes without edit.
func (s *server) CodeActionResolve(ctx context.Context, action *protocol.CodeAction) (*protocol.CodeAction, error) {
	var data resolveData
	if action.Edit != nil || json.Unmarshal(action.Data, &data) != nil {
		return action, nil
	}
	d, ok := s.snapshot().document(data.URI)
	if !ok || d.version != data.Version {
		return nil, protocol.ErrContentModified
	}
	jsonrpc2.Async(ctx)
	c, err := s.result(ctx, d)
	if err != nil {
		return nil, err
	}
	if data.Kernel != "" {
		action.Edit = s.mendEdit(ctx, c, data.Kernel)
	} else {
		action.Edit = s.safeEdit(ctx, c)
	}
	return action, ctx.Err()
}
