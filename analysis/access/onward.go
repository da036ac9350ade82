package access

import (
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/term"
)

// This file knows branches that only the last round of a loop passes by:
//
//	for (k = 8; k <= n; k += 8) {
//	    use(tile[1 - w]);
//	    if (k < n) { fill(tile[w]); __syncthreads(); w ^= 1; }
//	}
//
// A round that another one follows has taken the branch. So at the start of a round a register is what the branch has made
// of it, in each round before, and a thread that has not taken the branch comes round no more.

// settle gives registers the values that they have at the end of a round if another one follows.
func (x *executor) settle(l *Loop, symbols map[*ir.Reg]Value, end *state) {
	if x.host || l.Bit == 0 {
		return
	}
	var next *state
	for _, r := range x.flow.assigned[l.Stmt] {
		v := end.regs.of(r)
		if _, carried := symbols[r]; !carried || v.P == nil || v.Base != nil || v.P.IsAtom() == nil || v.P.IsAtom().Kind != term.Select {
			continue
		}
		if p := x.settled(end, v.P); p != v.P {
			end.regs.set(r, Value{P: p})
			continue
		}
		if next == nil {
			if next = x.roundAfter(l, end); next == nil {
				next = &state{dead: true}
			}
		}
		if !next.dead && !inTest(l.Stmt, r) {
			if p := x.settled(next, v.P); p != v.P {
				end.regs.set(r, Value{P: p})
				if !slices.Contains(l.onward, r) {
					l.onward = append(l.onward, r)
				}
			}
		}
	}
}

// roundAfter is the state at the end of a round in which the loop's condition is known to hold once more; nil if there is none
// at the loop's head, or if more is done there than numbers are computed.
func (x *executor) roundAfter(l *Loop, end *state) *state {
	s := l.Stmt
	for _, st := range s.Head {
		if _, ok := st.(*ir.Assign); !ok {
			return nil
		}
	}
	next := end.fork()
	x.exec(next, s.Head)
	if next.dead {
		return nil
	}
	c := x.truth(next, s.Cond)
	if c.Op == term.True || c.Op == term.False {
		return nil
	}
	next.know(c)
	return next
}

// settled is a number without the choices that are made where a state holds.
func (x *executor) settled(st *state, p *term.Poly) *term.Poly {
	for a := p.IsAtom(); a != nil && a.Kind == term.Select; a = p.IsAtom() {
		switch {
		case x.proves(st, a.If):
			p = a.Args[0]
		case x.proves(st, x.t.Not(a.If)):
			p = a.Args[1]
		default:
			return p
		}
	}
	return p
}

// inTest reports whether a loop's condition hangs on a register.
func inTest(s *ir.Loop, r *ir.Reg) bool {
	uses := slices.Contains(ir.Registers(s.Cond), r)
	for _, st := range s.Head {
		uses = uses || slices.Contains(ir.Defs(st), r)
		for _, e := range ir.Operands(st) {
			uses = uses || slices.Contains(ir.Registers(e), r)
		}
	}
	return uses
}

// leaveOnward forgets in a state that leaves a loop at its head what holds of registers only if there is a round.
func (x *executor) leaveOnward(done *state, l *Loop) {
	for _, r := range l.onward {
		done.regs.set(r, x.opaque(r.Name, x.flow.variance.Of(r), r.Type, r))
	}
}

// goOn notes from which sides of its branches a loop goes round once more, given the state at the end of a round.
func (x *executor) goOn(l *Loop, end *state, taken map[*ir.If]*term.Cond) {
	if x.host || !x.record || l.Bit == 0 || end == nil {
		return
	}
	if !synchronizes(l.Stmt) {
		return
	}
	next := x.roundAfter(l, end)
	if next == nil {
		next = end
	}
	for _, st := range l.Stmt.Body {
		s, ok := st.(*ir.If)
		if !ok || taken[s] == nil || !synchronizes(s) {
			continue
		}
		old, seen := x.sum.Onward[s]
		if seen && old.Then && old.Else {
			continue
		}
		x.sum.Onward[s] = Sides{
			Then: old.Then || !x.proves(next, x.t.Not(taken[s])),
			Else: old.Else || !x.proves(next, taken[s])}
	}
}

// synchronizes reports whether threads meet somewhere in a statement.
func synchronizes(s ir.Stmt) bool {
	found := false
	ir.WalkStmts([]ir.Stmt{s}, func(s ir.Stmt) bool {
		switch s.(type) {
		case *ir.Barrier, *ir.Named:
			found = true
		}
		return !found
	})
	return found
}
