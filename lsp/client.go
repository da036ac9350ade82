package lsp

// This file defines what we remember of the client: the capabilities that change an answer.

import (
	"encoding/json"
	"slices"

	"go.lsp.dev/protocol"
)

// client is what the connected editor can do. All of it is known after initialize.
type client struct {
	encoding        protocol.PositionEncodingKind
	markdown        bool // hovers may be Markdown
	related         bool // diagnostics may carry other places
	codeDescription bool // diagnostics may carry a link
	documentChanges bool // edits may name document versions
	actionLiterals  bool // code actions may be more than commands
	resolveEdit     bool // code actions may get their edit later
	preferred       bool // code actions may be preferred
	showDocument    bool // we may ask to open a page
	progress        bool // we may show what we are at
	configuration   bool // we may ask for settings
	watchSettings   bool // we may ask to be told of changed settings
	watchFiles      bool // we may ask to be told of changed files
	refresh         bool // we may ask to pull diagnostics again
	pull            bool // diagnostics are pulled, not pushed
	unnecessary     bool // diagnostics may be greyed out
	refreshLenses   bool // we may ask to ask for code lenses again
	runs            bool // wants to know of each change of the runs (our own extension)
}

func newClient(params *protocol.InitializeParams) client {
	c := client{encoding: protocol.PositionEncodingKindUTF16}
	caps := &params.Capabilities
	if caps.General != nil {
		c.encoding = negotiate(caps.General.PositionEncodings)
	}
	if caps.Workspace != nil {
		c.readWorkspace(caps.Workspace)
	}
	if caps.TextDocument != nil {
		c.readTextDocument(caps.TextDocument)
	}
	if caps.Window != nil {
		c.progress = is(caps.Window.WorkDoneProgress)
		if caps.Window.ShowDocument != nil {
			c.showDocument = caps.Window.ShowDocument.Support
		}
	}
	var own struct{ WarplintRuns bool }
	if json.Unmarshal(caps.Experimental, &own) == nil {
		c.runs = own.WarplintRuns
	}
	return c
}

func (c *client) readWorkspace(caps *protocol.WorkspaceClientCapabilities) {
	c.configuration = is(caps.Configuration)
	if caps.WorkspaceEdit != nil {
		c.documentChanges = is(caps.WorkspaceEdit.DocumentChanges)
	}
	if caps.DidChangeConfiguration != nil {
		c.watchSettings = is(caps.DidChangeConfiguration.DynamicRegistration)
	}
	if caps.DidChangeWatchedFiles != nil {
		c.watchFiles = is(caps.DidChangeWatchedFiles.DynamicRegistration)
	}
	if caps.CodeLens != nil {
		c.refreshLenses = is(caps.CodeLens.RefreshSupport)
	}
	if caps.Diagnostics != nil {
		c.refresh = is(caps.Diagnostics.RefreshSupport)
	}
}

func (c *client) readTextDocument(caps *protocol.TextDocumentClientCapabilities) {
	if caps.Hover != nil {
		c.markdown = slices.Contains(caps.Hover.ContentFormat, protocol.MarkupKindMarkdown)
	}
	if push := caps.PublishDiagnostics; push != nil {
		c.unnecessary = slices.Contains(push.TagSupport.ValueSet, protocol.DiagnosticTagUnnecessary)
		c.related = is(push.RelatedInformation)
		c.codeDescription = is(push.CodeDescriptionSupport)
	}
	if pull := caps.Diagnostic; pull != nil && caps.PublishDiagnostics == nil {
		c.pull = true
		c.unnecessary = slices.Contains(pull.TagSupport.ValueSet, protocol.DiagnosticTagUnnecessary)
		c.related = is(pull.RelatedInformation)
		c.codeDescription = is(pull.CodeDescriptionSupport)
	}
	if action := caps.CodeAction; action != nil {
		c.actionLiterals = len(action.CodeActionLiteralSupport.CodeActionKind.ValueSet) > 0
		c.preferred = is(action.IsPreferredSupport)
		c.resolveEdit = is(action.DataSupport) && slices.Contains(action.ResolveSupport.Properties, "edit")
	}
}

func is(b *bool) bool { return b != nil && *b }
