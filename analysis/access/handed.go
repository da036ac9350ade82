package access

import (
	"maps"
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/term"
)

// This file reads what one thread has put into shared memory for its block, as in
// `if (threadIdx.x == 0) row = rows + blockIdx.x * width; __syncthreads();`.
//
// DESIGN. A load finds what the only statement that writes there has stored in this round of their loops, if that
// comes before it and a barrier of the block lies between them whichever way round they are taken: else the two race.
// Nobody reads what was never set, so a thread that stores is one that its conditions choose. What that thread alone
// knows, such as the ticket that it has drawn, is for the block one number: a copy that does not vary.

// handed is what a statement has stored for the block.
type handed struct {
	at    int64
	value Value
	loops []*Loop
	when  []fact // the way to the store
	ofOne *term.Renaming
}

// hand notes a store to a place of shared memory that does not vary.
func (x *executor) hand(st *state, s *ir.Store, to, value Value) {
	at, ok := fixedPlace(to, s.T, s.Strength)
	if x.host || !ok {
		return
	}
	h := &handed{at: at, value: value, loops: slices.Clone(x.loops), when: st.facts}
	if old := x.handed[s]; old != nil {
		h.ofOne = old.ofOne
	}
	x.handed[s] = h
}

// fixedPlace is the offset of a plain access to a number or a pointer that lies at one place of the block's shared memory.
func fixedPlace(to Value, t ir.Type, how ir.Strength) (at int64, ok bool) {
	if to.Base == nil || to.Base.Space != ir.Shared || to.Base.Object == nil || to.Base.Remote != nil || how.Volatile || how.Order != ir.Weak {
		return 0, false
	}
	if t != ir.Ptr && (!t.IsInt() || t == ir.Bool) {
		return 0, false
	}
	return to.P.IsConst()
}

// forget forgets what was stored in another round of a loop.
func (x *executor) forget(l *Loop) {
	for s, h := range x.handed {
		if slices.Contains(h.loops, l) {
			delete(x.handed, s)
		}
	}
}

// handedOn is what a load of shared memory finds, if one statement has put it there for the block.
func (x *executor) handedOn(st *state, s *ir.Load, from Value) (Value, bool) {
	if len(x.handed) == 0 {
		return Value{}, false
	}
	at, ok := fixedPlace(from, s.T, s.Strength)
	if !ok {
		return Value{}, false
	}
	h := x.onlyStore(s, at)
	if h == nil || !Inside(x.loops, h.loops) {
		return Value{}, false
	}
	if !slices.ContainsFunc(h.when, func(f fact) bool { return !st.holds(f) }) && (h.value.P != nil || h.value.Base != nil) {
		return h.value, true // its own; if that were another thread's, the two would race
	}
	if x.flow.varianceOfLoad(s) > term.Block {
		return Value{}, false
	}
	chosen, one := map[*term.Atom]*term.Poly{}, false
	for _, f := range h.when {
		if st.holds(f) {
			continue
		}
		if !x.choosesThreads(f.c, chosen) {
			return Value{}, false
		}
		one = true
	}
	if h.value.Base == nil && x.madeOfData(h.value.P) {
		return Value{}, false // as one number of its own it can be told from what is added to it
	}
	if !varies(h.value) {
		return h.value, true
	}
	if h.value.Base == nil && h.value.P != nil && h.value.P.IsAtom() != nil {
		if _, drawn := h.value.P.IsAtom().Ref.(*ir.Atomic); drawn {
			return Value{}, false // package meet knows such tickets
		}
	}
	if !one {
		return Value{}, false // each thread stores its own
	}
	if h.ofOne == nil {
		h.ofOne = x.t.Rename(term.Handed, func(a *term.Atom) bool { return a.Variance <= term.Block }, func(a *term.Atom) *term.Poly { return chosen[a] })
		h.ofOne.Edit = func(a *term.Atom) { a.Variance = min(a.Variance, term.Block) }
	}
	v := x.rename(h.ofOne, h.value)
	return v, !varies(v)
}

// holds reports whether something is known on the way to a state.
func (st *state) holds(f fact) bool {
	return slices.ContainsFunc(st.facts, func(g fact) bool { return g.c.Same(f.c) })
}

// madeOfData reports whether a number hangs on what memory holds.
func (x *executor) madeOfData(p *term.Poly) (found bool) {
	if p != nil {
		p.AllLeaves(func(a *term.Atom) { found = found || x.isData(a) })
	}
	return found
}

