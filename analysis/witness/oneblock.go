package witness

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp/hb"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file is about kernels that are meant for one block.
//
// DESIGN. A kernel that asks neither for the number of its block nor for how many there are, and draws nothing from what all
// blocks share, does in each block what it does in every other. Few mean it for more than one, so what two blocks race by is
// information where no launch says otherwise.

// forOneBlock reports whether nothing says that a kernel is launched with more than one block: no launch is known, it does not ask
// which block it is, draws nothing for its block, and has no lock in global memory. (Where threads of one block contend for the
// lock, they are the ones that are shown.)
func forOneBlock(s *access.Summary) bool {
	if _, fixed := s.Grid[0].IsConst(); fixed || s.Launch != nil || asksForBlock(s.Func) {
		return false
	}
	polled := hb.PolledSites(s.Func)
	return !slices.ContainsFunc(s.Accesses, func(a *access.Access) bool {
		return a.Kind == race.Atomic && a.Base.Space != ir.Shared && polled[a.Site] || drawsForBlock(s, a)
	})
}

// drawsForBlock reports whether a thread puts into shared memory what it has drawn from a counter that all blocks have, be it
// by a plain update.
func drawsForBlock(s *access.Summary, w *access.Access) bool {
	if w.Base.Space != ir.Shared || w.Kind != race.Write || w.Value == nil || w.Value.IsAtom() == nil {
		return false
	}
	drawn := w.Value.IsAtom()
	return slices.ContainsFunc(s.Accesses, func(a *access.Access) bool {
		return a.Base.Space != ir.Shared && any(a.Stmt) == drawn.Ref && (a.Kind == race.Atomic || forLaunch(s, a))
	})
}

// asksForBlock reports whether a kernel reads the number of its block, or how many there are.
func asksForBlock(f *ir.Func) bool {
	found := false
	ir.WalkStmts(f.Body, func(s ir.Stmt) bool {
		ir.WalkExprs(s, func(e ir.Expr) {
			v, ok := e.(*ir.Builtin)
			found = found || ok && (v.Var == ir.BlockIdx || v.Var == ir.GridDim)
		})
		return !found
	})
	return found
}

// forLaunch reports whether an access is of a place that the whole launch has, and that the kernel both reads and writes.
func forLaunch(s *access.Summary, a *access.Access) bool {
	return a.Off.Variance() == term.Grid && slices.ContainsFunc(s.Accesses, func(b *access.Access) bool {
		return b.Base == a.Base && b.Off.Equal(a.Off) && b.Writes() != a.Writes()
	})
}
