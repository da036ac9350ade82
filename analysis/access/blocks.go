package access

import (
	"cmp"
	"maps"
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file bounds the blocks of a launch that is not known by the arrays that their threads index.
//
// DESIGN. A kernel that stores to tile[threadIdx.y][threadIdx.x], whatever the thread, is not meant
// for blocks larger than the tile: C++ gives no meaning to a subscript beyond its dimension. That
// bounds the block for the whole kernel, and so tells the tiles of different blocks apart.
//
// Neither is one that stores to out[blockIdx.x * 16 + threadIdx.x]: thread 16 would do what thread 0 of the next block does. So it
// would what the first of the next row of threads does at out[threadIdx.y * 16 + threadIdx.x], and warp 4 what warp 0 of the next
// block does at out[blockIdx.x * 4 + threadIdx.x / 32].
// And neither is one in which `for (i = threadIdx.x; i < n; i += 128)` deals out elements: threads beyond 128 would do again
// what others do. But where another loop goes on by blockDim.x, blocks of any size are meant, and the step is a mistake.

// The assumptions.
const (
	fittingBlocks = "blocks are no larger than the arrays that their threads index"
	dealingBlocks = "blocks are no larger than the steps of loops that deal out elements to their threads"
	apartBlocks   = "blocks are no larger than the steps from where a block stores to where the next one does"
	apartRows     = "rows of threads are no longer than the steps from where a row stores to where the next one does"
)

// subscript is one in a declared array, in bytes, with the conditions under which it is made, or what else bounds the
// block, with the assumption that it makes.
type subscript struct {
	p       *term.Poly
	most    int64
	when    []*term.Cond
	assumes string
	of      *Access // nil for what is no subscript
}

// fitBlocks adds to each access what the subscripts say of the block.
func (x *executor) fitBlocks() {
	square := map[string]*term.Cond{}
	for _, a := range x.sum.Accesses {
		if a.Kind == race.Write {
			x.stepsOfBlocks(a, square)
		}
	}
	seen := map[string]bool{}
	given := func(c *term.Cond, assumes string) {
		if c.Op == term.True || c.Op == term.False || seen[c.Key()] || x.saysBeyond(c) {
			return
		}
		seen[c.Key()] = true
		x.assume(assumes)
		x.sum.Given = append(x.sum.Given, c)
		for _, a := range x.sum.Accesses {
			a.When = append(a.When, c)
		}
	}
	for _, s := range x.subscribed {
		if x.readsUnset(s) {
			s.of.Unset = true
			continue
		}
		if s.assumes == dealingBlocks && slices.ContainsFunc(s.p.Terms(), x.ofAnySize) {
			continue
		}
		given(x.blockBound(s), s.assumes)
	}
	for _, key := range slices.Sorted(maps.Keys(square)) {
		given(square[key], apartBlocks)
	}
	x.unwrapIndices(len(seen) > 0)
}

// saysBeyond reports whether the launch itself has larger blocks than a condition says: it chooses their size from numbers of which
// one is larger, a loop of the host goes on with it, or it is asked for where none is that small.
func (x *executor) saysBeyond(c *term.Cond) bool {
	if x.sum.Launch == nil {
		return false
	}
	for _, side := range x.sum.Block {
		size, grows := side.IsAtom(), false
		if size != nil && slices.ContainsFunc(size.Choices(), func(n int64) bool { return x.t.SubstituteCond(c, size, x.t.Const(n)).Op == term.False }) {
			return true
		}
		side.AllLeaves(func(a *term.Atom) { grows = grows || (a.Carried || a.Kind == term.Iter) && madeOf(c, a) })
		if grows {
			return true
		}
	}
	x.solver.Budget = beyondCases
	return x.solver.Unsat(append(slices.Clone(x.sum.Given), c)...)
}

// beyondCases is the budget of the solver for such a question.
const beyondCases = 8

// madeOf reports whether a number is in a condition.
func madeOf(c *term.Cond, leaf *term.Atom) (found bool) {
	c.Walk(func(c *term.Cond) { found = found || c.P != nil && c.P.MadeOf(leaf) })
	return found
}

// ofBlock is a number of a block, and how much it differs from that of the next one.
type ofBlock struct {
	number *term.Atom
	apart  int64
}

// numbersOfBlocks are the numbers in an address by which blocks go to different places, with how far apart they are: the
// block's own, the column of its tile, as in blockIdx.x % columns, or the one of a piece of work that it has drawn from a counter.
func (x *executor) numbersOfBlocks(a *Access) (out []ofBlock) {
	for _, number := range x.sum.BlockIdx {
		if block := number.IsAtom(); block != nil {
			out = append(out, ofBlock{block, 1})
		}
	}
	for _, m := range a.Off.Terms() {
		for _, number := range m.Mono.Atoms {
			if number.Kind == term.Rem && slices.ContainsFunc(x.sum.BlockIdx[:], func(block *term.Poly) bool { return block.IsAtom() != nil && number.Args[0].Times(block) == 1 }) {
				out = append(out, ofBlock{number, 1})
				continue
			}
			if number.Variance != term.Block {
				continue
			}
			if by := x.drawnBy(number); by > 0 {
				out = append(out, ofBlock{number, by})
			}
		}
	}
	return out
}

// drawnBy is the constant that an atomic adds which has returned a number, or one that was put into shared memory; 0 if
// the number may be anything else.
func (x *executor) drawnBy(number *term.Atom) (by int64) {
	if load, ok := number.Ref.(*ir.Load); ok {
		writes, known := x.flow.writesTo(load)
		if !known || len(writes) != 1 {
			return 0
		}
		number = nil
		for _, w := range x.sum.Accesses {
			if w.Stmt == writes[0] && w.Value != nil {
				number = w.Value.IsAtom()
			}
		}
	}
	if number == nil || !drawn(x.t.Poly(number)) {
		return 0
	}
	for _, draw := range x.sum.Accesses {
		if op, ok := draw.Stmt.(*ir.Atomic); ok && draw.Stmt == number.Ref && op.Op == ir.AtomicAdd && draw.Value != nil {
			if by, ok := draw.Value.IsConst(); ok {
				return by
			}
		}
	}
	return 0
}

// readsUnset reports whether a block's last thread reads an element of shared memory beyond all those that threads of the
// block write, as in `s[t] = x; …; s[t] += s[t + 32]` with no `if (t < 32)`. That says nothing of how large blocks are: it is
// a mistake in those that there is room for, and in smaller ones, too.
func (x *executor) readsUnset(s subscript) bool {
	if s.of == nil || s.of.Kind != race.Read || s.of.Base == nil || s.of.Base.Space != ir.Shared || s.of.Base.Object == nil || !s.of.Off.Equal(s.p) {
		return false
	}
	end, free := x.last(s)
	if !free {
		return false
	}
	writes := false
	for _, w := range x.sum.Accesses {
		if !w.Writes() || w.Base.Space != ir.Shared {
			continue
		}
		last, _ := x.last(subscript{p: w.Off, when: w.When})
		if w.Base.Object != s.of.Base.Object || last == nil {
			if w.Base.Object == nil || w.Base.Object == s.of.Base.Object {
				return false
			}
			continue
		}
		if beyond, ok := x.t.Sub(end, last).IsConst(); !ok || beyond <= 0 {
			return false
		}
		writes = true
	}
	return writes
}

// stepsOfBlocks notes how many threads of each axis there are room for in an address between a block and the next one, or
// between a round of a loop, or a row of threads, and the next one: a constant, or as many as the block has along another axis,
// where the kernel means it to be square.
func (x *executor) stepsOfBlocks(a *Access, square map[string]*term.Cond) {
	t, off := x.t, a.Off
	for _, m := range off.Terms() {
		for _, w := range m.Mono.Atoms {
			if p := x.unsignedSum(w); p != nil { // what is the same before is so behind
				off = t.Substitute(off, w, p)
			}
		}
	}
	for axis, thread := range x.sum.ThreadIdx {
		own := thread.IsAtom()
		if own == nil {
			continue
		}
		for _, group := range x.groupsAlong(off, own) {
			x.stepsOfThreads(a, off, own, group)
		}
		moves := x.partOf(off, own)
		if len(moves.Terms()) == 0 {
			continue
		}
		for _, block := range x.numbersOfBlocks(a) {
			next := t.Substitute(moves, own, t.Poly(block.number))
			for other, side := range x.sum.Block {
				if other != axis && side.IsAtom() != nil && off.Times(t.Mul(next, side)) == 1 && !slices.ContainsFunc(a.When, func(c *term.Cond) bool { return !x.everyThread(c) }) {
					c := t.Le(x.sum.Block[axis], side)
					square[c.Key()] = c
				}
			}
		}
	}
}

// stepsOfThreads notes for how many threads, or groups of them, there is room in an address to the next block, round or row.
func (x *executor) stepsOfThreads(a *Access, off *term.Poly, own *term.Atom, group ofThreads) {
	t, moves := x.t, x.partOf(off, group.number)
	step := func(number *term.Atom) int64 { // how many groups further it leads than that of a group does
		next, by := t.Substitute(moves, group.number, t.Poly(number)), x.partOf(off, number)
		if n := by.Times(next); by.Equal(t.Scale(n, next)) {
			return max(n, -n) // threads may go down, as in 127 - threadIdx.x
		}
		return 0
	}
	room := func(step int64, assumes string) {
		if step >= 2 && step*group.threads >= leastDealt && !x.asksBeyond(own, step*group.threads) {
			x.subscribe(subscript{p: t.Poly(group.number), most: step - 1, when: a.When, assumes: assumes})
		}
	}
	for _, l := range a.Loops {
		room(step(l.Iter), dealingBlocks)
	}
	for _, block := range x.numbersOfBlocks(a) {
		room(step(block.number)*block.apart, apartBlocks)
	}
	if group.number != own {
		return
	}
	for _, row := range x.sum.ThreadIdx {
		if other := row.IsAtom(); other != nil && other != own {
			room(step(other), apartRows)
		}
	}
}

// ofThreads is a number that so many neighbours have.
type ofThreads struct {
	number  *term.Atom
	threads int64
}

// groupsAlong are the numbers in an address by which threads along an axis go to different places: their own, and those of their warps.
func (x *executor) groupsAlong(off *term.Poly, own *term.Atom) (out []ofThreads) {
	for _, m := range off.Terms() {
		for _, a := range m.Mono.Atoms {
			threads := int64(1)
			if of, n, ok := x.warpOf(a); ok && of == own {
				threads = n
			} else if a != own {
				continue
			}
			if group := (ofThreads{a, threads}); !slices.Contains(out, group) {
				out = append(out, group)
			}
		}
	}
	return out
}

// partOf are the terms of a sum in which a number is a factor.
func (x *executor) partOf(sum *term.Poly, number *term.Atom) *term.Poly {
	part := x.t.Const(0)
	for _, m := range sum.Terms() {
		if slices.Contains(m.Mono.Atoms, number) {
			part = x.t.Add(part, x.t.Monomial(m.Coef, m.Mono.Atoms))
		}
	}
	return part
}

// asksBeyond reports whether the kernel asks for threads from a coordinate on, or has room for them in an array, and so is
// meant for larger blocks, as `if (threadIdx.x < 32)` is for more than 32.
func (x *executor) asksBeyond(thread *term.Atom, from int64) bool {
	if thread.Hi < from {
		return false
	}
	asks := func(c *term.Cond) bool {
		found := false
		c.Walk(func(c *term.Cond) {
			each := c.P.Times(x.t.Poly(thread))
			rest, alone := x.t.Sub(c.P, x.t.Scale(each, x.t.Poly(thread))).IsConst()
			if each == 0 || !alone {
				return
			}
			at := -rest / each // where it changes
			found = found || at >= from-1 && at < thread.Hi
		})
		return found
	}
	within := map[string]bool{}
	for _, s := range x.subscribed {
		if s.assumes != fittingBlocks {
			continue
		}
		if x.roomFor(thread, s) > from+1 { // one more keeps rows off the same banks
			return true
		}
		within[x.t.Le(s.p, x.t.Const(s.most)).Key()] = true
	}
	for _, a := range x.sum.Accesses {
		if slices.ContainsFunc(a.When, func(c *term.Cond) bool { return !within[c.Key()] && asks(c) }) {
			return true
		}
	}
	return slices.ContainsFunc(x.sum.Events, func(e *Event) bool { return slices.ContainsFunc(e.When, asks) })
}

// roomFor is for how many threads along an axis there is room in an array, by an index that is made of threads' coordinates,
// such as threadIdx.y * 16 + threadIdx.x. Along x that is a subscript of its own, see subscribe.
func (x *executor) roomFor(thread *term.Atom, s subscript) (room int64) {
	most := int64(0)
	for _, m := range s.p.Terms() {
		if len(m.Mono.Atoms) != 1 || m.Coef <= 0 {
			return 0
		}
		a, threads := m.Mono.Atoms[0], int64(1)
		if of, n, ok := x.warpOf(a); ok {
			a, threads = of, n
		}
		if x.axisOf(a) < 0 {
			return 0
		}
		if m.Coef > most {
			most, room = m.Coef, 0
			if a == thread {
				room = (s.most/m.Coef + 1) * threads
			}
		}
	}
	return room
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
		x.dealtByLength(c, l)
		if first, step := x.dealing(c, l); step > 0 {
			x.subscribe(subscript{p: first, most: step - first.Gcd(), when: when, assumes: dealingBlocks})
		}
	}
}

