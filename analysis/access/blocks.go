package access

import (
	"cmp"
	"slices"

	"github.com/warplint/warplint/analysis/term"
)

// This file bounds the blocks of a launch that is not known by the arrays that their threads index.
//
// DESIGN. A kernel that stores to tile[threadIdx.y][threadIdx.x], whatever the thread, is not meant
// for blocks larger than the tile: C++ gives no meaning to a subscript beyond its dimension. That
// bounds the block for the whole kernel, and so tells the tiles of different blocks apart.
//
// Neither is one in which `for (i = threadIdx.x; i < n; i += 128)` deals out elements meant for more than 128: threads
// beyond would do again what others do.

// The assumptions.
const (
	fittingBlocks = "blocks are no larger than the arrays that their threads index"
	dealingBlocks = "blocks are no larger than the steps of loops that deal out elements to their threads"
)

// subscript is one in a declared array, in bytes, with the conditions under which it is made, or what else bounds the
// block, with the assumption that it makes.
type subscript struct {
	p       *term.Poly
	most    int64
	when    []*term.Cond
	assumes string
}

// fitBlocks adds to each access what the subscripts say of the block.
func (x *executor) fitBlocks() {
	seen := map[string]bool{}
	for _, s := range x.subscribed {
		c := x.blockBound(s)
		if c.Op == term.True || c.Op == term.False || seen[c.Key()] {
			continue
		}
		seen[c.Key()] = true
		x.assume(s.assumes)
		x.sum.Given = append(x.sum.Given, c)
		for _, a := range x.sum.Accesses {
			a.When = append(a.When, c)
		}
	}
}

// leastDealt is the least number of threads that a step is taken for. Smaller ones leave room between elements.
const leastDealt = 4

// dealt notes by how much a loop goes on whose first element is the thread's: so many threads there are.
func (x *executor) dealt(st *state, l *Loop) {
	if !x.record || x.host || l.while == nil {
		return
	}
	when := slices.DeleteFunc(st.conds(), func(c *term.Cond) bool { // in the first rounds of loops around this one all threads take part
		return slices.ContainsFunc(x.loops, func(around *Loop) bool {
			_, step := x.dealing(c, around)
			return step > 0
		})
	})
	for _, c := range term.Conjuncts([]*term.Cond{l.while}) {
		if first, step := x.dealing(c, l); step > 0 {
			x.subscribe(subscript{first, step - first.Gcd(), when, dealingBlocks})
		}
	}
}

// dealing splits the condition `thread's first + step * round + rest <= 0` of a loop that deals out elements; step is 0
// for others.
func (x *executor) dealing(c *term.Cond, l *Loop) (first *term.Poly, step int64) {
	t := x.t
	if c.Op != term.LeZero {
		return nil, 0
	}
	step = c.P.Times(t.Poly(l.Iter))
	rest := t.Sub(c.P, t.Scale(step, t.Poly(l.Iter)))
	first = t.Const(0)
	for _, m := range rest.Terms() {
		if slices.ContainsFunc(m.Mono.Atoms, func(a *term.Atom) bool { return x.axisOf(a) >= 0 }) {
			first = t.Add(first, t.Monomial(m.Coef, m.Mono.Atoms))
		}
	}
	if each := first.Gcd(); each <= 0 || step < leastDealt*each || t.Sub(rest, first).Variance() > term.Block || x.dependsOnLoop(rest, l) {
		return nil, 0
	}
	return first, step
}

// subscribe notes a subscript, and how far the coordinates of threads go in it: of threadIdx.y * 16 + threadIdx.x, x
// goes as far as 16.
func (x *executor) subscribe(s subscript) {
	if x.host {
		return // it has no threads
	}
	x.subscribed = append(x.subscribed, s)
	var axes []term.Term
	for _, m := range s.p.Terms() {
		if len(m.Mono.Atoms) == 1 && x.axisOf(m.Mono.Atoms[0]) >= 0 && m.Coef > 0 {
			axes = append(axes, m)
		}
	}
	slices.SortFunc(axes, func(m, n term.Term) int { return cmp.Compare(m.Coef, n.Coef) })
	for i, m := range axes[:max(len(axes), 1)-1] {
		if next := axes[i+1].Coef; next >= leastDealt*m.Coef {
			x.subscribed = append(x.subscribed, subscript{x.t.Monomial(m.Coef, m.Mono.Atoms), next - m.Coef, s.when, s.assumes})
		}
	}
}

// blockBound says that a subscript of the block's last thread is within its dimension.
func (x *executor) blockBound(s subscript) *term.Cond {
	if axis, threads := x.byGroups(s); axis >= 0 {
		return x.t.Le(x.sum.Block[axis], x.t.Const(threads))
	}
	if slices.ContainsFunc(s.when, func(c *term.Cond) bool { return !x.everyThread(c) }) {
		return term.Always()
	}
	if last, free := x.last(s); free {
		return x.t.Le(last, x.t.Const(s.most))
	}
	fromEnd := subscript{p: x.t.Scale(-1, s.p), when: s.when} // as in s[127 - threadIdx.x]
	if last, free := x.last(fromEnd); free {
		return x.t.Le(last, x.t.Const(0))
	}
	return term.Always()
}

