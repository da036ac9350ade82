package access

import (
	"fmt"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file knows memory that kernels take from the device's heap.
//
// DESIGN. Each call gives memory that nobody else has: a function of the call, the thread and the round of its loops. To give
// memory back is taken for a write anywhere in it, as whoever uses it then, or later, uses what may be another's.

// freshFrom begins the names of these functions.
const freshFrom = "memory of the heap, from call "

// IsFresh reports whether a value is the address of memory that a thread has got from the device's heap.
func IsFresh(a *term.Atom) bool { return a.Kind == term.Func && strings.HasPrefix(a.Name, freshFrom) }

// IsFresh reports whether it is memory that a thread has got from the device's heap.
func (b *Base) IsFresh() bool {
	return b.Pointer != nil && b.Pointer.IsAtom() != nil && IsFresh(b.Pointer.IsAtom())
}

// takeFromHeap gives a thread memory of its own.
func (x *executor) takeFromHeap(s *ir.Named) Value {
	args := append(x.sum.ThreadIdx[:], x.sum.BlockIdx[:]...)
	for _, l := range x.loops {
		args = append(args, x.t.Poly(l.Iter))
	}
	return x.apply(fmt.Sprint(freshFrom, s.Site), ir.Ptr, args...)
}

// giveBack takes memory from a thread.
func (x *executor) giveBack(st *state, s *ir.Named) {
	p := x.eval(st, s.Args[0])
	switch {
	case p.Base == nil:
		x.unknown("memory that the kernel frees", s.Site)
	case !p.Base.IsNull():
		p.P = x.t.Poly(x.t.Fresh(term.Symbol, "byte of the memory", 0, term.NoHi, term.Thread, x.loopBits(), s))
		x.at(st, &Access{Stmt: s, Site: s.Site, Kind: race.Write, Size: 1}, p)
	}
}
