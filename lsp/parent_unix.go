//go:build unix

package lsp

import (
	"errors"
	"syscall"
)

// processLives asks the kernel whether there is such a process. One that we may not signal, for
// it belongs to somebody else, lives.
func processLives(pid int) bool {
	return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
