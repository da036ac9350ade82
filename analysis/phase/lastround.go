package phase

import (
	"slices"

	"github.com/warplint/warplint/analysis/ir"
)

// This file leads paths out of a loop that have taken a branch which only the last round takes, as the one around the
// barrier in `if (k < n) { fill(next); __syncthreads(); }` where the loop ends at n.

// body appends a loop's body behind a node and returns the last node of a round that another one may follow.
func (b *builder) body(s *ir.Loop, at, end *node) *node {
	for i, st := range s.Body {
		if at == nil {
			return nil
		}
		then, els := b.goesOn(st)
		rest := slices.Concat(s.Body[i+1:], s.Post)
		if then && els || !isQuiet(s.Head) || !isQuiet(rest) {
			at = b.stmt(st, at)
			continue
		}
		branch := st.(*ir.If)
		one, two := b.list(branch.Then, b.after(at)), b.list(branch.Else, b.after(at))
		if !then {
			b.lastRound(s, rest, one, end)
			one = nil
		}
		if !els {
			b.lastRound(s, rest, two, end)
			two = nil
		}
		at = b.merge(one, two)
	}
	return at
}

// goesOn says from which sides of a statement another round may follow; both where it may not be taken apart.
func (b *builder) goesOn(st ir.Stmt) (then, els bool) {
	branch, ok := st.(*ir.If)
	if !ok || b.on == nil {
		return true, true
	}
	if b.takes != nil {
		if then, els := b.takes(branch); !then || !els {
			return true, true
		}
	}
	return b.on(branch)
}

// lastRound leads a path through the rest of a round and out of the loop.
func (b *builder) lastRound(s *ir.Loop, rest []ir.Stmt, at, end *node) {
	if at == nil {
		return
	}
	if at = b.list(rest, at); at == nil || always(s.Cond) {
		return
	}
	back, exit := b.node(backNode), b.node(exitNode)
	back.loop, exit.loop, exit.test = s, s, true
	link(at, back)
	link(back, exit)
	link(exit, end)
}

// isQuiet reports whether statements only compute, and choose ways out.
func isQuiet(list []ir.Stmt) bool {
	quiet := true
	for _, st := range list {
		ir.WalkStmts([]ir.Stmt{st}, func(st ir.Stmt) bool {
			switch st.(type) {
			case *ir.Assign, *ir.If, *ir.Break:
			default:
				quiet = false
			}
			return quiet
		})
	}
	return quiet
}