// byGroups is the axis of a block of which so many threads have groups whose number is within a dimension, as warps have
// in `part[threadIdx.x / 32]`; -1 for other subscripts. The first thread of a group may stand for it.
func (x *executor) byGroups(s subscript) (axis int, threads int64) {
	var group *term.Term
	for _, m := range s.p.Terms() {
		if len(m.Mono.Atoms) == 0 {
			continue
		}
		if group != nil || len(m.Mono.Atoms) > 1 || m.Coef <= 0 {
			return -1, 0
		}
		group = &m
	}
	if group == nil || group.Mono.Atoms[0].Kind != term.Div {
		return -1, 0
	}
	thread, each := group.Mono.Atoms[0].Args[0], group.Mono.Atoms[0].Args[1]
	size, known := each.IsConst()
	if x := thread.IsAtom(); x == nil || !known || size <= 0 {
		return -1, 0
	}
	axis = x.axisOf(thread.IsAtom())
	most := s.most - s.p.Constant()
	if axis < 0 || x.sum.Block[axis].IsAtom() == nil || most < 0 || most/group.Coef > maxGroups || slices.ContainsFunc(s.when, func(c *term.Cond) bool {
		return !x.everyThread(c) && !c.Same(x.t.Eq(x.t.Remainder(thread, each), x.t.Const(0)))
	}) {
		return -1, 0
	}
	return axis, (most/group.Coef + 1) * size
}

// maxGroups bounds the groups of a block: there are no larger ones.
const maxGroups = 1024

// leaves reports whether a subscript is beyond its dimension in some thread of each block that is full. The host has no
// threads.
func (x *executor) leaves(s subscript) bool {
	if x.host || slices.ContainsFunc(s.when, func(c *term.Cond) bool { return !x.everyThread(c) }) {
		return false
	}
	last, _ := x.last(s)
	if last == nil {
		return false
	}
	most, ok := last.IsConst()
	return s.p.Constant() < 0 || ok && most > s.most
}

// last is a subscript of the block's last thread in the last iterations of its loops, nil if that is not known, and
// whether it depends on a block that is not known.
func (x *executor) last(s subscript) (last *term.Poly, free bool) {
	t := x.t
	last = t.Const(0)
	for _, m := range s.p.Terms() {
		switch {
		case len(m.Mono.Atoms) == 0:
			last = t.Offset(last, m.Coef)
			continue
		case m.Coef < 0:
			return nil, false
		case len(m.Mono.Atoms) > 1:
			end := x.lastOfRow(m.Mono.Atoms)
			if end == nil {
				return nil, false
			}
			last, free = t.Add(last, t.Scale(m.Coef, end)), true
			continue
		}
		a := m.Mono.Atoms[0]
		end := x.lastIteration(a, s.when)
		if a.Kind == term.Rem {
			end = x.lastRemainder(a)
		}
		if axis := x.axisOf(a); axis >= 0 {
			end = t.Offset(x.sum.Block[axis], -1)
			free = free || x.sum.Block[axis].IsAtom() != nil
		}
		if end == nil {
			return nil, false
		}
		last = t.Add(last, t.Scale(m.Coef, end))
	}
	return last, free
}

// lastOfRow is the greatest product of a coordinate and of dimensions of the block, nil for others.
func (x *executor) lastOfRow(atoms []*term.Atom) *term.Poly {
	t, last, axis := x.t, x.t.Const(1), -1
	for _, a := range atoms {
		isDim := slices.ContainsFunc(x.sum.Block[:], func(dim *term.Poly) bool { return dim.IsAtom() == a })
		switch i := x.axisOf(a); {
		case i >= 0 && axis < 0:
			axis, last = i, t.Mul(last, t.Offset(x.sum.Block[i], -1))
		case isDim:
			last = t.Mul(last, t.Poly(a))
		default:
			return nil
		}
	}
	if axis < 0 {
		return nil
	}
	return last
}

// lastRemainder is the greatest remainder of consecutive numbers, where the threads of a block have as many; nil for others.
func (x *executor) lastRemainder(a *term.Atom) *term.Poly {
	modulus, ok := a.Args[1].IsConst()
	if !ok {
		return nil
	}
	for _, m := range a.Args[0].Terms() {
		if len(m.Mono.Atoms) != 1 || m.Coef != 1 {
			continue
		}
		if axis := x.axisOf(m.Mono.Atoms[0]); axis >= 0 {
			if threads, known := x.sum.Block[axis].IsConst(); known && threads >= modulus {
				return x.t.Const(modulus - 1)
			}
		}
	}
	return nil
}

// axisOf is the axis of threadIdx that an atom is, or -1.
func (x *executor) axisOf(a *term.Atom) int {
	for i, p := range x.sum.ThreadIdx {
		if p.IsAtom() == a {
			return i
		}
	}
	return -1
}

// lastIteration is the greatest number of a loop's iteration, if that is a constant.
func (x *executor) lastIteration(a *term.Atom, when []*term.Cond) *term.Poly {
	if a.Kind != term.Iter {
		return nil
	}
	for _, c := range when {
		if c.Op != term.LeZero || len(c.P.Terms()) > 2 {
			continue
		}
		for _, m := range c.P.Terms() {
			if len(m.Mono.Atoms) == 1 && m.Mono.Atoms[0] == a && m.Coef > 0 && c.P.Constant() <= 0 && len(c.P.Terms()) <= 2 {
				if rest := x.t.Sub(c.P, x.t.Monomial(m.Coef, m.Mono.Atoms)); rest.Constant() == c.P.Constant() {
					if _, ok := rest.IsConst(); ok {
						return x.t.Const(-c.P.Constant() / m.Coef)
					}
				}
			}
		}
	}
	return nil
}

// everyThread reports whether a condition leaves no thread of a block out, but for those beyond the
// end of the data.
func (x *executor) everyThread(c *term.Cond) bool {
	if c.Variance() <= term.Block {
		return true
	}
	data := false
	c.Walk(func(c *term.Cond) {
		if c.P == nil {
			return
		}
		for _, m := range c.P.Terms() {
			for _, a := range m.Mono.Atoms {
				data = data || a.Kind == term.Symbol && (a.Variance == term.Block || a.Variance == term.Grid && a.Ref != nil)
			}
		}
	})
	return data
}
