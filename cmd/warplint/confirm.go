// This file defines `check --confirm`: the witness of each finding runs on the simulator.

package main

import (
	"context"

	"github.com/warplint/warplint/dynamic"
	"github.com/warplint/warplint/dynamic/toolchain"
	"github.com/warplint/warplint/internal/confirm"
)

// confirm says of each finding of a file what became of its witness. A header is compiled with
// the file that includes it.
func (c *checker) confirm(ctx context.Context, path string, out *outcome) {
	var code dynamic.Code
	defer code.Remove()
	options := confirm.Options{
		File: c.index.Units(path)[0].Path,
		Compile: func(file string) toolchain.Options {
			return confirm.CompileOptions(c.flags(file))
		},
		Code: &code,
	}
	for i := range out.Findings {
		seen, _, err := confirm.Run(ctx, c.files, out.Findings[i].Finding, options)
		if err != nil {
			return // interrupted, which the outcome says
		}
		out.Findings[i].Confirmation = &seen
	}
}
