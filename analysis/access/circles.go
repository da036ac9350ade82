package access

import "github.com/warplint/warplint/analysis/term"

// This file reads the neighbours of a place on a circle.
//
// DESIGN. Where a grid is periodic, some write `(x + 1) % n`, and others `x + 1 < n ? x + 1 : 0`, or `x > 0 ? x - 1 : n - 1`. A choice
// makes two cases for each thread and each axis, and hides that no two threads have the same neighbour. So it is written as the
// remainder that it is.

// onCircle is a choice of p if c holds, else of q, as a remainder by a number of the launch; nil if it is none.
func (x *executor) onCircle(st *state, c *term.Cond, p, q Value) *term.Poly {
	if x.host || c.P == nil || p.P == nil || q.P == nil || p.Base != nil || q.Base != nil || !ofCoordinates(p.P) || !ofCoordinates(q.P) {
		return nil
	}
	for _, of := range []*term.Poly{c.P, p.P, q.P} {
		for _, m := range of.Terms() {
			if len(m.Mono.Atoms) != 1 || m.Coef != 1 && m.Coef != -1 {
				continue
			}
			n := m.Mono.Atoms[0]
			if n.Variance > term.Grid || n.Loops != 0 || len(n.Args) > 0 {
				continue
			}
			if around := x.around(st, c, p.P, q.P, x.t.Poly(n)); around != nil {
				return around
			}
			if around := x.around(st, x.t.Not(c), q.P, p.P, x.t.Poly(n)); around != nil {
				return around
			}
		}
	}
	return nil
}

// ofCoordinates reports whether a number is made of coordinates and numbers of the launch, and is one also where the other is chosen.
func ofCoordinates(p *term.Poly) bool {
	if p.Partial() {
		return false
	}
	for _, m := range p.Terms() {
		for _, a := range m.Mono.Atoms {
			switch a.Kind {
			case term.Symbol, term.Iter, term.Div, term.Rem:
			default:
				return false
			}
		}
	}
	return true
}

// around does so where a number stays as it is if a condition holds, and comes from the other end of a circle of n places if it does
// not.
func (x *executor) around(st *state, stays *term.Cond, number, end, n *term.Poly) *term.Poly {
	t := x.t
	on, off := st.fork(), st.fork()
	on.know(stays)
	off.know(t.Not(stays))
	var from *term.Poly
	switch before, beyond := t.Add(number, n), t.Sub(number, n); {
	case x.proves(off, t.Eq(end, beyond)):
		from = number
	case x.proves(off, t.Eq(end, before)):
		from = before
	default:
		return nil
	}
	if !x.isPlace(on, number, n) || !x.isPlace(off, end, n) {
		return nil
	}
	return t.Remainder(from, n)
}

// isPlace reports whether a number is one from 0 to n - 1.
func (x *executor) isPlace(st *state, number, n *term.Poly) bool {
	return x.proves(st, x.t.Le(x.t.Const(0), number)) && x.proves(st, x.t.Lt(number, n))
}
