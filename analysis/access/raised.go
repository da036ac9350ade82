package access

import (
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/term"
)

// This file knows counters that a loop raises as long as a condition holds which, once it fails, never holds again:
//
//	for (t = 0; t < tiles; t++) {
//	    if (t + 1 < tiles) fetch(filled++);
//
// Where the condition holds, it held in each round before, so that the counter is what it was before the loop, raised once
// for each round.

// raised is such a counter: its symbol, what it was before the loop, and the step.
type raised struct {
	reg           *ir.Reg
	symbol, first *term.Poly
	step          int64
}

// raisedIn finds the registers that a loop changes by nothing but one statement of the branches that each round comes to,
// given what they hold before the loop and at the start of a round.
func (x *executor) raisedIn(st *state, s *ir.Loop, values map[*ir.Reg]Value) map[*ir.If][]raised {
	if x.host {
		return nil // there an iteration is not told from another
	}
	var out map[*ir.If][]raised
	for _, branch := range s.Body {
		if goesOn(branch, s.Label) {
			break // what stands behind it may be left out
		}
		b, ok := branch.(*ir.If)
		if !ok {
			continue
		}
		for _, inner := range b.Then {
			a, ok := inner.(*ir.Assign)
			if !ok || definitions(s, a.Dst) != 1 {
				continue
			}
			step, ok := stepOf(a)
			first, now := st.regs.of(a.Dst), values[a.Dst]
			if !ok || first.P == nil || first.Base != nil || now.P == nil || now.P.IsAtom() == nil {
				continue
			}
			if out == nil {
				out = map[*ir.If][]raised{}
			}
			out[b] = append(out[b], raised{a.Dst, now.P, first.P, step})
		}
	}
	return out
}

// goesOn reports whether a statement may begin the next round of a loop.
func goesOn(s ir.Stmt, label *ir.Label) bool {
	found := false
	ir.WalkStmts([]ir.Stmt{s}, func(s ir.Stmt) bool {
		c, ok := s.(*ir.Continue)
		found = found || ok && c.Target == label
		return !found
	})
	return found
}

// definitions counts the statements of a loop that set a register.
func definitions(s *ir.Loop, r *ir.Reg) (n int) {
	ir.WalkStmts([]ir.Stmt{s}, func(s ir.Stmt) bool {
		if slices.Contains(ir.Defs(s), r) {
			n++
		}
		return true
	})
	return n
}

// stepOf reads an assignment that adds a constant to its register.
func stepOf(a *ir.Assign) (int64, bool) {
	sum, ok := a.X.(*ir.Binary)
	if !ok || sum.Op != ir.Add || !a.Dst.Type.IsInt() {
		return 0, false
	}
	r, ok := sum.X.(*ir.RegRef)
	c, fixed := sum.Y.(*ir.Const)
	if !ok || !fixed || r.R != a.Dst || c.Bits > 1<<20 {
		return 0, false
	}
	return int64(c.Bits), true
}

// raise says in a branch that is taken what the counters are that only it raises, if it was taken in each round before.
func (x *executor) raise(then *state, s *ir.If, taken *term.Cond) {
	if len(x.loops) == 0 {
		return
	}
	l := x.loops[len(x.loops)-1]
	counters := l.raised[s]
	if len(counters) == 0 || !endsForGood(taken, l) {
		return
	}
	for _, c := range counters {
		if v := then.regs.of(c.reg); v.P != nil && v.P.Equal(c.symbol) {
			then.regs.set(c.reg, Value{P: x.t.Add(c.first, x.t.Scale(c.step, x.t.Poly(l.Iter)))})
		}
	}
}

// endsForGood reports whether a condition that holds in a round of a loop held in all rounds before.
func endsForGood(taken *term.Cond, l *Loop) bool {
	for _, c := range term.Conjuncts([]*term.Cond{taken}) {
		switch {
		case c.Op == term.True:
			continue
		case c.Op != term.LeZero:
			return false
		}
		for _, m := range c.P.Terms() {
			for _, a := range m.Mono.Atoms {
				if a.Loops&l.Bit != 0 && (a != l.Iter || m.Coef < 0 || len(m.Mono.Atoms) > 1) {
					return false
				}
			}
		}
	}
	return true
}
