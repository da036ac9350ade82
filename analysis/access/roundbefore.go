package access

import (
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/term"
)

// This file says which pointers of the host a round of a loop starts with: those that the round before has left.
//
// DESIGN. A kernel that reads what the one before has written is launched with a pointer that each round sets anew, as in
// `layer<<<…>>>(out[i], in); in = out[i];`. What it is, the body says if it is run for the number of the round before. A round that
// begins with out[i] by mistake has one pointer for two arguments, so it is not enough to call it some pointer.

// leftBefore gives registers whose pointers come from anywhere in a loop what the round before has left in them.
func (x *executor) leftBefore(st *state, l *Loop, values map[*ir.Reg]Value, wandering []*ir.Reg) {
	defer x.within(l)()
	in, before := st.fork(), x.roundBefore(l)
	for r, v := range values {
		in.regs.set(r, x.rename(before, v))
	}
	in.memory = nil
	for _, c := range st.memory {
		if c.inRounds == nil {
			c.at, c.value = before.Poly(c.at), x.rename(before, c.value)
		}
		in.memory = append(in.memory, c)
	}
	end := x.iteration(in, l.Stmt, false)
	delete(x.exits, l.Stmt.Label)
	if end == nil {
		return
	}
	first := x.t.Eq(x.t.Poly(l.Iter), x.t.Const(0))
	for _, r := range wandering {
		if v, left := st.regs.of(r), end.regs.of(r); v.Base != nil && left.Base != nil && len(v.Base.all())+len(left.Base.all()) <= maxPointers {
			values[r] = x.choose(first, v, x.allocatedBefore(left, l), ir.Ptr)
		}
	}
}

// roundBefore renames what a round of a loop starts with to what the one before did: numbers without a closed form were other ones.
func (x *executor) roundBefore(l *Loop) *term.Renaming {
	t := x.t
	others := map[*term.Atom]*term.Poly{l.Iter: t.Offset(t.Poly(l.Iter), -1)}
	return t.Rename(0, func(a *term.Atom) bool { return len(a.Args) == 0 }, func(a *term.Atom) *term.Poly {
		if others[a] == nil && len(a.Args) == 0 && len(x.changing(t.Poly(a), l, l.first)) > 0 {
			others[a] = t.Poly(t.Fresh(a.Kind, a.Name, a.Lo, a.Hi, a.Variance, a.Loops, a.Ref))
		}
		return others[a]
	})
}

// allocatedBefore is a pointer as the round before has left it: what each round allocates is no memory of this round.
func (x *executor) allocatedBefore(v Value, l *Loop) Value {
	switch b := v.Base; {
	case b == nil:
	case len(b.Either) > 0:
		c := *b
		c.Either = slices.Clone(b.Either)
		for i, alt := range c.Either {
			c.Either[i].To = x.allocatedBefore(alt.To, l)
		}
		v.Base = &c
	case b.Alloc != nil && slices.Contains(l.Stmt.Body, ir.Stmt(b.Alloc)):
		v.Base = x.apply(b.allocation(), ir.Ptr, x.t.Offset(x.t.Poly(l.Iter), -1)).Base
	case b.Alloc != nil && x.madeInLoop[b.Alloc] && contains(l.Stmt, b.Alloc):
		v = x.opaque("pointer", term.Grid, ir.Ptr, nil)
	}
	return v
}

// contains reports whether a statement is within a loop.
func contains(l *ir.Loop, s ir.Stmt) (found bool) {
	ir.WalkStmts([]ir.Stmt{l}, func(o ir.Stmt) bool {
		found = found || o == s
		return !found
	})
	return found
}
