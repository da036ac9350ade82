package lsp

import "os"

// processLives opens the process, which Windows refuses once it has ended and nobody holds it.
func processLives(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	return p.Release() == nil
}
