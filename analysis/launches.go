package analysis

import (
	"context"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
	"github.com/warplint/warplint/analysis/witness"
)

// This file names launches of a kernel for those who want to run it.

// Launches returns launches of a kernel, the likeliest to show a race first: those that the host
// code makes, with small numbers for what it does not tell, or one that fits the kernel. Their
// threads are not set. There may be none.
func (e *Engine) Launches(ctx context.Context, req Request, kernel string) []race.Witness {
	for _, module := range e.modules(ctx, req) {
		for _, f := range module.Kernels {
			if f.Name != kernel {
				continue
			}
			var all []race.Witness
			table := term.NewTable()
			for _, l := range launches(ctx, table, f, hostsOf(module, f)) {
				all = append(all, witness.Launches(access.Summarize(ctx, table, f, l, req.Config.Grid, req.Config.Block))...)
			}
			return all
		}
	}
	return nil
}
