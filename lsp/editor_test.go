package lsp_test

// This file defines the editor that tests drive: buffers, edits, and a client of the language
// server over a real JSON-RPC connection. It waits for conditions, never for time, and converts
// positions in its own plain way, so that it shares no mistake with the server.

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/warplint/warplint/lsp"
)

// patience is how long a condition may take before the test gives up on it.
const patience = 3 * time.Minute

// editor is a client with open buffers.
type editor struct {
	protocol.UnimplementedClient
	t      *testing.T
	ctx    context.Context
	dir    string
	conn   jsonrpc2.Conn
	server protocol.Server
	ended  chan error // receives what Serve or the server's process ended with

	encoding protocol.PositionEncodingKind
	watches  bool // tells of files that change on disk
	buffers  map[string]*buffer

	mu        sync.Mutex
	moved     chan struct{} // closed and replaced whenever something arrives
	published map[uri.URI][]*protocol.PublishDiagnosticsParams
	shown     []uri.URI
	messages  []string
	traces    []string
	methods   []string // registered
	refreshed int
	tokens    []protocol.ProgressToken
	begun     int // progress that the server shows
	finished  int
	reports   int
	settings  json.RawMessage // the answer to workspace/configuration
}

type buffer struct {
	uri     uri.URI
	text    string
	version int32
}

// capabilities of a client that can do everything; tests take away.
func capabilities() map[string]any {
	yes := true
	return map[string]any{
		"general": map[string]any{"positionEncodings": []string{"utf-16"}},
		"workspace": map[string]any{
			"configuration": yes, "workspaceEdit": map[string]any{"documentChanges": yes},
			"didChangeConfiguration": map[string]any{"dynamicRegistration": yes},
			"didChangeWatchedFiles":  map[string]any{"dynamicRegistration": yes},
			"diagnostics":            map[string]any{"refreshSupport": yes},
		},
		"textDocument": map[string]any{
			"hover": map[string]any{"contentFormat": []string{"markdown", "plaintext"}},
			"publishDiagnostics": map[string]any{
				"relatedInformation": yes, "codeDescriptionSupport": yes, "dataSupport": yes, "versionSupport": yes,
				"tagSupport": map[string]any{"valueSet": []int{1}},
			},
			"codeAction": map[string]any{
				"codeActionLiteralSupport": map[string]any{"codeActionKind": map[string]any{"valueSet": []string{"quickfix", "source"}}},
				"isPreferredSupport":       yes, "dataSupport": yes, "resolveSupport": map[string]any{"properties": []string{"edit"}},
			},
		},
		"window": map[string]any{"showDocument": map[string]any{"support": yes}, "workDoneProgress": yes},
	}
}

// set changes a capability, named by its path; nil takes it away.
func set(caps map[string]any, path string, value any) {
	names := strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		inner, ok := caps[name].(map[string]any)
		if !ok {
			inner = map[string]any{}
			caps[name] = inner
		}
		caps = inner
	}
	if value == nil {
		delete(caps, names[len(names)-1])
	} else {
		caps[names[len(names)-1]] = value
	}
}

// serve starts a server in this process and an editor that is connected to it, not initialized.
func serve(t *testing.T, options lsp.Options) *editor {
	t.Helper()
	client, server := net.Pipe()
	if options.Log == nil {
		options.Log = testLog(t)
	}
	if options.CheckLimit == 0 { // what tests see must not depend on how fast the machine is
		options.CheckLimit, options.FixLimit = patience, patience
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- lsp.Serve(ctx, server, options) }()
	t.Cleanup(cancel)
	return connect(t, client, ended)
}

// testLog writes to the test's own log; what comes after the test's end is dropped.
func testLog(t *testing.T) *slog.Logger {
	w := &testWriter{t: t}
	t.Cleanup(w.stop)
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

type testWriter struct {
	mu sync.Mutex
	t  *testing.T
}

func (w *testWriter) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.t = nil
}

func (w *testWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.t != nil {
		w.t.Log("server: " + strings.TrimRight(string(p), "\n"))
	}
	return len(p), nil
}

// connect makes an editor out of a connection to a server.
func connect(t *testing.T, rw io.ReadWriteCloser, ended chan error) *editor {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	e := &editor{
		t: t, ctx: ctx, dir: t.TempDir(), ended: ended, buffers: map[string]*buffer{},
		published: map[uri.URI][]*protocol.PublishDiagnosticsParams{}, moved: make(chan struct{}),
		settings: json.RawMessage("null"),
	}
	// Messages are handled one by one, as they come, so that their order can be seen.
	e.conn = jsonrpc2.NewConn(jsonrpc2.NewHeaderStream(rw), jsonrpc2.WithCodec(codec{}))
	e.conn.Go(ctx, protocol.ClientHandler(e, jsonrpc2.MethodNotFoundHandler))
	e.server = protocol.ServerDispatcher(e.conn)
	t.Cleanup(func() { rw.Close(); cancel() })
	return e
}

