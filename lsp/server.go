// Package lsp is warplint's language server. It keeps what an editor has open in immutable
// snapshots, has the analysis check them in the background, and answers with diagnostics,
// hovers and code actions. It works with any client: nothing needs a request of our own, and
// whatever goes beyond the protocol's oldest version is used only if the client can do it.
package lsp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/warplint/warplint/analysis"
	"github.com/warplint/warplint/analysis/race"
)

// Checker is what the server asks of the analysis. *analysis.Engine is the one that users get.
type Checker interface {
	Check(context.Context, analysis.Request) *analysis.Result
	Fixes(context.Context, analysis.Request, race.Finding) []race.Fix
}

// launcher is what the server asks of the analysis to run a kernel alone.
type launcher interface {
	Launches(ctx context.Context, req analysis.Request, kernel string) []race.Witness
}

// Options says how to serve. The zero value serves with a new engine and no log.
type Options struct {
	Version string       // of warplint, told to the client
	Log     *slog.Logger // for people; nil keeps silent
	Checker Checker      // nil means a new analysis.Engine
	// CheckLimit is the longest time that the check of a document may take; 0 means 30 seconds.
	CheckLimit time.Duration
	// FixLimit is the longest time that the fixes of one finding may take; 0 means 10 seconds,
	// for whoever opens a menu does not wait longer.
	FixLimit time.Duration
	// ParentPoll is how often to look whether the process that started us still lives; 0 means
	// every 3 seconds.
	ParentPoll time.Duration
}

// The reasons for which Serve ends other than by a proper shutdown. The protocol wants exit
// status 1 for each of them.
var (
	ErrNoShutdown  = errors.New("the client sent exit without shutdown")
	ErrClientGone  = errors.New("the client closed the connection without shutdown")
	ErrParentEnded = errors.New("the process that started the server has ended")
)

// configurationTimeout is how long checks wait for a client to tell the settings.
const configurationTimeout = 3 * time.Second

// minSlots is how many checks may run at a time at least, so that some slow files do not keep
// the one waiting which is being edited.
const minSlots = 4

// server is one connection.
type server struct {
	protocol.UnimplementedServer

	options Options
	log     *slog.Logger
	checker Checker
	peer    protocol.Client
	// notify sends a notification that is not the protocol's own.
	notify   func(ctx context.Context, method string, params any) error
	launches launcher
	running  chan struct{} // held by the run that is under way
	works    works

	elsewhere sync.Mutex      // held while diagnostics are published; taken before mu
	outside   map[string]bool // paths that are not checked, and have diagnostics of runs; mu guards it
	ctx       context.Context // ends with the connection
	state     atomic.Int32    // a state
	trace     atomic.Value    // a protocol.TraceValue
	exit      chan error      // receives why the connection ends
	client    client          // written by initialize, before anything reads it

	ready     chan struct{} // closed when the settings are known
	openReady sync.Once
	slots     chan struct{} // one for each check that may run at a time

	mu      sync.Mutex
	current *snapshot
	checks  map[string]*check // by path
	indexed *snapshot         // the one whose documents the index knows
	moved   chan struct{}     // closed and replaced whenever current or checks change
	serial  atomic.Int64      // counts analyses

	index *indexer
}

// Serve talks to one client until it leaves or the context ends. It returns nil if the client
// shut the server down as the protocol says, or if the context was done.
func Serve(ctx context.Context, rw io.ReadWriteCloser, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newServer(ctx, o)
	out := newOutbox(rw)
	// Reading standard input can't always be interrupted, so nobody waits for the reader.
	defer out.Close()
	defer out.flush(time.Second)
	defer s.endRuns(cancel)
	conn := jsonrpc2.NewConn(newTolerantStream(out, s.log), jsonrpc2.WithCodec(codec{}))
	s.peer, s.notify = protocol.ClientDispatcher(conn), conn.Notify
	conn.Go(ctx, s.handler())
	select {
	case err := <-s.exit:
		return err
	case <-conn.Done():
		return s.whyClosed(conn.Err())
	case <-ctx.Done():
		return nil
	}
}

func newServer(ctx context.Context, o Options) *server {
	s := &server{
		options: o, log: o.Log, checker: o.Checker, ctx: ctx,
		exit: make(chan error, 1), ready: make(chan struct{}), moved: make(chan struct{}),
		slots: make(chan struct{}, max(minSlots, runtime.GOMAXPROCS(0))), checks: map[string]*check{},
		index:   newIndexer(),
		running: make(chan struct{}, 1), works: works{of: map[protocol.ProgressToken]func(){}},
		launches: analysis.NewEngine(), outside: map[string]bool{},
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.options.CheckLimit <= 0 {
		s.options.CheckLimit = 30 * time.Second
	}
	if s.options.FixLimit <= 0 {
		s.options.FixLimit = 10 * time.Second
	}
	if s.checker == nil {
		s.checker = analysis.NewEngine()
	}
	s.current = &snapshot{documents: map[string]*document{}, meant: map[string]*meant{}, disk: newDiskCache(s.log).newView(), runs: &runLog{}}
	s.trace.Store(protocol.TraceValueOff)
	return s
}

// endRuns cancels all runs, and gives the one under way time to end its program and to take away what
// it has on disk: when the process is gone, nobody does.
func (s *server) endRuns(cancel func()) {
	cancel()
	select {
	case s.running <- struct{}{}:
	case <-time.After(2 * time.Second):
	}
}

// whyClosed says what it means that the connection ended by itself.
func (s *server) whyClosed(err error) error {
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrClientGone, err)
	case state(s.state.Load()) == shutDown:
		return nil
	}
	return ErrClientGone
}

