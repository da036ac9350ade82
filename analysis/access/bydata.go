package access

import (
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/term"
)

// This file says how an address hangs on what memory holds.

// ByData is what memory has to say in which threads meet.
type ByData uint8

const (
	Plain     ByData = iota // nothing: what tells two threads' addresses apart is no data
	ByElement               // which element it is, as in `count[key[i]]`
	ByStart                 // where a range of elements begins, as in `value[start[row] + i]`
)

// byData classifies an address. A counter that the kernel's own atomics count is no data, but where each of
// several counters begins is, as in `list[atomicAdd(&next[key], 1)] = i`. What varies no more than given is
// no data: all threads see it alike.
func (x *executor) byData(p *term.Poly, alike term.Variance) ByData {
	varies := func(a *term.Atom) bool { return a.Variance > alike || a.Loops != 0 }
	var starts, moves []term.Term
	data := false
	for _, t := range p.Terms() {
		switch {
		case x.holdsData(t, varies):
			data = true
			if !x.measured(t) {
				starts = append(starts, t)
			}
		case slices.ContainsFunc(t.Mono.Atoms, varies):
			moves = append(moves, t)
		}
	}
	for _, s := range starts {
		if slices.ContainsFunc(moves, func(m term.Term) bool { return sameStride(s, m, varies) }) {
			return ByStart
		}
	}
	if data {
		return ByElement
	}
	return Plain
}

// measured reports whether a term is rounded from a number in floating point, as the pixel that a point lies in: such
// numbers are where something is, not where a range of elements begins.
func (x *executor) measured(t term.Term) bool {
	found := false
	for _, a := range t.Mono.Atoms {
		x.t.Poly(a).AllLeaves(func(a *term.Atom) {
			found = found || a.Kind == term.Func && (strings.HasPrefix(a.Name, ir.F32.String()+" to ") || strings.HasPrefix(a.Name, ir.F64.String()+" to "))
		})
	}
	return found
}

// commonData is the part of an address that hangs on memory and is the same for all threads of a block,
// but not for all blocks.
func (x *executor) commonData(p *term.Poly) *term.Poly {
	sum := x.t.Const(0)
	for _, t := range p.Terms() {
		alike := !slices.ContainsFunc(t.Mono.Atoms, func(a *term.Atom) bool { return a.Variance > term.Block || a.Loops != 0 })
		if alike && x.holdsData(t, func(a *term.Atom) bool { return a.Variance == term.Block }) {
			sum = x.t.Add(sum, x.t.Monomial(t.Coef, t.Mono.Atoms))
		}
	}
	return sum
}

// holdsData reports whether what varies of a term hangs on what memory holds.
func (x *executor) holdsData(t term.Term, varies func(*term.Atom) bool) bool {
	return slices.ContainsFunc(t.Mono.Atoms, func(a *term.Atom) bool {
		if a.Kind == term.Select && (isConst(a.Args[0]) && drawn(a.Args[1]) || isConst(a.Args[1]) && drawn(a.Args[0])) { // `slot = keep ? atomicAdd(&n, 1) : -1`
			return slices.ContainsFunc(a.Args, func(arg *term.Poly) bool {
				return slices.ContainsFunc(arg.Terms(), func(t term.Term) bool { return x.holdsData(t, varies) })
			})
		}
		found := false
		x.t.Poly(a).AllLeaves(func(a *term.Atom) { found = found || varies(a) && x.isData(a) })
		return found
	})
}

// drawn reports whether a number is what an atomic has returned.
func drawn(p *term.Poly) bool {
	a := p.IsAtom()
	if a == nil {
		return false
	}
	_, ok := a.Ref.(*ir.Atomic)
	return ok
}

func (x *executor) isData(a *term.Atom) bool {
	switch a.Kind {
	case term.Opaque, term.Result:
		switch of := a.Ref.(type) {
		case *ir.Atomic:
			return x.several[of]
		case *ir.Reg:
			data, known := x.flow.data[of]
			return data || !known // the host's
		case *ir.Load:
			data, known := x.flow.data[of.Dst]
			return data || !known
		case *ir.WarpOp:
			return x.flow.data[of.Dst] || slices.ContainsFunc(x.flow.draws(of.Dst), func(a *ir.Atomic) bool { return x.several[a] })
		}
		return true
	case term.Func:
		if load, ok := a.Ref.(*ir.Load); ok && SettledAt(a) != nil {
			return x.flow.data[load.Dst]
		}
		return IsContents(a) && !x.tabled[a]
	}
	return false
}

// sameStride reports whether two terms count the same number of bytes: whether they agree but for what
// varies.
func sameStride(s, t term.Term, varies func(*term.Atom) bool) bool {
	fixed := func(t term.Term) []*term.Atom { return slices.DeleteFunc(slices.Clone(t.Mono.Atoms), varies) }
	return (s.Coef == t.Coef || s.Coef == -t.Coef) && slices.Equal(fixed(s), fixed(t))
}

// Shifted reports whether an address begins at an offset that is a number of the launch, or would be one if the launch did
// not give it: a constant so large that half as much as lies behind it has room in front. A neighbour is nearer.
func Shifted(p *term.Poly) bool {
	if lo, hi := p.Range(); hi > lo && lo != term.NoLo && hi != term.NoHi && (hi-lo)/2 <= p.Constant() && (hi-lo)/2 <= lo {
		return true
	}
	return slices.ContainsFunc(p.Terms(), func(t term.Term) bool {
		varies := func(a *term.Atom) bool { return a.Variance != term.Grid || a.Loops != 0 }
		return len(t.Mono.Atoms) > 0 && !slices.ContainsFunc(t.Mono.Atoms, varies)
	})
}
