package prove

import (
	"slices"

	"github.com/warplint/warplint/analysis/term"
)

// This file assumes of a row of unknown length that it holds its columns.
//
// DESIGN. A kernel that writes out[y*pitch + x] is free of races exactly if x stays below pitch.
// Where the kernel compares x with something, or the launch says how many columns there are, that
// decides. Where nothing is known of either, no caller means anything else by the pitch; the answer
// then rests on the assumption, and names it.

// assumedRow reports whether lower, the difference of two columns, may be assumed to stay between
// -R and R.
func (s *Solver) assumedRow(st *state, e, lower *term.Poly, r radix) bool {
	if s.Extents == nil || len(r.atoms) == 0 || !s.isColumn(lower) {
		return false
	}
	relations := relations(st, e)
	var lengths []*term.Poly
	for _, a := range r.atoms {
		lengths = append(lengths, s.T.Poly(a))
	}
	for a := range atomsOf(closure(lengths, relations)) {
		if variation(a) > 0 {
			return false // the length bounds something
		}
	}
	relations = slices.DeleteFunc(relations, r.isIndex)
	free := false
	for a := range atomsOf(closure([]*term.Poly{lower}, relations)) {
		if variation(a) == 0 && !s.Extents[a] {
			return false // something else bounds the columns
		}
		free = free || s.Extents[a]
	}
	return free
}

// relations lists what a state knows but for one equation.
func relations(st *state, but *term.Poly) []*term.Poly {
	return slices.DeleteFunc(slices.Concat(st.les, st.eqs), func(p *term.Poly) bool { return p == but })
}

// isIndex reports whether a relation is one of a whole index: it has rows of this length in it,
// and says nothing of the columns by themselves.
func (r radix) isIndex(p *term.Poly) bool {
	for _, x := range p.Terms() {
		row, length := false, false
		for _, a := range x.Mono.Atoms {
			row = row || variation(a) > 0
			length = length || slices.Contains(r.atoms, a)
		}
		if row && length {
			return true
		}
	}
	return false
}

// isColumn reports whether a digit is made of coordinates and loop counters only, by constant
// steps or those of the launch; what a load returned may be any number.
func (s *Solver) isColumn(p *term.Poly) bool {
	for a := range atomsOf([]*term.Poly{p}) {
		switch a.Kind {
		case term.Iter:
		case term.Symbol:
			if a.Ref != nil && !s.Extents[a] {
				return false // a parameter
			}
		case term.Div, term.Rem:
			if !s.isColumn(a.Args[0]) || !s.isColumn(a.Args[1]) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func atomsOf(ps []*term.Poly) map[*term.Atom]bool {
	out := map[*term.Atom]bool{}
	for _, p := range ps {
		for _, x := range p.Terms() {
			for _, a := range x.Mono.Atoms {
				out[a] = true
			}
		}
	}
	return out
}