// end makes Serve return. Only the first reason counts.
func (s *server) end(why error) {
	select {
	case s.exit <- why:
	default:
	}
}

// background runs work that may wait for the client or take long. It must not be waited for
// by a handler that holds the reader.
func (s *server) background(work func(context.Context)) {
	go func() {
		defer s.recovered("background work")
		work(s.ctx)
	}()
}

// Initialize implements protocol.Server.
func (s *server) Initialize(ctx context.Context, params *protocol.InitializeParams) (*protocol.InitializeResult, error) {
	s.client = newClient(params)
	if params.Trace != "" {
		s.trace.Store(params.Trace)
	}
	initial, err := parseSettings(params.InitializationOptions)
	if err != nil {
		s.ignoreSettings(ctx, err)
	}
	s.change("initialize", func(next *snapshot) {
		next.encoding, next.settings, next.folders = s.client.encoding, initial, workspaceFolders(params)
	})
	if params.ProcessID != nil {
		s.background(func(ctx context.Context) { s.watchParent(ctx, int(*params.ProcessID)) })
	}
	if s.client.configuration {
		time.AfterFunc(configurationTimeout, s.becomeReady)
	} else {
		s.becomeReady()
	}
	s.state.Store(int32(running))
	return &protocol.InitializeResult{
		Capabilities: s.capabilities(),
		ServerInfo:   protocol.ServerInfo{Name: "warplint", Version: protocol.NewOptional(s.options.Version)},
	}, nil
}

// workspaceFolders returns the paths of the folders that the client has open.
func workspaceFolders(params *protocol.InitializeParams) []string {
	var paths []string
	folders, _ := params.WorkspaceFolders.Get()
	for _, folder := range folders {
		paths = append(paths, toPath(folder.URI))
	}
	if len(paths) == 0 && params.RootURI != nil {
		paths = append(paths, toPath(*params.RootURI))
	}
	return paths
}

func (s *server) capabilities() protocol.ServerCapabilities {
	yes, change := true, protocol.TextDocumentSyncKindIncremental
	c := protocol.ServerCapabilities{
		PositionEncoding: s.client.encoding,
		TextDocumentSync: &protocol.TextDocumentSyncOptions{
			OpenClose: &yes, Change: &change, WillSave: &yes, Save: protocol.Boolean(true),
		},
		HoverProvider: protocol.Boolean(true),
		CodeActionProvider: &protocol.CodeActionOptions{
			CodeActionKinds: []protocol.CodeActionKind{protocol.CodeActionKindQuickFix, fixAllKind},
			ResolveProvider: &yes,
		},
		ExecuteCommandProvider: protocol.ExecuteCommandOptions{Commands: commandNames()},
		CodeLensProvider:       &protocol.CodeLensOptions{},
		Workspace: &protocol.WorkspaceOptions{WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
			Supported: &yes, ChangeNotifications: protocol.Boolean(true),
		}},
	}
	if s.client.pull {
		c.DiagnosticProvider = &protocol.DiagnosticOptions{InterFileDependencies: true}
	}
	return c
}

// Initialized implements protocol.Server.
func (s *server) Initialized(context.Context, *protocol.InitializedParams) error {
	s.background(func(ctx context.Context) {
		if s.client.configuration {
			s.fetchSettings(ctx)
		}
		s.becomeReady()
		s.register(ctx)
		s.indexFolders(ctx)
	})
	return nil
}

// becomeReady lets checks begin.
func (s *server) becomeReady() { s.openReady.Do(func() { close(s.ready) }) }

// Shutdown implements protocol.Server.
func (s *server) Shutdown(context.Context) error {
	s.state.Store(int32(shutDown))
	return nil
}

// Exit implements protocol.Server.
func (s *server) Exit(context.Context) error {
	if state(s.state.Load()) == shutDown {
		s.end(nil)
	} else {
		s.end(ErrNoShutdown)
	}
	return nil
}

// codec encodes parameters and results as the protocol's types want it.
type codec struct{}

func (codec) Marshal(v any) ([]byte, error) { return protocol.Marshal(v) }

// Unmarshal copies the message: decoded strings may point into it, and jsonrpc2 uses the buffer of a
// response again.
func (codec) Unmarshal(data []byte, v any) error { return protocol.Unmarshal(bytes.Clone(data), v) }
