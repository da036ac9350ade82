package witness

import (
	"math/bits"
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file says how many threads a kernel counts on: one that asks `threadIdx.x == 100` or `threadIdx.x / 32 >= 4`
// is meant for blocks that have such threads.

// askedThreads is the least power of two of threads along an axis that has all numbers which conditions of accesses
// compare the thread's number with, 1 if they compare it with none.
func askedThreads(s *access.Summary, axis int) int {
	return 1 << bits.Len64(uint64(mostAsked(s, axis)))
}

// mostAsked is the greatest number of a thread along an axis that conditions of accesses compare it with, 0 if there is none.
func mostAsked(s *access.Summary, axis int) (most int64) {
	asked(s, s.ThreadIdx[axis].IsAtom(), func(_ *term.Cond, number int64) {
		if number < maxBlockThreads {
			most = max(most, number)
		}
	})
	return most
}

// maxAskedBlocks bounds the blocks along an axis that conditions may ask for.
const maxAskedBlocks = 8

// askedBlocks is the number of blocks along an axis that has all numbers which conditions of accesses compare the
// block's number with, and two blocks beyond a bound: of those behind the first, say, one may race with another.
func askedBlocks(s *access.Summary, axis int) (blocks int) {
	asked(s, s.BlockIdx[axis].IsAtom(), func(c *term.Cond, number int64) {
		last := number
		if c.Op == term.LeZero {
			last++
		}
		if last < maxAskedBlocks {
			blocks = max(blocks, int(last)+1)
		}
	})
	return blocks
}

// asked calls a function for each number that a condition of an access compares an index with.
func asked(s *access.Summary, index *term.Atom, f func(c *term.Cond, number int64)) {
	if index == nil {
		return
	}
	for _, a := range s.Accesses {
		for _, when := range a.When[a.Bounds:] {
			when.Walk(func(c *term.Cond) {
				if number, ok := compared(c, index); ok {
					f(c, number)
				}
			})
		}
	}
}

// compared is the least number of an index that a condition compares it with, be it divided or not.
func compared(c *term.Cond, index *term.Atom) (number int64, ok bool) {
	for _, t := range c.P.Terms() {
		if len(t.Mono.Atoms) == 0 {
			continue
		}
		a := t.Mono.Atoms[0]
		each := int64(1)
		if a.Kind == term.Div {
			if d, isConst := a.Args[1].IsConst(); isConst {
				a, each = a.Args[0].IsAtom(), d
			}
		}
		if a != index || len(t.Mono.Atoms) > 1 || ok {
			return 0, false
		}
		number, ok = -c.P.Constant()/t.Coef*each, true
	}
	return number, ok && number >= 0
}

// countedThreads is the greatest number of threads that barriers of the block count, 0 if none counts any: whoever launches
// the kernel has at least those.
func countedThreads(s *access.Summary) (most int) {
	ir.WalkStmts(s.Func.Body, func(st ir.Stmt) bool {
		if b, ok := st.(*ir.Barrier); ok && b.Level == ir.BlockLevel {
			if count, ok := b.Count.(*ir.Const); ok && count.Bits <= maxBlockThreads {
				most = max(most, int(count.Bits))
			}
		}
		return true
	})
	return most
}

// groupedThreads are the threads of the groups of neighbours that a kernel tells apart by their number, as in
// `if (threadIdx.x / 16 == 0) … else …`, where threads go to places by their number within their group; 0 if it tells none
// apart. The second group does something else than the first; more groups would do the same at the same places.
func groupedThreads(s *access.Summary, axis int) int {
	thread, most := s.ThreadIdx[axis].IsAtom(), int64(0)
	if thread == nil {
		return 0
	}
	within := func(a *access.Access, length *term.Poly) bool {
		return slices.ContainsFunc(a.Off.Terms(), func(t term.Term) bool {
			return len(t.Mono.Atoms) == 1 && t.Mono.Atoms[0].Kind == term.Rem && t.Mono.Atoms[0].Args[0].IsAtom() == thread && t.Mono.Atoms[0].Args[1].Equal(length)
		})
	}
	for _, a := range s.Accesses {
		for _, c := range a.When[a.Bounds:] {
			if c.Op != term.EqZero && c.Op != term.NeZero || len(c.P.Terms()) == 0 {
				continue
			}
			group := s.T.Offset(c.P, -c.P.Constant()).IsAtom()
			if group == nil || group.Kind != term.Div || group.Args[0].IsAtom() != thread || !a.Writes() || !within(a, group.Args[1]) {
				continue
			}
			if length, ok := group.Args[1].IsConst(); ok {
				most = max(most, max(1-c.P.Constant(), 2)*length)
			}
		}
	}
	return int(most)
}

// warpsAlong is the greatest length of groups within a warp that a kernel makes of neighbours along one axis of its block, or
// of the grid, as in `(blockIdx.x * blockDim.x + threadIdx.x) / 32`; 1 if it makes none. In a block that is no multiple of it
// along this axis groups would lie in two rows or blocks, so nobody means one.
func warpsAlong(s *access.Summary, axis int) int {
	thread, most := s.ThreadIdx[axis].IsAtom(), int64(1)
	if thread == nil {
		return 1
	}
	look := func(p *term.Poly) {
		for _, t := range p.Terms() {
			for _, group := range t.Mono.Atoms {
				if group.Kind != term.Div && group.Kind != term.Rem || !group.Args[0].Mentions(thread) || ofSeveralAxes(s, group.Args[0]) {
					continue
				}
				if length, ok := group.Args[1].IsConst(); ok && length > most && race.WarpSize%length == 0 {
					most = length
				}
			}
		}
	}
	for _, a := range s.Accesses {
		look(a.Off)
		for _, when := range a.When[a.Bounds:] {
			when.Walk(func(c *term.Cond) { look(c.P) })
		}
	}
	return int(most)
}

// ofSeveralAxes reports whether a number is made of a thread's coordinates along several axes.
func ofSeveralAxes(s *access.Summary, p *term.Poly) bool {
	axes := 0
	for _, at := range s.ThreadIdx {
		if a := at.IsAtom(); a != nil && p.Mentions(a) {
			axes++
		}
	}
	return axes > 1
}
