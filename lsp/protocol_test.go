package lsp_test

// This file tests the protocol's mechanics: the life of a connection, what gets lost on the
// way, and what a broken client can do.

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/warplint/warplint/analysis"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/lsp"
)

func TestInitialize(t *testing.T) {
	for _, test := range []struct {
		name    string
		offered []string
		want    protocol.PositionEncodingKind
	}{
		{"nothing offered", nil, protocol.PositionEncodingKindUTF16},
		{"UTF-16 only", []string{"utf-16"}, protocol.PositionEncodingKindUTF16},
		{"both", []string{"utf-16", "utf-8"}, protocol.PositionEncodingKindUTF8},
		{"UTF-32 only, which a client may not do", []string{"utf-32"}, protocol.PositionEncodingKindUTF16},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := serve(t, lsp.Options{Version: "1.2.3"})
			caps := capabilities()
			set(caps, "general.positionEncodings", test.offered)
			result := e.initialize(caps, nil)
			if got := result.Capabilities.PositionEncoding; got != test.want {
				t.Errorf("position encoding %q, want %q", got, test.want)
			}
			if version, _ := result.ServerInfo.Version.Get(); result.ServerInfo.Name != "warplint" || version != "1.2.3" {
				t.Errorf("server info %+v", result.ServerInfo)
			}
			if result.Capabilities.DiagnosticProvider != nil {
				t.Error("pull diagnostics are offered to a client that is pushed to")
			}
			e.quit()
		})
	}
}

func TestRegistrations(t *testing.T) {
	e := serve(t, lsp.Options{})
	e.initialize(capabilities(), nil)
	e.await("registrations", func() bool { return len(e.methods) == 2 })
	if e.methods[0] != "workspace/didChangeWatchedFiles" || e.methods[1] != "workspace/didChangeConfiguration" {
		t.Errorf("registered for %v", e.methods)
	}
}

