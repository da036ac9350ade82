// This file keeps compiled device code between runs.

package dynamic

import (
	"context"
	"errors"
	"os"

	"github.com/warplint/warplint/dynamic/toolchain"
)

// Code is the device code of some files, compiled once for all runs of their kernels alone: these have the same files, texts
// and options for the compiler. The zero Code has nothing yet. It is for one goroutine.
type Code struct {
	dir     string
	kept    *deviceCode
	refused error // why the compiler takes the files in no way that we know
}

// Remove deletes what it has on disk. No run may use it again.
func (c *Code) Remove() error { return os.RemoveAll(c.dir) }

// prepare makes ready what is to run, from what was compiled before if that has it.
func (c *Code) prepare(ctx context.Context, o *Options) (execution, []*toolchain.Module, error) {
	var refused *toolchain.CompileError
	switch {
	case c.refused != nil:
		return nil, nil, c.refused
	case c.kept != nil && o.Kernel.Name != "":
		return c.kept.prepare(ctx, o)
	}
	if c.dir == "" {
		dir, err := os.MkdirTemp("", "warplint-")
		if err != nil {
			return nil, nil, err
		}
		c.dir = dir
	}
	execute, modules, err := o.prepare(ctx, c.dir)
	if errors.As(err, &refused) {
		c.refused = err
	}
	return execute, modules, err
}
