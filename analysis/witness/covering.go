package witness

import (
	"maps"
	"math/bits"
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file makes launches for a kernel that nothing launches with as many threads as the kernel has work for. A guard
// such as `if (i < n)` says that whoever launches it has a thread for each element, up to the last one, which may
// have to do with the first: `a[n - 1 - i]`. With more elements than threads that would not show.

// severalBlocks are so many along an axis that some have neighbours on both sides.
const severalBlocks = 4

// covering are such launches; the numbers that no guard compares threads with are natural ones, in any order.
func covering(s *access.Summary, beside *plan) (out []plan) {
	if s.Launch != nil || beside.small || beside.size != natural && beside.size != productNatural {
		return nil
	}
	l := newPlanner(s, s.Func)
	blocks := moreBlocks(s, beside.launch.Grid)
	for shape := range shapes {
		n := numbers{size: beside.size, blocks: shaped(blocks, beside.launch.Grid, shape)}
		p, ok := l.with(n)
		if !ok {
			return out
		}
		if n.exact, _ = l.reachedBy(p, shape); shape > 0 && len(n.exact) < 2 {
			return out
		}
		if shape > 0 && isConst(s.Grid[0]) && isConst(s.Grid[1]) {
			leaveSome(n.exact, shape, p.launch.Block)
		}
		for _, n.spread = range [...]spread{level, rising, falling, apart} {
			p, ok := l.with(n)
			if !ok || p.cut {
				return out
			}
			if len(n.exact) > 0 {
				p.below = uint64(slices.Min(slices.Collect(maps.Values(n.exact))))
			}
			p.size, p.early, p.covering, p.shape = beside.size, n.spread == level, true, shape
			if p.launch.Blocks = nil; p.threads() > wholeGridThreads {
				p.launch.Blocks = wholeClusters(atEdges(p.launch.Grid), p.launch.Grid, s.Cluster)
			}
			if l.isNew(p) {
				out = append(out, p)
			}
		}
	}
	return out
}

// shapes is how many shapes such launches have: square ones, wide ones and tall ones, as of two sizes either may be the greater one.
const shapes = 3

// shaped are the blocks along each axis, 0 for the default, of a launch of some shape.
func shaped(blocks, grid race.Dim3, shape int) race.Dim3 {
	if shape > 0 && grid[0] > 1 && grid[1] > 1 && grid[2] == 1 {
		narrow := shape % 2 // the axis
		blocks[narrow] = max(blocks[narrow], grid[narrow]) / 2
	}
	return blocks
}

// leaveSome makes one of the sizes of a known grid smaller: its last blocks need not be full.
func leaveSome(sizes map[*term.Atom]int64, shape int, block race.Dim3) {
	numbers := slices.SortedFunc(maps.Keys(sizes), func(a, b *term.Atom) int { return a.ID - b.ID })
	if less := int64(max(block[0]/4, 1)); sizes[numbers[shape-1]] > less {
		sizes[numbers[shape-1]] -= less
	}
}

// split is a number that several sizes make in a launch of some shape.
func split(n int64, count, shape int) (sizes []int64) {
	for left := count; left > 1; left-- {
		size := int64(1) << (bits.Len64(uint64(n)) / left)
		switch {
		case left < count:
		case shape == 1:
			size *= 2
		case shape == 2:
			size = max(size/2, 1)
		}
		sizes = append(sizes, size)
		n = max(n/size, 1)
	}
	return append(sizes, n)
}

// leavingOneOut is a launch with one thread more than there is work for. That this may be is what guards are for.
func (l *planner) leavingOneOut() (plan, bool) {
	n := numbers{size: natural}
	p, ok := l.with(n)
	if !ok || l.s.Launch != nil {
		return plan{}, false
	}
	each := map[*term.Atom]int64{}
	n.exact, each = l.reachedBy(p, 0)
	for a := range n.exact {
		n.exact[a] -= each[a]
	}
	maps.DeleteFunc(n.exact, func(_ *term.Atom, threads int64) bool { return threads < 1 })
	p, ok = l.with(n)
	return p, ok && len(n.exact) > 0 && !p.cut
}

// moreBlocks are the blocks of such a launch along each axis, 0 for the default. Blocks whose number chooses what they do,
// and not where, may be those that there are.
func moreBlocks(s *access.Summary, grid race.Dim3) (blocks race.Dim3) {
	if grid[2] > 1 {
		return blocks
	}
	for axis, n := range grid {
		block := s.BlockIdx[axis].IsAtom()
		if n > 1 && block != nil && !slices.ContainsFunc(s.Accesses, func(a *access.Access) bool {
			return a.Writes() && a.Base.Space == ir.Global && !hasTermOf(a.Off, block)
		}) {
			blocks[axis] = severalBlocks
		}
	}
	return blocks
}

// hasTermOf reports whether a number stands in a sum as it is.
func hasTermOf(p *term.Poly, a *term.Atom) bool {
	return slices.ContainsFunc(p.Terms(), func(x term.Term) bool { return slices.Contains(x.Mono.Atoms, a) })
}

// reachedBy gives the numbers that guards compare threads with, and nothing else, as many as the threads of a launch reach,
// and how many are for each of them: where each begins a tile of 16, the last tile is a whole one, too.
func (l *planner) reachedBy(p plan, shape int) (out, each map[*term.Atom]int64) {
	out, each = map[*term.Atom]int64{}, map[*term.Atom]int64{}
	for _, a := range l.s.Accesses {
		for _, guard := range l.threadsBelow(a) { // thread + 1 - n ≤ 0
			of, thread := l.numbersIn(guard)
			if len(of) == 0 {
				continue
			}
			most, ok := l.most(thread, p)
			switch {
			case !ok || most <= 0 || most >= natural:
			case len(of) == 1:
				step := max(thread.Gcd(), 1)
				out[of[0]] = max(out[of[0]], (most+step-1)/step*step)
				each[of[0]] = max(each[of[0]], step)
			case !slices.ContainsFunc(of, func(a *term.Atom) bool { return out[a] > 0 }):
				for i, size := range split(most, len(of), shape) {
					out[of[i]], each[of[i]] = size, 1
				}
			}
		}
	}
	return out, each
}

// threadsBelow lists what is not positive where numbers of threads, and of elements in the first round of loops that deal them
// out, are below others: by conditions, and as `a[n - 1 - i]` does not begin before its array.
func (l *planner) threadsBelow(a *access.Access) (out []*term.Poly) {
	for _, c := range term.Conjuncts(a.When) {
		if c.Op == term.LeZero && c.P.Variance() > term.Grid {
			out = append(out, sides(l.s.T, c.P)...)
		}
	}
	if g := a.Off.Gcd(); g > 1 && a.Off.Constant()%g == 0 {
		out = append(out, l.s.T.Scale(-1, l.s.T.DivExact(a.Off, g)))
	}
	return out
}

// mostFactors is how many sizes a kernel multiplies, as those of a tensor.
const mostFactors = 4

// numbersIn splits p into `thread - number`, of one number that nothing fixes or a product of some.
func (l *planner) numbersIn(p *term.Poly) (of []*term.Atom, thread *term.Poly) {
	for _, x := range p.Terms() {
		m := x.Mono.Atoms
		if x.Coef != -1 || len(m) == 0 || len(m) > mostFactors || isPower(m) || slices.ContainsFunc(m, func(a *term.Atom) bool { return !free(a) }) {
			continue
		}
		if of != nil {
			return nil, nil
		}
		of, thread = m, l.s.T.Add(p, l.s.T.Monomial(1, m))
	}
	return of, thread
}

// isPower reports whether some factor is there twice. Factors are sorted.
func isPower(m []*term.Atom) bool {
	return len(slices.Compact(slices.Clone(m))) < len(m)
}