// TestExit looks at why Serve returns.
func TestExit(t *testing.T) {
	t.Run("proper", func(t *testing.T) {
		e := serve(t, lsp.Options{})
		e.initialize(capabilities(), nil)
		e.quit()
	})
	t.Run("without shutdown", func(t *testing.T) {
		e := serve(t, lsp.Options{})
		e.initialize(capabilities(), nil)
		e.must(e.server.Exit(e.ctx))
		if err := e.end(); !errors.Is(err, lsp.ErrNoShutdown) {
			t.Errorf("ended with %v", err)
		}
	})
	t.Run("before initialize", func(t *testing.T) {
		e := serve(t, lsp.Options{})
		e.must(e.server.Exit(e.ctx))
		if err := e.end(); !errors.Is(err, lsp.ErrNoShutdown) {
			t.Errorf("ended with %v", err)
		}
	})
	t.Run("connection closed", func(t *testing.T) {
		e := serve(t, lsp.Options{})
		e.initialize(capabilities(), nil)
		e.must(e.conn.Close())
		if err := e.end(); !errors.Is(err, lsp.ErrClientGone) {
			t.Errorf("ended with %v", err)
		}
	})
	t.Run("connection closed after shutdown", func(t *testing.T) {
		e := serve(t, lsp.Options{})
		e.initialize(capabilities(), nil)
		e.must(e.server.Shutdown(e.ctx))
		e.must(e.conn.Close())
		if err := e.end(); err != nil {
			t.Errorf("ended with %v", err)
		}
	})
	t.Run("all at once", func(t *testing.T) {
		var all strings.Builder
		for _, message := range []string{
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`, `{"jsonrpc":"2.0","id":2,"method":"shutdown"}`, `{"jsonrpc":"2.0","method":"exit"}`,
		} {
			fmt.Fprintf(&all, "Content-Length: %d\r\n\r\n%s", len(message), message)
		}
		var said bytes.Buffer
		if err := lsp.Serve(t.Context(), struct {
			io.Reader
			io.Writer
			io.Closer
		}{strings.NewReader(all.String()), &said, io.NopCloser(nil)}, lsp.Options{}); err != nil {
			t.Error(err)
		}
		if !strings.HasSuffix(said.String(), `{"jsonrpc":"2.0","id":2,"result":null}`) {
			t.Errorf("the answers are %q", said.String())
		}
	})
	t.Run("parent died", func(t *testing.T) {
		parent := exec.Command("cat") // lives as long as its input is open
		input, err := parent.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := parent.Start(); err != nil {
			t.Fatal(err)
		}
		e := serve(t, lsp.Options{ParentPoll: time.Millisecond})
		e.initialize(capabilities(), map[string]any{"processId": parent.Process.Pid})
		if _, err := e.server.Hover(e.ctx, hoverAt(e, "a.cu", 0)); err != nil {
			t.Errorf("the server does not answer while its parent lives: %v", err)
		}
		input.Close()
		e.must(parent.Wait())
		if err := e.end(); !errors.Is(err, lsp.ErrParentEnded) {
			t.Errorf("ended with %v", err)
		}
	})
}

func hoverAt(e *editor, name string, offset int) *protocol.HoverParams {
	params := &protocol.HoverParams{}
	params.TextDocument.URI = e.uri(name)
	if b := e.buffers[name]; b != nil {
		params.Position = e.position(b.text, offset)
	}
	return params
}

func code(err error) jsonrpc2.Code {
	var wire *jsonrpc2.Error
	if errors.As(err, &wire) {
		return wire.Code
	}
	return 0
}

// TestStates sends requests that the connection's state does not allow.
func TestStates(t *testing.T) {
	e := serve(t, lsp.Options{})
	if _, err := e.server.Hover(e.ctx, hoverAt(e, "a.cu", 0)); code(err) != jsonrpc2.ServerNotInitialized {
		t.Errorf("a hover before initialize gives %v", err)
	}
	e.initialize(capabilities(), nil)
	if _, err := e.server.Initialize(e.ctx, &protocol.InitializeParams{}); code(err) != jsonrpc2.InvalidRequest {
		t.Errorf("a second initialize gives %v", err)
	}
	e.must(e.server.Shutdown(e.ctx))
	if _, err := e.server.Hover(e.ctx, hoverAt(e, "a.cu", 0)); code(err) != jsonrpc2.InvalidRequest {
		t.Errorf("a hover after shutdown gives %v", err)
	}
}

// TestStrangeRequests sends what no client should, and looks at each answer.
func TestStrangeRequests(t *testing.T) {
	e := serve(t, lsp.Options{})
	e.initialize(capabilities(), nil)
	for _, test := range []struct {
		method, params string
		want           jsonrpc2.Code
	}{
		{"no/suchMethod", `{"a": 1}`, jsonrpc2.MethodNotFound},
		{"no/suchMethod", ``, jsonrpc2.MethodNotFound},
		{"textDocument/completion", `{"textDocument":{"uri":"file:///a.cu"},"position":{"line":0,"character":0}}`, jsonrpc2.MethodNotFound},
		{"textDocument/hover", ``, jsonrpc2.InvalidParams},
		{"textDocument/hover", `[]`, jsonrpc2.InvalidParams},
		{"textDocument/hover", `{"textDocument":{"uri":"file:///a.cu"},"position":{"line":-1,"character":0}}`, jsonrpc2.InvalidParams},
		{"workspace/executeCommand", `{"command":"rm"}`, jsonrpc2.InvalidParams},
		{"workspace/executeCommand", `{"command":"warplint.openRulePage","arguments":["../../x"]}`, jsonrpc2.InvalidParams},
	} {
		var params any
		if test.params != "" {
			params = jsonrpc2.RawMessage(test.params)
		}
		_, err := e.conn.Call(e.ctx, test.method, params, nil)
		if code(err) != test.want {
			t.Errorf("%s %s gives %v, want code %d", test.method, test.params, err, test.want)
		}
	}
	for _, test := range []struct{ method, params string }{
		{"textDocument/didOpen", `{"textDocument":17}`},
		{"textDocument/didOpen", ``},
		{"textDocument/didChange", `{"textDocument":{"uri":"file:///never-opened.cu","version":2},"contentChanges":[]}`},
		{"textDocument/didClose", `{"textDocument":{"uri":"file:///never-opened.cu"}}`},
		{"$/cancelRequest", `{"id":{}}`},
		{"$/cancelRequest", `{"id":123456}`},
		{"$/setTrace", `{"value":"nonsense"}`},
		{"$/no/such/notification", `{}`},
		{"no/such/notification", ``},
		{"initialized", `{}`},
	} {
		var params any
		if test.params != "" {
			params = jsonrpc2.RawMessage(test.params)
		}
		e.must(e.conn.Notify(e.ctx, test.method, params))
	}
	e.open("a.cu", "cuda-cpp", "__global__ void k() {}\n")
	e.diagnostics("a.cu", 1)
	e.quit()
}

// TestBrokenMessages sends bytes that are no message, and then one that is.
func TestBrokenMessages(t *testing.T) {
	frame := func(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }
	for _, test := range []struct{ name, bytes string }{
		{"not JSON", frame(`{"jsonrpc":"2.0","id":1,`)},
		{"not JSON-RPC", frame(`{"hello":"world"}`)},
		{"a number", frame(`17`)},
		{"a batch", frame(`[{"jsonrpc":"2.0","method":"x"}]`)},
		{"NUL bytes", frame("\x00\x00\x00")},
		{"an empty body", frame("")},
		{"no header", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"},
		{"a body without header", `{"jsonrpc":"2.0","method":"x"}`},
		{"a length that is no number", "Content-Length: many\r\n\r\n"},
		{"a negative length", "Content-Length: -5\r\n\r\n"},
		{"a body longer than announced", "Content-Length: 2\r\n\r\n{}}}}}\r\n"},
		{"a line without end", strings.Repeat("x", 1<<16) + "\n"},
		{"a header of another case", "CONTENT-LENGTH:2\r\nContent-Type: x\r\n\r\n{}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			client, server := net.Pipe()
			defer client.Close()
			ended := make(chan error, 1)
			go func() { ended <- lsp.Serve(context.Background(), server, lsp.Options{Log: testLog(t)}) }()
			go io.WriteString(client, test.bytes+frame(`{"jsonrpc":"2.0","id":"last","method":"shutdown"}`))
			in := bufio.NewReader(client)
			for {
				body := readFrame(t, in)
				var answer struct {
					ID    any
					Error *struct{ Code int }
				}
				if err := json.Unmarshal(body, &answer); err != nil {
					t.Fatalf("answer %s: %v", body, err)
				}
				if answer.Error == nil {
					t.Errorf("answer %s is no error", body)
				}
				if answer.ID == "last" {
					break
				}
			}
			client.Close()
			if err := <-ended; !errors.Is(err, lsp.ErrClientGone) {
				t.Errorf("the server ended with %v", err)
			}
		})
	}
}

func readFrame(t *testing.T, in *bufio.Reader) []byte {
	t.Helper()
	var length int
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatalf("the server closed the connection: %v", err)
		}
		fmt.Sscanf(line, "Content-Length: %d", &length)
		if strings.TrimSpace(line) == "" {
			break
		}
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(in, body); err != nil {
		t.Fatal(err)
	}
	return body
}

// TestRefusesHugeMessage announces more than the server wants to hold.
func TestRefusesHugeMessage(t *testing.T) {
	client, server := net.Pipe()
	defer client.Close()
	ended := make(chan error, 1)
	go func() { ended <- lsp.Serve(context.Background(), server, lsp.Options{}) }()
	if _, err := io.WriteString(client, "Content-Length: 99999999999999\r\n\r\n{}"); err != nil {
		t.Fatal(err)
	}
	client.Close()
	if err := <-ended; !errors.Is(err, lsp.ErrClientGone) {
		t.Errorf("the server ended with %v", err)
	}
}

func TestTrace(t *testing.T) {
	e := serve(t, lsp.Options{})
	e.initialize(capabilities(), nil)
	e.must(e.server.SetTrace(e.ctx, &protocol.SetTraceParams{Value: protocol.TraceValueMessages}))
	_, err := e.server.Hover(e.ctx, hoverAt(e, "a.cu", 0))
	e.must(err)
	e.await("a trace", func() bool {
		return len(e.traces) > 0 && strings.HasPrefix(e.traces[len(e.traces)-1], "textDocument/hover took ")
	})
}

func TestOpenRulePage(t *testing.T) {
	e := serve(t, lsp.Options{})
	e.initialize(capabilities(), nil)
	_, err := e.server.ExecuteCommand(e.ctx, &protocol.ExecuteCommandParams{
		Command: "warplint.openRulePage", Arguments: []protocol.LSPAny{protocol.LSPAny(`"atomic-scope"`)},
	})
	e.must(err)
	const want = "https://github.com/warplint/warplint/blob/main/docs/rules/atomic-scope.md"
	if len(e.shown) != 1 || e.shown[0] != want {
		t.Errorf("opened %v, want %s", e.shown, want)
	}

	e = serve(t, lsp.Options{})
	caps := capabilities()
	set(caps, "window", nil)
	e.initialize(caps, nil)
	_, err = e.server.ExecuteCommand(e.ctx, &protocol.ExecuteCommandParams{
		Command: "warplint.openRulePage", Arguments: []protocol.LSPAny{protocol.LSPAny(`"atomic-scope"`)},
	})
	e.must(err)
	e.await("a message with the address", func() bool { return len(e.messages) == 1 && strings.Contains(e.messages[0], want) })
}

// controlled is a Checker that tests hold by the reins: each check reports that it began, and
// waits until the test lets it end or the server cancels it.
type controlled struct {
	began chan analysis.Request
	ended chan error // nil lets a check end; it then finds one race if its text says "race"
	stop  chan string
}

func newControlled() *controlled {
	return &controlled{make(chan analysis.Request), make(chan error), make(chan string, 64)}
}

func (c *controlled) Check(ctx context.Context, req analysis.Request) *analysis.Result {
	f, _ := req.Files.File(req.Path)
	for _, line := range strings.Split(f.Text, "\n") {
		if name, ok := strings.CutPrefix(line, "#include "); ok {
			req.Files.File(req.Path[:strings.LastIndex(req.Path, "/")+1] + strings.Trim(name, "\"\r"))
		}
	}
	result := &analysis.Result{Path: req.Path}
	select {
	case c.began <- req:
	case <-ctx.Done():
		return result
	}
	select {
	case err := <-c.ended:
		if err != nil {
			panic(err)
		}
	case <-ctx.Done():
		c.stop <- f.Text
		return result
	}
	if at := strings.Index(f.Text, "race"); at >= 0 {
		site := race.Site{Access: race.Write}
		site.Span.File, site.Span.Start, site.Span.End = req.Path, at, at+4
		result.Findings = append(result.Findings, race.Finding{
			Rule: race.InterBlockRace, Kind: race.InterBlock, Severity: race.Warning, Message: "a race", First: site, Second: site,
		})
	}
	return result
}

func (c *controlled) Fixes(context.Context, analysis.Request, race.Finding) []race.Fix { return nil }

// next waits for a check to begin, and returns the text that it is about.
func (c *controlled) next(e *editor) string {
	e.t.Helper()
	select {
	case req := <-c.began:
		f, _ := req.Files.File(req.Path)
		return f.Text
	case <-e.ctx.Done():
		e.t.Fatal("no check begins")
		return ""
	}
}

// finish lets the check that has begun end.
func (c *controlled) finish(e *editor) {
	e.t.Helper()
	select {
	case c.ended <- nil:
	case <-e.ctx.Done():
		e.t.Fatal("the check does not end")
	}
}

func TestNewerVersionCancelsOlder(t *testing.T) {
	checker := newControlled()
	e := serve(t, lsp.Options{Checker: checker})
	e.initialize(capabilities(), nil)
	e.open("a.cu", "cuda-cpp", "one race")
	if got := checker.next(e); got != "one race" {
		t.Errorf("checked %q", got)
	}
	e.edit("a.cu", "one", "two")
	if stopped := <-checker.stop; stopped != "one race" {
		t.Errorf("stopped the check of %q", stopped)
	}
	if got := checker.next(e); got != "two race" {
		t.Errorf("checked %q", got)
	}
	checker.finish(e)
	if all := e.diagnostics("a.cu", 2); len(all) != 1 {
		t.Errorf("published %v", all)
	}
	if n := e.publications("a.cu"); n != 1 {
		t.Errorf("published %d times, want only the version that was checked to its end", n)
	}
	e.quit()
}

// TestSameTextIsNotCheckedAgain gives a document a version without another text.
func TestSameTextIsNotCheckedAgain(t *testing.T) {
	checker := newControlled()
	e := serve(t, lsp.Options{Checker: checker})
	e.initialize(capabilities(), nil)
	e.open("a.cu", "cuda-cpp", "a race")
	checker.next(e)
	checker.finish(e)
	e.diagnostics("a.cu", 1)
	e.edit("a.cu", "race", "race")
	if all := e.diagnostics("a.cu", 2); len(all) != 1 { // though nobody lets a check end
		t.Errorf("published %v", all)
	}
	e.write("b.cuh", "")
	e.watched("b.cuh")
	e.open("b.cuh", "cuda-cpp", "other") // would wait forever behind a check of a.cu
	if got := checker.next(e); got != "other" {
		t.Errorf("checked %q", got)
	}
	checker.finish(e)
	e.diagnostics("b.cuh", 1)
	e.quit()
}

// TestIncludersAreChecked changes headers, in a buffer and on disk.
func TestIncludersAreChecked(t *testing.T) {
	checker := newControlled()
	e := serve(t, lsp.Options{Checker: checker})
	e.write("open.h", "on disk")
	e.initialize(capabilities(), nil)
	e.open("a.cu", "cuda-cpp", "#include \"open.h\"\n#include \"missing.h\"\n")
	check := func(step string) {
		t.Helper()
		e.mu.Lock()
		before := e.publications("a.cu")
		e.mu.Unlock()
		if got := checker.next(e); !strings.HasPrefix(got, "#include") {
			t.Fatalf("%s: checked %q", step, got)
		}
		checker.finish(e)
		e.await("a publication after "+step, func() bool { return e.publications("a.cu") == before+1 })
	}
	check("opening")
	e.open("open.h", "cpp", "in a buffer")
	check("opening the header")
	e.edit("open.h", "buffer", "changed buffer")
	check("typing into the header")
	e.close("open.h")
	check("closing the header")
	e.write("open.h", "changed on disk")
	e.watched("open.h")
	check("changing the header on disk")
	e.write("missing.h", "now it is there")
	e.watched("missing.h")
	check("creating a missing header")
	e.quit()
}

func TestCloseClearsDiagnostics(t *testing.T) {
	checker := newControlled()
	e := serve(t, lsp.Options{Checker: checker})
	e.initialize(capabilities(), nil)
	e.open("a.cu", "cuda-cpp", "a race")
	checker.next(e)
	checker.finish(e)
	if all := e.diagnostics("a.cu", 1); len(all) != 1 {
		t.Errorf("published %v", all)
	}
	e.close("a.cu")
	e.await("diagnostics to be cleared", func() bool {
		all := e.published[e.uri("a.cu")]
		return len(all) == 2 && len(all[1].Diagnostics) == 0 && all[1].Version.IsZero()
	})
	e.open("a.cu", "cuda-cpp", "a race again")
	checker.next(e)
	checker.finish(e)
	e.await("diagnostics to come back", func() bool { return e.publications("a.cu") == 3 })
	e.quit()
}

// TestCloseCancels closes a document while it is checked.
func TestCloseCancels(t *testing.T) {
	checker := newControlled()
	e := serve(t, lsp.Options{Checker: checker})
	e.initialize(capabilities(), nil)
	e.open("a.cu", "cuda-cpp", "a race")
	checker.next(e)
	e.close("a.cu")
	if stopped := <-checker.stop; stopped != "a race" {
		t.Errorf("stopped the check of %q", stopped)
	}
	e.quit()
	if n := e.publications("a.cu"); n != 0 {
		t.Errorf("published %d times for a document that was never checked to the end", n)
	}
}

// TestCancelRequest cancels a hover that waits for a check.
func TestCancelRequest(t *testing.T) {
	checker := newControlled()
	e := serve(t, lsp.Options{Checker: checker})
	e.initialize(capabilities(), nil)
	e.open("a.cu", "cuda-cpp", "a race")
	checker.next(e)
	params, err := protocol.Marshal(hoverAt(e, "a.cu", 2))
	e.must(err)
	answer := make(chan error, 1)
	go func() {
		_, err := e.conn.Call(e.ctx, "textDocument/hover", jsonrpc2.RawMessage(params), nil)
		answer <- err
	}()
	// The id of the call is not known before it is answered, so every id that it may have is cancelled.
	for {
		for id := range 8 {
			e.must(e.conn.Notify(e.ctx, "$/cancelRequest", jsonrpc2.RawMessage(fmt.Sprintf(`{"id":%d}`, id))))
		}
		select {
		case err := <-answer:
			if code(err) != protocol.CodeRequestCancelled {
				t.Errorf("the cancelled hover gives %v", err)
			}
			checker.finish(e)
			e.diagnostics("a.cu", 1) // the check itself goes on
			e.quit()
			return
		default:
		}
	}
}

// TestEditInvalidatesRequest edits a document that a hover waits for.
func TestEditInvalidatesRequest(t *testing.T) {
	checker := newControlled()
	e := serve(t, lsp.Options{Checker: checker})
	e.initialize(capabilities(), nil)
	e.open("a.cu", "cuda-cpp", "a race")
	checker.next(e)
	answer := make(chan error, 1)
	params := hoverAt(e, "a.cu", 2)
	go func() {
		_, err := e.server.Hover(e.ctx, params)
		answer <- err
	}()
	for { // until the hover has arrived and lost its document
		e.edit("a.cu", "race", "race more")
		checker.next(e)
		<-checker.stop // the check of the version before
		select {
		case err := <-answer:
			if code(err) != protocol.CodeContentModified {
				t.Errorf("the hover over an old version gives %v", err)
			}
			return
		default:
		}
	}
}

// TestStaleActions edits a document between asking for its fixes and taking them: the one edit is
// for the old version, so that the client refuses it, and the other is not made.
func TestStaleActions(t *testing.T) {
	e := serve(t, lsp.Options{})
	e.initialize(capabilities(), nil)
	e.open("a.cu", "cuda-cpp", "__device__ int n;\n__global__ void k() { atomicAdd_block(&n, 1); }\nvoid f() { k<<<2, 32>>>(); }\n")
	ask := func(only ...protocol.CodeActionKind) *protocol.CodeAction {
		t.Helper()
		params := &protocol.CodeActionParams{}
		params.TextDocument.URI, params.Context.Only = e.uri("a.cu"), only
		at := e.position(e.buffers["a.cu"].text, e.find("a.cu", "atomicAdd"))
		params.Range = protocol.Range{Start: at, End: at}
		found, err := e.server.CodeAction(e.ctx, params)
		e.must(err)
		if len(found) == 0 {
			t.Fatal("there is no action")
		}
		return found[0].(*protocol.CodeAction)
	}
	fix, all := ask("quickfix"), ask("source.fixAll")
	version := *fix.Edit.DocumentChanges[0].(*protocol.TextDocumentEdit).TextDocument.Version
	e.edit("a.cu", "__device__", "// one line more\n__device__")
	if now := e.buffers["a.cu"].version; version != 1 || now != 2 {
		t.Errorf("the fix is for version %d, and the document has version %d", version, now)
	}
	if _, err := e.server.CodeActionResolve(e.ctx, all); code(err) != protocol.CodeContentModified {
		t.Errorf("resolving an action for an old version gives %v", err)
	}
	e.apply(ask("quickfix").Edit)
	if got := e.pull("a.cu"); len(got) != 0 {
		t.Errorf("after the fix for the newest version there is %v", got)
	}
	e.quit()
}

// TestMendLeaves mends a kernel as far as changes are known, and tells its user of the rest.
func TestMendLeaves(t *testing.T) {
	e := serve(t, lsp.Options{})
	e.initialize(capabilities(), nil)
	e.open("a.cu", "cuda-cpp", "__global__ void k(int *n, int *a) { atomicAdd_block(n, 1); a[threadIdx.x] = blockIdx.x; }\nvoid f(int *n, int *a) { k<<<2, 32>>>(n, a); }\n")
	params := &protocol.CodeActionParams{}
	params.TextDocument.URI = e.uri("a.cu")
	at := e.position(e.buffers["a.cu"].text, e.find("a.cu", "atomicAdd"))
	params.Range = protocol.Range{Start: at, End: at}
	found, err := e.server.CodeAction(e.ctx, params)
	e.must(err)
	i := slices.IndexFunc(found, func(a protocol.CommandOrCodeAction) bool {
		return a.(*protocol.CodeAction).Title == "Mend all races of k"
	})
	if i < 0 {
		t.Fatal("there is no action that mends all")
	}
	resolved, err := e.server.CodeActionResolve(e.ctx, found[i].(*protocol.CodeAction))
	e.must(err)
	e.apply(resolved.Edit)
	if text := e.buffers["a.cu"].text; !strings.Contains(text, "atomicAdd(n, 1)") {
		t.Errorf("it leaves %q", text)
	}
	e.await("a message", func() bool {
		return len(e.messages) == 1 && strings.Contains(e.messages[0], "of the findings in k, no change is known for 1")
	})
	e.quit()
}

// TestPanics lets the analysis panic; the server lives on and shows nothing.
func TestPanics(t *testing.T) {
	checker := newControlled()
	e := serve(t, lsp.Options{Checker: checker})
	e.initialize(capabilities(), nil)
	e.open("a.cu", "cuda-cpp", "a race")
	checker.next(e)
	checker.ended <- errors.New("out of order")
	if all := e.diagnostics("a.cu", 1); len(all) != 0 {
		t.Errorf("published %v", all)
	}
	e.await("a message", func() bool { return len(e.messages) == 1 && strings.Contains(e.messages[0], "out of order") })
	e.edit("a.cu", "race", "race now")
	checker.next(e)
	checker.finish(e)
	if all := e.diagnostics("a.cu", 2); len(all) != 1 {
		t.Errorf("published %v", all)
	}
	e.quit()
}

// TestCheckLimit never lets a check end; the server stops it, says so once, and shows the rest.
func TestCheckLimit(t *testing.T) {
	checker := newControlled()
	e := serve(t, lsp.Options{Checker: checker, CheckLimit: time.Millisecond})
	e.initialize(capabilities(), nil)
	e.open("a.cu", "cuda-cpp", "a race")
	e.diagnostics("a.cu", 1)
	e.edit("a.cu", "race", "longer race")
	e.diagnostics("a.cu", 2)
	e.quit()
	if len(e.messages) != 1 || !strings.Contains(e.messages[0], "stopped checking a.cu after 1ms") {
		t.Errorf("messages %q", e.messages)
	}
}

// TestPull drives a client that can only pull.
func TestPull(t *testing.T) {
	checker := newControlled()
	e := serve(t, lsp.Options{Checker: checker})
	caps := capabilities()
	set(caps, "textDocument.publishDiagnostics", nil)
	set(caps, "textDocument.diagnostic.dynamicRegistration", true)
	if result := e.initialize(caps, nil); result.Capabilities.DiagnosticProvider == nil {
		t.Error("pull diagnostics are not offered")
	}
	e.write("a.h", "")
	e.open("a.cu", "cuda-cpp", "#include \"a.h\"\na race\n")
	checker.next(e)
	checker.finish(e)
	params := &protocol.DocumentDiagnosticParams{}
	params.TextDocument.URI = e.uri("a.cu")
	report, err := e.server.Diagnostic(e.ctx, params)
	e.must(err)
	full, ok := report.(*protocol.RelatedFullDocumentDiagnosticReport)
	if !ok || len(full.Items) != 1 || full.ResultID == nil {
		t.Fatalf("pulled %+v", report)
	}
	params.PreviousResultID = full.ResultID
	report, err = e.server.Diagnostic(e.ctx, params)
	e.must(err)
	if _, ok := report.(*protocol.RelatedUnchangedDocumentDiagnosticReport); !ok {
		t.Errorf("pulled again: %+v", report)
	}
	e.open("a.h", "cpp", "changed")
	checker.next(e)
	checker.finish(e)
	e.await("a refresh", func() bool { return e.refreshed == 1 })
	params.TextDocument.URI = e.uri("a.h")
	report, err = e.server.Diagnostic(e.ctx, params)
	e.must(err)
	if full, ok := report.(*protocol.RelatedFullDocumentDiagnosticReport); !ok || len(full.Items) != 0 {
		t.Errorf("a header that is not checked by itself gives %+v", report)
	}
	e.quit()
	if len(e.published) > 0 {
		t.Errorf("published %v to a client that pulls", e.published)
	}
}

// TestLanguages opens files of several names and languages and looks which are checked.
func TestLanguages(t *testing.T) {
	for _, test := range []struct {
		name, language string
		checked        bool
	}{
		{"a.cu", "cuda-cpp", true}, {"a.cu", "cuda", true}, {"a.cu", "cpp", true}, {"a.cu", "c++", true}, {"a.cu", "", true},
		{"a.CU", "plaintext", true}, {"a.cuh", "cpp", true},
		{"a.h", "cuda-cpp", true}, {"untitled:Untitled-1", "cuda-cpp", true},
		{"a.h", "cpp", false}, {"a.cpp", "cpp", false}, {"untitled:Untitled-1", "plaintext", false},
	} {
		t.Run(test.name+" as "+test.language, func(t *testing.T) {
			e := serve(t, lsp.Options{})
			e.initialize(capabilities(), nil)
			e.open(test.name, test.language, "int x;\n")
			e.open("last.cu", "cuda-cpp", "int y;\n")
			if test.checked {
				e.diagnostics(test.name, 1)
			}
			e.diagnostics("last.cu", 1)
			e.quit()
			if n := e.publications(test.name); !test.checked && n > 0 {
				t.Errorf("published %d times", n)
			}
		})
	}
}

// lockedBuffer is a log that is read while the server may still write.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// TestSettings gives settings in each way and looks at what the analysis gets.
func TestSettings(t *testing.T) {
	const given = `{"defines": ["N=4"], "includeDirs": ["inc", "/abs"], "arch": "sm_90a", "grid": 8, "block": "16,4", "unknown": 1}`
	check := func(t *testing.T, e *editor, got analysis.Config) {
		t.Helper()
		want := fmt.Sprint([]string{"N=4"}, []string{e.path("inc"), "/abs"}, 900, race.Dim3{8, 1, 1}, race.Dim3{16, 4, 1})
		if have := fmt.Sprint(got.Defines, got.IncludeDirs, got.Arch, got.Grid, got.Block); have != want {
			t.Errorf("the analysis got %s, want %s", have, want)
		}
	}
	t.Run("asked", func(t *testing.T) {
		checker := newControlled()
		e := serve(t, lsp.Options{Checker: checker})
		e.settings = json.RawMessage(given)
		e.initialize(capabilities(), nil)
		e.open("a.cu", "cuda-cpp", "x")
		check(t, e, (<-checker.began).Config)
		checker.finish(e)
		e.mu.Lock()
		e.settings = json.RawMessage(`{"defines": ["N=5"]}`)
		e.mu.Unlock()
		e.must(e.server.DidChangeConfiguration(e.ctx, &protocol.DidChangeConfigurationParams{Settings: protocol.LSPAny("null")}))
		if got := (<-checker.began).Config; len(got.Defines) != 1 || got.Defines[0] != "N=5" || got.Arch != 0 {
			t.Errorf("after a change the analysis got %+v", got)
		}
		checker.finish(e)
	})
	t.Run("pushed", func(t *testing.T) {
		checker := newControlled()
		e := serve(t, lsp.Options{Checker: checker})
		caps := capabilities()
		set(caps, "workspace.configuration", nil)
		e.initialize(caps, nil)
		e.must(e.server.DidChangeConfiguration(e.ctx, &protocol.DidChangeConfigurationParams{Settings: protocol.LSPAny(`{"warplint": ` + given + `}`)}))
		e.open("a.cu", "cuda-cpp", "x")
		check(t, e, (<-checker.began).Config)
		checker.finish(e)
	})
	t.Run("initial", func(t *testing.T) {
		checker := newControlled()
		e := serve(t, lsp.Options{Checker: checker})
		e.initialize(capabilities(), map[string]any{"initializationOptions": json.RawMessage(given)})
		e.open("a.cu", "cuda-cpp", "x")
		check(t, e, (<-checker.began).Config)
		checker.finish(e)
	})
	t.Run("wrong", func(t *testing.T) {
		for _, wrong := range []string{`{"trusted": true, "grid": "x"}`, `{"trusted": true, "defines": ["-DN"]}`, `{"trusted": true, "simulate": {"seed": -1}}`} {
			e := serve(t, lsp.Options{Checker: newControlled()})
			e.initialize(capabilities(), map[string]any{"initializationOptions": json.RawMessage(wrong)})
			e.await("a message", func() bool {
				return len(e.messages) == 1 && strings.HasPrefix(e.messages[0], "warplint ignores the settings: warplint.")
			})
			e.quit()
		}
	})
	t.Run("compile_commands.json", func(t *testing.T) {
		checker := newControlled()
		e := serve(t, lsp.Options{Checker: checker})
		e.settings = json.RawMessage(`{"defines": ["N=4"]}`)
		write := func(flags string) {
			e.write("build/compile_commands.json", `[{"directory": "`+e.dir+`", "file": "src/a.cu", "command": "nvcc `+flags+` -c src/a.cu"}]`)
			e.watched("build/compile_commands.json")
		}
		e.initialize(capabilities(), nil)
		write("-DFIRST")
		e.open("src/a.cu", "cuda-cpp", "x")
		if got := (<-checker.began).Config; fmt.Sprint(got.Defines) != "[FIRST N=4]" {
			t.Errorf("the analysis got %+v", got)
		}
		checker.finish(e)
		e.diagnostics("src/a.cu", 1)
		write("-DSECOND")
		if got := (<-checker.began).Config; fmt.Sprint(got.Defines) != "[SECOND N=4]" {
			t.Errorf("after a change the analysis got %+v", got)
		}
		checker.finish(e)
	})
	t.Run("build files", func(t *testing.T) {
		checker, log := newControlled(), &lockedBuffer{}
		e := serve(t, lsp.Options{Checker: checker, Log: slog.New(slog.NewTextHandler(log, nil))})
		e.initialize(capabilities(), nil)
		e.write("compile_commands.json", `[{"file": "a.cu", "command": "nvcc -DA a.cu"}, {"file": "b.cu", "command": "nvcc @b.rsp b.cu"}]`)
		e.write("b.rsp", "-DB")
		e.write(".clangd", "CompileFlags: {Add: -DADDED}")
		e.write("a.cu", `#include "h.cuh"`)
		e.write("b.cu", "")
		e.write("h.cuh", "x")
		e.open("h.cuh", "cuda-cpp", "x")
		want := func(want string) {
			t.Helper()
			select {
			case req := <-checker.began:
				if got := fmt.Sprint(req.Config.Defines); got != want {
					t.Errorf("the analysis got %s, want %s", got, want)
				}
			case <-e.ctx.Done():
				t.Fatalf("no check with %s", want)
			}
			checker.finish(e)
			e.diagnostics("h.cuh", 1)
		}
		want("[A ADDED]")
		e.write("a.cu", "")
		e.write("b.cu", `#include "h.cuh"`)
		e.watched("b.cu") // which includes the header now, and a.cu does not
		want("[B ADDED]")
		e.write("b.rsp", "-DB2")
		e.watched("b.rsp")
		want("[B2 ADDED]")
		e.write(".clangd", "CompileFlags: [")
		e.watched(".clangd")
		want("[B2]")
		e.write("b.rsp", "-DB3")
		e.watched("b.rsp")
		want("[B3]")
		e.quit()
		if n := strings.Count(log.String(), ".clangd"); n != 1 {
			t.Errorf("the log names .clangd %d times: %s", n, log)
		}
	})
	for _, test := range []struct{ name, wrong string }{
		{"defines", `{"defines": "N"}`},
		{"arch", `{"arch": "volta"}`},
		{"block", `{"block": [0]}`},
		{"block", `{"block": "64,64"}`},
		{"grid", `{"grid": "1,2,3,4"}`},
		{"settings", `[]`},
	} {
		name, wrong := test.name, test.wrong
		t.Run("wrong "+name, func(t *testing.T) {
			e := serve(t, lsp.Options{})
			e.settings = json.RawMessage(wrong)
			e.initialize(capabilities(), nil)
			e.await("a message", func() bool { return len(e.messages) == 1 && strings.Contains(e.messages[0], name) })
		})
	}
}

// TestEdits sends edits in all encodings and shapes, and looks at the text that is checked.
func TestEdits(t *testing.T) {
	const text = "// ä𝄞 漢\r\nint x;\r\n"
	whole := func(text string) protocol.TextDocumentContentChangeEvent {
		return &protocol.TextDocumentContentChangeWholeDocument{Text: text}
	}
	part := func(l1, c1, l2, c2 uint32, text string) protocol.TextDocumentContentChangeEvent {
		r := protocol.Range{Start: protocol.Position{Line: l1, Character: c1}, End: protocol.Position{Line: l2, Character: c2}}
		return &protocol.TextDocumentContentChangePartial{Range: r, Text: text}
	}
	for _, test := range []struct {
		name, encoding string
		changes        []protocol.TextDocumentContentChangeEvent
		want           string
	}{
		{"whole", "utf-16", []protocol.TextDocumentContentChangeEvent{whole("y")}, "y"},
		{"after a surrogate pair", "utf-16", []protocol.TextDocumentContentChangeEvent{part(0, 6, 0, 7, "-")}, "// ä𝄞-漢\r\nint x;\r\n"},
		{"in bytes", "utf-8", []protocol.TextDocumentContentChangeEvent{part(0, 9, 0, 10, "-")}, "// ä𝄞-漢\r\nint x;\r\n"},
		{"inside a surrogate pair", "utf-16", []protocol.TextDocumentContentChangeEvent{part(0, 5, 0, 5, "-")}, "// ä-𝄞 漢\r\nint x;\r\n"},
		{"inside a character's bytes", "utf-8", []protocol.TextDocumentContentChangeEvent{part(0, 4, 0, 4, "-")}, "// -ä𝄞 漢\r\nint x;\r\n"},
		{"behind a line's end", "utf-16", []protocol.TextDocumentContentChangeEvent{part(1, 99, 1, 99, "-")}, "// ä𝄞 漢\r\nint x;-\r\n"},
		{"behind the end", "utf-16", []protocol.TextDocumentContentChangeEvent{part(99, 0, 4294967295, 4294967295, "-")}, text + "-"},
		{"upside down", "utf-16", []protocol.TextDocumentContentChangeEvent{part(1, 5, 1, 4, "y")}, "// ä𝄞 漢\r\nint y;\r\n"},
		{"several, each on the one before", "utf-16", []protocol.TextDocumentContentChangeEvent{
			part(0, 0, 1, 0, ""), part(0, 4, 0, 5, "long_name"), part(0, 13, 0, 14, " = 1;"),
		}, "int long_name = 1;\r\n"},
		{"nothing", "utf-16", nil, text},
	} {
		t.Run(test.name, func(t *testing.T) {
			checker := newControlled()
			e := serve(t, lsp.Options{Checker: checker})
			caps := capabilities()
			set(caps, "general.positionEncodings", []string{test.encoding})
			e.initialize(caps, nil)
			e.open("a.cu", "cuda-cpp", text)
			checker.next(e)
			checker.finish(e)
			e.diagnostics("a.cu", 1)
			e.buffers["a.cu"].version = 7 // versions may jump
			e.change("a.cu", test.changes...)
			if test.want != text {
				if got := checker.next(e); got != test.want {
					t.Errorf("checked %q, want %q", got, test.want)
				}
				checker.finish(e)
			}
			e.diagnostics("a.cu", 7)
			e.quit()
		})
	}
}

// TestHugeDocument opens 100,000 lines and types into them.
func TestHugeDocument(t *testing.T) {
	e := serve(t, lsp.Options{})
	e.initialize(capabilities(), nil)
	e.open("a.cu", "cuda-cpp", strings.Repeat("int x; // ä\n", 100_000))
	b := e.buffers["a.cu"]
	var changes []protocol.TextDocumentContentChangeEvent
	for line := range uint32(1000) {
		at := protocol.Position{Line: line * 100, Character: 4}
		changes = append(changes, &protocol.TextDocumentContentChangePartial{Range: protocol.Range{Start: at, End: at}, Text: "y"})
	}
	b.version++
	e.change("a.cu", changes...)
	e.diagnostics("a.cu", 2)
	e.quit()
}