// codec reads and writes the protocol's types.
type codec struct{}

func (codec) Unmarshal(data []byte, v any) error { return protocol.Unmarshal(bytes.Clone(data), v) }
func (codec) Marshal(v any) ([]byte, error) {
	if raw, ok := v.(jsonrpc2.RawMessage); ok {
		return raw, nil
	}
	return protocol.Marshal(v)
}

// initialize shakes hands.
func (e *editor) initialize(caps map[string]any, extra map[string]any) *protocol.InitializeResult {
	e.t.Helper()
	workspace, _ := caps["workspace"].(map[string]any)
	e.watches = workspace["didChangeWatchedFiles"] != nil
	params := map[string]any{
		"processId": nil, "rootUri": uri.File(e.dir), "capabilities": caps,
		"workspaceFolders": []any{map[string]any{"uri": uri.File(e.dir), "name": "test"}},
	}
	for name, value := range extra {
		params[name] = value
	}
	raw, err := json.Marshal(params)
	if err != nil {
		e.t.Fatal(err)
	}
	var result protocol.InitializeResult
	if _, err := e.conn.Call(e.ctx, "initialize", jsonrpc2.RawMessage(raw), &result); err != nil {
		e.t.Fatalf("initialize: %v", err)
	}
	e.encoding = result.Capabilities.PositionEncoding
	e.must(e.server.Initialized(e.ctx, &protocol.InitializedParams{}))
	return &result
}

func (e *editor) must(err error) {
	e.t.Helper()
	if err != nil {
		e.t.Fatal(err)
	}
}

// path is where a file of the workspace is on disk.
func (e *editor) path(name string) string { return filepath.Join(e.dir, filepath.FromSlash(name)) }

// uri names a file of the workspace; names with a scheme name themselves.
func (e *editor) uri(name string) uri.URI {
	if strings.Contains(name, ":") {
		return uri.URI(name)
	}
	return uri.File(e.path(name))
}

// write puts a file on disk, without telling the server.
func (e *editor) write(name, text string) {
	e.t.Helper()
	e.must(os.MkdirAll(filepath.Dir(e.path(name)), 0o777))
	e.must(os.WriteFile(e.path(name), []byte(text), 0o666))
}

// watched tells the server that a file has changed on disk, if the editor can.
func (e *editor) watched(name string) {
	e.t.Helper()
	if !e.watches {
		return
	}
	e.must(e.server.DidChangeWatchedFiles(e.ctx, &protocol.DidChangeWatchedFilesParams{
		Changes: []protocol.FileEvent{{URI: e.uri(name), Type: protocol.FileChangeTypeChanged}},
	}))
}

// save writes a buffer to disk and tells the server, as editors do.
func (e *editor) save(name string, why protocol.TextDocumentSaveReason) {
	e.t.Helper()
	e.must(e.server.WillSave(e.ctx, &protocol.WillSaveTextDocumentParams{TextDocument: protocol.TextDocumentIdentifier{URI: e.uri(name)}, Reason: why}))
	e.write(name, e.buffers[name].text)
	e.watched(name) // a watcher may be quicker than the editor
	e.must(e.server.DidSave(e.ctx, &protocol.DidSaveTextDocumentParams{TextDocument: protocol.TextDocumentIdentifier{URI: e.uri(name)}}))
	e.watched(name)
}

// open opens a buffer with a text, as version 1.
func (e *editor) open(name, language, text string) {
	e.t.Helper()
	b := &buffer{uri: e.uri(name), text: text, version: 1}
	e.buffers[name] = b
	e.must(e.server.DidOpen(e.ctx, &protocol.DidOpenTextDocumentParams{TextDocument: protocol.TextDocumentItem{
		URI: b.uri, LanguageID: protocol.LanguageKind(language), Version: 1, Text: text,
	}}))
}

// replace changes a part of a buffer and tells the server of just that.
func (e *editor) replace(name string, start, end int, text string) {
	e.t.Helper()
	b := e.buffers[name]
	r := protocol.Range{Start: e.position(b.text, start), End: e.position(b.text, end)}
	b.text = b.text[:start] + text + b.text[end:]
	b.version++
	e.change(name, &protocol.TextDocumentContentChangePartial{Range: r, Text: text})
}

