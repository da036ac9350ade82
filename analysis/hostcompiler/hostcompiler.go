// Package hostcompiler finds the C++ compiler whose programs tests compare their own results with.
package hostcompiler

import (
	"os"
	"os/exec"
	"sync"
)

// Path is that of the newest clang++ here, otherwise of the C++ compiler that cgo needs anyway.
var Path = sync.OnceValue(func() string {
	for _, name := range []string{os.Getenv("WARPLINT_CLANG"), "clang++-19", "clang++", "clang++-18", "clang++-17", "clang++-16", "clang++-15", "clang++-14", "g++"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return "c++"
})
