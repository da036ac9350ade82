package lsp

// This file defines how long work is shown: with the client's own progress, which its user may
// cancel.

import (
	"context"
	"fmt"
	"sync"

	"go.lsp.dev/protocol"
)

// workProgress is one piece of work that the client shows. Its methods may be called by anybody.
type workProgress struct {
	server *server
	token  protocol.ProgressToken // nil if the client shows none
}

// works are the pieces of work that the client may cancel.
type works struct {
	mu sync.Mutex
	of map[protocol.ProgressToken]func()
}

// beginWork shows a piece of work, under the token that the client chose for it, if it did. It
// must not run on the reading goroutine.
func (s *server) beginWork(ctx context.Context, title string, token protocol.ProgressToken, cancel func()) *workProgress {
	w := &workProgress{server: s}
	if token == nil {
		if !s.client.progress {
			return w
		}
		token = protocol.String(fmt.Sprintf("warplint/%d", s.serial.Add(1)))
		if err := s.peer.WorkDoneProgressCreate(ctx, &protocol.WorkDoneProgressCreateParams{Token: token}); err != nil {
			s.failed("show progress", err)
			return w
		}
	}
	w.token = token
	yes := cancel != nil
	if yes {
		s.works.mu.Lock()
		s.works.of[token] = cancel
		s.works.mu.Unlock()
	}
	w.tell(&protocol.WorkDoneProgressBegin{Kind: "begin", Title: title, Cancellable: &yes})
	return w
}

// report says how far the work is; percent is from 0 to 100, or negative if unknown.
func (w *workProgress) report(message string, percent int) {
	report := &protocol.WorkDoneProgressReport{Kind: "report", Message: &message}
	if percent >= 0 {
		share := uint32(min(percent, 100))
		report.Percentage = &share
	}
	w.tell(report)
}

func (w *workProgress) end(message string) {
	if w.token != nil {
		w.server.works.mu.Lock()
		delete(w.server.works.of, w.token)
		w.server.works.mu.Unlock()
	}
	end := &protocol.WorkDoneProgressEnd{Kind: "end"}
	if message != "" {
		end.Message = &message
	}
	w.tell(end)
}

func (w *workProgress) tell(value any) {
	if w.token == nil {
		return
	}
	raw, err := protocol.Marshal(value)
	if err == nil {
		err = w.server.peer.Progress(w.server.ctx, &protocol.ProgressParams{Token: w.token, Value: raw})
	}
	w.server.failed("show progress", err)
}

// WorkDoneProgressCancel implements protocol.Server.
func (s *server) WorkDoneProgressCancel(_ context.Context, params *protocol.WorkDoneProgressCancelParams) error {
	s.works.mu.Lock()
	defer s.works.mu.Unlock()
	if cancel := s.works.of[params.Token]; cancel != nil {
		cancel()
	}
	return nil
}
