package witness

import (
	"slices"

	"github.com/warplint/warplint/analysis/ir"
)

// This file says what hangs on a value that lowering did not understand: a constant of a header that was not found, a
// function whose definition is elsewhere. A run draws such values for each thread anew, which a constant never does.

// guesses says of a kernel's statements whether a thread comes to them only if such a value lets it.
type guesses struct {
	regs  map[*ir.Reg]bool // that hold such a value, or what was computed from one
	under map[ir.Stmt]bool // below a condition on one, or behind a way out under such a condition
	loops map[ir.Stmt]bool // in a loop that goes round as often as one says, in which most threads have a round
}

// guessesIn returns nil if there is none.
func guessesIn(f *ir.Func) *guesses {
	g := &guesses{regs: map[*ir.Reg]bool{}, under: map[ir.Stmt]bool{}, loops: map[ir.Stmt]bool{}}
	ir.WalkStmts(f.Body, func(st ir.Stmt) bool {
		if u, ok := st.(*ir.Unknown); ok {
			for _, r := range u.Dst {
				g.regs[r] = true
			}
		}
		return true
	})
	if len(g.regs) == 0 {
		return nil
	}
	for more := true; more; {
		more = false
		g.list(f.Body, false, false)
		ir.WalkStmts(f.Body, func(st ir.Stmt) bool {
			if g.under[st] || slices.ContainsFunc(ir.Operands(st), g.in) {
				for _, r := range ir.Defs(st) {
					more = more || !g.regs[r]
					g.regs[r] = true
				}
			}
			return true
		})
	}
	return g
}

func (g *guesses) in(e ir.Expr) bool {
	return slices.ContainsFunc(ir.Registers(e), func(r *ir.Reg) bool { return g.regs[r] })
}

// list marks the statements of a list, and returns what a value may have a thread leave early: loops, blocks and, as
// nil, the kernel.
func (g *guesses) list(list []ir.Stmt, under, loop bool) (left []*ir.Label) {
	for _, st := range list {
		within, around, label := under || len(left) > 0, loop, (*ir.Label)(nil)
		g.under[st], g.loops[st] = within, loop
		switch st := st.(type) {
		case *ir.If:
			within = within || g.in(st.Cond)
		case *ir.Loop:
			around, label = around || g.in(st.Cond), st.Label
		case *ir.Block:
			label = st.Label
		case *ir.Break:
			left = leave(left, st.Target, within)
		case *ir.Continue:
			left = leave(left, st.Target, within)
		case *ir.Return, *ir.Trap:
			left = leave(left, nil, within)
		}
		for _, nested := range ir.Nested(st) {
			for _, l := range g.list(nested, within, around) {
				left = leave(left, l, label == nil || l != label)
			}
		}
	}
	return left
}

func leave(left []*ir.Label, l *ir.Label, is bool) []*ir.Label {
	if !is || slices.Contains(left, l) {
		return left
	}
	return append(left, l)
}