// dealtByLength notes that a loop whose first element is the thread's goes on by as many as the block has along that axis.
func (x *executor) dealtByLength(c *term.Cond, l *Loop) {
	if c.Op != term.LeZero {
		return
	}
	for axis, thread := range x.sum.ThreadIdx {
		step := x.t.Mul(x.sum.Block[axis], x.t.Poly(l.Iter))
		if thread.IsAtom() != nil && x.sum.Block[axis].IsAtom() != nil && c.P.Times(thread) > 0 && c.P.Times(thread) == c.P.Times(step) {
			x.anySize[axis] = true
		}
	}
}

// ofAnySize reports whether a term is of a thread's number along an axis of which the kernel takes any length.
func (x *executor) ofAnySize(m term.Term) bool {
	return slices.ContainsFunc(m.Mono.Atoms, func(a *term.Atom) bool {
		axis := x.axisOf(a)
		return axis >= 0 && x.anySize[axis]
	})
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
// goes as far as 16. So it does where a thread stores to round * 16 + threadIdx.x.
func (x *executor) subscribe(s subscript) {
	if x.host {
		return // it has no threads
	}
	x.subscribed = append(x.subscribed, s)
	stores := s.of != nil && s.of.Kind == race.Write
	var digits []term.Term
	for _, m := range s.p.Terms() {
		if len(m.Mono.Atoms) == 1 && (x.axisOf(m.Mono.Atoms[0]) >= 0 || stores && m.Mono.Atoms[0].Kind == term.Iter) && m.Coef > 0 {
			digits = append(digits, m)
		}
	}
	slices.SortFunc(digits, func(m, n term.Term) int { return cmp.Compare(m.Coef, n.Coef) })
	for i, m := range digits[:max(len(digits), 1)-1] {
		if next := digits[i+1].Coef; next >= leastDealt*m.Coef && x.axisOf(m.Mono.Atoms[0]) >= 0 {
			last := next - m.Coef - x.margin(s, next)
			x.subscribed = append(x.subscribed, subscript{x.t.Monomial(m.Coef, m.Mono.Atoms), max(last, 0), s.when, s.assumes, s.of})
		}
	}
}

// margin is how far a row of so many bytes goes beyond the thread's own place in it: by a constant, and by what a loop adds, as over the
// neighbours in tile[(threadIdx.y + dy) * 40 + threadIdx.x + dx].
func (x *executor) margin(s subscript, row int64) int64 {
	margin := (s.p.Constant()%row + row) % row
	if margin > row/2 {
		margin -= row
	}
	for _, m := range s.p.Terms() {
		if len(m.Mono.Atoms) == 1 && m.Coef > 0 && m.Coef < row {
			if last := x.lastIteration(m.Mono.Atoms[0], s.when); last != nil {
				margin += m.Coef * last.Constant()
			}
		}
	}
	if margin < 0 || margin > row/2 { // it is no row, or the loop goes through it
		return 0
	}
	return margin
}

// blockBound says that a subscript of the block's last thread is within its dimension.
func (x *executor) blockBound(s subscript) *term.Cond {
	if slices.ContainsFunc(term.Conjuncts(s.when), func(c *term.Cond) bool {
		return !x.everyThread(c) && !x.everyWarp(c, s.p) && !x.fromThread(c, s) && !x.ofOtherAxes(c, s.p)
	}) {
		return term.Always()
	}
	if last, free := x.last(s); free {
		if of, threads, ok := x.warpAlone(s.p); ok { // the size of the block itself
			return x.t.Le(x.sum.Block[x.axisOf(of)], x.t.Const(((s.most-s.p.Constant())/s.p.Gcd()+1)*threads))
		}
		return x.t.Le(last, x.t.Const(s.most))
	}
	fromEnd := subscript{p: x.t.Scale(-1, s.p), when: s.when} // as in s[127 - threadIdx.x]
	if last, free := x.last(fromEnd); free {
		return x.t.Le(last, x.t.Const(0))
	}
	return term.Always()
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
		case len(m.Mono.Atoms) == 1 && ofRounds(m.Mono.Atoms[0]) > 0:
			last = t.Offset(last, max(m.Coef*(ofRounds(m.Mono.Atoms[0])-1), 0))
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
		if axis := x.axisOf(a); axis >= 0 {
			end = t.Offset(x.sum.Block[axis], -1)
			free = free || x.sum.Block[axis].IsAtom() != nil
		}
		if of, _, ok := x.warpOf(a); ok {
			block := x.sum.Block[x.axisOf(of)]
			end, free = t.Quotient(t.Offset(block, -1), a.Args[1]), free || block.IsAtom() != nil
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

// ofRounds is how many values a remainder of the number of a round takes, such as that of the half of an array which a round
// writes; 0 for others.
func ofRounds(a *term.Atom) int64 {
	if a.Kind != term.Rem {
		return 0
	}
	iter := a.Args[0].IsAtom()
	modulus, ok := a.Args[1].IsConst()
	if !ok || iter == nil || iter.Kind != term.Iter {
		return 0
	}
	return modulus
}

// warpOf reports whether a number is that of a warp, or of another group of so many neighbours along an axis.
func (x *executor) warpOf(a *term.Atom) (thread *term.Atom, threads int64, ok bool) {
	if a.Kind != term.Div {
		return nil, 0, false
	}
	thread = a.Args[0].IsAtom()
	threads, ok = a.Args[1].IsConst()
	return thread, threads, ok && thread != nil && x.axisOf(thread) >= 0
}

// warpAlone is warpOf for an index that is made of nothing else.
func (x *executor) warpAlone(index *term.Poly) (thread *term.Atom, threads int64, ok bool) {
	var alone *term.Atom
	for _, m := range index.Terms() {
		switch {
		case len(m.Mono.Atoms) == 0:
		case alone != nil || len(m.Mono.Atoms) > 1 || m.Coef != index.Gcd():
			return nil, 0, false
		default:
			alone = m.Mono.Atoms[0]
		}
	}
	if alone == nil {
		return nil, 0, false
	}
	return x.warpOf(alone)
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

// everyWarp reports whether a condition leaves no group of neighbours out whose numbers an index is made of: it asks for
// a thread's number within its group.
func (x *executor) everyWarp(c *term.Cond, index *term.Poly) bool {
	var thread *term.Atom
	var threads int64
	for _, m := range index.Terms() {
		for _, a := range m.Mono.Atoms {
			of, n, ok := x.warpOf(a)
			switch {
			case ok && thread == nil:
				thread, threads = of, n
			case a.Variance == term.Thread:
				return false
			}
		}
	}
	within := thread != nil
	c.Walk(func(c *term.Cond) {
		for _, m := range c.P.Terms() {
			for _, a := range m.Mono.Atoms {
				within = within && a.Kind == term.Rem && a.Args[0].IsAtom() == thread && a.Args[1].Equal(x.t.Const(threads))
			}
		}
	})
	return within
}

// fromThread reports whether a condition leaves out no more than the first threads of a block in the first rounds of its
// loops, as in `if (threadIdx.x > k) tile[threadIdx.x][k] /= pivot`. A block of these alone has room in the array, too.
func (x *executor) fromThread(c *term.Cond, s subscript) bool {
	if c.Op != term.LeZero {
		return false
	}
	t, p := x.t, c.P
	p.Leaves(func(a *term.Atom) {
		if a.Kind == term.Iter {
			p = t.Substitute(p, a, t.Const(0))
		}
	})
	for _, thread := range x.sum.ThreadIdx {
		own := thread.IsAtom()
		if own == nil || p.Times(thread) != -1 {
			continue
		}
		from, alone := t.Add(p, thread).IsConst()
		last := t.Substitute(s.p, own, t.Const(from-1))
		highest, fixed := last.IsConst()
		return alone && fixed && s.p.Times(thread) > 0 && highest <= s.most
	}
	return false
}

// ofOtherAxes reports whether a condition lets the first threads along all axes but those of an index pass in the first rounds of loops, and
// speaks of no others, as `threadIdx.y == 0` does of an index along x.
func (x *executor) ofOtherAxes(c *term.Cond, index *term.Poly) bool {
	c.Walk(func(d *term.Cond) {
		if d.P != nil {
			d.P.Leaves(func(a *term.Atom) {
				if a.Kind == term.Iter && !index.MadeOf(a) {
					c = x.t.SubstituteCond(c, a, x.t.Const(0))
				}
			})
		}
	})
	for _, thread := range x.sum.ThreadIdx {
		if own := thread.IsAtom(); own != nil && !index.MadeOf(own) {
			c = x.t.SubstituteCond(c, own, x.t.Const(0))
		}
	}
	return c.Op == term.True
}

// everyThread reports whether a condition leaves no thread of a block out, but for those beyond the
// end of the data. None is where it has come to the end of a loop.
func (x *executor) everyThread(c *term.Cond) bool {
	if c.Variance() <= term.Block || x.byAll[c.Key()] {
		return true
	}
	leavesOut := func(c *term.Cond) bool { return !x.everyThread(c) }
	switch c.Op {
	case term.And:
		return !slices.ContainsFunc(c.Args, leavesOut)
	case term.Or:
		return slices.ContainsFunc(c.Args, x.everyThread)
	case term.EqZero:
		return false
	}
	for _, m := range c.P.Terms() {
		for _, a := range m.Mono.Atoms {
			if a.Kind == term.Symbol && (a.Variance == term.Block || a.Variance == term.Grid && a.Ref != nil) || IsContents(a) && a.Variance <= term.Block {
				return true
			}
		}
	}
	return false
}
