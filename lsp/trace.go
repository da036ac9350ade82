package lsp

// This file defines what we tell the client beside answers: messages for its user, and traces
// for those who debug the connection.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// showMessage shows the user a message.
func (s *server) showMessage(ctx context.Context, kind protocol.MessageType, text string) {
	s.log.Info("message to the user", "text", text)
	s.failed("show a message", s.peer.ShowMessage(ctx, &protocol.ShowMessageParams{Type: kind, Message: text}))
}

// failed logs that the client did not do something. When it leaves, that is no news.
func (s *server) failed(what string, err error) {
	if err != nil && s.ctx.Err() == nil && !errors.Is(err, jsonrpc2.ErrClientClosing) && !errors.Is(err, io.EOF) {
		s.log.Warn("the client did not "+what, "error", err)
	}
}

// SetTrace implements protocol.Server.
func (s *server) SetTrace(_ context.Context, params *protocol.SetTraceParams) error {
	s.trace.Store(params.Value)
	return nil
}

// traceRequest tells a client that wants to know what was asked, how long it took, and how it
// went wrong.
func (s *server) traceRequest(method string, took time.Duration, err error) {
	level := s.trace.Load()
	if level != protocol.TraceValueMessages && level != protocol.TraceValueVerbose {
		return
	}
	params := &protocol.LogTraceParams{Message: fmt.Sprintf("%s took %s", method, took.Round(time.Microsecond))}
	if err != nil && level == protocol.TraceValueVerbose {
		why := err.Error()
		params.Verbose = &why
	}
	s.failed("take a trace", s.peer.LogTrace(s.ctx, params))
}