// varies reports whether a value may differ between threads of a block.
func varies(v Value) bool {
	switch {
	case v.P == nil || v.Truth != nil || v.P.Variance() > term.Block:
		return true
	case v.Base == nil:
		return false
	case len(v.Base.Either) > 0:
		return slices.ContainsFunc(v.Base.Either, func(alt Alternative) bool { return alt.When.Variance() > term.Block || varies(alt.To) })
	}
	return v.Base.Pointer != nil && v.Base.Pointer.Variance() > term.Block || v.Base.Remote != nil
}

// settledByOwn reports whether a load of shared memory comes behind all writes of what it reads, of which those that no barrier
// parts from it are of its own thread, as in `if (threadIdx.x == 0) { if (n > 64) n = 64; first = atomicAdd(&end, n); }`.
func (x *executor) settledByOwn(st *state, s *ir.Load) bool {
	if !x.record || x.host || s.Volatile || s.Order != ir.Weak || !s.T.IsInt() || s.T == ir.Bool {
		return false
	}
	near, behind := x.flow.nearWrites(s)
	if !behind {
		return false
	}
	own := x.oneThread(st.conds())
	return own != nil && !slices.ContainsFunc(near, func(w ir.Stmt) bool {
		return slices.ContainsFunc(x.sum.Accesses, func(a *Access) bool {
			return a.Stmt == w && !maps.EqualFunc(x.oneThread(a.When), own, (*term.Poly).Equal)
		})
	})
}

// oneThread gives the coordinates of the only thread of a block that conditions let go on, nil if they may let several.
func (x *executor) oneThread(conds []*term.Cond) map[*term.Atom]*term.Poly {
	chosen := map[*term.Atom]*term.Poly{}
	for _, c := range conds {
		x.choosesThreads(c, chosen)
	}
	for _, i := range x.sum.ThreadIdx {
		if a := i.IsAtom(); a != nil && chosen[a] == nil {
			return nil
		}
	}
	return chosen
}

// onlyStore is what the one statement has stored that may write a place of shared memory, nil if there is no such.
func (x *executor) onlyStore(s *ir.Load, at int64) (found *handed) {
	writes, known := x.flow.writesTo(s)
	if !known {
		return nil
	}
	for _, w := range writes {
		store, ok := w.(*ir.Store)
		if !ok {
			return nil
		}
		h := x.handed[store]
		first, constant := constantOffset(store.Ptr)
		if h != nil {
			first, constant = h.at, true
		}
		switch {
		case !constant:
			return nil
		case first+store.T.Size() <= at || at+s.T.Size() <= first:
		case h == nil || found != nil || first != at || store.T != s.T:
			return nil
		default:
			found = h
		}
	}
	return found
}

// constantOffset is where an address lies in the object that it names.
func constantOffset(e ir.Expr) (int64, bool) {
	switch e := e.(type) {
	case *ir.ObjAddr:
		return 0, true
	case *ir.Const:
		return int64(e.Bits), true
	case *ir.Convert:
		return constantOffset(e.X)
	case *ir.PtrAdd:
		base, ok := constantOffset(e.Base)
		offset, constant := constantOffset(e.Offset)
		return base + offset, ok && constant
	}
	return 0, false
}

// choosesThreads reports whether a condition says which threads of the block go on, by nothing but their coordinates.
// If it names a coordinate, it gives that one.
func (x *executor) choosesThreads(c *term.Cond, chosen map[*term.Atom]*term.Poly) bool {
	switch {
	case c.Op == term.And:
		return !slices.ContainsFunc(c.Args, func(c *term.Cond) bool { return !x.choosesThreads(c, chosen) })
	case c.P == nil || c.Variance() != term.Thread:
		return false
	}
	byThread := true
	c.P.AllLeaves(func(a *term.Atom) {
		byThread = byThread && (a.Kind == term.Func || a.Variance == term.Grid && a.Loops == 0 || x.isThreadIdx(a))
	})
	if !byThread {
		return false
	}
	for _, i := range x.sum.ThreadIdx {
		for _, m := range c.P.Terms() {
			if c.Op != term.EqZero || i.IsAtom() == nil || len(m.Mono.Atoms) != 1 || m.Mono.Atoms[0] != i.IsAtom() || m.Coef != 1 && m.Coef != -1 {
				continue
			}
			if by := x.t.Sub(i, x.t.Scale(m.Coef, c.P)); by.Variance() <= term.Grid && by.Loops() == 0 {
				chosen[i.IsAtom()] = by
			}
		}
	}
	return true
}

func (x *executor) isThreadIdx(a *term.Atom) bool {
	return slices.ContainsFunc(x.sum.ThreadIdx[:], func(i *term.Poly) bool { return i.IsAtom() == a })
}
