package lsp

// This file defines what happens around every request: the order in which requests run, the
// states of the connection, cancellation, panics, and which errors the client gets to see.
//
// Requests start in the order in which they arrive. Notifications change the state and are
// done before the next message is read. Requests that ask about the state take a snapshot and
// release the reader with jsonrpc2.Async, so that their answers belong to the text that the
// client had when it asked, and later messages needn't wait.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// handler returns the chain through which every incoming message goes. It never returns an
// error for a notification, since that would tear the connection down.
func (s *server) handler() jsonrpc2.Handler {
	answer := s.guarded(protocol.ServerHandler(s, jsonrpc2.MethodNotFoundHandler))
	calls := &calls{cancels: map[jsonrpc2.ID]context.CancelFunc{}}
	return func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		if req.Method() == protocol.MethodCancelRequest {
			if id, ok := cancelled(req.Params()); ok {
				calls.cancel(id)
			}
			return nil, nil
		}
		if !req.IsCall() {
			method := req.Method()
			if _, err := answer(ctx, req); err != nil {
				s.log.Warn("a notification was ignored", "method", method, "error", err)
			}
			return nil, nil
		}
		ctx, done := calls.begin(ctx, req.ID())
		defer done()
		return answer(ctx, req)
	}
}

// calls are the requests that are being answered.
type calls struct {
	mu      sync.Mutex
	cancels map[jsonrpc2.ID]context.CancelFunc
}

// begin returns the context in which a request is answered, and what to do when it has been.
func (c *calls) begin(ctx context.Context, id jsonrpc2.ID) (context.Context, func()) {
	live, cancel := context.WithCancel(jsonrpc2.DetachContext(ctx))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cancels[id] = cancel
	return callContext{live, ctx}, func() {
		cancel()
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.cancels, id)
	}
}

func (c *calls) cancel(id jsonrpc2.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel, ok := c.cancels[id]; ok {
		cancel()
	}
}

// callContext ends when its call is cancelled, and has the request's values, among them what
// jsonrpc2.Async needs. It is not derived from the request's own context, as the library's
// CancelHandler is: that context is used again for another request as soon as the handler
// returns, and a context derived from it may look at it after that.
type callContext struct {
	context.Context
	request context.Context
}

func (c callContext) Value(key any) any { return c.request.Value(key) }

// cancelled reads the id of a $/cancelRequest, which may be a number or a string.
func cancelled(params []byte) (jsonrpc2.ID, bool) {
	var number struct{ ID *int64 }
	if json.Unmarshal(params, &number) == nil && number.ID != nil {
		return jsonrpc2.NewNumberID(*number.ID), true
	}
	var name struct{ ID *string }
	if json.Unmarshal(params, &name) == nil && name.ID != nil {
		return jsonrpc2.NewStringID(*name.ID), true
	}
	return jsonrpc2.ID{}, false
}

// guarded wraps a handler with the checks of the connection's state, and turns panics and
// internal errors into answers.
func (s *server) guarded(next jsonrpc2.Handler) jsonrpc2.Handler {
	return func(ctx context.Context, req *jsonrpc2.Request) (result any, err error) {
		// The method is borrowed from the message, which is overwritten once Async has released
		// the reader.
		method, start := strings.Clone(req.Method()), time.Now()
		defer func() {
			if cause := recover(); cause != nil {
				s.log.Error("a handler panicked", "method", method, "cause", cause, "stack", string(debug.Stack()))
				result, err = nil, jsonrpc2.Errorf(jsonrpc2.InternalError, "warplint failed at %s: %v", method, cause)
			}
			s.traceRequest(method, time.Since(start), err)
		}()
		if err := s.admit(req); err != nil {
			return nil, err
		}
		result, err = next(ctx, req)
		return result, s.wireError(ctx, req, err)
	}
}

// state is where the connection is in its life.
type state int32

const (
	fresh state = iota
	running
	shutDown
)

// admit rejects what the protocol doesn't allow in the connection's state.
func (s *server) admit(req *jsonrpc2.Request) error {
	method := req.Method()
	if method == protocol.MethodExit {
		return nil
	}
	switch state(s.state.Load()) {
	case fresh:
		if method != protocol.MethodInitialize {
			return jsonrpc2.NewError(jsonrpc2.ServerNotInitialized, "the server is not initialized")
		}
	case running:
		if method == protocol.MethodInitialize {
			return jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the server is initialized already")
		}
	case shutDown:
		return jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the server is shut down")
	}
	return nil
}

// wireError chooses the error code that the protocol wants.
func (s *server) wireError(ctx context.Context, req *jsonrpc2.Request, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return protocol.ErrRequestCancelled
	case errors.Is(err, jsonrpc2.ErrParse) && req.IsCall() && !known[req.Method()]:
		// The library parses the parameters of methods that it does not know.
		return fmt.Errorf("%q: %w", req.Method(), jsonrpc2.ErrMethodNotFound)
	case errors.Is(err, jsonrpc2.ErrParse):
		return jsonrpc2.NewError(jsonrpc2.InvalidParams, err.Error())
	}
	return err
}

// known are the requests whose parameters we read.
var known = map[string]bool{
	protocol.MethodInitialize:              true,
	protocol.MethodTextDocumentHover:       true,
	protocol.MethodTextDocumentCodeLens:    true,
	protocol.MethodTextDocumentCodeAction:  true,
	protocol.MethodCodeActionResolve:       true,
	protocol.MethodTextDocumentDiagnostic:  true,
	protocol.MethodWorkspaceExecuteCommand: true,
}