// edit replaces the first occurrence of a text.
func (e *editor) edit(name, old, text string) {
	e.t.Helper()
	start := e.find(name, old)
	e.replace(name, start, start+len(old), text)
}

func (e *editor) change(name string, changes ...protocol.TextDocumentContentChangeEvent) {
	e.t.Helper()
	b := e.buffers[name]
	params := &protocol.DidChangeTextDocumentParams{ContentChanges: changes}
	params.TextDocument.URI, params.TextDocument.Version = b.uri, b.version
	e.must(e.server.DidChange(e.ctx, params))
}

// close closes a buffer.
func (e *editor) close(name string) {
	e.t.Helper()
	params := &protocol.DidCloseTextDocumentParams{}
	params.TextDocument.URI = e.buffers[name].uri
	delete(e.buffers, name)
	e.must(e.server.DidClose(e.ctx, params))
}

// find returns where a text starts in a buffer.
func (e *editor) find(name, text string) int {
	e.t.Helper()
	at := strings.Index(e.buffers[name].text, text)
	if at < 0 {
		e.t.Fatalf("%s has no %q", name, text)
	}
	return at
}

// position counts lines and characters from the text's start.
func (e *editor) position(text string, offset int) protocol.Position {
	var p protocol.Position
	line := 0
	for i := 0; i < offset; i++ {
		crlf := text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n'
		if text[i] == '\n' || text[i] == '\r' && !crlf {
			p.Line, line = p.Line+1, i+1
		}
	}
	p.Character = uint32(offset - line)
	if e.encoding == protocol.PositionEncodingKindUTF16 {
		p.Character = uint32(len(utf16.Encode([]rune(text[line:offset]))))
	}
	return p
}

// offset tries every offset until its position is the one that is asked for.
func (e *editor) offset(text string, p protocol.Position) int {
	for i := range text + "$" {
		if e.position(text, i) == p {
			return i
		}
	}
	e.t.Errorf("the server names a position %v that the text does not have", p)
	return 0
}

// under returns the text that a location covers, in a buffer or on disk.
func (e *editor) under(u uri.URI, r protocol.Range) string {
	text := ""
	if b := e.buffer(u); b != nil {
		text = b.text
	} else if raw, err := os.ReadFile(u.FsPath()); err == nil {
		text = string(raw)
	}
	return text[e.offset(text, r.Start):e.offset(text, r.End)]
}

// buffer returns the open buffer of a URI, or nil.
func (e *editor) buffer(u uri.URI) *buffer {
	for _, b := range e.buffers {
		if b.uri == u {
			return b
		}
	}
	return nil
}

// apply makes an edit of the workspace, as an editor does that does not trust the server: with
// the version checked, and from the last edit to the first.
func (e *editor) apply(edit *protocol.WorkspaceEdit) {
	e.t.Helper()
	byURI := map[uri.URI][]protocol.TextEdit{}
	for u, edits := range edit.Changes {
		byURI[u] = edits
	}
	for _, change := range edit.DocumentChanges {
		document := change.(*protocol.TextDocumentEdit)
		u := document.TextDocument.URI
		if b, v := e.buffer(u), document.TextDocument.Version; b != nil && (v == nil || *v != b.version) {
			e.t.Errorf("the edit is not for version %d of %s", b.version, u)
		}
		for _, element := range document.Edits {
			byURI[u] = append(byURI[u], *element.(*protocol.TextEdit))
		}
	}
	for name, b := range e.buffers {
		edits := byURI[b.uri]
		delete(byURI, b.uri)
		sort.SliceStable(edits, func(i, j int) bool {
			return e.offset(b.text, edits[i].Range.Start) > e.offset(b.text, edits[j].Range.Start)
		})
		for _, edit := range edits {
			e.replace(name, e.offset(b.text, edit.Range.Start), e.offset(b.text, edit.Range.End), edit.NewText)
		}
	}
	if len(byURI) > 0 {
		e.t.Errorf("the edit changes what is not open: %v", byURI)
	}
}

// await waits until a condition holds, and looks at it whenever something arrives.
func (e *editor) await(what string, condition func() bool) {
	e.t.Helper()
	for {
		e.mu.Lock()
		ok, moved := condition(), e.moved
		e.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-moved:
		case <-e.ctx.Done():
			e.t.Fatalf("waited in vain for %s", what)
		case <-e.conn.Done():
			e.t.Fatalf("the connection ended while waiting for %s: %v", what, e.conn.Err())
		}
	}
}

