package lsp

// This file defines how the server ends with the process that started it, should that die
// without closing the connection.

import (
	"context"
	"time"
)

// watchParent makes the server end when the process has ended.
func (s *server) watchParent(ctx context.Context, pid int) {
	every := s.options.ParentPoll
	if every <= 0 {
		every = 3 * time.Second
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if !processLives(pid) {
				s.end(ErrParentEnded)
				return
			}
		}
	}
}
