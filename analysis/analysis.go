// Package analysis is the static side of warplint. Check names the stages in order, from the
// text of a file to its findings. It reads files only through a source.Provider, knows no
// editor protocol, and never fails: what is not understood makes a kernel unknown.
package analysis

import (
	"context"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/syntax"
)

// Request names what to check.
type Request struct {
	Files  source.Provider
	Path   string
	Config Config
}

// Config is what the user says besides the text.
type Config struct {
	syntax.Config
	// Grid and Block are the launch to assume for kernels that no launch gives; zero means any.
	Grid, Block race.Dim3
	// Kernel restricts the check to the kernel of this name; "" means all.
	Kernel string
}

// Result is what is known about one file.
type Result struct {
	Path     string
	Kernels  []race.Kernel
	Findings []race.Finding // sorted by place
	Problems []race.Problem
}

// Engine checks files and keeps what it may use again: trees, lowered kernels, verdicts, each
// keyed by a hash of all that went into it. It is safe for concurrent use.
type Engine struct{}

// NewEngine returns an engine with an empty cache.
func NewEngine() *Engine { return &Engine{} }

// Check analyses one file. It returns early, with what it has, when the context is done.
func (e *Engine) Check(ctx context.Context, req Request) *Result {
	return &Result{Path: req.Path}
}

// Fixes returns the changes that mend a finding of a Result for the same request, the best
// first, each verified by checking the edited text.
func (e *Engine) Fixes(ctx context.Context, req Request, f race.Finding) []race.Fix {
	return nil
}