// diagnostics waits for what the server publishes for a version of a document.
func (e *editor) diagnostics(name string, version int32) []protocol.Diagnostic {
	e.t.Helper()
	var last *protocol.PublishDiagnosticsParams
	e.await(fmt.Sprintf("the diagnostics of %s, version %d", name, version), func() bool {
		for _, p := range e.published[e.uri(name)] {
			if v, ok := p.Version.Get(); ok && v == version {
				last = p
			}
		}
		return last != nil
	})
	return last.Diagnostics
}

// pull asks for the diagnostics of a document's newest version.
func (e *editor) pull(name string) []protocol.Diagnostic {
	e.t.Helper()
	params := &protocol.DocumentDiagnosticParams{}
	params.TextDocument.URI = e.uri(name)
	report, err := e.server.Diagnostic(e.ctx, params)
	e.must(err)
	return report.(*protocol.RelatedFullDocumentDiagnosticReport).Items
}

// publications returns how often something was published for a document.
func (e *editor) publications(name string) int { return len(e.published[e.uri(name)]) }

// end waits for the server to end and returns why it did.
func (e *editor) end() error {
	e.t.Helper()
	select {
	case err := <-e.ended:
		return err
	case <-e.ctx.Done():
		e.t.Fatal("the server does not end")
		return nil
	}
}

// quit ends the server as the protocol says.
func (e *editor) quit() {
	e.t.Helper()
	e.must(e.server.Shutdown(e.ctx))
	e.must(e.server.Exit(e.ctx))
	if err := e.end(); err != nil {
		e.t.Errorf("the server ended with %v", err)
	}
}

func (e *editor) arrived(note func()) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	note()
	close(e.moved)
	e.moved = make(chan struct{})
	return nil
}

// PublishDiagnostics implements protocol.Client. It holds the server to the order of versions.
func (e *editor) PublishDiagnostics(_ context.Context, p *protocol.PublishDiagnosticsParams) error {
	return e.arrived(func() {
		if p.Diagnostics == nil {
			e.t.Errorf("diagnostics of %s are null instead of an empty list", p.URI)
		}
		if all := e.published[p.URI]; len(all) > 0 {
			before, _ := all[len(all)-1].Version.Get()
			if now, ok := p.Version.Get(); ok && now < before {
				e.t.Errorf("diagnostics of %s went back from version %d to %d", p.URI, before, now)
			}
		}
		e.published[p.URI] = append(e.published[p.URI], p)
	})
}

// ShowDocument implements protocol.Client.
func (e *editor) ShowDocument(_ context.Context, p *protocol.ShowDocumentParams) (*protocol.ShowDocumentResult, error) {
	return &protocol.ShowDocumentResult{Success: true}, e.arrived(func() { e.shown = append(e.shown, p.URI) })
}

// ShowMessage implements protocol.Client.
func (e *editor) ShowMessage(_ context.Context, p *protocol.ShowMessageParams) error {
	return e.arrived(func() { e.messages = append(e.messages, p.Message) })
}

// LogTrace implements protocol.Client.
func (e *editor) LogTrace(_ context.Context, p *protocol.LogTraceParams) error {
	return e.arrived(func() { e.traces = append(e.traces, p.Message) })
}

// RegisterCapability implements protocol.Client.
func (e *editor) RegisterCapability(_ context.Context, p *protocol.RegistrationParams) error {
	return e.arrived(func() {
		for _, r := range p.Registrations {
			e.methods = append(e.methods, r.Method)
		}
	})
}

// DiagnosticRefresh implements protocol.Client.
func (e *editor) DiagnosticRefresh(context.Context) error {
	return e.arrived(func() { e.refreshed++ })
}

// WorkDoneProgressCreate implements protocol.Client.
func (e *editor) WorkDoneProgressCreate(_ context.Context, p *protocol.WorkDoneProgressCreateParams) error {
	return e.arrived(func() { e.begun++; e.tokens = append(e.tokens, p.Token) })
}

// Progress implements protocol.Client.
func (e *editor) Progress(_ context.Context, p *protocol.ProgressParams) error {
	return e.arrived(func() {
		if strings.Contains(string(p.Value), `"end"`) {
			e.finished++
		}
		if strings.Contains(string(p.Value), `"report"`) {
			e.reports++
		}
	})
}

// Configuration implements protocol.Client.
func (e *editor) Configuration(context.Context, *protocol.ConfigurationParams) ([]protocol.LSPAny, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return []protocol.LSPAny{protocol.LSPAny(e.settings)}, nil
}
