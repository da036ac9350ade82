package lsp

// This file defines the commands of the server (workspace/executeCommand): what they are called,
// what they take, and which of them need a workspace that its user trusts. A run begins when its
// command is answered and goes on behind it: clients show its progress, may cancel it, and get
// its findings as diagnostics.

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/warplint/warplint/analysis/race"
)

// The commands.
const (
	openRulePage   = "warplint.openRulePage"   // a rule's name
	explainKernel  = "warplint.explainKernel"  // target: shows the verdict on a kernel
	simulateFile   = "warplint.simulate"       // target: runs the file's program
	simulateKernel = "warplint.simulateKernel" // target: runs a kernel alone
	confirmFinding = "warplint.confirm"        // target: runs the witness of a finding
	importReport   = "warplint.import"         // target: reads a report of racecheck
	cancelRun      = "warplint.cancelRun"      // target with a run's number
	forgetRuns     = "warplint.forgetRuns"     // nothing: forgets all runs and their findings
	listRuns       = "warplint.runs"           // nothing: what a panel shows, as JSON
	showTimeline   = "warplint.timeline"       // target with a run's number and a finding's
	exportRun      = "warplint.exportRun"      // target with a run's number: SARIF, as a text
)

// command is one of them.
type command struct {
	name string
	// runs says that it runs the user's code, which only a trusted workspace may ask for.
	runs bool
	do   func(*server, context.Context, target, protocol.ProgressToken) (any, error)
}

func commands() []command {
	return []command{
		{openRulePage, false, (*server).openRulePage},
		{explainKernel, false, (*server).explainKernel},
		{simulateFile, true, (*server).simulateFile},
		{simulateKernel, true, (*server).simulateKernel},
		{confirmFinding, true, (*server).confirmFinding},
		{importReport, false, (*server).importReport},
		{cancelRun, false, (*server).cancelRun},
		{forgetRuns, false, (*server).forgetRuns},
		{listRuns, false, (*server).listRuns},
		{showTimeline, true, (*server).showTimeline},
		{exportRun, false, (*server).exportRun},
	}
}

func commandNames() []string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// target is the one argument of a command. A text alone is its URI, or the name of a rule.
type target struct {
	URI    uri.URI `json:"uri"`
	Kernel string  `json:"kernel"`
	// Grid, Block and Arguments are the launch of a kernel; without them it is the one that the
	// analysis would try first. Arguments are as those of `warplint simulate --arg`.
	Grid      dimensions        `json:"grid"`
	Block     dimensions        `json:"block"`
	Arguments map[string]string `json:"arguments"`
	// Finding is the number that a diagnostic's data holds, or of a finding within a run.
	Finding string `json:"finding"`
	Run     int64  `json:"run"`

	rule race.Rule
	call call // that brought it
}

// call is a command with its argument, as a client executes it.
type call struct {
	Command  string          `json:"command"`
	Argument protocol.LSPAny `json:"argument"`
}

func parseTarget(arguments []protocol.LSPAny) (target, error) {
	var t target
	if len(arguments) == 0 {
		return t, nil
	}
	var text string
	if json.Unmarshal(arguments[0], &text) == nil {
		t.URI, t.rule = uri.URI(text), race.Rule(text)
		return t, nil
	}
	if err := json.Unmarshal(arguments[0], &t); err != nil {
		return t, plainly(err)
	}
	return t, nil
}

// invalid is the error of a command that was not called as it should.
func invalid(format string, args ...any) error {
	return jsonrpc2.NewError(jsonrpc2.InvalidParams, fmt.Sprintf(format, args...))
}

// refused is the error of a command that was called well, but can't be done.
func refused(format string, args ...any) error {
	return jsonrpc2.NewError(jsonrpc2.Code(protocol.LSPErrorCodesRequestFailed), fmt.Sprintf(format, args...))
}

// ExecuteCommand implements protocol.Server.
func (s *server) ExecuteCommand(ctx context.Context, params *protocol.ExecuteCommandParams) (protocol.LSPAny, error) {
	for _, c := range commands() {
		if c.name != params.Command {
			continue
		}
		t, err := parseTarget(params.Arguments)
		if err != nil {
			return nil, invalid("%s: %v", c.name, err)
		}
		if c.runs && !s.snapshot().settings.Trusted {
			return nil, refused("warplint runs code only in a workspace that is trusted: "+
				"trust it in the editor, or set %s.trusted where the editor knows no trust", section)
		}
		t.call.Command = c.name
		if len(params.Arguments) > 0 {
			t.call.Argument = slices.Clone(params.Arguments[0]) // the parameters are the connection's again when this has returned
		}
		token := params.WorkDoneToken
		jsonrpc2.Async(ctx)
		answer, err := c.do(s, ctx, t, token)
		if err != nil || answer == nil {
			return nil, err
		}
		return protocol.Marshal(answer)
	}
	return nil, invalid("there is no command %q", params.Command)
}

// commandOf makes a command that clients show as a title.
func commandOf(title, name string, argument any) protocol.Command {
	raw, _ := protocol.Marshal(argument)
	return protocol.Command{Title: title, Command: name, Arguments: []protocol.LSPAny{raw}}
}

// openRulePage shows the page of a rule.
func (s *server) openRulePage(ctx context.Context, t target, _ protocol.ProgressToken) (any, error) {
	page := rulePage(t.rule)
	if page == "" {
		return nil, invalid("%s needs the name of a rule", openRulePage)
	}
	if !s.client.showDocument {
		s.showMessage(ctx, protocol.MessageTypeInfo, string(t.rule)+": "+string(page))
		return nil, nil
	}
	external := true
	shown, err := s.peer.ShowDocument(ctx, &protocol.ShowDocumentParams{URI: page, External: &external})
	if err == nil && !shown.Success {
		err = refused("the client did not open %s", page)
	}
	return nil, err
}

// checkedOf returns the result of checking the document that a command is about.
func (s *server) checkedOf(ctx context.Context, t target) (*checked, error) {
	if t.URI == "" {
		return nil, invalid("%s needs the URI of a file", t.call.Command)
	}
	d, ok := s.snapshot().document(t.URI)
	if !ok || !d.isCUDA() {
		return nil, invalid("%s is not open as a CUDA file", t.URI)
	}
	return s.result(ctx, d)
}

// explainKernel says in a message what is known about a kernel.
func (s *server) explainKernel(ctx context.Context, t target, _ protocol.ProgressToken) (any, error) {
	c, err := s.checkedOf(ctx, t)
	if err != nil {
		return nil, err
	}
	for _, k := range c.result.Kernels {
		if k.Name == t.Kernel {
			text := &plain{}
			c.explainKernel(text, k)
			s.showMessage(ctx, protocol.MessageTypeInfo, text.String())
			return nil, nil
		}
	}
	return nil, invalid("%s has no kernel %q", base(c.document.path), t.Kernel)
}
